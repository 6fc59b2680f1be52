"""What pages say must be true of noise, too: sentences that claim structure are rare there (20 seeded tables)."""

import html
import re
import warnings
import zlib

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from tests.reporting.conftest import answers_of

import eigenselect as es
from eigenselect.multisource import SampleCategories, TargetData
from eigenselect.reporting import Fitted, add_answer, compare, summarise
from noise import FAMILIES, features

#: claims are made at the 1 to 5 % level; more than four of twenty would be no accident (0.3 % at the 5 % level)
MOST = 4
TABLES = range(20)

SELECTORS = {
    "fisher": lambda: es.FisherScore(10),
    "relieff": lambda: es.ReliefF(10),
    "laplacian": lambda: es.LaplacianScore(10),
    "chosen with labels before": lambda: make_pipeline(SelectKBest(f_classif, k=30), es.LaplacianScore(10)),
    "fuse with labels": lambda: es.MSFS(10, sources=[("target", TargetData()), ("labels", SampleCategories())]),
}

#: what fits of noise warn about is not what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def quick_and_slow(quick, *slow):
    """Cases of a test, of which only the first is quick."""
    return [quick, *(pytest.param(case, marks=pytest.mark.slow) for case in slow)]


def noise(seed, shape=(40, 100)):
    return np.random.default_rng(seed).normal(size=shape), np.repeat(["a", "b"], shape[0] // 2)


@pytest.fixture(scope="module", params=quick_and_slow(*SELECTORS))
def reports(request):
    return [es.report(SELECTORS[request.param]().fit(*noise(seed)), *noise(seed)) for seed in TABLES]


def test_reports_rarely_claim_structure(reports):
    for rendered in ([made.to_html() for made in reports], [made.to_markdown() for made in reports]):
        assert sum(": more than chance." in text for text in rendered) <= MOST
        assert sum("stands out (" in text for text in rendered) <= MOST
        assert all("more than chance." in text for text in rendered)  # one way or the other
    views = [made.summary["views"] for made in reports]
    assert 0.4 < np.mean([found["separation"]["accuracy"] for found in views]) < 0.6
    assert not any(found["near_copies"] or found["redundancy"]["groups"] for found in views)
    assert all("blocks of noise" in made.to_html() for made in reports)


def test_the_answer_claims_nothing_or_what_can_be_computed_again(reports):
    claims = 0
    for made, (X, _) in zip(reports, map(noise, TABLES), strict=True):
        summary, said = made.summary, answers_of(made.summary)
        assert summary["answer"]["headline"].startswith(f"10 of {summary['n_features']} ")
        assert said["How sure?"].startswith("Not tested")
        assert "q ≤" not in said["How sure?"]
        facts = summary["evaluation"]["accuracy"]
        told = re.search(r"in (\d+) % ± (\d+) .* (\d+) %, permuted labels (\d+) %", said["Does it predict?"])
        numbers = [facts[key] for key in ("mean", "deviation", "largest_class", "permuted")]
        assert [int(number) for number in told.groups()] == [round(100 * number) for number in numbers]
        assert (": more than chance." in said["Does it predict?"]) == facts["beyond_chance"]
        claims += facts["beyond_chance"]
        kept = [int(row["feature"].removeprefix("x")) for row in summary["features"]]
        correlations = np.abs(np.corrcoef(X.T)) - np.eye(100)
        assert f"{correlations[np.ix_(kept, kept)].sum() / (10 * 9):.2f} in magnitude" in said["How redundant?"]
        assert "None of the kept" in said["How redundant?"]
        facts = summary["evaluation"]["stability"]
        told = [f"{facts[key]:.2f}" for key in ("overlap", "permuted")]
        assert re.findall(r"-?\d\.\d\d", said["How stable?"]) == told
        assert ("no more" in said["How stable?"]) == (float(told[0]) <= float(told[1]))
    assert claims <= MOST


def test_alerts_of_reports_are_true(reports):
    told = []
    for made in reports:
        summary, kinds = made.summary, [alert["kind"] for alert in made.summary["alerts"]]
        assert set(kinds) <= {"labels", "no signal", "components", "warning"}
        assert kinds.count("labels") == (summary["method"] == "laplacian" and summary["n_features"] == 100)
        warned = [alert["sentence"] for alert in summary["alerts"] if alert["kind"] == "warning"]
        assert set(warned) <= set(summary["warnings"])
        assert ("no signal" in kinds) != summary["evaluation"]["accuracy"]["beyond_chance"]
        told.append("no signal" in kinds)
    assert told.count(False) <= MOST


@pytest.mark.parametrize("n_tables", quick_and_slow(4, 20))
def test_alerts_of_values_of_any_kind_are_true(n_tables):
    for family in FAMILIES:
        for make in (es.LaplacianScore, es.Variance, es.FisherScore, es.EVSC):
            rng = np.random.default_rng(zlib.crc32(f"{family} {make.__name__}".encode()))
            for _ in range(n_tables):
                X, y = features(family, 40, 30, rng), np.repeat(["a", "b"], 20)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fitted = Fitted(make(10).fit(X, y), X, y, [f"f{j}" for j in range(30)])
                for alert in add_answer(summarise(fitted, kept=10), fitted)["alerts"]:
                    assert is_true(alert, X, make), alert["sentence"]


def is_true(alert, X, make):
    """Whether an alert holds, computed from the table alone."""
    columns = [int(name.removeprefix("f")) for name in alert["features"]]
    rows = [int(name.removeprefix("sample ")) - 1 for name in alert["samples"]]
    squares = (X - X.mean(axis=0)) ** 2
    shares = squares[:, columns] / np.maximum(squares[:, columns].sum(axis=0), 1e-300)
    if alert["kind"] == "one sample":
        return (shares.max(axis=0) > 0.9).all() and set(shares.argmax(axis=0)) == set(rows)
    if alert["kind"] == "dominated":
        return len(columns) >= 3 and (shares[rows[0]] > 0.5).all()
    if alert["kind"] == "spreads":
        return make is not es.FisherScore and squares[:, columns].sum() > 0.9 * squares.sum()
    if alert["kind"] == "copies":
        return all(sum(np.array_equal(X[:, a], X[:, b]) for b in columns) > 1 for a in columns)
    if alert["kind"] == "equal samples":
        return all(sum(np.array_equal(X[a], X[b]) for b in rows) > 1 for a in rows)
    if alert["kind"] == "no score":
        return not np.ptp(X[:, columns], axis=0).any()
    if alert["kind"] == "outlier":
        return make is es.EVSC and leading_vector(X)[rows[0]] ** 2 > 0.75
    if alert["kind"] == "isolated":
        return False  # every sample has neighbours
    if alert["kind"] == "components":
        count = int(re.search(r"apart into (\d+) components", alert["sentence"])[1])
        return count == connected_components(es.similarity.KNN().build(X).affinity, directed=False)[0]
    return alert["kind"] == "labels" and make is not es.FisherScore


def leading_vector(X):
    """The second eigenvector of the normalised full kernel."""
    S = es.similarity.RBF().build(X).affinity
    roots = np.sqrt(S.sum(axis=1))
    return np.linalg.eigh(S / np.outer(roots, roots))[1][:, -2]


@pytest.mark.parametrize("shape", quick_and_slow((100, 20), (300, 2), (48, 2000)))
def test_unlabelled_reports_rarely_make_groups(shape):
    counts = []
    for seed in TABLES:
        X, _ = noise(seed, shape)
        counts.append(es.report(es.LaplacianScore(1).fit(X), X, evaluation=False).summary["views"]["groups"]["count"])
    assert sum(count > 1 for count in counts) <= MOST


@pytest.mark.parametrize("n_tables", quick_and_slow(3, 20))
def test_comparisons_name_no_best_and_predict_nothing(n_tables):
    """Two ways to use labels and one that does not; all that the answer says of accuracies is true of noise."""
    selectors = {"fisher": es.FisherScore(), "relieff": es.ReliefF(), "laplacian": es.LaplacianScore()}
    pairs = {(other, key): [] for other in ("relieff", "laplacian") for key in ("shared", "agreement")}
    kept, stable = [], []
    for seed in range(n_tables):
        made = compare(selectors, *noise(seed, (40, 60)), n_features=5, sizes=[2, 5], n_splits=3)
        summary, page, said = made.summary, html.unescape(made.to_html()), answers_of(made.summary)
        assert not any(summary["best"].values())
        assert not re.search(r"\*\*\d", made.to_markdown())
        assert "None has a ★" in page
        assert summary["answer"]["headline"].startswith("No method is shown")
        assert "0 of 3" in said["More than chance?"]
        assert not re.search("beyond|ahead|within the deviation", said["Which predicts best?"])
        assert "no-signal" in [alert["kind"] for alert in summary["alerts"]]
        assert all(sentence in page for sentence in said.values())
        facts = summary["methods"]["fisher"]
        for (other, key), found in pairs.items():
            found.append(facts[key][other] - facts[f"{key}_permuted"][other])
        row = summary["consensus"]["at_least"][1]
        kept.append(row["n_features"] - row["permuted"])
        stable.append(facts["stability"] - facts["stability_permuted"])
    if n_tables == len(TABLES):  # on average, noise has what permuted labels have
        assert {pair: gap for pair, found in pairs.items() if abs(gap := np.mean(found)) > 0.1} == {}
        assert abs(np.mean(kept)) < 0.6
        assert np.mean(stable) < 0.1


def test_reports_rarely_claim_discoveries():
    """At q ≤ 0.05 one table of noise in twenty may have one; permuted labels stand for labels from elsewhere."""
    counts = []
    for seed in TABLES:
        X, y = noise(seed)
        made = es.report(es.FisherScore(10, significance=True).fit(X, y), X, y, evaluation=False)
        counts.append(made.summary["significance"]["n_discoveries"])
        assert ("no feature stands out" in made.to_html()) == (counts[-1] == 0)
    assert sum(count > 0 for count in counts) <= MOST
