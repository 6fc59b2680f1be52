"""Sums over off-diagonal entries, sparse and dense."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import entries
from eigenselect.inference.entries import Background, DenseEntries, SparseEntries, entries_of
from eigenselect.inference.polynomials import times

N = 15
ALL = slice(0, N)


def matrices(rng, count):
    found = []
    for _ in range(count):
        M = np.where(rng.random((N, N)) < 0.3, rng.normal(size=(N, N)), 0.0)
        found.append(M + M.T)
    return found


def background(rng, count):
    weights = rng.normal(size=(count, 4))
    C = rng.normal(size=(count, 2, 2))
    return Background(rng.normal(size=(N, 2)), C + np.swapaxes(C, 1, 2), np.arange(N) % 4, weights)


def times_features(entries, features):
    """W F of every form."""
    return np.tensordot(entries.mix, entries.images(features), 1)


@pytest.mark.parametrize("count", [1, 2])
def test_sparse_and_dense_agree(count, rng):
    given = matrices(rng, count)
    dense, thin = entries_of(given), entries_of([sparse.csr_array(M) for M in given])
    assert isinstance(dense, DenseEntries)
    assert isinstance(thin, SparseEntries)
    F, codes, rest = rng.normal(size=(N, 3)), np.arange(N) % 4, background(rng, count)
    for first, second in [
        (times_features(dense, F), times_features(thin, F)), (dense.squares(ALL), thin.squares(ALL)),
        (dense.triangles(), thin.triangles()),
        (dense.cubes(rest), thin.cubes(rest)), (dense.within(codes), thin.within(codes)),
        (dense.class_squares(codes, 4), thin.class_squares(codes, 4)),
    ]:  # fmt: skip
        np.testing.assert_allclose(first, second, atol=1e-10)


@pytest.mark.parametrize("block", [4, 4096])
def test_by_definition(rng, block, monkeypatch):
    monkeypatch.setattr(entries, "BLOCK_ROWS", block)
    (M,) = matrices(rng, 1)
    W = M - np.diag(np.diag(M))
    found, rest = entries_of([sparse.csr_array(M)]), background(rng, 1)
    R = rest.block(slice(None))[0]
    assert found.triangles()[0] == pytest.approx(np.trace(W @ W @ W))
    assert found.cubes(rest)[0] == pytest.approx(np.sum((W + R) ** 3 - R**3))
    member = np.eye(4)[rest.codes]
    np.testing.assert_allclose(found.class_squares(rest.codes, 4)[0], np.sum((member.T @ W) ** 2, axis=1))
    np.testing.assert_allclose(found.within(rest.codes)[0], np.sum(W * (member @ member.T), axis=1))
    np.testing.assert_allclose(found.squares(ALL)[0], np.sum(W**2, axis=1))


def test_background_at_places(rng):
    rest = background(rng, 2)
    rows, columns = np.array([0, 4, 4, 9]), np.array([0, 8, 5, 14])
    np.testing.assert_allclose(rest.at(rows, columns), rest.block(slice(None))[:, rows, columns])
    np.testing.assert_allclose(rest.block(slice(3, 7)), rest.block(slice(None))[:, 3:7])


def test_triangles_of_multiples_are_counted_once(rng):
    (M,) = matrices(rng, 1)
    factor = np.array([1.0, -0.5])
    one = entries_of([sparse.csr_array(M)]).triangles()
    both = entries_of([sparse.csr_array(M), sparse.csr_array(-0.5 * M)]).triangles()
    np.testing.assert_allclose(both, one * times(times(factor, factor), factor))


def test_the_diagonal_and_stored_zeros_are_no_entries():
    M = sparse.csr_array((np.array([5.0, 0.0, 0.0, 7.0]), np.array([0, 1, 0, 1]), np.array([0, 2, 4])), shape=(2, 2))
    assert entries_of([M]).data.size == 0
    assert entries_of([M, M]).triangles() == pytest.approx(np.zeros(4))


@pytest.mark.parametrize("factor", [0.25, -1.0, 2.0**200, 2.0**-300])
def test_factors(factor, rng):
    """Ordinary factors are not multiplied into the entries of one form; others are, whose cubes would leave the range.

    The entries of a matrix without a diagonal are not copied.
    """
    (M,) = matrices(rng, 1)
    np.fill_diagonal(M, 0.0)
    M = sparse.csr_array(M / factor)
    empty = sparse.csr_array((N, N))
    one, rest, F = entries_of([factor * M, empty]), background(rng, 2), rng.normal(size=(N, 2))
    found = entries_of([M, empty], [factor, 1.0])
    assert np.shares_memory(found.data, M.data) == (abs(factor) in (0.25, 1.0))
    np.testing.assert_array_equal(found.squares(ALL), one.squares(ALL))
    np.testing.assert_array_equal(found.triangles(), one.triangles())
    np.testing.assert_allclose(found.cubes(rest), one.cubes(rest), rtol=1e-14)
    np.testing.assert_allclose(times_features(found, F), times_features(one, F), rtol=1e-13)
