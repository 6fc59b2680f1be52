"""Arrays in npz, npy and mat files: exact, named, never unpickled; no claim of a file is believed."""

import io
import struct
import zipfile

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat
from tests.io.tables import MB, SPARSE_LAYOUTS, dense, refuses, save, thinned

from eigenselect.io.readers import read_table


def npy_header(shape, kind="<f8"):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def save_npz(folder, **arrays):
    np.savez(folder / "t.npz", **arrays)
    return str(folder / "t.npz")


class TestClaims:
    def test_a_bomb(self, tmp_path, little, monkeypatch):
        monkeypatch.setattr("eigenselect.io.mat.free_memory", lambda: 20.0 * MB)
        np.savez_compressed(tmp_path / "t.npz", X=np.zeros((10**5, 50)))
        savemat(tmp_path / "t.mat", {"X": np.zeros((10**5, 50))}, do_compression=True)
        for ending in ("npz", "mat"):
            assert (tmp_path / f"t.{ending}").stat().st_size < MB
            refuses(tmp_path / f"t.{ending}", "20.0 MB are free")

    def test_headers_that_claim_more_than_there_is(self, tmp_path):
        claims = [
            ("X", npy_header(shape) + bytes(144)) for shape in [(10**9, 10**6), (2**40, 2**40), (-1, 6), (3, 10**6)]
        ]
        #: empty texts take no bytes, however many there are; to look at each would take for ever
        claims += [("feature_names", npy_header((10**12,), kind)) for kind in ("<U0", "|V0", "|S0")]
        for name, content in claims:
            save_npz(tmp_path, **({} if name == "X" else {"X": np.eye(3)}))
            with zipfile.ZipFile(tmp_path / "t.npz", "a") as archive:
                archive.writestr(f"{name}.npy", content)
            refuses(tmp_path / "t.npz", "damaged")

    def test_nothing_times_very_much(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            archive.writestr("X.npy", npy_header((0, 10**15)))
        refuses(tmp_path / "t.npz", "64000000.0 GB")
        parts = {"data": np.ones(1), "indices": np.zeros(1, int), "indptr": np.array([0, 1, 1])}
        refuses(save_npz(tmp_path, shape=np.array([2, 10**15]), **parts), "64000000.0 GB")


def parts_of(layout):
    X = sparse.csr_array(thinned()).asformat(layout)
    names = ("row", "col") if layout == "coo" else ("indices", "indptr")
    parts = {name: getattr(X, name).copy() for name in ("data", *names)}
    return parts | {"shape": np.array(X.shape), "format": np.array(layout.encode())}


#: what is done to the parts of a csr or csc matrix, and a word of the refusal
BROKEN = [
    (lambda p: p["indices"].__setitem__(3, 10**6), "to 1000000"),
    (lambda p: p["indices"].__setitem__(-1, -1), "from -1"),
    (lambda p: p["indptr"].__setitem__(0, 1), "start at 1"),
    (lambda p: p["indptr"].__setitem__(2, 10**6), "decrease"),
    (lambda p: p["indptr"].__setitem__(-1, 10**6), "up to 1000000"),
    (lambda p: p.update(indptr=p["indptr"][:-1]), "index pointers for"),
    (lambda p: p.update(indptr=p["indptr"][:0]), "no index pointers"),
    (lambda p: p.update(indptr=p["indptr"].astype(float)), "whole numbers"),
    (lambda p: p.update(indices=p["indices"].astype(float)), "whole numbers"),
    (lambda p: p.update(indices=p["indices"][:-1]), "indices"),
    (lambda p: p.update(indices=p["indices"].astype(np.uint64) - np.uint64(9)), "from -"),
    (lambda p: p.update(data=p["data"].astype(str)), "real numbers"),
    (lambda p: p.update(data=p["data"] * 1j), "real numbers"),
    (lambda p: p.update(shape=np.array([12, -6])), "12 x -6"),
    (lambda p: p.update(shape=np.array([12.5, 6])), "two whole numbers"),
    (lambda p: p.update(shape=np.array([12, 6, 1])), "two whole numbers"),
]


class TestSparse:
    @pytest.mark.parametrize("layout", ["csr", "csc"])
    def test_the_structure_is_checked(self, tmp_path, layout):
        np.testing.assert_array_equal(read_table(save_npz(tmp_path, **parts_of(layout))).X.toarray(), thinned())
        for breaks, keyword in BROKEN:
            parts = parts_of(layout)
            breaks(parts)
            refuses(save_npz(tmp_path, **parts), keyword)

    def test_places_are_checked(self, tmp_path):
        np.testing.assert_array_equal(read_table(save_npz(tmp_path, **parts_of("coo"))).X.toarray(), thinned())
        for axis, kind in (("row", "12 rows"), ("col", "6 columns")):
            for index in (-1, 12):
                parts = parts_of("coo")
                parts[axis][2] = index
                refuses(save_npz(tmp_path, **parts), kind)

    def test_pointers_whose_differences_overflow(self, tmp_path):
        low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
        pointers = np.array([0, high, low, 1])
        refuses(save_npz(tmp_path, data=[1.0], indices=[0], indptr=pointers, shape=(3, 2), format=b"csr"), "decrease")

    def test_entries_at_one_place_are_added(self, tmp_path):
        parts = {"data": [1.0, 2.0, 4.0], "indices": [1, 1, 0], "indptr": [0, 3, 3], "shape": [2, 2], "format": b"csr"}
        assert read_table(save_npz(tmp_path, **parts)).X.toarray().tolist() == [[4, 3], [0, 0]]

    def test_other_layouts_are_named(self, tmp_path):
        for layout in ("bsr", "dia"):
            sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(thinned()).asformat(layout))
            refuses(tmp_path / "t.npz", f"'{layout}'")


