"""Local windows: of a parent only the surroundings of what was hit.

Lesson 14 uses it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Span
from hierrag_lessons.spans import grow, merge
from hierrag_lessons.text import snap, split_sentences
from hierrag_lessons.text.scripts import UNSPACED

Edges = Literal["word", "sentence"]

_WORD_START = regex.compile(rf"(?<=\s)(?=\S)|(?={UNSPACED})")
_WORD_END = regex.compile(rf"(?<=\S)(?=\s)|(?<={UNSPACED})")


@dataclass(frozen=True)
class LocalWindow:
    """How much of a parent is returned around its hits.

    Each hit is widened by neighbouring children of the same parent, then by characters. Windows that come close to each
    other become one.

    To turn first: ``characters``, then ``siblings``.

    Parameters
    ----------
    characters:
        The most characters to add on either side of a hit, 0 or more; 80 to 200 are usual. Fewer are added where a word
        or sentence would be cut.
    siblings:
        How many children to add on either side of a hit, 0 or more.
    gap:
        Windows at most so many characters apart are joined, 0 or more.
    edges:
        Where a window may begin and end: at words or only at whole sentences. The edges of the hits themselves are
        always allowed, so a window is never smaller than its hits.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    characters: int = 180
    siblings: int = 0
    gap: int = 50
    edges: Edges = "word"

    def __post_init__(self) -> None:
        for name in ("characters", "siblings", "gap"):
            checks.whole(name, getattr(self, name), 0)
        checks.one_of("edges", self.edges, Edges)

    def around(self, text: str, found: Sequence[Span]) -> list[Span]:
        """The windows around the ``found`` spans of a parent's ``text``, in order, more than ``gap`` characters apart.

        Every found character lies in one of them; none cuts a character that a reader sees.
        """
        cores = merge(found, 2 * self.characters + self.gap)
        if self.characters == 0:
            return cores
        rooms = [grow(core, self.characters, self.characters, Span(0, len(text))) for core in cores]
        if self.edges == "word":
            return [_to_words(text, core, room) for core, room in zip(cores, rooms, strict=True)]
        sentences = split_sentences(text)
        return [_to_sentences(sentences, core, room) for core, room in zip(cores, rooms, strict=True)]


def _to_words(text: str, core: Span, room: Span) -> Span:
    """The largest span from ``core`` to ``room`` that cuts no word."""
    # One further, because a pattern sees nothing beyond the end that it is given.
    starts = (match.start() for match in _WORD_START.finditer(text, room.start, core.start + 1))
    ends = [match.start() for match in _WORD_END.finditer(text, core.end, min(room.end + 1, len(text)))]
    start = 0 if room.start == 0 else next((cut for cut in starts if _permitted(text, cut)), core.start)
    if room.end == len(text):
        return Span(min(start, core.start), room.end)
    end = next((cut for cut in reversed(ends) if cut <= room.end and _permitted(text, cut)), core.end)
    return Span(min(start, core.start), end)


def _to_sentences(sentences: Sequence[Span], core: Span, room: Span) -> Span:
    """The largest span from ``core`` to ``room`` that adds only whole sentences."""
    first = bisect_left(sentences, room.start, key=lambda sentence: sentence.start)
    last = bisect_right(sentences, room.end, key=lambda sentence: sentence.end) - 1
    start = sentences[first].start if first < len(sentences) else core.start
    end = sentences[last].end if last >= 0 else core.end
    return Span(min(start, core.start), max(end, core.end))


def _permitted(text: str, cut: int) -> bool:
    return snap(text, cut) == cut
