"""KOGS: rank by each pair of knowledge and criterion, then aggregate the rankings."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from eigenselect._checks import any_finite_size, check_table
from eigenselect._labels import learning_labels
from eigenselect._names import named
from eigenselect._warn import warn
from eigenselect.exceptions import SourceWarning, UndefinedScoreWarning
from eigenselect.multisource.aggregation import AGGREGATIONS, aggregate_rankings, list_weights
from eigenselect.multisource.feature_sources import FeatureSet
from eigenselect.multisource.sources import KnowledgeSource
from eigenselect.multisource.target import Target, table_names
from eigenselect.selection import feature_order, number_to_select

FloatArray = NDArray[np.float64]

LEARNING_FOLDS = 5


class KOGS(SelectorMixin, BaseEstimator):
    """Knowledge-oriented selection: K rankings, each from its own knowledge and criterion, aggregated into one.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number, fraction, ``"auto"``, or half of the features. ``"auto"`` is the knee of the sorted scores, at most the
        number of samples; a knee is a bend of a curve, no evidence that the features before it matter.
    rankers : list of (knowledge, criterion) or (name, knowledge, criterion)
        Knowledge is a source of `eigenselect.multisource`, or None for the target table itself; a criterion is any
        selector. One that does not order all features, such as `MRSF`, gives a partial list of those that it does
        order, and features that tie share a rank. A selector that takes a ``similarity_matrix`` (`SPEC`,
        `LaplacianScore`, `SSelect`) ranks on the sample similarity of the source. Any other one, such as `FisherScore`,
        ranks the features of a `FeatureSet` or `FeatureInteractions` alone: a partial list.
    aggregation : {"borda", "median", "rra", "mc4"}, default="borda"
        See `aggregate_rankings`.
    weights : sequence of numbers, "learn" or None, default=None
        How much each list counts. ``"learn"`` takes, for each, how far above chance a nearest-neighbour classifier is
        on its top features, by cross-validation in which the ranker never sees the held-out samples. Samples without a
        label are passed over there: None, NaN, and -1 in a numeric y with at least two other classes.
    random_state : int, RandomState or None, default=None
        For the folds of ``"learn"``; None is fixed.

    Attributes
    ----------
    rankings_ : ndarray of shape (n_rankers, n_features)
        1 is best, ties share the mean of their ranks, NaN where a partial list does not hold the feature.
    names_ : list of str
    weights_ : ndarray of shape (n_rankers,)
    scores_ : ndarray of shape (n_features,)
        Larger is better; NaN for features in no list.
    native_scores_ : ndarray
        The same.
    p_values_ : ndarray or None
        Of robust rank aggregation.
    n_features_ : int
        Number of selected features: fewer than asked for where the lists hold fewer, which is warned about.
    ranking_, n_ordered_, n_features_in_, feature_names_in_
        See `SPEC`.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    section 5.5.

    Examples
    --------
    >>> from eigenselect import KOGS, FisherScore, LaplacianScore, ReliefF
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> rankers = [(None, FisherScore()), (None, ReliefF()), (None, LaplacianScore())]
    >>> KOGS(3, rankers=rankers).fit(X.apply(scale), y).get_feature_names_out()
    array(['flavanoids', 'od280/od315_of_diluted_wines', 'proline'],
          dtype=object)
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        rankers: Sequence[Any] | None = None,
        aggregation: str = "borda",
        weights: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.rankers = rankers
        self.aggregation = aggregation
        self.weights = weights
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_names: Sequence[Any] | None = None,
        feature_names: Sequence[Any] | None = None,
    ) -> Self:
        """Rank by every pair of knowledge and criterion, and aggregate.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), optional
            Labels, for criteria that need them and for learned weights.
        sample_names, feature_names : sequence, optional
            By default the index and columns of a data frame. Sources with names are matched by name.
        """
        check_table(X, "KOGS")
        pairs = _checked_rankers(self.rankers)
        if self.aggregation not in AGGREGATIONS:
            expected = ", ".join(map(repr, AGGREGATIONS))
            raise ValueError(f"KOGS: aggregation must be one of {expected}, got {self.aggregation!r}.")
        names = table_names(X, sample_names, feature_names)
        with any_finite_size():
            X = validate_data(self, X, accept_sparse=["csr"], dtype=[np.float64, np.float32], ensure_min_samples=2)
        number_to_select(self.n_features_to_select, np.zeros(X.shape[1]), "KOGS")
        target = Target.of(X, y, *names, "KOGS")
        self.names_ = [pair.name for pair in pairs]
        with named(names[1].given, names[0].given):
            self.rankings_ = np.array([pair.ranking(target) for pair in pairs])
        self.weights_ = self._weights(pairs, target)
        given = None if self.aggregation == "rra" else self.weights_
        common = aggregate_rankings(self.rankings_, self.aggregation, given)
        self.scores_ = self.native_scores_ = common.scores
        self.n_ordered_ = int((~np.isnan(common.scores)).sum())
        self.ranking_, self.p_values_ = common.ranking, common.p_values
        if missing := int(np.isnan(self.scores_).sum()):
            warn(
                f"KOGS: {missing} of {X.shape[1]} features are in no list; they have no score, are ranked last and "
                "never selected.",
                UndefinedScoreWarning,
            )
        wanted = number_to_select(self.n_features_to_select, self.scores_, "KOGS", X.shape[0])
        self.n_features_ = min(wanted, self.n_ordered_)  # of the others no list says anything
        return self

    @property
    def uses_unlabelled_samples(self) -> bool:
        """Whether weights are learned, from the labelled samples alone; then -1 in a numeric y may mark others."""
        return isinstance(self.weights, str) and self.weights == "learn"

    def _weights(self, pairs: list[_Pair], target: Target) -> FloatArray:
        equal = np.full(len(pairs), 1.0 / len(pairs))
        if self.weights is None:
            return equal
        if self.aggregation == "rra":
            raise ValueError("KOGS: robust rank aggregation has no weights; use 'borda', 'median' or 'mc4'.")
        if not isinstance(self.weights, str):
            return list_weights(self.weights, len(pairs), "KOGS")
        if self.weights != "learn":
            raise ValueError(f"KOGS: weights must be numbers, 'learn' or None, got {self.weights!r}.")
        gains = self._gains_over_chance(pairs, target)
        if not gains.any():
            warn("KOGS: no list predicts the labels better than chance; all count the same.")
            return equal
        return np.asarray(gains / gains.sum())

    def _gains_over_chance(self, pairs: list[_Pair], target: Target) -> FloatArray:
        """Accuracy beyond the share of the largest class, of 1NN on each list's top features; 0 if below."""
        labelled, codes, _ = learning_labels(target.y, "KOGS(weights='learn')", target.n_samples)
        target = target.rows(labelled)
        count = number_to_select(
            self.n_features_to_select,
            -aggregate_rankings(self.rankings_).ranking.astype(float),
            "KOGS",
            target.n_samples,
        )
        if (smallest := int(np.bincount(codes).min())) < 2:
            raise ValueError(
                "KOGS(weights='learn'): every class needs at least 2 samples, got one with 1; give numbers."
            )
        seed = 0 if self.random_state is None else self.random_state
        folds = StratifiedKFold(min(LEARNING_FOLDS, smallest), shuffle=True, random_state=seed)
        correct = np.zeros(len(pairs))
        for train, test in folds.split(np.zeros((codes.size, 1)), codes):
            for number, pair in enumerate(pairs):
                ranking = pair.ranking(target.rows(train))
                held = np.flatnonzero(~np.isnan(ranking))
                top = held[np.argsort(ranking[held], kind="stable")[:count]]
                table = target.X.take_columns(top)
                table = table.divided(table.exponent())  # so that distances are in range, in any unit
                model = KNeighborsClassifier(1).fit(table.take_rows(train).raw, codes[train])
                correct[number] += model.score(table.take_rows(test).raw, codes[test]) * test.size
        return np.asarray(np.maximum(correct / codes.size - np.bincount(codes).max() / codes.size, 0.0))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "ranking_")
        return np.asarray(self.ranking_ <= self.n_features_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class _Pair:
    """A piece of knowledge and the criterion that ranks with it."""

    name: str
    knowledge: KnowledgeSource | None
    criterion: Any

    def ranking(self, target: Target) -> FloatArray:
        """Ranks of all features, NaN for those that the list does not hold."""
        selector = clone(self.criterion)
        if self.knowledge is None:
            return self._fitted(selector, target)
        if _takes_a_similarity(selector):
            return self._by_similarity(selector, target)
        if isinstance(self.knowledge, FeatureSet):
            columns = self.knowledge.columns(target)
            ranking = np.full(target.n_features, np.nan)
            ranking[columns] = self._fitted(selector, target.columns(columns))
            return ranking
        raise ValueError(
            f"KOGS: {type(selector).__name__} makes no use of a similarity, so it cannot rank with "
            f"{type(self.knowledge).__name__}; use SPEC or LaplacianScore, or a FeatureSet."
        )

    def _fitted(self, selector: Any, target: Target) -> FloatArray:
        """The selector's ranking; one that matches sources by name gets the names."""
        names = {}
        if "sample_names" in inspect.signature(selector.fit).parameters:
            names = {"sample_names": target.samples.given, "feature_names": target.features.given}
        fitted = selector.fit(target.X.raw, target.y, **names)
        return self._list(fitted)

    def _list(self, fitted: Any) -> FloatArray:
        """What a fitted selector says of the order of its features, which may be a part of them."""
        try:
            order = feature_order(fitted)
        except TypeError as error:
            raise ValueError(f"KOGS: {error}") from None
        if not order.n_ordered:
            raise ValueError(f"KOGS: {self.name} orders no feature (none has a score); leave it out.")
        return order.partial_ranks

    def _by_similarity(self, selector: Any, target: Target) -> FloatArray:
        assert self.knowledge is not None
        covered = np.flatnonzero(self.knowledge.covered(target))
        if covered.size < target.n_samples:
            warn(
                f"KOGS: {self.name} does not know {target.n_samples - covered.size} of {target.n_samples} samples; it "
                "ranks by the others.",
                SourceWarning,
            )
        part = target.rows(covered)
        graph = self.knowledge.build(part).graph
        S = graph.affinity if graph.is_sparse else graph.to_array()
        return self._list(selector.fit(part.X.raw, part.y, similarity_matrix=S))


def _takes_a_similarity(selector: Any) -> bool:
    """Whether it ranks on a sample graph that can be given in place of its own similarity."""
    return "similarity" in selector.get_params() and getattr(selector, "takes_similarity_matrix", False)


def _checked_rankers(rankers: Any) -> list[_Pair]:
    expected = "KOGS: rankers must be a list of (knowledge, criterion) or (name, knowledge, criterion)"
    if not isinstance(rankers, (list, tuple)) or not rankers:
        raise ValueError(f"{expected}, got {rankers!r}.")
    pairs = []
    for number, entry in enumerate(rankers, 1):
        if not isinstance(entry, (list, tuple)) or len(entry) not in (2, 3):
            raise ValueError(f"{expected}, got {entry!r} among them.")
        *name, knowledge, criterion = entry
        if not (knowledge is None or isinstance(knowledge, KnowledgeSource)) or not hasattr(criterion, "fit"):
            raise ValueError(f"{expected} with a source or None and a selector, got {entry!r} among them.")
        pairs.append(_Pair(str(name[0]) if name else f"{number}: {type(criterion).__name__}", knowledge, criterion))
    return pairs
