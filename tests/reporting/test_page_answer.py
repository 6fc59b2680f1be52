"""The answer in Chromium: names and sentences without JavaScript, on a phone, in light and dark."""

from __future__ import annotations

from urllib.parse import unquote

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE
from tests.reporting.ranked import GOOD

import eigenselect as es
from eigenselect.reporting import Report, add_answer
from eigenselect.reporting.inputs import check_fitted

NO_SCRIPT = {"java_script_enabled": False}


def texts(page, selector):
    return page.locator(selector).evaluate_all("all => all.map(each => each.textContent)")


@pytest.fixture(scope="module")
def evaluated(two_groups):
    """A report with its evaluation."""
    X, y = two_groups
    selector = es.FisherScore(8, significance=True).fit(X, y)
    summary = {**es.report(selector, X, y, title="two groups").summary, "evaluation": GOOD}
    return Report(add_answer(summary, check_fitted("test", selector, X, y)))


class TestWithoutJavaScript:
    def test_names_and_sentences_are_there(self, open_page, evaluated):
        page = open_page(evaluated.to_html(), **NO_SCRIPT)
        answer = evaluated.summary["answer"]
        assert page.locator("#answer h2").inner_text() == answer["headline"] == "8 of 40 features kept (the 8 best)"
        assert texts(page, "#answer .names a") == [row["feature"] for row in evaluated.summary["features"]]
        assert texts(page, "#answer dt") == [said["question"] for said in answer["sentences"]]
        assert texts(page, "#answer dd") == [said["sentence"] for said in answer["sentences"]]
        assert "96 % ± 2 of cases" in page.locator("#answer").inner_text()
        assert "class means lie far apart" in page.locator("header").inner_text().lower()

    def test_no_room_is_kept_for_charts(self, open_page, evaluated):
        page = open_page(evaluated.to_html(), **NO_SCRIPT)
        assert page.locator("select:visible").count() == 0
        card, words = (page.locator(place).bounding_box() for place in ("#how-many", "#how-many #band-sentence"))
        assert words["width"] > 0.6 * card["width"]

    def test_what_the_title_bar_says_is_not_said_again(self, open_page, evaluated):
        page = open_page(evaluated.to_html(), **NO_SCRIPT)
        said = page.locator("#answer").inner_text().lower()
        assert "class means lie far apart" not in said
        assert "60 samples" not in said
        assert "2 classes" in page.locator("header").inner_text()

    def test_hostile_names_are_whole_and_text(self, open_page, hostile_report):
        page = open_page(hostile_report.to_html(), **NO_SCRIPT)
        assert page.locator("main script, main img").count() == 0
        shown = texts(page, "#answer .names a")
        assert shown == [row["feature"] for row in hostile_report.summary["features"]]
        assert len(set(shown) & set(HOSTILE)) >= 10

    def test_every_name_leads_to_its_feature(self, open_page, hostile_report):
        page = open_page(hostile_report.to_html(), **NO_SCRIPT)
        links = page.locator("#answer .names a").evaluate_all(
            "all => all.map(a => [a.getAttribute('href'), a.textContent])"
        )
        assert [unquote(link.removeprefix("#feature=")) for link, _ in links] == [name for _, name in links]
        page.locator("#answer .names a").nth(2).click()
        assert page.url.split("#")[0].endswith("report.html")

    def test_nothing_is_kept(self, open_page):
        X, y = np.random.default_rng(0).normal(size=(40, 10)), np.repeat(["a", "b"], 20)
        page = open_page(es.report(es.FisherScore("fdr").fit(X, y), X, y).to_html(), **NO_SCRIPT)
        assert page.locator("#answer h2").inner_text() == "None of 10 features is kept (q ≤ 0.05)"
        assert page.locator("#answer .names").count() == 0


def keeping(kept, n_features=6000):
    """A report on noise that keeps many features."""
    X, y = np.random.default_rng(0).normal(size=(20, n_features)), np.repeat(["a", "b"], 10)
    return es.report(es.FisherScore(kept).fit(X, y), X, y)


