"""axe-core, the usual judge of accessibility, finds nothing in any kind of page, light or dark, wide or narrow."""

from importlib.resources import files

import numpy as np
import pytest

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


def classes(X, y):
    """More than two groups, so that there is a dot plot; some features are copies."""
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 1]])
    labels = np.where(np.arange(len(y)) < 10, "third", y)
    return es.report(es.FisherScore(8).fit(X, labels), X, labels)


KINDS = (supervised, unsupervised, fused, compared, classes)


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(open_page, axe, two_groups, kind):
    in_every_window(open_page(kind(*two_groups).to_html()), axe)


def test_nor_with_hostile_names_and_a_chosen_feature(open_page, axe, hostile_report):
    page = open_page(hostile_report.to_html())
    page.locator("button.choose").nth(2).click()
    in_every_window(page, axe)


def in_every_window(page, axe):
    """Look at a page with all cards unfolded in every window; one page serves for all, which saves its opening."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.evaluate(axe)
    found = {}
    for width, scheme in WINDOWS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(150)  # charts are painted again
        found[width, scheme] = violations(page)
    assert found == {key: [] for key in WINDOWS}


def violations(page):
    """Rule and first elements of everything that axe complains about."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations)")
    return [f"{rule['id']}: {[node['html'][:200] for node in rule['nodes'][:3]]}" for rule in found]
