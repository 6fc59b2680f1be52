"""SSelect against a plain loop, its limits, and the choice of λ."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import normalized_mutual_info_score

import naive
from eigenselect import SPEC, SSelect, sselect_score
from eigenselect.exceptions import GraphWarning
from eigenselect.matrix import Matrix
from eigenselect.selection import Threshold, TopK
from eigenselect.similarity import KNN, RBF

UNLABELLED = -1


def problem(rng, n_classes, n_samples=60, n_features=15, labelled=25):
    """Some features follow the classes; labels of a part of the samples."""
    truth = rng.integers(0, n_classes, size=n_samples)
    X = rng.normal(size=(n_samples, n_features))
    X[:, :5] += truth[:, None] * rng.random(5)
    y = np.full(n_samples, UNLABELLED)
    y[:labelled] = truth[:labelled]
    return X, y


class TestScores:
    @pytest.mark.parametrize("n_classes", [2, 5])
    @pytest.mark.parametrize("weight", [0.0, 0.1, 0.7, 1.0])
    def test_a_plain_loop(self, rng, n_classes, weight):
        X, y = problem(rng, n_classes)
        labels = {int(i): int(y[i]) for i in np.flatnonzero(y >= 0)}
        S = KNN(n_neighbors=6).build(X).to_array()
        expected = [naive.sselect(S, f, labels, weight) for f in X.T]
        fitted = SSelect(similarity=KNN(n_neighbors=6), regularization=weight).fit(X, y)
        np.testing.assert_allclose(fitted.native_scores_, expected, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(fitted.scores_, 1 - np.array(expected), rtol=1e-8, atol=1e-12)
        np.testing.assert_array_equal(fitted.ranking_[np.argsort(np.round(expected, 10), kind="stable")], range(1, 16))

    @pytest.mark.parametrize("criterion", ["phi1", "phi2", "phi3"])
    def test_weight_1_is_spec(self, rng, criterion):
        X, y = problem(rng, 3)
        options = {"n_clusters": 4, "spectral_function": 2}
        fitted = SSelect(ranking=criterion, regularization=1, **options).fit(X, y)
        spec = SPEC(ranking=criterion, **options).fit(X)
        np.testing.assert_array_equal(fitted.ranking_, spec.ranking_)
        native = 4.0 - spec.native_scores_ if criterion == "phi3" else spec.native_scores_
        np.testing.assert_allclose(fitted.native_scores_, native, rtol=1e-12)

    def test_weight_0_is_mutual_information(self, rng):
        X, y = problem(rng, 2)
        fitted = SSelect(regularization=0).fit(X, y)
        degrees = fitted.graph_.degrees
        g = X - degrees @ X / degrees.sum()
        known = y >= 0
        agreement = [normalized_mutual_info_score(y[known], f > 0, average_method="max") for f in g[known].T]
        np.testing.assert_allclose(fitted.scores_, agreement, atol=1e-10)

    def test_the_values_that_footnote_4_of_the_paper_prints(self, rng):
        """Ten labelled posts, five of a group; words that occur in so many of either (Zhao and Liu 2007, page 8)."""
        printed = {(3, 0): 0.6042, (2, 0): 0.7635, (3, 1): 0.8755, (1, 0): 0.8920, (2, 1): 0.9651, (1, 1): 1.0}
        labelled = np.array([[float(i < a) for a, _ in printed] for i in range(5)])
        labelled = np.vstack([labelled, [[float(i < b) for _, b in printed] for i in range(5)]])
        X = np.vstack([labelled, rng.random((30, len(printed)))])  # not counted, but it makes the weighted means
        y = np.repeat(["mac", "pc", None], [5, 5, 30])
        scores = SSelect(1, regularization=0.0, similarity="rbf").fit(X, y).native_scores_
        np.testing.assert_array_equal(scores.round(4), list(printed.values()))

    def test_labels_matter_only_where_known(self, rng):
        X, y = problem(rng, 2)
        other = np.where(y == 0, 7, np.where(y == 1, 3, y))  # other names
        np.testing.assert_array_equal(SSelect().fit(X, y).scores_, SSelect().fit(X, other).scores_)
        moved = np.roll(y, 1)
        assert (SSelect().fit(X, moved).scores_ != SSelect().fit(X, y).scores_).any()

    def test_all_kinds_of_labels(self, rng):
        X, y = problem(rng, 2)
        expected = SSelect().fit(X, y)
        names = np.array(["no", "yes"], dtype=object)
        for missing in (None, np.nan, pd.NA):
            text = np.array([names[c] if c >= 0 else missing for c in y], dtype=object)
            fitted = SSelect().fit(X, text)
            np.testing.assert_array_equal(fitted.scores_, expected.scores_)
            assert list(fitted.classes_) == ["no", "yes"]
            assert fitted.n_labelled_ == 25
        floats = np.where(y < 0, np.nan, y)
        np.testing.assert_array_equal(SSelect().fit(X, floats).scores_, expected.scores_)
        np.testing.assert_array_equal(SSelect().fit(X, pd.Series(text)).scores_, expected.scores_)

    def test_lists_and_nullable_series(self, rng):
        X, y = problem(rng, 2)
        expected = SSelect().fit(X, y).scores_
        text = [["no", "yes"][c] if c >= 0 else None for c in y]
        for labels in (
            text,
            [t if t is not None else float("nan") for t in text],
            pd.Series(text, dtype="string"),
            pd.Series([None if c < 0 else bool(c) for c in y], dtype="boolean"),
            pd.Series(np.where(y < 0, np.nan, y)).astype("Int64"),
            pd.Series(text, dtype="category"),
        ):
            fitted = SSelect().fit(X, labels)
            np.testing.assert_array_equal(fitted.scores_, expected)
            assert len(fitted.classes_) == 2
        with pytest.raises(ValueError, match="infinite"):
            SSelect().fit(X, np.where(y < 0, np.inf, y))

    def test_a_given_graph(self, rng):
        X, y = problem(rng, 2)
        S = RBF().build(X).to_array()
        given = SSelect().fit(X, y, similarity_matrix=S)
        np.testing.assert_allclose(given.scores_, SSelect(similarity="rbf").fit(X, y).scores_, rtol=1e-12)
        np.testing.assert_array_equal(sselect_score(X, y, similarity_matrix=S), given.scores_)

    def test_more_levels_see_what_two_cannot(self, rng):
        """A feature that sets the middle class apart from both others."""
        truth = np.repeat([0, 1, 0], 20)
        X = np.column_stack([np.repeat([-3.0, 0.0, 3.0], 20) + rng.normal(size=60) * 0.1, rng.normal(size=(60, 3))])
        two = SSelect(regularization=0, similarity="rbf").fit(X, truth)
        three = SSelect(regularization=0, similarity="rbf", n_levels=3).fit(X, truth)
        assert two.scores_[0] < 0.3
        assert three.scores_[0] > 0.5
        assert three.ranking_[0] == 1


class CountingKNN(KNN):
    """Counts the graphs that are built on fewer than all features."""

    built = 0

    def _graph(self, X, *arguments):
        CountingKNN.built += X.n_features < 15
        return super()._graph(X, *arguments)


class TestChoiceOfRegularization:
    @pytest.fixture
    def counting(self):
        CountingKNN.built = 0
        return CountingKNN(n_neighbors=6)

    def test_the_smallest_cut_of_the_plain_algorithm(self, rng):
        X, y = problem(rng, 2)
        fitted = SSelect(4, similarity=KNN(n_neighbors=20), regularization="auto").fit(X, y)
        np.testing.assert_allclose(fitted.regularization_path_, np.arange(11) / 10)
        for weight, cut in zip(fitted.regularization_path_, fitted.cut_values_, strict=True):
            top = SSelect(4, similarity=KNN(n_neighbors=20), regularization=weight).fit(X, y).get_support()
            S = KNN(n_neighbors=20).build(X[:, top]).to_array()
            assert cut == pytest.approx(naive.eigensystem(S)[0][1], abs=1e-10)
        assert np.ptp(fitted.cut_values_) > 0
        best = fitted.regularization_path_[np.argmin(fitted.cut_values_)]
        assert fitted.regularization_ == best
        same = SSelect(4, similarity=KNN(n_neighbors=20), regularization=best).fit(X, y)
        np.testing.assert_array_equal(fitted.ranking_, same.ranking_)

    def test_one_graph_for_each_distinct_set(self, rng, counting):
        X, y = problem(rng, 2)
        sets = {
            tuple(SSelect(4, similarity=KNN(n_neighbors=6), regularization=w).fit(X, y).get_support())
            for w in np.linspace(0, 1, 11)
        }
        SSelect(4, similarity=counting, regularization="auto").fit(X, y)
        assert 1 < len(sets) < 11
        assert CountingKNN.built == len(sets)

    def test_repeated_sets_cost_one_graph(self, rng, counting):
        """A feature that is best in both respects is the top one for every λ."""
        X, y = problem(rng, 2)
        X[:, 3] = np.where(np.arange(60) < 30, 0.0, 3.0)
        y[:] = -1
        y[[0, 1, 40, 41]] = [0, 0, 1, 1]
        with pytest.warns(GraphWarning, match="falls apart"):  # one feature of two values
            fitted = SSelect(1, similarity=counting, regularization="auto").fit(X, y)
        np.testing.assert_array_equal(fitted.get_support(indices=True), [3])
        assert CountingKNN.built == 1
        assert np.ptp(fitted.cut_values_) == 0

    def test_graphs_that_fall_apart_are_said(self, rng):
        """Ten words of text: most samples hold none of them, and the graph of the rest is in pieces."""
        X, y = problem(rng, 2)
        X = np.where(rng.random(X.shape) < 0.8, 0.0, np.round(X))
        with pytest.warns(GraphWarning, match="11 values of regularization"):
            fitted = SSelect(2, similarity=KNN(n_neighbors=2), regularization="auto").fit(X, y)
        assert fitted.regularization_ in np.arange(11) / 10

    def test_another_fit_forgets_the_path(self, rng):
        X, y = problem(rng, 2)
        selector = SSelect(4, regularization="auto").fit(X, y)
        assert hasattr(selector, "cut_values_")
        selector.set_params(regularization=0.3).fit(X, y)
        assert not hasattr(selector, "cut_values_")
        assert selector.regularization_ == 0.3


class TestBadInput:
    @pytest.mark.parametrize("y", [None, np.array([None] * 60, dtype=object), np.full(60, np.nan)])
    @pytest.mark.parametrize("weight", [0.0, 0.1, "auto"])
    def test_without_labels_it_is_spec(self, rng, y, weight):
        X, _ = problem(rng, 2)
        fitted = SSelect(regularization=weight).fit(X, y)
        np.testing.assert_array_equal(fitted.native_scores_, SPEC().fit(X).native_scores_)
        assert fitted.regularization_ == 1.0
        assert fitted.n_labelled_ == 0

    def test_one_labelled_class_says_so(self, rng):
        X, y = problem(rng, 2)
        with pytest.warns(UserWarning, match="ranked by phi2 alone"):
            fitted = SSelect(regularization=0.0).fit(X, np.where(y >= 0, 5.0, np.nan))
        np.testing.assert_array_equal(fitted.ranking_, SPEC().fit(X).ranking_)

    def test_all_labelled(self, rng):
        X, y = problem(rng, 3, labelled=60)
        S = KNN().build(X).to_array()
        expected = [naive.sselect(S, f, dict(enumerate(y)), 0.1) for f in X.T]
        np.testing.assert_allclose(SSelect().fit(X, y).native_scores_, expected, rtol=1e-8)

    @pytest.mark.parametrize("bad", [-0.1, 1.1, "best", None, True, np.nan])
    def test_no_share(self, rng, bad):
        with pytest.raises(ValueError, match="between 0 and 1"):
            SSelect(regularization=bad).fit(*problem(rng, 2))

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"ranking": "phi4"}, "of 'phi1', 'phi2', 'phi3'"),
            ({"n_levels": 1}, "least 2, got 1"),
            ({"n_clusters": 0}, "n_clusters must be a"),
            ({"n_clusters": 99, "ranking": "phi3"}, "at most the 60 samples"),
            ({"similarity": "class_labels"}, "made from X alone"),
        ],
    )
    def test_bad_parameters(self, rng, options, says):
        with pytest.raises(ValueError, match=says):
            SSelect(**options).fit(*problem(rng, 2))

    def test_bad_labels(self, rng):
        X, y = problem(rng, 2)
        with pytest.raises(ValueError, match="60 labels, got shape"):
            SSelect().fit(X, y[:50])
        with pytest.raises(ValueError, match="continuous target"):
            SSelect().fit(X, rng.random(60))

    def test_no_quadratic_form(self, rng):
        with pytest.raises(ValueError, match="no quadratic form"):
            SSelect().fit(*problem(rng, 2)).quadratic_form()


def test_the_graphs_of_a_search_are_made_of_what_a_rule_selects(rng):
    X, y = problem(rng, 2)
    seen = []

    class Recording(KNN):
        def build(self, X, y=None, **options):
            seen.append(X.raw if isinstance(X, Matrix) else X)
            return super().build(X, y, **options)

    rule = TopK(4, must_keep=[3], never=[0])
    fitted = SSelect(rule, similarity=Recording(20), regularization="auto").fit(X, y)
    for table in seen[1:]:  # the first is the graph of all features
        columns = [np.flatnonzero((column[:, None] == X).all(axis=0))[0] for column in table.T]
        assert len(columns) == 4
        assert 3 in columns
        assert 0 not in columns
    assert len(seen) > 2
    assert fitted.get_support()[[0, 3]].tolist() == [False, True]
    with pytest.raises(ValueError, match="number, but regularization='auto' compares"):
        SSelect(Threshold(0.1), regularization="auto").fit(X, y)
