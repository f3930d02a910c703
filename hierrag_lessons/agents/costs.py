"""What a question costs when a language model reads: few passages, everything, or step by step.

Lesson 22 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from hierrag_lessons import checks


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, in any currency: read for the first time, read again from a cache, and written.

    >>> Prices(new=2.5, cached=0.25, written=10)
    Prices(new=2.5, cached=0.25, written=10)

    Raises ``ValueError`` for a price below 0.
    """

    new: float = 1.0
    cached: float = 0.1
    written: float = 5.0

    def __post_init__(self) -> None:
        for field in fields(self):
            checks.number(field.name, getattr(self, field.name), 0)


def question_cost(
    prompts: Sequence[int], written: int, *, prices: Prices | None = None, cached: int = 0, caching: bool = True
) -> float:
    """What one question costs, from the sizes of the prompts that are sent for it.

    >>> question_cost([1_200], 200)  # a few passages, one prompt
    0.0022
    >>> question_cost([400_000], 200, cached=399_900)  # everything, read before
    0.04109
    >>> round(question_cost([1_000, 2_500, 4_000], 400), 4)  # three calls of tools, each sees all before
    0.0063

    A model keeps nothing between two requests: each prompt holds the one before it, and what was added. With a cache of
    prompts the part that was sent before is read at a lower price, as long as it is the same from the first token on
    and the cache has not run out.

    Parameters
    ----------
    prompts:
        Tokens of each prompt, in order; each begins with all of the one before.
    written:
        Tokens that the model writes, in all of its replies.
    prices:
        Of a million tokens; by default in units of a new one: a tenth of it where cached, five times as much where
        written. Look up your provider's.
    cached:
        Tokens at the beginning of the first prompt that another question has left in the cache.
    caching:
        Whether there is such a cache.

    Returns the cost, in the unit of the prices.

    Raises ``ValueError`` for a size below 0, a prompt that is smaller than the one before or than ``cached``, and
    prices that are none.
    """
    sizes = checks.each("prompts", prompts, int)
    for size in sizes:
        checks.whole("prompts", size, 0)
    checks.whole("written", written, 0)
    checks.whole("cached", cached, 0)
    checks.instance("caching", caching, bool)
    checks.instance("prices", prices, Prices, none="one for a new token, a tenth for a cached, five for a written one")
    price = prices or Prices()
    before, total = cached, 0.0
    for size in sizes:
        if size < before:
            raise ValueError(f"prompts has {size} after {before} tokens; give sizes that grow, for each holds the last")
        known = before if caching else 0
        total += known * price.cached + (size - known) * price.new
        before = size
    return (total + written * price.written) / 1_000_000
