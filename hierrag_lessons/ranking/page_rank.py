"""PageRank that starts from chosen nodes: what is near to them in a graph, over all paths.

Lesson 22 builds it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array, sparray

from hierrag_lessons import checks

_STEPS = 60


def personalised_page_rank(links: sparray, start: np.ndarray, damping: float = 0.5) -> np.ndarray:
    """How often a random walk is at each node that goes back to the start, now and then.

    >>> from scipy.sparse import csr_array
    >>> line = csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])  # 0 - 1 - 2
    >>> personalised_page_rank(line, np.array([1.0, 0, 0])).round(2).tolist()
    [0.58, 0.33, 0.08]

    With the probability ``damping`` the walk follows a link, the heavier the more likely; else, and where no link leads
    on, it jumps to a node of the start. Power iteration: Page et al. (1999); with chosen jumps: Haveliwala, "Topic-
    sensitive PageRank", WWW 2002.

    Parameters
    ----------
    links:
        Shape ``(n, n)``, nodes by nodes, the weight of the link from a row to a column, none below 0.
    start:
        Shape ``(n,)``, the weight of each node in the start, none below 0.
    damping:
        0 to 1, below 1.

    Returns shape ``(n,)``, sum 1; zeros where there is no start. Raises ``ValueError`` for a bad shape or value.
    """
    checks.number("damping", damping, 0, 1)
    table, jumps = csr_array(links), np.asarray(start, float)
    if damping == 1:
        raise ValueError("damping is 1; give less, so that the walk comes back to the start")
    if jumps.ndim != 1 or table.shape != (len(jumps), len(jumps)):
        raise ValueError(f"start has the shape {jumps.shape} and links {table.shape}; give (n,) and (n, n)")
    if not np.isfinite(jumps).all() or (jumps < 0).any() or (table.data < 0).any():
        raise ValueError("start or links holds a weight below 0, or none; give 0 or more")
    if not jumps.sum():
        return np.zeros(len(jumps))
    jumps = jumps / jumps.sum()
    leaving = table.sum(axis=1)
    shares = diags_array(np.divide(1.0, leaving, out=np.zeros(len(jumps)), where=leaving > 0)) @ table
    steps = csr_array(shares.T)
    ranks: np.ndarray = jumps
    for _ in range(_STEPS):
        followed = damping * (steps @ ranks)
        ranks = followed + (1 - followed.sum()) * jumps
    return ranks
