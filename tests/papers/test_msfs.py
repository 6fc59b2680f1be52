"""papers/msfs*.py: PathSPCA against brute force, one trial against its definition, rules that can say no."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.multisource import FeatureSet

pytestmark = pytest.mark.slow


@pytest.fixture
def study(paper, rng):
    """Three classes of two tables, four features of the first are known to belong together."""
    data = paper("msfs_data")
    y = np.repeat([0, 1, 2], 10)
    names = [f"s{place}" for place in range(30)]
    target = rng.normal(size=(30, 12)) + 2 * np.outer(y, np.arange(12) < 4)
    other = rng.normal(size=(30, 5)) + 3 * np.outer(y == 2, np.ones(5))
    tables = {
        "mRNA": pd.DataFrame(target, names, [f"g{place}" for place in range(12)]),
        "miRNA": pd.DataFrame(other, names, [f"m{place}" for place in range(5)]),
    }
    known = [("function", FeatureSet(["g0", "g1", "g2", "g7"], "rbf"))]
    lists = {data.LISTED: np.arange(12) < 6, data.UNTOLD: np.arange(12) == 4}
    return data.Study("made up", tables, y, ((y == 2).astype(int), (y == 0).astype(int)), 3, known, lists)


def explained(X, chosen):
    """The largest variance of a combination of length 1 of some features."""
    A = X - X.mean(axis=0)
    return np.linalg.eigvalsh(A[:, chosen].T @ A[:, chosen])[-1]


def test_path_spca_takes_the_largest_bound(paper, rng):
    path = paper("path_spca").path_spca
    X = rng.normal(size=(9, 14)) * np.linspace(1, 2, 14)
    covariance = np.cov(X.T) * 8
    chosen = [int(np.argmax(np.diag(covariance)))]
    while len(chosen) < 14:
        values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)])
        left = [i for i in range(14) if i not in chosen]
        bound = {i: (covariance[i, chosen] @ vectors[:, -1]) ** 2 / values[-1] for i in left}
        best = max(bound, key=bound.get)
        assert explained(X, [*chosen, best]) >= values[-1] + bound[best] - 1e-9  # what the bound promises
        chosen.append(best)
    np.testing.assert_array_equal(path(X, 14), chosen)
    np.testing.assert_array_equal(path(X, 5), chosen[:5])
    np.testing.assert_array_equal(path(X + 7, 99), chosen)


@pytest.mark.filterwarnings("ignore:ReliefF")  # small classes
def test_selection_sees_the_training_samples_alone(paper, study, monkeypatch):
    """What Fisher score is given: z-scores of the training samples, and their own labels."""
    trials, seen = paper("msfs_trials"), []
    study.tables["mRNA"]["g0"] = study.y.astype(float)

    class Spy(trials.FisherScore):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    monkeypatch.setattr(trials, "FisherScore", Spy)
    trials.one_trial(study, 0)
    assert len(seen) == 6  # three folds, two class definitions
    for X, y in seen:
        assert X.shape == (20, 12)
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(X.std(axis=0), 1)
        expected = X[:, 0] if len(np.unique(y)) == 3 else X[:, 0] == X[:, 0].max()
        assert np.corrcoef(expected, y)[0, 1] == pytest.approx(1)


def made_up(paper, *, trials=6, **levels):
    """A run of NCI60 with given accuracies and hits: ``levels`` are (two classes, all classes, hits) by row."""
    data, module, noise = paper("msfs_data"), paper("msfs_trials"), np.random.default_rng(0)
    rows = {**dict.fromkeys(module.ROLES, (0.7, 0.6, 1.0)), module.LAPLACIAN: (0.5, 0.4, 0.5)}
    rows |= {module.SPCA: (0.5, 0.4, 0.5), **dict.fromkeys(paper("published_msfs").EXPERT, (0.8, 0.7, 2.0))}
    rows |= {module.mixture(share): (0.9 - abs(share - 0.5), 0.5, 1.0) for share in module.SHARES}
    labelled = dict.fromkeys(module.LABELLED, (0.6, 0.5, 1.0)) | {module.FISHER: (0.95, 0.9, 0.2)}
    found = []
    for _ in range(trials):
        records = []
        for row, level in (rows | labelled | levels).items():
            two, fine, hits = level
            for learned in (data.ALL, data.TWO) if row in module.LABELLED else ("",):
                shift = -0.3 if learned == data.TWO else 0.0  # of genes for other classes
                accuracy = {data.ALL: fine + shift, data.TWO: two}
                accuracy = {name: [value + noise.normal(0, 1e-3)] * 5 for name, value in accuracy.items()}
                counts = {data.LISTED: [hits] * 5, data.UNTOLD: [hits / 2] * 5}
                records.append({"row": row, "learned": learned, "accuracy": accuracy, "hits": counts})
        graphs = {"mRNA": 0.7, "miRNA": 0.9, "function": 0.6, "pathway": 0.6, "GO": 0.6}
        folds = {f"neighbours, {data.TWO}, {name}": [value] for name, value in graphs.items()}
        folds |= {f"weights, {data.TWO}, {row}": [[0, 0.1, 0.9, 0, 0]] for row in module.LEARNED.values()}
        found.append({"records": records, "folds": folds, "notes": []})
    return paper("msfs_run").Run({"NCI60": found})


def verdicts(paper, run):
    return {claim.statement: claim.holds for claim in paper("msfs_claims").claims(run)}


@pytest.mark.parametrize(
    ("start", "changed"),
    [
        ("Two classes: miRNA", {"SPCA": (0.9, 0.4, 0.5)}),
        ("Two classes: the best", {"GO": (0.99, 0.4, 0.5)}),
        ("COMB-2 finds the most known", {"pathway": (0.7, 0.6, 3.0)}),
        ("A combination of sources", {"function": (0.82, 0.6, 2.0)}),
        ("The best proportion", {"1.0 miRNA + 0.0 function": (1.0, 0.5, 1.0)}),
        ("The baselines without labels", {"SPCA": (0.3, 0.4, 0.5)}),
        ("More classes: miRNA", {"pathway": (0.7, 0.3, 1.0)}),
        ("Fisher score is the most", {"ReliefF (labels)": (0.99, 0.9, 0.1)}),
        ("Learned weights find", {"ReliefF (labels)": (0.6, 0.5, 2.0)}),
        ("COMB-2 finds more known", {"ReliefF (labels)": (0.6, 0.5, 4.0)}),
        ("The experts' COMB-2", {"combined, discriminant (labels)": (0.9, 0.5, 1.0)}),
        ("Chosen for two classes", {"Fisher score (labels)": (0.95, 1.0, 0.2), "miRNA": (0.7, 0.6, 1.0)}),
        ("Pathways find more", {"mRNA": (0.7, 0.6, 1.0)}),
        ("More accurate genes", {"Fisher score (labels)": (0.95, 0.9, 1.5)}),
    ],
)
def test_a_rule_can_come_out_either_way(paper, start, changed):
    good = {"miRNA": (0.75, 0.65, 2.0), "function": (0.7, 0.6, 2.0), "mRNA": (0.7, 0.6, 0.9)}
    good["COMB-2, weights of 2C"] = (0.8, 0.7, 2.5)
    good["combined, discriminant (labels)"] = (0.6, 0.5, 1.5)
    yes, no = (verdicts(paper, made_up(paper, **levels)) for levels in (good, good | changed))
    (statement,) = (statement for statement in yes if statement.startswith(start))
    assert yes[statement] is True
    assert no[statement] is False
