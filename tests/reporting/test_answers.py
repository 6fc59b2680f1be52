"""The answer and the alerts of a report: each can be computed again, and none is raised without a reason."""

import re
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from tests.reporting.conftest import answers_of

import eigenselect as es
from eigenselect.matrix import Matrix
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.reporting import Fitted, add_answer, add_views, summarise
from eigenselect.reporting.answers import alert_parts
from eigenselect.selection import TopK
from eigenselect.similarity import KNN, RBF

Y = np.repeat(["a", "b"], 15)
#: what an evaluation measures of classes that are told apart
GOOD = {
    "accuracy": {
        "n_features": 5, "least_features": 5, "most_features": 5, "n_folds": 5, "n_predicted": 60, "mean": 0.961,
        "deviation": 0.021, "largest_class": 0.4, "permuted": 0.37, "beyond_chance": True,
    },
    "stability": {"n_refits": 10, "overlap": 0.87, "permuted": 0.05, "of": "the labels"},
    "band": None,
    "missing": {"band": "nobody asked for it"},
}  # fmt: skip
#: the same of noise
POOR = {**GOOD, "accuracy": {**GOOD["accuracy"], "mean": 0.41, "deviation": 0.1, "beyond_chance": False}}


def fitted(selector, X, y=None, **fit):
    """The selector, fitted; what the fit warns of is not what these tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(X, y, **fit)


def reported(selector, X, y=None, **fit):
    return es.report(fitted(selector, X, y, **fit), X, y, evaluation=False).summary


def answers(selector, X, y=None, **fit):
    return answers_of(reported(selector, X, y, **fit))


def alerts(selector, X, y=None, *, kind=None, **fit):
    """Alerts of a report, all or of one kind."""
    found = reported(selector, X, y, **fit)["alerts"]
    return [alert for alert in found if kind is None or alert["kind"] == kind]


def only(found):
    (one,) = found
    return one


def kinds(found):
    return [alert["kind"] for alert in found]


def with_facts(X, evaluation, selector=None, **facts):
    """The summary with facts that an evaluation, or a file, would give."""
    selector = (selector or es.FisherScore(4)).fit(X, Y)
    given = Fitted(selector, X, Y, [f"x{j}" for j in range(X.shape[1])], **facts)
    summary = {**summarise(given, kept=int(selector.n_features_)), "evaluation": evaluation}
    return add_answer(summary, given)


@pytest.fixture
def table(rng):
    return rng.normal(size=(30, 8))


@pytest.fixture
def signal(rng):
    X = rng.normal(size=(30, 10))
    X[:15, :3] += 3
    return X


class TestAnswer:
    def test_four_questions_of_a_sound_table_and_no_alert(self, signal):
        made = es.report(es.FisherScore(3).fit(signal, Y), signal, Y).summary
        assert list(answers_of(made)) == ["How sure?", "Does it predict?", "How redundant?", "How stable?"]
        assert re.match(r"3 of 10 .*\(the 3 best\)", made["answer"]["headline"])
        assert made["alerts"] == []

    def test_nothing_is_kept_or_cut(self, rng, signal):
        X = rng.normal(size=(30, 10))
        made = reported(es.FisherScore("fdr"), X, Y)
        assert made["n_selected"] == 0
        assert re.match(r"None of 10 .*q ≤ 0.05", made["answer"]["headline"])
        assert "Nothing" in answers_of(made)["How redundant?"]
        given = Fitted(es.FisherScore().fit(signal, Y), signal, Y, [f"x{j}" for j in range(10)])
        ranked = add_answer(add_views(summarise(given), given), given)
        assert "none cut" in ranked["answer"]["headline"]
        assert all(said.startswith("Not ") for said in answers_of(add_answer(summarise(given), given)).values())

    def test_names_of_features_may_be_any_text(self, signal):
        made = es.report(es.FisherScore(3).fit(signal, Y), signal, Y, feature_names=["\udcff"] * 10)
        assert made.summary["answer"]["headline"].startswith("3 of 10")


class TestHowSure:
    def test_kept_and_tested_features_are_counted(self, signal, rng):
        by_name = TopK(2, must_keep=["f8", "f9"])  # may keep none of the discoveries
        for selector, X in (
            (es.FisherScore(5, significance=True), signal),
            (es.FisherScore(1, significance=True), signal),
            (es.FisherScore(5, significance=True), rng.normal(size=(30, 10))),
            (es.FisherScore(by_name, significance=True), pd.DataFrame(signal, columns=[f"f{j}" for j in range(10)])),
        ):
            said = answers(selector, X, Y)["How sure?"]
            found = selector.qvalues_ <= 0.05
            kept = selector.get_support()
            if not found.any():
                assert said.startswith("None of 10")
            elif kept.sum() == 1:
                assert re.match(rf"The kept feature .* tested {found.sum()}", said)
            else:
                count = int(found[kept].sum()) or "None"
                assert re.match(rf"{count} of {kept.sum()} kept .*of all 10 tested {found.sum()}", said)
            assert "not if clustering" in said

    def test_a_q_value_at_the_level_counts(self, signal):
        given = Fitted(es.FisherScore(2, significance=True).fit(signal, Y), signal, Y, [f"x{j}" for j in range(10)])
        summary = summarise(given, kept=2)
        for row in summary["features"]:
            row["qvalue"] = summary["significance"]["alpha"]
        assert answers_of(add_answer(summary, given))["How sure?"].startswith("2 of 2 kept")

    def test_what_was_not_tested_comes_with_advice_that_can_be_done(self, signal):
        class Own(es.FisherScore):
            has_p_values = False

        fusion = es.MSFS(3, sources=[("t", TargetData())])
        S = np.exp(-abs(np.subtract.outer(np.arange(30), np.arange(30))))
        for selector, words, fit in (
            (es.LaplacianScore(3), "significance='split'", {}),
            (es.LaplacianScore(3), "significance='given'", {"similarity_matrix": S}),
            (es.FisherScore(3), "significance=True", {}),
            (es.ReliefF(3), "FisherScore(significance=True)", {}),
            (fusion, "Nothing gives p-values", {}),
            (Own(3), "Own has no p-values", {}),
        ):
            said = answers(selector, signal, Y, **fit)["How sure?"]
            assert said.startswith("Not tested")
            assert words in said, selector
            route = re.match(r"significance='?(\w+)'?", words)
            if route:
                asked = selector.set_params(significance=True if route[1] == "True" else route[1])
                assert fitted(asked, signal, Y, **fit).qvalues_.shape == (10,)

    def test_a_bound_on_errors(self, signal):
        selector = es.StabilitySelector(es.FisherScore(2), n_pairs=10)
        said = answers(selector, signal, Y)["How sure?"]
        assert f"at most {selector.expected_false_:.3g}" in said


class TestPredictionAndStability:
    def test_numbers_stand_beside_chance(self, table):
        said = answers_of(with_facts(table, GOOD))
        assert re.findall(r"\d+", said["Does it predict?"]) == ["5", "60", "96", "2", "40", "37"]
        assert said["Does it predict?"].endswith(": more than chance.")
        assert re.findall(r"\d\.\d+", said["How stable?"]) == ["0.87", "0.05"]
        assert "more than chance" not in answers_of(with_facts(table, POOR))["Does it predict?"]
        other = {**GOOD, "accuracy": {**GOOD["accuracy"], "least_features": 0, "most_features": 7}}
        assert "0 to 7" in answers_of(with_facts(table, other))["Does it predict?"]

    def test_no_more_stable_than_permuted_data_by_the_numbers_that_are_read(self, table):
        for permuted, no_more in ((0.86, False), (0.868, True)):
            facts = {**GOOD, "stability": {**GOOD["stability"], "permuted": permuted}}
            assert ("no more stable" in answers_of(with_facts(table, facts))["How stable?"]) == no_more

    def test_what_was_not_measured_has_its_reason(self, table):
        for evaluation, words in (
            (None, "evaluation=False"),
            (
                {**GOOD, "accuracy": None, "stability": None, "missing": dict.fromkeys(GOOD, "some reason")},
                "some reason",
            ),
        ):
            made = with_facts(table, evaluation)
            assert made["alerts"] == []
            for question in ("Does it predict?", "How stable?"):
                assert answers_of(made)[question].startswith("Not measured")
                assert words in answers_of(made)[question]


class TestHowRedundant:
    def test_the_mean_correlation_of_what_is_kept(self, table):
        kept = np.argsort(-table.var(axis=0))[:3]
        pairs = [abs(np.corrcoef(table[:, a], table[:, b])[0, 1]) for a, b in combinations(kept, 2)]
        said = answers(es.Variance(3), table)["How redundant?"]
        assert f"{np.mean(pairs):.2f} in magnitude" in said
        assert "None of the kept" in said
        assert "so few samples" not in said

    def test_near_copies_are_counted(self, rng):
        X = rng.normal(size=(40, 7)) * np.arange(7, 0, -1)
        X[:, 1], X[:, 2], X[:, 4] = X[:, 0] * 0.99, -X[:, 0] * 0.98, X[:, 3] * 0.99
        for kept, numbers in (
            (7, "5 are near-copies .*2 groups"),
            (4, "3 are near-copies .*1 group.* 1 of those left"),
        ):
            assert re.search(numbers, answers(es.Variance(kept), X)["How redundant?"]), kept
        assert "has 2 near-copies" in answers(es.Variance(1), X)["How redundant?"]
        assert re.search(
            "none are near-copies.* 2 of",
            answers(es.Variance(2), X[:, [0, 3, 5, 6, 1, 2]] * [9, 9, 1, 1, 1, 1])["How redundant?"],
        )

    def test_few_samples_make_copies_by_chance(self, rng):
        """As many as draws of independent features show."""
        said = answers(es.Variance(10), rng.normal(size=(6, 200)))["How redundant?"]
        expected = float(re.search(r"about ([\d.]+) such pairs", said)[1])
        drawn = []
        for _ in range(30):
            correlations = np.abs(np.corrcoef(rng.normal(size=(6, 200)).T))
            drawn.append((np.triu(correlations >= 0.9, 1)[:10]).sum())
        assert np.mean(drawn) == pytest.approx(expected, rel=0.3)


class TestLabels:
    def test_no_signal(self, table):
        found = only(with_facts(table, POOR)["alerts"])
        assert found["kind"] == "no signal"
        assert re.findall(r"\d+ %", found["sentence"]) == ["41 %", "40 %", "37 %"]
        nothing = {**POOR, "accuracy": None}
        kept_none = only(with_facts(table, nothing, es.FisherScore("fdr"))["alerts"])
        assert (kept_none["kind"], "none of 8 tested" in kept_none["sentence"]) == ("no signal", True)

    def test_labels_that_a_file_records_as_clusters(self, signal):
        known = "uns['leiden'] records a clustering"
        found = only(with_facts(signal, GOOD, labels_known=known)["alerts"])
        assert known in found["sentence"]

    def test_left_aside_or_used(self, table, rng):
        """An alert says so exactly where scores do not change with the labels."""
        fusion = es.MSFS(3, sources=[("t", TargetData()), ("y", SampleCategories())])
        for selector in (
            es.LaplacianScore(3), es.SPEC(3), es.MRSF(3), es.EVSC(3), es.Variance(3), es.FisherScore(3), es.ReliefF(3),
            es.SSelect(3), es.SPEC(3, similarity="class_labels"), es.MRSF(3, target="lda"), fusion,
        ):  # fmt: skip
            found = alerts(selector, table, Y, kind="labels")
            before = selector.scores_.copy()
            after = fitted(selector, table, rng.permutation(Y)).scores_
            assert len(found) == np.array_equal(before, after, equal_nan=True), selector
            assert all("--method fisher" in alert["sentence"] for alert in found)

    def test_advice_suits_the_labels(self, table):
        numbers = only(alerts(es.LaplacianScore(3), table, table[:, 0] * 1.5, kind="labels"))
        assert "--method hsic" in numbers["sentence"]
        for y in (np.repeat("a", 30), np.arange(30).astype(str), np.array(["b"] + ["a"] * 29)):
            assert "--method" not in only(alerts(es.LaplacianScore(3), table, y, kind="labels"))["sentence"]
        assert alerts(make_pipeline(SelectKBest(k=5), es.LaplacianScore(3)), table, Y, kind="labels") == []
        assert alerts(es.LaplacianScore(3), table) == []

    def test_small_classes(self, table):
        y = np.array(["a"] * 13 + ["b"] * 12 + ["c"] * 4 + ["d"], dtype=object)
        found = only(alerts(es.FisherScore(3), table, y, kind="small classes"))
        assert "'c': 4, 'd': 1" in found["sentence"]
        assert found["samples"] == [f"sample {row}" for row in range(26, 31)]
        unlabelled = np.where(np.arange(30) < 3, -1, np.arange(30) % 2)
        for selector, others in (
            (es.FisherScore(3), ["a"] * 13 + ["b"] * 12 + ["c"] * 5),
            (es.SSelect(3), unlabelled),
            (es.ReliefF(3), table[:, 0] * 1.5),
        ):
            assert alerts(selector, table, others, kind="small classes") == []


class TestTable:
    def test_features_that_vary_in_one_sample(self, table):
        table[:, 2:5] = 0
        table[4, [2, 3]] = 5, -7
        table[9, 4] = 6
        found = only(alerts(es.Variance(8), table, kind="one sample"))
        assert set(found["features"]) == {"x2", "x3", "x4"}
        assert set(found["samples"]) == {"sample 5", "sample 10"}
        assert re.search(r"3 of the 8 kept.* 3 do", found["sentence"])
        table[[4, 5], 2:5] = 100  # two samples are not one
        assert alerts(es.Variance(8), table, kind="one sample") == []

    def test_nearly_one_sample(self, table, rng):
        table[4, 2] = 500
        assert "90%" in only(alerts(es.Variance(3), table, kind="one sample"))["sentence"]
        table[:, 2] = np.arange(30) == 4
        assert alerts(es.Variance(7), table, kind="one sample") == []  # it is not kept
        few = rng.normal(size=(11, 4))
        few[:, 1] = np.arange(11) == 4  # of n samples it holds 1 - 1/n: 91 % of 11
        assert only(alerts(es.Variance(4), few, kind="one sample"))["features"] == ["x1"]
        assert alerts(es.Variance(4), few[:10], kind="one sample") == []

    def test_a_dominating_sample(self, table):
        assert alerts(es.Variance(3), table) == []
        table[4] *= 9
        found = only(alerts(es.Variance(3), table, kind="dominated"))
        assert found["samples"] == ["sample 5"]
        parts = (table - table.mean(axis=0)) ** 2
        assert set(found["features"]) == {f"x{j}" for j in np.flatnonzero(parts[4] / parts.sum(axis=0) > 0.5)}
        table[4] += 1e6
        assert kinds(alerts(es.Variance(8), table)) == ["one sample"]  # said once

    def test_spreads_that_decide(self, table):
        """An alert exactly where scores of the same table in other units are others."""
        y, other = Y, np.abs(table) * np.where(np.arange(8) == 3, 1000, 1)
        for selector, decides in (
            (es.LaplacianScore(3), True), (es.SPEC(3), True), (es.MRSF(3), True), (es.EVSC(3), True),
            (es.Variance(3), True), (es.MoranI(3), True), (es.HSICScore(3, scale=None), True),
            (es.TraceRatio(3, scale=None), True), (es.ReliefF(3, difference="squared"), True),
            (es.MSFS(3, sources=[("t", TargetData())]), True),
            (es.FisherScore(3), False), (es.ReliefF(3), False), (es.HSICScore(3), False), (es.TraceRatio(3), False),
            (es.TraceRatio(3, scale=None, level="feature"), False), (es.SPEC(3, similarity="class_labels"), False),
        ):  # fmt: skip
            found = alerts(selector, other, y, kind="spreads")
            assert [alert["features"] for alert in found] == [["x3"]] * decides, selector
            scores = selector.scores_.copy()
            assert np.allclose(scores, fitted(selector, np.abs(table), y).scores_) == (not decides), selector

    def test_spreads_that_do_not(self, table):
        X = np.abs(table) * np.where(np.arange(8) == 3, 1000, 1)
        S = np.exp(-abs(np.subtract.outer(np.arange(30), np.arange(30))))
        assert alerts(es.LaplacianScore(3), table, kind="spreads") == []
        assert alerts(es.LaplacianScore(3), X, kind="spreads", similarity_matrix=S) == []
        for cosine in (es.SPEC(3, similarity="cosine"), es.MSFS(3, sources=[("t", TargetData("cosine"))])):
            assert alerts(cosine, X, kind="spreads") == []  # of counts, whose spreads differ by nature
        advised = ["--scale" in only(alerts(s(3), X, kind="spreads"))["sentence"] for s in (es.EVSC, es.MRSF)]
        assert advised == [False, True]

    def test_copies_and_features_without_a_score(self, table):
        table[:, 5] = table[:, 1]
        assert only(alerts(es.Variance(8), table, kind="copies"))["features"] == ["x1", "x5"]
        table[:, [1, 5]] = 2.0
        assert kinds(alerts(es.FisherScore(8), table, Y)) == ["no score"]  # and no copies
        found = only(alerts(es.LaplacianScore(7), table, kind="no score"))
        assert found["features"] == ["x1", "x5"]
        assert re.match(r"2 of 8 .* 1 of them", found["sentence"])
        table[[7, 20]] = table[3]
        assert only(alerts(es.Variance(3), table, kind="equal samples"))["samples"] == [
            "sample 4",
            "sample 8",
            "sample 21",
        ]
        table[[7, 20], 2] = np.nextafter(table[3, 2], 9), np.nextafter(table[3, 2], -9)
        assert alerts(es.Variance(3), table, kind="equal samples") == []

    def test_lists_hold_whole_names_and_sentences_short_ones(self, table, monkeypatch):
        table[:, 1] = table[:, 0]
        name = "x" * 10_000
        selector = es.Variance(8).fit(table)
        found = only(es.report(selector, table, feature_names=[name, *"bcdefgh"], evaluation=False).summary["alerts"])
        assert found["features"] == [name, "b"]
        assert len(found["sentence"]) < 500
        monkeypatch.setattr(alert_parts, "HELD_NAMES", 1)
        assert only(alerts(es.Variance(8), table))["features"] == ["x0"]
        table[4, 2] = 500
        assert "kept feature varies" in only(alerts(es.Variance(1), table, kind="one sample"))["sentence"]
        monkeypatch.setattr(alert_parts, "LOOKED_AT", 2)
        monkeypatch.setattr(alert_parts, "SCANNED", 10)
        found = only(alerts(es.Variance(8), table, kind="one sample"))["sentence"]
        assert "the 2 best of" in found
        assert "Of all" not in found

    def test_any_storage_gives_the_same_alerts(self, table, tmp_path, monkeypatch):
        """Only parts are made dense."""
        anndata = pytest.importorskip("anndata")
        table = np.where(np.abs(table) > 0.7, np.round(table, 1), 0)
        table[:, 2], table[:, 6], table[12], table[:, 3] = np.arange(30) == 4, table[:, 1], table[11], 0
        expected = alerts(es.Variance(8), table)
        assert kinds(expected) == ["one sample", "copies", "equal samples"]
        np.save(tmp_path / "x.npy", table)
        storages = [sparse.csr_array(table), sparse.csc_matrix(table), table.astype(np.float32),
                    np.load(tmp_path / "x.npy", mmap_mode="r"), anndata.AnnData(sparse.csr_matrix(table))]  # fmt: skip
        for X in storages:
            selector = fitted(es.Variance(8), X)
            given = Fitted(selector, X, None, [f"x{j}" for j in range(8)])
            with monkeypatch.context() as patch:
                patch.setattr(Matrix, "to_array", None)
                assert add_answer(summarise(given, kept=8), given)["alerts"] == expected, type(X)


def ring(n, alone=0):
    """A ring of n samples, and samples without a neighbour."""
    S = np.zeros((n + alone, n + alone))
    for i in range(n):
        S[i, (i + 1) % n] = S[(i + 1) % n, i] = 1.0
    return S


class TestGraph:
    def test_isolated_samples_and_components(self, table):
        found = only(alerts(es.LaplacianScore(3), table, kind="isolated", similarity_matrix=ring(28, alone=2)))
        assert found["samples"] == ["sample 29", "sample 30"]
        S = np.zeros((30, 30))
        S[:18, :18], S[18:, 18:] = ring(18), ring(12)
        found = only(alerts(es.LaplacianScore(3), table, kind="components", similarity_matrix=S))
        assert "(18 and 12" in found["sentence"]
        many = only(alerts(es.LaplacianScore(3), table, similarity_matrix=np.kron(np.eye(10), np.ones((3, 3)))))
        assert "3, 3, …" in many["sentence"]
        assert alerts(es.FisherScore(3), table, Y) == []  # graphs of classes fall apart by design

    def test_a_sample_that_stands_alone_in_a_full_kernel(self, table):
        table[7] += 40
        assert only(alerts(es.SPEC(3, similarity="rbf"), table, kind="outlier"))["samples"] == ["sample 8"]
        assert alerts(es.SPEC(3), table, kind="outlier") == []

    def test_weights_are_nearly_zero_below_a_thousandth_and_nearly_equal_within_a_hundredth(self, table):
        """The bandwidth is the one at which the nearest, or the farthest, pair has this weight."""
        squared = pdist(table, "sqeuclidean")
        for distance, weight, told in (
            (squared.min(), 9e-4, True), (squared.min(), 1.1e-3, False),
            (squared.max(), 0.995, True), (squared.max(), 0.95, False),
        ):  # fmt: skip
            bandwidth = float(np.sqrt(distance / np.log(1 / weight) / 2))
            found = alerts(es.LaplacianScore(3, similarity=RBF(bandwidth=bandwidth)), table, kind="weights")
            assert bool(found) == told, weight
        assert alerts(es.LaplacianScore(3, similarity=KNN(29, bandwidth=1e5)), table, kind="weights") == []
        for similarity in ("rbf", "knn", "linear", "cosine"):
            assert alerts(es.SPEC(3, similarity=similarity), abs(table), kind="weights") == []

    def test_a_source_without_weight_is_named(self, table):
        sources = [("itself", TargetData()), ("labels", SampleCategories())]
        for weights, told in (([1.0, 0.0], True), ([1.0, 0.5], False)):
            found = alerts(es.MSFS(3, sources=sources, weights=weights), table, Y, kind="weights")
            assert ["'labels'" in alert["sentence"] for alert in found] == [True] * told


class TestWarningsOfFits:
    """What a fit warned of is one alert, whether an alert or the warning says it."""

    def told(self, selector, X, y=None, **fit):
        """Kinds of alerts on what a fit warned of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            selector.fit(X, y, **fit)
        assert caught
        given = Fitted(selector, X, y, [f"x{j}" for j in range(X.shape[1])])
        notes = [str(warning.message) for warning in caught]
        return [add_answer(summarise(given, kept=3, notes=said), given)["alerts"] for said in (notes, ())]

    def test_each_is_said_once(self, table):
        units, alone, dominated, constant = (table.copy() for _ in range(4))
        units[:, 3] *= 1000
        alone[4] += 40
        dominated[4] *= 9
        constant[:, 2] = 1
        S = np.kron(np.diag([1, 1, 0]), np.ones((10, 10)))
        for selector, X, fit, expected in (
            (es.LaplacianScore(3), table, {"similarity_matrix": S}, {"isolated", "components"}),
            (es.LaplacianScore(3), pd.DataFrame(units).rename(columns=lambda j: f"x{j}"), {}, {"spreads"}),
            (es.SPEC(3, similarity="rbf"), alone, {}, {"one sample", "outlier"}),
            (es.Variance(3), dominated, {}, {"dominated"}),
            (es.FisherScore(3), constant, {"y": Y}, {"no score"}),
        ):
            heard, unheard = self.told(selector, X, **fit)
            assert heard == unheard
            assert set(kinds(heard)) == expected

    def test_what_no_alert_says_stays(self, table, rng):
        covariate = np.arange(30.0)
        explained = np.where(np.arange(8) == 2, 3 * covariate[:, None], table)
        heard, unheard = self.told(es.FisherScore(3), explained, Y, covariates=covariate[:, None])
        assert "covariates" in only(heard)["sentence"]
        assert kinds(unheard) == ["no score"]
        names = [f"x{j}" for j in range(8)]
        X, Z = pd.DataFrame(table, columns=names), pd.DataFrame(rng.normal(size=(30, 5)), columns=list("vwxyz"))
        X["x3"], Z["w"] = 1000 * X["x3"], 1000 * Z["w"]
        heard, unheard = self.told(es.MSFS(3, sources=[("t", TargetData()), ("z", AuxiliaryData(Z))]), X)
        assert len(heard) == len(unheard) + 1
        assert "'w' of 5" in heard[-1]["sentence"]
        given = Fitted(es.FisherScore(4).fit(table, Y), table, Y, names)
        notes = ["2 cells were empty", "2 cells were empty"]
        found = add_answer(summarise(given, kept=4, notes=notes), given)["alerts"]
        assert [(alert["kind"], alert["sentence"]) for alert in found] == [("warning", notes[0])]
