"""Exercise 26.3, how many copies of the model have to run."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def copies(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    """How many copies of a service, each with one question at a time, have to run in the busiest hour.

    ``busiest`` is the share of a day's questions in that hour, ``seconds`` the time of one question, and ``busy`` the
    share of the time that a copy may be at work on average. At least one copy runs.

    >>> copies(10_000, 0.15, 2.5)
    2
    """
    arriving = questions_a_day * busiest / 3600  # a second
    at_once = arriving * seconds  # Little's law
    needed = at_once / busy
    return max(1, int(needed) + (needed > int(needed)))  # rounded up


def _tried(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    """Oracle: one more copy, until the hour has enough seconds for the work."""
    work, number = questions_a_day * busiest * seconds, 1
    while number * 3600 * busy < work:
        number += 1
    return number


def _cases(rng: Random) -> Iterator[tuple[int, float, float] | tuple[int, float, float, float]]:
    yield 36_000, 0.2, 4.0, 0.7
    yield 36_000, 0.2, 4.0  # the default
    yield 7_200, 0.5, 1.0, 0.5  # exactly 2, in floats as well
    yield 3_600, 0.5, 4.0, 0.5  # exactly 4
    yield 10_000, 0.15, 2.5
    yield 0, 0.2, 4.0, 0.7
    yield 50, 0.3, 1.0, 0.5
    yield 100_000, 0.1, 0.9, 0.8
    for _ in range(40):
        case = (
            rng.randrange(100, 200_000),
            rng.choice((0.05, 0.1, 0.2, 0.3)),
            rng.choice((0.3, 1.2, 4.0, 11.0)),
            rng.choice((0.5, 0.7, 0.9)),
        )
        # Where the quotient is a whole number, floats may land on either side of it.
        if abs(case[0] * case[1] * case[2] / 3600 / case[3] % 1 - 0.5) < 0.49:
            yield case


def _whole_day(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day / 86_400 * seconds / busy))


def _always_at_work(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 * seconds))


def _rounded_down(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, int(questions_a_day * busiest / 3600 * seconds / busy))


def _nearest(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, round(questions_a_day * busiest / 3600 * seconds / busy))


def _arrivals(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 / busy))


def _times_busy(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 * seconds * busy))


def _none(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return ceil(questions_a_day * busiest / 3600 * seconds / busy)


def _minutes(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 60 * seconds / busy))


def _one_more(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return int(questions_a_day * busiest / 3600 * seconds / busy) + 1


def _spare(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return ceil(questions_a_day * busiest / 3600 * seconds / busy) + 1


def _twice_up(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(ceil(questions_a_day * busiest / 3600 * seconds) / busy))


def _idle_added(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 * seconds * (2 - busy)))


def _idle_divides(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 * seconds / (1 - busy)))


def _unrounded(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> float:
    return max(1.0, questions_a_day * busiest / 3600 * seconds / busy)


def _in_one_hour(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day / 3600 * seconds / busy))


def _busy_ignored(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 * seconds / 0.7))


def _divided_by_seconds(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 3600 / seconds / busy))


def _at_least_two(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(2, copies(questions_a_day, busiest, seconds, busy))


def _working_day(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day / 8 / 3600 * seconds / busy))


def _square_root(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    at_work = questions_a_day * busiest / 3600 * seconds
    return max(1, ceil(at_work + sqrt(at_work)))


def _half_by_default(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.5) -> int:
    return copies(questions_a_day, busiest, seconds, busy)


def _full_by_default(questions_a_day: int, busiest: float, seconds: float, busy: float = 1.0) -> int:
    return copies(questions_a_day, busiest, seconds, busy)


def _by_seconds_of_a_day(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    return max(1, ceil(questions_a_day * busiest / 86_400 * seconds / busy))


def _by_who_waits(questions_a_day: int, busiest: float, seconds: float, busy: float = 0.7) -> int:
    at_work, number, lost = questions_a_day * busiest / 3600 * seconds, 0, 1.0
    while True:
        number += 1
        lost = at_work * lost / (number + at_work * lost)
        if number > at_work and lost / (1 - at_work / number * (1 - lost)) < 0.1:
            return number


COPIES = Exercise(
    id="26.3",
    title="How many copies have to run?",
    solution=copies,
    oracle=_tried,
    cases=_cases,
    hints=(
        "How many questions come in a second of the busiest hour?",
        "If one comes each second and each takes four seconds, how many are being answered at any moment?",
        "Little's law: at once = arriving a second × seconds each. Divide by busy, round up, and run at least one.",
    ),
    mistakes=(
        Mistake(_whole_day, "Spread over 24 hours the load is small. Users come in the busiest hour; plan for that."),
        Mistake(_always_at_work, "At 100 % a queue grows without end, since questions do not come evenly. Use `busy`."),
        Mistake(_rounded_down, "Rounded down, the last copy is missing, and that hour is above the share you allowed."),
        Mistake(_nearest, "Rounded to the nearest number, half of the time one copy is missing. Round up."),
        Mistake(_arrivals, "That is how many arrive in a second. Each of them stays for some seconds."),
        Mistake(_times_busy, "`busy` makes each copy smaller, so you need more of them: divide."),
        Mistake(_none, "Without questions nothing runs, and the first one waits for a cold start. At least one copy."),
        Mistake(_minutes, "An hour has 3,600 seconds."),
        Mistake(_half_by_default, "Where `busy` is not given it is 0.7, as in the first line of the function."),
        Mistake(_full_by_default, "Without `busy` you let the copies work all the time. The default is 0.7."),
        Mistake(
            _by_seconds_of_a_day, "The questions of one hour come in 3,600 seconds, not in the 86,400 seconds of a day."
        ),
        Mistake(_by_who_waits, "You sized by who waits, which is better. But asked was the share `busy`."),
        Mistake(_one_more, "int() + 1 is one too many where the quotient is a whole number. Round up: ceil."),
        Mistake(
            _spare, "A spare copy is a good idea against a crash, but not what `busy` asks for. Round up, no more."
        ),
        Mistake(
            _twice_up, "Rounded up twice: first the questions at once, then the copies. Round only the last number."
        ),
        Mistake(_idle_added, "A copy at work for 70 % of the time is worth 0.7 of a copy: divide by `busy`."),
        Mistake(_idle_divides, "`busy` is the share at work, not the share that is idle: divide by `busy` itself."),
        Mistake(_unrounded, "Half a copy can't run. Round up to a whole number."),
        Mistake(_busy_ignored, "0.7 is written in. Use `busy`, which may be given otherwise."),
        Mistake(
            _divided_by_seconds, "Divided by `seconds`: the longer an answer takes, the more copies are busy. Multiply."
        ),
        Mistake(_at_least_two, "Two copies at least are wise against a crash. Here one is the least."),
        Mistake(_working_day, "Spread over a working day of 8 hours. The busiest hour has its own share: `busiest`."),
        Mistake(
            _square_root,
            "The load and its square root beside it is a better rule than a share for many copies. Asked was the share "
            "`busy`.",
        ),
        Mistake(_in_one_hour, "Not the whole day's questions come in that hour: use `busiest`."),
    ),
)
