"""Exercise 08.2, a chunk with the turns around it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def with_neighbours(chunk: Span, turns: list[Span], n: int) -> Span:
    """From ``n`` turns before the first turn that the chunk touches to ``n`` turns after the last one."""
    touched = [i for i, turn in enumerate(turns) if turn.start < chunk.end and turn.end > chunk.start]
    first, last = max(touched[0] - n, 0), min(touched[-1] + n, len(turns) - 1)
    return Span(turns[first].start, turns[last].end)


def _one_by_one(chunk: Span, turns: list[Span], n: int) -> Span:
    """Oracle: mark the touched turns, then let the marks spread to their neighbours ``n`` times."""
    marked = {i for i, turn in enumerate(turns) for x in range(turn.start, turn.end) if chunk.start <= x < chunk.end}
    for _ in range(n):
        marked |= {i + step for i in marked for step in (-1, 1)} & set(range(len(turns)))
    return Span(min(turns[i].start for i in marked), max(turns[i].end for i in marked))


def _cases(rng: Random) -> Iterator[tuple[Span, list[Span], int]]:
    four = [Span(0, 10), Span(11, 20), Span(21, 40), Span(41, 50)]
    yield Span(11, 40), four, 1
    yield Span(11, 20), four, 0
    yield Span(21, 40), four, 2
    yield Span(0, 10), four, 1
    yield Span(41, 50), four, 1
    yield Span(25, 30), four, 1
    for _ in range(30):
        turns, end = [], 0
        for _ in range(rng.randrange(1, 8)):
            turns.append(Span(end, end + rng.randrange(3, 9)))
            end = turns[-1].end + 1
        turn = rng.choice(turns)
        stop = rng.choice([other.end for other in turns if other.end >= turn.end])
        yield Span(turn.start + rng.randrange(3), stop), turns, rng.randrange(4)


def _from_the_other_end(chunk: Span, turns: list[Span], n: int) -> Span:
    touched = [i for i, turn in enumerate(turns) if turn.start < chunk.end and turn.end > chunk.start]
    last = min(touched[-1] + n, len(turns) - 1)
    return Span(turns[max(touched[0] - n, -len(turns))].start, turns[last].end)


def _characters(chunk: Span, turns: list[Span], n: int) -> Span:
    return Span(max(chunk.start - n, turns[0].start), min(chunk.end + n, turns[-1].end))


def _whole_turns(chunk: Span, turns: list[Span], n: int) -> Span:
    inside = [i for i, turn in enumerate(turns) if chunk.start <= turn.start and turn.end <= chunk.end]
    if not inside:
        return chunk
    first, last = max(inside[0] - n, 0), min(inside[-1] + n, len(turns) - 1)
    return Span(turns[first].start, turns[last].end)


def _only_before(chunk: Span, turns: list[Span], n: int) -> Span:
    touched = [i for i, turn in enumerate(turns) if turn.start < chunk.end and turn.end > chunk.start]
    return Span(turns[max(touched[0] - n, 0)].start, turns[touched[-1]].end)


NEIGHBOURS = Exercise(
    id="08.2",
    title="A chunk and the turns around it",
    solution=with_neighbours,
    oracle=_one_by_one,
    cases=_cases,
    hints=(
        "First find the indices of the turns that the chunk shares characters with.",
        "Then move the first index down and the last one up, and stop both at the ends of the list.",
    ),
    mistakes=(
        Mistake(
            _from_the_other_end,
            "Near the beginning `first - n` is negative, and Python counts a negative index from the end of the list. "
            "Nothing is raised; the span just starts at a late turn. Stop at 0.",
        ),
        Mistake(
            _characters,
            "This adds n characters. The unit here is the turn: look up where the n-th turn before starts.",
        ),
        Mistake(
            _whole_turns,
            "A chunk that is a piece of a monologue holds no whole turn, and so it finds no neighbours. Count the "
            "turns that it shares characters with.",
        ),
        Mistake(
            _only_before,
            "Turns are added in front only. An answer comes after its question, so a question that was found needs the "
            "turns behind it.",
        ),
    ),
)
