"""What is said of p-values and q-values, in every rendering of one summary."""

import json
import re

import numpy as np
import pytest
from tests.reporting.conftest import data_of, tables_of

import eigenselect as es
from eigenselect.inference import Shadows, benjamini_hochberg
from eigenselect.reporting.significance import TRAP, probability_text, significance_facts
from eigenselect.selection import FDR
from eigenselect.similarity import FromTable


def without_pvalues(selector):
    """The selector as shadows leave it: q-values only."""
    for name in ("pvalues_", "null_mean_", "null_sd_"):
        delattr(selector, name)
    return selector


@pytest.fixture
def tested(two_groups):
    return es.FisherScore(5, significance=True).fit(*two_groups)


class TestProbabilityText:
    @pytest.mark.parametrize("value", [*10.0 ** -np.arange(0, 299, 13), 0.05, 0.999, 0.00099951, 0.0009994])
    def test_three_digits_of_any_size(self, value):
        text = probability_text(float(value))
        assert float(text) == pytest.approx(value, rel=5.1e-3)
        assert len(re.sub(r"^0\.0*|e.*|\.", "", text)) == 3

    @pytest.mark.parametrize("value", [0.0, 5e-324, 9e-301])
    def test_nothing_is_zero(self, value):
        assert probability_text(value) == "<1e-300"

    def test_what_is_not_defined(self):
        assert probability_text(float("nan")) == "nan"
        assert probability_text(None, undefined="") == ""


class TestFacts:
    @pytest.mark.parametrize(
        ("route", "says"),
        [
            ("shadows", "and at this level shadows keep at least 20 features, or none."),
            (Shadows(n_copies=3), "shadows keep at least 7 features, or none."),
            (Shadows(n_repeats=2), "shadows keep many features, or none."),
        ],
    )
    def test_shadows_that_keep_none_are_no_verdict_on_a_few_features(self, route, says):
        X = np.random.default_rng(0).normal(size=(60, 8))
        selector = es.LaplacianScore(2, significance=route, random_state=0).fit(X)
        sentence = significance_facts(selector)["sentence"]
        assert sentence.startswith("None of 8 tested features has q ≤ 0.05: the smallest q is")
        assert probability_text(selector.qvalues_.min()) in sentence
        assert sentence.endswith(says)

    def test_the_knee_is_not_shown_beside_q_values(self, tested, two_groups):
        told, plain = (es.report(found, *two_groups) for found in (tested, es.FisherScore(5).fit(*two_groups)))
        for words in (told.to_markdown(), told.to_html().split("<script")[0]):
            assert "knee" not in words
        assert "knee of the scores" in plain.to_markdown()
        assert "kept | 5 (the 5 best)" in told.to_markdown()

    def test_discoveries_are_counted_at_the_level_of_the_rule(self, two_groups):
        for how_many, alpha in ((5, 0.05), (FDR(0.2), 0.2), ("fdr", 0.05)):
            selector = es.FisherScore(how_many, significance=True).fit(*two_groups)
            facts = significance_facts(selector)
            assert (facts["alpha"], facts["n_tested"]) == (alpha, 40)
            assert facts["n_discoveries"] == (selector.qvalues_ <= alpha).sum() > 5
        assert significance_facts(selector, 1e-12)["n_discoveries"] == (selector.qvalues_ <= 1e-12).sum() < 12

    def test_features_without_a_score_are_not_tested(self, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 20] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            made = es.report(es.FisherScore(3, significance=True).fit(X, y), X, y)
        assert made.summary["significance"]["n_tested"] == 39
        assert json.loads(made.to_json())["all_features"]["pvalue"][-1] is None

    def test_the_route_is_written_as_its_parameter(self, two_groups, tested):
        X, y = two_groups
        assert significance_facts(tested)["route"] == "True"
        asked_by_the_rule = es.FisherScore("fdr").fit(X, y)
        assert significance_facts(asked_by_the_rule)["route"] == "True"
        tested.significance = es.inference.Permutation(precision=None)
        assert significance_facts(tested)["route"] == "Permutation(precision=None)"

    def test_what_it_rests_on_follows_the_graph(self, two_groups):
        X, y = two_groups
        coordinates = np.column_stack([(y == "left") + 0.1 * np.arange(60) / 60, np.arange(60) % 7])
        S = (np.arange(60)[:, None] // 5 == np.arange(60) // 5).astype(float)
        elsewhere = es.LaplacianScore(3, similarity=FromTable(coordinates), significance=True).fit(X)
        with pytest.warns(es.exceptions.GraphWarning):
            given = es.LaplacianScore(3, significance="given").fit(X, similarity_matrix=S)
        split = es.LaplacianScore(3, significance="split").fit(X)
        labels = es.FisherScore(3, significance=True).fit(X, y)
        words = [
            "labels came from elsewhere",
            "other table was not computed",
            "given matrix was not",
            "graphs of others",
        ]
        for selector, says in zip((labels, elsewhere, given, split), words, strict=True):
            assert says in significance_facts(selector)["rests_on"]

    def test_a_fit_that_was_not_asked_has_none(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(3).fit(X, y), X, y)
        assert made.summary["significance"] is None
        assert made.summary["views"]["significance"] is None
        assert TRAP not in made.to_html()
        assert "Significance" not in made.to_markdown()
        assert not {"pvalue", "qvalue"} & (data_of(made.to_html())["all_features"].keys())


class TestRenderings:
    def test_all_say_the_same(self, tested, two_groups):
        made = es.report(tested, *two_groups)
        order = tested.ranking_.argsort()
        rows = json.loads(made.to_json())["features"]
        assert [row["pvalue"] for row in rows] == tested.pvalues_[order[:5]].tolist()
        assert [row["qvalue"] for row in rows] == benjamini_hochberg(tested.pvalues_)[order[:5]].tolist()
        page = data_of(made.to_html())["all_features"]
        np.testing.assert_allclose(page["pvalue"], tested.pvalues_[order], rtol=1e-5)
        np.testing.assert_allclose(page["qvalue"], tested.qvalues_[order], rtol=1e-5)
        listed = tables_of(made.to_markdown())[-1]
        assert [cell.strip() for cell in listed[0][-2:]] == ["p", "q"]
        assert [line[-2].strip() for line in listed[2:]] == [probability_text(row["pvalue"]) for row in rows]

    def test_the_trap_is_the_first_sentence(self, tested, two_groups):
        made = es.report(tested, *two_groups)
        section = made.to_html().split('id="significance-title"')[1]
        assert re.search(r"<p[^>]*>(.*?)</p>", section, re.DOTALL)[1].startswith(TRAP)
        assert made.to_markdown().split("## Significance")[1].strip().startswith(TRAP)
        assert all(word in TRAP for word in ("leiden", "k-means", "PCA", "UMAP", "make noise look significant"))

    def test_shadows_have_q_values_only(self, tested, two_groups):
        made = es.report(without_pvalues(tested), *two_groups)
        row = made.summary["features"][0]
        assert "pvalue" not in row
        assert "qvalue" in row
        assert made.summary["views"]["significance"]["histogram"] is None
        assert made.summary["views"]["significance"]["quantiles"] is None
        html = made.to_html()
        assert 'id="mean-chart"' in html
        assert 'id="pvalue-chart"' not in html
        assert "p-values do not exist" in html
        assert [cell.strip() for cell in tables_of(made.to_markdown())[-1][0]][-1] == "q"
        assert '"pvalue"' not in made.to_json()
