"""KOGS: rank by each pair of knowledge and criterion, then aggregate the rankings."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from eigenselect._checks import choice
from eigenselect._floats import SAME
from eigenselect._labels import learning_labels
from eigenselect._typing import FloatArray
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Scores
from eigenselect.exceptions import KneeWarning, SourceWarning
from eigenselect.matrix import Matrix
from eigenselect.matrix.base import OTHER_LIBRARIES
from eigenselect.multisource.aggregation import AGGREGATIONS, aggregate_rankings, list_weights
from eigenselect.multisource.feature_sources import FeatureSet
from eigenselect.multisource.sources import KnowledgeSource
from eigenselect.multisource.target import Target
from eigenselect.selection import feature_order
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Found, Selector, Traits

LEARNING_FOLDS = 5


class KOGS(Selector):
    """Knowledge-oriented selection: K rankings, each from its own knowledge and criterion, aggregated into one.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    rankers : list of (knowledge, criterion) or (name, knowledge, criterion)
        Knowledge is a source of `eigenselect.multisource`, or None for the target table itself; a criterion is any
        selector. One that does not order all features, such as `MRSF`, gives a partial list of those that it does
        order, and features that tie share a rank. A selector that takes a ``similarity_matrix`` (`SPEC`,
        `LaplacianScore`, `SSelect`) ranks on the sample similarity of the source. Any other one, such as `FisherScore`,
        ranks the features of a `FeatureSet` or `FeatureInteractions` alone: a partial list.
    aggregation : {"borda", "median", "rra", "mc4"}, default="borda"
        How the lists become one, see `eigenselect.multisource.aggregate_rankings`.
    weights : sequence of numbers, "learn" or None, default=None
        How much each list counts. ``"learn"`` takes, for each, how far above chance a nearest-neighbour classifier is
        on its top features, by cross-validation in which the ranker never sees the held-out samples. Samples without a
        label are passed over there: None, NaN, and -1 in a numeric y with at least two other classes.
    n_jobs : int, optional
        Threads of each ranker that does not say how many itself; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        For the folds of ``"learn"``; None is fixed.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    rankings_ : ndarray of shape (n_rankers, n_features)
        1 is best, ties share the mean of their ranks, NaN where a partial list does not hold the feature.
    names_ : list of str
        Names of the rankers.
    weights_ : ndarray of shape (n_rankers,)
        How much each list counts.
    scores_ : ndarray of shape (n_features,)
        Larger is better; NaN for features in no list.
    native_scores_ : ndarray
        The same.
    p_values_ : ndarray or None
        Of robust rank aggregation.
    n_features_ : int
        Number of selected features: fewer than asked for where the lists hold fewer, which is warned about.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, features in no list last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but those in no list.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    MSFS : Combines similarities instead of rankings.
    eigenselect.multisource.aggregate_rankings : The aggregation alone.

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
        n_features_to_select: HowMany = None,
        *,
        rankers: Sequence[Any] | None = None,
        aggregation: str = "borda",
        weights: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.rankers = rankers
        self.aggregation = aggregation
        self.weights = weights
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_names: Sequence[Any] | None = None,
        feature_names: Sequence[Any] | None = None,
        similarity_matrix: Any = None,
        covariates: Any = None,
    ) -> Self:
        """Rank by every pair of knowledge and criterion, and aggregate.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The target table; finite numbers.
        y : array of shape (n_samples,), optional
            Labels, for criteria that need them and for learned weights.
        sample_names, feature_names : sequence, optional
            By default the index and columns of a data frame. Sources with names are matched by name.
        similarity_matrix : None
            Not used: give a ranker a `SampleSimilarity` source.
        covariates : array or data frame of shape (n_samples,) or (n_samples, n_covariates), optional
            Taken out of every feature of X before anything else, see `SPEC.fit`; other tables stay as they are.

        Returns
        -------
        KOGS
            The fitted selector itself.
        """
        return self._fit(X, y, similarity_matrix, covariates, sample_names=sample_names, feature_names=feature_names)

    def _traits(self) -> Traits:
        learned = isinstance(self.weights, str) and self.weights == "learn"
        return Traits(
            uses_unlabelled_samples=learned,  # weights are learned from the labelled samples alone
            no_similarity_matrix="KOGS: give a precomputed similarity as the knowledge of a ranker, SampleSimilarity.",
            no_p_values="an aggregate of rankings has no known null distribution",
            no_quadratic_form="KOGS aggregates rankings; each of its rankers has a form of its own.",
            no_explanation="KOGS.explain: the score aggregates ranks, which are no sums; rankings_ has the rank in "
            "every list, and MSFS explains the combined graph.",
            undefined="[is in no list; it has|are in no list; they have] no score, [is|are] ranked last and never "
            "selected",
            selects_undefined=False,
            needs_number="weights='learn' compares equally many features of each list" if learned else "",
        )

    def _check_parameters(self) -> None:
        _checked_rankers(self.rankers)
        choice(self.aggregation, "aggregation", "KOGS", AGGREGATIONS)

    def _find(self, table: Matrix, y: Any, similarity_matrix: Any) -> Found:
        pairs = _checked_rankers(self.rankers, self.n_jobs)
        target = Target.of(table, y, "KOGS")
        with self._step("rankings"):
            rankings = np.array([pair.ranking(target) for pair in pairs])
        with self._step("aggregation"):
            weights = self._weights(pairs, target, rankings)
            common = aggregate_rankings(rankings, self.aggregation, None if self.aggregation == "rra" else weights)
        scores = Scores(common.scores, common.scores, SAME * np.abs(common.scores), larger_is_better=True)
        attributes = {
            "names_": [pair.name for pair in pairs],
            "rankings_": rankings,
            "weights_": weights,
            "p_values_": common.p_values,
        }
        return Found(scores, attributes, can_be_dominated=False)

    def _weights(self, pairs: list[_Pair], target: Target, rankings: FloatArray) -> FloatArray:
        equal = np.full(len(pairs), 1.0 / len(pairs))
        if self.weights is None:
            return equal
        if self.aggregation == "rra":
            raise ValueError("KOGS: robust rank aggregation has no weights; use 'borda', 'median' or 'mc4'.")
        if not isinstance(self.weights, str):
            return list_weights(self.weights, len(pairs), "KOGS")
        if self.weights != "learn":
            raise ValueError(f"KOGS: weights must be numbers, 'learn' or None, got {self.weights!r}.")
        gains = self._gains_over_chance(pairs, target, rankings)
        if not gains.any():
            warn("KOGS: no list predicts the labels better than chance; all count the same.")
            return equal
        return np.asarray(gains / gains.sum())

    def _gains_over_chance(self, pairs: list[_Pair], target: Target, rankings: FloatArray) -> FloatArray:
        """Measure the accuracy of 1NN on each list's top features beyond the share of the largest class; 0 if below."""
        labelled, codes, _ = learning_labels(target.y, "KOGS(weights='learn')", target.n_samples)
        target = target.rows(labelled)
        places = aggregate_rankings(rankings).ranking.astype(float)
        count = self.selection_rule.number(-places, "KOGS", target.n_samples)
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
                seen, unseen = (table.take_rows(rows).loaded(OTHER_LIBRARIES).raw for rows in (train, test))
                model = KNeighborsClassifier(1).fit(seen, codes[train])
                correct[number] += model.score(unseen, codes[test]) * test.size
        return np.asarray(np.maximum(correct / codes.size - np.bincount(codes).max() / codes.size, 0.0))


