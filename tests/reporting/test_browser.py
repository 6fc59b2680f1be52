"""What only a browser shows of a page: no request, names as text, keyboard, table, files, charts, paper, contrast."""

from __future__ import annotations

import csv
import io
import re
import struct
import xml.etree.ElementTree as ElementTree
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import median_abs_deviation, zscore
from sklearn.neighbors import kneighbors_graph
from tests.reporting.conftest import HOSTILE, hostile_names

import eigenselect as es
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.reporting import compare
from eigenselect.reporting.plotting import palette
from eigenselect.reporting.plotting.heat_plots import DIVERGING, NO_COLOUR

SVG = "{http://www.w3.org/2000/svg}"
#: (width, colour scheme) of windows
WINDOWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
NO_SCRIPT = {"java_script_enabled": False}
#: makes the page's modern way of copying fail, as in a frame of a notebook
REFUSED = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"
#: levels of every cell of a painted table, from the paths of its colours; null for no value
CELLS = """svg => { const rows = [];
  for (const path of svg.querySelectorAll('path[data-level]'))
    for (const [, x, y, w] of path.getAttribute('d').matchAll(/M(\\d+) (\\d+)h(\\d+)v1h-\\d+z/g))
      for (let j = +x; j < +x + +w; j++) (rows[y] ??= [])[j] = JSON.parse(path.dataset.level);
  return rows; }"""
#: where every mark of a sample stands, whatever its shape
PLACES = """marks => marks.map(mark => { const box = mark.getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2]; })"""
#: everything that is measured of an opened page at once; `plainColour` is the page's own
MEASURE = """() => {
  const boxOf = (e) => e.getBoundingClientRect();
  const told = (e) =>
    `${e.closest(".card, header, footer, nav")?.id ?? ""} ${e.tagName}: ${e.textContent.slice(0, 50)}`;
  const pictures = [...document.querySelectorAll('main svg')].filter((svg) => svg.checkVisibility());
  const textsOf = (svg) => [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim() && boxOf(t).width);
  const inside = (box, outer) => box.left >= outer.left - 1.5 && box.right <= outer.right + 1.5
    && box.top >= outer.top - 1.5 && box.bottom <= outer.bottom + 1.5;
  const outside = pictures.flatMap((svg) => textsOf(svg).filter((t) => !inside(boxOf(t), boxOf(svg))).map(told));

  const level = (t) => !/rotate\\(-50/.test(t.getAttribute('transform') ?? '');  // boxes of slanted names always meet
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;  // lines of letters have space above and below
  const overlapping = pictures.flatMap((svg) => {
    const texts = textsOf(svg).filter(level).map((t) => [t, boxOf(t)]);
    return texts.flatMap(([t, box], i) =>
      texts.slice(i + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${told(t)} | ${other.textContent}`));
  });

  const rgb = (text) => {
    const { colour, opacity } = plainColour(text);
    return [...[1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)), opacity];
  };
  const groundOf = (e) => {
    if (e.matches('.on-cell')) return rgb(getComputedStyle(e.previousElementSibling).fill);
    for (let at = e; at; at = at.parentElement) {
      const ground = rgb(getComputedStyle(at).backgroundColor);
      if (ground[3] === 1) return ground;
    }
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const inks = new Map();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      || e.matches('script, style, title, option') || e.closest('[aria-disabled=true], .unseen, .skip')) continue;
    const look = getComputedStyle(e);
    const pair = [rgb(e instanceof SVGElement ? look.fill : look.color), groundOf(e)];
    if (!inks.has(String(pair))) inks.set(String(pair), [pair, told(e)]);
  }

  const pressed = [...document.querySelectorAll('a[href], button, select, input, summary')]
    .filter((e) => e.checkVisibility() && !e.matches('.skip'))
    .map((e) => (e.type === 'checkbox' ? e.closest('label') : e))
    .map((e) => [told(e), boxOf(e).width, boxOf(e).height]);
  const sticking = [...document.querySelectorAll('main > * *')]
    .filter((e) => e.checkVisibility() && !e.closest('.scroll, svg, .unseen, .unheard')
      && boxOf(e).right > boxOf(e.closest('.card') ?? document.body).right + 1)
    .map(told);
  const cards = [...document.querySelectorAll('main .card')].map((card) => card.id);
  return { outside, overlapping, inks: [...inks.values()], pressed, sticking, cards,
           n_pictures: pictures.length, wide: document.documentElement.scrollWidth };
}"""


def genes(X, y, **options):
    """A report on 40 genes, of which 5 are kept."""
    names = [f"gene {j}" for j in range(X.shape[1])]
    return es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names, title="genes.csv", **options)


def classes(X, y):
    """Three classes, near-copies, p-values."""
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 1]])
    labels = np.where(np.arange(len(y)) < 10, "a third class, which has a longer name", y)
    return es.report(es.FisherScore(8, significance=True).fit(X, labels), X, labels, title="classes.csv")


def unsupervised(X, y):
    return es.report(es.LaplacianScore(5).fit(X), X, title="no labels")


def fused(X, y):
    names = [f"gene {j}" for j in range(X.shape[1])]
    sources = [("target", TargetData()), ("labels", SampleCategories()), ("a set", FeatureSet(names[:4]))]
    selector = es.MSFS(5, sources=sources, weights=[1, 1, 2]).fit(X, y, feature_names=names)
    return es.report(selector, X, y, feature_names=names)


