"""Tables in every format give the same ranking."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from eigenselect import MSFS, FisherScore, SSelect
from eigenselect.criteria.table import METHODS
from eigenselect.multisource import TargetData


def ranking(call, *words):
    code, out, err = call("rank", *words, "--json")
    assert code == 0, err
    return [(f["column"], f["rank"]) for f in json.loads(out)["features"]]


def test_all_formats_give_the_same_ranking(call, frame, data_csv, tmp_path, monkeypatch):
    X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy(str)
    expected = ranking(call, data_csv, "--label", "y")
    frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
    for compressed in ("d.csv.gz", "d.csv.bz2", "d.csv.xz"):
        frame.to_csv(tmp_path / compressed, index=False)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
    csr = sparse.csr_array(X)
    np.savez(tmp_path / "t.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=y)
    savemat(tmp_path / "d.mat", {"X": X, "Y": (y == "tumour").reshape(-1, 1).astype(float)})
    named = ("d.tsv", "d.csv.gz", "d.csv.bz2", "d.csv.xz", "d.npz", "t.npz")
    for name, label in [*((name, "y") for name in named), ("d.mat", "Y")]:
        assert ranking(call, tmp_path / name, "--label", label) == expected, name
    unlabelled = ranking(call, data_csv, "--ignore", "y")
    assert ranking(call, tmp_path / "s.npz") == unlabelled


def test_standard_input(data_csv, call):
    expected = ranking(call, data_csv, "--label", "y")
    with open(data_csv, "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "eigenselect", "rank", "-", "--label", "y", "--json"],
            stdin=file, capture_output=True, check=True,
        )  # fmt: skip
    assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected


def test_an_unnamed_first_column_is_taken_for_sample_names(call, frame, data_csv, tmp_path):
    expected = ranking(call, data_csv, "--label", "y")
    frame.to_csv(tmp_path / "index.csv")
    assert ranking(call, tmp_path / "index.csv", "--label", "y") == expected
    assert "first column has no name" in call("rank", tmp_path / "index.csv", "--label", "y")[2]


def test_names_with_commas_can_be_ignored_and_twice(call, data_csv, awkward):
    _, out, _ = call(
        "rank", data_csv, "--label", "y", "--ignore", awkward, "--ignore", "f0,f1", "--ignore", "f1", "--json"
    )
    assert {f["feature"] for f in json.loads(out)["features"]} == {"f2", "f3", "f4", "naïve 🧬 ゲノム"}


def test_a_class_may_be_called_na(call, frame, data_csv):
    frame.assign(y=frame["y"].map({"normal": "NA", "tumour": "None"})).to_csv(data_csv, index=False)
    code, out, _ = call("rank", data_csv, "--label", "y", "--na-is-class", "--json")
    assert code == 0
    assert json.loads(out)["graph"]["n_classes"] == 2


def test_a_column_may_be_called_na(call, frame, data_csv):
    frame.rename(columns={"y": "NA", "f0": "nan"}).to_csv(data_csv, index=False)
    code, out, err = call("rank", data_csv, "--label", "NA", "--json")
    assert code == 0, err
    assert "nan" in {f["feature"] for f in json.loads(out)["features"]}


def test_blank_lines_before_the_header_and_names_with_line_breaks(call, frame, data_csv):
    expected = ranking(call, data_csv, "--label", "y")
    text = frame.rename(columns={"f0": "f\n0"}).to_csv(index=False)
    with open(data_csv, "w", encoding="utf-8-sig") as file:
        file.write("\n  \n" + text.replace(",y\n", ', "y"\n', 1))
    assert ranking(call, data_csv, "--label", "y") == expected


def test_named_pipes(data_csv, call):
    expected = ranking(call, data_csv, "--label", "y")
    command = f"{sys.executable} -m eigenselect rank <(cat {data_csv}) --format csv --label y --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected


def test_text_in_mat_files(call, tmp_path, rng):
    X = rng.normal(size=(12, 2))
    cells = {"feature_names": np.array(["a b", "c"], dtype=object), "Y": np.array(["u", "v"] * 6, dtype=object)}
    savemat(tmp_path / "cells.mat", {"X": X, **cells})
    _, out, err = call("rank", tmp_path / "cells.mat", "--label", "Y", "--json")
    assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err
    np.savez(tmp_path / "bytes.npz", X=X > 0, feature_names=np.array([b"a b", b"c"]))
    _, out, err = call("rank", tmp_path / "bytes.npz", "--json")
    assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err


def test_feature_names_of_arrays(call, tmp_path, rng):
    X = rng.normal(size=(20, 3))
    np.savez(tmp_path / "named.npz", X=X, feature_names=np.array(["a", "b", "c"]))
    np.savez(tmp_path / "bare.npz", X=X)
    assert "b" in call("rank", tmp_path / "named.npz")[1]
    assert "x1" in call("rank", tmp_path / "bare.npz")[1]
    assert "'b'" not in call("rank", tmp_path / "named.npz", "--ignore", "b", "--json")[1]


class TestReadingOptions:
    """Every command honours every option of reading, or refuses it in one line."""

    @pytest.fixture
    def files(self, frame, tmp_path, rng):
        """The table without labels, with names of samples; labels and batches in other files, in another order."""
        names = [f"s{i}" for i in range(40)]
        batch = np.arange(40) % 4
        X = frame.drop(columns="y")
        shifted = X + 5.0 * batch[:, None]
        shifted.assign(id=names).to_csv(tmp_path / "x.csv", index=False)
        sheet = pd.DataFrame({"id": names, "kind": frame["y"], "batch": [f"b{b}" for b in batch]})
        sheet.sample(frac=1, random_state=0).to_csv(tmp_path / "sheet.csv", index=False)
        return shifted, frame["y"], pd.DataFrame({"batch": [f"b{b}" for b in batch]})

    def words(self, tmp_path):
        return (tmp_path / "x.csv", "--samples", "id", "--labels", f"{tmp_path / 'sheet.csv'}:kind")

    def test_labels_and_covariates_of_rank_and_select(self, call, files, tmp_path):
        X, y, batch = files
        words = (*self.words(tmp_path), "--covariates", f"{tmp_path / 'sheet.csv'}:batch")
        expected = FisherScore(3).fit(X, y, covariates=batch)
        assert ranking(call, *words) == [
            (int(j), int(expected.ranking_[j])) for j in np.argsort(expected.ranking_, kind="stable")
        ]
        code, out, err = call("select", *words, "-k", "3", "-q")
        assert (code, err) == (0, "")
        assert out.splitlines()[0].count(",") >= 4
        kept = pd.read_csv(io.StringIO(out))
        assert list(kept.columns[2:]) == list(expected.get_feature_names_out())
        without = FisherScore(3).fit(X, y)
        assert not np.allclose(without.scores_, expected.scores_)

    def test_covariates_of_fuse(self, call, files, tmp_path):
        X, _, batch = files
        words = ("fuse", tmp_path / "x.csv", "--samples", "id", "-q", "--json")
        _, out, err = call(*words, "--covariates", f"{tmp_path / 'sheet.csv'}:batch")
        expected = MSFS(sources=[("target", TargetData())], ranking="phi2").fit(X, covariates=batch)
        scores = {f["column"]: f["score"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([scores[j] for j in range(7)], expected.scores_, rtol=1e-9, err_msg=err)

    def test_labels_of_compare_and_fuse(self, call, files, tmp_path):
        words = self.words(tmp_path)
        code, out, err = call("compare", *words, "--methods", "fisher", "-k", "2", "--sizes", "2", "--json")
        assert code == 0, err
        assert json.loads(out)["label"] == "kind"
        code, out, err = call("fuse", *words, "--with-labels", "-k", "2", "--json")
        assert code == 0, err
        assert "labels" in json.loads(out)["sources"]

    @pytest.mark.parametrize("option", ["--covariates", "--obsp", "--obsm"])
    def test_what_compare_refuses(self, call, files, tmp_path, option):
        code, _, err = call("compare", *self.words(tmp_path), option, tmp_path / "sheet.csv")
        assert code == 2
        assert f"graph of the samples of each fold; {option} is for rank and select." in err

    def test_what_fuse_refuses(self, call, files, tmp_path):
        code, _, err = call("fuse", *self.words(tmp_path), "--obsm", "spatial")
        assert (code, "--obsm is for rank and select." in err) == (2, True)
        code, _, err = call("fuse", *self.words(tmp_path), "--obsp", "connectivities")
        assert code == 2
        assert "fuse joins the graphs of its sources; --obsp is for rank and select." in err

    @pytest.mark.parametrize("command", ["rank", "select -k 2", "compare", "fuse"])
    @pytest.mark.parametrize("option", [("--layer", "log"), ("--raw",)])
    def test_options_of_other_formats(self, call, files, tmp_path, command, option):
        name, *rest = command.split()
        code, out, err = call(name, *self.words(tmp_path), *rest, *option)
        assert (code, out) == (1, "")
        assert f"x.csv: {option[0]} is for h5ad" in err
        assert "and this is csv; leave it out." in err


class TestGraphsOfTheFile:
    @pytest.fixture
    def path(self, tmp_path):
        from tests.cli.test_scores_file import made, written

        return written(tmp_path / "s.h5ad", made())

    @pytest.mark.parametrize("name", ["laplacian", "spec-phi1", "moran", "geary"])
    def test_features_are_ranked_on_it(self, call, path, name):
        anndata = pytest.importorskip("anndata")
        data, row = anndata.read_h5ad(path), METHODS[name]
        expected = row.selector_class()(**row.parameters).fit(data.X, similarity_matrix=data.obsp["connectivities"])
        found = dict(ranking(call, path, "--obsp", "connectivities", "--method", name))
        assert [found[j] for j in range(8)] == expected.ranking_.tolist()

    def test_it_is_said_which(self, call, path):
        err = call("rank", path, "--obsp", "connectivities")[2]
        assert "graph: precomputed (obsp['connectivities'])" in err
        assert json.loads(call("rank", path, "--obsp", "connectivities", "--json")[1])["method"] == "laplacian"

    def test_labels_beside_it_are_used_too(self, call, path):
        anndata = pytest.importorskip("anndata")
        data = anndata.read_h5ad(path)
        result = json.loads(call("rank", path, "--obsp", "connectivities", "--label", "type", "--json")[1])
        expected = SSelect().fit(data.X, data.obs["type"].astype(str), similarity_matrix=data.obsp["connectivities"])
        assert result["method"] == "sselect"
        scores = {f["column"]: f["score"] for f in result["features"]}
        np.testing.assert_allclose([scores[j] for j in range(8)], expected.scores_, rtol=1e-9)

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (("--similarity", "knn"), "--similarity knn and --obsp connectivities are two sample graphs; name one"),
            (("--method", "variance"), "the method variance cannot rank on a given graph; use --method with one that"),
            (("--method", "fisher", "--label", "type"), "the method fisher cannot rank on a given graph"),
        ],
    )
    def test_what_does_not_go_with_it(self, call, path, words, says):
        code, out, err = call("rank", path, "--obsp", "connectivities", *words)
        assert (code, out) == (2, "")
        assert says in err

    @pytest.mark.parametrize("wrong", ["not symmetric", "negative"])
    def test_a_graph_that_is_none(self, call, path, wrong):
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "r+") as file:
            file["obsp/connectivities/data"][3] = -1.0 if wrong == "negative" else 7.0
        code, out, err = call("rank", path, "--obsp", "connectivities")
        assert (code, out) == (1, "")
        assert "--obsp connectivities" in err
        assert "similarity_matrix" not in err


class TestRawCounts:
    """Tables of cells are told to hold counts, in which depth decides, as the verb tells it."""

    @pytest.fixture
    def path(self, tmp_path, rng):
        anndata = pytest.importorskip("anndata")
        counts = rng.poisson(3.0, size=(20, 6)).astype(np.float32)
        data = anndata.AnnData(np.log1p(counts), layers={"counts": counts})
        data.raw = anndata.AnnData(counts)
        data.obs["half"] = ["a", "b"] * 10
        data.write_h5ad(tmp_path / "t.h5ad")
        return tmp_path / "t.h5ad"

    @pytest.mark.parametrize(("words", "name"), [(("--layer", "counts"), "the layer 'counts'"), (("--raw",), "raw")])
    @pytest.mark.parametrize("method", [(), ("--label", "half")])
    def test_are_told(self, call, path, words, name, method):
        code, out, err = call("rank", path, *words, *method, "--json")
        assert code == 0, err
        says = f"{name} holds raw counts (whole numbers up to "
        assert f"warning: {says}" in err
        assert any(note.startswith(says) for note in json.loads(out)["warnings"])

    @pytest.mark.parametrize("words", [(), ("--layer", "counts", "--scale", "standard")])
    def test_logarithms_and_scaled_values_are_not(self, call, path, words):
        code, _, err = call("rank", path, *words)
        assert code == 0, err
        assert "raw counts" not in err

    def test_nor_are_whole_numbers_in_other_tables(self, call, tmp_path, rng):
        pd.DataFrame(rng.poisson(3.0, size=(20, 6))).add_prefix("word").to_csv(tmp_path / "t.csv", index=False)
        assert "raw counts" not in call("rank", tmp_path / "t.csv")[2]
