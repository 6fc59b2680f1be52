"""Features whose scores are equal by their formula are ranked by column: on any storage, thread, machine."""

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es


def within_classes(rng, y, feature):
    """The feature with its values moved about inside each class: every label score stays what it is."""
    moved = feature.copy()
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        moved[members] = feature[rng.permutation(members)]
    return moved


LABEL_METHODS = {
    "fisher": lambda: es.FisherScore(1),
    "spec": lambda: es.SPEC(1, similarity="class_labels"),
    "spec r^3": lambda: es.SPEC(1, similarity="class_labels", spectral_function=3),
    "phi1": lambda: es.SPEC(1, ranking="phi1", similarity="class_labels"),
    "phi3": lambda: es.SPEC(1, ranking="phi3", similarity="class_labels", n_clusters=3),
    "hsic": lambda: es.HSICScore(1),
    "trace ratio": lambda: es.TraceRatio(1),
    "trace ratio by feature": lambda: es.TraceRatio(1, level="feature"),
}


@pytest.mark.parametrize("make", LABEL_METHODS.values(), ids=LABEL_METHODS)
def test_values_moved_within_classes_tie_and_the_first_column_leads(make):
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 2], [30, 25, 45])
    for separation in (0.0, 1.0, 1e4):
        feature = rng.normal(size=100) + separation * y
        X = np.column_stack([within_classes(rng, y, feature) for _ in range(40)])
        for table in (X, sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X)):
            for n_jobs in (1, 2):
                selector = make().set_params(n_jobs=n_jobs).fit(table, y)
                np.testing.assert_array_equal(selector.ranking_, np.arange(1, 41))


@pytest.mark.parametrize("make", [lambda: es.FisherScore(1), lambda: es.TraceRatio(1)])
def test_sparse_perfect_features_tie_with_dense_ones(make):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 7)
    levels = rng.choice([0.1, 0.3, 0.7, 1.1, 0.0], size=(3, 30))
    levels[:, levels.std(axis=0) == 0] = [[0.1], [0.2], [0.3]]
    X = levels[y]
    dense, stored = make().fit(X, y), make().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.ranking_, stored.ranking_)
    assert np.isposinf(es.FisherScore(1).fit(sparse.csr_array(X), y).native_scores_).all()


def ring(n_samples, reach=2):
    """Every sample is joined to the next ones on a circle: turning the circle changes nothing."""
    places = np.arange(n_samples)
    S = np.zeros((n_samples, n_samples))
    for step in range(1, reach + 1):
        S[places, (places + step) % n_samples] = S[(places + step) % n_samples, places] = 1.0 / step
    return S


GRAPH_METHODS = {
    "laplacian": lambda: es.LaplacianScore(1),
    "moran": lambda: es.MoranI(1),
    "geary": lambda: es.GearyC(1),
    "phi1": lambda: es.SPEC(1, ranking="phi1"),
    "phi3": lambda: es.SPEC(1, ranking="phi3", n_clusters=5),
    "r^2": lambda: es.SPEC(1, spectral_function=2),
    "r^5": lambda: es.SPEC(1, spectral_function=5),
    "heat": lambda: es.SPEC(1, spectral_function="heat"),
    "car": lambda: es.SPEC(1, spectral_function="car"),
    "trace ratio": lambda: es.TraceRatio(1, graphs="laplacian"),
}


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense graph", "sparse graph"])
@pytest.mark.parametrize("make", GRAPH_METHODS.values(), ids=GRAPH_METHODS)
def test_a_feature_moved_along_a_symmetry_of_the_graph_ties(make, store):
    rng = np.random.default_rng(3)
    feature = rng.normal(size=60) + 5.0
    X = np.column_stack([np.roll(feature, turn) for turn in rng.permutation(60)[:30]])
    for table in (X, sparse.csr_array(X), X.astype(np.float32).astype(np.float64)):
        selector = make().fit(table, similarity_matrix=store(ring(60)))
        np.testing.assert_array_equal(selector.ranking_, np.arange(1, 31))


def test_moving_a_feature_ties_where_an_exact_eigensystem_and_a_series_are_used():
    feature = np.random.default_rng(3).normal(size=450)
    X = np.column_stack([np.roll(feature, turn) for turn in (40, 0, 11, 300)])
    selector = es.SPEC(1, spectral_function="heat").fit(X, similarity_matrix=sparse.csr_array(ring(450)))
    np.testing.assert_array_equal(selector.ranking_, [1, 2, 3, 4])


@pytest.mark.parametrize("make", [*LABEL_METHODS.values(), lambda: es.ReliefF(1), lambda: es.LaplacianScore(1)])
def test_dense_sparse_and_single_precision_give_one_ranking(make):
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 20)
    X = rng.poisson(0.7, size=(60, 300)).astype(np.float32)
    X = np.hstack([X, X[:, ::7]])
    rankings = [
        make().fit(table, y).ranking_
        for table in (X, X.astype(np.float64), sparse.csr_array(X), sparse.csc_array(X.astype(np.float64)))
    ]
    for ranking in rankings[1:]:
        np.testing.assert_array_equal(ranking, rankings[0])


def test_tiny_scores_keep_their_digits():
    y = np.repeat([0, 1], 20)
    noise = np.random.default_rng(0).normal(size=40)
    X = np.column_stack([y + 1.001e-11 * noise, y + 1e-11 * noise, y + 1.0005e-11 * noise])
    np.testing.assert_array_equal(es.SPEC(1, similarity="class_labels").fit(X, y).ranking_, [3, 1, 2])


@pytest.mark.parametrize("scale", ["unit", None])
@pytest.mark.parametrize("level", ["subset", "feature"])
def test_features_that_say_nothing_of_the_classes_tie(scale, level):
    """Every sample is there in both classes alike, so all of the scatter is within them."""
    y = np.tile([0, 1], 10)
    for seed in range(10):
        X = np.repeat(np.random.default_rng(seed).normal(size=(5, 8)), 4, axis=0)
        selector = es.TraceRatio(3, scale=scale, level=level).fit(X, y)
        np.testing.assert_array_equal(selector.ranking_, np.arange(1, 9))


@pytest.mark.parametrize("level", ["subset", "feature"])
def test_trace_ratios_of_a_pair_do_not_tie_because_one_graph_has_small_weights(level):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 8))
    pair = ring(20), ring(20, reach=5)
    expected = es.TraceRatio(3, graphs=pair, level=level).fit(X)
    found = es.TraceRatio(3, graphs=(pair[0], np.ldexp(pair[1], -70)), level=level).fit(X)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
