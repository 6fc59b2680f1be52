"""A sparse graph cut along blocks of rows: each block with the samples that its edges reach.

A table in blocks of rows is scored block by block. What a block has to know of the others is in its halo: the samples
within so many edges of it. Only these rows travel, and blocks that no edge joins never meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph.sample_graph import SampleGraph

#: rows of halos, relative to those of the table, up to which chunks of rows are scored where they are; to make chunks
#: of columns moves every row once
MOST_MOVED = 1.0


@dataclass(frozen=True)
class OwnEdges:
    """The edges that a block of rows adds to a sum over edges: its inner ones, and those to rows of later blocks.

    Every edge belongs to one block, so sums over blocks count it once.

    Attributes
    ----------
    rows : slice
        The rows of the block.
    inner : csr_array
        S within the block.
    rim : array of int
        Rows of the block, counted from its start, that have edges to later blocks.
    halo : array of int
        Rows of later blocks at the other ends, sorted.
    across : csr_array
        S between rim and halo, in this order, symmetric.

    Examples
    --------
    >>> S = sparse.csr_array(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1))
    >>> edges = OwnEdges.of(S, slice(0, 2))
    >>> edges.rim, edges.halo, edges.inner.nnz, edges.across.nnz
    (array([1]), array([2]), 2, 2)
    """

    rows: slice
    inner: sparse.csr_array
    rim: IntArray
    halo: IntArray
    across: sparse.csr_array

    @classmethod
    def of(cls, affinity: sparse.csr_array, rows: slice) -> OwnEdges:
        """Cut them out of a symmetric S."""
        lines = affinity[rows]
        later = sparse.coo_array(lines[:, rows.stop :])
        row, column = later.coords
        rim, ends = np.unique(row, return_inverse=True)
        halo, far_ends = np.unique(column, return_inverse=True)
        corner = sparse.csr_array((later.data, (ends, far_ends)), shape=(rim.size, halo.size))
        across = sparse.block_array([[None, corner], [corner.T, None]], format="csr") if rim.size else corner
        inner = sparse.csr_array(lines[:, rows])
        return cls(rows, inner, rim.astype(np.intp), halo.astype(np.intp) + rows.stop, sparse.csr_array(across))


class GraphPart(SampleGraph):
    """A block of rows and its halo as a graph, whose products are right on the block and whose sums count only it.

    Parameters
    ----------
    graph : SampleGraph
        The whole graph, sparse.
    rows : slice
        The rows of the block.
    halo : array of int
        Samples of other blocks, sorted; see `reach`. With all samples within h edges, h products with P are those of
        the whole graph on the rows of the block.

    Attributes
    ----------
    counted : ndarray
        The mass of the block's rows, and 0 for the halo.

    Examples
    --------
    >>> path = SampleGraph(sparse.csr_array(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)))
    >>> part = GraphPart(path, slice(0, 2), np.array([2]))
    >>> f = np.array([[0.0], [1.0], [3.0], [0.0]])
    >>> part.walk(f[:3])[:2].ravel(), path.walk(f)[:2].ravel()
    (array([-1. , -0.5]), array([-1. , -0.5]))
    """

    def __init__(self, graph: SampleGraph, rows: slice, halo: IntArray) -> None:
        members = np.concatenate([np.arange(rows.start, rows.stop), halo])
        lines = graph.affinity[members]
        super().__init__(lines[:, members], mass=graph.mass[members], row_sums=graph.row_sums[members], signed=True)
        size = rows.stop - rows.start
        self.counted = np.where(np.arange(members.size) < size, self.mass, 0.0)
        self.own_edges = _own(self.affinity, size, np.flatnonzero(members > members[size - 1]))

    def energy(self, features: FloatArray, loops: object) -> FloatArray:
        """Sum S_ij (g_i - g_j)² over the edges that belong to the block."""
        return np.asarray(loops.energy(self.own_edges, features))  # type: ignore[attr-defined]


def _own(affinity: sparse.csr_array, size: int, later: IntArray) -> sparse.csr_array:
    """Keep the edges among the first ``size`` samples, and those from them to ``later`` ones."""
    edges = sparse.coo_array(affinity)
    row, column = edges.coords
    is_later = np.zeros(affinity.shape[0], dtype=bool)
    is_later[later] = True
    inside = np.arange(affinity.shape[0]) < size
    kept = (inside[row] & (inside | is_later)[column]) | (is_later[row] & inside[column])
    return sparse.csr_array((edges.data[kept], (row[kept], column[kept])), shape=affinity.shape)


def reach(affinity: sparse.csr_array, rows: slice, hops: int) -> IntArray:
    """Return the samples outside some rows within so many edges of them, sorted.

    >>> S = sparse.csr_array(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1))
    >>> reach(S, slice(1, 2), 2)
    array([0, 2, 3])
    """
    found = np.zeros(affinity.shape[0], dtype=bool)
    found[rows] = True
    fresh = np.arange(rows.start, rows.stop)
    for _ in range(hops):
        neighbours = np.zeros_like(found)
        neighbours[affinity[fresh].indices] = True
        fresh = np.flatnonzero(neighbours & ~found)
        found[fresh] = True
        if not fresh.size:
            break
    found[rows] = False
    return np.flatnonzero(found)
