"""What reports and plots accept, and what they refuse in one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting.inputs import (
    before_first_selection,
    check_fitted,
    checked_labels,
    checked_table,
    columns_of,
    is_number,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd"))


class TestTable:
    def test_the_data_of_fit_in_any_form(self, frame):
        selector = es.LaplacianScore(2).fit(frame)
        for table in (frame, frame.to_numpy(), frame.to_numpy().tolist(), sparse.csr_array(frame.to_numpy())):
            assert checked_table("report", selector, table).shape == (20, 4)

    def test_other_samples_features_or_orders_are_refused(self, frame):
        selector = es.LaplacianScore(2).fit(frame)
        for other in (frame[:10], frame[["a", "b"]], np.ones(20)):
            with pytest.raises(ValueError, match=r"report: X must be the data of fit, 20 samples of 4 features, got"):
                checked_table("report", selector, other)
        with pytest.raises(ValueError, match="columns of X must be those of fit, in the same order"):
            checked_table("report", selector, frame[list("bacd")])

    def test_the_last_step_of_a_pipeline_counts_on_what_it_saw(self, frame):
        pipeline = make_pipeline(StandardScaler(), es.LaplacianScore(2)).fit(frame)
        given = check_fitted("report", pipeline, frame)
        assert given.selector is pipeline[-1]
        np.testing.assert_array_equal(given.X.to_array(), pipeline[:-1].transform(frame))
        assert (given.names, given.whole) == (list("abcd"), None)

    def test_an_unfitted_selector_is_refused(self, frame):
        with pytest.raises(Exception, match="not fitted"):
            checked_table("report", es.LaplacianScore(), frame)


class TestLabels:
    def test_a_column_is_as_good_as_a_list(self):
        for y in ([1, 2, 3], np.array([[1], [2], [3]]), pd.DataFrame({"y": [1, 2, 3]}), pd.Series([1, 2, 3])):
            assert checked_labels("report", y, 3).tolist() == [1, 2, 3]
        assert checked_labels("report", None, 3) is None

    @pytest.mark.parametrize("y", [[1, 2], np.ones((3, 2)), [1, 2, 3, 4]])
    def test_others_are_refused(self, y):
        with pytest.raises(ValueError, match=r"report: y must hold one label for each of 3 samples, got shape"):
            checked_labels("report", y, 3)

    def test_classes_and_numbers_are_told_apart_by_the_method_not_by_counting(self, rng):
        many = np.repeat(np.arange(40), 3)
        assert not is_number(es.FisherScore(), many)
        assert is_number(es.ReliefF(), np.repeat(np.arange(20), 6) + 0.5)
        assert is_number(es.HSICScore(target_kernel="linear"), many)
        for y in (["a", None], [1.0, np.nan], pd.array([1, 2], dtype="Int64"), [True, False], ["a", 1]):
            assert not is_number(es.FisherScore(), y)


def test_columns_of_every_kind_of_table(rng):
    X = rng.normal(size=(6, 5))
    columns = np.array([3, 1])
    kinds = [X, X.astype(np.float32), pd.DataFrame(X), pl.DataFrame(X), sparse.csr_array(X), sparse.coo_matrix(X)]
    for table in kinds:
        np.testing.assert_allclose(columns_of(table, columns), X[:, columns], rtol=1e-6)


def test_values_that_are_not_finite_are_refused(rng):
    X = rng.normal(size=(6, 5))
    X[2, 3] = np.nan
    with pytest.raises(ValueError, match="X must be finite"):
        columns_of(X, [3])


def test_a_picture_is_of_what_the_first_choosing_step_saw(rng):
    X, y = rng.normal(size=(30, 8)), np.arange(30) % 2
    scaled = StandardScaler().fit_transform(X)
    choosing = make_pipeline(SelectKBest(f_classif, k=5), VarianceThreshold())
    inside = make_pipeline(StandardScaler(), "passthrough", choosing, es.FisherScore(2)).fit(X, y)
    np.testing.assert_allclose(before_first_selection(inside, X), scaled)
    for silent in (es.FisherScore(2), make_pipeline(VarianceThreshold(), StandardScaler(), es.FisherScore(2))):
        assert before_first_selection(silent.fit(X, y), X) is None
    told = es.report(inside, X, y).summary["views"]["embedding"]["of"]
    assert "in all 8 features" in told
