"""HSIC score: dependence of a feature on a target of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.hsic import HSICCriterion
from eigenselect.criteria.unit_deviation import check_scale
from eigenselect.graph import SampleGraph, UnweightedGraph, checked_matrix
from eigenselect.selectors.base import SpectralSelector
from eigenselect.similarity import RBF, ClassLabels

KERNELS = ("labels", "linear", "rbf")


class HSICScore(SpectralSelector):
    r"""Choose features that depend on a target, by the Hilbert-Schmidt independence criterion.

    .. math:: \mathrm{HSIC}(f) = f^\top S_\text{HSIC} f

    the unbiased estimator with the linear kernel on the feature and a kernel K on the target; see
    `eigenselect.criteria.hsic.HSICCriterion` for :math:`S_\text{HSIC}`. It is applied as K plus a diagonal, never
    formed. It grows with the square of a feature's scale, so each is put at unit standard deviation first (`scale`).

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number, fraction, ``"auto"``, or half of the features. ``"auto"`` is the knee of the sorted scores, at most the
        number of samples; a knee is a bend of a curve, no evidence that the features before it matter.
    target_kernel : {"labels", "linear", "rbf"} or array of shape (n_samples, n_samples), default="labels"
        K: ``"labels"`` is 1/n_l between samples of class l; ``"linear"`` and ``"rbf"`` (median bandwidth) take a
        numeric y; an array is used as it is (y is then not needed).
    scale : {"unit", None}, default="unit"
        ``"unit"``: every feature at unit standard deviation, which divides its score by its variance. None: features as
        they are, the paper's letter, for which the spread of a feature counts as much as what it tells.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : any, default=None
        Part of every selector's interface; this method draws no random numbers.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        HSIC, larger is better. NaN for constant features.
    ranking_, graph_, n_features_, n_features_in_, feature_names_in_
        See `LaplacianScore`; the graph holds K.

    References
    ----------
    Song, Smola, Gretton, Borgwardt and Bedo, Supervised feature selection via dependence estimation, ICML 2007,
    doi:10.1145/1273496.1273600; Zhao (2010), Eq. 3.23.

    Examples
    --------
    >>> from eigenselect import HSICScore
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> HSICScore(2).fit(X, y).get_feature_names_out()
    array(['flavanoids', 'proline'], dtype=object)
    """

    similarity = ClassLabels()

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        target_kernel: Any = "labels",
        scale: str | None = "unit",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.target_kernel = target_kernel
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_scale(self.scale, "HSICScore")
        if isinstance(self.target_kernel, str) and self.target_kernel not in KERNELS:
            expected = ", ".join(map(repr, KERNELS))
            raise ValueError(
                f"HSICScore: target_kernel must be one of {expected} or a matrix, got {self.target_kernel!r}."
            )

    def _build_graph(self, X: Any, y: Any, similarity_matrix: Any) -> SampleGraph:
        if X.shape[0] < 4:
            raise ValueError(f"HSICScore: the unbiased estimator needs at least 4 samples, got {X.shape[0]}.")
        kernel = self.target_kernel if similarity_matrix is None else similarity_matrix
        if not isinstance(kernel, str):
            given = checked_matrix(kernel, X.shape[0], name="HSICScore: target_kernel", non_negative=False)
            return UnweightedGraph(given, description={"similarity": "precomputed"})
        if kernel == "labels":
            return UnweightedGraph(ClassLabels().build(X, y).affinity, description={"similarity": "ClassLabels"})
        target = numeric_target(y, X.shape[0], "HSICScore")
        K = np.outer(target, target) if kernel == "linear" else RBF().build(target[:, None]).affinity
        return UnweightedGraph(K, description={"similarity": f"{kernel} kernel of y"})

    def _criterion(self, graph: SampleGraph) -> HSICCriterion:
        assert isinstance(graph, UnweightedGraph)
        return HSICCriterion(graph, self.scale)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = isinstance(self.target_kernel, str)
        return tags


def numeric_target(y: Any, n_samples: int, owner: str) -> NDArray[np.float64]:
    """A finite numeric target, centred; or an error that says what was got."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with numbers.")
    try:
        target = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{owner}: y must be numeric for this target kernel; use target_kernel='labels'.") from None
    if target.shape != (n_samples,) or not np.isfinite(target).all():
        raise ValueError(f"{owner}: y must hold {n_samples} finite numbers, got shape {target.shape}.")
    return target - target.mean()


def hsic_score(
    X: Any, y: Any = None, *, target_kernel: Any = "labels", scale: str | None = "unit", n_jobs: int | None = None
) -> NDArray[np.float64]:
    """`HSICScore`'s scores in one call, larger is better; a score function for `SelectKBest`."""
    return np.asarray(HSICScore(target_kernel=target_kernel, scale=scale, n_jobs=n_jobs).fit(X, y).scores_)
