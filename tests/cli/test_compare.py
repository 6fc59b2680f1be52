"""``eigenselect compare``: numbers are the library's, on stdout; the rest on stderr."""

import re

import numpy as np
import pandas as pd
import pytest

from eigenselect import FisherScore, LaplacianScore
from eigenselect.cli.compare import _as_text
from eigenselect.criteria.methods import METHODS
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


def test_compare_snapshot(transcript, snapshot):
    """Cubes, among which no two samples are equally near to a third: no digit hangs on the CPU."""
    rows = [f"{i % 2 * 90000 + i**3},{(7 * i % 24) ** 3},{'ab'[i % 2]}" for i in range(24)]
    line = "compare table.csv --label type --methods fisher,variance -k 1 --sizes 1"
    text = transcript(line, ["gene 1,gene 2,type", *rows])
    snapshot("compare.txt", re.sub(r"^(\w.*  )\d+\.\d\d$", r"\g<1>0.00", text, flags=re.M))  # without seconds


def test_every_number_is_the_librarys(summary_of, data):
    path, X, y = data
    result = summary_of(
        "compare", path, "--label", "y", "--methods", "fisher,laplacian", "-k", "3", "--sizes", "1,4", "-q"
    )
    assert (result["n_samples"], result["n_features"], result["n_selected"]) == (45, 8, 3)
    selectors = {"fisher": FisherScore(3), "laplacian": LaplacianScore(3)}
    curves = accuracy_curves(selectors, X, y, [1, 4])
    tops = {}
    for row, (name, selector) in enumerate(selectors.items()):
        found = result["methods"][name]
        top = np.argsort(selector.fit(X, y).ranking_)[:3]
        tops[name] = set(top)
        assert found["features"] == [f"f{j}" for j in top]
        assert found["redundancy"] == pytest.approx(redundancy_rate(X.to_numpy()[:, top]))
        assert list(found["accuracy"].values()) == pytest.approx(list(curves.mean[row]))
        stability = ranking_stability(selector, X, y, n_repeats=10, random_state=0)
        assert found["stability"] == pytest.approx(stability.corrected_overlap)
    shared = len(tops["fisher"] & tops["laplacian"]) / 3
    assert result["methods"]["fisher"]["shared"] == {"laplacian": shared}


def test_what_will_take_long_is_said_before_it_starts(call, data, monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenselect.reporting.summarise_comparison", stopped)
    told, last = call("compare", data[0], "--label", "y", "--folds", "3").err.splitlines()
    assert "4 methods" in told
    assert "22 times" in told
    assert last == "eigenselect: interrupted"
    assert call("compare", data[0], "--label", "y", "-q").err == "eigenselect: interrupted\n"
    with data[0].open(encoding="utf-8") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        assert call("compare", "-", "--label", "y").err.startswith("standard input: ")


def test_a_star_marks_the_best_only(data):
    _, X, y = data
    made = compare({"fisher": FisherScore(), "laplacian": LaplacianScore()}, X, y, n_features=3, sizes=[1, 3])
    for best in ("fisher", "laplacian", None):
        made.summary["best"] = {"1": best, "3": None}
        lines = _as_text(made.summary).splitlines()
        assert [line.split()[0] for line in lines if re.search(r"±\.\d{3}\*", line)] == ([best] if best else [])
        assert lines[-1].startswith("* ") == (best is not None)


def test_bad_usage(refused, data):
    path = data[0]
    refused(2, "needs --label", "compare", path)
    for code, keyword, words in (
        (2, "'magic' is none of", "--methods fisher,magic"),
        (2, "did you mean 'laplacian'?", "--methods fisher,laplacain"),
        (2, "did you mean 'fisher'?", "--methods Fisher"),
        (2, "'' is none of", "--methods ,"),
        (2, "list of whole numbers", "--sizes 2,x"),
        (2, "auto", "-k auto"),
        (2, "fdr", "-k fdr"),
        (2, "'many'", "-k many"),
        (1, "-k 9: the table", "-k 9"),
    ):
        refused(code, keyword, "compare", path, "--label", "y", *words.split())
    refused(1, "no column named 'z'", "compare", path, "--label", "z")


def test_labels_that_do_not_suffice(refused, data, tmp_path):
    _, X, y = data
    X.assign(y=["z", "z"] + ["x"] * 42 + ["007"]).to_csv(tmp_path / "single.csv", index=False)
    refused(1, ["1 of 3 classes", "'007'"], "compare", tmp_path / "single.csv", "--label", "y")
    X.assign(y=np.where(np.arange(45) < 5, "", y)).to_csv(tmp_path / "partly.csv", index=False)
    refused(2, "5 samples have none", "compare", tmp_path / "partly.csv", "--label", "y")


@pytest.mark.slow
def test_every_ranking_method_can_be_compared(summary_of, data):
    words = ("--methods", ",".join(METHODS.names()), "-k", "2", "--sizes", "2", "--folds", "2")
    assert list(summary_of("compare", data[0], "--label", "y", *words)["methods"]) == METHODS.names()


def test_a_method_that_orders_fewer_has_no_accuracy_there(succeed, summary_of, data):
    path, X, y = data
    X.join(X.add_suffix("_again")).assign(y=y).to_csv(path, index=False)
    words = ("compare", path, "--label", "y", "--methods", "mrsf,fisher", "-k", 10, "--sizes", "2,12", "--folds", 2)
    done = succeed(*words)
    assert "mrsf: orders 8" in done.err
    row = next(line for line in done.out.splitlines() if line.startswith("mrsf"))
    assert row.split()[3] == "-"  # after the accuracy with 2 features and its deviation
    assert "nan" not in done.out
    assert summary_of(*words)["methods"]["mrsf"]["accuracy"]["12"] is None
