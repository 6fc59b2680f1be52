"""The order that selectors and pipelines give features: ranks, ties, and no more than they say."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
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

import eigenselect as es
from eigenselect import KOGS, MRSF, SPEC, FisherScore, SSelect, TraceRatio
from eigenselect.exceptions import KneeWarning
from eigenselect.multisource import TargetData
from eigenselect.selection import feature_order, rank_features
from eigenselect.selection.ranking import in_order
from eigenselect.selection.steps import before_last, fitted_for, n_features_seen, original_columns

OWN = [
    method(4)
    for method in (SPEC, es.LaplacianScore, FisherScore, es.ReliefF, es.HSICScore, TraceRatio, SSelect, es.EVSC)
]
OWN += [es.MSFS(4, sources=[("t", TargetData())]), KOGS(4, rankers=[(None, es.HSICScore())])]


def test_own_selectors_order_what_has_a_score(wine):
    X, y = wine
    for selector in OWN:
        order = feature_order(selector.fit(X, y))
        assert order.n_ordered == selector.n_ordered_ == 13
        np.testing.assert_array_equal(order.ranks, selector.ranking_)
        for count in range(14):
            np.testing.assert_array_equal(np.sort(order.top(count)), np.flatnonzero(selector.ranking_ <= count))


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
def test_undefined_features_share_the_last_rank(wine):
    X = wine[0].copy()
    X[:, [2, 7]] = 3.0
    for selector in (FisherScore(4), SPEC(4), TraceRatio(4), KOGS(rankers=[(None, FisherScore())])):
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

    def test_a_selector_that_keeps_all_orders_none(self, wine):
        order = feature_order(VarianceThreshold().fit(*wine))
        assert (order.n_ordered, order.top(12).size, order.top(13).size) == (13, 0, 13)


class TestPipelines:
    def test_scaling_changes_no_column(self, wine):
        X, y = load_wine(return_X_y=True)
        order = feature_order(make_pipeline(StandardScaler(), SPEC(3)).fit(X, y))
        np.testing.assert_array_equal(order.ranks, SPEC(3).fit(wine[0]).ranking_)

    def test_a_first_step_that_does_nothing_changes_no_column(self, wine):
        for nothing in ("passthrough", None):
            order = feature_order(make_pipeline(nothing, make_pipeline(nothing, SPEC(3))).fit(*wine))
            np.testing.assert_array_equal(order.ranks, SPEC(3).fit(wine[0]).ranking_)
            pipeline = make_pipeline(nothing, VarianceThreshold(), SelectKBest(f_classif, k=3)).fit(*wine)
            assert n_features_seen(pipeline) == n_features_seen(pipeline[1]) == 13
            np.testing.assert_array_equal(original_columns(pipeline), np.arange(13))

    def test_dropped_columns_are_not_ordered(self, wine):
        X = wine[0].copy()
        X[:, [0, 8]] = 0.0
        X[3, 4] = np.nan
        left = np.delete(np.arange(13), [0, 8])
        for table in (X, pd.DataFrame(X, columns=[f"c{j}" for j in range(13)])):
            pipeline = make_pipeline(SimpleImputer(), VarianceThreshold(), "passthrough", FisherScore(3))
            order = feature_order(pipeline.fit(table, wine[1]))
            np.testing.assert_array_equal(original_columns(pipeline), left)
            np.testing.assert_array_equal(order.best_first[:11], left[np.argsort(pipeline[-1].ranking_)])
            assert order.n_ordered == 11
            np.testing.assert_array_equal(order.ranks[[0, 8]], [12.5, 12.5])

    def test_what_selects_nothing_and_steps_that_make_features_are_refused_by_name(self, wine):
        with pytest.raises(TypeError, match="PCA"):
            feature_order(PCA().fit(np.eye(3)))
        with pytest.raises(ValueError, match=r"'pca' \(PCA\)"):
            feature_order(make_pipeline(PCA(5), SPEC(2)).fit(*wine))


class OfOnesOwn(BaseEstimator):
    ranking_ = np.array([2, 1, 3])


def test_a_permutation_is_taken_at_its_word():
    order = feature_order(OfOnesOwn())
    assert (order.n_ordered, order.best_first.tolist()) == (3, [1, 0, 2])


class TestAskingForAnOrder:
    def test_one_that_orders_what_it_selects_is_asked_for_the_largest_size(self, wine):
        fitted = fitted_for(make_pipeline(StandardScaler(), MRSF(1, target="lda")), *wine, [2, 6])
        np.testing.assert_array_equal(feature_order(fitted).top(6), MRSF(6, target="lda").fit(*wine).path_)
        assert fitted_for(MRSF(2, target="lda"), *wine).n_ordered_ == 2

    def test_rfe_is_asked_for_the_smallest(self, wine):
        order = feature_order(fitted_for(RFE(LogisticRegression()), *wine, [2, 6]))
        assert [order.top(k).size for k in (1, 2, 3, 6)] == [0, 2, 3, 6]

    def test_no_more_than_are_left(self, wine):
        X = wine[0].copy()
        X[:, :9] = 0.0
        fitted = fitted_for(make_pipeline(VarianceThreshold(), MRSF(target="lda")), X, wine[1], [10])
        assert feature_order(fitted).n_ordered == 4

    def test_a_knee_that_sizes_replace_is_not_spoken_of(self, wine):
        fitted_for(FisherScore("auto", significance=False), *wine, [3])
        with pytest.warns(KneeWarning):
            fitted_for(FisherScore("auto", significance=False), *wine)


class TestSteps:
    def test_what_the_last_step_sees(self, wine):
        X = wine[0].copy()
        X[:, 3] = 0.0
        inner = make_pipeline(VarianceThreshold(), SPEC(2))
        pipeline = make_pipeline(StandardScaler(), inner).fit(X)
        seen = before_last(pipeline, X)
        np.testing.assert_allclose(seen, np.delete(StandardScaler().fit_transform(X), 3, axis=1))
        assert before_last(pipeline[-1][-1], X) is X
        assert before_last(make_pipeline(SPEC(2)).fit(wine[0]), X) is X

    def test_dropped_columns_add_up_over_pipelines_in_pipelines(self, wine):
        inner = make_pipeline(SelectKBest(f_classif, k=4), SPEC(2))
        outer = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=9), inner).fit(*wine)
        np.testing.assert_array_equal(original_columns(outer), np.sort(np.argsort(-outer[1].scores_)[:4]))

    def test_a_step_may_change_the_order_of_named_columns(self, wine):
        frame = pd.DataFrame(wine[0][:, :3], columns=["a", "b", "c"])
        turn = ColumnTransformer([("turn", "passthrough", ["c", "a"])], verbose_feature_names_out=False)
        pipeline = make_pipeline(turn.set_output(transform="pandas"), SPEC(1)).fit(frame)
        np.testing.assert_array_equal(original_columns(pipeline), [2, 0])


scores_with_ties = st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=1, max_size=30).map(np.array)


class TestRanking:
    @given(scores_with_ties, st.booleans())
    def test_a_permutation_that_follows_the_scores(self, scores, larger):
        ranking = rank_features(scores, larger_is_better=larger)
        assert sorted(ranking) == list(range(1, scores.size + 1))
        ordered = scores[np.argsort(ranking)]
        defined = ordered[~np.isnan(ordered)]
        assert np.isnan(ordered[defined.size :]).all()
        assert (np.diff(defined) <= 0).all() if larger else (np.diff(defined) >= 0).all()

    @given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.booleans())
    def test_chains_of_ties_are_sorted_by_column_and_nothing_else_is(self, steps, larger):
        """As if all scores were sorted by their group of ties and then by column."""
        scores = 1.0 + 40 * np.finfo(float).eps * np.array(steps)
        order = np.argsort(-scores if larger else scores, kind="stable")
        gaps = np.abs(np.diff(scores[order])) > 64 * 2.0**-52 * np.maximum(scores[order[:-1]], scores[order[1:]])
        order = order[np.lexsort((order, np.append(0, np.cumsum(gaps))))]
        np.testing.assert_array_equal(in_order(rank_features(scores, larger_is_better=larger)), order)

    def test_scores_equal_up_to_rounding_tie_by_column(self):
        np.testing.assert_array_equal(rank_features(np.array([1.0, np.nan, 2, 1, np.nan])), [2, 4, 1, 3, 5])
        for larger, size in product((True, False), (1e-300, 1e-20, 1.0, 1e300)):
            last_bits = size * (1 + np.array([3, -2, 0, 5, -4]) * np.finfo(float).eps)
            np.testing.assert_array_equal(rank_features(last_bits, larger_is_better=larger), [1, 2, 3, 4, 5])

    def test_digits_beyond_rounding_decide_however_small_the_scores(self):
        scores = 1e-200 * (1 + np.array([0.0, 2e-14, 1e-13]))
        np.testing.assert_array_equal(rank_features(scores), [3, 2, 1])
        scores = np.array([1e308, np.inf, -np.inf, np.inf, np.nan])
        np.testing.assert_array_equal(rank_features(scores), [3, 1, 4, 2, 5])

    def test_a_method_that_loses_more_says_how_much(self):
        scores = np.array([0.5, 0.5 + 1e-9, 0.7])
        np.testing.assert_array_equal(rank_features(scores, tolerance=np.full(3, 1e-8)), [2, 3, 1])
        np.testing.assert_array_equal(rank_features(scores, tolerance=np.array([0, 1e-8, 0])), [2, 3, 1])
