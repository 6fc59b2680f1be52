"""What users give as X becomes a matrix, or one sentence says why it cannot."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from eigenselect.matrix import as_matrix, finite_table, indexable, read_input


class Estimator(BaseEstimator):
    pass


def test_numbers_of_any_kind_become_floats_and_single_precision_stays(rng):
    X = rng.integers(9, size=(5, 3))
    assert read_input(X, "SPEC").dtype == np.float64
    assert read_input(X.astype(np.float32), "SPEC").dtype == np.float32
    assert read_input(sparse.coo_array(X), "SPEC").raw.format == "csr"
    assert read_input(sparse.csc_array(X.astype(float)), "SPEC").raw.format == "csc"
    assert read_input(X.tolist(), "SPEC").shape == (5, 3)


def test_an_estimator_learns_the_names(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    estimator = Estimator()
    matrix = read_input(frame, "Estimator", estimator)
    assert list(estimator.feature_names_in_) == ["a", "b"]
    assert matrix.feature_label(1) == "'b'"


def test_a_matrix_brings_names_and_is_checked_all_the_same(rng):
    X = rng.normal(size=(5, 2))
    matrix = read_input(as_matrix(sparse.csr_array(X), sample_names=list("stuvw")), "SPEC")
    assert matrix.sample_label(1) == "'t'"
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        read_input(as_matrix(X), "SPEC")


def test_names_that_are_given_win_over_those_of_a_frame(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    assert read_input(frame, "MSFS", feature_names=["c", "d"]).feature_label(1) == "'d'"


def test_values_near_the_end_of_floating_point_are_finite():
    assert read_input(np.full((3, 4), 1e308), "SPEC").is_finite()


def test_too_few_samples():
    with pytest.raises(ValueError, match="minimum of 2"):
        read_input(np.zeros((1, 3)), "SPEC")
    assert read_input(np.zeros((1, 3)), "SPEC", min_samples=1).n_samples == 1


def test_equal_names_of_features_may_be_allowed(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "a"])
    assert read_input(frame, "MSFS", Estimator(), repeated_names=True).feature_label(1) == "'a'"


def test_rows_can_be_taken_of_what_is_indexable(rng):
    X = rng.normal(size=(5, 2))
    frame = pd.DataFrame(X)
    assert indexable(frame, "f") is frame
    assert indexable(sparse.coo_array(X), "f").format == "csr"
    assert isinstance(indexable(X.tolist(), "f"), np.ndarray)


def test_tables_of_one_off_functions():
    assert finite_table([[1, 2], [3, 4]], "f").shape == (2, 2)
    with pytest.raises(ValueError, match=r"^f: expected a table of samples and features, got shape \(3,\)"):
        finite_table([1, 2, 3], "f")
    for kind in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="^f: the features must be finite"):
            finite_table(kind([[1.0, np.nan]]), "f")
