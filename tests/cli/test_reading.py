"""Reading at the command: formats, options of the table, labels, and graphs of the file."""

import io
import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from eigenselect import MSFS, FisherScore, LaplacianScore, SSelect
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import UnitsWarning
from eigenselect.multisource import TargetData


@pytest.fixture
def ranking(summary_of):
    """Rank; return column and rank of every feature."""
    return lambda *words: [(row["column"], row["rank"]) for row in summary_of("rank", *words)["features"]]


@pytest.fixture
def write(tmp_path):
    """Write a frame as ``t.ending``; parquet and h5ad with the label in its place."""

    def to(frame, ending, label="y"):
        path = tmp_path / f"t.{ending}"
        if ending == "h5ad":
            anndata = pytest.importorskip("anndata")
            named = frame.set_axis([f"cell{i}" for i in range(len(frame))])
            X = named.drop(columns=label)
            anndata.AnnData(X, obs=named[[label]].astype("category")).write_h5ad(path)
        elif ending == "parquet":
            pytest.importorskip("pyarrow")
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False)
        return path

    return to


class TestFormats:
    def test_all_give_the_same_ranking(self, ranking, frame, data_csv, tmp_path, write):
        X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy(str)
        expected = ranking(data_csv, "--label", "y")
        frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
        for compressed in ("d.csv.gz", "d.csv.bz2", "d.csv.xz"):
            frame.to_csv(tmp_path / compressed, index=False)
        np.savez(tmp_path / "d.npz", X=X, y=y)
        sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
        csr = sparse.csr_array(X)
        np.savez(tmp_path / "t.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=y)
        savemat(tmp_path / "d.mat", {"X": X, "y": (y == "tumour").reshape(-1, 1).astype(float)})
        write(frame, "parquet")
        write(frame, "h5ad")
        for name in ("d.tsv", "d.csv.gz", "d.csv.bz2", "d.csv.xz", "d.npz", "t.npz", "d.mat", "t.parquet", "t.h5ad"):
            assert ranking(tmp_path / name, "--label", "y") == expected, name
        assert ranking(tmp_path / "s.npz") == ranking(data_csv, "--ignore", "y")

    def test_pipes(self, ranking, data_csv, monkeypatch):
        """A named pipe in a process, standard input here."""
        expected = ranking(data_csv, "--label", "y")
        command = f"{sys.executable} -m eigenselect rank <(cat {data_csv}) --format csv --label y --json"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
        assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected
        with open(data_csv) as file:
            monkeypatch.setattr("sys.stdin", file)
            assert ranking("-", "--label", "y") == expected


class TestText:
    def test_names_with_commas_can_be_ignored_and_twice(self, summary_of, data_csv, awkward):
        words = ("--ignore", awkward, "--ignore", "f0,f1", "--ignore", "f1")
        found = summary_of("rank", data_csv, "--label", "y", *words)["features"]
        assert {row["feature"] for row in found} == {"f2", "f3", "f4", "naïve 🧬 ゲノム"}

    def test_a_column_may_be_called_na(self, summary_of, frame, data_csv):
        frame.rename(columns={"y": "NA", "f0": "nan"}).to_csv(data_csv, index=False)
        assert "nan" in {row["feature"] for row in summary_of("rank", data_csv, "--label", "NA")["features"]}

    def test_separator_decimal_mark_and_encoding(self, succeed, refused, summary_of, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("a;b\n" + "".join(f"{i},5;{i * i % 7},25\n" for i in range(12)))
        assert "';' between cells" in succeed("rank", path).err
        rows = "".join(f"{i % 9 + 1},23{i % 5}:{i * i % 7}\n" for i in range(12))
        path.write_bytes(f"Größe:b\n{rows}".encode("mac-roman"))
        words = ("rank", path, "--sep", ":", "--encoding", "mac-roman")
        refused(1, "1230 or 1.230", *words)
        assert {row["feature"] for row in summary_of(*words, "--decimal", ",")["features"]} == {"Größe", "b"}
        for name, mark in (("tab", "\t"), (r"\t", "\t"), ("comma", ","), ("|", "|")):
            path.write_text("a,b\n1,2\n3,5\n4,4\n".replace(",", mark))
            succeed("rank", path, "--sep", name)


class TestPreparation:
    @pytest.mark.parametrize("kind", ["csv", "npz"])
    def test_scale(self, summary_of, by_column, units, tmp_path, kind):
        X = units.drop(columns="y")
        if kind == "csv":
            X.to_csv(tmp_path / "t.csv", index=False)
        else:
            X = X.clip(lower=0)  # a sparse table
            sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(X.to_numpy()))
        for how, width in (("standard", X.std(ddof=0)), ("minmax", X.max() - X.min()), ("none", 1.0)):
            with warnings.catch_warnings():
                warnings.simplefilter("error" if how == "standard" else "ignore", UnitsWarning)
                expected = LaplacianScore().fit(X / width)
            found = by_column(summary_of("rank", tmp_path / f"t.{kind}", "--scale", how), "score")
            np.testing.assert_allclose(found, expected.scores_, rtol=1e-8, err_msg=how)

    def test_a_constant_feature_stays(self, summary_of, units, write):
        path = write(units.assign(f=7.0).drop(columns="y"), "csv")
        for how in ("standard", "minmax"):
            last = summary_of("rank", path, "--scale", how)["features"][-1]
            assert (last["feature"], last["rank"]) == ("f", None)

    def test_missing_values_become_medians(self, succeed, refused, by_column, units, write):
        holes = units.drop(columns="y")
        holes.iloc[3:6, 1] = np.nan
        holes.iloc[9, 4] = np.inf
        path = write(holes, "csv")
        refused(1, ["4 missing", "--impute median"], "rank", path)
        done = succeed("rank", path, "--impute", "median", "--json")
        assert "4 missing values" in done.err
        filled = holes.replace(np.inf, np.nan)
        with pytest.warns(UnitsWarning):
            expected = LaplacianScore().fit(filled.fillna(filled.median()))
        assert by_column(json.loads(done.out), "rank") == list(expected.ranking_)
        refused(1, "no value at all", "rank", write(holes.assign(c=np.nan), "csv"), "--impute", "median")

    def test_text_columns_become_numbers(self, succeed, refused, units, write, rng, monkeypatch):
        colour = rng.choice(["red", "blue", "green"], size=40)
        path = write(units.assign(colour=colour), "csv")
        refused(1, ["('colour')", "--one-hot"], "rank", path, "--label", "y")
        done = succeed("rank", path, "--label", "y", "--one-hot", "--json")
        assert "became 3 columns" in done.err
        wide = units.drop(columns="y").assign(**{f"colour={c}": colour == c for c in ("blue", "green", "red")}) * 1.0
        ranks = {row["feature"]: row["rank"] for row in json.loads(done.out)["features"]}
        assert [ranks[c] for c in wide.columns] == list(FisherScore().fit(wide, units["y"]).ranking_)
        monkeypatch.setattr("eigenselect.io.column_roles.MOST_CATEGORIES", 2)
        refused(1, ["'colour'", "3 different"], "rank", path, "--label", "y", "--one-hot")


class TestLabels:
    @pytest.mark.parametrize("kind", ["csv", "parquet", "h5ad"])
    def test_only_labelled_samples(self, succeed, by_column, units, write, kind):
        some = units.assign(y=units["y"].where(units.index % 9 > 0))
        path = write(some, kind)
        done = succeed("rank", path, "--label", "y", "--drop-unlabelled", "--json", "--scale", "minmax")
        assert "5 of 40 samples" in done.err
        known = some["y"].notna().to_numpy()
        expected = FisherScore(significance=True).fit(units.drop(columns="y")[known], units["y"][known])
        result = json.loads(done.out)
        np.testing.assert_allclose(by_column(result, "score"), expected.scores_, rtol=1e-8)
        np.testing.assert_allclose(by_column(result, "qvalue"), expected.qvalues_, rtol=1e-6)
        plain = succeed("rank", path, "--label", "y", "--json")
        assert "5 of 40 samples" in plain.err
        assert by_column(json.loads(plain.out), "qvalue") == pytest.approx(by_column(result, "qvalue"))

    def test_a_graph_loses_unlabelled_samples_too(self, succeed, cells, tmp_path):
        anndata = pytest.importorskip("anndata")
        cells.obs["type"] = cells.obs["type"].where(np.arange(60) > 2)
        cells.write_h5ad(tmp_path / "t.h5ad")
        line = ("--label", "type", "--drop-unlabelled", "--obsp", "connectivities", "--method", "laplacian")
        succeed("rank", tmp_path / "t.h5ad", *line, "-o", tmp_path / "scored.h5ad")
        expected = LaplacianScore().fit(cells.X[3:], similarity_matrix=cells.obsp["connectivities"][3:, 3:])
        scored = anndata.read_h5ad(tmp_path / "scored.h5ad")
        np.testing.assert_allclose(scored.var["spectral_score"], expected.scores_)
        assert scored.n_obs == 60
        succeed("select", tmp_path / "t.h5ad", *line, "-k", 2, "-o", tmp_path / "few.h5ad")
        assert anndata.read_h5ad(tmp_path / "few.h5ad").shape == (57, 2)

    def test_marks_of_missing_labels(self, succeed, refused, summary_of, by_column, units, tmp_path):
        """NA, ? and the like, in the table or in another file: no class, unless --na-is-class says so."""
        X, names = units.drop(columns="y"), pd.Series([f"s{i}" for i in range(40)])
        labels = pd.DataFrame({"name": names, "y": ["a", "b", "NA", "?"] * 10})
        X.join(labels).to_csv(tmp_path / "t.csv", index=False)
        X.assign(name=names).to_csv(tmp_path / "x.csv", index=False)
        labels.to_csv(tmp_path / "labels.csv", index=False)
        known = np.arange(40) % 4 < 2
        expected = FisherScore(significance=True).fit(X[known], np.arange(40)[known] % 4)
        for files in (("t.csv", "--label", "y"), ("x.csv", "--labels", tmp_path / "labels.csv")):
            words = ("rank", tmp_path / files[0], *files[1:], "--samples", "name")
            err = succeed(*words).err
            assert re.search(r"warning: 20 samples .*'NA', '\?'.*--na-is-class", err)
            assert "20 of 40 samples" in err
            found = summary_of(*words, "--drop-unlabelled")
            np.testing.assert_allclose(by_column(found, "qvalue"), expected.qvalues_, rtol=1e-9)
            assert summary_of(*words, "--na-is-class")["graph"]["n_classes"] == 4
            assert "no label" not in succeed(*words, "--na-is-class").err
        out = succeed("select", tmp_path / "t.csv", "--label", "y", "--samples", "name", "-k", 2).out
        assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["a", "b", "NA", "?"] * 10
        labels.assign(y=["NA", "a"] * 20).to_csv(tmp_path / "labels.csv", index=False)
        refused(1, ["labels.csv", "'a'", "'NA'"], *words)


class TestMinusOne:
    """-1 among numbers: a class for most methods, no label for those that use unlabelled samples."""

    CLASS = "taken for a class"

    @pytest.fixture
    def path(self, data_csv, frame):
        labels = np.where(np.arange(40) % 4 > 0, -1, np.arange(40) // 4 % 2)
        frame.assign(y=labels).to_csv(data_csv, index=False)
        return data_csv

    def test_a_class_unless_somebody_says_otherwise(self, succeed, summary_of, path):
        assert summary_of("rank", path, "--label", "y")["graph"]["n_classes"] == 3
        err = succeed("rank", path, "--label", "y").err
        assert "30 samples" in err
        for advice in ("--drop-unlabelled", "--method sselect"):
            assert advice in err
            assert self.CLASS not in succeed("rank", path, "--label", "y", *advice.split()).err

    def test_compare_says_so_too(self, succeed, path):
        words = ("compare", path, "--label", "y", "--methods", "fisher", "--folds", "2", "-k", "2")
        err = succeed(*words).err
        assert self.CLASS in err
        assert "--method sselect" not in err
        assert self.CLASS not in succeed(*words, "--drop-unlabelled").err

    def test_advice_of_a_semi_supervised_method_tests_the_labelled_samples(self, succeed, by_column, path, frame):
        err = succeed("rank", path, "--label", "y", "--method", "sselect").err
        assert "10 of 40 samples" in err
        advice = re.search(r"\((--method fisher [^)]*)\)", err)[1].split()
        done = succeed("rank", path, "--label", "y", *advice, "--json")
        assert "30 of 40 samples" in done.err
        known = np.arange(40) % 4 == 0
        expected = FisherScore(significance=True).fit(frame.drop(columns="y")[known], np.arange(10) % 2)
        np.testing.assert_allclose(by_column(json.loads(done.out), "qvalue"), expected.qvalues_, rtol=1e-9)

    @pytest.mark.parametrize("labels", [[-1, 1], ["-1", "a", "b"], [-1.5, -1, 0.25, 2]])
    def test_where_it_cannot_mean_no_label_nothing_is_left_out(self, succeed, frame, data_csv, labels):
        """Two classes, text, measurements."""
        frame.assign(y=np.resize(labels, 40)).to_csv(data_csv, index=False)
        done = succeed("rank", data_csv, "--label", "y", "--drop-unlabelled", "--json")
        assert json.loads(done.out)["n_samples"] == 40
        assert "warning: every sample" in done.err
        assert self.CLASS not in done.err

    def test_beside_empty_labels_it_stays_a_class(self, succeed, frame, data_csv):
        frame.assign(y=np.resize(["-1", "0", "1", ""], 40)).to_csv(data_csv, index=False)
        done = succeed("rank", data_csv, "--label", "y", "--drop-unlabelled", "--json")
        result = json.loads(done.out)
        assert (result["n_samples"], result["graph"]["n_classes"]) == (30, 3)
        assert self.CLASS in done.err


class TestOtherFiles:
    """Every command takes labels and covariates of other files, or refuses them in one line."""

    @pytest.fixture
    def files(self, frame, tmp_path, monkeypatch):
        """The table without labels, with names of samples; labels and batches in another file and order."""
        names, batch = [f"s{i}" for i in range(40)], np.arange(40) % 4
        shifted = frame.drop(columns="y") + 5.0 * batch[:, None]
        shifted.assign(id=names).to_csv(tmp_path / "x.csv", index=False)
        sheet = pd.DataFrame({"id": names, "kind": frame["y"], "batch": [f"b{b}" for b in batch]})
        sheet.sample(frac=1, random_state=0).to_csv(tmp_path / "sheet.csv", index=False)
        monkeypatch.chdir(tmp_path)
        return shifted, frame["y"], sheet[["batch"]]

    WORDS = ("x.csv", "--samples", "id", "--labels", "sheet.csv:kind")
    COVARIATES = ("--covariates", "sheet.csv:batch")

    def test_rank_and_select(self, summary_of, by_column, succeed, files):
        X, y, batch = files
        expected = FisherScore(3).fit(X, y, covariates=batch)
        found = summary_of("rank", *self.WORDS, *self.COVARIATES)
        assert by_column(found, "rank") == expected.ranking_.tolist()
        assert "least squares" in found["paper"]["scaling"]
        out = succeed("select", *self.WORDS, *self.COVARIATES, "-k", "3", "-q").out
        assert list(pd.read_csv(io.StringIO(out)).columns[2:]) == list(expected.get_feature_names_out())
        assert not np.allclose(FisherScore(3).fit(X, y).scores_, expected.scores_)

    def test_compare_and_fuse(self, summary_of, by_column, files):
        X, _, batch = files
        words = ("--methods", "fisher", "-k", "2", "--sizes", "2", "--folds", "2")
        assert summary_of("compare", *self.WORDS, *words)["label"] == "kind"
        assert "labels" in summary_of("fuse", *self.WORDS, "--with-labels", "-k", "2")["sources"]
        found = summary_of("fuse", "x.csv", "--samples", "id", *self.COVARIATES)
        expected = MSFS(sources=[("target", TargetData())], ranking="phi2").fit(X, covariates=batch)
        np.testing.assert_allclose(by_column(found, "score"), expected.scores_, rtol=1e-9)

    def test_what_is_refused(self, refused, files):
        for option in ("--covariates", "--obsp", "--obsm"):
            refused(2, f"{option} is for rank", "compare", *self.WORDS, option, "sheet.csv")
        for command in ("rank", "select -k 2", "compare", "fuse"):
            for option in ("--layer log", "--raw"):
                name, *rest = command.split()
                refused(1, ["x.csv", option.split()[0], "h5ad"], name, *self.WORDS, *rest, *option.split())


class TestGraphsOfTheFile:
    GRAPH = ("--obsp", "connectivities")

    @pytest.mark.parametrize("name", ["laplacian", "spec-phi1", "moran", "geary"])
    def test_features_are_ranked_on_it(self, summary_of, by_column, cells, cells_path, name):
        row = METHODS[name]
        expected = row.selector_class()(**row.parameters).fit(cells.X, similarity_matrix=cells.obsp["connectivities"])
        found = summary_of("rank", cells_path, *self.GRAPH, "--method", name)
        assert by_column(found, "rank") == expected.ranking_.tolist()
        assert found["graph"]["made_of"] == "obsp['connectivities']"

    def test_labels_beside_it_are_used_too(self, summary_of, by_column, succeed, cells, cells_path):
        result = summary_of("rank", cells_path, *self.GRAPH, "--label", "type")
        y = cells.obs["type"].astype(str)
        expected = SSelect().fit(cells.X, y, similarity_matrix=cells.obsp["connectivities"])
        assert result["method"] == "sselect"
        np.testing.assert_allclose(by_column(result, "score"), expected.scores_, rtol=1e-9)
        assert "precomputed (obsp['connectivities'])" in succeed("rank", cells_path, *self.GRAPH).err

    def test_what_does_not_go_with_it(self, refused, cells_path):
        for words, keyword in (
            ("--similarity knn", "two sample graphs"),
            ("--method variance", "the method variance"),
            ("--method fisher --label type", "the method fisher"),
        ):
            refused(2, keyword, "rank", cells_path, *self.GRAPH, *words.split())

    @pytest.mark.parametrize("value", [7.0, -1.0])
    def test_a_graph_that_is_none(self, refused, cells_path, value):
        """Not symmetric, and negative."""
        import h5py

        with h5py.File(cells_path, "r+") as file:
            file["obsp/connectivities/data"][3] = value
        done = refused(1, "--obsp connectivities", "rank", cells_path, *self.GRAPH)
        assert "similarity_matrix" not in done.err


def test_raw_counts_are_told(succeed, cells, tmp_path, rng):
    """Tables of cells are told to hold counts, in which depth decides; logarithms, scaled values and text are not."""
    counts = rng.poisson(3.0, size=cells.shape).astype(np.float32)
    cells.X, cells.layers["counts"] = np.log1p(counts), counts
    cells.raw = type(cells)(counts)
    cells.write_h5ad(tmp_path / "t.h5ad")
    pd.DataFrame(counts).add_prefix("word").to_csv(tmp_path / "t.csv", index=False)
    for name, words, told in (
        ("t.h5ad", "--layer counts", True),
        ("t.h5ad", "--layer counts --label type", True),
        ("t.h5ad", "--raw", True),
        ("t.h5ad", "", False),
        ("t.h5ad", "--layer counts --scale standard", False),
        ("t.csv", "", False),
    ):
        done = succeed("rank", tmp_path / name, *words.split(), "--json")
        noted = any("raw counts" in note for note in json.loads(done.out)["warnings"])
        assert ("raw counts" in done.err, noted) == (told, told), words
