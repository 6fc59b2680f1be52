"""Methods side by side: each number is what it says."""

import copy
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import tables_of

import eigenselect as es
from eigenselect.reporting import Report, compare, summarise_comparison
from eigenselect.reporting.comparing.permuted import permuted_labels


class Backwards(SelectKBest):
    """Takes the features that differ least between the classes."""

    def __init__(self, k=10):
        super().__init__(lambda X, y: -f_classif(X, y)[0], k=k)


def test_nothing_that_is_given_is_changed(wine):
    X, y = wine[0].copy(), wine[1].copy()
    selectors, names, notes = {"fisher": es.FisherScore()}, list(X.columns), ["a note"]
    before = copy.deepcopy((X, y, names, notes))
    asked = {"n_features": 3, "sizes": [2], "n_splits": 2, "random_state": 0, "notes": notes}
    summarise_comparison(selectors, X, y, names, **asked)
    pd.testing.assert_frame_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert (names, notes) == before[2:]
    assert not hasattr(selectors["fisher"], "ranking_")


class TestComparison:
    def test_shares_agreement_and_curves_are_what_they_say(self, wine):
        X, y = wine
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
        summary = compare(selectors, X, y, n_features=4, sizes=[1, 4]).summary
        ranks = [selector.fit(X, y).ranking_ for selector in selectors.values()]
        top = [set(np.flatnonzero(ranking <= 4)) for ranking in ranks]
        facts = summary["methods"]["fisher"]
        assert facts["shared"] == {"laplacian": len(top[0] & top[1]) / 4}
        assert facts["agreement"]["laplacian"] == pytest.approx(
            pd.Series(ranks[0]).corr(pd.Series(ranks[1]), "spearman")
        )
        curves = es.evaluation.accuracy_curves(selectors, X.to_numpy(), y, [1, 4])
        assert list(facts["accuracy"].values()) == pytest.approx(curves.mean[0])
        assert list(facts["accuracy_deviation"].values()) == pytest.approx(curves.accuracies[0].std(axis=1))
        order = np.argsort(np.mean(ranks, axis=0), kind="stable")
        assert summary["all_features"]["feature"] == list(X.columns[order])

    def test_beyond_what_a_method_orders_nothing_is_claimed(self, wine):
        X, y = wine
        selectors = {
            "mrsf": es.MRSF(3, target="lda"),
            "k best": SelectKBest(f_classif, k=3),
            "scaled": make_pipeline(StandardScaler(), es.FisherScore()),
        }
        wide = pd.concat([X, X.add_suffix(" again")], axis=1)  # copies never enter MRSF
        made = [
            compare(selectors, wide[columns], y, n_features=16, sizes=[2, 16])
            for columns in (wide.columns, wide.columns[::-1])
        ]
        for one in made:
            facts = one.summary["methods"]["mrsf"]
            assert len(facts["features"]) == one.summary["all_features"]["n_ordered"]["mrsf"] == 13
            assert np.isnan(facts["accuracy"]["16"])
            notes = " ".join(one.summary["warnings"])
            assert "mrsf: orders 13 features, not the 16 that were asked for." in notes
            assert "mrsf: does not say in every fold which features are the best 16, so no accuracy there." in notes
            assert one.summary["methods"]["k best"]["agreement"]["scaled"] == pytest.approx(1.0)
            assert json.loads(one.to_json())["methods"]["mrsf"]["accuracy"]["16"] is None
            assert "nan" not in one.to_markdown()
        first, second = (one.summary["methods"]["mrsf"] for one in made)
        originals = [{name.removesuffix(" again") for name in facts["features"]} for facts in (first, second)]
        assert originals[0] == originals[1] == set(X.columns)
        assert first["accuracy"]["2"] == pytest.approx(second["accuracy"]["2"])
        assert first["agreement"]["k best"] == pytest.approx(second["agreement"]["k best"])

    def test_near_best_and_the_permuted_range_are_what_they_say(self, wine):
        X, y = wine
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore(), "worst": Backwards()}
        summary = compare(selectors, X, y, n_features=4, sizes=[1, 4]).summary
        for size, near in summary["near_best"].items():
            means = {name: facts["accuracy"][size] for name, facts in summary["methods"].items()}
            first = max(means, key=means.get)
            least = means[first] - summary["methods"][first]["accuracy_deviation"][size]
            assert near[0] == first
            assert set(near) == {name for name, mean in means.items() if mean >= least}
        assert "worst" not in summary["near_best"]["4"]
        permuted = [
            es.evaluation.accuracy_curves(selectors, X, labels, [1, 4]).mean for labels in permuted_labels(y, 0)
        ]
        for place, (low, high) in enumerate(summary["permuted_range"].values()):
            assert (low, high) == pytest.approx(
                (np.min(permuted, axis=(0, 1))[place], np.max(permuted, axis=(0, 1))[place])
            )

    def test_a_random_state_gives_every_method_the_same_permuted_labels(self, wine):
        """A generator goes on where it stands: the labels must be drawn once for all methods."""
        selectors = {"a": es.FisherScore(), "b": es.FisherScore()}
        made = compare(selectors, *wine, n_features=3, sizes=[3], random_state=np.random.RandomState(5))
        facts = made.summary["methods"]["a"]
        assert facts["shared_permuted"] == {"b": 1.0}
        assert facts["agreement_permuted"]["b"] == pytest.approx(1.0)

    def test_counts_are_no_classes(self, wine):
        with pytest.raises(ValueError, match="compare: y must hold classes, got 178 different whole numbers"):
            compare({"fisher": es.FisherScore()}, wine[0], np.arange(178))

    def test_deviations_and_permuted_labels_stand_beside_each_accuracy(self, wine):
        X, y = wine
        made = compare({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, X, y, n_features=4, sizes=[2, 4])
        rows = tables_of(made.to_markdown())[0]
        for row, (name, facts) in zip(rows[2:], made.summary["methods"].items(), strict=True):
            assert row[0].strip() == name
            for cell, size in zip(row[1:3], ("2", "4"), strict=True):
                told = [float(number) for number in re.findall(r"[\d.]+", cell)]
                expected = [facts[key][size] for key in ("accuracy", "accuracy_deviation", "accuracy_permuted")]
                assert told == pytest.approx(expected, abs=5e-4)
                assert ("**" in cell) == (made.summary["best"][size] == name)
                assert ("_" in cell) == (name in made.summary["near_best"][size] and "**" not in cell)
            assert f"({facts['stability_permuted']:.3f})" in row[4]
            assert "**" not in row[3] + row[4] + row[5]

    def test_equal_names_are_not_equal_features(self, wine):
        X, y = wine
        made = compare(
            {"a": es.FisherScore(), "b": es.FisherScore()}, X.to_numpy(), y, feature_names=["g"] * 13, sizes=[2]
        )
        assert made.summary["methods"]["a"]["shared"] == {"b": 1.0}

    def test_warnings_are_told_with_the_method(self, wine):
        X, y = wine
        X = X.assign(flat=1.0)
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
        notes = compare(selectors, X, y, sizes=[2]).summary["warnings"]
        assert len(notes) == 1
        assert notes[0].startswith("fisher, laplacian: 1 of 14 features has no score")

    def test_classes_of_one_sample_are_refused_in_plain_words(self, wine):
        y = np.array(["a"] * 177 + ["b"])
        with pytest.raises(ValueError, match=r"at least 2 classes of at least 2 samples each, got 2, and 'b' has 1"):
            compare({"fisher": es.FisherScore()}, wine[0], y)

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"selectors": {}}, "compare: expected at least one selector"),
            ({"feature_names": ["a"]}, "compare: feature_names must hold 13 names, got 1"),
            ({"n_features": 0}, "compare: n_features must be a whole number of at least 1, got 0"),
            ({"n_features": 2.5}, "compare: n_features must be a whole number of at least 1, got 2.5"),
            ({"y": [0, 1]}, "compare: y must hold one class for each of 178 samples, got shape"),
            ({"y": None}, "compare: y must hold one class for each of 178 samples, got None"),
            ({"y": [None] + [0, 1, 1] * 59}, "compare: y must not have missing labels, got 1"),
        ],
    )
    def test_what_cannot_be_compared_is_refused_at_once(self, wine, change, says):
        X, y = wine
        with pytest.raises(ValueError, match=says):
            compare(**{"selectors": {"f": es.FisherScore()}, "X": X, "y": y, **change})

    def test_lists_are_tables_too(self, wine):
        X, y = np.asarray(wine[0]), np.asarray(wine[1])
        made = compare({"f": es.FisherScore()}, X.tolist(), y.tolist(), n_features=3, sizes=[3])
        assert (
            made.summary["methods"]["f"]["features"]
            == compare({"f": es.FisherScore()}, X, y, n_features=3, sizes=[3]).summary["methods"]["f"]["features"]
        )
        fitted = es.FisherScore(3).fit(X, y)
        assert es.report(fitted, X.tolist(), y.tolist()).to_markdown() == es.report(fitted, X, y).to_markdown()

    def test_one_feature_and_names_of_a_plain_array(self):
        X, y = np.arange(20.0)[:, None], np.arange(20) // 10
        made = compare({"fisher": es.FisherScore(), "again": es.FisherScore()}, X, y, n_features=5, sizes=[1])
        assert made.summary["methods"]["fisher"]["features"] == ["x0"]
        assert json.loads(made.to_json())["methods"]["fisher"]["agreement"] == {"again": None}
        assert "x0" in made.to_markdown()
        assert isinstance(made, Report)
        assert "2 methods" in made.to_html()
