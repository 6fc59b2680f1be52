"""`report` makes a summary of plain values of a fitted selector, of any table, and changes nothing that it is given."""

import copy
import json
import types
import typing

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import data_of, tables_of, views_of

import eigenselect as es
from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect.criteria.methods import METHODS
from eigenselect.matrix import dask_table
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.reporting import Fitted, add_views, compare, summarise
from eigenselect.reporting.summary import ComparisonSummary, RankingSummary
from eigenselect.reporting.views.drawing import ALL_VIEWS
from eigenselect.selection import Threshold, TopK


def report(selector, X, y=None, **options):
    return es.report(selector, X, y, evaluation=False, **options)


def is_plain(value):
    """By type, not by isinstance: numpy's float64 is a float, too."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(item) for key, item in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def breaches(value, kind, where="summary"):
    """Places at which a value is not what a type promises: missing or further keys, other kinds of values."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if typing.is_typeddict(kind) and not isinstance(value, dict):
        return {f"{where} is {type(value).__name__}, not a dict"}
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)  # the keys that a class calls required are wrong
        optional = {key for key, hint in hints.items() if typing.get_origin(hint) is typing.NotRequired}
        required = set(hints) - optional if kind.__total__ else set()
        missing = {f"{where}.{key} is missing" for key in required - set(value)}
        further = {f"{where}.{key} is in no type" for key in set(value) - set(hints)}
        inside = (breaches(value[key], hint, f"{where}.{key}") for key, hint in hints.items() if key in value)
        return missing.union(further, *inside)
    if origin is typing.NotRequired:
        return breaches(value, parts[0], where)
    if kind is typing.Any:
        return set()
    if origin is typing.Literal:
        return set() if value in parts else {f"{where} is {value!r}"}
    if origin in (typing.Union, types.UnionType):
        return set() if any(not breaches(value, part, where) for part in parts) else {f"{where} is none of {parts}"}
    if origin in (list, dict) and type(value) is not origin:
        return {f"{where} is {type(value).__name__}, not a {origin.__name__}"}
    if origin is list:
        return set().union(*(breaches(item, parts[0], f"{where}[]") for item in value))
    if origin is dict:
        return set().union(*(breaches(item, parts[1], f"{where}[{key!r}]") for key, item in value.items()))
    kinds = {float: (float, int), type(None): (type(None),)}.get(kind, (kind,))
    return set() if type(value) in kinds else {f"{where} is {type(value).__name__}, not {kind.__name__}"}


class TestTypes:
    """Whoever reads the JSON relies on these keys."""

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_of_rankings_and_comparisons(self, two_groups):
        X, y = two_groups
        sources = [("own", TargetData()), ("set", FeatureSet([0]))]
        for evaluation, selector in (
            (True, es.FisherScore(5, significance=True)), (False, es.LaplacianScore("auto")), (True, es.MRSF(3)),
            (False, es.SSelect(3)), (True, es.FisherScore("fdr")), (True, es.MSFS(3, sources=sources)),
        ):  # fmt: skip
            made = es.report(selector.fit(X, y), X, y, evaluation=evaluation)
            assert breaches(made.summary, RankingSummary) == set()
            assert is_plain(made.summary)
        made = compare({"fisher": es.FisherScore(), "mrsf": es.MRSF(target="lda")}, X, y, n_features=5, sizes=[2, 5])
        assert breaches(made.summary, ComparisonSummary) == set()

    def test_parameters_of_numpy_become_plain(self, two_groups):
        X, y = two_groups[0][:, 12:], two_groups[1]
        KNN, RBF, Diffusion = es.similarity.KNN, es.similarity.RBF, es.similarity.Diffusion
        both = [("self", TargetData()), ("y", SampleCategories())]
        for selector, parameter, shown in (
            (es.FisherScore(np.int64(3)), "n_features_to_select", "3"),
            (es.LaplacianScore(3, similarity=KNN(n_neighbors=np.int64(7))), "similarity", "KNN(n_neighbors=7)"),
            (es.LaplacianScore(3, similarity=KNN(5, np.str_("rbf"), np.float64(2.0))), "n_features_to_select", "3"),
            (es.SPEC(3, similarity=RBF(np.float32(1.5)), spectral_function=np.sqrt), "spectral_function", "sqrt"),
            (es.SPEC(3, similarity=Diffusion(beta=np.float32(0.5)), n_clusters=np.int16(3)), "n_clusters", "3"),
            (es.MSFS(3, sources=both, weights=np.array([0.5, 0.5])), "weights", "ndarray of shape (2,)"),
        ):
            made = report(selector.fit(X, y), X, y)
            assert is_plain(made.summary)
            assert made.summary["parameters"][parameter] == shown
            assert "np." not in made.to_html() + made.to_markdown() + made.to_json()


