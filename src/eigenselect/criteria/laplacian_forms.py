r"""Powers and Chebyshev series of a graph's Laplacian as matrices over the samples, in parts or by products.

With the random-walk Laplacian :math:`P = M^{-1} L`, :math:`M^{1/2} \gamma(N) M^{1/2} = M \gamma(P)`: the quadratic form
of the feature itself.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._typing import Affinity, FloatArray
from eigenselect.criteria.structured import AnyForm, ImplicitForm, SymmetricForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.spectral import ChebyshevSeries

#: entries up to which a power of a sparse Laplacian is multiplied out
MOST_ENTRIES = 4_000_000
#: samples up to which n × n numbers are taken instead
FEW_SAMPLES = 2000


def laplacian_form(graph: SampleGraph) -> AnyForm:
    """Make L = diag(S1) - S in the parts in which S is stored.

    >>> laplacian_form(SampleGraph(np.array([[0.0, 1], [1, 0]]))).to_array()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    degrees = SymmetricForm.diagonal_matrix(graph.row_sums)
    S = graph.affinity
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
