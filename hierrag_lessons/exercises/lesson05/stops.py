"""Exercise 05.1, whether a full stop ends a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def ends_sentence(text: str, stop: int, abbreviations: set[str]) -> bool:
    """Whether the full stop at ``text[stop]`` ends a sentence."""
    before, behind = text[:stop], text[stop + 1 : stop + 2]
    word = before.split()[-1].lstrip("(\"'") if before and not before[-1].isspace() else ""
    is_initial = len(word) == 1 and word.isalpha()
    return not behind.strip() and not is_initial and word.lower() not in abbreviations


def _letter_by_letter(text: str, stop: int, abbreviations: set[str]) -> bool:
    """Oracle: walk to the right once, to the left until white space, and drop what opens before the word."""
    if stop + 1 < len(text) and not text[stop + 1].isspace():
        return False
    word, place = "", stop - 1
    while place >= 0 and not text[place].isspace():
        word = text[place] + word
        place -= 1
    while word and word[0] in "(\"'":
        word = word[1:]
    is_initial = len(word) == 1 and word.isalpha()
    return not is_initial and word.lower() not in abbreviations


def _cases(rng: Random) -> Iterator[tuple[str, int, set[str]]]:
    known = {"dr", "mr", "no", "etc", "inc"}
    for text in (
        "It rains.",
        "Dr. Raman",
        "It costs 3.5 million",
        "main.py is there. Yes",
        "ask the endr. Now",
        "J. Moss",
        "see DR. Moss",
        "He met Mr. Moss.",
        "It ends\nhere.\nNext",
        "odd . stop",
        'She said: "Dr. Raman paid."',
        '("Mr. Moss paid.)',
        "he asked ('J. Moss?')",
        'It is short for "dr". Next',
        "He wrote (no). Next",
        "They say 'etc'. Next",
    ):
        for stop, mark in enumerate(text):
            if mark == ".":
                yield (text, stop, set(known))
    words = ["dr", "Mr", '"Dr', "(no", 'inc"', "'b", "rain", "undr", "A", "7", "b", "3.5", "a.b", "No"]
    for _ in range(40):
        text = (
            "".join(rng.choice(words) + rng.choice([". ", ".", " ", ".\n"]) for _ in range(rng.randrange(1, 6))) + "."
        )
        stops = [place for place, mark in enumerate(text) if mark == "."]
        yield (text, rng.choice(stops), {word for word in known if rng.random() < 0.8})


def _word(text: str, stop: int) -> str:
    before = text[:stop]
    return before.split()[-1].lstrip("(\"'") if before.split() and not before[-1].isspace() else ""


def _any_stop(text: str, stop: int, abbreviations: set[str]) -> bool:
    word = _word(text, stop)
    return word.lower() not in abbreviations and not (len(word) == 1 and word.isalpha())


def _needs_space(text: str, stop: int, abbreviations: set[str]) -> bool:
    word = _word(text, stop)
    return (
        text[stop + 1 : stop + 2].isspace()
        and word.lower() not in abbreviations
        and not (len(word) == 1 and word.isalpha())
    )


def _as_written(text: str, stop: int, abbreviations: set[str]) -> bool:
    word = _word(text, stop)
    return (
        not text[stop + 1 : stop + 2].strip() and word not in abbreviations and not (len(word) == 1 and word.isalpha())
    )


def _ends_with(text: str, stop: int, abbreviations: set[str]) -> bool:
    word = _word(text, stop)
    is_known = any(word.lower().endswith(known) for known in abbreviations)
    return not text[stop + 1 : stop + 2].strip() and not is_known and not (len(word) == 1 and word.isalpha())


def _no_initials(text: str, stop: int, abbreviations: set[str]) -> bool:
    return not text[stop + 1 : stop + 2].strip() and _word(text, stop).lower() not in abbreviations


def _with_word(text: str, stop: int, word: str, abbreviations: set[str]) -> bool:
    is_initial = len(word) == 1 and word.isalpha()
    return not text[stop + 1 : stop + 2].strip() and not is_initial and word.lower() not in abbreviations


def _quotes_kept(text: str, stop: int, abbreviations: set[str]) -> bool:
    before = text[:stop]
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    return _with_word(text, stop, word, abbreviations)


def _stripped_on_both_sides(text: str, stop: int, abbreviations: set[str]) -> bool:
    return _with_word(text, stop, _word(text, stop).strip("()\"'"), abbreviations)


STOPS = Exercise(
    id="05.1",
    title="Is this stop an end?",
    solution=ends_sentence,
    oracle=_letter_by_letter,
    cases=_cases,
    hints=(
        "text[stop + 1 : stop + 2] is the character behind the stop, or an empty string at the end of the text.",
        "text[:stop].split() are the words before it. Which one touches the stop, if any?",
        "Take `(` and quotes off its front with lstrip, compare it in small letters, and remember that a single letter "
        "is an initial.",
    ),
    mistakes=(
        Mistake(_any_stop, "A stop inside 3.5 or main.py ends nothing: look at the character behind it."),
        Mistake(_needs_space, "The last stop of a text has no white space behind it, and it is an end."),
        Mistake(_as_written, "Mr and DR are abbreviations too: compare the word in small letters."),
        Mistake(
            _ends_with,
            "The whole word must be an abbreviation. A word that only ends like one, as endr ends with dr, is not.",
        ),
        Mistake(_no_initials, "A single letter before the stop is an initial, as in J. Moss."),
        Mistake(
            _quotes_kept,
            'A quote or bracket still hangs in front of the word, so "Dr is not found among the abbreviations. Take '
            "it off.",
        ),
        Mistake(
            _stripped_on_both_sides,
            'Only what is in front of the word goes. In "dr". the closing quote stands between the word and the stop, '
            "so the stop is not part of an abbreviation: it ends the sentence.",
        ),
    ),
)
