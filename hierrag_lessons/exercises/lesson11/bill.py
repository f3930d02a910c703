"""Exercise 11.4, what does it cost, and how long does it take?"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Bill = tuple[int, float, float]


def bill(
    documents: int,
    tokens: int,
    window: int,
    overlap: int,
    rules: int,
    answer: int,
    prices: tuple[float, float],
    seconds: float,
    at_once: int,
) -> tuple[int, float, float]:
    """Calls, price, and hours."""
    windows = 1 + max(0, -(-(tokens - window) // (window - overlap)))  # rounded up
    read = tokens + (windows - 1) * overlap + windows * rules
    price = documents * (read * prices[0] + windows * answer * prices[1]) / 1_000_000
    return documents * windows, price, documents * windows * seconds / at_once / 3600


def _window_by_window(
    documents: int,
    tokens: int,
    window: int,
    overlap: int,
    rules: int,
    answer: int,
    prices: tuple[float, float],
    seconds: float,
    at_once: int,
) -> Bill:
    """Oracle: lay the windows over one document, one after the other, and add up what each of them reads."""
    calls = read = start = 0
    while True:
        stop = min(start + window, tokens)
        calls, read = calls + 1, read + rules + (stop - start)
        if stop == tokens:
            break
        start = stop - overlap
    millions_in, millions_out = documents * read / 1e6, documents * calls * answer / 1e6
    price = millions_in * prices[0] + millions_out * prices[1]
    return documents * calls, price, documents * calls * seconds / (3600 * at_once)


def _plans(rng: Random) -> Iterator[tuple[int, int, int, int, int, int, tuple[float, float], float, int]]:
    yield 10_000, 6_000, 2_000, 400, 800, 300, (1.0, 4.0), 6.0, 8
    yield 1, 1_500, 2_000, 400, 800, 300, (1.0, 4.0), 6.0, 1
    yield 10, 2_000, 2_000, 400, 800, 300, (1.0, 1.0), 3_600.0, 1
    yield 10, 2_001, 2_000, 400, 800, 300, (1.0, 4.0), 3_600.0, 5
    yield 100, 3_600, 2_000, 400, 0, 300, (2.0, 0.0), 6.0, 4
    yield 1_000, 10_000, 2_000, 0, 500, 200, (0.0, 0.0), 2.0, 16
    for _ in range(30):
        window = rng.randrange(500, 4_000)
        prices = rng.choice((0.1, 0.5, 1.0, 2.5)), rng.choice((0.4, 2.0, 4.0, 10.0))
        yield (
            rng.choice((50, 1_000, 10_000)),
            rng.randrange(200, 20_000),
            window,
            rng.randrange(window // 2),
            rng.choice((300, 800)),
            rng.randrange(100, 600),
            prices,
            rng.choice((1.5, 4.0, 12.0)),
            rng.choice((1, 4, 16)),
        )


# A mistake gets `plan`: documents, tokens, window, overlap, rules, answer, prices, seconds, at_once.


def _no_overlap(*plan: Any) -> Bill:
    changed = [*plan]
    changed[3] = 0
    return bill(*changed)


def _rules_once(*plan: Any) -> Bill:
    calls, price, hours = bill(*plan)
    return calls, price - (calls - plan[0]) * plan[4] * plan[6][0] / 1_000_000, hours


def _one_price(*plan: Any) -> Bill:
    changed = [*plan]
    changed[6] = (plan[6][0], plan[6][0])
    return bill(*changed)


def _one_after_the_other(*plan: Any) -> Bill:
    changed = [*plan]
    changed[8] = 1
    return bill(*changed)


def _overlap_read_once(*plan: Any) -> Bill:
    calls, price, hours = bill(*plan)
    return calls, price - (calls - plan[0]) * plan[3] * plan[6][0] / 1_000_000, hours


BILL = Exercise(
    id="11.4",
    title="What does it cost, and how long does it take?",
    solution=bill,
    oracle=_window_by_window,
    cases=_plans,
    hints=(
        "First count the windows of one document. The first covers `window` tokens, every further one adds "
        "`window - overlap` new ones.",
        "What one document reads: its tokens, the overlap once more for each further window, and the rules for each "
        "window.",
        "Prices are for a million tokens. The hours are calls times seconds, shared by those that run at once.",
    ),
    mistakes=(
        Mistake(
            _no_overlap,
            "The windows are laid side by side. Each repeats `overlap` tokens of the one before, so there are more of "
            "them.",
        ),
        Mistake(
            _rules_once,
            "The rules are paid once for a document. They are sent with every call, so every call pays them.",
        ),
        Mistake(
            _one_price,
            "Tokens written are priced as tokens read. Written ones have a price of their own, usually several times "
            "as high.",
        ),
        Mistake(
            _one_after_the_other,
            "The calls run one after the other here. `at_once` of them run at the same time, which shortens the wait "
            "and not the bill.",
        ),
        Mistake(
            _overlap_read_once,
            "The number of windows is right, but the text that two windows share is paid once. Both read it.",
        ),
    ),
)
