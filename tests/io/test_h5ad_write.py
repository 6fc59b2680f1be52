"""h5ad files that are written: new ones of any table, and copies that keep all else of the file that was read."""

import errno
import os
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.annotated import P, as_of_0_7, of_records, rich, same_tables, stored, written
from tests.io.tables import dense, refuses, save

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

from eigenselect.io import h5ad_copy, h5ad_encode, h5ad_process  # noqa: E402
from eigenselect.io.h5ad_parts import Wanted  # noqa: E402
from eigenselect.io.h5ad_write import check_free, places_of, write_marked, write_new, write_taken  # noqa: E402
from eigenselect.io.table import Table  # noqa: E402

RECORD = {"eigenselect": "1", "params": {"method": "laplacian", "alpha": 0.05, "empty": {}}, "n": 2, "ok": True}


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("h5ad") / "s.h5ad"
    written(path, rich())
    return path.read_bytes()


@pytest.fixture
def path(content, tmp_path):
    return save(tmp_path, content, "s.h5ad")


@pytest.fixture
def target(tmp_path):
    return str(tmp_path / "t.h5ad")


def changed(path, function):
    with h5py.File(path, "r+") as file:
        function(file)
    return path


def take(path, target, places=(0, 3), wanted=None, **more):
    return write_taken(path, target, wanted or Wanted(), np.array(places, dtype=np.intp), **more)


def mark(path, target, wanted=None, columns=None, key="spectral"):
    columns = columns or {"score": np.arange(8 if wanted and wanted.raw else P) / 7}
    write_marked(path, target, wanted or Wanted(), columns, gone=["mean"], record=RECORD, key=key)


def labelled(texts, name="type"):
    texts = np.array(texts, dtype=object)
    return Table(np.ones((len(texts), 1)), ("a",), texts, label_text=texts, label_name=name)


class TestNew:
    @pytest.mark.parametrize(
        "X",
        [
            np.array([[1.5, np.nan], [-0.0, 4], [5, 6]], dtype=np.float32),
            np.array([[1, 2], [3, 4], [5, 2**60]]),
            np.array([[True, False], [True, True], [False, False]]),
            sparse.csr_array(np.array([[0, 2.5], [3, 0], [0, 0]])),
            sparse.csc_matrix(np.array([[0, 2], [3, 0], [0, 0]], dtype=np.int16)),
            sparse.coo_array(np.array([[0, 2.5], [3, 0], [0, 0]])),
        ],
        ids=lambda X: f"{getattr(X, 'format', 'dense')} {X.dtype}",
    )
    def test_all_parts_are_those_that_anndata_writes(self, target, tmp_path, X):
        """Values keep type and storage; types and attributes of the file are those of anndata's own."""
        score, flag = np.array([0.5, np.nan]), np.array([True, False])
        labels = np.array(["b", "größe 🧬", ""], dtype=object)
        table = Table(X, ("TP53", "größe"), labels, label_text=labels)
        write_new(target, table, "type", {"spectral_score": score, "spectral": flag}, {"spectral": RECORD})
        data = anndata.read_h5ad(target)
        assert (data.X.dtype, sparse.issparse(data.X)) == (X.dtype, sparse.issparse(X))
        np.testing.assert_array_equal(dense(data.X), dense(X))
        assert (data.var_names.tolist(), data.obs_names.tolist()) == (["TP53", "größe"], ["0", "1", "2"])
        np.testing.assert_array_equal(data.var["spectral_score"], score)
        assert data.uns["spectral"] == RECORD
        data.write_h5ad(tmp_path / "again.h5ad")
        ours, theirs = stored(target), stored(tmp_path / "again.h5ad")
        assert ours.keys() == theirs.keys()
        for name, held in theirs.items():
            assert ours[name][0] == held[0], name
            assert len(held) == 1 or name == "obs/type/codes" or ours[name][1][:2] == held[1][:2], name

    def test_labels(self, target):
        names = np.array(["s1", "s2", "s3"], dtype=object)
        for y, texts, expected in [
            (["b", "a", np.nan], ["b", "a", ""], pd.Categorical(["b", "a", None])),
            ([1, 2, 1], ["1", "2", "1"], np.array([1, 2, 1])),
            ([0.5, np.nan, 2.0], ["0.5", "", "2"], np.array([0.5, np.nan, 2.0])),
            (["007", "07", "7"], ["007", "07", "7"], pd.Categorical(["007", "07", "7"])),
        ]:
            y = np.array(y, dtype=object if isinstance(y[0], str) else None)
            table = Table(np.eye(3), tuple("abc"), y, sample_names=names, label_text=np.array(texts, dtype=object))
            write_new(target, table, "type")
            obs = anndata.read_h5ad(target).obs
            pd.testing.assert_frame_equal(obs, pd.DataFrame({"type": expected}, index=names), check_dtype=True)
        for n in (1, 127, 128, 40_000):
            texts = [*[f"c{i:05}" for i in range(n)][::-1], ""]
            write_new(target, labelled(texts), "type")
            found = anndata.read_h5ad(target).obs["type"]
            assert found.cat.categories.tolist() == sorted(texts[:-1])
            assert [*found[:-1], ""] == texts

    def test_text_that_is_no_utf_8_is_kept_as_bytes(self, target):
        """Names of a damaged file may hold half of a pair of code units."""
        write_new(target, Table(np.eye(2), ("a\ud800", "b")), "label")
        with h5py.File(target) as file:
            assert file["var/_index"][0] == b"a\xed\xa0\x80"

    def test_a_column_that_a_file_cannot_hold(self, path, target, in_process):
        refuses(path, "'a/b'", take, target=target, labels=labelled(list("uvuvuvu"), name="a/b"))


