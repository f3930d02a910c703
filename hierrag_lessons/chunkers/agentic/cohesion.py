"""Boundaries where there is no model: where the vocabulary changes, within the limit of size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from hierrag_lessons.chunkers.agentic.windows import Boundary
from hierrag_lessons.chunkers.semantic.greedy import greedy_starts
from hierrag_lessons.chunkers.text_tiling import depths, lexical_boundaries
from hierrag_lessons.model import Language
from hierrag_lessons.text import Ruler


def lexical_draft(
    text: str, starts: Sequence[int], end: int, language: Language, ruler: Ruler, min_size: int, max_size: int
) -> list[Boundary]:
    """Boundaries of the units that begin at ``starts``, by lexical cohesion (TextTiling, Hearst 1997).

    A segment that is too large for a chunk is cut at its deepest valleys.
    """
    ends = [*starts[1:], end]
    units = [text[start:stop].strip() for start, stop in zip(starts, ends, strict=True)]
    scores = depths(units, language)
    cuts: list[int] = []
    for first, stop in pairwise([*lexical_boundaries(units, language), len(units)]):

        def size(i: int, j: int, first: int = first) -> int:
            return ruler.size(starts[first + i], ends[first + j - 1])

        cuts += [first + cut for cut in greedy_starts(scores[first:stop], math.inf, size, min_size, max_size)]
    return [Boundary(starts[cut], "text_tiling") for cut in cuts]
