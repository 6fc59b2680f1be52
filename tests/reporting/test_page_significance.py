"""The card of p-values and q-values in Chromium: its pictures, and the columns of the table."""

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE, column, downloaded

import eigenselect as es


@pytest.fixture
def selector(two_groups):
    return es.FisherScore(5, significance=True).fit(*two_groups)


def test_pictures_and_columns(open_page, two_groups, selector):
    page = open_page(es.report(selector, *two_groups).to_html())
    assert page.locator("#pvalue-chart svg rect.band").count() == 1
    counts = np.histogram(selector.pvalues_, bins=20, range=(0, 1))[0]
    told = page.locator("#pvalue-chart svg rect:not(.band) title").all_text_contents()
    assert [int(text.split()[0]) for text in told] == counts[counts > 0].tolist()
    discoveries = int((selector.qvalues_ <= 0.05).sum())
    for name in ("quantile", "mean"):
        assert page.locator(f"#{name}-chart circle").count() == 40
        assert page.locator(f"#{name}-chart circle.found").count() == discoveries > 0
    order = selector.ranking_.argsort()
    for name, values in (("p", selector.pvalues_), ("q", selector.qvalues_)):
        shown = [float(text) for text in column(page, name)]
        np.testing.assert_allclose(shown, values[order[:25]], rtol=5.1e-3)
    rows = downloaded(page)
    np.testing.assert_allclose([float(row["qvalue"]) for row in rows], selector.qvalues_[order], rtol=1e-5)


def test_sorting_by_q(open_page, two_groups, selector):
    page = open_page(es.report(selector, *two_groups).to_html())
    page.get_by_role("button", name="q", exact=True).click()
    shown = [float(text) for text in column(page, "q")]
    assert shown == sorted(shown)


def test_points_beyond_the_axis_stand_at_its_end(open_page, two_groups, selector):
    selector.pvalues_[selector.ranking_.argsort()[0]] = 0.0
    page = open_page(es.report(selector, *two_groups).to_html())
    heights = page.locator("#quantile-chart circle").evaluate_all("all => all.map(c => c.getAttribute('cy'))")
    assert min(map(float, heights)) >= 12
    assert "<1e-300" in page.locator("#quantile-chart title").first.text_content()
    assert column(page, "p")[0] == "<1e-300"


def test_shadows_have_one_picture_and_one_column(open_page, two_groups, selector):
    for name in ("pvalues_", "null_mean_", "null_sd_"):
        delattr(selector, name)
    page = open_page(es.report(selector, *two_groups, evaluation=False).to_html())
    assert page.locator("#significance svg").count() == 1
    assert page.locator("#feature-table th").all_inner_texts() == ["rank", "feature", "score", "q"]


@pytest.mark.parametrize("width", [360, 1200])
def test_hostile_names_and_narrow_windows(open_page, two_groups, width):
    X, y = two_groups
    names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
    selector = es.FisherScore("fdr").fit(np.abs(X) * 10.0 ** (np.arange(40) % 5), y)
    made = es.report(selector, np.abs(X) * 10.0 ** (np.arange(40) % 5), y, feature_names=names)
    page = open_page(made.to_html(), viewport={"width": width, "height": 800})
    assert page.locator("main script, main img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "mean (logarithmic)" in page.locator("#mean-chart").text_content()
