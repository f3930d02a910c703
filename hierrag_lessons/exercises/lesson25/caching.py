"""Exercise 25.1, what a prompt cache really had: the solution, another to check it, and the cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

Prompts = list[list[int]]


def from_cache(prompts: list[list[int]], least: int) -> int:
    """How many tokens of a day's prompts a prompt cache had, in all.

    ``prompts`` are lists of token ids, in the order in which they were sent. Of each the cache has the longest
    beginning that is also the beginning of an earlier prompt. A beginning of fewer than ``least`` tokens is not kept.
    """
    total = 0
    for number, prompt in enumerate(prompts):
        longest = 0
        for earlier in prompts[:number]:
            shared = 0
            while shared < min(len(prompt), len(earlier)) and prompt[shared] == earlier[shared]:
                shared += 1
            longest = max(longest, shared)
        if longest >= least:
            total += longest
    return total


def all_beginnings(prompts: Prompts, least: int) -> int:
    """Oracle: write down every beginning that was sent, and look up each beginning of the next prompt."""
    sent: set[tuple[int, ...]] = set()
    total = 0
    for prompt in prompts:
        beginnings = [tuple(prompt[:size]) for size in range(1, len(prompt) + 1)]
        total += max((len(part) for part in beginnings if part in sent and len(part) >= least), default=0)
        sent.update(beginnings)
    return total


def cases(rng: Random) -> Iterator[tuple[Prompts, int]]:
    """By hand what is easily missed, then many at random."""
    yield [[1, 2, 3, 4], [1, 2, 3, 5]], 2
    yield [[1, 2, 3, 4], [1, 2, 3, 5]], 3
    yield [[1, 2, 3, 4], [1, 2, 3, 5]], 4
    # The best match was not the prompt directly before, and not the first one.
    yield [[1, 2, 9], [1, 2, 3, 4], [7, 7, 7], [1, 2, 3, 5]], 2
    # The same passages behind another beginning.
    yield [[1, 2, 8, 8, 8], [1, 3, 8, 8, 8]], 1
    yield [[5, 1, 2, 3], [1, 2, 3, 5]], 1
    yield [[1, 2, 3], [1, 2, 3], [1, 2, 3]], 2
    # A prompt that is the beginning of another, and the other way round.
    yield [[1, 2], [1, 2, 3, 4], [1, 2, 3]], 2
    # Forty prompts come between a prompt and its return: this cache forgets none.
    yield [[1, 2, 3], *([7, number] for number in range(40)), [1, 2, 3]], 2
    yield [[1, 2, 3]], 1
    yield [], 1
    for _ in range(40):
        start = [rng.randrange(9) for _ in range(rng.randrange(4))]
        prompts = [start + [rng.randrange(2) for _ in range(rng.randrange(6))] for _ in range(rng.randrange(1, 7))]
        yield prompts, rng.randrange(1, 6)
