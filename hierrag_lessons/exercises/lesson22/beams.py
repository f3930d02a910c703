"""Exercise 22.1, where to spend the beam."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Keeps = list[dict[int, float]]


def cheapest(keeps: list[dict[int, float]], parts: list[int], goal: float) -> list[int] | None:
    """One beam a level, so that the walk reaches ``goal`` and shows the fewest entries; ``None`` where none does.

    ``keeps[level][beam]`` is the share of the gold that the level keeps of what is still within reach before it.
    ``parts[level]`` is how many entries an opened section of the level above shows; ``parts[0]`` is how many there are
    at the top. Of equally cheap choices the first in the order of the lists of beams counts.
    """
    choices: list[tuple[list[int], float, int]] = [([], 1.0, 0)]  # beams so far, what they reach, what they show
    for level, shares in enumerate(keeps):
        choices = [
            ([*beams, beam], reach * share, shown + parts[level] * (beams[-1] if beams else 1))
            for beams, reach, shown in choices
            for beam, share in shares.items()
        ]
    good = sorted((shown, beams) for beams, reach, shown in choices if reach >= goal)
    return good[0][1] if good else None


def _try_all(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    """Oracle: go through all lists of beams in their order, and add up each one's bill."""
    best: tuple[int, list[int]] | None = None
    for beams in sorted(product(*keeps)):
        share, shown, opened = 1.0, 0, 1
        for level, beam in enumerate(beams):
            share *= keeps[level][beam]
            shown += opened * parts[level]
            opened = beam
        if share >= goal and (best is None or shown < best[0]):
            best = shown, list(beams)
    return None if best is None else best[1]


def _cases(rng: Random) -> Iterator[tuple[Keeps, list[int], float]]:
    yield [{1: 0.5, 2: 1.0}], [4], 0.75
    yield [{1: 0.5, 2: 1.0}], [4], 0.25
    yield [{1: 0.5}, {1: 0.5}], [4, 4], 0.5
    # One wide level is enough, and which one it is has to be found.
    yield [{1: 0.5, 4: 1.0}, {1: 0.5, 4: 1.0}], [10, 10], 0.5
    # The last level's beam shows nothing further: it is free.
    yield [{1: 0.5, 2: 0.5}, {1: 0.25, 8: 1.0}], [8, 4], 0.5
    yield [{1: 0.5, 2: 0.75, 8: 1.0}, {1: 0.5, 2: 0.75, 8: 1.0}, {1: 0.5, 2: 0.75, 8: 1.0}], [64, 4, 4], 0.5
    # No single level falls below the goal, and all of them together do.
    yield [{1: 0.75}, {1: 0.75}, {1: 0.75}], [8, 4, 4], 0.5
    # A beam is for the whole level: eight opened documents and then one part show the sections of one part.
    yield [{2: 0.5, 8: 1.0}, {3: 0.5, 5: 1.0}, {1: 1.0}], [4, 2, 8], 0.5
    # The worst level is the dear one: to widen the other one is enough.
    yield [{1: 0.5, 8: 1.0}, {1: 0.75, 2: 1.0}], [4, 16], 0.5
    # The smallest beams in sum are not those that show the fewest entries.
    yield [{1: 0.5, 2: 1.0}, {1: 0.5, 8: 1.0}], [4, 16], 0.5
    for _ in range(40):
        keeps = []
        for _ in range(rng.randrange(1, 4)):
            beams = sorted(rng.sample([1, 2, 3, 5, 8], rng.randrange(1, 4)))
            keeps.append(
                dict(zip(beams, sorted(rng.choice([0.25, 0.5, 0.75, 0.875, 1.0]) for _ in beams), strict=True))
            )
        yield keeps, [rng.randrange(2, 20) for _ in keeps], rng.choice([0.125, 0.25, 0.5, 0.75])


def _choose(
    keeps: Keeps, parts: list[int], goal: float, *, reached: str = "product", shifted: bool = True
) -> list[int] | None:
    """The solution with one part of it exchanged."""
    found: list[tuple[int, list[int]]] = []
    for beams in product(*keeps):
        shares = [keeps[level][beam] for level, beam in enumerate(beams)]
        reach = 1.0
        for share in shares:
            reach *= share
        reach = {"product": reach, "weakest": min(shares), "mean": sum(shares) / len(shares)}[reached]
        opened = [1, *beams] if shifted else beams
        shown = sum(count * own for count, own in zip(opened, parts, strict=False))
        if reach >= goal:
            found.append((shown, list(beams)))
    return min(found)[1] if found else None


