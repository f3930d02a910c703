"""``check``, ``hint`` and ``solution``, and the ids that they are given."""

import dataclasses
import inspect
import re
import textwrap

import pytest

from hierrag_lessons import exercises
from hierrag_lessons.exercises import catalogue, check, commands, hint, solution
from tests.example_exercise import EXAMPLE, merge_spans
from tests.exercises.reading import said, text


@pytest.fixture
def registered(monkeypatch):
    """The example as the only exercise of the course, and no hint shown yet."""
    for module in (catalogue, commands):
        monkeypatch.setattr(module, "lessons", lambda: ["98"])
        monkeypatch.setattr(module, "of_lesson", lambda number: (EXAMPLE,) if number == "98" else ())
    monkeypatch.setattr(commands, "_hints_shown", {})


@pytest.mark.parametrize("exercise_id", ["04.1", "4.1", " 04.1\n", "4.1 "])
def test_an_id_is_understood_however_it_is_written(exercise_id):
    for ask in (check, hint, solution):
        assert ask(exercise_id).title == "04.1 Windows"
    assert exercises.find(exercise_id).id == "04.1"


def windows():
    """Shares its name with the function of exercise 04.1."""


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        (4.1, "04.1"),
        (4, "04.1"),
        ("4", "04.1"),
        ("04", "04.1"),
        ("4,2", "04.2"),
        ("04-2", "04.2"),
        ("042", "04.2"),
        ("04.0", "04.1"),
        ("04.9", "04.4"),
        ("exercise 04.3", "04.3"),
        ("<b>04.3</b>", "04.3"),
        (windows, "04.1"),
    ],
)
def test_the_nearest_id_is_suggested_with_its_lesson(wrong, meant):
    for ask in (check, hint, solution):
        reply = ask(wrong)
        assert reply.status == "unknown"
        assert said(reply, "did you mean") == f'"{meant}"'
        assert re.findall(r"^ +(\d\d\.\d) ", text(reply), re.MULTILINE) == ["04.1", "04.2", "04.3", "04.4"]
        assert f'check("{meant}", ' in reply.footer
        assert "<b>" not in reply._repr_html_()


@pytest.mark.parametrize("wrong", ["", "35.1", "windows", None, [], float("nan"), lambda: None, "<b>"])
def test_where_no_id_is_near_the_lessons_are_named(wrong):
    for ask in (check, hint, solution):
        reply = ask(wrong)
        assert reply.status == "unknown"
        assert "exercises in the lessons 00 to" in text(reply)
        assert "<b>" not in reply._repr_html_()


@pytest.mark.usefixtures("registered")
def test_hints_come_one_by_one_and_say_how_many_are_left():
    replies = [text(hint("98.1")) for _ in range(4)]
    assert [next(one for one in EXAMPLE.hints if one in reply) for reply in replies] == [
        *EXAMPLE.hints,
        EXAMPLE.hints[-1],
    ]
    assert "2 more" in replies[0]
    assert "1 more" in replies[1]
    assert 'solution("98.1")' in replies[2]


@pytest.mark.usefixtures("registered")
def test_solution_shows_the_code():
    assert check("98.1", merge_spans).status == "correct"
    assert textwrap.indent(inspect.getsource(merge_spans).rstrip(), "    ") in text(solution("98.1"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "1.1"}, "'1.1'"),
        ({"id": "01.0"}, "'01.0'"),
        ({"hints": ()}, "no hints"),
        ({"mistakes": EXAMPLE.mistakes[:2]}, "2 mistakes"),
        ({"mistakes": EXAMPLE.mistakes[:1] * 3}, "share one message"),
    ],
)
def test_an_incomplete_exercise_is_refused(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        dataclasses.replace(EXAMPLE, **change)
