"""Exercise 05.2, the bugs of a Chinese sentence splitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def chinese_sentences(text: str) -> list[str]:
    """Sentences of a Chinese text; joined, they are the text again."""
    return re.findall(r"[^。！？]*[。！？]+[”’」』）]*|[^。！？]+", text)


def _copied(text: str) -> list[str]:
    """The code that is handed out."""
    parts = re.split(r"([。！？])", text)
    return [body + stop for body, stop in zip(parts[0::2], parts[1::2], strict=False)]


def _character_by_character(text: str) -> list[str]:
    """Oracle: a small machine that reads one character at a time."""
    sentences, current, state = [], "", "body"
    for mark in text:
        is_stop, is_closing = mark in "。！？", mark in "”’」』）"
        goes_on = (
            state == "body" or (state == "stops" and (is_stop or is_closing)) or (state == "closing" and is_closing)
        )
        if not goes_on:
            sentences.append(current)
            current, state = "", "body"
        if is_stop:
            state = "stops"
        elif is_closing and state != "body":
            state = "closing"
        current += mark
    return [*sentences, current] if current else sentences


def _cases(rng: Random) -> Iterator[tuple[str]]:
    yield ("",)
    yield ("好。",)
    yield ("他走了。她来了。",)
    yield ("没有句号",)
    yield ("他说：“好。”走了",)
    yield ("真的？！不会",)
    yield ("（她说：“走吧！”）完。",)
    yield ("好。”。",)
    yield ("“好”，他说。",)
    marks = ["好", "他说", "。", "！", "？", "”", "」", "）", "“", "，"]
    for _ in range(40):
        yield ("".join(rng.choice(marks) for _ in range(rng.randrange(1, 10))),)


def _still_loses_the_end(text: str) -> list[str]:
    return re.findall(r"[^。！？]*[。！？]+[”’」』）]*", text)


def _one_stop(text: str) -> list[str]:
    return re.findall(r"[^。！？]*[。！？][”’」』）]*|[^。！？]+", text)


def _one_mark(text: str) -> list[str]:
    return re.findall(r"[^。！？]*[。！？]+[”’」』）]?|[^。！？]+", text)


def _no_closing(text: str) -> list[str]:
    return re.findall(r"[^。！？]*[。！？]+|[^。！？]+", text)


def _empty_pieces(text: str) -> list[str]:
    parts = re.split(r"([。！？]+[”’」』）]*)", text)
    return [body + stop for body, stop in zip(parts[0::2], [*parts[1::2], ""], strict=True)]


def _greedy(text: str) -> list[str]:
    return re.findall(r"[^。！？]*[。！？”’」』）]+|[^。！？]+", text)


def _behind_each_stop(text: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=[。！？])", text) if piece]


def _closing_apart(text: str) -> list[str]:
    return re.findall(r"(?<=[。！？])[”’」』）]+|[^。！？]*[。！？]+|[^。！？]+", text)


def _second_stop_taken(text: str) -> list[str]:
    return re.findall(r"[^。！？]*(?:[。！？]+[”’」』）]*)+|[^。！？]+", text)


SPLITTING = Exercise(
    id="05.2",
    title="Find the bugs: a Chinese sentence splitter",
    solution=chinese_sentences,
    oracle=_character_by_character,
    cases=_cases,
    start=_copied,
    hints=(
        'What becomes of the text behind the last stop? Join what comes out: "".join(chinese_sentences(text)) == text.',
        "A sentence is: characters that are no stops, then one or more stops, then any number of closing marks.",
        "re.findall takes a pattern of two alternatives: such a sentence, or a rest without a stop.",
    ),
    mistakes=(
        Mistake(_still_loses_the_end, "What stands behind the last stop is lost. A text may end without one."),
        Mistake(_one_stop, "？！ is one end, not two: take the whole run of stops."),
        Mistake(_one_mark, "”） can both follow one stop: take all the closing marks, not only the first."),
        Mistake(_no_closing, "A closing mark behind the stop belongs to the sentence that it closes."),
        Mistake(_empty_pieces, "The cuts are right. But re.split leaves an empty piece behind the last one: drop it."),
        Mistake(
            _behind_each_stop,
            "A lookbehind cuts right behind each single stop: ？！ comes apart, and the closing marks open the next "
            "sentence.",
        ),
        Mistake(_closing_apart, "The closing marks are a piece of their own. They belong to the sentence before them."),
        Mistake(
            _second_stop_taken,
            "A stop behind the closing marks is taken along. The sentence has ended there: what follows is the next.",
        ),
        Mistake(
            _greedy,
            "Stops and closing marks are mixed into one run, so a closing mark without a stop ends a sentence, and a "
            "stop behind the closing mark is swallowed.",
        ),
    ),
)
