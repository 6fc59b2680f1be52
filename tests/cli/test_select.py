"""``eigenselect select``: the table with its best features only."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MRSF, FisherScore
from eigenselect.exceptions import KneeWarning, UnitsWarning


@pytest.fixture
def frame(rng):
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 5)) * [1, 100, 0.01, 1, 1], columns=list("abcde"))
    X["b"] += 250 * y
    return X.assign(y=np.where(y, "yes", "no"))


def ranks(out):
    return {f["feature"]: f["rank"] for f in json.loads(out)["features"]}


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
        assert "select needs -k: a number or a fraction of features to keep, fdr for those" in err
        assert not (tmp_path / "small.csv").exists()

    def test_the_knee_is_said_to_be_no_test(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        words = ("--label", "y", "-k", "auto", "--significance", "none")
        _, _, err = call("select", tmp_path / "t.csv", *words, "-o", tmp_path / "small.csv")
        kept = len(pd.read_csv(tmp_path / "small.csv").columns) - 1
        says = f"-k auto: {kept} features, up to the knee of the sorted scores; that is no test of the others\n"
        assert says in err
        assert says in call("rank", tmp_path / "t.csv", *words)[2]
        assert "-k auto" not in call("rank", tmp_path / "t.csv", "--label", "y", "-k", "2")[2]
        assert "warning" not in err
        with pytest.warns(KneeWarning):
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
