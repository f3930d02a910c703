"""Dialogue chunks: whole turns, with the question in front of its answer.

Lesson 08 builds it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import regex

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_within, join_units, to_chunks
from hierrag_lessons.chunkers.sentence import sentence_units
from hierrag_lessons.model import JSON, Chunk, Document, Span
from hierrag_lessons.reading.dialogue import MAX_SPEAKER, recorded_turns
from hierrag_lessons.spans import clip, trim
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler, snap

_QUESTION_MARK = regex.compile(r"[?？]")
# Who asks and who answers, where the name says so: a customer's complaint calls for an answer without a question mark.
_ASKS = regex.compile(
    r"(?i)\b(?:customer|client|caller|user|analyst|interviewer|reporter)\b|客户|顾客|用户|分析师|记者"
)
_ANSWERS = regex.compile(
    r"(?i)\b(?:agent|support|advisor|engineer|C[EFOT]O|president|chair|director)\b|客服|坐席|工程师|总裁|总经理|董事|总监"
)

_SPEAKER = regex.compile(
    rf"^(?P<speaker>(?=\S)[^\n:：?!;？！；。，]{{1,{MAX_SPEAKER}}})(?:：|:(?=\s|$)) ?", regex.MULTILINE
)
_PARAGRAPH = regex.compile(r"\n(?:[^\S\n]*\n)+")


@dataclass(frozen=True)
class DialogueChunker:
    r"""Pack whole turns of a dialogue; repeat the last turns of a chunk in the next one.

    >>> document = Document("d", "Ann: Is it here?\n\nBob: It is.\n\nAnn: Good.", "dialogue")
    >>> [(chunk.context, chunk.text) for chunk in DialogueChunker(30, overlap_turns=0, measure=len).chunk(document)]
    [('Ann; Bob', 'Ann: Is it here?\n\nBob: It is.'), ('Ann', 'Ann: Good.')]

    A turn that fits is never cut. One that is larger than ``max_size``, a monologue, is divided at its sentences, and
    its pieces hold nothing of any other turn.

    A turn answers the one before it where another person speaks and either the turn before holds a question mark, or
    the names show it: a customer is answered by an agent, an analyst by a CEO. Question and answer stand together in
    at least one chunk, wherever both fit. For that a cut is moved back in front of the question, as long as half of
    the turns stay; otherwise the question is repeated in front of its answer, also with ``overlap_turns=0``.

    Each chunk has ``speakers`` (in order of appearance), ``turns`` (``[first, last]``, counted from 0) and, where
    known, ``time`` (``[start, end]`` in seconds) in its metadata, and the speakers as its context.

    The turns are those that :func:`~hierrag_lessons.reading.read_dialogue` left in ``metadata["turns"]``. A document of
    kind ``"dialogue"`` without them is read line by line: ``Name:`` begins a turn. In all other documents
    paragraphs take the place of turns, and they have no speakers.

    Parameters
    ----------
    max_size:
        The largest size of a chunk, in units of ``measure``, names of the speakers included.
    max_turns:
        The largest number of turns in a chunk, repeated ones included.
    overlap_turns:
        How many turns of a chunk its successor repeats at most. Fewer where they would not leave room for the next
        turn, or for the answer to it.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for ``max_size < 1``, ``max_turns < 1``, ``overlap_turns < 0``,
        ``overlap_turns >= max_turns``, or a measure that is no function; when it is used, where
        ``metadata["turns"]`` is not in order.
    """

    max_size: int = 400
    max_turns: int = 12
    overlap_turns: int = 1
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        checks.whole("max_size", self.max_size, 1)
        checks.whole("max_turns", self.max_turns, 1)
        checks.whole("overlap_turns", self.overlap_turns, 0)
        checks.measure("measure", self.measure)
        if self.overlap_turns >= self.max_turns:
            raise ValueError(
                f"overlap_turns is {self.overlap_turns} with max_turns {self.max_turns}; give fewer than max_turns: 1 "
                "or 2 are usual"
            )

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        turns = read_turns(document, check_within(document, within))
        ruler = make_ruler(document.text, self.measure)
        spans = _Packing(self, document.text, turns, ruler).spans()
        chunks = to_chunks(document, spans, ruler, self.max_size)
        return [_with_turns(chunk, turns) for chunk in chunks]


class Turn(NamedTuple):
    """A turn, or the part of it that is to be chunked: ``words`` is where the spoken text begins."""

    start: int
    words: int
    end: int
    number: int | None = None
    speaker: str | None = None
    time: list[float] | None = None


class _Packing:
    """One dialogue on its way into chunks: turns are named by their index from here on."""

    def __init__(self, chunker: DialogueChunker, text: str, turns: Sequence[Turn], ruler: Ruler) -> None:
        self.chunker, self.text, self.turns, self.ruler = chunker, text, turns, ruler
        self.too_large = [ruler.size(turn.start, turn.end) > chunker.max_size for turn in turns]
        # Whether turn i has to stand in one chunk with turn i - 1; the last entry saves a question at the end.
        pairs = (_answers(text, turns[i - 1], turns[i]) and self._fits(i - 1, i + 1) for i in range(1, len(turns)))
        self.answers = [False, *pairs, False]

    def spans(self) -> Iterator[Span]:
        first = done = 0  # The next chunk starts at turn `first`; the turns before `done` are in chunks already.
        while done < len(self.turns):
            if self.too_large[done]:
                yield from _divide(self.text, self.turns[done], self.ruler, self.chunker.max_size)
                first = done = done + 1
                continue
            end = done + 1
            while end < len(self.turns) and self._fits(first, end + 1):
                end += 1
            cut = self._cut(first, done, end)
            yield Span(self.turns[first].start, self.turns[cut - 1].end)
            first, done = self._next_first(first, cut), cut

    def _fits(self, first: int, end: int) -> bool:
        """Whether the turns ``[first, end)`` make a chunk."""
        if end - first > self.chunker.max_turns or self.too_large[first] or self.too_large[end - 1]:
            return False
        return self.ruler.size(self.turns[first].start, self.turns[end - 1].end) <= self.chunker.max_size

    def _cut(self, first: int, done: int, end: int) -> int:
        """Where a chunk of turns ``[first, end)`` should end instead, if that keeps a question with its answer."""
        least = max(done + 1, (first + end + 1) // 2)
        return next((cut for cut in range(end, least - 1, -1) if not self.answers[cut]), end)

    def _next_first(self, first: int, cut: int) -> int:
        """The turn that the chunk after ``[first, cut)`` starts with, so that it repeats what it should."""
        if cut == len(self.turns) or self.too_large[cut]:
            return cut
        latest = cut - 1 if self.answers[cut] else cut
        start = max(first + 1, min(latest, cut - self.chunker.overlap_turns))
        while start < latest and not self._fits(start, cut + 2 if self.answers[cut + 1] else cut + 1):
            start += 1
        return start if self._fits(start, cut + 1) else cut


def _answers(text: str, before: Turn, turn: Turn) -> bool:
    """Whether ``turn`` answers the turn ``before``."""
    if before.speaker is None or turn.speaker is None or before.speaker == turn.speaker:
        return False
    by_name = _ASKS.search(before.speaker) and _ANSWERS.search(turn.speaker)
    return bool(by_name or _QUESTION_MARK.search(text, before.words, before.end))


def _divide(text: str, turn: Turn, ruler: Ruler, limit: int) -> list[Span]:
    """A monologue as pieces of whole sentences, the first one behind the speaker's name."""
    words = snap(text, turn.words, turn.start)
    name = sentence_units(text, Span(turn.start, words), ruler, limit)
    units = sentence_units(text, Span(words, turn.end), ruler, limit)
    if name and units and ruler.size(turn.start, units[0].end) > limit > (taken := ruler.size(turn.start, words)):
        units[:1] = sentence_units(text, units[0], ruler, limit - taken)
    return join_units([*name, *units], ruler, limit)


