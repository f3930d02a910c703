"""Which card comes next: at random, in turn, by weak topics, or what is due.

Lesson 26 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Literal, get_args

from hierrag_lessons import checks
from hierrag_lessons.interview.items import CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.scheduling import KNOWN, Attempt, Memory, after_review

RuleName = Literal["random", "in turn", "weak topics", "due", "due, weak topics", "due, half new"]
"""How to choose. ``"random"``: any card. ``"in turn"``: the one that was asked longest ago. ``"weak topics"``: a topic
by lot, weak ones more often, in turn within it. ``"due"``: what SM-2 says is due, what was failed last first, and of
either what became due last, and was new last; then new ones in turn; then what is due next. ``"due, weak topics"``:
the same, but a new one is of a topic by lot, weak ones more often. ``"due, half new"``: the same, and every second card
is a new one, as long as there are any."""

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
    rule: RuleName = "due, half new",
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
    rule:
        How to choose; see :data:`RuleName`.
    seed:
        For those that draw lots: all but ``"in turn"`` and ``"due"``.

    Raises ``ValueError`` where there is nothing to ask, or for a value of another type.
    """
    deck = Deck(items, attempts)
    checks.whole("day", day, 0)
    checks.one_of("rule", rule, RuleName)
    checks.whole("seed", seed, 0)
    return CARD_RULES[rule](deck, day, seed)


def _random(deck: Deck, day: int, seed: int) -> InterviewItem:
    return deck.lots(seed).choice(deck.cards)


def _in_turn(deck: Deck, day: int, seed: int) -> InterviewItem:
    return deck.longest_ago(deck.cards)


def _weak_topics(deck: Deck, day: int, seed: int) -> InterviewItem:
    return deck.longest_ago(_of_a_weak_topic(deck, deck.cards, seed))


def _due(deck: Deck, day: int, seed: int) -> InterviewItem:
    new = _new(deck)
    return _first_due(deck, day) or (new[0] if new else _next_due(deck))


def _due_weak_topics(deck: Deck, day: int, seed: int) -> InterviewItem:
    return _first_due(deck, day) or _new_of_a_weak_topic(deck, seed) or _next_due(deck)


def _due_half_new(deck: Deck, day: int, seed: int) -> InterviewItem:
    new, due = _new_of_a_weak_topic(deck, seed), _first_due(deck, day)
    return (new or due or _next_due(deck)) if deck.answers % 2 == 0 else (due or new or _next_due(deck))


def _new(deck: Deck) -> list[InterviewItem]:
    return [card for card in deck.cards if card.id not in deck.memory]


def _first_due(deck: Deck, day: int) -> InterviewItem | None:
    """What was failed last comes before the rest, what became due today before what has waited, then what was new last.

    Where more is due than is asked, a card that was new yesterday would otherwise wait behind all that is overdue. It
    would never come on its day, and nobody would learn how much of it is kept overnight.
    """
    place = {item_id: number for number, item_id in enumerate(deck.memory)}  # keys in the order of the first answers

    def order(card: InterviewItem) -> tuple[bool, int, int]:
        return deck.last[card.id] >= KNOWN, -deck.memory[card.id].due, -place[card.id]

    due = [card for card in deck.cards if card.id in place and deck.memory[card.id].due <= day]
    return min(due, key=order, default=None)


def _next_due(deck: Deck) -> InterviewItem:
    return min(deck.cards, key=lambda card: deck.memory[card.id].due)


def _new_of_a_weak_topic(deck: Deck, seed: int) -> InterviewItem | None:
    new = _new(deck)
    return deck.lots(seed).choice(_of_a_weak_topic(deck, new, seed)) if new else None


def _of_a_weak_topic(deck: Deck, cards: list[InterviewItem], seed: int) -> list[InterviewItem]:
    """Those of one topic, which is drawn by lot."""
    topic = topic_by_lot(sorted({card.topic for card in cards}), deck.weakness(), deck.lots(seed))
    return [card for card in cards if card.topic == topic]


def shuffled(items: Sequence[InterviewItem], seed: int = 0) -> list[InterviewItem]:
    """The items in an order by lot. In their files they stand topic by topic, and the last would never come in turn."""
    order = list(items)
    Random(f"order {seed}").shuffle(order)
    return order


def topic_by_lot(topics: Sequence[str], weak: Mapping[str, float], lots: Random) -> str:
    """One of the topics; the chance grows with the square of its weakness, 0.5 where none is known."""
    return lots.choices(topics, [weak.get(topic, 0.5) ** 2 for topic in topics])[0]


CARD_RULES: Mapping[RuleName, Rule] = dict(
    zip(get_args(RuleName), (_random, _in_turn, _weak_topics, _due, _due_weak_topics, _due_half_new), strict=True)
)
"""The rule behind each name of :data:`RuleName`."""
