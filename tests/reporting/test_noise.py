"""What pages say must be true of noise, too: sentences that claim structure are rare there (20 seeded tables)."""

import html
import re
import zlib

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from tests.reporting.ranked import alerts_of, fitted_to

import eigenselect as es
from eigenselect.multisource import SampleCategories, TargetData
from eigenselect.reporting import compare
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


def noise(seed, shape=(40, 100)):
    return np.random.default_rng(seed).normal(size=shape), np.repeat(["a", "b"], shape[0] // 2)


@pytest.fixture(scope="module", params=SELECTORS)
def reports(request):
    return [es.report(SELECTORS[request.param]().fit(*noise(seed)), *noise(seed)) for seed in TABLES]


def test_reports_rarely_claim_that_classes_are_apart(reports):
    pages = [made.to_html() for made in reports]
    assert sum(": more than chance." in page for page in pages) <= MOST
    assert sum(": more than chance." in made.to_markdown() for made in reports) <= MOST
    assert all("no more than chance." in page or ": more than chance." in page for page in pages)


def test_reports_draw_noise_as_noise(reports):
    accuracies = [made.summary["views"]["separation"]["accuracy"] for made in reports]
    assert 0.4 < np.mean(accuracies) < 0.6


def test_reports_rarely_claim_clusters(reports):
    assert sum("stands out (" in made.to_html() for made in reports) <= MOST
    assert sum("stands out (" in made.to_markdown() for made in reports) <= MOST


def test_reports_name_no_copies(reports):
    assert sum(bool(made.summary["views"]["near_copies"]) for made in reports) == 0
    assert sum(bool(made.summary["views"]["redundancy"]["groups"]) for made in reports) == 0


def test_reports_say_that_noise_has_blocks_too(reports):
    assert all("which makes blocks of noise, too." in made.to_html() for made in reports)


class TestTheAnswer:
    """Every sentence claims nothing, or what can be computed again."""

    def said(self, made, question):
        found = {each["question"]: each["sentence"] for each in made.summary["answer"]["sentences"]}
        return found[question]

    def test_the_headline_counts(self, reports):
        for made in reports:
            total = made.summary["n_features"]
            assert made.summary["answer"]["headline"] == f"10 of {total} features kept (the 10 best)"

    def test_nothing_is_sure_that_was_not_tested(self, reports):
        for made in reports:
            assert self.said(made, "How sure?").startswith("Not tested: ")
            assert "q ≤" not in self.said(made, "How sure?")

    def test_predictions_are_told_as_they_were_measured(self, reports):
        claims = 0
        for made in reports:
            facts = (made.summary.get("evaluation") or {}).get("accuracy")
            said = self.said(made, "Does it predict?")
            if facts is None:
                assert said.startswith("Not measured")
                continue
            numbers = [facts["mean"], facts["deviation"], facts["largest_class"], facts["permuted"]]
            told = re.search(r"in (\d+) % ± (\d+) of cases; .* gives (\d+) %, permuted labels (\d+) %", said)
            assert [int(number) for number in told.groups()] == [round(100 * number) for number in numbers]
            assert (": more than chance." in said) == facts["beyond_chance"]
            claims += facts["beyond_chance"]
        assert claims <= MOST

    def test_redundancy_is_that_of_the_kept_features(self, reports):
        for made, (X, _) in zip(reports, map(noise, TABLES), strict=True):
            kept = [int(row["feature"].removeprefix("x")) for row in made.summary["features"]]
            correlations = np.abs(np.corrcoef(X.T))
            np.fill_diagonal(correlations, 0)
            said = self.said(made, "How redundant?")
            mean = f"{correlations[np.ix_(kept, kept)].sum() / (10 * 9):.2f} in magnitude"
            assert f"Mean correlation of the kept features {mean}; independent features give 0.13." in said
            assert correlations[kept].max() < 0.9
            assert said.endswith("None of the kept features has a near-copy (correlation of 0.9 or more).")

    def test_stability_is_told_as_it_was_measured(self, reports):
        for made in reports:
            facts = (made.summary.get("evaluation") or {}).get("stability")
            said = self.said(made, "How stable?")
            if facts is None:
                assert said.startswith("Not measured")
            else:
                assert f"overlap by {facts['overlap']:.2f} " in said
                null = re.search(
                    rf"; with {facts['of']} permuted, and nothing else, by (-?[\d.]+\d)(: no more|\.$)", said
                )
                assert null[1] == f"{facts['permuted']:.2f}"
                assert null[2].startswith(":") == (round(facts["overlap"], 2) <= round(facts["permuted"], 2))


class TestAlerts:
    """Every alert is true of the noise that it is about."""

    def test_of_reports(self, reports):
        for made in reports:
            selector = made.summary["method"]
            kinds = [alert["kind"] for alert in made.summary["alerts"]]
            assert set(kinds) <= {"labels", "no signal", "components", "warning"}
            assert kinds.count("labels") == (selector == "laplacian" and made.summary["n_features"] == 100)
            warned = [alert["sentence"] for alert in made.summary["alerts"] if alert["kind"] == "warning"]
            assert set(warned) <= set(made.summary["warnings"])

    def test_no_signal_is_said_where_none_was_measured(self, reports):
        measured = [made for made in reports if (made.summary.get("evaluation") or {}).get("accuracy")]
        assert len(measured) == len(TABLES)
        told = ["no signal" in [alert["kind"] for alert in made.summary["alerts"]] for made in measured]
        assert told == [not made.summary["evaluation"]["accuracy"]["beyond_chance"] for made in measured]
        assert told.count(False) <= MOST

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("make", [es.LaplacianScore, es.Variance, es.FisherScore, es.EVSC])
    def test_of_values_of_any_kind(self, family, make):
        rng = np.random.default_rng(zlib.crc32(f"{family} {make.__name__}".encode()))
        for _ in TABLES:
            X, y = features(family, 40, 30, rng), np.repeat(["a", "b"], 20)
            for alert in alerts_of(fitted_to(make(10), X, y)):
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


@pytest.mark.parametrize("shape", [(300, 2), (100, 20)])
def test_unlabelled_reports_rarely_make_groups(shape):
    counts = []
    for seed in TABLES:
        X, _ = noise(seed, shape)
        counts.append(es.report(es.LaplacianScore(1).fit(X), X, evaluation=False).summary["views"]["groups"]["count"])
    assert sum(count > 1 for count in counts) <= MOST


@pytest.fixture(scope="module")
def compared():
    selectors = {"fisher": es.FisherScore(), "relieff": es.ReliefF(), "laplacian": es.LaplacianScore()}
    return [compare(selectors, *noise(seed, (40, 60)), n_features=5, sizes=[2, 5], n_splits=3) for seed in TABLES]


class TestComparisons:
    """Two ways to use labels and one that does not; all that the answer says of accuracies is true of noise."""

    def test_none_is_best(self, compared):
        for made in compared:
            assert not any(made.summary["best"].values())
            assert not re.search(r"\*\*\d", made.to_markdown())
            assert "None has a ★" in made.to_html()

    def test_the_answer_and_the_alerts_say_that_nothing_is_predicted(self, compared):
        for made in compared:
            answer = made.summary["answer"]
            assert answer["headline"] == "No method is shown to predict more than permuted labels do"
            said = {part["question"]: part["sentence"] for part in answer["sentences"]}
            assert "0 of 3 methods are above all permuted labels" in said["More than chance?"]
            assert all(
                words not in said["Which predicts best?"] for words in ("beyond", "ahead", "within the deviation")
            )
            assert "no-signal" in [alert["kind"] for alert in made.summary["alerts"]]
            page = html.unescape(made.to_html())
            assert answer["headline"] in page
            assert all(sentence in page for sentence in said.values())

    def test_what_permuted_labels_give_is_what_noise_gives(self, compared):
        """Overlap, agreement, consensus and stability of noise are on average those of permuted labels beside them."""
        pairs = [("fisher", "relieff"), ("fisher", "laplacian")]
        for one, other in pairs:
            for key in ("shared", "agreement"):
                found = [
                    (made.summary["methods"][one][key][other], made.summary["methods"][one][f"{key}_permuted"][other])
                    for made in compared
                ]
                own, permuted = np.mean(found, axis=0)
                assert own == pytest.approx(permuted, abs=0.1)
        kept = [made.summary["consensus"]["at_least"][1] for made in compared]
        assert np.mean([row["n_features"] for row in kept]) == pytest.approx(
            np.mean([row["permuted"] for row in kept]), abs=0.6
        )
        stable = [made.summary["methods"]["fisher"] for made in compared]
        permuted = np.mean([row["stability_permuted"] for row in stable])  # of other subsamples, the same in all tables
        assert np.mean([row["stability"] for row in stable]) < permuted + 0.1


def test_reports_rarely_claim_discoveries():
    """At q ≤ 0.05 one table of noise in twenty may have one; permuted labels stand for labels from elsewhere."""
    counts = []
    for seed in TABLES:
        X, y = noise(seed)
        made = es.report(es.FisherScore(10, significance=True).fit(X, y), X, y, evaluation=False)
        counts.append(made.summary["significance"]["n_discoveries"])
        assert ("no feature stands out from chance" in made.to_html()) == (counts[-1] == 0)
    assert sum(count > 0 for count in counts) <= MOST
