"""Answers to the exercises of lesson 05 as learners write them, right and wrong."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from hierrag_lessons.exercises import check
from tests.exercises.reading import said


def stop_by_pattern(text, stop, abbreviations, pattern=r"(?:^|(?<=\s))[(\"']*(\S*)\Z"):
    if text[stop + 1 : stop + 2].strip():
        return False
    word = re.search(pattern, text[:stop])[1].lower()
    return word not in abbreviations and not re.fullmatch(r"[^\W\d_]", word)


def quotes_left_on(text, stop, abbreviations):
    return stop_by_pattern(text, stop, abbreviations, r"(?:^|(?<=\s))(\S*)\Z")


def quotes_off_both_sides(text, stop, abbreviations):
    return stop_by_pattern(text, stop, abbreviations, r"(?:^|(?<=\s))[(\"']*(\S*?)[)\"']*\Z")


def mostly_stopped(text, least, share, clean=lambda word: re.sub(r"\.\Z", "", word)):
    stopped, seen = Counter(), Counter()
    for word in text.lower().split():
        word = re.sub(r"\A[(\"']+|[,;:)\"']+\Z", "", word)
        if name := clean(word):
            seen[name] += 1
            stopped[name] += word.endswith(".")
    return {name for name in seen if stopped[name] >= least and stopped[name] >= share * seen[name]}


def every_stop_taken(text, least, share):
    return mostly_stopped(text, least, share, lambda word: word.rstrip("."))


def behind_each_stop(text):
    return [*filter(None, re.split("(?<=。)|(?<=！)|(?<=？)", text))]


def pieces_between(text, end):
    places = [0, *(match.end() for match in re.finditer(end, text)), len(text)]
    return [text[a:b] for a, b in pairwise(places) if a < b]


def closing_marks_apart(text):
    return pieces_between(text, r"[。！？]+|(?<=[。！？])[”’」』）]+")


def stops_on_both_sides(text):
    return pieces_between(text, r"[。！？]+(?:[”’」』）]*[。！？]+)*[”’」』）]*")


@pytest.mark.parametrize(("exercise", "answer"), [("05.1", stop_by_pattern), ("05.3", mostly_stopped)])
def test_an_unusual_right_answer_is_correct(exercise, answer):
    assert check(exercise, answer).status == "correct"


@pytest.mark.parametrize(
    ("exercise", "answer", "named"),
    [
        ("05.1", quotes_left_on, "in front of the word"),
        ("05.1", quotes_off_both_sides, "Only what is in front"),
        ("05.2", behind_each_stop, "lookbehind"),
        ("05.2", closing_marks_apart, "piece of their own"),
        ("05.2", stops_on_both_sides, "taken along"),
        ("05.3", every_stop_taken, "rstrip('.')"),
    ],
)
def test_a_wrong_answer_is_named(exercise, answer, named):
    reply = check(exercise, answer)
    assert reply.status == "incorrect"
    assert named in said(reply, "this looks like")
