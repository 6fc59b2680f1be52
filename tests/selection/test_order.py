"""What selectors say of the order of features, and no more."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    RFECV,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect import (
    EVSC,
    KOGS,
    MRSF,
    MSFS,
    SPEC,
    FisherScore,
    HSICScore,
    LaplacianScore,
    ReliefF,
    SSelect,
    TraceRatio,
)
from eigenselect.multisource import TargetData
from eigenselect.selection import feature_order
from eigenselect.selection.steps import original_columns

OWN = [
    SPEC(4),
    LaplacianScore(4),
    FisherScore(4),
    ReliefF(4),
    HSICScore(4),
    TraceRatio(4),
    SSelect(4),
    EVSC(4),
    MSFS(4, sources=[("t", TargetData())]),
    KOGS(4, rankers=[(None, FisherScore())]),
]


@pytest.mark.parametrize("selector", OWN, ids=lambda s: type(s).__name__)
def test_own_selectors_order_what_has_a_score(selector, wine):
    X, y = wine
    order = feature_order(selector.fit(X, y))
    assert order.n_ordered == selector.n_ordered_ == 13
    np.testing.assert_array_equal(order.ranks, selector.ranking_)
    for count in range(14):
        np.testing.assert_array_equal(np.sort(order.top(count)), np.flatnonzero(selector.ranking_ <= count))


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
@pytest.mark.parametrize("selector", [FisherScore(4), SPEC(4), TraceRatio(4), KOGS(rankers=[(None, FisherScore())])])
def test_undefined_features_share_the_last_rank(selector, wine):
    X = wine[0].copy()
    X[:, [2, 7]] = 3.0
    order = feature_order(selector.fit(X, wine[1]))
    assert order.n_ordered == selector.n_ordered_ == 11
    np.testing.assert_array_equal(order.ranks[[2, 7]], [12.5, 12.5])
    assert np.isnan(order.partial_ranks[[2, 7]]).all()
    assert order.top(12).size == 11
    assert not np.isin(order.top(12), [2, 7]).any()
    assert order.top(13).size == 13  # all features are all features


def test_mrsf_orders_what_it_selected(wine):
    selector = MRSF(4, target="lda").fit(*wine)
    order = feature_order(selector)
    assert order.n_ordered == selector.n_ordered_ == 4
    np.testing.assert_array_equal(order.top(4), selector.path_)
    np.testing.assert_array_equal(order.top(9), selector.path_)
    np.testing.assert_array_equal(np.sort(order.ranks), [1, 2, 3, 4] + [9.0] * 9)
    assert np.array_equal(np.sort(selector.ranking_), np.arange(1, 14))  # a permutation still


def test_the_order_moves_with_the_columns(wine, rng):
    """No column's place says anything: permuting columns permutes ranks, also of what is tied."""
    X, y = np.hstack([wine[0], wine[0][:, :3]]), wine[1]  # copies tie
    places = rng.permutation(16)
    for selector in (MRSF(4, target="lda"), FisherScore(), SelectKBest(f_classif), SSelect(regularization=0.0)):
        plain = feature_order(selector.fit(X, y))
        moved = feature_order(selector.fit(X[:, places], y))
        np.testing.assert_array_equal(moved.ranks, plain.ranks[places])


def test_equal_scores_tie_but_may_be_cut(wine):
    X = np.hstack([wine[0], wine[0][:, :3]])
    selector = FisherScore().fit(X, wine[1])
    order = feature_order(selector)
    np.testing.assert_array_equal(order.ranks, rankdata(-selector.native_scores_.round(10)))
    np.testing.assert_array_equal([order.top(k).size for k in range(17)], np.arange(17))


