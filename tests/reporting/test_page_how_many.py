"""The card "How many?" in a browser: the curve, the user's cut, the band of permuted data, an axis that can be read."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine

import eigenselect as es


def card(html):
    """The words of the card as they are without a script."""
    found = re.search(r'<section class="card" id="how-many".*?</section>', html, re.DOTALL)[0]
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


@pytest.fixture(scope="module")
def fisher(two_groups):
    X, y = two_groups
    return es.report(es.FisherScore(5).fit(X, y), X, y)


@pytest.fixture(scope="module")
def unscaled():
    """Features in units of their own: one spread is a million times another."""
    return load_wine(return_X_y=True, as_frame=True)


class TestWords:
    def test_they_say_what_the_band_says(self, fisher):
        band, words = fisher.summary["evaluation"]["band"], card(fisher.to_html())
        assert "You kept 5 of 40 features (the 5 best): the dashed line." in words
        assert f"{band['n_above']} of 40 features score more than the best feature of 3 fits to permuted data" in words
        assert "the labels in random order" in words
        assert "in 1 of 4 cases" in words
        assert "below 0" not in words

    def test_a_band_that_is_missing_says_why(self, two_groups):
        X, y = two_groups
        words = card(es.report(es.TraceRatio(4).fit(X, y), X, y).to_html())
        assert "No band of permuted data beside the curve: TraceRatio chooses features together" in words

    def test_turned_off(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(4).fit(X, y), X, y, evaluation=False)
        assert made.summary["evaluation"] is None
        assert "the evaluation was turned off" in card(made.to_html())

    def test_q_values_are_counted_and_no_knee_is_named(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(5, significance=True).fit(X, y), X, y, evaluation=False)
        facts, words = made.summary["significance"], card(made.to_html())
        assert f"{facts['n_discoveries']} of 40 tested features have q ≤ 0.05." in words
        assert "knee" not in words

    def test_kept_features_below_zero_are_explained(self, unscaled):
        X, y = unscaled
        made = es.report(es.TraceRatio(5).fit(X, y), X, y, evaluation=False)
        below = sum(row["score"] < 0 for row in made.summary["features"])
        assert below > 0
        assert f"{below} of the kept features have a score below 0: alone, such a feature lowers" in card(
            made.to_html()
        )

    def test_no_number_was_asked_for(self, two_groups):
        X, y = two_groups
        from eigenselect.reporting import Report, add_views, summarise
        from eigenselect.reporting.inputs import check_fitted

        fitted = check_fitted("report", es.FisherScore().fit(X, y), X, y)
        assert "No number of features was asked for" in card(Report(add_views(summarise(fitted), fitted)).to_html())


class TestCurve:
    @pytest.mark.parametrize("settings", [{}, {"color_scheme": "dark", "viewport": {"width": 390, "height": 800}}])
    def test_only_the_cut_of_the_user_is_marked(self, open_page, fisher, settings):
        chart = open_page(fisher.to_html(), **settings).locator("#score-chart")
        assert chart.locator("line.mark").count() == 1
        assert chart.locator(".mark-text").all_text_contents() == ["kept 5"]
        assert chart.locator(".turn").count() == 1
        assert "knee" not in chart.locator("> svg > text").all_text_contents()
        assert chart.get_attribute("data-figure") == "scores"

    def test_no_knee_beside_q_values(self, open_page, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(5, significance=True).fit(X, y), X, y, evaluation=False)
        assert 0 < made.summary["scores"]["knee"] < 40
        assert open_page(made.to_html()).locator("#score-chart .turn").count() == 0

    def test_the_band_lies_where_permuted_scores_lie(self, open_page, fisher):
        page = open_page(fisher.to_html())
        band = fisher.summary["evaluation"]["band"]
        points = page.locator("#score-chart path.null-band").get_attribute("d").rstrip("Z")
        places = np.array([[float(v) for v in pair.split()] for pair in re.split("[ML]", points)[1:]])
        assert len(places) == 2 * len(band["rank"])
        heights = np.array([*band["high"], *band["low"][::-1]])
        # one straight line leads from scores to places, the same that the curve of the features is drawn by
        curve = page.locator("#score-chart path.series").first.get_attribute("d")
        drawn = np.array([[float(v) for v in pair.split()] for pair in re.split("[ML]", curve)[1:]])
        slope, start = np.polyfit(fisher.summary["all_features"]["score"], drawn[:, 1], 1)
        np.testing.assert_allclose(places[:, 1], start + slope * heights, atol=0.15)
        np.testing.assert_allclose(places[:40, 0], drawn[:, 0], atol=0.11)

    def test_the_key_and_all_words_are_inside(self, open_page, fisher):
        for width in (1400, 390):
            page = open_page(fisher.to_html(), viewport={"width": width, "height": 800})
            frame = page.locator("#score-chart svg").bounding_box()
            texts = page.locator("#score-chart svg text")
            assert "permuted (3 fits)" in texts.all_text_contents()
            for box in texts.evaluate_all("all => all.map((t) => t.getBoundingClientRect().toJSON())"):
                assert frame["x"] - 1 <= box["left"]
                assert box["right"] <= frame["x"] + frame["width"] + 1

    def test_other_than_the_first_are_circled(self, open_page, two_groups):
        X, y = two_groups
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        rule = es.selection.TopK(3, must_keep=[order[20]], never=[order[0]])
        page = open_page(es.report(es.FisherScore(rule).fit(X, y), X, y, evaluation=False).to_html())
        assert "kept" not in page.locator("#score-chart").inner_text()
        assert page.locator("#score-chart circle[r='4.5']").count() == 3
        assert "Circles mark what is kept" in page.locator("#how-many").inner_text()

    def test_the_curve_ends_where_the_order_does(self, open_page, two_groups):
        X, y = two_groups
        page = open_page(es.report(es.MRSF(3, target="lda").fit(X, y), X, y, evaluation=False).to_html())
        assert page.locator("#score-chart circle").count() == 3
        assert page.locator("#score-chart .mark").count() == 0  # nothing lies beyond it


class TestScale:
    def test_scores_over_many_decades_are_told_apart(self, open_page, unscaled):
        X, _ = unscaled
        with pytest.warns(es.exceptions.UnitsWarning):
            made = es.report(es.EVSC(4).fit(X), X, evaluation=False)
        page = open_page(made.to_html())
        assert "score (symmetric logarithm)" in page.locator("#score-chart text").all_text_contents()
        heights = page.locator("#score-chart circle[r='3']").evaluate_all(
            "all => all.map((c) => Number(c.getAttribute('cy')))"
        )
        gaps = np.diff(heights)
        assert (gaps >= 0).all()
        assert gaps.max() < 0.6 * (heights[-1] - heights[0])  # on a plain axis the first gap is all there is
        shares = page.evaluate("[0, 1, 2, 3, 4].map(scoreShare)")
        assert shares[0] == 1
        assert min(shares) > 0.2

    def test_zero_and_the_sign_keep_their_places(self, open_page, unscaled):
        X, y = unscaled
        page = open_page(es.report(es.TraceRatio(5).fit(X, y), X, y, evaluation=False).to_html())
        ticks = page.evaluate("scoreScale.ticks")
        assert {0, 10, -10, -100} <= set(ticks)
        placed = page.evaluate("[-100, -10, 0, 10, 26].map(scoreScale.place)")
        assert placed == sorted(placed)
        assert placed[2] == 0
        assert placed[1] == -placed[3]
        again = page.evaluate("[-310, -1, 0, 5].map((v) => scoreScale.value(scoreScale.place(v)))")
        np.testing.assert_allclose(again, [-310, -1, 0, 5], atol=1e-9)

    def test_ordinary_scores_have_an_ordinary_axis(self, open_page, fisher):
        page = open_page(fisher.to_html())
        assert page.evaluate("scoreScale.symmetricLog") is False
        scores = np.array(fisher.summary["all_features"]["score"])
        np.testing.assert_allclose(
            page.evaluate("scores.map((_, place) => scoreShare(place))"), scores / scores[0], atol=1e-4
        )
        assert page.evaluate("[scoreShare(null), scoreShare(Infinity)]") == [None, None]
