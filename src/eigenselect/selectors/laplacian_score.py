"""Laplacian score: φ2 of SPEC with the identity as spectral function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.criterion import DEFLATED, SMALL, Criterion
from eigenselect.criteria.forms import power_form
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.spectral import Built, SpectralSelector


class LaplacianScore(SpectralSelector):
    r"""Choose features whose values are close for neighbouring samples.

    .. math:: \varphi(f) = \frac{\tilde f^\top L \tilde f}{\tilde f^\top D \tilde f},
              \qquad \tilde f = f - \frac{f^\top d}{\mathbf 1^\top d} \mathbf 1

    where :math:`L = D - S` is the Laplacian of a sample similarity S with degrees d. Small is good; it is exactly φ2 of
    `SPEC` with :math:`\gamma(r) = r`.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
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
    scores_ : ndarray of shape (n_features,)
        1 - φ, the autocorrelation of the feature along the graph: larger is better. NaN where undefined.
    native_scores_ : ndarray of shape (n_features,)
        The Laplacian score φ of the literature: smaller is better.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples.
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
    SPEC : Any spectral function on the same graphs.
    MRSF : Chooses features together, without near-copies.
    SSelect : Adds the labels of a few samples.

    References
    ----------
    He, Cai and Niyogi, Laplacian score for feature selection, NeurIPS 2005.

    Examples
    --------
    >>> from eigenselect import LaplacianScore
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> LaplacianScore(2).fit(load_wine(as_frame=True).data.apply(scale)).get_feature_names_out()
    array(['flavanoids', 'od280/od315_of_diluted_wines'], dtype=object)
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _criterion(self, built: Built) -> Criterion:
        return Criterion(built.graph, DEFLATED, power_form(built.graph, 1), SMALL)


def laplacian_score(
    X: Any,
    y: Any = None,
    *,
    similarity: Any = "knn",
    similarity_matrix: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every feature by the Laplacian score in one call: 1 - φ, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `LaplacianScore.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,), optional
        Labels, for similarities that are made of them; else ignored.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
        A precomputed similarity, symmetric and non-negative, in place of the method's own.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The ``scores_`` of `LaplacianScore`; NaN for constant features.

    See Also
    --------
    LaplacianScore : The selector, with ranks, p-values and explanations.
    spec_score : Any spectral function on the same graphs.
    sselect_score : Adds the labels of a few samples.

    Examples
    --------
    >>> from eigenselect import laplacian_score
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> scores = laplacian_score(scale(load_wine().data))
    >>> load_wine().feature_names[scores.argmax()]
    'flavanoids'
    """
    selector = LaplacianScore(similarity=similarity, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y, similarity_matrix=similarity_matrix).scores_)
