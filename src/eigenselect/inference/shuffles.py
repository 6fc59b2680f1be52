r"""P-values of dense features from random orders of the samples that all of them share.

One order serves every feature: to make it takes longer than to use it. For a feature f and many orders π at a time,

.. math:: T_\pi = \alpha\, f_\pi^\top A f_\pi + \beta\, f_\pi^\top B f_\pi + c

is a quadratic form of the columns of a dense tile, orders beside each other. Of 300 samples with 10 neighbours a draw
takes 0.8 µs, and 21 µs value by value (`eigenselect.inference.landing`). All features go through the same orders until
each has enough draws that are at least as good (`eigenselect.inference.deep_tail`), or what may be spent on all is used
up.

The order of draw d is that of the streams of `eigenselect.inference.landing`: it depends on the seed and d only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph.sample_graph import inner
from eigenselect.inference import landing_numpy
from eigenselect.inference.deep_tail import BLOCK_DRAWS, Tally
from eigenselect.inference.landing import TIED

#: what a draw of one feature costs, in numbers that a landing looks at (2.5 ns): per sample, per entry of a sparse
#: form, of a dense one, per number of a low-rank part; and to make an order, per sample
GATHER, ENTRY, DENSE, NUMBER, SHUFFLE = 0.35, 0.035, 0.02, 0.06, 1.5
#: numbers of a tile, which should stay in the cache, and of the orders that are kept: for all features of a block of
#: draws, and for who asks again
TILE, KEPT = 2**16, 2**21
#: most columns of a tile
WIDEST = 1024
#: cost from which compiled loops are worth their import, and samples: numpy draws 1024 orders of 500 in 0.06 s, and the
#: time grows as their square
COMPILED_WORK, FEW_SAMPLES = 1e7, 500


@dataclass(frozen=True)
class Shuffled:
    r"""A feature and what is asked of it: whether :math:`T_\pi \ge 0`.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        f, of a size that squares well.
    weights : tuple of float
        α and β.
    constant : float
        c.
    linear : ndarray of shape (n_samples,) or None
        a, where :math:`a^\top f_\pi` is added: what a mean that was taken off f adds to forms that know constants.
    """

    values: FloatArray
    weights: tuple[float, float]
    constant: float = 0.0
    linear: FloatArray | None = None

    @classmethod
    def of(
        cls, values: FloatArray, forms: Sequence[SymmetricForm], weights: tuple[float, float], constant: float
    ) -> Shuffled:
        r"""Take the mean off a feature of forms that do not annihilate constants: beside it f is lost in rounding.

        With :math:`f = z + \mu` and :math:`M = \alpha A + \beta B`, of which :math:`f^\top M f + c` is wanted,

        .. math:: f^\top M f = z^\top M z + 2 \mu (M 1)^\top z + \mu^2\, 1^\top M 1
        """
        mean, ones = float(values.mean()), np.ones(values.size)
        sums = sum((w * (form @ ones) for w, form in zip(weights, forms, strict=False)), np.zeros(1))
        linear = 2.0 * mean * sums
        return cls(values - mean, weights, constant + 0.5 * mean * float(linear.sum()), linear)


class Orders:
    """Random orders of samples, told by the number of the draw; the first ones are kept for who asks again.

    Tables that are judged one after another share one object: it takes numpy longer to make an order than to use it.

    Parameters
    ----------
    seed : int
        Of all orders.

    Examples
    --------
    >>> np.sort(Orders(seed=0).tile(3, 5, 7), axis=0)
    array([[0, 0],
           [1, 1],
           [2, 2]])
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._kept: dict[tuple[int, int, int], IntArray] = {}
        self._room = KEPT

    def tile(self, n_samples: int, first: int, last: int, *, compiled: bool = False) -> IntArray:
        """Return the orders of the draws from ``first`` to before ``last``, one a column."""
        found = self._kept.get((n_samples, first, last))
        if found is None:
            places = landing_numpy.places
            if compiled:
                from eigenselect.inference.landing_numba import places
            found = np.ascontiguousarray(places(self.seed, np.arange(first, last), n_samples, n_samples).T)
            if found.size <= self._room:
                self._kept[n_samples, first, last] = found
                self._room -= found.size
        return found


