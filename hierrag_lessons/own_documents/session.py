"""The talk of labelling: a question is typed, passages are shown, and what is accepted becomes a line of a file.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from hierrag_lessons.evaluation import UNANSWERABLE, Evidence, Question
from hierrag_lessons.model import Document, Language, Passage, Span
from hierrag_lessons.own_documents.candidates import LABELLED, candidates
from hierrag_lessons.own_documents.folder import guess_language
from hierrag_lessons.own_documents.gold_file import append_question, evidence_fields
from hierrag_lessons.own_documents.judging import HELP, Judgement, read_judgement
from hierrag_lessons.own_documents.places import place_of, printable
from hierrag_lessons.own_documents.questions import ORDINARY
from hierrag_lessons.own_documents.silver import silver_questions
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Index
from hierrag_lessons.text import split_sentences

_PROPOSED = 200  # passages that are drawn to ask about


@dataclass(frozen=True)
class Labelled:
    """What a session of labelling has done: questions added, questions in the file now, and the file."""

    added: int
    total: int
    path: Path


class _StoppedError(Exception):
    """Whoever labels wants to stop, or the input has ended."""


class Session:
    """One person at one terminal, who asks and judges until it is enough."""

    def __init__(
        self,
        documents: list[Document],
        indexed: Callable[[Language], tuple[Index, Index]],
        path: Path,
        known: list[Question],
        reader: TextIO,
        writer: TextIO,
    ) -> None:
        self.documents = {document.doc_id: document for document in documents}
        self.indexed, self.path, self.known = indexed, path, known
        self.reader, self.writer = reader, writer
        self.asked = {_plain(question.question) for question in known}
        self.indexes: dict[Language, tuple[Index, Index]] = {}
        self.added = 0

    def run(self) -> Labelled:
        """Question after question until somebody stops."""
        self.say(f"{len(self.documents)} documents; {len(self.known)} questions in {self.path.name} so far.")
        proposals = self.proposals()
        try:
            while True:
                self.one(proposals)
        except _StoppedError:
            total = len(self.known) + self.added
            self.say(f"\n{self.added} questions added; {self.path.name} has {total}.")
            return Labelled(self.added, total, self.path)

    def one(self, proposals: Iterator[Evidence]) -> None:
        """One question, from its words to its line in the file."""
        typed = self.typed(f"\nQuestion {len(self.known) + self.added + 1} (Enter: be shown a passage; q: stop)\n> ")
        shown: list[Passage] = []
        if not typed:
            proposed = next(proposals, None)
            if proposed is None:
                self.say("All passages that were drawn have been shown; write a question of your own.")
                return
            shown = [self.passage(proposed)]
            self.say(f"\n{self.head(shown[0])}\n{_indented(shown[0].text)}")
            typed = self.typed("A question that this answers, in words of your own (Enter: none; q: stop)\n> ")
        if typed.lower() == "q":
            raise _StoppedError
        if not typed:
            return
        if _plain(typed) in self.asked:
            self.say("That question is in the file already; ask another one.")
            return
        pieces = self.judged(typed, shown)
        if pieces is not None:
            self.save(typed, pieces)

    def judged(self, question: str, shown: list[Passage]) -> list[dict[str, Any]] | None:
        """The pieces of evidence that were accepted; None where the question is skipped."""
        pieces: list[dict[str, Any]] = []
        found = candidates(*self.index(question), question)
        passages = shown + [
            p for p in found if not any(p.doc_id == q.doc_id and overlap(p.span, q.span) for q in shown)
        ]
        for number, passage in enumerate(passages, 1):
            document = self.documents[passage.doc_id]
            sentences = split_sentences(document.text, passage.span)
            self.say(f"\n[{number}/{len(passages)}] {self.head(passage)}")
            for place, (start, end) in enumerate(sentences, 1):
                self.say(_indented(document.text[start:end], f"{place:>4} "))
            judgement = self.judgement(passage.span, sentences, first=not pieces)
            if judgement.verdict == "quit":
                raise _StoppedError
            if judgement.verdict == "skip":
                return None
            if judgement.verdict == "done":
                break
            if judgement.span is not None:
                piece = evidence_fields(document, judgement.span)
                if judgement.verdict == "same":
                    pieces[-1].setdefault("alternatives", []).append(piece)
                else:
                    pieces.append(piece)
        return pieces

    def judgement(self, passage: Span, sentences: list[Span], *, first: bool) -> Judgement:
        """What was typed about a passage; asked again until it can be read."""
        while True:
            typed = self.typed("y / n / s same as before / d done / k skip / q quit / ? help: ")
            if typed in ("?", "？"):
                self.say(HELP)
                continue
            read = read_judgement(typed, passage, sentences)
            if isinstance(read, str):
                self.say(read)
            elif read.verdict == "same" and first:
                self.say("Nothing has been accepted yet that it could say the same as; type y.")
            elif read.span == passage and len(sentences) > 1 and not any(c.isdecimal() for c in typed):
                return self.part(read, passage, sentences)
            else:
                return read

    def part(self, accepted: Judgement, passage: Span, sentences: list[Span]) -> Judgement:
        """Which sentences of a passage were meant: evidence ends where the answer does, not where a method cuts."""
        while True:
            typed = self.typed("All of it, or which of its sentences? (a: all; or for example 1-2): ")
            if typed.lower() in ("a", "all"):
                return accepted
            read = read_judgement(f"y {typed}", passage, sentences)
            if isinstance(read, Judgement) and typed:
                return replace(accepted, span=read.span)
            self.say(f"Type a, or numbers from 1 to {len(sentences)}.")

    def save(self, question: str, pieces: list[dict[str, Any]]) -> None:
        """Ask for what is still missing, and write the line."""
        # From its words, so that two people who label at once never give one id twice.
        mark = sha256(_plain(question).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        fields: dict[str, Any] = {"id": f"{LABELLED}{mark}", "question": question, "type": ORDINARY, "evidence": pieces}
        said = self.typed(
            "The answer in a few words (Enter: none; q: save and stop): "
            if pieces
            else "Nothing accepted. u: the documents do not answer it, keep it so; Enter: drop it: "
        )
        stops = said.lower() == "q"
        if pieces and said and not stops:
            fields["answer"] = said
        elif not pieces and said.lower() == "u":
            fields["type"] = UNANSWERABLE
        elif not pieces:
            self.say("Dropped.")
            self.stop_if(stops)
            return
        append_question(self.path, fields | {"language": guess_language(question)})
        self.asked.add(_plain(question))
        self.added += 1
        self.say(f"Saved as {fields['id']}.")
        self.stop_if(stops)

    def stop_if(self, stops: bool) -> None:
        """End the session where that was asked for."""
        if stops:
            raise _StoppedError

    def proposals(self) -> Iterator[Evidence]:
        """Passages to ask about, other ones than are asked about already."""
        taken = [piece for question in self.known for piece in question.evidence]
        # Each session begins elsewhere, so that two people do not ask about the same passages.
        for silver in silver_questions(list(self.documents.values()), _PROPOSED, seed=len(self.known)):
            piece = silver.evidence[0]
            if not any(piece.doc_id == other.doc_id and overlap(piece.span, other.span) for other in taken):
                yield replace(piece, alternatives=None)

    def passage(self, piece: Evidence) -> Passage:
        """A piece of evidence to show."""
        text = self.documents[piece.doc_id].text[piece.start : piece.end]
        return Passage(piece.doc_id, piece.start, piece.end, text)

    def index(self, question: str) -> tuple[Index, Index]:
        """The indexes that a question is searched in, of units and of chunks, brought up to date once a session."""
        language = guess_language(question)
        if language not in self.indexes:
            self.indexes[language] = self.indexed(language)
        return self.indexes[language]

    def head(self, passage: Passage) -> str:
        """Where a passage stands, and under which headings."""
        place = place_of(self.documents[passage.doc_id], passage.span)
        return place if not passage.context else f"{place}  ({' '.join(passage.context.split())})"

    def typed(self, prompt: str) -> str:
        """A line from whoever labels, without white space at its ends."""
        self.writer.write(printable(prompt))
        self.writer.flush()
        line = self.reader.readline()
        if not line:
            raise _StoppedError
        return line.strip()

    def say(self, text: str) -> None:
        """A line for whoever labels."""
        self.writer.write(printable(text) + "\n")


def _plain(question: str) -> str:
    return " ".join(question.lower().split())


def _indented(text: str, first: str = "     ") -> str:
    return first + text.strip().replace("\n", "\n     ")
