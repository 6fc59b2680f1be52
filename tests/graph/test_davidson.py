"""Refined pairs against known eigenvectors; what is lost or slow has no answer."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import davidson
from eigenselect.graph.davidson import refined_pairs
from eigenselect.graph.krylov import random_steps

SIZE = 400
SPECTRUM = np.concatenate([[0.0], 1e-3 * np.arange(1.0, SIZE)])


def problem(rng, values=SPECTRUM):
    """A matrix with these eigenvalues, its eigenvectors, and a preconditioner within a factor of two of its inverse."""
    Q = np.linalg.qr(rng.normal(size=(SIZE, SIZE)))[0]
    weights = np.r_[0.0, rng.uniform(0.6, 1.0, size=SIZE - 1) / values[1:]]
    B = ((Q * weights) @ Q.T).astype(np.float32)
    return sparse.csr_array((Q * values) @ Q.T), Q, lambda block: B @ block


def near(vectors, rng, error=0.01):
    return vectors + error * rng.normal(size=vectors.shape) / np.sqrt(SIZE)


def refined(M, Q, B, block, count):
    return refined_pairs(M, Q[:, :1], B, block, count, np.random.RandomState(0))


def test_pairs_are_as_accurate_as_lapack_s(rng):
    M, Q, B = problem(rng)
    values, vectors = refined(M, Q, B, near(Q[:, 1:17], rng), 8)
    np.testing.assert_allclose(values, SPECTRUM[1:9], atol=1e-14)
    np.testing.assert_allclose(np.abs(Q[:, 1:9].T @ vectors), np.eye(8), atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(8), atol=1e-14)
    np.testing.assert_allclose(Q[:, 0] @ vectors, 0, atol=1e-12)


@pytest.mark.parametrize("first", [3, 8])
def test_a_cut_through_equal_eigenvalues(rng, first):
    """The last wanted one has two copies, before, across and beyond the cut after 8."""
    values = SPECTRUM.copy()
    values[first : first + 3] = values[first]
    M, Q, B = problem(rng, values)
    found, vectors = refined(M, Q, B, near(Q[:, 1:17], rng), 8)
    np.testing.assert_allclose(found, values[1:9], atol=1e-14)
    space = Q[:, 1 : max(9, first + 3)]
    np.testing.assert_allclose(vectors, space @ (space.T @ vectors), atol=2e-12)


@pytest.mark.parametrize("lost", [1, 8])
def test_a_lost_pair_is_noticed(rng, lost):
    """Vectors and preconditioner know nothing of an eigenvector: no correction ever has a part in it, but rounding."""
    M, Q, B = problem(rng)
    kept = np.delete(np.arange(1, 18), lost - 1)
    found = refined(M, Q, B, Q[:, kept], 8)
    assert found is None or np.allclose(found[0], SPECTRUM[1:9], atol=1e-12)


def test_mixtures_beyond_the_wanted_are_not_trusted(rng, monkeypatch):
    """A vector beyond that is half of a lost pair hides it: what is left of that has a large Rayleigh quotient, too."""
    M, Q, B = problem(rng)
    block = Q[:, np.r_[1:5, 6:18]].copy()
    block[:, -1] = (Q[:, 5] + Q[:, 30]) / np.sqrt(2)
    monkeypatch.setattr(davidson, "FIRST_STEPS", 0)  # or the first round would turn it into the lost one
    assert refined(M, Q, B, block, 8) is None


def test_what_cannot_be_told_apart_has_no_answer(rng):
    values = SPECTRUM.copy()
    values[8:30] = values[8]
    M, Q, B = problem(rng, values)
    assert refined(M, Q, B, near(Q[:, 1:17], rng), 8) is None
    assert refined(M, Q, B, near(Q[:, 1:9], rng), 8) is None  # nothing beyond


def test_a_poor_preconditioner_ends_early(rng):
    calls = []
    M, Q, _ = problem(rng, np.r_[0.0, np.geomspace(1e-6, 1.0, SIZE - 1)])

    def identity(block):
        calls.append(block.shape)
        return block.astype(np.float32).copy()

    assert refined(M, Q, identity, near(Q[:, 1:17], rng), 8) is None
    assert len(calls) < davidson.ROUNDS * davidson.STEPS


def test_steps_of_the_search_follow_from_the_bound():
    for part, size, starts in ((0.2, 1000, 1), (0.3, 10**6, 8)):
        steps = random_steps(part, size, starts=starts)
        risks = [(1.648 * np.sqrt(size) * np.exp(-np.sqrt(part) * (2 * k - 1))) ** starts for k in (steps - 1, steps)]
        assert risks[1] <= 1e-9 < risks[0]