@dataclass(frozen=True)
class _Pair:
    """A piece of knowledge and the criterion that ranks with it."""

    name: str
    knowledge: KnowledgeSource | None
    criterion: Any
    n_jobs: int | None = None

    def ranking(self, target: Target) -> FloatArray:
        """Rank all features; NaN for those that the list does not hold."""
        selector = clone(self.criterion)
        if selector.get_params(deep=False).get("n_jobs", 1) is None:
            selector.set_params(n_jobs=self.n_jobs)
        if self.knowledge is None:
            return self._fitted(selector, target)
        if _takes_a_similarity(selector):
            return self._by_similarity(selector, self.knowledge, target)
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
        """Rank by a selector; one that matches sources by name gets the names."""
        names = {}
        if "sample_names" in inspect.signature(selector.fit).parameters:
            names = {"sample_names": target.samples.given, "feature_names": target.features.given}
        with _any_number():
            return self._list(selector.fit(_table_for(selector, target), target.y, **names))

    def _list(self, fitted: Any) -> FloatArray:
        """Read the order of the features, or of a part of them, from a fitted selector."""
        try:
            order = feature_order(fitted)
        except TypeError as error:
            raise ValueError(f"KOGS: {error}") from None
        if not order.n_ordered:
            raise ValueError(f"KOGS: {self.name} orders no feature (none has a score); leave it out.")
        return order.partial_ranks

    def _by_similarity(self, selector: Any, knowledge: KnowledgeSource, target: Target) -> FloatArray:
        """Rank on the sample similarity of the knowledge."""
        covered = np.flatnonzero(knowledge.covered(target))
        if covered.size < target.n_samples:
            warn(
                f"KOGS: {self.name} does not know {target.n_samples - covered.size} of {target.n_samples} samples; it "
                "ranks by the others.",
                SourceWarning,
            )
        part = target.rows(covered)
        S = knowledge.build(part).graph.explicit()
        with _any_number():
            return self._list(selector.fit(_table_for(selector, part), part.y, similarity_matrix=S))


@contextmanager
def _any_number() -> Iterator[None]:
    """Within, a ranker is not warned of how many features it selects: only its order counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KneeWarning)
        yield


def _table_for(selector: Any, target: Target) -> Any:
    """Return the table with its names, for the messages of a selector of ours; as it is for others."""
    return target.X if isinstance(selector, Selector) else target.X.loaded(OTHER_LIBRARIES).raw


def _takes_a_similarity(selector: Any) -> bool:
    """Tell whether it ranks on a sample graph that can be given in place of its own similarity."""
    return "similarity" in selector.get_params() and getattr(selector, "takes_similarity_matrix", False)


def _checked_rankers(rankers: Any, n_jobs: int | None = None) -> list[_Pair]:
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
        called = str(name[0]) if name else f"{number}: {type(criterion).__name__}"
        pairs.append(_Pair(called, knowledge, criterion, n_jobs))
    return pairs
