"""A selector says so, once and with names, where one sample decides."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MRSF, MSFS, SPEC, FisherScore, LaplacianScore
from eigenselect.exceptions import DominatedWarning
from eigenselect.graph import SampleGraph
from eigenselect.multisource import AuxiliaryData, TargetData
from eigenselect.selectors.domination import dominating_sample, outlying_samples
from eigenselect.similarity import KNN, RBF, ClassLabels, Diffusion


@pytest.fixture
def table(rng):
    """Forty patients of two kinds, one array gone wrong: a third of the genes vary in it alone."""
    X = rng.normal(size=(40, 60))
    X[:, :6] += 2.5 * (np.arange(40) % 2)[:, None]
    X[11, 40:] += rng.choice([-1, 1], 20) * rng.uniform(25, 35, 20)
    return pd.DataFrame(X, [f"patient{i}" for i in range(40)], [f"G{j}" for j in range(60)])


def test_one_outlier_takes_over_a_full_kernel_and_not_a_neighbour_graph(table):
    with pytest.warns(DominatedWarning) as caught:
        full = LaplacianScore(6, similarity="rbf").fit(table)
    assert len(caught) == 1
    assert full.get_support(indices=True).min() >= 40
    said = str(caught[0].message)
    assert said.startswith("LaplacianScore: sample 'patient11' alone")
    best = table.columns[np.argsort(full.ranking_)]
    assert f"({best[0]!r}, {best[1]!r}, {best[2]!r} and 7 more)" in said
    assert "the sample graph lives" in said
    assert "similarity='knn'" in said
    near = LaplacianScore(6).fit(table)  # warnings are errors here
    np.testing.assert_array_equal(near.get_support(indices=True), np.arange(6))


def test_sources_are_neighbour_graphs_unless_told_otherwise(table):
    fitted = MSFS(6, sources=[("own", TargetData()), ("again", AuxiliaryData(table.iloc[::-1]))]).fit(table)
    np.testing.assert_array_equal(fitted.get_support(indices=True), np.arange(6))
    assert fitted.graph_.is_sparse
    with pytest.warns(DominatedWarning, match="MSFS: sample 'patient11' alone"):
        MSFS(6, sources=[("own", TargetData("rbf"))]).fit(table)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_without_names_by_place(table, store):
    with pytest.warns(DominatedWarning, match="sample row 11 alone"):
        SPEC(6, similarity="rbf").fit(store(table.to_numpy()))


def test_samples_that_a_source_does_not_know_do_not_shift_the_names(table):
    known = table.iloc[5:]
    with (
        pytest.warns(UserWarning, match="5 of 40 samples"),
        pytest.warns(DominatedWarning, match="'patient11' alone"),
    ):
        MSFS(6, sources=[("z", AuxiliaryData(known, "rbf"))]).fit(table)


def test_the_features_alone_are_enough(table):
    y = np.where(np.arange(40) == 11, 0, np.arange(40) % 2)
    wrong = table.iloc[:, 40:]
    with pytest.warns(DominatedWarning, match="FisherScore: sample 'patient11' alone"):
        FisherScore(3).fit(wrong, y)
    with pytest.warns(DominatedWarning, match="MRSF: sample 'patient11' alone"):
        MRSF(3, target="lda").fit(wrong, y)


@pytest.mark.parametrize("similarity", ["knn", "rbf"])
def test_silent_on_noise_counts_and_marks(rng, similarity):
    for _ in range(5):
        for X in (
            rng.normal(size=(48, 100)),
            rng.poisson(rng.lognormal(-2, 1, 100), (48, 100)),
            rng.random((48, 60)) < rng.uniform(0.05, 0.95, 60),
        ):
            X = np.asarray(X, dtype=float)
            LaplacianScore(5, similarity=similarity).fit(X[:, np.ptp(X, axis=0) > 0])


def with_outliers(rng, count, n=40, m=50, distance=6.0):
    X = rng.normal(size=(n, m))
    rows = rng.choice(n, count, replace=False)
    X[rows] *= distance
    return X, np.sort(rows)


class TestOutlyingSamples:
    @pytest.mark.parametrize("count", [1, 2, 5])
    def test_equal_eigenvalues_are_judged_together(self, count):
        """Samples that are alike to themselves only, the rest to all others: any basis of the zero space will do."""
        S = np.ones((30, 30))
        S[:count] = S[:, :count] = 0.0
        S[np.arange(count), np.arange(count)] = 1.0
        np.testing.assert_array_equal(outlying_samples(SampleGraph(S)), np.arange(count))

    def test_a_pair_is_not_a_sample_alone(self):
        """Half of the vector on each: rounding must not decide."""
        S = np.ones((30, 30))
        S[:2, 2:] = S[2:, :2] = 1e-6
        assert not outlying_samples(SampleGraph(S)).size

    def test_none_among_clusters_and_in_neighbour_and_label_graphs(self, rng):
        clusters = rng.normal(size=(60, 3)) + 8 * np.repeat(np.eye(3), [5, 20, 35], axis=0)
        assert not outlying_samples(RBF().build(clusters)).size
        X, _ = with_outliers(rng, 1)
        y = np.r_[0, np.ones(39, dtype=int)]
        for graph in (KNN().build(X), Diffusion().build(X), ClassLabels().build(None, y)):
            assert not outlying_samples(graph).size


class TestDominatingSample:
    def test_several_features_of_one_sample(self, rng):
        F = rng.normal(size=(40, 10))
        F[17, [1, 4, 8]] = 60.0
        sample, columns = dominating_sample(F)
        assert sample == 17
        np.testing.assert_array_equal(columns, [1, 4, 8])
        F[17, 4] = 0.0
        assert dominating_sample(F) is None  # two of ten
        assert dominating_sample(F[:, [1, 8]])[0] == 17  # two of two
        assert dominating_sample(F[:, [1]])[0] == 17
