"""Plots of tables draw the numbers of the report, with whole names and keys, as vectors."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_wine

import eigenselect as es
from eigenselect.reporting.plotting import heat_plots

LONG = "a name of a measurement that is as long as people make them, with its unit"


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(ddof=0), load_wine().target_names[y]


@pytest.fixture(scope="module")
def selector(wine):
    return es.FisherScore(5).fit(*wine)


def texts(labels):
    return [label.get_text() for label in labels]


def inside(figure):
    """Whether everything that is drawn lies on the paper."""
    figure.canvas.draw()
    drawn, paper = figure.get_tightbbox(), figure.bbox_inches
    return (drawn.min >= -0.02).all() and (drawn.max <= paper.max + 0.02).all()


class TestHeatMap:
    def test_cells_are_z_scores_in_the_order_of_the_report(self, wine, selector):
        X, y = wine
        ax = es.plot.heat_map(selector, X, y, n_features=13)
        view = es.report(es.FisherScore(13).fit(X, y), X, y).summary["views"]["heat_map"]
        assert texts(ax.get_yticklabels()) == view["features"]
        expected = np.clip(X.iloc[view["number"]][view["features"]].to_numpy().T, -2.5, 2.5)
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(expected.shape), expected, atol=0.0501)
        assert texts(ax.get_xticklabels()) == ["class_0", "class_1", "class_2"]
        assert ax.get_title() == "13 features, 178 samples"
        assert ax.figure.axes[1].get_ylabel() == "z-score"

    def test_by_default_what_is_kept(self, wine, selector):
        ax = es.plot.heat_map(selector, *wine)
        assert set(texts(ax.get_yticklabels())) == set(selector.get_feature_names_out())

    def test_the_bar_has_the_sizes_and_colours_of_the_groups(self, wine, selector):
        ax = es.plot.heat_map(selector, *wine)
        bars = ax.collections[1:]
        widths = [np.ptp(bar.get_paths()[0].vertices[:, 0]) for bar in bars]
        assert widths == [59, 71, 48]
        assert len({to_hex(bar.get_facecolor()[0]) for bar in bars}) == 3

    def test_no_bar_for_one_group(self):
        X = np.random.default_rng(0).normal(size=(300, 2))
        assert len(es.plot.heat_map(es.LaplacianScore(2).fit(X), X).collections) == 1

    def test_few_samples_are_named(self, wine, selector):
        X, y = wine[0].iloc[::9], wine[1][::9]
        X = X.set_axis([f"bottle {i}" for i in range(len(X))])
        ax = es.plot.heat_map(es.FisherScore(5).fit(X, y), X, y)
        (below,) = ax.child_axes
        assert sorted(texts(below.get_xticklabels())) == sorted(X.index)

    def test_constant_features_are_grey(self, wine):
        X = wine[0][["proline", "ash"]].assign(flat=1.0)
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            fitted = es.FisherScore(es.selection.TopK(2, must_keep=["flat"])).fit(X, wine[1])
        ax = es.plot.heat_map(fitted, X, wine[1], n_features=3)
        ax.figure.canvas.draw()
        colours = ax.collections[0].get_facecolor().reshape(3, 178, 4)
        assert {to_hex(colour) for colour in colours[-1]} == {heat_plots.NO_COLOUR}


class TestDotPlot:
    def test_colours_are_means_and_areas_shares(self, wine, selector):
        X, y = wine
        ax = es.plot.dot_plot(selector, X, y, n_features=13)
        view = es.report(es.FisherScore(13).fit(X, y), X, y).summary["views"]["dots"]
        assert texts(ax.get_xticklabels()) == view["features"]
        assert texts(ax.get_yticklabels()) == ["class_0", "class_1", "class_2"]
        dots = ax.collections[0]
        means = X.groupby(y).mean()[view["features"]].to_numpy()
        np.testing.assert_allclose(dots.get_array(), means.ravel(), atol=1e-9)
        np.testing.assert_allclose(dots.get_sizes() / heat_plots.LARGEST_DOT, np.ravel(view["share"]))
        np.testing.assert_array_equal(dots.get_offsets()[:15], [[j % 13, j // 13] for j in range(15)])

    def test_both_keys(self, wine, selector):
        ax = es.plot.dot_plot(selector, *wine)
        assert ax.get_legend().get_title().get_text() == "share above the median of all samples"
        assert texts(ax.get_legend().get_texts()) == ["20%", "40%", "60%", "80%", "100%"]
        areas = [handle.get_sizes()[0] for handle in ax.get_legend().legend_handles]
        np.testing.assert_allclose(np.array(areas) / areas[-1], [0.2, 0.4, 0.6, 0.8, 1.0])
        assert ax.figure.axes[1].get_ylabel() == "mean z-score"

    def test_two_classes_are_refused(self, wine):
        X, y = wine[0][:130], wine[1][:130]
        with pytest.raises(ValueError, match=r"plot\.dot_plot: expected at least 3 classes or clusters, got 2"):
            es.plot.dot_plot(es.FisherScore(3).fit(X, y), X, y)


class TestRedundancy:
    def test_correlations_in_the_order_of_the_heat_map(self, selector, wine):
        ax = es.plot.redundancy(selector, wine[0], n_features=9)
        names = texts(ax.get_yticklabels())
        assert (
            names
            == texts(ax.get_xticklabels())
            == texts(es.plot.heat_map(selector, *wine, n_features=9).get_yticklabels())
        )
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(9, 9), wine[0][names].corr(), atol=1e-12)
        best = wine[0].columns[selector.ranking_.argsort()[:9]]
        assert set(names) == set(best)
        mean = np.abs(wine[0][best].corr().to_numpy()[np.triu_indices(9, 1)]).mean()
        assert ax.get_title() == f"Mean magnitude {mean:.2f}"
        assert ax.figure.axes[1].get_ylabel() == "correlation"

    def test_near_copies_are_outlined(self, wine):
        X = wine[0].assign(again=-2 * wine[0]["proline"])
        ax = es.plot.redundancy(es.FisherScore(6).fit(X, wine[1]), X)
        names = texts(ax.get_yticklabels())
        (block,) = ax.patches
        assert set(names[int(block.get_x()) : int(block.get_x() + block.get_width())]) == {"proline", "again"}
        assert texts(ax.texts) == ["group 1"]

    @pytest.mark.parametrize("count", [0, 1, 14])
    def test_too_few_or_too_many_features_are_refused(self, selector, wine, count):
        with pytest.raises(ValueError, match=f"expected 2 to 13 features to compare, got {count}"):
            es.plot.redundancy(selector, wine[0], n_features=count)

    def test_of_one_feature_there_is_nothing_to_compare(self, wine):
        X = wine[0][["proline"]]
        with pytest.raises(ValueError, match="expected at least 2 features to compare, got 1"):
            es.plot.redundancy(es.FisherScore(1).fit(X, wine[1]), X)

    def test_none_kept(self, wine):
        nothing = es.LaplacianScore(es.selection.Threshold(2)).fit(wine[0])
        with pytest.raises(ValueError, match="expected 2 to 13 features to compare, got 0"):
            es.plot.redundancy(nothing, wine[0])

    def test_correlations_are_of_what_is_kept(self, wine):
        rule = es.selection.TopK(3, must_keep=["ash"], never=["flavanoids"])
        picked = es.LaplacianScore(rule).fit(wine[0])
        assert set(texts(es.plot.redundancy(picked, wine[0]).get_yticklabels())) == set(picked.get_feature_names_out())
        best = texts(es.plot.redundancy(picked, wine[0], n_features=3).get_yticklabels())
        assert "flavanoids" in best


CALLS = {
    "heat_map": lambda selector, X, y, **settings: es.plot.heat_map(selector, X, y, **settings),
    "dot_plot": lambda selector, X, y, **settings: es.plot.dot_plot(selector, X, y, **settings),
    "redundancy": lambda selector, X, y, **settings: es.plot.redundancy(selector, X, **settings),
}


@pytest.mark.parametrize("name", CALLS)
class TestAll:
    def test_names_are_whole_and_on_the_paper(self, name, wine):
        X, y = wine[0].rename(columns={"flavanoids": LONG}), np.where(wine[1] == "class_0", "a class " + LONG, wine[1])
        ax = CALLS[name](es.FisherScore(8).fit(X, y), X, y)
        labels = [*texts(ax.get_xticklabels()), *texts(ax.get_yticklabels())]
        assert LONG in labels
        assert name == "redundancy" or "a class " + LONG in labels
        assert inside(ax.figure)

    def test_text_stays_text_in_vector_files(self, name, wine, selector, tmp_path):
        with plt.rc_context({"svg.fonttype": "none"}):
            CALLS[name](selector, *wine).figure.savefig(tmp_path / "plot.svg")
        written = (tmp_path / "plot.svg").read_text()
        for feature in selector.get_feature_names_out():
            assert re.search(rf"<text [^>]*>{feature}</text>", written)
        assert name == "dot_plot" or written.count("<path") > 20
        assert "<image" not in written
        CALLS[name](selector, *wine).figure.savefig(tmp_path / "plot.pdf")
        assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")

    def test_names_that_would_be_mathematics_are_text(self, name, wine):
        X = wine[0].rename(columns={"flavanoids": "$x_{$ broken\nline"})
        ax = CALLS[name](es.FisherScore(3).fit(X, wine[1]), X, wine[1])
        ax.figure.canvas.draw()
        assert r"\$x_{\$ broken line" in texts(ax.get_xticklabels()) + texts(ax.get_yticklabels())

    def test_given_axes_and_names_are_used(self, name, wine, selector):
        figure, ax = plt.subplots()
        names = [f"renamed {j}" for j in range(13)]
        assert CALLS[name](selector, wine[0].to_numpy(), wine[1], ax=ax, feature_names=names) is ax
        assert plt.get_fignums() == [figure.number]
        assert {text[:8] for text in texts((ax.xaxis if name == "dot_plot" else ax.yaxis).get_ticklabels())} == {
            "renamed "
        }

    def test_other_data_are_refused(self, name, wine, selector):
        with pytest.raises(ValueError, match=rf"plot\.{name}: X must be the data of fit"):
            CALLS[name](selector, wine[0][:50], wine[1][:50])
