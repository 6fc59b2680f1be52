"""Reading with --one-hot, --impute and --scale, more formats, and similarities with options."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import SPEC, FisherScore, LaplacianScore
from eigenselect.exceptions import UnitsWarning
from eigenselect.io.readers import read_table
from eigenselect.similarity import KNN


@pytest.fixture
def frame(rng):
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 5)) * [1, 100, 0.01, 1, 1], columns=list("abcde"))
    X["b"] += 250 * y
    return X.assign(y=np.where(y, "yes", "no"))


def ranks(out):
    return {f["feature"]: f["rank"] for f in json.loads(out)["features"]}


class TestScale:
    @pytest.mark.parametrize("how", ["standard", "minmax", "none"])
    @pytest.mark.parametrize("kind", ["csv", "npz"])
    def test_features_are_scaled_first(self, call, tmp_path, frame, how, kind):
        X = frame.drop(columns="y")
        X = X.clip(lower=0) if kind == "npz" else X  # a sparse table
        path = tmp_path / f"t.{kind}"
        if kind == "csv":
            X.to_csv(path, index=False)
        else:
            sparse.save_npz(path, sparse.csr_matrix(X.to_numpy()))
        code, out, err = call("rank", path, "--scale", how, "--json")
        assert code == 0, err
        width = {"standard": X.std(ddof=0), "minmax": X.max() - X.min(), "none": 1.0}[how]
        with warnings.catch_warnings():
            warnings.simplefilter("error" if how == "standard" else "ignore", UnitsWarning)
            expected = LaplacianScore().fit(X / width)
        scores = {f["column"]: f["score"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([scores[j] for j in range(5)], expected.scores_, rtol=1e-8)

    def test_a_constant_feature_stays(self, call, tmp_path, frame):
        frame.assign(f=7.0).drop(columns="y").to_csv(tmp_path / "t.csv", index=False)
        for how in ("standard", "minmax"):
            code, out, err = call("rank", tmp_path / "t.csv", "--scale", how, "--json")
            assert code == 0, err
            assert ranks(out)["f"] is None


class TestDropUnlabelled:
    @pytest.mark.parametrize("kind", ["csv", "parquet", "h5ad"])
    def test_ranks_by_the_labelled_samples_alone(self, call, tmp_path, frame, kind):
        some = frame.assign(y=frame["y"].where(frame.index % 9 > 0))
        path, X = tmp_path / f"t.{kind}", frame.drop(columns="y")
        if kind == "h5ad":
            anndata = pytest.importorskip("anndata")
            some.index = X.index = X.index.map("cell{}".format)
            anndata.AnnData(X, obs=some[["y"]].astype("category")).write_h5ad(path)
        else:
            some.to_csv(path, index=False) if kind == "csv" else some.to_parquet(path)
        code, out, err = call("rank", path, "--label", "y", "--drop-unlabelled", "--json", "--scale", "minmax")
        assert code == 0, err
        assert "5 of 40 samples have no label and are left out" in err
        known = some["y"].notna().to_numpy()
        expected = FisherScore(significance=True).fit(X[known], some["y"][known])
        found = {f["column"]: (f["score"], f["qvalue"]) for f in json.loads(out)["features"]}
        np.testing.assert_allclose([found[j][0] for j in range(5)], expected.scores_, rtol=1e-8)
        np.testing.assert_allclose([found[j][1] for j in range(5)], expected.qvalues_, rtol=1e-6)

    def test_select_writes_them_alone(self, call, tmp_path, frame):
        y = pd.Series(np.arange(40) % 2).astype(str).mask(frame.index == 7)
        frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call("select", tmp_path / "t.csv", "--label", "y", "--drop-unlabelled", "-k", 2)
        assert code == 0, err
        lines, given = out.splitlines(), (tmp_path / "t.csv").read_text().splitlines()
        assert len(lines) == 40
        assert lines[8].split(",")[0] == given[9].split(",")[-1]
        assert set(lines[8].split(",")[1:]) <= set(given[9].split(","))

    def test_a_graph_loses_them_too(self, call, tmp_path, frame):
        anndata = pytest.importorskip("anndata")
        X = frame.drop(columns="y").set_axis([f"cell{i}" for i in range(40)])
        y = frame["y"].where(frame.index > 2).set_axis(X.index)
        graph = sparse.diags_array([np.ones(39), np.ones(39)], offsets=[-1, 1], format="csr")
        adata = anndata.AnnData(X, obs=y.to_frame().astype("category"), obsp={"spatial_connectivities": graph})
        adata.write_h5ad(tmp_path / "t.h5ad")
        line = ("--label", "y", "--drop-unlabelled", "--obsp", "spatial_connectivities", "--method", "laplacian")
        code, _, err = call("rank", tmp_path / "t.h5ad", *line, "-o", tmp_path / "scored.h5ad")
        assert code == 0, err
        expected = LaplacianScore().fit(X[3:], similarity_matrix=graph[3:, 3:])
        np.testing.assert_allclose(anndata.read_h5ad(tmp_path / "scored.h5ad").var["spectral_score"], expected.scores_)
        assert anndata.read_h5ad(tmp_path / "scored.h5ad").n_obs == 40
        code, _, err = call("select", tmp_path / "t.h5ad", *line, "-k", 2, "-o", tmp_path / "few.h5ad")
        assert code == 0, err
        assert anndata.read_h5ad(tmp_path / "few.h5ad").shape == (37, 2)


class TestMarksOfMissingLabels:
    """NA, ? and the like in a column of labels, or in another file: no class, unless --na-is-class says so."""

    @pytest.fixture
    def marked(self, tmp_path, frame):
        """Three groups, of which the file says NA for one; names beside."""
        names = pd.Series([f"s{i}" for i in range(40)])
        labels = pd.Series(["a", "b", "NA", "?"] * 10)
        frame.drop(columns="y").assign(name=names, y=labels).to_csv(tmp_path / "t.csv", index=False)
        pd.DataFrame({"name": names, "y": labels}).to_csv(tmp_path / "labels.csv", index=False)
        frame.drop(columns="y").assign(name=names).to_csv(tmp_path / "x.csv", index=False)
        return {
            "one": (tmp_path / "t.csv", "--label", "y"),
            "two": (tmp_path / "x.csv", "--labels", tmp_path / "labels.csv"),
        }

    @pytest.mark.parametrize("files", ["one", "two"])
    def test_are_no_class(self, call, marked, files, frame):
        code, out, err = call("rank", *marked[files], "--samples", "name", "--json")
        assert code == 0, err
        assert "warning: 20 samples have no label ('NA', '?'); --na-is-class takes them for classes" in err
        assert "labels: 20 of 40 samples\n" in err
        code, out, err = call("rank", *marked[files], "--samples", "name", "--drop-unlabelled", "--json")
        assert code == 0, err
        known = np.arange(40) % 4 < 2
        expected = FisherScore(significance=True).fit(frame.drop(columns="y")[known], np.arange(40)[known] % 4)
        found = {f["column"]: f["qvalue"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([found[j] for j in range(5)], expected.qvalues_, rtol=1e-9)

    @pytest.mark.parametrize("files", ["one", "two"])
    def test_are_classes_on_request(self, call, marked, files):
        code, out, err = call("rank", *marked[files], "--samples", "name", "--na-is-class", "--json")
        assert code == 0, err
        assert json.loads(out)["graph"]["n_classes"] == 4
        assert "no label" not in err

    def test_the_file_of_the_labels_is_named(self, call, marked, tmp_path):
        pd.DataFrame({"name": [f"s{i}" for i in range(40)], "y": ["NA", "a"] * 20}).to_csv(
            tmp_path / "labels.csv", index=False
        )
        code, _, err = call("rank", *marked["two"], "--samples", "name")
        assert code == 1
        assert "labels.csv: the label column 'y' has one class, 'a', as 'NA' means" in err

    def test_are_written_as_they_stood(self, call, marked):
        code, out, err = call("select", *marked["one"], "--samples", "name", "-k", 2)
        assert code == 0, err
        assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["a", "b", "NA", "?"] * 10


class TestImpute:
    def test_missing_values_become_medians(self, call, tmp_path, frame):
        holes = frame.drop(columns="y")
        holes.iloc[3:6, 1] = np.nan
        holes.iloc[9, 4] = np.inf
        holes.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv")
        assert code == 1
        assert "4 missing or infinite values in 2 features" in err
        assert "--impute median" in err
        code, out, err = call("rank", tmp_path / "t.csv", "--impute", "median", "--json")
        assert code == 0, err
        assert "4 missing values in 2 columns were replaced by the median" in err
        filled = holes.replace(np.inf, np.nan)
        with pytest.warns(UnitsWarning, match="'b' of 5"):
            expected = LaplacianScore().fit(filled.fillna(filled.median()))
        assert list(ranks(out).values()) == sorted(expected.ranking_)
        assert [ranks(out)[c] for c in "abcde"] == list(expected.ranking_)

    def test_an_empty_column_cannot_be_filled(self, call, tmp_path, frame):
        frame.drop(columns="y").assign(c=np.nan).to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--impute", "median")
        assert code == 1
        assert "1 column holds no value at all ('c')" in err


class TestOneHot:
    def test_text_columns(self, call, tmp_path, frame, rng):
        colour = rng.choice(["red", "blue", "green"], size=40)
        frame.assign(colour=colour).to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--label", "y")
        assert code == 1
        assert "1 of 6 columns is not numeric ('colour')" in err
        assert "--one-hot" in err
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "y", "--one-hot", "--json")
        assert code == 0, err
        assert "1 text column became 3 columns of 0 and 1" in err
        wide = frame.drop(columns="y").assign(**{f"colour={c}": colour == c for c in ("blue", "green", "red")}) * 1.0
        expected = FisherScore().fit(wide, frame["y"])
        assert [ranks(out)[c] for c in wide.columns] == list(expected.ranking_)

    def test_too_many_values(self, call, tmp_path, frame, monkeypatch):
        monkeypatch.setattr("eigenselect.io.column_roles.MOST_CATEGORIES", 3)
        frame.assign(name=[f"n{i // 2}" for i in range(40)]).to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--label", "y", "--one-hot")
        assert code == 1
        assert "the column 'name' has 20 different values, too many" in err


class TestFormats:
    def test_parquet(self, call, tmp_path, frame):
        pytest.importorskip("pyarrow")
        frame.to_parquet(tmp_path / "t.parquet")
        code, out, err = call("rank", tmp_path / "t.parquet", "--label", "y", "--json")
        assert code == 0, err
        expected = FisherScore().fit(frame.drop(columns="y"), frame["y"])
        assert [ranks(out)[c] for c in "abcde"] == list(expected.ranking_)
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 is not enough")
        code, _, err = call("rank", tmp_path / "bad.parquet")
        assert code == 1
        assert "cannot be read as parquet, it is damaged or of another kind" in err

    def test_parquet_with_some_labels(self, call, tmp_path, frame):
        pytest.importorskip("pyarrow")
        frame.assign(y=frame["y"].where(np.arange(40) % 4 == 0)).to_parquet(tmp_path / "t.parquet")
        code, _, err = call("rank", tmp_path / "t.parquet", "--label", "y")
        assert code == 0, err
        assert "labels: 10 of 40 samples" in err

    @pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
    def test_h5ad(self, call, tmp_path, frame):
        anndata = pytest.importorskip("anndata")
        X = frame.drop(columns="y").clip(lower=0)
        cells = anndata.AnnData(
            sparse.csr_matrix(X.to_numpy()),
            obs=frame[["y"]].set_axis([f"c{i}" for i in range(40)]),
            var=pd.DataFrame(index=X.columns),
        )
        cells.write_h5ad(tmp_path / "t.h5ad")
        code, out, err = call("rank", tmp_path / "t.h5ad", "--label", "y", "--json")
        assert code == 0, err
        expected = FisherScore().fit(sparse.csr_array(X.to_numpy()), frame["y"])
        assert [ranks(out)[c] for c in "abcde"] == list(expected.ranking_)
        code, _, err = call("rank", tmp_path / "t.h5ad", "--label", "Y")
        assert code == 1
        assert "no column of obs named 'Y'; did you mean 'y'?" in err
        (tmp_path / "bad.h5ad").write_text("nothing")
        code, _, err = call("rank", tmp_path / "bad.h5ad")
        assert code == 1
        assert "cannot be read as h5ad" in err


class TestSimilarityOptions:
    def test_options_make_an_object(self, call, tmp_path, frame):
        frame.drop(columns="y").to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call(
            "rank", tmp_path / "t.csv", "--method", "spec-phi1", "--similarity", "knn:k=5,weight=binary", "--json"
        )
        assert code == 0, err
        with pytest.warns(UnitsWarning, match="'b' of 5"):
            expected = SPEC(ranking="phi1", similarity=KNN(n_neighbors=5, weight="binary")).fit(frame.drop(columns="y"))
        assert [ranks(out)[c] for c in "abcde"] == list(expected.ranking_)
        assert "neighbours 5" in err

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("kn", "similarity must be one of"),
            (
                "knn:q=3",
                "'q=3' is no option of knn; it has algorithm, bandwidth, metric, n_components, "
                "n_neighbors, projection, random_state, weight",
            ),
            ("linear:k=3", "it has none"),
            ("class_labels", "needs --label"),
        ],
    )
    def test_bad_options(self, call, tmp_path, frame, text, says):
        frame.drop(columns="y").to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--method", "spec-phi2", "--similarity", text)
        assert code == 2
        assert says in " ".join(err.split())


class TestText:
    """Tables as spreadsheets of some countries write them."""

    def test_what_was_found_out_is_said(self, call, tmp_path):
        rows = "".join(f"{i},5;{i * i % 7},25\n" for i in range(12))
        (tmp_path / "t.csv").write_text("a;b\n" + rows)
        code, _, err = call("rank", tmp_path / "t.csv")
        assert code == 0
        assert "read with ';' between cells and ',' as decimal mark" in err

    def test_separator_decimal_mark_and_encoding_can_be_named(self, call, tmp_path):
        rows = "".join(f"{i % 9 + 1},23{i % 5}:{i * i % 7}\n" for i in range(12))
        (tmp_path / "t.csv").write_bytes(f"Größe:b\n{rows}".encode("mac-roman"))
        words = ("rank", tmp_path / "t.csv", "--sep", ":", "--encoding", "mac-roman")
        code, _, err = call(*words)
        assert code == 1
        assert "may be 1230 or 1.230" in err
        code, out, err = call(*words, "--decimal", ",", "--json")
        assert code == 0, err
        assert set(ranks(out)) == {"Größe", "b"}

    def test_select_keeps_letters(self, call, tmp_path):
        """A column alone may not show what its marks mean; then it is written without them."""
        path = tmp_path / "t.csv"
        path.write_text("a;b;c\n" + "".join(f"0,{i}50;{i * i % 7 + 1},250;1.23{i}\n" for i in range(10)))
        table = read_table(str(path))
        for kept, cell in (("a", '"0,150"'), ("b", "2.250"), ("c", "1231")):
            others = ",".join(name for name in "abc" if name != kept)
            target = tmp_path / f"{kept}.csv"
            code, _, err = call("select", path, "-k", "1", "--ignore", others, "--decimal", ",", "-o", target)
            assert code == 0, err
            assert target.read_text().splitlines()[2] == cell
            np.testing.assert_array_equal(read_table(str(target)).X[:, 0], table.X[:, "abc".index(kept)])

    def test_select_writes_decimal_commas_between_semicolons(self, call, tmp_path):
        path, target = tmp_path / "t.csv", tmp_path / "out.csv"
        path.write_text("a;b;c\n" + "".join(f"0,{i};{i * i % 7},25;7,{i % 3}\n" for i in range(10)))
        code, _, err = call("select", path, "-k", "2", "--ignore", "c", "-o", target)
        assert code == 0, err
        assert target.read_text().splitlines()[2] == "0,1;1,25"
        np.testing.assert_array_equal(read_table(str(target)).X, read_table(str(path)).X[:, :2])
