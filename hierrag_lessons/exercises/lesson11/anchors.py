"""Exercise 11.3, find the bug: where the quoted words stand."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def place_quotes(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    """Where each quote stands: the place nearest to its offset, ``None`` where it stands nowhere."""
    places: list[int | None] = []
    for quote, offset in zip(quotes, offsets, strict=True):
        found = []
        position = text.find(quote)
        while position >= 0:
            found.append(position)
            position = text.find(quote, position + 1)
        places.append(min(found, key=lambda place: (abs(place - offset), place), default=None))
    return places


def place_first(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    """Where each quote stands: the place nearest to its offset, ``None`` where it stands nowhere."""
    places: list[int | None] = []
    for quote, offset in zip(quotes, offsets, strict=True):
        if text[offset : offset + len(quote)] == quote:
            places.append(offset)
        else:
            places.append(text.find(quote))
    return places


def _every_place(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    """Oracle: try all positions of the text, the nearest to the offset first."""
    places: list[int | None] = []
    for quote, offset in zip(quotes, offsets, strict=True):
        candidates = sorted(range(len(text)), key=lambda position: abs(position - offset))  # Stable: earlier first.
        places.append(next((position for position in candidates if text.startswith(quote, position)), None))
    return places


def _cases(rng: Random) -> Iterator[tuple[str, list[str], list[int]]]:
    call = "Next question. Thank you. Next question. Thank you. Next question."
    yield (call, ["Thank you"], [15])
    yield (call, ["Next question", "Next question"], [0, 50])
    yield (call, ["Good morning"], [20])
    yield (call, ["Thank you"], [400])
    yield (call, ["Next question", "Thank you"], [27, 30])
    yield ("ab.ab.ab.", ["ab"], [4])
    yield ("ab..ab..", ["ab"], [2])
    yield ("xx aaaa yy", ["aa"], [4])
    yield ("one two", ["two", "one"], [4, 0])
    yield ("one two one", ["two", "one"], [5, 1])
    for _ in range(30):
        text = " ".join(rng.choice(("ja.", "nein.", "so.")) for _ in range(rng.randrange(2, 9)))
        quotes = [rng.choice(("ja.", "nein.", "so.", "was?")) for _ in range(rng.randrange(1, 4))]
        yield (text, quotes, [rng.randrange(len(text) + 5) for _ in quotes])


def _first_or_none(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    found = (place_first(text, [quote], [offset])[0] for quote, offset in zip(quotes, offsets, strict=True))
    return [None if place is None or place < 0 else place for place in found]


def _onwards(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    places: list[int | None] = []
    position = 0
    for quote in quotes:
        found = text.find(quote, position)
        places.append(found if found >= 0 else None)
        position = max(position, found + len(quote))
    return places


def _from_the_offset(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    found = (text.find(quote, max(0, offset)) for quote, offset in zip(quotes, offsets, strict=True))
    return [place if place >= 0 else None for place in found]


def _ties_go_on(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    places: list[int | None] = []
    for quote, offset in zip(quotes, offsets, strict=True):
        found = [position for position in range(len(text)) if text.startswith(quote, position)]
        places.append(min(found, key=lambda place: (abs(place - offset), -place), default=None))
    return places


def _jumps(text: str, quotes: list[str], offsets: list[int]) -> list[int | None]:
    places: list[int | None] = []
    for quote, offset in zip(quotes, offsets, strict=True):
        found, position = [], text.find(quote)
        while position >= 0:
            found.append(position)
            position = text.find(quote, position + len(quote))
        places.append(min(found, key=lambda place: (abs(place - offset), place), default=None))
    return places


def _nearest_or_minus_one(text: str, quotes: list[str], offsets: list[int]) -> list[int]:
    return [-1 if place is None else place for place in place_quotes(text, quotes, offsets)]


ANCHORS = Exercise(
    id="11.3",
    title="Find the bugs: where the quoted words stand",
    solution=place_quotes,
    oracle=_every_place,
    cases=_cases,
    hints=(
        "What does str.find return where the words stand in the text three times? And where they stand nowhere?",
        "Collect all places: call find again, each time from one character behind the last place.",
        "min(found, key=lambda place: (abs(place - offset), place), default=None)",
    ),
    mistakes=(
        Mistake(
            _first_or_none,
            "find gives the first of several places. The offset is a little wrong, but still says which one is meant.",
        ),
        Mistake(
            _nearest_or_minus_one,
            "A quote that stands nowhere gives -1, and -1 is a valid index: text[-1:] is the last character. Say None.",
        ),
        Mistake(
            _onwards,
            "The search goes on behind the last place. One wrong place pushes all later ones further on, and the "
            "quotes need not be in order.",
        ),
        Mistake(
            _from_the_offset,
            "The search starts at the offset, but the right place can also lie before it.",
        ),
        Mistake(
            _ties_go_on,
            "Of two places at the same distance the earlier one is asked for, so that the result is always the same.",
        ),
        Mistake(
            _jumps,
            "Places can overlap: 'aa' stands in 'aaaa' at 0, 1 and 2. Search on from one character behind the last "
            "place, not from behind the whole quote.",
        ),
    ),
    start=place_first,
)
