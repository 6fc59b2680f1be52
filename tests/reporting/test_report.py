"""One summary, and everything that is made from it."""

import base64
import html as html_text
import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.criteria.table import METHODS
from eigenselect.reporting import Report, compare
from eigenselect.reporting.page_data import feature_values, rounded
from eigenselect.reporting.ranking import ranking_summary


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), load_wine().target_names[y]


def data_of(html):
    """What the page's script reads, by the rules of HTML: up to the first end of the script element."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script', html, re.DOTALL)[1])


def tables_of(markdown):
    """Tables as rows of cells, as GitHub splits them: at every pipe that no backslash escapes."""
    blocks = re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in block.splitlines()] for block in blocks]


def text_of(cell):
    """What a reader sees of a cell: escapes and entities undone."""
    return html_text.unescape(re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", cell))


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
        summary = ranking_summary(selector, len(X), list(X.columns))
        assert summary["n_ordered"] == 4
        assert [row["rank"] for row in summary["features"]] == [1, 2, 3, 4] + [None] * 9
        assert [row["feature"] for row in summary["features"][:4]] == list(X.columns[selector.path_])
        assert summary["scores"]["lowest"] == selector.scores_[selector.path_].min()
        assert summary["scores"]["knee"] <= 4
        made = es.report(selector, X, y)
        assert "None" not in made.to_markdown()
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
        assert notes[0] == "1 of 4 features have no score and are ranked last."
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
        assert "none clear" in made.to_html()


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

    @pytest.mark.parametrize(
        "name", ["TP53|7157", "a`b`", "x\ny", "<b>|</b>", "__z__*w*", "\\|", "|", "[a](b)", "$x$ & ~"]
    )
    def test_no_name_breaks_a_markdown_table(self, two_groups, name):
        X, y = two_groups[0][:, :3], two_groups[1]
        ranking = es.report(es.FisherScore(3).fit(X, y), X, y, feature_names=["plain", name, "other"], title=name)
        methods = {name: es.FisherScore(), "laplacian": es.LaplacianScore(similarity="rbf")}
        both = compare(methods, X, y, feature_names=["plain", name, "other"], title=name, n_features=2, sizes=[1])
        for made in (ranking, both):
            found = tables_of(made.to_markdown())
            assert {len({len(row) for row in table}) for table in found} == {1}
            assert any(" ".join(name.split()) in text_of(cell) for table in found for row in table for cell in row)

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
    def test_values_come_back_to_seven_digits(self, scale):
        X = np.random.default_rng(0).uniform(-1, 1, size=(30, 4)) * scale
        X[3, 1] *= 1e-6  # beside large ones
        order, samples = np.array([2, 0, 3, 1]), np.arange(0, 30, 3)
        found = feature_values(X, order, samples).as_dict()
        parts = np.frombuffer(base64.b64decode(found["parts"]), "<f4").reshape(4, 10)
        np.testing.assert_allclose(parts * np.array(found["scale"])[:, None], X[np.ix_(samples, order)].T, rtol=1e-6)

    def test_columns_of_zeros(self):
        found = feature_values(np.zeros((3, 1)), np.array([0]), np.arange(3))
        assert found.as_dict() == {"count": 1, "scale": [1.0], "parts": "AAAAAAAAAAAAAAAA"}

    def test_the_budget_keeps_the_best(self, monkeypatch):
        monkeypatch.setattr("eigenselect.reporting.page_data.VALUE_BUDGET", 100)
        monkeypatch.setattr("eigenselect.reporting.page_data.LEAST_FEATURES", 2)
        X = np.random.default_rng(0).normal(size=(20, 9))
        found = feature_values(X, np.arange(9)[::-1], np.arange(20))
        np.testing.assert_array_equal(found.scale, np.abs(X).max(axis=0)[::-1][:5])

    def test_rounding(self):
        assert rounded({"a": [1 / 3, 2], "b": (np.inf, "x")}) == {"a": [0.333333, 2], "b": [np.inf, "x"]}


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
        assert notes[0].startswith("fisher, laplacian: 1 of 14 features have no score")

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
    assert made._repr_html_().startswith("<iframe srcdoc=")


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
        with pytest.raises(ValueError, match=r"the step 'pca' \(PCA\) of the pipeline makes new features"):
            es.report(pipeline, wine[0])

    def test_names_come_from_the_columns(self, wine):
        X, y = wine
        made = es.report(es.FisherScore(2).fit(X.to_numpy(), y), X, y).summary
        assert {row["feature"] for row in made["features"]} <= set(X.columns)
