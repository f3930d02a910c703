"""The bill and the waiting time of a month, as a model whose every number is a parameter.

Lesson 25 builds it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields

from hierrag_lessons import checks
from hierrag_lessons.agents import Prices, question_cost
from hierrag_lessons.text import count_tokens, encode


@dataclass(frozen=True)
class Workload:
    """What is sent for one question, how often, and what of it a cache of prompts can keep.

    >>> sonnet = Prices(new=3, cached=0.3, written=15)
    >>> published = Workload(constant=0, context=7_500, question=500, answer=0, questions_a_day=10_000)
    >>> published.cost(sonnet), published.monthly(sonnet)
    (0.024, 7200.0)
    >>> Workload(constant=1_500, context=6_000, question=500, answer=0).cached
    1500

    A cache of prompts keeps the beginning of a prompt, as long as it is the same from the first token on. Of a
    question's prompt that is the system message with its instructions and examples. Passages differ from question to
    question, and what stands behind the first different token is never cached.

    Parameters
    ----------
    constant:
        Tokens at the beginning that are the same in every prompt.
    context:
        Tokens of passages.
    question:
        Tokens of the question and of everything else that is new each time.
    answer:
        Tokens that the model writes.
    questions_a_day, days:
        How many questions a month has.
    cache_minimum:
        Tokens below which a provider does not cache a prefix. 1,024 is the least of OpenAI's ("Prompt caching" guide)
        and of Anthropic's for most Sonnet models ("Prompt caching", table of minimum lengths), as of 2025; look up
        yours.
    hit_rate:
        The share of questions that come while the prefix is still in the cache: it is dropped minutes, an hour
        or a day after its last use, by provider and price. What some providers charge for putting it there is left
        out: for a constant beginning and thousands of questions a day it is paid for few of them. Where
        the passages are put there as well, it is paid for most of the prompt and can be more than the cache saves;
        lesson 25 does that sum.

    Raises ``ValueError`` for a number out of its range.
    """

    constant: int = 300
    context: int = 2_000
    question: int = 50
    answer: int = 200
    questions_a_day: int = 10_000
    days: int = 30
    cache_minimum: int = 1_024
    hit_rate: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "hit_rate":
                checks.whole(field.name, getattr(self, field.name), 0)
        checks.share("hit_rate", self.hit_rate)

    @property
    def prompt(self) -> int:
        """Tokens of the whole prompt."""
        return self.constant + self.context + self.question

    @property
    def cached(self) -> int:
        """Tokens of a prompt that a cache can hold: the constant beginning, or nothing where that is too short."""
        return self.constant if self.constant >= self.cache_minimum else 0

    def cost(self, prices: Prices | None = None, *, caching: bool = True) -> float:
        """What one question costs on average, in the unit of the prices.

        Raises ``ValueError`` as :func:`~hierrag_lessons.agents.question_cost` does.
        """
        miss = question_cost([self.prompt], self.answer, prices=prices, caching=caching)
        hit = question_cost([self.prompt], self.answer, prices=prices, cached=self.cached, caching=caching)
        return self.hit_rate * hit + (1 - self.hit_rate) * miss

    def monthly(self, prices: Prices | None = None, *, caching: bool = True) -> float:
        """What a month costs, in the unit of the prices. Raises ``ValueError`` as ``cost`` does."""
        return self.cost(prices, caching=caching) * self.questions_a_day * self.days


def constant_share(saving: float, prices: Prices | None = None) -> float:
    """The share of a prompt that must be constant, and in the cache, so that this share of the input's bill is saved.

    >>> round(constant_share(0.8), 3)  # a cached token at a tenth of the price
    0.889

    A cached token still costs something, so a share ``s`` of constant tokens saves ``s * (1 - cached / new)``.

    Raises ``ValueError`` for a saving outside 0 to 1, and for one that no prompt can reach at these prices.
    """
    checks.share("saving", saving)
    checks.instance("prices", prices, Prices, none="a tenth of the price for a cached token")
    price = prices or Prices()
    most = 1 - price.cached / price.new if price.new else 0.0
    if saving > most:
        raise ValueError(f"saving is {saving}, and a prompt that is cached whole saves {most:.2f}; give no more")
    return saving / most if saving else 0.0


def shared_prefixes(prompts: Sequence[str], lasts: int | None = None) -> list[int]:
    """For each prompt, in the order in which they are sent, how many of its first tokens an earlier one has as well.

    >>> shared_prefixes(["the cost is low", "the cost is high", "is it low", "the cost is low"])
    [0, 3, 0, 4]
    >>> shared_prefixes(["the cost is low", "the cost is high", "is it low", "the cost is low"], lasts=1)
    [0, 3, 0, 0]

    That is the most that a cache of prompts can have of these prompts. More prompts have longer beginnings in common,
    and questions that are asked again have all of them. So measure it on the prompts of a real day.

    Parameters
    ----------
    prompts:
        Whole prompts, rules first.
    lasts:
        How many prompts come before a beginning is dropped that nobody used again. Providers drop it after minutes, an
        hour or a day: at 10,000 questions a day five minutes are 35, and an hour is 417. ``None``: it is
        kept for ever, with room for all.

    Raises ``ValueError`` for what is no list of texts, and for a ``lasts`` below 1.
    """
    checks.whole("lasts", lasts, 1, none="for ever")
    seen: list[list[int]] = []  # sorted, so that the longest common beginning is with a neighbour
    sent: list[list[int]] = []
    shared: list[int] = []
    for prompt in checks.texts("prompts", prompts):
        tokens = encode(prompt, count_tokens.encoding).tolist()
        if lasts is not None and len(sent) > lasts:
            seen.pop(bisect_left(seen, sent[-lasts - 1]))
        place = bisect_left(seen, tokens)
        shared.append(max((_common(tokens, other) for other in seen[max(0, place - 1) : place + 1]), default=0))
        seen.insert(place, tokens)
        sent.append(tokens)
    return shared


@dataclass(frozen=True)
class Speed:
    """How long an answer takes: the search, then reading the prompt, then writing.

    >>> speed = Speed(search=20, read=5_000, written=50)
    >>> speed.milliseconds(2_350, 200), speed.milliseconds(8_000, 200)
    (4490.0, 5620.0)

    Parameters
    ----------
    search:
        Milliseconds until the passages are there.
    read:
        Tokens of a prompt that the model reads in a second; cached ones take no time.
    written:
        Tokens that it writes in a second.

    Measure all three on your own machine and provider. Raises ``ValueError`` for a speed of 0 or less.
    """

    search: float
    read: float
    written: float

    def __post_init__(self) -> None:
        checks.number("search", self.search, 0)
        checks.number("read", self.read, above=0)
        checks.number("written", self.written, above=0)

    def milliseconds(self, prompt: int, answer: int, cached: int = 0) -> float:
        """The time of one answer. Raises ``ValueError`` for a size below 0, and more cached tokens than sent ones."""
        checks.whole("prompt", prompt, 0)
        checks.whole("answer", answer, 0)
        checks.whole("cached", cached, 0, prompt)
        return self.search + 1000 * ((prompt - cached) / self.read + answer / self.written)


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    same = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        same += 1
    return same
