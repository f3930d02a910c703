"""Exercise 21.1, the number that is the beginning of another."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def named(number: int, headings: list[str]) -> list[str]:
    """The headings of the Article with this number: those that begin with "Article", a space and just this number."""
    label = f"Article {number}"
    return [h for h in headings if h.startswith(label) and not h[len(label) : len(label) + 1].isalnum()]


def contained(number: int, headings: list[str]) -> list[str]:
    """The headings of the Article with this number: those that begin with "Article", a space and just this number."""
    return [h for h in headings if f"Article {number}" in h]


def _by_words(number: int, headings: list[str]) -> list[str]:
    """Oracle: letter by letter, the first word, a space, and all letters and digits that follow it."""
    found = []
    for heading in headings:
        word, space, rest = heading.partition(" ")
        read = ""
        for sign in rest:
            if not sign.isalnum():
                break
            read += sign
        if word == "Article" and space and read == str(number):
            found.append(heading)
    return found


_TITLES = (" — Scope", ", as amended", "", ". Fees", " — Relation to Article 1", "a — Waivers", "(2)")


def _cases(rng: Random) -> Iterator[tuple[int, list[str]]]:
    yield 1, []
    yield 1, ["Article 1 — Scope", "Article 10 — Fees", "Article 11 — Time"]
    yield 4, ["Article 4a — Waivers", "Article 4 — Fees"]
    yield 2, ["Article 3 — Exceptions from Article 2", "Article 2"]
    yield 7, ["Article 7: Duties", "Article 7. Duties", "Articles 7 and 8"]
    yield 3, ["Chapter 3", "Title 3 — Article", "article 3"]
    yield 12, ["Article 1", "Article 2", "Article 12 — Officer", "Article 112"]
    for _ in range(30):
        headings = [f"Article {rng.randrange(1, 130)}{rng.choice(_TITLES)}" for _ in range(rng.randrange(9))]
        yield rng.randrange(1, 14), headings


def _begins(number: int, headings: list[str]) -> list[str]:
    return [h for h in headings if h.startswith(f"Article {number}")]


def _with_a_space(number: int, headings: list[str]) -> list[str]:
    return [h for h in headings if h.startswith(f"Article {number} ")]


def _not_a_digit(number: int, headings: list[str]) -> list[str]:
    label = f"Article {number}"
    return [h for h in headings if h.startswith(label) and not h[len(label) : len(label) + 1].isdigit()]


def _anywhere(number: int, headings: list[str]) -> list[str]:
    label = f"Article {number}"
    ends = ((h, h.find(label) + len(label)) for h in headings if label in h)
    return [h for h, end in ends if not h[end : end + 1].isalnum()]


HEADINGS = Exercise(
    id="21.1",
    title="Find the bug: the wrong Article",
    solution=named,
    start=contained,
    oracle=_by_words,
    cases=_cases,
    hints=(
        "Ask for Article 1 of a law that has twelve. How many headings come back?",
        "Look at the sign behind the number: another digit, or a letter as in 4a, makes it another Article.",
        "A heading can end right behind its number, and it can speak of another Article.",
    ),
    mistakes=(
        Mistake(_begins, "Article 1 is the beginning of Article 12. Look at what follows the number."),
        Mistake(
            _with_a_space, 'A heading can go on with a comma or a full stop, or end: "Article 7", "Article 7. Duties".'
        ),
        Mistake(_not_a_digit, "Article 4a is another Article than 4. A letter behind the number counts, too."),
        Mistake(_anywhere, "A heading that speaks of another Article is not that Article. Look at its beginning."),
    ),
)
