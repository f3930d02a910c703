"""Propositions by rules: no model, no grammar, only the marks and the little words that clauses are joined with.

Lesson 17 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from hierrag_lessons.chunkers.cutting import check_within
from hierrag_lessons.chunkers.dialogue import read_turns
from hierrag_lessons.model import Document, Span
from hierrag_lessons.propositions.proposition import Proposition, in_order
from hierrag_lessons.spans import trim
from hierrag_lessons.text import snap, split_sentences

_HAN = regex.compile(r"\p{Han}")
_STOPS = ".!?…。！？"
_LEAST_CLAUSE = 6  # characters after a semicolon
_LONGEST_CLAUSE = 400  # characters; what is longer is a table or a list without stops

# Words that are nearly always the verb of a clause, so that what stands before the first of them is its subject.
_VERB = (
    r"(?:(?:is|are|was|were|am|has|have|had|does|did|will|would|can|could|may|might|must|shall|should)(?:n't)?"
    r"|cannot|won't|rose|fell|grew|went|came|took|said|stood|became|began|remain(?:s|ed)|contain(?:s|ed)|appl(?:y|ies)"
    r"|include[sd]|require[sd]|consists?|depends?|belongs?|expects?|contributed|shipped|earned)\b"
)
_VERB_ZH = r"(?:应当|必须|不得|可以|不能|不会|不再|无须|已经|均|须|(?<![但还不凡就总])是)"
# Words that begin a clause inside another one: who shares its subject with what follows can't be told any more.
_INNER = (
    r"\b(?:that|which|who|whom|whose|if|whether|when|where|while|because|although|though|after|before|since|until"
    r"|unless|once|as|than|what|how|why)\b"
)
_SUBJECT = regex.compile(
    r"(?i)(?!(?:for|in|at|on|of|by|with|from|to|under|over|during|despite|here|there)\b)"
    rf"(?!.*{_INNER})([^,;:?!\"“”]{{1,60}}?)\s+{_VERB}",
    regex.DOTALL,
)
_SUBJECT_ZH = regex.compile(rf"([^，；：、。！？“”\s]{{1,15}}?){_VERB_ZH}")

_JOINT = regex.compile(
    r";\s++(?:(?:and|but|so|or)\s++)?|,\s++(?:and|but|so|yet|while|whereas)\s++|(?<!\s)\s++(?:and|but)\s++"
    r"|；|，(?:但是?|而且|并且?|同时|不过|然而|因此|所以|且)"
)
_OWN_SUBJECT = regex.compile(
    r"(?:(?:I|we|you|he|she|it|they|this|that|these|those|there|the|an?|our|its|his|her|their|my|your|each|every|no|all"
    rf"|some|what)\b|\p{{Lu}})(?:(?!\b(?:that|which|who|whose|and|or)\b)[^,;:]){{0,60}}?\b{_VERB}"
)
_NO_SUBJECT = regex.compile(_VERB)
_NO_SUBJECT_ZH = regex.compile(_VERB_ZH)

_FILLER = regex.compile(
    r"(?:(?:well|so|okay|ok|look|you know|i mean|of course|frankly|honestly|in fact|as you know|as i said|by the way)"
    r",\s+|(?:and|but)\s+)+(?=\S+\s+\S+\s+\S)"
    r"|(?:(?:嗯|那个|其实|就是说|说实话|老实说|对了|哦|啊)[，,、]\s*)+(?=.{4})",
    regex.IGNORECASE | regex.DOTALL,
)
# The marks in front of a list item, several where a list is nested or a mark is written out: "- (a) ".
_ITEM = regex.compile(
    r"(?:(?P<bullet>[-*+•])\s+|\(?(?:(?P<number>\d{1,3})|(?P<roman>[ivx]{2,5}|i)|(?P<letter>[a-z]))[.)]\s+"
    r"|[（(](?P<han>[一二三四五六七八九十\d]{1,3})[）)]\s*|(?P<figure>\d{1,3})[、．]\s*)+(?=\S)"
)
_HEADING = regex.compile(r"#{1,6}\s")
_VISIBLE = regex.compile(r"\S")
_BLANK_LINE = regex.compile(r"\n[^\S\n]*\n\s*$")


class _Clause(NamedTuple):
    """A sentence or a part of one, without what it begins with and can do without: its words start at ``words``.

    ``shared`` is the subject that a part takes from the one before; an empty span where it has its own.
    """

    span: Span
    words: int
    shared: Span = Span(0, 0)
    part: bool = False


@dataclass(frozen=True)
class RulePropositions:
    """Statements made of a document's sentences by a handful of rules, for English and Chinese.

    - A sentence is parted at ``;`` and at *and*, *but*, *so*, … or their Chinese counterparts, where what follows has a
      verb of a closed list (*is*, *had*, *must*, 应当, 是, …). Where it has no subject of its own, it is given that of
      the clause before.
    - A list item is put behind the line that introduces the list.
    - A turn's sentences are put behind the speaker's name.
    - Words that say nothing (*well*, *of course*, 其实) are dropped from the beginning.

    Every rule that does not apply for certain is left alone, so most sentences stay as they are: pronouns are not
    resolved, and nothing is reworded. The sources of all statements together hold every character of the document that
    is not white space.
    """

    def extract(self, document: Document, within: Span | None = None) -> list[Proposition]:
        """The propositions of ``document``, or of the part ``within`` of it, in document order."""
        span = check_within(document, within)
        text = document.text
        if document.kind != "dialogue":
            return in_order(document.doc_id, _statements(text, span, None))
        statements: list[tuple[str, list[Span]]] = []
        for turn in read_turns(document, span):
            words = snap(text, turn.words, turn.start)
            name = trim(text, Span(turn.start, words))
            said = list(_statements(text, Span(words, turn.end), name if name.start < name.end else None))
            statements += said or [(text[name.start : name.end], [name])]
        return in_order(document.doc_id, statements)


def _statements(text: str, span: Span, name: Span | None) -> Iterator[tuple[str, list[Span]]]:
    """Texts with their sources, for the part ``span`` that one speaker said, or that nobody in particular wrote."""
    sentences = split_sentences(text, span)
    leads = _lead_ins(text, sentences)
    used = {lead for found in leads.values() for lead in found}
    for sentence in sentences:
        if sentence in used:
            continue
        item = _ITEM.match(text, *sentence)
        for clause in _clauses(text, sentence, item.end() if item else sentence.start):
            yield _statement(text, [name] if name else [], leads.get(sentence, []), clause)


def _lead_ins(text: str, sentences: Sequence[Span]) -> dict[Span, list[Span]]:
    """For each list item the sentences that introduce it, outermost first: a line that ends with a colon, above it."""
    leads: dict[Span, list[Span]] = {}
    above: list[tuple[Span, str | None]] = []  # lines with a colon, and the kind of mark that each has itself
    for i, sentence in enumerate(sentences):
        item = _ITEM.match(text, *sentence)
        kind = item.lastgroup if item else None
        paragraph = not i or _BLANK_LINE.search(text, sentences[i - 1].end, sentence.start)
        if item:  # One with the mark of a line above ends that line's list.
            above = above[: next((depth for depth, (_, own) in enumerate(above) if own == kind), None)]
            leads[sentence] = [lead for lead, _ in above]
        elif paragraph or _HEADING.match(text, *sentence):
            above = []
        if text[sentence.end - 1] in ":：":
            above = [*above, (sentence, kind)] if item else [(sentence, None)]
    return leads


def _clauses(text: str, sentence: Span, words: int) -> list[_Clause]:
    """The clauses of a sentence whose words begin at ``words``; they touch, and joining words go with the second."""
    filler = _FILLER.match(text, words, sentence.end)
    clauses = [_Clause(sentence, filler.end() if filler else words)]
    if text[sentence.end - 1] in "?？":
        return clauses
    for joint in _JOINT.finditer(text, clauses[0].words, sentence.end):
        last, cut = clauses[-1], joint.start()
        shared = _shared(text, joint, sentence.end, _subject(text, Span(last.words, cut), last.shared))
        # Nothing where the sentence begins with a joint, or has two.
        says_something = _VISIBLE.search(text, last.words, cut)
        if says_something and shared is not None and snap(text, cut) == cut:
            clauses[-1] = last._replace(span=Span(last.span.start, cut), part=True)
            clauses.append(_Clause(Span(cut, sentence.end), joint.end(), shared, part=True))
    return clauses


def _subject(text: str, clause: Span, shared: Span) -> Span | None:
    """Where the subject of a clause stands; ``None`` where it can't be told."""
    if shared.start < shared.end:
        return shared
    if clause.end - clause.start > _LONGEST_CLAUSE:
        return None
    for pattern in (_SUBJECT, _SUBJECT_ZH):
        if match := pattern.match(text, *clause):
            return Span(*match.span(1))
    return None


