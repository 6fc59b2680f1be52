"""Pipelines that end in a selector, and what they are asked for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect import MRSF, SPEC, FisherScore
from eigenselect.exceptions import KneeWarning
from eigenselect.selection import feature_order
from eigenselect.selection.steps import before_last, fitted_for, last_step, n_features_seen, original_columns


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
        fitted_for(FisherScore("auto"), *wine, [3])
        with pytest.warns(KneeWarning):
            fitted_for(FisherScore("auto"), *wine)

    def test_the_selector_itself_stays_as_it_is(self, wine):
        selector = MRSF(1, target="lda")
        fitted_for(selector, *wine, [5])
        assert selector.n_features_to_select == 1
        assert not hasattr(selector, "ranking_")


class TestSteps:
    def test_the_selector_is_the_last_step_of_the_innermost_pipeline(self):
        selector = SPEC(2)
        assert last_step(selector) is selector
        assert last_step(make_pipeline(StandardScaler(), make_pipeline(VarianceThreshold(), selector))) is selector

    def test_what_the_last_step_sees(self, wine):
        X = wine[0].copy()
        X[:, 3] = 0.0
        inner = make_pipeline(VarianceThreshold(), SPEC(2))
        pipeline = make_pipeline(StandardScaler(), inner).fit(X)
        seen = before_last(pipeline, X)
        np.testing.assert_allclose(seen, np.delete(StandardScaler().fit_transform(X), 3, axis=1))
        assert before_last(pipeline[-1][-1], X) is X
        assert before_last(make_pipeline(SPEC(2)).fit(wine[0]), X) is X

    @pytest.mark.parametrize("nothing", ["passthrough", None])
    def test_columns_seen_by_the_first_step_that_does_something(self, wine, nothing):
        pipeline = make_pipeline(nothing, VarianceThreshold(), SelectKBest(f_classif, k=3)).fit(*wine)
        assert n_features_seen(pipeline) == n_features_seen(pipeline[1]) == 13
        np.testing.assert_array_equal(original_columns(pipeline), np.arange(13))

    def test_dropped_columns_add_up_over_steps(self, wine, rng):
        X = wine[0].copy()
        X[:, [1, 4]] = 0.0
        pipeline = make_pipeline(VarianceThreshold(), SelectKBest(f_classif, k=5), SPEC(2)).fit(X, wine[1])
        left = np.delete(np.arange(13), [1, 4])
        np.testing.assert_array_equal(original_columns(pipeline), left[pipeline[1].get_support()])
        np.testing.assert_array_equal(before_last(pipeline, X), X[:, original_columns(pipeline)])

    def test_dropped_columns_add_up_over_pipelines_in_pipelines(self, wine):
        inner = make_pipeline(SelectKBest(f_classif, k=4), SPEC(2))
        outer = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=9), inner).fit(*wine)
        np.testing.assert_array_equal(original_columns(outer), np.sort(np.argsort(-outer[1].scores_)[:4]))

    def test_a_step_may_change_the_order_of_named_columns(self, wine):
        frame = pd.DataFrame(wine[0][:, :3], columns=["a", "b", "c"])
        turn = ColumnTransformer([("turn", "passthrough", ["c", "a"])], verbose_feature_names_out=False)
        pipeline = make_pipeline(turn.set_output(transform="pandas"), SPEC(1)).fit(frame)
        np.testing.assert_array_equal(original_columns(pipeline), [2, 0])
