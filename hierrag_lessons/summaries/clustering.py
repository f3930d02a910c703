"""Soft clusters: groups of texts about the same thing, where one text may belong to several.

Lesson 16 builds it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hierrag_lessons import checks

if TYPE_CHECKING:
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_FEWEST = 6  # Of fewer points no mixture can be told from another.
_MOST = 50  # Components that are tried, as in the authors' code.
_PATIENCE = 6  # The search for their number ends after so many that were no better.


class Cluster(NamedTuple):
    """Places in the list of vectors.

    ``home`` are those that belong here more than anywhere else, in order; ``visitors`` are at home in another cluster,
    and the values are the probabilities with which they belong here, too.
    """

    home: tuple[int, ...]
    visitors: Mapping[int, float]

    @property
    def members(self) -> tuple[int, ...]:
        """All places, in order."""
        return tuple(sorted([*self.home, *self.visitors]))


@dataclass(frozen=True)
class SoftClustering:
    """Gaussian mixtures in a few dimensions, first of all vectors and then inside each cluster (RAPTOR, 2024).

    Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, ICLR 2024, section 3.
    Vectors are reduced to a few dimensions; a mixture of Gaussians is fitted, with as many components as the Bayesian
    information criterion (Schwarz, 1978) likes best; a vector belongs to every component with a probability of
    ``threshold`` or more. Inside each cluster so found the same is done again.

    Four things are different here. The paper reduces with UMAP, which differs from machine to machine and is no part
    of this course: here it is PCA. All components of a mixture share one covariance, so that fewer numbers have to be
    estimated from a document's few chunks. A component that only one vector calls home is given up, and that vector
    goes to the nearest other one. A cluster that is too large is divided once more, and where that finds no groups in
    it, by the order of the vectors. So there are at most half as many clusters as vectors, and a tree made of them
    ends.

    The same vectors give the same clusters in every run: the seed is fixed, one thread adds up, and numbers are
    rounded before they decide.

    Parameters
    ----------
    threshold:
        From which probability on a vector also belongs to a cluster where it is not at home. The probabilities of the
        steps are multiplied.
    max_members:
        The most members of a cluster. Where there are more visitors than room, the likeliest are let in.
    dims:
        The most dimensions to reduce to; there is at least one, and no more than a quarter of the number of vectors.

    Raises
    ------
    ValueError
        When it is made, for ``threshold`` outside 0 to 1, ``max_members`` below 3, or ``dims`` below 1.
    """

    threshold: float = 0.1
    max_members: int = 10
    dims: int = 5

    def __post_init__(self) -> None:
        checks.number("threshold", self.threshold, most=1, above=0)
        checks.whole("max_members", self.max_members, 3)  # with 2, a cluster of three would leave one alone
        checks.whole("dims", self.dims, 1)

    def cluster(self, vectors: np.ndarray) -> list[Cluster]:
        """Cluster vectors of shape ``(n, dim)``.

        Returns
        -------
        list[Cluster]
            In the order of their first home. Each vector has one home; each cluster is home to at least two, or to the
            only one that there is. No vectors give no clusters.

        Raises ``ValueError`` for vectors of another shape, or with values that are not finite.
        """
        points = np.asarray(vectors, dtype=np.float64)
        if points.ndim != 2 or not np.isfinite(points).all():
            raise ValueError(f"vectors have the shape {points.shape}; give finite numbers of shape (n, dim)")
        if not len(points):
            return []
        # All are loaded before the limit is set, because it holds for the libraries that are loaded then.
        import sklearn.decomposition  # noqa: F401
        import sklearn.mixture  # noqa: F401
        from sklearn.exceptions import ConvergenceWarning

        with threadpool_limits(1), warnings.catch_warnings():
            # A mixture that has not quite converged is as good a candidate as any other.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = [
                self._welcome(home, shares)
                for home, shares in self._divide(np.round(points, 6), np.arange(len(points)), np.ones(len(points)), 0)
            ]
        return sorted(found, key=lambda cluster: cluster.home)

    def _divide(self, points: Array, home: Places, shares: Array, step: int) -> Iterator[tuple[Places, Array]]:
        """Groups of ``home``, each with the probability of every point to belong to it; step 0 is the global one."""
        mixture = _Mixture.fit(points[home], self.dims)
        if mixture is None:
            runs = -(-len(home) // self.max_members)
            for run in np.array_split(home, runs):
                # Nothing tells these apart, so whoever visits the whole belongs to no part of it.
                yield run, shares if runs == 1 else np.zeros(len(points))
            return
        near = np.flatnonzero(shares >= self.threshold)
        probabilities = np.zeros((len(points), len(mixture.parts)))
        if len(near):
            probabilities[near] = mixture.probabilities(points[near])
        for part, own in enumerate(mixture.parts):
            inside, its_shares = home[own], np.round(shares * probabilities[:, part], 4)
            if step == 0 or len(inside) > self.max_members:
                yield from self._divide(points, inside, its_shares, step + 1)
            else:
                yield inside, its_shares

    def _welcome(self, home: Places, shares: Array) -> Cluster:
        """The cluster, with the likeliest visitors as long as there is room."""
        at_home = tuple(sorted(int(place) for place in home))
        ranked = [int(place) for place in np.argsort(-shares, kind="stable") if shares[place] >= self.threshold]
        likely = [place for place in ranked if place not in at_home][: self.max_members - len(at_home)]
        return Cluster(at_home, {place: float(shares[place]) for place in sorted(likely)})


@dataclass(frozen=True)
class _Mixture:
    """A fitted mixture; ``parts`` are the places of the points at home in each of its components, two or more each."""

    reduction: PCA
    model: GaussianMixture
    kept: list[int]
    parts: list[Places]

    @classmethod
    def fit(cls, points: Array, dims: int) -> _Mixture | None:
        """The mixture with the lowest BIC; ``None`` where that has a single component that anything is left of."""
        from sklearn.decomposition import PCA
        from sklearn.mixture import GaussianMixture

        n = len(points)
        if n < _FEWEST or not np.ptp(points, axis=0).any():
            return None
        reduction = PCA(min(dims, n // 4 or 1, points.shape[1]), svd_solver="full").fit(points)
        reduced = np.round(reduction.transform(points), 4)
        best, lowest, since = None, np.inf, 0
        for components in range(1, min(_MOST, n // 3, len(np.unique(reduced, axis=0))) + 1):
            model = GaussianMixture(components, covariance_type="tied", reg_covar=1e-4, random_state=0).fit(reduced)
            bic = round(float(model.bic(reduced)), 3)
            best, lowest, since = (model, bic, 0) if bic < lowest else (best, lowest, since + 1)
            if since == _PATIENCE:
                break
        kept, labels = _without_singles(reduced, best)
        parts = [np.flatnonzero(labels == component) for component in kept]
        return cls(reduction, best, kept, parts) if len(kept) > 1 else None

    def probabilities(self, points: Array) -> Array:
        """How likely each point belongs to each part, shape ``(n, parts)``."""
        reduced = np.round(self.reduction.transform(points), 4)
        return np.asarray(self.model.predict_proba(reduced)[:, self.kept], dtype=np.float64)


def _without_singles(points: Array, model: GaussianMixture) -> tuple[list[int], Places]:
    """The components that at least two points call home, and each point's own."""
    labels = np.round(model.predict_proba(points), 4).argmax(axis=1)
    distances = np.round(np.square(points[:, None] - model.means_[None]).sum(axis=2), 4)
    kept = list(range(len(model.means_)))
    while len(kept) > 1:
        sizes = {component: int((labels == component).sum()) for component in kept}
        smallest = min(kept, key=lambda component: (sizes[component], -component))
        if sizes[smallest] > 1:
            break
        kept.remove(smallest)
        for place in np.flatnonzero(labels == smallest):
            labels[place] = min(kept, key=lambda component: (distances[place, component], component))
    return kept, labels
