"""papers/sselect*.py: a trial on small tables against plain loops, and statements on made-up numbers."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from eigenselect import SSelect
from eigenselect.similarity import KNN

pytestmark = pytest.mark.slow


@pytest.fixture
def trials(paper):
    return paper("sselect_trials")


@pytest.fixture
def posts(rng):
    """Counts of 40 words in two groups of 30 posts, which six of the words tell apart."""
    y = np.repeat([1, 2], 30)
    rates = np.full((60, 40), 0.3)
    rates[:30, :3] += 1.0
    rates[30:, 3:6] += 1.0
    return sparse.csr_matrix(rng.poisson(rates).astype(float)), y


def naive_curve(X, y, order, sizes, seed, shuffle):
    places = np.random.default_rng([seed, shuffle]).permutation(y.size)
    X, y, found = X.toarray()[places], y[places], []
    for size in sizes:
        right = 0
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(places, y):
            for i in test:
                distances = [((X[i, order[:size]] - X[j, order[:size]]) ** 2).sum() for j in train]
                right += y[train[int(np.argmin(distances))]] == y[i]
        found.append(right / y.size)
    return found


def test_accuracies_are_those_of_a_nearest_neighbour_in_other_folds(trials, posts, rng):
    X, y = posts
    order, sizes = rng.permutation(40), (1, 3, 8)
    expected = naive_curve(X, y, order, sizes, 4, trials.SHUFFLE)
    assert trials.CrossValidation(X, y, 4).curve(order, sizes) == pytest.approx(expected)


@pytest.mark.parametrize("value", [0.0, 0.1, 0.7, 1.0])
def test_one_fit_gives_the_order_of_every_lambda(trials, posts, value):
    X, y = posts
    partial, affinity = trials.draw_labels(y, 10, 0), KNN().build(X).affinity
    expected = SSelect(regularization=value).fit(X, partial, similarity_matrix=affinity).ranking_
    np.testing.assert_array_equal(trials.Lambdas.of(X, partial, affinity).order(value), np.argsort(expected))


def made_up(trials, paper, accuracies, few=None):
    """Two trials of every set; accuracies by method and number of labels, the same at all sizes."""
    curve = np.linspace(0, 0.1, len(trials.SIZES))
    flat = [0.5] * 11
    found = []
    for seed in range(2):
        one = {}
        for count in trials.LABELS:
            level = {name: (value[count] if isinstance(value, dict) else value) for name, value in accuracies.items()}
            one[str(count)] = {
                "curves": {name: (value + curve + 0.001 * seed).tolist() for name, value in level.items()},
                "sweep": {"few": few or flat, "many": flat, "cut": flat, "auto": 0.1},
                "terms": {"labels": {"0.0000": 3, "1.0000": 9}, "graph values": 99},
            }
        found.append(one)
    cuts = {(d, count): np.ones((2, 11)) for d in trials.FILES for count in trials.PRINTED_LABELS}
    return paper("sselect_run").Run(dict.fromkeys(trials.FILES, found), {}, cuts, {})


def verdict(claims, start):
    return next(claim.holds for claim in claims if claim.statement.startswith(start))


def test_statements_on_methods_can_hold_and_fail(trials, paper):
    claims = paper("sselect_claims")
    good = {trials.SSELECT: 0.8, trials.FISHER: 0.7, trials.LAPLACIAN: 0.6}
    swapped = {trials.SSELECT: 0.7, trials.FISHER: 0.8, trials.LAPLACIAN: 0.75}
    for start in ("sSelect is more accurate", "sSelect is consistently", "generally sSelect"):
        assert verdict(claims.comparison_claims(made_up(trials, paper, good)), start)
        assert not verdict(claims.comparison_claims(made_up(trials, paper, swapped)), start)
    assert verdict(claims.comparison_claims(made_up(trials, paper, good)), "the Laplacian score")
    assert not verdict(claims.comparison_claims(made_up(trials, paper, swapped)), "the Laplacian score")
