"""Which graphs have a small factor, known before it is made, and what it solves."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

from eigenselect.graph import factorization
from eigenselect.graph.factorization import Factor, level_width, plan_factor
from eigenselect.graph.fill_numba import column_counts


def neighbours(points, k):
    """A binary k-NN graph, with the diagonal, as a matrix to factorise has it."""
    n = len(points)
    found = cKDTree(points).query(points, k + 1)[1]
    S = sparse.csr_array((np.ones(found.size), (np.repeat(np.arange(n), k + 1), found.ravel())), shape=(n, n))
    return sparse.csr_array(S.maximum(S.T))


def positive_definite(S):
    return sparse.csr_array(sparse.diags_array(1.5 * S.sum(axis=1)) - S)


class TestLevelWidth:
    def test_a_chain_has_one_sample_at_every_distance(self):
        chain = sparse.diags_array([np.ones(49)] * 2, offsets=[-1, 1], format="csr")
        order = np.random.default_rng(0).permutation(50)
        assert level_width(chain[order][:, order]) == 1.0

    def test_components_are_measured_by_themselves(self):
        """A chain of 30 and a full graph of 20: 1, and 1 then 19."""
        chain = sparse.diags_array([np.ones(29)] * 2, offsets=[-1, 1])
        both = sparse.csr_array(sparse.block_diag([chain, np.ones((20, 20))]))
        assert level_width(both) == pytest.approx((30 + 1 + 19**2) / 50)


class TestPlans:
    def test_the_order_has_the_entries_that_are_foretold(self, rng):
        M = positive_definite(neighbours(rng.random((2500, 2)), 8))
        plan = plan_factor(M)
        ordered = sparse.csc_array(M[plan.order][:, plan.order])
        factor = splu(ordered, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        assert factor.L.nnz == plan.entries
        assert np.sum(np.diff(factor.L.indptr).astype(float) ** 2) == plan.work
        plain = splu(sparse.csc_array(M), permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        assert factor.L.nnz < plain.L.nnz / 5

    def test_neighbours_in_many_dimensions_have_none(self, rng, monkeypatch):
        """Nor is an order looked for, which would take minutes."""
        S = neighbours(rng.normal(size=(2500, 12)), 8)
        monkeypatch.setattr(factorization, "_by_minimum_degree", None)
        assert plan_factor(S) is None

    def test_but_small_ones_may_be_wide(self, rng):
        S = neighbours(rng.normal(size=(700, 12)), 8)
        assert plan_factor(S, wide_up_to=699) is None
        order = plan_factor(S, wide_up_to=700).order
        np.testing.assert_array_equal(np.sort(order), np.arange(700))

    def test_a_chain_of_random_graphs_has_none(self, rng, monkeypatch):
        """Its levels are narrow, but around every place it is as wide as a graph can be."""
        clusters = np.repeat(30.0 * np.arange(20), 150)
        points = rng.normal(size=(3000, 12))
        points[:, 0] += clusters
        S = neighbours(points, 8) + sparse.diags_array([np.ones(2999)] * 2, offsets=[-1, 1])
        monkeypatch.setattr(factorization, "BALL_SIZE", 150)
        monkeypatch.setattr(factorization, "_by_minimum_degree", None)
        assert level_width(sparse.csr_array(S)) < factorization.WIDE * 3000
        assert plan_factor(sparse.csr_array(S)) is None

    @pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_WORK"])
    def test_budgets(self, rng, monkeypatch, limit):
        S = neighbours(rng.random((2500, 2)), 8)
        plan = plan_factor(S)
        cost = {"MOST_ENTRIES": plan.entries, "MOST_WORK": plan.work}[limit]
        monkeypatch.setattr(factorization, limit, cost)
        assert plan_factor(S).entries == plan.entries
        monkeypatch.setattr(factorization, limit, cost - 1)
        assert plan_factor(S) is None


def test_a_factor_solves_in_the_order_that_was_given(rng):
    M, shift = positive_definite(neighbours(rng.random((200, 2)), 5)), 0.3
    factor, right = Factor(M, shift, plan_factor(M)), rng.normal(size=200)
    np.testing.assert_allclose(M @ factor.solve(right) + shift * factor.solve(right), right, atol=1e-10)


def eliminated(pattern, order):
    """Entries per column of L: every eliminated sample links all its later neighbours."""
    left = pattern[np.ix_(order, order)] | np.eye(len(order), dtype=bool)
    for k in range(len(order)):
        later = k + 1 + np.flatnonzero(left[k + 1 :, k])
        left[np.ix_(later, later)] = True
    return np.tril(left).sum(axis=0)


def test_counts_are_those_of_elimination(rng):
    for density in (0.0, 0.05, 0.15, 0.6):
        upper = np.triu(rng.random((40, 40)) < density, 1)
        pattern, order = upper | upper.T, rng.permutation(40)
        found = column_counts(sparse.csr_array(pattern.astype(float)), order, 10_000)
        np.testing.assert_array_equal(found, eliminated(pattern, order), err_msg=str(density))


def test_it_stops_beyond_the_limit():
    full = sparse.csr_array(np.ones((30, 30)))
    assert column_counts(full, np.arange(30), 464) is None
    np.testing.assert_array_equal(column_counts(full, np.arange(30), 465), np.arange(30, 0, -1))
