"""Exercise 22.2, what is still alive after each level."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Path = list[str]


def alive(paths: list[list[str]], kept: list[list[set[str]]]) -> list[float]:
    """For each level the share of questions whose gold can still be found after it.

    ``paths`` holds for each question the sections that its gold lies in, one for each level, from the top.
    ``kept`` holds for each question the sections that the walk kept, level by level. There is at least one question.
    """
    shares = []
    for level in range(len(paths[0])):
        found = sum(
            all(path[above] in steps[above] for above in range(level + 1))
            for path, steps in zip(paths, kept, strict=True)
        )
        shares.append(found / len(paths))
    return shares


def _count_down(paths: list[Path], kept: list[list[set[str]]]) -> list[float]:
    """Oracle: strike out questions level by level, and never let one come back."""
    left = set(range(len(paths)))
    shares = []
    for level in range(len(paths[0])):
        for number in sorted(left):
            if paths[number][level] not in kept[number][level]:
                left.remove(number)
        shares.append(len(left) / len(paths))
    return shares


def _cases(rng: Random) -> Iterator[tuple[list[Path], list[list[set[str]]]]]:
    yield [["d", "p", "s"]], [[{"d"}, {"p"}, {"s"}]]
    yield [["d", "p", "s"]], [[{"d"}, {"q"}, {"s"}]]
    yield [["d", "p"], ["e", "q"]], [[{"d"}, {"q"}], [{"d"}, {"q"}]]
    yield [["d"], ["e"], ["f"]], [[{"d"}], [{"e"}], [{"d"}]]
    for _ in range(40):
        levels, questions = rng.randrange(1, 4), rng.randrange(1, 7)
        paths = [[rng.choice("abc") for _ in range(levels)] for _ in range(questions)]
        kept = [[set(rng.sample("abc", rng.randrange(1, 4))) for _ in range(levels)] for _ in range(questions)]
        yield paths, kept


def _each_alone(paths: list[Path], kept: list[list[set[str]]]) -> list[float]:
    pairs = list(zip(paths, kept, strict=True))
    return [sum(p[i] in k[i] for p, k in pairs) / len(paths) for i in range(len(paths[0]))]


def _of_the_survivors(paths: list[Path], kept: list[list[set[str]]]) -> list[float]:
    shares = alive(paths, kept)
    before = [1.0, *shares]
    return [share / last if last else 0.0 for share, last in zip(shares, before, strict=False)]


def _multiplied(paths: list[Path], kept: list[list[set[str]]]) -> list[float]:
    result, product = [], 1.0
    for share in _each_alone(paths, kept):
        product *= share
        result.append(product)
    return result


def _lost(paths: list[Path], kept: list[list[set[str]]]) -> list[float]:
    return [1 - share for share in alive(paths, kept)]


SURVIVING = Exercise(
    id="22.2",
    title="What is still alive",
    solution=alive,
    oracle=_count_down,
    cases=_cases,
    hints=(
        "A question whose gold was dropped on the first level cannot come back on the second.",
        "After level i, a question is alive if path[0] was kept on level 0, path[1] on level 1, and so on to i.",
        "Count the questions for which all of these hold, and divide by all questions.",
    ),
    mistakes=(
        Mistake(
            _each_alone,
            "Each level was judged alone. What an upper level has dropped is lost, whatever a lower one keeps.",
        ),
        Mistake(
            _of_the_survivors,
            "These are the shares of those that were alive before the level. Divide by all questions: the product of "
            "your numbers is what is asked.",
        ),
        Mistake(
            _multiplied,
            "The levels' shares were multiplied as if they were independent. A question that is hard above is often "
            "hard below, so count.",
        ),
        Mistake(_lost, "These are the shares that were lost. The share that is alive is asked."),
    ),
)
