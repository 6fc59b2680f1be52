"""``eigenselect select``: the table with its best features only."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MRSF, FisherScore
from eigenselect.exceptions import KneeWarning, UnitsWarning
from eigenselect.io.readers import read_table


@pytest.fixture
def frame(rng):
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 5)) * [1, 100, 0.01, 1, 1], columns=list("abcde"))
    X["b"] += 250 * y
    return X.assign(y=np.where(y, "yes", "no"))


def anndata_obs(path):
    import anndata

    return anndata.read_h5ad(path).obs


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
        assert kept == 1
        says = f"-k auto: {kept} feature, up to the knee of the sorted scores; that is no test of the others\n"
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
        assert "must be .csv, .tsv, .parquet, .npz or .h5ad." in err
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

    @pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "h5ad"])
    def test_ids_come_along_letter_by_letter(self, call, tmp_path, frame, ending):
        for package in {"parquet": ["pyarrow"], "h5ad": ["anndata"]}.get(ending, ()):
            pytest.importorskip(package)
        ids = [f"{i:03d}" for i in range(40)]
        frame.assign(patient_id=ids, visit_id=range(100, 140)).to_csv(tmp_path / "x.csv", index=False)
        target = tmp_path / f"out.{ending}"
        code, _, err = call("select", tmp_path / "x.csv", "--label", "y", "-k", "1", "-o", target)
        assert code == 0, err
        assert (
            "warning: 2 columns of ids ('patient_id', 'visit_id') not ranked; give them other names to rank them" in err
        )
        if ending == "npz":
            found = {name: values.tolist() for name, values in np.load(target).items()}
        elif ending == "h5ad":
            found = anndata_obs(target)
        elif ending == "parquet":
            found = pd.read_parquet(target)
            assert list(found) == ["y", "patient_id", "visit_id", "b"]
        else:
            found = pd.read_csv(target, sep="\t" if ending == "tsv" else ",", dtype=str)
            assert list(found) == ["y", "patient_id", "visit_id", "b"]
        assert list(found["patient_id"]) == ids
        assert [int(number) for number in found["visit_id"]] == list(range(100, 140))

    def test_ids_of_parquet_keep_their_type(self, call, tmp_path, frame):
        pytest.importorskip("pyarrow")
        frame.assign(patient_id=np.arange(40, dtype=np.int16)).to_parquet(tmp_path / "x.parquet", index=False)
        call("select", tmp_path / "x.parquet", "--label", "y", "-k", "1", "-o", tmp_path / "out.parquet")
        assert pd.read_parquet(tmp_path / "out.parquet").dtypes.astype(str).to_dict()["patient_id"] == "int16"

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


LETTERS = """id;type;a;b;c
s1;u;1.50;6;0.1
s2;v;2;06.0;1e3
s3;u;1.25;9007199254740993;7
s4;v;2.75;1;-0
s5;u;1.0;2;12
s6;v;3.50;3;5
"""


class TestStandardOutput:
    """``select … > small.csv``."""

    @pytest.mark.parametrize("words", [(), ("-o", "-")])
    def test_is_what_a_csv_would_hold(self, call, tmp_path, frame, words):
        frame.to_csv(tmp_path / "t.csv", index=False)
        asked = ("select", tmp_path / "t.csv", "--label", "y", "-k", "2")
        assert call(*asked, "-o", tmp_path / "small.csv", "-q") == (0, "", "")
        code, out, err = call(*asked, *words)
        assert (code, out) == (0, (tmp_path / "small.csv").read_text())
        assert err.splitlines()[0].endswith("40 samples, 5 features")
        assert "-k 2: the 2 best" in err
        assert call(*asked, *words, "-q") == (0, out, "")

    def test_can_be_read_from_standard_input(self, call, tmp_path, frame, monkeypatch):
        frame.to_csv(tmp_path / "t.csv", index=False)
        expected = call("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-q")[1]
        (tmp_path / "small.csv").write_text(expected)
        with open(tmp_path / "small.csv") as file:
            monkeypatch.setattr("sys.stdin", file)
            assert call("select", "-", "--label", "y", "-k", "2", "-q")[1] == expected

    def test_is_not_a_file_that_is_read(self, call, tmp_path, frame, monkeypatch):
        frame.to_csv(tmp_path / "t.csv", index=False)
        before = (tmp_path / "t.csv").read_bytes()
        with open(tmp_path / "t.csv", "a") as file:
            monkeypatch.setattr("sys.stdout", file)
            assert call("select", tmp_path / "t.csv", "--label", "y", "-k", "2")[0] == 1
        assert (tmp_path / "t.csv").read_bytes() == before

    def test_nothing_is_printed_where_nothing_is_chosen(self, call, tmp_path, rng):
        noise = pd.DataFrame(rng.normal(size=(40, 5)), columns=list("abcde")).assign(y=np.arange(40) % 2)
        noise.to_csv(tmp_path / "t.csv", index=False)
        words = ("select", tmp_path / "t.csv", "--label", "y", "-k", "fdr", "--alpha", "1e-9")
        code, out, err = call(*words)
        assert (code, out) == (1, "")
        assert "no feature is chosen, so nothing is printed; rank shows all of them." in err

    def test_a_device_is_not_named(self, call, tmp_path, frame):
        frame.to_csv(tmp_path / "t.csv", index=False)
        code, _, err = call("select", tmp_path / "t.csv", "--label", "y", "-k", "2", "-o", "/dev/null")
        assert code == 1
        assert "is not a file but a device or a pipe; leave out -o to write to standard output." in err


class TestLetters:
    def test_of_text_come_back_in_text(self, call, tmp_path):
        (tmp_path / "t.csv").write_text(LETTERS.replace(";", ","))
        words = ("select", tmp_path / "t.csv", "--label", "type", "--samples", "id", "-k", "3", "-q")
        assert call(*words) == (0, LETTERS.replace(";", ","), "")

    def test_labels_of_a_second_file_come_along(self, call, tmp_path):
        lines = [line.split(";") for line in LETTERS.splitlines()]
        (tmp_path / "t.csv").write_text("\n".join(",".join([id, *rest]) for id, _, *rest in lines) + "\n")
        (tmp_path / "l.csv").write_text("\n".join(",".join(line[:2]) for line in [lines[0], *lines[:0:-1]]) + "\n")
        words = ("select", tmp_path / "t.csv", "--labels", tmp_path / "l.csv", "--samples", "id", "-k", "3", "-q")
        assert call(*words) == (0, LETTERS.replace(";", ","), "")


class TestAnnotated:
    """h5ad in and out."""

    @pytest.fixture
    def data(self):
        from tests.cli.test_scores_file import made

        return made()

    @pytest.fixture
    def path(self, tmp_path, data):
        from tests.io.annotated import written

        return written(tmp_path / "s.h5ad", data)

    @pytest.mark.parametrize(
        "words",
        [
            ("--label", "type", "-k", "2"),
            ("--label", "type", "-k", "fdr"),
            ("--obsp", "spatial_connectivities", "-k", "3"),
            ("--layer", "log", "--label", "type", "-k", "3"),
            ("--ignore", "g2", "--method", "laplacian", "-k", "3"),
        ],
    )
    def test_is_the_table_of_the_kept_genes(self, call, tmp_path, data, path, words):
        from tests.io.annotated import same_tables, stored

        anndata = pytest.importorskip("anndata")
        rows = json.loads(call("rank", path, *words, "--json")[1])["features"]
        kept = sorted(row["feature"] for row in rows)
        assert call("select", path, *words, "-o", tmp_path / "t.h5ad", "-q") == (0, "", "")
        same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), data[:, kept].copy())
        before, after = stored(path), stored(tmp_path / "t.h5ad")
        for name in before:
            if name.split("/")[0] in ("obs", "obsm", "obsp", "uns", "raw"):
                assert after[name] == before[name]

    def test_raw_takes_the_place_of_x(self, call, tmp_path, data, path):
        anndata = pytest.importorskip("anndata")
        code, _, err = call("select", path, "--raw", "--label", "type", "-k", "3", "-o", tmp_path / "t.h5ad")
        assert code == 0
        assert "warning: raw is X now; layers, varm and varp" in err
        found = anndata.read_h5ad(tmp_path / "t.h5ad")
        expected = data.raw.to_adata()[:, found.var_names]
        np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())

    def test_labels_of_a_second_file_stand_in_obs(self, call, tmp_path, data, path):
        anndata = pytest.importorskip("anndata")
        labels = pd.DataFrame({"kind": np.where(np.arange(60) % 2, "odd", "even")}, index=data.obs_names)
        labels.sample(frac=1, random_state=0).to_csv(tmp_path / "l.csv", index_label="cell")
        code, _, err = call("select", path, "--labels", tmp_path / "l.csv", "-k", "2", "-o", tmp_path / "t.h5ad")
        assert code == 0, err
        found = anndata.read_h5ad(tmp_path / "t.h5ad").obs
        assert found["kind"].tolist() == labels["kind"].tolist()
        pd.testing.assert_series_equal(found["type"], data.obs["type"])

    def test_of_equal_names_the_right_one_is_kept(self, call, tmp_path, data):
        from tests.io.annotated import written

        anndata = pytest.importorskip("anndata")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data.var_names = ["a", "b", "a", "c", "d", "e", "f", "g"]
            path = written(tmp_path / "twice.h5ad", data)
        assert call("select", path, "--label", "type", "-k", "1", "-o", tmp_path / "t.h5ad", "-q") == (0, "", "")
        found = anndata.read_h5ad(tmp_path / "t.h5ad")
        assert found.var["length"].tolist() == [2]  # the second one
        np.testing.assert_array_equal(found.X.toarray(), data.X[:, [2]].toarray())

    @pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
    def test_from_other_formats_a_new_file_has_labels_in_obs(self, call, tmp_path, frame, ending):
        anndata = pytest.importorskip("anndata")
        frame = frame.assign(id=[f"s{i}" for i in range(40)])
        if ending == "csv":
            frame.to_csv(tmp_path / "t.csv", index=False)
        elif ending == "parquet":
            pytest.importorskip("pyarrow")
            frame.to_parquet(tmp_path / "t.parquet")
        else:
            X = frame[list("abcde")].to_numpy()
            np.savez(tmp_path / "t.npz", X=X, feature_names=list("abcde"), y=frame["y"].to_numpy(str),
                     id=frame["id"].to_numpy(str))  # fmt: skip
        words = ("select", tmp_path / f"t.{ending}", "--label", "y", "--samples", "id", "-k", "2", "-q")
        assert call(*words, "-o", tmp_path / "small.h5ad") == (0, "", "")
        found = anndata.read_h5ad(tmp_path / "small.h5ad")
        chosen = FisherScore(2).fit(frame[list("abcde")], frame["y"]).get_feature_names_out()
        np.testing.assert_array_equal(found.X, frame[chosen].to_numpy())
        assert found.var_names.tolist() == list(chosen)
        assert found.obs_names.tolist() == frame["id"].tolist()
        assert found.obs["y"].tolist() == frame["y"].tolist()


class TestDecimalCommas:
    """What is written is read again as the same numbers, whatever was made of them here."""

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("kind;a;b\nx;0,5;1\ny;1,5;2\nx;2,5;4\nz;0,1;9\n", ["--one-hot"]),
            ("a;a;b;c\n0,5;1;694,288;1\n1,5;2;461,532;2\n2,5;4;175,145;0\n", ["--duplicates", "mean"]),
            ("g;s1;s2;s3\na;0,5;1;4\na;1;2,25;3\nb;694,288;461,532;175,145\nc;0,25;0,5;0\n",
             ["--transpose", "--duplicates", "mean"]),
            ("g;s1;s2;s3\na;0,5;1;4\nb;694,288;461,532;175,145\n", ["--transpose"]),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("count", ["1", "2", "3"])
    @pytest.mark.parametrize("ending", ["csv", "tsv"])
    def test_round_trip(self, call, tmp_path, text, options, count, ending):
        path, target = tmp_path / "t.csv", tmp_path / f"small.{ending}"
        path.write_text(text)
        asked = {
            "one_hot": "--one-hot" in options,
            "transpose": "--transpose" in options,
            "duplicates": "mean" if "mean" in options else "error",
        }
        before = read_table(str(path), **asked)
        kept = str(min(int(count), len(before.feature_names)))
        code, _, err = call("select", path, *options, "--method", "variance", "-k", kept, "-o", target)
        assert code == 0, err
        after = read_table(str(target))
        assert len(after.feature_names) == int(kept)
        places = [before.feature_names.index(name) for name in after.feature_names]
        np.testing.assert_array_equal(after.X, before.X[:, places])
