"""The page as a whole: no request, rounded numbers, hostile names; `test_page_CARD.py` has what is in its cards."""

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE, column, data_of, downloaded

import eigenselect as es
from eigenselect.reporting.page import READ_BY_SCRIPTS, SCRIPTS, SCRIPTS_OF, rounded, without_last_zeros


def test_the_page_asks_for_nothing(hostile_report):
    html = hostile_report.to_html()
    assert "default-src 'none'" in html
    own = re.sub(r'<script type="application/json".*?</script>', "", html, flags=re.DOTALL)
    assert set(re.findall(r"(?:https?:)?//[\w.]+", re.sub(r"//[^\n]*\n", "\n", own))) <= {"http://www.w3.org"}


def test_the_same_input_gives_the_same_page(wine):
    X = wine[0]
    one, other = (es.report(es.LaplacianScore(3).fit(X), X).to_html() for _ in range(2))
    assert one == other


@pytest.mark.parametrize("kind", SCRIPTS_OF)
def test_a_page_holds_what_its_scripts_read_and_no_more(kind):
    folder = files("eigenselect.reporting.page")
    scripts = [(folder / name).read_text(encoding="utf-8") for name in (*SCRIPTS, *SCRIPTS_OF[kind])]
    assert set(re.findall(r"\bDATA\??\.(\w+)", "\n".join(scripts))) - {"values"} == READ_BY_SCRIPTS[kind]
    assert not any(re.search(r"\bDATA\[|= DATA;|\(DATA\)", script) for script in scripts)


def test_the_readme_lists_every_file():
    folder = Path(str(files("eigenselect.reporting.page")))
    told = (folder / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+(?:\.\w+)?)`", told))
    here = [path for path in folder.rglob("*.*") if path.suffix in (".js", ".css", ".html")]
    assert len(here) > 60
    missing = [path.name for path in here if path.name not in named and path.stem not in named]
    assert [name for name in missing if not name.startswith("comparison_")] == []
    assert {name for name in named if re.search(r"\.(js|css|html)$", name)} <= {path.name for path in here}


def test_sentences_are_not_in_the_data_again(genes_html):
    assert data_of(genes_html).keys() <= READ_BY_SCRIPTS["ranking"] | {"values"}
    assert genes_html.count("How redundant?") == 1


def test_rounding():
    assert rounded({"a": [1 / 3, 2], "b": (np.inf, "x")}) == {"a": [0.333333, 2], "b": [np.inf, "x"]}


def test_a_column_ends_with_its_last_number_that_is_not_zero():
    assert without_last_zeros([0.0, 0.5, None, 0, 0.0]) == [0.0, 0.5, None]
    assert without_last_zeros([0, 0.0]) == []


def test_an_axis_has_two_numbers_at_least(genes_page):
    ends = [(-0.45, 0.4), (0.9, 1.9), (-1e-9, 9.0), (4.0, 4.9)]
    assert all(genes_page.evaluate("([low, high]) => ticks(low, high, 3).length", list(pair)) >= 2 for pair in ends)


def test_hostile_names_are_text_everywhere(open_page, hostile_report):
    page = open_page(hostile_report.to_html())
    assert page.locator("main script, main img").count() == 0
    shown = page.locator("button.choose").evaluate_all("all => all.map(b => b.textContent)")
    assert set(HOSTILE) <= set(shown)
    assert page.locator("h1").evaluate("h => h.textContent").startswith(HOSTILE[1])
    for name in HOSTILE:
        page.locator("button.choose").nth(shown.index(name)).click()
        assert page.locator("#chosen h3").evaluate("h => h.textContent") == name
    assert {row["feature"] for row in downloaded(page)} >= set(HOSTILE)


def test_what_a_method_does_not_order_has_no_rank(open_page, two_groups):
    X, y = two_groups
    page = open_page(es.report(es.MRSF(3, target="lda").fit(X, y), X, y).to_html())
    assert column(page, "rank")[:5] == ["1", "2", "3", "–", "–"]
    assert page.locator("#score-chart circle").count() == 3
    page.locator("button.choose").nth(4).click()
    assert "not ordered" in page.locator("#chosen").inner_text()


def test_many_features_open_and_sort_quickly(open_page, record_property):
    """20 000 features: under 2 MB; times are reported, not asserted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 20_000)), np.repeat([0, 1], 50)
    names = [f"ENSG{j:011d}" for j in range(X.shape[1])]
    html = es.report(es.FisherScore(50).fit(X, y), X, y, feature_names=names).to_html()
    assert len(html.encode()) < 2e6
    page = open_page(html)
    opened = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    sort = """name => { const button = [...document.querySelectorAll('.sort')].find(b => b.textContent === name);
                        const start = performance.now(); button.click(); return performance.now() - start; }"""
    times = {"open": opened, **{f"sort by {name}": page.evaluate(sort, name) for name in ("feature", "score")}}
    search = page.get_by_label("Search features")
    search.fill("ENSG00000000042")
    assert column(page, "feature") == ["ENSG00000000042"]
    told = ", ".join(f"{what} {value:.0f} ms" for what, value in times.items())
    record_property("measured", f"page of 20 000 features, {len(html.encode()) / 1e6:.2f} MB, in Chromium: {told}")
