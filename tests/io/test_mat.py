"""MATLAB files: an own reader agrees with scipy's on all that a table may hold."""

import struct

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat
from tests.io.tables import MB

from eigenselect.exceptions import InputError
from eigenselect.io import memory
from eigenselect.io.mat import mat_arrays
from eigenselect.io.readers import read_table

KINDS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def variables(rng):
    cells = np.empty(3, dtype=object)
    cells[:] = ["x", "naïve 🧬", np.arange(3.0)]
    numbers = {name: rng.integers(0, 100, size=(4, 3)).astype(name) for name in KINDS}
    return {
        **{f"v{name}": values for name, values in numbers.items()},
        "X": rng.normal(size=(5, 3)),
        "deep": rng.normal(size=(2, 3, 4)),
        "truth": np.array([True, False]),
        "nothing": np.zeros((0, 3)),
        "S": sparse.random_array((6, 5), density=0.4, format="csc", rng=rng),
        "empty": sparse.csc_array((3, 4)),
        "text": "héllo 🧬",
        "texts": np.array(["ab", "cde", "naïve"]),
        "cells": cells,
    }


def same(found, expected):
    if sparse.issparse(expected):
        return sparse.issparse(found) and np.array_equal(found.toarray(), expected.toarray())
    if expected.dtype != object:
        return np.array_equal(found, expected)
    return found.shape == expected.shape and all(map(same, found.ravel(), expected.ravel()))


@pytest.mark.parametrize("compressed", [False, True])
def test_agrees_with_scipy(tmp_path, rng, compressed):
    path = str(tmp_path / "t.mat")
    given = variables(rng)
    savemat(path, given, do_compression=compressed)
    expected = loadmat(path, spmatrix=False)
    found = mat_arrays(path, "t", set(given))
    assert list(found) == list(given)
    for name in given:
        assert same(found[name], expected[name]), name


def test_what_is_not_wanted_is_not_read(tmp_path):
    savemat(tmp_path / "t.mat", {"X": np.eye(3), "other": np.eye(3), "record": {"a": 1}})
    found = mat_arrays(str(tmp_path / "t.mat"), "t", {"X", "record"})
    assert found["other"] is None
    assert found["record"] is None
    savemat(tmp_path / "t.mat", {"X": {"a": 1}})
    with pytest.raises(InputError, match=r"'X' must be a matrix of real numbers, got none"):
        read_table(str(tmp_path / "t.mat"))


def test_complex_numbers_are_refused(tmp_path):
    for X in (np.eye(3) * 1j, sparse.csc_array(np.eye(3) * 1j)):
        savemat(tmp_path / "t.mat", {"X": X})
        with pytest.raises(InputError, match="must be a matrix of real numbers"):
            read_table(str(tmp_path / "t.mat"))


def element(kind, content, order):
    return struct.pack(order + "II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix_file(order, values, *, shape=None, kind=9):
    """A file of one matrix, made by hand in either order of bytes."""
    values = np.asarray(values)
    parts = [
        element(6, struct.pack(order + "II", 6, 0), order),
        element(5, struct.pack(order + "ii", *(shape or values.shape)), order),
        element(1, b"X", order),
        element(kind, values.astype(order + "f8").tobytes(order="F"), order),
    ]
    head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(order + "H", 0x0100) + (b"IM" if order == "<" else b"MI")
    return head + element(14, b"".join(parts), order)


@pytest.mark.parametrize("order", ["<", ">"])
def test_either_order_of_bytes(tmp_path, order):
    X = np.arange(6.0).reshape(2, 3)
    (tmp_path / "t.mat").write_bytes(matrix_file(order, X))
    np.testing.assert_array_equal(read_table(str(tmp_path / "t.mat")).X, X)


@pytest.mark.parametrize("how", [{"shape": (2, 4)}, {"shape": (2**30, 2**30)}, {"shape": (-2, -3)}, {"kind": 77777}])
def test_claims_that_do_not_hold(tmp_path, how):
    """An unknown kind of numbers is what crashes scipy's reader in cells."""
    (tmp_path / "t.mat").write_bytes(matrix_file("<", np.ones((2, 3)), **how))
    with pytest.raises(InputError, match=r"t\.mat: cannot be read as mat, it is damaged or of another kind\."):
        read_table(str(tmp_path / "t.mat"))


def test_version_7_3_is_named(tmp_path):
    head = b"MATLAB 7.3 MAT-file".ljust(124) + struct.pack("<H", 0x0200) + b"IM"
    (tmp_path / "t.mat").write_bytes(head + bytes(512))
    with pytest.raises(InputError, match=r"is a MATLAB 7\.3 file; save it with -v7\."):
        read_table(str(tmp_path / "t.mat"))


def test_a_bomb_of_matlab(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenselect.io.mat.free_memory", lambda: 20.0 * MB)
    monkeypatch.setattr(memory, "free_memory", lambda: 20.0 * MB)
    savemat(tmp_path / "t.mat", {"X": np.zeros((10**5, 50))}, do_compression=True)
    assert (tmp_path / "t.mat").stat().st_size < MB
    with pytest.raises(InputError, match=r"t\.mat: .* needs .* of memory, 20\.0 MB are free"):
        read_table(str(tmp_path / "t.mat"))


def test_names_in_cells_are_those_of_features(tmp_path):
    cells = np.array([["TP53"], ["MYC"], ["EGFR"]], dtype=object)
    savemat(tmp_path / "t.mat", {"X": np.ones((2, 3)), "geneID": np.array([[1], [2], [3]]), "geneSym": cells})
    table = read_table(str(tmp_path / "t.mat"))
    assert table.feature_names == ("TP53", "MYC", "EGFR")
    assert table.notes == ("the array 'geneSym' is taken for names of features",)
    savemat(tmp_path / "t.mat", {"X": np.ones((2, 3)), "genes": np.array(["TP53", "MYC", "EGFR"])})  # rows of letters
    assert read_table(str(tmp_path / "t.mat")).feature_names == ("TP53", "MYC", "EGFR")


def test_cells_that_hold_no_names_name_nothing_wrong(tmp_path):
    """A cell may hold a matrix; it is written as text, cut where it is long, and never crashes."""
    cells = np.empty(3, dtype=object)
    cells[:] = ["TP53", np.eye(2), np.zeros((0, 0))]
    savemat(tmp_path / "t.mat", {"X": np.ones((2, 3)), "genes": cells})
    assert read_table(str(tmp_path / "t.mat")).feature_names[0] in ("TP53", "x0")
