"""Exercise 23.3, what a judge's figure means: what is asked, and the cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random


def corrected(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """The share of statements that are really supported, where a judge said that ``said`` of them are.

    ``labelled`` are statements that a person looked at: (the judge says supported, the person says supported).
    Returns a share from 0 to 1; ``None`` where the labels can't tell, because one kind is missing or the judge accepts
    unsupported statements as often as supported ones, or more often.
    """
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    if not good or not bad:
        return None
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    if accepts <= fooled:
        return None
    return min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def searched(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """Oracle: the true share is searched for which the judge would have said this, by halving."""
    counts = {(judge, person): labelled.count((judge, person)) for judge in (True, False) for person in (True, False)}
    good, bad = counts[True, True] + counts[False, True], counts[True, False] + counts[False, False]
    if not good or not bad or counts[True, True] * bad <= counts[True, False] * good:
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        would_say = share * counts[True, True] / good + (1 - share) * counts[True, False] / bad
        low, high = (share, high) if would_say < said else (low, share)
    return round((low + high) / 2, 9)


def _labels(accepted: int, rejected: int, fooled: int, caught: int) -> list[tuple[bool, bool]]:
    """Labelled statements by their numbers: supported ones that the judge accepts and rejects, then the others."""
    groups = {(True, True): accepted, (False, True): rejected, (True, False): fooled, (False, False): caught}
    return [pair for pair, number in groups.items() for _ in range(number)]


def cases(rng: Random) -> Iterator[tuple[float, list[tuple[bool, bool]]]]:
    """The tricky inputs, the short ones first, then random ones."""
    yield 0.5, _labels(2, 0, 0, 2)
    yield 0.5, _labels(3, 1, 1, 3)
    yield 0.4, _labels(3, 1, 1, 3)
    yield 0.9, _labels(3, 1, 1, 3)
    yield 0.1, _labels(3, 1, 1, 3)
    yield 0.4, _labels(1, 0, 1, 2)
    yield 0.7, _labels(2, 0, 0, 0)
    yield 0.7, _labels(0, 0, 1, 1)
    yield 0.5, _labels(1, 1, 1, 1)
    yield 0.5, _labels(1, 2, 2, 1)
    yield 0.93, _labels(20, 0, 0, 20)
    yield 0.8, _labels(18, 2, 8, 12)
    yield 0.5, _labels(18, 2, 2, 18)
    yield 0.95, _labels(18, 2, 2, 18)
    yield 0.05, _labels(18, 2, 2, 18)
    yield 0.9, _labels(20, 0, 0, 0)
    yield 0.9, _labels(0, 0, 3, 20)
    yield 0.9, []
    yield 0.5, _labels(10, 10, 10, 10)
    yield 0.5, _labels(5, 15, 15, 5)
    yield 0.7, _labels(30, 10, 2, 8)
    for _ in range(40):
        yield rng.randrange(101) / 100, _labels(*(rng.randrange(12) for _ in range(4)))
