"""The parts of a plain HDF5 file; the process that reads it first reads the ends of what is large."""

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")


def test_parts_are_read_whole_or_by_their_ends(tmp_path):
    from eigenselect.io.h5ad_parts import AbsentError
    from eigenselect.io.hdf5_arrays_parts import read_named_arrays

    X, path = np.arange(12.0).reshape(4, 3), tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["a/X"], file["a/names"] = X, ["u", "v", "w"]
        file["a/b"] = h5py.SoftLink("/a/X")
    found = read_named_arrays(str(path), table="/a/X")
    np.testing.assert_array_equal(found.matrix["X"], X)
    assert found.others["names"].tolist() == ["u", "v", "w"]
    assert read_named_arrays(str(path), table="a/b", most=8).matrix["X"] == (0.0, 11.0)
    for absent in ("b", "a/c", "a/X/y", "/", "nothing/X"):
        with pytest.raises(AbsentError):
            read_named_arrays(str(path), table=absent)


def test_links_that_lead_nowhere_do_not_hide_a_table(tmp_path, rng):
    from eigenselect.io.hdf5_arrays_parts import read_named_arrays
    from eigenselect.io.named_nodes import NoTableError

    path, X = tmp_path / "x.h5", rng.normal(size=(6, 4))
    with h5py.File(path, "w") as file:
        file["table"] = X
        file["gone"] = h5py.SoftLink("/nothing")
        file["ring"] = h5py.SoftLink("/ring")
    found = read_named_arrays(str(path), table=None)
    np.testing.assert_array_equal(found.matrix["X"], X)
    assert found.others == {}
    with h5py.File(path, "a") as file:
        file["group/own"] = h5py.SoftLink("/group")
    np.testing.assert_array_equal(read_named_arrays(str(path), table="table").matrix["X"], X)
    with pytest.raises(NoTableError, match="holds more groups than can be looked through"):
        read_named_arrays(str(path), table=None)
