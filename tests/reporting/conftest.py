"""Data, reports and a browser for tests of reports."""

from __future__ import annotations

import html as html_text
import json
import os
import re
import shutil

import numpy as np
import pytest
from sklearn.datasets import load_wine

import eigenselect as es

#: names that would be markup, code or broken files if they were not treated as text
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "quote \" and ' apostrophe",
    "comma, semicolon; tab\tend",
    "🧬 gène 日本",
    "x" * 10_000,
    "{{ 7 * 7 }} {% raw %} ${1+1}",
    "&lt;b&gt; &amp;",
    "line\nbreak \u2028 separator",
    "=1+1",
    "__proto__",
]


def hostile_names(count):
    """Return this many names, hostile ones first."""
    return [*HOSTILE, *(f"plain {j}" for j in range(count - len(HOSTILE)))]


def data_of(html):
    """What the page's script reads, by the rules of HTML: up to the first end of the script element."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script', html, re.DOTALL)[1])


def tables_of(markdown):
    """Tables as rows of cells, as GitHub splits them: at every pipe that no backslash escapes."""
    blocks = re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in block.splitlines()] for block in blocks]


def text_of(cell):
    """What a reader sees of a cell: escapes and entities undone."""
    return html_text.unescape(re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", cell))


def answers_of(summary):
    """Sentences of the answer by their question."""
    return {part["question"]: part["sentence"] for part in summary["answer"]["sentences"]}


def views_of(selector, X, y=None, **options):
    """Return the views of a report on a fitted selector."""
    return es.report(selector, X, y, evaluation=False, **options).summary["views"]


@pytest.fixture(scope="session")
def wine():
    """A frame in units of its deviation, and the names of the cultivars."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), load_wine().target_names[y]


@pytest.fixture(scope="session")
def two_groups():
    """60 samples in two classes, 40 features: the first ones differ between the classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 30)
    X = rng.normal(size=(60, 40))
    X[:30, :12] += np.linspace(3, 1, 12)
    return X, y


@pytest.fixture(scope="session")
def hostile_report(two_groups):
    """A report whose best features have hostile names, as have the data and a class."""
    X, y = two_groups
    labels = np.where(y == "left", HOSTILE[0], HOSTILE[5])
    names = hostile_names(X.shape[1])
    return es.report(es.FisherScore(11).fit(X, labels), X, labels, feature_names=names, title=HOSTILE[1])


@pytest.fixture(scope="session")
def chromium():
    """A real browser; tests are skipped, and CI says so, where it is not installed."""
    path = os.environ.get("EIGENSELECT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("BROWSER TESTS DID NOT RUN: no chromium on this machine (make browser installs it)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="BROWSER TESTS DID NOT RUN: pip install playwright")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=[*quiet, "--disable-sync", "--no-first-run"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, tmp_path):
    """A function that opens a page and notes every message, error and request; all must be empty at the end."""
    noted, contexts = [], []

    def open_it(html, **settings):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(accept_downloads=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: noted.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: noted.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (noted.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url == path.as_uri() or noted.append(f"request: {request.url[:99]}"))
        page.goto(path.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert noted == []
