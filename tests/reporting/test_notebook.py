"""What a notebook shows: no script, names as text, the notebook's colours, and a link that saves the whole page."""

import base64
import re

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.notebook import ROWS, columns_of, file_name, rows_of, shortened, small_heat_map


@pytest.fixture(scope="module")
def made(two_groups):
    X, y = two_groups
    return es.report(es.FisherScore(12, significance=True).fit(X, y), X, y, title="two groups")


def shown(open_page, report, width=1000, host=""):
    page = open_page(
        f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href='data:,'><style>{host}</style>{report._repr_html_()}",
        viewport={"width": width, "height": 900},
    )
    return page, page.locator(".eigenselect-view")


class TestParts:
    def test_ten_rows_with_what_is_known_of_each(self, made):
        known = made.summary["all_features"]
        rows = rows_of(made.summary)
        assert columns_of(made.summary)[:2] == ["score", "q"]
        assert len(rows) == ROWS
        for place, row in enumerate(rows):
            assert (row["rank"], row["feature"]) == (str(place + 1), known["feature"][place])
            assert float(row["cells"][0]) == pytest.approx(known["score"][place], rel=1e-3)
            assert float(row["cells"][1]) == pytest.approx(known["qvalue"][place], rel=6e-3)

    def test_what_is_not_ordered_has_no_rank(self, wine):
        X = wine[0]
        made = es.report(es.MRSF(3).fit(X), X, evaluation=False)
        made.summary["cut"] = False  # so that the rows go on beyond what is ordered
        assert [row["rank"] for row in rows_of(made.summary)] == ["1", "2", "3", *[""] * 7]

    def test_the_small_heat_map_shows_the_best(self, made):
        heat = small_heat_map(made.summary)
        view, known = made.summary["views"]["heat_map"], made.summary["all_features"]["feature"]
        assert sorted(heat["names"]) == sorted(row["feature"] for row in rows_of(made.summary)) == sorted(known[:ROWS])
        assert [name for name in view["features"] if name in heat["names"]] == heat["names"]  # in the page's order
        assert [mark["name"] for mark in heat["groups"]] == ["left", "right"]
        ends = [(mark["left"], mark["right"]) for mark in heat["groups"]]
        assert heat["left"] < ends[0][0] < ends[0][1] < ends[1][0] < ends[1][1] < heat["width"]

    def test_stability_is_the_share_of_refits_in_percent(self, made):
        known, place = made.summary["all_features"], columns_of(made.summary).index("stability")
        told = [row["cells"][place] for row in rows_of(made.summary)]
        assert told == [f"{round(100 * share)} %" for share in known["stability"][:ROWS]]
        assert "100 %" in told

    def test_one_group_has_no_line(self, made):
        view = made.summary["views"]["heat_map"]
        alone = {**view, "group": [0] * len(view["group"])}
        summary = {**made.summary, "views": {**made.summary["views"], "heat_map": alone}}
        assert small_heat_map(summary)["groups"] == []

    def test_the_small_heat_map_shows_nothing_that_was_not_kept(self, wine):
        X, y = wine
        made = es.report(es.FisherScore(3).fit(X, y), X, y, evaluation=False)
        assert len(made.summary["views"]["heat_map"]["features"]) > 3
        assert set(small_heat_map(made.summary)["names"]) == {
            shortened(row["feature"], 24) for row in rows_of(made.summary)
        }

    def test_groups_are_a_column_where_there_are_some(self, wine):
        X, y = wine
        alone = es.report(es.FisherScore(3).fit(X, y), X, y, evaluation=False)
        assert columns_of(alone.summary) == ["score"]
        X = X.assign(copy=X["flavanoids"])
        copied = es.report(es.FisherScore(3).fit(X, y), X, y, evaluation=False)
        assert columns_of(copied.summary) == ["score", "group"]
        assert {row["feature"] for row in rows_of(copied.summary) if row["cells"][1]} == {"flavanoids", "copy"}

    def test_file_names_are_harmless(self):
        assert file_name("../../etc/passwd") == "etc-passwd.html"
        assert file_name("<b>\x00") == "b.html"
        assert file_name("日本.csv") == "日本.csv.html"


