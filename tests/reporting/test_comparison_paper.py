"""What a paper says of a comparison is true of the run."""

import re

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

import eigenselect as es
from eigenselect._version import __version__
from eigenselect.criteria.table import METHODS
from eigenselect.reporting import compare, summarise_comparison


@pytest.fixture(scope="module")
def made(wine):
    selectors = {"mine": es.FisherScore(), "phi3": es.SPEC(ranking="phi3", n_clusters=3), "k best": SelectKBest()}
    return compare(selectors, *wine, n_features=4, sizes=[2, 4], n_splits=3, random_state=7)


def test_the_paragraph_has_the_settings(made):
    told = made.summary["paper"]["methods"]
    for part in ("3 methods", "178 samples and 13 features", "In 3 stratified folds", "first 2 and 4 features",
                 "3 permutations", "first 4 features", __version__):  # fmt: skip
        assert part in told
    assert f"mine ({METHODS['fisher'].summary})" in told
    assert f"phi3 ({METHODS['spec-phi3'].summary})" in told  # the row of the parameters, not the first of the class
    assert "k best." in told  # not in the table


def test_references_of_the_methods_and_of_the_measures_once(made):
    texts = [reference["text"] for reference in made.summary["paper"]["references"]]
    assert len(texts) == len(set(texts))
    for part in (*METHODS["fisher"].reference.split("; "), METHODS["spec-phi3"].reference):
        assert part in texts
    assert any("Nadeau" in text for text in texts)
    assert any("Nogueira" in text for text in texts)
    assert not any("ReliefF" in text or "Robnik" in text for text in texts)


def test_the_call_makes_it_again(made, wine):
    X, y = wine
    call = made.summary["paper"]["command"]
    namespace = {
        "eigenselect": es,
        "X": X,
        "y": y,
        "SelectKBest": SelectKBest,
        **{n: getattr(es, n) for n in ("FisherScore", "SPEC")},
    }
    again = eval(call, namespace)  # our own text
    assert again.summary["methods"]["mine"]["accuracy"] == made.summary["methods"]["mine"]["accuracy"]
    assert again.summary["n_selected"] == 4


def test_facts_of_the_run(made, wine):
    paper = made.summary["paper"]
    assert paper["seed"] == "7"
    assert paper["label"] == "y"
    assert paper["versions"]["numpy"] == np.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", paper["date"])
    asked = {"n_features": 3, "sizes": [2], "n_splits": 2, "random_state": 0}
    given = summarise_comparison({"f": es.FisherScore()}, *wine, list(wine[0]), command="typed words", **asked)
    assert given["paper"]["command"] == "typed words"
