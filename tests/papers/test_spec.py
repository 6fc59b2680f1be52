"""papers/spec.py: its methods against the library and against loops, one split, and claims that can fail."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect import SPEC

pytestmark = pytest.mark.slow


@pytest.fixture
def methods(paper):
    return paper("spec_methods")


@pytest.fixture
def trials(paper):
    return paper("spec_trials")


@pytest.fixture
def table(rng):
    """Two classes of which some columns know, of counts: many equal values."""
    y = np.repeat([3, 5], 20)
    X = rng.poisson(1.0, size=(40, 120)).astype(float)
    X[:, :10] += 2.0 * (y == 5)[:, None]
    X[:, 0] += 1
    return X, y


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix])
def test_orders_are_those_of_the_selector(methods, table, stored):
    X, y = stored(table[0]), table[1]
    found = dict(methods.orders(X, y, methods.graphs(X, y)))
    assert set(found) == set(methods.all_methods())
    similarities = {"RBF": "knn", "DIJ length": "geodesic", "C": "class_labels"}
    for method in (m for m in found if m.graph in similarities and m.ranking in methods.PHI):
        options = {"spectral_function": method.power, "n_clusters": 2 if method.ranking == "phi3" else None}
        selector = SPEC(5, ranking=method.ranking, similarity=similarities[method.graph], **options)
        selector.fit(X, y) if method.graph == "C" else selector.fit(X)
        np.testing.assert_array_equal(found[method][:50], np.argsort(selector.ranking_)[:50])


def test_a_split_tests_on_other_samples_than_it_selects_on(trials, table, monkeypatch):
    X, y = table
    seen, nested = {}, trials.nested_one_nn

    def orders(A, labels, built):
        seen["selection"] = A
        return [(method, np.arange(100)) for first, others in trials.SAME.values() for method in (first, *others)]

    def tested(A, a, B, b):
        seen["training"], seen["test"] = A, B
        return nested(A, a, B, b)

    monkeypatch.setattr(trials, "orders", orders)
    monkeypatch.setattr(trials, "nested_one_nn", tested)
    trials.one_split(X, y, 2 / 3, 0)
    rows = {name: {tuple(row[:100]) for row in part} for name, part in seen.items()}
    assert rows["selection"] == rows["training"]
    assert not rows["test"] & rows["training"]
    assert rows["test"] | rows["training"] == {tuple(row[:100]) for row in X}
