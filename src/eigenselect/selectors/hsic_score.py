"""HSIC score: dependence of a feature on a target of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._checks import choice, memory_for
from eigenselect._labels import TARGET_LABELS, TARGETS, encode_classes, kind_of_target, numeric_target
from eigenselect._typing import Affinity, FloatArray
from eigenselect.criteria.criterion import LARGE, AsItIs, Criterion
from eigenselect.criteria.quadratic import KernelForm
from eigenselect.graph import ClassMeans, Origin, SampleGraph, checked_matrix
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity import RBF
from eigenselect.similarity.base import KERNEL_PARTS

#: kernels of the target, and what each takes it for
KERNELS = {"labels": "classes", "linear": "numbers", "rbf": "numbers"}


class HSICScore(SpectralSelector):
    r"""Choose features that depend on a target, by the Hilbert-Schmidt independence criterion.

    .. math:: \mathrm{HSIC}(f) = f^\top S_\text{HSIC} f

    the unbiased estimator with the linear kernel on the feature and a kernel K on the target; `unbiased_form` has
    :math:`S_\text{HSIC}`. It is applied as K plus a diagonal, never formed. It grows with the square of a feature's
    scale, so each is put at unit standard deviation first (`scale`).

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds, where no ``target_kernel`` says so. ``"auto"`` is the rule of `ReliefF`.
    target_kernel : {"labels", "linear", "rbf"} or array of shape (n_samples, n_samples), optional
        K: ``"labels"`` is 1/n_l between samples of class l; ``"linear"`` and ``"rbf"`` (median bandwidth) take a
        numeric y; an array is used as it is (y is then not needed). If not given, ``"labels"`` for classes and
        ``"rbf"`` for numbers: samples with like targets are alike, as samples of one class are, so that a feature may
        follow the target in any shape, where ``"linear"`` sees only a rise or a fall.
    scale : {"unit", None}, default="unit"
        ``"unit"``: every feature at unit standard deviation, which divides its score by its variance. None: features as
        they are, the paper's letter, for which the spread of a feature counts as much as what it tells.
    significance : None, True, "given", "split", "shadows" or object, default=None
        Labels found by clustering these features, and coordinates computed from them, make noise look significant, and
        no program can see it: True and ``"given"`` are for what comes from elsewhere. None: no p-values, but of
        labels for ``"auto"`` and ``"fdr"``; False: none. True: the graph is made of labels or of another table.
        ``"given"``: a precomputed ``similarity_matrix`` was not made of these features. ``"split"`` and ``"shadows"``:
        the graph is made of these features. Or an object of `eigenselect.inference`
        (`Permutation`, `Given`, `Split`, `Shadows`).
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        For what ``significance`` draws; None is a fixed start.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        HSIC, larger is better. NaN for constant features.
    target_kind_ : {"classes", "numbers", "kernel"}
        What y was taken for.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The target kernel K, on which every sample counts the same.
    criterion_ : Criterion
        The triple that scored: graph, normalisation, form and native value.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        With ``significance``: how often a feature without relation to the graph scores as well, and the smallest false
        discovery rate at which the feature is kept (Benjamini-Hochberg). Shadows give q-values only.
    null_mean_, null_sd_ : ndarray of shape (n_features,)
        With ``significance``: mean and standard deviation of the native score of such a feature.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    FisherScore : Between-class over within-class scatter.
    ReliefF : Near hits and misses; takes numbers, too.

    References
    ----------
    Song, Smola, Gretton, Borgwardt and Bedo, Supervised feature selection via dependence estimation, ICML 2007,
    doi:10.1145/1273496.1273600; Zhao, PhD thesis, Arizona State University 2010, Eq. 3.23.

    Examples
    --------
    >>> from eigenselect import HSICScore
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> HSICScore(2).fit(X, y).get_feature_names_out()
    array(['flavanoids', 'proline'], dtype=object)
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        target: str = "auto",
        target_kernel: Any = None,
        scale: str | None = "unit",
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.target = target
        self.target_kernel = target_kernel
        self.scale = scale
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        kernel = self.target_kernel
        given = not (kernel is None or isinstance(kernel, str))
        kind = KERNELS.get(kernel, self.target) if isinstance(kernel, str) else self.target
        return Traits(needs_labels="" if given else TARGET_LABELS.get(kind, TARGET_LABELS["auto"]))

    def _check_parameters(self) -> None:
        choice(self.target, "target", "HSICScore", TARGETS)
        choice(self.scale, "scale", "HSICScore", ("unit",), none=True)
        if not isinstance(self.target_kernel, str):
            return
        choice(self.target_kernel, "target_kernel", "HSICScore", tuple(KERNELS), other="a matrix")
        if self.target not in ("auto", KERNELS[self.target_kernel]):
            raise ValueError(
                f"HSICScore: target_kernel={self.target_kernel!r} takes y for {KERNELS[self.target_kernel]}, but "
                f"target is {self.target!r}; give one of the two."
            )

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        n_samples = table.n_samples
        if n_samples < 4:
            raise ValueError(f"HSICScore: the unbiased estimator needs at least 4 samples, got {n_samples}.")
        given, name = similarity_matrix, "similarity_matrix"
        if given is None and not (self.target_kernel is None or isinstance(self.target_kernel, str)):
            given, name = self.target_kernel, "target_kernel"
        if given is not None:
            K = checked_matrix(given, n_samples, name=f"HSICScore: {name}", non_negative=False)
            return _built(K, "precomputed", "kernel")
        kernel = self.target_kernel
        kind = KERNELS[kernel] if kernel else kind_of_target(y, self.target, "HSICScore", n_samples)
        if kind == "classes":
            sure = kernel is not None or self.target == "classes"
            codes, classes = encode_classes(y, "HSICScore", n_samples, sure=sure)
            return _built(ClassMeans(codes, len(classes), classes), "ClassLabels", kind)
        kernel = kernel or "rbf"
        target = numeric_target(y, n_samples, "HSICScore")
        K = _outer(target) if kernel == "linear" else RBF().build(target[:, None], owner="HSICScore").affinity
        return _built(K, f"{kernel} kernel of y", kind)

    def _criterion(self, built: Built) -> Criterion:
        return Criterion(built.graph, AsItIs(self.scale), unbiased_form(built.graph), LARGE)


