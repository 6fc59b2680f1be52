"""Geary's C: how much neighbours along a sample graph differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.autocorrelation import geary_criterion
from eigenselect.criteria.criterion import Criterion
from eigenselect.selectors.autocorrelation import Autocorrelation
from eigenselect.selectors.spectral import Built


class GearyC(Autocorrelation):
    r"""Choose features with a small Geary's C: samples that are alike have like values.

    .. math:: C(f) = \frac{n - 1}{2 \sum_{ij} w_{ij}} \frac{\sum_{ij} w_{ij} (f_i - f_j)^2}{\sum_i z_i^2},
              \qquad z = f - \frac1n \sum_i f_i

    where W is a sample similarity. Small is good; a feature without structure has C near 1. It is φ2 of `SPEC` where
    every sample has the same mass :math:`\sum_{ij} w_{ij} / (n-1)` in place of its degree. `fit` takes an asymmetric
    ``similarity_matrix``, of which only the symmetric part matters; its diagonal counts in the sum of all weights.

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
        1 - C, larger is better. NaN for constant features.
    native_scores_ : ndarray of shape (n_features,)
        Geary's C of the literature: smaller is better.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples, on which every sample counts the same.
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
    MoranI : Products of neighbours instead of squared differences.
    LaplacianScore : Samples count by their degrees.

    References
    ----------
    Geary, The contiguity ratio and statistical mapping, The Incorporated Statistician 1954, doi:10.2307/2986645; Cliff
    and Ord, Spatial Processes, 1981.

    Examples
    --------
    >>> from eigenselect import GearyC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> selector = GearyC(2).fit(load_wine(as_frame=True).data.apply(scale))
    >>> selector.get_feature_names_out()
    array(['flavanoids', 'od280/od315_of_diluted_wines'], dtype=object)
    >>> selector.native_scores_.min().round(3)
    np.float64(0.1)
    """

    def _criterion(self, built: Built) -> Criterion:
        return geary_criterion(built.graph, "GearyC")


def geary_c_score(
    X: Any,
    y: Any = None,
    *,
    similarity: Any = "knn",
    similarity_matrix: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every feature by Geary's C in one call: 1 - C, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `GearyC.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,), optional
        Labels, for similarities that are made of them; else ignored.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
        A precomputed similarity, non-negative, in place of the method's own. Of an asymmetric one the symmetric
        part counts.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        1 - C, the ``scores_`` of `GearyC`; NaN for constant features.

    See Also
    --------
    GearyC : The selector, with ranks, p-values and explanations.
    moran_i_score : Products of neighbours instead of squared differences.
    eigenselect.gr.spatial_autocorr : The same for the genes of an AnnData, with p-values.

    Examples
    --------
    Three samples in a row, of two features:

    >>> import numpy as np
    >>> from eigenselect import geary_c_score
    >>> path = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> geary_c_score(np.array([[1.0, 0], [2, 2], [3, 0]]), similarity_matrix=path).round(3)
    array([ 0.5, -0.5])
    """
    selector = GearyC(similarity=similarity, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y, similarity_matrix=similarity_matrix).scores_)
