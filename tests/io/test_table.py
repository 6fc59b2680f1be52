"""Tables that no method can rank are refused; filled and scaled ones keep what was written."""

import numpy as np
import pytest
from scipy import sparse
from tests.io.tables import thinned, written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.table import Table, count_not_finite, scaled


def test_only_filled_cells_are_changed(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n6,1\n,2\n7.50,\n6,x\n".replace("x", "inf"))
    table = read_table(str(tmp_path / "t.csv"), impute=True)
    assert written(table).decode() == "a,b\n6,1\n6.0,2\n7.50,1.5\n6,1.5\n"


def test_whole_medians_stay_whole_among_whole_numbers(tmp_path):
    """One 5.0 among them, and every reader would round the large ones."""
    (tmp_path / "t.csv").write_text("a,b\n1,1\n5,\n9007199254740993,2\n,5\n5,5\n")
    table = read_table(str(tmp_path / "t.csv"), impute=True)
    assert written(table).decode() == "a,b\n1,1\n5,3.5\n9007199254740993,2\n5,5\n5,5\n"


def test_scaled_features_have_numbers_of_their_own(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,1\n2,5\n")
    table = scaled(read_table(str(tmp_path / "t.csv")), "minmax")
    assert written(table).decode() == "a,b\n0.0,0.0\n1.0,1.0\n"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"X": np.empty((3, 0)), "feature_names": ()}, "no column is left to rank"),
        ({"X": np.ones((1, 2))}, "needs at least 2 samples, got 1; samples belong in rows"),
        ({"y": np.arange(4)}, "4 labels for 3 samples"),
        ({"sample_names": np.array(["u"])}, "1 name for 3 samples"),
        (
            {"X": np.array([[1, np.nan], [np.inf, np.nan], [1, 2]])},
            r"in 2 features, most in 'b' \(2\), 'a'",
        ),
    ],
)
def test_what_no_method_can_rank_is_refused(change, says):
    sound = {"X": np.ones((3, 2)), "feature_names": ("a", "b")}
    assert Table(**sound).check("t").feature_names == ("a", "b")
    with pytest.raises(InputError, match=says):
        Table(**(sound | change)).check("t")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_missing_values_are_counted_in_any_storage(kind):
    X = np.array([[1, np.nan, 0], [np.inf, np.nan, 0], [0, 2, 0.0]])
    assert count_not_finite(kind(X)).tolist() == [1, 2, 0]


@pytest.mark.parametrize(("how", "width"), [("standard", np.std), ("minmax", np.ptp)])
def test_scaled_sparse_features_differ_as_dense_ones_do(how, width):
    """Zeros stay zeros; differences between samples are those of the dense table."""
    X = thinned()
    X[:, 2] = 0
    dense, thin = (scaled(Table(kind(X), tuple("abcdef")), how).X for kind in (np.asarray, sparse.csr_array))
    assert thin.nnz == np.count_nonzero(X)
    np.testing.assert_allclose(np.diff(thin.toarray(), axis=0), np.diff(dense, axis=0), atol=1e-12)
    np.testing.assert_allclose(np.delete(width(dense, axis=0), 2), 1)


def test_the_matrix_knows_the_names():
    table = Table(np.ones((2, 2)), ("a", "b"), sample_names=np.array(["u", "v"]))
    assert (table.matrix().feature_label(1), table.matrix().sample_label(0)) == ("'b'", "'u'")