@pytest.mark.parametrize("where", ["another process", "in_process"])
def test_both_ways_of_copying(request, path, target, where):
    if where == "in_process":
        request.getfixturevalue(where)
    assert take(path, target) == []
    same_tables(anndata.read_h5ad(target), rich()[:, [0, 3]].copy())
    columns = {"spectral": np.arange(P) > 2, "arr_0": np.arange(P) / 3, "file": np.arange(P), "größe": np.ones(P)}
    mark(path, target, columns=columns)
    var = anndata.read_h5ad(target).var
    for name, values in columns.items():
        assert (var[name].tolist(), var[name].dtype) == (values.tolist(), values.dtype)
    assert "mean" not in var
    check_free(path, Wanted(), "spectral", "eigenselect")
    refuses(path, "uns['neighbors']", lambda path: check_free(path, Wanted(), "neighbors", "eigenselect"))
    changed(path, lambda file: file["uns"].__setitem__("far", h5py.ExternalLink("/etc/hostname", "/")))
    refuses(path, "never followed", take, target=target)


@pytest.mark.usefixtures("in_process")
class TestTaken:
    def test_is_what_anndata_takes(self, path, target, monkeypatch):
        """Whatever the size of the blocks that are copied."""
        for places, block in (([0], 1), ([1, 3], 3), ([0, 1, 2, 3, 4], 1 << 20), ([4], 4), ([], 2)):
            monkeypatch.setattr(h5ad_copy, "BLOCK", block)
            assert take(path, target, places) == []
            same_tables(anndata.read_h5ad(target), rich()[:, places].copy())
        assert anndata.read_h5ad(target).uns["neighbors"]["params"] == {"n_neighbors": 3, "method": "umap"}

    def test_all_that_is_not_of_the_variables_keeps_its_bits(self, tmp_path, target):
        source = written(tmp_path / "packed.h5ad", rich(), compression="gzip")
        take(source, target, [0, 2])
        before, after = stored(source), stored(target)
        assert before.keys() == after.keys()
        for name, held in before.items():
            if name == "/" or name.split("/")[0] in ("obs", "obsm", "obsp", "uns", "raw"):
                assert after[name] == held
            if len(held) > 1:  # types and filters stay, whatever the shape
                assert (after[name][0], after[name][1][0], after[name][1][3]) == (held[0], held[1][0], held[1][3])

    def test_raw(self, path, target):
        take(path, target, [1, 6, 7], Wanted(raw=True))
        found = anndata.read_h5ad(target)
        same_tables(found, rich().raw.to_adata()[:, [1, 6, 7]].copy())
        assert found.raw is None

    def test_other_values_take_the_place_of_those_that_were_read(self, path, target):
        X = np.arange(14.0).reshape(7, 2) / 3
        for wanted, place in (
            (Wanted(), "X"),
            (Wanted(layer="counts"), "layers/counts"),
            (Wanted(raw=True), "X"),
        ):
            take(path, target, [0, 2], wanted, X=X)
            with h5py.File(target) as file:
                np.testing.assert_array_equal(file[place][()], X)
            if wanted.layer:
                np.testing.assert_array_equal(dense(anndata.read_h5ad(target).X), dense(rich()[:, [0, 2]].X))

    def test_labels_of_another_file(self, path, target):
        """They are added, but never in the place of a column that the file has."""
        before = stored(path)
        assert take(path, target, labels=labelled([*"ababab", ""])) == []
        found = anndata.read_h5ad(target).obs
        assert [*found["type"][:6]] == list("ababab")
        assert found["type"].isna().tolist() == [False] * 6 + [True]
        pd.testing.assert_frame_equal(found.drop(columns="type"), rich().obs)
        assert all(stored(target)[name] == before[name] for name in ("obs/class", "obs/depth", "obs/note"))
        for texts, n_notes in (("uvuvuvu", 0), ("uuuuuuu", 1)):
            notes = take(path, target, labels=labelled(list(texts), name="class"))
            assert len(notes) == n_notes
            assert all("'class'" in note for note in notes)
            after = stored(target)
            assert all(after[name] == held for name, held in before.items() if name.startswith("obs"))

    def test_links_within_the_file_become_what_they_lead_to(self, path, target):
        def within(file):
            file.move("obsm/X_pca", "uns/elsewhere")
            file["obsm/X_pca"] = h5py.SoftLink("/uns/elsewhere")

        take(changed(path, within), target)
        np.testing.assert_array_equal(anndata.read_h5ad(target).obsm["X_pca"], rich().obsm["X_pca"])

    @pytest.mark.parametrize("soft", [True, False])
    def test_circles_come_to_an_end(self, path, target, content, tmp_path, soft):
        for place in ("/uns", "/", *(["/nowhere"] if soft else [])):
            save(tmp_path, content, "s.h5ad")
            with h5py.File(path, "r+") as file:
                file["uns/loop"] = h5py.SoftLink(place) if soft else file[place]
            take(path, target)
            with h5py.File(target) as file:
                np.testing.assert_array_equal(file["obsm/X_pca"], rich().obsm["X_pca"])


