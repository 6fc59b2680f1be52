"""f̂ᵀŜf̂, the one place where it is computed.

A criterion's matrix is a function of the normalised Laplacian, M = γ(N). With the random-walk Laplacian P = D⁻¹L, which
is self-adjoint in ⟨u, v⟩ = uᵀDv, and g the feature minus its d-weighted mean,

    (D^1/2 g)ᵀ γ(N) (D^1/2 g) = ⟨g, γ(P) g⟩,

so no square root of a degree and no n × n matrix is needed. Features are taken in tiles of columns that fit the cache,
tiles are spread over threads. Features whose squares leave the range of floating point are divided by a power of two
and measured again. Two routes give ⟨g, γ(P) g⟩ for a tile:

* **operator**: powers and Chebyshev series of P by products with the graph (`PowerForm`, `ChebyshevForm`);
* **factor**: M = U diag(w) Uᵀ from eigenpairs (`FactorForm`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._scaling import column_exponents, divided, is_safe, zeroed
from eigenselect.criteria import loops_numpy
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.spectral import ChebyshevSeries

FloatArray = NDArray[np.float64]

#: bytes of one tile of features
TILE_BYTES = 2**22
TILE_COLUMNS = (8, 4096)
#: tiles that a table is cut into at least, so that threads share them evenly
TILES = 8
#: columns of a sparse X that one thread takes at a time
SPARSE_COLUMNS = 256
#: eigenvectors up to which a sparse X is projected without dense tiles
FEW_VECTORS = 100
#: multiply-adds (edges × features) from which compiled kernels are worth their import
COMPILED_WORK = 3e7


class Form(Protocol):
    """A way to compute ⟨g, γ(P) g⟩."""

    def roundings(self, graph: SampleGraph) -> int:
        """How many products pile up their rounding, relative to ⟨g, g⟩; 0 where only differences of samples are summed.

        Such sums keep their digits however small they are; no mean is subtracted for them, as its rounding would show.
        """

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        """For the columns of a tile, centred unless the form takes differences."""

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """For all columns of a sparse X from its non-zeros; None where the form needs dense tiles."""


class Workspace(threading.local):
    """Arrays that each thread uses again for tile after tile: fresh ones would cost a page fault per 4 kB."""

    def __init__(self) -> None:
        self._arrays: dict[str, FloatArray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """An uninitialised C-ordered array; the next call with this name may return the same memory."""
        if name not in self._arrays or self._arrays[name].shape != shape:
            self._arrays[name] = np.empty(shape)
        return self._arrays[name]


@dataclass(frozen=True)
class Engine:
    """Products on a tile with one graph, by numpy or by compiled kernels."""

    graph: SampleGraph
    kernels: ModuleType
    workspace: Workspace = field(default_factory=Workspace)

    @classmethod
    def for_work(cls, graph: SampleGraph, n_features: int) -> Engine:
        """Compiled kernels where there is enough to do; numpy otherwise, without importing numba.

        The choice depends on sizes only, so equal calls take equal routes.
        """
        carrier = graph.carrier
        per_feature = carrier.affinity.nnz if carrier.is_sparse else 4 * graph.n_samples  # as many passes
        if per_feature * float(n_features) >= COMPILED_WORK:
            from eigenselect.criteria import loops_numba

            return cls(graph, loops_numba)
        return cls(graph, loops_numpy)

    @property
    def is_compiled(self) -> bool:
        return self.kernels is not loops_numpy

    def tile(self, X: Any, columns: slice) -> FloatArray:
        """The columns of a tile in float64, in memory that the thread's next tile uses again."""
        tile = self.workspace.array("tile", (X.shape[0], columns.stop - columns.start))
        tile[...] = X[:, columns].toarray() if sparse.issparse(X) else X[:, columns]
        return tile

    def center(self, tile: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Subtract the means in place; return them and ⟨g, g⟩."""
        graph = self.graph
        reference = int(np.argmax(graph.degrees > 0))  # a sample that counts: others may hold anything
        mean, spread = self.kernels.center(tile, reference, graph.degrees, graph.volume)
        return mean, spread

    def walk(self, tile: FloatArray, buffer: str = "walk") -> FloatArray:
        """P g, written to the thread's buffer of that name where the graph is sparse."""
        carrier = self.graph.carrier
        if not carrier.is_sparse:
            return self.graph.walk(tile)
        out = self.workspace.array(buffer, tile.shape)
        self.kernels.walk(carrier.affinity, carrier.degrees, self.graph.inverse_degrees, tile, out)
        return out

    def energy(self, tile: FloatArray) -> FloatArray:
        """⟨g, P g⟩ = gᵀLg, by differences along edges where there are edges."""
        carrier = self.graph.carrier
        if carrier.is_sparse:
            return np.asarray(self.kernels.energy(carrier.affinity, tile))
        if isinstance(carrier.affinity, ClassMeans):
            return np.asarray(self.kernels.class_energy(carrier.affinity, tile))
        energy = self.inner(tile, self.graph.walk(tile))
        return energy if self.graph.signed else np.maximum(energy, 0.0)  # a sum of squares, whatever rounding says

    def inner(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """⟨u, v⟩ of each pair of columns."""
        return np.asarray(self.kernels.inner(self.graph.degrees, first, second))


@dataclass(frozen=True)
class PowerForm:
    """γ(r) = r^p: ⟨P^h g, P^h g⟩ for p = 2h, ⟨P^h g, P P^h g⟩ for p = 2h + 1."""

    exponent: int

    def roundings(self, graph: SampleGraph) -> int:
        by_edges = graph.carrier.is_sparse or isinstance(graph.carrier.affinity, ClassMeans)
        return 0 if self.exponent == 1 and by_edges else self.exponent

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        for step in range(self.exponent // 2):
            tile = engine.walk(tile, buffer=f"walk{step % 2}")
        return engine.energy(tile) if self.exponent % 2 else engine.inner(tile, tile)

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        affinity = engine.graph.carrier.affinity
        if self.exponent != 1 or not (engine.is_compiled and engine.graph.carrier.is_sparse):
            return None
        energy = np.empty(X.shape[1])

        def compute(columns: slice) -> None:
            engine.kernels.sparse_energy(affinity, X, columns, energy)

        map_blocks(compute, list(slices(X.shape[1], SPARSE_COLUMNS)), n_jobs)
        return energy


@dataclass(frozen=True)
class AbsoluteForm:
    """Σ_{i<j} S_ij |f_i - f_j|: the edges of the Laplacian form with another cost, Relief's default."""

    def roundings(self, graph: SampleGraph) -> int:
        return 0

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return np.asarray(engine.kernels.absolute_energy(engine.graph.carrier.affinity, tile))

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> None:
        return None


@dataclass(frozen=True)
class ChebyshevForm:
    """γ(r) = Σ c_k T_k: moments ⟨g, T_k g⟩ up to twice the number of products, from T_2k = 2 T_k² - 1."""

    series: ChebyshevSeries

    def roundings(self, graph: SampleGraph) -> int:
        return len(self.series.coefficients)

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

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> None:
        return None


@dataclass(frozen=True)
class FactorForm:
    """M = U diag(w) Uᵀ: Σ_j w_j (u_jᵀ D^1/2 g)². ``basis`` holds D^1/2 U, one column per pair."""

    basis: FloatArray
    weights: FloatArray

    def roundings(self, graph: SampleGraph) -> int:
        return 1

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return self.weights @ (self.basis.T @ tile) ** 2

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Uᵀ D^1/2 g = Uᵀ D^1/2 f - μ Uᵀ D^1/2 1, worth it for few vectors."""
        if self.weights.size > FEW_VECTORS:
            return None
        mean = (X.T @ engine.graph.degrees) / engine.graph.volume
        projections = X.T @ self.basis - np.outer(mean, self.basis.sum(axis=0))
        return np.asarray(projections**2 @ self.weights)


@dataclass(frozen=True)
class KernelForm:
    """gᵀKg + Σ_i a_i g_i² of a kernel K and a diagonal a."""

    kernel: Any
    diagonal: FloatArray

    def roundings(self, graph: SampleGraph) -> int:
        return 1

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        image = self.kernel @ tile
        image += self.diagonal[:, None] * tile
        return np.asarray(np.einsum("ij,ij->j", tile, image))

    def evaluate_sparse(self, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> None:
        return None


def feature_terms(X: Any, graph: SampleGraph, form: Form, *, n_jobs: int | None = None) -> FeatureTerms:
    """⟨g, γ(P) g⟩, ⟨g, g⟩ and the mean of every feature, of any finite size.

    Parameters
    ----------
    X : ndarray (also a memory map) or CSC/CSR matrix of shape (n_samples, n_features)
        float32 is widened a tile at a time; a sparse X is never made dense as a whole.
    graph : SampleGraph
    form : Form
    n_jobs : int, optional
    """
    engine = Engine.for_work(graph, X.shape[1])
    terms = _terms(X, engine, form, n_jobs)
    suspects = np.flatnonzero(~is_safe(terms.spread))
    if not suspects.size:
        return terms
    X = sparse.csc_array(X) if sparse.issparse(X) else X
    exponents = np.concatenate(
        [column_exponents(_live_columns(X, suspects[part], graph)) for part in tiles(X, suspects.size)]
    )
    # A constant feature has no spread either; it has values of any ordinary size, and its spread is right.
    lost = ~np.isfinite(terms.spread[suspects]) | ~is_safe(np.ldexp(1.0, np.clip(2 * exponents, -1000, 1000)))
    suspects, exponents = suspects[lost], exponents[lost]
    if not suspects.size:
        return terms
    again = _terms(divided(_live_columns(X, suspects, graph), exponents), engine, form, n_jobs)
    return _replaced(terms, suspects, again, exponents)


def _live_columns(X: Any, columns: NDArray[np.intp], graph: SampleGraph) -> Any:
    """Some columns, with zeros for isolated samples."""
    return zeroed(X[:, columns], graph.isolated)


def _replaced(
    terms: FeatureTerms, columns: NDArray[np.intp], again: FeatureTerms, exponents: NDArray[np.intp]
) -> FeatureTerms:
    """The terms with those of some columns in another unit."""
    for old, new in ((terms.quadratic, again.quadratic), (terms.spread, again.spread), (terms.mean, again.mean)):
        old[columns] = new
    exponent = np.zeros(terms.spread.size, dtype=np.intp)
    exponent[columns] = exponents
    return replace(terms, exponent=exponent)


def _terms(X: Any, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """The terms in the unit of the table; what overflows or vanishes there shows in the spread."""
    if not sparse.issparse(X):
        return _dense_terms(X, engine, form, n_jobs)
    graph = engine.graph
    if isinstance(graph.affinity, ClassMeans) and form == PowerForm(1):
        with np.errstate(over="ignore", invalid="ignore"):
            within, between, mean = engine.kernels.sparse_class_scatter(graph.affinity, X)
            return FeatureTerms(within, within + between, mean, graph.volume)
    X = sparse.csc_array(X)
    with np.errstate(over="ignore", invalid="ignore"):
        quadratic = form.evaluate_sparse(X, engine, n_jobs)
        if quadratic is None:
            return _dense_terms(X, engine, form, n_jobs)
        mean, spread, covered = _sparse_moments(X, graph)
    terms = FeatureTerms(quadratic, spread, mean, graph.volume)
    # Where the non-zeros hold most of the volume, what is left for the zeros would be a difference of large numbers.
    full = np.flatnonzero(covered > 0.5 * graph.volume)
    if full.size:
        dense = _dense_terms(X[:, full], engine, form, n_jobs)
        for all_of_them, some in ((quadratic, dense.quadratic), (spread, dense.spread), (mean, dense.mean)):
            all_of_them[full] = some
    return terms


def _dense_terms(X: Any, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """The terms of a dense or sparse X by dense tiles of columns."""
    quadratic, spread, mean = (np.empty(X.shape[1]) for _ in range(3))
    differences = form.roundings(engine.graph) == 0

    def compute(columns: slice) -> None:
        tile = engine.tile(X, columns)
        with np.errstate(over="ignore", invalid="ignore"):
            if differences:
                quadratic[columns] = form.evaluate(tile, engine)
            mean[columns], spread[columns] = engine.center(tile)
            if not differences:
                quadratic[columns] = form.evaluate(tile, engine)

    map_blocks(compute, list(tiles(X)), n_jobs)
    return FeatureTerms(quadratic, spread, mean, engine.graph.volume)


def tiles(X: Any, n_columns: int | None = None) -> list[slice]:
    """Slices of columns that fit the cache, and at least `TILES` of them unless they would be narrow.

    They cover all columns of X, or as many as are named.
    """
    total = X.shape[1] if n_columns is None else n_columns
    narrowest, widest = TILE_COLUMNS
    fitting = TILE_BYTES // (8 * X.shape[0]) // 8 * 8
    fair = max(64, -(-total // (8 * TILES)) * 8)
    return slices(total, max(narrowest, min(widest, fitting, fair)))


def _sparse_moments(X: sparse.csc_array, graph: SampleGraph) -> tuple[FloatArray, FloatArray, FloatArray]:
    """d-weighted means and ⟨g, g⟩ of sparse columns from their non-zeros, and the volume that these cover.

    The zeros of a column add μ² times their degrees, which is known by difference.
    """
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    weight = graph.degrees[X.indices]
    data = X.data.astype(np.float64, copy=False)

    def per_column(values: FloatArray) -> FloatArray:
        return np.bincount(column, weights=values, minlength=X.shape[1]).astype(np.float64, copy=False)

    mean = per_column(weight * data) / graph.volume
    covered = per_column(weight)
    spread = per_column(weight * (data - mean[column]) ** 2) + mean**2 * (graph.volume - covered)
    return mean, spread, covered
