"""Reading with --one-hot, --impute and --scale, more formats, similarities with options, and ``select``."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MRSF, SPEC, FisherScore, LaplacianScore
from eigenselect.exceptions import UnitsWarning
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


class TestImpute:
    def test_missing_values_become_medians(self, call, tmp_path, frame):
        holes = frame.drop(columns="y")
        holes.iloc[3:6, 1] = np.nan
        holes.iloc[9, 4] = np.inf
        holes.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv")
        assert code == 1
        assert "4 missing or infinite values in 2 columns" in err
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
        frame.assign(name=[f"n{i}" for i in range(40)]).to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--label", "y", "--one-hot")
        assert code == 1
        assert "the column 'name' has 40 different values, too many" in err


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
            ("knn:q=3", "'q=3' is no option of knn; it has bandwidth, metric, n_neighbors, weight"),
            ("linear:k=3", "it has none"),
            ("class_labels", "needs --label"),
        ],
    )
    def test_bad_options(self, call, tmp_path, frame, text, says):
        frame.drop(columns="y").to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("rank", tmp_path / "t.csv", "--method", "spec-phi2", "--similarity", text)
        assert code == 2
        assert says in " ".join(err.split())


class TestSelect:
    @pytest.mark.parametrize("ending", ["csv", "tsv"])
    def test_text(self, call, tmp_path, frame, ending):
        named = frame.assign(id=[f"s{i}" for i in range(40)])
        named.to_csv(tmp_path / "t.csv", index=False)
        target = tmp_path / f"small.{ending}"
        code, out, err = call("select", tmp_path / "t.csv", "--label", "y", "--samples", "id", "-k", "2", "-o", target)
        assert (code, out) == (0, ""), err
        assert "2 of 5 features" in err
        small = pd.read_csv(target, sep="\t" if ending == "tsv" else ",")
        chosen = FisherScore(2).fit(frame.drop(columns="y"), frame["y"]).get_feature_names_out()
        pd.testing.assert_frame_equal(small, named[["id", "y", *chosen]], check_dtype=False)

    def test_npz_can_be_read_again(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("select", tmp_path / "t.csv", "--label", "y", "-k", "3", "-o", tmp_path / "small.npz")
        assert code == 0, err
        code, out, err = call("rank", tmp_path / "small.npz", "--label", "y", "--json")
        assert code == 0, err
        assert set(ranks(out)) == set(FisherScore(3).fit(frame.drop(columns="y"), frame["y"]).get_feature_names_out())

    def test_sparse_stays_sparse(self, call, tmp_path, frame):
        X = frame.drop(columns="y").clip(lower=0).to_numpy()
        sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(X))
        code, _, err = call("select", tmp_path / "t.npz", "-k", "3", "-o", tmp_path / "small.npz")
        assert code == 0, err
        with pytest.warns(UnitsWarning, match="column 1 of 5"):
            chosen = MRSF(3).fit(sparse.csr_matrix(X)).get_support()
        small = sparse.load_npz(tmp_path / "small.npz")
        np.testing.assert_array_equal(small.toarray(), X[:, chosen])

    def test_without_a_number_nothing_is_selected(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("select", tmp_path / "t.csv", "--label", "y", "-o", tmp_path / "small.csv")
        assert code == 2
        assert "select needs -k: a number or a fraction of features to keep, or auto for the knee" in err
        assert not (tmp_path / "small.csv").exists()

    def test_the_knee_is_said_to_be_no_test(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        words = ("--label", "y", "-k", "auto")
        _, _, err = call("select", tmp_path / "t.csv", *words, "-o", tmp_path / "small.csv")
        kept = len(pd.read_csv(tmp_path / "small.csv").columns) - 1
        says = f"-k auto: {kept} features, up to the knee of the sorted scores; that is no test of the others\n"
        assert says in err
        assert says in call("rank", tmp_path / "t.csv", *words)[2]
        assert "-k auto" not in call("rank", tmp_path / "t.csv", "--label", "y", "-k", "2")[2]
        expected = FisherScore("auto").fit(frame.drop(columns="y"), frame["y"]).get_feature_names_out()
        assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["y", *expected]

    def test_bad_output(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-o", tmp_path / "small.xls")
        assert code == 2
        assert "must be .csv, .tsv or .npz" in err
        (tmp_path / "small.csv").write_text("old")
        words = ("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-o", tmp_path / "small.csv")
        code, _, err = call(*words)
        assert code == 1
        assert (tmp_path / "small.csv").read_text() == "old"
        code, _, _ = call(*words, "--force", "-q")
        assert code == 0

    @pytest.mark.parametrize("ending", ["csv", "npz"])
    def test_labels_come_back_letter_by_letter(self, call, tmp_path, frame, ending):
        classes = np.where(frame["y"] == "yes", "012", "12")
        frame.assign(y=np.where(np.arange(40) % 5 == 0, "", classes)).to_csv(tmp_path / "t.csv", index=False)
        target = tmp_path / f"small.{ending}"
        assert call("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-o", target)[0] == 0
        if ending == "csv":
            assert set(pd.read_csv(target, dtype=str, keep_default_na=False)["y"]) == {"", "012", "12"}
        _, out, err = call("rank", target, "--label", "y", "--json")
        assert json.loads(out)["n_labelled"] == 32, err

    def test_classes_that_differ_in_zeros(self, call, tmp_path, frame):
        frame.assign(y=frame["y"].map({"yes": "007", "no": "07"})).to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "y", "--json")
        assert code == 0, err
        assert json.loads(out)["graph"]["n_classes"] == 2

    def test_empty_text_in_an_archive_is_no_class(self, call, tmp_path, frame):
        labels = np.where(np.arange(40) % 4 < 2, frame["y"].to_numpy(str), "")
        np.savez(tmp_path / "t.npz", X=frame.drop(columns="y").to_numpy(), y=labels)
        _, out, err = call("rank", tmp_path / "t.npz", "--label", "y", "--json")
        result = json.loads(out)
        assert (result["method"], result["n_labelled"]) == ("sselect", 20), err

    def test_missing_text_is_no_class_after_a_round_trip(self, call, tmp_path, frame):
        frame.assign(y=frame["y"].where(np.arange(40) % 4 < 2)).to_csv(tmp_path / "t.csv", index=False)
        assert call("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-o", tmp_path / "small.npz")[0] == 0
        _, out, err = call("rank", tmp_path / "small.npz", "--label", "y", "--json")
        assert json.loads(out)["n_labelled"] == 20, err

    @pytest.mark.parametrize("name", ["X", "feature_names", "data", "indptr"])
    def test_a_label_column_cannot_take_the_place_of_the_table(self, call, tmp_path, frame, name):
        frame.rename(columns={"y": name}).to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("select", tmp_path / "t.csv", "--label", name, "-k", "2", "-o", tmp_path / "small.npz")
        assert (code, len(err.splitlines())) == (1, 1)
        assert f"an npz archive has an array {name!r} of its own" in err
        assert not (tmp_path / "small.npz").exists()
        assert call("select", tmp_path / "t.csv", "--label", name, "-k", "2", "-o", tmp_path / "small.csv")[0] == 0

    def test_a_feature_called_sample(self, call, tmp_path, frame):
        frame.drop(columns="y").rename(columns={"a": "sample"}).to_csv(tmp_path / "t.csv")
        code, _, err = call("select", tmp_path / "t.csv", "-k", "5", "-o", tmp_path / "small.csv")
        assert code == 0, err
        assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["sample_", "sample", "b", "c", "d", "e"]

    def test_a_label_called_as_a_feature_is_said_to_be_renamed(self, call, tmp_path, frame):
        X = frame.drop(columns="y").to_numpy()
        np.savez(tmp_path / "t.npz", X=X, a=frame["y"].to_numpy(str), feature_names=list("abcde"))
        code, _, err = call("select", tmp_path / "t.npz", "--label", "a", "-k", "5", "-o", tmp_path / "small.csv")
        assert code == 0, err
        assert "warning: a feature is called 'a' too; the column is written as 'a_'" in err
        assert list(pd.read_csv(tmp_path / "small.csv").columns) == ["a_", *"abcde"]

    def test_names_of_samples_of_h5ad(self, call, tmp_path, frame):
        anndata = pytest.importorskip("anndata")
        X = frame.drop(columns="y")
        obs = frame[["y"]].assign(id=[f"p{i}" for i in range(40)]).set_axis([f"c{i}" for i in range(40)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            anndata.AnnData(X.to_numpy(), obs=obs, var=pd.DataFrame(index=X.columns)).write_h5ad(tmp_path / "t.h5ad")
        words = ("select", tmp_path / "t.h5ad", "--label", "y", "-k", "2", "--samples")
        assert call(*words, "id", "-o", tmp_path / "small.csv")[0] == 0
        assert list(pd.read_csv(tmp_path / "small.csv")["id"]) == list(obs["id"])
        code, _, err = call(*words, "nonsense", "-o", tmp_path / "other.csv")
        assert code == 1
        assert "no column of obs named 'nonsense'" in err
