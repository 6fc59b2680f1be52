"""The answer names no winner inside the spread, and every sentence is true of its summary."""

import copy

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.comparing.answer import (
    add_comparison_answer,
    alerts_of,
    answer_of,
    in_words,
    kept_by_all,
    quoted_size,
    short,
)


@pytest.fixture(scope="module")
def made(two_groups):
    X, y = two_groups
    selectors = {"fisher": es.FisherScore(), "relieff": es.ReliefF(), "laplacian": es.LaplacianScore()}
    return compare(selectors, X, y, n_features=5, sizes=[2, 5]).summary


@pytest.fixture
def summary(made):
    return copy.deepcopy(made)


def told(summary, question):
    return next(part["sentence"] for part in answer_of(summary)["sentences"] if part["question"] == question)


def accuracies(summary, size, **given):
    """Set accuracies (mean, deviation) of methods, and who is near."""
    for name, (mean, deviation) in given.items():
        summary["methods"][name]["accuracy"][size] = mean
        summary["methods"][name]["accuracy_deviation"][size] = deviation
    first = max(given, key=lambda name: given[name][0])
    least = given[first][0] - given[first][1]
    order = sorted(given, key=lambda name: -given[name][0])
    summary["near_best"][size] = [name for name in order if given[name][0] >= least]


class TestWinner:
    def test_a_winner_is_named_with_the_next_and_with_chance(self, summary):
        accuracies(summary, "2", fisher=(0.95, 0.02), relieff=(0.88, 0.03), laplacian=(0.7, 0.1))
        summary["best"] = {"2": "fisher", "5": None}
        summary["permuted_range"]["2"] = [0.41, 0.57]
        assert answer_of(summary)["headline"] == "Best at prediction: fisher with 2 features"
        said = told(summary, "Which predicts best?")
        assert "With 2 features fisher 0.95 ± 0.02, next relieff 0.88 ± 0.03" in said
        assert "permuted labels (0.41 to 0.57)" in said
        assert "With 5 features none stands out." in said
        assert f"largest class alone gives {summary['chance']:.2f}." in said

    def test_two_winners(self, summary):
        summary["best"] = {"2": "fisher", "5": "relieff"}
        assert answer_of(summary)["headline"] == "Best at prediction: fisher with 2 features; relieff with 5 features"
        assert "none stands out" not in told(summary, "Which predicts best?")

    def test_inside_the_spread_nobody_wins(self, summary):
        accuracies(summary, "5", fisher=(0.95, 0.03), relieff=(0.94, 0.03), laplacian=(0.93, 0.02))
        summary["best"] = {"2": None, "5": None}
        assert answer_of(summary)["headline"].startswith("No method stands out")
        said = told(summary, "Which predicts best?")
        assert "fisher 0.95 ± 0.03, relieff 0.94 ± 0.03 and laplacian 0.93 ± 0.02, all within" in said
        accuracies(summary, "5", fisher=(0.95, 0.03), relieff=(0.94, 0.03), laplacian=(0.8, 0.02))
        assert "2 of 3 lie within the deviation of the highest" in told(summary, "Which predicts best?")
        accuracies(summary, "5", fisher=(0.95, 0.03), relieff=(0.9, 0.03), laplacian=(0.8, 0.02))
        assert "the first is not ahead of every other" in told(summary, "Which predicts best?")

    def test_what_is_not_beyond_permuted_labels_predicts_nothing(self, summary):
        for facts in summary["methods"].values():
            facts["beyond_permuted"] = {"2": False, "5": False}
        summary["best"] = {"2": None, "5": None}
        assert answer_of(summary)["headline"] == "No method is shown to predict more than permuted labels do"
        assert "0 of 3 methods are above all permuted labels" in told(summary, "More than chance?")
        assert "not ahead" not in told(summary, "Which predicts best?")
        assert "within the deviation" not in told(summary, "Which predicts best?")
        assert [alert["kind"] for alert in alerts_of(summary)] == ["no-signal", "labels-not-used"]

    def test_who_is_not_beyond_chance_is_named(self, summary):
        summary["methods"]["laplacian"]["beyond_permuted"]["5"] = False
        for name in ("fisher", "relieff"):
            summary["methods"][name]["beyond_permuted"]["5"] = True
        assert "2 of 3 methods are above all permuted labels by more than the folds spread; laplacian is not." in told(
            summary, "More than chance?"
        )

    def test_beyond_permuted_labels_but_below_the_largest_class(self, summary):
        summary["chance"] = 0.99
        accuracies(summary, "5", fisher=(0.97, 0.01), relieff=(0.995, 0.005), laplacian=(0.5, 0.1))
        said = told(summary, "More than chance?")
        assert "fisher" in said.split(".")[-3] + said.split(".")[-2]
        assert "not above the largest class alone (0.99)" in said
        assert "relieff: not" not in said

    def test_one_method_is_compared_with_nothing(self, two_groups):
        found = compare({"fisher": es.FisherScore()}, *two_groups, n_features=5, sizes=[5]).summary
        assert found["answer"]["headline"] == "fisher predicts more than permuted labels do"
        questions = [part["question"] for part in found["answer"]["sentences"]]
        assert questions == ["Which predicts best?", "More than chance?", "How stable?"]

    def test_the_size_that_is_quoted(self, summary):
        assert quoted_size(summary) == "5"
        summary["n_selected"] = 3
        assert quoted_size(summary) == "2"
        summary["near_best"] = {"2": [], "5": ["fisher"]}
        assert quoted_size(summary) == "5"
        summary["near_best"] = {"2": [], "5": []}
        assert quoted_size(summary) is None
        assert "No method orders enough" in told(summary, "Which predicts best?")


