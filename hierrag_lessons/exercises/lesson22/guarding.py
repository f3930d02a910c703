"""Exercise 22.2, the guard that ends a walk."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Calls = list[tuple[str, str, int]]


def guard(calls: list[tuple[str, str, int]], steps: int, budget: int) -> tuple[dict[str, int], str]:
    """What was read when a walk ends, and why it ended.

    ``calls`` are what a model asks for, in order: the tool, the section, and the section's size in tokens; after the
    last one it answers. Returns how many tokens of each section were read, and why no further call was made:
    ``"answered"``, ``"budget"``, or ``"steps"``; where both are used up, ``"budget"``. Without a further call the model
    has answered, whatever is used up. Every call is a step. Only ``"read"`` spends the budget, for each section once. A
    section that does not fit is read as far as the budget goes.
    """
    read: dict[str, int] = {}
    left = budget
    for number, (tool, section, tokens) in enumerate(calls):
        if left == 0:
            return read, "budget"
        if number == steps:
            return read, "steps"
        if tool == "read" and section not in read:
            read[section] = min(tokens, left)
            left -= read[section]
    return read, "answered"


def _replay(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    """Oracle: for each possible end, work out from the beginning what had been read by then."""

    def read_by(end: int) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for tool, section, tokens in calls[:end]:
            if tool == "read":
                sizes.setdefault(section, tokens)
        kept: dict[str, int] = {}
        for section, tokens in sizes.items():
            room = budget - sum(kept.values())
            if room > 0:
                kept[section] = min(tokens, room)
        return kept

    for end in range(len(calls)):
        if sum(read_by(end).values()) == budget:
            return read_by(end), "budget"
        if end == steps:
            return read_by(end), "steps"
    return read_by(len(calls)), "answered"


def _cases(rng: Random) -> Iterator[tuple[Calls, int, int]]:
    yield [], 3, 100
    yield [("outline", "report", 900), ("read", "a", 60)], 3, 100
    yield [("outline", "report", 900), ("search", "-", 400), ("read", "a", 60), ("read", "b", 60)], 3, 100
    yield [("read", "a", 60), ("read", "b", 60), ("read", "c", 60)], 5, 100
    yield [("read", "a", 60), ("read", "a", 60), ("read", "b", 40)], 5, 100
    yield [("read", "a", 60), ("read", "b", 40), ("outline", "report", 900)], 5, 100
    yield [("read", "a", 60), ("read", "b", 40), ("read", "c", 10)], 2, 100
    yield [("read", "a", 60), ("read", "b", 60)], 5, 100
    yield [("read", "a", 10), ("outline", "b", 500), ("read", "b", 20)], 2, 100
    for _ in range(40):
        tools = rng.choices(["read", "outline", "search"], [3, 1, 1], k=rng.randrange(1, 8))
        sizes = {name: rng.randrange(1, 9) * 10 for name in "abcd"}
        calls = [(tool, name, sizes[name]) for tool, name in zip(tools, rng.choices("abcd", k=len(tools)), strict=True)]
        yield calls, rng.randrange(1, 7), rng.randrange(2, 16) * 10


def _drops_what_does_not_fit(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    read: dict[str, int] = {}
    for number, (tool, section, tokens) in enumerate(calls):
        if number == steps:
            return read, "steps"
        if tool == "read" and section not in read:
            if sum(read.values()) + tokens > budget:
                return read, "budget"
            read[section] = tokens
    return read, "answered"


def _one_too_many(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    read: dict[str, int] = {}
    for number, (tool, section, tokens) in enumerate(calls):
        if sum(read.values()) >= budget:
            return read, "budget"
        if number == steps:
            return read, "steps"
        if tool == "read":
            read[section] = tokens
    return read, "answered"


def _counts_reads(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    return guard([call for call in calls if call[0] == "read"], steps, budget)


def _pays_twice(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    read: dict[str, int] = {}
    left = budget
    for number, (tool, section, tokens) in enumerate(calls):
        if left == 0:
            return read, "budget"
        if number == steps:
            return read, "steps"
        if tool == "read":
            taken = min(tokens, left)
            read[section] = read.get(section, 0) + taken
            left -= taken
    return read, "answered"


def _charges_every_tool(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    left, read = budget, dict[str, int]()
    for number, (tool, section, tokens) in enumerate(calls):
        if left == 0:
            return read, "budget"
        if number == steps:
            return read, "steps"
        if section not in read:
            taken = min(tokens, left)
            left -= taken
            if tool == "read":
                read[section] = taken
    return read, "answered"


def _steps_first(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    read: dict[str, int] = {}
    left = budget
    for number, (tool, section, tokens) in enumerate(calls):
        if number == steps:
            return read, "steps"
        if left == 0:
            return read, "budget"
        if tool == "read" and section not in read:
            read[section] = min(tokens, left)
            left -= read[section]
    return read, "answered"


def _asks_after_the_last(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    """The limits are asked after each call, so also where no further one comes."""
    read: dict[str, int] = {}
    left = budget
    for number, (tool, section, tokens) in enumerate(calls, start=1):
        if tool == "read" and section not in read:
            read[section] = min(tokens, left)
            left -= read[section]
        if left == 0:
            return read, "budget"
        if number == steps:
            return read, "steps"
    return read, "answered"


def _loses_all(calls: Calls, steps: int, budget: int) -> tuple[dict[str, int], str]:
    read, why = guard(calls, steps, budget)
    return (read, why) if why == "answered" else ({}, why)


GUARDING = Exercise(
    id="22.2",
    title="The guard that ends a walk",
    solution=guard,
    oracle=_replay,
    cases=_cases,
    hints=(
        "Before each call ask two things: is there still a token to read, and is there still a step?",
        "The budget is asked first: where both are used up, the reason is `budget`. The asking comes before a call, so "
        "after the last one nothing is asked.",
        "A read takes the smaller of two numbers: the size of the section, and what is left.",
    ),
    mistakes=(
        Mistake(
            _drops_what_does_not_fit,
            "The section that does not fit was thrown away. Its beginning was paid for and may hold the answer: keep "
            "what fits.",
        ),
        Mistake(
            _one_too_many,
            "The last section was read whole, beyond the budget. Look at what is left before you read, not after.",
        ),
        Mistake(
            _counts_reads,
            "Only reads were counted as steps. A model that searches for ever would never be stopped: every call "
            "counts.",
        ),
        Mistake(_pays_twice, "A section that was read before was paid for again. It is in the context already."),
        Mistake(
            _charges_every_tool,
            "Outlines or searches were charged to the budget of reading. Steps limit those; only `read` spends tokens.",
        ),
        Mistake(_steps_first, "Both limits were used up, and you said `steps`. Ask for the budget first."),
        Mistake(
            _asks_after_the_last,
            "No further call was made, and you said that a limit ended the walk. Ask before each call, not after it: "
            "without a further call the model has answered.",
        ),
        Mistake(
            _loses_all, "What had been read was lost when a limit was reached. Return it: an answer can rest on it."
        ),
    ),
)
