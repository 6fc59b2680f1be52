"""Variance: the row of the table with no graph at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.criteria.criterion import LARGE, Centred, Criterion
from eigenselect.criteria.quadratic import IdentityForm
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector


class Variance(SpectralSelector):
    r"""Choose the features that vary most, whatever the samples have in common: the baseline of every other method.

    .. math:: V(f) = \frac1n \sum_i (f_i - \bar f)^2

    the variance of the population (divided by n, as in scikit-learn's ``VarianceThreshold``). It depends on the unit of
    a feature, so features must share one; and permuting the samples does not change it, so it has no p-value.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : any, default=None
        Part of every selector's interface; this method draws no random numbers.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        V, larger is better; 0 for constant features, which have a variance and are last by it.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all.
    graph_ : SampleGraph
        No edges; every sample counts the same.
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
    LaplacianScore : Of features that vary, those that follow the neighbourhood of samples.
    MoranI : The autocorrelation of a feature along a sample graph.

    Examples
    --------
    >>> from eigenselect import Variance
    >>> Variance(1).fit([[0.0, 5, 1], [2, 5, 1], [4, 5, 4]]).native_scores_.round(3)
    array([2.667, 0.   , 2.   ])
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        return Traits(
            no_p_values="permuting the samples does not change a variance",
            no_similarity_matrix="Variance looks at no graph of samples; use MoranI or SPEC for a similarity_matrix.",
        )

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        n_samples = table.n_samples
        none = sparse.csr_array((n_samples, n_samples))
        return Built(SampleGraph(none, mass=np.ones(n_samples), description={"similarity": "none"}))

    def _criterion(self, built: Built) -> Criterion:
        return Criterion(built.graph, Centred(), IdentityForm(), LARGE)


def variance_score(X: Any, y: Any = None, *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """Compute the variance of every feature in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `Variance.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : any, optional
        Ignored; there because scikit-learn passes it.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The variance of the population, divided by n: the ``scores_`` of `Variance`.

    See Also
    --------
    Variance : The selector.
    laplacian_score : Looks at the neighbourhood of samples, too.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect import variance_score
    >>> variance_score(np.array([[1.0, 7], [3, 7]]))
    array([1., 0.])
    """
    return np.asarray(Variance(n_jobs=n_jobs).fit(X, y).scores_)
