"""f̂ᵀŜf̂, the one place where it is computed.

A criterion's matrix A is a function of the normalised Laplacian, γ(N), or a kernel. With the random-walk Laplacian
P = M⁻¹L, which is self-adjoint in ⟨u, v⟩ = uᵀMv (M the mass of the graph), and g the feature minus its weighted mean,

    (M^1/2 g)ᵀ γ(N) (M^1/2 g) = ⟨g, γ(P) g⟩,

so no square root of a degree and no n × n matrix is needed. Features are taken in tiles of columns that fit the cache,
tiles are spread over threads. Features whose squares leave the range of floating point are divided by a power of two
and measured again. Two routes give the form of a tile:

* **operator**: powers and Chebyshev series of P, and kernels, by products (`PowerForm`, `ChebyshevForm`, `KernelForm`);
* **factor**: A = U diag(w) Uᵀ from eigenpairs (`FactorForm`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import MappingProxyType, ModuleType
from typing import Any, Protocol, cast

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from eigenselect._floats import LARGEST_SQUARE, SMALLEST_SQUARE
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria import loops_numpy
from eigenselect.criteria.laplacian_forms import laplacian_power, series_form
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.structured import AnyForm, ImplicitForm, SymmetricForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.dask_table import DaskMatrix
from eigenselect.spectral import ChebyshevSeries, SpectralFunction

#: columns of a sparse X that one thread takes at a time
SPARSE_COLUMNS = 256
#: eigenvectors up to which a sparse X is projected without dense tiles
FEW_VECTORS = 100
#: multiply-adds (edges × features) from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: what `repeated` set
REPEATS: ContextVar[int] = ContextVar("repeats", default=1)


@contextmanager
def repeated(times: int) -> Iterator[None]:
    """Within, work is done about so many times, so that compiled loops are worth their import the earlier."""
    token = REPEATS.set(times)
    try:
        yield
    finally:
        REPEATS.reset(token)


class Form(Protocol):
    """A way to compute ⟨g, A g⟩ for a matrix A over the samples."""

    @property
    def at_zero(self) -> float:
        """Eigenvalue of A for the trivial vector ξ_1."""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Fitted attributes that making the form came upon."""

    def takes_differences(self, graph: SampleGraph) -> bool:
        """Tell whether only differences of samples are summed: no mean is subtracted then, its rounding would show."""

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound the summed terms, relative to ⟨g, g⟩, where they may cancel; 0 where they cannot."""

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        """Compute the form of the columns of a tile, centred unless the form takes differences."""

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Compute it for all columns of a sparse X from its non-zeros; None where the form needs dense tiles."""

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """Return A as a dense array, for looking and checking."""

    def structured(self, graph: SampleGraph) -> AnyForm:
        """Return M^1/2 A M^1/2 in parts: its quadratic form of the feature itself is the form."""


class _ByTiles:
    """What most forms share: A ξ_1 = 0, centred tiles, nothing to tell, no shortcut for a sparse X."""

    at_zero: float = 0.0
    attributes: Mapping[str, Any] = MappingProxyType({})

    def takes_differences(self, graph: SampleGraph) -> bool:
        return False

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        return None