class TestPurity:
    def test_nothing_that_is_given_is_changed(self, wine):
        X, y = wine[0].copy(), wine[1].copy()
        selector, names, notes = es.LaplacianScore(3).fit(X), list(X.columns), ["a note"]
        before = copy.deepcopy((X, y, selector.__dict__, names, notes))
        fitted = Fitted(selector, X, y, names)
        plain = summarise(fitted, notes=notes, kept=3)
        earlier = copy.deepcopy(plain)
        whole = add_views(plain, fitted)
        assert plain == earlier
        pd.testing.assert_frame_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])
        assert selector.__dict__.keys() == before[2].keys()
        np.testing.assert_array_equal(selector.scores_, before[2]["scores_"])
        assert (names, notes) == before[3:]
        assert {key: whole[key] for key in plain} == plain
        assert list(whole["views"]) == list(ALL_VIEWS)
        for name in ALL_VIEWS:  # on request, the same as of the whole
            assert summarise(fitted, kept=3, views=[name])["views"] == {name: whole["views"][name]}
        with pytest.raises(ValueError, match="got 'stands_for'"):
            summarise(fitted, views=["stands_for"])

    def test_saving(self, wine, tmp_path):
        made = report(es.FisherScore(3).fit(*wine), *wine)
        for ending in ("html", "md", "json"):
            path = tmp_path / f"report.{ending}"
            path.write_text("old")
            made.save(path)
            assert "flavanoids" in path.read_text(encoding="utf-8")
        assert len(list(tmp_path.iterdir())) == 3
        with pytest.raises(ValueError, match=r"got '.*report\.pdf'"):
            made.save(tmp_path / "report.pdf")
        found = json.loads(made.to_json())
        assert list(found) == list(made.summary)
        assert [*found["views"], "values"] == list(made.summary["views"])  # colours of the page only
        assert repr(made) == "Report(ranking, 178 samples, 13 features)"


