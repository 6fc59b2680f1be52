"""One summary, and everything that is made from it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.criteria.table import METHODS
from eigenselect.reporting import Report, compare
from eigenselect.reporting.page_data import FeatureValues, feature_values, rounded


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), load_wine().target_names[y]


def data_of(html):
    """What the page's script reads, by the rules of HTML: up to the first end of the script element."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script', html, re.DOTALL)[1])


class TestSummary:
    def test_features_stand_in_order_with_their_scores(self, wine):
        X, y = wine
        selector = es.FisherScore(4).fit(X, y)
        summary = es.report(selector, X, y, title="wine").summary
        assert [row["feature"] for row in summary["features"]] == list(X.columns[selector.ranking_.argsort()[:4]])
        assert [row["score"] for row in summary["features"]] == sorted(selector.scores_)[::-1][:4]
        assert summary["all_features"]["feature"] == list(X.columns[selector.ranking_.argsort()])
        assert (summary["method"], summary["n_selected"], summary["cut"]) == ("fisher", 4, True)
        assert summary["views"]["groups"]["names"] == ["class_0", "class_1", "class_2"]

    @pytest.mark.parametrize(
        "row", [m for m in METHODS if m.command == "rank" and m.name != "mrsf"], ids=lambda m: m.name
    )
    def test_every_method_has_a_report(self, wine, row):
        X, y = wine
        selector = getattr(es, row.selector)(3, **row.parameters).fit(X, y)
        made = es.report(selector, X, y)
        assert made.summary["method"] == row.name
        assert data_of(made.to_html())["method"] == row.name
        assert row.summary.split(":")[0] in made.to_markdown().replace("\\", "")

    def test_sources_and_rankers(self, wine):
        X, y = wine
        multi = es.MSFS(
            3, sources=[("labels", es.multisource.SampleCategories()), ("self", es.multisource.TargetData())]
        )
        sources = es.report(multi.fit(X, y), X, y).summary["sources"]
        assert {name: source["weight"] for name, source in sources.items()} == {"labels": 0.5, "self": 0.5}
        ranker = es.KOGS(3, rankers=[(None, es.FisherScore()), (None, es.LaplacianScore())]).fit(X, y)
        made = es.report(ranker, X, y)
        assert made.summary["graph"] == {}
        assert "without a sample graph of its own" in made.to_html()

    def test_a_selector_of_ones_own(self, wine):
        X, y = wine

        class Mine(es.FisherScore):
            """Like Fisher's, but mine.

            More words.
            """

        summary = es.report(Mine(3).fit(X, y), X, y).summary
        assert (summary["method"], summary["method_summary"]) == ("Mine", "Like Fisher's, but mine")

    def test_sparse_equals_dense(self, wine):
        X, y = wine[0].to_numpy(), wine[1]
        X = np.where(np.abs(X) < 0.5, 0.0, X)
        dense = es.report(es.FisherScore(3).fit(X, y), X, y).summary
        thin = es.report(es.FisherScore(3).fit(sparse.csr_array(X), y), sparse.csr_array(X), y).summary
        assert dense["views"]["distributions"] == thin["views"]["distributions"]
        assert [row["feature"] for row in dense["features"]] == [row["feature"] for row in thin["features"]]

    def test_partly_labelled(self, wine):
        X, y = wine
        codes = pd.factorize(y)[0]
        codes[::2] = -1
        summary = es.report(es.SSelect(3).fit(X, codes), X, codes).summary
        assert summary["n_labelled"] == 89
        assert summary["views"]["groups"]["names"] == ["0", "1", "2", "unlabelled"]
        assert summary["views"]["groups"]["sizes"][-1] == 89

    def test_without_labels_the_clusters_of_the_graph_are_shown(self, wine):
        X = wine[0]
        groups = es.report(es.LaplacianScore(3).fit(X), X).summary["views"]["groups"]
        assert groups["kind"] == "cluster"
        assert len(groups["names"]) == 3  # the wines' cultivars make the eigen-gap
        assert sorted(groups["sizes"], reverse=True) == groups["sizes"]

    def test_ugly_tables(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20, 6)) * [1e-12, 1e12, 1e100, 1, 1, 1]
        X[:, 3] = 7.0
        X[:, 4] = X[:, 5]
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            selector = es.FisherScore(6).fit(X, np.arange(20) % 2)
        made = es.report(selector, X, np.arange(20) % 2)
        assert made.summary["scores"]["n_undefined"] >= 1
        assert None in data_of(made.to_html())["all_features"]["score"]
        json.loads(made.to_json())

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"X": np.ones((178, 3))}, r"13 features, got shape \(178, 3\)"),
            ({"y": np.ones(3)}, "one label for each of 178 samples, got 3"),
            ({"feature_names": ["a"]}, "13 names, got 1"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, wine, change, says):
        X, y = wine
        arguments = {"X": X, "y": y, **change}
        with pytest.raises(ValueError, match=says):
            es.report(es.FisherScore(3).fit(X, y), **arguments)

    def test_an_unfitted_selector_is_refused(self, wine):
        with pytest.raises(Exception, match="not fitted"):
            es.report(es.FisherScore(), *wine)


