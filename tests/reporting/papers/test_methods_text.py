"""The methods paragraph is true of the run: its numbers are those of the fit, and what did not happen is not said."""

import re

import numpy as np
import pandas as pd
import pytest

import eigenselect as es
import rows
from eigenselect.criteria.references import REFERENCES
from eigenselect.criteria.table import METHODS
from eigenselect.exceptions import SourceWarning
from eigenselect.inference import Shadows, Split
from eigenselect.multisource import AuxiliaryData, TargetData
from eigenselect.reporting import Fitted, summarise
from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.papers.methods_text import methods_paragraph
from eigenselect.selection import FDR, Threshold

NAMES = list("abcde")


def told(selector, y=rows.Y, *, scaling="none: values as given", kept=True, evaluation=None, **facts):
    """The paragraph of a fitted selector, and the keys of what it cites."""
    labels = None if y is None else np.asarray(y, dtype=object)
    fitted = Fitted(selector, rows.X, labels, NAMES)
    summary = summarise(fitted, kept=int(selector.n_features_) if kept else None, **facts)
    cited = Citations()
    text = methods_paragraph({**summary, "evaluation": evaluation}, fitted, scaling, cited)
    listed = [reference["bibtex"].split("{")[1].split(",")[0] for reference in cited.listed()]
    return text, listed


@pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)
def test_every_method_states_its_criterion_and_cites_it(row):
    text, cited = told(rows.fitted(row, n_features_to_select=2))
    assert text.startswith(f"The data are a table of {len(rows.X)} samples and 5 features. ")
    assert f"Features were ranked with eigenselect {es.__version__} (" in text
    assert not re.search(r"[{}]|  |\.\.|None|<|phi\d", text)
    assert {"eigenselect", *row.cites} <= set(cited)
    assert all(f"{REFERENCES[key].cited}" in text for key in cited)
    beginning = row.statement.split("{")[0]
    assert beginning in text
    assert "Of these features 2 were kept (the 2 best)." in text


def test_numbers_are_those_of_the_fit():
    selector = es.SSelect(1, regularization=0.35, ranking="phi1", n_levels=3).fit(rows.X, rows.Y)
    text, _ = told(selector)
    assert "by λ = 0.35 times the spectral criterion φ1" in text
    assert "cut into 3 levels" in text
    assert "Of these features 1 was kept (the best one)." in text
    phi3 = es.SPEC(2, ranking="phi3", n_clusters=3, similarity="rbf").fit(rows.X)
    assert f"eigenvectors 2 to {phi3.n_clusters_} of" in told(phi3, None)[0]


class TestLabels:
    def test_none(self):
        assert "No labels were used." in told(es.LaplacianScore(2).fit(rows.X), None)[0]

    def test_that_take_no_part(self):
        text, _ = told(es.LaplacianScore(2).fit(rows.X), label="type")
        assert "The labels (type) took no part in the ranking." in text

    def test_classes_of_some(self):
        y = np.where(np.arange(len(rows.Y)) % 4 == 0, None, rows.Y.astype(object))
        missing = sum(value is None for value in y)
        text, _ = told(es.SSelect(2).fit(rows.X, y), y)
        assert f"The labels name 2 classes; {missing} samples had none." in text

    def test_numbers(self):
        y = rows.X @ np.arange(5.0)
        text, _ = told(es.ReliefF(2).fit(rows.X, y), y)
        assert "The labels are numbers." in text
        assert "by RReliefF: " in text
        assert "class" not in text
        kernel = told(es.HSICScore(2).fit(rows.X, y), y)[0]
        assert "The kernel on the target was exp(-d²/2σ²), d the difference of two targets" in kernel

    def test_that_a_trace_ratio_of_neighbours_does_not_look_at(self):
        neighbours = es.TraceRatio(2, graphs="laplacian").fit(rows.X, rows.Y)
        assert "The labels took no part in the ranking." in told(neighbours)[0]
        assert "The labels name 2 classes." in told(es.TraceRatio(2).fit(rows.X, rows.Y))[0]


def test_a_threshold_says_which_way_it_looks():
    small, large = (kind(Threshold(0.0)).fit(rows.X) for kind in (es.GearyC, es.MoranI))
    assert "kept (score ≥ 0, of scores turned so that large ones are good)." in told(small, None)[0]
    assert "kept (score ≥ 0)." in told(large, None)[0]


def test_scaling_and_other_settings_are_told_where_there_are_some():
    text, _ = told(es.ReliefF(2, difference="squared", n_neighbors=3).fit(rows.X, rows.Y), scaling="every feature at 1")
    assert "and 5 features (every feature at 1)." in text
    assert "its 3 nearest samples" in text
    assert text.endswith("Other settings: difference = 'squared'.")
    assert "Other settings" not in told(es.ReliefF(2, n_neighbors=3, random_state=1).fit(rows.X, rows.Y))[0]


