"""Tables in HDF5 and zarr files: read in small pieces and few passes, and refused where they are damaged or gone."""

import io
import pickle
import re
import shutil
import sys
import tempfile
import warnings
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context

import backed
from eigenselect import SPEC, FisherScore, LaplacianScore, Variance
from eigenselect.matrix import Matrix, annotated_matrix
from storages import STORAGES, fill_group, zarr_array, zarr_group

X, Y = backed.counts(40, 8)
X = X + 0.1 * (X > 0)  # sums of these are rounded
#: more than a band and a read have with the least ``working_memory`` of scikit-learn, 64 kB each
WIDE, WIDE_Y = backed.counts(400, 500)
FILES = ["HDF5", "HDF5 CSR", "zarr", "zarr CSC"]


def refusal(table, error=ValueError, y=Y, selector=None):
    """Return the message that `fit` raises, which names the selector."""
    with pytest.raises(error, match="^(FisherScore|SPEC): ") as caught:
        (FisherScore(3) if selector is None else selector).fit(table, y)
    return str(caught.value)


def quiet_fit(selector, table, y=Y, **graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(table, y, **graph)


def ring(n):
    return sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()


class TestReading:
    """With the least ``working_memory`` of scikit-learn, a band and a read have 64 kB."""

    BAND = 2**16

    @pytest.fixture(params=["dense", "csr", "csc"])
    def stored(self, request, tmp_path):
        """The table in a file, and the bytes of its arrays by name."""
        with h5py.File(tmp_path / "x.h5", "w") as file:
            if request.param == "dense":
                file.create_dataset("X", data=WIDE, chunks=(10, 500))
                arrays = {"/X": WIDE.nbytes}
            else:
                held = getattr(sparse, f"{request.param}_matrix")(WIDE)
                fill_group(file.create_group("X"), held, h5py.Group.__setitem__)
                arrays = {f"/X/{name}": getattr(held, name).nbytes for name in ("data", "indices")}
        return h5py.File(tmp_path / "x.h5", "r")["X"], arrays

    @pytest.fixture
    def reads(self, monkeypatch):
        """Names of the datasets and bytes of every part that is read."""
        found, read = [], h5py.Dataset.__getitem__

        def noted(dataset, *key):
            part = read(dataset, *key)
            found.append((dataset.name, np.asarray(part).nbytes))
            return part

        monkeypatch.setattr(h5py.Dataset, "__getitem__", noted)
        return found

    def test_no_read_is_large_and_numbers_are_those_in_memory(self, stored, reads):
        for selector in (FisherScore(5), LaplacianScore(5), Variance(5)):
            graph = {} if isinstance(selector, FisherScore | Variance) else {"similarity_matrix": ring(400)}
            expected = quiet_fit(selector, WIDE, WIDE_Y, **graph).scores_
            reads.clear()
            with config_context(working_memory=0):
                found = quiet_fit(selector, stored[0], WIDE_Y, **graph).scores_
            np.testing.assert_allclose(found, expected, rtol=1e-10)
            sizes = [size for name, size in reads if not name.endswith("indptr")]  # a number for each line is held
            assert 0 < max(sizes) <= self.BAND

    def test_a_fit_with_p_values_reads_a_table_by_rows_twice(self, stored, reads):
        """Once to check it and once to copy it by columns; one by columns is read in order, as often as it is used."""
        selector = LaplacianScore(5, significance="given", n_jobs=1)
        expected = quiet_fit(selector, WIDE, WIDE_Y, similarity_matrix=ring(400)).pvalues_
        with config_context(working_memory=0):
            found = quiet_fit(selector, stored[0], WIDE_Y, similarity_matrix=ring(400)).pvalues_
        np.testing.assert_allclose(found, expected, rtol=1e-8)
        most = 5 if stored[0].attrs.get("encoding-type") == "csc_matrix" else 2
        for array, size in stored[1].items():
            assert sum(part for name, part in reads if name == array) <= most * size

    def test_passes_are_told_on_a_terminal(self, stored, monkeypatch):
        terminal = io.StringIO()
        monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stderr", terminal)
        selector = LaplacianScore(5, significance="given", verbose=True)
        with config_context(working_memory=0):
            quiet_fit(selector, stored[0], WIDE_Y, similarity_matrix=ring(400))
        said = [line.split("\r")[-1] for line in terminal.getvalue().split("\n")]
        found = [re.match(r"\[LaplacianScore\] pass (\d) of (\d), (.*): 100%", line) for line in said]
        numbers, totals, names = zip(*(match.groups() for match in found if match), strict=True)
        assert list(numbers) == sorted(set(numbers))
        assert len(set(totals)) == 1
        by_columns = stored[0].attrs.get("encoding-type") == "csc_matrix"
        assert list(names[:2]) == (["check", "columns"] if by_columns else ["check", "copy by columns"])

    @pytest.mark.parametrize("trouble", ["full", "fills"])
    def test_a_disk_without_room_is_said_once(self, stored, monkeypatch, trouble):
        if stored[0].attrs.get("encoding-type") == "csc_matrix":
            pytest.skip("a table by columns is not copied")

        def full(*_):
            raise OSError(28, "No space left on device")

        if trouble == "full":
            monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
        else:
            monkeypatch.setattr("eigenselect.matrix.scratch.ScratchArray.write", full)
        expected = quiet_fit(FisherScore(5), WIDE, WIDE_Y).scores_
        with config_context(working_memory=0), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = FisherScore(5).fit(stored[0], WIDE_Y).scores_
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        assert len([one for one in told if "TMPDIR" in str(one.message)]) == 1

    def test_temporary_files_have_no_name_and_are_in_tmpdir(self, stored, monkeypatch, tmp_path):
        folder, made, temporary = tmp_path / "scratch", [], tempfile.TemporaryFile
        folder.mkdir()
        monkeypatch.setenv("TMPDIR", str(folder))
        monkeypatch.setattr("tempfile.tempdir", None)
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda *a, **k: made.append(k.get("dir")) or temporary(*a, **k))
        with config_context(working_memory=0):
            quiet_fit(FisherScore(5), stored[0], WIDE_Y)
        by_columns = stored[0].attrs.get("encoding-type") == "csc_matrix"
        assert set(made) == (set() if by_columns else {str(folder)})
        assert not list(folder.iterdir())


