"""One summary in every rendering: Markdown, JSON, page and notebook say the same, and names are text in all of them."""

import base64
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from tests.reporting.conftest import HOSTILE, answers_of, data_of, tables_of, text_of

import eigenselect as es
from eigenselect.inference import Shadows, Split, benjamini_hochberg
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.reporting import Fitted, Report, add_answer, compare, summarise
from eigenselect.reporting.significance import TRAP, probability_text
from eigenselect.selection import FDR
from eigenselect.similarity import FromTable


@pytest.fixture(scope="module")
def tested(two_groups):
    return es.FisherScore(5, significance=True).fit(*two_groups)


@pytest.fixture(scope="module")
def made(tested, two_groups):
    return es.report(tested, *two_groups, title="two groups")


class TestSnapshots:
    """Whole texts, reviewed when they change; numbers are of whole numbers, times and versions left out."""

    @pytest.fixture
    def pets(self, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        rng = np.random.default_rng(4)
        X = rng.integers(0, 9, size=(24, 6)).astype(float)
        X[:12, :2] += [8, 5]
        return pd.DataFrame(X, columns=["tail", "ear", "a|b", "paw", "eye", "fur"]), np.repeat(["cat", "dog"], 12)

    def plain(self, made):
        made.summary["paper"]["versions"] = {}
        for facts in made.summary.get("methods", {}).values():
            facts["seconds"] = 0.0
        return made.to_markdown().replace(es.__version__, "VERSION")

    def test_snapshot_of_a_ranking(self, pets, snapshot):
        selector = es.FisherScore(2, significance=True).fit(*pets)
        snapshot("page_ranking.md", self.plain(es.report(selector, *pets, title="pets.csv")))

    def test_snapshot_of_a_comparison(self, pets, snapshot):
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore(similarity="rbf")}
        found = compare(selectors, *pets, n_features=2, sizes=[1, 2], n_splits=3, title="pets.csv")
        snapshot("page_comparison.md", self.plain(found))

    def test_snapshot_of_a_fusion(self, pets, snapshot):
        sources = [("table", TargetData()), ("set", FeatureSet(["tail", "paw"])), ("classes", SampleCategories())]
        selector = es.MSFS(2, sources=sources, weights=[1, 1, 2]).fit(*pets)
        snapshot("page_fused.md", self.plain(es.report(selector, *pets, title="pets.csv")))


class TestNames:
    def test_hostile_names_survive_json_markdown_and_html(self, hostile_report):
        names = [row["feature"] for row in hostile_report.summary["features"]]
        assert [row["feature"] for row in json.loads(hostile_report.to_json())["features"]] == names
        html, markdown = hostile_report.to_html(), hostile_report.to_markdown()
        assert set(HOSTILE) <= set(data_of(html)["all_features"]["feature"])
        assert html.count("<script") == 3  # theme, data, page
        assert "<script" not in markdown + hostile_report._repr_html_()
        assert "<img" not in markdown
        table = markdown.split("## Features")[1].strip().splitlines()
        assert {line.count(" | ") for line in table if line.startswith("|")} == {3}

    def test_no_name_breaks_a_markdown_table(self, two_groups):
        X, y = two_groups[0][:, :9].copy(), two_groups[1]
        X[:, 0] = np.arange(60) == 7
        names = ["TP53|7157", "a`b`", "x\ny", "<b>|</b>", "__z__*w*", "\\|", "[a](b)", "$x$ & ~", "|"]
        methods = {name: es.FisherScore() for name in (names[0], names[3], names[5])}
        both = compare(methods, X, y, n_features=9, sizes=[1], n_splits=2, feature_names=names, title=names[0])
        selector = es.FisherScore(9).fit(X, y)
        for turn in range(9):
            order = names[turn:] + names[:turn]
            ranking = es.report(selector, X, y, evaluation=False, feature_names=order, title=order[0])
            for report in (ranking, both)[: 1 + (turn == 0)]:
                found = tables_of(report.to_markdown())
                assert {len({len(row) for row in table}) for table in found} == {1}
                cells = [text_of(cell) for table in found for row in table for cell in row]
                assert all(any(" ".join(name.split()) in cell for cell in cells) for name in names)
            alert = next(line for line in ranking.to_markdown().splitlines() if "one sample" in line)
            assert repr(order[0]) in text_of(alert)

    def test_no_command_ends_its_block(self, made):
        summary = {**made.summary, "paper": {**made.summary["paper"], "command": "rank '```\n# title\n````'"}}
        assert "\n`````\nrank '```\n# title\n````'\n`````\n" in Report(summary).to_markdown()