class TestOthers:
    def test_the_most_and_the_least_alike_beside_chance(self, summary):
        shares = {("fisher", "relieff"): 0.8, ("fisher", "laplacian"): 0.4, ("relieff", "laplacian"): 0.2}
        for (one, other), share in shares.items():
            summary["methods"][one]["shared"][other] = share
            summary["methods"][one]["shared_permuted"][other] = share / 2
        said = told(summary, "Which choose alike?")
        assert "fisher and relieff share the most, 80% (with permuted labels 40%)" in said
        assert "relieff and laplacian share the least, 20% (with permuted labels 10%)" in said
        assert f"at random share {5 / 40:.0%}" in said
        summary["methods"]["fisher"]["uses_labels"] = summary["methods"]["relieff"]["uses_labels"] = False
        assert "share the most, 80% (neither uses labels)" in told(summary, "Which choose alike?")

    def test_what_all_keep_beside_chance(self, summary):
        counts = summary["consensus"]["at_least"][0]
        kept = kept_by_all(summary)
        said = told(summary, "What do all keep?")
        assert len(kept) == counts["n_features"] > 1
        assert said.startswith(f"{len(kept)} features are kept by all 3 methods: {kept[0]}")
        assert f"at random have {counts['random']:.1f} in common" in said
        assert f"with permuted labels {counts['permuted']:.1f}" in said
        counts["n_features"], summary["consensus"]["count"] = 0, [1] * len(summary["consensus"]["count"])
        assert told(summary, "What do all keep?").startswith("No feature is kept by all 3 methods. ")

    def test_stability_beside_permuted_labels(self, summary):
        said = told(summary, "How stable?")
        for name in ("fisher", "relieff"):
            facts = summary["methods"][name]
            assert f"{name} {facts['stability']:.2f} (permuted {facts['stability_permuted']:.2f})" in said
        assert f"laplacian {summary['methods']['laplacian']['stability']:.2f} (no labels used)" in said

    def test_all_kept_says_so(self, two_groups):
        X, y = two_groups
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
        found = compare(selectors, X[:, :4], y, n_features=4, sizes=[2]).summary
        assert "Every method keeps all features" in told(found, "Which choose alike?")
        assert "all-kept" in [alert["kind"] for alert in found["alerts"]]
        assert "nan" not in str(found["answer"])


class TestAlerts:
    def test_they_begin_with_the_warnings(self, summary):
        summary["warnings"] = ["one", "two"]
        found = alerts_of(summary)
        assert [alert["sentence"] for alert in found[:2]] == ["one", "two"]
        assert [alert["kind"] for alert in found] == ["warning", "warning", "labels-not-used"]
        assert "laplacian" in found[-1]["sentence"]

    def test_methods_of_one_order_count_as_one(self, two_groups):
        selectors = {"a": es.FisherScore(), "b": es.LaplacianScore(), "c": es.FisherScore()}
        found = compare(selectors, *two_groups, n_features=5, sizes=[5], n_splits=2).summary["alerts"]
        by_kind = {alert["kind"]: alert["sentence"] for alert in found}
        assert by_kind["same-order"].startswith("a and c give the same order")
        assert by_kind["few-folds"].startswith("2 folds")

    def test_the_given_summary_stays(self, summary):
        before = copy.deepcopy(summary)
        added = add_comparison_answer(summary)
        assert added is not summary
        np.testing.assert_equal(summary, before)


def test_words():
    assert [in_words(words) for words in ([], ["a"], ["a", "b"])] == ["", "a", "a and b"]
    assert in_words("abcde", total=9) == "a, b, c, d, e and 4 more"
    assert short("y" * 60) == "y" * 60
