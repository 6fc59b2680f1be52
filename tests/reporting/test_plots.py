"""`eigenselect.plot` draws the numbers of the report, whole names inside the figure, on the axes that it is given."""

import itertools
import json
import re
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backend_bases import _get_renderer
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex
from sklearn.datasets import load_wine
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import views_of

import eigenselect as es
from colour_vision import VISIONS, contrast, distances
from eigenselect.evaluation import accuracy_curves
from eigenselect.inference import Split
from eigenselect.reporting import compare
from eigenselect.reporting.plotting import palette, style

mpl.use("agg")
import matplotlib.pyplot as plt

LONG = "W" * 40 + " is long"
MATH = "$x_{$ broken\nline"
CANVASES = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}
#: the parts of a score curve
SCORES, CUT, KNEE = style.COLOURS[0], style.CUT, style.SOFT


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fisher(wine):
    return es.FisherScore(5, significance=True).fit(*wine)


@pytest.fixture(scope="module")
def laplacian(wine):
    return es.LaplacianScore(5).fit(wine[0])


@pytest.fixture(scope="module")
def compared(wine):
    X, y = wine
    selectors = {"fisher": es.FisherScore(), LONG: es.LaplacianScore(), "_hidden": es.ReliefF()}
    return compare(selectors, X.rename(columns={"flavanoids": MATH}), y, n_features=4, sizes=[1, 2, 4])


def calls(selector, X, y, compared):
    """A call for every plot, to which axes may be given."""
    return {
        "accuracy_curves": lambda **options: es.plot.accuracy_curves(compared, **options),
        "consensus": lambda **options: es.plot.consensus(compared, **options),
        "dot_plot": lambda **options: es.plot.dot_plot(selector, X, y, **options),
        "embedding": lambda **options: es.plot.embedding(selector, X, y, **options),
        "heat_map": lambda **options: es.plot.heat_map(selector, X, y, **options),
        "mean_score": lambda **options: es.plot.mean_score(selector, X, **options),
        "qq": lambda **options: es.plot.qq(selector, **options),
        "redundancy": lambda **options: es.plot.redundancy(selector, X, **options),
        "score_curve": lambda **options: es.plot.score_curve(selector, X, y, **options),
        "spectrum": lambda **options: es.plot.spectrum(selector, X, **options),
        "volcano": lambda **options: es.plot.volcano(selector, **options),
    }


def texts(labels):
    return [label.get_text() for label in labels]


def ticks(ax, axis="y"):
    return texts(getattr(ax, f"get_{axis}ticklabels")())


def keys(ax):
    return texts(ax.get_legend().get_texts())


@pytest.fixture(scope="module")
def drawn(wine, compared):
    """Plots of long names, and of names that are mathematics for matplotlib."""
    X = wine[0].rename(columns={"proline": LONG, "flavanoids": MATH})
    y = np.array([f"class {LONG}", "_hidden", r"a $\foo$ b"])[np.unique(wine[1], return_inverse=True)[1]]
    return calls(es.FisherScore(5, significance=True).fit(X, y), X, y, compared)


