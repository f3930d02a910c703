"""Exercise 04.3, an overlap that starts at a word."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def overlap_from(text: str, start: int, end: int, overlap: int) -> int:
    """Where the chunk after ``text[start:end]`` starts: at most ``overlap`` before its end, and at a word."""
    for position in range(max(start + 1, end - overlap), end):
        if text[position - 1].isspace() and not text[position].isspace():
            return position
    return end


def _all_word_starts(text: str, start: int, end: int, overlap: int) -> int:
    """Oracle: list the starts of all words, keep the permitted ones, take the first."""
    starts, inside = [], False
    for position, character in enumerate(text):
        if not character.isspace() and not inside:
            starts.append(position)
        inside = not character.isspace()
    return min([position for position in starts if start < position < end and end - position <= overlap], default=end)


def _cases(rng: Random) -> Iterator[tuple[str, int, int, int]]:
    line = "one two three four five"
    yield (line, 0, 13, 8)
    yield (line, 0, 13, 5)
    yield (line, 0, 13, 4)
    yield (line, 0, 14, 6)
    yield (line, 4, 13, 9)
    yield (line, 4, 13, 20)
    yield (line, 0, 16, 12)
    yield (line, 0, 13, 0)
    yield ("one\ntwo\n\nthree", 0, 12, 8)
    yield ("no-space-at-all", 0, 10, 5)
    yield ("a  b  c", 0, 5, 3)
    for _ in range(40):
        text = "".join(rng.choice("abcd  \n") for _ in range(rng.randrange(2, 25)))
        start = rng.randrange(len(text))
        end = rng.randrange(start, len(text)) + 1
        yield (text, start, end, rng.randrange(end - start + 2))


def _in_the_middle_of_a_word(text: str, start: int, end: int, overlap: int) -> int:
    return max(start + 1, end - overlap) if overlap else end


def _last_word(text: str, start: int, end: int, overlap: int) -> int:
    fitting = [p for p in range(max(start + 1, end - overlap), end) if text[p - 1].isspace() and not text[p].isspace()]
    return max(fitting, default=end)


def _back_to_the_word(text: str, start: int, end: int, overlap: int) -> int:
    position = max(start + 1, end - overlap)
    while position > start + 1 and not (text[position - 1].isspace() and not text[position : position + 1].isspace()):
        position -= 1
    return position if overlap and position > start + 1 else end


def _only_blanks(text: str, start: int, end: int, overlap: int) -> int:
    for position in range(max(start + 1, end - overlap), end):
        if text[position - 1] == " " and text[position] not in " \n":
            return position
    return end


def _at_the_space(text: str, start: int, end: int, overlap: int) -> int:
    for position in range(max(start + 1, end - overlap), end):
        if text[position].isspace():
            return position
    return end


def _the_whole_chunk(text: str, start: int, end: int, overlap: int) -> int:
    for position in range(max(start, end - overlap), end):
        if (position == 0 or text[position - 1].isspace()) and not text[position].isspace():
            return position
    return end


WORD_OVERLAP = Exercise(
    id="04.3",
    title="An overlap that starts at a word",
    solution=overlap_from,
    oracle=_all_word_starts,
    cases=_cases,
    hints=(
        "The earliest place is end - overlap. Go forward from there, so that no more than `overlap` is repeated.",
        "A word starts where there is white space before and none at the position.",
        "A chunk that starts where the one before it starts would repeat all of it: begin at start + 1.",
    ),
    mistakes=(
        Mistake(_in_the_middle_of_a_word, "This start is in the middle of a word, or on the space before one."),
        Mistake(_last_word, "That is the last word that fits. Take the first one: the overlap is meant to be used."),
        Mistake(
            _back_to_the_word,
            "You went back to the start of the word that the limit falls in, so more than `overlap` is repeated.",
        ),
        Mistake(_only_blanks, "A line break divides words too: use str.isspace()."),
        Mistake(_at_the_space, "This is the space before the word. The chunk should start with the word itself."),
        Mistake(
            _the_whole_chunk,
            "The next chunk would start where this one does and repeat all of it; look for later words only.",
        ),
    ),
)