def _outer(target: FloatArray) -> FloatArray:
    """Return the linear kernel of numbers, if there is memory for it."""
    work = f"HSICScore: the products of all pairs of {target.size} samples (target_kernel='linear')"
    with memory_for(KERNEL_PARTS * 8.0 * target.size**2, work, "use classes (target='classes') or fewer samples"):
        return np.outer(target, target)


def unbiased_form(graph: SampleGraph) -> KernelForm:
    r"""Make the form of the unbiased HSIC with a target kernel K, the affinity of the graph with any diagonal.

    .. math:: \hat S = \frac{1}{n(n-3)} \left[K + \frac{\mathbf 1^\top K \mathbf 1}{(n-1)(n-2)} (\mathbf{11}^\top - I)
              - \frac{2}{n-2} \left(K \mathbf{11}^\top - \mathrm{diag}(K\mathbf 1)\right)\right], \qquad \hat f = f

    with K's diagonal left out. The symmetric part of Ŝ has zero row sums, so f may be centred first; then all but the
    diagonal of the rank-one terms vanishes, and the score is :math:`g^\top K g + \sum_i a_i g_i^2` with
    :math:`a = \frac{2}{n-2} K\mathbf 1 - \frac{\mathbf 1^\top K\mathbf 1}{(n-1)(n-2)}`.
    """
    n, diagonal = graph.n_samples, graph.affinity.diagonal()
    row_sums = graph.row_sums - diagonal
    added = 2.0 / (n - 2) * row_sums - row_sums.sum() / ((n - 1) * (n - 2))
    return KernelForm(graph.affinity, added - diagonal, 1.0 / (n * (n - 3)))


def _built(K: Affinity, similarity: str, kind: str) -> Built:
    """Wrap a target kernel in a graph on which every sample counts the same."""
    mass, of_labels = np.ones(K.shape[0]), kind != "kernel"
    graph = SampleGraph(
        K,
        mass,
        signed=True,
        made_of_labels=of_labels,
        origin=Origin.LABELS if of_labels else Origin.GIVEN,
        description={"similarity": similarity},
    )
    return Built(graph, attributes={"target_kind_": kind})


def hsic_score(
    X: Any,
    y: Any = None,
    *,
    target: str = "auto",
    target_kernel: Any = None,
    scale: str | None = "unit",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Compute the HSIC of every feature with a target in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `HSICScore.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,), optional
        One class or one number per sample; not needed where ``target_kernel`` is an array.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds. ``"auto"`` is the rule of `ReliefF`.
    target_kernel : {"labels", "linear", "rbf"} or array of shape (n_samples, n_samples), optional
        The kernel on the target, see `HSICScore`.
    scale : {"unit", None}, default="unit"
        ``"unit"``: every feature at unit standard deviation. None: features as they are.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        HSIC, the ``scores_`` of `HSICScore`; NaN for constant features.

    See Also
    --------
    HSICScore : The selector, with ranks, p-values and explanations.
    hsic_score_pvalues : The same scores with p-values.
    fisher_score : Between-class over within-class scatter.

    Examples
    --------
    >>> from eigenselect import hsic_score
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)  # y is a number
    >>> X.columns[hsic_score(X, y).argsort()[::-1][:2]].to_list()
    ['s5', 'bmi']
    """
    selector = HSICScore(target=target, target_kernel=target_kernel, scale=scale, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y).scores_)


def hsic_score_pvalues(
    X: Any, y: Any, *, target: str = "auto", scale: str | None = "unit", n_jobs: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the HSIC of every feature with a target and its permutation p-value in one call.

    A score function for scikit-learn's ``SelectFdr``, ``SelectFpr`` and ``SelectFwe``. The target must not have been
    computed from these features.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `HSICScore.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,)
        One class or one number per sample.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y holds. ``"auto"`` is the rule of `ReliefF`.
    scale : {"unit", None}, default="unit"
        ``"unit"``: every feature at unit standard deviation. None: features as they are.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        HSIC, the ``scores_`` of `HSICScore`.
    pvalues : ndarray of shape (n_features,)
        How often a feature without relation to the target scores as well.

    See Also
    --------
    HSICScore : The selector; ``significance=True`` gives the same p-values.
    hsic_score : The scores alone.
    fisher_score_pvalues : Scores and p-values for classes.

    Examples
    --------
    >>> from eigenselect import hsic_score_pvalues
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.feature_selection import SelectFdr
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = SelectFdr(hsic_score_pvalues, alpha=0.01).fit(X, y)
    >>> X.columns[~selector.get_support()].to_list()  # of which nothing was found
    ['sex']
    """
    selector = HSICScore(target=target, scale=scale, significance=True, n_jobs=n_jobs).fit(X, y)
    return np.asarray(selector.scores_), np.asarray(selector.pvalues_)
