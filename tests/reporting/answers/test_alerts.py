"""The list of alerts: each once, also what fits warned of; labels and classes."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from tests.reporting.ranked import GOOD, POOR, alerts_of, fitted_to, only, summary_of

import eigenselect as es
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.reporting.answers.alerts import find_alerts, ignores_labels
from eigenselect.reporting.inputs import Fitted

Y = np.repeat(["a", "b"], 15)


@pytest.fixture
def table(rng):
    return rng.normal(size=(30, 8))


def test_a_sound_table_has_none(table):
    table[:15, :4] += 2
    assert alerts_of(fitted_to(es.FisherScore(4), table, Y), evaluation=GOOD) == []


def test_labels_that_a_file_records_as_clusters(table):
    table[:15, :4] += 2
    known = "uns['leiden'] records obs['leiden'] as a clustering of this table"
    fitted = replace(fitted_to(es.FisherScore(4), table, Y), labels_known=known)
    found = only(alerts_of(fitted, evaluation=GOOD, warnings=[f"{known}; p- and q-values hold only if …"]))
    assert found["sentence"] == (
        "The labels are clusters: uns['leiden'] records obs['leiden'] as a clustering of this table; noise, too, tells "
        "clusters apart that it made, so scores and accuracy are no evidence for these features."
    )


def test_no_signal_beyond_permuted_labels(table):
    found = only(alerts_of(fitted_to(es.FisherScore(4), table, Y), evaluation=POOR))
    assert found["sentence"] == (
        "No signal beyond permuted labels is shown: held-out samples get the right class in 41 % ± 10 of cases; always "
        "answering the largest class gives 40 %, permuted labels 37 %; chance alone may give as much: these features "
        "may have nothing to do with the label, or the samples are too few to show it."
    )


def test_no_signal_names_the_label(table):
    found = only(alerts_of(fitted_to(es.FisherScore(4), table, Y), evaluation=POOR, label="tumour"))
    assert "held-out samples get the right 'tumour' in 41 %" in found["sentence"]


def test_where_nothing_is_kept_that_is_said_and_no_accuracy(table):
    fitted = fitted_to(es.FisherScore("fdr"), table, Y)
    assert only(alerts_of(fitted, evaluation={**POOR, "accuracy": None}))["sentence"] == (
        "No signal: no feature is kept, as none of 8 tested has q ≤ 0.05; these features may have nothing to do with "
        "the label, or the samples are too few to show it."
    )


def test_nothing_kept_without_the_labels_says_nothing_of_them(table):
    places = np.random.default_rng(5).normal(size=(30, 2))
    S = np.exp(-((places[:, None] - places) ** 2).sum(axis=2))
    fitted = fitted_to(es.LaplacianScore("fdr", significance="given"), table, Y, similarity_matrix=S)
    assert fitted.selector.n_features_ == 0
    assert "no signal" not in [alert["kind"] for alert in alerts_of(fitted)]


@pytest.mark.parametrize("y", [np.repeat("a", 30), np.arange(30).astype(str), np.array(["b"] + ["a"] * 29)])
def test_no_method_is_advised_that_such_labels_do_not_suit(table, y):
    found = only(alerts_of(fitted_to(es.LaplacianScore(3), table, y), kind="labels"))
    assert found["sentence"].endswith("and they are only shown and judged by.")


@pytest.mark.parametrize("evaluation", [None, {**POOR, "accuracy": None}])
def test_nothing_is_said_of_what_was_not_measured(table, evaluation):
    assert alerts_of(fitted_to(es.FisherScore(4), table, Y), evaluation=evaluation) == []


class TestWarningsOfFits:
    """What a fit warned of is one alert, whether our own words or its own say it."""

    def both(self, selector, X, y=None, **fit):
        """Alerts with what the fit warned of, and without."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            selector.fit(X, y, **fit)
        notes = [str(warning.message) for warning in caught]
        assert notes
        fitted = Fitted(selector, X, y, [f"f{j}" for j in range(X.shape[1])])
        return [find_alerts(summary_of(fitted, notes=said), fitted) for said in (notes, ())]

    def test_isolated_samples_and_components(self, table):
        S = np.kron(np.diag([1, 1, 0]), np.ones((10, 10)))
        heard, unheard = self.both(es.LaplacianScore(3), table, similarity_matrix=S)
        assert heard == unheard
        assert [alert["kind"] for alert in heard] == ["isolated", "components"]

    def test_a_warning_of_two_things_stays_where_alerts_say_one_of_them(self, table):
        note = "3 samples are isolated and do not count; 2 features have no score"
        fitted = fitted_to(
            es.LaplacianScore(3), table, similarity_matrix=np.kron(np.diag([1, 1, 0]), np.ones((10, 10)))
        )
        kinds = [alert["kind"] for alert in find_alerts(summary_of(fitted, notes=[note]), fitted)]
        assert kinds == ["isolated", "components", "warning"]

    def test_units(self, table):
        X = pd.DataFrame(table, columns=[f"f{j}" for j in range(8)])
        X["f3"] *= 1000
        heard, unheard = self.both(es.LaplacianScore(3), X)
        assert heard == unheard
        assert [alert["kind"] for alert in heard] == ["spreads"]

    def test_a_dominating_sample_and_its_eigenvector(self, table):
        table[4] += 40
        heard, unheard = self.both(es.SPEC(3, similarity="rbf"), table)
        assert heard == unheard
        assert {alert["kind"] for alert in heard} == {"one sample", "outlier"}

    def test_a_dominating_sample(self, table):
        table[4] *= 9
        heard, unheard = self.both(es.Variance(3), table)
        assert heard == unheard
        assert [alert["kind"] for alert in heard] == ["dominated"]

    def test_features_without_a_score(self, table):
        table[:, 2] = 1
        heard, unheard = self.both(es.FisherScore(3), table, Y)
        assert heard == unheard
        assert [alert["kind"] for alert in heard] == ["no score"]

    def test_what_covariates_explain_stays_said(self, table):
        covariate = np.arange(30.0)
        table[:, 2] = 3 * covariate
        heard, unheard = self.both(es.FisherScore(3), table, Y, covariates=covariate[:, None])
        assert "the covariates explain 1 of them" in only(heard)["sentence"]
        assert [alert["kind"] for alert in unheard] == ["no score"]

    def test_units_of_another_table_are_another_thing(self, table, rng):
        X = pd.DataFrame(table, columns=[f"f{j}" for j in range(8)])
        X["f3"] *= 1000
        Z = pd.DataFrame(rng.normal(size=(30, 5)), columns=list("vwxyz"))
        Z["w"] *= 1000
        heard, unheard = self.both(es.MSFS(3, sources=[("t", TargetData()), ("z", AuxiliaryData(Z))]), X)
        assert len(heard) == len(unheard) + 1
        assert "'w' of 5 features" in heard[-1]["sentence"]

    def test_what_no_alert_says_is_one_of_its_own_once(self, table):
        notes = ["the first column has no name", "the first column has no name", "2 cells were empty"]
        found = alerts_of(fitted_to(es.FisherScore(4), table, Y), notes=notes)
        assert [(alert["kind"], alert["sentence"]) for alert in found] == [
            ("warning", "the first column has no name"),
            ("warning", "2 cells were empty"),
        ]


