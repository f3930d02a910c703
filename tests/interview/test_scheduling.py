import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.interview import Attempt, Kept, Memory, after_review, kept_overnight, memories
from hierrag_lessons.interview.scheduling import KNOWN, LOWEST_EASE

SHARES = st.floats(0, 1)


def test_the_first_intervals_are_one_and_six_days_then_times_the_ease():
    card, intervals = Memory(), []
    for _ in range(5):
        card = after_review(card, 0.8, card.due)  # grade 4 leaves the ease as it is
        intervals.append(card.interval)
    assert intervals == [1, 6, 15, 38, 95]
    assert card.ease == pytest.approx(2.5)


@pytest.mark.parametrize(("share", "change"), [(1.0, 0.1), (0.8, 0.0), (0.6, -0.14)])
def test_the_ease_changes_as_published(share, change):
    assert after_review(Memory(), share, 0).ease - 2.5 == pytest.approx(change)


def test_a_failure_begins_again_and_keeps_the_ease():
    card = after_review(after_review(Memory(), 1.0, 0), 1.0, 1)
    failed = after_review(card, KNOWN - 0.01, 7)
    assert failed == Memory(8, 1, card.ease, 0)
    assert after_review(failed, 1.0, 8).interval == 1


def test_late_answers_count_from_the_day_they_are_given():
    assert after_review(Memory(due=3), 1.0, 50).due == 51


@given(st.lists(st.tuples(SHARES, st.integers(0, 5)), max_size=30))
def test_what_is_promised_holds_after_any_answers(answers):
    card, day = Memory(), 0
    for share, late in answers:
        day = card.due + late
        before, card = card, after_review(card, share, day)
        assert card.due > day
        assert card.ease >= LOWEST_EASE
        assert card.interval == card.due - day
        if share >= KNOWN and before.streak:
            assert card.interval >= before.interval


@given(SHARES, SHARES)
def test_a_better_answer_never_comes_sooner(one, other):
    card = Memory(10, 6, 2.5, 2)
    low, high = sorted((one, other))
    assert after_review(card, low, 10).due <= after_review(card, high, 10).due


def test_fractions_are_rounded_up():
    assert after_review(Memory(0, 10, 2.36, 2), 0.8, 0).interval == 24
    assert after_review(Memory(0, 10, 2.5, 2), 1.0, 0).interval == 26, "and the noise of floats is none"


def test_the_interval_of_a_count():
    assert [round(end, 2) for end in kept_overnight([]).interval] == [0, 1]
    low, high = Kept(0, 20).interval
    assert low == 0
    assert 0.1 < high < 0.2
    assert Kept(20, 20).interval.low == pytest.approx(1 - high)


def test_memories_are_the_answers_one_after_the_other():
    attempts = [Attempt("a", 1, 1.0), Attempt("b", 1, 0.0), Attempt("a", 2, 1.0)]
    assert {name: card.due for name, card in memories(attempts).items()} == {"a": 8, "b": 2}


@pytest.mark.parametrize(
    ("answers", "counted"),
    [
        ([], (0, 0)),
        ([("a", 1, 0.0), ("a", 2, 1.0)], (1, 1)),
        ([("a", 1, 0.0), ("a", 1, 1.0), ("a", 2, 0.0)], (0, 1)),
        ([("a", 1, 1.0), ("a", 2, 0.0)], (0, 0)),  # known at first
        ([("a", 1, 0.0), ("a", 3, 1.0)], (0, 0)),  # two days
        ([("a", 1, 0.0), ("a", 2, 0.0), ("a", 3, 1.0)], (0, 1)),
        ([("a", 1, 0.0), ("b", 1, 0.0), ("b", 2, 0.6), ("a", 2, 0.5)], (1, 2)),
    ],
)
def test_what_is_kept_overnight(answers, counted):
    assert kept_overnight([Attempt(*answer) for answer in answers]) == counted
