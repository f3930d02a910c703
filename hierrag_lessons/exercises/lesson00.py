"""Exercises of the tour: each parent once, and which parent a child lies in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span

# --- 00.1 ------------------------------------------------------------------------------------------------------------


def best_parents(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    """The ``k`` best parents, best child first, each once. Ties between children go to the smaller name."""
    ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    return list(dict.fromkeys(parent_of[child] for child, _ in ranked))[:k]


def _published(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    return [parent_of[child] for child, _ in ranked[:k]]


def _one_at_a_time(hits: Sequence[tuple[str, float]], parent_of: Mapping[str, str], k: int) -> list[str]:
    """Oracle: look for the best child of a parent that is not in the result yet, ``k`` times."""
    result: list[str] = []
    while len(result) < k:
        best: tuple[str, float] | None = None
        for child, score in hits:
            if parent_of[child] in result:
                continue
            if best is None or score > best[1] or (score == best[1] and child < best[0]):
                best = child, score
        if best is None:
            break
        result.append(parent_of[best[0]])
    return result


def _hits(rng: Random) -> Iterator[tuple[list[tuple[str, float]], dict[str, str], int]]:
    yield [], {}, 3
    yield [("a1", 0.9), ("a2", 0.8), ("b1", 0.7)], {"a1": "A", "a2": "A", "b1": "B"}, 2
    yield [("b1", 0.5), ("a1", 0.5)], {"a1": "A", "b1": "B"}, 1
    yield [("z1", 0.9), ("a1", 0.4), ("z2", 0.1)], {"z1": "Z", "z2": "Z", "a1": "A"}, 2
    yield [("p1", 0.4), ("p2", 0.3), ("q1", 0.5)], {"p1": "P", "p2": "P", "q1": "Q"}, 1  # a sum would take P
    for _ in range(40):
        parents = rng.sample("PQRSTUV", rng.randrange(1, 5))
        children = {f"c{number}": rng.choice(parents) for number in range(rng.randrange(1, 9))}
        hits = [(child, rng.choice([0.1, 0.2, 0.3, 0.4, 0.5])) for child in children]
        rng.shuffle(hits)
        yield hits, children, rng.randrange(1, 5)


def _limit_first(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    return list(dict.fromkeys(parent_of[child] for child, _ in ranked[:k]))


def _by_name(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    return sorted({parent_of[child] for child, _ in hits})[:k]


def _last_child_counts(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    scores = {}
    for child, score in sorted(hits, key=lambda hit: (-hit[1], hit[0])):
        scores[parent_of[child]] = (-score, child)
    return sorted(scores, key=lambda parent: scores[parent])[:k]


def _worst_first(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    ranked = sorted(hits, key=lambda hit: (hit[1], hit[0]))
    return list(dict.fromkeys(parent_of[child] for child, _ in ranked))[:k]


def _summed(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    scores: dict[str, float] = {}
    for child, score in hits:
        scores[parent_of[child]] = scores.get(parent_of[child], 0.0) + score
    return sorted(scores, key=lambda parent: (-round(scores[parent], 9), parent))[:k]


def _ties_as_found(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    ranked = sorted(hits, key=lambda hit: -hit[1])
    return list(dict.fromkeys(parent_of[child] for child, _ in ranked))[:k]


# --- 00.2 ------------------------------------------------------------------------------------------------------------


def find_parent(child: Span, parents: list[Span]) -> int | None:
    """The position in ``parents`` of the first span that ``child`` lies in as a whole, ``None`` where there is none."""
    for position, parent in enumerate(parents):
        if parent.start <= child.start and child.end <= parent.end:
            return position
    return None


def _every_position(child: Span, parents: Sequence[Span]) -> int | None:
    """Oracle: the child's code points must all be among the parent's."""
    wanted = set(range(*child))
    containing = [position for position, parent in enumerate(parents) if wanted <= set(range(*parent))]
    return min(containing, default=None)


def _families(rng: Random) -> Iterator[tuple[Span, list[Span]]]:
    yield Span(0, 3), []
    yield Span(0, 5), [Span(0, 5), Span(5, 9)]
    yield Span(5, 9), [Span(0, 5), Span(5, 9)]
    yield Span(4, 6), [Span(0, 5), Span(5, 9)]
    yield Span(3, 5), [Span(0, 5), Span(5, 9)]
    yield Span(2, 4), [Span(1, 3), Span(0, 9), Span(2, 4)]
    for _ in range(40):
        cuts = sorted(rng.sample(range(20), rng.randrange(2, 6)))
        parents = [Span(start, end) for start, end in pairwise(cuts)]
        start = rng.randrange(20)
        yield Span(start, start + rng.randrange(1, 5)), parents


def _overlapping(child: Span, parents: list[Span]) -> int | None:
    for position, parent in enumerate(parents):
        if parent.start < child.end and child.start < parent.end:
            return position
    return None


def _start_only(child: Span, parents: list[Span]) -> int | None:
    for position, parent in enumerate(parents):
        if parent.start <= child.start < parent.end:
            return position
    return None


def _end_excluded(child: Span, parents: list[Span]) -> int | None:
    for position, parent in enumerate(parents):
        if parent.start <= child.start and child.end < parent.end:
            return position
    return None


TITLE = "The tour"
EXERCISES = (
    Exercise(
        id="00.1",
        title="Three results that are one",
        solution=best_parents,
        start=_published,
        oracle=_one_at_a_time,
        cases=_hits,
        hints=(
            "Two children of one parent are both among the hits. What does the function return then?",
            "Keep a parent only the first time it comes up; `dict.fromkeys` keeps order and drops repetitions.",
            "Stop at k parents, not at k children: the order of dropping and limiting matters.",
        ),
        mistakes=(
            Mistake(
                _limit_first,
                "Repetitions are dropped after the list was cut to k children, so fewer than k parents come back "
                "although there are more. Drop them first, then cut.",
            ),
            Mistake(
                _by_name,
                "The parents are in order of their names. A set forgets the order of the scores; go through the hits "
                "from best to worst and keep what is new.",
            ),
            Mistake(
                _last_child_counts,
                "A parent is placed by its worst child, because each later child overwrites the earlier, better one. "
                "Its best child decides.",
            ),
            Mistake(
                _worst_first,
                "The worst parents come first. Scores are similarities here: higher is better. A distance would sort "
                "the other way round.",
            ),
            Mistake(
                _summed,
                "The scores of a parent's children are added up, so many middling children beat one good one, and a "
                "long parent beats a short one. Here its best child decides.",
            ),
            Mistake(
                _ties_as_found,
                "Where two children have the same score, they stay in the order in which they were found. Ties go to "
                "the smaller name of the child: sort by (-score, name).",
            ),
        ),
    ),
    Exercise(
        id="00.2",
        title="Which parent?",
        solution=find_parent,
        oracle=_every_position,
        cases=_families,
        hints=(
            "A child lies in a parent when it starts no earlier and ends no later.",
            "Spans are half-open: the end is the first position that does not belong to the span, so two ends may be "
            "equal.",
        ),
        mistakes=(
            Mistake(
                _overlapping,
                "This finds a parent that the child touches, even where part of the child lies outside it. Nested "
                "means that the whole child lies inside.",
            ),
            Mistake(
                _start_only,
                "Only the child's start is looked at. A child that starts in one parent and ends in the next lies in "
                "neither.",
            ),
            Mistake(
                _end_excluded,
                "A child that reaches to the parent's end is refused. Ends are exclusive on both sides, so child.end "
                "== parent.end still fits: compare with <=.",
            ),
        ),
    ),
)
