"""Exercise 07.1, heading paths."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Headings = list[tuple[int, str]]
Paths = list[tuple[str, ...]]


def heading_paths(headings: list[tuple[int, str]]) -> list[tuple[str, ...]]:
    """The path of each heading: the titles that it stands under, outermost first, and its own title last."""
    above: list[tuple[int, str]] = []
    paths = []
    for level, title in headings:
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        paths.append(tuple(name for _, name in above))
    return paths


def _look_back(headings: Headings) -> Paths:
    """Oracle: from each heading walk back to the beginning and collect whatever stands higher than all seen so far."""
    paths = []
    for index, (level, title) in enumerate(headings):
        path, highest = [title], level
        for before, name in reversed(headings[:index]):
            if before < highest:
                path.insert(0, name)
                highest = before
        paths.append(tuple(path))
    return paths


def _outlines(rng: Random) -> Iterator[tuple[Headings]]:
    yield ([],)
    yield ([(1, "A")],)
    yield ([(1, "A"), (2, "B")],)
    yield ([(1, "A"), (1, "B")],)
    yield ([(1, "A"), (2, "B"), (3, "C"), (1, "D")],)
    yield ([(1, "A"), (3, "B"), (2, "C")],)
    yield ([(3, "A"), (2, "B"), (3, "C")],)
    yield ([(2, "A"), (1, "B"), (2, "A")],)
    for _ in range(30):
        yield ([(rng.randint(1, 4), rng.choice("ABCDEFG")) for _ in range(rng.randrange(1, 8))],)


def _pops_once(headings: Headings) -> Paths:
    above: Headings = []
    paths = []
    for level, title in headings:
        if above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        paths.append(tuple(name for _, name in above))
    return paths


def _siblings_nest(headings: Headings) -> Paths:
    above: Headings = []
    paths = []
    for level, title in headings:
        while above and above[-1][0] > level:
            above.pop()
        above.append((level, title))
        paths.append(tuple(name for _, name in above))
    return paths


def _cut_at_level(headings: Headings) -> Paths:
    path: tuple[str, ...] = ()
    paths = []
    for level, title in headings:
        path = (*path[: level - 1], title)
        paths.append(path)
    return paths


def _without_itself(headings: Headings) -> Paths:
    return [path[:-1] for path in heading_paths(headings)]


def _one_slot_a_level(headings: Headings) -> Paths:
    slots: list[str] = [""] * 6
    paths = []
    for level, title in headings:
        slots[level - 1 :] = [title, *[""] * (6 - level)]
        paths.append(tuple(slots[:level]))
    return paths


HEADING_PATHS = Exercise(
    id="07.1",
    title="Heading paths",
    solution=heading_paths,
    oracle=_look_back,
    cases=_outlines,
    hints=(
        "Keep a list of the headings that are open: each one deeper than the one before it.",
        "A new heading closes every open heading that is not higher than itself. How many can that be?",
        "While the last open heading's level is at least as large as the new one's, remove it; then append this one.",
    ),
    mistakes=(
        Mistake(
            _pops_once,
            "One heading can close several: after levels 1, 2, 3 a heading of level 1 ends all of them. Remove in a "
            "loop.",
        ),
        Mistake(
            _siblings_nest,
            "A heading of the same level stands beside the one before, not under it: equal levels are closed as well.",
        ),
        Mistake(
            _cut_at_level,
            "The length of a path is not the level: where an author skips a level, as in # and then ###, cutting the "
            "path at level - 1 keeps titles that are closed. Compare levels, not positions.",
        ),
        Mistake(_without_itself, "These are the headings above it. Its own title belongs at the end of the path."),
        Mistake(
            _one_slot_a_level,
            "A level that nobody used leaves an empty title in the path. Keep only headings that exist.",
        ),
    ),
)
