"""Parts of the terms add up to those of the whole, whatever the parts."""

import dask
import dask.array as da
import numpy as np
import pytest

from eigenselect.criteria.pooled_terms import PooledTerms, pool_chunks, pooled, side_by_side
from eigenselect.matrix import DaskMatrix


def measured(values, mass):
    """Terms of some rows by their definition."""
    mean = mass @ values / mass.sum() if mass.any() else np.zeros(values.shape[1])
    return PooledTerms(mass.sum()[None], mean[None], (mass @ (values - mean) ** 2)[None], values.sum(axis=0))


def test_parts_make_the_whole(rng):
    X, mass = rng.normal(3.0, size=(30, 4)), rng.random(30)
    mass[:5] = 0.0  # a part of samples that do not count
    parts = [measured(X[rows], mass[rows]) for rows in (slice(0, 5), slice(5, 6), slice(6, 20), slice(20, 30))]
    both, whole = pooled(parts), measured(X, mass)
    for name in ("weight", "mean", "spread", "quadratic"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=1e-13)


def test_a_constant_feature_has_no_spread():
    """0.1 has no exact third: a mean that is rounded twice would leave 1e-33 where there must be nothing."""
    parts = [measured(np.full((3, 1), 0.1), np.zeros(3)), *(PooledTerms(np.ones(1) * n, np.full((1, 1), 0.1),
             np.zeros((1, 1)), np.zeros(1)) for n in (3, 7, 11))]  # fmt: skip
    assert pooled(parts).spread == 0.0
    assert pooled(parts).mean == 0.1


def _sizes(chunk, halo, name, factor):
    """What a chunk and its halo hold, as sums."""
    total = sum((part.sum(axis=0) for part in halo), np.zeros(chunk.n_features))
    one = np.ones((1, chunk.n_features))
    return PooledTerms(np.array([float(chunk.n_samples)]), 0 * one, name * one, total * factor)


def test_tasks_get_their_chunk_their_halo_and_their_columns(rng):
    X = rng.normal(size=(12, 6))
    table = DaskMatrix(da.from_array(X, chunks=((5, 4, 3), (4, 2))))
    halos = [np.array([5, 11]), np.array([], dtype=int), np.array([0, 1, 8])]
    per_column = np.arange(6.0)
    with dask.config.set(scheduler="sync"):
        terms = side_by_side(pool_chunks(table, _sizes, [(1,), (10,), (100,)], halos, per_column))
    expected = (X[[5, 11]].sum(axis=0) + X[[0, 1, 8]].sum(axis=0)) * per_column
    np.testing.assert_allclose(terms.quadratic, expected, rtol=1e-13)
    assert terms.spread.tolist() == [111.0] * 6
    assert terms.volume == 12.0


def test_parts_are_pooled_in_one_order_whatever_ends_first(rng):
    """Nineteen chunks, a tree of two levels; threads in any order give the same bits."""
    X = rng.normal(size=(19, 3)) * 10.0 ** rng.integers(-8, 8, size=(19, 1))
    table = DaskMatrix(da.from_array(X, chunks=(1, 3)))
    halos = [np.array([18 - i]) for i in range(19)]
    runs = []
    for scheduler, workers in (("sync", 1), ("threads", 4), ("threads", 2)):
        with dask.config.set(scheduler=scheduler, num_workers=workers):
            runs.append(side_by_side(pool_chunks(table, _sizes, [(i,) for i in range(19)], halos, np.ones(3))))
    for run in runs[1:]:
        assert np.array_equal(run.quadratic, runs[0].quadratic)
    assert runs[0].quadratic == pytest.approx(X.sum(axis=0), rel=1e-9)
