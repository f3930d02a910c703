from statistics import fmean
from typing import get_args

import pytest

from hierrag_lessons.interview import RuleName, rehearse
from hierrag_lessons.interview.rehearsing import ImaginedLearner
from tests.interview.asked import deck

CARDS = deck(6, 12)


def test_the_same_seed_gives_the_same_learners():
    assert rehearse(CARDS, "due", 5, 8, 4, seed=7) == rehearse(CARDS, "due", 5, 8, 4, seed=7)
    assert rehearse(CARDS, "due", 5, 8, 4, seed=7)[1:] == rehearse(CARDS, "due", 5, 8, 3, seed=8)


@pytest.mark.parametrize("rule", get_args(RuleName))
def test_practice_helps_and_nobody_knows_more_than_all(rule):
    nothing = fmean(one.known for one in rehearse(CARDS, rule, 0, 12, 8))
    assert nothing == fmean(ImaginedLearner(CARDS, seed).known(1) for seed in range(8))
    known = [one.known for one in rehearse(CARDS, rule, 10, 12, 8)]
    assert nothing + 5 < fmean(known)
    assert max(known) <= len(CARDS)


def test_what_is_due_beats_chance():
    known = {rule: fmean(one.known for one in rehearse(CARDS, rule, 14, 12, 20)) for rule in ("due", "random")}
    assert known["due"] > known["random"] + 3


def test_half_new_shows_more_cards_than_what_is_due_alone():
    seen = {rule: fmean(one.seen for one in rehearse(CARDS, rule, 7, 8, 8)) for rule in ("due", "due, half new")}
    assert seen["due, half new"] >= 7 * 4
    assert seen["due"] < seen["due, half new"]


@pytest.mark.parametrize("half_life", [0.5, 1.0, 3.0])
def test_after_a_week_the_default_has_counted_enough_to_say_how_much_is_kept(half_life):
    practised = rehearse(deck(11, 15), "due, half new", 7, 10, 12, half_life=half_life)
    assert sum(one.kept.of >= 10 for one in practised) >= 10
    assert min(one.topics for one in practised) >= 5
    assert all(0 < one.weakest < one.known / (11 * 15) for one in practised)
    assert {one.kept for one in rehearse(deck(11, 15), "due, half new", 0, 10, 2)} == {(0, 0)}


def test_a_rule_of_ones_own_is_asked():
    days = []

    def first(deck, day, seed):
        days.append(day)
        return deck.cards[0]

    rehearse(CARDS, first, 3, 2, 1)
    assert days == [1, 1, 2, 2, 3, 3]


def test_what_is_read_is_forgotten_and_asking_at_once_teaches_nothing():
    learner = ImaginedLearner(CARDS, 0)
    card = next(card for card in CARDS if not learner.knows[card.id])
    assert learner.chance(card, 1) == 0
    assert learner.answer(card, 1) == 0.2
    assert learner.chance(card, 1) == 1
    tomorrow = learner.chance(card, 2)
    assert learner.answer(card, 1) == 1.0
    assert learner.chance(card, 2) == tomorrow
    assert learner.chance(card, 9) < tomorrow < 1
