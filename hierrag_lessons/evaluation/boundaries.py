"""How well a text was divided into segments: Pk, WindowDiff and boundary F1.

Lesson 09 builds it.

A text of ``n`` units (sentences, turns) is divided by the indices of the units that start a segment. Unit 0 always
starts one, whether it is listed or not.
"""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks


def pk(n: int, reference: Collection[int], hypothesis: Collection[int], k: int | None = None) -> float:
    """Probability that two units ``k`` apart are wrongly put into one segment or into two; lower is better.

    >>> pk(12, [0, 4, 8], [0, 8]), pk(12, [0, 4, 8], [0, 4, 5, 8])
    (0.2, 0.1)

    A missing boundary costs more than one too many: the pairs around a true boundary are apart anyway, so one more
    beside it changes few of them. One segment for the whole text scores below 0.5, since ``k`` is half of a segment and
    about half of the pairs lie inside one. Source: Beeferman, Berger and Lafferty, *Statistical Models for Text
    Segmentation* (1999).

    Parameters
    ----------
    n:
        Number of units.
    reference, hypothesis:
        Indices of the units that start a segment, in any order.
    k:
        Distance of the two units. Where not given, half of the reference's mean segment length, as is usual.

    Returns
    -------
    From 0 to 1; ``nan`` where the text is too short for any two units ``k`` apart.

    Raises
    ------
    ValueError
        Where ``n`` is negative, an index is no unit, or ``k`` is below 1 or no whole number.
    """
    wanted, found = _segments(n, reference, "reference"), _segments(n, hypothesis, "hypothesis")
    k = _distance(n, wanted, k)
    wrong = (wanted[k:] == wanted[:-k]) != (found[k:] == found[:-k])
    return float(wrong.mean()) if len(wrong) else float("nan")


def window_diff(n: int, reference: Collection[int], hypothesis: Collection[int], k: int | None = None) -> float:
    """Share of the windows of ``k`` gaps in which the two divisions have a different number of boundaries.

    >>> window_diff(12, [0, 4, 8], [0, 8]), window_diff(12, [0, 4, 8], [0, 4, 5, 8])
    (0.2, 0.2)

    Lower is better. :func:`pk` only asks whether there is a boundary between two units, so it misses a second one
    beside the first. This counts them, so that a boundary too many costs about as much as a missing one. Source:
    Pevzner and Hearst, *A Critique and Improvement of an Evaluation Metric for Text Segmentation* (2002).

    Parameters
    ----------
    n:
        Number of units.
    reference, hypothesis:
        Indices of the units that start a segment, in any order.
    k:
        Gaps in a window. Where not given, half of the reference's mean segment length, as in :func:`pk`.

    Returns
    -------
    From 0 to 1, never below :func:`pk`; ``nan`` where the text is too short for any window.

    Raises
    ------
    ValueError
        Where ``n`` is negative, an index is no unit, or ``k`` is below 1 or no whole number.
    """
    wanted, found = _segments(n, reference, "reference"), _segments(n, hypothesis, "hypothesis")
    k = _distance(n, wanted, k)
    # The number of a unit's segment counts the boundaries before it.
    wrong = (wanted[k:] - wanted[:-k]) != (found[k:] - found[:-k])
    return float(wrong.mean()) if len(wrong) else float("nan")


def boundary_f1(n: int, reference: Collection[int], hypothesis: Collection[int]) -> float:
    """Harmonic mean of precision and recall of the boundaries, exactly hit or missed; the start of the text is none.

    1 where neither has a boundary, 0 where only one of them has. Raises ``ValueError`` as :func:`pk` does.
    """
    wanted = set(np.flatnonzero(np.diff(_segments(n, reference, "reference"))).tolist())
    found = set(np.flatnonzero(np.diff(_segments(n, hypothesis, "hypothesis"))).tolist())
    if not wanted and not found:
        return 1.0
    return 2 * len(wanted & found) / (len(wanted) + len(found))


def _segments(n: int, starts: Collection[int], name: str) -> NDArray[np.intp]:
    """The number of the segment that each unit lies in, shape ``(n,)``."""
    checks.whole("n", n, 0)
    outside = [start for start in starts if not isinstance(start, Integral) or not 0 <= start < n]
    if outside:
        raise ValueError(f"{name} has a segment that starts at unit {outside[0]}; the units are 0 to {n - 1}")
    begins = np.zeros(n, dtype=np.intp)
    begins[[start for start in starts if start > 0]] = 1
    return np.cumsum(begins)


def _distance(n: int, reference: NDArray[np.intp], k: int | None) -> int:
    checks.whole("k", k, 1, none="half of the mean segment")
    if k is None:
        segments = int(reference[-1]) + 1 if n else 1
        return max(1, round(n / segments / 2))
    return k
