"""Alerts in Chromium: counted, as text, without JavaScript, on a phone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.reporting import Report, summarise
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.views.drawing import ALL_VIEWS

NO_SCRIPT = {"java_script_enabled": False}


@pytest.fixture
def hostile(two_groups):
    """A report with an alert on features and a sample of hostile names."""
    X = two_groups[0].copy()
    X[:, : len(HOSTILE)] = 0
    X[7, : len(HOSTILE)] = np.arange(9, 9 + len(HOSTILE))
    names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
    frame = pd.DataFrame(X, columns=names, index=[f"{HOSTILE[0]} {i}" for i in range(len(X))])
    return es.report(es.Variance(20).fit(frame), frame)


def test_none_is_one_quiet_line(open_page, two_groups):
    X, y = two_groups
    page = open_page(es.report(es.FisherScore(8).fit(X, y), X, y).to_html(), **NO_SCRIPT)
    assert page.locator("#alerts h2").inner_text() == "No alerts"
    assert page.locator("#alerts li").count() == 0
    assert page.locator("#alerts").bounding_box()["height"] < 60


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UnitsWarning")
def test_they_are_counted_and_listed(open_page, two_groups):
    X, y = two_groups
    X = X.copy()
    X[:, 3] *= 1000
    made = es.report(es.LaplacianScore(8).fit(X), X, y)
    page = open_page(made.to_html(), **NO_SCRIPT)
    assert page.locator("#alerts h2").inner_text() == "2 alerts"
    shown = page.locator("#alerts li").evaluate_all("all => all.map(each => each.textContent.trim())")
    assert shown == [alert["sentence"] for alert in made.summary["alerts"]]
    assert page.locator(".warnings strong").count() == 0  # the old box is gone


@pytest.mark.parametrize("width", [1400, 390])
def test_hostile_names_are_text_and_whole_on_request(open_page, hostile, width):
    page = open_page(hostile.to_html(), viewport={"width": width, "height": 900})
    assert page.locator("#alerts h2").inner_text() == "1 alert"
    assert page.locator("main script, main img").count() == 0
    held = page.locator("#alerts details p").first
    assert not held.is_visible()
    page.locator("#alerts summary").first.click()
    assert held.is_visible()
    assert held.evaluate("p => p.textContent") == ", ".join(hostile.summary["alerts"][0]["features"])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#alerts summary").first.bounding_box()["height"] >= 24


def test_a_summary_without_alerts_shows_its_warnings(open_page, two_groups):
    X, y = two_groups
    fitted = check_fitted("test", es.FisherScore(8).fit(X, y), X, y)
    summary = summarise(fitted, kept=8, notes=["2 cells were empty"], views=ALL_VIEWS)
    page = open_page(Report(summary).to_html(), **NO_SCRIPT)
    assert page.locator(".warnings li").inner_text() == "2 cells were empty"
    assert page.locator("#alerts").count() == 0
