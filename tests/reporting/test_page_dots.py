"""The dot plot of a page in a browser: areas, colours, keys, names."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE

import eigenselect as es

CHART = "#dots-chart svg"
DOTS = f"{CHART} > circle.dot"


@pytest.fixture(scope="module")
def table(wine):
    return wine


@pytest.fixture
def page(open_page, wine):
    X, y = wine
    return open_page(es.report(es.FisherScore(4).fit(X, y), X, y).to_html())


def told(page):
    """Feature, group, mean and share of every dot, from its title."""
    titles = page.locator(f"{DOTS} title").evaluate_all("all => all.map(t => t.textContent)")
    parts = [re.fullmatch(r"(.*), (\w+): mean z (\S+), (\S+) % above the median of all samples", t) for t in titles]
    return [(part[1], part[2], float(part[3]), float(part[4]) / 100) for part in parts]


def test_areas_are_shares_and_titles_tell_naive_numbers(page, wine):
    X, y = wine
    radii = np.array(page.locator(DOTS).evaluate_all("all => all.map(c => +c.getAttribute('r'))"))
    facts = told(page)
    assert len(facts) == 3 * 13
    means = (X / X.std(ddof=0)).groupby(y).mean()
    shares = (X.median() < X).groupby(y).mean()
    for feature, group, mean, share in facts:
        assert mean == pytest.approx(means.loc[group, feature], rel=6e-3, abs=1e-3)
        assert share == pytest.approx(shares.loc[group, feature], rel=6e-3, abs=1e-3)
    exact = np.array([shares.loc[group, feature] for feature, group, _, _ in facts])
    np.testing.assert_allclose(radii**2 / (radii**2).max(), exact / exact.max(), atol=1e-4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_high_means_are_orange_and_low_ones_blue(open_page, wine, scheme):
    page = open_page(es.report(es.FisherScore(4).fit(*wine), *wine).to_html(), color_scheme=scheme)
    fills = page.locator(DOTS).evaluate_all("all => all.map(c => getComputedStyle(c).fill)")
    warmth = [int(rgb[0]) - int(rgb[2]) for rgb in (re.findall(r"\d+", fill) for fill in fills)]
    means = [mean for _, _, mean, _ in told(page)]
    assert all((warm > 0) == (mean > 0) for warm, mean in zip(warmth, means, strict=True) if abs(mean) > 0.1)


def test_both_keys(page):
    assert page.locator(f"{CHART} .colour-key").count() == 1
    key = page.locator(f"{CHART} .size-key")
    assert key.locator("text").all_text_contents() == [
        "share above the median of all samples", "20 %", "40 %", "60 %", "80 %", "100 %",
    ]  # fmt: skip
    radii = np.array(key.locator("circle").evaluate_all("all => all.map(c => +c.getAttribute('r'))"))
    np.testing.assert_allclose(radii**2 / radii[-1] ** 2, [0.2, 0.4, 0.6, 0.8, 1.0])


@pytest.mark.parametrize("width", [390, 1400])
def test_names_of_features_and_groups_are_whole(open_page, wine, width):
    page = open_page(es.report(es.FisherScore(4).fit(*wine), *wine).to_html(), viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = page.locator(f"{CHART} > text").evaluate_all("all => all.map(t => t.firstChild.textContent)")
    assert {*wine[0].columns, "class_0", "class_1", "class_2"} == set(shown)
    box = page.locator("#dots").bounding_box()
    sides = page.locator(f"{CHART} > text").evaluate_all(
        "all => all.map(t => t.getBoundingClientRect()).map(r => [r.left, r.right])"
    )
    assert np.min(sides) >= box["x"]
    assert np.max(sides) <= box["x"] + box["width"]


def test_a_click_on_a_feature_chooses_it(page):
    page.locator(f"{CHART} text.pick", has_text="proline").first.click()
    assert page.evaluate("names[chosen]") == "proline"


def test_two_groups_have_no_dots(open_page, two_groups):
    page = open_page(es.report(es.FisherScore(4).fit(*two_groups), *two_groups).to_html())
    assert page.locator("#dots").count() == 0


def test_what_is_said_of_noise_is_said_here(page):
    assert "groups that differ here are expected, also of noise" in page.locator("#dots").inner_text()


@pytest.mark.parametrize("width", [390, 1200])
def test_hostile_names_are_text(open_page, two_groups, width):
    X, y = two_groups[0], np.array(HOSTILE)[np.arange(60) % len(HOSTILE)]
    names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
    made = es.report(es.FisherScore(4).fit(X, y), X, y, feature_names=names)
    page = open_page(made.to_html(), viewport={"width": width, "height": 800})
    titles = page.locator(f"{CHART} > text title").evaluate_all("all => all.map(t => t.textContent)")
    assert set(HOSTILE) <= set(titles)
    assert page.locator("#dots :is(script, img, b)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
