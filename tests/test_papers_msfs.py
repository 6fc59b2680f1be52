"""papers/msfs*.py: PathSPCA against brute force, one trial against its definition, rules that can say no."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import MSFS
from eigenselect.multisource import FeatureSet


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


@pytest.mark.parametrize("size", [2, 3, 4])
def test_path_spca_finds_the_best_set_of_a_planted_factor(paper, rng, size):
    X = 0.3 * rng.normal(size=(60, 10))
    X[:, [1, 4, 6, 9]] += np.outer(rng.normal(size=60), [4.0, 3.5, 3.0, 2.5])
    best = max(itertools.combinations(range(10), size), key=lambda some: explained(X, list(some)))
    assert set(paper("path_spca").path_spca(X, size)) == set(best)


def test_expert_weights_leave_out_what_is_not_there(paper):
    weights = paper("msfs_trials").expert_weights
    found = weights(["mRNA", "protein", "function", "pathway", "GO"])
    assert "COMB-1, weights of 2C" not in found  # function alone would be left
    np.testing.assert_allclose(found["COMB-2, weights of 2C"], np.array([1, 0, 3, 2, 1]) / 7)
    np.testing.assert_allclose(weights(["mRNA", "miRNA", "function"])["COMB-1, weights of 2C"], [0, 0.5, 0.5])
    assert weights(["pixels", "shape"]) == {}


def test_weights_on_known_similarities_are_weights_of_the_sources(paper, study):
    trials = paper("msfs_trials")
    tables = study.standardised(np.arange(30))
    sources = trials.Sources(study, tables)
    weights = [0.2, 0.5, 0.3]
    whole = MSFS(sources=study.sources(tables), weights=weights).fit(tables["mRNA"])
    np.testing.assert_array_equal(sources.weighted(weights).ranking_, whole.ranking_)
    orders = sources.unsupervised(study.tables["mRNA"].to_numpy())
    for share, source in ((1.0, "miRNA"), (0.0, "function")):
        np.testing.assert_array_equal(orders[trials.mixture(share)], orders[source])


@pytest.mark.filterwarnings("ignore:ReliefF")  # small classes
def test_a_trial_tests_what_was_chosen(paper, study, monkeypatch):
    """One row's features are fixed: its accuracies are those of scikit-learn's 1NN, its hits a plain count."""
    trials, data = paper("msfs_trials"), paper("msfs_data")
    fixed = np.array([5, 3, 4, 0, 9, 8, 7, 6, 1, 2, 11, 10])
    monkeypatch.setattr(trials, "path_spca", lambda raw, count: fixed)
    found = trials.one_trial(study, 1)
    records = {(record["row"], record["learned"]): record for record in found["records"]}
    record = records[trials.SPCA, ""]
    assert record["hits"] == {data.LISTED: [2, 4, 6, 6, 6], data.UNTOLD: [0, 1, 1, 1, 1]}
    right = {data.ALL: 0, data.TWO: 0}
    for train, test in trials.StratifiedKFold(3, shuffle=True, random_state=1).split(study.y, study.y):
        X = study.standardised(train)["mRNA"].to_numpy()[:, fixed[:5]]
        for name, y in study.labels(1).items():
            right[name] += KNeighborsClassifier(1).fit(X[train], y[train]).score(X[test], y[test]) * 10
    assert record["accuracy"][data.ALL][1] == pytest.approx(right[data.ALL] / 30)
    assert record["accuracy"][data.TWO][1] == pytest.approx(right[data.TWO] / 30)
    assert {learned for row, learned in records if row == trials.FISHER} == {data.ALL, data.TWO}
    assert len(found["folds"][f"weights, {data.TWO}, {trials.LEARNED['alignment']}"]) == 3


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


def test_two_class_labels_are_taken_in_turn(paper, study):
    data = paper("msfs_data")
    first, second, third = (study.labels(seed)[data.TWO] for seed in range(3))
    assert (first != second).any()
    np.testing.assert_array_equal(first, third)
    leukemia = data.Study("two", study.tables, first, (first,), 3)
    assert list(leukemia.labels(0)) == [data.TWO]


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


def test_rules_on_sources(paper):
    run = made_up(paper, miRNA=(0.9, 0.6, 1.0))
    yes = verdicts(paper, run)
    folds = run.trials["NCI60"][0]["folds"]
    data, weighed = paper("msfs_data"), paper("msfs_claims").WEIGHED
    for name, statement in (
        (f"neighbours, {data.TWO}, miRNA", "The miRNA similarity tells the classes apart better than that of mRNA"),
        (f"neighbours, {data.TWO}, miRNA", "A better sample similarity gives better genes"),
        (f"weights, {data.TWO}, {weighed}", "Learned weights prefer function and give nothing to mRNA"),
    ):
        assert yes[statement] is True
        kept = folds[name]
        for one in run.trials["NCI60"]:
            one["folds"] = one["folds"] | {name: [[0.5, 0.1, 0.4, 0, 0]] if "weights" in name else [0.1]}
        assert verdicts(paper, run)[statement] is False
        for one in run.trials["NCI60"]:
            one["folds"] = one["folds"] | {name: kept}


def test_a_statement_holds_if_it_does_on_most_sets(paper):
    good, bad = made_up(paper), made_up(paper, SPCA=(0.9, 0.4, 0.5))
    (claim, *_) = paper("msfs_claims").claims(good)
    assert claim.holds is True
    for sets, holds in ((("NCI60", "breast TCGA"), True), (("NCI60",), False)):
        trials = {name: (good if name in sets else bad).trials["NCI60"] for name in ("NCI60", "breast TCGA")}
        (claim, *_) = paper("msfs_claims").claims(paper("msfs_run").Run(trials))
        assert claim.holds is holds
        assert claim.evidence.startswith(f"on {len(sets)} of 2 sets")


def test_significance_is_asked_for_only_where_the_chapter_does(paper):
    """COMB ahead by less than its noise: better than learned weights, but not significantly better than SPCA."""
    level = {"SPCA": (0.6999, 0.4, 0.5), "miRNA": (0.7, 0.6, 1.0)}
    level |= dict.fromkeys(paper("msfs_claims").COMB_2C, (0.7, 0.7, 2.0))
    level["combined, discriminant (labels)"] = (0.698, 0.5, 1.0)
    run = made_up(paper, **level)
    data, claims = paper("msfs_data"), paper("msfs_claims")
    for one in run.trials["NCI60"][:3]:
        for record in one["records"]:
            if record["row"] in (claims.COMB_2C[1], "miRNA"):
                record["accuracy"][data.TWO] = [0.9] * 5
    found = {claim.statement: claim.holds for claim in claims.claims(run)}
    assert found["The experts' COMB-2 is more accurate than learned weights"] is True
    assert next(holds for text, holds in found.items() if text.startswith("Two classes: miRNA")) is False


def test_equally_near_samples_are_taken_at_random(paper):
    """Two classes, sorted, in one place: a rule that takes the first would never be right on the second."""
    trials, data = paper("msfs_trials"), paper("msfs_data")
    y = np.repeat([0, 1], 200)
    study = data.Study("ties", {"mRNA": pd.DataFrame(np.zeros((400, 2)))}, y, (y,), 2)
    tally = trials.Tally({data.TWO: y}, np.random.default_rng(0))
    fold = np.arange(0, 400, 2), np.arange(201, 400, 2)  # tested on the second class alone
    right = []
    for _ in range(40):
        tally.right.clear()
        tally.add("any", "", np.zeros((400, 2)), np.array([0, 1]), fold, study)
        right.append(tally.right["any", "", data.TWO][0] / 100)
    assert 0.2 < np.mean(right) < 0.8


def test_what_was_not_run_is_not_counted(paper):
    found = verdicts(paper, paper("msfs_run").Run({}))
    assert set(found.values()) == {None}


def printed_run(paper):
    """A run of one set and one trial whose cells are the chapter's; what it does not print is made up to agree."""
    data, trials, run, printed = (paper(name) for name in ("msfs_data", "msfs_trials", "msfs_run", "published_msfs"))
    records = []

    def add(row, learned, two, fine, hits):
        lists = {data.LISTED: hits, data.UNTOLD: hits}
        accuracy = {data.TWO: two, data.ALL: fine}
        records.append({"row": row, "learned": learned, "accuracy": accuracy, "hits": lists})

    for name, transfer in printed.TRANSFER.items():
        two, hits = printed.ACCURACY_2C[name], printed.HITS_2C[name]
        row = run.counterpart(name, data.TWO)
        if row in trials.LABELLED:
            add(row, data.TWO, two, transfer, hits)
            add(row, data.ALL, two, [0.9] * 5, hits)
        elif name.startswith("COMB"):
            add(row, "", two, transfer, hits)
            add(run.counterpart(name, data.ALL), "", two, printed.ACCURACY_4C[name], printed.HITS_4C[name])
        else:
            add(row, "", two, printed.ACCURACY_4C[name], hits)
    for share in trials.SHARES:
        add(trials.mixture(share), "", [0.8 - abs(share - 0.5)] * 5, [0.5] * 5, [1] * 5)
    graphs = dict(zip(trials.ROLES, (0.5, 0.9, 0.8, 0.6, 0.55), strict=True))
    folds = {f"neighbours, {data.TWO}, {name}": [value] for name, value in graphs.items()}
    folds |= {f"weights, {data.TWO}, {row}": [[0, 0.11, 0.89, 0, 0]] for row in trials.LEARNED.values()}
    return run.Run({"NCI60": [{"records": records, "folds": folds, "notes": []}]})


