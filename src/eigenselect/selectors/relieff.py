"""ReliefF: features that differ between near samples of different classes, not within one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._checks import choice, random_generator, whole, whole_or_none
from eigenselect._labels import TARGET_LABELS, TARGETS, encode_classes, kind_of_target, numeric_target
from eigenselect._typing import IntArray
from eigenselect.criteria.criterion import LARGE, AsItIs, Criterion, UnitRange
from eigenselect.criteria.quadratic import AbsoluteForm, PowerForm
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity.base import warn_about_units
from eigenselect.similarity.labels import NeighborEdges, neighbors_by_class, relief_weights, warn_about_small_classes


class ReliefF(SpectralSelector):
    r"""Choose features that tell a sample from its nearest misses but not from its nearest hits.

    .. math::
        \varphi(f) = \frac1M \sum_t \left( \sum_{C \ne c_t} \frac{P(C)}{1 - P(c_t)} \frac1h \sum_{j \in
        \mathrm{miss}(t, C)} \delta(f_t, f_j) - \frac1h \sum_{j \in \mathrm{hit}(t)} \delta(f_t, f_j) \right)

    where :math:`c_t` is the class of sample t, :math:`P` the share of a class, and hit and miss are its h nearest
    samples in its own class and in class C. Two classes give Relief. A target of numbers (regression) gives RReliefF,
    which weighs neighbours by how much their targets differ.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    n_neighbors : int, default=10
        The h of the formula, per class. Where a class is smaller, all of it is used, with one warning.
    difference : {"absolute", "squared"}, default="absolute"
        :math:`\delta`. ``"absolute"`` divides features by their range and finds neighbours by Manhattan distance on
        them, as the literature does; ``"squared"`` takes features as they are and Euclidean neighbours, the form of
        the theorem.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds. ``"auto"`` takes numbers with fractions for numbers; whole ones too if none repeats, or if there
        are more than 20 different ones, not numbered through from 0 or 1, of which more than 5 % occur only once;
        all else for classes. Text, booleans and pandas categories always are classes.
    n_samples : int or None, default=None
        The M of the formula: draw this many samples t at random; None takes all.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        For drawing samples; None is fixed.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        φ, larger is better. NaN for constant features.
    target_kind_ : {"classes", "numbers"}
        What y was taken for.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The weights of hits (negative) and misses (positive), on which every sample counts the same.
    criterion_ : Criterion
        The triple that scored: graph, normalisation, form and native value.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    FisherScore : Class means instead of near samples.
    HSICScore : Dependence on classes, numbers or any kernel.
    eigenselect.similarity.HitMiss : Hits and misses as a similarity for `SPEC`.

    References
    ----------
    Robnik-Šikonja and Kononenko, Theoretical and empirical analysis of ReliefF and RReliefF, Machine Learning 2003,
    doi:10.1023/A:1025667309714; Zhao, PhD thesis, Arizona State University 2010, Eq. 3.15.

    Examples
    --------
    >>> from eigenselect import ReliefF
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ReliefF(2).fit(X, y).get_feature_names_out()
    array(['flavanoids', 'od280/od315_of_diluted_wines'], dtype=object)
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        n_neighbors: int = 10,
        difference: str = "absolute",
        target: str = "auto",
        n_samples: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.difference = difference
        self.target = target
        self.n_samples = n_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        absolute = "ReliefF with absolute differences is no quadratic form; use difference='squared'."
        return Traits(
            needs_labels=TARGET_LABELS.get(self.target, TARGET_LABELS["auto"]),
            no_similarity_matrix="ReliefF makes its own graph of hits and misses; use SPEC for a similarity_matrix.",
            no_p_values="its neighbours are found in the features that it judges, so their scores have no known null "
            "distribution",
            no_quadratic_form=absolute if self.difference == "absolute" else "",
        )

    def _check_parameters(self) -> None:
        choice(self.difference, "difference", "ReliefF", ("absolute", "squared"))
        choice(self.target, "target", "ReliefF", TARGETS)
        whole(self.n_neighbors, "n_neighbors", "ReliefF")
        whole_or_none(self.n_samples, "n_samples", "ReliefF")

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        ranges = None
        if self.difference == "absolute":
            ranges = measure_ranges(table)
        else:
            warn_about_units(table, "ReliefF")
        drawn = self._draw(table.n_samples)
        kind = kind_of_target(y, self.target, "ReliefF", table.n_samples)
        weigh = self._regression_weights if kind == "numbers" else self._class_weights
        described = {"similarity": "hits and misses", "n_neighbors": self.n_neighbors}
        weights = weigh(table, ranges, y, drawn)
        graph = SampleGraph(
            weights, mass=np.ones(table.n_samples), signed=True, made_of_labels=True, description=described
        )
        return Built(graph, parts=ranges, attributes={"target_kind_": kind})

    def _criterion(self, built: Built) -> Criterion:
        if built.parts is None:
            return Criterion(built.graph, AsItIs(), PowerForm(1), LARGE)
        return Criterion(built.graph, built.parts, AbsoluteForm(), LARGE)

    def _class_weights(self, table: Matrix, ranges: UnitRange | None, y: Any, drawn: IntArray) -> sparse.csr_array:
        codes, _ = encode_classes(y, "ReliefF", table.n_samples, sure=self.target == "classes")
        warn_about_small_classes("ReliefF", codes, self.n_neighbors)
        edges = self._neighbors(table, ranges, codes, drawn)
        return edges.matrix(relief_weights(edges, codes, drawn.size), table.n_samples)

    def _regression_weights(self, table: Matrix, ranges: UnitRange | None, y: Any, drawn: IntArray) -> sparse.csr_array:
        """Weigh as RReliefF: neighbours with another target count for a difference, those with the same against it."""
        target = numeric_target(y, table.n_samples, "ReliefF")
        edges = self._neighbors(table, ranges, np.zeros(table.n_samples, dtype=np.intp), drawn)
        share = edges.shares()
        differs = np.abs(target[edges.source] - target[edges.target]) / np.ptp(target)
        total = float((differs * share).sum())
        # where no neighbour differs, or all do by the whole range, one of the two terms is 0 / 0: nothing to weigh
        same = drawn.size - total
        return edges.matrix((differs / (total or 1.0) - (1 - differs) / (same or 1.0)) * share, table.n_samples)

    def _neighbors(self, table: Matrix, ranges: UnitRange | None, codes: IntArray, drawn: IntArray) -> NeighborEdges:
        """Find near hits and misses by Manhattan distance on unit ranges, or by Euclidean distance."""
        metric, scale = "euclidean", None
        if ranges is not None:
            halves = ranges.half_ranges  # a constant feature, however large, must not drown the differences of others
            metric, scale = "manhattan", np.divide(0.5, halves, out=np.zeros_like(halves), where=halves > 0)
        return neighbors_by_class(
            table, codes, self.n_neighbors, metric=metric, scale=scale, samples=drawn, n_jobs=self.n_jobs
        )

    def _draw(self, n_samples: int) -> IntArray:
        if self.n_samples is None or self.n_samples >= n_samples:
            return np.arange(n_samples)
        return np.sort(random_generator(self.random_state).permutation(n_samples)[: self.n_samples])


def measure_ranges(table: Matrix) -> UnitRange:
    """Halve the largest minus the smallest value of each feature."""
    low, high = table.column_extremes()
    return UnitRange((high - low) / 2)


def relieff_score(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    difference: str = "absolute",
    target: str = "auto",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every feature by ReliefF in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `ReliefF.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,)
        One class or one number per sample.
    n_neighbors : int, default=10
        Nearest samples per class that a sample is compared with.
    difference : {"absolute", "squared"}, default="absolute"
        How two values of a feature differ, see `ReliefF`.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds. ``"auto"`` is the rule of `ReliefF`.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The ``scores_`` of `ReliefF`; NaN for constant features.

    See Also
    --------
    ReliefF : The selector, with ranks and explanations.
    fisher_score : Class means instead of near samples.

    Examples
    --------
    >>> from eigenselect import relieff_score
    >>> from sklearn.datasets import load_iris
    >>> relieff_score(*load_iris(return_X_y=True)).round(2)
    array([0.14, 0.12, 0.36, 0.38])
    """
    selector = ReliefF(n_neighbors=n_neighbors, difference=difference, target=target, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y).scores_)
