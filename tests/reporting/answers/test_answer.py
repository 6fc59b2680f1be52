"""The answer: every sentence says what can be computed again, with its null beside it."""

import copy
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr
from tests.reporting.ranked import GOOD, POOR, fitted_to, summary_of

import eigenselect as es
from eigenselect.multisource import TargetData
from eigenselect.reporting.answers.answer import (
    add_answer,
    does_it_predict,
    headline,
    how_redundant,
    how_stable,
    how_sure,
)
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.ranking import add_views
from eigenselect.reporting.views.near_copies import chance_of_copy
from eigenselect.selection import TopK

Y = np.repeat(["a", "b"], 20)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(40, 10))
    X[:20, :3] += 3
    return X


def sure(selector, X, y=None, *, cut=True, **fit):
    fitted = fitted_to(selector, X, y, **fit)
    return how_sure(summary_of(fitted, cut=cut))


def redundant(selector, X, y=None, *, cut=True, **parts):
    fitted = fitted_to(selector, X, y)
    return how_redundant({**add_views(summary_of(fitted, cut=cut), fitted, ["redundancy", "near_copies"]), **parts})


class TestTheWhole:
    def test_four_questions_and_nothing_else_changes(self, table):
        fitted = fitted_to(es.FisherScore(3), table, Y)
        summary = add_views(summary_of(fitted, evaluation=GOOD), fitted)
        before = copy.deepcopy(summary)
        found = add_answer(summary, fitted)
        assert summary == before
        assert {key: found[key] for key in before} == before
        assert [said["question"] for said in found["answer"]["sentences"]] == [
            "How sure?",
            "Does it predict?",
            "How redundant?",
            "How stable?",
        ]
        assert all(said["sentence"].endswith(".") for said in found["answer"]["sentences"])
        assert found["alerts"] == []

    def test_without_views_and_evaluation(self, table):
        fitted = fitted_to(es.FisherScore(3), table, Y)
        sentences = [said["sentence"] for said in add_answer(summary_of(fitted), fitted)["answer"]["sentences"]]
        assert all(sentence.startswith("Not ") for sentence in sentences)


class TestHeadline:
    def test_kept(self, table):
        assert headline(summary_of(fitted_to(es.FisherScore(3), table, Y))) == "3 of 10 features kept (the 3 best)"

    def test_nothing_was_cut(self, table):
        assert (
            headline(summary_of(fitted_to(es.FisherScore(3), table, Y), cut=False))
            == "10 features ranked, none cut off"
        )

    def test_nothing_is_kept(self, rng):
        fitted = fitted_to(es.FisherScore("fdr"), rng.normal(size=(40, 10)), Y)
        assert fitted.selector.n_features_ == 0
        assert headline(summary_of(fitted)) == "None of 10 features is kept (q ≤ 0.05)"


