"""A zarr store that disappears under a Dask array is told, and never read as zeros."""

import shutil

import numpy as np
import pytest
from scipy import sparse

from eigenselect import FisherScore
from eigenselect.matrix.dask_stores import Stores
from storages import fill_group

da = pytest.importorskip("dask.array", reason="dask is not installed")
zarr = pytest.importorskip("zarr", reason="zarr is not installed")

X = np.random.default_rng(3).poisson(2.0, size=(40, 6)) + 1.0
Y = np.arange(40) % 2


@pytest.fixture(params=[False, True], ids=["apart", "inline"])
def array(request, tmp_path):
    """A lazy table that reads a zarr array, which Dask keeps as a task of its own or within those that read it."""
    there = zarr.open_group(str(tmp_path), mode="w").create_array("X", data=X, chunks=(10, 6))
    return da.from_array(there, chunks=(10, 6), inline_array=request.param)[:, 1:] + 1.0


def test_every_stored_chunk_is_counted(array):
    assert [count for _, count in Stores.of(array).counted] == [4]
    assert Stores.of(da.ones((3, 2)) + 1.0).counted == []


@pytest.fixture
def sparse_array(tmp_path):
    """A sparse matrix that anndata reads lazily: Dask knows of a function, whose argument is the dataset."""
    lazily = pytest.importorskip("anndata.experimental", reason="anndata is not installed").read_elem_lazy
    group = zarr.open_group(str(tmp_path), mode="w").create_group("X")
    fill_group(group, sparse.csr_matrix(X), lambda there, name, data: there.create_array(name, data=data, chunks=(30,)))
    return lazily(group, chunks=(10, 6))


def test_sparse_matrices_that_anndata_reads_lazily_are_counted(sparse_array, tmp_path):
    """Without the values of its non-zeros such a matrix is one of zeros, and nobody says so."""
    assert [count for _, count in Stores.of(sparse_array).counted] == [8, 8, 2]
    expected = FisherScore(3).fit(X, Y).scores_
    np.testing.assert_allclose(FisherScore(3).fit(sparse_array, Y).scores_, expected, rtol=1e-10)
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path / "X" / "data" / "c"
        patch.setattr("eigenselect.selectors.base.check_order", lambda *_: shutil.rmtree(path))
        with pytest.raises(
            ValueError, match="^FisherScore: X was changed while it was read: 0 of 8 chunks of the zarr"
        ):
            FisherScore(3).fit(sparse_array, Y)


def test_a_store_that_disappears_half_way(array, tmp_path, monkeypatch):
    """It goes after the chunks were looked at for NaN; zarr then gives zeros."""
    monkeypatch.setattr("eigenselect.selectors.base.check_order", lambda *_: shutil.rmtree(tmp_path / "X"))
    with pytest.raises(ValueError, match="^FisherScore: X was changed while it was read: 0 of 4 chunks of the zarr"):
        FisherScore(3).fit(array, Y)


def test_a_store_that_is_gone_before(array, tmp_path):
    shutil.rmtree(tmp_path / "X")
    with pytest.raises(ValueError, match="^FisherScore: X must be there to be read, got .* zarr array that is gone"):
        FisherScore(3).fit(array, Y)


def test_chunks_of_zeros_need_not_be_stored(tmp_path):
    array = da.from_zarr(zarr.open_group(str(tmp_path), mode="w").create_array("X", shape=(4, 6), dtype=float))
    stores = Stores.of(array)
    assert [count for _, count in stores.counted] == [0]
    stores.check()
