import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hierrag_lessons.ranking import personalised_page_rank


def solved(links, start, damping):
    """The exact answer: the fixed point, as the solution of a linear system; dead ends go back to the start."""
    start = start / start.sum()
    leaving = links.sum(axis=1, keepdims=True)
    moves = np.where(leaving > 0, links / np.where(leaving > 0, leaving, 1), start)
    return np.linalg.solve(np.eye(len(start)) - damping * moves.T, (1 - damping) * start)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.5, 0.8]))
def test_it_is_the_fixed_point(size, seed, damping):
    rng = np.random.default_rng(seed)
    links = rng.random((size, size)) * (rng.random((size, size)) < 0.4)
    start = rng.random(size) * (rng.random(size) < 0.5)
    start[rng.integers(size)] = 1
    ranks = personalised_page_rank(csr_array(links), start, damping)
    np.testing.assert_allclose(ranks, solved(links, start, damping), atol=1e-5)
    assert ranks.sum() == pytest.approx(1)


def test_what_no_path_reaches_gets_nothing():
    links = csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], float))
    assert personalised_page_rank(links, np.array([1.0, 0, 0]))[2] == 0


def test_without_a_start_there_is_nothing():
    assert personalised_page_rank(csr_array((2, 2)), np.zeros(2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("links", "start", "damping", "said"),
    [
        (np.eye(2), np.ones(2), 1, "damping is 1; give less"),
        (np.eye(2), np.ones(2), -0.1, "damping is -0.1"),
        (np.eye(2), np.ones(3), 0.5, r"start has the shape \(3,\)"),
        (np.ones((2, 3)), np.ones(2), 0.5, r"links \(2, 3\)"),
        (-np.eye(2), np.ones(2), 0.5, "below 0"),
        (np.eye(2), np.array([np.nan, 1]), 0.5, "start or links"),
    ],
)
def test_what_cannot_be_is_refused(links, start, damping, said):
    with pytest.raises(ValueError, match=said):
        personalised_page_rank(csr_array(links), start, damping)
