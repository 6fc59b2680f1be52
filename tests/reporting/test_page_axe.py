"""axe-core, the usual judge of accessibility, finds nothing in any kind of page, light or dark, wide or narrow."""

from importlib.resources import files

import pytest
from tests.reporting.kinds import classes, hostile, maps, nothing

import eigenselect as es
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.reporting import compare

#: (width, colour scheme) of the windows
WINDOWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]


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


KINDS = (supervised, unsupervised, fused, compared, classes, hostile, nothing, maps)


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def html(request, two_groups):
    return request.param(*two_groups).to_html()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_axe_finds_nothing(open_page, axe, html, width, scheme):
    page = open_page(html, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    for button in page.locator("button.choose").all()[1:2]:
        button.click()
    page.wait_for_timeout(100)  # charts of what was folded are painted
    assert violations(page, axe) == []


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("kind", [supervised, compared, hostile])
def test_axe_finds_nothing_in_a_notebook(open_page, axe, two_groups, kind, width, scheme):
    colours = {"light": "color: #222; background: #fff", "dark": "color: #eee; background: #111"}[scheme]
    shown = f"<style>body {{ {colours} }}</style><main><h1>A notebook</h1>{kind(*two_groups)._repr_html_()}</main>"
    head = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>notebook</title><link rel=icon href='data:,'>"
    page = open_page(head + shown, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.locator(".eigenselect-view").is_visible()
    assert violations(page, axe) == []


def violations(page, axe):
    """Rule and first elements of everything that axe complains about."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations)")
    return [f"{rule['id']}: {[node['html'][:200] for node in rule['nodes'][:3]]}" for rule in found]
