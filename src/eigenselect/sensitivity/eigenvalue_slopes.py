"""How much the eigenvalues of a sample graph move when a feature is given more or less weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.criteria.criterion import Scores
from eigenselect.criteria.quadratic import center
from eigenselect.graph import SampleGraph, Spectrum
from eigenselect.graph.eigensolver import eigvalsh, group_numbers
from eigenselect.graph.spectrum import REACH
from eigenselect.matrix import DaskMatrix, Matrix, as_matrix
from eigenselect.sensitivity.edge_forms import EdgeForms, Edges
from eigenselect.sensitivity.product_forms import ProductForms, VectorPairs
from eigenselect.similarity.base import SquaredDifferences, WeightDerivative

#: features that one thread takes at a time: few, where there are few
TILE_COLUMNS = 256
FEW_FEATURES = 1000
FEW_COLUMNS = 4
#: eigenvalues of a non-negative similarity below this are exact zeros, one per component
ZERO = 1e-12
#: relative rounding of a sum of slopes: another order of the samples moved scores on faces and expression tables by
#: up to 8e-13 (RBF, kNN) and 4e-11 (inner products)
SLOPE_ROUNDING = 1e-10
#: multiplicity up to which the pairs of a repeated eigenvalue's vectors are forms of their own
FEW_BRANCHES = 8


@dataclass(frozen=True)
class EigenvalueSlopes:
    r"""The sum of absolute slopes of the eigenvalues, :math:`\sum_r |\partial\lambda_r / \partial w_t|` at w = 1.

    With :math:`L q_r = \lambda_r D q_r`, :math:`q_r^\top D q_r = 1`, perturbation theory gives

    .. math::
        \partial\lambda_r = q_r^\top (\partial L - \lambda_r \partial D)\, q_r
        = \sum_{ij} \partial S_{ij} \Big( (1-\lambda_r) \tfrac{q_{ri}^2 + q_{rj}^2}{2} - q_{ri} q_{rj} \Big).

    For RBF weights :math:`\partial S_{ij} = -S_{ij} (x_i - x_j)^2/\sigma^2`, so each slope is a sum over edges of
    squared differences of the feature: one signed graph per eigenvalue, evaluated together by `EdgeForms` or, for a
    full similarity, `ProductForms`. For inner products :math:`\partial S = 2 x x^\top` and the sum closes to
    :math:`2 (1-\lambda_r) (x^\top q_r^2)(x^\top \mathbf 1) - 2 (x^\top q_r)^2`.

    A repeated eigenvalue splits into branches, whose slopes are the eigenvalues of the matrix
    :math:`q_r^\top (\partial L - \lambda \partial D)\, q_s` over its eigenvectors: the score does not depend on the
    basis that a solver happened to return.

    Attributes
    ----------
    graph : SampleGraph
    derivative : SquaredDifferences or Products
    spectrum : Spectrum
        The eigenpairs of N that count; :math:`q = D^{-1/2}\xi`.
    """

    graph: SampleGraph
    derivative: WeightDerivative
    spectrum: Spectrum

    @property
    def larger_is_better(self) -> bool:
        """Direction of the scores."""
        return True

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "EVSC") -> Scores:
        """Sum the absolute slopes for every feature; NaN for constant ones.

        Slopes are sums over edges that nearly cancel, one for each of many eigenvalues: see `SLOPE_ROUNDING`.
        """
        table = as_matrix(X)
        if isinstance(table, DaskMatrix):
            return self._scored(np.concatenate([part for _, part in table.by_columns(_of_columns, self)]))
        scores, slopes = np.empty(table.n_features), self._slopes(table.n_features)

        def compute(columns: slice) -> None:
            tile = table.tile(columns)
            mean, spread = center(tile, self.graph)
            total = self._sum_of_branches(slopes(tile, mean))
            for group in self._crowds:
                total += self._branches_one_by_one(group, tile + mean)
            scores[columns] = np.where(spread > 0, total, np.nan)

        by_edges = self.graph.is_sparse or table.n_features > FEW_FEATURES  # weights may be made for each tile
        step = TILE_COLUMNS if by_edges else FEW_COLUMNS
        map_blocks(compute, slices(table.n_features, step), n_jobs)
        return self._scored(scores)

    def _scored(self, scores: FloatArray) -> Scores:
        attributes = {"eigenvalues_": self.spectrum.eigenvalues}
        return Scores(scores, scores, SLOPE_ROUNDING * scores, self.larger_is_better, attributes)

    # -- slopes of one tile, one row per form ------------------------------------------------

    def _slopes(self, n_features: int) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Choose how slopes are computed: for RBF weights by forms of differences, which do not see the mean."""
        if not isinstance(self.derivative, SquaredDifferences):
            return self._product_slopes
        forms, sigma = self._forms(n_features), self.derivative.bandwidth
        return lambda tile, mean: forms.evaluate(tile / sigma)

    def _forms(self, n_features: int) -> EdgeForms | ProductForms:
        """Choose large products for a full similarity, unless many features share weights that are made once."""
        edges = self._edge_forms()
        if self.graph.is_sparse or (edges.are_kept and n_features > FEW_FEATURES):
            return edges
        row, column = self._pairs
        used, places = np.unique(np.concatenate([row, column]), return_inverse=True)
        vectors = np.ascontiguousarray(self._vectors[:, used])
        level = 1.0 - self._eigenvalues_of_pairs
        return ProductForms(
            self.graph.affinity, VectorPairs(vectors, places[: row.size], places[row.size :], level), edges
        )

    def _product_slopes(self, tile: FloatArray, mean: FloatArray) -> FloatArray:
        """Compute 2(1-λ) (xᵀ(q_r∘q_s)) (xᵀ1) - 2 (xᵀq_r)(xᵀq_s)."""
        row, column = self._pairs
        values, vectors = self._eigenvalues_of_pairs, self._vectors
        tile = tile + mean  # inner products see the mean
        projections = vectors.T @ tile
        mass = (vectors[:, row] * vectors[:, column]).T @ tile
        return 2.0 * ((1.0 - values)[:, None] * mass * tile.sum(axis=0) - projections[row] * projections[column])

    def _edge_forms(self) -> EdgeForms:
        row, column = self._pairs
        values, vectors = self._eigenvalues_of_pairs, self._vectors

        left, right = vectors.T[row], vectors.T[column]
        both, level = left * right, (1.0 - values)[:, None]

        def weights(edges: Edges) -> FloatArray:
            """-2 S_ij ((1-λ) (q_ri q_si + q_rj q_sj)/2 - (q_ri q_sj + q_rj q_si)/2), each pair of samples once."""
            first, second = edges.first, edges.second
            found = both[:, first]
            found += both[:, second]
            found *= -level
            found += left[:, first] * right[:, second]
            found += right[:, first] * left[:, second]
            found *= edges.similarity
            return found

        return EdgeForms(Edges.of(self.graph), weights, row.size)

    @cached_property
    def _vectors(self) -> FloatArray:
        return np.asarray(np.sqrt(self.graph.inverse_mass)[:, None] * self.spectrum.eigenvectors)

    # -- repeated eigenvalues ----------------------------------------------------------------

    @cached_property
    def _all_groups(self) -> list[NDArray[np.intp]]:
        """Numbers of the eigenvalues that are equal; without the zeros, which no weight can move."""
        values = self.spectrum.eigenvalues
        order = np.argsort(values, kind="stable")
        if not self.graph.signed:
            order = order[values[order] > ZERO]
        groups = group_numbers(values[order], REACH)
        return np.split(order, np.flatnonzero(np.diff(groups)) + 1) if order.size else []

    @property
    def _groups(self) -> list[NDArray[np.intp]]:
        return [group for group in self._all_groups if group.size <= FEW_BRANCHES]

    @property
    def _crowds(self) -> list[NDArray[np.intp]]:
        return [group for group in self._all_groups if group.size > FEW_BRANCHES]

    def _branches_one_by_one(self, group: NDArray[np.intp], features: FloatArray) -> FloatArray:
        """Sum |slope| of one eigenvalue of high multiplicity, feature by feature, from ∂S itself.

        The matrix of slopes is (1-λ) Qᵀ diag(∂S 1) Q - Qᵀ ∂S Q. Few features on many samples, or equal samples, have
        such an eigenvalue close to 1; pairs of its vectors would be too many forms.
        """
        Q, level = self._vectors[:, group], 1.0 - self.spectrum.eigenvalues[group].mean()
        total = np.empty(features.shape[1])
        for number, feature in enumerate(features.T):
            moved = self.derivative.matrix(self.graph.affinity, feature)
            degrees = np.asarray(moved.sum(axis=1)).ravel()
            slopes = level * (Q.T @ (degrees[:, None] * Q)) - Q.T @ (moved @ Q)
            total[number] = np.abs(eigvalsh(slopes)).sum()
        return total

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs r ≤ s of eigenvectors of one eigenvalue, group by group: the forms that are needed."""
        corners = [np.triu_indices(group.size) for group in self._groups]
        rows = [group[row] for group, (row, _) in zip(self._groups, corners, strict=True)]
        columns = [group[column] for group, (_, column) in zip(self._groups, corners, strict=True)]
        empty = [np.empty(0, dtype=np.intp)]
        return np.concatenate(rows + empty), np.concatenate(columns + empty)

    @cached_property
    def _eigenvalues_of_pairs(self) -> FloatArray:
        row, column = self._pairs
        return (self.spectrum.eigenvalues[row] + self.spectrum.eigenvalues[column]) / 2

    def _sum_of_branches(self, slopes: FloatArray) -> FloatArray:
        """Sum |slope| of every eigenvalue, the repeated ones by the eigenvalues of their matrix of slopes."""
        sizes = np.array([group.size for group in self._groups], dtype=np.intp)
        starts = np.concatenate([[0], np.cumsum(sizes * (sizes + 1) // 2)])
        total = np.abs(slopes[starts[:-1][sizes == 1]]).sum(axis=0)
        for group in np.flatnonzero(sizes > 1):
            corner = np.triu_indices(sizes[group])
            matrices = np.zeros((slopes.shape[1], sizes[group], sizes[group]))
            matrices[:, *corner] = slopes[starts[group] : starts[group + 1]].T
            matrices[:, *corner[::-1]] = matrices[:, *corner]
            total += np.abs(eigvalsh(matrices)).sum(axis=1)
        return np.asarray(total)


def _of_columns(table: Matrix, slopes: EigenvalueSlopes) -> FloatArray:
    """Score some columns with all rows, where they are."""
    return slopes.scores(table, n_jobs=1).native