def in_modality(path, folder):
    """Copy a file into a modality of another."""
    with h5py.File(path) as file, h5py.File(folder / "m.h5mu", "w") as many:
        many.create_group("mod")
        file.copy("/", many["mod"], "rna")
    return str(folder / "m.h5mu")


@pytest.mark.usefixtures("in_process")
class TestMarked:
    @pytest.mark.parametrize("wanted", [Wanted(), Wanted(layer="counts"), Wanted(raw=True)])
    def test_columns_are_added_and_nothing_else_changes(self, path, target, wanted):
        n, frame = (8 if wanted.raw else P), wanted.variables
        score, flag = np.arange(n) / 7, np.arange(n) % 2 == 0
        mark(path, target, wanted, {"spectral_score": score, "spectral": flag})
        skip = (frame, "uns/spectral")
        assert stored(target, skip) == stored(path, skip)
        before, after = stored(path), stored(target)
        kept = [name for name in before if name.startswith(f"{frame}/") and not name.startswith(f"{frame}/mean")]
        assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
        data = anndata.read_h5ad(target)
        variables = data.raw.var if wanted.raw else data.var
        assert (variables["spectral_score"].tolist(), variables["spectral"].tolist()) == (score.tolist(), flag.tolist())
        assert list(variables)[-2:] == ["spectral_score", "spectral"]
        assert "mean" not in variables
        assert data.uns["spectral"] == RECORD

    def test_columns_and_records_of_an_earlier_call_are_replaced(self, path, target, tmp_path):
        mark(path, target, columns={"kind": np.zeros(P)}, key="PCs")
        mark(target, str(tmp_path / "u.h5ad"), columns={"kind": np.ones(P)}, key="PCs")
        data = anndata.read_h5ad(tmp_path / "u.h5ad")
        assert data.var["kind"].tolist() == [1.0] * P
        assert list(data.var).count("kind") == 1
        assert set(data.varm) == {"table", "thin"}  # scores of several methods are gone
        assert data.uns["PCs"] == RECORD
        assert data.uns["neighbors"]["params"]["n_neighbors"] == 3

    @pytest.mark.parametrize("raw", [False, True])
    def test_a_modality_becomes_a_file_of_its_own(self, path, target, tmp_path, raw):
        mark(in_modality(path, tmp_path), target, Wanted(root="mod/rna", raw=raw))
        data = anndata.read_h5ad(target)
        variables = data.raw.var if raw else data.var
        assert variables["score"].tolist() == [j / 7 for j in range(8 if raw else P)]
        data.var = rich().var if not raw else data.var
        same_tables(data, rich())

    def test_what_stands_in_the_way(self, path, target):
        def free(path, key="spectral"):
            check_free(path, Wanted(), key, "eigenselect")

        free(path)
        free(path, "ok")  # a column of truth values gives way
        mark(path, target)
        free(target)  # ours
        for key, place in (("neighbors", "uns"), ("mean", "var"), ("kind", "var")):
            refuses(path, f"{place}['{key}']", free, key=key)
        refuses(changed(path, lambda file: file["uns"].__setitem__("spectral", 3)), "uns['spectral']", free)

    @pytest.mark.parametrize("soft", [True, False])
    def test_what_has_two_names_is_not_written_to(self, path, target, soft):
        """Else scores would appear in the other place, too."""

        def link(file):
            del file["raw/var"]
            file["raw/var"] = h5py.SoftLink("/var") if soft else file["var"]

        how = {"target": target, "wanted": Wanted(raw=True), "columns": {"score": np.arange(P) / 7}}
        refuses(changed(path, link), "", mark, **how)