class TestRenderings:
    def test_hostile_names_survive_json_markdown_and_html(self, hostile_report):
        assert [row["feature"] for row in json.loads(hostile_report.to_json())["features"]] == [
            row["feature"] for row in hostile_report.summary["features"]
        ]
        html = hostile_report.to_html()
        assert set(HOSTILE) <= set(data_of(html)["all_features"]["feature"])
        assert html.count("<script") == 2
        markdown = hostile_report.to_markdown()
        assert "<script" not in markdown
        assert "<img" not in markdown
        table = markdown.split("## Features")[1].strip().splitlines()
        assert {line.count(" | ") for line in table if line.startswith("|")} == {3}

    def test_the_page_asks_for_nothing(self, hostile_report):
        html = hostile_report.to_html()
        assert "default-src 'none'" in html
        own = re.sub(r'<script type="application/json".*?</script>', "", html, flags=re.DOTALL)
        assert set(re.findall(r"(?:https?:)?//[\w.]+", re.sub(r"//[^\n]*\n", "\n", own))) <= {"http://www.w3.org"}

    @pytest.mark.parametrize("ending", ["html", "md", "json"])
    def test_saving(self, wine, tmp_path, ending):
        X, y = wine
        made = es.report(es.FisherScore(3).fit(X, y), X, y)
        path = tmp_path / f"report.{ending}"
        path.write_text("old")
        made.save(path)
        assert "flavanoids" in path.read_text(encoding="utf-8")
        assert list(tmp_path.iterdir()) == [path]
        with pytest.raises(ValueError, match=r"\.html, \.md or \.json, got '.*report\.pdf'"):
            made.save(tmp_path / "report.pdf")

    def test_the_same_input_gives_the_same_page(self, wine):
        X = wine[0]
        one, other = (es.report(es.LaplacianScore(3).fit(X), X).to_html() for _ in range(2))
        assert one == other


class TestPageData:
    @pytest.mark.parametrize("scale", [1e-300, 1.0, 1e308])
    def test_steps_give_the_values_back(self, scale):
        X = np.random.default_rng(0).uniform(-1, 1, size=(30, 4)) * scale
        order, samples = np.array([2, 0, 3, 1]), np.arange(0, 30, 3)
        found = feature_values(X, order, samples)
        share = found.steps / 255
        values = (1 - share) * found.low[:, None] + share * found.high[:, None]
        np.testing.assert_allclose(values, X[np.ix_(samples, order)].T, atol=scale / 255 * 1.01)

    def test_constant_columns(self):
        found = feature_values(np.full((3, 1), 5.0), np.array([0]), np.arange(3))
        assert found.as_dict() == {"count": 1, "low": [5.0], "high": [5.0], "steps": "AAAA"}
        assert isinstance(found, FeatureValues)

    def test_the_budget_keeps_the_best(self, monkeypatch):
        monkeypatch.setattr("eigenselect.reporting.page_data.VALUE_BUDGET", 100)
        monkeypatch.setattr("eigenselect.reporting.page_data.LEAST_FEATURES", 2)
        X = np.random.default_rng(0).normal(size=(20, 9))
        found = feature_values(X, np.arange(9)[::-1], np.arange(20))
        np.testing.assert_array_equal(found.high, X.max(axis=0)[::-1][:5])

    def test_rounding(self):
        assert rounded({"a": [1 / 3, np.nan, 2], "b": (np.inf, "x")}) == {"a": [0.333333, None, 2], "b": [None, "x"]}


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

    def test_one_feature_and_names_of_a_plain_array(self):
        X, y = np.arange(20.0)[:, None], np.arange(20) // 10
        made = compare({"fisher": es.FisherScore(), "again": es.FisherScore()}, X, y, n_features=5, sizes=[1])
        assert made.summary["methods"]["fisher"]["features"] == ["x0"]
        assert json.loads(made.to_json())["methods"]["fisher"]["agreement"] == {"again": None}
        assert "x0" in made.to_markdown()
        assert isinstance(made, Report)
        assert "2 methods" in made.to_html()


def test_repr_names_what_it_is(wine):
    X, y = wine
    made = es.report(es.FisherScore(3).fit(X, y), X, y)
    assert repr(made) == "Report(ranking, 178 samples, 13 features)"
    assert made._repr_html_().startswith("<iframe srcdoc=")