class TestLoading:
    """What needs all of a file loads it, with one warning, or refuses it."""

    @pytest.fixture(params=FILES)
    def there(self, request, tmp_path, monkeypatch):
        backed.as_if_large(monkeypatch)
        return STORAGES[request.param](X, tmp_path)

    def test_it_is_said_once_with_the_reason(self, there):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            SPEC(3, significance="shadows").fit(there)
        loaded = [str(one.message) for one in told if "loaded" in str(one.message)]
        assert len(loaded) == 1
        assert "significance='shadows'" in loaded[0]

    def test_what_does_not_fit_is_refused(self, there, monkeypatch):
        monkeypatch.setattr("eigenselect._checks.free_memory", lambda: 100.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert "are free" in refusal(there, MemoryError, None, SPEC(3, significance="shadows"))


class TestBadValues:
    @pytest.mark.parametrize(("bad", "called"), [(np.nan, "NaN"), (-np.inf, "infinity")])
    @pytest.mark.parametrize("name", FILES)
    def test_the_first_one_is_named_with_its_chunk(self, tmp_path, monkeypatch, name, bad, called):
        values = X.copy()
        values[33, 6] = bad
        there = STORAGES[name](values, tmp_path)
        chunk = {"HDF5": r" \(chunk 4, \d\)", "zarr": r" \(chunk 1\)", "HDF5 CSR": ""}.get(name, r" \(chunk \d+\)")
        for _ in ("small, so loaded", "large"):
            assert re.search(f"{called} in row 33, column 6{chunk};", refusal(there))
            backed.as_if_large(monkeypatch)

    @pytest.mark.parametrize(("chunks", "called"), [((10, 7), "4"), ((10, 2), "4, 3"), ((50, 3), "0, 2"), (None, "")])
    def test_a_chunk_is_named_by_its_place_along_both_axes(self, tmp_path, monkeypatch, chunks, called):
        values = np.ones((50, 7))
        values[42, 6] = np.nan
        with h5py.File(tmp_path / "t.h5", "w") as file:
            there = file.create_dataset("t", data=values, chunks=chunks)
            place = f" (chunk {called})" if called else ""
            for _ in ("small, so loaded", "large"):
                assert f"row 42, column 6{place};" in refusal(there, y=np.arange(50) % 2)
                backed.as_if_large(monkeypatch)
            if called:
                places = zip(map(int, called.split(", ")), chunks, strict=False)
                part = tuple(slice(k * step, (k + 1) * step) for k, step in places)
                assert np.isnan(there[part]).any()

    def test_what_is_no_table(self, tmp_path):
        zarr = pytest.importorskip("zarr")
        text = np.array([["a"]], dtype=h5py.string_dtype())
        with h5py.File(tmp_path / "x.h5", "w") as file:
            root = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
            cases = [
                (file.create_dataset("v", data=np.ones(3)), "shape (3,)"),
                (file.create_dataset("c", data=np.ones((2, 2, 2))), "shape (2, 2, 2)"),
                (file.create_dataset("t", data=text), "object"),
                (file.create_dataset("z", data=np.ones((3, 2), complex)), "complex128"),
                (file.create_dataset("r", data=np.zeros((3, 2), "f4,i2")), "numbers"),
                (file.create_dataset("n", data=np.ones((0, 3))), "sample"),
                (file.create_dataset("m", data=np.ones((4, 0))), "feature"),
                (file.create_dataset("none", data=h5py.Empty("f8")), "without values"),
                (file.create_group("g"), "no sparse matrix"),
                (file, "inside it (c, g, m"),
                (root, "no sparse matrix"),
                (root.create_array("v", data=np.ones(4)), "shape (4,)"),
            ]
            for handle, said in cases:
                with pytest.raises(ValueError, match=re.escape(said)):
                    LaplacianScore(3).fit(handle)
            file["type"] = np.dtype("f8")
            later = zarr.create_array(str(tmp_path / "y.zarr"), data=X)._async_array
            for handle in (file["type"], file["c"].regionref, later):
                refusal(handle, TypeError)


def sparse_group(path, *, kind="csr", old=False, dtype=float, **damage):
    """A group of HDF5 as anndata writes it, now or long ago; ``damage`` replaces parts of it."""
    matrix = (sparse.csr_matrix if kind == "csr" else sparse.csc_matrix)(X.astype(dtype))
    group = h5py.File(path, "w").create_group("X")
    group.attrs["h5sparse_format" if old else "encoding-type"] = kind if old else f"{kind}_matrix"
    group.attrs["h5sparse_shape" if old else "shape"] = damage.get("shape", X.shape)
    for name in ("data", "indices", "indptr"):
        group[name] = damage.get(name, getattr(matrix, name))
    return group


class TestSparseGroups:
    @pytest.fixture(params=[False, True], ids=["small", "large"], autouse=True)
    def _size(self, request, monkeypatch):
        if request.param:
            backed.as_if_large(monkeypatch)

    def test_encodings_of_old_files(self, tmp_path):
        expected = quiet_fit(FisherScore(3), X).scores_
        for kind in ("csr", "csc"):
            for old in (False, True):
                group = sparse_group(tmp_path / f"{kind}{old}.h5", kind=kind, old=old)
                np.testing.assert_allclose(quiet_fit(FisherScore(3), group).scores_, expected, rtol=1e-10)

    def test_entries_stored_twice_and_in_any_order(self, tmp_path):
        """int8 holds 100 and 27, but not 128: it would be -128 where a block is cut out."""
        indptr = np.minimum(np.arange(41) * 3, 3 * 40)
        indices = np.tile([5, 5, 0], 40)
        for second, fits in ((27, True), (28, False)):
            data = np.tile(np.array([100, second, 4], dtype=np.int8), 40)
            data[::6] = 90
            parts = {"data": data, "indices": indices, "indptr": indptr}
            group = sparse_group(tmp_path / f"{second}.h5", **parts)
            if fits:
                held = np.zeros((40, 8))
                held[:, 0], held[:, 5] = 4, np.where(np.arange(40) % 2, 127, 117)
                expected = quiet_fit(FisherScore(1), held)
                found = quiet_fit(FisherScore(1), group)
                np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    taken = found.transform(group)
                assert taken.dtype == np.int8
                np.testing.assert_array_equal(taken.toarray()[:, 0], held[:, 5])
            else:
                assert "int8" in refusal(group)

    def test_entries_in_another_order_keep_their_type(self, tmp_path):
        held = sparse.csr_matrix(np.ceil(X), dtype=np.int8)
        runs = [np.arange(a, b)[::-1] for a, b in zip(held.indptr, held.indptr[1:], strict=False)]
        order = np.concatenate(runs).astype(int)
        parts = {"data": held.data[order], "indices": held.indices[order], "indptr": held.indptr}
        found = quiet_fit(FisherScore(3), group := sparse_group(tmp_path / "x.h5", **parts))
        np.testing.assert_allclose(found.scores_, quiet_fit(FisherScore(3), np.ceil(X)).scores_, rtol=1e-10)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found.transform(group).dtype == np.int8

    def test_damage_is_refused(self, tmp_path):
        held = sparse.csr_matrix(X)
        n = held.nnz
        cases = [
            ({"shape": [40, 8, 2]}, "shape"),
            ({"shape": "abc"}, "shape"),
            ({"shape": [-40, 8]}, "shape"),
            ({"shape": 7}, "shape"),
            ({"shape": [40.0, 8.5]}, "shape"),
            ({"indices": held.indices + 0.4}, "indices are float64"),
            ({"indptr": held.indptr + 0.4}, "indptr are float64"),
            ({"indices": np.full(n, 8)}, "indices"),
            ({"indices": np.full(n, -1)}, "indices"),
            ({"indptr": np.r_[held.indptr[:-1], n + 87]}, "indices"),
            ({"indptr": np.r_[held.indptr[:2], held.indptr[:1], held.indptr[3:]]}, "indices"),
            ({"indptr": np.r_[1, held.indptr[1:]]}, "indices"),
            ({"indptr": [0, n]}, "indices"),
            ({"data": np.ones(3)}, "indices"),
            ({"data": np.ones((3, 2))}, "data is no array"),
        ]
        for number, (damage, said) in enumerate(cases):
            message = refusal(sparse_group(tmp_path / f"{number}.h5", **damage))
            assert "damaged" in message, damage
            assert said in message, damage

    @pytest.mark.parametrize("shape", [[40, 10**14], [10**14, 8]], ids=str)
    def test_a_shape_beyond_memory(self, tmp_path, shape):
        """A small file may claim any number of features, of which nothing is allocated."""
        assert "claims" in refusal(sparse_group(tmp_path / "x.h5", shape=shape), MemoryError)


class TestGone:
    """A file that was closed, cut, damaged or deleted is refused, and never read as zeros."""

    def test_a_file_that_was_closed(self, tmp_path):
        with h5py.File(tmp_path / "x.h5", "w") as file:
            dataset, group = file.create_dataset("X", data=X), file.create_group("g")
        for handle in (dataset, group):
            assert "closed" in refusal(handle)

    def test_a_virtual_dataset_whose_values_are_gone(self, tmp_path):
        """The library gives zeros for them."""
        with h5py.File(tmp_path / "half.h5", "w") as file:
            file["X"] = X[:5]
        layout = h5py.VirtualLayout(X.shape, X.dtype)
        layout[:5] = h5py.VirtualSource("half.h5", "X", (5, 8))
        with h5py.File(tmp_path / "x.h5", "w") as file:
            layout[5:] = h5py.VirtualSource(file.create_dataset("rest", data=X[5:]))
            file.create_virtual_dataset("X", layout)
        with h5py.File(tmp_path / "x.h5", "r") as file:
            expected = quiet_fit(FisherScore(2), X).scores_
            np.testing.assert_array_equal(quiet_fit(FisherScore(2), file["X"]).scores_, expected)
            (tmp_path / "half.h5").unlink()
            assert "half.h5" in refusal(file["X"])

    @pytest.mark.parametrize("damage", ["cut", "overwritten"])
    def test_a_chunk_that_cannot_be_read(self, tmp_path, damage):
        noise, path = np.random.default_rng(0).random((200, 50)), tmp_path / "x.h5"
        with h5py.File(path, "w") as file:
            made = file.create_dataset("X", data=noise, chunks=(200, 50), compression="gzip")
            place = made.id.get_chunk_info(0).byte_offset
        there = h5py.File(path, "r")["X"]
        with open(path, "r+b") as file:
            if damage == "cut":
                file.truncate(path.stat().st_size // 2)
            else:
                file.seek(place + 100)
                file.write(b"\0" * 300)
        assert "damaged" in refusal(there, y=np.arange(200) % 2)

    @pytest.mark.parametrize("make", [zarr_array, zarr_group(sparse.csr_matrix)], ids=["dense", "sparse"])
    def test_a_store_that_is_deleted_while_it_is_read(self, tmp_path, monkeypatch, make):
        """It goes after the table was looked at for NaN; chunks of zeros need not be stored."""
        backed.as_if_large(monkeypatch, read=2000)
        values = (X + 1) * (np.arange(40) > 20)[:, None]
        given = make(values, tmp_path)
        expected = quiet_fit(FisherScore(3), values).scores_
        np.testing.assert_allclose(quiet_fit(FisherScore(3), given).scores_, expected, rtol=1e-10)
        given = make(X + 1, tmp_path)
        monkeypatch.setattr(
            "eigenselect.selectors.base.check_order", lambda *_: shutil.rmtree(tmp_path / "x.zarr", ignore_errors=True)
        )
        assert "was changed" in refusal(given)


@pytest.mark.parametrize("name", ["backed AnnData", "backed AnnData, CSC"])
def test_a_table_in_a_file_is_small_in_a_pickle_and_read_by_whoever_opens_it(tmp_path, name):
    table = annotated_matrix(STORAGES[name](X, tmp_path), "f")
    table.column_variances()
    sent = pickle.dumps(table)
    assert len(sent) < 5000
    np.testing.assert_array_equal(pickle.loads(sent).to_array(), X)


@pytest.mark.slow
def test_another_process_reads_a_file_that_is_open_for_writing(tmp_path):
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pytest.importorskip("anndata", reason="anndata is not installed")
    table = annotated_matrix(backed.in_file(tmp_path / "x.h5ad", sparse.csr_matrix(X), "r+"), "f")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(Matrix.to_array, table.take_rows(np.arange(5))).result(), X[:5])
