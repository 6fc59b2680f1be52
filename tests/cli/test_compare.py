"""``eigenselect compare``: numbers are the library's, on stdout; the rest on stderr."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from eigenselect import FisherScore, LaplacianScore
from eigenselect.cli.compare import _as_text
from eigenselect.criteria.table import METHODS
from eigenselect.evaluation import accuracy_curves, redundancy_rate
from eigenselect.reporting import compare
from eigenselect.sensitivity import ranking_stability


@pytest.fixture
def data(tmp_path, rng):
    y = np.arange(45) % 3
    X = pd.DataFrame(rng.normal(size=(45, 8)), columns=[f"f{j}" for j in range(8)])
    X["f2"] += 3 * y
    path = tmp_path / "data.csv"
    X.assign(y=np.array(list("abc"))[y]).to_csv(path, index=False)
    return path, X, np.array(list("abc"))[y]


def test_every_number_is_the_librarys(call, data):
    path, X, y = data
    code, out, err = call(
        "compare", path, "--label", "y", "--methods", "fisher,laplacian", "-k", "3", "--sizes", "1,4", "--json"
    )
    assert code == 0, err
    result = json.loads(out)
    assert (result["n_samples"], result["n_features"], result["n_selected"]) == (45, 8, 3)
    selectors = {"fisher": FisherScore(3), "laplacian": LaplacianScore(3)}
    curves = accuracy_curves(selectors, X, y, [1, 4])
    tops = {}
    for row, (name, selector) in enumerate(selectors.items()):
        found = result["methods"][name]
        fitted = selector.fit(X, y)
        top = np.argsort(fitted.ranking_)[:3]
        tops[name] = set(top)
        assert found["features"] == [f"f{j}" for j in top]
        assert found["redundancy"] == pytest.approx(redundancy_rate(X.to_numpy()[:, top]))
        assert list(found["accuracy"].values()) == pytest.approx(list(curves.mean[row]))
        stability = ranking_stability(selector, X, y, n_repeats=10, random_state=0)
        assert found["stability"] == pytest.approx(stability.corrected_overlap)
    shared = len(tops["fisher"] & tops["laplacian"]) / 3
    assert result["methods"]["fisher"]["shared"] == {"laplacian": shared}
    assert "always answering the largest class: 0.333" in err


def test_what_will_take_long_is_said_before_it_starts(call, data, monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenselect.reporting.summarise_comparison", stopped)
    _, _, err = call("compare", data[0], "--label", "y", "--folds", "3")
    told, last = err.splitlines()
    assert told.endswith("8 features, 4 methods; each is fitted about 22 times (folds, permuted labels, subsamples)")
    assert last == "eigenselect: interrupted"
    _, _, err = call("compare", data[0], "--label", "y", "-q")
    assert err == "eigenselect: interrupted\n"


def test_a_lack_of_memory_names_options_that_it_has(call, data, monkeypatch):
    def short(*args, **options):
        raise MemoryError

    monkeypatch.setattr("eigenselect.reporting.summarise_comparison", short)
    code, _, err = call("compare", data[0], "--label", "y", "-q")
    assert code == 1
    known = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", call("compare", "--help")[1], re.M)
    assert set(re.findall(r"--[a-z]+", err)) <= set(known)


def test_methods_as_a_table(call, data):
    code, out, err = call("compare", data[0], "--label", "y", "-k", "3", "--sizes", "2,5")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split()[0] == "method"
    methods = ["laplacian", "spec-phi3", "fisher", "relieff"]
    assert [line.split()[0] for line in lines[2:10:2]] == methods
    assert [line.split()[0] for line in lines[3:10:2]] == ["permuted"] * 4
    assert "shared features" in out


@pytest.mark.parametrize("best", ["fisher", "laplacian", None])
def test_a_star_marks_the_best_only(data, best):
    _, X, y = data
    made = compare({"fisher": FisherScore(), "laplacian": LaplacianScore()}, X, y, n_features=3, sizes=[1, 3])
    made.summary["best"] = {"1": best, "3": None}
    lines = _as_text(made.summary).splitlines()
    assert [line.split()[0] for line in lines if re.search(r"±\.\d{3}\*", line)] == ([best] if best else [])
    assert lines[-1].startswith("* ") == (best is not None)
    for name, below in zip(lines[2:6:2], lines[3:6:2], strict=True):
        facts = made.summary["methods"][name.split()[0]]
        expected = [*facts["accuracy_permuted"].values(), facts["stability_permuted"]]
        assert [float(number) for number in below.split()[1:]] == pytest.approx(expected, abs=5e-3)
        assert f" ±{facts['accuracy_deviation']['3']:.3f}".replace("±0.", "±.") in name


@pytest.mark.parametrize("ending", ["csv", "tsv", "json"])
def test_files(call, data, tmp_path, ending):
    target = tmp_path / f"table.{ending}"
    code, out, _ = call("compare", data[0], "--label", "y", "--methods", "fisher", "-k", "2", "-o", target, "-q")
    assert (code, out) == (0, "")
    if ending == "json":
        assert json.loads(target.read_text())["n_selected"] == 2
    else:
        table = pd.read_csv(target, sep="\t" if ending == "tsv" else ",")
        assert list(table["method"]) == ["fisher"]
        assert {"accuracy_2", "redundancy", "stability", "features"} <= set(table.columns)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "compare needs --label"),
        (["--label", "y", "--methods", "fisher,magic"], 2, "'magic' is none of"),
        (["--label", "y", "--sizes", "2,x"], 2, "not a list of whole numbers"),
        (["--label", "z"], 1, "no column named 'z'"),
    ],
)
def test_bad_usage(call, data, words, code, says):
    got, _, err = call("compare", data[0], *words)
    assert got == code
    assert says in " ".join(err.split())


def test_a_class_of_one_sample(call, data, tmp_path):
    data[1].assign(y=["z", "z"] + ["x"] * 42 + ["007"]).to_csv(tmp_path / "single.csv", index=False)
    code, out, err = call("compare", tmp_path / "single.csv", "--label", "y")
    assert (code, out) == (1, "")
    assert (
        "needs at least 2 samples of each class, but 1 of 3 classes in 'y' has 1 ('007'); leave that sample out" in err
    )


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_features_of_a_row_can_be_told_apart(call, data, tmp_path, ending):
    path, X, y = data
    names = ["a b", "a", "b", "c; d", "e, f", 'g "h"', "i", "naïve"]
    X.set_axis(names, axis=1).assign(y=y).to_csv(path, index=False)
    target = tmp_path / f"out.{ending}"
    assert call("compare", path, "--label", "y", "--methods", "fisher", "-k", "8", "-q", "-o", target)[0] == 0
    table = pd.read_csv(target, sep="\t" if ending == "tsv" else ",")
    assert set(json.loads(table["features"][0])) == set(names)


def test_missing_labels(call, data, tmp_path):
    frame = pd.read_csv(data[0])
    frame.loc[:4, "y"] = None
    frame.to_csv(tmp_path / "partly.csv", index=False)
    code, _, err = call("compare", tmp_path / "partly.csv", "--label", "y")
    assert code == 2
    assert "5 samples have none" in err


def test_every_ranking_method_can_be_compared(call, data):
    code, out, err = call(
        "compare", data[0], "--label", "y", "--methods", ",".join(METHODS.names()), "-k", "2", "--sizes", "2", "--json"
    )
    assert code == 0, err
    assert list(json.loads(out)["methods"]) == METHODS.names()


@pytest.mark.parametrize(("count", "expected"), [("0.5", 4), ("1.0", 8), ("3", 3), (None, 8)])
def test_how_many_features(call, data, count, expected):
    words = ["compare", data[0], "--label", "y", "--methods", "fisher", "--sizes", "2", "--json"]
    code, out, err = call(*words, *(["-k", count] if count else []))
    assert code == 0, err
    assert len(json.loads(out)["methods"]["fisher"]["features"]) == expected


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("-k auto", 2, "auto would give each method another number of features, which cannot be compared; name one"),
        ("-k 9", 1, "-k 9: the table has 8 features to rank; ask for at most as many."),
        ("-k many", 2, "'many' is not a positive whole number"),
        ("--methods fisher,laplacain", 2, "'laplacain' is none of"),
        ("--methods fisher,laplacain", 2, "; did you mean 'laplacian'?"),
        ("--methods Fisher", 2, "; did you mean 'fisher'?"),
        ("--methods ,", 2, "'' is none of"),
    ],
)
def test_words_that_cannot_be_meant(call, data, words, code, says):
    found, out, err = call("compare", data[0], "--label", "y", *words.split())
    assert (found, out) == (code, "")
    assert says in " ".join(err.split())


def test_a_method_that_orders_fewer_has_no_accuracy_there(call, data):
    path, X, y = data
    X.join(X.add_suffix("_again")).assign(y=y).to_csv(path, index=False)
    words = ("compare", path, "--label", "y", "--methods", "mrsf,fisher", "-k", "10", "--sizes", "2,12")
    code, out, err = call(*words)
    assert code == 0, err
    assert "mrsf: orders 8 features, not the 10 that were asked for" in err
    row = next(line for line in out.splitlines() if line.startswith("mrsf"))
    assert row.split()[3] == "-"  # after the accuracy with 2 features and its deviation
    assert "nan" not in out
    result = json.loads(call(*words, "--json")[1])
    assert result["methods"]["mrsf"]["accuracy"]["12"] is None
