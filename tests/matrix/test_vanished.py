"""A zarr store that disappears half way is told, and never read as zeros."""

import shutil

import numpy as np
import pytest
from scipy import sparse

from backed import as_if_large
from eigenselect import FisherScore
from eigenselect.matrix.stored import stored
from eigenselect.matrix.vanished import reads_as_empty, stored_chunks
from storages import zarr_array, zarr_group

X = np.random.default_rng(3).poisson(2.0, size=(40, 12)) + 1.0


@pytest.mark.parametrize("missing", [(0, 0), (1, 0), (2, 1)])
def test_an_empty_chunk_is_seen_wherever_reading_began(missing):
    values = np.ones((11, 7))
    values[4 * missing[0] : 4 * missing[0] + 4, 5 * missing[1] : 5 * missing[1] + 5] = 0
    assert reads_as_empty(values, (0, 0), (4, 5), 0)
    assert reads_as_empty(values[2:], (2, 0), (4, 5), None)
    assert not reads_as_empty(values + 1, (0, 0), (4, 5), 0)
    assert not reads_as_empty(values[:0], (0, 0), (4, 5), 0)


def test_chunks_are_counted_in_zarr_alone(tmp_path):
    assert stored_chunks(zarr_array(X, tmp_path)) == 6
    assert stored_chunks(X) is None


@pytest.mark.parametrize("make", [zarr_array, zarr_group(sparse.csr_matrix)], ids=["dense", "sparse"])
def test_a_store_that_is_deleted_while_it_is_read(tmp_path, make):
    lines = stored(make(X, tmp_path), "SPEC: X")
    lines.read(slice(0, 3), slice(0, 12))
    shutil.rmtree(tmp_path / "x.zarr")
    with pytest.raises(
        ValueError, match=r"^SPEC: X was changed while it was read: \d+ of \d+ chunks of its zarr array"
    ):
        lines.read(slice(3, 40), slice(0, 12))


def test_a_fit_says_so(tmp_path, monkeypatch):
    """The store goes after the table was looked at for NaN."""
    as_if_large(monkeypatch, read=2000)
    given = zarr_array(X, tmp_path)
    monkeypatch.setattr(
        "eigenselect.selectors.base.check_order", lambda *_: shutil.rmtree(tmp_path / "x.zarr", ignore_errors=True)
    )
    with pytest.raises(ValueError, match="^FisherScore: X was changed while it was read"):
        FisherScore(3).fit(given, np.arange(40) % 2)


def test_chunks_of_zeros_are_no_mistake(tmp_path):
    sparse_values = X * (np.arange(40) > 20)[:, None]
    array = zarr_array(sparse_values, tmp_path)
    assert stored_chunks(array) < 6
    np.testing.assert_array_equal(stored(array, "X").read(slice(0, 40), slice(0, 12)), sparse_values)
