"""A report is a summary and its renderings, of a selector or a pipeline."""

import json

import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import HOSTILE, data_of

import eigenselect as es


class TestRenderings:
    def test_hostile_names_survive_json_markdown_and_html(self, hostile_report):
        assert [row["feature"] for row in json.loads(hostile_report.to_json())["features"]] == [
            row["feature"] for row in hostile_report.summary["features"]
        ]
        html = hostile_report.to_html()
        assert set(HOSTILE) <= set(data_of(html)["all_features"]["feature"])
        assert html.count("<script") == 3  # theme, data, page
        markdown = hostile_report.to_markdown()
        assert "<script" not in markdown
        assert "<img" not in markdown
        table = markdown.split("## Features")[1].strip().splitlines()
        assert {line.count(" | ") for line in table if line.startswith("|")} == {3}

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

    def test_json_is_the_summary_without_the_values_of_the_pages_colours(self, wine):
        X, y = wine
        made = es.report(es.LaplacianScore(3).fit(X), X, y)
        found = json.loads(made.to_json())
        assert list(found) == list(made.summary)
        assert [*found["views"], "values"] == list(made.summary["views"])
        assert data_of(made.to_html())["values"] == made.summary["views"]["values"]


@pytest.mark.parametrize("steps", [[], [StandardScaler()]])
def test_a_fitted_selector_of_another_kind_is_not_called_unfitted(wine, steps):
    X, y = wine
    selector = SelectKBest(f_classif, k=3)
    fitted = make_pipeline(*steps, selector).fit(X, y) if steps else selector.fit(X, y)
    with pytest.raises(
        TypeError, match=r"report: expected a selector .* got SelectKBest; reporting\.compare takes any"
    ):
        es.report(fitted, X, y)
    with pytest.raises(NotFittedError):
        es.report(es.FisherScore(3), X, y)


def test_repr_names_what_it_is(wine):
    X, y = wine
    made = es.report(es.FisherScore(3).fit(X, y), X, y)
    assert repr(made) == "Report(ranking, 178 samples, 13 features)"
    assert made._repr_html_().startswith('<div class="eigenselect-view">')


class TestPipelines:
    def test_the_last_step_is_reported_by_the_names_of_the_table(self, wine):
        X, y = load_wine(return_X_y=True, as_frame=True)
        made = es.report(make_pipeline(StandardScaler(), es.FisherScore(3)).fit(X, y), X, y).summary
        alone = es.report(
            es.FisherScore(3).fit(StandardScaler().fit_transform(X), y), StandardScaler().fit_transform(X), y
        )
        assert [row["feature"] for row in made["features"]] == [
            X.columns[int(row["feature"][1:])] for row in alone.summary["features"]
        ]
        assert made["views"]["redundancy"]["rate"] == alone.summary["views"]["redundancy"]["rate"]

    @pytest.mark.parametrize("frame", [True, False])
    def test_names_survive_steps_that_drop_columns(self, wine, frame):
        X, y = wine
        table = X.assign(flat=1.0)[["flat", *X.columns]]
        given = table if frame else table.to_numpy()
        pipeline = make_pipeline(VarianceThreshold(), StandardScaler(), es.FisherScore(3)).fit(given, y)
        names = None if frame else list(table.columns)
        features = es.report(pipeline, given, y, feature_names=names).summary["features"]
        assert {row["feature"] for row in features} == set(es.FisherScore(3).fit(X, y).get_feature_names_out())
        assert len(es.report(pipeline, given, y, feature_names=names).summary["all_features"]["feature"]) == 13
        with pytest.raises(ValueError, match="feature_names must hold 14 names, got 2"):
            es.report(pipeline, given, y, feature_names=["a", "b"])

    def test_samples_keep_their_names(self, wine):
        X = wine[0].set_index(pd.Index([f"w{i}" for i in range(178)]))
        made = es.report(make_pipeline(StandardScaler(), es.SPEC(3)).fit(X), X)
        assert made.summary["views"]["samples"]["name"][:2] == ["w0", "w1"]

    def test_steps_that_make_features_are_refused(self, wine):
        pipeline = make_pipeline(PCA(4), es.SPEC(2)).fit(wine[0])
        with pytest.raises(ValueError, match=r"the step 'pca' \(PCA\) of the pipeline makes new features") as caught:
            es.report(pipeline, wine[0])
        assert "give the last step alone, pipeline[-1], and for X what it saw, pipeline[:-1].transform(X)." in str(
            caught.value
        )
        assert len(es.report(pipeline[-1], pipeline[:-1].transform(wine[0])).summary["features"]) == 2

    def test_names_come_from_the_columns(self, wine):
        X, y = wine
        made = es.report(es.FisherScore(2).fit(X.to_numpy(), y), X, y).summary
        assert {row["feature"] for row in made["features"]} <= set(X.columns)
