"""EVSC: features whose weight moves the eigenvalues of the sample graph most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._checks import whole_or_none
from eigenselect.graph import SampleGraph, Spectrum
from eigenselect.graph.eigensolver import tell_whole_group
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.sensitivity.eigenvalue_slopes import EigenvalueSlopes
from eigenselect.similarity import as_similarity, made_of_labels


class EVSC(SpectralSelector):
    r"""Eigenvalue sensitive feature selection.

    The graph that other criteria trust is itself made of all features, noisy ones too. EVSC asks instead how much the
    graph depends on a feature: how fast the eigenvalues :math:`\lambda_r` of its normalised Laplacian move with the
    weight :math:`w_t` of feature t inside the similarity,

    .. math:: \mathrm{EVSC}(t) = \sum_r \left| \frac{\partial \lambda_r}{\partial w_t} \right|_{w = \mathbf 1}

    with :math:`L q_r = \lambda_r D q_r`, :math:`q_r^\top D q_r = 1` and

    .. math:: \partial\lambda_r = q_r^\top (\partial L - \lambda_r \partial D)\, q_r .

    Large is good. A slope grows with the square of a feature's spread, as distances do, so EVSC is nearly a ranking by
    variance (rank correlation 0.98 or more on five sets): for features of one unit only. At unit variance it tells
    little: clusters found in its best features were worse than in random ones on five of five sets (papers/RESULTS.md).
    All n eigenvalues cost n³m/2 multiply-adds, and more where many are equal, as in a full RBF graph of few features on
    many samples; ``n_eigenvalues`` takes the leading ones only.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    similarity : {"rbf", "linear", "knn"} or object, default="rbf"
        `RBF` or `KNN` with RBF weights (Euclidean, with one bandwidth for all samples), or `Linear`. The bandwidth,
        and who is a neighbour of whom, are held fixed.
    n_eigenvalues : int or None, default=None
        How many of the smallest eigenvalues count, the trivial 0 among them; None for all. Those equal to the last one
        count too, which is said in a warning.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver, if ``n_eigenvalues`` is given; None is a fixed one.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        The sum of absolute slopes, larger is better. NaN for constant features.
    eigenvalues_ : ndarray
        The eigenvalues that counted, ascending.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples.
    criterion_ : EigenvalueSlopes
        The slopes that scored.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    SPEC : Smoothness on the same graphs.
    eigenselect.sensitivity.perturbation_bound : How far eigenvalues and cuts can move.

    References
    ----------
    Jiang and Ren, Eigenvalue sensitive feature selection, ICML 2011.

    Examples
    --------
    >>> from eigenselect import EVSC
    >>> from sklearn.datasets import load_iris
    >>> EVSC(2).fit(load_iris(as_frame=True).data).get_feature_names_out()
    array(['sepal length (cm)', 'petal length (cm)'], dtype=object)
    """

    advice_on_units = "EVSC is nearly a ranking by spread and cannot compare units, so take another method for these"

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "rbf",
        n_eigenvalues: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.n_eigenvalues = n_eigenvalues
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        return Traits(
            needs_labels="one label per sample" if made_of_labels(self.similarity) else "",
            no_similarity_matrix="EVSC needs to know how the similarity depends on each feature, which a "
            "similarity_matrix does not say; use similarity=RBF(), Linear() or KNN().",
            no_p_values="slopes of eigenvalues have no known null distribution",
            no_quadratic_form="EVSC is a sum of absolute values of quadratic forms, one per eigenvalue; no single "
            "form.",
            no_explanation="EVSC.explain: the score is a sum of absolute slopes of eigenvalues, not of parts of the "
            "feature; LaplacianScore on the same similarity has sums over samples, edges and scales.",
        )

    def _check_parameters(self) -> None:
        whole_or_none(self.n_eigenvalues, "n_eigenvalues", "EVSC")

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        graph = self._sample_graph(table, y, None)
        similarity = as_similarity(self.similarity, table.n_samples)
        derivative = similarity.weight_derivative(graph)
        if derivative is None:
            parameters = ", ".join(f"{name}={value!r}" for name, value in similarity.get_params(deep=False).items())
            raise ValueError(
                "EVSC: similarity must be RBF or KNN with RBF weights, Euclidean distances and one bandwidth, or "
                f"Linear, got {type(similarity).__name__}({parameters})."
            )
        return Built(graph, parts=derivative)

    def _criterion(self, built: Built) -> EigenvalueSlopes:
        return EigenvalueSlopes(built.graph, built.parts, self._spectrum(built.graph))

    def _spectrum(self, graph: SampleGraph) -> Spectrum:
        """Find all eigenpairs, or the leading ones with all that equal the last."""
        count = self.n_eigenvalues
        if count is None:
            return graph.full_eigensystem()
        if count > graph.n_live:
            raise ValueError(
                f"EVSC: n_eigenvalues must be at most the {graph.n_live} samples of the graph, got {count}; None takes "
                "all."
            )
        spectrum = graph.whole_spectrum(count, self.random_state)
        if (used := len(spectrum.eigenvalues)) > count:
            tell_whole_group(f"EVSC: n_eigenvalues={count}", used)
        return spectrum


def evsc_score(
    X: Any, y: Any = None, *, similarity: Any = "rbf", n_eigenvalues: int | None = None, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Score every feature by EVSC in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `EVSC.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : any, optional
        Ignored; there because scikit-learn passes it.
    similarity : {"rbf", "linear", "knn"} or object, default="rbf"
        `RBF` or `KNN` with RBF weights, or `Linear`, see `EVSC`.
    n_eigenvalues : int or None, default=None
        How many of the smallest eigenvalues count; None for all.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The sum of absolute slopes of the eigenvalues, the ``scores_`` of `EVSC`; NaN for constant features.

    See Also
    --------
    EVSC : The selector.
    spec_score : Smoothness on the same graphs.

    Examples
    --------
    >>> from eigenselect import evsc_score
    >>> from sklearn.datasets import load_iris
    >>> evsc_score(load_iris().data).round(1)
    array([0.2, 0.1, 0.8, 0.2])
    """
    selector = EVSC(similarity=similarity, n_eigenvalues=n_eigenvalues, n_jobs=n_jobs)
    return np.asarray(selector.fit(X).scores_)