def test_rules_agree_with_the_printed_tables(paper):
    """A rule that the chapter's own cells do not meet is not what it says; Table 5.1 is of other samples."""
    found = verdicts(paper, printed_run(paper))
    assert {text for text, holds in found.items() if holds is False} == {
        "More accurate genes need not be more relevant"
    }
    assert sum(holds is True for holds in found.values()) == 17


def test_published_averages(paper):
    """The chapter's averages of some rows, as printed, from the cells that were typed."""
    tables = paper("published_msfs")
    for table, row, printed in (
        (tables.ACCURACY_2C, "COMB-1", 0.85),
        (tables.ACCURACY_4C, "pathway", 0.82),
        (tables.TRANSFER, "miRNA", 0.79),
        (tables.HITS_2C, "SPCA", 5.8),
        (tables.HITS_4C, "COMB-1", 8.6),
    ):
        assert np.mean(table[row]) == pytest.approx(printed, abs=0.0101)
    assert all(sum(weights) == pytest.approx(1) for weights in tables.EXPERT.values())


def test_a_proportion_is_confirmed_on_trials_that_did_not_choose_it(paper):
    """The first half of the trials prefers a mixture; in the other half one source alone is better."""
    run, data = made_up(paper), paper("msfs_data")
    for one in run.trials["NCI60"][3:]:
        (record,) = (r for r in one["records"] if r["row"] == paper("msfs_trials").mixture(1.0))
        record["accuracy"][data.TWO] = [0.95] * 5
    (claim,) = (claim for claim in paper("msfs_claims").claims(run) if claim.where == "Fig. 5.5c")
    assert claim.holds is False
    assert "share 0.5 chosen" in claim.evidence
