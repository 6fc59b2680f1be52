"""A table in a file answers as the same table in memory does, bit by bit, and never holds much of it."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect.matrix import BackedMatrix, Matrix, annotated_matrix, as_matrix

X = counts()[0] + 0.1 * (counts()[0] > 0)  # sums of these are rounded


@pytest.fixture(params=LAYOUTS)
def tables(request, tmp_path, monkeypatch):
    """The same table in a file and in memory."""
    as_if_large(monkeypatch)
    held = LAYOUTS[request.param](X)
    return annotated_matrix(in_file(tmp_path / "x.h5ad", held), "f"), as_matrix(held)


@pytest.fixture
def table(tables):
    return tables[0]


MEASURES = ["column_extremes", "column_magnitudes", "row_magnitudes", "column_exponents", "row_exponents", "exponent",
            "column_variances", "is_finite", "to_array"]  # fmt: skip


@pytest.mark.parametrize("measure", MEASURES)
def test_measures(tables, measure):
    found, expected = (getattr(table, measure)() for table in tables)
    np.testing.assert_array_equal(found, expected)


def changed(table, how):
    rows, columns = np.array([7, 1, 1, 30]), np.array([9, 0, 4])
    exponents = np.arange(table.n_features) - 5
    return {
        "rows": lambda: table.take_rows(rows),
        "mask": lambda: table.take_rows(np.arange(table.n_samples) % 3 == 0),
        "columns": lambda: table.take_columns(columns),
        "both": lambda: table.take_columns(columns).take_rows(rows),
        "divided": lambda: table.divided(3).divided(exponents).take_columns(columns),
        "rows divided": lambda: table.divided_rows(np.arange(table.n_samples)).take_rows(rows),
        "zeroed": lambda: table.zeroed(np.arange(table.n_samples) < 5).zeroed(np.arange(table.n_samples) == 30),
        "all": lambda: table.divided(exponents).zeroed(np.arange(table.n_samples) < 5).take_rows(rows),
    }[how]()


@pytest.mark.parametrize("how", ["rows", "mask", "columns", "both", "divided", "rows divided", "zeroed", "all"])
def test_parts_and_units(tables, how):
    found, expected = (changed(table, how) for table in tables)
    assert isinstance(found, BackedMatrix)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.to_array(), expected.to_array())
    # columns that numpy takes of an array lie otherwise in memory, and are summed in another order
    close = {"rtol": 0 if expected.is_sparse else 1e-14}
    np.testing.assert_allclose(found.column_variances(), expected.column_variances(), **close)
    with pytest.warns(UserWarning, match="loaded from its file"):
        held = found.loaded("a test asks")
    assert held.in_memory
    assert held.is_sparse == expected.is_sparse
    np.testing.assert_array_equal(held.to_array(), expected.to_array())
    bands = [band.to_array() for _, band in found.bands()]
    np.testing.assert_array_equal(np.hstack(bands), expected.to_array())


def test_pairs_of_rows(tables):
    first, second = np.array([0, 3, 3, 39]), np.array([1, 3, 0, 2])
    for measure in ("pair_products", "pair_distances"):
        found, expected = (getattr(table, measure)(first, second) for table in tables)
        np.testing.assert_array_equal(found, expected)


def test_names_go_along(table):
    part = table.take_rows(np.array([2, 0])).take_columns(np.array([5, 1])).divided(2)
    assert list(part.sample_names) == ["cell38", "cell40"]
    assert list(part.feature_names) == ["g35", "g7"]
    named = [name for _, band in table.bands() for name in band.feature_names]
    assert named == list(table.feature_names)


def test_sparse_files_say_what_they_hold(tables):
    found, expected = tables
    assert found.is_sparse == expected.is_sparse
    assert found.n_stored == expected.n_stored
    if found.is_sparse:
        np.testing.assert_array_equal(found.column_counts(), expected.column_counts())


def test_a_small_file_is_read_at_once(tables, monkeypatch):
    table, expected = tables
    assert table.out_of_small_file() is table
    monkeypatch.setattr("eigenselect.matrix.backed.band_bytes", lambda: X.size * 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        held = table.out_of_small_file()
        table.out_of_file("nobody need know")
    assert type(held) is type(expected)
    np.testing.assert_array_equal(held.to_array(), X)


def test_loading_is_said_once_with_a_size(table, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.bands.StoredPart.n_bytes", 3 * 2**30)
    with pytest.warns(UserWarning, match=r"^f: adata.X is loaded from its file, 3072 MB: a test asks\.$"):
        table.out_of_file("a test asks")
    table.take_rows(np.array([0, 1])).loaded("another")  # a warning would be an error


def test_what_does_not_fit_is_refused_before_it_is_read(table, monkeypatch):
    monkeypatch.setattr("eigenselect._memory.free_memory", lambda: 100.0)
    monkeypatch.setattr(BackedMatrix, "_held", lambda self: pytest.fail("it was read"))
    with (
        pytest.warns(UserWarning, match="is loaded from its file"),
        pytest.raises(MemoryError, match=r"^f: adata.X: all its values \(a test asks\) need .* are free; take fewer"),
    ):
        table.out_of_file("a test asks")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_that_are_not_finite(tmp_path, monkeypatch, layout, bad):
    as_if_large(monkeypatch)
    values = X.copy()
    values[21, 6] = bad
    table = annotated_matrix(in_file(tmp_path / "x.h5ad", LAYOUTS[layout](values)), "f")
    assert not table.is_finite()
    assert table.take_rows(np.arange(21)).is_finite()
    assert table.take_columns(np.arange(6)).is_finite()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_other_processes_read_the_same_file(tmp_path, layout, mode):
    """Also while this one has it open for writing."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    table = annotated_matrix(in_file(tmp_path / "x.h5ad", LAYOUTS[layout](X), mode), "f")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(Matrix.to_array, table.take_rows(np.arange(5))).result(), X[:5])