class TestSummary:
    @pytest.mark.parametrize("row", [m for m in METHODS if m.command == "rank"], ids=lambda m: m.name)
    def test_every_method_has_a_report(self, wine, row):
        X, y = wine
        selector = getattr(es, row.selector)(3, **row.parameters).fit(X, y)
        made = report(selector, X, y)
        summary, order = made.summary, selector.ranking_.argsort(kind="stable")
        assert summary["method"] == data_of(made.to_html())["method"] == row.name
        assert row.summary.split(":")[0] in made.to_markdown().replace("\\", "")
        assert [entry["feature"] for entry in summary["features"]] == list(X.columns[order[:3]])
        np.testing.assert_array_equal([entry["score"] for entry in summary["features"]], selector.scores_[order[:3]])
        assert set(summary["all_features"]["feature"]) == set(X.columns)

    def test_what_a_rule_keeps_stands_with_its_own_ranks(self, wine):
        X, y = wine
        selector = es.FisherScore(TopK(3, must_keep=["ash"], never=["flavanoids"])).fit(X, y)
        summary = report(selector, X, y).summary
        rows, places = summary["features"], summary["all_features"]["selected"]
        assert {row["feature"] for row in rows} == set(selector.get_feature_names_out())
        ranks = sorted(selector.ranking_[selector.get_support()])
        assert [row["rank"] for row in rows] == [place + 1 for place in places] == ranks
        listed = summary["all_features"]["feature"]
        assert {listed[place] for place in places} <= set(summary["views"]["redundancy"]["features"])
        nothing = report(es.FisherScore(Threshold(2)).fit(X, y), X, y)
        assert (nothing.summary["n_selected"], nothing.summary["features"]) == (0, [])
        assert len(nothing.summary["views"]["distributions"]) == nothing.summary["scores"]["knee"]
        assert "No feature" in nothing.to_markdown()
        half = report(es.FisherScore().fit(X, y), X, y).summary
        assert (half["n_selected"], half["cut"]) == (6, True)

    def test_features_that_are_not_ordered_have_no_rank(self, wine):
        X, y = wine
        selector = es.MRSF(4, target="lda").fit(X, y)
        summary = summarise(Fitted(selector, X, None, list(X.columns)))
        assert [row["rank"] for row in summary["features"]] == [1, 2, 3, 4] + [None] * 9
        assert [row["feature"] for row in summary["features"][:4]] == list(X.columns[selector.path_])
        assert summary["scores"]["lowest"] == selector.scores_[selector.path_].min()
        made = report(selector, X, y)
        assert "None" not in str(tables_of(made.to_markdown()))
        assert data_of(made.to_html())["n_ordered"] == summary["n_ordered"] == 4

    def test_minus_one_means_what_it_meant_to_the_method(self, wine):
        X, y = wine
        codes = pd.factorize(y)[0] - 1  # -1, 0, 1
        semi = es.TraceRatio(3, graphs="semi-supervised").fit(X, codes)
        for selector in (semi, es.SSelect(3).fit(X, codes)):
            summary = report(selector, X, codes).summary
            assert summary["views"]["groups"]["names"] == ["0", "1", "unlabelled"]
            assert summary["n_labelled"] == int((codes >= 0).sum())
        for selector in (es.FisherScore(3), es.TraceRatio(3), es.LaplacianScore(3)):
            assert views_of(selector.fit(X, codes), X, codes)["groups"]["names"] == ["-1", "0", "1"]
        two = codes < 1
        with pytest.warns(UserWarning, match="-1 is taken"):
            both = es.SSelect(3).fit(X[two], codes[two])
        assert views_of(both, X[two], codes[two])["groups"]["names"] == ["-1", "0"]

    def test_numbers_are_told_from_classes_by_the_method_not_by_counting(self):
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        y[3] = np.nan
        assert views_of(es.LaplacianScore(3).fit(X), X, y)["groups"]["names"][3] == "unlabelled"
        y[3] = 100.0
        for selector in (es.ReliefF(3), es.HSICScore(3, target_kernel="linear"), es.LaplacianScore(3)):
            made = report(selector.fit(X, y), X, y)
            assert made.summary["views"]["groups"]["kind"] == "third"
            assert "falls apart" not in made.to_html() + made.to_markdown()
        classes = np.repeat(np.arange(40), 3)
        assert views_of(es.FisherScore(3).fit(X[:120], classes), X[:120], classes)["groups"]["kind"] == "class"

    def test_warnings_are_told_and_graphs_of_labels_fall_apart_by_design(self, wine, rng):
        X, y = wine
        levels = np.column_stack([y, np.char.add(y.astype(str), np.tile(["a", "b"], len(y) // 2))])
        for selector in (
            es.FisherScore(3), es.HSICScore(3), es.TraceRatio(3), es.ReliefF(3, n_neighbors=1),
            es.SPEC(3, similarity="class_labels"), es.MSFS(3, sources=[("labels", SampleCategories())]),
            es.MSFS(3, sources=[("tree", SampleCategories(levels))]),
        ):  # fmt: skip
            made = report(selector.fit(X, y), X, y)
            assert made.summary["warnings"] == []
            assert "falls apart" not in made.to_html()
        apart = np.vstack([rng.normal(size=(20, 4)), rng.normal(size=(20, 4)) + 100])
        apart[:, 2] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning), pytest.warns(es.exceptions.GraphWarning):
            selector = es.LaplacianScore(2, similarity=es.similarity.KNN(n_neighbors=4)).fit(apart)
        notes = report(selector, apart).summary["warnings"]
        assert notes[0].startswith("1 of 4")
        assert "falls apart" in notes[1]

    def test_ugly_tables(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20, 6)) * [1e-12, 1e12, 1e90, 1, 1, 1], np.arange(20) % 2
        X[:, 3], X[:, 4] = 7.0, X[:, 5]
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            made = report(es.FisherScore(6).fit(X, y), X, y)
        assert made.summary["scores"]["n_undefined"] == 1
        assert json.loads(made.to_json())["all_features"]["score"][-1] is None
        perfect = np.array([[0.0, 1], [0, 3], [1, 2], [1, 5]])
        made = report(es.FisherScore(1).fit(perfect, [0, 0, 1, 1]), perfect, [0, 0, 1, 1])
        assert json.loads(made.to_json())["features"][0]["native_score"] == "Infinity"
        assert data_of(made.to_html())["all_features"]["native_score"][0] == "Infinity"
        assert "| ∞ |" in made.to_markdown()

    def test_methods_without_a_graph_or_of_your_own(self, wine):
        X, y = wine

        class Mine(es.FisherScore):
            """Like Fisher's, but mine.

            More words.
            """

        summary = report(Mine(3).fit(X, y), X, y).summary
        assert (summary["method"], summary["method_summary"]) == ("Mine", "Like Fisher's, but mine")
        rankers = [(None, es.FisherScore()), (None, es.LaplacianScore())]
        assert report(es.KOGS(3, rankers=rankers).fit(X, y), X, y).summary["graph"] == {}
        for ranking, direction in (("phi2", "small"), ("phi3", "large")):
            selector = es.MSFS(3, sources=[("self", TargetData())], ranking=ranking).fit(X, y)
            assert report(selector, X).summary["native_direction"] == direction


class TestInputs:
    def test_the_data_of_fit_in_any_form(self, wine):
        X, y = wine
        selector = es.LaplacianScore(3).fit(X)
        expected = [row["feature"] for row in report(selector, X, y).summary["features"]]
        values = X.to_numpy()
        for table in (values, values.tolist(), sparse.csr_array(values), pl.from_pandas(X)):
            labels = [*y] if isinstance(table, list) else y[:, None]
            found = report(selector, table, labels, feature_names=list(X)).summary
            assert [row["feature"] for row in found["features"]] == expected
            assert found["views"]["groups"]["sizes"] == [59, 71, 48]
        thin = np.where(np.abs(values) < 0.5, 0.0, values)
        dense, csr = (report(es.FisherScore(3).fit(T, y), T, y).summary for T in (thin, sparse.csr_array(thin)))
        assert dense["views"]["distributions"] == csr["views"]["distributions"]

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda X, y: (X[:10], y[:10]), "178 samples of 13 features, got"),
            (lambda X, y: (X[["ash"]], y), "178 samples of 13 features, got"),
            (lambda X, y: (np.ones(178), y), "178 samples of 13 features, got"),
            (lambda X, y: (X[X.columns[::-1]], y), "the same order"),
            (lambda X, y: (X.assign(ash=np.nan), y), "finite"),
            (lambda X, y: (X, y[:3]), "178 samples, got shape"),
            (lambda X, y: (X, np.ones((178, 2))), "1-dimensional, got shape"),
        ],
    )
    def test_other_data_are_refused(self, wine, change, says):
        with pytest.raises(ValueError, match=says):
            report(es.LaplacianScore(3).fit(wine[0]), *change(*wine))

    def test_other_selectors_and_names_are_refused(self, wine):
        X, y = wine
        for fitted in (SelectKBest(k=3).fit(X, y), make_pipeline(StandardScaler(), SelectKBest(k=3)).fit(X, y)):
            with pytest.raises(TypeError, match="got SelectKBest"):
                report(fitted, X, y)
        with pytest.raises(NotFittedError):
            report(es.FisherScore(3), X, y)
        with pytest.raises(ValueError, match="13 names, got 1"):
            report(es.FisherScore(3).fit(X, y), X, y, feature_names=["a"])

    def test_names_of_samples_and_features_come_from_the_table(self, wine):
        X, y = wine[0].set_index("bottle " + pd.Series(np.arange(178)).astype(str)), wine[1]
        for selector in (es.LaplacianScore(3), make_pipeline(StandardScaler(), es.SPEC(3))):
            assert views_of(selector.fit(X), X, y)["samples"]["name"][7] == "bottle 7"
        found = report(es.FisherScore(2).fit(X.to_numpy(), y), X, y).summary
        assert {row["feature"] for row in found["features"]} <= set(X.columns)
        assert views_of(es.LaplacianScore(3).fit(wine[0]), wine[0])["samples"]["name"] is None


