"""The frame of the page in Chromium: title bar, links, theme, addresses, keyboard, sizes, paper, and contrast."""

from __future__ import annotations

import itertools
import re
from html import escape
from urllib.parse import quote

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE, column, until

import eigenselect as es
from eigenselect.reporting.page import STYLES, _asset

SIZES = [
    pytest.param({"width": 390, "height": 800}, id="phone"),
    pytest.param({"width": 1400, "height": 900}, id="wide"),
]
#: everything that a finger or a mouse can press; a checkbox is as large as its label
PRESSED = """() => [...document.querySelectorAll('a[href], button, select, input, summary')]
    .filter(e => e.checkVisibility() && !e.closest('.skip') && !e.closest('p'))
    .map(e => (e.type === 'checkbox' || e.type === 'radio') ? e.closest('label') : e)
    .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect().width, e.getBoundingClientRect().height])"""


class TestContrast:
    """WCAG 2: text stands out from its ground by at least 4.5 to 1."""

    TEXTS, GROUNDS = ("ink", "soft", "accent", "cut"), ("paper", "card", "tint")

    @staticmethod
    def colours():
        """Every variable of the style as its colours in light and in dark."""
        style = "\n".join(_asset(name) for name in STYLES)
        found = re.findall(r"^\s*--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", style, re.MULTILINE)
        return {name: pair for name, *pair in found}

    @staticmethod
    def luminance(colour):
        parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    def contrast(self, one, other):
        low, high = sorted(map(self.luminance, (one, other)))
        return (high + 0.05) / (low + 0.05)

    def test_the_formula(self):
        assert self.contrast("#ffffff", "#000000") == pytest.approx(21)
        assert self.contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)

    @pytest.mark.parametrize("dark", [False, True])
    def test_of_every_text_on_every_ground(self, dark):
        colours = self.colours()
        pairs = [*itertools.product(self.TEXTS, self.GROUNDS), ("ink", "warn"), ("soft", "warn")]
        found = {pair: self.contrast(*(colours[name][dark] for name in pair)) for pair in pairs}
        assert {pair: round(value, 2) for pair, value in found.items() if value < 4.5} == {}


class TestTitleBar:
    def test_it_says_what_the_page_is_about(self, genes_page):
        said = genes_page.locator("header").inner_text()
        assert genes_page.locator("h1").inner_text() == "genes.csv"
        for words in ("60 samples", "40 features", "5 kept", "label y", "method fisher"):
            assert words in said

    def test_the_method_in_words_comes_first(self, open_page, two_groups):
        made = es.report(es.FisherScore(5).fit(*two_groups), *two_groups)
        made.summary["method_words"] = "classes differ <b>in</b> their means"
        page = open_page(made.to_html())
        assert page.locator(".lead").first.inner_text() == "Classes differ <b>in</b> their means"

    @pytest.mark.parametrize("window", SIZES)
    def test_it_links_to_the_sections_that_there_are(self, open_page, genes_html, window):
        page = open_page(genes_html, viewport=window)
        links = page.locator("#sections a")
        assert "Features" in links.all_inner_texts()
        targets = links.evaluate_all("all => all.map(a => a.getAttribute('href').slice(1))")
        assert targets == page.locator("main > .card[id]:not(.chosen)").evaluate_all("all => all.map(c => c.id)")
        page.get_by_role("link", name="Features", exact=True).click()
        assert page.evaluate("document.activeElement.id") == "features"
        assert page.evaluate("location.hash") == "#features"
        top = page.evaluate("document.getElementById('features').getBoundingClientRect().top")
        assert 30 < top < 90  # below the links, which stay in sight
        assert page.locator("#sections").bounding_box()["y"] == 0

    def test_headings_leave_no_level_out(self, genes_page):
        levels = genes_page.locator("h1, h2, h3, h4, h5").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert max(np.diff(levels)) <= 1

    @pytest.mark.parametrize("clipboard", ["allowed", "refused"])
    def test_kept_names_are_copied_one_a_line(self, open_page, genes_html, clipboard):
        page = open_page(genes_html, permissions=["clipboard-read", "clipboard-write"])
        if clipboard == "refused":
            page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        page.get_by_role("button", name="Copy kept names").click()
        until(page, "document.getElementById('told').textContent === 'copied 5 names'")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "".join(f"{name}\n" for name in column(page, "feature")[:5])
        assert page.evaluate("document.activeElement.id") == "copy-names"

    def test_nothing_is_copied_where_nothing_is_kept(self, open_page, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(es.selection.Threshold(2)).fit(X, y), X, y)
        page = open_page(made.to_html())
        page.get_by_role("button", name="Copy kept names").click()
        assert page.locator("#told").inner_text() == "no feature is kept"
        assert page.locator("#chosen h3").inner_text() == column(page, "feature")[0]


