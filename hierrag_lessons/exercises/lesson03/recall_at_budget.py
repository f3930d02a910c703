"""Exercise 03.3, the bugs in recall at a budget."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import clip, cover, merge, overlap, subtract


def recall_at_budget(ranked: list[Span], gold: list[Span], budget: int) -> float:
    """Share of the gold in the first ``budget`` characters of the ranked passages, what repeats left out."""
    shown: list[Span] = []
    for passage in ranked:
        for piece in subtract(passage, shown):
            left = budget - cover(shown)
            shown.append(Span(piece.start, min(piece.end, piece.start + left)))
    found = sum(overlap(piece, wanted) for piece in merge(shown) for wanted in merge(gold))
    return found / cover(gold)


def _recall_by_reading(ranked: list[Span], gold: list[Span], budget: int) -> float:
    """Oracle: read character by character, and stop where the budget is used up."""
    read: list[int] = []
    for start, end in ranked:
        for position in range(start, end):
            if position not in read and len(read) < budget:
                read.append(position)
    wanted = {position for start, end in gold for position in range(start, end)}
    return len(wanted & set(read)) / len(wanted)


def _recall_as_published(ranked: list[Span], gold: list[Span], budget: int) -> float:
    found, used = 0, 0
    for passage in ranked:
        if used >= budget:
            break
        used += passage.end - passage.start
        found += sum(overlap(passage, wanted) for wanted in gold)
    return found / sum(wanted.end - wanted.start for wanted in gold)


def _rankings(rng: Random) -> Iterator[tuple[list[Span], list[Span], int]]:
    yield [], [Span(0, 5)], 10
    yield [Span(0, 20)], [Span(12, 18)], 10
    yield [Span(0, 10), Span(5, 15)], [Span(5, 15)], 20
    yield [Span(0, 4), Span(10, 30), Span(6, 8)], [Span(6, 8)], 8
    yield [Span(4, 8), Span(0, 12)], [Span(0, 12)], 9
    yield [Span(0, 8), Span(2, 20)], [Span(9, 15)], 12
    yield [Span(0, 8), Span(0, 8), Span(6, 20)], [Span(9, 15)], 12
    yield [Span(0, 9)], [Span(2, 8), Span(4, 12)], 20
    yield [Span(0, 9)], [Span(2, 6), Span(2, 6), Span(20, 24)], 20
    for _ in range(30):
        starts = [rng.randrange(24) for _ in range(rng.randrange(1, 5))]
        ranked = [Span(start, start + rng.randrange(2, 14)) for start in starts]
        start = rng.randrange(18)
        gold = [Span(start, start + rng.randrange(2, 6)), Span(start + 10, start + rng.randrange(12, 18))]
        yield ranked, gold, rng.randrange(4, 24)


def _never_cut(ranked: list[Span], gold: list[Span], budget: int) -> float:
    shown: list[Span] = []
    for passage in ranked:
        if cover(shown) >= budget:
            break
        shown.append(passage)
    return sum(overlap(piece, wanted) for piece in merge(shown) for wanted in merge(gold)) / cover(gold)


def _capped_at_one(ranked: list[Span], gold: list[Span], budget: int) -> float:
    return min(1.0, _recall_as_published(ranked, gold, budget))


def _cut_but_counted_twice(ranked: list[Span], gold: list[Span], budget: int) -> float:
    found, left = 0, budget
    for passage in ranked:
        piece = Span(passage.start, min(passage.end, passage.start + left))
        left -= piece.end - piece.start
        found += sum(overlap(piece, wanted) for wanted in gold)
    return found / cover(gold)


def _repeats_are_paid(ranked: list[Span], gold: list[Span], budget: int) -> float:
    shown: list[Span] = []
    left = budget
    for passage in ranked:
        piece = clip(Span(passage.start, passage.start + left), passage)
        left -= piece.end - piece.start
        shown.append(piece)
    return sum(overlap(piece, wanted) for piece in merge(shown) for wanted in merge(gold)) / cover(gold)


def _cut_before_repeats_go(ranked: list[Span], gold: list[Span], budget: int) -> float:
    shown: list[Span] = []
    for passage in ranked:
        left = budget - cover(shown)
        shown.append(clip(Span(passage.start, passage.start + left), passage))
    return sum(overlap(piece, wanted) for piece in merge(shown) for wanted in merge(gold)) / cover(gold)


def _gold_counted_twice(ranked: list[Span], gold: list[Span], budget: int) -> float:
    shown: list[Span] = []
    for passage in ranked:
        for piece in subtract(passage, shown):
            left = budget - cover(shown)
            shown.append(Span(piece.start, min(piece.end, piece.start + left)))
    found = sum(overlap(piece, wanted) for piece in shown for wanted in gold)
    return found / sum(wanted.end - wanted.start for wanted in gold)


def _skips_what_does_not_fit(ranked: list[Span], gold: list[Span], budget: int) -> float:
    shown: list[Span] = []
    for passage in ranked:
        if cover([*shown, passage]) <= budget:
            shown.append(passage)
    return sum(overlap(piece, wanted) for piece in merge(shown) for wanted in merge(gold)) / cover(gold)


BUDGET = Exercise(
    id="03.3",
    title="Find the bugs: recall at a budget",
    solution=recall_at_budget,
    oracle=_recall_by_reading,
    cases=_rankings,
    hints=(
        "Try one passage of 20 characters and a budget of 10. How many characters does the code look at?",
        "Try the same passage twice. Can a share be larger than 1?",
        "Keep a list `shown` of the spans taken so far. `subtract(passage, shown)` gives what is new of a passage, in "
        "order; cut each new piece to what is left of the budget.",
    ),
    mistakes=(
        Mistake(
            _never_cut,
            "Repeats are right now, but the last passage is taken whole. Large passages so get more text than small "
            "ones, which is what the budget was to prevent.",
        ),
        Mistake(
            _capped_at_one,
            "min(1.0, ...) hides the symptom: below 1 the repeated gold is still counted twice.",
        ),
        Mistake(
            _cut_but_counted_twice,
            "The budget is kept now, but gold that two passages show is still counted twice.",
        ),
        Mistake(
            _repeats_are_paid,
            "Repeated text uses up the budget here. It is to be left out, as `pack` does: only what is new counts.",
        ),
        Mistake(
            _cut_before_repeats_go,
            "A passage is cut to what is left of the budget while its repeated part is still in it, so less new text "
            "than the budget allows is shown. First take away what was read, then cut.",
        ),
        Mistake(
            _gold_counted_twice,
            "Two pieces of gold may overlap. What lies in both is still one piece of text: `merge(gold)` before you "
            "count it, above the line and below it.",
        ),
        Mistake(
            _skips_what_does_not_fit,
            "A passage that does not fit is skipped, and later ones move up. Cut it where the budget ends: otherwise "
            "large passages lose their best-ranked text.",
        ),
    ),
    start=_recall_as_published,
)
