"""Fisher score: between-class over within-class scatter, φ2 on the class-label similarity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.criterion import DEFLATED, ODDS, Criterion
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity import ClassLabels


class FisherScore(SpectralSelector):
    r"""Choose features whose class means differ and whose classes are narrow.

    .. math:: F(f) = \frac{\sum_l n_l (\mu_l - \mu)^2}{\sum_l n_l \sigma_l^2} = \frac{1}{\varphi_2(f)} - 1

    where :math:`n_l, \mu_l, \sigma_l^2` are size, mean and variance of class l, and :math:`\varphi_2` is that of
    `SPEC` on the class-label similarity. Computed from class sums: no graph is built, a sparse X is not made dense.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
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
        F / (1 + F), the share of the scatter that lies between classes: larger is better. NaN where undefined.
    native_scores_ : ndarray of shape (n_features,)
        F; infinite for a feature that is constant within every class.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        Samples of one class, each class with total similarity 1 per sample.
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
    TraceRatio : The best subset, not the best single features.
    ReliefF : Looks at near samples of other classes.
    SPEC : The same ordering with ``similarity="class_labels"``.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    Theorem 11; Duda, Hart and Stork, Pattern Classification, 2001.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> FisherScore(2).fit(X, y).get_feature_names_out()
    array(['flavanoids', 'proline'], dtype=object)
    """

    similarity = ClassLabels()

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _criterion(self, built: Built) -> Criterion:
        return Criterion(built.graph, DEFLATED, PowerForm(1), ODDS)


def fisher_score(X: Any, y: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """Compute the Fisher score F of every feature in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `FisherScore.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,)
        One class per sample.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        F, the ``native_scores_`` of `FisherScore`; infinite for a feature that is constant within every class, NaN
        for a constant one.

    See Also
    --------
    FisherScore : The selector, with ranks, p-values and explanations.
    fisher_score_pvalues : The same scores with p-values.
    relieff_score : Looks at near samples of other classes.

    Examples
    --------
    >>> from eigenselect import fisher_score
    >>> from sklearn.datasets import load_iris
    >>> fisher_score(*load_iris(return_X_y=True)).round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    """
    return np.asarray(FisherScore(n_jobs=n_jobs).fit(X, y).native_scores_)


def fisher_score_pvalues(
    X: Any, y: Any, *, n_jobs: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the Fisher score F of every feature and its permutation p-value in one call.

    A score function for scikit-learn's ``SelectFdr``, ``SelectFpr`` and ``SelectFwe``. The labels must not have been
    found by clustering these features.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `FisherScore.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,)
        One class per sample.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        F, the ``native_scores_`` of `FisherScore`.
    pvalues : ndarray of shape (n_features,)
        How often a feature without relation to the labels scores as well.

    See Also
    --------
    FisherScore : The selector; ``significance=True`` gives the same p-values.
    fisher_score : The scores alone.
    hsic_score_pvalues : Scores and p-values for classes or numbers.
    eigenselect.selection.FDR : Selects by false discovery rate without scikit-learn's selectors.

    Examples
    --------
    >>> from eigenselect import fisher_score_pvalues
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectFdr
    >>> X, y = load_wine(return_X_y=True)
    >>> SelectFdr(fisher_score_pvalues, alpha=1e-8).fit(X, y).get_support().sum()
    np.int64(11)
    """
    selector = FisherScore(significance=True, n_jobs=n_jobs).fit(X, y)
    return np.asarray(selector.native_scores_), np.asarray(selector.pvalues_)