class TestEveryPlot:
    def test_all_are_here(self, drawn):
        assert sorted(drawn) == es.plot.__all__

    @pytest.mark.parametrize("name", es.plot.__all__)
    def test_names_are_whole_nothing_is_cut_off_and_files_hold_vectors(self, drawn, name, tmp_path):
        before = dict(mpl.rcParams)
        ax = drawn[name]()
        figure = ax.figure
        assert dict(mpl.rcParams) == before
        for ending, canvas in CANVASES.items():
            renderer = _get_renderer(figure, getattr(canvas(figure), f"print_{ending}"))
            figure.draw(renderer)
            found, paper = figure.get_tightbbox(renderer), figure.bbox_inches
            assert (found.min >= -0.01).all(), ending
            assert (found.max <= paper.max + 0.01).all(), ending
        figure.savefig(tmp_path / "plot.svg")
        assert "<image" not in (tmp_path / "plot.svg").read_text()
        shown = texts(figure.findobj(mpl.text.Text))
        if name in ("heat_map", "dot_plot", "redundancy", "consensus", "embedding", "accuracy_curves"):
            assert any(LONG in text for text in shown)
        if name in ("heat_map", "dot_plot", "redundancy", "consensus"):
            assert r"\$x_{\$ broken line" in shown
        assert {label.get_fontsize() for label in (ax.xaxis.label, ax.yaxis.label)} == {style.TEXT}
        assert not ax.spines["top"].get_visible()

    @pytest.mark.parametrize("name", es.plot.__all__)
    def test_given_axes_are_used_pipelines_are_opened_and_other_data_refused(self, wine, compared, name):
        X, y = wine
        pipeline = make_pipeline(StandardScaler(), es.FisherScore(5, significance=True)).fit(X, y)
        figure, ax = plt.subplots()
        assert calls(pipeline, X, y, compared)[name](ax=ax) is ax
        assert plt.get_fignums() == [figure.number]
        if name not in ("accuracy_curves", "consensus", "qq", "volcano"):
            with pytest.raises(ValueError, match=rf"^plot\.{name}: X must be"):
                calls(pipeline, X[:50], y[:50], compared)[name]()

    def test_without_matplotlib_the_extra_is_named(self, laplacian, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(ImportError, match=r"eigenselect\[plot\]"):
            es.plot.score_curve(laplacian)

    def test_names_of_a_pipeline_survive_dropped_columns(self, wine):
        table = wine[0].assign(flat=1.0)[["flat", *wine[0].columns]]
        pipeline = make_pipeline(VarianceThreshold(), StandardScaler(), es.LaplacianScore(3)).fit(table)
        for draw in (es.plot.redundancy, es.plot.heat_map):
            assert set(ticks(draw(pipeline, table))) == set(pipeline.get_feature_names_out())
        names, plain = [f"r {j}" for j in range(13)], wine[0].to_numpy()
        assert set(ticks(es.plot.redundancy(es.LaplacianScore(3).fit(plain), plain, feature_names=names))) < set(names)
        expected = StandardScaler().fit_transform(wine[0][["proline"]])[:, 0]
        ax = es.plot.embedding(pipeline, table, feature="proline")
        np.testing.assert_allclose(ax.collections[0].get_array(), expected)


class TestSamples:
    def test_spectrum(self, laplacian, wine):
        ax = es.plot.spectrum(laplacian, wine[0])
        drawn = ax.collections[1].get_offsets()[:, 1]
        np.testing.assert_allclose(drawn, laplacian.graph_.spectrum(22).eigenvalues, atol=1e-9)
        assert ax.lines[0].get_xdata()[0] == 3.5
        assert "after 3" in keys(ax)[0]
        cloud = np.random.default_rng(0).normal(size=(300, 2))
        ax = es.plot.spectrum(es.LaplacianScore(1).fit(cloud), cloud)
        assert [line for line in ax.lines if len(line.get_xdata())] == []  # no gap to mark
        assert keys(ax)[0].startswith("no clear")

    def test_embedding(self, laplacian, wine):
        X, y = wine
        told = views_of(laplacian, X, y)["separation"]
        ax = es.plot.embedding(laplacian, X, y)
        assert [len(points.get_offsets()) for points in ax.collections] == [59, 71, 48]
        assert re.findall(r"\d\.\d\d", ax.get_title()) == [f"{told[key]:.2f}" for key in ("accuracy", "permuted")]
        by_cluster = es.plot.embedding(laplacian, X)
        assert by_cluster.get_legend().get_title().get_text() == "cluster"
        assert "permuted" not in by_cluster.get_title()  # clusters are made from the picture
        for feature in ("proline", 12):
            drawn = es.plot.embedding(laplacian, X, feature=feature).collections[0].get_array()
            np.testing.assert_array_equal(drawn, X["proline"])
        for feature, says in (("prolin", "'prolin'"), (13, "0 to 12, got 13")):
            with pytest.raises(ValueError, match=says):
                es.plot.embedding(laplacian, X, feature=feature)
        partly = np.where(np.arange(178) % 2, np.unique(y, return_inverse=True)[1], -1)
        assert keys(es.plot.embedding(es.SSelect(3).fit(X, partly), X, partly))[-1] == "unlabelled"


class TestTables:
    def test_heat_map_has_z_scores_in_the_order_of_the_report(self, wine, fisher):
        X, y = wine
        ax = es.plot.heat_map(fisher, X, y, n_features=13)
        view = views_of(es.FisherScore(13).fit(X, y), X, y)["heat_map"]
        assert ticks(ax) == view["features"]
        z = (X - X.mean()) / X.std(ddof=0)
        expected = np.clip(z.iloc[view["number"]][view["features"]].to_numpy().T, -2.5, 2.5)
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(expected.shape), expected, atol=0.0501)
        assert ticks(ax, "x") == ["class_0", "class_1", "class_2"]
        assert [np.ptp(bar.get_paths()[0].vertices[:, 0]) for bar in ax.collections[1:]] == [59, 71, 48]
        assert set(ticks(es.plot.heat_map(fisher, X, y))) == set(fisher.get_feature_names_out())

    def test_few_samples_are_named_and_constant_features_grey(self, wine):
        X, y = wine[0].iloc[::9][["proline", "ash"]].assign(flat=1.0), wine[1][::9]
        X = X.set_axis([f"bottle {i}" for i in range(len(X))])
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            fitted = es.FisherScore(es.selection.TopK(2, must_keep=["flat"])).fit(X, y)
        ax = es.plot.heat_map(fitted, X, y, n_features=3)
        (below,) = ax.child_axes
        assert sorted(ticks(below, "x")) == sorted(X.index)
        ax.figure.canvas.draw()
        colours = [{to_hex(cell) for cell in row} for row in ax.collections[0].get_facecolor().reshape(3, len(X), 4)]
        assert [len(row) for row in colours][-1] == 1 < len(colours[0])
        cloud = np.random.default_rng(0).normal(size=(300, 2))
        assert len(es.plot.heat_map(es.LaplacianScore(2).fit(cloud), cloud).collections) == 1  # no bar of one group

    def test_dot_plot_has_means_and_shares(self, wine, fisher):
        X, y = wine
        ax = es.plot.dot_plot(fisher, X, y, n_features=13)
        names = ticks(ax, "x")
        means = ((X - X.mean()) / X.std(ddof=0)).groupby(y).mean()[names]
        shares = (X.median() < X).groupby(y).mean()[names]
        dots = ax.collections[0]
        np.testing.assert_allclose(dots.get_array(), means.to_numpy().ravel(), atol=1e-9)
        areas = dots.get_sizes()
        np.testing.assert_allclose(areas / areas.max(), shares.to_numpy().ravel() / shares.to_numpy().max())
        sizes = np.array([handle.get_sizes()[0] for handle in ax.get_legend().legend_handles])
        assert keys(ax) == ["20%", "40%", "60%", "80%", "100%"]
        np.testing.assert_allclose(sizes / sizes[-1], [0.2, 0.4, 0.6, 0.8, 1.0])
        with pytest.raises(ValueError, match="at least 3 classes"):
            es.plot.dot_plot(es.FisherScore(3).fit(X[:130], y[:130]), X[:130], y[:130])

    def test_redundancy_has_correlations_and_outlines_copies(self, fisher, wine):
        X, y = wine
        ax = es.plot.redundancy(fisher, X, n_features=9)
        names = ticks(ax)
        assert names == ticks(ax, "x") == ticks(es.plot.heat_map(fisher, X, y, n_features=9))
        assert set(names) == set(X.columns[fisher.ranking_.argsort()[:9]])
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(9, 9), X[names].corr(), atol=1e-12)
        mean = np.abs(X[names].corr().to_numpy()[np.triu_indices(9, 1)]).mean()
        assert f"{mean:.2f}" in ax.get_title()
        copied = X.assign(again=-2 * X["proline"])
        ax = es.plot.redundancy(es.FisherScore(6).fit(copied, y), copied)
        (block,) = ax.patches
        outlined = ticks(ax)[int(block.get_x()) : int(block.get_x() + block.get_width())]
        assert set(outlined) == {"proline", "again"}

    def test_redundancy_refuses_what_has_no_pairs(self, fisher, wine):
        for count in (0, 1, 14):
            with pytest.raises(ValueError, match=f"2 to 13 features .*got {count}"):
                es.plot.redundancy(fisher, wine[0], n_features=count)
        one = wine[0][["proline"]]
        with pytest.raises(ValueError, match="at least 2 features"):
            es.plot.redundancy(es.FisherScore(1).fit(one, wine[1]), one)
        with pytest.raises(ValueError, match="got 0"):
            es.plot.redundancy(es.LaplacianScore(es.selection.Threshold(2)).fit(wine[0]), wine[0])


