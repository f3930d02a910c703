"""Exercise 21.3, how deep in its rankings the parts of a question outvote it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def last_rank(parts: int, votes: int, constant: int = 60) -> int:
    """The last rank at which passage B still comes before passage A, or 0; it may lie beyond the end of any list.

    A is the question's first hit and in no part. B is at this rank in every part, and not in the question's list. A
    ranking gives 1 / (constant + rank), ranks from 1; each part has one vote, the question has ``votes``.
    """
    # parts / (constant + rank) > votes / (constant + 1), in whole numbers.
    return max(0, (parts * (constant + 1) - votes * constant - 1) // votes)


def _tried(parts: int, votes: int, constant: int = 60) -> int:
    """Oracle: rank after rank is tried, as long as the passage is ahead, in whole numbers."""
    rank = 0
    while parts * (constant + 1) > votes * (constant + rank + 1):
        rank += 1
    return rank


def _cases(rng: Random) -> Iterator[tuple[int, ...]]:
    yield 2, 1
    yield 1, 1
    yield 4, 1
    yield 3, 3
    yield 2, 3
    yield 5, 2
    yield 2, 1, 0
    yield 6, 4, 10
    for _ in range(30):
        yield rng.randrange(1, 9), rng.randrange(1, 9), rng.choice((0, 1, 10, 60))


def _ties_count(parts: int, votes: int, constant: int = 60) -> int:
    return max(0, (parts * (constant + 1) - votes * constant) // votes)


def _one_part(parts: int, votes: int, constant: int = 60) -> int:
    return last_rank(1, votes, constant)


def _question_once(parts: int, votes: int, constant: int = 60) -> int:
    return last_rank(parts, 1, constant)


def _no_constant(parts: int, votes: int, constant: int = 60) -> int:
    return last_rank(parts, votes, 0)


def _within_the_list(parts: int, votes: int, constant: int = 60) -> int:
    return min(50, last_rank(parts, votes, constant))


def _below_zero(parts: int, votes: int, constant: int = 60) -> int:
    return (parts * (constant + 1) - votes * constant - 1) // votes


VOTES = Exercise(
    id="21.3",
    title="How deep the parts outvote the question",
    solution=last_rank,
    oracle=_tried,
    cases=_cases,
    hints=(
        "Compare votes / (constant + 1), the question's hit, with parts / (constant + rank), the other passage.",
        "Begin with rank 1 and go on as long as the parts' passage is ahead. A loop is a fine answer.",
        "Floats can be nearly equal. Multiply out: parts * (constant + 1) > votes * (constant + rank).",
    ),
    mistakes=(
        Mistake(_ties_count, "At that rank both are equal. The passage has to come before the question's hit."),
        Mistake(_one_part, "All parts have the passage at this rank, and each of them has a vote."),
        Mistake(_question_once, "The question has more than one vote here."),
        Mistake(_no_constant, "The constant is left out. It is what makes rank 50 nearly as good as rank 1."),
        Mistake(_within_the_list, "The lists of the lesson end at 50, this function does not: return the rank itself."),
        Mistake(_below_zero, "Ranks begin at 1. Where the parts never come first, the answer is 0."),
    ),
)