class TestPipelines:
    def test_the_last_step_is_reported_by_the_names_of_the_table(self, wine):
        X, y = wine
        table = X.assign(flat=1.0)[["flat", *X.columns]]
        for given, names in ((table, None), (table.to_numpy(), list(table.columns))):
            pipeline = make_pipeline(VarianceThreshold(), StandardScaler(), es.FisherScore(3)).fit(given, y)
            found = report(pipeline, given, y, feature_names=names).summary
            alone = report(
                es.FisherScore(3).fit(StandardScaler().fit_transform(X), y), StandardScaler().fit_transform(X), y
            )
            kept = [X.columns[int(row["feature"][1:])] for row in alone.summary["features"]]
            assert [row["feature"] for row in found["features"]] == kept
            assert len(found["all_features"]["feature"]) == 13
            assert found["views"]["redundancy"]["rate"] == alone.summary["views"]["redundancy"]["rate"]
            with pytest.raises(ValueError, match="14 names, got 2"):
                report(pipeline, given, y, feature_names=["a", "b"])

    def test_a_picture_is_of_what_the_first_choosing_step_saw(self, rng):
        X, y = rng.normal(size=(30, 8)), np.arange(30) % 2
        choosing = make_pipeline(SelectKBest(f_classif, k=5), VarianceThreshold())
        inside = make_pipeline(StandardScaler(), "passthrough", choosing, es.FisherScore(2)).fit(X, y)
        scaled = es.FisherScore(2).fit(StandardScaler().fit_transform(X), y)
        drawn, expected = (
            views_of(*given, y)["spectrum"] for given in ((inside, X), (scaled, StandardScaler().fit_transform(X)))
        )
        assert "all 8 features" in drawn["of"]
        np.testing.assert_allclose(drawn["eigenvalues"], expected["eigenvalues"], atol=1e-9)

    def test_steps_that_make_features_are_refused(self, wine):
        pipeline = make_pipeline(PCA(4), es.SPEC(2)).fit(wine[0])
        with pytest.raises(ValueError, match=r"'pca' .*pipeline\[-1\]"):
            report(pipeline, wine[0])
        assert len(report(pipeline[-1], pipeline[:-1].transform(wine[0])).summary["features"]) == 2


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestStorage:
    """Reports, comparisons and plots of an AnnData, also in a file, are those of its matrix, with its names."""

    X, Y = counts(40, 8)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_annotated_data(self, tmp_path, monkeypatch, layout):
        values = LAYOUTS[layout](self.X)
        there = in_file(tmp_path / "x.h5ad", values)
        names = list(there.var_names)
        expected = report(es.LaplacianScore(3).fit(values), values, self.Y, feature_names=names).summary
        for large in (False, True):
            if large:
                as_if_large(monkeypatch)
            for adata in (annotated(values), there):
                found = report(es.LaplacianScore(3).fit(adata), adata, self.Y).summary
                assert found["features"] == expected["features"]
                assert found["graph"] == expected["graph"]
                assert found["views"]["samples"]["name"] == list(adata.obs_names)

    def test_comparisons_and_plots(self, tmp_path, monkeypatch):
        there = in_file(tmp_path / "x.h5ad", self.X)
        options = {"n_features": 3, "sizes": [1, 3], "n_splits": 2}
        selectors = {"laplacian": es.LaplacianScore(), "fisher": es.FisherScore()}

        def told(table, **names):
            methods = compare(selectors, table, self.Y, **options, **names).summary["methods"]
            return {name: {**facts, "seconds": 0} for name, facts in methods.items()}

        expected = told(self.X, feature_names=list(there.var_names))
        as_if_large(monkeypatch)
        assert told(there) == told(annotated(self.X)) == expected
        on_file, on_array = es.LaplacianScore(3).fit(there), es.LaplacianScore(3).fit(self.X)
        missing = es.report(on_file, there, self.Y).summary["evaluation"]["missing"]
        assert all("in its file" in missing[part] for part in ("stability", "band"))  # columns are not permuted there
        axes = [es.plot.redundancy(on_file, there), es.plot.redundancy(on_array, self.X)]
        np.testing.assert_array_equal(*(ax.collections[0].get_array() for ax in axes))
        kept = sorted(there.var_names[on_array.get_support()])
        assert sorted(label.get_text() for label in axes[0].get_xticklabels()) == kept

    def test_other_orders_are_refused_and_places_come_along(self):
        adata = annotated(self.X)
        selector = es.LaplacianScore(3).fit(adata)
        turned = pd.Series(self.Y, index=adata.obs_names)[::-1]
        for call in (
            lambda: report(selector, adata, turned),
            lambda: report(selector, adata[:, ::-1]),
            lambda: compare({"s": selector}, adata, turned, n_features=2, sizes=[2]),
        ):
            with pytest.raises(ValueError, match="the same order"):
                call()
        places = np.random.default_rng(0).normal(size=(40, 3))
        adata.obsm["X_umap"], adata.obsm["X_other"] = places, places
        for table in (adata, adata[:]):
            found = views_of(selector, table, self.Y)["pictures"]
            assert (found["first"], [plane["key"] for plane in found["planes"]]) == ("X_umap", ["X_umap"])
            drawn = np.array(found["planes"][0]["coordinates"]).T
            np.testing.assert_allclose(drawn, places[:, :2] - places[:, :2].min(axis=0), atol=0.01)

    def test_dask_arrays(self, monkeypatch):
        """Small ones are as in memory; large ones, which would be read dozens of times, are refused."""
        da = pytest.importorskip("dask.array", reason="dask is not installed")
        y = np.arange(40) % 2
        X = np.random.default_rng(2).normal(size=(40, 12)) + 2.0 * y[:, None] * (np.arange(12) < 3)
        array = da.from_array(X, chunks=(15, 12))
        made = []
        for table in (X, array):
            both = compare({"a": es.FisherScore()}, table, y, n_features=3, sizes=[2], n_splits=2)
            facts, summary = both.summary["methods"]["a"], report(es.FisherScore(3).fit(table, y), table, y).summary
            names = [row["feature"] for row in summary["features"]]
            made.append((names, summary["views"]["redundancy"]["rate"], facts["accuracy"], facts["stability"]))
        assert made[0][0] == made[1][0]
        assert made[0][1:] == (pytest.approx(made[1][1], rel=1e-9), *made[1][2:])
        selector = es.FisherScore(3).fit(array, y)
        monkeypatch.setattr(dask_table, "band_bytes", lambda: 1000)
        with pytest.raises(ValueError, match="^report: .*got a Dask"):
            es.report(selector, array, y)
        with pytest.raises(ValueError, match="^compare: .*got a Dask"):
            compare({"a": es.FisherScore()}, array, y, n_features=3, sizes=[2])
