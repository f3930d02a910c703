"""Which sentences belong together, wherever they stand: clusters of sentence vectors.

Lesson 10 builds it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hierrag_lessons import checks

ClusterMethod = Literal["kmeans", "hdbscan"]

FEWEST, MOST = 3, 8
"""How many topics are tried where their number is not given."""

_SAMPLE = 1000  # The silhouette compares all pairs; of a long text so many sentences are enough.


class TopicsRefusedError(ValueError):
    """A text has too little in it to be divided by topic; the message says what is missing."""


class Clusters(NamedTuple):
    """Topics as places among the sentence vectors.

    ``centers`` has the shape ``(topics, dim)``. ``silhouettes`` is the score of each number of topics that was tried.
    """

    centers: NDArray[np.float64]
    silhouettes: dict[int, float]


def find_clusters(
    vectors: NDArray[np.float64], topics: int | None, min_sentences: int, method: ClusterMethod
) -> Clusters:
    """Cluster sentence vectors of unit length, shape ``(n, dim)``.

    ``"kmeans"`` makes ``topics`` clusters. Where that is None, it tries 3 to 8, as far as each has ``min_sentences`` on
    average, and takes the number with the highest silhouette (Rousseeuw, 1987). ``"hdbscan"`` (Campello, Moulavi and
    Sander, 2013) finds the number itself: dense groups of at least ``min_sentences``.

    Raises
    ------
    TopicsRefusedError
        Where there are too few sentences, too few different ones, or HDBSCAN finds fewer than two dense groups.
    ValueError
        For settings that cannot work, see :func:`check_topics`.
    """
    check_topics(topics, min_sentences, method)
    n, needed = len(vectors), topics or FEWEST
    least = needed * min_sentences
    if n < least:
        raise TopicsRefusedError(
            f"{n} sentences are too few for {needed} topics of {min_sentences} sentences each, {least} are needed; "
            "cut so small a text by its sentences or its structure"
        )
    # Rounded, since a machine may differ from the next one in the last bits.
    points = np.round(vectors, 6)
    different = len(np.unique(points, axis=0))
    if different <= needed:
        raise TopicsRefusedError(f"{different} different sentences are too few for {needed} topics")
    import sklearn.cluster  # noqa: F401  # before the limit is set: it holds for the libraries that are loaded then

    with threadpool_limits(1):  # How many threads add up a sum changes its last bits; and here one is quicker, too.
        if method == "hdbscan":
            return Clusters(_dense_groups(points, min_sentences), {})
        tried = [topics] if topics else range(FEWEST, min(MOST, n // min_sentences, different - 1) + 1)
        return _k_means(points, tried)


def distances(vectors: NDArray[np.float64], centers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distance of each sentence to each centre, shape ``(n, topics)``, rounded to six decimals."""
    squares = np.square(vectors).sum(axis=1)[:, None] + np.square(centers).sum(axis=1)
    return np.asarray(np.round(squares - 2 * vectors @ centers.T, 6))


def check_topics(topics: int | None, min_sentences: int, method: ClusterMethod) -> None:
    """Refuse settings that cannot work.

    Raises
    ------
    ValueError
        Where a number is no whole one, fewer than two topics or one sentence a topic are asked for, the method is
        unknown, or a number of topics is given to HDBSCAN, which finds its own.
    """
    checks.whole("topics", topics, 2, none="the number that suits the text")
    checks.whole("min_sentences", min_sentences, 1)
    checks.one_of("method", method, ClusterMethod)
    if topics is not None and method == "hdbscan":
        raise ValueError(f"topics is {topics}, but HDBSCAN finds their number itself; give None")


def _k_means(points: NDArray[np.float64], tried: range | list[int]) -> Clusters:
    """The clusters of the number with the highest silhouette, the smallest among equals."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    found = {k: KMeans(k, n_init=4, random_state=0).fit(points) for k in tried}
    sample = min(_SAMPLE, len(points))
    silhouettes = {
        k: round(float(silhouette_score(points, made.labels_, sample_size=sample, random_state=0)), 4)
        for k, made in found.items()
    }
    best = max(silhouettes, key=lambda k: (silhouettes[k], -k))
    return Clusters(found[best].cluster_centers_, silhouettes)


def _dense_groups(points: NDArray[np.float64], min_sentences: int) -> NDArray[np.float64]:
    """The mean of each group; what HDBSCAN leaves out as noise (label -1) has no part in it."""
    from sklearn.cluster import HDBSCAN

    labels = HDBSCAN(min_cluster_size=max(2, min_sentences), copy=True).fit_predict(points)
    groups = int(labels.max()) + 1
    if groups < 2:
        raise TopicsRefusedError(
            f"HDBSCAN finds {groups} dense groups of {min_sentences} or more among {len(points)} sentences, and topics "
            "need two: lower min_sentences, or use method 'kmeans'"
        )
    return np.stack([points[labels == group].mean(axis=0) for group in range(groups)])
