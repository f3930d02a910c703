"""Exercise 03.1, the precision of overlapping passages."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import cover, merge, overlap


def precision(returned: list[Span], gold: list[Span]) -> float:
    """Gold characters found, divided by all characters returned; a repeated character is returned twice."""
    size = sum(end - start for start, end in returned)
    if size == 0:
        return 0.0
    return sum(overlap(found, wanted) for found in merge(returned) for wanted in merge(gold)) / size


def _precision_by_character(returned: list[Span], gold: list[Span]) -> float:
    """Oracle: write every returned character down, and every gold one."""
    paid = [position for start, end in returned for position in range(start, end)]
    wanted = {position for start, end in gold for position in range(start, end)}
    return len(wanted.intersection(paid)) / len(paid) if paid else 0.0


def _returned_and_gold(rng: Random) -> Iterator[tuple[list[Span], list[Span]]]:
    yield [], [Span(0, 4)]
    yield [Span(0, 4)], [Span(2, 6)]
    yield [Span(0, 4), Span(0, 4)], [Span(0, 4)]
    yield [Span(0, 6), Span(4, 8)], [Span(5, 9)]
    yield [Span(0, 8)], [Span(1, 4), Span(3, 6)]
    for _ in range(30):
        yield _random_spans(rng, 0), _random_spans(rng, 1)


def _random_spans(rng: Random, least: int) -> list[Span]:
    starts = [rng.randrange(24) for _ in range(rng.randrange(least, 5))]
    return [Span(start, start + rng.randrange(1, 9)) for start in starts]


def _found_twice(returned: list[Span], gold: list[Span]) -> float:
    size = sum(end - start for start, end in returned)
    return sum(overlap(found, wanted) for found in returned for wanted in merge(gold)) / size if size else 0.0


def _paid_once(returned: list[Span], gold: list[Span]) -> float:
    size = cover(returned)
    return sum(overlap(found, wanted) for found in merge(returned) for wanted in merge(gold)) / size if size else 0.0


def _divided_by_gold(returned: list[Span], gold: list[Span]) -> float:
    return sum(overlap(found, wanted) for found in merge(returned) for wanted in merge(gold)) / cover(gold)


def _share_of_passages(returned: list[Span], gold: list[Span]) -> float:
    relevant = [found for found in returned if any(overlap(found, wanted) for wanted in gold)]
    return len(relevant) / len(returned) if returned else 0.0


def _nothing_is_perfect(returned: list[Span], gold: list[Span]) -> float:
    size = sum(end - start for start, end in returned)
    return sum(overlap(f, wanted) for f in merge(returned) for wanted in merge(gold)) / size if size else 1.0


def _gold_overlaps(returned: list[Span], gold: list[Span]) -> float:
    size = sum(end - start for start, end in returned)
    return sum(overlap(found, wanted) for found in merge(returned) for wanted in gold) / size if size else 0.0


PRECISION = Exercise(
    id="03.1",
    title="Precision of overlapping passages",
    solution=precision,
    oracle=_precision_by_character,
    cases=_returned_and_gold,
    hints=(
        "Two counts are needed: the gold characters found, each once, and the characters returned, each as often as "
        "it was returned.",
        "`merge(returned)` holds every returned character once. The sum of `end - start` over `returned` itself does "
        "not.",
        "Found: the sum of `overlap(a, b)` over all pairs from `merge(returned)` and `merge(gold)`. Nothing returned "
        "is precision 0.0.",
    ),
    mistakes=(
        Mistake(
            _found_twice,
            "A gold character that two passages return is counted as found twice. It is news only once: merge the "
            "passages before you look for gold in them.",
        ),
        Mistake(
            _paid_once,
            "A repeated character is counted as returned only once. The prompt holds it twice, so the divisor is the "
            "sum of the lengths, not the size of the union.",
        ),
        Mistake(
            _divided_by_gold,
            "This is recall: it divides by the size of the gold. Precision asks what share of the returned text is "
            "gold.",
        ),
        Mistake(
            _share_of_passages,
            "This is the share of passages that touch the gold. A passage of 800 tokens with one gold word would "
            "count as right; here every character counts.",
        ),
        Mistake(
            _nothing_is_perfect,
            "Returning nothing is rated perfect. A retriever that stays silent must not get the best mark; by "
            "convention it gets 0.0.",
        ),
        Mistake(
            _gold_overlaps,
            "Gold spans may overlap as well: a character in two of them is still one character. Merge the gold, too.",
        ),
    ),
)
