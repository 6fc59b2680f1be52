"""The page in a real Chromium: no errors, no requests; sorting, searching, choosing, downloading, names as text."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from tests.reporting.conftest import HOSTILE

import eigenselect as es

CELL = "#feature-table tbody tr td:nth-child({})"


def column(page, number):
    return page.locator(CELL.format(number)).all_inner_texts()


@pytest.fixture
def page(open_page, two_groups):
    X, y = two_groups
    names = [f"gene {j}" for j in range(X.shape[1])]
    return open_page(es.report(es.FisherScore(5).fit(X, y), X, y, feature_names=names, title="genes.csv").to_html())


def downloaded(page):
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download csv").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


class TestEvidence:
    def test_the_chosen_feature_has_its_p_value_and_q_value(self, open_page, two_groups):
        X, y = two_groups
        page = open_page(es.report(es.FisherScore(5, significance=True).fit(X, y), X, y).to_html())
        page.locator("#feature-table tbody button").first.click()
        cells = [column(page, number)[0] for number in (5, 6)]
        assert f", p {cells[0]}, q {cells[1]}" in page.locator("#chosen-chart").inner_text()
        assert "knee" not in page.locator("#score-chart").inner_text()

    def test_an_axis_has_two_numbers_at_least(self, open_page, two_groups):
        page = open_page(es.report(es.FisherScore(5).fit(*two_groups), *two_groups).to_html())
        ends = [(-0.45, 0.4), (0.9, 1.9), (-1e-9, 9.0), (4.0, 4.9)]
        assert all(page.evaluate("([low, high]) => ticks(low, high, 3).length", list(pair)) >= 2 for pair in ends)


class TestTable:
    def test_features_stand_in_the_order_of_their_ranks(self, page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        assert column(page, 2) == [f"gene {j}" for j in order[:25]]
        assert page.locator("tr.kept").count() == 5

    def test_what_a_rule_keeps_is_marked_wherever_it_ranks(self, open_page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        rule = es.selection.TopK(3, must_keep=[order[20]], never=[order[0]])
        page = open_page(es.report(es.FisherScore(rule).fit(X, y), X, y).to_html())
        assert page.locator("tr.kept td:nth-child(1)").all_inner_texts() == ["2", "3", "21"]
        assert "kept" not in page.locator("#score-chart").inner_text()
        assert page.locator("#score-chart circle[r='4.5']").count() == 3
        assert "Circles mark what is kept" in page.locator("section", has=page.locator("#score-chart")).inner_text()

    def test_sorting_both_ways_by_a_number_and_by_a_name(self, page):
        page.get_by_role("button", name="feature", exact=True).click()
        assert column(page, 2)[:3] == ["gene 0", "gene 1", "gene 2"]  # numbers in names count as numbers
        assert page.locator("th[aria-sort=ascending]").inner_text().startswith("feature")
        page.get_by_role("button", name="score", exact=True).click()
        assert column(page, 1)[0] == "1"
        page.get_by_role("button", name="score", exact=True).click()
        assert column(page, 1)[0] == "40"
        assert page.locator("th[aria-sort=descending]").count() == 0

    def test_features_without_a_score_stay_last_both_ways(self, open_page, two_groups):
        X, y = two_groups[0][:, :6].copy(), two_groups[1]
        X[:, 2] = 5.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            page = open_page(es.report(es.FisherScore(3).fit(X, y), X, y).to_html())
        button = page.get_by_role("button", name="score", exact=True)
        for _ in range(2):
            button.click()
            assert column(page, 2)[-1] == "x2"
            assert column(page, 3)[-1] == "–"

    def test_searching_and_turning_pages(self, page):
        page.get_by_label("Search features").fill("GENE 1")
        assert sorted(column(page, 2)) == sorted(["gene 1", *(f"gene {j}" for j in range(10, 20))])
        page.get_by_label("Search features").fill("nothing like it")
        assert "No feature" in page.locator("#feature-table tbody").inner_text()
        page.get_by_label("Search features").fill("")
        page.get_by_role("button", name="Next").click()
        assert column(page, 1) == [str(rank) for rank in range(26, 41)]
        assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
        page.keyboard.press("Enter")  # the button keeps the focus and does nothing
        assert page.evaluate("document.activeElement.textContent") == "Next"
        assert column(page, 1)[0] == "26"

    def test_the_file_holds_the_rows_as_they_are_shown(self, page, two_groups):
        X, y = two_groups
        page.get_by_label("Search features").fill("gene 1")
        page.get_by_role("button", name="feature", exact=True).click()
        rows = downloaded(page)
        assert [row["feature"] for row in rows] == ["gene 1", *(f"gene {j}" for j in range(10, 20))]
        scores = es.FisherScore().fit(X, y).scores_
        np.testing.assert_allclose([float(row["score"]) for row in rows], scores[[1, *range(10, 20)]], rtol=1e-5)


class TestChoosing:
    def colours(self, page):
        return page.locator("#embedding-chart circle").evaluate_all("points => points.map(p => p.style.fill)")

    def test_a_feature_colours_the_samples_and_shows_its_values(self, page):
        by_class = self.colours(page)
        assert len(by_class) == 60
        assert len(set(by_class)) == 2
        page.get_by_role("button", name="gene 3", exact=True).click()
        assert len(set(self.colours(page))) > 30
        assert page.locator("#chosen h3").inner_text() == "gene 3"
        assert "rank" in page.locator("#chosen").inner_text()
        assert page.locator("#chosen svg").count() == 2  # values, and scales
        page.get_by_role("button", name="gene 3", exact=True).click()  # once more: back to classes
        assert self.colours(page) == by_class

    def test_colours_follow_the_values(self, page, two_groups):
        """Samples in the order of a feature are in the order of the colour scale: green rises from end to end."""
        X, _ = two_groups
        page.get_by_label("Colour by").select_option(label=self.option(page, "gene 0"))
        order = np.argsort(X[:, 0])
        greens = [int(re.findall(r"\d+", colour)[1]) for colour in self.colours(page)]
        assert (np.diff(np.array(greens)[order]) >= 0).all()
        titles = page.locator("#embedding-chart circle title").evaluate_all("all => all.map(t => t.textContent)")
        told = [float(title.rsplit(": ", 1)[1]) for title in titles]
        np.testing.assert_allclose(told, X[:, 0], rtol=1e-3)

    def test_the_chosen_feature_says_at_which_scale_it_varies_and_where_it_is_rough(self, page):
        assert page.locator("#embedding-chart line.rough").count() == 0
        page.get_by_role("button", name="gene 0", exact=True).click()
        view = page.evaluate("DATA.views.explanations")
        place = page.evaluate("chosen")
        found = view["features"][place]
        assert page.locator("#embedding-chart line.rough").count() == len(found["edges"]) > 0
        chart = page.locator("#chosen-chart svg[aria-label='Shares of gene 0 by eigenvalue.']")
        assert chart.locator("rect").count() == len(found["shares"])
        heights = np.array([float(bar.get_attribute("height")) for bar in chart.locator("rect").all()])
        np.testing.assert_allclose(heights / heights.sum(), found["shares"], atol=1e-4)
        assert "where shuffled values have" in page.locator("#chosen-chart").inner_text()
        page.get_by_role("button", name="gene 0", exact=True).click()
        assert page.locator("#embedding-chart line.rough").count() == 0

    def test_other_eigenvectors_can_be_drawn(self, page):
        places = "points => points.map(p => p.getAttribute('cx'))"
        before = page.locator("#embedding-chart circle").evaluate_all(places)
        page.get_by_label("across").select_option(label="5")
        assert page.locator("#embedding-chart circle").evaluate_all(places) != before
        assert "eigenvector 5" in page.locator("#embedding-chart").text_content()

    def option(self, page, name):
        return next(text for text in page.locator("#colour option").all_inner_texts() if text.endswith(f". {name}"))

    def test_keyboard_alone(self, page):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.get_by_label("Search features").focus()
        page.keyboard.type("gene 7")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.className") == "choose":
                break
        page.keyboard.press("Enter")
        assert page.locator("#chosen h3").inner_text() == "gene 7"
        for _ in range(2):  # chosen and not chosen again: the keyboard keeps its place
            assert page.evaluate("document.activeElement.textContent") == "gene 7"
            page.keyboard.press("Enter")

    def test_quartiles_of_a_feature_beyond_the_first_are_exact(self, open_page, two_groups):
        """Not among the distributions of the summary; one stray value must not swallow all others."""
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 39] = np.arange(60) / 10
        X[59, 39] = 1e6
        page = open_page(es.report(es.FisherScore(5).fit(X, y), X, y).to_html())
        page.get_by_label("Search features").fill("x39")
        page.get_by_role("button", name="x39", exact=True).click()
        title = page.locator("#chosen svg title").first.text_content()
        assert "median 1.45, middle half 0.725 to 2.175, 30 samples" in title
        assert len(set(self.colours(page))) > 30


class TestLooks:
    @pytest.mark.parametrize("width", [360, 1200])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_no_sideways_scrolling_and_readable_ink(self, open_page, hostile_report, width, scheme):
        page = open_page(hostile_report.to_html(), viewport={"width": width, "height": 800}, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper)]
        assert (brightness[0] > brightness[1]) == (scheme == "dark")
        assert abs(brightness[0] - brightness[1]) > 500

    def test_the_button_turns_light_into_dark(self, page):
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_label("Switch between light and dark").click()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before

    def test_charts_fill_a_window_that_changes(self, page):
        page.set_viewport_size({"width": 500, "height": 800})
        for _ in range(100):  # it is drawn again a moment after the window has stopped changing
            page.wait_for_timeout(50)
            if page.locator("#score-chart svg").bounding_box()["width"] < 480:
                return
        pytest.fail("the chart kept its old width")


class TestHostileNames:
    def test_they_are_text_everywhere(self, open_page, hostile_report):
        page = open_page(hostile_report.to_html())
        assert page.locator("main script, main img").count() == 0
        shown = page.locator("button.choose").evaluate_all("all => all.map(b => b.textContent)")
        assert set(HOSTILE) <= set(shown)
        assert page.locator("h1").evaluate("h => h.textContent").startswith(HOSTILE[1])
        for name in HOSTILE:
            page.locator("button.choose").nth(shown.index(name)).click()
            assert page.locator("#chosen h3").evaluate("h => h.textContent") == name
        assert {row["feature"] for row in downloaded(page)} >= set(HOSTILE)


class TestWhatIsNotOrdered:
    """A method that orders three features: the others have no rank, and its curve ends."""

    def test_in_the_ranking(self, open_page, two_groups):
        X, y = two_groups
        page = open_page(es.report(es.MRSF(3, target="lda").fit(X, y), X, y).to_html())
        assert column(page, 1)[:5] == ["1", "2", "3", "–", "–"]
        assert page.locator("#score-chart circle").count() == 3
        page.locator("button.choose").nth(4).click()
        assert "not ordered, score" in page.locator("#chosen").inner_text()


class TestHonesty:
    def test_the_spectrum_marks_a_gap_only_if_it_stands_out(self, open_page):
        cloud = np.random.default_rng(0).normal(size=(300, 2))
        for X, marks in ((cloud, 0), (scale(load_wine().data), 1)):
            made = es.report(es.LaplacianScore(2).fit(X), X)
            page = open_page(made.to_html())
            assert page.locator("#spectrum-chart .mark").count() == marks
            assert made.summary["views"]["spectrum"]["sentence"] in page.locator("main").inner_text()

    def test_what_chance_gives_stands_beside_the_picture(self, page):
        told = page.locator("section[aria-labelledby=samples-title]").inner_text()
        assert "with permuted labels" in told
        assert "more than chance" in told


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
    assert column(page, 2) == ["ENSG00000000042"]
    told = ", ".join(f"{what} {value:.0f} ms" for what, value in times.items())
    record_property("measured", f"page of 20 000 features, {len(html.encode()) / 1e6:.2f} MB, in Chromium: {told}")


def test_the_notebook_frame_runs_its_script(open_page, two_groups):
    X, y = two_groups
    made = es.report(es.FisherScore(5).fit(X, y), X, y)
    page = open_page(f"<!DOCTYPE html><link rel=icon href='data:,'><body>{made._repr_html_()}</body>")
    inside = page.frame_locator("iframe")
    inside.locator("#score-chart svg").wait_for()
    inside.locator(".skip").focus()
    page.keyboard.press("Enter")  # a link would open the notebook inside the frame
    assert inside.locator("#features").evaluate("section => section === document.activeElement")
    assert inside.locator("#feature-table tbody tr").count() == 25


class TestSignificance:
    @pytest.fixture
    def selector(self, two_groups):
        return es.FisherScore(5, significance=True).fit(*two_groups)

    def test_pictures_and_columns(self, open_page, two_groups, selector):
        page = open_page(es.report(selector, *two_groups).to_html())
        assert page.locator("#pvalue-chart svg rect.band").count() == 1
        counts = np.histogram(selector.pvalues_, bins=20, range=(0, 1))[0]
        told = page.locator("#pvalue-chart svg rect:not(.band) title").all_text_contents()
        assert [int(text.split()[0]) for text in told] == counts[counts > 0].tolist()
        discoveries = int((selector.qvalues_ <= 0.05).sum())
        for name in ("quantile", "mean"):
            assert page.locator(f"#{name}-chart circle").count() == 40
            assert page.locator(f"#{name}-chart circle.found").count() == discoveries > 0
        order = selector.ranking_.argsort()
        for number, values in ((5, selector.pvalues_), (6, selector.qvalues_)):
            shown = [float(text) for text in column(page, number)]
            np.testing.assert_allclose(shown, values[order[:25]], rtol=5.1e-3)
        rows = downloaded(page)
        np.testing.assert_allclose([float(row["qvalue"]) for row in rows], selector.qvalues_[order], rtol=1e-5)

    def test_sorting_by_q(self, open_page, two_groups, selector):
        page = open_page(es.report(selector, *two_groups).to_html())
        page.get_by_role("button", name="q", exact=True).click()
        shown = [float(text) for text in column(page, 6)]
        assert shown == sorted(shown)

    def test_points_beyond_the_axis_stand_at_its_end(self, open_page, two_groups, selector):
        selector.pvalues_[selector.ranking_.argsort()[0]] = 0.0
        page = open_page(es.report(selector, *two_groups).to_html())
        heights = page.locator("#quantile-chart circle").evaluate_all("all => all.map(c => c.getAttribute('cy'))")
        assert min(map(float, heights)) >= 12
        assert "<1e-300" in page.locator("#quantile-chart title").first.text_content()
        assert column(page, 5)[0] == "<1e-300"

    def test_shadows_have_one_picture_and_one_column(self, open_page, two_groups, selector):
        for name in ("pvalues_", "null_mean_", "null_sd_"):
            delattr(selector, name)
        page = open_page(es.report(selector, *two_groups).to_html())
        assert page.locator("#significance svg").count() == 1
        assert page.locator("#feature-table th").all_inner_texts()[4:] == ["q", ""]

    @pytest.mark.parametrize("width", [360, 1200])
    def test_hostile_names_and_narrow_windows(self, open_page, two_groups, width):
        X, y = two_groups
        names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
        selector = es.FisherScore("fdr").fit(np.abs(X) * 10.0 ** (np.arange(40) % 5), y)
        made = es.report(selector, np.abs(X) * 10.0 ** (np.arange(40) % 5), y, feature_names=names)
        page = open_page(made.to_html(), viewport={"width": width, "height": 800})
        assert page.locator("main script, main img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "mean (logarithmic)" in page.locator("#mean-chart").text_content()
