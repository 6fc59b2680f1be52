"""The table of features in Chromium: marks, bars, sorting, searching, choosing, files, and without JavaScript."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE, column, downloaded

import eigenselect as es

HEADS = "#feature-table thead th"
BAR = "#feature-table tbody tr .bar"


class TestRows:
    def test_features_stand_in_the_order_of_their_ranks(self, genes_page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        assert column(genes_page, "feature") == [f"gene {j}" for j in order[:25]]
        assert genes_page.locator("tr.kept").count() == 5

    def test_what_is_kept_has_a_mark_that_needs_no_colour(self, genes_page):
        mark = "cell => getComputedStyle(cell, '::before').content"
        cells = genes_page.locator("#feature-table tbody td:first-child")
        assert ["✓" in cells.nth(i).evaluate(mark) for i in (0, 4, 5)] == [True, True, False]

    def test_what_a_rule_keeps_is_marked_wherever_it_ranks(self, open_page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        rule = es.selection.TopK(3, must_keep=[order[20]], never=[order[0]])
        page = open_page(es.report(es.FisherScore(rule).fit(X, y), X, y).to_html())
        assert page.locator("tr.kept td:nth-child(1)").all_inner_texts() == ["2", "3", "21"]
        assert page.locator("#chosen h3").inner_text() == f"x{order[1]}"  # the first kept one, not the first
        kept = [row["feature"] for row in downloaded(page) if row["kept"] == "1"]
        assert kept == [f"x{order[place]}" for place in (1, 2, 20)]

    def test_no_heading_is_empty_and_no_name_is_given_twice(self, genes_page):
        assert all(genes_page.locator(HEADS).all_inner_texts())
        named = genes_page.get_by_role("region").evaluate_all(
            """all => all.map(r => r.getAttribute('aria-label') ??
                document.getElementById(r.getAttribute('aria-labelledby')).textContent)"""
        )
        assert len(named) == len(set(named)) > 4

    def test_further_columns_stand_there_if_they_are_known(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups)
        listed = made.summary["all_features"]
        listed["stability"] = [1.0, 0.5, *[0.0] * 38]
        listed["group"] = [0, 1, 1, *[0] * 37]
        listed["sets"] = {"KEGG": [0, 2], "<b>GO</b>": [2]}
        page = open_page(made.to_html())
        assert page.locator(HEADS).all_inner_texts() == [
            "rank",
            "feature",
            "score",
            "stability",
            "group",
            "in the sets",
        ]
        assert column(page, "stability")[:3] == ["100 %", "50 %", "0 %"]
        assert column(page, "group")[:4] == ["", "1", "1", ""]
        assert column(page, "in the sets")[:3] == ["KEGG", "", "KEGG, <b>GO</b>"]
        page.get_by_role("button", name="group", exact=True).click()
        assert column(page, "rank")[:3] == ["2", "3", "1"]
        rows = downloaded(page)
        assert [(row["group"], row["sets"]) for row in rows[:2]] == [("1", ""), ("1", "KEGG, <b>GO</b>")]

    def test_names_are_whole_up_to_three_lines(self, open_page, two_groups):
        X, y = two_groups
        names = ["a_long_name_" * 5, "w" * 5000, *(f"gene {j}" for j in range(38))]
        page = open_page(es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names).to_html())
        sizes = page.locator(".choose .clamped").evaluate_all(
            """all => all.map(
                s => [s.textContent.length, s.clientHeight, s.scrollHeight, s.closest('button').title.length])"""
        )
        long, longer = (next(size for size in sizes if size[0] == len(name)) for name in names[:2])
        assert long[1] >= long[2]  # nothing of it is hidden
        assert longer[1] < longer[2]
        assert longer[1] <= 3 * 20
        assert longer[3] == 5000


class TestBars:
    def shares(self, page):
        lengths = "all => all.map(bar => bar.firstChild ? bar.firstChild.offsetWidth / bar.offsetWidth : null)"
        return page.locator(BAR).evaluate_all(lengths)

    def ends(self, page):
        """Where bars begin and end in the window."""
        places = "all => all.map(bar => bar.firstChild.getBoundingClientRect()).map(box => [box.left, box.right])"
        return np.array(page.locator(BAR).evaluate_all(places))

    def title(self, page):
        return page.get_by_role("button", name="score", exact=True).get_attribute("title")

    def test_scores_of_one_size_are_in_proportion(self, genes_page, two_groups):
        scores = np.sort(es.FisherScore().fit(*two_groups).scores_)[::-1]
        np.testing.assert_allclose(self.shares(genes_page), (scores / scores[0])[:25], atol=0.02)
        assert "in proportion" in self.title(genes_page)

    def test_scores_of_many_sizes_are_logarithmic_and_still_fall(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups)
        made.summary["all_features"]["score"] = [10.0 ** (6 - place) for place in range(12)] + [-1.0] * 28
        page = open_page(made.to_html())
        shares = self.shares(page)
        assert "logarithmic" in self.title(page)
        assert (np.diff(shares[:6]) < -0.04).all()  # in proportion, all but the first would be nothing

    def test_bars_of_both_signs_meet_at_zero(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups, evaluation=False)
        made.summary["all_features"]["score"] = [4.0, 2.0, 1e-9, -1.0, -2.0, *[-2.0] * 35]
        page = open_page(made.to_html(), viewport={"width": 1400, "height": 900})
        ends = self.ends(page)
        zero = ends[0, 0]
        np.testing.assert_allclose(ends[:2, 0], zero, atol=0.5)
        np.testing.assert_allclose(ends[3:5, 1], zero, atol=0.5)
        widths = ends[:, 1] - ends[:, 0]
        np.testing.assert_allclose(widths[[1, 3, 4]] / widths[0], [0.5, 0.25, 0.5], atol=0.02)
        grounds = page.locator(f"{BAR} > span").evaluate_all("all => all.map(b => getComputedStyle(b).backgroundColor)")
        assert grounds[0] == grounds[1] != grounds[3] == grounds[4]
        assert "to the left from 0" in self.title(page)

    def test_of_negative_scores_only_the_best_has_the_longest_bar(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups, evaluation=False)
        made.summary["all_features"]["score"] = [-1.0, -2.0, -3.0, *[-4.0] * 37]
        page = open_page(made.to_html(), viewport={"width": 1400, "height": 900})
        np.testing.assert_allclose(self.shares(page)[:3], [0.75, 0.5, 0.25], atol=0.03)
        assert "to the left" not in self.title(page)

    def test_all_bars_begin_at_one_place(self, open_page, two_groups):
        """However long the number beside one is."""
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups, evaluation=False)
        made.summary["all_features"]["score"] = [8.5, 1.0, 0.009123, 0.0001234, *[0.0] * 36]
        page = open_page(made.to_html(), viewport={"width": 1400, "height": 900})
        assert np.ptp(self.ends(page)[:4, 0]) < 0.5

    def test_what_the_method_does_not_order_has_neither_rank_nor_bar(self, open_page, two_groups):
        X, y = two_groups
        page = open_page(es.report(es.MRSF(3, target="lda").fit(X, y), X, y).to_html())
        assert [share is None for share in self.shares(page)[:5]] == [False, False, False, True, True]
        assert column(page, "rank")[:5] == ["1", "2", "3", "–", "–"]


class TestSorting:
    def test_both_ways_by_a_number_and_by_a_name(self, genes_page):
        genes_page.get_by_role("button", name="feature", exact=True).click()
        assert column(genes_page, "feature")[:3] == ["gene 0", "gene 1", "gene 2"]  # numbers in names are numbers
        assert genes_page.locator("th[aria-sort=ascending]").inner_text().startswith("feature")
        genes_page.get_by_role("button", name="score", exact=True).click()
        assert column(genes_page, "rank")[0] == "1"
        genes_page.get_by_role("button", name="score", exact=True).click()
        assert column(genes_page, "rank")[0] == "40"
        assert genes_page.locator("th[aria-sort=descending]").count() == 0
        assert genes_page.evaluate("document.activeElement.textContent") == "score"  # the keyboard keeps its place

    def test_features_without_a_score_stay_last_both_ways(self, open_page, two_groups):
        X, y = two_groups[0][:, :6].copy(), two_groups[1]
        X[:, 2] = 5.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            page = open_page(es.report(es.FisherScore(3).fit(X, y), X, y).to_html())
        button = page.get_by_role("button", name="score", exact=True)
        for _ in range(2):
            button.click()
            assert column(page, "feature")[-1] == "x2"
            assert column(page, "score")[-1] == "–"


class TestSearching:
    def test_searching_and_turning_pages(self, genes_page):
        genes_page.get_by_label("Search features").fill("GENE 1")
        assert sorted(column(genes_page, "feature")) == sorted(
            [name for name in (f"gene {j}" for j in range(40)) if "1" in name]
        )
        genes_page.get_by_label("Search features").fill("nothing like it")
        assert "No feature" in genes_page.locator("#feature-table tbody").inner_text()
        genes_page.get_by_label("Search features").fill("")
        genes_page.get_by_role("button", name="Next").click()
        assert column(genes_page, "rank") == [str(rank) for rank in range(26, 41)]
        assert genes_page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
        genes_page.keyboard.press("Enter")  # the button keeps the focus and does nothing
        assert genes_page.evaluate("document.activeElement.textContent") == "Next"
        assert column(genes_page, "rank")[0] == "26"

    def test_every_word_must_occur_in_any_order(self, open_page, two_groups):
        X, y = two_groups
        names = ["heat shock protein 90", "protein of shock", "heat map", *(f"gene {j}" for j in range(37))]
        page = open_page(es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names).to_html())
        for words, found in (
            ("protein  shock", {names[0], names[1]}),
            (" shock heat ", {names[0]}),
            ("heat", {names[0], names[2]}),
        ):
            page.get_by_label("Search features").fill(words)
            assert set(column(page, "feature")) == found


class TestFiles:
    def test_the_file_holds_the_rows_as_they_are_shown(self, genes_page, two_groups):
        X, y = two_groups
        genes_page.get_by_label("Search features").fill("gene 1")
        genes_page.get_by_role("button", name="feature", exact=True).click()
        rows = downloaded(genes_page)
        numbers = [j for j in range(40) if "1" in str(j)]
        assert [row["feature"] for row in rows] == [f"gene {j}" for j in numbers]
        fitted = es.FisherScore().fit(X, y)
        for key, values in (("score", fitted.scores_), ("native_score", fitted.native_scores_)):
            np.testing.assert_allclose([float(row[key]) for row in rows], values[numbers], rtol=1e-5)
        assert downloaded(genes_page, "Table as csv") == rows

    def test_the_value_of_the_literature_is_behind_a_switch_with_a_sentence(self, genes_page, two_groups):
        said, before = genes_page.locator("#native-said"), genes_page.locator(HEADS).all_inner_texts()
        assert not said.is_visible()
        assert "literature's value" not in before
        genes_page.get_by_label("literature's value").check()
        assert "is large for a good feature" in said.inner_text()
        natives = np.sort(es.FisherScore().fit(*two_groups).native_scores_)[::-1]
        shown = [float(text) for text in column(genes_page, "literature's value")]
        np.testing.assert_allclose(shown, natives[:25], rtol=1e-3)
        genes_page.get_by_label("literature's value").uncheck()
        assert genes_page.locator(HEADS).all_inner_texts() == before


class TestClicks:
    def test_anywhere_in_a_row_chooses(self, genes_page):
        genes_page.locator("#feature-table tbody tr").nth(3).locator("td").nth(0).click()
        name = column(genes_page, "feature")[3]
        assert genes_page.locator("#chosen h3").inner_text() == name
        assert genes_page.locator("button[aria-pressed=true]").inner_text() == name
        assert genes_page.locator("tr.shown").count() == 1

    def test_selecting_text_does_not_choose(self, genes_page):
        before = genes_page.evaluate("chosen")
        box = genes_page.locator("#feature-table tbody tr").nth(3).locator("td").last.bounding_box()
        middle = box["y"] + box["height"] / 2
        genes_page.mouse.move(box["x"] + box["width"] - 60, middle)
        genes_page.mouse.down()
        genes_page.mouse.move(box["x"] + box["width"] - 2, middle, steps=5)
        genes_page.mouse.up()
        assert genes_page.evaluate("getSelection().toString()") != ""
        assert genes_page.evaluate("chosen") == before


def test_without_javascript_the_kept_rows_stand_there(open_page, hostile_report):
    page = open_page(hostile_report.to_html(), java_script_enabled=False)
    rows = page.locator("#features table tbody tr")
    assert rows.count() == 11
    shown = [text.rstrip("\n") for text in page.locator("#features table td:nth-child(2)").all_text_contents()]
    assert shown == [row["feature"] for row in hostile_report.summary["features"]]
    assert set(shown) & set(HOSTILE)
    assert page.locator("main script, main img").count() == 0
    assert not page.locator("#copy-names").is_visible()