def compared(X, y):
    selectors = {"fisher": es.FisherScore(), "a method of a long name": es.LaplacianScore(), "relieff": es.ReliefF()}
    return compare(selectors, X, y, n_features=5, sizes=[2, 5, 10], title="two groups")


def nothing(X, y):
    return es.report(es.FisherScore(es.selection.Threshold(2)).fit(X, y), X, y, evaluation=False)


def maps(X, y):
    """Sparse counts with a map and a slide."""
    anndata = pytest.importorskip("anndata")
    table = anndata.AnnData(sparse.csr_matrix(np.maximum(X, 0)))
    table.obsm["X_umap"], table.obsm["spatial"] = X[:, :2].copy(), X[:, 2:4].copy()
    return es.report(es.FisherScore(5).fit(table.X, y), table, y, evaluation=False)


def hostile(X, y):
    labels = np.where(y == "left", "c" * 12_000, "word " * 2000)
    selector, names = es.FisherScore(11).fit(X, labels), hostile_names(X.shape[1])
    return es.report(selector, X, labels, feature_names=names, title=HOSTILE[1], evaluation=False)


def hostile_comparison(X, y):
    selectors = {"<i>fisher</i>": es.FisherScore(), "laplacian": es.LaplacianScore(), HOSTILE[5]: es.ReliefF()}
    names = hostile_names(X.shape[1])
    return compare(selectors, X, y, n_features=11, feature_names=names, sizes=[2, 5], title=HOSTILE[0])


def unscaled(X, y):
    """Scores of both signs and many sizes; twenty groups."""
    labels = [f"group {place % 20}" for place in range(len(y))]
    X = X * 10.0 ** np.linspace(-2, 3, X.shape[1])
    return es.report(es.TraceRatio(5).fit(X, labels), X, labels, evaluation=False)


@pytest.fixture(scope="module")
def genes_html(two_groups):
    return genes(*two_groups).to_html()


@pytest.fixture(scope="module")
def comparison(two_groups):
    return compared(*two_groups)


@pytest.fixture
def page(open_page, genes_html):
    """The page of the genes in a window."""
    return open_page(genes_html, **CLIPBOARD)


def texts(page, selector):
    return page.locator(selector).evaluate_all("all => all.map(each => each.textContent)")


def column(page, head):
    """Texts of a column of the table of features, by its heading."""
    heads = page.locator("#feature-table thead th").all_inner_texts()
    return page.locator(f"#feature-table tbody tr td:nth-child({heads.index(head) + 1})").all_inner_texts()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def until(page, condition):
    """Wait until an expression is true; the page's policy does not let the driver wait inside it."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"not within five seconds: {condition}")


def tab_to(page, condition):
    """Press Tab until the focused element meets a condition."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate(f"(e => {condition})(document.activeElement)"):
            return
    pytest.fail(f"Tab does not reach {condition}")


