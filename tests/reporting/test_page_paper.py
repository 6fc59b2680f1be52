"""For the paper, in a browser: folded, readable without a script, copied by buttons, printed open, names as text."""

import shlex

import pytest
from tests.reporting.conftest import HOSTILE, right_edge

import eigenselect as es

#: as in a frame of a notebook
REFUSED = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"


@pytest.fixture(scope="module")
def made(two_groups):
    X, y = two_groups
    return es.report(es.FisherScore(3, significance=True).fit(X, y), X, y, title="two groups")


def shown(page, part):
    return page.locator(f"#{part}").evaluate("part => part.textContent")


def unfold(page):
    page.locator("#paper > summary").click()


class TestReading:
    @pytest.mark.parametrize("script", [True, False])
    def test_everything_is_there_with_and_without_a_script(self, open_page, made, script):
        page = open_page(made.to_html(), java_script_enabled=script)
        facts = made.summary["paper"]
        assert not page.locator("#paper-methods").is_visible()
        unfold(page)
        assert page.locator("#paper-methods").is_visible()
        assert shown(page, "paper-methods") == facts["methods"]
        assert shown(page, "paper-command") == facts["command"]
        assert shown(page, "paper-bibtex") == "\n\n".join(one["bibtex"] for one in facts["references"])
        assert page.locator("#paper-references li").all_text_contents() == [one["text"] for one in facts["references"]]
        names, values = (page.locator(f"#paper {tag}").all_text_contents() for tag in ("dt", "dd"))
        terms = dict(zip(names, values, strict=True))
        assert terms["SHA-256"] == facts["data_hash"]
        assert terms["date"] == facts["date"]
        assert f"numpy {facts['versions']['numpy']}" in terms["versions"]
        assert terms["seed"] == facts["seed"]
        assert made.summary["reference"] in terms["method"]
        assert page.locator("#paper .copier:visible").count() == (4 if script else 0)

    def test_a_summary_without_it_still_has_its_page(self, open_page, made):
        summary = {key: value for key, value in made.summary.items() if key != "paper"}
        page = open_page(es.reporting.Report(summary).to_html())
        assert page.locator("#paper").count() == 0
        assert made.summary["reference"] in page.locator("p.reference").text_content()

    def test_it_prints_open(self, open_page, made):
        page = open_page(made.to_html())
        unfold(page)
        page.emulate_media(media="print")
        assert page.locator("#paper-methods").is_visible()
        assert page.locator("#paper .copier:visible").count() == 0
        box = page.locator("#paper-bibtex").evaluate("pre => [pre.scrollHeight, pre.clientHeight]")
        assert box[0] <= box[1] + 1  # nothing is cut off


class TestCopying:
    @pytest.mark.parametrize("allowed", [True, False])
    def test_buttons_copy_and_say_so(self, open_page, made, allowed):
        page = open_page(made.to_html(), permissions=["clipboard-read", "clipboard-write"])
        if not allowed:  # as in a frame of a notebook: the old way
            page.evaluate(REFUSED)
        unfold(page)
        facts = made.summary["paper"]
        expected = {
            "the methods paragraph": facts["methods"],
            "the references": "\n".join(one["text"] for one in facts["references"]),
            "BibTeX": "\n\n".join(one["bibtex"] for one in facts["references"]),
            "the command": facts["command"],
        }
        for what, text in expected.items():
            button = page.locator("#paper").get_by_role("button", name=f"Copy {what}")
            button.focus()
            page.keyboard.press("Enter")
            page.locator("#paper-told").get_by_text(f"copied {what}").wait_for()
            assert page.evaluate("navigator.clipboard.readText()") == text
            assert button.evaluate("button => button === document.activeElement")
        assert page.locator("#paper-told").get_attribute("role") == "status"

    def test_where_nothing_can_be_copied_it_is_said(self, open_page, made):
        page = open_page(made.to_html())
        page.evaluate(REFUSED)
        page.evaluate("() => { document.execCommand = () => false; }")
        unfold(page)
        page.get_by_role("button", name="Copy BibTeX").click()
        page.locator("#paper-told").get_by_text("not copied").wait_for()
        assert page.locator("#paper-told").text_content() == "not copied: select the text and copy it by hand"

    def test_targets_are_large_enough(self, open_page, made):
        page = open_page(made.to_html(), viewport={"width": 390, "height": 800})
        unfold(page)
        for button in page.locator("#paper .copier, #paper summary").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 24


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_words_are_text_and_nothing_scrolls_sideways(open_page, hostile_report, width, scheme):
    summary = dict(hostile_report.summary)
    command = shlex.join(["eigenselect", "rank", *HOSTILE])
    summary |= {"data": HOSTILE[5], "paper": summary["paper"] | {"command": command, "label": HOSTILE[1]}}
    summary["paper"]["data_hash"] = f"{'0' * 64}  {HOSTILE[0]}"
    page = open_page(
        es.reporting.Report(summary).to_html(), viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    unfold(page)
    assert shlex.split(shown(page, "paper-command")) == ["eigenselect", "rank", *HOSTILE]
    assert page.locator("#paper dd").nth(1).text_content().endswith(HOSTILE[0])
    assert page.locator("#paper script, #paper img").count() == 0
    assert right_edge(page, "paper") <= width