def line(ax, colour, dash="-"):
    """The x and y of the first line of a colour and dash."""
    for found in ax.lines:
        if to_hex(found.get_color()) == colour and found.get_linestyle() == dash and len(found.get_xdata()):
            return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())
    return None


def band_of(ax):
    """Corners of the grey area."""
    (area,) = ax.collections
    return {tuple(corner) for corner in area.get_paths()[0].vertices.round(9)}


class TestScoreCurve:
    def test_scores_the_cut_and_a_faint_knee(self, laplacian, fisher):
        ax = es.plot.score_curve(laplacian)
        np.testing.assert_array_equal(line(ax, SCORES)[1], np.sort(laplacian.scores_)[::-1])
        assert keys(ax) == ["kept 5", "knee 1"]
        assert line(ax, CUT, "--")[0].tolist() == [5.5, 5.5]
        places, heights = line(ax, KNEE)
        assert places.tolist() == [1.5, 1.5]
        assert heights[1] <= 0.05  # of the height: a tick, no line
        assert keys(es.plot.score_curve(fisher)) == ["kept 5"]  # q-values say more than a knee

    def test_the_band_is_that_of_the_report(self, fisher, wine):
        made = es.report(fisher, *wine)
        band = made.summary["evaluation"]["band"]
        corners = {(r, round(v, 9)) for side in ("low", "high") for r, v in zip(band["rank"], band[side], strict=True)}
        for given in ((fisher, *wine), (made,), (json.loads(made.to_json()),)):
            ax = es.plot.score_curve(*given)
            assert band_of(ax) == corners
            assert f"{band['n_above']} above" in ax.get_title()
            bottom, top = ax.get_ylim()
            assert bottom < min(band["low"]) <= max(band["high"]) < top
        assert band_of(es.plot.score_curve(fisher, *wine, random_state=1)) != corners
        one = wine[0][["proline"]]
        single = es.plot.score_curve(es.FisherScore(1).fit(one, wine[1]), one, wine[1])
        assert (len(single.collections), "1 above" in single.get_title()) == (1, True)
        unmeasured = es.report(fisher, *wine, evaluation=False)
        for ax in (es.plot.score_curve(fisher, *wine, band=False), es.plot.score_curve(unmeasured)):
            assert not ax.collections

    def test_a_band_that_cannot_be_measured_is_a_warning(self, wine):
        fitted = es.TraceRatio(3).fit(*wine)
        for given in ((fitted, *wine), (es.report(fitted, *wine),)):
            with pytest.warns(UserWarning, match=r"plot\.score_curve: no band"):
                assert not es.plot.score_curve(*given).collections
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            es.plot.score_curve(fitted, *wine, band=False)

    def test_other_summaries_are_refused(self, compared, two_groups):
        ranking = es.report(es.FisherScore(3).fit(*two_groups), *two_groups, evaluation=False)
        short = {key: value for key, value in ranking.summary.items() if key != "all_features"}
        for given, called in ((compared, "of a comparison"), (short, "dict of"), ({}, "dict of")):
            with pytest.raises(TypeError, match=called):
                es.plot.score_curve(given)
        for given, called in ((ranking, "of a ranking"), ([1], "list")):
            with pytest.raises(TypeError, match=called):
                es.plot.consensus(given)

    def test_what_is_kept_need_not_be_the_first(self, wine):
        picked = es.LaplacianScore(es.selection.TopK(3, must_keep=["ash"], never=["flavanoids"])).fit(wine[0])
        for ax in (es.plot.score_curve(picked), es.plot.score_curve(es.report(picked, wine[0], evaluation=False))):
            places, heights = line(ax, CUT, "None")
            np.testing.assert_array_equal(places, np.sort(picked.ranking_[picked.get_support()]))
            np.testing.assert_array_equal(heights, line(ax, SCORES)[1][places - 1])
        nothing = es.LaplacianScore(es.selection.Threshold(2)).fit(wine[0])
        assert line(es.plot.score_curve(nothing), CUT, "--")[0][0] == 0.5
        flat = wine[0].assign(flat=1.0)
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            undefined = es.LaplacianScore(es.selection.TopK(2, must_keep=["flat"])).fit(flat)
        ax = es.plot.score_curve(undefined)
        assert line(ax, CUT, "None")[0].tolist() == [1]
        assert len(line(ax, SCORES)[1]) == 13
        mrsf = es.MRSF(4, target="lda").fit(*wine)
        np.testing.assert_array_equal(line(es.plot.score_curve(mrsf), SCORES)[1], mrsf.scores_[mrsf.path_])

    def test_axes_can_be_read(self, wine):
        X, y = load_wine(return_X_y=True)
        ax = es.plot.score_curve(es.TraceRatio(3).fit(X, y))
        assert "symmetric logarithm" in ax.get_ylabel()
        ax.figure.canvas.draw()
        places = ax.transData.transform(np.column_stack(line(ax, SCORES)))[:, 1]
        assert np.ptp(places[:3]) > 0.02 * ax.bbox.height
        rng = np.random.default_rng(0)
        long, labels = rng.normal(size=(30, 201)), rng.integers(0, 2, 30)
        assert es.plot.score_curve(es.FisherScore(5).fit(long, labels)).get_xscale() == "log"
        made = es.report(es.FisherScore(5).fit(*wine), *wine, evaluation=False).summary
        equal = es.plot.score_curve({**made, "all_features": {**made["all_features"], "score": [0.0] * 13}})
        assert equal.get_ylim()[0] < 0 < equal.get_ylim()[1]


