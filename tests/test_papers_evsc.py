"""papers/evsc*.py: neighbours and turning points against plain loops, statements on made-up numbers."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from eigenselect.evaluation import clustering_accuracy, jaccard_score
from eigenselect.selection import knee
from eigenselect.similarity import Linear


@pytest.fixture
def trials(paper):
    return paper("evsc_trials")


def naive_neighbours(X, i, k, kind):
    def far(j):
        if kind == "inner product":
            return -X[i] @ X[j]
        if kind == "cosine":
            return -X[i] @ X[j] / (np.linalg.norm(X[i]) * np.linalg.norm(X[j]))
        return np.linalg.norm(X[i] - X[j])

    return set(sorted((j for j in range(len(X)) if j != i), key=far)[:k])


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", ["inner product", "cosine", "Euclidean"])
def test_jaccard_scores_are_their_definition(trials, rng, kind, k):
    X, order, sizes = rng.random((14, 20)) + 0.2, rng.permutation(20), (3, 7, 12)
    expected = []
    for size in sizes:
        chosen = X[:, order[:size]]
        pairs = [(naive_neighbours(chosen, i, k, kind), naive_neighbours(X, i, k, kind)) for i in range(14)]
        expected.append(np.mean([len(a & b) / len(a | b) for a, b in pairs]))
    assert trials.jaccard_curves(X, order, sizes)[f"{kind}, {k}"] == pytest.approx(expected)


def test_the_protocol_is_the_score_of_the_library(trials, rng):
    X, order = rng.random((15, 30)), rng.permutation(30)
    expected = [jaccard_score(X[:, order[:size]], X @ X.T, 5) for size in (4, 9)]
    assert trials.jaccard_curves(X, order, (4, 9))["inner product, 5"] == pytest.approx(expected)


def test_k_means_finds_what_is_apart(trials, rng):
    y = np.repeat([0, 1, 2], 8)
    X = rng.normal(size=(24, 4)) + 50.0 * np.eye(3, 4)[y]
    assert trials.clustering(X, y, 0) == (1.0, 1.0)
    best, by_inertia = trials.clustering(rng.normal(size=(24, 4)), y, 0)
    assert by_inertia <= best < 1.0


def test_the_best_run_and_the_run_of_lowest_inertia(trials, rng):
    X, y = rng.normal(size=(30, 5)), np.repeat([0, 1, 2], 10)
    models = [KMeans(3, init="random", n_init=1, random_state=20 + number).fit(X) for number in range(trials.RUNS)]
    accuracies = [clustering_accuracy(y, model.labels_) for model in models]
    lowest = min(range(trials.RUNS), key=lambda number: models[number].inertia_)
    assert trials.clustering(X, y, 2) == pytest.approx((max(accuracies), accuracies[lowest]))
    assert len(set(accuracies)) > 2


def test_turning_points_are_knees(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "LEADING", 50)
    scores = np.r_[rng.exponential(size=300), np.nan]
    leading = np.sort(scores[:300])[::-1][:50]
    assert trials.turning_points(scores) == {"all": knee(scores), "leading": knee(leading)}


def test_smooth_vectors_solve_the_generalised_problem(trials, rng):
    X = rng.normal(size=(12, 3))
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    S = np.exp(-squares / (2 * np.median(np.sqrt(squares[np.triu_indices(12, 1)])) ** 2))
    graph = trials.RBF().build(X)
    np.testing.assert_allclose(graph.affinity - np.diag(np.diag(graph.affinity)), S - np.diag(np.diag(S)), rtol=1e-9)
    D, Q = np.diag(graph.degrees), trials.smooth_space(X)
    values = np.diag(Q.T @ (D - graph.affinity) @ Q) / np.diag(Q.T @ D @ Q)
    np.testing.assert_allclose((D - graph.affinity) @ Q, D @ Q * values, atol=1e-9)
    assert values[0] == pytest.approx(0.0, abs=1e-12)


def test_petal_length_matters_more_than_sepal_length(trials):
    found = trials.iris("iris")
    assert found["without petal length"] > found["without sepal length"]
    assert found["scores"][1] > found["scores"][0]


def test_the_search_says_why_a_graph_cannot_be_made(paper, rng):
    search = paper("evsc_search")
    X = rng.normal(size=(20, 2000))
    assert "not positive" in search.scores_of(X - X.mean(axis=0), Linear(), None)
    found = search.scores_of(np.abs(X), Linear(), None)
    assert set(found) == {f"{kind}, {k}" for kind in search.KINDS for k in search.NEIGHBORS}
    scores = {("PIX", "as given", "g"): {"all": found, "10": "no"}, ("ORL", "as given", "g"): {"all": found}}
    assert len(search.tried(scores, "PIX")) == 9
    assert search.tried(scores, "PIX")[0].best == found["inner product, 1"][0]


def test_a_setting_must_be_near_in_both_tables(paper):
    tables, tried = paper("evsc_tables"), paper("evsc_search").Tried
    found = [tried(("a",), 0.80, 0.02), tried(("b",), 0.80, 0.20), tried(("c",), 0.60, 0.0)]
    assert tables.reaching(found, (0.83, 0.0)) == found[:1]
    assert found[1].distance((0.83, 0.0)) == pytest.approx(0.115)


def test_what_settings_have_in_common(paper):
    tables, search = paper("evsc_tables"), paper("evsc_search")
    found = [
        search.Tried(("as given", graph, count, "cosine", k), 0.8, 0.0)
        for graph in search.GRAPHS
        for count in search.EIGENVALUES
        for k in (1, 10)
    ]
    assert tables.common_parts(found) == "as given, cosine, 1 or 10"


def test_distances_to_the_tables_are_means_over_cells(paper):
    neighbours, published = paper("evsc_neighbours"), paper("published")
    found = {"TOX": {}}
    for column, name in enumerate(("Laplacian", "SPEC", "EVSC")):
        found["TOX"][f"{name}, best"] = {"5": published.EVSC_TABLES[3]["TOX"][column] + 0.03 * column}
        found["TOX"][f"{name}, worst"] = {"5": published.EVSC_TABLES[5]["TOX"][column] - 0.06 * column}
    assert neighbours.gaps(found, ["TOX"], 5) == pytest.approx((0.03, 0.06))


def made_up(trials, paper, levels, rising, turn):
    """Two trials of every set, with levels by method and end for accuracy and Jaccard score alike."""
    curve = np.arange(len(trials.SIZES)) * 0.001
    kinds = [f"{kind}, {k}" for kind in trials.KINDS for k in trials.NEIGHBORS]
    every = {f"{m}, {end}": (value + (curve if m in rising else -curve)).tolist() for (m, end), value in levels.items()}
    turn = {"all": 0.5, "leading": turn}
    one = {key: {trials.ACCURACY: value, trials.INERTIA: value} for key, value in every.items()}
    one |= {"turning point": turn, "everything": 0.5, "random jaccard": {kind: [0.5] for kind in kinds}}
    facts = {
        "shape": [100, 10000],
        "jaccard": {key: dict.fromkeys(kinds, value) for key, value in every.items()},
        "jaccard there": turn,
        "turning point": {"all": 9, "leading": 5},
        "variance": dict.fromkeys(trials.METHODS, 1.0),
    }
    iris = {"without petal length": 40.0, "without sepal length": 10.0, "scores": [0.1, 0.2]}
    known = {(d, scaling): facts for d in trials.FILES for scaling in (trials.RAW, trials.STANDARDISED)}
    return paper("evsc_run").Run(
        {dataset: [one, one] for dataset in trials.FILES}, dict.fromkeys(trials.FILES, one), known, iris, {}, {}
    )


def levels_of(trials, laplacian, spec, evsc):
    pairs = zip(trials.METHODS, (laplacian, spec, evsc), strict=True)
    return {(name, end): value for name, pair in pairs for end, value in zip(("best", "worst"), pair, strict=True)} | {
        (trials.RANDOM, "best"): 0.5
    }


def test_statements_can_hold_and_fail(trials, paper):
    claims = paper("evsc_claims").claims
    good = made_up(trials, paper, levels_of(trials, (0.4, 0.7), (0.3, 0.6), (0.95, 0.1)), {"EVSC"}, 0.93)
    bad = made_up(trials, paper, levels_of(trials, (0.9, 0.1), (0.8, 0.1), (0.6, 0.5)), {"SPEC"}, 0.3)
    held, failed = ([claim.holds for claim in claims(run)] for run in (good, bad))
    assert {type(holds) for holds in held} == {bool, type(None)}  # numpy's truth cannot be written as JSON
    for index, claim in enumerate(claims(good)):
        if claim.holds is None:
            assert failed[index] is None
            continue
        assert held[index], claim.statement
        if "iris" not in claim.statement:
            assert not failed[index], claim.statement


def test_a_curve_must_almost_always_rise(trials, paper):
    claim, levels = paper("evsc_claims").rising, levels_of(trials, (0.4, 0.7), (0.3, 0.6), (0.9, 0.1))
    run = made_up(trials, paper, levels, {"EVSC"}, 0.9)
    assert claim(run, trials.ACCURACY).holds
    wavy = run.found["PIX"][0]["EVSC, best"][trials.ACCURACY]  # the same lists in all sets and trials
    wavy[4::5] = [0.0] * len(wavy[4::5])  # falls at 3 of 18 steps
    assert not claim(run, trials.ACCURACY).holds


def test_leads_are_those_over_the_better_of_the_others(trials, paper):
    claim = paper("evsc_claims").leads_by
    enough, less = (
        made_up(trials, paper, levels_of(trials, (0.2, 0.1), (0.4, 0.1), (best, 0.1)), set(trials.METHODS), 0.9)
        for best in (0.95, 0.9)  # published: 0.5396 on PIX
    )
    assert claim(enough).holds
    assert not claim(less).holds


def test_the_printed_averages_are_those_of_the_cells_but_one(paper):
    tables = paper("published").EVSC_TABLES
    wrong = []
    for number, table in tables.items():
        means = np.mean([cells for name, cells in table.items() if name != "Ave"], axis=0)
        wrong += [(number, column) for column in range(3) if abs(means[column] - table["Ave"][column]) > 1e-4]
    assert wrong == [(5, 0)]
    assert np.mean([cells[0] for name, cells in tables[5].items() if name != "Ave"]) == pytest.approx(0.2594, abs=1e-4)
    assert tables[2]["ORL"][2] / tables[2]["ORL"][1] - 1 == pytest.approx(0.326, abs=5e-4)  # the text: 25.67 %