@pytest.mark.filterwarnings("ignore:Element.*was written without encoding")
@pytest.mark.usefixtures("in_process")
class TestOldVersions:
    """What HDF5 cannot copy, anndata brings to its present layout."""

    def test_of_anndata_0_7(self, path, target):
        as_of_0_7(path)
        before = stored(path, skip=("var", "uns"))
        take(path, target)
        same_tables(anndata.read_h5ad(target), rich()[:, [0, 3]].copy())
        take(path, target, [1, 6], Wanted(raw=True))
        found, expected = anndata.read_h5ad(target), rich().raw.to_adata()[:, [1, 6]]
        np.testing.assert_array_equal(dense(found.X), dense(expected.X))
        assert found.var_names.tolist() == ["r1", "r6"]
        mark(path, target)
        assert stored(target, skip=("var", "uns")) == before
        var = anndata.read_h5ad(target).var
        assert var["score"].tolist() == [j / 7 for j in range(P)]
        assert var["kind"].astype(object).fillna("").tolist() == ["x", "y", "", "x", "y"]

    def test_tables_of_records(self, tmp_path, target):
        X = np.arange(6.0).reshape(2, 3)
        path = of_records(tmp_path / "r.h5ad", X)
        for raw in (False, True):
            check_free(path, Wanted(raw=raw), "spectral", "eigenselect")
            mark(path, target, Wanted(raw=raw), {"score": np.array([3.0, 1.0, 2.0])})
            data = anndata.read_h5ad(target)
            assert (data.raw.var if raw else data.var)["score"].tolist() == [3.0, 1.0, 2.0]
            np.testing.assert_array_equal(data.X, X)
            assert data.uns["spectral"]["params"] == RECORD["params"]
        take(path, target, [0, 2], Wanted(raw=True))
        assert anndata.read_h5ad(target).var_names.tolist() == ["r1", "r3"]

    def test_without_anndata_they_are_not_known(self, path, target, monkeypatch):
        monkeypatch.setitem(sys.modules, "anndata", None)
        refuses(as_of_0_7(path), "write .csv", take, target=target)


