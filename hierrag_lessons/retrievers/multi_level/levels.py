"""The levels that speak for a unit: itself, its neighbours, its surroundings, its section.

Lesson 20 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array

from hierrag_lessons.ranking import BM25
from hierrag_lessons.store import Units

NEIGHBOURS, SURROUNDINGS = 1, 5
"""How many units on each side are a unit's neighbours, and how many its surroundings."""

Membership = tuple[csr_array, np.ndarray]
"""The nodes of a level by the units in them, and the node that each unit asks."""


@dataclass(frozen=True, eq=False)
class SpeakingLevel:
    """One level: the nodes that units lie in, and what each of them says of a query.

    Attributes
    ----------
    name:
        ``"unit"``, ``"neighbours"``, ``"surroundings"`` or ``"section"``.
    adds:
        Nodes by units: the weight with which a unit's vector is added to its node's.
    node_of:
        The node that each unit asks.
    bm25:
        Of the nodes, with this level's own statistics.
    """

    name: str
    adds: csr_array
    node_of: np.ndarray
    bm25: BM25


def levels_of(units: Units) -> list[SpeakingLevel]:
    """The levels of an index's units, built once for each commit of the index.

    The unit, it with the neighbours on both sides, it with its surroundings, and what its leaf lies in: the section, or
    the leaf itself where there is nothing above it. Each is about three times as long as the one before.
    """
    return units.remember(_levels)


def _levels(units: Units) -> list[SpeakingLevel]:
    return [
        speaking_level(units, "unit", windows(units, 0)),
        speaking_level(units, "neighbours", windows(units, NEIGHBOURS)),
        speaking_level(units, "surroundings", windows(units, SURROUNDINGS)),
        speaking_level(units, "section", ancestors(units, 2)),
    ]


def windows(units: Units, reach: int) -> Membership:
    """Each unit with those of its document that are at most ``reach`` places away."""
    pairs = [_beside(units.documents, step) for step in range(-reach, reach + 1)]
    around, beside = np.concatenate(pairs, axis=1)
    return _matrix(around, beside, len(units)), np.arange(len(units))


def ancestors(units: Units, steps: int) -> Membership:
    """The nodes so many ``steps`` above the units, or as far up as it goes."""
    nodes = units.above[:steps][-1] if units.above else np.zeros(0, int)
    return _matrix(nodes, np.arange(len(units)), int(nodes.max(initial=-1)) + 1), nodes


def _beside(documents: np.ndarray, step: int) -> np.ndarray:
    """Each unit with the one ``step`` places on, where that is of the same document."""
    places = np.arange(len(documents))
    other = places + step
    inside = (other >= 0) & (other < len(documents))
    inside[inside] = documents[places[inside]] == documents[other[inside]]
    return np.stack([places[inside], other[inside]])


def _matrix(nodes: np.ndarray, units: np.ndarray, rows: int) -> csr_array:
    ones = np.ones(len(nodes), np.float32)
    return csr_array(coo_array((ones, (nodes, units)), shape=(rows, int(units.max(initial=-1)) + 1)))


def speaking_level(units: Units, name: str, members: Membership) -> SpeakingLevel:
    """A level of these units, with its own statistics."""
    holds, node_of = members
    weighted = holds.copy()
    weighted.data *= np.sqrt(units.sizes).astype(np.float32)[holds.indices]
    return SpeakingLevel(name, weighted, node_of, BM25(holds @ units.counts))
