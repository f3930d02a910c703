import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.agents import Prices
from hierrag_lessons.production import Speed, Workload, constant_share, shared_prefixes
from hierrag_lessons.text import count_tokens, encode

SONNET = Prices(new=3, cached=0.3, written=15)
PUBLISHED = Workload(constant=0, context=7_500, question=500, answer=0, questions_a_day=10_000, days=30)


def test_the_published_bill_is_reproduced():
    assert PUBLISHED.prompt == 8_000
    assert PUBLISHED.cost(SONNET) == pytest.approx(0.024)
    assert PUBLISHED.monthly(SONNET) == pytest.approx(7_200)


def test_a_short_prefix_is_not_cached():
    short, long = Workload(constant=1_023), Workload(constant=1_024)
    assert (short.cached, long.cached) == (0, 1_024)
    assert short.cost(SONNET) == short.cost(SONNET, caching=False)
    assert long.cost(SONNET) < long.cost(SONNET, caching=False)


def test_a_cache_that_is_rarely_warm_saves_less():
    costs = [Workload(constant=4_000, hit_rate=rate).cost(SONNET) for rate in (0.0, 0.5, 1.0)]
    assert costs[0] == Workload(constant=4_000).cost(SONNET, caching=False)
    assert costs[1] == pytest.approx((costs[0] + costs[2]) / 2)
    assert costs[2] < costs[1]


@given(st.floats(0, 0.9), st.integers(100_000, 1_000_000))
def test_the_constant_share_saves_what_it_says(saving, prompt):
    constant = round(constant_share(saving, SONNET) * prompt)
    load = Workload(constant=constant, context=prompt - constant, question=0, answer=0, cache_minimum=0)
    saved = 1 - load.cost(SONNET) / load.cost(SONNET, caching=False)
    assert saved == pytest.approx(saving, abs=1e-4)


def test_more_than_a_cache_can_save_is_refused():
    with pytest.raises(ValueError, match=r"saving is 0.95, and a prompt that is cached whole saves 0.90; give no more"):
        constant_share(0.95)


def common(first, second):
    return next(n for n in range(len(first), -1, -1) if first[:n] == second[:n])


@given(st.lists(st.text("ab c", max_size=12), max_size=8))
def test_shared_prefixes_are_those_of_every_earlier_prompt(prompts):
    tokens = [encode(prompt, count_tokens.encoding).tolist() for prompt in prompts]
    slow = [max((common(own, other) for other in tokens[:i]), default=0) for i, own in enumerate(tokens)]
    assert shared_prefixes(prompts) == slow


@given(st.lists(st.text("ab ", max_size=6), max_size=8), st.integers(1, 4))
def test_a_beginning_that_nobody_used_again_is_dropped(prompts, lasts):
    tokens = [encode(prompt, count_tokens.encoding).tolist() for prompt in prompts]
    slow = [
        max((common(own, other) for other in tokens[max(0, i - lasts) : i]), default=0) for i, own in enumerate(tokens)
    ]
    assert shared_prefixes(prompts, lasts) == slow


def test_a_passage_in_front_makes_the_rest_new():
    rules = "Answer from the passages only, and cite their numbers. " * 20
    behind = [f"{rules}Passage {n}. What is the rent?" for n in range(3)]
    in_front = [f"Passage {n}. {rules}What is the rent?" for n in range(3)]
    assert min(shared_prefixes(behind)[1:]) >= count_tokens(rules) - 1
    assert max(shared_prefixes(in_front)) < 5


def test_cached_tokens_take_no_time():
    speed = Speed(search=20, read=1_000, written=100)
    assert speed.milliseconds(2_000, 100, cached=2_000) == pytest.approx(20 + 1_000)
    with pytest.raises(ValueError, match="cached is 5; give a number from 0 to 4"):
        speed.milliseconds(4, 0, cached=5)
