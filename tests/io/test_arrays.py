"""Archives and sparse matrices claim nothing that they do not hold."""

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.io.tables import MB, SPARSE_LAYOUTS, thinned

from eigenselect.exceptions import InputError
from eigenselect.io.arrays import checked_coordinates, checked_sparse
from eigenselect.io.readers import read_table


def npy_header(shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


class TestArchives:
    def test_a_bomb(self, tmp_path, little):
        np.savez_compressed(tmp_path / "t.npz", X=np.zeros((10**5, 50)))
        assert (tmp_path / "t.npz").stat().st_size < MB
        with pytest.raises(InputError, match=r"t\.npz: reading it needs about 40\.0 MB of memory, 20\.0 MB are free;"):
            read_table(str(tmp_path / "t.npz"))

    @pytest.mark.parametrize("shape", [(10**9, 10**6), (2**40, 2**40), (-1, 6), (3, 10**6)])
    def test_a_header_that_claims_more_than_there_is(self, tmp_path, shape):
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            archive.writestr("X.npy", npy_header(shape) + bytes(144))
        with pytest.raises(InputError, match=r"t\.npz: cannot be read as npz, it is damaged"):
            read_table(str(tmp_path / "t.npz"))

    def test_nothing_times_very_much(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            archive.writestr("X.npy", npy_header((0, 10**15)))
        with pytest.raises(InputError, match=r"a table of 1000000000000000 features needs about 64000000\.0 GB"):
            read_table(str(tmp_path / "t.npz"))

    def test_a_sparse_matrix_of_a_million_billion_columns(self, tmp_path):
        parts = {"data": np.ones(1), "indices": np.zeros(1, int), "indptr": np.array([0, 1, 1])}
        np.savez(tmp_path / "t.npz", shape=np.array([2, 10**15]), **parts)
        with pytest.raises(InputError, match=r"a table of 2 x 1000000000000000 needs about 64000000\.0 GB"):
            read_table(str(tmp_path / "t.npz"))


@pytest.mark.parametrize("kind", ["<U0", "|V0", "|S0"])
def test_values_without_bytes_are_counted(tmp_path, kind):
    """An array of empty texts takes no bytes, however many there are; to look at each would take for ever."""
    header = io.BytesIO()
    claims = {"descr": kind, "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(header, claims)
    np.savez(tmp_path / "t.npz", X=np.eye(3))
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as archive:
        archive.writestr("feature_names.npy", header.getvalue())
    with pytest.raises(InputError, match="cannot be read as npz, it is damaged"):
        read_table(str(tmp_path / "t.npz"))


def parts_of(layout):
    X = sparse.csr_array(thinned()).asformat(layout)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "layout": layout}


#: what is done to the parts of a csr or csc matrix, and what is said of it
BROKEN = [
    (lambda p: p["indices"].__setitem__(3, 10**6), "indices from 0 to 1000000 for"),
    (lambda p: p["indices"].__setitem__(-1, -1), "indices from -1 to"),
    (lambda p: p["indptr"].__setitem__(0, 1), "index pointers that start at 1, not at 0"),
    (lambda p: p["indptr"].__setitem__(2, 10**6), "index pointers that decrease"),
    (lambda p: p["indptr"].__setitem__(-1, 10**6), "index pointers up to 1000000 for"),
    (lambda p: p.update(indptr=p["indptr"][:-1]), r"index pointers for \d+ (rows|columns)"),
    (lambda p: p.update(indptr=p["indptr"][:0]), "no index pointers"),
    (lambda p: p.update(indptr=p["indptr"].astype(float)), "index pointers that are not a row of whole numbers"),
    (lambda p: p.update(indices=p["indices"].astype(float)), "indices that are not a row of whole numbers"),
    (lambda p: p.update(indices=p["indices"][:-1]), r"\d+ values for \d+ indices"),
    (lambda p: p.update(indices=p["indices"].astype(np.uint64) - np.uint64(9)), "indices from -"),
    (lambda p: p.update(data=p["data"].astype(str)), "values that are not a row of real numbers"),
    (lambda p: p.update(data=p["data"] * 1j), "values that are not a row of real numbers"),
    (lambda p: p.update(shape=np.array([12, -6])), "the shape 12 x -6"),
    (lambda p: p.update(shape=np.array([12.5, 6])), "a shape that is not two whole numbers"),
    (lambda p: p.update(shape=np.array([12, 6, 1])), "a shape that is not two whole numbers"),
]


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize(("breaks", "says"), BROKEN, ids=[says for _, says in BROKEN])
def test_the_structure_of_a_sparse_matrix_is_checked(layout, breaks, says):
    parts = parts_of(layout)
    np.testing.assert_array_equal(checked_sparse(**parts, source="t").toarray(), thinned())
    breaks(parts)
    with pytest.raises(InputError, match=f"t: is damaged, its sparse matrix has .*{says}"):
        checked_sparse(**parts, source="t")


def test_pointers_whose_differences_overflow():
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    with pytest.raises(InputError, match="index pointers that decrease"):
        checked_sparse([1.0], [0], np.array([0, high, low, 1]), (3, 2), "csr", "t")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("index", [-1, 12])
def test_the_places_of_a_sparse_matrix_are_checked(axis, index):
    X = sparse.coo_array(thinned())
    places = [part.copy() for part in X.coords]
    np.testing.assert_array_equal(checked_coordinates(X.data, *places, X.shape, "t").toarray(), thinned())
    places[axis][2] = index
    with pytest.raises(InputError, match=f"indices from .* for {X.shape[axis]} {('rows', 'columns')[axis]}"):
        checked_coordinates(X.data, *places, X.shape, "t")


def test_entries_at_one_place_are_added():
    X = checked_sparse([1.0, 2.0, 4.0], [1, 1, 0], [0, 3, 3], [2, 2], "csr", "t")
    assert X.nnz == 2
    np.testing.assert_array_equal(X.toarray(), [[4, 3], [0, 0]])


@pytest.mark.parametrize("layout", SPARSE_LAYOUTS)
def test_indices_out_of_range_do_not_crash_the_command(tmp_path, layout):
    """In a process of its own, as it did crash."""
    X = sparse.csr_matrix(thinned()).asformat(layout)
    where = X.col if layout == "coo" else X.indices
    where[1] = 2**30
    path = tmp_path / "t.npz"
    parts = {"row": X.row, "col": X.col} if layout == "coo" else {"indices": X.indices, "indptr": X.indptr}
    np.savez(path, data=X.data, shape=X.shape, format=np.array(layout.encode()), **parts)
    done = subprocess.run([sys.executable, "-m", "eigenselect", "rank", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"eigenselect: error: .*: is damaged, its sparse matrix has indices from .*\n", done.stderr)


@pytest.mark.parametrize("layout", ["bsr", "dia"])
def test_other_kinds_of_sparse_matrices_are_named(tmp_path, layout):
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(thinned()).asformat(layout))
    with pytest.raises(InputError, match=f"of the kind '{layout}' that is not known or not whole; save it as csr"):
        read_table(str(tmp_path / "t.npz"))


@pytest.mark.parametrize("layout", ["dense", "csr", "csc"])
def test_ignored_features_are_left_out_of_any_storage(tmp_path, layout):
    path = tmp_path / "t.npz"
    if layout == "dense":
        np.savez(path, X=thinned())
    else:
        sparse.save_npz(path, sparse.csr_array(thinned()).asformat(layout))
    table = read_table(str(path), ignore=["x1,x4"])
    assert table.feature_names == ("x0", "x2", "x3", "x5")
    X = table.X if layout == "dense" else table.X.toarray()
    np.testing.assert_array_equal(X, thinned()[:, [0, 2, 3, 5]])


class TestNamesOfFeatures:
    """Arrays of text as long as X is wide, whose name says what they are."""

    X = np.arange(12.0).reshape(3, 4)
    NAMES = ("TP53", "MYC", "EGFR", "MYC")

    def read(self, path, **arrays):
        np.savez(path / "t.npz", **{"X": self.X, **arrays})
        return read_table(str(path / "t.npz"))

    @pytest.mark.parametrize(
        "name", ["geneSym", "gene_names", "genes", "words", "var_names", "symbols", "names", "go_ids"]
    )
    def test_are_taken_and_it_is_said(self, tmp_path, name):
        table = self.read(tmp_path, **{name: self.NAMES}, y=["u", "v", "u"])
        assert table.feature_names == self.NAMES
        said = f"the array {name!r} is taken for names of features"
        assert table.notes == (said, "1 name of features stands more than once ('MYC')")

    @pytest.mark.parametrize(
        ("arrays", "expected"),
        [
            (("geneID", "geneSym"), "geneSym"),
            (("ids", "names"), "names"),
            (("geneSym", "feature_names"), "feature_names"),
            (("probe_ids", "gene_symbols", "names"), "gene_symbols"),
            (("go_ids", "go_names"), "go_names"),
            (("go_names", "geneID"), "geneID"),
        ],
    )
    def test_symbols_are_preferred_to_ids_and_known_names_to_others(self, tmp_path, arrays, expected):
        given = {name: [f"{name}{j}" for j in range(4)] for name in arrays}
        assert self.read(tmp_path, **given).feature_names[0] == f"{expected}0"

    @pytest.mark.parametrize(
        "arrays",
        [
            {"genes": [1, 2, 3, 4]},  # no text
            {"genes": ["a", "b", "c"]},  # of the samples
            {"class_names": ["a", "b", "c", "d"]},
            {"sample_ids": ["a", "b", "c", "d"]},
            {"notes": ["a", "b", "c", "d"]},
            {"genes": [["a", "b"], ["c", "d"]]},
        ],
    )
    def test_other_arrays_are_none(self, tmp_path, arrays):
        table = self.read(tmp_path, **arrays)
        assert table.feature_names == ("x0", "x1", "x2", "x3")
        assert table.notes == ()

    def test_in_a_square_table_the_name_must_tell_features_from_samples(self, tmp_path):
        names = ["a", "b", "c"]
        assert self.read(tmp_path, X=np.eye(3), names=names).feature_names == ("x0", "x1", "x2")
        assert self.read(tmp_path, X=np.eye(3), go_names=names).feature_names == ("x0", "x1", "x2")
        assert self.read(tmp_path, X=np.eye(3), genes=names).feature_names == tuple(names)

    def test_an_array_that_is_named_for_something_else(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.eye(3), genes=["a", "b", "b"])
        assert read_table(str(tmp_path / "t.npz"), label="genes").feature_names == ("x0", "x1", "x2")

    @pytest.mark.parametrize("name", ["TOX-171.mat", "go_slim_human.npz", "leukemia_hgu95_symbols.npz"])
    def test_of_real_files(self, name):
        path = Path(__file__).parents[3] / "shared" / "data" / name
        if not path.exists():
            pytest.skip("no data")
        table = read_table(str(path))
        expected = {"TOX-171.mat": "MAPK3", "go_slim_human.npz": "reproduction", "leukemia_hgu95_symbols.npz": "MAPK3"}
        assert table.feature_names[0] == expected[name]
