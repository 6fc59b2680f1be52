"""One style for all plots, whole names, keys without pictures of points."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backend_bases import _get_renderer
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from sklearn.datasets import load_wine

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.plotting import style

LONG = "W" * 40 + " a name of a class or feature as long as people make them"


@pytest.fixture(scope="module")
def drawn():
    """A call for every public plot, on names that are long."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = ((X - X.mean()) / X.std()).rename(columns={"proline": LONG})
    classes = np.array(["class " + LONG, "b", "c"])[y]
    selector = es.FisherScore(5, significance=True).fit(X, classes)
    compared = compare({LONG: es.FisherScore(), "b": es.LaplacianScore()}, X, classes, n_features=3, sizes=[3, 5])
    return {
        "heat_map": lambda: es.plot.heat_map(selector, X, classes),
        "dot_plot": lambda: es.plot.dot_plot(selector, X, classes),
        "redundancy": lambda: es.plot.redundancy(selector, X),
        "embedding": lambda: es.plot.embedding(selector, X, classes),
        "spectrum": lambda: es.plot.spectrum(selector, X),
        "score_curve": lambda: es.plot.score_curve(selector, X, classes),
        "accuracy_curves": lambda: es.plot.accuracy_curves(compared),
        "consensus": lambda: es.plot.consensus(compared),
        "qq": lambda: es.plot.qq(selector),
        "volcano": lambda: es.plot.volcano(selector),
        "mean_score": lambda: es.plot.mean_score(selector, X),
    }


NAMES = [
    "accuracy_curves", "consensus", "dot_plot", "embedding", "heat_map", "mean_score", "qq", "redundancy",
    "score_curve", "spectrum", "volcano",
]  # fmt: skip
CANVASES = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}


def test_every_plot_is_drawn_here(drawn):
    assert sorted(drawn) == NAMES == es.plot.__all__


@pytest.mark.parametrize("name", NAMES)
class TestEveryPlot:
    @pytest.mark.parametrize("ending", CANVASES)
    def test_nothing_is_cut_off(self, drawn, name, ending):
        figure = drawn[name]().figure
        renderer = _get_renderer(figure, getattr(CANVASES[ending](figure), f"print_{ending}"))
        figure.draw(renderer)
        found, paper = figure.get_tightbbox(renderer), figure.bbox_inches
        assert (found.min >= -0.01).all()
        assert (found.max <= paper.max + 0.01).all()

    def test_files_hold_no_picture_of_points(self, drawn, name, tmp_path):
        figure = drawn[name]().figure
        for ending in ("svg", "pdf"):
            figure.savefig(tmp_path / f"plot.{ending}")
        assert "<image" not in (tmp_path / "plot.svg").read_text()
        assert b"/Subtype /Image" not in (tmp_path / "plot.pdf").read_bytes()

    def test_one_style(self, drawn, name):
        before = dict(mpl.rcParams)
        ax = drawn[name]()
        assert dict(mpl.rcParams) == before
        assert ax.title.get_fontsize() == style.TITLE
        assert not ax.get_title() or ax.title.get_horizontalalignment() == "left"
        assert {label.get_fontsize() for label in (ax.xaxis.label, ax.yaxis.label)} == {style.TEXT}
        assert {label.get_fontsize() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]} == {style.TEXT}
        assert not ax.spines["top"].get_visible()
        assert not ax.spines["right"].get_visible()


@pytest.mark.parametrize("name", ["heat_map", "dot_plot", "redundancy", "consensus", "embedding", "accuracy_curves"])
def test_long_names_are_whole(drawn, name):
    texts = [text.get_text() for text in drawn[name]().figure.findobj(mpl.text.Text)]
    assert any(LONG in text for text in texts)


def test_a_key_is_no_taller_than_a_reader_needs():
    figure, ax = plt.subplots(figsize=(4, 12), layout="constrained")
    key = style.colour_key(ax, ax.pcolormesh(np.eye(3)), "value", tall=12.0)
    figure.canvas.draw()
    assert key.ax.get_position().height * 12 <= style.KEY_HEIGHT + 0.1


def test_widths_are_those_of_the_letters():
    figure = plt.figure()
    drawn = figure.text(0, 0, LONG, fontsize=30).get_window_extent().width / figure.dpi
    assert style.width_of(["i", LONG, ""], 30) == pytest.approx(drawn, rel=0.03)
    assert style.width_of([]) == 0


def test_names_are_text_on_one_line():
    assert style.plain_name("$x_{$ broken\nline") == r"\$x_{\$ broken line"
    assert len(style.plain_name("x" * 10_000)) == style.LONGEST_NAME
    assert style.short_name("y" * 25) == "y" * 23 + "…"


def test_long_titles_are_broken():
    ax = style.axes_or_new(None)
    style.write_title(ax, "word " * 40, "", "last")
    assert ax.get_title().count("\n") >= 2
    assert ax.get_title().endswith("\nlast")


def test_axes_in_a_grid():
    grid = style.grid_of_axes(5, 3, width=2.0)
    assert len(grid) == len(grid[0].figure.axes) == 5
    np.testing.assert_allclose(grid[0].figure.get_size_inches(), [6, 4])
