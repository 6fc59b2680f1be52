"""SSelect: features that are smooth over all samples and agree with the labels of a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._checks import share, whole
from eigenselect._labels import labelled_samples
from eigenselect._typing import IntArray
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Scores
from eigenselect.exceptions import GraphWarning, shown
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.selection import rank_features
from eigenselect.selection.ranking import Candidates
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spec import check_phi, phi_of
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.semisupervised.criterion import SmoothAgreement
from eigenselect.semisupervised.label_agreement import PartialLabels
from eigenselect.semisupervised.regularization import RegularizationPath, regularization_path
from eigenselect.similarity import as_similarity
from eigenselect.spectral import as_spectral_function

#: λ's that "auto" tries
GRID = np.round(np.linspace(0.0, 1.0, 11), 1)


class SSelect(SpectralSelector):
    r"""Semi-supervised feature selection: a graph of all samples, labels of some.

    .. math:: s(f) = \lambda\,\varphi(f) + (1-\lambda)\,(1 - \mathrm{NMI}(\hat g, y))

    where

    * :math:`\varphi` is a ranking function of `SPEC` over all samples (φ2: the normalised cut by the feature),
    * :math:`\hat g = \mathrm{sign}(f - \mu)` splits the samples at the feature's d-weighted mean μ,
    * NMI is the mutual information of that split with the labels of the labelled samples, divided by the larger of the
      two entropies.

    Small is good. With λ = 1, or without labels, this is SPEC; with λ = 0 only the labels count. Unlabelled are None,
    NaN and pd.NA in y, and -1 in a numeric y with at least two other classes; elsewhere -1 is a class, with a warning.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike, see `SPEC`.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which φ of `SPEC`. Of φ3 large is good; it enters as γ(2) - φ3.
    regularization : float in [0, 1] or "auto", default=0.1
        The λ. ``"auto"`` takes, of 0, 0.1, …, 1, the one whose top features give a sample graph with the smallest cut
        (second smallest eigenvalue); equal cuts go to the λ nearest to 0.1. A graph is built for each distinct set.
    n_levels : int, default=2
        Levels of :math:`\hat g`. More than two put cuts one d-weighted deviation apart around the mean.
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction, default="identity"
        :math:`\gamma`, see `SPEC`.
    n_clusters : int, optional
        The k of φ3, see `SPEC`.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver (φ3 and ``"auto"``); None is a fixed one.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    native_scores_ : ndarray of shape (n_features,)
        s, small is good. NaN for constant features.
    scores_ : ndarray of shape (n_features,)
        1 - s, larger is better.
    regularization_ : float
        The λ that was used: 1 where the labels say nothing (none, or one class).
    cut_values_, regularization_path_ : ndarray
        With ``"auto"``: the cut value of every λ that was tried, and these λ's.
    classes_ : ndarray
        The classes among the labels.
    n_labelled_ : int
        Number of labelled samples.
    eigenvalues_, n_clusters_ : ndarray, int
        For φ3: the leading eigenvalues, the trivial 0 first, and how many were used.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of all samples.
    criterion_ : SmoothAgreement
        The weighted sum that scored, with its λ.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    LaplacianScore : Without labels.
    FisherScore : With a label for every sample.
    TraceRatio : Has a semi-supervised pair of graphs.

    References
    ----------
    Zhao and Liu, Semi-supervised feature selection via spectral analysis, SDM 2007, doi:10.1137/1.9781611972771.75;
    Zhao, PhD thesis, Arizona State University 2010, Eq. 2.16.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect import SSelect
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> few = np.where(np.arange(178) % 15 == 0, y, -1)  # 12 labels, the others unknown
    >>> SSelect(2).fit(X.apply(scale), few).get_feature_names_out()
    array(['color_intensity', 'proline'], dtype=object)
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        ranking: str = "phi2",
        regularization: float | str = 0.1,
        n_levels: int = 2,
        spectral_function: Any = "identity",
        n_clusters: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.ranking = ranking
        self.regularization = regularization
        self.n_levels = n_levels
        self.spectral_function = spectral_function
        self.n_clusters = n_clusters
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        return Traits(
            uses_unlabelled_samples=True,
            no_p_values="agreement with labels (NMI) has no known null distribution",
            no_quadratic_form="SSelect adds agreement with labels, which is no quadratic form; SPEC has that of its "
            "first term.",
            needs_number="regularization='auto' compares graphs of equally many features"
            if self.regularization == "auto"
            else "",
            no_explanation="SSelect.explain: the score adds agreement with labels, which is no sum over samples; SPEC "
            "on the same similarity explains its first term.",
        )

    def _check_parameters(self) -> None:
        check_phi(self, "SSelect")
        if self.regularization != "auto":
            share(self.regularization, "regularization", "SSelect", expected="a number between 0 and 1 or 'auto'")
        whole(self.n_levels, "n_levels", "SSelect", low=2)

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        builds = similarity_matrix is None or self.regularization == "auto"
        if builds and as_similarity(self.similarity, table.n_samples).requires_labels:
            raise ValueError("SSelect: similarity must be made from X alone (labels enter by NMI); use 'knn' or 'rbf'.")
        rows, codes, classes = labelled_samples(y, "SSelect", table.n_samples)
        if len(classes) == 1 and classes[0] != -1:  # of -1 alone `labelled_samples` has warned
            warn(
                f"SSelect: all {rows.size} labelled samples are of class {shown(classes[0])}, which says nothing of "
                f"the features; they are ranked by {self.ranking} alone.",
                UserWarning,
            )
        graph = self._sample_graph(table, None, similarity_matrix)
        found = {"classes_": classes, "n_labelled_": rows.size}
        return Built(graph, parts=PartialLabels(rows, codes), attributes=found)

    def _criterion(self, built: Built) -> SmoothAgreement:
        labels: PartialLabels = built.parts
        smoothness = phi_of(self, built.graph, "SSelect")
        gamma = as_spectral_function(self.spectral_function)
        weight = None if isinstance(self.regularization, str) else float(self.regularization)
        if labels.n_classes < 2:  # NMI is 0 for all, and a small λ would only blur φ
            weight = 1.0
        return SmoothAgreement(smoothness, gamma, labels, int(self.n_levels), weight, self._search)

    def _search(self, table: Matrix, scores_with: Callable[[float], Scores]) -> RegularizationPath:
        """Find the λ of Algorithm 3: the one whose top features have the smallest cut."""
        similarity = as_similarity(self.similarity, table.n_samples)

        def top_features(value: float) -> IntArray:
            scores = scores_with(value)
            ranking = rank_features(scores.native, larger_is_better=False, tolerance=scores.rounding)
            known = Candidates("SSelect", scores.relevance, ranking, table.n_samples, table.feature_names)
            return np.flatnonzero(self.selection_rule.choose(known))

        def build(columns: IntArray) -> SampleGraph:
            return similarity.build(table.take_columns(columns), owner="SSelect", n_jobs=self.n_jobs)

        path = regularization_path(GRID, top_features, build, self.random_state)
        if path.n_apart > len(GRID) // 2:
            warn(
                f"SSelect: for {path.n_apart} of {len(GRID)} values of regularization the graph of the top features "
                f"falls apart, so the smallest cut says little; {path.best:g} was taken, and more features or "
                "neighbours would help.",
                GraphWarning,
            )
        return path


