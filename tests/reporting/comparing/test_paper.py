"""What a paper says of a comparison is true of the run."""

import re

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

import eigenselect as es
from eigenselect._version import __version__
from eigenselect.criteria.references import REFERENCES
from eigenselect.criteria.table import METHODS
from eigenselect.reporting import Provenance, compare, summarise_comparison


@pytest.fixture(scope="module")
def made(wine):
    selectors = {"mine": es.FisherScore(), "phi3": es.SPEC(ranking="phi3", n_clusters=3), "k best": SelectKBest()}
    return compare(selectors, *wine, n_features=4, sizes=[2, 4], n_splits=3, random_state=7)


def test_the_paragraph_has_the_settings(made):
    told = made.summary["paper"]["methods"]
    for part in ("3 methods", "178 samples and 13 features", "In 3 stratified folds", "first 2 and 4 features",
                 "3 permutations", "first 4 features", __version__):  # fmt: skip
        assert part in told
    assert f"mine, {METHODS['fisher'].in_words} (" in told
    row = METHODS["spec-phi3"]  # of the parameters, not the first of the class
    assert f"phi3 (with n_clusters=3), {row.in_words} (" in told
    assert "k best, SelectKBest()." in told  # not in the table


def test_references_of_the_methods_and_of_the_measures_once(made):
    references = made.summary["paper"]["references"]
    texts = [reference["text"] for reference in references]
    assert len(texts) == len(set(texts))
    cited = {
        *METHODS["fisher"].cites,
        *METHODS["spec-phi3"].cites,
        "nadeau2003inference",
        "nogueira2018stability",
        "eigenselect",
    }
    assert {REFERENCES[key].text for key in cited} == set(texts)
    assert all(reference["bibtex"].startswith("@") for reference in references)


def test_the_call_makes_it_again(made, wine):
    X, y = wine
    call = made.summary["paper"]["command"]
    *imports, made_again = call.splitlines()
    namespace = {"X": X, "y": y}
    exec("\n".join(imports), namespace)  # our own text
    again = eval(made_again, namespace)
    assert again.summary["methods"]["mine"]["accuracy"] == made.summary["methods"]["mine"]["accuracy"]
    assert again.summary["n_selected"] == 4


def test_facts_of_the_run(made, wine):
    paper = made.summary["paper"]
    assert paper["seed"] == "7"
    assert paper["label"] == "y"
    assert paper["versions"]["numpy"] == np.__version__
    assert re.match(r"[0-9a-f]{64}  the numbers, 178 × 13", paper["data_hash"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", paper["date"])
    asked = {"n_features": 3, "sizes": [2], "n_splits": 2, "random_state": 0}
    given = summarise_comparison(
        {"f": es.FisherScore()}, *wine, list(wine[0]), provenance=Provenance(command="typed words"), **asked
    )
    assert given["paper"]["command"] == "typed words"