class TestMarkdown:
    def test_answers_alerts_numbers_and_paper(self, made, two_groups):
        text, facts = made.to_markdown(), made.summary["evaluation"]
        for question, sentence in answers_of(made.summary).items():
            assert f"**{question}** {sentence}" in text_of(text)
        told = {row[0].strip(): row[1] for table in tables_of(text) for row in table if len(row) == 2}
        numbers = [float(number) for number in re.findall(r"\d\.\d{3}", told["held-out accuracy"])]
        keys = ("mean", "deviation", "largest_class", "permuted")
        assert numbers == pytest.approx([facts["accuracy"][key] for key in keys], abs=5e-4)
        assert f"{facts['stability']['overlap']:.2f}" in told["stability"]
        assert f"{facts['band']['n_above']} of 40" in told["scores"]
        paper, last = made.summary["paper"], text.split("## For the paper")[1]
        assert paper["command"] in last
        assert all(reference["bibtex"] in last for reference in paper["references"])
        assert text_of(last.split("\n\n")[1]) == paper["methods"]
        assert "## No alerts" in text
        labelled = es.report(es.LaplacianScore(3).fit(two_groups[0]), *two_groups, evaluation=False)
        assert "## 1 alert\n\n- The labels" in labelled.to_markdown()
        assert "Evaluation" not in labelled.to_markdown()

    def test_only_what_was_asked_for_is_told(self, wine):
        X, y = wine
        fitted = Fitted(es.FisherScore(3).fit(X, y), X, y, list(X))
        for views, told in (((), []), (["redundancy"], ["redundancy"]), (["spectrum"], ["spectrum"])):
            text = Report(summarise(fitted, kept=3, views=views)).to_markdown()
            assert [name for name in ("redundancy", "spectrum") if f"| {name} |" in text] == told
        noted = summarise(fitted, kept=3, notes=["2 cells were empty"])
        assert "**Warning:** 2 cells" in Report(noted).to_markdown()
        assert "## 1 alert\n\n- 2 cells" in Report(add_answer(noted, fitted)).to_markdown()


class TestPage:
    def test_it_asks_for_nothing_and_is_the_same_again(self, hostile_report, wine):
        html = hostile_report.to_html()
        assert "default-src 'none'" in html
        own = re.sub(r'<script type="application/json".*?</script>', "", html, flags=re.DOTALL)
        assert set(re.findall(r"(?:https?:)?//[\w.]+", re.sub(r"//[^\n]*\n", "\n", own))) <= {"http://www.w3.org"}
        one, other = (es.report(es.LaplacianScore(3).fit(wine[0]), wine[0]).to_html() for _ in range(2))
        assert one == other

    def test_numbers_are_rounded_and_names_have_an_end(self, made, two_groups):
        shown = data_of(made.to_html())["all_features"]
        np.testing.assert_allclose(shown["score"], made.summary["all_features"]["score"], rtol=1e-5)
        assert max(len(repr(score)) for score in shown["score"]) < 12
        X, y = np.random.default_rng(0).normal(size=(20, 6000)), np.repeat(["a", "b"], 10)
        many = es.report(es.FisherScore(5500).fit(X, y), X, y, evaluation=False).to_html()
        card = many[many.index('id="answer"') : many.index('id="alerts"')]
        assert "and 500 more" in card
        assert len(card) < 100_000

    def test_the_card_of_scores_says_what_the_band_says(self, made, two_groups):
        X, y = two_groups

        def card(report):
            found = re.search(r'<section class="card" id="how-many".*?</section>', report.to_html(), re.DOTALL)[0]
            return " ".join(re.sub(r"<[^>]+>", " ", found).split())

        assert f"{made.summary['evaluation']['band']['n_above']} of 40" in card(made)
        assert "knee" not in card(made)  # q-values say more
        assert "No band" in card(es.report(es.TraceRatio(4).fit(X, y), X, y))
        assert "turned off" in card(es.report(es.FisherScore(4).fit(X, y), X, y, evaluation=False))
        wide = X * 10.0 ** np.linspace(-2, 3, 40)
        below = es.report(es.TraceRatio(5).fit(wide, y), wide, y, evaluation=False)
        count = sum(row["score"] < 0 for row in below.summary["features"])
        assert (f"{count} of the kept" in card(below)) == (count > 0)