class TestSignificance:
    def test_none_is_not_mentioned(self):
        text, cited = told(es.LaplacianScore(2).fit(rows.X), None)
        assert "value" not in text.replace("small values are good", "")
        assert "benjamini1995controlling" not in cited

    def test_permutation(self):
        selector = es.FisherScore(FDR(0.2, "by"), significance=True).fit(rows.X, rows.Y)
        text, cited = told(selector)
        assert "from exact moments of the score (Kazi-Aoual et al. 1995) and a Pearson type III tail" in text
        assert "These hold if the labels came from elsewhere" in text
        assert f"{(selector.qvalues_ <= 0.2).sum()} of 5 tested features had q ≤ 0.2." in text
        assert "kept (q ≤ 0.2, Benjamini-Yekutieli; Benjamini & Yekutieli 2001)." in text
        assert cited[-2:] == ["kazi1995refined", "benjamini1995controlling"]

    def test_the_cauchy_rule_only_where_it_was_used(self):
        y = rows.Y
        scales = es.MultiscaleSPEC(2, similarity="class_labels", significance=True).fit(rows.X, y)
        assert "joined over scales by the Cauchy rule (Liu & Xie 2020)" in told(scales)[0]
        assert "Cauchy" not in told(es.FisherScore(2, significance=True).fit(rows.X, y))[0]
        split = told(es.SPEC(2, significance=Split(3, 2)).fit(rows.X), None)
        assert "cut into 3 folds, 2 times" in split[0]
        assert "joined by the Cauchy rule (Liu & Xie 2020)" in split[0]
        median = told(es.SPEC(2, significance=Split(3, 2, combination="median")).fit(rows.X), None)
        assert "joined by their median" in median[0]
        assert "liu2020cauchy" not in median[1]

    @pytest.mark.parametrize(
        ("route", "words", "more"),
        [
            (Shadows(), "with one permuted copy of every feature", set()),
            (Shadows(n_copies=2), "with 2 permuted copies of every", {"gimenez2019improving"}),
            (Shadows(n_repeats=3), "with 3 draws of one permuted copy of", {"ren2024derandomised"}),
        ],
    )
    def test_shadows(self, route, words, more):
        text, cited = told(es.SPEC(2, significance=route).fit(rows.X), None)
        assert words in text
        assert set(cited) & {"gimenez2019improving", "ren2024derandomised"} == more


class TestSources:
    def test_weights_and_samples_that_are_left_out(self):
        X = pd.DataFrame(rows.X, index=[f"s{i}" for i in range(len(rows.X))], columns=NAMES)
        sources = [("own", TargetData()), ("other", AuxiliaryData(X.iloc[3:, :2]))]
        with pytest.warns(SourceWarning, match="3 of 60 samples are left out"):
            selector = es.MSFS(2, sources=sources, weights="alignment").fit(X, rows.Y)
        text, cited = told(selector)
        assert "; 3 samples that a source does not know were left out." in text
        assert "own (KNN, 10 neighbours, rbf weights, σ = " in text
        assert f"weight {selector.weights_[0]:.3g})" in text
        assert "(Cortes et al. 2012)" in text
        assert "ye2008multi" not in cited

    @pytest.mark.parametrize(
        ("aggregation", "key"), [("borda", "dwork2001rank"), ("rra", "kolde2012robust"), ("median", None)]
    )
    def test_rankers(self, aggregation, key):
        rankers = [("first", None, es.FisherScore()), ("second", None, es.LaplacianScore())]
        text, cited = told(es.KOGS(2, rankers=rankers, aggregation=aggregation).fit(rows.X, rows.Y))
        assert "The sources were first (FisherScore(), weight 0.5), second (LaplacianScore(), weight 0.5)" in text
        assert f"joined by {aggregation} aggregation" in text
        assert [one for one in cited if one in ("dwork2001rank", "kolde2012robust")] == ([key] if key else [])


def test_what_was_evaluated_stands_beside_its_null():
    accuracy = {
        "n_features": 2, "n_folds": 5, "mean": 0.91, "deviation": 0.02, "largest_class": 0.5, "permuted": 0.48,
        "beyond_chance": True, "n_predicted": 60,
    }  # fmt: skip
    stability = {"n_refits": 20, "overlap": 0.7, "permuted": 0.01, "of": "the labels"}
    band = {"of": "the labels", "n_permutations": 19, "rank": [1], "low": [0.0], "middle": [0.5], "high": [1.0]}
    facts = {"accuracy": accuracy, "stability": stability, "band": band, "missing": {}}
    selector = es.FisherScore(2).fit(rows.X, rows.Y)
    text, cited = told(selector, evaluation=facts)
    assert "0.910 ± 0.020" in text
    assert "gives 0.500, permuted labels 0.480." in text
    assert "is 0.700; with the labels permuted it is 0.010." in text
    assert "that of 19 permutations of the labels." in text
    assert cited[-2:] == ["kuncheva2007stability", "nogueira2018stability"]
    nothing = {"accuracy": None, "stability": None, "band": None, "missing": {"accuracy": "no labels"}}
    assert told(selector, evaluation=nothing)[0] == told(selector)[0]


def test_a_selector_of_your_own_speaks_by_its_docstring():
    class Mine(es.Variance):
        """Choose features {by} hand."""

    text, cited = told(Mine(2).fit(rows.X), None)
    assert "by Mine: choose features {by} hand; large values are good." in text
    assert cited == ["eigenselect"]


def test_all_features():
    assert "All features were kept." in told(es.FisherScore(2).fit(rows.X, rows.Y), kept=False)[0]
