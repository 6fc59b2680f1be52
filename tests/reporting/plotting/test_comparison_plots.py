"""Plots of a comparison draw its numbers, with whole names inside the figure and nothing as points."""

import io
import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import eigenselect as es
from eigenselect.evaluation import accuracy_curves
from eigenselect.reporting import compare
from eigenselect.reporting.plotting.comparison_plots import spread_out

LONG = "a method with a very long name of many words indeed"


@pytest.fixture(scope="module")
def made(wine):
    X, y = wine
    X = X.rename(columns={"flavanoids": "flavanoids $x_{$ and more words to make it a long name"})
    selectors = {"fisher": es.FisherScore(), LONG: es.LaplacianScore(), "_hidden": es.ReliefF()}
    return compare(selectors, X, y, n_features=4, sizes=[1, 2, 4])


def outside(ax):
    """Texts that reach beyond the figure."""
    figure = ax.figure
    figure.canvas.draw()
    box = figure.bbox
    texts = [text for text in figure.findobj(mpl.text.Text) if text.get_text().strip() and text.get_visible()]
    extents = [(text.get_text(), text.get_window_extent()) for text in texts]
    return [
        words
        for words, at in extents
        if at.x0 < box.x0 - 1 or at.y0 < box.y0 - 1 or at.x1 > box.x1 + 1 or at.y1 > box.y1 + 1
    ]


def labels_of(ax):
    return {text.get_text(): text for text in ax.texts}


class TestAccuracyCurves:
    def test_lines_are_means_with_their_deviations(self, wine):
        curves = accuracy_curves({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, *wine, [1, 2, 4])
        ax = es.plot.accuracy_curves(curves)
        lines = [line for line in ax.lines if len(line.get_xdata()) == 3]
        for line, mean in zip(lines, curves.mean, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), mean)
        for bars, rows in zip(ax.containers, curves.accuracies, strict=True):
            drawn = np.array([[end[0][1], end[1][1]] for end in bars[2][0].get_segments()])
            mean, spread = rows.mean(axis=1), rows.std(axis=1)
            np.testing.assert_allclose(drawn[:, 0], mean - spread)
            np.testing.assert_allclose(drawn[:, 1], np.minimum(1, mean + spread))
        assert list(labels_of(ax)) == ["fisher", "laplacian", "largest class"]
        assert ax.get_ylim() == (0.0, 1.0)

    def test_of_a_comparison_with_the_permuted_band(self, made):
        ax = es.plot.accuracy_curves(made)
        assert list(labels_of(ax)) == ["fisher", LONG, "_hidden", "permuted labels", "largest class"]
        band = ax.collections[-1].get_paths()[0].vertices
        expected = np.array(list(made.summary["permuted_range"].values()))
        assert {round(y, 9) for y in band[:, 1]} == {round(y, 9) for y in expected.ravel()}
        dashes = [line.get_linestyle() for line in ax.lines]
        assert any(line.get_ydata()[0] == made.summary["chance"] for line in ax.lines)
        assert len({str(line._dash_pattern) for line in ax.lines[:3]}) == 3, dashes
        assert outside(ax) == []

    def test_names_do_not_lie_over_each_other(self, made):
        ax = es.plot.accuracy_curves(made)
        ax.figure.canvas.draw()
        boxes = [mpl.text.Text.get_window_extent(text) for text in labels_of(ax).values()]
        boxes.sort(key=lambda box: box.y0)
        assert all(one.y1 <= other.y0 + 1 for one, other in itertools.pairwise(boxes))

    def test_one_size_has_dots(self, wine):
        made = compare({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, *wine, n_features=4, sizes=[4])
        ax = es.plot.accuracy_curves(made.summary)
        assert [line.get_linestyle() for line in ax.lines[:2]] == ["None", "None"]
        assert outside(ax) == []

    def test_beyond_what_a_method_orders_there_is_no_point(self, wine):
        curves = accuracy_curves({"mrsf": es.MRSF(2, target="lda"), "fisher": es.FisherScore()}, *wine, [1, 13])
        curves.accuracies[0, 1] = np.nan
        assert list(labels_of(es.plot.accuracy_curves(curves))) == ["mrsf", "fisher", "largest class"]


class TestConsensus:
    def test_cells_hold_the_ranks(self, made):
        ax = es.plot.consensus(made)
        view, names = made.summary["consensus"], list(made.summary["methods"])
        drawn = ax.collections[0].get_array().filled(np.nan).reshape(len(view["feature"]), len(names))
        expected = np.array([view["ranks"][name] for name in names], dtype=float).T
        np.testing.assert_array_equal(drawn, expected)
        assert sorted(int(text.get_text()) for text in ax.texts) == sorted(expected[~np.isnan(expected)])
        assert [label.get_text() for label in ax.get_xticklabels()] == names
        assert ax.get_yticklabels()[0].get_text().startswith(view["feature"][0][:9])

    def test_names_are_whole_and_text(self, made):
        ax = es.plot.consensus(made)
        assert outside(ax) == []
        told = [label.get_text() for label in ax.get_yticklabels()]
        assert r"flavanoids \$x_{\$ and more words to make it a long name" in told

    def test_black_is_readable_on_every_cell(self, made):
        ax = es.plot.consensus(made)
        ax.figure.canvas.draw()
        for colour in ax.collections[0].get_facecolors():
            if colour[3]:
                linear = np.where(colour[:3] <= 0.04045, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4)
                assert (linear @ [0.2126, 0.7152, 0.0722] + 0.05) / 0.05 >= 4.5

    def test_files_have_lines_and_text_only(self, made):
        for draw in (es.plot.consensus, es.plot.accuracy_curves):
            file = io.BytesIO()
            draw(made).figure.savefig(file, format="svg")
            assert b"<image" not in file.getvalue()

    def test_the_title_has_chance_beside_the_count(self, made):
        counts = made.summary["consensus"]["at_least"][0]
        told = es.plot.consensus(made).get_title()
        assert told.startswith(f"{counts['n_features']} feature")
        assert f"at random {counts['random']:.1f}, with permuted labels {counts['permuted']:.1f}" in told

    def test_other_things_are_refused(self, two_groups):
        ranking = es.report(es.FisherScore(3).fit(*two_groups), *two_groups)
        for given, what in ((ranking, "Report of a ranking"), ([1], "list")):
            with pytest.raises(TypeError, match=rf"^plot\.consensus: expected what .*compare returns.*, got {what}\.$"):
                es.plot.consensus(given)


def test_given_axes_are_used(made):
    figure, ax = plt.subplots()
    assert es.plot.accuracy_curves(made, ax=ax) is ax
    assert es.plot.consensus(made, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("seed", range(20))
def test_spreading_moves_least(seed):
    """Against a general solver: least squares under gaps."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    wanted, gap = rng.random(6), 0.12
    order = np.argsort(wanted)
    found = spread_out(wanted, gap)
    assert (np.diff(found[order]) >= gap - 1e-12).all()
    limits = [{"type": "ineq", "fun": lambda z, i=i: z[i + 1] - z[i] - gap} for i in range(5)]
    solved = minimize(lambda z: ((z - wanted[order]) ** 2).sum(), np.sort(wanted), constraints=limits, tol=1e-12)
    np.testing.assert_allclose(found[order], solved.x, atol=1e-5)
    within = spread_out(wanted, gap, 0.1, 0.9)
    assert within.min() >= 0.1 - 1e-12
    assert within.max() <= 0.9 + 1e-12
    assert (np.diff(within[order]) >= gap - 1e-12).all()
