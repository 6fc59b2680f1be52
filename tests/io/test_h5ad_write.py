"""h5ad files that are written: new ones of any table, and copies of files that were read."""

import errno

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.annotated import P, as_of_0_7, rich, same_tables, stored, written

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

from eigenselect.exceptions import InputError  # noqa: E402
from eigenselect.io import h5ad_process  # noqa: E402
from eigenselect.io.h5ad_parts import Wanted  # noqa: E402
from eigenselect.io.h5ad_write import (  # noqa: E402
    check_free,
    check_label,
    places_in_file,
    places_of,
    variable_names,
    write_marked,
    write_new,
    write_taken,
)
from eigenselect.io.origin import Origin  # noqa: E402
from eigenselect.io.table import Table  # noqa: E402

RECORD = {"eigenselect": "1", "params": {"method": "laplacian", "alpha": 0.05}, "n_selected": 2}


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "s.h5ad", rich())


@pytest.fixture
def target(tmp_path):
    return str(tmp_path / "t.h5ad")


def labelled(texts, y=None, name="type"):
    texts = np.array(texts, dtype=object)
    return Table(
        np.ones((len(texts), 1)), ("a",), texts if y is None else np.array(y), label_text=texts, label_name=name
    )


class TestNew:
    @pytest.mark.parametrize(
        "X",
        [
            np.array([[1.5, 2], [0, 4], [5, 6]], dtype=np.float32),
            np.array([[1, 2], [3, 4], [5, 2**60]]),
            sparse.csr_array(np.array([[0, 2.5], [3, 0], [0, 0]])),
            sparse.csc_matrix(np.array([[0, 2], [3, 0], [0, 0]], dtype=np.int16)),
            sparse.coo_array(np.array([[0, 2.5], [3, 0], [0, 0]])),
        ],
        ids=lambda X: f"{getattr(X, 'format', 'dense')} {X.dtype}",
    )
    def test_values_keep_their_type_and_storage(self, target, X):
        write_new(target, Table(X, ("TP53", "größe")), "label")
        data = anndata.read_h5ad(target)
        dense = X.toarray() if sparse.issparse(X) else X
        found = data.X.toarray() if sparse.issparse(data.X) else data.X
        assert found.dtype == X.dtype
        assert sparse.issparse(data.X) == sparse.issparse(X)
        np.testing.assert_array_equal(found, dense)
        assert data.var_names.tolist() == ["TP53", "größe"]
        assert data.obs_names.tolist() == ["0", "1", "2"]

    @pytest.mark.parametrize(
        ("y", "texts", "expected"),
        [
            (["b", "a", np.nan], ["b", "a", ""], pd.Categorical(["b", "a", None])),
            ([1, 2, 1], ["1", "2", "1"], np.array([1, 2, 1])),
            ([0.5, np.nan, 2.0], ["0.5", "", "2"], np.array([0.5, np.nan, 2.0])),
            (["007", "07", "7"], ["007", "07", "7"], pd.Categorical(["007", "07", "7"])),
        ],
    )
    def test_labels(self, target, y, texts, expected):
        y = np.array(y, dtype=object if isinstance(y[0], str) else None)
        names = np.array(["s1", "s2", "s3"], dtype=object)
        table = Table(np.eye(3), ("a", "b", "c"), y, sample_names=names, label_text=np.array(texts, dtype=object))
        write_new(target, table, "type")
        obs = anndata.read_h5ad(target).obs
        pd.testing.assert_frame_equal(obs, pd.DataFrame({"type": expected}, index=names), check_dtype=True)

    def test_columns_and_records(self, target):
        score = np.array([0.5, np.nan])
        write_new(target, Table(np.eye(2), ("a", "b")), "label", {"spectral_score": score}, {"spectral": RECORD})
        data = anndata.read_h5ad(target)
        np.testing.assert_array_equal(data.var["spectral_score"], score)
        assert data.uns["spectral"] == RECORD
        assert list(data.obs) == []

    def test_anndata_writes_it_again(self, target, tmp_path):
        write_new(target, labelled(["u", "v", ""]), "type")
        data = anndata.read_h5ad(target)
        data.write_h5ad(tmp_path / "again.h5ad")
        same_tables(anndata.read_h5ad(tmp_path / "again.h5ad"), data)


@pytest.mark.parametrize("label", ["a/b", "_index"])
def test_columns_that_a_file_cannot_hold(label):
    with pytest.raises(InputError, match=r"t\.h5ad: h5ad cannot hold a column named"):
        check_label("t.h5ad", label)
    check_label("t.h5ad", None)
    check_label("t.h5ad", "a b")