class TestHowSure:
    def test_a_q_value_at_the_level_counts(self, table):
        fitted = fitted_to(es.FisherScore(2, significance=True), table, Y)
        summary = summary_of(fitted)
        for row in summary["features"]:
            row["qvalue"] = summary["significance"]["alpha"]
        assert how_sure(summary).startswith("2 of 2 kept features have q ≤ 0.05; ")

    def test_kept_features_and_all_are_counted(self, table):
        fitted = fitted_to(es.FisherScore(5, significance=True), table, Y)
        found = fitted.selector.qvalues_ <= 0.05
        kept, total = int(found[fitted.selector.get_support()].sum()), int(found.sum())
        said = how_sure(summary_of(fitted))
        assert 0 < kept < 5
        assert said.startswith(f"{kept} of 5 kept features have q ≤ 0.05; of all 10 tested {total} have, and at most ")
        assert said.endswith("if the labels came from elsewhere, not if clustering these features found them.")

    def test_none_is_said_once(self, rng):
        said = sure(es.FisherScore(5, significance=True), rng.normal(size=(40, 10)), Y)
        assert said.startswith("None of 10 tested features has q ≤ 0.05: no feature stands out from chance. These hold")

    def test_none_of_the_kept_though_others_are(self, table):
        """A rule that keeps features by name may keep none of the discoveries."""
        X = pd.DataFrame(table, columns=[f"f{j}" for j in range(10)])
        said = sure(es.FisherScore(TopK(2, must_keep=["f8", "f9"]), significance=True), X, Y)
        assert said.startswith("None of 2 kept features has q ≤ 0.05; of all 10 tested ")

    def test_one_kept(self, table):
        assert sure(es.FisherScore(1, significance=True), table, Y).startswith(
            "The kept feature has q ≤ 0.05; of all 10"
        )

    def test_all_are_ranked(self, table):
        said = sure(es.FisherScore(significance=True), table, Y, cut=False)
        assert re.match(r"\d+ of 10 tested features have q ≤ 0.05: ", said)

    @pytest.mark.parametrize(
        ("selector", "words"),
        [
            (es.LaplacianScore(3), "Not tested: the graph is made of these features, on which noise"),
            (es.LaplacianScore(3), "significance='split' (--significance split)"),
            (es.FisherScore(3), "p-values were not asked for; significance=True (--significance true) gives them."),
            (es.ReliefF(3), "Not tested: relieff has no p-values; FisherScore(significance=True) (--method fisher "),
            (
                es.ReliefF(3),
                "--significance true) and HSICScore(significance=True) (--method hsic --significance true)",
            ),
            (es.MSFS(3, sources=[("t", TargetData())]), "Nothing gives p-values on such a fusion."),
        ],
    )
    def test_not_tested(self, table, selector, words):
        assert words in sure(selector, table, Y)

    @pytest.mark.parametrize("selector", [es.LaplacianScore(3), es.FisherScore(3)])
    def test_what_is_advised_can_be_done(self, table, selector):
        """The parameter that the sentence names gives q-values."""
        route = re.search(r"significance=('split'|True)", sure(selector, table, Y))[1].strip("'")
        asked = selector.set_params(significance=True if route == "True" else route)
        assert fitted_to(asked, table, Y).selector.qvalues_.shape == (10,)

    def test_a_given_graph(self, table):
        S = np.exp(-abs(np.subtract.outer(np.arange(40), np.arange(40))))
        said = sure(es.LaplacianScore(3), table, similarity_matrix=S)
        assert said.endswith(
            "significance='given' (--significance true) gives them, if these features did not make the graph; if they "
            "did, use significance='split' without it (--significance split)."
        )

    def test_a_bound_on_errors(self, table):
        fitted = fitted_to(es.StabilitySelector(es.FisherScore(2), n_pairs=10), table, Y)
        said = how_sure(summary_of(fitted))
        assert f"at most {fitted.selector.expected_false_:.3g} of them" in said

    def test_a_selector_of_your_own(self, table):
        class Own(es.FisherScore):
            has_p_values = False

        fitted = fitted_to(Own(3), table, Y)
        assert how_sure(summary_of(fitted)).startswith("Not tested: Own has no p-values")


class TestDoesItPredict:
    def test_more_than_chance(self):
        assert does_it_predict(GOOD) == (
            "The nearest neighbour in 5 features, chosen without the held-out samples (60), names their class right in "
            "96 % ± 2 of cases; always answering the largest class gives 40 %, permuted labels 37 %: more than chance."
        )

    def test_no_more_than_chance(self):
        assert does_it_predict(POOR).endswith("permuted labels 37 %: chance alone may give as much.")

    def test_refits_that_kept_other_numbers_of_features(self):
        facts = {**GOOD, "accuracy": {**GOOD["accuracy"], "least_features": 0, "most_features": 7}}
        assert does_it_predict(facts).startswith("The nearest neighbour in 0 to 7 features, chosen without")

    @pytest.mark.parametrize(
        ("evaluation", "words"),
        [
            (None, "Not measured: evaluation was turned off (--no-evaluation, evaluation=False)."),
            (
                {**GOOD, "accuracy": None, "missing": {"accuracy": "there are no labels."}},
                "Not measured: there are no labels.",
            ),
            ({**GOOD, "accuracy": None, "missing": {}}, "Not measured."),
        ],
    )
    def test_not_measured(self, evaluation, words):
        assert does_it_predict(evaluation) == words


