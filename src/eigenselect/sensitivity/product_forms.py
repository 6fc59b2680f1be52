r"""The same forms as `EdgeForms`, of a full similarity, by one large product for each feature and all its forms.

With S₀, the similarity without its diagonal, the form :math:`\sum_{ij} S_{ij} (x_i - x_j)^2 (q_{ri} q_{sj} - \dots)` is
opened into :math:`x_i^2 + x_j^2 - 2 x_i x_j`. The squares need only sums over samples, and what is left,

.. math:: (x \circ q_r)^\top S_0 (x \circ q_s),

is a diagonal of :math:`(x \circ Q)^\top S_0 (x \circ Q)`: one product of n × n with n × (number of vectors) for each
feature, of which the upper triangle of S₀ is enough. The weights of all forms at all edges, n³/2 numbers, are never
made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray
from eigenselect.sensitivity.edge_forms import EdgeForms

#: rows of S₀ in one product: smaller blocks leave out more of the lower triangle, larger ones multiply faster
ROW_BLOCK = 256
#: a sum of slopes below this part of the terms that it is made of has lost digits: it is made again over the edges
LOST = 1e-4


class VectorPairs(NamedTuple):
    """Which two vectors, columns of ``vectors``, and which factor 1 - λ every form has."""

    vectors: FloatArray
    row: NDArray[np.intp]
    column: NDArray[np.intp]
    level: FloatArray


@dataclass(frozen=True)
class ProductForms:
    r"""Forms :math:`\sum_{ij} S_{ij} (x_i - x_j)^2 \big(q_{ri} q_{sj} - (1-\lambda_{rs})\, q_{ri} q_{si}\big)`.

    Attributes
    ----------
    similarity : ndarray of shape (n, n)
    pairs : VectorPairs
    edge_forms : EdgeForms
        The same forms over edges, for features that lose digits in products, such as two samples far from all others.
    """

    similarity: FloatArray
    pairs: VectorPairs
    edge_forms: EdgeForms

    def evaluate(self, tile: FloatArray) -> FloatArray:
        """Compute all forms of the columns of a centred tile, of shape (n_forms, columns)."""
        squares, crossed = tile**2, 2 * tile * self._apply(tile)
        moved = self._degrees[:, None] * squares + self._apply(squares)  # at i, the sum of S_ij (x_i² + x_j²)
        at_samples, at_levels = self._tables
        forms = at_samples @ squares - at_levels @ (moved - crossed)
        for number, feature in enumerate(tile.T):
            forms[:, number] -= 2 * self._cross_products(feature)
        reach = self._reach
        terms = 4 * (reach * self._apply(reach)) @ squares + reach**2 @ (moved + np.abs(crossed))
        lost = np.flatnonzero(np.abs(forms).sum(axis=0) < LOST * terms)
        if lost.size:
            forms[:, lost] = self.edge_forms.evaluate(tile[:, lost])
        return forms

    def _cross_products(self, feature: FloatArray) -> FloatArray:
        """Compute (x∘q_r)ᵀ S₀ (x∘q_s) of every form, from the part of S₀ above the diagonal."""
        row, column = self.pairs.row, self.pairs.column
        scaled = feature[:, None] * self.pairs.vectors
        single, several = row == column, np.flatnonzero(row != column)
        found = np.zeros(row.size)
        for part, upper in self._upper_blocks:
            image, own = upper @ scaled[part.start :], scaled[part]
            found[single] += 2 * np.einsum("ij,ij->j", own, image)[row[single]]
            for form in several:
                r, s = row[form], column[form]
                found[form] += own[:, r] @ image[:, s] + own[:, s] @ image[:, r]
        return found

    def _apply(self, columns: FloatArray) -> FloatArray:
        """Return S₀ f of each column."""
        diagonal = np.diagonal(self.similarity)
        return np.asarray(self.similarity @ columns - (diagonal * columns.T).T)

    @cached_property
    def _upper_blocks(self) -> list[tuple[slice, FloatArray]]:
        """Rows of S above the diagonal, each block from its first column on."""
        parts = slices(len(self.similarity), ROW_BLOCK)
        return [(part, np.triu(self.similarity[part, part.start :], 1)) for part in parts]

    @cached_property
    def _degrees(self) -> FloatArray:
        return self._apply(np.ones(len(self.similarity)))

    @cached_property
    def _tables(self) -> tuple[FloatArray, FloatArray]:
        """What multiplies x_i² in every form, q_ri (S₀q_s)_i + q_si (S₀q_r)_i, and (1-λ) q_ri q_si."""
        vectors, row, column, level = self.pairs
        image = self._apply(vectors)
        at_samples = vectors[:, row] * image[:, column] + vectors[:, column] * image[:, row]
        return at_samples.T, (vectors[:, row] * vectors[:, column] * level).T

    @cached_property
    def _reach(self) -> FloatArray:
        """The length of all vectors at a sample: Σ_r |q_ri q_rj| is at most the product of two of these."""
        return np.asarray(np.sqrt(np.sum(self.pairs.vectors**2, axis=1)))