class TestTheme:
    ground = "getComputedStyle(document.body).backgroundColor"

    @pytest.mark.parametrize("width", [360, 1200])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_no_sideways_scrolling_and_readable_ink(self, open_page, hostile_report, width, scheme):
        page = open_page(hostile_report.to_html(), viewport={"width": width, "height": 800}, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ink, paper = page.evaluate(f"[getComputedStyle(document.body).color, {self.ground}]")
        brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ink, paper)]
        assert (brightness[0] > brightness[1]) == (scheme == "dark")
        assert abs(brightness[0] - brightness[1]) > 500

    def test_the_button_turns_light_into_dark_and_is_remembered(self, genes_page):
        before = genes_page.evaluate(self.ground)
        genes_page.get_by_label("Switch between light and dark").click()
        after = genes_page.evaluate(self.ground)
        assert after != before
        genes_page.reload()
        assert genes_page.evaluate(self.ground) == after
        assert genes_page.evaluate("Object.keys(localStorage)") == ["eigenselect.theme"]

    def test_the_chosen_theme_is_there_before_anything_is_painted(self, genes_page):
        genes_page.evaluate("localStorage.setItem('eigenselect.theme', 'dark')")
        genes_page.add_init_script(
            """new MutationObserver((_, watcher) => {
                 if (!document.body) return;
                 window.themeAtFirst = document.documentElement.dataset.theme;
                 watcher.disconnect();
               }).observe(document, {childList: true, subtree: true});"""
        )
        genes_page.reload()
        assert genes_page.evaluate("window.themeAtFirst") == "dark"

    def test_what_another_page_left_there_is_not_a_theme(self, genes_page):
        genes_page.evaluate("localStorage.setItem('eigenselect.theme', '\"><b>')")
        genes_page.reload()
        assert genes_page.evaluate("document.documentElement.dataset.theme") is None

    def test_charts_fill_a_window_that_changes(self, genes_page):
        genes_page.set_viewport_size({"width": 500, "height": 800})
        until(genes_page, "document.querySelector('#score-chart svg').getBoundingClientRect().width < 480")


class TestAddresses:
    def open_at(self, page, hash_):
        page.goto(page.url.split("#")[0] + "#")
        page.goto(page.url.split("#")[0] + hash_)
        page.reload()
        return page

    def test_choosing_names_the_feature_and_scrolls_nowhere(self, genes_page):
        genes_page.get_by_role("button", name="gene 3", exact=True).scroll_into_view_if_needed()
        before = genes_page.evaluate("scrollY")
        genes_page.get_by_role("button", name="gene 3", exact=True).click()
        assert genes_page.evaluate("location.hash") == "#feature=gene%203"
        assert genes_page.evaluate("scrollY") == before
        genes_page.get_by_role("button", name="gene 3", exact=True).click()
        assert genes_page.evaluate("location.hash") == ""

    def test_an_address_opens_the_page_at_its_feature(self, genes_page):
        last = genes_page.evaluate("names.at(-1)")
        page = self.open_at(genes_page, f"#feature={quote(last)}")
        assert page.locator("#chosen h3").inner_text() == last
        assert page.locator("tr.shown .choose").inner_text() == last  # on the second page of the table
        page.evaluate("location.hash = '#feature=gene%202'")
        until(page, "document.querySelector('#chosen h3').textContent === 'gene 2'")

    @pytest.mark.parametrize("place", [1, 4, 8])
    def test_hostile_names_come_back(self, open_page, hostile_report, place):
        page = open_page(hostile_report.to_html())
        self.open_at(page, f"#feature={quote(HOSTILE[place])}")
        assert page.locator("#chosen h3").evaluate("h => h.textContent") == HOSTILE[place]

    @pytest.mark.parametrize("hash_", ["#feature=no%20such", "#feature=%E0%A4%A", "#nothing", "#feature="])
    def test_what_names_nothing_opens_the_page_as_it_is(self, genes_page, hash_):
        page = self.open_at(genes_page, hash_)
        assert page.evaluate("chosen") is None
        assert page.locator("#chosen h3").inner_text() == column(page, "feature")[0]

    def test_a_folded_card_opens(self, open_page, genes_html):
        fold = '<details class="card wide fold" id="extra"><summary><h2>Extra</h2></summary><p>inside</p></details>'
        page = open_page(genes_html.replace("</main>", f"{fold}</main>"))
        assert not page.get_by_text("inside", exact=True).is_visible()
        page.get_by_role("link", name="Extra").click()
        assert page.get_by_text("inside", exact=True).is_visible()

    def test_in_a_frame_of_another_page_nothing_leaves_the_page(self, open_page, genes_html):
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