class TestTaken:
    @pytest.mark.parametrize("old", [False, True])
    def test_is_what_anndata_takes(self, path, target, old):
        if old:
            as_of_0_7(path)
        assert write_taken(path, target, Wanted(), np.array([1, 4])) == []
        same_tables(anndata.read_h5ad(target), rich()[:, [1, 4]].copy())
        assert anndata.read_h5ad(target).uns["neighbors"]["params"] == {"n_neighbors": 3, "method": "umap"}

    @pytest.mark.parametrize(
        ("wanted", "place"), [(Wanted(), "X"), (Wanted(layer="counts"), "layers/counts"), (Wanted(raw=True), "X")]
    )
    def test_other_values_take_the_place_of_those_that_were_read(self, path, target, wanted, place):
        X = np.arange(14.0).reshape(7, 2) / 3
        write_taken(path, target, wanted, np.array([0, 2]), X)
        with h5py.File(target) as file:
            np.testing.assert_array_equal(file[place][()], X)
        data = anndata.read_h5ad(target)
        if place != "X":
            np.testing.assert_array_equal(data.X.toarray(), rich()[:, [0, 2]].X.toarray())

    def test_labels_of_another_file_are_added(self, path, target):
        texts = [*list("ababab"), ""]
        assert write_taken(path, target, Wanted(), np.array([0]), labels=labelled(texts)) == []
        found, before = anndata.read_h5ad(target).obs, rich().obs
        assert list(found) == [*before, "type"]
        assert found["type"].tolist() == [*"ababab", np.nan] or found["type"].isna().tolist() == [False] * 6 + [True]
        pd.testing.assert_frame_equal(found[list(before)], before)
        kept = ("obs/class", "obs/depth", "obs/note")
        assert all(stored(target)[name] == stored(path)[name] for name in kept)

    def test_labels_of_obs_are_not_added_again(self, path, target):
        before = stored(path)
        notes = write_taken(path, target, Wanted(), np.array([0]), labels=labelled(list("uvuvuvu"), name="class"))
        assert notes == []
        assert {n: h for n, h in stored(target).items() if n.startswith("obs")} == {
            n: h for n, h in before.items() if n.startswith("obs")
        }

    def test_other_labels_of_a_name_in_obs_do_not_replace_it(self, path, target):
        (note,) = write_taken(path, target, Wanted(), np.array([0]), labels=labelled(list("uuuuuuu"), name="class"))
        assert note == "obs has a column 'class' of its own, which stays as it is; the other labels are not written"
        pd.testing.assert_frame_equal(anndata.read_h5ad(target).obs, rich().obs)

    def test_a_column_that_cannot_be_added(self, path, target):
        with pytest.raises(InputError, match="cannot hold a column named 'a/b'"):
            write_taken(path, target, Wanted(), np.array([0]), labels=labelled(list("uvuvuvu"), name="a/b"))


class TestMarked:
    @pytest.mark.parametrize("wanted", [Wanted(), Wanted(layer="counts"), Wanted(raw=True)])
    def test_all_else_has_the_same_bits(self, path, target, wanted):
        n = 8 if wanted.raw else P
        write_marked(path, target, wanted, {"score": np.arange(n) / 7}, gone=[], record=RECORD, key="spectral")
        skip = (wanted.variables, "uns/spectral")
        assert stored(target, skip) == stored(path, skip)
        data = anndata.read_h5ad(target)
        np.testing.assert_array_equal((data.raw.var if wanted.raw else data.var)["score"], np.arange(n) / 7)
        assert data.uns["spectral"] == RECORD

    @pytest.mark.parametrize("raw", [False, True])
    def test_a_modality_becomes_a_file_of_its_own(self, path, target, tmp_path, raw):
        many = str(tmp_path / "m.h5mu")
        with h5py.File(path) as file, h5py.File(many, "w") as new:
            new.create_group("mod")
            file.copy("/", new["mod"], "rna")
        n = 8 if raw else P
        wanted = Wanted(root="mod/rna", raw=raw)
        write_marked(many, target, wanted, {"score": np.arange(n) / 7}, gone=[], record=RECORD, key="spectral")
        data = anndata.read_h5ad(target)
        np.testing.assert_array_equal((data.raw.var if raw else data.var)["score"], np.arange(n) / 7)
        del data.uns["spectral"]
        if not raw:
            del data.var["score"]
        same_tables(data, rich())

    def test_what_stands_in_the_way(self, path):
        check_free(path, Wanted(), "spectral", "eigenselect")
        with pytest.raises(InputError, match=r"s\.h5ad: uns\['neighbors'\] holds something else, which would be lost"):
            check_free(path, Wanted(), "neighbors", "eigenselect")


