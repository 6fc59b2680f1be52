"""What a paper needs of a run, from Python: the call, the seeds, the hash, and a summary that is not changed."""

import copy

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting import Fitted, Provenance, add_paper, summarise
from eigenselect.reporting.papers.provenance import hash_of_numbers


@pytest.fixture
def fitted(two_groups):
    X, y = two_groups
    return Fitted(es.FisherScore(3).fit(X, y), X, y.astype(object), [f"g{j}" for j in range(40)])


def test_the_given_summary_stays(fitted):
    summary = summarise(fitted, kept=3, label="group")
    before = copy.deepcopy(summary)
    found = add_paper(summary, fitted)
    assert summary == before
    assert {key: value for key, value in found.items() if key != "paper"} == before


def test_from_python(fitted, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    facts = add_paper(summarise(fitted, kept=3, label="group"), fitted)["paper"]
    assert facts["command"] == "from eigenselect import FisherScore\nFisherScore(n_features_to_select=3).fit(X, y)"
    assert facts["data_hash"] == hash_of_numbers(fitted.X)
    assert (facts["seed"], facts["label"], facts["date"]) == (
        "a fixed start (selector), 0 (report)",
        "group",
        "1970-01-02",
    )
    assert facts["scaling"] == "none: values as given"
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["references"][0]["bibtex"].startswith("@misc{eigenselect,")


def test_what_a_command_knows_stands_in_its_place(fitted):
    run = Provenance(command="eigenselect rank -", seed="7", scaling="every feature at 1")
    facts = add_paper(summarise(fitted, kept=3), fitted, run)["paper"]
    assert (facts["command"], facts["seed"], facts["label"]) == ("eigenselect rank -", "7", "none")
    assert "(every feature at 1)" in facts["methods"]
    assert facts["scaling"] == "every feature at 1"


def test_a_seed_of_the_selector(two_groups):
    X, y = two_groups
    made = es.report(es.SPEC(2, random_state=3).fit(X), X, y, random_state=4)
    assert made.summary["paper"]["seed"] == "3 (selector), 4 (report)"


def test_steps_before_the_selector_are_told(two_groups):
    X, y = two_groups
    model = make_pipeline(StandardScaler(), "passthrough", es.FisherScore(2)).fit(X, y)
    facts = es.report(model, X, y).summary["paper"]
    assert facts["scaling"] == "values as they left StandardScaler()"
    assert "(values as they left StandardScaler())" in facts["methods"]
