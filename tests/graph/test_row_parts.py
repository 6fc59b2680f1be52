"""Parts of a graph along blocks of rows: every edge once, and products that are right where they count."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import loops_numpy
from eigenselect.graph import SampleGraph
from eigenselect.graph.row_parts import GraphPart, OwnEdges, reach

N = 40
BLOCKS = [slice(0, 7), slice(7, 8), slice(8, 25), slice(25, N)]


@pytest.fixture(params=["local", "anywhere"])
def graph(request, rng):
    """Edges between near samples, or between any two; one sample without any."""
    i, j = np.triu_indices(N, 1)
    joined = (j - i <= 3) if request.param == "local" else (rng.random(i.size) < 0.1)
    joined &= (i != 30) & (j != 30)
    S = np.zeros((N, N))
    S[i[joined], j[joined]] = rng.random(joined.sum()) + 0.1
    return SampleGraph(sparse.csr_array(S + S.T))


def test_every_edge_belongs_to_one_block(graph, rng):
    f = rng.normal(size=(N, 3))
    total = np.zeros(3)
    for rows in BLOCKS:
        edges = OwnEdges.of(graph.affinity, rows)
        total += loops_numpy.energy(edges.inner, f[rows])
        total += loops_numpy.energy(edges.across, np.vstack([f[rows][edges.rim], f[edges.halo]]))
        assert (edges.halo >= rows.stop).all()
    np.testing.assert_allclose(total, loops_numpy.energy(graph.affinity, f), rtol=1e-13)


def test_a_block_without_edges_to_later_ones_has_no_halo(graph):
    edges = OwnEdges.of(graph.affinity, BLOCKS[-1])
    assert edges.rim.size == edges.halo.size == edges.across.nnz == 0


@pytest.mark.parametrize("hops", [0, 1, 2, 50])
def test_reach_is_where_powers_of_the_adjacency_are_not_zero(graph, hops):
    A = (graph.affinity.toarray() > 0) + np.eye(N)
    near = np.linalg.matrix_power(A, hops)
    for rows in BLOCKS:
        expected = near[rows].any(axis=0)
        expected[rows] = False
        assert reach(graph.affinity, rows, hops).tolist() == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize("hops", [1, 3])
def test_products_are_those_of_the_whole_graph_on_the_block(graph, rng, hops):
    f = rng.normal(size=(N, 3))
    whole, energy = f, np.zeros(3)
    for _ in range(hops - 1):
        whole = graph.walk(whole)
    for rows in BLOCKS:
        halo = reach(graph.affinity, rows, hops)
        part = GraphPart(graph, rows, halo)
        local = f[np.concatenate([np.arange(rows.start, rows.stop), halo])]
        for _ in range(hops - 1):
            local = part.walk(local)
        np.testing.assert_allclose(local[: rows.stop - rows.start], whole[rows], rtol=0, atol=1e-13)
        assert part.counted.sum() == pytest.approx(graph.mass[rows].sum())
        energy += part.energy(local, loops_numpy)
    np.testing.assert_allclose(energy, loops_numpy.energy(graph.affinity, whole), rtol=1e-12)