def array_to_group(place):
    def function(file):
        del file[place]
        file.create_group(place)

    return function


def far(place):
    def function(file):
        if place in file:
            del file[place]
        file[place] = h5py.ExternalLink("/etc/hostname", "/")

    return function


class TestRefused:
    #: a change of the file, and a word of the refusal
    DAMAGE = (
        *((far(place), "never followed") for place in ("uns/far", "obsm/X_pca", "varm/PCs", "layers/counts")),
        *((lambda f, v=v: f["layers/columns/indices"].__setitem__(1, v), "damaged") for v in (99, -1)),
        *((lambda f, v=v: f["layers/columns/indptr"].__setitem__(1, v), "damaged") for v in (99, -1)),
        (lambda f: f["varm/table"].attrs.__setitem__("encoding-type", "awkward-array"), ""),
        (lambda f: f.create_dataset("layers/claimed", (2**30, P), "f8", chunks=(1024, P)), "damaged"),
        (lambda f: f.__setitem__("uns/loop", h5py.SoftLink("/uns/loop")), "damaged"),
        *((array_to_group(place), "") for place in ("layers/counts", "varm/PCs", "layers/columns/data", "varp/dense")),
    )

    @pytest.mark.usefixtures("in_process")
    def test_damage_and_links_to_other_files(self, path, target, content, tmp_path):
        for harm, keyword in self.DAMAGE:
            save(tmp_path, content, "s.h5ad")
            refuses(changed(path, harm), keyword, take, target=target)

    def test_crashes_hangs_and_lack_of_memory(self, path, target, tmp_path, monkeypatch):
        def no_memory(*words):
            raise MemoryError

        for does in ("kill -SEGV $$", "exec sleep 60"):
            monkeypatch.setattr("sys.executable", save(tmp_path, f"#!/bin/sh\n{does}\n", "program"))
            os.chmod(tmp_path / "program", 0o755)
            if "sleep" in does:
                monkeypatch.setattr(h5ad_process, "patience_for", lambda path: 0.1)
            refuses(path, "damaged", take, target=target)
        monkeypatch.setattr("sys.executable", "")
        monkeypatch.setattr(h5ad_process, "take_variables", no_memory)
        refuses(path, "more memory than", take, target=target)

    def test_modules_of_the_folder_hide_nothing(self, path, target, tmp_path, monkeypatch):
        """A module of the user beside the data is never run."""
        monkeypatch.chdir(tmp_path)
        save(tmp_path, "raise SystemExit(9)\n", "json.py")
        assert take(path, target) == []

    @pytest.mark.parametrize("kind", [OSError, RuntimeError])
    def test_a_full_disk_is_no_damage(self, path, target, monkeypatch, in_process, kind):
        """HDF5 tells of it in its own words."""

        def fails(*_):
            raise kind("Can't decrement id ref count (unable to extend file, errno = 28, error message = 'x')")

        monkeypatch.setattr(h5ad_encode, "write_part", fails)
        for write in (
            lambda: write_new(target, Table(np.eye(2), ("a", "b")), "label"),
            lambda: take(path, target, [0], X=np.ones((7, 1))),
        ):
            with pytest.raises(OSError, match="No space left") as raised:
                write()
            assert raised.value.errno == errno.ENOSPC
        monkeypatch.setattr(h5ad_process, "take_variables", fails)
        with pytest.raises(OSError, match="No space left"):
            take(path, target)


def test_features_that_were_made_are_no_variables():
    refuses("x.h5ad", "'hue=red'", lambda path: places_of(["a", "hue=red"], ["a", "b"], path))
