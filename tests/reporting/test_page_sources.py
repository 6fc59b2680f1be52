"""Sources, in a browser: weights as bars, what is shared and missing, readable without a script, names as text."""

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE, right_edge

import eigenselect as es
from eigenselect.exceptions import SourceWarning
from eigenselect.multisource import FeatureSet, TargetData


@pytest.fixture(scope="module")
def made(two_groups):
    """A set whose name and missing members are hostile, half known; weights 1 to 3."""
    X, y = two_groups
    names = [f"g{j}" for j in range(40)]
    sources = [("the table", TargetData()), (HOSTILE[1], FeatureSet(["g0", "g1", "g30", *HOSTILE]))]
    with pytest.warns(SourceWarning):
        selector = es.MSFS(5, sources=sources, weights=[1, 3]).fit(X, y, feature_names=names)
    return es.report(selector, X, y, feature_names=names)


@pytest.mark.parametrize("script", [True, False])
def test_weights_and_facts_are_there_with_and_without_a_script(open_page, made, script):
    page = open_page(made.to_html(), java_script_enabled=script)
    rows = page.locator("#sources > ul > li")
    assert rows.locator("strong").all_text_contents() == ["the table", HOSTILE[1]]
    assert rows.locator(".source-weight span").all_text_contents() == ["weight 0.25", "weight 0.75"]
    widths = [bar.bounding_box()["width"] for bar in rows.locator(".track > div").all()]
    tracks = [track.bounding_box()["width"] for track in rows.locator(".track").all()]
    np.testing.assert_allclose(np.divide(widths, tracks), [0.25, 0.75], atol=0.01)
    facts = made.summary["sources"][HOSTILE[1]]
    told = rows.nth(1).locator(".source-facts li").evaluate_all("all => all.map(li => li.textContent)")
    assert told == [facts["matches"][0]["sentence"], facts["enrichment"]["sentence"]]
    assert f"3 of its {3 + len(HOSTILE)} features are in the table; not {HOSTILE[0]}, {HOSTILE[1]}" in told[0]
    assert "expected by chance (3 of all 40 are); it took part in the ranking, so more are expected" in told[1]
    about = page.locator("#sources .about").text_content()
    assert made.summary["weights"] in about
    assert "Equal weights would be 0.5 each." in about
    assert page.locator("#sources script, #sources img").count() == 0


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_scrolls_sideways_and_bars_can_be_seen(open_page, made, width, scheme):
    page = open_page(made.to_html(), viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert right_edge(page, "sources") <= width
    colours = page.locator(".track").first.evaluate(
        "track => [track, track.firstElementChild].map(e => getComputedStyle(e).backgroundColor)"
    )
    assert colours[0] != colours[1]
    side = [page.locator(f"#sources li > .{part}").first.bounding_box() for part in ("source-name", "source-weight")]
    assert (side[0]["y"] + side[0]["height"] <= side[1]["y"] + 1) == (width == 390)  # below each other on a phone


def test_members_are_places_of_the_ranking(made):
    listed = made.summary["all_features"]
    found = {listed["feature"][place] for place in listed["sets"][HOSTILE[1]]}
    assert found == {"g0", "g1", "g30"}


def test_rankers_are_shown_too(open_page, two_groups):
    X, y = two_groups
    selector = es.KOGS(3, rankers=[(None, es.FisherScore()), (None, es.LaplacianScore())]).fit(X, y)
    page = open_page(es.report(selector, X, y).to_html())
    assert page.locator("#sources strong").all_text_contents() == ["1: FisherScore", "2: LaplacianScore"]
    assert "2 rankings" in page.locator("#sources .about").text_content()


def test_other_pages_have_no_such_card(made, two_groups):
    X, y = two_groups
    assert 'id="sources"' not in es.report(es.FisherScore(3).fit(X, y), X, y).to_html()
    assert 'id="sources"' in made.to_html()
