from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hierrag_lessons.evaluation import bootstrap_interval, paired_difference, paired_test

shares = st.floats(0, 1, allow_subnormal=False)
pairs = st.lists(st.tuples(shares, shares), min_size=1, max_size=9)


def sample(n: int, seed: int = 1) -> list[float]:
    return np.random.default_rng(seed).beta(2, 1, n).tolist()


def test_the_interval_agrees_with_scipy():
    values = sample(60)
    ours = bootstrap_interval(values, level=0.9)
    theirs = stats.bootstrap(
        (values,), np.mean, confidence_level=0.9, n_resamples=10_000, method="percentile", rng=7
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.003)
    assert ours.low < np.mean(values) < ours.high


def test_the_interval_agrees_with_all_resamples_of_a_tiny_sample():
    values = [0.0, 0.2, 0.9, 1.0]
    means = [np.mean(draw) for draw in product(values, repeat=4)]
    assert bootstrap_interval(values, resamples=40_000) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.03)


def test_about_95_percent_of_intervals_hold_the_true_mean():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(300):
        low, high = bootstrap_interval(rng.random(50).tolist(), resamples=500)
        inside += low <= 0.5 <= high
    assert 0.90 <= inside / 300 <= 0.98


def test_more_questions_give_a_narrower_interval_and_a_higher_level_a_wider_one():
    def width(n, level):
        low, high = bootstrap_interval(sample(n), level)
        return high - low

    assert width(400, 0.95) < 0.6 * width(100, 0.95)
    assert width(100, 0.99) > width(100, 0.95) > width(100, 0.5)


@given(st.lists(shares, min_size=1, max_size=30))
def test_the_interval_lies_within_the_values_and_is_the_same_each_time(values):
    low, high = bootstrap_interval(values, resamples=200)
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12
    assert (low, high) == bootstrap_interval(values, resamples=200)
    assert bootstrap_interval([values[0]] * 5, resamples=50) == pytest.approx((values[0], values[0]))


def test_another_seed_gives_another_interval():
    assert bootstrap_interval(sample(40), seed=1) != bootstrap_interval(sample(40), seed=2)


def test_many_questions_do_not_need_much_memory():
    # 10,000 x 5,000 numbers at once would be 800 MB; the blocks must still add up to all the resamples.
    low, high = bootstrap_interval(sample(5000), resamples=1000)
    assert high - low == pytest.approx(2 * 1.96 * np.std(sample(5000)) / np.sqrt(5000), rel=0.15)


@given(st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=1, max_size=9))
def test_the_exact_p_value_is_the_share_of_sign_patterns_at_least_as_extreme(pairs):
    a, b = zip(*pairs, strict=True)
    differences = [x - y for x, y in pairs]  # whole numbers, so that the oracle's sums are exact
    signs = product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in signs]
    expected = sum(value >= abs(sum(differences)) for value in sums) / len(sums)
    assert paired_test(a, b) == pytest.approx(expected)
    assert paired_test([x / 7 for x in a], [x / 7 for x in b]) == pytest.approx(expected)


def test_the_exact_p_value_agrees_with_scipy():
    a, b = sample(12, 1), sample(12, 2)
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=10_000
    )
    assert paired_test(a, b) == pytest.approx(theirs.pvalue)


def test_the_sampled_p_value_agrees_with_scipy():
    a = sample(80, 1)
    b = [value - 0.03 + 0.2 * other for value, other in zip(a, sample(80, 2), strict=True)]
    b = [value - np.mean(b) + np.mean(a) - 0.01 for value in b]
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=20_000, rng=5
    )
    assert 0.01 < theirs.pvalue < 0.5
    assert paired_test(a, b) == pytest.approx(theirs.pvalue, abs=0.015)


def test_p_values_by_hand():
    assert paired_test([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]) == 2 / 32
    assert paired_test([1, 0], [0, 1]) == 1.0
    assert paired_test([0.3, 0.3], [0.3, 0.3]) == 1.0
    # Ties of sums in floating point: 0.1 + 0.2 and 0.3 are as extreme as each other.
    assert paired_test([0.1, 0.2, 0.3], [0, 0, 0]) == paired_test([1, 2, 3], [0, 0, 0]) == 0.25


def test_questions_without_a_difference_do_not_change_the_p_value():
    a, b = sample(10, 1), sample(10, 2)
    assert paired_test(a + [0.5] * 500, b + [0.5] * 500) == paired_test(a, b)


def test_a_sampled_p_value_is_never_zero():
    assert paired_test([1.0] * 100, [0.0] * 100, resamples=999) == 1 / 1000


@given(pairs)
def test_the_order_of_the_methods_does_not_matter_to_the_test(pairs):
    a, b = zip(*pairs, strict=True)
    assert paired_test(a, b) == pytest.approx(paired_test(b, a))
    low, high = paired_difference(a, b, resamples=200)
    assert (-high, -low) == pytest.approx(paired_difference(b, a, resamples=200))


def test_equal_methods_are_rarely_told_apart():
    rng = np.random.default_rng(4)
    p_values = [paired_test(rng.random(40).tolist(), rng.random(40).tolist(), resamples=400) for _ in range(300)]
    assert 0.01 <= np.mean(np.array(p_values) <= 0.05) <= 0.09


def test_pairing_makes_the_interval_of_a_difference_narrow():
    hard = sample(100)
    low, high = paired_difference([value + 0.05 for value in hard], hard)
    assert (low, high) == pytest.approx((0.05, 0.05))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_interval([]), r"values has the shape \(0,\)"),
        (lambda: bootstrap_interval([[0.1], [0.2]]), r"values has the shape \(2, 1\)"),
        (lambda: bootstrap_interval([0.1, float("nan")]), r"values\[1\] is nan"),
        (lambda: bootstrap_interval([float("inf")]), r"values\[0\] is inf"),
        (lambda: bootstrap_interval([0.1], level=95), "level is 95"),
        (lambda: bootstrap_interval([0.1], level=0), "level is 0"),
        (lambda: bootstrap_interval([0.1], resamples=0), "resamples is 0"),
        (lambda: paired_test([], []), r"a has the shape \(0,\)"),
        (lambda: paired_test([1.0], [float("nan")]), r"b\[0\] is nan"),
        (lambda: paired_test([1.0, 2.0], [1.0]), "a has 2 values and b has 1"),
        (lambda: paired_test([1.0], [1.0], resamples=0), "resamples is 0"),
        (lambda: paired_difference([1.0, 2.0], [1.0]), "a has 2 values and b has 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
