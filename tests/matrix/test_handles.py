"""Handles of files that cannot be read get their sentence, and none gives zeros in silence."""

import h5py
import numpy as np
import pytest

from eigenselect import FisherScore
from eigenselect.matrix.handles import check_handle, check_member

X, Y = np.arange(40.0).reshape(10, 4) ** 2, np.arange(10) % 2


def test_a_file_that_was_closed(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        dataset, group = file.create_dataset("X", data=X), file.create_group("g")
    for handle in (dataset, group):
        with pytest.raises(ValueError, match=r"^FisherScore: X is in a file that was closed; open the file again"):
            FisherScore(2).fit(handle, Y)


def test_a_virtual_dataset_whose_values_are_gone(tmp_path):
    """The library gives zeros for them."""
    with h5py.File(tmp_path / "half.h5", "w") as file:
        file["X"] = X[:5]
    layout = h5py.VirtualLayout(X.shape, X.dtype)
    layout[:5] = h5py.VirtualSource("half.h5", "X", (5, 4))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        rest = file.create_dataset("rest", data=X[5:])
        layout[5:] = h5py.VirtualSource(rest)
        file.create_virtual_dataset("X", layout)
    with h5py.File(tmp_path / "x.h5", "r") as file:
        found = FisherScore(2).fit(file["X"], Y).scores_
        np.testing.assert_array_equal(found, FisherScore(2).fit(X, Y).scores_)
        (tmp_path / "half.h5").unlink()
        with pytest.raises(ValueError, match=r"^FisherScore: X is a virtual dataset, and half\.h5, which holds values"):
            FisherScore(2).fit(file["X"], Y)


def test_what_is_no_array(tmp_path):
    zarr = pytest.importorskip("zarr")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        dataset = file.create_dataset("X", data=X)
        file["type"] = np.dtype("f8")
        later = zarr.create_array(str(tmp_path / "x.zarr"), data=X)._async_array
        for handle in (file["type"], dataset.regionref, later):
            with pytest.raises(TypeError, match=r"^f must be an array or a group of h5py or zarr, got "):
                check_handle(handle, "f")
        with pytest.raises(ValueError, match=r"^f is a dataset without values; choose another dataset"):
            check_handle(file.create_dataset("none", data=h5py.Empty("f8")), "f")
        for member in (file.create_group("g"), dataset, file["none"]):
            with pytest.raises(ValueError, match=r"^f is damaged: its data is no array of one dimension"):
                check_member(member, "data", "f")
        assert check_handle(dataset, "f") is check_handle(file, "f") is None
