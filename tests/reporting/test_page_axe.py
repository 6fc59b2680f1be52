"""axe-core, the usual judge of accessibility, finds nothing in any kind of page, light or dark, wide or narrow."""

from importlib.resources import files

import pytest
from tests.reporting.kinds import classes, hostile, maps, nothing

import eigenselect as es
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.reporting import compare

#: (width, colour scheme) of the windows
WINDOWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
#: every width and every scheme once: for kinds of pages that share all their parts with those that are seen in all
EACH_ONCE = WINDOWS[::3]


@pytest.fixture(scope="module")
def axe():
    """The text of axe-core's script."""
    pytest.importorskip("axe_playwright_python", reason="AXE DID NOT RUN: pip install axe-playwright-python")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def supervised(X, y):
    return es.report(es.FisherScore(5, significance=True).fit(X, y), X, y, title="two groups")


def unsupervised(X, y):
    return es.report(es.LaplacianScore(5).fit(X), X, title="no labels")


def fused(X, y):
    names = [f"gene {j}" for j in range(X.shape[1])]
    sources = [("target", TargetData()), ("labels", SampleCategories()), ("a set", FeatureSet(names[:4]))]
    selector = es.MSFS(5, sources=sources).fit(X, y, feature_names=names)
    return es.report(selector, X, y, feature_names=names)


def compared(X, y):
    return compare({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, X, y, n_features=5, sizes=[2, 5])


KINDS = (supervised, unsupervised, fused, compared, classes, nothing, maps)


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(open_page, axe, two_groups, kind):
    windows = WINDOWS if kind is supervised else EACH_ONCE
    in_every_window(open_page(kind(*two_groups).to_html()), axe, windows)


def test_nor_with_hostile_names_and_a_chosen_feature(open_page, axe, hostile_report):
    page = open_page(hostile_report.to_html())
    page.locator("button.choose").nth(2).click()
    in_every_window(page, axe)


@pytest.mark.parametrize("kind", [supervised, compared, hostile])
def test_nor_in_a_notebook(open_page, axe, two_groups, kind):
    style = "body { color: light-dark(#222, #eee); background: light-dark(#fff, #111); color-scheme: light dark }"
    head = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>notebook</title><link rel=icon href='data:,'>"
    shown = f"<style>{style}</style><main><h1>A notebook</h1>{kind(*two_groups)._repr_html_()}</main>"
    page = open_page(head + shown)
    assert page.locator(".eigenselect-view").is_visible()
    in_every_window(page, axe, EACH_ONCE)


def in_every_window(page, axe, windows=WINDOWS):
    """Look at a page with all cards unfolded in every window; one page serves for all, which saves its opening."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.evaluate(axe)
    found = {}
    for width, scheme in windows:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(150)  # charts are painted again
        found[width, scheme] = violations(page)
    assert found == {window: [] for window in windows}


def violations(page):
    """Rule and first elements of everything that axe complains about."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations)")
    return [f"{rule['id']}: {[node['html'][:200] for node in rule['nodes'][:3]]}" for rule in found]
