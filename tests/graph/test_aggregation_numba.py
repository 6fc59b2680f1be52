"""Groups of neighbours: whole, connected, and not across weak links."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from eigenselect.graph.aggregation_numba import aggregates


def plane(rng, size=400, radius=0.09):
    points = rng.random((size, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    return sparse.csr_array(np.where((distances < radius) & (distances > 0), np.exp(-distances), 0.0))


def naive(S, strong):
    """The definition, sample by sample on a dense matrix."""
    S = S.toarray()
    largest = S.max(axis=1)
    is_strong = (S > 0) & (strong * np.minimum.outer(largest, largest) <= S)
    group, count = np.full(len(S), -1), 0
    for i in range(len(S)):
        if group[i] == -1 and (group[is_strong[i]] == -1).all():
            group[is_strong[i]] = group[i] = count
            count += 1
    first = group.copy()
    for i in np.flatnonzero(first == -1):
        candidates = np.flatnonzero((S[i] > 0) & (first != -1))
        group[i] = first[candidates[np.argmax(S[i, candidates])]]
    return group


@pytest.mark.parametrize("strong", [0.0, 0.5, 0.95])
def test_it_follows_the_definition(rng, strong):
    S = plane(rng)
    np.testing.assert_array_equal(aggregates(S, strong), naive(S, strong))


def test_groups_are_connected_and_none_is_empty(rng):
    S = plane(rng)
    groups = aggregates(S, 0.1)
    for group in range(groups.max() + 1):
        own = np.flatnonzero(groups == group)
        assert csgraph.connected_components(S[own][:, own])[0] == 1


def test_a_weak_link_does_not_join():
    clique = np.ones((5, 5)) - np.eye(5)
    S = np.block([[clique, np.zeros((5, 5))], [np.zeros((5, 5)), clique]])
    S[4, 5] = S[5, 4] = 0.01
    assert aggregates(sparse.csr_array(S), 0.1).tolist() == [0] * 5 + [1] * 5


def test_the_sign_and_the_diagonal_do_not_matter(rng):
    S = plane(rng)
    laplacian = sparse.csr_array(100 * sparse.eye_array(400) - S)
    np.testing.assert_array_equal(aggregates(laplacian, 0.5), aggregates(S, 0.5))
