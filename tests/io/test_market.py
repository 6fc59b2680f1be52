"""Matrix Market files: every kind of matrix, and lines that another reader takes for other numbers."""

import gzip
import re

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tests.io.tables import thinned

from eigenselect.exceptions import InputError
from eigenselect.io.market import market_matrix

GENERAL = "%%MatrixMarket matrix coordinate {} general\n"
HARD = [0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 123456789.123456789]


@pytest.fixture
def read(tmp_path):
    def read(text):
        (tmp_path / "t.mtx").write_text(text)
        return market_matrix(str(tmp_path / "t.mtx"), "t.mtx")

    return read


@pytest.mark.parametrize("values", [thinned(), (9 * thinned()).astype(int), np.zeros((2, 3))])
@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_array, np.asarray])
def test_what_scipy_writes(tmp_path, values, layout):
    mmwrite(tmp_path / "t.mtx", layout(values), precision=17)
    X = market_matrix(str(tmp_path / "t.mtx"), "t.mtx")
    assert sparse.issparse(X) == (layout is not np.asarray)
    assert X.dtype.kind == values.dtype.kind
    np.testing.assert_array_equal(X.toarray() if sparse.issparse(X) else X, values)


@pytest.mark.parametrize("layout", [sparse.coo_array, np.asarray])
def test_symmetric_matrices_are_mirrored(tmp_path, layout):
    values = thinned()[:6] + thinned()[:6].T
    mmwrite(tmp_path / "t.mtx", layout(values), symmetry="symmetric", precision=17)
    X = market_matrix(str(tmp_path / "t.mtx"), "t.mtx")
    np.testing.assert_array_equal(X.toarray() if sparse.issparse(X) else X, values)


def test_numbers_to_the_last_bit(read):
    lines = "".join(f"1 {j} {value!r}\n" for j, value in enumerate(HARD, 1))
    X = read(GENERAL.format("real") + f"1 {len(HARD)} {len(HARD)}\n{lines}")
    assert X.toarray().ravel().tolist() == HARD


def test_remarks_blank_lines_and_capitals(read):
    X = read("%%matrixmarket MATRIX Coordinate Pattern General\r\n% one\r\n\r\n%two\r\n2 2 2\r\n1 2\r\n\r\n2\t1 \r\n")
    np.testing.assert_array_equal(X.toarray(), [[0, 1], [1, 0]])


def test_entries_that_share_a_place_are_added(read):
    assert read(GENERAL.format("integer") + "1 2 2\n1 2 3\n1 2 4\n").toarray().tolist() == [[0, 7]]


#: a body that must be refused for each kind of values, and what the message must say
BAD = {
    "1 1 5.5": ("integer", "a line is not a row, a column and a whole number"),
    "1 1 5x": ("integer", "a line is not a row"),
    "1 1 99999999999999999999": ("integer", "a line is not a row"),
    "1 1 5 6": ("integer", "a line is not a row"),
    "1 1": ("integer", "a line is not a row"),
    "1 1 1,5": ("real", "a line is not a row, a column and a number with a decimal point"),
    "1 1 1.2.3": ("real", "a line is not a row"),
    "1 1 1e400": ("real", "a line is not a row"),
    "1 1 nan": ("real", "a line is not a row"),
    "3 1 1": ("real", "its sparse matrix has indices from 2 to 2 for 2 rows"),
    "0 1 1": ("real", "its sparse matrix has indices from -1 to -1 for 2 rows"),
    "1 4294967297 1": ("real", "its sparse matrix has indices from 4294967296 to 4294967296 for 2 columns"),
    "1 1 1\n2 2 2": ("real", r"it has 2 lines of entries where its head says 1; save it again\."),
    "": ("real", r"it has 0 lines of entries where its head says 1; was it cut off\?"),
}


@pytest.mark.parametrize("body", BAD)
def test_lines_that_are_no_entries(read, body):
    field, message = BAD[body]
    with pytest.raises(InputError, match=rf"t\.mtx: is damaged, {message}"):
        read(GENERAL.format(field) + f"2 2 1\n{body}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gene,cell\n1,2\n", "is not a Matrix Market file; its first line must be"),
        (GENERAL.format("complex") + "1 1 1\n1 1 1 2\n", "of the kind 'complex general', which is no table"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "of the kind 'real skew-symmetric'"),
        ("%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n", "it calls a matrix of 1 x 2 symmetric"),
        (GENERAL.format("real") + "% no more", "it has no line with 3 whole numbers for its sizes"),
        (GENERAL.format("real") + "2 2\n", "it has no line with 3 whole numbers"),
        (GENERAL.format("real") + "-2 2 1\n", "it has no line with 3 whole numbers"),
        (GENERAL.format("real") + f"{'9' * 30} 2 1\n", "it has no line with 3 whole numbers"),
        (GENERAL.format("real") + "\0\n", "holds NUL bytes"),
    ],
)
def test_heads_that_are_none(read, text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(text)


@pytest.mark.parametrize("sizes", ["9 9 99999999999999", "99999999999999 9 1", "99999999999 99999999999 1"])
def test_claims_are_not_believed(read, sizes):
    with pytest.raises(InputError, match=r"needs about .* of memory|has the shape"):
        read(GENERAL.format("real") + f"{sizes}\n1 1 1\n")
    if sizes.endswith(" 1"):
        with pytest.raises(InputError, match=r"needs about .* of memory"):
            read(f"%%MatrixMarket matrix array real general\n{sizes.removesuffix(' 1')}\n1\n")


def test_a_bomb_is_refused_by_what_it_decompresses_to(tmp_path, little):
    lines = GENERAL.format("real") + "1 1 1\n" + "\n" * 30_000_000
    (tmp_path / "t.mtx.gz").write_bytes(gzip.compress(lines.encode(), 1))
    with pytest.raises(InputError, match=r"decompresses to .* or more"):
        market_matrix(str(tmp_path / "t.mtx.gz"), "t.mtx.gz")