class Workspace(threading.local):
    """Arrays that each thread uses again for tile after tile: fresh ones would cost a page fault per 4 kB."""

    def __init__(self) -> None:
        self._arrays: dict[str, FloatArray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """Return an uninitialised C-ordered array; the next call with this name may return the same memory."""
        if name not in self._arrays or self._arrays[name].shape != shape:
            self._arrays[name] = np.empty(shape)
        return self._arrays[name]


@dataclass(frozen=True)
class Engine:
    """Products on a tile with one graph, by numpy or by compiled loops.

    Attributes
    ----------
    graph : SampleGraph
    loops : module
        `loops_numpy` or `loops_numba`: the same functions, tested against each other.
    workspace : Workspace
        Buffers of every thread.
    """

    graph: SampleGraph
    loops: ModuleType
    workspace: Workspace = field(default_factory=Workspace)

    @classmethod
    def for_work(cls, graph: SampleGraph, n_features: int) -> Engine:
        """Take compiled loops where there is enough to do; numpy otherwise, without importing numba.

        The choice depends on sizes, and on `repeated`, only, so equal calls take equal routes.
        """
        per_feature = graph.affinity.nnz if graph.is_sparse else 4 * graph.n_samples  # as many passes
        if per_feature * float(n_features) * REPEATS.get() >= COMPILED_WORK:
            from eigenselect.criteria import loops_numba

            return cls(graph, loops_numba)
        return cls(graph, loops_numpy)

    @property
    def is_compiled(self) -> bool:
        """Whether numba was worth its import."""
        return self.loops is not loops_numpy

    def tile(self, table: Matrix, columns: slice) -> FloatArray:
        """Return the columns of a tile in float64, in memory that the thread's next tile uses again."""
        return table.tile(columns, self.workspace.array("tile", (table.n_samples, columns.stop - columns.start)))

    def center(self, tile: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Subtract the means in place; return them and ⟨g, g⟩."""
        graph = self.graph
        reference = int(np.argmax(graph.mass > 0))  # a sample that counts: others may hold anything
        mean, spread = self.loops.center(tile, reference, graph.mass, graph.volume)
        return mean, spread

    def walk(self, tile: FloatArray, buffer: str = "walk") -> FloatArray:
        """Multiply with P, into the thread's buffer of that name where the graph is sparse."""
        out = self.workspace.array(buffer, tile.shape) if self.graph.is_sparse else None
        return self.graph.walk(tile, self.loops, out)

    def inner(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Compute ⟨u, v⟩ of each pair of columns."""
        return np.asarray(self.loops.inner(self.graph.mass, first, second))


@dataclass(frozen=True)
class PowerForm(_ByTiles):
    r"""A = N^p by half as many products, because P is self-adjoint.

    .. math:: \langle g, P^{2h} g\rangle = \langle P^h g, P^h g\rangle, \qquad
              \langle g, P^{2h+1} g\rangle = (P^h g)^\top L\, (P^h g) = \sum_{i<j} S_{ij} (u_i - u_j)^2, \; u = P^h g

    Differences of samples are summed, so a tiny form of a smooth feature keeps its digits. For p = 1 nothing is
    multiplied at all.

    Attributes
    ----------
    exponent : int
        p.

    Examples
    --------
    >>> graph = SampleGraph(np.array([[0.0, 1], [1, 0]]))
    >>> feature_terms(np.array([[0.0], [3.0]]), graph, PowerForm(1)).quadratic
    array([9.])
    """

    exponent: int

    def takes_differences(self, graph: SampleGraph) -> bool:
        return self.exponent == 1 and graph.has_differences

    def cancellation(self, graph: SampleGraph) -> float:
        if not self.takes_differences(graph):
            return self.exponent * 2.0**self.exponent
        if not (graph.signed and graph.is_sparse):
            return 0.0
        return 2.0 * float((abs(graph.affinity).sum(axis=1) * graph.inverse_mass).max())  # ‖D_A - A‖ is at most this

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        for step in range(self.exponent // 2):
            tile = engine.walk(tile, buffer=f"walk{step % 2}")
        return engine.graph.energy(tile, engine.loops) if self.exponent % 2 else engine.inner(tile, tile)

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        graph = engine.graph
        if self.exponent != 1 or not (engine.is_compiled and graph.is_sparse):
            return None
        return _sparse_energy(graph.affinity, X, engine, n_jobs)

    def matrix(self, graph: SampleGraph) -> FloatArray:
        N = graph.normalized_laplacian() @ np.eye(graph.n_samples)
        return np.asarray(np.linalg.matrix_power(N, self.exponent))

    def structured(self, graph: SampleGraph) -> AnyForm:
        return laplacian_power(graph, self.exponent)


@dataclass(frozen=True)
class IdentityForm(_ByTiles):
    r"""A = I: the spread :math:`\langle g, g\rangle` itself, which needs no edges.

    Examples
    --------
    >>> graph = SampleGraph(np.zeros((2, 2)), mass=np.ones(2))
    >>> feature_terms(np.array([[0.0], [4.0]]), graph, IdentityForm()).quadratic
    array([8.])
    """

    at_zero: float = 1.0

    def cancellation(self, graph: SampleGraph) -> float:
        return 0.0

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return engine.inner(tile, tile)

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        return _sparse_moments(X, engine.graph)[1]

    def matrix(self, graph: SampleGraph) -> FloatArray:
        return np.eye(graph.n_samples)

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return SymmetricForm.diagonal_matrix(graph.mass)


@dataclass(frozen=True)
class AbsoluteForm(_ByTiles):
    r""":math:`\sum_{i<j} S_{ij} |f_i - f_j|`: the edges of the Laplacian form with another cost, Relief's default.

    It is linear in the size of f and no quadratic form.

    Examples
    --------
    >>> graph = SampleGraph(sparse.csr_array([[0.0, 1], [1, 0]]), mass=np.ones(2), signed=True)
    >>> feature_terms(np.array([[0.0], [3.0]]), graph, AbsoluteForm()).quadratic
    array([3.])
    """

    def takes_differences(self, graph: SampleGraph) -> bool:
        return True

    def cancellation(self, graph: SampleGraph) -> float:
        return 0.5 * float(abs(graph.affinity).sum())

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return np.asarray(engine.loops.absolute_energy(engine.graph.affinity, tile))

    def matrix(self, graph: SampleGraph) -> FloatArray:
        raise ValueError("A sum of absolute differences is no quadratic form.")

    def structured(self, graph: SampleGraph) -> AnyForm:
        raise ValueError("A sum of absolute differences is no quadratic form.")


@dataclass(frozen=True)
class ChebyshevForm(_ByTiles):
    r"""A = γ(N) by a Chebyshev series: :math:`\sum_k c_k \langle g, T_k g\rangle`.

    where :math:`T_k` are the Chebyshev polynomials of P, moved to [-1, 1]. With :math:`t_k = T_k g`,

    .. math:: t_{k+1} = 2 P' t_k - t_{k-1}, \qquad \langle g, T_{2k} g\rangle = 2 \langle t_k, t_k\rangle - \langle g, g
              \rangle, \qquad \langle g, T_{2k+1} g\rangle = 2 \langle t_{k+1}, t_k\rangle - \langle g, P' g\rangle,

    so a series of degree q takes q/2 products.

    Attributes
    ----------
    series : ChebyshevSeries
    gamma : SpectralFunction
    at_zero : float
        γ(0).

    References
    ----------
    Weisse, Wellein, Alvermann and Fehske, The kernel polynomial method, Rev. Mod. Phys. 2006,
    doi:10.1103/RevModPhys.78.275 (the doubling of moments).

    Examples
    --------
    >>> from eigenselect.spectral import Heat, chebyshev_series
    >>> graph = SampleGraph(np.ones((2, 2)))
    >>> ChebyshevForm(chebyshev_series(Heat(), graph.interval), Heat()).matrix(graph).round(3)
    array([[ 0.316, -0.316],
           [-0.316,  0.316]])
    """

    series: ChebyshevSeries
    gamma: SpectralFunction
    at_zero: float = 0.0

    def cancellation(self, graph: SampleGraph) -> float:
        return len(self.series.coefficients) * self.gamma.largest

    def matrix(self, graph: SampleGraph) -> FloatArray:
        pairs = graph.full_eigensystem()
        return np.asarray((pairs.eigenvectors * self.gamma(pairs.eigenvalues)) @ pairs.eigenvectors.T)

    def structured(self, graph: SampleGraph) -> AnyForm:
        return series_form(graph, self.series)

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        coefficients = self.series.coefficients
        low, high = self.series.interval

        def scaled(vectors: FloatArray) -> FloatArray:
            """(2P - high - low) g / (high - low), the operator on [-1, 1]."""
            image = engine.walk(vectors)
            image *= 2.0 / (high - low)
            image -= (high + low) / (high - low) * vectors
            return image

        previous, current = tile, scaled(tile).copy()
        moments = [engine.inner(tile, tile), engine.inner(tile, current)]
        total = coefficients[0] * moments[0] + coefficients[1] * moments[1]
        for degree in range(2, len(coefficients)):
            if degree % 2:
                following = scaled(current)
                following *= 2.0
                np.subtract(following, previous, out=previous)  # T_k+1 = 2x T_k - T_k-1
                previous, current = current, previous
                moment = 2.0 * engine.inner(current, previous) - moments[1]
            else:
                moment = 2.0 * engine.inner(current, current) - moments[0]
            total += coefficients[degree] * moment
        return np.asarray(total)


@dataclass(frozen=True)
class FactorForm(_ByTiles):
    r"""A = U diag(w) Uᵀ from eigenpairs: :math:`\sum_j w_j (u_j^\top M^{1/2} g)^2`, one product for all pairs.

    Attributes
    ----------
    basis : ndarray of shape (n_samples, n_pairs)
        :math:`M^{1/2} U`.
    weights : ndarray of shape (n_pairs,)
        w.
    largest : float
        max |γ|, what rounding is relative to.
    at_zero : float
        Eigenvalue of A for ξ_1.
    attributes : dict
        Fitted attributes that finding the pairs came upon.
    eigenvalues, groups : ndarray of shape (n_pairs,), optional
        Eigenvalues of N, and which of them are equal, for explanations.

    Examples
    --------
    >>> graph = SampleGraph(np.ones((2, 2)))
    >>> FactorForm.of(graph, np.array([[0.6], [0.8]]), np.ones(1), largest=1.0).matrix(graph)
    array([[0.36, 0.48],
           [0.48, 0.64]])
    """

    basis: FloatArray
    weights: FloatArray
    largest: float
    at_zero: float = 0.0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    eigenvalues: FloatArray | None = None
    groups: IntArray | None = None

    @classmethod
    def of(cls, graph: SampleGraph, vectors: FloatArray, weights: FloatArray, **options: Any) -> FactorForm:
        """Make the form of eigenvectors U with weights w."""
        return cls(np.sqrt(graph.mass)[:, None] * vectors, np.asarray(weights), **options)

    def cancellation(self, graph: SampleGraph) -> float:
        return self.largest

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return self.weights @ (self.basis.T @ tile) ** 2

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Project by Uᵀ M^1/2 g = Uᵀ M^1/2 f - μ Uᵀ M^1/2 1, worth it for few vectors."""
        if self.weights.size > FEW_VECTORS:
            return None
        mean = (X.T @ engine.graph.mass) / engine.graph.volume
        projections = X.T @ self.basis - np.outer(mean, self.basis.sum(axis=0))
        return np.asarray((projections**2 * self.weights).sum(axis=1))  # the same bits whatever columns are beside

    def matrix(self, graph: SampleGraph) -> FloatArray:
        vectors = np.sqrt(graph.inverse_mass)[:, None] * self.basis
        isolated = np.diag(self.at_zero * graph.isolated)  # N has zero rows there, so γ(N) has γ(0)
        return np.asarray((vectors * self.weights) @ vectors.T + isolated)

    def structured(self, graph: SampleGraph) -> AnyForm:
        """Keep few vectors side by side; many are multiplied out."""
        if self.weights.size <= FEW_VECTORS:
            return SymmetricForm.low_rank(self.basis, np.diag(self.weights))
        return SymmetricForm.of((self.basis * self.weights) @ self.basis.T)


@dataclass(frozen=True)
class KernelForm(_ByTiles):
    r"""A = c C (K + diag(a)) C: :math:`c\,(g^\top K g + \sum_i a_i g_i^2)` of the centred feature.

    Attributes
    ----------
    kernel : ndarray, csr_array or LinearOperator
        K.
    diagonal : ndarray of shape (n_samples,)
        a.
    factor : float, default=1.0
        c.

    Examples
    --------
    >>> KernelForm(np.eye(2), np.zeros(2)).matrix(SampleGraph(np.ones((2, 2))))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    kernel: Any
    diagonal: FloatArray
    factor: float = 1.0

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound ‖K + diag(a)‖ by the largest sum of absolute values of a row."""
        K = self.kernel
        rows = np.ones(1) if isinstance(K, ClassMeans) else np.asarray(abs(K).sum(axis=1)).ravel()
        return self.factor * float(rows.max() + np.abs(self.diagonal).max())

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        image = self.kernel @ tile
        image += self.diagonal[:, None] * tile
        return self.factor * np.asarray(np.einsum("ij,ij->j", tile, image))

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Take squares and differences: gᵀKg = Σ_i (K1)_i g_i² - Σ_{i<j} K_ij (f_i - f_j)², from the non-zeros."""
        if not (engine.is_compiled and sparse.issparse(self.kernel)):
            return None
        column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
        mean = _per_column(X, column, X.data) / X.shape[0]
        squares, _ = _sparse_squares(X, column, self.kernel.sum(axis=1) + self.diagonal, mean)
        return self.factor * (squares - _sparse_energy(self.kernel, X, engine, n_jobs))

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """C (K + diag(a)) C with the centring matrix C, because g is centred."""
        n = self.diagonal.size
        centring = np.eye(n) - 1.0 / n
        return np.asarray(self.factor * (centring @ (self.kernel @ centring + self.diagonal[:, None] * centring)))

    def structured(self, graph: SampleGraph) -> AnyForm:
        form = self._kernel_form()
        if self.diagonal.any():
            form = form.plus(SymmetricForm.diagonal_matrix(self.diagonal))
        return form.deflated(graph.mass).scaled(self.factor)

    def _kernel_form(self) -> AnyForm:
        K = self.kernel
        if isinstance(K, ClassMeans):
            return SymmetricForm.of_classes(K.codes, 1.0 / K.sizes)
        if isinstance(K, LinearOperator):
            return ImplicitForm(lambda F: np.asarray(K @ F), self.diagonal.size)
        return SymmetricForm.of(K)


def feature_terms(X: Any, graph: SampleGraph, form: Form, *, n_jobs: int | None = None) -> FeatureTerms:
    """Compute ⟨g, A g⟩, ⟨g, g⟩ and the mean of every feature, of any finite size.

    Parameters
    ----------
    X : Matrix, ndarray (also a memory map) or sparse matrix of shape (n_samples, n_features)
        float32 is widened a tile at a time; a sparse X is never made dense as a whole.
    graph : SampleGraph
    form : Form
    n_jobs : int, optional
    """
    table = X if isinstance(X, Matrix) else as_matrix(X)
    engine = Engine.for_work(graph, table.n_features)
    terms = _terms(table, engine, form, n_jobs)
    suspects = np.flatnonzero(~_is_safe(terms.spread))
    return _measured_again(terms, suspects, table, engine, form, n_jobs) if suspects.size else terms


def terms_in_memory(table: Matrix, graph: SampleGraph, form: Form, n_jobs: int | None = 1) -> FeatureTerms:
    """Compute the terms of a table in memory in its own unit: what a worker does with its part of a large one."""
    return _terms(table, Engine.for_work(graph, table.n_features), form, n_jobs)


def _measured_again(
    terms: FeatureTerms, suspects: IntArray, table: Matrix, engine: Engine, form: Form, n_jobs: int | None
) -> FeatureTerms:
    """Measure features whose squares left the range of floating point in a unit of their own."""
    parts = [suspects[part] for part in table.tiles(suspects.size)]
    isolated = engine.graph.isolated
    exponents = np.concatenate([table.take_columns(part).zeroed(isolated).column_exponents() for part in parts])
    # A constant feature has no spread either; it has values of any ordinary size, and its spread is right.
    lost = ~np.isfinite(terms.spread[suspects]) | ~_is_safe(np.ldexp(1.0, np.clip(2 * exponents, -1000, 1000)))
    suspects, exponents = suspects[lost], exponents[lost]
    if not suspects.size:
        return terms
    again = _terms(table.take_columns(suspects).zeroed(isolated).divided(exponents), engine, form, n_jobs)
    terms.put(suspects, again)
    exponent = np.zeros(terms.spread.size, dtype=np.intp)
    exponent[suspects] = exponents
    return replace(terms, exponent=exponent)


def _terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """Compute the terms in the unit of the table; what overflows or vanishes there shows in the spread."""
    if isinstance(table, DaskMatrix):
        from eigenselect.criteria.row_chunks import chunk_terms

        return chunk_terms(table, engine.graph, form)
    with np.errstate(over="ignore", invalid="ignore"):
        found = _sparse_terms(table, engine, form, n_jobs) if table.is_sparse else None
    return _dense_terms(table, engine, form, n_jobs) if found is None else found


def _sparse_terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms | None:
    """Compute the terms from the non-zeros, band by band in a file; None where the form needs dense tiles."""
    graph, n_features = engine.graph, table.n_features
    terms = FeatureTerms(np.empty(n_features), np.empty(n_features), np.empty(n_features), graph.volume)
    covered = np.zeros(n_features)
    for columns, band in table.bands():
        found = _band_terms(cast(SparseMatrix, band), engine, form, n_jobs)
        if found is None:
            return None
        terms.put(columns, found[0])
        covered[columns] = found[1]
    # Where the non-zeros hold most of the volume, what is left for the zeros would be a difference of large numbers.
    full = np.flatnonzero(covered > 0.5 * graph.volume)
    if full.size:
        terms.put(full, _dense_terms(table.take_columns(full), engine, form, n_jobs))
    return terms


def _band_terms(
    band: SparseMatrix, engine: Engine, form: Form, n_jobs: int | None
) -> tuple[FeatureTerms, FloatArray | float] | None:
    """Compute the terms of a sparse table, and the volume that the non-zeros cover where it matters."""
    graph = engine.graph
    if isinstance(graph.affinity, ClassMeans) and form == PowerForm(1):
        within, between, mean = engine.loops.sparse_class_scatter(graph.affinity, band.raw)
        spread = (within + between) * (graph.volume / graph.n_samples)  # every sample has the same mass
        return FeatureTerms(within, spread, mean, graph.volume), 0.0
    quadratic = form.evaluate_sparse(band.by_column, engine, n_jobs)
    if quadratic is None:
        return None
    mean, spread, covered = _sparse_moments(band.by_column, graph)
    return FeatureTerms(quadratic, spread, mean, graph.volume), covered


def _dense_terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """Compute the terms of a dense or sparse table by dense tiles of columns."""
    quadratic, spread, mean = (np.empty(table.n_features) for _ in range(3))
    differences = form.takes_differences(engine.graph)

    def compute(columns: slice) -> None:
        tile = engine.tile(table, columns)
        with np.errstate(over="ignore", invalid="ignore"):
            if differences:
                quadratic[columns] = form.evaluate(tile, engine)
            mean[columns], spread[columns] = engine.center(tile)
            if not differences:
                quadratic[columns] = form.evaluate(tile, engine)

    map_blocks(compute, table.tiles(), n_jobs)
    return FeatureTerms(quadratic, spread, mean, engine.graph.volume)


def _sparse_energy(affinity: sparse.csr_array, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Sum S_ij (f_i - f_j)² over the edges of sparse columns, by compiled loops."""
    energy = np.empty(X.shape[1])

    def compute(columns: slice) -> None:
        engine.loops.sparse_energy(affinity, X, columns, energy)

    map_blocks(compute, slices(X.shape[1], SPARSE_COLUMNS), n_jobs)
    return energy


def _sparse_moments(X: sparse.csc_array, graph: SampleGraph) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute m-weighted means and ⟨g, g⟩ of sparse columns from their non-zeros, and the volume that these cover."""
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    mean = _per_column(X, column, graph.mass[X.indices] * X.data) / graph.volume
    spread, covered = _sparse_squares(X, column, graph.mass, mean)
    return mean, spread, covered


def _sparse_squares(
    X: sparse.csc_array, column: IntArray, weights: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum w_i (f_i - μ)² of sparse columns, and the weights that their non-zeros cover.

    The zeros of a column add μ² times their weights, which are known by difference.
    """
    weight = weights[X.indices]
    covered = _per_column(X, column, weight)
    deviation = X.data.astype(np.float64, copy=False) - mean[column]
    return _per_column(X, column, weight * deviation**2) + mean**2 * (float(weights.sum()) - covered), covered


def _per_column(X: sparse.csc_array, column: IntArray, values: FloatArray) -> FloatArray:
    """Sum values of the non-zeros by column."""
    return np.bincount(column, weights=values, minlength=X.shape[1]).astype(np.float64, copy=False)


def _is_safe(squares: Any) -> Any:
    """Whether sums of squares are so far from the ends of floating point that no digit of theirs was lost."""
    return (squares > SMALLEST_SQUARE) & (squares < LARGEST_SQUARE)
