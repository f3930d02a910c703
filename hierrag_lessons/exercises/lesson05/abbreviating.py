"""Exercise 05.3, the abbreviations of one's own documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def abbreviations(text: str, least: int, share: float) -> set[str]:
    """Words, in small letters and without their stop, that are mostly written with a full stop."""
    with_stop: dict[str, int] = {}
    in_all: dict[str, int] = {}
    for word in text.split():
        bare = word.lstrip("(\"'").rstrip(",;:)\"'").lower()
        name = bare.removesuffix(".")
        if name:
            in_all[name] = in_all.get(name, 0) + 1
            with_stop[name] = with_stop.get(name, 0) + (bare != name)
    return {name for name, count in with_stop.items() if count >= least and count >= share * in_all[name]}


def _one_word_at_a_time(text: str, least: int, share: float) -> set[str]:
    """Oracle: for each word that occurs, go through all words again and count."""
    matches = [re.fullmatch(r"[(\"']*(.*?)[,;:)\"']*", word.lower()) for word in re.findall(r"\S+", text)]
    words = [match[1] for match in matches if match]
    found = set()
    for name in {word[:-1] if word.endswith(".") else word for word in words} - {""}:
        with_stop = sum(word == f"{name}." for word in words)
        without = sum(word == name and not word.endswith(".") for word in words)
        if with_stop >= least and with_stop >= share * (with_stop + without):
            found.add(name)
    return found


def _cases(rng: Random) -> Iterator[tuple[str, int, float]]:
    yield "Dr. Raman met Dr. Moss. Moss left.", 2, 0.9
    yield "It rains. It rains. The rains end.", 2, 0.9
    yield "It rains. It rains. The rains end.", 2, 0.6
    yield "See fig. 2 and Fig. 3, (fig. 4) too.", 2, 1.0
    yield "Northmere Inc. sells. Inc. is short. An inc here.", 2, 0.5
    yield "Use e.g. Modbus, or (e.g. at night) nothing.", 2, 0.9
    yield 'He said "approx." twice: approx. 3.', 2, 0.9
    yield "No stop here", 1, 0.5
    yield "Well... well... I said well", 2, 0.6
    yield "Wait.. wait. wait wait", 1, 0.3
    yield "Mr.. Moss and mr. Raman", 2, 0.9
    yield "", 1, 0.5
    yield "Mr. Moss paid.", 1, 0.9
    words = (
        "dr.",
        "Dr.",
        "no.",
        "No",
        "rain",
        "rain.",
        "Inc.",
        "(inc.",
        "end.",
        "end,",
        "e.g.",
        "fig.)",
        "rain...",
        "no..",
    )
    for _ in range(40):
        text = " ".join(rng.choice(words) for _ in range(rng.randrange(25)))
        yield text, rng.randrange(1, 4), rng.choice((0.5, 0.6, 0.8, 1.0))


def _count(
    text: str, front: str = "(\"'", back: str = ",;:)\"'", lower: bool = True
) -> tuple[Counter[str], Counter[str]]:
    stopped, total = Counter[str](), Counter[str]()
    for word in text.split():
        bare = word.lstrip(front).rstrip(back) if front else word
        bare = bare.lower() if lower else bare
        name = bare.removesuffix(".")
        if name:
            total[name] += 1
            stopped[name] += bare != name
    return stopped, total


def _often_with_a_stop(text: str, least: int, share: float) -> set[str]:
    return {name for name, count in _count(text)[0].items() if count >= least}


def _share_alone(text: str, least: int, share: float) -> set[str]:
    stopped, total = _count(text)
    return {name for name, count in stopped.items() if count and count >= share * total[name]}


def _capitals_kept(text: str, least: int, share: float) -> set[str]:
    stopped, total = _count(text, lower=False)
    return {name for name, count in stopped.items() if count >= least and count >= share * total[name]}


def _nothing_stripped(text: str, least: int, share: float) -> set[str]:
    stopped, total = _count(text, front="")
    return {name for name, count in stopped.items() if count >= least and count >= share * total[name]}


def _with_their_stop(text: str, least: int, share: float) -> set[str]:
    return {f"{name}." for name in abbreviations(text, least, share)}


def _all_stops_removed(text: str, least: int, share: float) -> set[str]:
    return {name.replace(".", "") for name in abbreviations(text, least, share)}


def _every_stop_behind(text: str, least: int, share: float) -> set[str]:
    stopped, total = Counter[str](), Counter[str]()
    for word in text.split():
        bare = word.lstrip("(\"'").rstrip(",;:)\"'").lower()
        name = bare.rstrip(".")
        if name:
            total[name] += 1
            stopped[name] += bare != name
    return {name for name, count in stopped.items() if count >= least and count >= share * total[name]}


ABBREVIATING = Exercise(
    id="05.3",
    title="The abbreviations of your own documents",
    solution=abbreviations,
    oracle=_one_word_at_a_time,
    cases=_cases,
    hints=(
        "Count two things for each word: how often it comes with a full stop, and how often at all.",
        "Clean a word first: small letters, no brackets and quotes in front, no comma or closing mark behind. Then "
        "look whether it ends with a stop.",
        "str.strip, str.rstrip and str.removesuffix do it. Keep a word if both counts fit: count >= least, and "
        "count >= share * all.",
    ),
    mistakes=(
        Mistake(
            _often_with_a_stop,
            "Every word that ends two sentences is an abbreviation now. The share is missing: an abbreviation comes "
            "with its stop nearly always.",
        ),
        Mistake(
            _share_alone,
            "A word that occurs once, at the end of a sentence, has a share of 1. Ask for `least` occurrences as well.",
        ),
        Mistake(_capitals_kept, "`Fig.` and `fig.` are one word: count in small letters."),
        Mistake(
            _nothing_stripped,
            "Brackets, quotes and commas still hang on the words, so `(e.g.` and `e.g.` are counted apart.",
        ),
        Mistake(_with_their_stop, "Return the words without their stop."),
        Mistake(
            _every_stop_behind,
            "`rstrip('.')` takes all stops, so the dots of somebody who hesitates, `well...`, count as an "
            "abbreviation. Take one: removesuffix.",
        ),
        Mistake(_all_stops_removed, "Only the last stop goes: `e.g.` is the word `e.g` with a stop."),
    ),
)