@pytest.mark.parametrize("layout", ["dense", *SPARSE_LAYOUTS])
def test_ignored_features_are_left_out_of_any_storage(tmp_path, layout):
    path = save_npz(tmp_path, X=thinned()) if layout == "dense" else save_npz(tmp_path, **parts_of(layout))
    table = read_table(path, ignore=["x1,x4"])
    assert table.feature_names == ("x0", "x2", "x3", "x5")
    np.testing.assert_array_equal(dense(table.X), thinned()[:, [0, 2, 3, 5]])


#: arrays beside X, of 3 samples and 4 features or square, and the one that names the features
FOUR = ["a", "b", "c", "d"]
NAMES = [
    *(
        ({name: FOUR}, 3, name)
        for name in ("geneSym", "gene_names", "words", "var_names", "symbols", "names", "go_ids")
    ),
    ({"geneID": FOUR, "geneSym": FOUR}, 3, "geneSym"),
    ({"ids": FOUR, "names": FOUR}, 3, "names"),
    ({"feature_names": FOUR, "geneSym": FOUR}, 3, "feature_names"),
    ({"probe_ids": FOUR, "gene_symbols": FOUR, "names": FOUR}, 3, "gene_symbols"),
    ({"go_ids": FOUR, "go_names": FOUR}, 3, "go_names"),
    ({"geneID": FOUR, "go_names": FOUR}, 3, "geneID"),
    *(({name: FOUR}, 3, None) for name in ("class_names", "sample_ids", "notes")),
    ({"genes": [1, 2, 3, 4]}, 3, None),  # no text
    ({"genes": ["a", "b", "c"]}, 3, None),  # of the samples
    ({"genes": [["a", "b"], ["c", "d"]]}, 3, None),
    ({"names": FOUR}, 4, None),  # of features or of samples
    ({"go_names": FOUR}, 4, None),
    ({"genes": FOUR}, 4, "genes"),
]


class TestNamesOfFeatures:
    """Arrays of text as long as X is wide, whose name says what they are."""

    def test_the_best_array_is_taken_and_it_is_told(self, tmp_path):
        for arrays, n, expected in NAMES:
            given = {name: [f"{name}{c}" for c in array] if array is FOUR else array for name, array in arrays.items()}
            table = read_table(save_npz(tmp_path, X=np.arange(4.0 * n).reshape(n, 4), **given))
            assert table.feature_names == (tuple(given[expected]) if expected else ("x0", "x1", "x2", "x3")), arrays
            assert bool(table.notes) == (expected not in (None, "feature_names")), arrays
        path = save_npz(tmp_path, X=np.eye(3), genes=["a", "b", "b"])
        assert read_table(path, label="genes").feature_names == ("x0", "x1", "x2")
        twice = read_table(path)
        assert ("'genes'" in twice.notes[0], "('b')" in twice.notes[1]) == (True, True)

    def test_of_cells_in_mat_files(self, tmp_path):
        cells = np.array([["TP53"], ["MYC"], ["EGFR"]], dtype=object)
        odd = np.empty(3, dtype=object)
        odd[:] = ["TP53", np.eye(2), np.zeros((0, 0))]
        for names, expected in (
            ({"geneID": np.array([[1], [2], [3]]), "geneSym": cells}, ("TP53", "MYC", "EGFR")),
            ({"genes": np.array(["TP53", "MYC", "EGFR"])}, ("TP53", "MYC", "EGFR")),  # rows of letters
            ({"genes": odd}, None),  # a cell may hold a matrix
        ):
            savemat(tmp_path / "t.mat", {"X": np.ones((2, 3)), **names})
            found = read_table(str(tmp_path / "t.mat")).feature_names
            assert found == expected if expected else found[0] in ("TP53", "x0")


