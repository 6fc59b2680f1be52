"""The page of several methods in Chromium: answer and tables without a script, names whole, numbers readable."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from tests.colour_vision import contrast
from tests.reporting.conftest import HOSTILE

import eigenselect as es
from eigenselect.reporting import compare

LONG = "a method with a very long name of many words indeed"
WINDOWS = [(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")]

#: colours of the text and of the ground of elements, as hexadecimal numbers; what is see-through is mixed with the card
COLOURS = """all => { const canvas = document.createElement('canvas'); canvas.width = canvas.height = 1;
  const ink = canvas.getContext('2d', {willReadFrequently: true});
  const seen = colours => { ink.clearRect(0, 0, 1, 1);
    for (const colour of colours) { ink.fillStyle = colour; ink.fillRect(0, 0, 1, 1); }
    const parts = [...ink.getImageData(0, 0, 1, 1).data].slice(0, 3);
    return '#' + parts.map(part => part.toString(16).padStart(2, '0')).join(''); };
  return all.map(node => { const grounds = [];
    for (let at = node; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
    return [seen(grounds), seen([...grounds, getComputedStyle(node).color])]; }); }"""

#: texts of a picture that reach out of it, or over another one
OUTSIDE = """svg => { const box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  return texts.filter(([, at]) => at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1
    || at.bottom > box.bottom + 1).map(([words]) => words); }"""
OVERLAPS = """svg => { const at = [...svg.querySelectorAll('.end-label')].map(t => t.getBoundingClientRect());
  return at.flatMap((a, i) => at.slice(i + 1).filter(b => a.left < b.right && b.left < a.right
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)).length; }"""


@pytest.fixture(scope="module")
def made(two_groups):
    X, y = two_groups
    selectors = {"fisher": es.FisherScore(), LONG: es.LaplacianScore(), "relieff": es.ReliefF()}
    return compare(selectors, X, y, n_features=5, sizes=[2, 5, 10], title="two groups")


@pytest.fixture(scope="module")
def many(two_groups):
    """Twelve methods, and features with long names."""
    X, y = two_groups
    kinds = [es.FisherScore, es.LaplacianScore, es.ReliefF, es.HSICScore]
    names = [LONG, *(f"method_number_{i}" for i in range(11))]
    features = [f"a long name of a feature, with words and the number {j}" for j in range(X.shape[1])]
    selectors = {name: kinds[i % 4]() for i, name in enumerate(names)}
    return compare(selectors, X, y, n_features=6, sizes=[2, 6], n_splits=2, feature_names=features)


@pytest.fixture(scope="module")
def hostile(two_groups):
    X, y = two_groups
    names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
    selectors = {"<i>fisher</i>": es.FisherScore(), "laplacian": es.LaplacianScore(), HOSTILE[5]: es.ReliefF()}
    return compare(selectors, X, y, n_features=11, feature_names=names, sizes=[2, 5], title=HOSTILE[0])


def window(width, scheme="light"):
    return {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}


def column(page, number):
    return page.locator(f"#feature-table tbody tr td:nth-child({number})").all_inner_texts()


class TestWithoutScript:
    def test_answer_tables_and_matrices_are_there(self, open_page, made):
        page = open_page(made.to_html(), java_script_enabled=False)
        summary = made.summary
        assert page.locator("#answer h2").inner_text() == summary["answer"]["headline"]
        told = page.locator("#answer dd").all_inner_texts()
        assert told == [part["sentence"] for part in summary["answer"]["sentences"]]
        assert page.locator("#alerts li").count() == len(summary["alerts"])
        assert page.locator("#methods tbody tr").count() == 3
        assert page.locator("#consensus-matrix tbody th").all_inner_texts() == summary["consensus"]["feature"]
        assert page.locator("#alike-matrix td").count() == 9
        page.locator("#paper summary").first.click()
        assert summary["paper"]["methods"] in page.locator("#paper").inner_text()

    def test_cards_stand_in_their_order(self, open_page, made):
        page = open_page(made.to_html(), java_script_enabled=False)
        found = page.locator("main > [id]").evaluate_all("all => all.map(part => part.id)")
        assert found == ["answer", "alerts", "accuracy", "measures", "consensus", "alike", "features", "paper"]


class TestMethods:
    def test_every_number_stands_beside_its_permuted_one(self, open_page, made):
        page = open_page(made.to_html())
        for row, (name, facts) in enumerate(made.summary["methods"].items()):
            line = page.locator("#methods tbody tr").nth(row)
            assert line.locator("th").inner_text() == name
            for place, size in enumerate(("2", "5", "10")):
                told = line.locator("td").nth(place).inner_text()
                assert told.startswith(f"{facts['accuracy'][size]:.3f} ± {facts['accuracy_deviation'][size]:.3f}")
                assert f"permuted {facts['accuracy_permuted'][size]:.3f}" in told
            stability = line.locator("td").nth(4).inner_text()
            assert stability.startswith(f"{facts['stability']:.2f}")
            beside = f"permuted {facts['stability_permuted']:.2f}" if facts["uses_labels"] else "no labels used"
            assert beside in stability

    def test_near_the_best_is_shaded_and_underlined(self, open_page, made):
        page = open_page(made.to_html())
        for row, name in enumerate(made.summary["methods"]):
            for place, near in enumerate(made.summary["near_best"].values()):
                cell = page.locator("#methods tbody tr").nth(row).locator("td").nth(place)
                lines = cell.locator(".value").evaluate("v => getComputedStyle(v).textDecorationLine")
                ground = cell.evaluate("c => getComputedStyle(c).backgroundColor")
                assert (lines == "underline") == (name in near)
                assert (ground != "rgba(0, 0, 0, 0)") == (name in near)

    def test_only_an_accuracy_beyond_the_spread_has_a_star(self, open_page, two_groups):
        made = compare({"fisher": es.FisherScore(), "again": es.FisherScore()}, *two_groups, n_features=5, sizes=[2])
        assert made.summary["best"] == {"2": None}
        assert page_stars(open_page(made.to_html())) == 0
        made.summary["best"]["2"] = "fisher"
        page = open_page(made.to_html())
        assert page_stars(page) == 1
        assert page.locator("#methods td.best").count() == 1
        assert page.locator("#methods tr", has_text="fisher").locator("td.best").count() == 1

    def test_what_is_not_ordered_has_no_number(self, open_page, two_groups):
        X, y = two_groups
        selectors = {"mask": SelectKBest(f_classif, k=2), "some": SelectFromModel(LogisticRegression(), max_features=2)}
        page = open_page(compare(selectors, X, y, n_features=2, sizes=[2, 5]).to_html())
        assert page.locator("#methods tbody tr").nth(1).locator("td").nth(1).inner_text() == "–"
        assert page.locator("#accuracy-chart .point title").count() == 3
        page.get_by_role("button", name="some").click()
        assert column(page, 4)[:3] == ["1.5", "1.5", "–"]


def page_stars(page):
    return page.locator("#methods tbody").inner_text().count("★")


class TestCurves:
    def test_points_and_bars_stand_where_the_numbers_are(self, open_page, made):
        """On the fixed axis: 0 at the lowest grid line, 1 at the highest."""
        page = open_page(made.to_html())
        lines = page.locator("#accuracy-chart .grid-line").evaluate_all("all => all.map(l => +l.getAttribute('y1'))")
        zero, one = max(lines), min(lines)
        bars = page.locator("#accuracy-chart .deviation").evaluate_all(
            "all => all.map(l => [+l.getAttribute('y1'), +l.getAttribute('y2')])"
        )
        drawn = (zero - np.array(bars)) / (zero - one)
        facts = [
            (row["accuracy"][size], row["accuracy_deviation"][size])
            for row in made.summary["methods"].values()
            for size in ("2", "5", "10")
        ]
        expected = [(max(0, mean - spread), min(1, mean + spread)) for mean, spread in facts]
        np.testing.assert_allclose(drawn, expected, atol=1e-4)
        level = float(page.locator("#accuracy-chart line.mark").get_attribute("y1"))
        assert (zero - level) / (zero - one) == pytest.approx(made.summary["chance"], abs=1e-4)
        ticks = page.locator("#accuracy-chart text").all_text_contents()
        assert {"0", "0.2", "0.4", "0.6", "0.8", "1"} <= set(ticks)

    def test_the_band_is_that_of_permuted_labels(self, open_page, made):
        page = open_page(made.to_html())
        lines = page.locator("#accuracy-chart .grid-line").evaluate_all("all => all.map(l => +l.getAttribute('y1'))")
        path = page.locator("#accuracy-chart .null-band").get_attribute("d")
        heights = [float(part.split()[1].rstrip("Z")) for part in path.replace("M", "L").split("L")[1:]]
        drawn = (max(lines) - np.array(heights)) / (max(lines) - min(lines))
        ranges = np.array(list(made.summary["permuted_range"].values()))
        np.testing.assert_allclose(drawn, [*ranges[:, 1], *ranges[::-1, 0]], atol=2e-3)

    @pytest.mark.parametrize("width", [1400, 390])
    @pytest.mark.parametrize("kind", ["made", "many"])
    def test_names_are_whole_and_apart(self, open_page, request, kind, width):
        made = request.getfixturevalue(kind)
        page = open_page(made.to_html(), **window(width))
        chart = page.locator("#accuracy-chart svg")
        assert chart.evaluate(OUTSIDE) == []
        assert chart.evaluate(OVERLAPS) == 0
        told = "".join("".join(page.locator("#accuracy-chart .end-label").all_text_contents()).split())
        for name in [*made.summary["methods"], "permuted labels", "largest class"]:
            assert "".join(name.split()) in told

    def test_methods_differ_by_colour_dash_and_shape(self, open_page, made):
        page = open_page(made.to_html())
        looks = page.locator("#accuracy-chart path.series").evaluate_all(
            "all => all.map(p => [getComputedStyle(p).stroke, getComputedStyle(p).strokeDasharray])"
        )
        assert len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == 3

    @pytest.mark.parametrize("width", [1400, 390])
    def test_one_size_has_dots_and_no_lines(self, open_page, two_groups, width):
        selectors = {"fisher": es.FisherScore(), LONG: es.LaplacianScore()}
        made = compare(selectors, *two_groups, n_features=5, sizes=[5])
        page = open_page(made.to_html(), **window(width))
        assert page.locator("#accuracy-chart path.series").count() == 0
        assert page.locator("#accuracy-chart .point").count() == 2
        assert page.locator("#accuracy-chart svg").evaluate(OUTSIDE) == []
        assert "accuracy with 5 features" in page.locator("#accuracy-chart").text_content()


class TestMatrices:
    def test_consensus_cells_are_ranks(self, open_page, made):
        page = open_page(made.to_html())
        view, names = made.summary["consensus"], list(made.summary["methods"])
        for row, line in enumerate(page.locator("#consensus-matrix tbody tr").all()):
            cells = line.locator("td").all_inner_texts()
            assert cells[0] == f"{view['count'][row]} of 3"
            ranks = [view["ranks"][name][row] for name in names]
            assert cells[1:] == ["" if rank is None else str(rank) for rank in ranks]
        counts = page.locator("#consensus-counts tbody tr").first.locator("td").all_inner_texts()
        first = view["at_least"][0]
        assert counts == [str(first["n_features"]), f"{first['random']:.1f}", f"{first['permuted']:.1f}"]

    def test_overlap_above_and_agreement_below_the_diagonal(self, open_page, made):
        page = open_page(made.to_html())
        methods, names = made.summary["methods"], list(made.summary["methods"])
        for row, line in enumerate(page.locator("#alike-matrix tbody tr").all()):
            cells = line.locator("td").all_inner_texts()
            assert cells[row] == ""
            for place, name in enumerate(names):
                facts = methods[names[row]]
                if place > row:
                    expected = [f"{100 * facts[key][name]:.0f} %" for key in ("shared", "shared_permuted")]
                    assert cells[place].split("\n") == expected
                elif place < row:
                    expected = [f"{facts[key][name]:.2f}" for key in ("agreement", "agreement_permuted")]
                    assert cells[place].split("\n") == expected

    @pytest.mark.parametrize(("width", "scheme"), WINDOWS)
    def test_every_number_can_be_read(self, open_page, many, width, scheme):
        page = open_page(many.to_html(), **window(width, scheme))
        for part in ("td.cell", "td.cell .permuted", "#methods td", "#methods td .permuted", ".matrix th", "caption"):
            found = page.locator(part).evaluate_all(COLOURS)
            assert found
            assert min(contrast(*pair) for pair in found) >= 4.5, part

    @pytest.mark.parametrize("width", [1400, 390])
    def test_names_are_whole(self, open_page, many, width):
        """No head of a row or a column is cut off: its text fits into the cell that it has."""
        page = open_page(many.to_html(), **window(width))
        cut = """all => all.filter(th => th.offsetParent && (th.scrollWidth > th.clientWidth + 1
                   || th.scrollHeight > th.clientHeight + 1)).map(th => th.textContent)"""
        assert page.locator(".matrix th, .matrix th span, #methods th").evaluate_all(cut) == []
        heads = page.locator("#consensus-matrix thead th").all_inner_texts()
        assert LONG in [" ".join(head.split()) for head in heads]
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_pairs_are_a_list_on_a_phone(self, open_page, many):
        page = open_page(many.to_html(), **window(390))
        assert not page.locator("#alike-matrix").is_visible()
        assert page.locator("#alike-pairs li:visible").count() == 10
        page.locator("#alike-pairs summary").click()
        assert page.locator("#alike-pairs li:visible").count() == 66
        shares = page.locator("#alike-pairs li").all_inner_texts()
        found = [int(text.split(": ")[-1].split(" %")[0]) for text in shares]
        assert found == sorted(found, reverse=True)
        wide = open_page(many.to_html(), **window(1400))
        assert wide.locator("#alike-matrix").is_visible()
        assert not wide.locator("#alike-pairs").is_visible()


class TestFeatures:
    def test_sorting_and_the_file(self, open_page, made):
        page = open_page(made.to_html())
        page.get_by_role("button", name="relieff").click()
        assert column(page, 5)[:3] == ["1", "2", "3"]
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Table as csv").click()
        rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
        assert [int(row["relieff"]) for row in rows] == list(range(1, 41))

    def test_keyboard_alone(self, open_page, made):
        """Every table that scrolls, the buttons and the folded card are reached by Tab; Enter unfolds it."""
        page = open_page(made.to_html(), **window(390))
        seen = set()
        for _ in range(90):
            page.keyboard.press("Tab")
            seen.add(
                page.evaluate(
                    "(e => e.getAttribute('aria-label') || e.id || e.parentElement.id)(document.activeElement)"
                )
            )
            if page.evaluate("document.activeElement.closest('#paper') !== null"):
                break
        assert {"Table of methods", "Consensus of the methods", "copy-names", "save-table", "Search features"} <= seen
        page.keyboard.press("Enter")
        assert page.locator("#paper").evaluate("part => part.open")


class TestHostileNames:
    @pytest.mark.parametrize("width", [1400, 390])
    def test_they_are_text_everywhere(self, open_page, hostile, width):
        page = open_page(hostile.to_html(), **window(width))
        assert page.locator("main i:not([class]):not(.ramp i), main script, main img").count() == 0
        assert page.locator("#methods tbody th").first.inner_text() == "<i>fisher</i>"
        shown = page.locator("#feature-table tbody td:nth-child(2)").evaluate_all("all => all.map(s => s.textContent)")
        assert set(HOSTILE) <= set(shown)
        kept = page.locator("#consensus-matrix tbody th").evaluate_all("all => all.map(s => s.textContent)")
        assert HOSTILE[0] in kept
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#accuracy-chart svg").evaluate(OUTSIDE) == []
        assert page.locator("#consensus-matrix").bounding_box()["height"] < 4000
