import argparse
import io
import re

import pytest

from hierrag_lessons.__main__ import main
from hierrag_lessons.interview import Attempt, add_attempt, commands, practice, read_attempts
from hierrag_lessons.llm import Completion
from tests.interview.asked import case, deck, review


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command on some lines of input; returns its exit status and what it said."""
    monkeypatch.setenv("HIERRAG_PROGRESS", str(tmp_path / "progress.json"))
    for room, name, items in (
        (commands, "load_interview_questions", deck(8)),
        (practice, "load_interview_questions", deck(8)),
        (commands, "load_code_reviews", [review()]),
        (commands, "load_design_cases", [case()]),
    ):
        monkeypatch.setattr(room, name, lambda items=items: tuple(items))

    def run(arguments, lines="", clock=lambda: 0.0):
        parser = argparse.ArgumentParser()
        commands.COMMANDS["drill"](parser)
        said = io.StringIO()
        parsed = parser.parse_args(arguments)
        status = commands.run_drill(parsed, reader=io.StringIO(lines), writer=said, clock=clock, day=10)
        return status, said.getvalue()

    return run


def test_two_cards_are_asked_and_kept(run):
    status, said = run(["--cards", "2", "--rule", "due"], "\n1 3\n\n\n")
    assert status == 0
    first, second = (attempt.item_id for attempt in read_attempts())
    assert f"1 of 2 · {first} · " in said
    assert f"2 of 2 · {second} · " in said
    assert "A good answer\n1. same tokens (counts twice)" in said
    assert "2 cards, in the mean 38% of the rubric." in said
    assert "You have met 2 of 48 questions; by tomorrow 2 are due." in said
    assert "you then knew 0 (from 10 on that says something)." in said
    assert [(a.day, a.share) for a in read_attempts()] == [(10, 0.75), (10, 0.0)]


def test_reviews_can_be_asked_and_say_their_minutes_and_the_next_day(run):
    seconds = iter([0.0, 90.0])
    status, said = run(["--kind", "reviews", "--cards", "1"], "\n1 2 3\n", lambda: next(seconds))
    assert status == 0
    assert "A number. It counts. What is wrong?" in said
    assert "100% of the rubric, 1.5 of 7 minutes. It is due tomorrow." in said


def test_the_drill_says_how_much_is_kept_overnight(run):
    for number in range(10):
        add_attempt(Attempt(f"old {number}", 8, 0.0))
        add_attempt(Attempt(f"old {number}", 9, float(number < 4)))
    _, said = run(["--cards", "1"], "\n\n")
    assert "Of 10 cards that were new to you and came again the next day, you then knew 4, 40% (17% to 69%" in said


@pytest.mark.parametrize("wrong", ["4", "x", "0", "-1", "①", "1 1 1", "1 0 0", "2 02"])
def test_what_is_no_point_is_asked_again(run, wrong):
    status, said = run(["--cards", "1", "--topic", "topic 3"], f"\n{wrong}\n2\n")
    assert (status, "Give the numbers of the points, from 1 to 3" in said) == (0, True)
    assert read_attempts()[0].share == 0.25


@pytest.mark.parametrize("lines", ["", "q\n", "\n", "\nQUIT\n"])
def test_the_end_of_the_input_ends_the_practice(run, lines):
    status, said = run([], lines)
    assert (status, "Until next time" in said) == (0, True)
    assert read_attempts() == ()


def test_a_mock_interview_is_timed_to_the_answer_and_not_to_the_marking(run):
    ticks = iter(range(0, 100_000, 60))
    status, said = run(["--minutes", "45", "--level", "staff"], "\n1 2 3\n" * 8, lambda: float(next(ticks)))
    assert status == 0
    assert "8 to ask, 40 minutes; the other 5" in said
    assert "A helpdesk. 40,000 tickets." in said
    assert len(read_attempts()) == 8


def test_a_mock_interview_can_be_left_and_still_reports(run):
    status, said = run(["--minutes", "30"], "\n1\nq\n")
    assert status == 0
    assert said.count("50%") == 1


def test_a_mock_interview_is_another_one_on_another_day_and_may_be_left_at_once(run):
    status, said = run(["--minutes", "30"], "q\n")
    assert (status, "Nothing was marked." in said) == (0, True)
    assert (
        said == run(["--minutes", "30", "--seed", "10"], "q\n")[1] != run(["--minutes", "30", "--seed", "11"], "q\n")[1]
    )


def test_the_help_names_each_rule_in_quotes(capsys):
    with pytest.raises(SystemExit):
        main(["drill", "--help"])
    assert "'due, weak topics' or 'due, half new'" in " ".join(capsys.readouterr().out.split())


def test_who_answers_nothing_gets_another_first_card_on_another_day(run):
    _, today = run([], "q\n")
    assert today == run(["--seed", "10"], "q\n")[1]
    assert len({run(["--seed", str(day)], "q\n")[1] for day in range(10, 20)}) > 5


def test_an_export_counts_what_the_drill_counts(run, tmp_path):
    _, said = run(["--export", str(tmp_path / "cards.txt")])
    assert said.startswith("50 cards in ")
    assert ": 48 questions, 1 reviews, 1 cases. The drill asks one --kind at a time." in said


@pytest.mark.parametrize(("name", "begins"), [("cards.txt", "#separator:tab"), ("page.HTML", "<!DOCTYPE html>")])
def test_export(run, tmp_path, name, begins):
    status, said = run(["--export", str(tmp_path / name), "--topic", "topic 0"])
    assert (status, "7 cards in" in said) == (0, True)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--export", "cards.apkg"], "export is 'cards.apkg'; give a name that ends in .txt"),
        (["--topic", "chunkin"], "topic is 'chunkin'; give one of"),
        (["--cards", "0"], "cards is 0; give 1 or more"),
        (["--kind", "cases", "--level", "junior"], "level is 'junior'; none of these is of that level, give '"),
        (["--minutes", "30", "--topic", "topic 1"], "topic is 'topic 1'; give none with --minutes"),
        (["--model"], "HIERRAG_CHAT_MODEL names none"),
    ],
)
def test_what_cannot_be_served_is_said(run, monkeypatch, arguments, said):
    monkeypatch.delenv("HIERRAG_CHAT_MODEL", raising=False)
    with pytest.raises(ValueError, match=re.escape(said)):
        run(arguments, "\n\n")


def test_the_command_line_says_it_in_a_line(capsys):
    assert main(["drill", "--cards", "0"]) == 1
    assert capsys.readouterr().err == "error: cards is 0; give 1 or more\n"


def test_a_model_marks_what_was_typed(run, monkeypatch):
    class Model:
        name = "fake"

        def complete(self, system, user, schema=None):
            return Completion("", {"points": [{"number": 1, "met": True, "quote": "the same tokens"}]})

    monkeypatch.setattr(commands, "default_chat_model", Model)
    status, said = run(["--model", "--cards", "1"], "I take the same tokens.\n")
    assert (status, "50% of the rubric" in said) == (0, True)
    assert read_attempts()[0].share == 0.5