class TestNpy:
    """A single array, mapped into memory."""

    def saved(self, tmp_path, values, **options):
        np.save(tmp_path / "x.npy", values, **options)
        return str(tmp_path / "x.npy")

    @pytest.mark.parametrize("dtype", ["float32", ">f8", "int8", "bool"])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_the_file_is_mapped_and_not_converted(self, tmp_path, rng, dtype, order):
        X = np.asarray(rng.integers(0, 2, (6, 4)), dtype=dtype, order=order)
        table = read_table(self.saved(tmp_path, X))
        assert isinstance(table.X, np.memmap)
        assert (table.X.dtype, table.feature_names, table.sample_names) == (X.dtype, ("x0", "x1", "x2", "x3"), None)
        np.testing.assert_array_equal(table.X, X)
        np.testing.assert_array_equal(read_table(self.saved(tmp_path, X), transpose=True).X, X.T)

    def test_what_is_refused(self, tmp_path):
        holes = np.ones((5, 3), np.float32)
        holes[1, 2] = holes[4, 2] = np.nan
        for values, how, keyword in [
            (holes, {}, "'x2' (2)"),
            (np.ones(4), {}, "shape (4,)"),
            (np.ones((2, 2), complex), {}, "complex128"),
            (np.array([["a", "b"]] * 2), {}, "real numbers"),
            (np.zeros((0, 3)), {}, "2 samples"),
            (np.ones((6, 4)), {"label": "class"}, "npz"),
            (np.ones((6, 4)), {"samples": "class"}, "'class'"),
        ]:
            refuses(self.saved(tmp_path, values), keyword, **how)

    def test_objects_are_never_unpickled(self, tmp_path):
        class Harm:
            def __reduce__(self):
                return open, (str(tmp_path / "made"), "w")

        harm = np.array([[Harm(), 1], [2, 3]], dtype=object)
        refuses(self.saved(tmp_path, harm, allow_pickle=True), "never loaded")
        refuses(save_npz(tmp_path, X=harm), "never loaded")
        refuses(save_npz(tmp_path, X=np.eye(2), y=np.array([Harm(), 1], dtype=object)), "never loaded", label="y")
        assert not (tmp_path / "made").exists()

    def test_damage(self, tmp_path, rng):
        with open(self.saved(tmp_path, rng.random((6, 4))), "rb") as file:
            whole = file.read()
        for damage in (whole[:-1], whole + b"\0", whole[:20], b"\x93NUMPY", whole.replace(b"(6, 4)", b"(9, 9)")):
            refuses(save(tmp_path, damage, "x.npy"), "damaged")


def element(kind, content, order):
    return struct.pack(order + "II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix_file(order, values, *, shape=None, kind=9):
    """Make a MATLAB file of one matrix by hand, in either order of bytes."""
    values = np.asarray(values)
    parts = [
        element(6, struct.pack(order + "II", 6, 0), order),
        element(5, struct.pack(order + "ii", *(shape or values.shape)), order),
        element(1, b"X", order),
        element(kind, values.astype(order + "f8").tobytes(order="F"), order),
    ]
    head = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(order + "H", 0x0100) + (b"IM" if order == "<" else b"MI")
    return head + element(14, b"".join(parts), order)


class TestMat:
    @pytest.mark.parametrize("compressed", [False, True])
    def test_agrees_with_scipy(self, tmp_path, rng, compressed):
        path = str(tmp_path / "t.mat")
        kinds = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "bool")
        matrices = [rng.integers(0, 100, size=(4, 3)).astype(kind) for kind in kinds]
        matrices += [sparse.random_array((6, 5), density=0.4, format="csc", rng=rng), sparse.csc_array((3, 4))]
        for X in matrices:
            names = [f"naïve 🧬 {i}" for i in range(X.shape[0])]
            savemat(path, {"other": {"a": 1}, "X": X, "y": names}, do_compression=compressed)
            table, expected = read_table(path, label="y"), loadmat(path, spmatrix=False)
            assert sparse.issparse(table.X) == sparse.issparse(X)
            np.testing.assert_array_equal(dense(table.X), dense(expected["X"]))
            assert table.y.tolist() == names

    def test_either_order_of_bytes(self, tmp_path):
        X = np.arange(6.0).reshape(2, 3)
        for order in "<>":
            np.testing.assert_array_equal(read_table(save(tmp_path, matrix_file(order, X), "t.mat")).X, X)

    def test_what_is_refused(self, tmp_path):
        for how in ({"shape": (2, 4)}, {"shape": (2**30, 2**30)}, {"shape": (-2, -3)}, {"kind": 77777}):
            refuses(save(tmp_path, matrix_file("<", np.ones((2, 3)), **how), "t.mat"), "damaged")
        new = b"MATLAB 7.3 MAT-file".ljust(124) + struct.pack("<H", 0x0200) + b"IM"
        refuses(save(tmp_path, new + bytes(512), "t.mat"), "-v7")
        for X in (np.eye(3) * 1j, sparse.csc_array(np.eye(3) * 1j), {"a": 1}, np.zeros((2, 3, 4))):
            savemat(tmp_path / "t.mat", {"X": X})
            refuses(tmp_path / "t.mat", "matrix of real numbers")