def _shared(text: str, joint: regex.Match[str], end: int, subject: Span | None) -> Span | None:
    """The subject that the words after ``joint`` need: an empty span for none, ``None`` where nothing is to be cut."""
    follows, own = (joint.end(), end), Span(0, 0)
    mark, lacks = joint.group(), _NO_SUBJECT.match(text, *follows) or _NO_SUBJECT_ZH.match(text, *follows)
    if lacks or mark.startswith("，并"):
        return None if mark.strip(",; ") in ("so", "yet", "while", "whereas") else subject
    if mark[0] in ";；":
        return own if end - joint.end() >= _LEAST_CLAUSE else None
    if subject is None or mark[0].isspace() or mark == "，且":
        return None
    return own if _OWN_SUBJECT.match(text, *follows) or _SUBJECT_ZH.match(text, *follows) else None


def _statement(text: str, name: Sequence[Span], leads: Sequence[Span], clause: _Clause) -> tuple[str, list[Span]]:
    """The clause as a sentence of its own, behind what it needs to be understood; and all the spans that this took."""
    words = text[clause.words : clause.span.end].strip()
    shared = [clause.shared] if clause.shared.start < clause.shared.end else []
    for span in shared:
        subject = text[span.start : span.end].strip()
        words = subject + ("" if _HAN.match(subject[-1]) else " ") + words
    if clause.part and words[-1] not in _STOPS:
        words += "。" if _HAN.search(words) else "."
    if not leads and (clause.part or clause.words > clause.span.start):
        words = words[0].upper() + words[1:]
    before = [text[span.start : span.end] for span in name]
    before += [text[item.end() if (item := _ITEM.match(text, *span)) else span.start : span.end] for span in leads]
    return " ".join([*before, words]), [*name, *leads, *shared, trim(text, clause.span)]