class TestKeyboard:
    def test_tab_alone_reaches_search_switch_heads_rows_and_the_card(self, genes_page):
        seen = []
        for _ in range(60):
            genes_page.keyboard.press("Tab")
            seen.append(
                genes_page.evaluate("(e => e.id || e.className || e.type || e.tagName)(document.activeElement)")
            )
        order = [seen.index(name) for name in ("skip", "copy-names", "theme", "native", "sort", "choose", "chosen")]
        assert order == sorted(order)
        assert seen.index("search") < seen.index("sort")

    def test_enter_chooses_and_the_keyboard_keeps_its_place(self, genes_page):
        genes_page.keyboard.press("Tab")
        assert genes_page.evaluate("document.activeElement.className") == "skip"
        genes_page.get_by_label("Search features").focus()
        genes_page.keyboard.type("gene 7")
        for _ in range(20):
            genes_page.keyboard.press("Tab")
            if genes_page.evaluate("document.activeElement.className") == "choose":
                break
        genes_page.keyboard.press("Enter")
        assert genes_page.locator("#chosen h3").inner_text() == "gene 7"
        for _ in range(2):
            assert genes_page.evaluate("document.activeElement.textContent") == "gene 7"
            genes_page.keyboard.press("Enter")

    @pytest.mark.parametrize("window", SIZES)
    def test_the_whole_job_without_a_mouse(self, open_page, genes_html, window):
        """Search, sort, choose, read the card, unfold, copy and save, by Tab and Enter alone."""
        page = open_page(genes_html, viewport=window, permissions=["clipboard-read", "clipboard-write"])

        def tab_to(condition):
            for _ in range(150):
                page.keyboard.press("Tab")
                if page.evaluate(f"(e => {condition})(document.activeElement)"):
                    return
            pytest.fail(f"Tab does not reach {condition}")

        tab_to("e.id === 'copy-names'")
        page.keyboard.press("Enter")
        until(page, "document.getElementById('told').textContent === 'copied 5 names'")
        tab_to("e.type === 'search'")
        page.keyboard.type("3 gene")
        tab_to("e.matches('.sort') && e.textContent === 'feature'")
        page.keyboard.press("Enter")
        assert column(page, "feature")[:2] == ["gene 3", "gene 13"]
        tab_to("e.matches('.choose') && e.textContent === 'gene 13'")
        page.keyboard.press("Enter")
        assert page.locator("#chosen h3").inner_text() == "gene 13"
        tab_to("e.id === 'chosen'")
        tab_to("e.getAttribute('aria-label') === 'Download values of gene 13 as SVG'")
        with page.expect_download() as waiting:
            page.keyboard.press("Enter")
        assert waiting.value.suggested_filename == "genes-csv-values-gene-13.svg"
        tab_to("e.matches('#paper > summary')")
        page.keyboard.press("Enter")
        tab_to("e.dataset.copies === 'paper-methods'")
        page.keyboard.press("Enter")
        until(page, "document.getElementById('paper-told').textContent === 'copied the methods paragraph'")