class TestManyNames:
    @pytest.mark.parametrize("kept", [60, 61, 700])
    def test_all_kept_names_are_in_the_page(self, open_page, kept):
        made = keeping(kept)
        page = open_page(made.to_html(), **NO_SCRIPT)
        names = [row["feature"] for row in made.summary["features"]]
        linked, rest = texts(page, "#answer .names a"), texts(page, "#answer .text-names")
        assert linked + "".join(rest).split(", ") * bool(rest) == names
        assert page.locator("#answer details").count() == (kept > 60)
        assert page.locator("#answer .names a").nth(59).is_visible()

    def test_thousands_of_names_have_an_end(self):
        html = keeping(5500).to_html()
        assert ", and 500 more in the table." in html
        card = html[html.index('id="answer"') : html.index('id="alerts"')]
        assert len(card) < 100_000

    def test_of_a_ranking_the_first_are_named(self, open_page, two_groups):
        from eigenselect.reporting import summarise
        from eigenselect.reporting.views.drawing import ALL_VIEWS

        X, y = two_groups
        fitted = check_fitted("test", es.FisherScore().fit(X, y), X, y)
        made = Report(add_answer(summarise(fitted, views=ALL_VIEWS), fitted))
        page = open_page(made.to_html(), **NO_SCRIPT)
        assert texts(page, "#answer .names a") == made.summary["all_features"]["feature"][:10]
        assert "The first 10 of the ranking; none was cut off." in page.locator("#answer").inner_text()


class TestLayout:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [1400, 390])
    def test_questions_beside_or_below_each_other(self, open_page, evaluated, width, scheme):
        page = open_page(evaluated.to_html(), viewport={"width": width, "height": 900}, color_scheme=scheme)
        boxes = [page.locator("#answer .questions > div").nth(place).bounding_box() for place in range(4)]
        assert len({box["x"] for box in boxes}) == (2 if width == 1400 else 1)
        assert all(box["x"] + box["width"] <= width for box in boxes)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    @pytest.mark.parametrize("width", [1400, 390])
    def test_no_name_is_clipped_and_all_can_be_hit(self, open_page, hostile_report, width):
        page = open_page(hostile_report.to_html(), viewport={"width": width, "height": 900})
        sizes = page.locator("#answer .names a").evaluate_all(
            "all => all.map(a => [a.scrollWidth - a.clientWidth, a.getBoundingClientRect().height, "
            "getComputedStyle(a).overflowY])"
        )
        assert all(hidden <= 0 and height >= 24 and overflow == "auto" for hidden, height, overflow in sizes)

    def test_by_keyboard(self, open_page, evaluated):
        page = open_page(evaluated.to_html())
        first = evaluated.summary["features"][0]["feature"]
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('#answer .names a')"):
                break
        assert page.evaluate("document.activeElement.textContent") == first
        page.keyboard.press("Enter")
        assert page.evaluate("decodeURIComponent(location.hash)") == f"#feature={first}"
        assert page.evaluate("[chosen, document.activeElement.id]") == [0, "features"]

    @pytest.mark.parametrize("width", [1400, 390])
    def test_a_name_chooses_its_feature_once_and_again(self, open_page, evaluated, width):
        page = open_page(evaluated.to_html(), viewport={"width": width, "height": 900})
        for _ in range(2):  # a second time does not take the choice back
            page.locator("#answer .names a").nth(5).click()
            assert page.locator("#chosen h3").inner_text() == evaluated.summary["features"][5]["feature"]
            assert page.locator("tr.shown .choose").inner_text() == evaluated.summary["features"][5]["feature"]
            assert page.evaluate("document.activeElement.id") == ("features" if width == 1400 else "chosen")
            assert 0 <= page.locator("#chosen").bounding_box()["y"] < 200

    def test_printed_names_are_all_there(self, open_page):
        page = open_page(keeping(100, 200).to_html())
        last = page.locator("#answer .names a").nth(99)
        assert not last.is_visible()
        page.emulate_media(media="print")
        assert last.is_visible()