class TestHowStable:
    def test_beside_permuted_data(self):
        assert how_stable(GOOD) == (
            "10 refits on parts of the samples keep features that overlap by 0.87 (1: always the same, 0: as by "
            "chance); with the labels permuted, and nothing else, by 0.05."
        )

    @pytest.mark.parametrize(
        ("permuted", "end"), [(0.86, ", by 0.86."), (0.868, ", by 0.87: no more stable than that.")]
    )
    def test_no_more_stable_than_permuted_data(self, permuted, end):
        """By the numbers that are read: sources that are not permuted may keep features by themselves."""
        facts = {**GOOD["stability"], "permuted": permuted, "of": "the samples against their graph"}
        said = how_stable({**GOOD, "stability": facts})
        assert said.endswith(f"with the samples against their graph permuted, and nothing else{end}")

    def test_not_measured(self):
        assert how_stable(None).startswith("Not measured: evaluation was turned off")
        assert how_stable({**GOOD, "stability": None, "missing": {"stability": "too few samples"}}) == (
            "Not measured: too few samples."
        )


class TestHowRedundant:
    def test_the_mean_correlation_beside_chance(self, table):
        said = redundant(es.Variance(3), table)
        kept = np.argsort(-table.var(axis=0))[:3]
        pairs = [abs(pearsonr(table[:, a], table[:, b])[0]) for a, b in combinations(kept, 2)]
        assert f"Mean correlation of the kept features {np.mean(pairs):.2f} in magnitude; independent" in said
        assert said.endswith("None of the kept features has a near-copy (correlation of 0.9 or more).")

    def test_groups_of_near_copies(self, rng):
        X = rng.normal(size=(40, 7)) * np.arange(7, 0, -1)
        X[:, 1], X[:, 2], X[:, 4] = X[:, 0] * 0.99, -X[:, 0] * 0.98, X[:, 3] * 0.99
        assert redundant(es.Variance(7), X).endswith(
            "Of the kept features 5 are near-copies of each other, in 2 groups (correlation of 0.9 or more)."
        )
        assert redundant(es.Variance(4), X).endswith(
            "Of the kept features 3 are near-copies of each other, in 1 group (correlation of 0.9 or more); 1 of those "
            "left out repeats them."
        )
        assert redundant(es.Variance(2), np.delete(X, 1, axis=1)[:, [0, 4, 1]]).endswith(
            "Of the kept features 2 are near-copies of each other, in 1 group (correlation of 0.9 or more)."
        )

    def test_copies_that_were_left_out(self, rng):
        X = rng.normal(size=(40, 5)) * [9, 8, 1, 1, 1]
        X[:, 3], X[:, 4] = X[:, 0] / 9, -X[:, 0] / 10
        assert redundant(es.Variance(2), X).endswith(
            "Of the kept features none are near-copies of each other (correlation of 0.9 or more); 2 of those left out "
            "repeat them."
        )

    def test_one_feature(self, table):
        assert redundant(es.Variance(1), table) == "The kept feature has no near-copies (correlation of 0.9 or more)."
        table[:, :2] = table[:, [3]] * [90, 89]
        assert redundant(es.Variance(1), table) == "The kept feature has 2 near-copies (correlation of 0.9 or more)."

    def test_nothing_is_kept(self, rng):
        assert redundant(es.FisherScore("fdr"), rng.normal(size=(40, 10)), Y) == "Nothing is kept."

    def test_of_a_ranking_the_best_are_judged(self, table):
        assert re.search(r"of the \d+ best ", redundant(es.Variance(), table, cut=False))

    def test_few_samples_make_copies_by_chance(self, rng):
        """As many as draws of independent features show."""
        said = redundant(es.Variance(10), rng.normal(size=(6, 200)))
        expected = float(re.search(r"would make about ([\d.]+) such pairs", said)[1])
        drawn = []
        for _ in range(30):
            correlations = np.abs(np.corrcoef(rng.normal(size=(6, 200)).T))
            drawn.append((np.triu(correlations >= 0.9, 1)[:10]).sum())
        assert np.mean(drawn) == pytest.approx(expected, rel=0.3)

    def test_such_pairs_are_counted_exactly(self, rng):
        """4 kept of 6: 6 pairs among them and 8 with the others."""
        said = redundant(es.Variance(4), rng.normal(size=(4, 6)))
        assert f"would make about {14 * chance_of_copy(4):.2g} such pairs" in said

    def test_many_samples_do_not(self, table):
        assert "Independent features of so few samples" not in redundant(es.Variance(3), table)


def test_a_name_that_is_no_text_is_told(table):
    """Names of samples and features may be any text."""
    fitted = Fitted(es.FisherScore(3).fit(table, Y), table, Y, ["\udcff"] * 10)
    assert add_answer(add_views(summary_of(fitted), fitted), fitted)["answer"]["headline"].startswith("3 of 10")
