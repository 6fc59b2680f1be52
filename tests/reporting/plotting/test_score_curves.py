"""The curve of scores beside the band that permuted data give: the numbers of the report, and no others."""

import json
import warnings

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.plotting.style import COLOURS, CUT, SOFT


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), y


@pytest.fixture(scope="module")
def selector(wine):
    return es.LaplacianScore(5).fit(wine[0])


@pytest.fixture(scope="module")
def fisher(wine):
    return es.FisherScore(5).fit(*wine)


@pytest.fixture(scope="module")
def reported(fisher, wine):
    return es.report(fisher, *wine)


def line(ax, colour, style="-"):
    """The x and y of the first line of a colour and style."""
    for found in ax.lines:
        if to_hex(found.get_color()) == colour and found.get_linestyle() == style and len(found.get_xdata()):
            return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())
    return None


def keys(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def band_of(ax):
    """Corners of the grey area."""
    (area,) = ax.collections
    return {tuple(corner) for corner in area.get_paths()[0].vertices.round(9)}


def corners(band):
    ranks = band["rank"]
    return {(r, round(v, 9)) for side in ("low", "high") for r, v in zip(ranks, band[side], strict=True)}


def test_scores_fall_with_what_is_kept_and_a_faint_knee(selector):
    ax = es.plot.score_curve(selector)
    np.testing.assert_array_equal(line(ax, COLOURS[0])[1], np.sort(selector.scores_)[::-1])
    assert keys(ax) == ["kept 5", "knee 1"]
    assert line(ax, CUT, "--")[0].tolist() == [5.5, 5.5]
    places, heights = line(ax, SOFT)
    assert places.tolist() == [1.5, 1.5]
    assert heights[1] <= 0.05  # of the height: a tick, no line


def test_q_values_say_more_than_a_knee(wine):
    assert keys(es.plot.score_curve(es.FisherScore(5, significance=True).fit(*wine))) == ["kept 5"]


class TestBand:
    def test_it_is_that_of_the_report(self, fisher, wine, reported):
        band = reported.summary["evaluation"]["band"]
        measured, read = es.plot.score_curve(fisher, *wine), es.plot.score_curve(reported)
        assert band_of(measured) == band_of(read) == corners(band)
        for ax in (measured, read):
            assert keys(ax) == ["features", "kept 5", "knee 7", "permuted labels, 3 fits"]
            assert ax.get_title() == f"Scores of 13 features, {band['n_above']} above all of permuted data"
            np.testing.assert_allclose(line(ax, SOFT)[1].shape, (2,))
            np.testing.assert_array_equal(line(ax, COLOURS[0])[1], np.sort(fisher.scores_)[::-1])
            bottom, top = ax.get_ylim()
            assert bottom < min(band["low"])
            assert top > max(band["high"])

    def test_another_seed_permutes_otherwise(self, fisher, wine, reported):
        other = es.plot.score_curve(fisher, *wine, random_state=1)
        assert band_of(other) != corners(reported.summary["evaluation"]["band"])

    def test_summaries_are_drawn_also_from_json(self, reported):
        read = json.loads(reported.to_json())
        assert band_of(es.plot.score_curve(read)) == band_of(es.plot.score_curve(reported))

    def test_left_out(self, fisher, wine, reported):
        for ax in (es.plot.score_curve(fisher, *wine, band=False), es.plot.score_curve(reported, band=False)):
            assert not ax.collections
            assert ax.get_title() == "Scores of 13 features"

    def test_a_report_without_evaluation_has_none(self, fisher, wine):
        assert not es.plot.score_curve(es.report(fisher, *wine, evaluation=False)).collections

    def test_noise_is_inside(self):
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(60, 40)), rng.integers(0, 2, 60)
        ax = es.plot.score_curve(es.FisherScore(5).fit(X, y), X, y)
        (area,), best = ax.collections, line(ax, COLOURS[0])[1][0]
        assert area.get_paths()[0].vertices[:, 1].max() > 0.6 * best

    def test_of_one_feature(self, wine):
        X, y = wine[0][["proline"]], wine[1]
        ax = es.plot.score_curve(es.FisherScore(1).fit(X, y), X, y)
        assert ax.get_title() == "Scores of 1 feature, 1 above all of permuted data"
        assert len(ax.collections) == 1

    def test_of_a_pipeline_and_what_it_permutes(self, wine):
        X = wine[0].to_numpy()
        pipeline = make_pipeline(StandardScaler(), es.LaplacianScore(3)).fit(X)
        assert keys(es.plot.score_curve(pipeline, X))[-1] == "permuted values of every feature by itself, 3 fits"

    def test_where_it_cannot_be_measured_a_warning_says_why(self, wine):
        fitted = es.TraceRatio(3).fit(*wine)
        with pytest.warns(UserWarning, match=r"plot\.score_curve: no band .* TraceRatio chooses features together"):
            ax = es.plot.score_curve(fitted, *wine)
        assert not ax.collections
        told = es.report(fitted, *wine)
        with pytest.warns(UserWarning, match=r"plot\.score_curve: no band .* TraceRatio chooses features together"):
            es.plot.score_curve(told)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            es.plot.score_curve(fitted, *wine, band=False)

    def test_other_data_are_refused(self, fisher, wine):
        with pytest.raises(ValueError, match=r"plot\.score_curve: X must be the data of fit"):
            es.plot.score_curve(fisher, wine[0][:50], wine[1][:50])


