"""A process of its own does the work on h5ad files, and what it says is told apart."""

import json
import sys

import numpy as np
import pytest
from tests.io.annotated import P, as_of_0_7, rich, same_tables, stored, written

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

from eigenselect.io import h5ad_process  # noqa: E402
from eigenselect.io.h5ad_parts import WHOLE, Wanted  # noqa: E402
from eigenselect.io.h5ad_process import FAILED, OUTSIDE, SHORT, TAKEN, UNKNOWN, run  # noqa: E402

RECORD = {"eigenselect": "1", "params": {"method": "laplacian"}}


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "s.h5ad", rich())


@pytest.fixture(params=["process", "here"])
def where(request, monkeypatch):
    """In another process, and where none can be started."""
    if request.param == "here":
        monkeypatch.setattr(sys, "executable", "")


@pytest.fixture
def take(path, tmp_path):
    target = str(tmp_path / "t.h5ad")
    return lambda wanted=WHOLE, places=(0, 3): run(
        {"job": "take", "source": path, "target": target}, wanted, {"places": np.array(places)}
    )


def mark(path, wanted=WHOLE, **columns):
    job = {"job": "mark", "source": path, "target": path, "gone": ["mean"], "record": RECORD, "key": "spectral"}
    return run(job, wanted, columns)


@pytest.mark.usefixtures("where")
class TestJobs:
    def test_take(self, take, tmp_path):
        assert take() == (0, "")
        same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), rich()[:, [0, 3]].copy())

    def test_mark_with_any_names_of_columns(self, path):
        columns = {"spectral": np.arange(P) > 2, "arr_0": np.arange(P) / 3, "file": np.arange(P), "größe": np.ones(P)}
        assert mark(path, **columns) == (0, "")
        var = anndata.read_h5ad(path).var
        for name, values in columns.items():
            np.testing.assert_array_equal(var[name], values)
            assert var[name].dtype == values.dtype
        assert "mean" not in var

    def test_check(self, path):
        job = {"job": "check", "source": path, "key": "spectral", "mark": "eigenselect"}
        assert run(job, Wanted(), {}) == (0, "")
        assert run(job | {"key": "neighbors"}, Wanted(), {}) == (TAKEN, "uns['neighbors']")

    def test_data_of_other_files(self, path, take):
        with h5py.File(path, "r+") as file:
            file["uns/far"] = h5py.ExternalLink("/etc/hostname", "/")
        assert take()[0] == OUTSIDE

    def test_what_nobody_knows(self, path, take):
        with h5py.File(path, "r+") as file:
            file["varm/table"].attrs["encoding-type"] = "awkward-array"
            file["varm/table"].attrs["encoding-version"] = "9.9"
        assert take()[0] in (UNKNOWN, FAILED)

    def test_damage(self, path, take):
        with h5py.File(path, "r+") as file:
            file["layers/columns/indptr"][1] = 99
        code, said = take()
        assert code == FAILED
        assert "lead astray" in said


@pytest.mark.filterwarnings("ignore:Element.*was written without encoding")
@pytest.mark.usefixtures("where")
class TestOldVersions:
    """Of anndata 0.7: what HDF5 cannot copy, anndata brings to its present layout."""

    def test_take(self, path, take, tmp_path):
        as_of_0_7(path)
        assert take() == (0, "")
        same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), rich()[:, [0, 3]].copy())

    def test_take_raw(self, path, take, tmp_path):
        as_of_0_7(path)
        assert take(Wanted(raw=True), (1, 6)) == (0, "")
        found, expected = anndata.read_h5ad(tmp_path / "t.h5ad"), rich().raw.to_adata()[:, [1, 6]]
        np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())
        assert found.var_names.tolist() == ["r1", "r6"]

    def test_mark_leaves_the_rest_as_it_is(self, path, tmp_path):
        as_of_0_7(path)
        before = stored(path, skip=("var", "uns"))
        assert mark(path, spectral_score=np.arange(P) / 7) == (0, "")
        assert stored(path, skip=("var", "uns")) == before
        data = anndata.read_h5ad(path)
        np.testing.assert_array_equal(data.var["spectral_score"], np.arange(P) / 7)
        assert data.var["kind"].astype(object).where(data.var["kind"].notna(), None).tolist() == [
            "x",
            "y",
            None,
            "x",
            "y",
        ]

    def test_without_anndata_they_are_not_known(self, path, monkeypatch):
        as_of_0_7(path)
        monkeypatch.setattr("sys.executable", "")  # in this process, which then has no anndata
        monkeypatch.setitem(sys.modules, "anndata", None)
        job = {"job": "take", "source": path, "target": f"{path}.new"}
        assert run(job, Wanted(), {"places": np.array([0])}) == (UNKNOWN, "")

    @pytest.mark.parametrize("raw", [False, True])
    def test_tables_of_records(self, tmp_path, raw):
        """Before 0.7, obs and var were arrays of records."""
        path = str(tmp_path / "r.h5ad")
        with h5py.File(path, "w") as file:
            file["X"] = X = np.arange(6.0).reshape(2, 3)
            file["obs"] = np.array([(b"a", 1.0), (b"b", 2.0)], dtype=[("index", "S1"), ("y", "f8")])
            file["var"] = np.array([(b"g1",), (b"g2",), (b"g3",)], dtype=[("index", "S2")])
            if raw:
                file["raw.X"], file["raw.var"] = X + 1, file["var"][()]
        code, said = mark(path, Wanted(raw=raw), spectral_score=np.array([3.0, 1.0, 2.0]))
        assert (code, said) == (0, "")
        data = anndata.read_h5ad(path)
        var = data.raw.var if raw else data.var
        assert var["spectral_score"].tolist() == [3.0, 1.0, 2.0]
        np.testing.assert_array_equal(data.X, X)
        assert data.uns["spectral"]["params"] == RECORD["params"]


def test_too_little_memory(path, monkeypatch):
    def no_memory(*words):
        raise MemoryError

    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setattr(h5ad_process, "take_variables", no_memory)
    job = {"job": "take", "source": path, "target": "t.h5ad"}
    assert run(job, Wanted(), {"places": np.array([0])}) == (SHORT, "")


def test_a_crash_is_told_by_its_signal(path, monkeypatch):
    monkeypatch.setattr(h5ad_process, "PROGRAM", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert run({"job": "take", "source": path, "target": "t.h5ad"}, Wanted(), {"places": np.array([0])})[0] < 0


def test_a_process_that_hangs(path, monkeypatch):
    monkeypatch.setattr(h5ad_process, "PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(h5ad_process, "patience_for", lambda path: 0.1)
    job = {"job": "take", "source": path, "target": "t.h5ad"}
    assert run(job, Wanted(), {"places": np.array([0])}) == (FAILED, "hung")


def test_modules_of_the_folder_hide_nothing(path, take, tmp_path, monkeypatch):
    """A user's numpy.py beside the data is never run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json.py").write_text(json.dumps("not json") + "\nraise SystemExit(9)\n")
    assert take() == (0, "")
