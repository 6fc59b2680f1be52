"""Dask arrays: refused in one sentence where they are no table, and never gathered in the client."""

import pickle
import shutil
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context

from eigenselect import SPEC, FisherScore, LaplacianScore, SSelect, laplacian_score
from eigenselect.criteria import quadratic
from eigenselect.criteria.methods import METHODS
from eigenselect.matrix import as_matrix
from eigenselect.multisource import TargetData
from eigenselect.similarity import KNN
from storages import fill_group

da = pytest.importorskip("dask.array", reason="dask is not installed")

X = np.random.RandomState(0).randn(40, 6)
Y = np.arange(40) % 2


def refusal(X, error=ValueError):
    with pytest.raises(error) as said:
        FisherScore().fit(X, Y)
    return str(said.value)


def same_scores(array, held=X, y=Y):
    expected = FisherScore().fit(held, y).scores_
    np.testing.assert_allclose(FisherScore().fit(array, y).scores_, expected, rtol=1e-10)


class TestChunks:
    def test_of_unknown_size(self):
        array = da.from_array(X, chunks=(10, 6))
        some = array[array[:, 0] > 0]
        assert "X.compute_chunk_sizes()" in refusal(some)
        kept = X[:, 0] > 0
        same_scores(some.compute_chunk_sizes(), X[kept], Y[kept])

    def test_of_what_is_no_table_of_numbers(self):
        masked = da.ma.masked_array(da.from_array(X), mask=X > 1)
        hidden = da.from_array(X).map_blocks(lambda b: np.ma.masked_greater(b, 1), dtype=float, meta=np.empty((0, 0)))
        for array, error, said in (
            (da.zeros(40), ValueError, "shape (40,)"),
            (da.zeros((0, 3)), ValueError, "shape (0, 3)"),
            (da.from_array(X.astype(str)), ValueError, "<U"),
            (masked, TypeError, "numpy.Masked"),
            (hidden, ValueError, f"{(X > 1).sum()} masked"),
        ):
            assert said in refusal(array, error)
        with pytest.raises(TypeError, match="Dask Delayed"):
            FisherScore().fit(pytest.importorskip("dask").delayed(X), Y)

    def test_frames_are_to_be_arrays(self):
        frames = pytest.importorskip("dask.dataframe", reason="frames of dask are not installed")
        import pandas as pd

        frame = frames.from_pandas(pd.DataFrame(X), npartitions=3)
        assert "X.to_dask_array(lengths=True)" in refusal(frame, TypeError)
        same_scores(frame.to_dask_array(lengths=True))

    @pytest.mark.parametrize(
        ("chunks", "place"),
        [
            ((10, 6), "chunk 2 (rows 20 to 29)"),
            ((40, 2), "chunk 1 (columns 2 to 3)"),
            ((10, 2), "chunk 2, 1 (rows 20"),
        ],
    )
    def test_the_first_one_with_nan_is_named(self, chunks, place):
        spoilt = X.copy()
        spoilt[25, 3], spoilt[35, 2] = np.nan, np.inf
        array = da.from_array(spoilt, chunks=chunks)
        for table in (array, array.map_blocks(sparse.csr_matrix)):
            assert f"row 25, column 3 of {place}" in refusal(table)
        with pytest.raises(ValueError, match="row 25, column 3"):
            laplacian_score(array)

    def test_of_other_types_than_the_array_says(self):
        def mixed(block, block_info=None):
            return block.astype([np.float32, np.int8, np.float64, np.int64][block_info[0]["chunk-location"][0]])

        def changed(change):
            return da.from_array(whole, chunks=(10, 6)).map_blocks(change, dtype=np.float64, meta=np.empty((0, 0)))

        whole = np.round(X)
        same_scores(changed(mixed), whole)
        assert "ndarray of <U" in refusal(changed(lambda b: b.astype(str)))
        same_scores(changed(sparse.csr_matrix), whole)

    @pytest.mark.parametrize("chunks", [(10, 6), (40, 6)])
    def test_of_another_shape_or_kind_than_the_array_says(self, chunks):
        """Integers are never looked at for NaN, and rows that are missing would shift all others."""
        cases = {
            "NaN among integers": (lambda block: np.where(block > 1, np.nan, block), np.int64, "float64"),
            "rows": (lambda block: block[:5], np.float64, "(5, 6)"),
            "columns": (lambda block: block[:, :2], np.int8, "2) of float64"),
            "COO": (sparse.coo_matrix, np.float64, "coo_matrix"),
        }
        for name, (change, said, got) in cases.items():
            array = da.from_array(X, chunks=chunks).map_blocks(change, dtype=said, meta=np.empty((0, 0), dtype=said))
            assert got in refusal(array), name

    def test_of_coo(self):
        array = da.from_array(X, chunks=(10, 6)).map_blocks(sparse.coo_array)
        # scipy 1.15 cuts no rows out of COO, so that Dask cannot say what the chunks are: the first one tells
        assert "coo_array" in refusal(array, (TypeError, ValueError))
        same_scores(array.map_blocks(sparse.csr_array))

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
    def test_empty_ones_are_left_out(self, kind):
        """Chunks are counted with them nevertheless, as `X.blocks` does."""
        empty_too = ((0, 20, 0, 20), (6, 0))
        array = da.from_array(X, chunks=empty_too).map_blocks(kind, dtype=float, meta=kind(np.empty((0, 0))))
        for selector in (FisherScore(), LaplacianScore(similarity=KNN(4, n_components=2))):
            found, expected = (selector.fit(table, Y).scores_ for table in (array, X))
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
        spoilt = da.from_array(np.where(X[25, 3] == X, np.nan, X), chunks=empty_too)
        assert "chunk 3 (rows 20 to 39)" in refusal(spoilt)

    def test_their_errors_are_kept(self):
        """Except a missing package, which is one of the cluster."""
        for error, raised in (
            (RuntimeError("gone"), RuntimeError),
            (ModuleNotFoundError("'eigenselect.x'"), ImportError),
        ):

            def failing(block, error=error):
                raise error

            lazy = da.from_array(X, chunks=(10, 6)).map_blocks(failing, dtype=np.float64, meta=np.empty((0, 0)))
            assert str(error) in refusal(lazy, raised)