def sselect_score(
    X: Any,
    y: Any,
    *,
    similarity: Any = "knn",
    ranking: str = "phi2",
    regularization: float | str = 0.1,
    n_levels: int = 2,
    similarity_matrix: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every feature by SSelect in one call, from the labels of a few samples: larger is better.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `SSelect.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,)
        Labels; None, NaN and, in a numeric y with at least two other classes, -1 mark samples without one.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic"),
        an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three ranking functions of `SPEC`.
    regularization : float in [0, 1] or "auto", default=0.1
        How much the graph counts against the labels: the λ of `SSelect`.
    n_levels : int, default=2
        Levels into which a feature is cut before it is compared with the labels.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
        A precomputed similarity, symmetric and non-negative, in place of the method's own.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The ``scores_`` of `SSelect`; NaN for constant features.

    See Also
    --------
    SSelect : The selector, with the λ that was used and ranks.
    laplacian_score : Without labels.
    fisher_score : With a label for every sample.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect import sselect_score
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> few = np.where(np.arange(178) % 15 == 0, y, -1)  # 12 labels, the others unknown
    >>> sselect_score(scale(X[:, :4]), few).round(2)
    array([0.53, 0.28, 0.36, 0.13])
    """
    selector = SSelect(
        similarity=similarity, ranking=ranking, regularization=regularization, n_levels=n_levels, n_jobs=n_jobs
    )
    return np.asarray(selector.fit(X, y, similarity_matrix=similarity_matrix).scores_)