class Shuffles:
    """Orders of the samples, and the forms of a ratio as products with many of them want them.

    Parameters
    ----------
    forms : sequence of SymmetricForm
        A, and B where there is one.
    orders : Orders
    """

    def __init__(self, forms: Sequence[SymmetricForm], orders: Orders) -> None:
        self.forms, self.orders, self.n_samples = [_sparser(form) for form in forms], orders, forms[0].n_samples

    @property
    def cost(self) -> float:
        """What one draw of one feature costs."""
        n, total = self.n_samples, GATHER * self.n_samples
        for form in self.forms:
            total += DENSE * n**2 if form.is_dense else ENTRY * form.n_entries
            total += NUMBER * n * form.V.shape[1] + (GATHER * n if form.w.size else 0.0)
        return total

    def tiles(self, first: int, count: int, *, compiled: bool = False) -> list[IntArray]:
        """Return the orders of some draws, as tiles of some columns each."""
        n, parts = self.n_samples, slices(count, max(16, min(WIDEST, TILE // self.n_samples)))
        return [self.orders.tile(n, first + part.start, first + part.stop, compiled=compiled) for part in parts]

    def statistics(self, feature: Shuffled, tiles: Sequence[IntArray], *, compiled: bool = False) -> FloatArray:
        """Compute T of every order, raised by `TIED` of a bound on its terms: what is 0 but for rounding is not below.

        >>> shuffles = Shuffles([SymmetricForm.diagonal_matrix(np.array([1.0, 2.0, 3.0]))], Orders(0))
        >>> feature = Shuffled(np.array([2.0, 0.0, 0.0]), (1.0, 0.0))
        >>> sorted(set(shuffles.statistics(feature, shuffles.tiles(0, 100)).round(6)))
        [np.float64(4.0), np.float64(8.0), np.float64(12.0)]
        """
        squares, constant = float(feature.values @ feature.values), feature.constant
        size = sum(abs(w) * most for w, most in zip(feature.weights, self._sizes, strict=False)) * squares
        found = [
            self._forms_of(np.take(feature.values, tile, mode="clip"), feature.weights, compiled) for tile in tiles
        ]
        total = np.concatenate(found) + (constant + TIED * (size + abs(constant)))
        if feature.linear is None:
            return total
        added = np.concatenate([feature.linear @ np.take(feature.values, tile, mode="clip") for tile in tiles])
        return total + added + TIED * float(np.linalg.norm(feature.linear)) * squares**0.5

    def _forms_of(self, tile: FloatArray, weights: tuple[float, float], compiled: bool) -> FloatArray:
        """Compute α fᵀAf + β fᵀBf of every column; of sparse entries E as Σ (E1)_i f_i² - Σ_{i<j} E_ij (f_i - f_j)²."""
        if not (compiled and self._are_sparse):
            return sum((w * form.quadratic(tile) for w, form in zip(weights, self.forms, strict=False)), np.zeros(1))
        from eigenselect.criteria.kernels import edge_sums

        total = np.zeros(tile.shape[1])
        for weight, form, (entries, row_sums) in zip(weights, self.forms, self._entries, strict=False):
            total += weight * (inner(row_sums, tile, tile) - edge_sums(entries, tile))
            if form.V.size or form.w.size:
                total += weight * form.quadratic_of_sums(tile)
        return total

    @cached_property
    def _sizes(self) -> list[float]:
        return [float(form.row_size().max()) for form in self.forms]

    @property
    def _are_sparse(self) -> bool:
        return not any(form.is_dense for form in self.forms)

    @cached_property
    def _entries(self) -> list[tuple[sparse.csr_array, FloatArray]]:
        """The entries of each form, sorted, and the sums of their rows."""
        return [(form.entries.sorted_indices(), form.entries.sum(axis=1)) for form in self.forms]


def _sparser(form: SymmetricForm) -> SymmetricForm:
    """Return the form with sparse entries, where so many of its dense ones are 0 that this is cheaper."""
    if not form.is_dense or ENTRY * np.count_nonzero(form.E) >= DENSE * form.n_samples**2:
        return form
    return replace(form, E=sparse.csr_array(form.E))


def shuffled_pvalues(
    shuffles: Shuffles,
    features: Sequence[Shuffled],
    n_exceedances: int,
    *,
    most_draws: int,
    most_cost: float,
    n_jobs: int | None = None,
) -> FloatArray:
    """Draw for all features until each has enough draws of at least 0, or what may be spent is used up.

    Parameters
    ----------
    shuffles : Shuffles
    features : sequence of Shuffled
    n_exceedances : int
    most_draws : int
        For one feature.
    most_cost : float
        For all, in the unit of `Shuffles.cost`.
    n_jobs : int, optional

    Examples
    --------
    One value of three is large, and lies on the largest entry of the diagonal in a third of all orders:

    >>> shuffles = Shuffles([SymmetricForm.diagonal_matrix(np.array([1.0, 2.0, 3.0]))], Orders(0))
    >>> feature = Shuffled(np.array([0.0, 0.0, 2.0]), (1.0, 0.0), constant=-12.0)
    >>> shuffled_pvalues(shuffles, [feature, feature], 1000, most_draws=10_000, most_cost=1e6).round(1)
    array([0.3, 0.3])
    """
    tallies = [Tally(n_exceedances) for _ in features]
    waiting, done, spent = np.arange(len(features)), 0, 0.0
    while waiting.size:
        price = shuffles.cost * waiting.size + SHUFFLE * shuffles.n_samples
        count = int(min(_block(done, shuffles.n_samples), most_draws - done, (most_cost - spent) / price))
        if count <= 0:
            break
        spent += count * price
        compiled = spent > COMPILED_WORK or shuffles.n_samples > FEW_SAMPLES
        tiles = shuffles.tiles(done, count, compiled=compiled)

        def has_enough(place: int, tiles: list[IntArray] = tiles, compiled: bool = compiled) -> bool:
            return tallies[place].add(shuffles.statistics(features[place], tiles, compiled=compiled))

        waiting, done = waiting[~np.array(map_blocks(has_enough, waiting.tolist(), n_jobs))], done + count
    return np.array([tally.pvalue for tally in tallies])


def _block(done: int, n_samples: int) -> int:
    """Return how many draws are made together: more where those before were not enough."""
    return max(1, min(max(BLOCK_DRAWS[0], done), BLOCK_DRAWS[1], KEPT // n_samples))