N, M = 80, 600
LABELS = np.arange(N) % 2
TABLE = 5.0 + np.random.default_rng(0).normal(size=(N, M)) + 2.0 * LABELS[:, None] * (np.arange(M) < 30)
#: few rounds and scales: one gathers as much as ten
PARTS = {
    "iterated-spec": {"max_iter": 1},
    "multiscale": {"scales": (1, 2)},
    "msfs": {"sources": [("all", TargetData())]},
    "kogs": {"rankers": [(None, SPEC()), (None, LaplacianScore())]},
}
#: methods that look at all of a table again and again
REFUSE = {"relieff", "mrsf"}
CHUNKS = {"rows": (20, M), "columns": (N, 100)}


@pytest.fixture
def sizes(monkeypatch):
    """The bytes of what came to the client, by call; a band has 32 kB, a twelfth of the table."""
    from dask import base

    found, compute = [], base.compute

    def weighed(*parts, **options):
        results = compute(*parts, **options)
        found.append(len(pickle.dumps(results)))
        return results

    monkeypatch.setattr(base, "compute", weighed)
    with config_context(working_memory=0.25), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield found


@pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)
def test_every_method_leaves_the_table_where_it_is(row, sizes):
    """A summary has five numbers for a column, as the table has rows: 80. All pairs of samples are 80 more columns."""
    selector = row.selector_class()(**{**row.parameters, **PARTS.get(row.name, {})})
    for chunks in CHUNKS.values():
        array = da.from_array(TABLE, chunks=chunks)
        if row.name in REFUSE:
            with pytest.raises(ValueError, match=r"X\.compute\(\)"):
                selector.fit(array, LABELS)
        else:
            assert selector.fit(array, LABELS).ranking_.min() == 1
    assert 0 < max(sizes) < TABLE.nbytes / 6


