"""Exercise 24.1, five passages each are no comparison."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Ranking = list[tuple[int, str]]
"""Passages, best first: the tokens of each, and the facts in it, a letter each."""


def facts_in_context(rankings: dict[str, list[tuple[int, str]]], budget: int) -> dict[str, int]:
    """How many different facts each method brings in at most ``budget`` tokens; the first that does not fit ends it."""
    found = {}
    for method, passages in rankings.items():
        left, facts = budget, set[str]()
        for tokens, own in passages:
            if tokens > left:
                break
            left -= tokens
            facts |= set(own)
        found[method] = len(facts)
    return found


def _by_prefixes(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    """Oracle: the longest beginning of each list that is not too large, found by trying all."""
    return {
        method: max(
            len(set("".join(facts for _, facts in passages[:n])))
            for n in range(len(passages) + 1)
            if sum(tokens for tokens, _ in passages[:n]) <= budget
        )
        for method, passages in rankings.items()
    }


def _cases(rng: Random) -> Iterator[tuple[dict[str, Ranking], int]]:
    yield {"small": [(200, "a"), (200, "b"), (200, "c")], "large": [(600, "abc"), (600, "d")]}, 600
    yield {"flat": [(200, "a")] * 7 + [(200, "z")], "parents": [(600, "ab")] * 5 + [(600, "c")]}, 3000
    yield {"flat": [(300, "a"), (900, "bcd"), (200, "e")]}, 600
    yield {"flat": [(200, "aab"), (200, "ba")]}, 400
    yield {"flat": [(500, "a")], "none": []}, 500
    yield {"flat": [(500, "a")]}, 400
    for _ in range(30):
        rankings: dict[str, Ranking] = {}
        for method in ("flat", "parents", "tree"):
            size = rng.choice([100, 200, 600])
            passages = [(rng.randrange(size // 2, size + 1), "".join(rng.choices("abcdefgh", k=rng.randrange(3))))]
            passages += [
                (rng.randrange(size // 2, size + 1), "".join(rng.choices("abcdefgh", k=rng.randrange(3))))
                for _ in range(rng.randrange(12))
            ]
            rankings[method] = passages
        yield rankings, rng.choice([200, 500, 1000, 2000])


def published(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    """As published: the five best passages of each method."""
    return {method: len(set("".join(facts for _, facts in passages[:5]))) for method, passages in rankings.items()}


def _five_at_most(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    return facts_in_context({method: passages[:5] for method, passages in rankings.items()}, budget)


def _goes_on(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    found = {}
    for method, passages in rankings.items():
        left, facts = budget, set[str]()
        for tokens, own in passages:
            if tokens <= left:
                left -= tokens
                facts |= set(own)
        found[method] = len(facts)
    return found


def _one_too_many(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    found = {}
    for method, passages in rankings.items():
        used, facts = 0, set[str]()
        for tokens, own in passages:
            if used >= budget:
                break
            used += tokens
            facts |= set(own)
        found[method] = len(facts)
    return found


def _counted_twice(rankings: dict[str, Ranking], budget: int) -> dict[str, int]:
    found = {}
    for method, passages in rankings.items():
        left, count = budget, 0
        for tokens, own in passages:
            if tokens > left:
                break
            left -= tokens
            count += len(own)
        found[method] = count
    return found


FIVE_PASSAGES = Exercise(
    id="24.1",
    title="Find the bug: five passages each",
    solution=facts_in_context,
    oracle=_by_prefixes,
    cases=_cases,
    start=published,
    hints=(
        "Add up the tokens of what each method hands over. Are they the same?",
        "Go down the list and keep what is left of the budget. A fact that comes twice is one fact.",
    ),
    mistakes=(
        Mistake(
            _five_at_most, "You still stop after five passages. Only the tokens count: small passages may be many."
        ),
        Mistake(
            _goes_on,
            "After a passage that does not fit you went on to smaller ones further down. That favours methods with "
            "small passages; here the list ends there.",
        ),
        Mistake(_one_too_many, "The last passage goes over the budget. Ask whether it fits before you take it."),
        Mistake(_counted_twice, "The same fact in two passages was counted twice."),
    ),
)