class TestNotebook:
    def rows(self, report):
        """Texts of the rows of the table."""
        body = re.search(r"<tbody>(.*?)</tbody>", report._repr_html_(), re.DOTALL)[1]
        rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
        return [
            [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)]
            for row in rows
        ]

    def test_ten_rows_with_what_is_known_of_each(self, wine):
        X, y = wine
        X = X.assign(copy=X["flavanoids"])
        report = es.report(es.FisherScore(12, significance=True).fit(X, y), X, y)
        known, rows = report.summary["all_features"], self.rows(report)
        assert len(rows) == 10
        for place, row in enumerate(rows):
            assert row[:2] == [str(place + 1), known["feature"][place]]
            assert float(row[2]) == pytest.approx(known["score"][place], rel=1e-3)
            assert float(row[3].replace("<", "")) == pytest.approx(known["qvalue"][place], rel=6e-3)
            assert f"{round(100 * known['stability'][place])} %" in row

    def test_the_picture_has_the_colours_of_the_heat_map(self, made):
        view = made.summary["views"]["heat_map"]
        content = re.search(r"data:image/png;base64,([^\"']+)", made._repr_html_())[1]
        pixels = imread(io.BytesIO(base64.b64decode(content)))
        steps = np.frombuffer(base64.b64decode(view["steps"]), np.int8).reshape(len(view["features"]), -1)
        kept = {row["feature"] for row in made.summary["features"]}
        shown = steps[[name in kept for name in view["features"]]]
        assert pixels.shape[:2] == shown.shape
        colours = {level: {tuple(pixel) for pixel in pixels[shown == level]} for level in np.unique(shown)}
        assert all(len(found) == 1 for found in colours.values())
        assert len(set.union(*colours.values())) > 0.8 * len(colours)

    def test_styles_reach_nothing_outside_and_file_names_are_harmless(self, made):
        style = re.search(r"<style>(.*?)</style>", made._repr_html_(), re.DOTALL)[1]
        rules = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", style))
        selectors = [part.strip() for rule in rules for part in rule.split(",")]
        assert selectors
        assert all(selector.startswith(".eigenselect-view") for selector in selectors)
        for title, name in (
            ("../../etc/passwd", "etc-passwd.html"),
            ("<b>\x00", "b.html"),
            ("日本.csv", "日本.csv.html"),
        ):
            assert f'download="{name}"' in Report({**made.summary, "title": title, "data": title})._repr_html_()

    def test_what_is_not_kept_or_ordered_is_not_shown(self, two_groups, wine):
        X, y = np.random.default_rng(0).normal(size=(60, 40)), two_groups[1]
        nothing = es.report(es.FisherScore("fdr").fit(X, y), X, y, evaluation=False)
        assert nothing.summary["n_selected"] == 0
        assert nothing.summary["answer"]["headline"] in nothing._repr_html_()
        assert "<svg" not in nothing._repr_html_()
        mrsf = es.report(es.MRSF(3).fit(wine[0]), wine[0], evaluation=False)
        mrsf.summary["cut"] = False  # so that the rows go on beyond what is ordered
        assert [row[0] for row in self.rows(mrsf)] == ["1", "2", "3", *[""] * 7]
        many = compare({f"m {j}": es.Variance() for j in range(14)}, X[:, :3], y, n_features=2, sizes=[2], n_splits=2)
        assert "2 more methods" in many._repr_html_()


