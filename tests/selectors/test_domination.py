"""A selector says so, once and with names, where one sample decides."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MRSF, MSFS, SPEC, FisherScore, LaplacianScore, ReliefF
from eigenselect.exceptions import DominatedWarning
from eigenselect.multisource import AuxiliaryData, SampleSimilarity, TargetData
from eigenselect.selectors.domination import largest_deviations, leverage
from eigenselect.similarity import RBF


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


def test_the_graph_alone_is_enough(table, rng):
    """Features that know nothing of the outlier, on a graph that it rules."""
    S = RBF().build(table.to_numpy()).to_array()
    noise = pd.DataFrame(rng.normal(size=(40, 5)), table.index)
    expected = "lives on sample 'patient11'"
    with pytest.warns(DominatedWarning, match=expected) as caught:
        MSFS(2, sources=[("s", SampleSimilarity(S))]).fit(noise)
    assert "spread" not in str(caught[0].message)


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


def test_no_advice_to_change_a_similarity_that_the_method_has_not(rng):
    X = rng.normal(size=(40, 5))
    X[11] += 60.0
    with pytest.warns(DominatedWarning) as caught:
        ReliefF(2).fit(X, np.arange(40) % 2)
    assert "similarity" not in str(caught[0].message)


class TestLargestDeviations:
    def test_against_plain_sums(self, rng):
        X = rng.lognormal(sigma=2, size=(15, 40)) * 10.0 ** np.arange(-20, 20)
        found = largest_deviations(X)
        for column, (sample, share) in enumerate(zip(found.samples, found.shares, strict=True)):
            squares = (X[:, column] - X[:, column].mean()) ** 2
            assert sample == squares.argmax()
            np.testing.assert_allclose(share, squares.max() / squares.sum(), rtol=1e-9)

    def test_marks_count_here_and_not_as_leverage(self):
        """One sample of n that differs from equal ones holds (n - 1) / n."""
        marks = np.eye(20)[:, :2]
        np.testing.assert_allclose(largest_deviations(marks).shares, 19 / 20)
        assert leverage(marks).shares.tolist() == [0, 0]
        assert largest_deviations(np.full((20, 1), 0.1)).shares.tolist() == [0]