class TestScikitLearn:
    def test_scores(self, wine):
        selector = SelectKBest(f_classif, k=3).fit(*wine)
        order = feature_order(selector)
        np.testing.assert_array_equal(order.ranks, rankdata(-selector.scores_))
        np.testing.assert_array_equal(np.sort(order.top(3)), selector.get_support(indices=True))

    def test_undefined_scores_are_not_ordered(self, wine):
        X = wine[0].copy()
        X[:, 5] = 1.0
        with np.errstate(all="ignore"), pytest.warns(UserWarning, match="constant"):
            order = feature_order(SelectKBest(f_classif, k=3).fit(X, wine[1]))
        assert (order.n_ordered, order.best_first[-1]) == (12, 5)

    def test_ranks_with_ties_are_never_cut_within_them(self, wine):
        selector = RFE(LogisticRegression(), n_features_to_select=4, step=2).fit(*wine)
        order = feature_order(selector)
        np.testing.assert_array_equal(order.ranks, rankdata(selector.ranking_))
        sizes = [order.top(k).size for k in range(14)]
        firm = [0, *np.cumsum(np.bincount(selector.ranking_)[1:])]
        assert sizes == [max(size for size in firm if size <= k) for k in range(14)]
        assert set(order.top(4)) == set(selector.get_support(indices=True))

    @pytest.mark.parametrize(
        "selector",
        [
            SelectFromModel(RandomForestClassifier(5, random_state=0)),
            SequentialFeatureSelector(KNeighborsClassifier(1), n_features_to_select=2, cv=2),
            RFECV(LogisticRegression(), min_features_to_select=12, cv=2),
        ],
        ids=lambda s: type(s).__name__,
    )
    def test_a_selection_is_an_order_of_two_groups(self, selector, wine):
        chosen = selector.fit(*wine).get_support()
        order, count = feature_order(selector), int(chosen.sum())
        np.testing.assert_array_equal(np.sort(order.top(count)), np.flatnonzero(chosen))
        assert order.top(count - 1).size == 0
        if count < 12:
            assert order.n_ordered == order.top(12).size == count
            assert np.unique(order.ranks).tolist() == [(1 + count) / 2, (count + 1 + 13) / 2]

    def test_what_selects_nothing_is_refused(self):
        with pytest.raises(TypeError, match="PCA selects no features"):
            feature_order(PCA().fit(np.eye(3)))

    def test_a_selector_that_keeps_all_orders_none(self, wine):
        order = feature_order(VarianceThreshold().fit(*wine))
        assert (order.n_ordered, order.top(12).size, order.top(13).size) == (13, 0, 13)


class TestPipelines:
    def test_scaling_changes_no_column(self, wine):
        X, y = load_wine(return_X_y=True)
        order = feature_order(make_pipeline(StandardScaler(), SPEC(3)).fit(X, y))
        np.testing.assert_array_equal(order.ranks, SPEC(3).fit(wine[0]).ranking_)

    @pytest.mark.parametrize("nothing", ["passthrough", None])
    def test_a_first_step_that_does_nothing_changes_no_column(self, wine, nothing):
        order = feature_order(make_pipeline(nothing, make_pipeline(nothing, SPEC(3))).fit(*wine))
        np.testing.assert_array_equal(order.ranks, SPEC(3).fit(wine[0]).ranking_)

    @pytest.mark.parametrize("frame", [False, True])
    def test_dropped_columns_are_not_ordered(self, wine, frame):
        X = wine[0].copy()
        X[:, [0, 8]] = 0.0
        X[3, 4] = np.nan
        X = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)]) if frame else X
        pipeline = make_pipeline(SimpleImputer(), VarianceThreshold(), "passthrough", FisherScore(3)).fit(X, wine[1])
        order = feature_order(pipeline)
        left = np.delete(np.arange(13), [0, 8])
        np.testing.assert_array_equal(original_columns(pipeline), left)
        np.testing.assert_array_equal(order.best_first[:11], left[np.argsort(pipeline[-1].ranking_)])
        assert order.n_ordered == 11
        np.testing.assert_array_equal(order.ranks[[0, 8]], [12.5, 12.5])

    def test_unordered_and_dropped_ones_are_alike(self, wine):
        X = wine[0].copy()
        X[:, 1] = 0.0
        order = feature_order(make_pipeline(VarianceThreshold(), MRSF(3, target="lda")).fit(X, wine[1]))
        np.testing.assert_array_equal(np.sort(order.ranks), [1, 2, 3] + [8.5] * 10)
        assert order.top(7).size == 3

    def test_steps_that_make_features_are_refused_by_name(self, wine):
        pipeline = make_pipeline(PCA(5), SPEC(2)).fit(*wine)
        with pytest.raises(ValueError, match=r"the step 'pca' \(PCA\) of the pipeline makes new features"):
            feature_order(pipeline)

    def test_a_pipeline_in_a_pipeline(self, wine):
        inner = make_pipeline(VarianceThreshold(), FisherScore(3))
        order = feature_order(make_pipeline(StandardScaler(), inner).fit(*wine))
        np.testing.assert_array_equal(order.ranks, FisherScore().fit(*wine).ranking_)


class OfOnesOwn(BaseEstimator):
    ranking_ = np.array([2, 1, 3])


def test_a_permutation_is_taken_at_its_word():
    order = feature_order(OfOnesOwn())
    assert (order.n_ordered, order.best_first.tolist()) == (3, [1, 0, 2])