class TestLabels:
    @pytest.mark.parametrize("selector", [es.LaplacianScore(3), es.SPEC(3), es.MRSF(3), es.EVSC(3), es.Variance(3)])
    def test_left_aside(self, table, selector):
        found = only(alerts_of(fitted_to(selector, table, Y), kind="labels"))
        assert found["sentence"].startswith("The labels were not used: ")
        assert "use FisherScore (--method fisher)" in found["sentence"]
        fitted = fitted_to(selector, table, Y)
        before = fitted.selector.scores_.copy()
        np.testing.assert_array_equal(before, selector.fit(table, Y[::-1]).scores_)

    @pytest.mark.parametrize(
        "selector",
        [
            es.FisherScore(3),
            es.ReliefF(3),
            es.SSelect(3),
            es.SPEC(3, similarity="class_labels"),
            es.LaplacianScore(3, similarity="class_labels"),
            es.MRSF(3, target="lda"),
            es.MRSF(3, similarity="class_labels"),
            es.MSFS(3, sources=[("t", TargetData()), ("y", SampleCategories())]),
        ],
    )
    def test_used(self, table, selector, rng):
        assert alerts_of(fitted_to(selector, table, Y), kind="labels") == []
        before = selector.scores_.copy()
        assert not np.array_equal(before, selector.fit(table, rng.permutation(Y)).scores_, equal_nan=True)

    def test_numbers_get_their_own_advice(self, table):
        found = only(alerts_of(fitted_to(es.LaplacianScore(3), table, table[:, 0] * 1.5), kind="labels", label="age"))
        assert found["sentence"].startswith("The label 'age' was not used: laplacian ranks without, and it is only ")
        assert "ReliefF (--method relieff)" in found["sentence"]

    def test_a_step_before_may_have_used_them(self, table):
        pipeline = make_pipeline(SelectKBest(k=5), es.LaplacianScore(3)).fit(table, Y)
        made = es.report(pipeline, table, Y)
        assert [alert for alert in made.summary["alerts"] if alert["kind"] == "labels"] == []

    def test_no_labels_no_alert(self, table):
        assert alerts_of(fitted_to(es.LaplacianScore(3), table)) == []

    def test_what_others_selectors_do_nobody_knows(self):
        assert not ignores_labels(es.LaplacianScore(), "SomethingElse")


class TestSmallClasses:
    def test_named_with_their_sizes(self, table):
        y = np.array(["a"] * 13 + ["b"] * 12 + ["c"] * 4 + ["d"], dtype=object)
        found = only(alerts_of(fitted_to(es.FisherScore(3), table, y), kind="small classes"))
        assert found["sentence"].startswith("2 of 4 classes have fewer than 5 samples ('c': 4, 'd': 1); ")
        assert found["samples"] == [f"sample {row}" for row in range(26, 31)]

    def test_five_are_enough(self, table):
        y = np.array(["a"] * 13 + ["b"] * 12 + ["c"] * 5)
        assert alerts_of(fitted_to(es.FisherScore(3), table, y), kind="small classes") == []

    def test_unlabelled_samples_are_no_class(self, table):
        y = np.where(np.arange(30) < 3, -1, np.arange(30) % 2)
        assert alerts_of(fitted_to(es.SSelect(3), table, y), kind="small classes") == []

    def test_numbers_are_no_classes(self, table):
        assert alerts_of(fitted_to(es.ReliefF(3), table, table[:, 0] * 1.5), kind="small classes") == []
