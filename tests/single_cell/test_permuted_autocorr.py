"""Random permutations: both sides of the graph, ties, never 0, the same on any number of threads."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.autocorrelation import geary_criterion, moran_criterion
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.single_cell.permuted_autocorr import Tally, permuted_statistics
from slides import geary, moran, weights

MODES = {"moran": (moran_criterion, moran), "geary": (geary_criterion, geary)}


def draw(make, W, X, n_perms=20, seed=0, **options):
    graph, table = SampleGraph(W), Matrix(X)
    scores = make(graph).scores(table)
    rng = np.random.default_rng(seed)
    return permuted_statistics(make, graph, table, scores, n_perms=n_perms, rng=rng, **options)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("mode", MODES)
def test_cells_change_places_and_keep_their_values(mode, layout):
    make, formula = MODES[mode]
    rng = np.random.default_rng(3)
    W, X = weights(rng, 30, asymmetric=False), rng.normal(size=(30, 3))
    tally = draw(make, layout(W), X)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(30) for _ in range(20)]
    expected = np.array([[formula(W[np.ix_(p, p)], x) for x in X.T] for p in orders])
    observed = np.array([formula(W, x) for x in X.T])
    np.testing.assert_allclose(tally.mean, expected.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(tally.variance, expected.var(axis=0), rtol=1e-10)
    np.testing.assert_array_equal(tally.larger, (expected >= observed).sum(axis=0))
    np.testing.assert_array_equal(tally.smaller, (expected <= observed).sum(axis=0))


def test_values_that_every_permutation_gives_are_ties():
    """On a ring, one count has the same I in every cell: rounding must not tell one place from another."""
    ring = np.roll(np.eye(20), 1, axis=1) / 3
    tally = draw(moran_criterion, ring + ring.T, np.eye(20)[:, :1] * 0.7)
    assert tally.larger == tally.smaller == 20
    for larger in (True, False):
        assert tally.pvalues(larger=larger) == 1.0
        assert tally.normal_pvalues(larger=larger) == 1.0


def test_p_values_are_never_0_and_nan_stays_nan():
    tally = Tally(np.array([5.0, np.nan]), np.zeros(2))
    for value in (0.0, 1.0, 2.0):
        tally.add(np.array([value, np.nan]))
    np.testing.assert_array_equal(tally.pvalues(larger=True), [0.25, np.nan])
    np.testing.assert_array_equal(tally.pvalues(larger=False), [1.0, np.nan])
    assert 0 < tally.normal_pvalues(larger=True)[0] < 1e-5
    assert np.isnan(tally.normal_pvalues(larger=True)[1])


def test_threads_storage_and_watching_change_no_bit():
    rng = np.random.default_rng(4)
    W, X = weights(rng, 40, asymmetric=False), rng.poisson(0.5, size=(40, 300)).astype(float)
    seen = []
    make = partial(moran_criterion, owner="who")
    one = draw(make, sparse.csr_array(W), X, n_jobs=1, n_perms=5)
    two = draw(make, sparse.csr_array(W), X, n_jobs=2, n_perms=5, progress=lambda *step: seen.append(step))
    for name in ("larger", "smaller", "total", "squares"):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True)
    assert seen == [(done, 5) for done in range(1, 6)]
