"""Exercise 26.1, how weak each topic is."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

_Answers = list[tuple[str, float]]


def weakness(topics: dict[str, str], answers: list[tuple[str, float]]) -> dict[str, float]:
    """How weak each topic is, from 0 to 1; ``topics`` gives the topic of each card, ``answers`` cards and shares.

    >>> weakness({"a": "search", "b": "agents"}, [("a", 0.0), ("a", 1.0)])
    {'search': 0.3333333333333333, 'agents': 0.5}
    """
    last = dict(answers)
    lacks: dict[str, list[float]] = {topic: [1.0, 0.0] for topic in topics.values()}  # one wrong, one right
    for card, share in last.items():
        lacks[topics[card]].append(1 - share)
    return {topic: sum(own) / len(own) for topic, own in lacks.items()}


def _counted(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    """Oracle: for each topic all cards, for each card all answers from the end."""
    weak = {}
    for topic in set(topics.values()):
        total, count = 1.0, 2
        for card in topics:
            shares = [share for other, share in reversed(answers) if other == card]
            if topics[card] == topic and shares:
                total, count = total + 1 - shares[0], count + 1
        weak[topic] = total / count
    return weak


def _cases(rng: Random) -> Iterator[tuple[dict[str, str], _Answers]]:
    yield {"a": "search", "b": "agents"}, [("a", 0.0), ("a", 1.0)]
    yield {"a": "search"}, []
    yield {"a": "search", "b": "search"}, [("a", 0.25)]
    yield {"a": "search", "b": "search"}, [("b", 1.0), ("a", 1.0)]
    yield {"a": "search", "b": "agents"}, [("a", 1.0), ("b", 0.0), ("a", 0.5)]
    for _ in range(40):
        cards = rng.sample("abcdefghij", rng.randrange(1, 10))
        topics = {card: rng.choice(("search", "agents", "chunking")) for card in cards}
        yield topics, [(rng.choice(cards), rng.randrange(5) / 4) for _ in range(rng.randrange(15))]


def _of(topics: dict[str, str], answers: _Answers, begin: tuple[float, ...]) -> dict[str, float]:
    lacks: dict[str, list[float]] = {topic: list(begin) for topic in topics.values()}
    for card, share in answers:
        lacks[topics[card]].append(1 - share)
    return {topic: sum(own) / len(own) if own else 0.0 for topic, own in lacks.items()}


def _all_answers(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return _of(topics, answers, (1.0, 0.0))


def _nothing_imagined(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return _of(topics, list(dict(answers).items()), ())


def _strength(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return {topic: 1 - value for topic, value in weakness(topics, answers).items()}


def _only_asked(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    asked = {topics[card] for card, _ in answers}
    return {topic: value for topic, value in weakness(topics, answers).items() if topic in asked}


def _first(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return weakness(topics, answers[::-1])


def _sum(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    weak: dict[str, float] = dict.fromkeys(topics.values(), 0.0)
    for card, share in dict(answers).items():
        weak[topics[card]] += 1 - share
    return weak


def _unasked(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    last = dict(answers)
    return weakness(topics, [*answers, *((card, 0.5) for card in topics if card not in last)])


def _one_imagined(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return _of(topics, list(dict(answers).items()), (0.5,))


def _best(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return weakness(topics, sorted(answers, key=lambda answer: answer[1]))


def _mean_of_card(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    shares: dict[str, list[float]] = {}
    for card, share in answers:
        shares.setdefault(card, []).append(share)
    return weakness(topics, [(card, sum(own) / len(own)) for card, own in shares.items()])


def _only_wrong_imagined(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return _of(topics, list(dict(answers).items()), (1.0,))


def _all_or_nothing(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return weakness(topics, [(card, float(share >= 0.6)) for card, share in answers])


def _last_of_topic(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    last = {topics[card]: (card, share) for card, share in answers}
    return weakness(topics, list(last.values()))


def _half_where_unasked(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    asked = {topics[card] for card, _ in answers}
    return {topic: own if topic in asked else 0.5 for topic, own in _nothing_imagined(topics, answers).items()}


def _full_where_unasked(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    asked = {topics[card] for card, _ in answers}
    return {topic: own if topic in asked else 1.0 for topic, own in weakness(topics, answers).items()}


def _over_all_cards(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    lacks, cards = _sum(topics, answers), list(topics.values())
    return {topic: (1 + own) / (2 + cards.count(topic)) for topic, own in lacks.items()}


def _rounded(topics: dict[str, str], answers: _Answers) -> dict[str, float]:
    return {topic: round(value, 2) for topic, value in weakness(topics, answers).items()}


WEAKNESS = Exercise(
    id="26.1",
    title="How weak is a topic?",
    solution=weakness,
    oracle=_counted,
    cases=_cases,
    hints=(
        "Which answers count? A card that was wrong on Monday and right on Friday is known.",
        "dict(answers) keeps the last answer of each card.",
        "Begin each topic's list with [1, 0], the two imagined cards. Then append 1 - share, and take the mean.",
    ),
    mistakes=(
        Mistake(
            _full_where_unasked,
            "A topic without an answer is not known to be weak. It has the two imagined cards like every other.",
        ),
        Mistake(
            _half_where_unasked,
            "The 0.5 is given only where nobody asked. The two imagined cards stand in every mean, also of topics "
            "that were asked.",
        ),
        Mistake(
            _over_all_cards,
            "Divided by all cards of the topic. Only cards with an answer and the two imagined ones count.",
        ),
        Mistake(_rounded, "Rounded. Return the mean as it is; round only what you print."),
        Mistake(_all_answers, "Old answers count as well, so what you have learned stays weak. Only the last counts."),
        Mistake(
            _nothing_imagined,
            "Without the two imagined cards a topic that nobody asked has no mean, and one bad "
            "answer makes a topic look hopeless.",
        ),
        Mistake(_strength, "That is how strong a topic is. A share of 1 lacks nothing."),
        Mistake(_only_asked, "Topics that were never asked are missing. They would never be drawn; give them 0.5."),
        Mistake(_first, "The first answer of each card counts here. The last one says what is known today."),
        Mistake(_sum, "A sum grows with the number of cards: the topic with the most cards would be the weakest."),
        Mistake(_unasked, "A card that was never asked counts as half known. Only cards with an answer count."),
        Mistake(
            _best, "The best answer of each card counts here. What was known once can be forgotten: take the last."
        ),
        Mistake(_mean_of_card, "The mean over a card's answers keeps old mistakes. Only its last answer counts."),
        Mistake(
            _only_wrong_imagined,
            "Only the imagined card that lacks everything is there. Add the one that lacks nothing.",
        ),
        Mistake(_all_or_nothing, "Known from 0.6 on is SM-2's rule. Here the share itself counts: 0.75 lacks 0.25."),
        Mistake(_last_of_topic, "Only the topic's last answer counts here. Each of its cards has a last answer."),
        Mistake(_one_imagined, "One imagined card of 0.5 weighs half as much as two cards, one right and one wrong."),
    ),
)
