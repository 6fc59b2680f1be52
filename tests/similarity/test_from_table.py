"""The similarity of another table of the same samples."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from eigenselect import LaplacianScore
from eigenselect.similarity import KNN, FromTable

RNG = np.random.default_rng(1)
X, OTHER = RNG.normal(size=(25, 4)), RNG.normal(size=(25, 2))


def test_equals_the_similarity_of_that_table():
    expected = KNN(4).build(OTHER).to_array()
    np.testing.assert_array_equal(FromTable(OTHER, KNN(4)).build(X).to_array(), expected)
    np.testing.assert_array_equal(clone(FromTable(OTHER, KNN(4))).build(X).to_array(), expected)


def test_features_in_x_do_not_matter():
    first, second = (LaplacianScore(similarity=FromTable(OTHER)).fit(table).graph_ for table in (X, X**3))
    np.testing.assert_array_equal(first.to_array(), second.to_array())


def test_other_samples_are_refused():
    with pytest.raises(ValueError, match="LaplacianScore: the table of similarity=FromTable must have one row.*25.*20"):
        LaplacianScore(similarity=FromTable(OTHER[:20])).fit(X)


def test_a_bad_table_is_refused_by_its_name():
    with pytest.raises(ValueError, match="^FromTable: table must be finite, got NaN in row 0, column 0"):
        LaplacianScore(similarity=FromTable(np.full((25, 2), np.nan))).fit(X)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, pd.DataFrame, lambda A: A.copy()])
def test_the_table_itself_is_no_other_table(wrap):
    with pytest.raises(ValueError, match="'split' or 'shadows'"):
        LaplacianScore(similarity=FromTable(wrap(X)), significance=True).fit(X)
    LaplacianScore(similarity=FromTable(wrap(X + 1e-9)), significance=True).fit(X)
