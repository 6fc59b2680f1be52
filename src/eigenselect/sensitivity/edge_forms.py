r"""Many quadratic forms over the edges of one graph at once.

Form r of a feature f is :math:`\sum_e W_{re} (f_{i(e)} - f_{j(e)})^2`, the Laplacian form of a graph with weights
:math:`W_r`, of any sign. The squared differences do not depend on r, so all forms of a tile of features are one matrix
product :math:`W Z`, where row e of Z holds the squared differences of edge e; a symmetric form costs half of what
:math:`f^\top A_r f` with an n × n matrix would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph

#: edges whose squared differences are held at once
EDGE_BLOCK = 1024
#: bytes of weights (forms × edges) that are kept; beyond, they are made again for each tile
KEPT_WEIGHT_BYTES = 2**28


@dataclass(frozen=True)
class Edges:
    """The pairs i < j of a graph with their similarities."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    similarity: FloatArray

    @classmethod
    def of(cls, graph: SampleGraph) -> Edges:
        """List the edges of a dense or sparse graph, without its diagonal."""
        upper = sparse.coo_array(sparse.triu(graph.affinity, 1) if graph.is_sparse else np.triu(graph.affinity, 1))
        return cls(upper.row.astype(np.int32), upper.col.astype(np.int32), upper.data)

    def block(self, part: slice) -> Edges:
        return Edges(self.first[part], self.second[part], self.similarity[part])


@dataclass(frozen=True)
class EdgeForms:
    """Forms Σ_e W_re (f_i - f_j)².

    Attributes
    ----------
    edges : Edges
    weights : callable
        From some of the edges to W of shape (n_forms, number of these edges).
    n_forms : int
    """

    edges: Edges
    weights: Callable[[Edges], FloatArray]
    n_forms: int

    def evaluate(self, tile: FloatArray) -> FloatArray:
        """Compute all forms of the columns of a tile, of shape (n_forms, columns)."""
        total = np.zeros((self.n_forms, tile.shape[1]))
        for block, weights in self._blocks:
            differences = tile[block.first]
            differences -= tile[block.second]
            differences *= differences
            total += weights @ differences
        return total

    @property
    def are_kept(self) -> bool:
        """Whether the weights are made once; else, again for each tile."""
        return 8 * self.n_forms * self.edges.first.size <= KEPT_WEIGHT_BYTES

    @property
    def _blocks(self) -> Iterator[tuple[Edges, FloatArray]]:
        if self.are_kept:
            return iter(self._kept_blocks)
        return self._made_blocks()

    @cached_property
    def _kept_blocks(self) -> list[tuple[Edges, FloatArray]]:
        return list(self._made_blocks())

    def _made_blocks(self) -> Iterator[tuple[Edges, Any]]:
        for part in slices(self.edges.first.size, EDGE_BLOCK):
            block = self.edges.block(part)
            yield block, self.weights(block)
