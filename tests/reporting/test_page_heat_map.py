"""The heat map of a page in a browser: its cells, keys, names and bar, wide and narrow, light and dark."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import zscore
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.reporting.plotting.heat_plots import DIVERGING, NO_COLOUR

CHART = "#heat-map-chart svg"
#: where every cell of a painted table is, from the paths of its colours: rows of levels, null for no value
CELLS = """svg => { const rows = [];
  for (const path of svg.querySelectorAll('.cells path'))
    for (const [, x, y, w] of path.getAttribute('d').matchAll(/M(\\d+) (\\d+)h(\\d+)v1h-\\d+z/g))
      for (let j = +x; j < +x + +w; j++) (rows[y] ??= [])[j] = JSON.parse(path.dataset.level);
  return rows; }"""


@pytest.fixture(scope="module")
def three_groups():
    rng = np.random.default_rng(0)
    y = np.repeat(["one", "two", "three"], [20, 25, 15])
    X = rng.normal(size=(60, 40))
    X[:20, :6] += 3
    return X, y


@pytest.fixture(scope="module")
def html(three_groups):
    X, y = three_groups
    names = [f"gene {j}" for j in range(40)]
    return es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names).to_html()


def names_of(page, chart=CHART):
    return page.locator(f"{chart} text.pick title").evaluate_all("all => all.map(t => t.textContent)")


def colours_of(page, script):
    return [tuple(map(int, re.findall(r"\d+", colour)[:3])) for colour in page.evaluate(script)]


def luminance(colour):
    shares = [c / 255 for c in colour]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(first, second):
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


class TestCells:
    def test_they_are_naive_z_scores(self, open_page, html, three_groups):
        X, y = three_groups
        page = open_page(html)
        columns = [int(name.split()[1]) for name in names_of(page)]
        assert len(columns) == 30
        view = page.evaluate("DATA.views.heat_map")
        assert [f"gene {j}" for j in columns] == view["features"]
        z = np.clip(zscore(X)[np.ix_(view["number"], columns)].T, -2.5, 2.5)
        drawn = np.array(page.locator(CHART).evaluate(CELLS))
        np.testing.assert_allclose(drawn / 10, z, atol=0.0501)
        assert [y[row] for row in view["number"]] == ["one"] * 20 + ["three"] * 15 + ["two"] * 25

    def test_constant_features_are_grey_and_said_so(self, open_page, three_groups):
        X, y = three_groups[0][:, :4].copy(), three_groups[1]
        X[:, 1] = 7.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            fitted = es.FisherScore(es.selection.TopK(2, must_keep=[1])).fit(X, y)
        page = open_page(es.report(fitted, X, y).to_html())
        assert page.locator(CHART).evaluate(CELLS)[-1] == [None] * 60
        assert "constant" in page.locator(CHART).text_content()

    def test_the_pointer_reads_a_cell(self, open_page, html, three_groups):
        page = open_page(html)
        page.locator(CHART).scroll_into_view_if_needed()
        box = page.locator(f"{CHART} .cells").bounding_box()
        page.mouse.move(box["x"] + 2, box["y"] + 2)
        view = page.evaluate("DATA.views.heat_map")
        z = zscore(three_groups[0])[view["number"][0], int(view["features"][0].split()[1])]
        told = page.locator(f"{CHART} .readout").text_content()
        assert told.endswith(f": {view['features'][0]}, sample {view['number'][0] + 1}, one")
        assert float(told.split(":")[0].strip("z ≤≥")) == pytest.approx(np.clip(z, -2.5, 2.5), abs=0.0501)
        page.mouse.move(0, 0)
        assert page.locator(f"{CHART} .readout").text_content() == ""


class TestNames:
    def test_they_are_whole_and_beside_their_rows(self, open_page, html):
        page = open_page(html)
        texts = page.locator(f"{CHART} text.pick").evaluate_all("all => all.map(t => t.firstChild.textContent)")
        assert texts == names_of(page)
        tops = page.locator(f"{CHART} text.pick").evaluate_all("all => all.map(t => t.getBoundingClientRect().top)")
        assert (np.diff(tops) > 12).all()
        card = page.locator("#heat-map").bounding_box()["x"]
        lefts = page.locator(f"{CHART} text.pick").evaluate_all("all => all.map(t => t.getBoundingClientRect().left)")
        assert min(lefts) > card

    def test_a_click_on_one_chooses_the_feature(self, open_page, html):
        page = open_page(html)
        name = names_of(page)[3]
        page.locator(f"{CHART} text.pick").nth(3).click()
        place = page.evaluate("DATA.views.heat_map.place[3]")
        assert page.evaluate("chosen") == place
        assert page.evaluate("names[chosen]") == name

    def test_the_kept_are_marked(self, open_page, html):
        page = open_page(html)
        marks = page.locator(f"{CHART} > .kept-dot").evaluate_all("all => all.map(c => !c.classList.contains('open'))")
        kept = set(page.evaluate("DATA.all_features.selected"))
        assert marks == [place in kept for place in page.evaluate("DATA.views.heat_map.place")]
        assert sum(marks) == 5

    def test_they_are_listed_in_words_without_a_script(self, open_page, html):
        page = open_page(html, java_script_enabled=False)
        listed = page.locator("#heat-map li").evaluate_all("all => all.map(l => l.textContent)")
        assert len(set(listed)) == len(listed) == 30
        assert "also of noise" in page.locator("#heat-map").inner_text()

    def test_few_samples_are_named(self, open_page, three_groups):
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame(three_groups[0][::4, :5], index=[f"patient {i}" for i in range(15)])
        X.columns = [f"gene {j}" for j in range(5)]
        y = three_groups[1][::4]
        page = open_page(es.report(es.FisherScore(3).fit(X, y), X, y).to_html())
        titles = page.locator(f"{CHART} text title").evaluate_all("all => all.map(t => t.textContent)")
        assert set(X.index) <= set(titles)


class TestGroups:
    def test_the_bar_has_runs_of_every_group_under_its_name(self, open_page, html):
        page = open_page(html)
        bars = page.locator(f"{CHART} rect.group-bar")
        assert bars.locator("title").evaluate_all("all => all.map(t => t.textContent)") == ["one", "three", "two"]
        widths = np.array(bars.evaluate_all("all => all.map(r => +r.getAttribute('width') + 1)"))
        np.testing.assert_allclose(widths / widths.sum(), np.array([20, 15, 25]) / 60, rtol=1e-6)
        for name in ("one", "two", "three"):
            assert page.locator(f"{CHART} text", has_text=re.compile(f"^{name}")).count() == 1

    def test_names_that_do_not_fit_stand_in_the_key(self, open_page, html):
        long = html.replace('"one"', '"one with a name that is much longer than its bar is wide"')
        page = open_page(long, viewport={"width": 800, "height": 800})
        words = page.locator(f"{CHART} > g").first.text_content()
        assert "one with a name that is much longer than its bar is wide" in words
        assert "three" in words


class TestColours:
    """Every colour of a cell is told from the number on it, and one side from the other."""

    INKS = """([signed]) => {
      const values = Array.from({ length: 201 }, (_, i) => (signed ? (i - 100) / 100 : i / 200));
      const box = document.body.appendChild(document.createElement('div'));
      const found = values.map(v => {
        const svg = box.appendChild(draw('svg', {}, ...heatCell(v, 0, 0, 50, '', signed, x => x.toFixed(2))));
        return [svg.querySelector('rect'), svg.querySelector('text')].map(e => getComputedStyle(e).fill); });
      box.remove(); return found.flat(); }"""

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("signed", [True, False])
    def test_numbers_on_cells_can_be_read(self, open_page, html, scheme, signed):
        page = open_page(html, color_scheme=scheme)
        found = page.evaluate(self.INKS, [signed])
        colours = [tuple(map(int, re.findall(r"\d+", colour)[:3])) for colour in found]
        ratios = [contrast(ground, ink) for ground, ink in zip(colours[::2], colours[1::2], strict=True)]
        assert len(ratios) == 201
        assert min(ratios) >= 4.5

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_values_further_from_zero_are_further_from_the_ground(self, open_page, html, scheme):
        page = open_page(html, color_scheme=scheme)
        values = np.linspace(-1, 1, 41).tolist()
        found = page.evaluate("([vs, s]) => vs.map(v => heatColour(v, true)[s])", [values, scheme])
        steps = np.diff([luminance(colour) for colour in found])
        rising = steps if scheme == "light" else -steps
        assert (rising[:20] > 0).all()
        assert (rising[20:] < 0).all()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_key_has_the_colours_of_the_cells(self, open_page, html, scheme):
        page = open_page(html, color_scheme=scheme)
        key = page.locator(f"{CHART} .colour-key")
        assert key.count() == 1
        assert re.findall(r"[≤≥]? ?-?[\d.]+|mean", key.text_content().removeprefix("z-score")) == [
            "≤ -2.5",
            "mean",
            "≥ 2.5",
        ]
        read = "all => all.map(r => getComputedStyle(r).fill)"
        strip = key.locator("rect").evaluate_all(read)
        cells = page.locator(f"{CHART} .cells path").evaluate_all(
            "all => all.map(p => [p.dataset.level, getComputedStyle(p).fill])"
        )
        as_rgb = lambda colour: np.array(list(map(int, re.findall(r"\d+", colour)[:3])))  # noqa: E731
        for level, colour in cells:
            at = min(39, max(0, round((int(level) + 25) / 50 * 40 - 0.5)))
            assert np.abs(as_rgb(strip[at]) - as_rgb(colour)).max() <= 16

    def test_the_button_changes_the_cells_at_once(self, open_page, html):
        page = open_page(html, color_scheme="light")
        read = "getComputedStyle(document.querySelector('#heat-map-chart .cells path')).fill"
        before = page.evaluate(read)
        page.locator("#theme").click()
        assert page.evaluate(read) != before

    def test_they_are_those_of_the_plots(self, open_page, html):
        page = open_page(html)
        shown = page.evaluate("[...SIGNED.light, NO_COLOUR.light]")
        assert ["#" + "".join(f"{c:02x}" for c in colour) for colour in shown] == [*DIVERGING, NO_COLOUR]


class TestWindows:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_a_phone(self, open_page, html, scheme):
        page = open_page(html, viewport={"width": 390, "height": 800}, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator(f"{CHART} text.pick").count() == 30
        assert np.array(page.locator(CHART).evaluate(CELLS)).shape == (30, 60)

    def test_more_samples_than_pixels_are_thinned_in_every_group(self, open_page):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(300, 4)), np.repeat(["rare", "usual"], [3, 297])
        page = open_page(es.report(es.FisherScore(2).fit(X, y), X, y).to_html(), viewport={"width": 260, "height": 800})
        drawn = np.array(page.locator(CHART).evaluate(CELLS))
        assert 60 < drawn.shape[1] < 200
        assert page.locator(f"{CHART} rect.group-bar").count() == 2
        view = page.evaluate("DATA.views.heat_map")
        z = zscore(X)[view["number"][0], [int(name[1:]) for name in view["features"]]]
        np.testing.assert_allclose(drawn[:, 0] / 10, np.clip(z, -2.5, 2.5), atol=0.0501)

    def test_it_is_printed(self, open_page, html, tmp_path):
        page = open_page(html)
        page.pdf(path=tmp_path / "page.pdf")
        assert (tmp_path / "page.pdf").stat().st_size > 20_000
        page.emulate_media(media="print")
        assert page.locator(CHART).is_visible()


def test_hostile_names_are_text(open_page, hostile_report):
    page = open_page(hostile_report.to_html())
    assert set(HOSTILE) <= set(names_of(page))
    assert page.locator("#heat-map :is(script, img, b)").count() == 0
    assert set(HOSTILE) <= set(page.locator("#heat-map li").evaluate_all("all => all.map(l => l.textContent)"))
    card = page.locator("#heat-map").bounding_box()
    rights = page.locator(f"{CHART} text").evaluate_all("all => all.map(t => t.getBoundingClientRect().right)")
    assert max(rights) <= card["x"] + card["width"]
