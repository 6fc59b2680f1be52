"""Alerts on values: on tables that earn them, in every storage, and not on others."""

import numpy as np
import pytest
from scipy import sparse
from tests.reporting.ranked import alerts_of, fitted_to, only, summary_of

import eigenselect as es
from eigenselect.matrix import Matrix
from eigenselect.multisource import TargetData
from eigenselect.reporting.answers import alert_parts
from eigenselect.reporting.answers.table_alerts import decided_by_spread

NAMES = [f"s{i}" for i in range(30)]


@pytest.fixture
def table(rng):
    return rng.normal(size=(30, 8))


class TestOneSample:
    def test_the_features_and_the_sample_are_named(self, table):
        table[:, 2:5] = 0
        table[4, [2, 3]] = 5, -7
        table[9, 4] = 6
        found = only(alerts_of(fitted_to(es.Variance(8), table, samples=NAMES), kind="one sample"))
        assert set(found["features"]) == {"f2", "f3", "f4"}
        assert set(found["samples"]) == {"s4", "s9"}
        assert found["sentence"].startswith("3 of the 8 kept features vary in one sample only: ")
        assert "'f4' in sample 's9'" in found["sentence"]
        assert " Of all 8 features 3 do. " in found["sentence"]

    def test_nearly_is_said(self, table):
        table[4, 2] = 500
        found = only(alerts_of(fitted_to(es.Variance(3), table), kind="one sample"))
        deviations = (table[:, 2] - table[:, 2].mean()) ** 2
        assert deviations[4] > 0.9 * deviations.sum()
        assert (
            "1 of the 3 kept features varies in one sample only, or nearly so (it holds over 90%" in found["sentence"]
        )

    def test_only_kept_features_count(self, table):
        table[:, 2] = np.arange(30) == 4
        assert alerts_of(fitted_to(es.Variance(7), table), kind="one sample") == []

    def test_two_samples_are_not_one(self, table):
        table[:, 2] = 0
        table[[4, 5], 2] = 100
        assert alerts_of(fitted_to(es.Variance(3), table), kind="one sample") == []

    def test_few_samples_are_not_judged(self, rng):
        table = rng.normal(size=(11, 4))
        table[:, 1] = np.arange(11) == 4  # of n samples it holds 1 - 1/n: 91 % of 11
        assert only(alerts_of(fitted_to(es.Variance(4), table), kind="one sample"))["features"] == ["f1"]
        assert alerts_of(fitted_to(es.Variance(4), table[:10]), kind="one sample") == []

    def test_large_tables_are_not_counted_through(self, table, monkeypatch):
        monkeypatch.setattr(alert_parts, "SCANNED", 10)
        table[4, 2] = 500
        assert "Of all" not in only(alerts_of(fitted_to(es.Variance(3), table), kind="one sample"))["sentence"]

    def test_a_feature_that_is_not_cut_is_among_the_best(self, table):
        table[4, 2] = 500
        found = only(alerts_of(fitted_to(es.Variance(), table), kind="one sample", cut=False))
        assert "1 of the 8 best features varies" in found["sentence"]


class TestDominated:
    def test_a_sample_that_makes_most_of_several_best_features(self, table):
        table[4] *= 9
        found = only(alerts_of(fitted_to(es.Variance(3), table), kind="dominated"))
        assert found["samples"] == ["sample 5"]
        parts = (table - table.mean(axis=0)) ** 2
        shares = parts[4] / parts.sum(axis=0)
        assert set(found["features"]) == {f"f{j}" for j in np.flatnonzero(shares > 0.5)}

    def test_not_said_again_of_features_that_vary_there_only(self, table):
        table[4] += 1e6
        found = alerts_of(fitted_to(es.Variance(8), table))
        assert [alert["kind"] for alert in found] == ["one sample"]

    def test_not_of_noise(self, table):
        assert alerts_of(fitted_to(es.Variance(3), table)) == []


