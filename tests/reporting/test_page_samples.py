"""The card of the samples in a real Chromium: pictures to choose from, colours, shapes and keys."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import kneighbors_graph
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.reporting.plotting.palette import SHAPES, group_shape

MARKS = "#samples-chart .sample"
#: refits say nothing of pictures
report = partial(es.report, evaluation=False)
#: where every mark stands, whatever its shape
PLACES = """marks => marks.map(mark => { const box = mark.getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2]; })"""


def colours(page):
    return page.locator(MARKS).evaluate_all("points => points.map(p => p.style.fill)")


def places(page):
    return np.array(page.locator(MARKS).evaluate_all(PLACES))


def outlines(page, marks):
    """The corners of marks without their places: equal for equal shapes."""
    return page.locator(marks).evaluate_all(
        """marks => marks.map(mark => { const box = mark.getBBox();
           const start = mark.getPointAtLength(0);
           return mark.tagName + (mark.getAttribute('d') ?? '').replace(/[^A-Z]/g, '')
             + Math.round(4 * (start.x - box.x) / box.width) + Math.round(4 * (start.y - box.y) / box.height); })"""
    )


@pytest.fixture
def page(open_page, two_groups):
    X, y = two_groups
    names = [f"gene {j}" for j in range(X.shape[1])]
    return open_page(report(es.FisherScore(5).fit(X, y), X, y, feature_names=names, title="genes.csv").to_html())


@pytest.fixture
def slide(two_groups):
    """Cells on a slide, with a map and a graph of near ones."""
    anndata = pytest.importorskip("anndata")
    X, y = two_groups
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(X, obs=pd.DataFrame(index=[f"cell {i}" for i in range(60)]))
    adata.obsm["spatial"] = rng.uniform([100, 0], [1100, 400], size=(60, 2))
    adata.obsm["X_umap"] = rng.normal(size=(60, 2))
    near = kneighbors_graph(adata.obsm["spatial"], 5)
    return adata, y, ((near + near.T) > 0).astype(float)


def option(page, name):
    return next(text for text in page.locator("#colour option").all_inner_texts() if text.endswith(f". {name}"))


class TestColours:
    def test_they_follow_the_values(self, page, two_groups):
        """Samples in the order of a feature are in the order of the colour scale: green rises from end to end."""
        X, _ = two_groups
        page.get_by_label("Colour by").select_option(label=option(page, "gene 0"))
        order = np.argsort(X[:, 0])
        greens = [int(re.findall(r"\d+", colour)[1]) for colour in colours(page)]
        assert (np.diff(np.array(greens)[order]) >= 0).all()
        titles = page.locator(f"{MARKS} title").evaluate_all("all => all.map(t => t.textContent)")
        told = [float(title.rsplit(": ", 1)[1]) for title in titles]
        np.testing.assert_allclose(told, X[:, 0], rtol=1e-3)

    def test_shapes_are_those_of_the_groups_whatever_the_colour(self, page, two_groups):
        _, y = two_groups
        tags = "marks => marks.map(mark => mark.tagName)"
        before = page.locator(MARKS).evaluate_all(tags)
        assert [{"circle": "left", "path": "right"}[tag] for tag in before] == y.tolist()
        page.get_by_label("Colour by").select_option(label=option(page, "gene 0"))
        assert page.locator(MARKS).evaluate_all(tags) == before

    def test_the_key_has_every_name_in_its_colour_and_shape(self, open_page):
        """Twenty groups: what the key shows is what the picture shows, and no two look alike."""
        rng = np.random.default_rng(0)
        y = np.repeat([f"kind {number:02d}" for number in range(20)], 4)
        X = rng.normal(size=(80, 5))
        page = open_page(report(es.FisherScore(2).fit(X, y), X, y).to_html())
        items = page.locator("#samples-chart .legend li")
        assert items.all_inner_texts() == sorted(set(y))
        key = page.locator("#samples-chart .legend li svg > *").evaluate_all("all => all.map(m => m.style.fill)")
        looks = list(zip(key, outlines(page, "#samples-chart .legend li svg > *"), strict=True))
        assert len(set(looks)) == 20
        shown = list(zip(colours(page), outlines(page, MARKS), strict=True))
        assert shown == [looks[place // 4] for place in range(80)]
        assert len({outline for _, outline in looks}) == len(SHAPES) == len({group_shape(i) for i in range(20)})

    def test_the_key_of_values_has_ticks_between_its_ends(self, page, two_groups):
        X, _ = two_groups
        page.get_by_label("Colour by").select_option(label=option(page, "gene 0"))
        key = page.locator("#samples-chart svg[aria-label='Colours of gene 0.']")
        shown = [float(text) for text in key.locator("text").all_text_contents()[1:]]
        assert len(shown) >= 2
        assert X[:, 0].min() <= min(shown) < max(shown) <= X[:, 0].max()
        ends = key.locator("rect").evaluate_all("all => [all[0], all.at(-1)].map(r => r.style.fill)")
        expected = page.evaluate("[valueColour(0), valueColour(1)]")
        for shown, true in zip(ends, expected, strict=True):
            colour = [[int(part) for part in re.findall(r"\d+", text)] for text in (shown, true)]
            np.testing.assert_allclose(*colour, atol=4)


def test_no_other_card_covers_it(page):
    """The chosen feature stays in sight beside the table, and not beyond."""
    page.locator("#samples-chart").scroll_into_view_if_needed()
    bottom = "id => document.getElementById(id).getBoundingClientRect().bottom"
    assert page.evaluate(bottom, "chosen") <= page.evaluate(bottom, "features") + 1


class TestPictures:
    def test_eigenvectors_alone_where_the_table_has_no_places(self, page):
        assert page.locator("#picture").count() == 0
        before = places(page)
        page.get_by_label("across").select_option(label="5")
        assert not np.allclose(places(page), before)
        assert "eigenvector 5" in page.locator("#samples-chart").text_content()

    def test_what_chance_gives_stands_beside_the_eigenvectors(self, page):
        told = page.locator("#samples").inner_text()
        assert "with permuted labels" in told
        assert "more than chance" in told
        assert "another graph than the one that the scores used, because" in told

    def test_a_slide_has_one_scale_and_runs_downward(self, open_page, slide):
        adata, y, near = slide
        page = open_page(report(es.SPEC(5).fit(adata, similarity_matrix=near), adata, y).to_html())
        assert page.locator("#picture").input_value() == "spatial"
        drawn = page.evaluate("samples.number")
        true = adata.obsm["spatial"][drawn]
        shown = places(page)
        steps = [np.polyfit(true[:, axis], shown[:, axis], 1) for axis in (0, 1)]
        assert steps[0][0] == pytest.approx(steps[1][0], rel=0.01)  # a larger place is further right, and further down
        assert steps[0][0] > 0
        for axis in (0, 1):
            np.testing.assert_allclose(np.polyval(steps[axis], true[:, axis]), shown[:, axis], atol=0.5)

    def test_another_picture_brings_its_own_words(self, open_page, slide):
        adata, y, _ = slide
        page = open_page(report(es.LaplacianScore(5).fit(adata), adata, y).to_html())
        assert page.locator("#picture").input_value() == "X_umap"
        assert "UMAP 1" in page.locator("#samples-chart").text_content()
        card = page.locator("#samples")
        assert "made elsewhere" in card.inner_text()
        assert "with permuted labels" not in card.inner_text()
        assert page.locator("#across").is_hidden()
        at_first = places(page)
        page.get_by_label("Picture").select_option(label="eigenvectors")
        assert "with permuted labels" in card.inner_text()
        assert "made elsewhere" not in card.inner_text()
        assert page.locator("#across").is_visible()
        assert not np.allclose(places(page), at_first)
        page.get_by_label("Picture").select_option(label="slide")
        assert "downward" in card.inner_text()
        assert page.locator(MARKS).count() == len(page.evaluate("samples.number"))

    def test_places_are_drawn_where_eigenvectors_cannot_be(self, open_page, slide):
        """A complete graph: all its eigenvalues but one are equal."""
        adata, y, _ = slide
        selector = es.SPEC(5).fit(adata, similarity_matrix=np.ones((60, 60)) - np.eye(60))
        made = report(selector, adata, y)
        assert made.summary["views"]["embedding"] is None
        page = open_page(made.to_html())
        assert page.locator(MARKS).count() == 60
        assert page.locator("#across").count() == 0
        assert page.locator("#picture option").all_inner_texts() == ["slide", "UMAP"]

    def test_a_small_copy_for_other_cards(self, page):
        size = page.evaluate(
            """() => { const copy = samplesPicture(240, {height: 160, small: true});
               return [copy.tagName, copy.getAttribute('width'), copy.getAttribute('height'),
                       copy.querySelectorAll('.sample').length, copy.querySelectorAll('text').length]; }"""
        )
        assert size == ["svg", "240", "160", 60, 0]


def test_by_keyboard(open_page, slide):
    adata, y, _ = slide
    page = open_page(report(es.LaplacianScore(5).fit(adata), adata, y).to_html())
    page.locator("#picture").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#picture").input_value() == "eigenvectors"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "colour"
    page.keyboard.press("ArrowDown")
    assert page.locator("#samples-chart svg[aria-label^='Colours of']").count() == 1


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_names_fit_at_any_width(open_page, slide, width, scheme):
    adata, y, near = slide
    adata.var_names = [*HOSTILE, *(f"plain {j}" for j in range(40 - len(HOSTILE)))]
    adata.obs_names = [*HOSTILE, *(f"cell {i}" for i in range(60 - len(HOSTILE)))]
    labels = np.where(y == "left", HOSTILE[0], HOSTILE[5])
    selector = es.SPEC(5).fit(adata, similarity_matrix=near)
    page = open_page(
        report(selector, adata, labels).to_html(),
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("choose(0)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#samples script, #samples img").count() == 0
    words = page.locator("#samples-chart text").all()
    frame = page.locator("#samples-chart").bounding_box()
    for box in (word.bounding_box() for word in words):
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1


def test_without_a_script_every_picture_has_its_sentence(open_page, slide):
    adata, y, _ = slide
    page = open_page(report(es.LaplacianScore(5).fit(adata), adata, y).to_html(), java_script_enabled=False)
    told = page.locator("#samples").inner_text()
    assert "Places on the slide" in told
    assert "X_umap of obsm, made elsewhere" in told
    assert "Leading non-trivial eigenvectors of the sample graph of the method" in told
