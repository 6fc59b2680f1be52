"""What pages say must be true of noise, too: sentences that claim structure are rare there (20 seeded tables)."""

import html
import re

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline

import eigenselect as es
from eigenselect.multisource import SampleCategories, TargetData
from eigenselect.reporting import compare

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


def noise(seed, shape=(48, 600)):
    return np.random.default_rng(seed).normal(size=shape), np.repeat(["a", "b"], shape[0] // 2)


@pytest.fixture(scope="module", params=SELECTORS)
def reports(request):
    return [es.report(SELECTORS[request.param]().fit(*noise(seed)), *noise(seed), evaluation=False) for seed in TABLES]


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
    return [compare(selectors, *noise(seed, (40, 120)), n_features=5, sizes=[2, 5]) for seed in TABLES]


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
