"""Stability selection: fit any selector on complementary halves of the samples, keep what is chosen again and again."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils import indexable as labels_to_index
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, validate_data

from eigenselect._checks import choice, number, random_generator, whole
from eigenselect._labels import class_strata
from eigenselect._progress import counted_as_whole
from eigenselect._typing import BoolArray
from eigenselect._warn import warn
from eigenselect.graph.precomputed import checked_matrix
from eigenselect.inference.error_bounds import BOUNDS, check_threshold, expected_false, needed_count, smallest_threshold
from eigenselect.matrix import (
    Matrix,
    check_order,
    feature_names_of,
    indexable,
    is_annotated,
    portable,
    read_input,
    sample_names_of,
)
from eigenselect.selection import rank_features
from eigenselect.selection.steps import last_step
from eigenselect.selectors.annotated import TakesAnnData
from eigenselect.sensitivity.halves import Samples, fit_half, name_at_last_step, shared_pairs, warn_of_warnings
from eigenselect.sensitivity.resampling import complementary_halves, refit_all

OWNER = "StabilitySelector"
#: where neither a threshold nor a number of false selections is given
USUAL_THRESHOLD = 0.75
#: two halves of two samples
FEWEST_SAMPLES = 4


class StabilitySelector(TakesAnnData, MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    r"""Select the features that a selector chooses on most halves of the samples, and bound how many of them are false.

    The samples are split at random into two disjoint halves, B times; the selector is fitted on each half. The share
    :math:`\hat\Pi_k` of the 2B fits that choose feature k is its score, and those with
    :math:`\hat\Pi_k \ge \pi` are selected. With q the mean number of features that a fit chooses, the expected number
    of false ones among the selected is bounded, whatever the selector: see `expected_false` of
    `eigenselect.inference.error_bounds`. This is the answer to *how sure* for methods whose null distribution has no
    formula (`MRSF`, `EVSC`, `KOGS`, `SSelect`, `ReliefF`, subsets of `TraceRatio`).

    What is bounded is the number of features that the selector chooses no more often than at random,
    :math:`p_k \le q/m`. A method that prefers some noise features to others, as one on a graph made of the same table
    prefers those of a wide spread, chooses these more often: stability shows what a method finds again, not that it is
    real.

    Parameters
    ----------
    estimator : selector or pipeline that ends in one
        Of this library or of scikit-learn; it is cloned. How many features one fit chooses is its own parameter; few
        make the bounds small. Steps of a pipeline may scale, fill or drop columns. A ``random_state`` of None in it is
        replaced by a number drawn from that of this selector.
    threshold : float, optional
        The π, above 0.5 and up to 1; 0.75 where `max_false` is not given either.
    max_false : float, optional
        Instead of a threshold: how many false selections are accepted in expectation. The threshold is the smallest
        one for which the bound is not larger; where there is none, no feature is selected, which is warned about.
    bound : {"mb", "worst-case", "unimodal", "r-concave"}, default="unimodal"
        From few assumptions to more, and from large to small: see `expected_false`.
    n_pairs : int, default=50
        The B: how often the samples are split into two halves.
    n_jobs : int, optional
        Processes over the fits, as joblib counts them. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        For the halves, and for what is random in the selector; None is a fixed start.
    verbose : bool, default=False
        Count the fits on stderr, with the time left.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features,)
        Share of the fits that chose each feature.
    pair_frequencies_ : ndarray of shape (n_features,)
        Share of the pairs in which both halves did.
    threshold_ : float
        π; infinite where no threshold keeps ``max_false``.
    q_ : float
        Mean number of features that a fit chose.
    expected_false_ : float
        The bound on the expected number of false selections; NaN where it says nothing (q too large, or π too near
        to 1/2).
    scores_, native_scores_ : ndarray of shape (n_features,)
        The frequencies.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order.
    n_ordered_ : int
        Number of features that the ranking orders: those that were chosen at least once.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    eigenselect.sensitivity.ranking_stability : How much a ranking changes.
    eigenselect.selection.FDR : Selects by false discovery rate, for methods with p-values.

    Notes
    -----
    Where y holds classes, both halves get the same share of each, up to one sample, so that no class of two or more
    samples is missing from a half; samples without a label count as one more class. The bounds are then about halves
    that are drawn so. Of an odd number of samples one is in neither half.

    Where the selector is one of this library, alone, with the similarity ``"knn"``, ``"rbf"``, ``"linear"`` or
    ``"cosine"`` on at most 4096 samples, distances or products of all samples are computed once, and every half takes
    its part of them: the same numbers, up to their last digits. Any other selector makes its graph anew, and so does
    every selector that is given ``covariates``, which are taken out of the features of each half.

    References
    ----------
    Meinshausen and Bühlmann, Stability selection, JRSS B 2010, doi:10.1111/j.1467-9868.2010.00740.x; Shah and Samworth,
    Variable selection with error control: another look at stability selection, JRSS B 2013,
    doi:10.1111/j.1467-9868.2011.01034.x.

    Examples
    --------
    >>> from eigenselect import FisherScore, StabilitySelector
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = StabilitySelector(FisherScore(4), max_false=0.5).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['mean concave points', 'worst radius', 'worst perimeter',
           'worst concave points'], dtype=object)
    >>> selector.q_, selector.threshold_, round(selector.expected_false_, 3)
    (4.0, 0.78, 0.481)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: float | None = None,
        max_false: float | None = None,
        bound: str = "unimodal",
        n_pairs: int = 50,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.max_false = max_false
        self.bound = bound
        self.n_pairs = n_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, similarity_matrix: Any = None, **fit_params: Any) -> Self:
        """Fit the selector on every half, and keep what is chosen often.

        Parameters
        ----------
        X : array, data frame, sparse matrix or AnnData of shape (n_samples, n_features)
            At least 4 samples.
        y : array of shape (n_samples,), optional
            What the selector takes.
        similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
            A precomputed similarity for a selector that takes one; every half gets its rows and columns.
        **fit_params : dict
            For the selector's `fit`; of those with one entry per sample every half gets its own.

        Returns
        -------
        StabilitySelector
            The fitted selector itself.
        """
        self._check_parameters(y)
        X, (y,) = self._checked_table(X), labels_to_index(y)
        check_order(sample_names_of(y), sample_names_of(X), OWNER, "y")
        check_consistent_length(X, y)
        data = self._data(X, y, similarity_matrix, fit_params)
        rng = random_generator(self.random_state)
        several = y is not None and np.asarray(y).size > X.shape[0]  # targets, which are no classes
        strata = None if y is None or several else class_strata(y, OWNER)
        halves = [half for _ in range(self.n_pairs) for half in complementary_halves(X.shape[0], strata, rng)]
        seeds = rng.randint(2**31 - 1, size=len(halves))
        work = [(place, rows, int(seed)) for place, (rows, seed) in enumerate(zip(halves, seeds, strict=True))]
        with counted_as_whole("fitting halves", self.verbose) as progress:
            refit = partial(fit_half, self.estimator, data, OWNER)
            fits = refit_all(refit, work, n_jobs=self.n_jobs, progress=progress)
        self._finish(np.array([fit.support for fit in fits]))
        warn_of_warnings(fits, type(last_step(self.estimator)).__name__, OWNER)
        return self

    def _check_parameters(self, y: Any) -> None:
        whole(self.n_pairs, "n_pairs", OWNER)
        choice(self.bound, "bound", OWNER, BOUNDS)
        if self.threshold is not None and self.max_false is not None:
            raise ValueError(f"{OWNER}: give threshold or max_false, not both; each follows from the other.")
        if self.threshold is not None:
            check_threshold(self.threshold, OWNER)
        if self.max_false is not None:
            number(self.max_false, "max_false", OWNER)
        if isinstance(self.estimator, type) or not hasattr(last_step(self.estimator), "get_support"):
            given = self.estimator if isinstance(self.estimator, type) else type(last_step(self.estimator))
            raise TypeError(
                f"{OWNER}: estimator must be a selector or a pipeline that ends in one, got {given.__name__}; a model "
                "with coefficients or importances becomes one in SelectFromModel."
            )
        if y is None and get_tags(self).target_tags.required:
            raise ValueError(f"{OWNER} requires y to be passed, but the target y is None: its estimator needs it.")

    def _checked_table(self, X: Any) -> Any:
        """Return a table of which rows can be taken, after all checks: frames stay frames, an AnnData has names."""
        table, tags = indexable(X, OWNER), get_tags(self).input_tags
        if isinstance(table, Matrix) and getattr(self.estimator, "reads_matrices", False):
            return read_input(X, OWNER, self, min_samples=FEWEST_SAMPLES)
        names, table = feature_names_of(table), portable(table)
        validate_data(
            self,
            table,
            accept_sparse="csr",
            dtype=None if isinstance(self.estimator, Pipeline) else "numeric",
            ensure_all_finite="allow-nan" if tags.allow_nan else True,
            ensure_min_samples=FEWEST_SAMPLES,
        )
        if is_annotated(X):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return table

    def _data(self, X: Any, y: Any, similarity_matrix: Any, fit_params: dict[str, Any]) -> Samples:
        """Gather what every half takes its part of."""
        if get_config()["enable_metadata_routing"] and fit_params:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        selector = last_step(self.estimator)
        if similarity_matrix is None:
            # parameters of a fit, such as covariates, may change the table that distances are made of
            pairs = None if fit_params else shared_pairs(self.estimator, X, self.n_pairs, OWNER)
            return Samples(X, y, params=fit_params, pairs=pairs)
        if not getattr(selector, "takes_similarity_matrix", False):
            raise ValueError(f"{OWNER}: {type(selector).__name__} takes no similarity_matrix; leave it out.")
        name = f"{OWNER}: similarity_matrix"
        symmetric = getattr(selector, "symmetric", True)
        matrix = checked_matrix(similarity_matrix, X.shape[0], name=name, non_negative=False, symmetric=symmetric)
        return Samples(
            X, y, params=fit_params, similarity=(name_at_last_step(self.estimator, "similarity_matrix"), matrix)
        )

    def _finish(self, supports: BoolArray) -> None:
        counts, n_features = supports.sum(axis=0), supports.shape[1]
        self.frequencies_ = self.scores_ = self.native_scores_ = counts / len(supports)
        self.pair_frequencies_ = (supports[::2] & supports[1::2]).mean(axis=0)
        self.q_ = float(supports.sum() / len(supports))
        self.ranking_ = rank_features(self.frequencies_)
        self.n_ordered_ = int((counts > 0).sum())
        options: dict[str, Any] = {"n_pairs": self.n_pairs, "bound": self.bound, "owner": OWNER}
        if self.max_false is None:
            self.threshold_ = USUAL_THRESHOLD if self.threshold is None else float(self.threshold)
        else:
            self.threshold_ = smallest_threshold(self.q_, n_features, self.max_false, **options)
        if np.isinf(self.threshold_):
            self.expected_false_, self._support = 0.0, np.zeros(n_features, dtype=bool)
            self._warn_of_no_threshold(expected_false(self.q_, n_features, 1.0, **options))
        else:
            self.expected_false_ = expected_false(self.q_, n_features, self.threshold_, **options)
            self._support = counts >= needed_count(self.threshold_, self.n_pairs)
        self.n_features_ = int(self._support.sum())

    def _warn_of_no_threshold(self, least: float) -> None:
        said = "says nothing" if np.isnan(least) else f"allows {least:.3g}"
        warn(
            f"{OWNER}: no threshold keeps max_false={self.max_false:g}, so no feature is selected: even for features "
            f"that every fit chooses the {self.bound} bound {said} with {self.q_:.3g} of {self.frequencies_.size} "
            "features per fit; let the estimator choose fewer, or take more pairs."
        )

    # -- scikit-learn ------------------------------------------------------------------------------

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "frequencies_")
        return self._support

    def get_metadata_routing(self) -> MetadataRouter:
        """Route what `fit` is given to the estimator.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            For scikit-learn's metadata routing.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self.estimator)
        tags.input_tags.sparse = base.input_tags.sparse
        tags.input_tags.allow_nan = base.input_tags.allow_nan or isinstance(self.estimator, Pipeline)  # a step may fill
        tags.target_tags.required = base.target_tags.required
        return tags
