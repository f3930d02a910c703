"""Exercise 26.4, four answers to be marked."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

_Marks = dict[str, list[int]]


def marks() -> dict[str, list[int]]:
    """For each of the answers A to D, 1 or 0 for each of the four points."""
    return {
        "A": [1, 1, 0, 0],
        "B": [0, 0, 0, 0],  # names both kinds of filter and decides for neither
        "C": [0, 1, 1, 1],  # "a condition inside the query" is a filter in the search
        "D": [0, 0, 0, 0],  # takes its only point back
    }


def _written_down() -> _Marks:
    """Oracle: the points that each answer makes, by their numbers."""
    made = {"A": {1, 2}, "B": set[int](), "C": {2, 3, 4}, "D": set[int]()}
    return {answer: [int(number in own) for number in range(1, 5)] for answer, own in made.items()}


def _cases(rng: Random) -> Iterator[tuple[()]]:
    yield ()


def _by_sound() -> _Marks:
    return {**marks(), "B": [0, 1, 0, 0]}


def _by_sound_rights() -> _Marks:
    return {**marks(), "B": [0, 1, 1, 0]}


def _by_words() -> _Marks:
    return {**marks(), "C": [0, 0, 1, 1]}


def _first_word_counts() -> _Marks:
    return {**marks(), "D": [0, 1, 0, 0]}


def _kind_to_a() -> _Marks:
    return {**marks(), "A": [1, 1, 1, 0]}


def _harsh_on_measuring() -> _Marks:
    return {**marks(), "C": [0, 1, 1, 0]}


def _sound_and_first_word() -> _Marks:
    return {**_by_sound(), "D": [0, 1, 0, 0]}


MARKING = Exercise(
    id="26.4",
    title="Mark four answers",
    solution=marks,
    oracle=_written_down,
    cases=_cases,
    hints=(
        "For each mark that you give: which words of the answer make the point? Underline them.",
        "Two answers make no point at all. One of them sounds best; the other says something and takes it back.",
        "One answer makes a point without the word that the rubric has for it.",
    ),
    mistakes=(
        Mistake(_by_sound, "B gets a point for naming both kinds of filter. It decides for neither: no point is made."),
        Mistake(
            _by_sound_rights, "B has the words, access control and pre-filtering, and says nothing that one could do."
        ),
        Mistake(_by_words, "C never says 'filter', but a condition inside the query is one. Other words count."),
        Mistake(
            _first_word_counts, "D says it and takes it back. What stands at the end is what the candidate would do."
        ),
        Mistake(
            _kind_to_a, "A says what a customer may not see, and not where the system knows that from. You added it."
        ),
        Mistake(
            _harsh_on_measuring, "C compares the approximate search with an exact one: that is measuring its recall."
        ),
        Mistake(
            _sound_and_first_word, "B names two things and decides for neither; D takes its point back. Both have none."
        ),
    ),
)