def test_a_table_in_a_file_is_small_in_a_pickle(tables):
    table = tables[0]
    table.column_variances()
    assert len(pickle.dumps(table)) < 5000


class Spied:
    """A dataset that knows the largest part that was read of it."""

    def __init__(self, values, sizes):
        self.values, self.sizes, self.shape, self.dtype = values, sizes, values.shape, values.dtype

    def __getitem__(self, key):
        part = self.values[key]
        self.sizes.append(part.nbytes)
        return part


class SpiedGroup:
    """The parts of a sparse matrix in a file."""

    def __init__(self, held, sizes):
        self.attrs = {"encoding-type": f"{held.format}_matrix", "shape": held.shape}
        self.parts = {name: Spied(getattr(held, name), sizes) for name in ("data", "indices")}
        self.parts["indptr"] = Spied(held.indptr, [])  # a number for each line is held

    def keys(self):
        return self.parts.keys()

    def __contains__(self, name):
        return name in self.parts

    def __getitem__(self, name):
        return self.parts[name]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_read_is_large(monkeypatch, layout):
    """All scores of a graph that is given, from reads of at most a band, 8 kB, of a table of 400 kB or more."""
    from eigenselect import FisherScore, LaplacianScore, MultiscaleSPEC, Variance

    as_if_large(monkeypatch, band=2**13, read=2**12)
    monkeypatch.setattr("eigenselect.matrix.base.BLOCK_BYTES", 2**12)
    values, y = counts(400, 300)
    held, sizes = LAYOUTS[layout](values), []
    dataset = Spied(held, sizes) if layout == "dense" else SpiedGroup(held, sizes)
    table = BackedMatrix.of(dataset, "f")
    S = sparse.diags_array([np.ones(399), np.ones(399)], offsets=[-1, 1]).tocsr()
    for selector in (FisherScore(5), LaplacianScore(5), Variance(5), MultiscaleSPEC(5)):
        taken = {} if isinstance(selector, FisherScore | Variance) else {"similarity_matrix": S}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = selector.fit(held, y, **taken).scores_
            found = selector.fit(table, y, **taken).scores_
        np.testing.assert_array_equal(found, expected)
    assert 0 < max(sizes) <= 2**13
    assert all(len(part._bands) <= 2 for part in [table.raw.part])


def test_annotated_values_are_those_of_the_view(tmp_path):
    """Rows that repeat in a view of memory repeat nowhere in a file: anndata refuses, and numbers stay right."""
    adata = in_file(tmp_path / "x.h5ad", sparse.csr_matrix(X))
    for part in (adata[adata.obs_names[::-1]], adata[:, ["g7", "g0"]], adata["cell40"]):
        table = annotated_matrix(part, "f")
        np.testing.assert_array_equal(table.to_array(), annotated(X)[part.obs_names, part.var_names].X)
