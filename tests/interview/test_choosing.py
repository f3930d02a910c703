from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.interview import Attempt, Deck, RuleName, choose
from tests.interview.asked import ask, deck

CARDS = deck()
IDS = [card.id for card in CARDS]
ATTEMPTS = st.lists(
    st.builds(Attempt, st.sampled_from([*IDS, "of another deck"]), st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0])),
    max_size=40,
)


@given(ATTEMPTS, st.integers(0, 20), st.sampled_from(get_args(RuleName)), st.integers(0, 3))
def test_every_way_gives_a_card_of_the_deck_and_the_same_one_again(attempts, day, rule, seed):
    card = choose(CARDS, attempts, day, rule, seed)
    assert card in CARDS
    assert card is choose(CARDS, attempts, day, rule, seed)


@pytest.mark.parametrize("rule", ["in turn", "due", "due, weak topics", "due, half new"])
def test_all_cards_come_once_before_one_comes_again(rule):
    attempts = []
    for _ in CARDS:
        card = choose(CARDS, attempts, 1, rule)
        attempts.append(Attempt(card.id, 1, 1.0))
    assert sorted(attempt.item_id for attempt in attempts) == sorted(IDS)


def test_in_turn_the_one_that_was_asked_longest_ago():
    attempts = [Attempt(own, 1, 1.0) for own in [*IDS[1:], IDS[0], IDS[1]]]
    assert choose(CARDS, attempts, 1, "in turn").id == IDS[2]


def test_weak_topics_come_more_often():
    attempts = [Attempt(card.id, 1, 0.0 if card.topic == "topic 2" else 1.0) for card in CARDS]
    drawn = Counter(choose(CARDS, attempts, 1, "weak topics", seed).topic for seed in range(200))
    assert drawn["topic 2"] > 150
    assert len(drawn) > 1, "a strong topic must not be gone for good"


def test_what_is_due_comes_before_what_is_new_failed_first_and_freshest_first():
    attempts = [Attempt(IDS[2], 2, 1.0), Attempt(IDS[3], 1, 0.0), Attempt(IDS[4], 2, 0.0)]
    assert [choose(CARDS, attempts, day, "due").id for day in (1, 2, 3, 9)] == [IDS[0], IDS[3], IDS[4], IDS[4]]
    mended = [*attempts, Attempt(IDS[4], 3, 1.0), Attempt(IDS[3], 3, 1.0)]
    assert choose(CARDS, mended, 3, "due").id == IDS[2], "known cards come after those that failed"


@pytest.mark.parametrize("rule", ["due, weak topics", "due, half new"])
def test_new_cards_are_of_a_topic_by_lot_and_weak_topics_come_more_often(rule):
    attempts = [Attempt(card.id, 1, float(card.topic != "topic 3")) for card in CARDS if not card.id.endswith("5")]
    drawn = Counter(choose(CARDS, attempts, 1, rule, seed).id for seed in range(200))
    assert drawn["topic 3-5"] > 150
    assert len(drawn) > 1
    assert choose(CARDS, [Attempt("topic 3-0", 1, 0.0)], 1, "due").id == "topic 0-0"


def test_what_was_new_yesterday_comes_today_also_for_those_who_fail_all():
    attempts, again = [], []
    for day in range(1, 9):
        new = {attempt.item_id for attempt in attempts if attempt.day == day - 1}
        new -= {attempt.item_id for attempt in attempts if attempt.day < day - 1}
        for _ in range(10):
            attempts.append(Attempt(choose(deck(11, 15), attempts, day).id, day, 0.0))
        again.append(len(new & {attempt.item_id for attempt in attempts if attempt.day == day}))
    assert again == [0] + [5] * 7


def test_the_first_evening_has_several_topics():
    """Also for somebody who knows nothing: cards topic by topic, as they stand in their files, would show one."""
    attempts = []
    for _ in range(10):
        attempts.append(Attempt(choose(deck(11, 15), attempts, 1).id, 1, 0.0))
    assert len({attempt.item_id.split("-")[0] for attempt in attempts}) >= 5


def test_every_second_card_is_new_while_there_are_any():
    attempts = [Attempt(own, 1, 0.0) for own in IDS[:4]]
    drawn = []
    for _ in range(6):
        drawn.append(choose(CARDS, attempts, 2, "due, half new").id)
        attempts.append(Attempt(drawn[-1], 2, 1.0))
    assert [own in IDS[:4] for own in drawn] == [False, True] * 3
    assert choose(CARDS[:1], [Attempt(IDS[0], 1, 0.0)] * 2, 2, "due, half new").id == IDS[0]


def test_where_nothing_is_due_or_new_the_next_one_due_comes():
    cards = [ask("a"), ask("b")]
    assert choose(cards, [Attempt("a", 1, 1.0), Attempt("a", 2, 1.0), Attempt("b", 2, 1.0)], 2, "due").id == "b"


def test_only_the_last_answer_to_a_card_counts_for_its_topic():
    mended = Deck([ask("a")], [Attempt("a", 1, 0.0), Attempt("a", 2, 1.0)])
    assert mended.weakness() == Deck([ask("a")], [Attempt("a", 2, 1.0)]).weakness()


@given(ATTEMPTS)
def test_weakness_is_a_share_and_knows_every_topic(attempts):
    weak = Deck(CARDS, attempts).weakness()
    assert sorted(weak) == sorted({card.topic for card in CARDS})
    assert all(0 < value < 1 for value in weak.values())


def test_no_cards_are_refused():
    with pytest.raises(ValueError, match=r"items is \[\]; give"):
        choose([], [], 1)