def _with_turns(chunk: Chunk, turns: Sequence[Turn]) -> Chunk:
    """The chunk with what is known of its turns."""
    first = bisect_right(turns, chunk.start, key=lambda turn: turn.start) - 1
    own = turns[first : bisect_left(turns, chunk.end, key=lambda turn: turn.start)]
    speakers = list(dict.fromkeys(turn.speaker for turn in own if turn.speaker is not None))
    numbers = [turn.number for turn in own if turn.number is not None]
    times = [turn.time for turn in own if turn.time is not None]
    metadata: dict[str, JSON] = dict(chunk.metadata)
    if numbers:
        metadata |= {"speakers": list[JSON](speakers), "turns": [numbers[0], numbers[-1]]}
    if times:
        metadata["time"] = [times[0][0], max(end for _, end in times)]
    context = "; ".join(" ".join(speaker.split()) for speaker in speakers)
    return replace(chunk, context=context, metadata=metadata)


# --- where the turns are ---------------------------------------------------------------------------------------------


def read_turns(document: Document, span: Span) -> list[Turn]:
    """The turns in ``span``, clipped to it. Each reaches to the next one, without the white space at its end."""
    text, known = document.text, _known_turns(document)
    first = bisect_right(known, span.start, key=lambda entry: entry["start"])
    after = bisect_left(known, span.end, key=lambda entry: entry["start"])
    turns: list[Turn] = []
    for number in range(first - 1, after):  # What stands before the first turn is nobody's.
        entry: Mapping[str, Any] = known[number] if number >= 0 else {"start": 0}
        until = known[number + 1]["start"] if number + 1 < len(known) else len(text)
        start, end = clip(Span(snap(text, entry["start"]), snap(text, until)), span)
        shown = trim(text, Span(start, end))
        if shown.start == shown.end:
            continue
        end = shown.end if snap(text, shown.end, start) == shown.end else end
        words = min(max(start, entry.get("text_start", start)), end)
        speaker = entry.get("speaker")
        turns.append(Turn(start, words, end, None if speaker is None else number, speaker, entry.get("time")))
    return turns


def _known_turns(document: Document) -> Sequence[Mapping[str, Any]]:
    recorded = recorded_turns(document)
    if recorded is not None:
        return recorded
    return _find_turns(document.text) if document.kind == "dialogue" else _find_paragraphs(document.text)


@lru_cache(maxsize=8)
def _find_turns(text: str) -> tuple[dict[str, Any], ...]:
    """Turns of a dialogue that came without them: each begins at a line ``Name: …``."""
    found = _SPEAKER.finditer(text)
    return tuple({"start": m.start(), "text_start": m.end(), "speaker": m["speaker"].rstrip()} for m in found)


@lru_cache(maxsize=8)
def _find_paragraphs(text: str) -> tuple[dict[str, Any], ...]:
    return ({"start": 0}, *({"start": match.end()} for match in _PARAGRAPH.finditer(text)))
