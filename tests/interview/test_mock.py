from dataclasses import replace

import pytest

from hierrag_lessons.interview import Attempt, MockInterview, MockSlot, mark, plan_mock
from tests.interview.asked import ask, case, deck, review

QUESTIONS = deck(8)
GIVEN = (QUESTIONS, [review()], [case()])


@pytest.mark.parametrize(("minutes", "spent", "last"), [(30, 25, "r"), (45, 40, "c")])
@pytest.mark.parametrize("level", ["junior", "senior", "staff"])
def test_the_minutes_and_levels_are_kept(minutes, spent, last, level):
    for seed in range(20):
        slots = plan_mock(*GIVEN, minutes, level, seed=seed)
        questions = [slot.item for slot in slots[:6]]
        assert sum(slot.minutes for slot in slots) == spent
        assert slots[-1].item.id == last
        assert sum(question.level == level for question in questions) == 4
        assert len({question.topic for question in questions}) == 6, "six topics"
        assert slots == plan_mock(*GIVEN, minutes, level, seed=seed)


def test_weak_topics_are_asked_more_often():
    attempts = [Attempt(question.id, 1, float(question.topic != "topic 7")) for question in QUESTIONS]
    asked = [plan_mock(*GIVEN, attempts=attempts, seed=seed)[0].item.topic for seed in range(100)]
    assert asked.count("topic 7") > 25


def test_review_and_case_are_not_far_from_the_level():
    reviews = [replace(review(level), level=level) for level in ("junior", "senior", "staff")]
    cases = [replace(case(level), level=level) for level in ("senior", "staff")]
    for level, never in (("junior", "staff"), ("staff", "junior")):
        plans = [plan_mock(QUESTIONS, reviews, cases, 45, level, seed=seed)[6:] for seed in range(30)]
        assert len({slot.item.level for plan in plans for slot in plan}) == 2
        assert never not in {slot.item.level for plan in plans for slot in plan}


def test_too_few_questions_are_refused():
    with pytest.raises(ValueError, match="questions has too few senior items of different topics; give more"):
        plan_mock(deck(2), [review()], [case()])
    with pytest.raises(ValueError, match="cases has too few"):
        plan_mock(QUESTIONS, [review()], [], 45)
    plan_mock(QUESTIONS, [review()], [], 30)


def test_the_time_is_taken():
    seconds = iter([100.0, 190.0, 300.0])
    mock = MockInterview([MockSlot(ask("a"), 3), MockSlot(ask("b"), 3)], lambda: next(seconds))
    assert mock.ask().id == "a"
    mock.grade([1, 1, 1])
    mock.ask()
    mock.grade(mark(ask("b"), [0, 0, 0]), seconds=240)
    assert [tuple(row)[2:] for row in mock.report().rows] == [("1.5", 3, "100%"), ("4.0", 3, "0%")]
    assert mock.left == ()
    for late in (mock.ask, mock.answer, lambda: mock.grade([1, 1, 1])):
        with pytest.raises(ValueError, match=r"the interview is over; use report"):
            late()


def test_what_is_asked_shows_no_answer_and_looking_ends_the_time():
    seconds = iter([0.0, 90.0])
    mock = MockInterview([MockSlot(ask("a", answer="Hidden."), 3)], lambda: next(seconds))
    shown = repr(mock.ask())
    assert "Why a?" in shown
    assert not {"Hidden", "tokens"} & set(shown.replace(".", " ").split())
    assert "Hidden." in mock.answer()
    assert "Hidden." in mock.answer(), "to look twice takes no second time"
    mock.grade([1, 1, 1])
    assert mock.report().rows[0][2] == "1.5"


def test_marks_that_do_not_fit_leave_the_question_open():
    mock = MockInterview([MockSlot(ask("a"), 3)])
    mock.ask()
    with pytest.raises(ValueError, match="3 points"):
        mock.grade([1])
    assert len(mock.left) == 1
