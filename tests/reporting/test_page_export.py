"""Figures as files: an SVG that needs nothing of the page, a PNG of the same, both of what is shown now."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.reporting.plotting import palette

SVG = "{http://www.w3.org/2000/svg}"
#: refits are not drawn here
report = partial(es.report, evaluation=False)
#: characters that no XML may hold
FORBIDDEN = "bell \x07 and \x1f, \ufffe end"


def saved(page, figure, kind):
    with page.expect_download() as waiting:
        page.get_by_label(f"Download {figure} as {kind}", exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def vector(page, figure):
    text = saved(page, figure, "SVG")[1].decode()
    return ElementTree.fromstring(text), text


def words(picture):
    return ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]


@pytest.fixture
def page(open_page, two_groups):
    X, y = two_groups
    names = [f"gene {j}" for j in range(X.shape[1])]
    return open_page(report(es.FisherScore(5).fit(X, y), X, y, feature_names=names, title="genes.csv").to_html())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_svg_holds_its_colours_names_and_key(open_page, two_groups, scheme):
    X, y = two_groups
    page = open_page(report(es.FisherScore(5).fit(X, y), X, y, title="a & b").to_html(), color_scheme=scheme)
    picture, text = vector(page, "samples")
    assert not re.search(r"var\(|light-dark|color-mix|\bclass=|\sstyle=", text)
    assert {"left", "right"} < set(words(picture))
    assert picture.find(f"{SVG}title").text.startswith("a & b: 60 samples in two eigenvectors")
    colours = {"light": palette.LIGHT, "dark": palette.DARK}[scheme]
    fills = [mark.get("fill") for mark in picture.iter() if mark.tag in (f"{SVG}circle", f"{SVG}path")]
    assert [fills.count(colour) for colour in colours[:2]] == [31, 31]  # the samples, and the key
    ground = picture.find(f"{SVG}rect")
    assert ground.get("fill") == {"light": "#ffffff", "dark": "#1d2125"}[scheme]
    assert (ground.get("width"), ground.get("height")) == (picture.get("width"), picture.get("height"))


def test_a_png_is_three_times_as_sharp(page):
    picture, _ = vector(page, "samples")
    name, data = saved(page, "samples", "PNG")
    assert name == "genes-csv-samples.png"
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    size = [3 * int(picture.get(side)) for side in ("width", "height")]
    assert list(struct.unpack(">II", data[16:24])) == size


def test_a_png_shows_what_the_svg_does(page):
    """Pixels of the ground and of both groups, read from the picture that was made."""
    image = pytest.importorskip("matplotlib.image")
    import io

    pixels = (image.imread(io.BytesIO(saved(page, "samples", "PNG")[1]), format="png")[..., :3] * 255).round()
    codes, counts = np.unique(pixels.reshape(-1, 3) @ [256 * 256, 256, 1], return_counts=True)
    found = codes.astype(int)[:, None] // [256 * 256, 256, 1] % 256
    assert found[counts.argmax()].tolist() == [255, 255, 255]
    for colour in palette.LIGHT[:2]:
        seen = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)])
        mixed = 0.85 * seen + 0.15 * 255  # marks let the ground through
        assert counts[(np.abs(found - mixed) < 3).all(axis=1)].sum() > 500


def test_the_file_is_of_what_is_shown_now(page):
    before = words(vector(page, "samples")[0])
    page.evaluate("choose(0)")
    picture, text = vector(page, "samples")
    assert page.evaluate("names[0]") in words(picture)
    assert page.evaluate("names[0]") not in before
    assert sum(line.get("stroke-opacity") == "0.8" for line in picture.iter(f"{SVG}line")) > 0  # rough edges
    assert "var(" not in text
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function("document.querySelector('#samples-chart').clientWidth < 480")
    page.wait_for_timeout(200)
    assert int(vector(page, "samples")[0].get("width")) < 500


def test_every_figure_of_the_page_can_be_saved(page):
    page.evaluate("document.querySelectorAll('details').forEach(part => (part.open = true))")
    page.wait_for_timeout(200)
    assert page.locator("main svg:not([data-figure] svg, .legend svg)").count() == 0  # no picture without a button
    labels = page.locator("[data-figure]:has(svg) + .export button:first-child").evaluate_all(
        "all => all.map(b => b.getAttribute('aria-label').match(/^Download (.*) as SVG$/)[1])"
    )
    first = page.evaluate("names[0]")
    chosen = {f"values of {first}", f"samples by {first}", f"scales of {first}"}
    assert {"samples", "spectrum", "heat map", "redundancy", "scores"} | chosen <= set(labels)
    for figure in labels:
        picture, text = vector(page, figure)
        assert words(picture)
        assert "var(" not in text


def test_a_key_that_several_figures_share(open_page, two_groups):
    X, y = two_groups
    page = open_page(report(es.FisherScore(5, significance=True).fit(X, y), X, y).to_html())
    for figure in ("quantiles", "scores by mean"):
        assert {"q ≤ 0.05", "others"} < set(words(vector(page, figure)[0]))
    assert "others" not in words(vector(page, "p values")[0])
    first = page.evaluate("names[0]")
    assert {"left", "right"} < set(words(vector(page, f"values of {first}")[0]))


def test_a_key_before_the_figure_and_on_html_grounds(page):
    """A list of another card: coloured spans, a gradient, mixed colours, and a name that the page cuts off."""
    page.evaluate(
        """() => {
          const list = make("ul", {class: "legend", style: {width: "300px"}});
          legend(list, ["plain", "x".repeat(400)], ["color-mix(in srgb, red 50%, blue)", "rgb(0 0 255)"]);
          const strip = {width: "100px", height: "10px",
            background: "linear-gradient(to right, rgb(1 2 3), rgb(4 5 6))"};
          list.append(make("li", {}, make("span", {style: strip}), make("span", {}, "strip")));
          const chart = make("div", {class: "chart", "data-figure": "made-late"}, draw("svg", {width: 200, height: 50},
            draw("text", {x: 5, y: 20}, "inside")));
          byId("samples").append(list, chart);
        }"""
    )
    picture, _ = vector(page, "made late")
    found = words(picture)
    assert {"plain", "strip", "inside"} < set(found)
    (cut,) = (word for word in found if word.startswith("xx"))
    assert 10 < len(cut) < 100
    assert cut.endswith("…")
    fills = {rect.get("fill") for rect in picture.iter(f"{SVG}rect")}
    assert {"#800080", "#0000ff", "#010203", "#040506"} <= fills


def test_hostile_names_stay_text(open_page, two_groups):
    X, y = two_groups
    names = [FORBIDDEN, *HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE) - 1))]
    labels = np.where(y == "left", HOSTILE[0], FORBIDDEN)
    made = report(es.FisherScore(5).fit(X, labels), X, labels, feature_names=names, title="../" + HOSTILE[1])
    page = open_page(made.to_html())
    page.evaluate("choose(names.indexOf(" + repr(HOSTILE[1]) + "))")
    name, data = saved(page, "samples", "SVG")
    assert re.fullmatch(r"[\w-]+\.svg", name)
    picture = ElementTree.fromstring(data)
    assert HOSTILE[0] in words(picture)
    assert any(word.startswith("bell") for word in words(picture))
    assert {element.tag for element in picture.iter()}.isdisjoint({f"{SVG}script", f"{SVG}img", f"{SVG}foreignObject"})
    assert saved(page, "samples", "PNG")[1].startswith(b"\x89PNG")


class TestButtons:
    def test_they_can_be_hit_and_reached_by_keyboard(self, page):
        for button in page.locator(".export:visible button").all():
            box = button.bounding_box()
            assert box["width"] >= 24
            assert box["height"] >= 24
        page.get_by_label("Download samples as SVG").focus()
        with page.expect_download() as waiting:
            page.keyboard.press("Enter")
        assert waiting.value.suggested_filename == "genes-csv-samples.svg"

    def test_they_stand_below_the_chart_and_are_not_printed(self, page):
        chart, row = (page.locator(place).bounding_box() for place in ("#samples-chart", "#samples-chart + .export"))
        assert row["y"] >= chart["y"] + chart["height"]
        page.emulate_media(media="print")
        assert page.locator(".export:visible").count() == 0

    def test_they_are_hidden_where_nothing_is_drawn(self, page):
        page.evaluate("byId('samples').append(make('div', {class: 'chart', 'data-figure': 'empty'}, 'no picture'))")
        page.wait_for_timeout(50)
        assert page.get_by_label("Download empty as SVG").count() == 1
        assert page.get_by_label("Download empty as SVG").is_hidden()
