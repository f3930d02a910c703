"""The timetables: the clock adds up, and what they tell a teacher to skip or to show is there."""

import re

import pytest

from tools import workshop
from tools.notebooks import NOTEBOOKS, lessons
from tools.workshop import HALF_DAY, ONE_DAY, PLANS, TWO_DAYS, Step, timetable

LONGEST = {"half_day": 4.5 * 60, "one_day": 8 * 60, "two_days": 16 * 60}


def minutes_of(steps) -> int:
    taught = {lesson.number: lesson for lesson in lessons()}
    return sum(workshop._step(step, taught)[1] for step in steps)


@pytest.mark.parametrize("name", PLANS)
def test_a_day_is_no_longer_than_a_day(name):
    assert 0.75 * LONGEST[name] <= minutes_of(PLANS[name][0]) <= LONGEST[name]


def test_the_clock_adds_up():
    steps = [Step("Welcome", 10), Step("Break", 55, "tea"), Step("Questions", 15, workshop.NEW_DAY), Step("Talk", 5)]
    table = timetable(steps, "9:00", lessons())
    times = re.findall(r"^\| (\S*) \|", table, re.MULTILINE)
    assert times[2:] == ["9:00", "9:10", "10:05", "", "9:00", "9:05"]


@pytest.mark.parametrize(
    ("step", "said"), [("99", "no lesson 99"), ("14.9", "lesson 14 has none"), ("x9.1", "no lesson x9")]
)
def test_a_lesson_that_is_not_there_is_an_error(step, said):
    with pytest.raises(ValueError, match=said):
        timetable([Step(step)], "9:00", lessons())


@pytest.mark.parametrize("steps", [HALF_DAY, ONE_DAY, TWO_DAYS])
def test_nobody_sits_for_two_hours_without_a_break(steps):
    taught = {lesson.number: lesson for lesson in lessons()}
    sitting = 0
    for step in steps:
        rests = step.what in ("Break", "Lunch") or step.about == workshop.NEW_DAY
        sitting = 0 if rests else sitting + workshop._step(step, taught)[1]
        assert sitting <= 135, step


def test_sections_that_are_named_are_in_their_lesson():
    """In the timetables and on the page: a name in italics is a heading of the lesson in front of it."""
    page = (NOTEBOOKS / "WORKSHOP.md").read_text(encoding="utf-8")
    headings = {
        lesson.number: set(re.findall(r"^# ###? (.+)$", lesson.source.read_text(encoding="utf-8"), re.MULTILINE))
        for lesson in lessons()
    }
    named = [
        (step.what[:2], name)
        for steps, _ in PLANS.values()
        for step in steps
        for name in re.findall(r"\*([^*]+)\*", step.about)
    ]
    named += re.findall(r"^\| (\d\d), \*([^*]+)\*", page, re.MULTILINE)
    assert len(named) > 8
    assert [each for each in named if each[1] not in headings[each[0]]] == []
    late = re.findall(r"\*([A-Z][^*]+)\*", page.split("## If you run late")[1].split("## Checkpoints")[0])
    everywhere = set().union(*headings.values())
    assert [name for name in late if name not in everywhere and name != "Find the bug"] == []
