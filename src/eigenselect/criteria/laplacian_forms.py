r"""Powers and Chebyshev series of a graph's Laplacian as matrices over the samples, in parts or by products.

With the random-walk Laplacian :math:`P = M^{-1} L`, :math:`M^{1/2} \gamma(N) M^{1/2} = M \gamma(P)`: the quadratic form
of the feature itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from eigenselect._typing import Affinity, FloatArray
from eigenselect.criteria.structured import AnyForm, ImplicitForm, SymmetricForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.spectral import ChebyshevSeries

if TYPE_CHECKING:
    from eigenselect.graph.nearby_numba import Nearby

#: entries up to which a power of a sparse Laplacian is multiplied out
MOST_ENTRIES = 4_000_000
#: samples up to which n × n numbers are taken instead
FEW_SAMPLES = 2000


class GraphLaplacian(SymmetricForm):
    r"""The form of L = diag(d) - S for a sparse S, whose entries are not copied: E is made where somebody asks for it.

    Of millions of samples L is as large as S, and to fill fresh memory takes longer than to add its numbers up.

    Parameters
    ----------
    S : csr_array of shape (n, n)
        Symmetric and sorted.
    degrees : ndarray of shape (n,)
        d, the row sums.

    Examples
    --------
    >>> form = GraphLaplacian(sparse.csr_array([[5.0, 2], [2, 0]]), np.array([7.0, 2.0]))
    >>> form @ np.array([1.0, 0.0]), form.diagonal()
    (array([ 2., -2.]), array([2., 2.]))
    """

    S: sparse.csr_array
    degrees: FloatArray

    def __init__(self, S: sparse.csr_array, degrees: FloatArray) -> None:
        parts = {"S": S, "degrees": degrees, "V": np.zeros((degrees.size, 0)), "C": np.zeros((0, 0)), "classes": None}
        vars(self).update(parts)  # a form is frozen

    @cached_property
    def E(self) -> sparse.csr_array:
        """L itself."""
        return sparse.csr_array(sparse.diags_array(self.degrees) - self.S)

    @property
    def n_samples(self) -> int:
        return int(self.degrees.size)

    @property
    def is_dense(self) -> bool:
        return False

    def __matmul__(self, features: FloatArray) -> FloatArray:
        image = (self.degrees if features.ndim == 1 else self.degrees[:, None]) * features
        image -= self.S @ features
        return np.asarray(image)

    def split(self) -> tuple[FloatArray, Affinity, float]:
        return self.degrees - self.S.diagonal(), self.S, -1.0

    def moved(self, nearby: Nearby) -> SymmetricForm:
        return GraphLaplacian(nearby.moved(self.S), self.degrees[nearby.order])


def laplacian_form(graph: SampleGraph) -> AnyForm:
    """Make L = diag(S1) - S in the parts in which S is stored.

    >>> laplacian_form(SampleGraph(np.array([[0.0, 1], [1, 0]]))).to_array()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    S = graph.affinity
    if graph.is_sparse:
        return GraphLaplacian(S, graph.row_sums)
    degrees = SymmetricForm.diagonal_matrix(graph.row_sums)
    if isinstance(S, ClassMeans):
        return degrees.minus(SymmetricForm.of_classes(S.codes, 1.0 / S.sizes))
    if graph.is_implicit:
        return degrees.minus(ImplicitForm(lambda F: np.asarray(S @ F), graph.n_samples))
    return SymmetricForm.of(graph.stored_laplacian())


def laplacian_power(graph: SampleGraph, exponent: int) -> AnyForm:
    """Make M^1/2 N^p M^1/2 = L (M⁻¹L)^(p-1): multiplied out where that stays small, else by products."""
    if exponent == 1 or _is_projector(graph):
        return laplacian_form(graph)
    L = None if graph.is_implicit else graph.stored_laplacian()
    power = L
    for _ in range(exponent - 1):
        power = None if power is None else _next_power(power, graph, L)
    if power is None:
        return ImplicitForm(lambda F: _walked(graph, F, exponent), graph.n_samples, _pattern(graph))
    return SymmetricForm.of(power)


def _next_power(power: Affinity, graph: SampleGraph, L: Affinity) -> Affinity | None:
    """Multiply with M⁻¹L; None where the product may have too many entries."""
    if not sparse.issparse(power):
        L = L.toarray() if sparse.issparse(L) else L
        return np.asarray(power @ (graph.inverse_mass[:, None] * L))
    entries = float(np.bincount(power.indices, minlength=graph.n_samples) @ np.diff(L.indptr))
    if graph.n_samples <= FEW_SAMPLES and 4 * entries > graph.n_samples**2:
        return _next_power(power.toarray(), graph, L)
    if entries > MOST_ENTRIES:
        return None
    return sparse.csr_array(power @ (sparse.diags_array(graph.inverse_mass) @ L))


def _walked(graph: SampleGraph, features: FloatArray, exponent: int) -> FloatArray:
    """Compute M P^p F."""
    for _ in range(exponent):
        features = graph.walk(features)
    return np.asarray(graph.mass[:, None] * features)


def _is_projector(graph: SampleGraph) -> bool:
    """Whether N is the projector I - S, which is all of its powers."""
    of_classes = isinstance(graph.affinity, ClassMeans) and graph.spectral_map is None
    return of_classes and bool((graph.mass == 1.0).all() and (graph.row_sums == 1.0).all())


def series_form(graph: SampleGraph, series: ChebyshevSeries) -> ImplicitForm:
    """Make M Σ_k c_k T_k(P) by products: Clenshaw's recurrence from the highest term down."""
    low, high = series.interval

    def scaled(features: FloatArray) -> FloatArray:
        """(2P - high - low) F / (high - low), the operator on [-1, 1]."""
        return np.asarray((2.0 * graph.walk(features) - (high + low) * features) / (high - low))

    def product(features: FloatArray) -> FloatArray:
        later, last = np.zeros_like(features), np.zeros_like(features)
        for coefficient in series.coefficients[:0:-1]:
            later, last = coefficient * features + 2.0 * scaled(later) - last, later
        total = series.coefficients[0] * features + scaled(later) - last
        return np.asarray(graph.mass[:, None] * total)

    return ImplicitForm(product, graph.n_samples, _pattern(graph))


def _pattern(graph: SampleGraph) -> sparse.csr_array | None:
    """Return the graph over whose edges its functions decay, where it has few of them."""
    return graph.affinity if graph.is_sparse else None
