"""Exercise 08.1, who speaks in a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def speakers_of(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    """The speakers of the turns that the chunk shares characters with, each once, in the order of their first turn."""
    touched = [
        name for turn, name in zip(turns, names, strict=True) if turn.start < chunk.end and turn.end > chunk.start
    ]
    return list(dict.fromkeys(touched))


def _by_character(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    """Oracle: go through the chunk character by character, and write down whoever is new."""
    found: list[str] = []
    for position in range(chunk.start, chunk.end):
        for turn, name in zip(turns, names, strict=True):
            if position in range(turn.start, turn.end) and name not in found:
                found.append(name)
    return found


def _cases(rng: Random) -> Iterator[tuple[Span, list[Span], list[str]]]:
    three = [Span(0, 10), Span(11, 20), Span(21, 40)]
    yield Span(0, 20), three, ["Ann", "Bob", "Ann"]
    yield Span(0, 40), three, ["Zoe", "Ann", "Zoe"]
    yield Span(25, 30), three, ["Ann", "Bob", "Cleo"]
    yield Span(10, 21), three, ["Ann", "Bob", "Cleo"]
    yield Span(5, 11), three, ["Ann", "Bob", "Cleo"]
    for _ in range(30):
        turns, end = [], 0
        for _ in range(rng.randrange(1, 7)):
            turns.append(Span(end, end + rng.randrange(3, 9)))
            end = turns[-1].end + 1
        start = rng.randrange(end - 1)
        yield Span(start, rng.randrange(start + 1, end)), turns, [rng.choice(("Ann", "Bob", "Zoe")) for _ in turns]


def _sorted(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    touched = {
        name for turn, name in zip(turns, names, strict=True) if turn.start < chunk.end and turn.end > chunk.start
    }
    return sorted(touched)


def _whole_turns(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    inside = [
        name for turn, name in zip(turns, names, strict=True) if chunk.start <= turn.start and turn.end <= chunk.end
    ]
    return list(dict.fromkeys(inside))


def _touching(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    near = [
        name for turn, name in zip(turns, names, strict=True) if turn.start <= chunk.end and turn.end >= chunk.start
    ]
    return list(dict.fromkeys(near))


def _repeated(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    return [name for turn, name in zip(turns, names, strict=True) if turn.start < chunk.end and turn.end > chunk.start]


SPEAKERS = Exercise(
    id="08.1",
    title="Who speaks in a chunk",
    solution=speakers_of,
    oracle=_by_character,
    cases=_cases,
    hints=(
        "Two half-open spans share a character when each starts before the other one ends.",
        "`list(dict.fromkeys(names))` keeps the first of each name, in order. A set has no order to rely on.",
    ),
    mistakes=(
        Mistake(
            _sorted,
            "Alphabetical order, or that of a set, says nothing: the one who asks should come before the one who "
            "answers. Keep the order of the turns.",
        ),
        Mistake(
            _whole_turns,
            "Only turns that lie wholly inside count here, so a piece of a monologue has no speaker at all. One shared "
            "character is enough.",
        ),
        Mistake(
            _touching,
            "A turn that only touches the chunk's edge shares no character with it: in half-open spans `end` is the "
            "first position outside.",
        ),
        Mistake(_repeated, "A speaker with several turns is listed several times. Keep the first of each."),
    ),
)