class TestInANotebook:
    def test_answer_alerts_rows_and_picture(self, open_page, made):
        page, view = shown(open_page, made)
        told = view.inner_text()
        for part in made.summary["answer"]["sentences"]:
            assert part["question"] in told
            assert part["sentence"] in told
        assert all(name in told for name in made.summary["all_features"]["feature"][:12])
        assert ("No alerts" in told) == (not made.summary["alerts"])
        assert view.locator("tbody tr").count() == ROWS
        assert view.locator("svg image").count() == 1
        assert page.locator("script, iframe").count() == 0

    def test_it_is_about_as_high_as_a_screen_shows(self, open_page, made):
        _, view = shown(open_page, made)
        assert 250 < view.bounding_box()["height"] < 460

    def test_reports_of_one_notebook_do_not_disturb_each_other(self, open_page, made):
        alone, _ = shown(open_page, made)
        height = alone.locator(".eigenselect-view").bounding_box()["height"]
        twice = open_page(
            f"<!DOCTYPE html><meta charset=utf-8>{made._repr_html_()}{made._repr_html_()}",
            viewport={"width": 1000, "height": 900},
        )
        assert [view.bounding_box()["height"] for view in twice.locator(".eigenselect-view").all()] == [height, height]
        assert twice.locator("[id]").count() == 0

    def test_the_link_saves_the_whole_page(self, open_page, made):
        page, view = shown(open_page, made)
        link = view.get_by_role("link", name="Save the whole page")
        assert link.get_attribute("download") == "two-groups.html"
        assert link.bounding_box()["height"] >= 24
        content = link.get_attribute("href").partition("base64,")[2]
        assert base64.b64decode(content).decode() == made.to_html()
        with page.expect_download() as saved:
            link.click()
        assert saved.value.suggested_filename == "two-groups.html"

    def test_colours_are_the_notebooks(self, open_page, made):
        _, view = shown(open_page, made, host="body { --jp-ui-font-color0: rgb(250, 250, 240); background: #111 }")
        for part in (view, view.locator("td").first, view.locator("dd").first, view.locator("a")):
            assert part.evaluate("element => getComputedStyle(element).color") == "rgb(250, 250, 240)"
        assert view.locator("svg text").first.evaluate("e => getComputedStyle(e).fill") == "rgb(250, 250, 240)"

    def test_styles_reach_nothing_outside(self, made):
        style = re.search(r"<style>(.*?)</style>", made._repr_html_(), re.DOTALL)[1]
        selectors = [
            part.strip()
            for rule in re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", style))
            for part in rule.split(",")
        ]
        assert selectors
        assert all(selector.startswith(".eigenselect-view") for selector in selectors)

    @pytest.mark.parametrize("width", [390, 1000])
    def test_hostile_names_stay_text(self, open_page, hostile_report, width):
        page, view = shown(open_page, hostile_report, width=width)
        assert page.locator("script, img, iframe").count() == 0
        assert "<script>alert(1)</script>" in view.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_a_comparison(self, open_page, two_groups):
        X, y = two_groups
        made = compare({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, X, y, n_features=5, sizes=[2, 5])
        _, view = shown(open_page, made)
        told = view.inner_text()
        for part in made.summary["answer"]["sentences"]:
            assert part["sentence"] in told
        facts = made.summary["methods"]["fisher"]
        cells = view.locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells[:2] == [f"{facts['accuracy'][s]:.2f} ± {facts['accuracy_deviation'][s]:.2f}" for s in ("2", "5")]
        null = view.locator(".es-null td").all_inner_texts()
        assert null == [
            *(f"{high:.2f}" for _, high in made.summary["permuted_range"].values()),
            f"{facts['stability_permuted']:.2f}",  # laplacian uses no labels
        ]
        consensus, matrix = made.summary["consensus"], view.locator(".es-consensus tbody tr")
        assert matrix.locator("th").all_inner_texts() == consensus["feature"][:6]
        kept = [[row.locator("td").nth(1 + place).inner_text() for place in range(2)] for row in matrix.all()]
        ranks = list(zip(consensus["ranks"]["fisher"], consensus["ranks"]["laplacian"], strict=True))[:6]
        assert kept == [["" if rank is None else str(rank) for rank in row] for row in ranks]

    def test_many_methods_stay_small(self, open_page, two_groups):
        X, y = two_groups
        selectors = {f"method {number}": es.Variance() for number in range(15)}
        made = compare(selectors, X, y, n_features=2, sizes=[2], n_splits=2)
        _, view = shown(open_page, made)
        assert view.locator("table").first.locator("tbody tr:not(.es-null)").count() == 12
        assert "3 more methods are in the whole page" in view.inner_text()
        assert view.locator(".es-null td").last.inner_text() == "–"  # none uses labels
        assert view.locator(".es-consensus thead th").count() == 2


def test_no_picture_of_nothing(two_groups):
    X, y = two_groups
    noise = np.random.default_rng(0).normal(size=X.shape)
    made = es.report(es.FisherScore("fdr").fit(noise, y), noise, y, evaluation=False)
    assert made.summary["n_selected"] == 0
    assert rows_of(made.summary) == []
    told = made._repr_html_()
    assert made.summary["answer"]["headline"] in told
    assert "<svg" not in told
