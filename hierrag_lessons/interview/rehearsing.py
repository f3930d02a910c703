"""A simulated learner, to compare ways of choosing cards before a person's evenings are spent on them.

Lesson 26 builds it.

This is a model, not a person. What it assumes is in :class:`ImaginedLearner`, one sentence each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random
from statistics import fmean
from typing import NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.interview.choosing import CARD_RULES, Deck, Rule, RuleName, shuffled
from hierrag_lessons.interview.items import InterviewItem
from hierrag_lessons.interview.scheduling import Attempt, Kept, kept_overnight


class ImaginedLearner:
    """Somebody who knows some topics better than others, learns by answering, and forgets.

    Assumed, and not measured on anybody:

    1. Of each topic a share of 0.1 to 0.7 is known before, drawn evenly. That knowledge is not forgotten.
    2. Whoever does not know a card reads the answer, and forgets it: half of the cards are gone after ``half_life``
       times 0.4 + 1.6 × the share known, in days. What belongs to a weak topic is forgotten faster.
    3. What was read is forgotten as ``2 ** (-days / half_life)`` (a half-life per card, as Settles and Meeder fit it to
       exercises of a language course, ACL 2016).
    4. An answer that is known makes the half-life longer, ``1 + gain * (1 - p)`` times, where p is how likely it was
       known. So a card that is asked again at once gains nothing, one that is nearly forgotten the most.
    5. An answer that is not known begins again, with half of the half-life but not less than at first.

    The seed decides everything that is drawn. Raises ``ValueError`` for a value out of its range.
    """

    def __init__(
        self, items: Iterable[InterviewItem], seed: int = 0, half_life: float = 1.0, gain: float = 3.0
    ) -> None:
        checks.whole("seed", seed, 0)
        checks.number("half_life", half_life, above=0)
        checks.number("gain", gain, 0)
        self.half_life, self.gain = half_life, gain
        self.cards = Deck(items).cards
        self._lots = Random(f"learner {seed}")
        self.share_known = {topic: self._lots.uniform(0.1, 0.7) for topic in sorted({c.topic for c in self.cards})}
        self.knows = {card.id: self._lots.random() < self.share_known[card.topic] for card in self.cards}
        self._read: dict[str, tuple[int, float]] = {}  # the day of the last answer, and the half-life in days

    def chance(self, card: InterviewItem, day: int) -> float:
        """How likely the card is known on a day, from 0 to 1."""
        if self.knows[card.id]:
            return 1.0
        if card.id not in self._read:
            return 0.0
        read, half_life = self._read[card.id]
        return float(2 ** (-(day - read) / half_life))

    def answer(self, card: InterviewItem, day: int) -> float:
        """The share of the rubric that the learner meets, 1 or 0.2; afterwards the answer is read."""
        chance = self.chance(card, day)
        known = self._lots.random() < chance
        first = self.half_life * (0.4 + 1.6 * self.share_known[card.topic])
        _, half_life = self._read.get(card.id, (day, first))
        self._read[card.id] = day, half_life * (1 + self.gain * (1 - chance)) if known else max(first, half_life / 2)
        return 1.0 if known else 0.2

    def weakest(self, day: int) -> float:
        """The share of the cards that is known on a day in the topic where it is least, from 0 to 1, in the mean."""
        chances: dict[str, list[float]] = {}
        for card in self.cards:
            chances.setdefault(card.topic, []).append(self.chance(card, day))
        return min(fmean(own) for own in chances.values())

    def known(self, day: int) -> float:
        """How many cards are known on a day, in the mean: the sum of the chances."""
        return sum(self.chance(card, day) for card in self.cards)


class Rehearsal(NamedTuple):
    """What came of somebody's practice.

    ``known`` cards on the day after, in the mean; ``seen`` different ones; ``kept`` of those that were new; in how
    many ``topics`` three cards or more were seen; and of the ``weakest`` topic, the share of its cards that is known.
    """

    known: float
    seen: int
    kept: Kept
    topics: int
    weakest: float


def rehearse(
    items: Iterable[InterviewItem],
    rule: RuleName | Rule,
    days: int = 14,
    a_day: int = 20,
    learners: int = 100,
    seed: int = 0,
    half_life: float = 1.0,
    gain: float = 3.0,
) -> list[Rehearsal]:
    """How many cards each of some imagined learners knows on the day after the last day of practice, and has seen.

    >>> from hierrag_lessons import InterviewQuestion, RubricPoint
    >>> rubric = (RubricPoint("says why"),)
    >>> cards = [InterviewQuestion(str(n), "junior", "search", "Why?", rubric, "So.") for n in range(20)]
    >>> known = {days: rehearse(cards, "in turn", days, 5, learners=20) for days in (1, 12)}
    >>> sum(one.known for one in known[1]) < sum(one.known for one in known[12]), known[1][0].seen
    (True, 5)

    The same seed gives the same learners for every way of choosing, so the results can be compared pair by pair.

    Parameters
    ----------
    items:
        The cards.
    rule:
        A name of :data:`RuleName`, or a function from a :class:`Deck`, the day and a seed to the next card.
    days, a_day:
        How long is practised, and how many cards a day. With 0 days nobody practises: what is known without.
    learners:
        How many.
    seed:
        For all that is drawn.
    half_life, gain:
        What is assumed of memory; see :class:`ImaginedLearner`.

    Raises ``ValueError`` for a value out of its range.
    """
    cards = Deck(items).cards
    if not callable(rule):
        checks.one_of("rule", rule, RuleName)
    for name, value, least in (("days", days, 0), ("a_day", a_day, 1), ("learners", learners, 1), ("seed", seed, 0)):
        checks.whole(name, value, least)
    own = rule if callable(rule) else CARD_RULES[rule]
    people = [ImaginedLearner(cards, seed + number, half_life, gain) for number in range(learners)]
    return [_rehearsed(person, own, days, a_day, seed + number) for number, person in enumerate(people)]


def _rehearsed(learner: ImaginedLearner, rule: Rule, days: int, a_day: int, seed: int) -> Rehearsal:
    deck, attempts = Deck(shuffled(learner.cards, seed)), list[Attempt]()
    for day in range(1, days + 1):
        for _ in range(a_day):
            card = rule(deck, day, seed)
            attempts.append(Attempt(card.id, day, learner.answer(card, day)))
            deck.add(attempts[-1])
    topics = Counter(card.topic for card in deck.cards if card.id in deck.memory)
    enough = sum(count >= 3 for count in topics.values())
    known, weakest = learner.known(days + 1), learner.weakest(days + 1)
    return Rehearsal(known, len(deck.memory), kept_overnight(attempts), enough, weakest)
