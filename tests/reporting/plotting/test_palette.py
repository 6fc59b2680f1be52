"""Groups are told apart: by colour with each kind of vision, by shape where colours are close, on both grounds."""

import re

import numpy as np
import pytest

from colour_vision import VISIONS, contrast, distance, distances
from eigenselect.reporting.page import _asset
from eigenselect.reporting.plotting import palette
from eigenselect.reporting.views.groups import MAX_GROUPS

THEMES = {"light": palette.LIGHT, "dark": palette.DARK}
#: distances that the palette keeps: of the first eight colours, of colours that share a shape, and of any two
FIRST, SAME_SHAPE, ANY = 15.0, 13.9, 6.5


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ],
)
def test_the_distance_is_that_of_the_published_pairs(first, second, expected):
    assert distance(first, second) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISIONS)
class TestDistances:
    def test_the_first_eight_are_told_apart_by_colour(self, theme, vision):
        apart = distances(THEMES[theme][:8], vision)
        assert apart[np.triu_indices(8, 1)].min() >= FIRST

    def test_colours_that_share_a_shape_are_told_apart(self, theme, vision):
        apart = distances(THEMES[theme], vision)
        shapes = [palette.group_shape(place) for place in range(len(apart))]
        close = [(i, j) for i, j in zip(*np.triu_indices(len(apart), 1), strict=True) if apart[i, j] < SAME_SHAPE]
        assert [pair for pair in close if shapes[pair[0]] == shapes[pair[1]]] == []
        assert apart[np.triu_indices(len(apart), 1)].min() >= ANY


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_is_seen_on_its_card(theme):
    card = re.search(r"--card: light-dark\((#\w+), (#\w+)\)", _asset("page.css")).groups()
    ground = dict(zip(("light", "dark"), card, strict=True))[theme]
    assert min(contrast(colour, ground) for colour in THEMES[theme]) >= 3


def test_no_two_groups_look_alike():
    assert len(palette.LIGHT) == len(palette.DARK) == len(set(palette.LIGHT)) == len(set(palette.DARK)) == MAX_GROUPS
    looks = {(palette.group_colour(place), palette.group_shape(place)) for place in range(160)}
    assert len(looks) == 160
    assert len(palette.SHAPES) == 8


def test_the_page_has_the_same_colours():
    found = re.findall(r"--group-(\d+): light-dark\((#\w{6}), (#\w{6})\);", palette.style())
    assert found == [(str(place), *pair) for place, pair in enumerate(zip(palette.LIGHT, palette.DARK, strict=True))]


def test_the_page_draws_the_same_shapes(open_page, wine):
    import eigenselect as es

    X, y = wine
    html = es.report(es.FisherScore(3).fit(X, y), X, y).to_html()
    assert palette.style() in html
    page = open_page(html)
    assert page.evaluate("SHAPE_NAMES") == list(palette.SHAPES)
    found = page.evaluate("Array.from({length: 100}, (_, i) => [groupColour(i), groupShape(i)])")
    colours = [f"var(--group-{place % len(palette.LIGHT)})" for place in range(100)]
    assert found == [[colour, palette.group_shape(place)] for place, colour in enumerate(colours)]


def test_matplotlib_knows_the_shapes():
    markers = pytest.importorskip("matplotlib.markers")
    assert set(palette.SHAPES.values()) <= set(markers.MarkerStyle.filled_markers)
