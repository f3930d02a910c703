import pytest

from hierrag_lessons.agents import Prices, question_cost

PRICES = Prices(new=2.0, cached=0.5, written=8.0)


def by_hand(prompts, written, cached=0, caching=True):
    """Token by token: has this one been sent before?"""
    known, total = cached, 0.0
    for size in prompts:
        for token in range(size):
            total += PRICES.cached if caching and token < known else PRICES.new
        known = size
    return (total + PRICES.written * written) / 1e6


@pytest.mark.parametrize("caching", [True, False])
@pytest.mark.parametrize(
    ("prompts", "written", "cached"), [([], 0, 0), ([100], 7, 0), ([100], 7, 60), ([10, 10, 90], 5, 3), ([5, 80], 0, 5)]
)
def test_the_cost_is_that_of_every_token(prompts, written, cached, caching):
    cost = question_cost(prompts, written, prices=PRICES, cached=cached, caching=caching)
    assert cost == pytest.approx(by_hand(prompts, written, cached, caching))


def test_steps_cost_more_than_one_prompt_and_a_cache_makes_them_cheaper():
    steps = [1000, 2000, 3000]
    assert question_cost(steps, 100) > question_cost([3000], 100)
    assert question_cost(steps, 100) < question_cost(steps, 100, caching=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"prompts": [5, 4], "written": 0}, "prompts has 4 after 5 tokens; give sizes that grow"),
        ({"prompts": [5], "written": 0, "cached": 6}, "prompts has 5 after 6"),
        ({"prompts": [-1], "written": 0}, "prompts is -1"),
        ({"prompts": 5, "written": 0}, "prompts is 5"),
        ({"prompts": [5], "written": 0, "prices": (1, 1, 1)}, "prices is"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        question_cost(**given)