class TestPlaces:
    def test_names_of_variables(self, path):
        assert variable_names(path, Wanted()) == tuple(f"g{j}" for j in range(P))
        assert variable_names(path, Wanted(raw=True)) == tuple(f"r{j}" for j in range(8))

    def test_names_of_variables_of_old_versions(self, tmp_path):
        with h5py.File(tmp_path / "r.h5ad", "w") as file:
            file["X"] = np.eye(2)
            file["obs"] = np.array([(b"a",), (b"b",)], dtype=[("index", "S1")])
            file["var"] = np.array([(b"g1",), (b"g2",)], dtype=[("index", "S2")])
        assert variable_names(str(tmp_path / "r.h5ad"), Wanted()) == ("g1", "g2")

    def test_names_of_raw_of_old_versions(self, tmp_path):
        """They stood beside the others, as raw.var."""
        with h5py.File(tmp_path / "r.h5ad", "w") as file:
            file["X"], file["raw.X"] = np.eye(2), np.ones((2, 3))
            file["obs"] = np.array([(b"a",), (b"b",)], dtype=[("index", "S1")])
            file["var"] = np.array([(b"g1",), (b"g2",)], dtype=[("index", "S2")])
            file["raw.var"] = np.array([(b"r1",), (b"r2",), (b"r3",)], dtype=[("index", "S2")])
        path, target = str(tmp_path / "r.h5ad"), str(tmp_path / "t.h5ad")
        assert variable_names(path, Wanted(raw=True)) == ("r1", "r2", "r3")
        check_free(path, Wanted(raw=True), "spectral", "eigenselect")
        assert write_taken(path, target, Wanted(raw=True), np.array([0, 2])) == []
        assert anndata.read_h5ad(target).var_names.tolist() == ["r1", "r3"]

    @pytest.mark.parametrize(
        ("features", "places"),
        [
            (["a", "b", "a", "c"], [0, 1, 2, 3]),
            (["a", "b", "c"], [0, 1, 3]),  # the first of equal names
            (["a", "b", "a-1", "c"], [0, 1, 2, 3]),  # with a suffix
            (["b", "a-1"], [1, 2]),
            (["c"], [3]),
        ],
    )
    def test_of_features(self, features, places):
        assert places_of(features, ["a", "b", "a", "c"], "x.h5ad").tolist() == places

    def test_of_equal_names_each_has_its_place(self, tmp_path):
        """The name of the second one alone would find the first."""
        names = pd.DataFrame(index=["a", "b", "a"])
        with pytest.warns(UserWarning, match="not unique"):
            data = anndata.AnnData(np.arange(6.0).reshape(2, 3), var=names)
        path = written(tmp_path / "twice.h5ad", data)
        origin = Origin(path, "h5ad", Wanted())
        assert places_in_file(origin.taken(("a", "b", "a"), [2]), ("a",)).tolist() == [2]
        assert places_in_file(origin, ("a", "b", "a")).tolist() == [0, 1, 2]

    def test_features_that_were_made(self):
        with pytest.raises(InputError, match=r"x\.h5ad: the feature 'hue=red' was made of other columns"):
            places_of(["a", "hue=red"], ["a", "b"], "x.h5ad")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("words", ["[Errno {}] No space left on device", "write failed (errno = {}, error message)"])
def test_a_full_disk_is_no_damage(path, target, monkeypatch, number, words):
    monkeypatch.setattr(h5ad_process, "run", lambda *job: (h5ad_process.FAILED, words.format(number)))
    with pytest.raises(OSError, match="No space|quota"):
        write_taken(path, target, Wanted(), np.array([0]))


@pytest.mark.parametrize("kind", [OSError, RuntimeError])
@pytest.mark.parametrize(
    "write",
    [
        lambda _, target: write_new(target, Table(np.eye(2), ("a", "b")), "label"),
        lambda path, target: write_taken(path, target, Wanted(), np.array([0]), X=np.ones((7, 1))),
    ],
)
def test_hdf5_tells_of_a_full_disk_in_its_own_words(path, target, monkeypatch, kind, write):
    from eigenselect.io import h5ad_encode

    def fails(*_):
        raise kind("Can't decrement id ref count (unable to extend file, errno = 28, error message = 'x')")

    monkeypatch.setattr(h5ad_encode, "write_part", fails)
    with pytest.raises(OSError, match="No space left on device") as raised:
        write(path, target)
    assert raised.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (h5ad_process.OUTSIDE, "points to data in another file, which is never followed"),
        (h5ad_process.UNKNOWN, "holds parts that cannot be written again for fewer variables; write .csv"),
        (h5ad_process.FAILED, "cannot be read as h5ad, it is damaged"),
        (h5ad_process.SHORT, "needs more memory than"),
        (-11, "cannot be read as h5ad, it is damaged"),
    ],
)
def test_every_end_has_its_sentence(path, target, monkeypatch, code, says):
    monkeypatch.setattr(h5ad_process, "run", lambda *job: (code, ""))
    with pytest.raises(InputError, match=rf"s\.h5ad: .*{says}"):
        write_taken(path, target, Wanted(), np.array([0]))