def test_other_summaries_are_refused(wine, reported):
    compared = compare({"a": es.FisherScore(), "b": es.LaplacianScore()}, *wine, n_features=2, sizes=[2])
    short = {key: value for key, value in reported.summary.items() if key != "all_features"}
    for given, called in ((compared, "Report of a comparison"), (short, "dict of something else"), ({}, "dict of")):
        with pytest.raises(TypeError, match=f"expected a fitted selector, what eigenselect.report.* {called}"):
            es.plot.score_curve(given)


def test_without_a_cut_none_is_drawn(reported):
    ax = es.plot.score_curve({**reported.summary, "cut": False})
    assert "kept 5" not in keys(ax)
    assert line(ax, CUT, "--") is None


class TestScale:
    def test_unscaled_trace_ratio_can_be_read(self):
        X, y = load_wine(return_X_y=True)
        fitted = es.TraceRatio(3).fit(X, y)
        ax = es.plot.score_curve(fitted)
        assert ax.get_ylabel() == "score (symmetric logarithm)"
        ax.figure.canvas.draw()
        places = ax.transData.transform(np.column_stack(line(ax, COLOURS[0])))[:, 1]
        assert np.ptp(places[:3]) > 0.02 * ax.bbox.height
        assert (ax.bbox.ymin <= places).all()
        assert (places <= ax.bbox.ymax).all()

    def test_long_curves_have_logarithmic_ranks(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30, 201)), rng.integers(0, 2, 30)
        ax = es.plot.score_curve(es.FisherScore(5).fit(X, y), X, y)
        assert ax.get_xscale() == "log"
        assert ax.get_xlabel() == "rank (logarithmic)"

    def test_equal_scores_have_an_axis(self, reported):
        listed = {**reported.summary["all_features"], "score": [0.0] * 13}
        ax = es.plot.score_curve({**reported.summary, "all_features": listed, "evaluation": None})
        assert ax.get_ylim()[0] < 0 < ax.get_ylim()[1]


class TestWhatIsKept:
    """What is kept need not be the first of the ranking."""

    @pytest.fixture
    def picked(self, wine):
        return es.LaplacianScore(es.selection.TopK(3, must_keep=["ash"], never=["flavanoids"])).fit(wine[0])

    def test_single_features_are_marked(self, picked, wine):
        for ax in (es.plot.score_curve(picked), es.plot.score_curve(es.report(picked, wine[0], evaluation=False))):
            assert keys(ax) == ["kept 3", "knee 1"]
            places, heights = line(ax, CUT, "None")
            np.testing.assert_array_equal(places, np.sort(picked.ranking_[picked.get_support()]))
            np.testing.assert_array_equal(heights, line(ax, COLOURS[0])[1][places - 1])

    def test_none_kept_is_a_line_before_the_first(self, wine):
        nothing = es.LaplacianScore(es.selection.Threshold(2)).fit(wine[0])
        assert line(es.plot.score_curve(nothing), CUT, "--")[0][0] == 0.5

    def test_a_kept_feature_without_a_score_has_no_place(self, wine):
        X = wine[0].assign(flat=1.0)
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            fitted = es.LaplacianScore(es.selection.TopK(2, must_keep=["flat"])).fit(X)
        assert line(es.plot.score_curve(fitted), CUT, "None")[0].tolist() == [1]

    def test_undefined_scores_are_not_drawn(self, wine):
        X = wine[0].assign(flat=1.0)
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            fitted = es.LaplacianScore(5).fit(X)
        assert len(line(es.plot.score_curve(fitted), COLOURS[0])[1]) == 13

    def test_what_is_not_ordered_is_not_drawn(self, wine):
        fitted = es.MRSF(4, target="lda").fit(*wine)
        np.testing.assert_array_equal(line(es.plot.score_curve(fitted), COLOURS[0])[1], fitted.scores_[fitted.path_])
