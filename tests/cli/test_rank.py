"""``eigenselect rank``: the ranking is the library's, whatever method and options."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.reporting.conftest import data_of

from eigenselect import MRSF, SPEC, FisherScore, LaplacianScore, SSelect, report
from eigenselect.criteria.table import METHODS, Labels
from eigenselect.exceptions import KneeWarning
from eigenselect.reporting.page import rounded
from eigenselect.similarity import ClassLabels


def test_json_with_labels_and_an_awkward_name(call, data_csv, frame, awkward):
    code, out, err = call("rank", data_csv, "--label", "y", "-k", "3", "--json")
    assert code == 0
    result = json.loads(out)
    X = frame.drop(columns="y")
    expected = SPEC(3, similarity=ClassLabels()).fit(X, frame["y"])
    order = np.argsort(expected.ranking_)[:3]
    assert [f["feature"] for f in result["features"]] == list(X.columns[order])
    assert result["features"][0]["feature"] == awkward
    assert [f["score"] for f in result["features"]] == pytest.approx(expected.scores_[order], rel=1e-9)
    assert (result["n_samples"], result["n_features"], result["n_selected"]) == (40, 7, 3)
    assert "samples of one class are alike" in err


@pytest.mark.parametrize("row", [row for row in METHODS if row.command == "rank"], ids=lambda row: row.name)
def test_every_method(call, data_csv, frame, row):
    supervised = row.labels is Labels.NEEDED
    words = ("--label", "y") if supervised else ("--ignore", "y")
    code, out, err = call("rank", data_csv, *words, "--method", row.name, "--json")
    assert code == 0, err
    selector = row.selector_class()(**row.parameters, random_state=0)
    selector.fit(frame.drop(columns="y"), frame["y"] if supervised else None)
    found = {f["column"]: f["rank"] for f in json.loads(out)["features"]}
    ranks = [int(rank) if rank <= selector.n_ordered_ else None for rank in selector.ranking_]
    assert [found[j] for j in range(7)] == ranks


@pytest.mark.parametrize("numbers", [False, True])
def test_empty_labels_make_it_semi_supervised(call, data_csv, frame, numbers):
    y = pd.factorize(frame["y"])[0] if numbers else frame["y"].to_numpy(dtype=object)
    partly = pd.Series(y).where(np.arange(40) % 4 == 0)
    frame.assign(y=partly).to_csv(data_csv, index=False)
    code, out, err = call("rank", data_csv, "--label", "y", "--json")
    assert code == 0, err
    assert "labels: 10 of 40 samples" in err
    result = json.loads(out)
    assert (result["method"], result["n_labelled"]) == ("sselect", 10)
    expected = SSelect().fit(frame.drop(columns="y"), partly)
    found = {f["column"]: f["rank"] for f in result["features"]}
    assert [found[j] for j in range(7)] == list(expected.ranking_)
    code, _, err = call("rank", data_csv, "--label", "y", "--method", "laplacian")
    assert code == 0, err
    assert "y is left out of the features and not used" in err


def test_without_labels_some_features_are_chosen_together_and_all_are_ordered_one_by_one(
    call, data_csv, frame, monkeypatch
):
    """docs/unsupervised.md says why."""
    X = frame.drop(columns="y")

    def ranked(*words):
        code, out, _ = call("rank", data_csv, "--ignore", "y", *words, "--json")
        assert code == 0
        result = json.loads(out)
        return result["method"], [f["feature"] for f in result["features"]]

    together = MRSF(3).fit(X)
    assert ranked("-k", "3") == ("mrsf", list(X.columns[together.path_]))
    for words in ((), ("-k", "0.5"), ("-k", "auto")):
        assert ranked(*words)[0] == "laplacian"
    monkeypatch.setattr("eigenselect.cli.run.MOST_TOGETHER", 39)
    assert ranked("-k", "3")[0] == "laplacian"


def test_units_are_named_with_the_option_that_mends_them(call, tmp_path, frame):
    frame["f3"] *= 1000
    frame.to_csv(tmp_path / "units.csv", index=False)
    _, _, err = call("rank", tmp_path / "units.csv", "--ignore", "y")
    assert "warning: LaplacianScore: 'f3' of 7 features makes up over 90%" in err
    assert "--scale standard" in err
    _, _, err = call("rank", tmp_path / "units.csv", "--ignore", "y", "--scale", "standard")
    assert "warning" not in err


def test_auto_and_fractions(call, data_csv, frame):
    _, out, _ = call("rank", data_csv, "--ignore", "y", "-k", "auto", "--json")
    with pytest.warns(KneeWarning) as caught:
        expected = LaplacianScore("auto").fit(frame.drop(columns="y")).n_features_
    result = json.loads(out)
    assert (result["n_selected"], result["warnings"]) == (expected, [])  # the command has its own words
    assert f"keeps {expected} feature" in str(caught[0].message)
    for text, count in (("0.5", 3), ("5e-1", 3), ("1.0", 7), ("1", 1)):
        _, out, _ = call("rank", data_csv, "--ignore", "y", "-k", text, "--json")
        assert json.loads(out)["n_selected"] == count


def test_options_reach_the_method(call, data_csv, frame):
    words = ("--ignore", "y", "--method", "spec-phi3", "--clusters", "3", "--power", "2", "--similarity", "rbf")
    _, out, _ = call("rank", data_csv, *words, "--json")
    expected = SPEC(ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf").fit(frame.drop(columns="y"))
    scores = {f["column"]: f["score"] for f in json.loads(out)["features"]}
    np.testing.assert_allclose([scores[j] for j in range(7)], expected.scores_, rtol=1e-9)


def test_unused_labels_are_said_to_be_unused(call, data_csv):
    _, out, err = call("rank", data_csv, "--label", "y", "--method", "laplacian")
    assert "y is left out" in err
    assert "tumour" not in out
    said = "labels: y is left out of the features and not used"
    for similarity, unused in (("knn", True), ("rbf", True), ("class_labels", False), ("hit_miss", False)):
        words = ("--method", "spec-phi2", "--similarity", similarity)
        code, _, err = call("rank", data_csv, "--label", "y", *words)
        assert (code, said in err) == (0, unused), similarity
    assert said not in call("rank", data_csv, "--label", "y")[2]
    _, _, err = call("rank", data_csv, "--label", "y", "--method", "laplacian", "--similarity", "class_labels")
    assert said not in err


def test_undefined_scores_are_null_last_and_warned_about(call, data_csv, frame):
    frame.assign(f0=1.5).to_csv(data_csv, index=False)
    code, out, err = call("rank", data_csv, "--label", "y", "--json")
    last = json.loads(out)["features"][-1]
    assert (code, last["feature"], last["score"]) == (0, "f0", None)
    assert "warning: FisherScore: 1 of 7 features has no score" in err


@pytest.mark.parametrize(("options", "graph"), [(["--label", "class"], "ClassLabels"), ([], "RBF")])
def test_mrsf_takes_labels_or_does_without(call, rng, tmp_path, options, graph):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(rng.normal(size=(30, 6)), columns=list("abcdef"))
    frame["b"] = frame["a"]  # a copy
    frame.assign(**({"class": np.arange(30) % 3} if options else {})).to_csv(path, index=False)
    code, out, _ = call("rank", path, *options, "--method", "mrsf", "-k", "3", "--json")
    assert code == 0
    result = json.loads(out)
    assert result["graph"]["similarity"] == graph
    assert not {"a", "b"} <= {feature["feature"] for feature in result["features"]}


def test_features_that_are_not_ordered_have_no_rank(call, data_csv, tmp_path):
    code, out, err = call("rank", data_csv, "--label", "y", "--method", "mrsf", "--json")
    assert code == 0, err
    result = json.loads(out)
    ranks = [row["rank"] for row in result["features"]]
    assert ranks == [*range(1, result["n_ordered"] + 1), *[None] * (7 - result["n_ordered"])]
    assert 0 < result["n_ordered"] < 7
    text = call("rank", data_csv, "--label", "y", "--method", "mrsf")[1].splitlines()
    assert [line.split()[0] for line in text[2:]] == ["–" if rank is None else str(rank) for rank in ranks]
    assert call("rank", data_csv, "--label", "y", "--method", "mrsf", "-o", tmp_path / "r.csv")[0] == 0
    written = pd.read_csv(tmp_path / "r.csv")["rank"]
    assert written.isna().sum() == 7 - result["n_ordered"]


class TestEvaluation:
    def page_data(self, path):
        return data_of(path.read_text(encoding="utf-8"))["evaluation"]

    def test_a_page_says_what_refits_say(self, call, data_csv, frame, tmp_path):
        page = tmp_path / "page.html"
        code, _, err = call("rank", data_csv, "--label", "y", "-k", "2", "--method", "fisher", "--report", page)
        assert code == 0, err
        X = frame.drop(columns="y")
        expected = report(FisherScore(2, random_state=0).fit(X, frame["y"]), X, frame["y"]).summary["evaluation"]
        assert self.page_data(page) == rounded(expected)
        assert expected["accuracy"]["beyond_chance"]

    def test_it_can_be_turned_off(self, call, data_csv, tmp_path, monkeypatch):
        monkeypatch.setattr("eigenselect.reporting.add_evaluation", None)  # it is not called
        page = tmp_path / "page.html"
        code, _, err = call("rank", data_csv, "--label", "y", "-k", "2", "--report", page, "--no-evaluation")
        assert code == 0, err
        assert self.page_data(page) is None

    def test_without_a_page_nothing_is_fitted_again(self, call, data_csv, monkeypatch):
        monkeypatch.setattr("eigenselect.reporting.add_evaluation", None)
        code, out, err = call("rank", data_csv, "--label", "y", "-k", "2", "--json")
        assert code == 0, err
        assert "evaluation" not in json.loads(out)

    def test_a_graph_of_the_file_is_cut_with_the_samples(self, call, tmp_path):
        pytest.importorskip("anndata")
        from tests.cli.test_scores_file import made, written

        path, page = written(tmp_path / "s.h5ad", made()), tmp_path / "page.html"
        words = ("--obsp", "connectivities", "--method", "laplacian", "-k", "3", "--report", page)
        code, _, err = call("rank", path, *words)
        assert code == 0, err
        found = self.page_data(page)
        assert set(found["missing"]) == {"accuracy"}
        assert found["stability"]["of"] == found["band"]["of"] == "the samples against their graph"