def downloaded(page, button="Download csv"):
    """Rows of the file that a button gives, as dicts."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def saved(page, figure, kind):
    """Name and bytes of the file of a figure."""
    with page.expect_download() as waiting:
        page.get_by_label(f"Download {figure} as {kind}", exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def width_of(page):
    return page.evaluate("document.documentElement.scrollWidth")


def rgb(colour):
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def contrast(ink, ground):
    """Contrast of an ink (with its opacity) on a ground by WCAG 2."""
    mixed = [ink[3] * a + (1 - ink[3]) * b for a, b in zip(ink, ground, strict=True)]
    shares = [np.array(colour[:3]) / 255 for colour in (mixed, ground)]
    linear = [np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) for parts in shares]
    low, high = sorted(float(parts @ [0.2126, 0.7152, 0.0722]) for parts in linear)
    return (high + 0.05) / (low + 0.05)


def test_title_sections_and_rows(page, two_groups):
    said = page.locator("header").inner_text()
    assert page.locator("h1").inner_text() == "genes.csv"
    assert all(words in said for words in ("60 samples", "40 features", "5 kept", "label y", "method fisher"))
    targets = page.locator("#sections a").evaluate_all("all => all.map(a => a.getAttribute('href').slice(1))")
    assert targets == page.locator("main > .card[id]:not(.chosen)").evaluate_all("all => all.map(c => c.id)")
    page.get_by_role("link", name="Features", exact=True).click()
    assert page.evaluate("[document.activeElement.id, location.hash]") == ["features", "#features"]
    levels = page.locator("h1, h2, h3, h4, h5").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert (levels[0], levels.count(1), max(np.diff(levels))) == (1, 1, 1)
    order = es.FisherScore().fit(*two_groups).ranking_.argsort()
    assert column(page, "feature") == [f"gene {j}" for j in order[:25]]
    cells = page.locator("#feature-table tbody td:first-child")
    marks = cells.evaluate_all("all => all.map(cell => getComputedStyle(cell, '::before').content)")
    assert ["✓" in mark for mark in marks] == [True] * 5 + [False] * 20  # without colour, too


def test_sorting_searching_and_turning_pages(page):
    press(page, "feature")
    assert column(page, "feature")[:3] == ["gene 0", "gene 1", "gene 2"]  # numbers in names are numbers
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("feature")
    for rank in ("1", "40"):
        press(page, "score")
        assert column(page, "rank")[0] == rank
    assert page.evaluate("document.activeElement.textContent") == "score"  # the keyboard keeps its place
    search = page.get_by_label("Search features")
    search.fill("1 GENE")  # every word, in any order
    assert sorted(column(page, "feature")) == sorted(f"gene {j}" for j in range(40) if "1" in str(j))
    search.fill("nothing like it")
    assert "No feature" in page.locator("#feature-table tbody").inner_text()
    search.fill("")
    press(page, "score")
    press(page, "Next")
    assert column(page, "rank") == [str(rank) for rank in range(26, 41)]
    page.keyboard.press("Enter")  # the button keeps the focus and does nothing
    assert page.evaluate("document.activeElement.textContent") == "Next"
    assert column(page, "rank")[0] == "26"


def test_files_hold_the_rows_as_they_are_shown(page, two_groups):
    page.get_by_label("Search features").fill("gene 1")
    press(page, "feature")
    rows = downloaded(page)
    numbers = [j for j in range(40) if "1" in str(j)]
    assert [row["feature"] for row in rows] == [f"gene {j}" for j in numbers]
    fitted = es.FisherScore().fit(*two_groups)
    for key, values in (("score", fitted.scores_), ("native_score", fitted.native_scores_)):
        np.testing.assert_allclose([float(row[key]) for row in rows], values[numbers], rtol=1e-5)
    assert downloaded(page, "Table as csv") == rows


def test_addresses_open_the_page_at_a_feature(page):
    def open_at(hash_):
        page.goto(page.url.split("#")[0] + "#")
        page.goto(page.url.split("#")[0] + hash_)
        page.reload()

    page.get_by_role("button", name="gene 3", exact=True).scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    press(page, "gene 3")
    assert page.evaluate("[location.hash, scrollY]") == ["#feature=gene%203", before]
    press(page, "gene 3")
    assert page.evaluate("location.hash") == ""
    last = page.evaluate("names.at(-1)")
    open_at(f"#feature={quote(last)}")
    assert page.locator("#chosen h3").inner_text() == last
    assert page.locator("tr.shown .choose").inner_text() == last  # on the second page of the table
    page.evaluate("location.hash = '#feature=gene%202'")
    until(page, "document.querySelector('#chosen h3').textContent === 'gene 2'")
    for unknown in ("#feature=no%20such", "#feature=%E0%A4%A", "#nothing"):
        open_at(unknown)
        assert page.evaluate("chosen") is None, unknown
        assert page.locator("#chosen h3").inner_text() == column(page, "feature")[0]


@pytest.mark.parametrize("width", [1400, 390])
def test_the_whole_job_without_a_mouse(page, width):
    """Copy, search, sort, choose, read the card, save and unfold by Tab and Enter alone."""
    page.set_viewport_size({"width": width, "height": 900})
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    tab_to(page, "e.id === 'copy-names'")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('told').textContent === 'copied 5 names'")
    assert page.evaluate("navigator.clipboard.readText()").split("\n")[:-1] == column(page, "feature")[:5]
    tab_to(page, "e.type === 'search'")
    page.keyboard.type("3 gene")
    tab_to(page, "e.matches('.sort') && e.textContent === 'feature'")
    page.keyboard.press("Enter")
    assert column(page, "feature")[:2] == ["gene 3", "gene 13"]
    tab_to(page, "e.matches('.choose') && e.textContent === 'gene 13'")
    page.keyboard.press("Enter")
    assert page.locator("#chosen h3").inner_text() == "gene 13"
    tab_to(page, "e.id === 'chosen'")
    tab_to(page, "e.getAttribute('aria-label') === 'Download values of gene 13 as SVG'")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "genes-csv-values-gene-13.svg"
    tab_to(page, "e.matches('#paper > summary')")
    page.keyboard.press("Enter")
    tab_to(page, "e.dataset.copies === 'paper-methods'")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('paper-told').textContent.startsWith('copied')")


def test_light_and_dark(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    brightness = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ink, paper = page.evaluate(f"[getComputedStyle(document.body).color, {ground}]")
        brightness.append(sum(rgb(ink)) - sum(rgb(paper)))
    assert brightness[0] < -500 < 500 < brightness[1]
    before = page.evaluate(ground)
    page.get_by_label("Switch between light and dark").click()
    after = page.evaluate(ground)
    assert after != before
    page.reload()
    assert page.evaluate(ground) == after
    assert page.evaluate("Object.keys(localStorage)") == ["eigenselect.theme"]
    page.evaluate("localStorage.setItem('eigenselect.theme', '\"><b>')")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") is None


def test_a_chosen_feature_has_its_own_values_also_where_a_rule_keeps_others(open_page, two_groups):
    X, y = two_groups[0].copy(), two_groups[1]
    X[:, 39], X[59, 39] = np.arange(60) / 10, 30.0
    X[:, 30] = X[:, 0] + 0.1 * X[:, 30]
    order = es.FisherScore().fit(X, y).ranking_.argsort()
    rule = es.selection.TopK(3, must_keep=[order[20]], never=[order[0]])
    frame = pd.DataFrame(X, index=[f"patient {i}" for i in range(60)], columns=[f"x{j}" for j in range(40)])
    page = open_page(es.report(es.FisherScore(rule).fit(frame, y), frame, y).to_html())
    assert page.locator("tr.kept td:nth-child(1)").all_inner_texts() == ["2", "3", "21"]
    assert page.locator("#chosen h3").inner_text() == f"x{order[1]}"  # the first that is kept
    assert [row["kept"] for row in downloaded(page)].count("1") == 3
    for column_ in (*order[[0, 1, 20]], 39):
        page.get_by_label("Search features").fill(f"x{column_}")
        press(page, f"x{column_}")
        told = page.locator("#chosen svg title").first.text_content()
        assert float(told.split("median ")[1].split(",")[0]) == pytest.approx(np.median(X[:30, column_]), rel=1e-3)
    card = page.locator("#chosen").inner_text()
    away = (30 - np.median(X[:, 39])) / median_abs_deviation(X[:, 39], scale="normal")
    assert "patient 59 (right)" in card
    assert f"{away:.2g} robust" in card
    page.get_by_label("Search features").fill("")
    press(page, "x0")
    copies = dict(text.rsplit(maxsplit=1) for text in page.locator(".copies button").all_inner_texts())
    assert float(copies["x30"]) == pytest.approx(np.corrcoef(X[:, 0], X[:, 30])[0, 1], abs=0.006)
    page.locator(".copies button", has_text="x30").click()
    assert page.locator("#chosen h3").inner_text() == "x30"
    assert page.evaluate("document.activeElement.id") == "chosen"  # the button is gone, the keyboard is not lost


def test_choosing_colours_the_samples_and_explains_the_score(page, two_groups):
    X, y = two_groups
    marks = "points => points.map(p => p.style.fill)"
    by_class = page.locator("#samples-chart .sample").evaluate_all(marks)
    assert (len(by_class), len(set(by_class))) == (60, 2)
    press(page, "gene 3")
    by_value = page.locator("#samples-chart .sample").evaluate_all(marks)
    greens = np.array([rgb(colour)[1] for colour in by_value])
    assert (np.diff(greens[np.argsort(X[:, 3])]) >= 0).all()  # colours follow the values
    assert page.locator("#chosen-samples .sample").evaluate_all(marks) == by_value
    found = page.evaluate("DATA.views.explanations.features[chosen]")
    assert page.locator("#samples-chart svg:has(.sample) line.rough").count() == len(found["edges"]) > 0
    chart = page.locator("#chosen-card svg[aria-label='Shares of gene 3 by eigenvalue.'] rect")
    heights = np.array(chart.evaluate_all("all => all.map(r => +r.getAttribute('height'))"))
    np.testing.assert_allclose(heights / heights.sum(), found["shares"], atol=1e-4)
    terms = es.FisherScore(5).fit(X, y).explain(X, 3).classes
    rows = [row.split() for row in page.locator(".by-class tbody tr").all_inner_texts()]
    for row, mean, share in zip(rows, terms.means, terms.between, strict=True):
        assert [float(row[place]) for place in (2, 3)] == pytest.approx([mean, 100 * share], rel=1e-2)
    press(page, "gene 3")  # once more: back to classes, and the card stays
    assert page.locator("#samples-chart .sample").evaluate_all(marks) == by_class
    assert page.locator("#chosen h3").inner_text() == "gene 3"


@pytest.mark.parametrize("window", [(1400, "light"), (390, "dark")])
def test_hostile_names_are_text_everywhere(open_page, hostile_report, window):
    width, scheme = window
    page = open_page(hostile_report.to_html(), viewport={"width": width, "height": 800}, color_scheme=scheme)
    shown = texts(page, "button.choose")
    assert set(HOSTILE) <= set(shown)
    assert set(HOSTILE) <= set(texts(page, "#heat-map-chart text.pick title"))
    assert page.locator("h1").evaluate("h => h.textContent").startswith(HOSTILE[1])
    for name in HOSTILE:
        page.locator("button.choose").nth(shown.index(name)).click()
        assert page.locator("#chosen h3").evaluate("h => h.textContent") == name
        assert width_of(page) <= width
    assert page.locator("main script, main img").count() == 0
    assert {row["feature"] for row in downloaded(page)} >= set(HOSTILE)
    name, data = saved(page, "samples", "SVG")
    assert re.fullmatch(r"[\w-]+\.svg", name)
    tags = {element.tag for element in ElementTree.fromstring(data).iter()}
    assert tags.isdisjoint({f"{SVG}script", f"{SVG}img", f"{SVG}foreignObject"})
    page.reload()  # at the address of the last name
    assert page.locator("#chosen h3").evaluate("h => h.textContent") == HOSTILE[-1]


def test_without_a_script_all_sentences_and_kept_rows_are_there(open_page, hostile_report):
    page = open_page(hostile_report.to_html(), **NO_SCRIPT)
    summary = hostile_report.summary
    names = [row["feature"] for row in summary["features"]]
    assert page.locator("#answer h2").inner_text() == summary["answer"]["headline"]
    assert texts(page, "#answer dd") == [said["sentence"] for said in summary["answer"]["sentences"]]
    links = page.locator("#answer .names a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert texts(page, "#answer .names a") == [unquote(link.removeprefix("#feature=")) for link in links] == names
    assert [text.rstrip("\n") for text in texts(page, "#features table td:nth-child(2)")] == names
    assert set(HOSTILE) <= set(texts(page, "#heat-map li"))
    page.locator("#paper > summary").click()
    assert page.locator("#paper-methods").inner_text() == summary["paper"]["methods"]
    assert page.locator("main script, main img").count() == 0
    assert page.locator("select:visible, #copy-names:visible, .copier:visible").count() == 0


def test_figures_as_files(page):
    for scheme, colours, ground in (("light", palette.LIGHT, "#ffffff"), ("dark", palette.DARK, "#1d2125")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(100)
        name, data = saved(page, "samples", "SVG")
        picture, text = ElementTree.fromstring(data), data.decode()
        assert name == "genes-csv-samples.svg"
        assert not re.search(r"var\(|light-dark|color-mix|\bclass=|\sstyle=", text)
        assert {"left", "right"} < {"".join(words.itertext()) for words in picture.iter(f"{SVG}text")}
        fills = [mark.get("fill") for mark in picture.iter() if mark.tag in (f"{SVG}circle", f"{SVG}path")]
        assert [fills.count(colour) for colour in colours[:2]] == [31, 31]  # the samples, and the key
        assert picture.find(f"{SVG}rect").get("fill") == ground
    name, data = saved(page, "samples", "PNG")
    assert (name, data[:8]) == ("genes-csv-samples.png", b"\x89PNG\r\n\x1a\n")
    size = [3 * int(picture.get(side)) for side in ("width", "height")]
    assert list(struct.unpack(">II", data[16:24])) == size


def test_paper(open_page, two_groups):
    """All kept rows are printed, in light colours, nothing waits to be pressed, and the screen comes back."""
    X, y = two_groups
    made = es.report(es.FisherScore(30).fit(X, y), X, y, title="genes.csv")
    page = open_page(made.to_html(), color_scheme="dark")
    press(page, "Next")
    page.locator("#paper > summary").click()
    page.emulate_media(media="print")
    until(page, "onPaper.now")
    assert column(page, "feature") == [row["feature"] for row in made.summary["features"]]
    look = "all => all.filter(e => e.checkVisibility()).map(e => getComputedStyle(e).position)"
    assert "sticky" not in page.locator("body *").evaluate_all(look)
    assert page.locator("#sections:visible, .export:visible, .copier:visible, [type=search]:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".kept td").first.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"
    widths = page.locator("main svg").evaluate_all("all => all.map(s => Number(s.getAttribute('width')))")
    assert max(widths) <= 680
    page.emulate_media(media="screen")
    until(page, "!onPaper.now")
    assert column(page, "rank")[0] == "26"


@pytest.mark.parametrize("allowed", [True, False])
def test_what_a_paper_needs_is_copied(open_page, two_groups, allowed):
    made = genes(*two_groups)
    page = open_page(made.to_html(), **CLIPBOARD)
    if not allowed:
        page.evaluate(REFUSED)
    page.locator("#paper > summary").click()
    facts = made.summary["paper"]
    expected = {
        "the methods paragraph": facts["methods"],
        "the references": "\n".join(one["text"] for one in facts["references"]),
        "BibTeX": "\n\n".join(one["bibtex"] for one in facts["references"]),
        "the command": facts["command"],
    }
    for what, text in expected.items():
        page.locator("#paper").get_by_role("button", name=f"Copy {what}").click()
        page.locator("#paper-told").get_by_text(f"copied {what}").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == text
    terms = dict(zip(texts(page, "#paper dt"), texts(page, "#paper dd"), strict=True))
    assert (terms["SHA-256"], terms["date"]) == (facts["data_hash"], facts["date"])


def test_comparison_has_every_number_without_a_script(open_page, comparison):
    page = open_page(comparison.to_html(), **NO_SCRIPT)
    summary, methods = comparison.summary, comparison.summary["methods"]
    assert page.locator("#answer h2").inner_text() == summary["answer"]["headline"]
    assert texts(page, "#answer dd") == [part["sentence"] for part in summary["answer"]["sentences"]]
    assert page.locator("#alerts li").count() == len(summary["alerts"])
    for row, (name, facts) in enumerate(methods.items()):
        line = page.locator("#methods tbody tr").nth(row)
        assert line.locator("th").inner_text() == name
        for place, size in enumerate(("2", "5", "10")):
            cell = line.locator("td").nth(place)
            numbers = [float(number) for number in re.findall(r"\d\.\d+", cell.inner_text())]
            keys = ("accuracy", "accuracy_deviation", "accuracy_permuted")
            assert numbers == pytest.approx([facts[key][size] for key in keys], abs=5e-4)
            lines = cell.locator(".value").evaluate("v => getComputedStyle(v).textDecorationLine")
            assert (lines == "underline") == (name in summary["near_best"][size])
            assert ("★" in cell.inner_text()) == (summary["best"][size] == name)
    view = summary["consensus"]
    assert texts(page, "#consensus-matrix tbody th") == view["feature"]
    for row, line in enumerate(page.locator("#consensus-matrix tbody tr").all()):
        ranks = [view["ranks"][name][row] for name in methods]
        assert line.locator("td").all_inner_texts()[1:] == ["" if rank is None else str(rank) for rank in ranks]
    names = list(methods)
    for row, line in enumerate(page.locator("#alike-matrix tbody tr").all()):
        cells, facts = line.locator("td").all_inner_texts(), methods[names[row]]
        for place, name in enumerate(names):
            keys = ("shared", "shared_permuted") if place > row else ("agreement", "agreement_permuted")
            shown = [f"{100 * facts[key][name]:.0f} %" if place > row else f"{facts[key][name]:.2f}" for key in keys
                     if name in facts[key]]  # fmt: skip
            assert cells[place].split("\n") == (shown or [""])


def test_comparison_curves_table_and_file(open_page, comparison):
    page = open_page(comparison.to_html())
    chart, methods = "#accuracy-chart", comparison.summary["methods"]
    lines = page.locator(f"{chart} .grid-line").evaluate_all("all => all.map(l => +l.getAttribute('y1'))")
    zero, one = max(lines), min(lines)
    ends = "all => all.map(l => [+l.getAttribute('y1'), +l.getAttribute('y2')])"
    drawn = (zero - np.array(page.locator(f"{chart} .deviation").evaluate_all(ends))) / (zero - one)
    facts = [(row["accuracy"][size], row["accuracy_deviation"][size]) for row in methods.values()
             for size in ("2", "5", "10")]  # fmt: skip
    np.testing.assert_allclose(drawn, [(max(0, m - s), min(1, m + s)) for m, s in facts], atol=1e-4)
    path = page.locator(f"{chart} .null-band").get_attribute("d")
    heights = [float(part.split()[1].rstrip("Z")) for part in path.replace("M", "L").split("L")[1:]]
    ranges = np.array(list(comparison.summary["permuted_range"].values()))
    np.testing.assert_allclose((zero - np.array(heights)) / (zero - one), [*ranges[:, 1], *ranges[::-1, 0]], atol=2e-3)
    page.get_by_role("button", name="relieff").click()
    assert column(page, "relieff")[:3] == ["1", "2", "3"]
    assert [int(row["relieff"]) for row in downloaded(page, "Table as csv")] == list(range(1, 41))


def in_notebook(open_page, made, style="", **settings):
    """Show what a notebook shows of a report."""
    start = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>notebook</title><link rel=icon href='data:,'>"
    main = f"<style>{style}</style><main><h1>A notebook</h1>{made._repr_html_()}</main>"
    page = open_page(start + main, **settings)
    return page, page.locator(".eigenselect-view")


def test_notebook(open_page, hostile_report, comparison):
    style = "body { --jp-ui-font-color0: rgb(250, 250, 240); background: #111 }"
    page, view = in_notebook(open_page, hostile_report, style, viewport={"width": 390, "height": 900})
    told = view.inner_text()
    assert all(part["sentence"] in told for part in hostile_report.summary["answer"]["sentences"])
    assert HOSTILE[0] in told
    assert page.locator("script, img, iframe, [id]").count() == 0
    assert width_of(page) <= 390
    for part in (view, view.locator("td").first, view.locator("a")):
        assert part.evaluate("element => getComputedStyle(element).color") == "rgb(250, 250, 240)"
    with page.expect_download() as waiting:
        view.get_by_role("link", name="Save the whole page").click()
    assert Path(waiting.value.path()).read_text(encoding="utf-8") == hostile_report.to_html()
    _, view = in_notebook(open_page, comparison)
    assert all(part["sentence"] in view.inner_text() for part in comparison.summary["answer"]["sentences"])


def look_at(page, width, scheme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(150)  # charts are painted again
    return page


def measured(page, width):
    """Assert that words fit, can be read, and that controls can be hit."""
    seen = page.evaluate(MEASURE)
    assert {"answer", "alerts", "features"} <= set(seen["cards"])
    assert seen["wide"] <= width
    assert [seen[what] for what in ("sticking", "outside", "overlapping")] == [[], [], []]
    assert [told for told, wide, high in seen["pressed"] if min(wide, high) < 24] == []
    assert len(seen["inks"]) > 4
    assert [(told, pair) for pair, told in seen["inks"] if contrast(*pair) < 4.5] == []
    return seen


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    page.wait_for_timeout(150)


@pytest.mark.parametrize(
    "kind",
    [
        classes,
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in (hostile, nothing, maps, unscaled, fused)),
    ],
)
def test_words_of_every_card_fit_and_can_be_read(open_page, two_groups, kind):
    assert contrast([0, 0, 0, 1], [255, 255, 255, 1]) == pytest.approx(21)
    page = open_page(kind(*two_groups).to_html())
    unfold(page)
    page.locator("button.choose").nth(1).click()
    for width, scheme in WINDOWS[::3] if kind is classes else WINDOWS:
        seen = measured(look_at(page, width, scheme), width)
        assert seen["n_pictures"] > 6


@pytest.mark.slow
@pytest.mark.parametrize("kind", [compared, hostile_comparison])
def test_words_of_a_comparison_fit(open_page, two_groups, kind):
    made = kind(*two_groups)
    page = open_page(made.to_html())
    unfold(page)
    for width, scheme in WINDOWS:
        seen = look_at(page, width, scheme).evaluate(MEASURE)
        assert seen["wide"] <= width
        assert [seen[what] for what in ("outside", "overlapping")] == [[], []]
        assert [(told, pair) for pair, told in seen["inks"] if contrast(*pair) < 4.5] == []
    assert page.locator("main script, main img").count() == 0
    assert page.locator("main i:not([class]):not(.ramp i)").count() == 0
    shown = texts(page, "#methods tbody th")
    assert all(name.startswith(head.rstrip("…")) for name, head in zip(made.summary["methods"], shown, strict=True))
    assert page.locator("#alike-pairs").is_visible()  # a list in place of the matrix on a phone
    assert not page.locator("#alike-matrix").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [genes, unsupervised, fused, compared, classes, nothing, maps, hostile])
def test_axe_finds_nothing(open_page, two_groups, kind):
    """axe-core, the usual judge of accessibility, on the page and on what a notebook shows."""
    pytest.importorskip("axe_playwright_python", reason="AXE DID NOT RUN: pip install axe-playwright-python")
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    made = kind(*two_groups)
    style = "body { color: light-dark(#222, #eee); background: light-dark(#fff, #111); color-scheme: light dark }"
    for page in (open_page(made.to_html()), in_notebook(open_page, made, style)[0]):
        unfold(page)
        page.evaluate(axe)
        for width, scheme in WINDOWS if kind is genes else WINDOWS[::3]:
            look_at(page, width, scheme)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations)")
            assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found] == [], (width, scheme)


def test_heat_maps_and_dots_show_naive_numbers(open_page, two_groups):
    X, y = two_groups[0].copy(), np.repeat(["one", "two", "three"], [20, 25, 15])
    X[:, 30] = 2 * X[:, 0]
    X[:, 7] = 3.0
    rule = es.selection.TopK(5, must_keep=[0, 7, 30])
    with pytest.warns(es.exceptions.UndefinedScoreWarning):
        made = es.report(es.FisherScore(rule).fit(X, y), X, y)
    page = open_page(made.to_html())
    view, copies = made.summary["views"]["heat_map"], made.summary["views"]["redundancy"]
    columns = [int(name[1:]) for name in view["features"]]
    drawn = np.array(page.locator("#heat-map-chart svg").evaluate(CELLS), dtype=float)
    assert np.isnan(drawn[-1]).all()  # the constant one
    z = np.clip(zscore(X[:, columns[:-1]])[view["number"]].T, -2.5, 2.5)
    np.testing.assert_allclose(drawn[:-1] / 10, z, atol=0.0501)
    widths = page.locator("#heat-map-chart rect.group-bar").evaluate_all(
        "all => all.map(r => +r.getAttribute('width') + 1)"
    )
    np.testing.assert_allclose(np.array(widths) / sum(widths), np.array([20, 15, 25]) / 60, rtol=1e-6)
    drawn = np.array(page.locator("#redundancy-chart svg").evaluate(CELLS), dtype=float)
    correlation = np.corrcoef(X[:, columns[:-1]].T)
    np.testing.assert_allclose(drawn[:-1, :-1] / 25, correlation, atol=0.0201)
    assert page.locator("#redundancy-chart rect.block").count() == len(copies["groups"]) == 1
    listed = re.sub(r"\s+", " ", page.locator(".copy-groups li").inner_text())
    assert all(name in listed for name in ("x0", "x30"))
    means = pd.DataFrame(zscore(X[:, columns[:-1]])).groupby(y).mean()
    shares = pd.DataFrame(X[:, columns[:-1]] > np.median(X[:, columns[:-1]], axis=0)).groupby(y).mean()
    told = [
        re.match(r"x(\d+), (\w+): mean z (\S+), (\S+) %", title) for title in texts(page, "#dots-chart circle title")
    ]
    dots = [(columns.index(int(part[1])), part[2], part[3], part[4]) for part in told if part and part[1] != "7"]
    assert len(dots) == 3 * len(means.columns)
    for place, group, mean, share in dots:
        assert [float(mean), float(share) / 100] == pytest.approx(
            [means.loc[group, place], shares.loc[group, place]], abs=6e-3
        )
    page.locator("#heat-map-chart text.pick").nth(3).click()
    assert page.evaluate("names[chosen]") == view["features"][3]
    shown = page.evaluate("[...SIGNED.light, NO_COLOUR.light]")
    assert ["#" + "".join(f"{part:02x}" for part in colour) for colour in shown] == [*DIVERGING, NO_COLOUR]


def test_scores_their_band_and_p_values_stand_where_the_numbers_are(open_page, two_groups):
    selector = es.FisherScore(5, significance=True).fit(*two_groups)
    made = es.report(selector, *two_groups)
    page = open_page(made.to_html())
    points = "path => path.getAttribute('d')"
    band = made.summary["evaluation"]["band"]
    curves = [page.locator(f"#score-chart {path}").first.evaluate(points) for path in ("path.series", "path.null-band")]
    curve, area = (
        np.array([pair.rstrip("Z").split() for pair in re.split("[ML]", path)[1:]], float) for path in curves
    )
    slope, start = np.polyfit(made.summary["all_features"]["score"], curve[:, 1], 1)
    np.testing.assert_allclose(area[:, 1], start + slope * np.array([*band["high"], *band["low"][::-1]]), atol=0.15)
    assert page.locator("#score-chart .mark-text").all_text_contents() == ["kept 5"]
    counts = np.histogram(selector.pvalues_, bins=20, range=(0, 1))[0]
    bars = page.locator("#pvalue-chart svg rect:not(.band) title").all_text_contents()
    assert [int(text.split()[0]) for text in bars] == counts[counts > 0].tolist()
    for name in ("quantile", "mean"):
        assert page.locator(f"#{name}-chart circle").count() == 40
        assert page.locator(f"#{name}-chart circle.found").count() == (selector.qvalues_ <= 0.05).sum()
    order = selector.ranking_.argsort()
    for name, values in (("p", selector.pvalues_), ("q", selector.qvalues_)):
        np.testing.assert_allclose([float(text) for text in column(page, name)], values[order[:25]], rtol=5.1e-3)
    lengths = "all => all.map(bar => bar.firstChild.offsetWidth / bar.offsetWidth)"
    shares = page.locator("#feature-table tbody tr .bar").evaluate_all(lengths)
    np.testing.assert_allclose(shares, (selector.scores_ / selector.scores_.max())[order[:25]], atol=0.02)


@pytest.mark.slow
def test_scores_of_many_sizes_and_signs(open_page, two_groups):
    made = genes(*two_groups, evaluation=False)
    ends = "all => all.map(bar => bar.firstChild.getBoundingClientRect()).map(box => [box.left, box.right])"

    def bars(scores):
        made.summary["all_features"]["score"] = [*scores, *[scores[-1]] * (40 - len(scores))]
        page = open_page(made.to_html(), viewport={"width": 1400, "height": 900})
        return page, np.array(page.locator("#feature-table tbody tr .bar").evaluate_all(ends))

    _, found = bars([4.0, 2.0, 1e-9, -1.0, -2.0])
    np.testing.assert_allclose([*found[:2, 0], *found[3:5, 1]], found[0, 0], atol=0.5)  # both signs meet at zero
    widths = np.diff(found)[:, 0]
    np.testing.assert_allclose(widths[[1, 3, 4]] / widths[0], [0.5, 0.25, 0.5], atol=0.02)
    page, found = bars([*10.0 ** np.arange(6, -6, -1), -1.0])
    assert (np.diff(np.diff(found)[:6, 0]) < -5).all()  # in proportion, all but the first would be nothing
    assert "score (symmetric logarithm)" in page.locator("#score-chart text").all_text_contents()
    placed = page.evaluate("[-100, -10, 0, 10, 26].map(scoreScale.place)")
    assert placed == sorted(placed)
    again = page.evaluate("[-310, -1, 0, 5].map((v) => scoreScale.value(scoreScale.place(v)))")
    np.testing.assert_allclose(again, [-310, -1, 0, 5], atol=1e-9)


def test_slides_and_maps_are_drawn_to_scale(open_page, two_groups):
    anndata = pytest.importorskip("anndata")
    X, y = two_groups
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(X, obs=pd.DataFrame(index=[f"cell {i}" for i in range(60)]))
    adata.obsm["spatial"] = rng.uniform([100, 0], [1100, 400], size=(60, 2))
    adata.obsm["X_umap"] = rng.normal(size=(60, 2))
    near = kneighbors_graph(adata.obsm["spatial"], 5)
    selector = es.SPEC(5).fit(adata, similarity_matrix=((near + near.T) > 0).astype(float))
    page = open_page(es.report(selector, adata, y, evaluation=False).to_html())
    assert page.locator("#picture").input_value() == "spatial"
    true, marks = adata.obsm["spatial"][page.evaluate("samples.number")], page.locator("#samples-chart .sample")
    shown = np.array(marks.evaluate_all(PLACES))
    lines = [np.polyfit(true[:, axis], shown[:, axis], 1) for axis in (0, 1)]
    assert lines[0][0] == pytest.approx(lines[1][0], rel=0.01)  # a larger place is further right, and further down
    assert lines[0][0] > 0
    for axis in (0, 1):
        np.testing.assert_allclose(np.polyval(lines[axis], true[:, axis]), shown[:, axis], atol=0.5)
    page.locator("#picture").focus()
    page.keyboard.press("ArrowDown")
    assert not np.allclose(marks.evaluate_all(PLACES), shown)
    tags = marks.evaluate_all("marks => marks.map(mark => mark.tagName)")
    assert [{"circle": "left", "path": "right"}[tag] for tag in tags] == y.tolist()  # shapes tell groups, too
    looks = page.evaluate("Array.from({length: 100}, (_, i) => [groupColour(i), groupShape(i)])")
    colours = [f"var(--group-{place % len(palette.LIGHT)})" for place in range(100)]
    assert looks == [[colour, palette.group_shape(place)] for place, colour in enumerate(colours)]


@pytest.mark.slow
def test_a_phone_shows_the_card_under_its_row(open_page, genes_html):
    page = open_page(genes_html, viewport={"width": 390, "height": 800})
    press(page, "gene 3")
    place = page.evaluate("chosen")
    assert page.locator("#feature-table tbody tr").nth(place + 1).locator("#chosen h3").inner_text() == "gene 3"
    row = page.locator("button.choose").nth(9)
    row.scroll_into_view_if_needed()
    before = row.bounding_box()["y"]
    row.click()
    assert row.bounding_box()["y"] == pytest.approx(before, abs=2)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator("main > .chosen-column > #chosen").wait_for()
    page.evaluate("scrollTo(0, 0)")
    table, card = (page.locator(f"#{name}").bounding_box() for name in ("features", "chosen"))
    assert card["x"] > table["x"] + table["width"]


@pytest.mark.slow
def test_in_a_frame_of_another_page_nothing_leaves_the_page(open_page, genes_html):
    """As notebooks show pages: a sandboxed frame without an address of its own."""
    frame = f'<iframe sandbox="allow-scripts" width=1200 height=800 srcdoc="{escape(genes_html)}"></iframe>'
    page = open_page(f"<!DOCTYPE html><link rel=icon href='data:,'><body>{frame}</body>")
    address, inside = page.url, page.frame_locator("iframe")
    inside.get_by_role("link", name="Features", exact=True).click()
    inside.locator("button.choose").nth(3).click()
    inside.get_by_label("Switch between light and dark").click()
    assert inside.locator("tr.shown").count() == 1
    assert inside.locator("html").get_attribute("data-theme") == "dark"
    assert page.url == address


@pytest.mark.slow
def test_many_features_open_and_sort(open_page, record_property):
    """20 000 features: under 2 MB; times are reported, not asserted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 20_000)), np.repeat([0, 1], 50)
    names = [f"ENSG{j:011d}" for j in range(X.shape[1])]
    html = es.report(es.FisherScore(700).fit(X, y), X, y, feature_names=names).to_html()
    assert len(html.encode()) < 2e6
    page = open_page(html)
    opened = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    page.get_by_label("Search features").fill("ENSG00000000042")
    assert column(page, "feature") == ["ENSG00000000042"]
    linked, rest = texts(page, "#answer .names a"), texts(page, "#answer .text-names")
    assert len(linked + "".join(rest).split(", ")) == 700
    record_property("measured", f"a page of 20 000 features opens in {opened:.0f} ms")
