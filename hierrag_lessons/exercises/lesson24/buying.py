"""Exercise 24.3, the row to buy: the solution, another one to check it, and the cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from hierrag_lessons.evaluation import paired_difference

Offers = dict[str, tuple[float, dict[str, float]]]
"""What each row takes on the disk, in gigabytes, and its score on each question."""


def buy(offers: dict[str, tuple[float, dict[str, float]]], gigabytes: float, margin: float) -> str | None:
    """The smallest row that is surely less than ``margin`` behind the best that fits; ``None`` where none fits."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    means = {name: sum(scores.values()) / len(scores) for name, (_, scores) in fitting.items()}
    _, best = fitting[min(fitting, key=lambda name: (-round(means[name], 9), fitting[name][0], name))]
    good = []
    for name, (size, scores) in fitting.items():
        interval = paired_difference([scores[question] for question in best], list(best.values()))
        if interval.low > -margin:
            good.append((size, name))
    return min(good)[1]


def all_resamples(offers: Offers, gigabytes: float, margin: float) -> str | None:
    """Oracle: go through the rows from the smallest on, and count all resamples there are instead of drawing some."""
    order = sorted((size, name) for name, (size, _) in offers.items() if size <= gigabytes)
    best = ""
    for _, name in order:
        if not best or sum(offers[name][1].values()) > sum(offers[best][1].values()):
            best = name
    for _, name in order:
        if _share_behind(offers[name][1], offers[best][1], margin) < 0.025:
            return name
    return None


def _share_behind(own: dict[str, float], best: dict[str, float], margin: float) -> float:
    """The share of all resamples of the questions in which a row is behind by ``margin`` or more."""
    differences = [Fraction(own[question]) - Fraction(best[question]) for question in best]
    sums: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
    for _ in differences:
        drawn: dict[Fraction, Fraction] = defaultdict(Fraction)
        for total, probability in sums.items():
            for difference, count in Counter(differences).items():
                drawn[total + difference] += probability * Fraction(count, len(differences))
        sums = drawn
    return float(sum(p for total, p in sums.items() if total <= -Fraction(margin) * len(differences)))


def cases(rng: Random) -> Iterator[tuple[Offers, float, float]]:
    """What the learner's function is run on: those that are easily got wrong, then random ones."""
    flat = _scores([0.5, 0.5, 0.5, 0.5, 0.75, 0.25])
    ahead = {"flat": (5.0, flat), "levels": (20.0, _scores([0.75, 0.75, 0.75, 0.75, 1.0, 0.5]))}
    yield ahead, 10.0, 0.125
    yield ahead, 20.0, 0.125
    # Behind by exactly the margin on every question.
    yield ahead, 20.0, 0.25
    yield ahead, 20.0, 0.375
    yield {"levels": (20.0, flat)}, 10.0, 0.125
    # Hard and easy questions lie far apart, the two rows never: only pairs show it.
    wide = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    yield {"flat": (5.0, _scores(wide)), "levels": (9.0, _scores([0.125, *wide[1:]]))}, 10.0, 0.125
    # The same scores in another order of the questions.
    yield {"flat": (5.0, _scores(wide[::-1], "fedcba")), "levels": (9.0, _scores([0.125, *wide[1:]]))}, 10.0, 0.125
    # The means are nearly equal, and it could be a lot.
    yield {"flat": (5.0, _scores(wide)), "levels": (9.0, _scores([1.0, 0.125, 1.0, 0.0, 1.0, 0.0]))}, 10.0, 0.25
    # Surely behind, by less than the margin.
    yield {"flat": (5.0, _scores([0.5] * 6)), "levels": (9.0, _scores([0.5625] * 6))}, 10.0, 0.125
    yield {"merged": (5.0, flat), "flat": (5.0, flat), "levels": (9.0, flat)}, 10.0, 0.125
    # Behind by next to nothing.
    yield {"flat": (5.0, _scores([0.5] * 5 + [255 / 512])), "levels": (9.0, _scores([0.5] * 6))}, 10.0, 0.125
    # Each step loses less than the margin, both together more.
    steps = {"flat": (5.0, _scores([0.5] * 6)), "sections": (7.0, _scores([0.59375] * 6))}
    yield {**steps, "levels": (9.0, _scores([0.6875] * 6))}, 10.0, 0.125
    # The largest is not the best.
    yield {**ahead, "tree": (25.0, flat)}, 25.0, 0.125
    # Ahead nearly everywhere on one question, a little behind on the others: what may be gained is no fault.
    gain = {"flat": (5.0, _scores([0.40625] * 7 + [0.875])), "levels": (9.0, _scores([0.5] * 7 + [0.25]))}
    yield gain, 10.0, 0.125
    # Two are equal on average, and the smallest is surely close to the larger of them alone.
    wins, losses = [0.75, 0.25] * 4, [0.25, 0.75] * 4
    equal = {"windows": (7.0, _scores(wins)), "levels": (9.0, _scores(losses))}
    yield {"flat": (5.0, _scores([score - 0.0625 for score in losses])), **equal}, 10.0, 0.125
    count = 0
    while count < 20:
        offers = _random_offers(rng)
        gigabytes, margin = rng.choice([4.0, 8.0, 12.0]), rng.choice([0.125, 0.25, 0.375])
        if _clear(offers, gigabytes, margin):
            count += 1
            yield offers, gigabytes, margin


def _scores(values: list[float], names: str = "abcdefgh") -> dict[str, float]:
    return dict(zip(names, values, strict=False))


def _random_offers(rng: Random) -> Offers:
    questions = "abcdefgh"[: rng.randrange(5, 9)]
    ease = {question: rng.choice([0.0, 0.25, 0.5]) for question in questions}
    offers = {}
    for name in rng.sample(["flat", "windows", "parents", "levels"], rng.randrange(2, 4)):
        order = rng.sample(questions, len(questions)) if rng.random() < 0.5 else questions
        larger = rng.choice([0, 1])
        better = larger if rng.random() < 0.7 else 1 - larger
        size = float(rng.choice([2, 4, 6]) + 6 * larger)
        noise = rng.choice([(0.0, 0.25), (0.0, 0.0, 0.5)])
        offers[name] = (size, {question: ease[question] + better / 8 + rng.choice(noise) for question in order})
    return offers


def _clear(offers: Offers, gigabytes: float, margin: float) -> bool:
    """Whether no row is so close to the margin that the draw of the resamples decides."""
    fitting = [(name, scores) for name, (size, scores) in offers.items() if size <= gigabytes]
    best = max(sum(scores.values()) for _, scores in fitting) if fitting else 0
    tops = [scores for _, scores in fitting if sum(scores.values()) == best]
    shares = [_share_behind(scores, top, margin) for _, scores in fitting for top in tops]
    return not any(0.015 < share < 0.035 for share in shares)
