"""The redundancy card in a browser: the matrix in the order of the heat map, blocks, and the list of groups."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE
from tests.reporting.test_page_heat_map import CELLS, names_of

import eigenselect as es

CHART = "#redundancy-chart svg"


@pytest.fixture(scope="module")
def copies():
    """Two classes; gene 30 and 31 copy gene 0, and 32 is nearly the opposite of gene 20."""
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 30)
    X = rng.normal(size=(60, 40))
    X[:30, :6] += 3
    X[:30, 0] += 3
    X[:30, 20] += 1
    X[:, 30], X[:, 31] = 2 * X[:, 0], X[:, 0] + 0.01 * X[:, 7]
    X[:, 32] = -X[:, 20] + 0.01 * X[:, 8]
    return X, y


@pytest.fixture(scope="module")
def html(copies):
    X, y = copies
    rule = es.selection.TopK(5, must_keep=[20], never=[31])
    fitted = es.FisherScore(rule).fit(X, y)
    return es.report(fitted, X, y, feature_names=[f"gene {j}" for j in range(40)]).to_html()


class TestMatrix:
    def test_correlations_in_the_order_of_the_heat_map(self, open_page, html, copies):
        page = open_page(html)
        names = names_of(page, CHART)
        assert names == names_of(page)
        drawn = np.array(page.locator(CHART).evaluate(CELLS.replace(".cells path", "path[data-level]")))
        expected = np.corrcoef(copies[0][:, [int(name.split()[1]) for name in names]].T)
        np.testing.assert_allclose(drawn / 25, expected, atol=0.0201)

    def test_blocks_are_outlined_and_named(self, open_page, html):
        page = open_page(html)
        names = names_of(page, CHART)
        view = page.evaluate("DATA.views.redundancy")
        groups = {tuple(sorted(names[slice(*group["shown"])])) for group in view["groups"]}
        assert groups == {("gene 0", "gene 30", "gene 31"), ("gene 20", "gene 32")}
        assert page.locator(f"{CHART} rect.block").count() == 2
        texts = page.locator(f"{CHART} text").evaluate_all("all => all.map(t => t.firstChild?.textContent)")
        assert {"group 1", "group 2"} <= set(texts)
        cells = page.locator(f"{CHART} g:has(> path[data-level])").bounding_box()
        first, last = view["groups"][0]["shown"]
        box = page.locator(f"{CHART} rect.block").first.bounding_box()
        for side, length in (("x", "width"), ("y", "height")):
            assert box[side] - cells[side] == pytest.approx(cells[length] * first / 30, abs=2)
            assert box[length] == pytest.approx(cells[length] * (last - first) / 30, abs=3)

    def test_the_key(self, open_page, html):
        key = open_page(html).locator(f"{CHART} .colour-key")
        assert key.locator("text").all_text_contents() == ["correlation", "-1.00", "0.00", "1.00"]

    def test_a_click_on_a_name_chooses_it(self, open_page, html):
        page = open_page(html)
        page.locator(f"{CHART} text.pick").nth(2).click()
        assert page.evaluate("names[chosen]") == names_of(page, CHART)[2]

    def test_few_features_have_names_on_both_sides(self, open_page, copies):
        X, y = copies[0][:, [0, 1, 30]], copies[1]
        page = open_page(es.report(es.FisherScore(2).fit(X, y), X, y, feature_names=["a", "b", "c"]).to_html())
        shown = page.locator(f"{CHART} text:has(title)").evaluate_all("all => all.map(t => t.firstChild.textContent)")
        assert sorted(shown) == sorted([*"abcabc", "group 1"])
        told = page.locator(f"{CHART} rect.cell title").evaluate_all("all => all.map(t => t.textContent)")
        parts = dict(text.split(": ") for text in told)
        assert float(parts["a, c"]) == 1.0
        assert float(parts["a, b"]) == pytest.approx(np.corrcoef(X[:, 0], X[:, 1])[0, 1], abs=0.0051)


class TestList:
    @pytest.mark.parametrize("script", [True, False])
    def test_groups_are_named_with_what_was_dropped(self, open_page, html, script):
        page = open_page(html, java_script_enabled=script)
        rows = [re.sub(r"\s+", " ", text).strip() for text in page.locator(".copy-groups li").all_inner_texts()]
        assert rows == [
            "group 1, 2 kept: gene 0, gene 30; 1 dropped: gene 31",
            "group 2, 1 kept: gene 20; 1 dropped: gene 32",
        ]

    def test_a_phone_sees_the_list_in_place_of_the_matrix(self, open_page, html):
        for width in (390, 1400):
            page = open_page(html, viewport={"width": width, "height": 800})
            assert page.locator("#redundancy-chart").is_visible() == (width == 1400)
            assert page.locator(".copy-groups").is_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_chance_stands_beside_it(self, open_page, html):
        page = open_page(html)
        rate, chance = page.evaluate("[DATA.views.redundancy.rate, DATA.views.redundancy.chance]")
        told = page.locator("#redundancy").inner_text()
        assert f"is {rate:.2f}: 1 means that all say the same" in told
        assert f"give {chance:.2f} by chance" in told
        assert "fewer than 0.01 such pairs by chance" in told

    def test_few_samples_make_copies_by_chance(self, open_page):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5, 200)), [0, 0, 0, 1, 1]
        made = es.report(es.FisherScore(3).fit(X, y), X, y)
        view = made.summary["views"]["redundancy"]
        assert view["groups"]
        told = open_page(made.to_html()).locator("#redundancy").inner_text()
        assert f"would show {view['copies_by_chance']:.3g} such pairs by chance" in told

    def test_none(self, open_page, two_groups):
        page = open_page(es.report(es.FisherScore(4).fit(*two_groups), *two_groups).to_html())
        assert "None: no two of them say nearly the same." in page.locator("#redundancy").inner_text()
        assert page.locator(f"{CHART} rect.block").count() == 0

    def test_correlations_of_dropped_copies_are_there(self, open_page, html):
        page = open_page(html)
        page.locator("#redundancy summary").click()
        rows = page.locator("#redundancy table tbody tr").all_inner_texts()
        assert [re.sub(r"\s+", " ", row) for row in rows] == [
            "gene 0 1 gene 31 1.00",
            "gene 30 1 gene 31 1.00",
            "gene 20 1 gene 32 -1.00",
        ]


@pytest.mark.parametrize("width", [390, 1400])
def test_hostile_names_are_text(open_page, two_groups, width):
    X, y = two_groups[0].copy(), two_groups[1]
    X[:, 1:11] = X[:, :1] + 0.01 * X[:, 1:11]
    names = [*HOSTILE, *(f"plain {j}" for j in range(29))]
    made = es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names)
    page = open_page(made.to_html(), viewport={"width": width, "height": 800})
    assert page.locator("#redundancy :is(script, img)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    listed = page.locator(".copy-groups").evaluate("list => list.textContent")
    assert all(name[:199] in listed for name in HOSTILE)
