"""HSIC score: dependence of a feature on a target of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._labels import check_target, encode_classes, kind_of_target, numeric_target
from eigenselect.criteria.hsic import HSICCriterion
from eigenselect.criteria.unit_deviation import check_scale
from eigenselect.graph import SampleGraph, UnweightedGraph, checked_matrix
from eigenselect.selectors.base import SpectralSelector
from eigenselect.similarity import RBF, ClassLabels
from eigenselect.similarity.label import class_graph

#: kernels of the target, and what each takes it for
KERNELS = {"labels": "classes", "linear": "numbers", "rbf": "numbers"}


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
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds, where no ``target_kernel`` says so. ``"auto"`` is the rule of `ReliefF`.
    target_kernel : {"labels", "linear", "rbf"} or array of shape (n_samples, n_samples), optional
        K: ``"labels"`` is 1/n_l between samples of class l; ``"linear"`` and ``"rbf"`` (median bandwidth) take a
        numeric y; an array is used as it is (y is then not needed). If not given, ``"labels"`` for classes and
        ``"rbf"`` for numbers: samples with like targets are alike, as samples of one class are, so that a feature may
        follow the target in any shape, where ``"linear"`` sees only a rise or a fall. (Of numbers beyond 1e±90
        ``"linear"`` is the kernel of these numbers divided by a power of two.)
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
    target_kind_ : {"classes", "numbers", "kernel"}
        What y was taken for.
    ranking_, n_ordered_, graph_, n_features_, n_features_in_, feature_names_in_
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
        target: str = "auto",
        target_kernel: Any = None,
        scale: str | None = "unit",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.target = target
        self.target_kernel = target_kernel
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_target(self.target, "HSICScore")
        check_scale(self.scale, "HSICScore")
        if isinstance(self.target_kernel, str) and self.target_kernel not in KERNELS:
            expected = ", ".join(map(repr, KERNELS))
            raise ValueError(
                f"HSICScore: target_kernel must be one of {expected} or a matrix, got {self.target_kernel!r}."
            )
        if isinstance(self.target_kernel, str) and self.target not in ("auto", KERNELS[self.target_kernel]):
            raise ValueError(
                f"HSICScore: target_kernel={self.target_kernel!r} takes y for {KERNELS[self.target_kernel]}, but "
                f"target is {self.target!r}; give one of the two."
            )

    def _build_graph(self, X: Any, y: Any, similarity_matrix: Any) -> SampleGraph:
        if X.shape[0] < 4:
            raise ValueError(f"HSICScore: the unbiased estimator needs at least 4 samples, got {X.shape[0]}.")
        kernel = self.target_kernel if similarity_matrix is None else similarity_matrix
        if similarity_matrix is not None or not (kernel is None or isinstance(kernel, str)):
            self.target_kind_ = "kernel"
            name = "target_kernel" if similarity_matrix is None else "similarity_matrix"
            given = checked_matrix(kernel, X.shape[0], name=f"HSICScore: {name}", non_negative=False)
            return UnweightedGraph(given, description={"similarity": "precomputed"})
        self.target_kind_ = KERNELS[kernel] if kernel else kind_of_target(y, self.target, "HSICScore", X.shape[0])
        if self.target_kind_ == "classes":
            sure = kernel is not None or self.target == "classes"
            codes, classes = encode_classes(y, "HSICScore", X.shape[0], sure=sure)
            return UnweightedGraph(class_graph(codes, len(classes)).affinity, description={"similarity": "ClassLabels"})
        kernel = kernel or "rbf"
        target = numeric_target(y, X.shape[0], "HSICScore")
        K = np.outer(target, target) if kernel == "linear" else RBF().build(target[:, None]).affinity
        return UnweightedGraph(K, description={"similarity": f"{kernel} kernel of y"})

    def _criterion(self, graph: SampleGraph) -> HSICCriterion:
        assert isinstance(graph, UnweightedGraph)
        return HSICCriterion(graph, self.scale)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.target_kernel is None or isinstance(self.target_kernel, str)
        return tags


def hsic_score(
    X: Any,
    y: Any = None,
    *,
    target: str = "auto",
    target_kernel: Any = None,
    scale: str | None = "unit",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """`HSICScore`'s scores in one call, larger is better; a score function for `SelectKBest`."""
    selector = HSICScore(target=target, target_kernel=target_kernel, scale=scale, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y).scores_)
