"""What the vectors of all levels say of a query: of every unit, or of candidates where there are too many units.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import coo_array

from hierrag_lessons.model import Where
from hierrag_lessons.retrievers.multi_level.levels import SpeakingLevel, levels_of
from hierrag_lessons.store import Units

MEANING = 0.5
"""How much a cosine counts beside BM25, which lies between 0 and 1."""

NEAREST, SECTIONS = 200, 20
"""Candidates: so many units by words, as many by vector, and all units of so many sections."""

_AT_ONCE = 10_000  # vectors that are added up at a time, so that they take no more memory than the units' own


class Meaning(Protocol):
    """The cosines of the nodes of all levels."""

    def said(
        self, vector: np.ndarray, words: Sequence[np.ndarray], where: Where | None
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        """For each level the cosine of each node, and the places of the units for which they hold, ``None`` for all.

        ``words`` is what BM25 says of each node of each level.
        """


def meaning_of(units: Units) -> Meaning:
    """What says the cosines for an index's units, made once for each commit of the index."""
    return units.remember(_meaning)


def _meaning(units: Units) -> Meaning:
    levels = levels_of(units)
    return MeaningOfCandidates(units, levels) if units.vectors is None else MeaningOfAll.of(units, levels)


@dataclass(frozen=True)
class MeaningOfAll:
    """From vectors in memory: a node's vector is the weighted sum of its units', so its product with a query's is, too.

    ``lengths`` are those of the sums, for each level.
    """

    vectors: np.ndarray
    levels: Sequence[SpeakingLevel]
    lengths: Sequence[np.ndarray]

    @classmethod
    def of(cls, units: Units, levels: Sequence[SpeakingLevel]) -> MeaningOfAll:
        """Add the units' vectors up at each level."""
        vectors = units.vectors_at(slice(None))
        return cls(vectors, levels, [_lengths_of_sums(level, vectors) for level in levels])

    def said(
        self, vector: np.ndarray, words: Sequence[np.ndarray], where: Where | None
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        """See :class:`Meaning`."""
        products = self.vectors @ vector
        found = zip(self.levels, self.lengths, strict=True)
        return [np.asarray(level.adds @ products / lengths) for level, lengths in found], None


def _lengths_of_sums(level: SpeakingLevel, vectors: np.ndarray) -> np.ndarray:
    starts = range(0, level.adds.shape[0], _AT_ONCE)
    return np.concatenate([[], *(_lengths(level.adds[start : start + _AT_ONCE] @ vectors) for start in starts)]).astype(
        np.float32
    )


def _lengths(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1)
    return np.where(lengths == 0, 1, lengths)


class MeaningOfCandidates:
    """From vectors in LanceDB, of which those of the candidates and of what surrounds them are read for each query.

    Candidates are the units with the best words, those that LanceDB finds by vector, and all of the best sections. The
    sections matter: what needs its surroundings most is found by neither of the others. Only their vectors are kept.
    """

    def __init__(self, units: Units, levels: Sequence[SpeakingLevel]) -> None:
        self._units, (*self._windows, self._section) = units, levels
        roots, dim = np.sqrt(units.sizes).astype(np.float32), units.vectors_at(slice(1)).shape[1]
        self._sections = np.zeros((self._section.adds.shape[0], dim), np.float32)
        for places, vectors in units.vector_blocks():
            nodes, own = np.unique(self._section.node_of[places], return_inverse=True)
            self._sections[nodes] += coo_array((roots[places], (own, np.arange(len(places))))).tocsr() @ vectors
        self._sections /= _lengths(self._sections)[:, None]

    def said(
        self, vector: np.ndarray, words: Sequence[np.ndarray], where: Where | None
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        """See :class:`Meaning`."""
        sections = self._sections @ vector
        among = self._candidates(vector, words, sections, where)
        around = self._windows[-1].adds[among]
        asked = np.unique(around.indices)
        vectors, found = self._units.vectors_at(asked), []
        for level in self._windows:
            sums = level.adds[among][:, asked] @ vectors
            cosines = np.zeros(len(self._units))
            cosines[among] = sums @ vector / _lengths(sums)
            found.append(cosines)
        return [*found, sections], among

    def _candidates(
        self, vector: np.ndarray, words: Sequence[np.ndarray], sections: np.ndarray, where: Where | None
    ) -> np.ndarray:
        """The places of the units that are scored."""
        inside = self._units.inside(where)
        places = np.arange(len(self._units)) if inside is None else np.flatnonzero(inside)
        levels = [*self._windows, self._section]
        by_words = sum(said[level.node_of[places]] for level, said in zip(levels, words, strict=True))
        nodes = self._section.node_of[places]
        of_sections = words[-1][nodes] + MEANING * sections[nodes]
        best = np.unique(nodes[_best(of_sections, nodes, SECTIONS)])
        found = [
            places[_best(np.asarray(by_words), places, NEAREST)],
            places[np.isin(nodes, best)],
            self._units.nearest(vector, NEAREST, where) if vector.any() else places[:0],
        ]
        return np.unique(np.concatenate(found))


def _best(scores: np.ndarray, names: np.ndarray, most: int) -> np.ndarray:
    """Where the best scores are, of as many different ``names``; of equal scores the lower name."""
    order = np.lexsort((names, -np.round(scores, 6)))
    _, first = np.unique(names[order], return_index=True)
    return order[np.sort(first)[:most]]
