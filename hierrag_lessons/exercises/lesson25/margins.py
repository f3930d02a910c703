"""Exercise 25.2, the cheapest way that is safe."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Ways = dict[str, tuple[int, float, float]]


def cheapest_safe(ways: dict[str, tuple[int, float, float]], margin: float) -> str | None:
    """The name of the cheapest way whose interval allows no loss of the margin; ``None`` where there is none.

    ``ways[name]`` is its tokens a question, and the 95 % interval, low and high, of its difference in complete contexts
    from what runs today. A loss of exactly ``margin`` or more is too much. Of equally cheap ways the one whose interval
    begins higher counts, then the name that comes first in the alphabet.
    """
    safe = [(tokens, -low, name) for name, (tokens, low, _) in ways.items() if low > -margin]
    return min(safe)[2] if safe else None


def _one_by_one(ways: Ways, margin: float) -> str | None:
    """Oracle: go through the names in their order and keep the best so far."""
    kept: str | None = None
    for name in sorted(ways):
        tokens, low, _ = ways[name]
        if low + margin <= 0:
            continue
        if kept is None or tokens < ways[kept][0] or (tokens == ways[kept][0] and low > ways[kept][1]):
            kept = name
    return kept


def _cases(rng: Random) -> Iterator[tuple[Ways, float]]:
    yield {"sections": (1800, -0.125, -0.0625), "leaves": (2000, -0.03125, 0.0625)}, 0.0625
    # "No difference shown", and it could be a lot.
    yield {"few questions": (500, -0.25, 0.25), "many questions": (2000, -0.03125, 0.03125)}, 0.0625
    yield {"few questions": (500, -0.25, 0.25)}, 0.0625
    # Shown to be behind, and by less than the margin.
    yield {"behind by little": (900, -0.03125, -0.015625), "level": (1500, -0.015625, 0.015625)}, 0.0625
    yield {"at the margin": (900, -0.0625, 0.0625), "level": (1500, -0.03125, 0.03125)}, 0.0625
    yield {"ahead": (3000, 0.03125, 0.125), "level": (1500, -0.03125, 0.03125)}, 0.0625
    yield {"middle is level": (800, -0.125, 0.125), "narrow": (1600, -0.03125, 0.0)}, 0.0625
    yield {"b": (800, -0.03125, 0.0625), "a": (800, -0.03125, 0.03125), "c": (800, -0.015625, 0.0)}, 0.0625
    yield {"b": (800, -0.03125, 0.0625), "a": (800, -0.03125, 0.03125)}, 0.0625
    yield {"b": (800, -0.03125, 0.0625), "a": (800, -0.03125, 0.0625)}, 0.0625
    yield {"behind by half the margin": (800, -0.046875, 0.0625), "level": (1500, -0.015625, 0.03125)}, 0.0625
    yield {}, 0.0625
    for _ in range(40):
        ways = {}
        for name in rng.sample(["a", "b", "c", "d", "e"], rng.randrange(1, 5)):
            low = rng.randrange(-16, 8) / 64
            ways[name] = (rng.randrange(1, 6) * 500, low, low + rng.randrange(1, 16) / 64)
        yield ways, rng.choice([2, 4, 8]) / 64


def _choose(good: list[tuple[int, float, str]]) -> str | None:
    return min(good)[2] if good else None


def _includes_zero(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, high) in ways.items() if high >= 0])


def _middle(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, high) in ways.items() if (low + high) / 2 > -margin])


def _could_be_fine(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, high) in ways.items() if high > -margin])


def _ahead_only(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, _) in ways.items() if low > 0])


def _not_behind_and_safe(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, high) in ways.items() if low > -margin and high >= 0])


def _equal_is_safe(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, _) in ways.items() if low >= -margin])


def _cheapest(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, _) in ways.items()])


def _best(ways: Ways, margin: float) -> str | None:
    good = [(-low, t, name) for name, (t, low, _) in ways.items() if low > -margin]
    return min(good)[2] if good else None


def _name_decides(ways: Ways, margin: float) -> str | None:
    good = [(t, name) for name, (t, low, _) in ways.items() if low > -margin]
    return min(good)[1] if good else None


def _lower_low(ways: Ways, margin: float) -> str | None:
    return _choose([(t, low, name) for name, (t, low, _) in ways.items() if low > -margin])


def _higher_high(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -high, name) for name, (t, low, high) in ways.items() if low > -margin])


def _both_ends(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, high) in ways.items() if -margin < low and high < margin])


def _size_of_low(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, _) in ways.items() if abs(low) < margin])


def _above_the_margin(ways: Ways, margin: float) -> str | None:
    return _choose([(t, -low, name) for name, (t, low, _) in ways.items() if low > margin])


def _half_the_margin(ways: Ways, margin: float) -> str | None:
    return cheapest_safe(ways, margin / 2)


def _percent_points(ways: Ways, margin: float) -> str | None:
    return cheapest_safe(ways, margin / 100)


def _empty_for_none(ways: Ways, margin: float) -> str:
    return cheapest_safe(ways, margin) or ""


def _last_of_a_tie(ways: Ways, margin: float) -> str | None:
    safe = [(-tokens, low, name) for name, (tokens, low, _) in ways.items() if low > -margin]
    return max(safe)[2] if safe else None


def _all_of_it(ways: Ways, margin: float) -> tuple[object, ...] | None:
    name = cheapest_safe(ways, margin)
    return None if name is None else (name, *ways[name])


def _narrowest(ways: Ways, margin: float) -> str | None:
    return min(ways, key=lambda name: (ways[name][2] - ways[name][1], name)) if ways else None


def _narrowest_safe(ways: Ways, margin: float) -> str | None:
    return _narrowest({name: way for name, way in ways.items() if way[1] > -margin}, margin)


def _dearest_safe(ways: Ways, margin: float) -> str | None:
    safe = [(-tokens, -low, name) for name, (tokens, low, _) in ways.items() if low > -margin]
    return min(safe)[2] if safe else None


def _fails_without(ways: Ways, margin: float) -> str:
    return min((tokens, -low, name) for name, (tokens, low, _) in ways.items() if low > -margin)[2]


def _safest_of_all(ways: Ways, margin: float) -> str | None:
    if not ways:
        return None
    return cheapest_safe(ways, margin) or max(sorted(ways), key=lambda name: ways[name][1])


MARGINS = Exercise(
    id="25.2",
    title="The cheapest way that is safe",
    solution=cheapest_safe,
    oracle=_one_by_one,
    cases=_cases,
    hints=(
        "What is the worst that the interval still allows? Compare that with the margin.",
        "Whether the interval includes zero does not matter here: a small loss that is certain can be fine, a large "
        "one that is only possible is not.",
        "Keep the ways with `low > -margin`, and take the smallest of `(tokens, -low, name)`.",
    ),
    mistakes=(
        Mistake(
            _includes_zero,
            'You took "no difference shown" for "no difference". A wide interval around zero allows a large loss: look '
            "at its low end.",
        ),
        Mistake(
            _middle,
            "You compared the middle of the interval with the margin. The true loss may be as large as the low end "
            "says.",
        ),
        Mistake(_could_be_fine, "You looked at the high end, the best case. What may be lost stands at the low end."),
        Mistake(
            _ahead_only,
            "You asked for a gain. To save money it is enough that the loss is surely smaller than the margin.",
        ),
        Mistake(
            _not_behind_and_safe,
            "You left out what is behind. If it is surely behind by less than the margin, it is allowed.",
        ),
        Mistake(_equal_is_safe, "A low end of exactly minus the margin still allows a loss of the margin: too much."),
        Mistake(_name_decides, "Of equally cheap ways the one whose interval begins higher counts, before the name."),
        Mistake(_lower_low, "Of equally cheap ways you took the one whose interval begins lower. Higher is safer."),
        Mistake(
            _higher_high, "Of equally cheap ways you compared the high ends. Compare the low ends: what may be lost."
        ),
        Mistake(
            _both_ends,
            "You asked for an interval inside the margin on both sides. That is a test of equality; here a gain may be "
            "as large as it likes.",
        ),
        Mistake(_size_of_low, "You compared the size of the low end without its sign: a sure gain is refused."),
        Mistake(_above_the_margin, "The sign: a loss is negative. Compare the low end with minus the margin."),
        Mistake(_safest_of_all, "Where no way is safe the answer is `None`: nobody saves then."),
        Mistake(_half_the_margin, "You compared with half of the margin. A loss of less than all of it is allowed."),
        Mistake(
            _percent_points, "You took the margin for percent points. It is a share, as the ends of the intervals are."
        ),
        Mistake(_empty_for_none, "Where no way is safe the answer is `None`, not an empty text."),
        Mistake(_fails_without, "Where no way is safe `min` of an empty list raises an error. Answer `None` there."),
        Mistake(
            _last_of_a_tie,
            "Of equally cheap ways whose intervals begin alike you took the last name. The first in the alphabet "
            "counts.",
        ),
        Mistake(_all_of_it, "You returned the name with its figures. Asked is the name alone."),
        Mistake(_narrowest, "You took the narrowest interval. A narrow one can lie where much is lost."),
        Mistake(
            _narrowest_safe, "You took the narrowest of the safe intervals. All of them are safe: take the cheapest."
        ),
        Mistake(_dearest_safe, "You took the dearest of the safe ways. The fewest tokens are the cheapest."),
        Mistake(_cheapest, "You took the cheapest way, whatever it loses."),
        Mistake(_best, "You took the way that loses least. Asked is the cheapest of those that are safe."),
    ),
)
