"""Exercise 15.3, merging within a token budget."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def affordable(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    """Names of the merges that are done, in order."""
    done: list[str] = []
    for name, size, replaced in merges:
        after = total - replaced + size
        if after <= max(total, budget):
            done.append(name)
            total = after
    return done


def _recount(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    """Oracle: write the size down as single tokens, add and remove them, and count what there is."""
    tokens = ["old"] * total
    done: list[str] = []
    for name, size, replaced in merges:
        then = tokens[: len(tokens) - replaced] + [name] * size
        too_large = len(then) > budget
        grows = len(then) > len(tokens)
        if not (too_large and grows):
            tokens = then
            done = [*done, name]
    return done


def _cases(rng: Random) -> Iterator[tuple[int, int, list[tuple[str, int, int]]]]:
    yield (10, 20, [])
    yield (10, 20, [("A", 8, 4)])
    yield (10, 14, [("A", 8, 4)])
    yield (10, 13, [("A", 8, 4)])
    yield (10, 15, [("A", 9, 2), ("B", 6, 3)])
    yield (10, 16, [("A", 8, 4), ("B", 8, 4)])
    yield (30, 20, [("A", 8, 8), ("B", 9, 12)])
    yield (30, 20, [("A", 5, 15), ("B", 6, 6), ("C", 5, 4)])
    yield (12, 20, [("A", 4, 6), ("B", 14, 4)])
    for _ in range(60):
        total, merges = rng.randrange(10, 40), []
        left = total
        for name in "ABCDE"[: rng.randrange(6)]:
            replaced = rng.randrange(0, left // 2 + 1)
            left -= replaced
            merges.append((name, max(0, replaced + rng.randrange(-2, 9)), replaced))
        yield (total, total + rng.randrange(-8, 16), merges)


def _stops(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    done: list[str] = []
    for name, size, replaced in merges:
        if total - replaced + size > max(total, budget):
            break
        done.append(name)
        total += size - replaced
    return done


def _always_limited(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    done: list[str] = []
    for name, size, replaced in merges:
        if total - replaced + size <= budget:
            done.append(name)
            total += size - replaced
    return done


def _each_alone(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    return [name for name, size, replaced in merges if total - replaced + size <= max(total, budget)]


def _nothing_replaced(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    done: list[str] = []
    for name, size, _ in merges:
        if total + size <= budget:
            done.append(name)
            total += size
    return done


def _below(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    return affordable(total, budget - 1, merges)


def _smallest_first(total: int, budget: int, merges: list[tuple[str, int, int]]) -> list[str]:
    by_growth = sorted(merges, key=lambda merge: merge[1] - merge[2])
    done = affordable(total, budget, by_growth)
    return [name for name, _, _ in merges if name in done]


AFFORDABLE = Exercise(
    id="15.3",
    title="Merge within a budget",
    solution=affordable,
    oracle=_recount,
    cases=_cases,
    hints=(
        "A merge changes the total by the size of the parent minus the size of what it replaces.",
        "Compare the new total with the budget, and with the total before: it is refused only if it is above both.",
        "A merge that was refused changes nothing. Go on with the next one: it may be smaller.",
    ),
    mistakes=(
        Mistake(_stops, "One merge that does not fit is no reason to stop: the next one may be smaller."),
        Mistake(
            _always_limited,
            "A merge that makes the passages no larger is done, even where they are above the budget already.",
        ),
        Mistake(_each_alone, "Each merge that is done changes the total that the next one has to fit into."),
        Mistake(_nothing_replaced, "The parent takes the place of its children: their size is free again."),
        Mistake(_below, "A total of exactly the budget is within the budget."),
        Mistake(
            _smallest_first,
            "Take the merges in the order given, best hit first. Smallest first would give the room to other parents.",
        ),
    ),
)
