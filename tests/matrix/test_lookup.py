"""Which column a user means."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.matrix import as_matrix, column_number

NAMED = as_matrix(pd.DataFrame(np.zeros((2, 4)), columns=["a", "b", "b", ("c", 1)]))


@pytest.mark.parametrize(("feature", "column"), [("a", 0), (("c", 1), 3), (2, 2), (np.int64(1), 1)], ids=str)
def test_names_and_numbers(feature, column):
    found = column_number(NAMED, feature, "owner")
    assert (found, type(found)) == (column, int)


@pytest.mark.parametrize(
    ("table", "feature", "says"),
    [
        (NAMED, 4, "owner: feature must be a column number from 0 to 3, got 4"),
        (NAMED, -1, "from 0 to 3, got -1"),
        (NAMED, "d", "no feature has the name 'd'"),
        (NAMED, "b", "2 features have the name 'b'"),
        (NAMED, True, "no feature has the name True"),
        (NAMED, 1.5, "no feature has the name 1.5"),
        (as_matrix(np.zeros((2, 4))), "a", "must be a column number, because the features have no names, got 'a'"),
        (as_matrix(pd.DataFrame(np.zeros((2, 4)))), "a", "the features have no names"),
    ],
)
def test_what_is_no_feature(table, feature, says):
    with pytest.raises(ValueError, match=says):
        column_number(table, feature, "owner")