class TestSpreads:
    @pytest.mark.parametrize("selector", [es.LaplacianScore, es.SPEC, es.MRSF, es.EVSC, es.Variance, es.MoranI])
    def test_where_they_decide(self, table, selector):
        table[:, 3] *= 1000
        found = only(alerts_of(fitted_to(selector(3), table), kind="spreads"))
        assert found["features"] == ["f3"]
        assert found["sentence"].startswith(
            "'f3' of 8 features holds over 90% of all squared deviations and so decides "
        )

    def test_scaling_is_no_advice_where_it_does_not_help(self, table):
        table[:, 3] *= 1000
        sentences = [only(alerts_of(fitted_to(s(3), table), kind="spreads"))["sentence"] for s in (es.EVSC, es.MRSF)]
        assert ["--scale standard" in sentence for sentence in sentences] == [False, True]

    @pytest.mark.parametrize("selector", [es.FisherScore, es.ReliefF, es.HSICScore, es.TraceRatio])
    def test_not_where_features_are_put_on_one_scale(self, table, selector):
        table[:, 3] *= 1000
        y = np.repeat(["a", "b"], 15)
        assert alerts_of(fitted_to(selector(3), table, y), kind="spreads") == []

    def test_not_in_a_table_of_one_unit(self, table):
        assert alerts_of(fitted_to(es.LaplacianScore(3), table), kind="spreads") == []

    @pytest.mark.parametrize(
        ("selector", "decided"),
        [
            (es.HSICScore(3, scale=None), "the scores"),
            (es.TraceRatio(3, scale=None), "the scores"),
            (es.TraceRatio(3, scale=None, level="feature"), ""),
            (es.ReliefF(3, difference="squared"), "the scores"),
            (es.SPEC(3, similarity="class_labels"), ""),
            (es.LaplacianScore(3), "which samples are near each other"),
            (es.EVSC(3), "which samples are near each other and the scores"),
            (es.MSFS(3, sources=[("t", TargetData())]), "which samples are near each other"),
        ],
    )
    def test_parameters_count(self, table, selector, decided):
        """Scores of the same table in other units are the same where nothing depends on the spreads, and only there."""
        y = np.repeat(["a", "b"], 15)
        fitted = fitted_to(selector, abs(table), y)
        assert decided_by_spread(fitted.selector, summary_of(fitted)["method"]) == decided
        other = fitted_to(selector.__class__(**selector.get_params(deep=False)), abs(table) * 4.0 ** np.arange(8), y)
        same = np.allclose(fitted.selector.scores_, other.selector.scores_)
        assert same == (not decided)

    @pytest.mark.parametrize(
        "selector", [es.SPEC(3, similarity="cosine"), es.MSFS(3, sources=[("t", TargetData("cosine"))])]
    )
    def test_cosines_are_for_counts_whose_spreads_differ_by_nature(self, table, selector):
        table[:, 3] *= 1000
        assert alerts_of(fitted_to(selector, abs(table)), kind="spreads") == []

    def test_a_given_graph_has_no_units(self, table):
        table[:, 3] *= 1000
        S = np.exp(-abs(np.subtract.outer(np.arange(30), np.arange(30))))
        assert alerts_of(fitted_to(es.LaplacianScore(3), table, similarity_matrix=S), kind="spreads") == []

    def test_selectors_of_other_people_are_not_judged(self):
        assert decided_by_spread(es.LaplacianScore(), "SomethingElse") == ""


class TestCopies:
    def test_equal_features(self, table):
        table[:, 5] = table[:, 1]
        found = only(alerts_of(fitted_to(es.Variance(8), table), kind="copies"))
        assert found["features"] == ["f1", "f5"]
        assert found["sentence"].startswith("2 of the 8 kept features are exact copies of each other ('f1', 'f5'); ")

    def test_constant_features_are_told_elsewhere(self, table):
        table[:, [1, 5]] = 2.0
        assert [alert["kind"] for alert in alerts_of(fitted_to(es.FisherScore(8), table, np.arange(30) % 2))] == [
            "no score"
        ]

    def test_equal_samples(self, table):
        table[[7, 20]] = table[3]
        found = only(alerts_of(fitted_to(es.Variance(3), table, samples=NAMES), kind="equal samples"))
        assert found["samples"] == ["s3", "s7", "s20"]
        assert "3 samples have the same values as another in all features ('s3', 's7', 's20')" in found["sentence"]

    def test_a_last_digit_makes_them_different(self, table):
        table[7] = table[3]
        table[7, 2] = np.nextafter(table[7, 2], 9)
        assert alerts_of(fitted_to(es.Variance(3), table), kind="equal samples") == []


class TestWithoutScore:
    def test_counted_named_and_told_why(self, table):
        table[:, [1, 5]] = 2.0
        fitted = fitted_to(es.LaplacianScore(7), table)
        found = only(alerts_of(fitted, kind="no score"))
        assert found["features"] == ["f1", "f5"]
        assert found["sentence"] == (
            "2 of 8 features have no score and are ranked last ('f1', 'f5'), as constant features are; 1 of them is "
            "kept all the same; leave such features out."
        )

    def test_nothing_is_kept_where_nothing_is_cut(self, table):
        table[:, [1, 5]] = 2.0
        found = only(alerts_of(fitted_to(es.LaplacianScore(), table), kind="no score", cut=False))
        assert found["features"] == ["f1", "f5"]
        assert "kept" not in found["sentence"]

    def test_not_where_all_have_one(self, table):
        assert alerts_of(fitted_to(es.LaplacianScore(7), table), kind="no score") == []


@pytest.mark.parametrize("storage", ["csr", "csc", "float32", "memory map", "AnnData"])
def test_any_storage_gives_the_same_alerts(table, storage, tmp_path, monkeypatch):
    """Only parts are made dense: `to_array` is never called."""
    table = np.where(np.abs(table) > 0.7, np.round(table, 1), 0)
    table[:, 2] = np.arange(30) == 4
    table[:, 6] = table[:, 1]
    table[12] = table[11]
    table[:, 3] = 0
    expected = alerts_of(fitted_to(es.Variance(8), table))
    assert [alert["kind"] for alert in expected] == ["one sample", "copies", "equal samples"]
    np.save(tmp_path / "x.npy", table)
    X = {
        "csr": lambda: sparse.csr_array(table),
        "csc": lambda: sparse.csc_matrix(table),
        "float32": lambda: table.astype(np.float32),
        "memory map": lambda: np.load(tmp_path / "x.npy", mmap_mode="r"),
        "AnnData": lambda: annotated(sparse.csr_matrix(table)),
    }[storage]()
    fitted = fitted_to(es.Variance(8), X)
    monkeypatch.setattr(Matrix, "to_array", None)
    assert alerts_of(fitted) == expected


def annotated(X):
    from eigenselect.matrix import annotated_matrix

    anndata = pytest.importorskip("anndata")
    return annotated_matrix(anndata.AnnData(X), "test")