@pytest.mark.parametrize("chunks", CHUNKS)
def test_labels_and_graphs_of_the_features_come_as_lists_or_as_pairs_of_samples(chunks, sizes):
    some = np.where(np.arange(N) % 7 == 0, -1, LABELS)
    selectors = [SSelect(5, regularization=0.5, n_levels=3)]
    if chunks == "rows":
        selectors += [LaplacianScore(5, similarity=name) for name in ("knn", "rbf", "linear", "cosine")]
    for selector in selectors:
        found, expected = (
            selector.fit(table, some).native_scores_ for table in (da.from_array(TABLE, chunks=CHUNKS[chunks]), TABLE)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert max(sizes) < TABLE.nbytes / 4


def test_what_does_not_fit_in_memory_is_put_together_in_rounds(monkeypatch):
    """Of some columns at a time; a fit with p-values gives the same."""
    graph = np.eye(N, k=1) + np.eye(N, k=-1)
    selector = LaplacianScore(3, significance="given")
    expected, array = selector.fit(TABLE, similarity_matrix=graph).pvalues_, da.from_array(TABLE, chunks=CHUNKS["rows"])
    monkeypatch.setattr("eigenselect.matrix.dask_table.free_memory", lambda: TABLE.nbytes / 3)
    widths = []
    feature_terms = quadratic.feature_terms

    def watched(table, *arguments, **options):
        widths.append(table.n_features)
        return feature_terms(table, *arguments, **options)

    monkeypatch.setattr(quadratic, "feature_terms", watched)
    found = selector.fit(array, similarity_matrix=graph).pvalues_
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert sorted(widths) == [36] * 6 + [64] * 6


def test_columns_come_in_bands():
    """Of 64 kB, the least, so that columns which are asked for one by one are few transfers."""
    with config_context(working_memory=0.1):
        table = as_matrix(da.from_array(TABLE, chunks=(20, M)))
        columns = [table.columns(slice(j, j + 1)) for j in range(M)]
        tiles = [table.tile(part) for part in table.tiles()]
    np.testing.assert_array_equal(np.hstack(columns), TABLE)
    np.testing.assert_array_equal(np.hstack(tiles), TABLE)
    assert max(tile.nbytes for tile in tiles) <= 2**16


def test_the_table_that_comes_out_is_lazy():
    array = da.from_array(X, chunks=(10, 6))
    selector = FisherScore(2).fit(array, Y)
    chosen = selector.transform(array)
    assert isinstance(chosen, da.Array)
    np.testing.assert_array_equal(chosen.compute(), X[:, selector.get_support()])


class TestStores:
    """A zarr store that disappears under a Dask array is told, and never read as zeros."""

    VALUES = np.random.default_rng(3).poisson(2.0, size=(40, 6)) + 1.0

    @pytest.fixture(params=["apart", "inline", "sparse"])
    def array(self, request, tmp_path):
        """A lazy table that reads zarr: as a task of its own, within those that read it, or by anndata."""
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        root = zarr.open_group(str(tmp_path), mode="w")
        if request.param == "sparse":
            lazily = pytest.importorskip("anndata.experimental", reason="anndata is not installed").read_elem_lazy
            group = root.create_group("X")
            fill_group(group, sparse.csr_matrix(self.VALUES),
                       lambda there, name, data: there.create_array(name, data=data, chunks=(30,)))  # fmt: skip
            return lazily(group, chunks=(10, 6))
        there = root.create_array("X", data=self.VALUES, chunks=(10, 6))
        return da.from_array(there, chunks=(10, 6), inline_array=request.param == "inline") + 0.0

    @pytest.fixture
    def values_of_it(self, array, tmp_path):
        """The folder that holds the values."""
        data = tmp_path / "X" / "data" / "c"
        return data if data.exists() else tmp_path / "X"

    def test_it_goes_half_way(self, array, values_of_it, monkeypatch):
        """After the chunks were looked at for NaN."""
        same_scores(array, self.VALUES)
        monkeypatch.setattr("eigenselect.selectors.base.check_order", lambda *_: shutil.rmtree(values_of_it))
        assert "was changed" in refusal(array)

    def test_it_is_gone_before(self, array, values_of_it):
        if values_of_it.name == "c":
            pytest.skip("zarr itself reads a sparse matrix without values as one of zeros")
        shutil.rmtree(values_of_it)
        assert "gone" in refusal(array)

    def test_chunks_of_zeros_need_not_be_stored(self, tmp_path):
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        values = self.VALUES * (np.arange(40) >= 20)[:, None]
        there = zarr.open_group(str(tmp_path), mode="w").create_array("X", data=values, chunks=(10, 6))
        same_scores(da.from_zarr(there), values)