class TestSignificance:
    def test_p_and_q_values_are_the_same_everywhere(self, made, tested):
        order = tested.ranking_.argsort()
        rows = json.loads(made.to_json())["features"]
        assert [row["pvalue"] for row in rows] == tested.pvalues_[order[:5]].tolist()
        assert [row["qvalue"] for row in rows] == benjamini_hochberg(tested.pvalues_)[order[:5]].tolist()
        page = data_of(made.to_html())["all_features"]
        np.testing.assert_allclose(page["qvalue"], tested.qvalues_[order], rtol=1e-5)
        listed = tables_of(made.to_markdown())[-1]
        assert [cell.strip() for cell in listed[0][-2:]] == ["p", "q"]
        assert [line[-2].strip() for line in listed[2:]] == [probability_text(row["pvalue"]) for row in rows]
        section = made.to_html().split('id="significance-title"')[1]
        assert re.search(r"<p[^>]*>(.*?)</p>", section, re.DOTALL)[1].startswith(TRAP)
        assert made.to_markdown().split("## Significance")[1].strip().startswith(TRAP)
        assert all(word in TRAP for word in ("leiden", "k-means", "PCA", "UMAP"))

    def test_probabilities_have_three_digits_of_any_size(self):
        for value in [*10.0 ** -np.arange(0, 299, 13), 0.05, 0.999, 0.00099951, 0.0009994]:
            text = probability_text(float(value))
            assert float(text) == pytest.approx(value, rel=5.1e-3)
            assert len(re.sub(r"^0\.0*|e.*|\.", "", text)) == 3
        assert {probability_text(value) for value in (0.0, 5e-324, 9e-301)} == {"<1e-300"}

    def test_discoveries_are_counted_at_the_level_of_the_rule(self, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 20] = 1.0
        for how_many, alpha in ((5, 0.05), (FDR(0.2), 0.2), ("fdr", 0.05)):
            with pytest.warns(es.exceptions.UndefinedScoreWarning):
                selector = es.FisherScore(how_many, significance=True).fit(X, y)
            facts = es.report(selector, X, y, evaluation=False).summary["significance"]
            assert (facts["alpha"], facts["n_tested"], facts["route"]) == (alpha, 39, "True")
            assert facts["n_discoveries"] == (selector.qvalues_ <= alpha).sum() > 5

    def test_what_it_rests_on_follows_the_graph(self, two_groups):
        X, y = two_groups[0][:, 12:24], two_groups[1]
        S = (np.arange(60)[:, None] // 5 == np.arange(60) // 5).astype(float)
        places = np.column_stack([np.arange(60) % 7, np.arange(60)])
        with pytest.warns(es.exceptions.GraphWarning):
            given = es.LaplacianScore(3, significance="given").fit(X, similarity_matrix=S)
        for selector, words in (
            (es.FisherScore(3, significance=True).fit(X, y), "labels came from elsewhere"),
            (es.LaplacianScore(3, similarity=FromTable(places), significance=True).fit(X), "other table"),
            (given, "given matrix"),
            (es.LaplacianScore(3, significance=Split(2, 1)).fit(X), "graphs of others"),
        ):
            facts = es.report(selector, X, y, evaluation=False).summary["significance"]
            assert words in facts["rests_on"]

    def test_shadows_have_q_values_only(self, two_groups):
        X, y = np.random.default_rng(0).normal(size=(60, 8)), two_groups[1]
        for route, least in (
            ("shadows", "at least 20"),
            (Shadows(n_copies=3), "at least 7"),
            (Shadows(n_repeats=2), "many"),
        ):
            report = es.report(es.LaplacianScore(2, significance=route, random_state=0).fit(X), X, y, evaluation=False)
            assert f"keep {least}" in report.summary["significance"]["sentence"]
        assert '"pvalue"' not in report.to_json()
        assert '"qvalue"' in report.to_json()
        assert 'id="pvalue-chart"' not in report.to_html()
        assert [cell.strip() for cell in tables_of(report.to_markdown())[-1][0]][-1] == "q"

    def test_a_fit_that_was_not_asked_has_none(self, two_groups):
        untested = es.report(es.FisherScore(3).fit(*two_groups), *two_groups, evaluation=False)
        assert untested.summary["significance"] is untested.summary["views"]["significance"] is None
        assert TRAP not in untested.to_html()
        assert "Significance" not in untested.to_markdown()
