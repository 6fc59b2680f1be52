r"""The Laplacian form, the spread and the mean of dense columns, by one pass over the table and one over the edges.

With h = f - c for any constant c, and every edge taken once,

    Σ S_ij (f_i - f_j)² = Σ_i d_i h_i² - 2 Σ_i h_i Σ_{j<i} S_ij h_j,
    Σ m_i (f_i - μ)² = Σ_i m_i h_i² - (Σ_i m_i h_i)² / vol,

so an edge takes one multiply-add where a difference and its square take three operations, and nothing waits for the
mean. With c near the mean, the terms are hardly larger than what is left of them; with c = 0, too, where the mean is no
larger than the spread, and then h of a table in single precision needs no more than that. Where they are much larger,
digits are lost: such columns are measured again by differences, and from their mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenselect._floats import lost_digits, sum_of_rows
from eigenselect._parallel import map_blocks
from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.matrix import Matrix

if TYPE_CHECKING:
    from eigenselect.criteria.dense_loops import Triangle

#: samples whose mean is near enough to that of all
SOME = 16
#: squared means up to so many times the variance are small: terms are then a few times what is left of them
SMALL_MEAN = 4.0


def dense_energy_terms(table: Matrix, engine: Engine, n_jobs: int | None) -> FeatureTerms:
    """Compute Σ S_ij (f_i - f_j)², spread and mean of every column on a sparse graph, by compiled loops.

    Rows of floats are read where they lie, in their own precision; other storages by tiles.
    """
    from eigenselect.criteria.dense_loops import Triangle, filled

    triangle, some = Triangle.of(engine.graph.affinity), _some_samples(engine.graph.mass)
    mass = filled(engine.graph.mass)
    whole = table.rows_of_floats()
    terms = FeatureTerms.empty(table.n_features, engine.graph.volume)

    def compute(columns: slice) -> None:
        values, part = whole, columns
        if values is None:
            values, part = engine.tile(table, columns), slice(0, columns.stop - columns.start)
        with np.errstate(over="ignore", invalid="ignore"):
            terms.put(columns, _tile_terms(values, part, engine, triangle, mass, some))

    map_blocks(compute, table.tiles(), n_jobs)
    return terms


def _tile_terms(
    values: AnyArray, columns: slice, engine: Engine, triangle: Triangle, mass: FloatArray, some: IntArray
) -> FeatureTerms:
    """Compute the terms of some columns, and measure again those that lost digits."""
    from eigenselect.criteria.dense_loops import form_of_tile, shifted

    graph = engine.graph
    shift = _shift_of(values[some, columns].astype(np.float64))
    single = values.dtype == np.float32 and not shift.any()  # then h is the values themselves
    kind = ("single", np.float32) if single else ("shifted", np.float64)
    tile = engine.workspace.array(kind[0], (graph.n_samples, shift.size), kind[1])
    sums, squares, sizes = shifted(values, columns, shift, mass, triangle.sizes, tile)
    mean = sums / graph.volume
    terms = FeatureTerms(form_of_tile(triangle, tile), squares - sums * mean, shift + mean, graph.volume)
    one, other = lost_digits(terms.quadratic, sizes), lost_digits(terms.spread, squares)
    if one.size or other.size:
        lost = np.union1d(one, other)
        again = np.ascontiguousarray(values[:, columns.start + lost], dtype=np.float64)
        energy = graph.energy(again, engine.loops)
        mean, spread = engine.center(again)
        terms.put(lost, FeatureTerms(energy, spread, mean, graph.volume))
    return terms


def _some_samples(mass: FloatArray) -> IntArray:
    """Choose samples that count, `SOME` of them or all, evenly; the first where none counts.

    >>> _some_samples(np.array([0.0, 2.0, 0.0, 1.0])), _some_samples(np.zeros(3))
    (array([1, 3]), array([0]))
    """
    live = np.flatnonzero(mass > 0)
    return live[:: max(1, live.size // SOME)][:SOME] if live.size else np.zeros(1, dtype=np.intp)


def _shift_of(some: FloatArray) -> FloatArray:
    """Return what is subtracted from each column: its mean, nearly, or 0 where that is small beside the spread.

    >>> _shift_of(np.array([[0.0, 101.0], [3.0, 102.0], [0.0, 103.0]]))
    array([  0., 102.])
    """
    mean = _near_mean(some)
    deviations = some - mean
    spread = sum_of_rows(deviations * deviations) / len(some)
    return np.where(mean * mean <= SMALL_MEAN * spread, 0.0, mean)


def _near_mean(some: FloatArray) -> FloatArray:
    """Compute the mean of a few rows, exactly where a column is constant, and alike whatever columns are beside.

    >>> _near_mean(np.array([[0.1, 1.0], [0.1, 2.0]]))
    array([0.1, 1.5])
    """
    return np.asarray(some[0] + sum_of_rows(some - some[0]) / len(some))