def points(ax):
    """Others and discoveries, in this order, as (x, y)."""
    return [np.asarray(part.get_offsets()) for part in ax.collections[-2:]]


@pytest.fixture(scope="module")
def tested(two_groups):
    return es.FisherScore(5, significance=True).fit(*two_groups)


class TestSignificance:
    def test_qq(self, tested):
        others, found = points(ax := es.plot.qq(tested))
        assert len(found) == (tested.qvalues_ <= 0.05).sum() > 0
        drawn = np.sort(np.concatenate([found, others]), axis=0)
        np.testing.assert_allclose(drawn[:, 0], np.sort(-np.log10(np.arange(1, 41) / 41)))
        np.testing.assert_allclose(drawn[:, 1], np.sort(-np.log10(tested.pvalues_)))
        assert f"{len(found)} of 40" in ax.get_title()

    def test_volcano_has_good_scores_at_the_right(self, two_groups, tested):
        small = es.SPEC(5, ranking="phi2", similarity="class_labels", significance=True).fit(*two_groups)
        for selector in (tested, small):
            others, found = points(ax := es.plot.volcano(selector))
            assert found[:, 0].min() > np.median(others[:, 0])
            z = np.abs(selector.native_scores_ - selector.null_mean_) / selector.null_sd_
            np.testing.assert_allclose(np.sort(np.abs(np.concatenate([others, found])[:, 0])), np.sort(z))
            level = -np.log10(selector.pvalues_[selector.qvalues_ <= 0.05].max())
            assert ax.lines[0].get_ydata()[0] == pytest.approx(level)
        split = es.LaplacianScore(2, significance=Split(2, 1)).fit(two_groups[0][:, :6])
        drawn = np.concatenate(points(es.plot.volcano(split)))[:, 0]  # without moments: scores
        np.testing.assert_allclose(np.sort(drawn), np.sort(split.scores_))

    def test_mean_score(self, tested, two_groups):
        X, y = two_groups
        others, found = points(ax := es.plot.mean_score(tested, X, alpha=1e-6))
        kept = tested.qvalues_ <= 1e-6
        np.testing.assert_allclose(np.sort(found[:, 0]), np.sort(X.mean(axis=0)[kept]))
        np.testing.assert_allclose(np.sort(others[:, 1]), np.sort(tested.scores_[~kept]))
        assert ax.get_xscale() == "linear"
        counts = np.random.default_rng(0).poisson(10.0 ** np.linspace(-1, 3, 40), size=(60, 40)).astype(float)
        assert es.plot.mean_score(es.FisherScore(5, significance=True).fit(counts, y), counts).get_xscale() == "log"

    def test_what_has_no_values_is_refused(self, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 3] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            tested, untested = (es.FisherScore(5, significance=asked).fit(X, y) for asked in (True, False))
        for name, more in (("qq", ()), ("volcano", ()), ("mean_score", (X,))):
            draw = getattr(es.plot, name)
            assert sum(map(len, points(draw(tested, *more)))) == 39
            with pytest.raises(ValueError, match=rf"^plot\.{name}: .*FisherScore without"):
                draw(untested, *more)
            with pytest.raises(ValueError, match=rf"^plot\.{name}: alpha .*got 2"):
                draw(tested, *more, alpha=2)
        with pytest.raises(ValueError, match="its method has none"):
            es.plot.mean_score(es.ReliefF(3).fit(*two_groups), two_groups[0])
        for attribute in ("pvalues_", "null_mean_", "null_sd_"):  # as shadows leave it
            delattr(tested, attribute)
        for name in ("qq", "volcano"):
            with pytest.raises(ValueError, match="q-values only"):
                getattr(es.plot, name)(tested)
        assert len(points(es.plot.mean_score(tested, X))[1]) == (tested.qvalues_ <= 0.05).sum()
        tested.pvalues_ = np.full(40, np.nan)
        with pytest.raises(ValueError, match="no feature has"):
            es.plot.qq(tested)


