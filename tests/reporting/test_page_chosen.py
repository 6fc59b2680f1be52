"""The card of the chosen feature in Chromium: values, near-copies, the farthest sample, why it scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import median_abs_deviation, norm
from tests.reporting.conftest import HOSTILE, column, until

import eigenselect as es

PHONE = {"width": 390, "height": 800}


def colours(page, where="#samples-chart"):
    return page.locator(f"{where} .sample").evaluate_all("points => points.map(p => p.style.fill)")


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


class TestChoosing:
    def test_before_any_choice_the_first_kept_feature_is_shown(self, genes_page):
        assert genes_page.locator("#chosen h3").inner_text() == column(genes_page, "feature")[0]
        assert genes_page.evaluate("document.activeElement === document.body")
        assert genes_page.evaluate("location.hash") == ""
        assert len(set(colours(genes_page))) == 2  # samples keep the colours of their classes
        assert len(set(colours(genes_page, "#chosen-samples"))) > 30

    def test_a_feature_colours_the_samples_and_shows_its_values(self, genes_page):
        by_class = colours(genes_page)
        assert len(by_class) == 60
        press(genes_page, "gene 3")
        assert len(set(colours(genes_page))) > 30
        assert colours(genes_page, "#chosen-samples") == colours(genes_page)
        assert genes_page.locator("#chosen h3").inner_text() == "gene 3"
        assert "rank" in genes_page.locator("#chosen").inner_text()
        assert genes_page.locator("#chosen svg").count() == 4  # values, samples and their key, scales
        press(genes_page, "gene 3")  # once more: back to classes, and the card stays
        assert colours(genes_page) == by_class
        assert genes_page.locator("#chosen h3").inner_text() == "gene 3"

    def test_the_card_has_all_that_is_known_of_the_feature(self, open_page, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(5, significance=True).fit(X, y), X, y)
        made.summary["all_features"]["stability"] = [0.9] * 40
        page = open_page(made.to_html())
        page.locator("#feature-table tbody button").nth(1).click()
        facts = dict(
            zip(page.locator("#chosen dt").all_inner_texts(), page.locator("#chosen dd").all_inner_texts(), strict=True)
        )
        native = made.summary["features"][1]["native_score"]
        assert facts["rank"] == "2 of 40"
        assert facts["stability"] == "90 %"
        assert facts["kept"] == "✓ yes"
        assert [facts["p"], facts["q"]] == [column(page, "p")[1], column(page, "q")[1]]
        assert float(facts["literature's value (large is good)"]) == pytest.approx(native, rel=1e-3)

    def test_a_screen_reader_hears_one_sentence(self, genes_page):
        press(genes_page, "gene 3")
        said = genes_page.locator("#chosen-said")
        assert said.get_attribute("role") == "status"
        assert said.text_content().startswith("gene 3, rank ")

    def test_what_the_method_does_not_order_says_so(self, open_page, two_groups):
        X, y = two_groups
        page = open_page(es.report(es.MRSF(3, target="lda").fit(X, y), X, y).to_html())
        page.locator("button.choose").nth(4).click()
        assert page.locator("#chosen dd").first.inner_text() == "not ordered"


class TestValues:
    def test_quartiles_of_a_feature_beyond_the_first_are_exact(self, open_page, two_groups):
        """Not among the distributions of the summary; one stray value must not swallow all others."""
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 39] = np.arange(60) / 10
        X[59, 39] = 1e6
        page = open_page(es.report(es.FisherScore(5).fit(X, y), X, y).to_html())
        page.get_by_label("Search features").fill("x39")
        press(page, "x39")
        title = page.locator("#chosen svg title").first.text_content()
        assert "median 1.45, middle half 0.725 to 2.175, 30 samples" in title
        assert len(set(colours(page))) > 30

    def test_values_are_those_of_the_feature_also_where_a_rule_kept_others_than_the_first(self, open_page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        rule = es.selection.TopK(3, must_keep=[order[20]], never=[order[0]])
        page = open_page(es.report(es.FisherScore(rule).fit(X, y), X, y).to_html())
        for place in (0, 1, 20):
            press(page, f"x{order[place]}")
            median = np.median(X[:30, order[place]])
            told = page.locator("#chosen svg title").first.text_content()
            assert float(told.split("median ")[1].split(",")[0]) == pytest.approx(median, rel=1e-3)

    def test_the_axis_has_ticks_at_their_values_and_says_what_it_shows(self, genes_page):
        svg = genes_page.locator("#chosen svg").first
        ticks = svg.locator("text.tick")
        values = [float(text) for text in ticks.all_text_contents()]
        places = [float(tick.get_attribute("x")) for tick in ticks.all()]
        assert len(values) >= 3
        np.testing.assert_allclose(
            np.diff(places), np.diff(values) * np.diff(places)[0] / np.diff(values)[0], rtol=1e-6
        )
        assert "value" in svg.locator("text").all_text_contents()

    @pytest.mark.parametrize("width", [390, 1400])
    def test_names_of_classes_are_inside_the_picture(self, open_page, two_groups, width):
        X, _ = two_groups
        y = np.repeat(["chronic lymphocytic leukemia, untreated, in remission", "ALL"], 30)
        page = open_page(
            es.report(es.FisherScore(5).fit(X, y), X, y).to_html(), viewport={"width": width, "height": 900}
        )
        svg = page.locator("#chosen svg").first
        left = svg.bounding_box()["x"]
        names = svg.locator("g text")
        assert names.count() == 2
        assert all(name.bounding_box()["x"] >= left for name in names.all())
        assert names.nth(1).text_content().startswith("chronic lymphocytic")

    def test_values_that_the_page_does_not_hold_are_not_drawn(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups)
        values = made.summary["views"]["values"]
        values["count"] = 20
        page = open_page(made.to_html())
        page.locator("button.choose").nth(22).click()
        assert "holds the values of the 20 best" in page.locator("#chosen").inner_text()


class TestNear:
    def test_near_copies_have_their_correlation_and_can_be_chosen(self, open_page, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        rng = np.random.default_rng(5)
        X[:, 30] = X[:, 0] + 0.1 * rng.normal(size=60)
        X[:, 31] = -5e200 * X[:, 0]
        page = open_page(es.report(es.FisherScore(5).fit(X, y), X, y).to_html())
        press(page, "x0")
        told = dict(text.rsplit(maxsplit=1) for text in page.locator(".copies button").all_inner_texts())
        for j in (30, 31):
            assert float(told[f"x{j}"]) == pytest.approx(
                np.corrcoef(X[:, 0], X[:, j] / np.abs(X[:, j]).max())[0, 1], abs=0.006
            )
        assert set(told) == {"x30", "x31"}
        page.locator(".copies button", has_text="x30").click()
        assert page.locator("#chosen h3").inner_text() == "x30"
        assert page.evaluate("document.activeElement.id") == "chosen"  # the button is gone, the keyboard is not lost
        press(page, "x5")
        assert "No near-copy" in page.locator("#chosen").inner_text()

    def test_copies_beyond_the_values_of_the_page_come_from_the_summary_and_the_group(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups)
        first, last, other = (made.summary["all_features"]["feature"][place] for place in (0, 39, 38))
        made.summary["views"]["values"]["count"] = 20
        made.summary["views"]["near_copies"] = [
            {"feature": first, "count": 30, "copies": [last], "correlations": [-0.97]}
        ]
        made.summary["all_features"]["group"] = [3, *[0] * 37, 3, 0]
        page = open_page(made.to_html())
        assert page.locator(".copies button").all_inner_texts() == [f"{last} -0.97", f"{other} same group"]
        assert "and 22 more" in page.locator(".copies").inner_text()

    def test_the_farthest_sample_stands_beside_what_chance_gives(self, open_page, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[17, 39] = 9.0
        frame = pd.DataFrame(X, index=[f"patient {i}" for i in range(60)], columns=[f"x{j}" for j in range(40)])
        page = open_page(es.report(es.FisherScore(5).fit(frame, y), frame, y).to_html())
        page.get_by_label("Search features").fill("x39")
        press(page, "x39")
        away = (9.0 - np.median(X[:, 39])) / median_abs_deviation(X[:, 39], scale="normal")
        told = page.locator("#chosen").inner_text()
        assert f"patient 17 (left): 9, median {np.median(X[:, 39]):.4g}" in told
        assert f"{away:.2g} robust deviations" in told
        assert f"is about {norm.ppf((1 + 0.5 ** (1 / 60)) / 2):.2g} away" in told
        chance = page.evaluate("[3, 60, 3000].map(farthestByChance)")
        np.testing.assert_allclose(chance, norm.ppf((1 + 0.5 ** (1 / np.array([3, 60, 3000]))) / 2), rtol=1e-3)


class TestWhy:
    def test_at_which_scale_it_varies_and_where_it_is_rough(self, genes_page):
        assert genes_page.locator("#samples-chart svg:has(.sample) line.rough").count() == 0
        press(genes_page, "gene 0")
        view = genes_page.evaluate("DATA.views.explanations")
        found = view["features"][genes_page.evaluate("chosen")]
        assert genes_page.locator("#samples-chart svg:has(.sample) line.rough").count() == len(found["edges"]) > 0
        chart = genes_page.locator("#chosen-card svg[aria-label='Shares of gene 0 by eigenvalue.']")
        assert chart.locator("rect").count() == len(found["shares"])
        heights = np.array([float(bar.get_attribute("height")) for bar in chart.locator("rect").all()])
        np.testing.assert_allclose(heights / heights.sum(), found["shares"], atol=1e-4)
        assert "where shuffled values have" in genes_page.locator("#chosen-card").inner_text()
        press(genes_page, "gene 0")
        assert genes_page.locator("#samples-chart svg:has(.sample) line.rough").count() == 0

    def test_by_class_beside_shuffled_values(self, genes_page, two_groups):
        X, y = two_groups
        terms = es.FisherScore(5).fit(X, y).explain(X, 3).classes
        press(genes_page, "gene 3")
        rows = [row.split() for row in genes_page.locator(".by-class tbody tr").all_inner_texts()]
        for row, name, mean, share in zip(rows, ("left", "right"), terms.means, terms.between, strict=True):
            assert row[:2] == [name, "30"]
            assert float(row[2]) == pytest.approx(mean, rel=1e-2)
            assert float(row[3]) == pytest.approx(100 * share, abs=0.06)
            assert float(row[5]) == pytest.approx(100 * 0.5 / 59, abs=0.06)

    def test_no_classes_where_the_score_is_not_made_of_them(self, open_page, two_groups):
        page = open_page(es.report(es.LaplacianScore(3).fit(two_groups[0]), *two_groups).to_html())
        assert page.locator(".by-class").count() == 0


class TestPhone:
    def test_the_card_opens_under_the_row_that_was_pressed_and_goes_home(self, open_page, genes_html):
        page = open_page(genes_html, viewport=PHONE)
        assert page.locator(".under-row").count() == 0
        press(page, "gene 3")
        place = page.evaluate("chosen")
        assert page.locator("#feature-table tbody tr").nth(place + 1).locator("#chosen h3").inner_text() == "gene 3"
        assert page.evaluate("document.activeElement.textContent") == "gene 3"
        page.keyboard.press("Tab")  # the card comes next
        assert page.evaluate("document.activeElement.id") == "chosen"
        page.get_by_role("button", name="Next", exact=True).click()  # its row is out of sight
        assert page.locator(".under-row").count() == 0
        assert page.locator("main > .chosen-column > #chosen h3").inner_text() == "gene 3"
        page.get_by_role("button", name="Previous", exact=True).click()
        assert page.locator(".under-row #chosen").count() == 1
        press(page, "gene 3")
        assert page.locator("main > .chosen-column > #chosen").count() == 1

    def test_the_row_that_was_pressed_stays_where_it_was(self, open_page, genes_html):
        page = open_page(genes_html, viewport=PHONE)
        page.locator("button.choose").nth(1).click()
        row = page.locator("button.choose").nth(9)
        row.scroll_into_view_if_needed()
        before = row.bounding_box()["y"]
        row.click()
        assert row.bounding_box()["y"] == pytest.approx(before, abs=2)

    def test_a_wider_window_brings_the_card_beside_the_table(self, open_page, genes_html):
        page = open_page(genes_html, viewport=PHONE)
        press(page, "gene 3")
        page.set_viewport_size({"width": 1400, "height": 900})
        page.locator("main > .chosen-column > #chosen").wait_for()
        page.evaluate("scrollTo(0, 0)")
        table, card = (page.locator(f"#{name}").bounding_box() for name in ("features", "chosen"))
        assert card["x"] > table["x"] + table["width"]
        assert card["y"] == pytest.approx(table["y"], abs=1)
        assert 0.5 < table["width"] / (table["width"] + card["width"]) < 0.65


def test_the_card_stays_in_sight_and_scrolls_inside_itself(open_page, genes_html):
    page = open_page(genes_html, viewport={"width": 1400, "height": 600})
    page.evaluate("document.getElementById('features').scrollIntoView()")
    page.mouse.wheel(0, 250)
    until(page, "document.getElementById('chosen').getBoundingClientRect().top < 80")
    box = page.locator("#chosen").bounding_box()
    assert box["y"] >= 40  # under the links to the sections
    assert box["y"] + box["height"] <= 600
    assert page.evaluate("(c => c.scrollHeight > c.clientHeight)(document.getElementById('chosen'))")


def test_hostile_names_in_the_card(open_page, hostile_report):
    page = open_page(hostile_report.to_html(), viewport=PHONE)
    for name in (HOSTILE[0], HOSTILE[5]):
        page.locator("button.choose").evaluate_all("(all, name) => all.find(b => b.textContent === name).click()", name)
        assert page.locator("#chosen h3").evaluate("h => h.textContent") == name
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("main script, main img").count() == 0


def test_a_click_answers_quickly(open_page, record_property):
    """100 × 20 000: how long a click takes until the page is painted again; reported, not asserted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 20_000)), np.repeat([0, 1], 50)
    page = open_page(es.report(es.FisherScore(50).fit(X, y), X, y).to_html())
    click = """place => new Promise((done) => { const start = performance.now();
        document.querySelectorAll('#feature-table .row')[place].click();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))); })"""
    times = [page.evaluate(click, place) for place in (3, 7, 11, 15)]
    assert page.locator("#chosen h3").inner_text() == column(page, "feature")[15]
    record_property("measured", f"a click among 20 000 features is painted after {np.median(times):.0f} ms")
