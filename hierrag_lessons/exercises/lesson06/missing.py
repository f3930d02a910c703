"""Exercise 06.3, why an answer is not in the context."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def why_missing(ranking: list[Span], evidence: Span, budget: int) -> str:
    """What became of the evidence: "found", "lost", "cut" or "too low"."""
    read, used = [], 0
    for chunk in ranking:
        used += chunk.end - chunk.start
        if used > budget:
            break
        read.append(chunk)
    wanted = set(range(*evidence))
    in_context = {at for chunk in read for at in range(*chunk)}
    in_any = {at for chunk in ranking for at in range(*chunk)}
    if wanted <= in_context:
        return "found"
    if not wanted <= in_any:
        return "lost"
    return "cut" if wanted & in_context else "too low"


def _letter_by_letter(ranking: list[Span], evidence: Span, budget: int) -> str:
    """Oracle: the rank of the first chunk that holds each character, and the last rank that is read."""
    last, left = -1, budget
    while last + 1 < len(ranking) and ranking[last + 1].end - ranking[last + 1].start <= left:
        last += 1
        left -= ranking[last].end - ranking[last].start
    ranks: list[int | None] = []
    for at in range(evidence.start, evidence.end):
        holders = [rank for rank, chunk in enumerate(ranking) if chunk.start <= at < chunk.end]
        ranks.append(holders[0] if holders else None)
    if None in ranks:
        return "lost"
    in_context = [rank is not None and rank <= last for rank in ranks]
    return "found" if all(in_context) else "cut" if any(in_context) else "too low"


def _cases(rng: Random) -> Iterator[tuple[list[Span], Span, int]]:
    chunks = [Span(0, 10), Span(10, 20), Span(20, 30)]
    yield (chunks, Span(2, 8), 10)
    yield (chunks, Span(12, 18), 10)
    yield (chunks, Span(8, 12), 10)
    yield (chunks, Span(8, 12), 20)
    yield (chunks, Span(10, 12), 10)
    yield (chunks, Span(8, 10), 10)
    yield (chunks, Span(2, 8), 9)
    yield ([Span(0, 10), Span(11, 20)], Span(8, 12), 20)
    yield ([Span(0, 10), Span(11, 20)], Span(8, 12), 10)
    yield ([Span(0, 10), Span(5, 15)], Span(7, 9), 10)
    yield ([Span(0, 10), Span(5, 15)], Span(4, 17), 100)
    yield ([Span(0, 10), Span(5, 15), Span(15, 20)], Span(4, 17), 20)
    yield ([Span(0, 30), Span(30, 34)], Span(31, 33), 20)
    yield ([], Span(2, 8), 10)
    for _ in range(60):
        made, here = [], 0
        for _ in range(rng.randrange(2, 6)):
            end = here + rng.randrange(3, 9)
            made.append(Span(here, end))
            here = end + rng.choice([0, 0, 0, 0, 1, -2])
        rng.shuffle(made)
        start = rng.randrange(here)
        yield (made, Span(start, start + rng.randrange(1, 7)), rng.randrange(4, 24))


def _ends_are_in(ranking: list[Span], evidence: Span, budget: int) -> str:
    found = why_missing(ranking, evidence, budget)
    held = any(c.start <= evidence.start <= c.end or c.start <= evidence.end <= c.end for c in _read(ranking, budget))
    return "cut" if found == "too low" and held else found


def _read(ranking: list[Span], budget: int) -> list[Span]:
    read, used = [], 0
    for chunk in ranking:
        used += chunk.end - chunk.start
        if used > budget:
            break
        read.append(chunk)
    return read


def _goes_on_after_a_large_one(ranking: list[Span], evidence: Span, budget: int) -> str:
    read, used = [], 0
    for chunk in ranking:
        if used + chunk.end - chunk.start <= budget:
            used += chunk.end - chunk.start
            read.append(chunk)
    return why_missing(read + [c for c in ranking if c not in read], evidence, used)


def _whole_in_one(ranking: list[Span], evidence: Span, budget: int) -> str:
    found = why_missing(ranking, evidence, budget)
    one = any(c.start <= evidence.start and evidence.end <= c.end for c in _read(ranking, budget))
    return "cut" if found == "found" and not one else found


def _never_lost(ranking: list[Span], evidence: Span, budget: int) -> str:
    found = why_missing(ranking, evidence, budget)
    some = any(max(c.start, evidence.start) < min(c.end, evidence.end) for c in _read(ranking, budget))
    return found if found != "lost" else "cut" if some else "too low"


def _sum_of_overlaps(ranking: list[Span], evidence: Span, budget: int) -> str:
    def held(chunks: list[Span]) -> int:
        return sum(max(0, min(c.end, evidence.end) - max(c.start, evidence.start)) for c in chunks)

    size, in_context = evidence.end - evidence.start, held(_read(ranking, budget))
    if in_context >= size:
        return "found"
    if held(ranking) < size:
        return "lost"
    return "cut" if in_context else "too low"


def _first_that_is_too_large_is_read(ranking: list[Span], evidence: Span, budget: int) -> str:
    read = _read(ranking, budget)
    return why_missing(ranking, evidence, sum(c.end - c.start for c in ranking[: len(read) + 1]))


MISSING = Exercise(
    id="06.3",
    title="Why is it missing?",
    solution=why_missing,
    oracle=_letter_by_letter,
    cases=_cases,
    hints=(
        "First find the chunks that are read: from the best on, as long as all of them together fit into the budget.",
        "Now look at each character of the evidence. Is it in a chunk that is read? Is it in any chunk at all?",
        "All of them read: found. One in no chunk: lost. Some read and some not: cut. None read: too low. Sets of "
        "positions make each of these questions one line.",
    ),
    mistakes=(
        Mistake(
            _ends_are_in,
            "A chunk that ends where the evidence begins holds none of it. Spans are half-open: [0, 10) and [10, 12) "
            "only touch.",
        ),
        Mistake(
            _goes_on_after_a_large_one,
            "Reading stops at the first chunk that does not fit. Smaller ones further down are not taken instead.",
        ),
        Mistake(
            _whole_in_one,
            "Several chunks that are read may hold the evidence together. Then all of it is in the context: found.",
        ),
        Mistake(
            _never_lost,
            "Part of the evidence is in no chunk at all. Nobody can find that, whatever the budget: look at all "
            "chunks, not only at those that are read.",
        ),
        Mistake(
            _sum_of_overlaps,
            "The overlaps of evidence and chunks are added up. Where two chunks overlap each other, the text that they "
            "share counts twice, and hides what is missing. Collect the positions in a set.",
        ),
        Mistake(
            _first_that_is_too_large_is_read,
            "The chunk that goes over the budget is not read. Only those before it are.",
        ),
    ),
)
