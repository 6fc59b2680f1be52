"""A fit made again: with all that it was given, on the samples that are asked for, and on data that say nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.refitting import refits as module
from eigenselect.reporting.refitting.refits import FIRST_PERMUTATION, NotMeasuredError, Refits, Shuffled

ROWS = np.arange(0, 60, 2)


def refits_of(selector, X, y=None, count=None, **options):
    return Refits.of(check_fitted("report", selector, X, y, **options), count)


@pytest.fixture(scope="module")
def graph(two_groups):
    """A similarity that was not made of the features."""
    places = np.random.default_rng(1).normal(size=(60, 2))
    distances = ((places[:, None] - places) ** 2).sum(axis=2)
    return np.exp(-distances) - np.eye(60)


class TestTheSameFit:
    def test_on_all_samples_it_is_the_fit(self, two_groups):
        X, y = two_groups
        selector = es.FisherScore(4).fit(X, y)
        refit = refits_of(selector, X, y).on(np.arange(60))
        np.testing.assert_array_equal(refit.support, selector.get_support())
        np.testing.assert_array_equal(refit.columns, np.flatnonzero(selector.get_support()))

    def test_on_some_samples_it_sees_no_other(self, two_groups):
        X, y = two_groups
        refit = refits_of(es.ReliefF(4).fit(X, y), X, y).on(ROWS)
        np.testing.assert_array_equal(refit.support, es.ReliefF(4).fit(X[ROWS], y[ROWS]).get_support())

    @pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, pd.DataFrame])
    def test_a_graph_that_was_given_is_cut(self, two_groups, graph, storage):
        X, _ = two_groups
        table = storage(X) if storage is not pd.DataFrame else pd.DataFrame(X).rename(columns=str)
        selector = es.LaplacianScore(4).fit(table, similarity_matrix=graph)
        known = [refits_of(selector, table), refits_of(selector, table, fit_parameters={"similarity_matrix": graph})]
        expected = es.LaplacianScore(4).fit(X[ROWS], similarity_matrix=graph[np.ix_(ROWS, ROWS)])
        for refits in known:
            refit = refits.on(ROWS)
            np.testing.assert_allclose(refit.estimator.scores_, expected.scores_)
            assert refits.shuffled is Shuffled.SAMPLES

    def test_covariates_are_cut(self, two_groups):
        X, _ = two_groups
        depth = pd.DataFrame({"depth": X[:, 0] + X[:, 20], "batch": list("abc") * 20})
        selector = es.LaplacianScore(4).fit(X, covariates=depth)
        expected = es.LaplacianScore(4).fit(X[ROWS], covariates=depth.iloc[ROWS])
        for given in ({}, {"covariates": depth}):
            refit = refits_of(selector, X, fit_parameters=given).on(ROWS)
            np.testing.assert_allclose(refit.estimator.scores_, expected.scores_, rtol=1e-9)

    def test_a_graph_goes_to_the_last_step_of_a_pipeline(self, two_groups, graph):
        X, _ = two_groups
        pipeline = make_pipeline(StandardScaler(), es.LaplacianScore(4))
        pipeline.fit(X, laplacianscore__similarity_matrix=graph)
        refit = refits_of(pipeline, X).on(ROWS)
        expected = es.LaplacianScore(4).fit(X[ROWS], similarity_matrix=graph[np.ix_(ROWS, ROWS)])
        np.testing.assert_array_equal(refit.support, expected.get_support())

    def test_all_steps_of_a_pipeline_are_fitted_again(self, two_groups):
        X, y = two_groups
        steps = [StandardScaler(), SelectKBest(k=9), es.LaplacianScore(4, similarity="rbf")]
        refit = refits_of(make_pipeline(*steps).fit(X, y), X, y).on(ROWS)
        expected = make_pipeline(*steps).fit(X[ROWS], y[ROWS])
        first, last = (np.flatnonzero(expected[place].get_support()) for place in (1, 2))
        np.testing.assert_array_equal(np.flatnonzero(refit.support), first[last])
        np.testing.assert_array_equal(refit.columns, last)

    def test_several_sources_are_matched_by_name(self, two_groups):
        X, y = two_groups
        names = [f"s{i}" for i in range(60)]
        other = pd.DataFrame(np.random.default_rng(2).normal(size=(60, 6)), index=names)
        sources = [("target", es.multisource.TargetData()), ("other", es.multisource.AuxiliaryData(other))]
        selector = es.MSFS(4, sources=sources).fit(X, y, sample_names=names)
        refit = refits_of(selector, X, y, fit_parameters={"sample_names": names}).on(ROWS)
        expected = es.MSFS(4, sources=sources).fit(X[ROWS], sample_names=[names[i] for i in ROWS])
        np.testing.assert_allclose(refit.estimator.scores_, expected.scores_)
        with pytest.raises(NotMeasuredError, match="a refit was not possible"):
            refits_of(selector, X, y).on(ROWS)  # nobody knows the names

    def test_of_an_order_the_best_count(self, two_groups):
        X, y = two_groups
        refit = refits_of(es.FisherScore().fit(X, y), X, y, count=3).on(ROWS)
        assert refit.support.sum() == 3
        assert (es.FisherScore().fit(X[ROWS], y[ROWS]).ranking_[refit.columns] <= 3).all()


class TestManners:
    def test_it_warns_of_nothing(self, two_groups):
        X, y = two_groups
        X = X.copy()
        X[:, 5] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            selector = es.FisherScore(4).fit(X, y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            refits_of(selector, X, y).on(ROWS)
        assert not caught

    def test_it_tests_nothing_unless_its_rule_needs_it(self, two_groups):
        X, y = two_groups
        for rule, tested in ((4, False), ("auto", True), ("fdr", True)):
            selector = es.FisherScore(rule, significance=True).fit(X, y)
            refits = refits_of(selector, X, y)
            assert hasattr(refits.on(ROWS).estimator, "qvalues_") == tested
            expected = es.FisherScore(rule, significance=True).fit(X[ROWS], y[ROWS])
            np.testing.assert_array_equal(refits.on(ROWS).support, expected.get_support())
            np.testing.assert_array_equal(refits.scores(refits.samples), selector.scores_)

    def test_what_was_fitted_stays_as_it_is(self, two_groups):
        X, y = two_groups
        selector = es.FisherScore(4, significance=True, verbose=False).fit(X, y)
        before = selector.scores_.copy()
        refits_of(selector, X, y).on(ROWS)
        assert selector.significance is True
        np.testing.assert_array_equal(selector.scores_, before)

    def test_a_failure_is_a_reason(self, two_groups):
        X, y = two_groups
        with pytest.raises(NotMeasuredError, match="at least 2 classes"):
            refits_of(es.FisherScore(4).fit(X, y), X, y).on(np.arange(10))

    def test_a_large_table_is_not_copied(self, two_groups, monkeypatch):
        X, y = two_groups
        monkeypatch.setattr(module, "SHUFFLED_BYTES", X.nbytes - 1)
        with pytest.raises(NotMeasuredError, match="would copy a table"):
            refits_of(es.FisherScore(4).fit(X, y), X, y)


class TestLabels:
    def test_labels_that_the_fit_used_must_be_given(self, two_groups):
        X, y = two_groups
        for selector in (es.FisherScore(4), es.SSelect(4), es.SPEC(4, similarity="class_labels")):
            with pytest.raises(NotMeasuredError, match="which this report was not given"):
                refits_of(selector.fit(X, y), X)

    def test_other_labels_than_those_of_the_fit(self, two_groups):
        X, y = two_groups
        with pytest.raises(NotMeasuredError, match="other labels"):
            refits_of(es.FisherScore(4).fit(X, y), X, np.arange(60) % 2)

    def test_other_names_of_the_same_classes_will_do(self, two_groups):
        X, y = two_groups
        selector = es.FisherScore(4).fit(X, y)
        refit = refits_of(selector, X, (y == "left").astype(int)).on(np.arange(60))
        np.testing.assert_array_equal(refit.support, selector.get_support())

    def test_labels_that_the_fit_had_not_are_not_given_to_it(self, two_groups):
        X, y = two_groups
        selector = es.SSelect(4).fit(X)
        np.testing.assert_allclose(refits_of(selector, X, y).on(np.arange(60)).estimator.scores_, selector.scores_)


class TestDataThatSayNothing:
    def test_what_is_permuted_is_what_the_order_comes_from(self, two_groups, graph):
        X, y = two_groups
        kbest = make_pipeline(SelectKBest(k=9), es.LaplacianScore(4, similarity="rbf"))
        scaled = make_pipeline(StandardScaler(), es.LaplacianScore(4))
        of_labels = [es.FisherScore(4), es.SSelect(4), es.SPEC(4, similarity="class_labels"), es.ReliefF(4), kbest]
        for selector in of_labels:
            assert refits_of(selector.fit(X, y), X, y).shuffled is Shuffled.LABELS
        for selector in (
            es.LaplacianScore(4),
            es.MRSF(4),
            es.StabilitySelector(es.LaplacianScore(4, similarity="rbf")),
            scaled,
        ):
            assert refits_of(selector.fit(X), X, y).shuffled is Shuffled.FEATURES
        given = es.SPEC(4).fit(X, similarity_matrix=graph)
        assert refits_of(given, X, y).shuffled is Shuffled.SAMPLES

    def test_labels_are_permuted_among_the_labelled(self, two_groups):
        X, y = two_groups
        some = np.where(np.arange(60) % 3 == 0, None, y.astype(object))
        refits = refits_of(es.SSelect(4).fit(X, some), X, some)
        permuted = refits.permuted(FIRST_PERMUTATION)
        assert permuted.X is refits.samples.X
        np.testing.assert_array_equal(permuted.y == None, some == None)  # noqa: E711
        assert sorted(map(str, permuted.y)) == sorted(map(str, some))
        assert (permuted.y != some).any()

    def test_columns_are_shuffled_in_other_ways_each_time(self, two_groups):
        X, _ = two_groups
        refits = refits_of(es.LaplacianScore(4).fit(X), X)
        first, second = (refits.permuted(number) for number in (FIRST_PERMUTATION, FIRST_PERMUTATION + 1))
        assert refits.permuted(FIRST_PERMUTATION) is first  # made once, for folds and band
        np.testing.assert_array_equal(np.sort(first.X, axis=0), np.sort(X, axis=0))
        assert (first.X != second.X).any(axis=0).all()

    def test_samples_move_against_their_graph_with_their_covariates(self, two_groups, graph):
        X, _ = two_groups
        depth = np.arange(60.0)
        selector = es.LaplacianScore(4).fit(X, similarity_matrix=graph, covariates=depth)
        permuted = refits_of(selector, X, fit_parameters={"covariates": depth}).permuted(FIRST_PERMUTATION)
        order = permuted.params["covariates"].astype(int)
        np.testing.assert_array_equal(permuted.X, X[order])
        np.testing.assert_allclose(permuted.similarity[1], graph)
        assert (order != np.arange(60)).any()

    def test_a_table_in_a_file_is_not_shuffled(self, two_groups):
        X, _ = two_groups
        refits = refits_of(es.LaplacianScore(4).fit(X), X)
        in_file = es.matrix.Matrix(X)
        in_file.in_memory = False
        other = Refits(refits.fitted, None, module.replace(refits.samples, X=in_file))
        with pytest.raises(NotMeasuredError, match="stays in its file"):
            other.permuted(FIRST_PERMUTATION)

    def test_the_seed_decides(self, two_groups):
        X, y = two_groups
        selector = es.FisherScore(4).fit(X, y)
        orders = [refits_of(selector, X, y, random_state=seed).permuted(FIRST_PERMUTATION).y for seed in (0, 0, 1)]
        np.testing.assert_array_equal(orders[0], orders[1])
        assert (orders[0] != orders[2]).any()