def _weakest(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    return _choose(keeps, parts, goal, reached="weakest")


def _mean(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    return _choose(keeps, parts, goal, reached="mean")


def _own_beam(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    return _choose(keeps, parts, goal, shifted=False)


def _for_each_opened(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    """The beam counted anew in each opened section."""
    best: tuple[int, list[int]] | None = None
    for beams in sorted(product(*keeps)):
        share, shown, opened = 1.0, 0, 1
        for level, beam in enumerate(beams):
            share *= keeps[level][beam]
            shown += opened * parts[level]
            opened *= beam
        if share >= goal and (best is None or shown < best[0]):
            best = shown, list(beams)
    return None if best is None else best[1]


def _smallest_sum(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    """The smallest beams, whatever they show."""
    found: list[tuple[int, list[int]]] = []
    for beams in product(*keeps):
        share = 1.0
        for level, beam in enumerate(beams):
            share *= keeps[level][beam]
        if share >= goal:
            found.append((sum(beams), list(beams)))
    return min(found)[1] if found else None


def _worst_first(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    """Begin with the narrowest beams, and widen the level that keeps least until the goal is reached."""
    beams = [min(shares) for shares in keeps]
    while True:
        reach = 1.0
        for shares, beam in zip(keeps, beams, strict=True):
            reach *= shares[beam]
        if reach >= goal:
            return beams
        wider = [(keeps[i][beam], i) for i, beam in enumerate(beams) if beam < max(keeps[i])]
        if not wider:
            return None
        level = min(wider)[1]
        beams[level] = min(beam for beam in keeps[level] if beam > beams[level])


def _one_for_all(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    for width in sorted({beam for shares in keeps for beam in shares}):
        beams = [max((beam for beam in shares if beam <= width), default=min(shares)) for shares in keeps]
        reach = 1.0
        for level, beam in enumerate(beams):
            reach *= keeps[level][beam]
        if reach >= goal:
            return beams
    return None


def _most(keeps: Keeps, parts: list[int], goal: float) -> list[int] | None:
    """As wide as possible everywhere."""
    return [max(shares) for shares in keeps] if cheapest(keeps, parts, goal) else None


BEAMS = Exercise(
    id="22.1",
    title="Where to spend the beam",
    solution=cheapest,
    oracle=_try_all,
    cases=_cases,
    hints=(
        "What is left after all levels is a product: each level keeps a share of what the one above has kept.",
        "A beam is paid for one level further down: three opened documents show the parts of three documents. At the "
        "top `parts[0]` entries are shown, whatever the beam; the last beam shows nothing further.",
        "There are few beams a level: go through all lists with `itertools.product`, drop those whose product is below "
        "the goal, and take the cheapest.",
    ),
    mistakes=(
        Mistake(
            _weakest,
            "You looked at the weakest level alone. Each level loses some of what the one above has left: multiply.",
        ),
        Mistake(
            _mean, "You took the mean of the levels. What one level has lost, a good one cannot bring back: multiply."
        ),
        Mistake(
            _own_beam,
            "You charged a level for its own beam. What is shown on a level depends on how many were opened *above* "
            "it; at the top it is always `parts[0]`.",
        ),
        Mistake(
            _for_each_opened,
            "The beam is for the whole level, not for each opened section: with a beam of 5 five sections are opened "
            "on that level in all, whatever was opened above.",
        ),
        Mistake(
            _smallest_sum,
            "You took the smallest beams. What is paid for is the entries that are shown: the beam times `parts` of "
            "the level below.",
        ),
        Mistake(
            _worst_first,
            "You widened the level that keeps least. That one can be dear: another one may reach the goal with fewer "
            "entries, so compare all lists of beams.",
        ),
        Mistake(
            _one_for_all,
            "You widened all levels alike. A wide beam pays where a level loses much and little hangs below it.",
        ),
        Mistake(_most, "You took the widest beams. They reach the goal, and narrower ones do that with fewer entries."),
    ),
)
