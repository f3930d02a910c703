"""Which card comes next: at random, in turn, by weak topics, or what is due.

Lesson 26 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Literal, get_args

from hierrag_lessons import checks
from hierrag_lessons.interview.items import CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.scheduling import Attempt, Memory, after_review

Drawing = Literal["random", "in turn", "weak topics", "due", "due, weak topics", "due, half new"]
"""How to choose. ``"random"``: any card. ``"in turn"``: the one that was asked longest ago. ``"weak topics"``: a topic
by lot, weak ones more often, in turn within it. ``"due"``: what SM-2 says is due, longest first; then new ones in turn;
then what is due next. ``"due, weak topics"``: the same, with weak topics first among the new ones.
``"due, half new"``: the same, and every second card is a new one, as long as there are any."""

_PRIOR = 2.0
"""Cards that a topic begins with, half of them right: one bad answer makes no weak topic."""


class Deck:
    """Cards and what is known of them, kept up to date answer by answer.

    >>> from hierrag_lessons import InterviewQuestion, RubricPoint
    >>> rubric = (RubricPoint("says why"),)
    >>> ask = InterviewQuestion("q", "junior", "search", "What is BM25?", rubric, "It counts words.")
    >>> deck = Deck([ask])
    >>> deck.weakness()["search"], deck.add(Attempt("q", 10, 0.1)), round(deck.weakness()["search"], 2)
    (0.5, None, 0.63)
    >>> deck.memory["q"].due
    11

    Attributes
    ----------
    cards:
        What may be asked, in its order.
    memory:
        What SM-2 knows of each card that was answered, by its id.
    last:
        The share of the rubric at its last answer, by its id, the card that was answered longest ago first.
    answers:
        How many answers there were.

    Raises ``ValueError`` where it is made with no cards, or something else than cards.
    """

    def __init__(self, items: Iterable[InterviewItem], attempts: Iterable[Attempt] = ()) -> None:
        self.cards: list[InterviewItem] = checks.each("items", items, object)
        for card in self.cards:
            checks.instance("items", card, InterviewQuestion | DesignCase | CodeReview)
        if not self.cards:
            raise ValueError("items is []; give at least one question, or ask for another topic or level")
        self.memory: dict[str, Memory] = {}
        self.last: dict[str, float] = {}
        self.answers = 0
        for attempt in checks.each("attempts", attempts, Attempt):
            self.add(attempt)

    def add(self, attempt: Attempt) -> None:
        """Note an answer; those to cards that are not in the deck are counted, but change nothing else."""
        checks.instance("attempt", attempt, Attempt)
        before = self.memory.get(attempt.item_id, Memory())
        self.memory[attempt.item_id] = after_review(before, attempt.share, attempt.day)
        self.last.pop(attempt.item_id, None)  # a dictionary keeps the order in which its keys came
        self.last[attempt.item_id] = attempt.share
        self.answers += 1

    def weakness(self) -> dict[str, float]:
        """How weak each topic is, from 0 to 1: the mean share of the rubric that its cards lacked at their last answer.

        What was wrong last week and is right today is no weakness. Two imagined cards, one right and one wrong, are in
        every mean, so a topic with a single answer is not at an end of the scale.
        """
        lacking: dict[str, list[float]] = {}
        for card in self.cards:
            shares = lacking.setdefault(card.topic, [])
            if card.id in self.last:
                shares.append(1 - self.last[card.id])
        return {topic: (_PRIOR / 2 + sum(own)) / (_PRIOR + len(own)) for topic, own in lacking.items()}

    def longest_ago(self, cards: Iterable[InterviewItem]) -> InterviewItem:
        """Of some cards the first that was never answered, or the one whose last answer is longest ago."""
        place = {item_id: number for number, item_id in enumerate(self.last)}
        return min(cards, key=lambda card: place.get(card.id, -1))

    def lots(self, seed: int = 0) -> Random:
        """Random numbers for the next draw: the same for the same seed and number of answers."""
        checks.whole("seed", seed, 0)
        return Random(f"{seed} {self.answers}")


Rule = Callable[[Deck, int, int], InterviewItem]
"""From a deck, the day and a seed to the card that comes next."""


def choose(
    items: Iterable[InterviewItem],
    attempts: Iterable[Attempt],
    day: int,
    drawing: Drawing = "due, half new",
    seed: int = 0,
) -> InterviewItem:
    """The card that comes next. The same cards, attempts, day and seed give the same card.

    >>> from hierrag_lessons import InterviewQuestion, RubricPoint
    >>> points = (RubricPoint("says why"),)
    >>> cards = [InterviewQuestion(own, "junior", "search", "Why?", points, "So.") for own in "ab"]
    >>> choose(cards, [Attempt("a", 1, 0.0)], day=1).id, choose(cards, [Attempt("a", 1, 0.0)], day=2).id
    ('b', 'a')

    Parameters
    ----------
    items:
        What may be asked.
    attempts:
        What was answered so far, in its order.
    day:
        Today, in the count of the attempts.
    drawing:
        How to choose; see :data:`Drawing`.
    seed:
        For ``"random"`` and ``"weak topics"``, which draw lots.

    Raises ``ValueError`` where there is nothing to ask, or for a value of another type.
    """
    deck = Deck(items, attempts)
    checks.whole("day", day, 0)
    checks.one_of("drawing", drawing, Drawing)
    checks.whole("seed", seed, 0)
    return RULES[drawing](deck, day, seed)


def _random(deck: Deck, day: int, seed: int) -> InterviewItem:
    return deck.lots(seed).choice(deck.cards)


def _in_turn(deck: Deck, day: int, seed: int) -> InterviewItem:
    return deck.longest_ago(deck.cards)


def _weak_topics(deck: Deck, day: int, seed: int) -> InterviewItem:
    weak = deck.weakness()
    # Squared: a topic that lacks twice as much comes four times as often.
    topic = deck.lots(seed).choices(list(weak), [value**2 for value in weak.values()])[0]
    return deck.longest_ago(card for card in deck.cards if card.topic == topic)


def _due(deck: Deck, day: int, seed: int) -> InterviewItem:
    return _due_or_new(deck, day, weak_first=False)


def _due_weak_topics(deck: Deck, day: int, seed: int) -> InterviewItem:
    return _due_or_new(deck, day, weak_first=True)


def _due_half_new(deck: Deck, day: int, seed: int) -> InterviewItem:
    return _due_or_new(deck, day, weak_first=True, new_now=deck.answers % 2 == 0)


def _due_or_new(deck: Deck, day: int, weak_first: bool, new_now: bool = False) -> InterviewItem:
    new = [card for card in deck.cards if card.id not in deck.memory]
    seen = [card for card in deck.cards if card.id in deck.memory]
    first = min(seen, key=lambda card: deck.memory[card.id].due, default=None)
    if first is not None and ((deck.memory[first.id].due <= day and not new_now) or not new):
        return first
    if not weak_first:
        return new[0]
    weak = deck.weakness()
    return min(new, key=lambda card: -weak[card.topic])


RULES: Mapping[Drawing, Rule] = dict(
    zip(get_args(Drawing), (_random, _in_turn, _weak_topics, _due, _due_weak_topics, _due_half_new), strict=True)
)
"""The rule behind each name of :data:`Drawing`."""