@pytest.mark.parametrize("window", SIZES)
def test_whatever_can_be_pressed_is_24_px_or_more(open_page, hostile_report, window):
    page = open_page(hostile_report.to_html(), viewport=window)
    page.locator("button.choose").nth(2).click()
    found = page.evaluate(PRESSED)
    assert len(found) > 35
    assert [named for named, width, height in found if width < 24 or height < 24] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(open_page, hostile_report, scheme):
    page = open_page(hostile_report.to_html(), viewport={"width": 390, "height": 800}, color_scheme=scheme)
    for place in range(11):
        page.locator("button.choose").nth(place).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


class TestPaper:
    @pytest.fixture
    def page(self, open_page, two_groups):
        """30 of 40 features are kept, which is more than one page of the table."""
        X, y = two_groups
        return open_page(es.report(es.FisherScore(30).fit(X, y), X, y, title="genes.csv").to_html())

    def on_paper(self, page):
        page.emulate_media(media="print")
        until(page, "onPaper.now")
        return page

    def test_all_kept_rows_are_printed_and_the_screen_comes_back(self, page):
        before = column(page, "feature")
        page.get_by_role("button", name="Next").click()
        self.on_paper(page)
        printed = column(page, "feature")
        assert len(printed) == 30
        assert printed[:25] == before
        assert all(row.is_visible() for row in page.locator("#feature-table tbody tr").all())
        page.emulate_media(media="screen")
        until(page, "!onPaper.now")
        assert column(page, "rank")[0] == "26"

    def test_nothing_sticks_or_waits_to_be_pressed(self, page):
        self.on_paper(page)
        positions = page.locator("body *").evaluate_all(
            "all => all.filter(e => e.checkVisibility()).map(e => getComputedStyle(e).position)"
        )
        assert "sticky" not in positions
        assert not page.get_by_label("Search features").is_visible()
        assert not page.locator("#sections").is_visible()

    def test_colours_stay(self, page):
        self.on_paper(page)
        adjust = "e => getComputedStyle(e).printColorAdjust"
        assert page.locator(".swatch").first.evaluate(adjust) == "exact"
        assert page.locator(".kept td").first.evaluate(adjust) == "exact"

    def test_the_system_s_dark_is_light_on_paper_but_a_chosen_one_stays(self, page):
        page.emulate_media(color_scheme="dark")
        self.on_paper(page)
        ground = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(ground) == "rgb(255, 255, 255)"
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert page.evaluate(ground) == "rgb(20, 23, 26)"

    def test_charts_fit_the_paper(self, page):
        self.on_paper(page)
        widths = page.locator("main svg").evaluate_all("all => all.map(s => Number(s.getAttribute('width')))")
        assert max(widths) <= 680
        assert page.locator("main svg:not([viewBox])").count() == 0

    def test_a_figure_and_its_caption_have_room_on_one_sheet(self, open_page):
        """Else the caption stands alone on a sheet, and the figure on the next."""
        rng, labels = np.random.default_rng(0), [f"a group of cells {place % 12}" for place in range(120)]
        X = rng.normal(size=(120, 60))
        names = [f"ENSG0000014{j}" for j in range(60)]
        made = es.report(es.FisherScore(30).fit(X, labels), X, labels, feature_names=names, evaluation=False)
        page = self.on_paper(open_page(made.to_html(), viewport={"width": 703, "height": 1032}))
        heights = page.locator("#heat-map, #dots, #redundancy, #samples, #how-many").evaluate_all(
            "all => all.map(card => [card.id, card.getBoundingClientRect().height])"
        )
        assert len(heights) == 5
        assert [card for card, height in heights if height > 1032] == []

    def test_folded_cards_open_and_fold_again(self, open_page, genes_html):
        folds = "".join(f"<details id=f{i} {'open' if i else ''}><summary>f</summary>in {i}</details>" for i in (0, 1))
        page = self.on_paper(open_page(genes_html.replace("</main>", f"{folds}</main>")))
        state = "[0, 1].map(i => document.getElementById(`f${i}`).open)"
        assert page.evaluate(state) == [True, True]
        page.emulate_media(media="screen")
        until(page, "!onPaper.now")
        assert page.evaluate(state) == [False, True]

    def test_pages_of_a_pdf_are_well_filled(self, page):
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
        page.set_viewport_size({"width": 703, "height": 1032})  # A4 without its margins
        self.on_paper(page)
        least = page.evaluate("document.documentElement.scrollHeight") / 1032
        assert least <= pages <= 1.5 * least + 1
