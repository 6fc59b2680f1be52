"""SPEC: rank features by how smoothly they vary over a sample graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._checks import choice, whole_or_none
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Criterion, phi
from eigenselect.graph import SampleGraph
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.spectral import as_spectral_function, check_spectral_function

RANKINGS = ("phi1", "phi2", "phi3")


class SPEC(SpectralSelector):
    r"""Spectral feature selection on any sample graph.

    A feature is good if samples that are alike have like values of it, measured by the spectrum
    :math:`(\lambda_j, \xi_j)` of the normalised Laplacian N of a sample similarity:

    .. math::
        \varphi_1 = \sum_j \alpha_j^2 \gamma(\lambda_j), \qquad
        \varphi_2 = \frac{\sum_{j\ge2} \alpha_j^2 \gamma(\lambda_j)}{\sum_{j\ge2} \alpha_j^2}, \qquad
        \varphi_3 = \sum_{j=2}^{k} (\gamma(2) - \gamma(\lambda_j))\, \alpha_j^2

    where

    * :math:`\alpha_j = \langle \hat f, \xi_j \rangle`, :math:`\hat f = D^{1/2} f / \lVert D^{1/2} f \rVert`,
    * D holds the degrees of the graph and :math:`\xi_1 \propto D^{1/2}\mathbf 1`,
    * :math:`\gamma` is a non-decreasing spectral function.

    Few classes: φ1 or φ2; many classes: φ2 or φ3; noisy data: φ3 or a higher power; a clear eigen-gap: φ3.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three ranking functions.
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction, default="identity"
        :math:`\gamma`; a number p stands for :math:`r^p`, ``"heat"`` for :math:`1 - e^{-r}`, ``"car"`` for
        :math:`0.9r / (0.1 + 0.9r)`; `eigenselect.spectral.Heat` and `CAR` take other times and strengths. A callable
        gets an array of eigenvalues in [0, 2].
    n_clusters : int, optional
        The k of φ3, normally at least 2; None finds the largest eigen-gap. Eigenvalues equal to the k-th, such as the
        zeros of more than k components, are taken too, with a warning.
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
        Start vector of the eigensolver (φ3), and for what ``significance`` draws; None is a fixed start.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        :math:`\hat f^\top \hat S \hat f`, larger is better: 1 - φ1, 1 - φ2, or φ3. NaN where undefined.
    native_scores_ : ndarray of shape (n_features,)
        φ itself: small is good for φ1 and φ2, large for φ3.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples.
    eigenvalues_ : ndarray
        For φ3: the leading eigenvalues, the trivial 0 first.
    n_clusters_ : int
        For φ3: k that was used, more than `n_clusters` where that would end among equal eigenvalues.
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
    LaplacianScore : The φ2 with γ(r) = r.
    FisherScore : The φ2 on the class-label similarity, in its own scale.
    MSFS : The same rankings on several sources of knowledge.

    References
    ----------
    Zhao and Liu, Spectral feature selection for supervised and unsupervised learning, ICML 2007,
    doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> from eigenselect import SPEC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X = scale(load_wine().data)
    >>> selector = SPEC(2, ranking="phi2").fit(X)
    >>> selector.ranking_
    array([ 7,  9, 12, 11, 13,  5,  1,  8, 10,  4,  6,  2,  3])
    >>> selector.transform(X).shape
    (178, 2)
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        ranking: str = "phi2",
        spectral_function: str | float | Callable[[NDArray[np.float64]], NDArray[np.float64]] = "identity",
        n_clusters: int | None = None,
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.ranking = ranking
        self.spectral_function = spectral_function
        self.n_clusters = n_clusters
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_phi(self, "SPEC")
        if self.n_clusters == 1 and self.ranking == "phi3":
            warn(
                "SPEC: n_clusters=1 leaves phi3 no eigenvectors to agree with, so all features score 0; use 2 or more.",
                UserWarning,
            )

    def _matrices_beside(self) -> float:
        return eigenvectors_beside(self)

    def _criterion(self, built: Built) -> Criterion:
        return phi_of(self, built.graph, "SPEC")


def check_phi(selector: Any, owner: str) -> None:
    """Refuse bad values of ``ranking``, ``spectral_function`` and ``n_clusters``, the parameters of φ."""
    choice(selector.ranking, "ranking", owner, RANKINGS)
    check_spectral_function(selector.spectral_function, owner)
    whole_or_none(selector.n_clusters, "n_clusters", owner)


def eigenvectors_beside(selector: Any) -> float:
    """Count the n × n matrices that φ needs beside a dense graph: φ3 the one whose eigenvectors are searched."""
    return float(selector.ranking == "phi3")


def phi_of(selector: Any, graph: SampleGraph, owner: str) -> Criterion:
    """Make the ranking function that these parameters name."""
    n_clusters = selector.n_clusters
    if selector.ranking == "phi3" and n_clusters is not None and n_clusters > graph.n_live:
        raise ValueError(
            f"{owner}: n_clusters must be at most the {graph.n_live} samples of the graph, got {n_clusters}."
        )
    gamma = as_spectral_function(selector.spectral_function)
    return phi(selector.ranking, graph, gamma, n_clusters, selector.random_state, owner=owner)


def spec_score(
    X: Any,
    y: Any = None,
    *,
    similarity: Any = "knn",
    ranking: str = "phi2",
    spectral_function: Any = "identity",
    n_clusters: int | None = None,
    similarity_matrix: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Score every feature by SPEC in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `SPEC.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,), optional
        Labels, for similarities that are made of them; else ignored.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three ranking functions of `SPEC`.
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction, default="identity"
        The γ of `SPEC`; a number p stands for :math:`r^p`.
    n_clusters : int, optional
        The k of φ3; None finds the largest eigen-gap.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
        A precomputed similarity, symmetric and non-negative, in place of the method's own.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The ``scores_`` of `SPEC`: 1 - φ1, 1 - φ2, or φ3; NaN where undefined.

    See Also
    --------
    SPEC : The selector, with ranks, p-values and explanations.
    laplacian_score : The φ2 with γ(r) = r.
    multiscale_spec_score : The best of several scales.

    Examples
    --------
    >>> from eigenselect import spec_score
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.preprocessing import scale
    >>> SelectKBest(spec_score, k=2).fit(scale(load_wine().data), load_wine().target).get_support(indices=True)
    array([ 6, 11])
    """
    selector = SPEC(
        similarity=similarity,
        ranking=ranking,
        spectral_function=spectral_function,
        n_clusters=n_clusters,
        n_jobs=n_jobs,
    )
    return np.asarray(selector.fit(X, y, similarity_matrix=similarity_matrix).scores_)
