"""The methods of SPEC (ICML 2007) and of chapter 2 of the dissertation (2010): features from best to worst.

Readings of the papers' graphs stand side by side: path lengths ("DIJ length") and hops ("DIJ hops"), diffusion over RBF
weights ("DIF RBF") and over binary ones ("DIF binary").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from baselines import arom_svm
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr

from eigenselect import FisherScore, LaplacianScore, ReliefF
from eigenselect.criteria.criterion import LARGE, UNIT, Criterion, phi
from eigenselect.criteria.forms import leading_form
from eigenselect.criteria.quadratic import feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.selection import rank_features
from eigenselect.similarity import KNN, ClassLabels, Geodesic, HitMiss
from eigenselect.spectral import Power

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

MOST = 100  # features that any table asks for


class Method(NamedTuple):
    """A row of the framework (graph, ranking function, power), or a baseline by its name."""

    graph: str
    ranking: str = ""
    power: int = 1

    @property
    def key(self) -> str:
        """Its name in the files of trials."""
        return f"{self.graph}/{self.ranking}/{self.power}" if self.ranking else self.graph


LAPLACIAN, RELIEFF, FISHER = Method("Laplacian"), Method("ReliefF"), Method("Fisher")
AROM, ENTROPY = Method("AROM-SVM"), Method("Entropy")
#: features as they are, Euclidean neighbours, squared differences: the form that Eq. 12 stands for
SQUARED_RELIEFF = Method("ReliefF squared")
SELECTORS: dict[Method, Callable[[], Any]] = {
    LAPLACIAN: LaplacianScore,
    RELIEFF: ReliefF,
    SQUARED_RELIEFF: partial(ReliefF, difference="squared"),
    FISHER: FisherScore,
}
BASELINES = (*SELECTORS, AROM, ENTROPY)
#: φ3 on class labels with the indicators of the classes as eigenvectors: see `indicator_phi3`
INDICATORS = Method("C", "indicators")
PHI = ("phi1", "phi2", "phi3")

#: by the name of the graph, the powers that some table has
POWERS: dict[str, tuple[int, ...]] = {
    "RBF": (1, 3, 4),
    "DIF RBF": (1, 4),
    "DIF binary": (1, 4),
    "DIJ length": (1, 3),
    "DIJ hops": (1, 3, 4),
    "R": (1,),
    "C": (1, 3, 4),
}
#: how many times the number of classes φ3 takes as its k, beside once; on RBF alone
MORE_CLUSTERS = (2, 4)


def all_methods() -> list[Method]:
    """Every method that a trial measures."""
    framework = [Method(name, ranking, power) for name in POWERS for ranking in PHI for power in POWERS[name]]
    return [*BASELINES, *framework, INDICATORS, *(Method("RBF", f"phi3 {times}k") for times in MORE_CLUSTERS)]


def graphs(X: Any, y: NDArray[Any]) -> dict[str, SampleGraph]:
    """Every graph of the tables, over the training samples."""
    found = {
        "RBF": KNN(10).build(X),
        "DIF RBF": diffusion(X, "rbf"),
        "DIF binary": diffusion(X, "binary"),
        "DIJ length": Geodesic(n_neighbors=10).build(X),
        "DIJ hops": Geodesic(n_neighbors=10, weight="hops").build(X),
    }
    return found | {"R": HitMiss(10).build(X, y), "C": ClassLabels().build(X, y)}


def diffusion(X: Any, weight: str) -> SampleGraph:
    """The graph of `Diffusion(1.0, 10, weight)` with its exp(-L) formed: it is used a dozen times."""
    L = KNN(10, weight=weight).build(X).laplacian()
    values, vectors = np.linalg.eigh(L.toarray())
    return SampleGraph((vectors * np.exp(-values)) @ vectors.T)


def orders(X: Any, y: NDArray[Any], found: dict[str, SampleGraph]) -> Iterator[tuple[Method, IndexArray]]:
    """The features from best to worst, for every method; ``found`` are the `graphs`."""
    for method, selector in SELECTORS.items():
        yield method, np.argsort(selector().fit(X, y).ranking_)
    dense = X.toarray() if sparse.issparse(X) else X
    yield AROM, arom_svm(dense, y, MOST)
    yield ENTROPY, best_first(pair_entropies(X), larger_is_better=False)
    yield INDICATORS, best_first(indicator_phi3(dense, y), larger_is_better=True)
    for name, graph in found.items():
        yield from graph_orders(X, name, graph, np.unique(y).size)


def graph_orders(X: Any, name: str, graph: SampleGraph, n_classes: int) -> Iterator[tuple[Method, IndexArray]]:
    """The orders by φ1, φ2 and φ3 on one graph: φ1 and φ2 share their quadratic form, φ3 its eigenvectors."""
    for power in POWERS[name]:
        pair = [phi(ranking, graph, Power(power)) for ranking in PHI[:2]]
        terms = feature_terms(X, graph, pair[0].form)
        for ranking, criterion in zip(PHI[:2], pair, strict=True):
            yield Method(name, ranking, power), best_first(criterion.score_terms(terms).native, larger_is_better=False)
    for times in (1, *MORE_CLUSTERS) if name == "RBF" else (1,):
        leading = graph.whole_spectrum(times * n_classes, None)
        for power in POWERS[name] if times == 1 else (1,):
            form = leading_form(graph, Power(power), leading)
            scores = Criterion(graph, UNIT, form, LARGE).scores(X).native
            ranking = "phi3" if times == 1 else f"phi3 {times}k"
            yield Method(name, ranking, power), best_first(scores, larger_is_better=True)


def best_first(scores: FloatArray, *, larger_is_better: bool) -> IndexArray:
    """Columns by their scores; of equal ones the first comes first."""
    return np.argsort(rank_features(scores, larger_is_better=larger_is_better))


def indicator_phi3(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    r"""φ3 on class labels as a solver that returns the classes' indicators computes it.

    The eigenvalue 0 of the label graph is k-fold. The library takes the trivial vector out of its eigenspace. With the
    indicators as basis and the last of them in the place of the trivial one, φ3 is the sum of the other
    `indicator_terms`.
    """
    return np.asarray(indicator_terms(X, y)[:-1].sum(axis=0))


def indicator_terms(X: FloatArray, y: NDArray[Any]) -> FloatArray:
    r"""φ3's term of every class l and feature f, for the eigenvectors :math:`1_l / \sqrt{n_l}` of eigenvalue 0.

    .. math:: 2 \Big(\sum_{y_i = l} f_i\Big)^2 / (n_l \lVert f \rVert^2)
    """
    classes, sizes = np.unique(y, return_counts=True)
    sums = np.array([X[y == label].sum(axis=0) for label in classes])
    length = np.einsum("ij,ij->j", X, X)
    with np.errstate(invalid="ignore"):  # a column of zeros has no score
        return np.asarray(2.0 * (sums**2 / sizes[:, None]) / length)


def pair_entropies(X: Any) -> FloatArray:
    """`pair_entropy` of every column."""
    columns = _sparse_columns(X) if sparse.issparse(X) else X.T
    return np.array([pair_entropy(column) for column in columns])


def _sparse_columns(X: Any) -> Iterator[FloatArray]:
    """The columns of a sparse table, one at a time as dense ones."""
    stored = X.tocsc()
    for begin, end in zip(stored.indptr[:-1], stored.indptr[1:], strict=True):
        column = np.zeros(X.shape[0])
        column[: end - begin] = stored.data[begin:end]  # no matter where: pairs are counted
        yield column


def pair_entropy(feature: FloatArray) -> float:
    r"""The entropy of the similarities of all pairs of samples in one feature (Dash and Liu 2000), low if clustered.

    .. math:: -\sum_{i < j} S_{ij} \log S_{ij} + (1 - S_{ij}) \log (1 - S_{ij}), \; S_{ij} = 2^{-|f_i - f_j| / \bar d}

    where :math:`\bar d` is the mean distance of all pairs, so that a pair at it counts most. NaN for a constant.
    """
    values, counts = np.unique(feature, return_counts=True)
    distances = np.abs(values[:, None] - values)
    pairs = np.multiply.outer(counts, counts).astype(np.float64)
    mean = (pairs * distances).sum() / (feature.size * (feature.size - 1))
    if mean == 0:
        return np.nan
    similarity = np.exp2(-distances / mean)
    return float((pairs * (entr(similarity) + entr(1.0 - similarity))).sum() / 2)
