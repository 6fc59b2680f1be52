"""A fitted selector becomes a summary of plain values, and nothing that it is made from is changed."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from tests.reporting.conftest import data_of, tables_of

import eigenselect as es
from eigenselect.criteria.table import METHODS
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.ranking import add_views, summarise
from eigenselect.reporting.views.drawing import ALL_VIEWS


class TestPurity:
    def test_nothing_that_is_given_is_changed(self, wine):
        X, y = wine[0].copy(), wine[1].copy()
        selector, names, notes = es.LaplacianScore(3).fit(X), list(X.columns), ["a note"]
        before = copy.deepcopy((X, y, selector.__dict__, names, notes))
        fitted = Fitted(selector, X, y, names)
        first = summarise(fitted, notes=notes, kept=3)
        earlier = copy.deepcopy(first)
        second = add_views(first, fitted)
        assert first == earlier
        assert second == summarise(fitted, notes=notes, kept=3, views=ALL_VIEWS)
        pd.testing.assert_frame_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])
        assert selector.__dict__.keys() == before[2].keys()
        np.testing.assert_array_equal(selector.scores_, before[2]["scores_"])
        assert (names, notes) == before[3:]

    def test_views_are_made_on_request_and_are_those_of_the_whole(self, wine):
        X, y = wine
        selector = es.LaplacianScore(3).fit(X)
        fitted = Fitted(selector, X, y, list(X.columns))
        plain, whole = (summarise(fitted, kept=3, views=views) for views in ((), ALL_VIEWS))
        assert "views" not in plain
        assert "all_features" not in plain
        assert {key: whole[key] for key in plain} == plain
        assert list(whole["views"]) == list(ALL_VIEWS)
        for name in ALL_VIEWS:
            some = summarise(fitted, kept=3, views=[name])
            assert some["views"] == {name: whole["views"][name]}

    def test_an_unknown_view_is_refused(self, wine):
        selector = es.LaplacianScore(3).fit(wine[0])
        with pytest.raises(ValueError, match=r"summarise: views must be among groups, .*, values, got 'stands_for'"):
            summarise(Fitted(selector, wine[0], None, list(wine[0])), views=["stands_for"])


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

    @pytest.mark.parametrize("row", [m for m in METHODS if m.command == "rank"], ids=lambda m: m.name)
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

    def test_minus_one_means_what_it_meant_to_the_method(self, wine):
        X, y = wine
        codes = pd.factorize(y)[0] - 1  # -1, 0, 1
        semi = es.TraceRatio(3, graphs="semi-supervised").fit(X, codes)
        summary = es.report(semi, X, codes).summary
        assert summary["views"]["groups"]["names"] == ["0", "1", "unlabelled"]
        assert summary["n_labelled"] == semi.n_labelled_ == int((codes >= 0).sum())
        for selector in (es.FisherScore(3), es.TraceRatio(3), es.LaplacianScore(3)):
            names = es.report(selector.fit(X, codes), X, codes).summary["views"]["groups"]["names"]
            assert names == ["-1", "0", "1"]
        with pytest.warns(UserWarning, match="-1 is taken for a class"):
            both = es.SSelect(3).fit(X[codes < 1], codes[codes < 1])
        shown = es.report(both, X[codes < 1], codes[codes < 1]).summary["views"]["groups"]
        assert shown["names"] == ["-1", "0"]

    def test_counts_are_shown_in_thirds(self):
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        for selector in (es.ReliefF(3), es.HSICScore(3), es.LaplacianScore(3)):
            assert es.report(selector.fit(X, y), X, y).summary["views"]["groups"]["kind"] == "third"

    def test_features_that_are_not_ordered_have_no_rank(self, wine):
        X, y = wine
        selector = es.MRSF(4, target="lda").fit(X, y)
        summary = summarise(Fitted(selector, X, None, list(X.columns)))
        assert summary["n_ordered"] == 4
        assert [row["rank"] for row in summary["features"]] == [1, 2, 3, 4] + [None] * 9
        assert [row["feature"] for row in summary["features"][:4]] == list(X.columns[selector.path_])
        assert summary["scores"]["lowest"] == selector.scores_[selector.path_].min()
        assert summary["scores"]["knee"] <= 4
        made = es.report(selector, X, y)
        assert "None" not in str(tables_of(made.to_markdown()))
        assert data_of(made.to_html())["n_ordered"] == 4

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

    def test_names_must_be_one_for_each_feature(self, wine):
        X, y = wine
        with pytest.raises(ValueError, match="13 names, got 1"):
            es.report(es.FisherScore(3).fit(X, y), X, y, feature_names=["a"])

    def test_what_fit_warned_about_is_on_the_page(self):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(20, 4)), rng.normal(size=(20, 4)) + 100])
        X[:, 2] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning), pytest.warns(es.exceptions.GraphWarning):
            selector = es.LaplacianScore(2, similarity=es.similarity.KNN(n_neighbors=4)).fit(X)
        notes = es.report(selector, X).summary["warnings"]
        assert notes[0] == "1 of 4 features has no score and is ranked last."
        assert notes[1].startswith("The sample graph falls apart into")

    @pytest.mark.parametrize(
        "selector",
        [
            es.FisherScore(3),
            es.HSICScore(3),
            es.TraceRatio(3),
            es.ReliefF(3, n_neighbors=1),
            es.SPEC(3, similarity="class_labels"),
            es.MSFS(3, sources=[("labels", es.multisource.SampleCategories())]),
        ],
        ids=lambda selector: type(selector).__name__,
    )
    def test_label_graphs_are_in_components_by_design_and_nobody_is_warned(self, wine, selector):
        X, y = wine
        made = es.report(selector.fit(X, y), X, y)
        assert made.summary["warnings"] == []
        assert "falls apart" not in made.to_html() + made.to_markdown()

    def test_nested_categories_are_in_components_by_design_too(self, wine):
        X, y = wine
        levels = np.column_stack([y, np.char.add(y.astype(str), np.tile(["a", "b"], len(y) // 2))])
        selector = es.MSFS(3, sources=[("tree", es.multisource.SampleCategories(levels))]).fit(X)
        assert selector.graph_.n_components == 3
        assert es.report(selector, X, y).summary["warnings"] == []

    def test_a_perfect_feature_is_infinitely_good_not_undefined(self):
        X = np.array([[0.0, 1], [0, 3], [1, 2], [1, 5]])
        made = es.report(es.FisherScore(1).fit(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
        assert json.loads(made.to_json())["features"][0]["native_score"] == "Infinity"
        assert data_of(made.to_html())["all_features"]["native_score"][0] == "Infinity"
        assert "| ∞ |" in made.to_markdown()

    def test_the_direction_is_that_of_the_ranking(self, wine):
        X, y = wine
        for ranking, direction in (("phi2", "small"), ("phi3", "large")):
            selector = es.MSFS(3, sources=[("self", es.multisource.TargetData())], ranking=ranking).fit(X, y)
            assert es.report(selector, X).summary["native_direction"] == direction

    def test_what_a_rule_keeps_stands_with_its_own_ranks(self, wine):
        X, y = wine
        rule = es.selection.TopK(3, must_keep=["ash"], never=["flavanoids"])
        selector = es.FisherScore(rule).fit(X, y)
        made = es.report(selector, X, y)
        rows, places = made.summary["features"], made.summary["all_features"]["selected"]
        assert {row["feature"] for row in rows} == set(selector.get_feature_names_out())
        assert [row["rank"] for row in rows] == sorted(selector.ranking_[selector.get_support()])
        assert [place + 1 for place in places] == [row["rank"] for row in rows]
        shown, listed = made.summary["views"]["redundancy"], made.summary["all_features"]["feature"]
        assert {listed[place] for place in places} <= set(shown["features"])
        assert [listed[place] for place in shown["place"]] == shown["features"]
        assert "ash" in made.to_markdown()

    def test_groups_of_near_copies_are_listed_for_all_features(self, wine):
        X, y = wine
        X = X.assign(again=-3 * X["proline"] + 1, twice=2 * X["flavanoids"])
        made = es.report(es.FisherScore(2).fit(X, y), X, y).summary["all_features"]
        groups = dict(zip(made["feature"], made["group"], strict=True))
        assert groups["flavanoids"] == groups["twice"] == 1
        assert groups["proline"] == groups["again"] == 2
        assert sum(map(bool, groups.values())) == 4

    def test_none_kept_is_a_report_of_the_best(self, wine):
        X, y = wine
        made = es.report(es.FisherScore(es.selection.Threshold(2)).fit(X, y), X, y)
        assert (made.summary["n_selected"], made.summary["features"]) == (0, [])
        assert data_of(made.to_html())["all_features"]["selected"] == []
        assert len(made.summary["views"]["distributions"]) == made.summary["scores"]["knee"]
        assert "of the selection" not in made.to_markdown()
        assert "No feature is kept." in made.to_markdown()
        assert "Near-copies of the selection" not in made.to_html()

    def test_half_is_kept_where_no_number_was_asked_for(self, wine):
        X, y = wine
        summary = es.report(es.FisherScore().fit(X, y), X, y).summary
        assert (summary["n_selected"], summary["cut"]) == (6, True)

    def test_samples_are_called_by_their_names(self, wine):
        X, y = wine
        named = X.set_index("bottle " + pd.Series(np.arange(len(X))).astype(str))
        names = es.report(es.LaplacianScore(3).fit(named), named, y).summary["views"]["samples"]["name"]
        assert names[7] == "bottle 7"
        assert es.report(es.LaplacianScore(3).fit(X), X, y).summary["views"]["samples"]["name"] is None

    def test_a_blob_is_one_group(self):
        X = np.random.default_rng(0).normal(size=(80, 5))
        made = es.report(es.SPEC(3, similarity="rbf").fit(X), X)
        assert made.summary["views"]["groups"]["names"] == ["all samples"]
        assert "the samples show no clusters" in made.to_html()
        assert "the samples show no clusters" in made.to_markdown()
        assert "no clear clusters" in made.to_html()
