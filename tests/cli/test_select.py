"""``eigenselect select``: the table with its best features only."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.annotated import same_tables, stored

from eigenselect import MRSF, FisherScore
from eigenselect.exceptions import KneeWarning, UnitsWarning


@pytest.fixture
def path(tmp_path, units):
    units.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def read(path, **how):
    """Read a text or parquet file, or an h5ad file with its obs."""
    if path.suffix == ".h5ad":
        data = pytest.importorskip("anndata").read_h5ad(path)
        return data.obs.join(data.to_df())
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow") and pd.read_parquet(path)
    if path.suffix == ".npz":
        arrays = dict(np.load(path))
        named = pd.DataFrame(arrays.pop("X"), columns=arrays.pop("feature_names"))
        return pd.DataFrame(arrays).join(named)
    return pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",", **how)


def test_select_snapshot(transcript, snapshot):
    rows = [f"s{i},{i % 2 * 8 + i % 3},{i * i % 7},{i % 5},{'ab'[i % 2]}" for i in range(12)]
    table = ["id,gene 1,gene 2,gene 3,type", *rows]
    snapshot("select.txt", transcript("select table.csv --samples id --label type -k 2", table))


def test_a_parquet_of_fractions_without_the_unlabelled(succeed, units, tmp_path):
    pytest.importorskip("pyarrow")
    units.assign(y=units["y"].mask(units.index % 5 == 0)).to_parquet(tmp_path / "t.parquet")
    words = ("--label", "y", "--drop-unlabelled", "-k", "2", "--method", "fisher")
    succeed("select", tmp_path / "t.parquet", *words, "-o", tmp_path / "out.csv")
    labelled = units[units.index % 5 > 0].reset_index(drop=True)
    found = read(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(found, labelled[found.columns])
    assert len(found.columns) == 3


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "h5ad"])
def test_every_format(call, units, tmp_path, path, ending):
    """Names, labels and ids come along letter by letter, and the file can be ranked again."""
    ids = [f"{i:03d}" for i in range(40)]
    y = units["y"].map({"yes": "012", "no": "12"}).mask(units.index % 5 == 0, "")
    units.assign(patient_id=ids, visit_id=range(100, 140), y=y).to_csv(path, index=False)
    target = tmp_path / f"out.{ending}"
    code, out, err = call("select", path, "--label", "y", "-k", "2", "--drop-unlabelled", "-o", target)
    assert (code, out) == (0, ""), err
    assert "2 columns of ids" in err
    assert "2 of 5 features" in err
    known = (y != "").to_numpy()
    chosen = list(FisherScore(2).fit(units.loc[known, list("abcde")], y[known]).get_feature_names_out())
    found = read(target, dtype=str)
    assert set(found) - {"sample"} == {"y", "patient_id", "visit_id", *chosen}
    assert list(found["patient_id"]) == [name for name, there in zip(ids, known, strict=True) if there]
    assert [int(number) for number in found["visit_id"]] == list(np.arange(100, 140)[known])
    assert list(found["y"].astype(str)) == list(y[known])
    np.testing.assert_array_equal(found[chosen].to_numpy(dtype=float), units.loc[known, chosen].to_numpy())
    again = call("rank", target, "--label", "y", "--json")
    assert again.code == 0, again.err
    assert {row["feature"] for row in json.loads(again.out)["features"]} == set(chosen)


def test_missing_labels_stay_missing(call, summary_of, units, path, tmp_path):
    units.assign(y=units["y"].where(np.arange(40) % 4 < 2)).to_csv(path, index=False)
    for ending in ("csv", "npz"):
        target = tmp_path / f"small.{ending}"
        assert call("select", path, "--label", "y", "-k", "2", "-q", "-o", target) == (0, "", "")
        result = summary_of("rank", target, "--label", "y")
        assert (result["method"], result["n_samples"]) == ("fisher", 20), ending
        assert summary_of("rank", target, "--label", "y", "--method", "sselect")["n_samples"] == 40, ending


def test_sparse_stays_sparse(succeed, tmp_path, units):
    X = units.drop(columns="y").clip(lower=0).to_numpy()
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(X))
    succeed("select", tmp_path / "t.npz", "-k", "3", "-o", tmp_path / "small.npz")
    with pytest.warns(UnitsWarning):
        chosen = MRSF(3, similarity="knn").fit(sparse.csr_matrix(X)).get_support()
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "small.npz").toarray(), X[:, chosen])


def test_without_a_number_nothing_is_selected(refused, path, tmp_path):
    refused(2, "needs -k", "select", path, "--label", "y", "-o", tmp_path / "small.csv")
    assert not (tmp_path / "small.csv").exists()


def test_the_knee_is_said_to_be_no_test(succeed, path, tmp_path, units):
    words = (path, "--label", "y", "-k", "auto", "--significance", "none")
    err = succeed("select", *words, "-o", tmp_path / "small.csv").err
    with pytest.warns(KneeWarning):
        expected = (
            FisherScore("auto", significance=False).fit(units.drop(columns="y"), units["y"]).get_feature_names_out()
        )
    assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["y", *expected]
    assert "warning" not in err
    for said in (err, succeed("rank", *words).err):
        assert f"-k auto: {len(expected)} feature" in said
        assert "no test" in said


class TestNames:
    @pytest.mark.parametrize("name", ["X", "feature_names", "data", "indptr"])
    def test_a_label_column_cannot_take_the_place_of_the_table(self, refused, succeed, path, tmp_path, units, name):
        units.rename(columns={"y": name}).to_csv(path, index=False)
        words = ("select", path, "--label", name, "-k", "2", "-o")
        refused(1, repr(name), *words, tmp_path / "small.npz")
        assert not (tmp_path / "small.npz").exists()
        succeed(*words, tmp_path / "small.csv")

    def test_a_feature_called_sample(self, succeed, path, tmp_path, units):
        units.drop(columns="y").rename(columns={"a": "sample"}).to_csv(path)
        succeed("select", path, "-k", "5", "-o", tmp_path / "small.csv")
        assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["sample_", "sample", "b", "c", "d", "e"]

    def test_a_label_called_as_a_feature_is_renamed(self, succeed, tmp_path, units):
        X = units.drop(columns="y").to_numpy()
        np.savez(tmp_path / "t.npz", X=X, a=units["y"].to_numpy(str), feature_names=list("abcde"))
        err = succeed("select", tmp_path / "t.npz", "--label", "a", "-k", "5", "-o", tmp_path / "small.csv").err
        assert "'a_'" in err
        assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["a_", *"abcde"]

    def test_names_of_samples_of_h5ad(self, succeed, refused, cells, tmp_path):
        cells.obs["id"] = [f"p{i}" for i in range(60)]
        cells.write_h5ad(tmp_path / "t.h5ad")
        words = ("select", tmp_path / "t.h5ad", "--label", "type", "-k", "2", "--samples")
        succeed(*words, "id", "-o", tmp_path / "small.csv")
        assert list(pd.read_csv(tmp_path / "small.csv")["id"]) == list(cells.obs["id"])
        refused(1, "'nonsense'", *words, "nonsense", "-o", tmp_path / "other.csv")


class TestStandardOutput:
    """``select … > small.csv``."""

    def test_is_what_a_csv_would_hold(self, call, path, tmp_path, monkeypatch):
        asked = ("select", path, "--label", "y", "-k", "2")
        small = tmp_path / "small.csv"
        assert call(*asked, "-o", small, "-q") == (0, "", "")
        for words in ((), ("-o", "-")):
            code, out, err = call(*asked, *words)
            assert (code, out) == (0, small.read_text())
            assert "-k 2: the 2 best" in err
            assert call(*asked, *words, "-q") == (0, out, "")
        with open(small) as file:
            monkeypatch.setattr("sys.stdin", file)
            assert call("select", "-", "--label", "y", "-k", "2", "-q") == (0, out, "")

    def test_nothing_is_written_where_nothing_is_chosen(self, refused, path, tmp_path, rng):
        noise = pd.DataFrame(rng.normal(size=(40, 5)), columns=list("abcde")).assign(y=np.arange(40) % 2)
        noise.to_csv(path, index=False)
        words = ("select", path, "--label", "y", "-k", "fdr", "--alpha", "1e-9")
        for target in ((), ("-o", tmp_path / "small.csv"), ("-o", tmp_path / "small.csv", "-q")):
            refused(1, "no feature is chosen", *words, *target)
        assert not (tmp_path / "small.csv").exists()


class TestAnnotated:
    """h5ad in and out."""

    @pytest.fixture
    def selected(self, call, tmp_path):
        anndata = pytest.importorskip("anndata")

        def select(*words):
            code, out, err = call("select", *words, "-o", tmp_path / "out.h5ad", "--force")
            assert (code, out) == (0, ""), err
            return anndata.read_h5ad(tmp_path / "out.h5ad")

        return select

    def test_is_the_table_of_the_kept_genes(self, selected, summary_of, cells, cells_path, tmp_path):
        for line in (
            "--label type -k 2",
            "--label type -k fdr",
            "--obsp spatial_connectivities -k 3",
            "--layer log --label type -k 3",
            "--ignore g2 --method laplacian -k 3",
        ):
            kept = sorted(row["feature"] for row in summary_of("rank", cells_path, *line.split())["features"])
            same_tables(selected(cells_path, *line.split()), cells[:, kept].copy())
            before, after = stored(cells_path), stored(tmp_path / "out.h5ad")
            for name in before:
                if name.split("/")[0] in ("obs", "obsm", "obsp", "uns", "raw"):
                    assert after[name] == before[name], line

    def test_raw_takes_the_place_of_x(self, selected, cells, cells_path):
        found = selected(cells_path, "--raw", "--label", "type", "-k", "3")
        expected = cells.raw.to_adata()[:, found.var_names]
        np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())

    def test_labels_of_a_second_file_stand_in_obs(self, selected, cells, cells_path, tmp_path):
        labels = pd.DataFrame({"kind": np.where(np.arange(60) % 2, "odd", "even")}, index=cells.obs_names)
        labels.sample(frac=1, random_state=0).to_csv(tmp_path / "l.csv", index_label="cell")
        found = selected(cells_path, "--labels", tmp_path / "l.csv", "-k", "2").obs
        assert found["kind"].tolist() == labels["kind"].tolist()
        pd.testing.assert_series_equal(found["type"], cells.obs["type"])

    def test_of_equal_names_the_right_one_is_kept(self, selected, cells, tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells.var_names = ["a", "b", "a", "c", "d", "e", "f", "g"]
            cells.write_h5ad(tmp_path / "twice.h5ad")
        found = selected(tmp_path / "twice.h5ad", "--label", "type", "-k", "1")
        assert found.var["length"].tolist() == [2]  # the second one
        np.testing.assert_array_equal(found.X.toarray(), cells.X[:, [2]].toarray())

    def test_a_new_file_has_names_and_labels(self, selected, units, path):
        frame = units.assign(id=[f"s{i}" for i in range(40)])
        frame.to_csv(path, index=False)
        found = selected(path, "--label", "y", "--samples", "id", "-k", "2")
        chosen = FisherScore(2).fit(frame[list("abcde")], frame["y"]).get_feature_names_out()
        assert (found.var_names.tolist(), found.obs_names.tolist()) == (list(chosen), frame["id"].tolist())
        assert found.obs["y"].tolist() == frame["y"].tolist()
