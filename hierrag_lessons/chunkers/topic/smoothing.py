"""Smoothing: from one label a sentence, which flickers, to runs of sentences on one topic.

Lesson 10 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks

Costs = NDArray[np.float64]
"""Shape ``(n, topics)``: how badly each sentence fits each topic."""


def majority(labels: Sequence[int], window: int = 5) -> list[int]:
    """Give each sentence the most frequent label among the ``window`` sentences around it.

    Where labels are equally frequent the sentence keeps its own if that is one of them, and takes the lowest otherwise.
    At the ends of the text the window is shorter. Raises ``ValueError`` for a window that is not odd and positive.
    """
    checks.odd("window", window)
    reach, smoothed = window // 2, list[int]()
    for i, own in enumerate(labels):
        near = labels[max(0, i - reach) : i + reach + 1]
        smoothed.append(min(set(near), key=lambda label: (-near.count(label), label != own, label)))
    return smoothed


def viterbi(costs: Costs, penalty: float, min_run: int = 1) -> list[int]:
    """The labels of the lowest total cost, where every change of the label costs ``penalty``.

    The algorithm is Viterbi's (1967), for a Markov chain that leaves its state with one fixed, small probability: the
    penalty is then the difference of the logarithms of staying and leaving. In addition every run of equal labels has
    at least ``min_run`` sentences. All labels are chosen at once: a sentence is not judged before the whole text is.

    Parameters
    ----------
    costs:
        Shape ``(n, topics)``, with at least one topic.
    penalty:
        What a change costs, in the unit of ``costs``; 0 lets every sentence go to its cheapest topic.
    min_run:
        The fewest sentences in a run. A text of fewer sentences is one run.

    Returns
    -------
    One label for each sentence. Sums are rounded to six decimals; among equals a run goes on rather than a new one
    begins, and the lowest label wins. The time grows with ``n · topics``.

    Raises
    ------
    ValueError
        Where there is no topic, ``penalty`` is negative or no number, or ``min_run`` is below 1.
    """
    checks.number("penalty", penalty, 0)
    checks.whole("min_run", min_run, 1)
    n, topics = costs.shape
    if topics < 1:
        raise ValueError(f"costs has the shape {costs.shape}; give a column for at least one topic")
    if n == 0:
        return []
    min_run = min(min_run, n)
    sums = np.concatenate([np.zeros((1, topics)), np.cumsum(costs, axis=0)])
    # Of the first j sentences, with the last run on topic t: the lowest cost, where that run starts, the topic before.
    best = np.full((n + 1, topics), np.inf)
    run_start, topic_before = np.zeros((2, n + 1, topics), dtype=np.intp)
    for j in range(min_run, n + 1):
        i = j - min_run
        others = _cheapest_others(best[i])
        reached = best[i][others] + penalty if i else np.zeros(topics)
        if topics == 1 and i:
            reached = np.full(1, np.inf)
        begins = np.round(reached + sums[j] - sums[i], 6)
        goes_on = np.round(best[j - 1] + costs[j - 1], 6)
        longer = goes_on <= begins
        best[j] = np.where(longer, goes_on, begins)
        run_start[j] = np.where(longer, run_start[j - 1], i)
        topic_before[j] = np.where(longer, topic_before[j - 1], others)
    return _read_back(int(np.argmin(best[n])), run_start, topic_before)


def _cheapest_others(costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """For each topic the cheapest one that it is not, shape ``(topics,)``; itself where it is the only one."""
    order = np.argsort(costs, kind="stable")
    others = np.full(len(costs), order[0])
    others[order[0]] = order[min(1, len(costs) - 1)]
    return others


def _read_back(topic: int, run_start: NDArray[np.intp], topic_before: NDArray[np.intp]) -> list[int]:
    """The labels of the best path that ends on ``topic``, collected from the end of the text."""
    labels: list[int] = []
    end = len(run_start) - 1
    while end > 0:
        start = int(run_start[end, topic])
        labels += [topic] * (end - start)
        end, topic = start, int(topic_before[end, topic])
    return labels[::-1]