class TestComparison:
    def test_curves_are_means_with_their_deviations(self, wine):
        curves = accuracy_curves({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, *wine, [1, 2, 4])
        ax = es.plot.accuracy_curves(curves)
        lines = [line for line in ax.lines if len(line.get_xdata()) == 3]
        np.testing.assert_array_equal([line.get_ydata() for line in lines], curves.mean)
        for bars, rows in zip(ax.containers, curves.accuracies, strict=True):
            drawn = np.array([[end[0][1], end[1][1]] for end in bars[2][0].get_segments()])
            mean, spread = rows.mean(axis=1), rows.std(axis=1)
            np.testing.assert_allclose(drawn.T, [mean - spread, np.minimum(1, mean + spread)])
        assert texts(ax.texts) == ["fisher", "laplacian", "largest class"]
        curves.accuracies[0, 1] = np.nan  # beyond what a method orders there is no point
        assert texts(es.plot.accuracy_curves(curves).texts) == ["fisher", "laplacian", "largest class"]

    def test_permuted_labels_and_names_beside_the_curves(self, compared, wine):
        ax = es.plot.accuracy_curves(compared)
        assert texts(ax.texts) == ["fisher", LONG, "_hidden", "permuted labels", "largest class"]
        band = ax.collections[-1].get_paths()[0].vertices[:, 1]
        expected = np.array(list(compared.summary["permuted_range"].values()))
        assert {round(y, 9) for y in band} == {round(y, 9) for y in expected.ravel()}
        assert any(line.get_ydata()[0] == compared.summary["chance"] for line in ax.lines)
        assert len({str(line._dash_pattern) for line in ax.lines[:3]}) == 3
        ax.figure.canvas.draw()
        boxes = sorted((mpl.text.Text.get_window_extent(text) for text in ax.texts), key=lambda box: box.y0)
        assert all(one.y1 <= other.y0 + 1 for one, other in itertools.pairwise(boxes))
        single = compare({"a": es.FisherScore(), "b": es.LaplacianScore()}, *wine, n_features=4, sizes=[4])
        lines = es.plot.accuracy_curves(single.summary).lines
        assert [line.get_linestyle() for line in lines[:2]] == ["None", "None"]  # dots

    def test_consensus_has_ranks_that_can_be_read(self, compared):
        ax = es.plot.consensus(compared)
        view, names = compared.summary["consensus"], list(compared.summary["methods"])
        drawn = ax.collections[0].get_array().filled(np.nan).reshape(len(view["feature"]), len(names))
        expected = np.array([view["ranks"][name] for name in names], dtype=float).T
        np.testing.assert_array_equal(drawn, expected)
        assert sorted(int(text) for text in texts(ax.texts)) == sorted(expected[~np.isnan(expected)])
        assert ticks(ax, "x") == names
        counts = view["at_least"][0]
        assert all(f"{counts[key]:.1f}" in ax.get_title() for key in ("random", "permuted"))
        ax.figure.canvas.draw()
        cells = [to_hex(colour) for colour in ax.collections[0].get_facecolors() if colour[3]]
        assert min(contrast(cell, "#000000") for cell in cells) >= 4.5


class TestColours:
    """Groups are told apart by colour with each kind of vision, by shape where colours are close."""

    def test_groups_are_told_apart(self):
        for colours in (palette.LIGHT, palette.DARK):
            pairs = np.triu_indices(len(colours), 1)
            shapes = np.array([palette.group_shape(place) for place in range(len(colours))])
            for vision in VISIONS:
                apart = distances(colours, vision)
                assert apart[:8, :8][np.triu_indices(8, 1)].min() >= 15
                assert apart[pairs][shapes[pairs[0]] == shapes[pairs[1]]].min() >= 13.9
                assert apart[pairs].min() >= 6.5
        assert len({(palette.group_colour(place), palette.group_shape(place)) for place in range(160)}) == 160
        assert set(palette.SHAPES.values()) <= set(mpl.markers.MarkerStyle.filled_markers)
