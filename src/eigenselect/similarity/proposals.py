r"""Exact neighbours of wide tables: products in single precision say who may be one, differences tell how far.

With h the samples, less something near their mean, in single precision and p the sums of their products (over B
features, and over G such sums, in single precision; over blocks of B G features in double), the squared distance of
every pair is known up to

.. math:: | p_{ii} + p_{jj} - 2 p_{ij} - d_{ij}^2 | \le 2 c (p_{ii} + p_{jj}), \qquad c = (B + G + 16) u,

where

* u is the unit roundoff of single precision, 2⁻²⁴,
* (B + G) u of c is the rounding of a sum of B products in any order, and of G such sums, 2 u that of h, and the other
  14 u cover their products.

Who is surely farther than k others is no neighbour. The few pairs that are left are measured by their differences in
double precision, in a second walk over the table. Products in single precision take half the time of double ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import row_panels
from eigenselect.similarity.gram import products_of_blocks

#: features whose products BLAS adds up in single precision: fewer keep the bound tight, more are faster
SUMMED_FEATURES = 512
#: features that are read at once, and whose sums are added up in single precision
BLOCK_FEATURES = 2048
#: samples that tell how large means are, and the part of squares up to which they are small: noise makes a sixteenth
SOME, SMALL_MEANS = 16, 1 / 4
#: multiply-adds from which half of their time is more than the loops take to be loaded
LEAST_WORK = 2e10
#: samples for each neighbour that is wanted: of fewer, too many pairs are left to be measured
SAMPLES_PER_NEIGHBOR = 16
#: the part of all pairs that may be left; one pair takes about four times as long as its product in double precision
MOST_LEFT = 1 / 8
#: sums of squares within these bounds, and products of as many, fit into single precision
SMALLEST_SUM, LARGEST_SUM = 1e-20, 1e30
#: distances that are equal up to rounding tie, so that a proof needs so much room
ROOM = 1.0 + 1e-10
#: parts of the features that pairs are measured in; features that all pairs are measured in while they are in cache
PARTS, CACHED_FEATURES = 16, 256


def suits_proposals(X: Matrix, n_neighbors: int, metric: str) -> bool:
    """Whether a dense table in memory, or a map, is so large that proposals are faster: its shape alone says so."""
    many = X.n_samples >= SAMPLES_PER_NEIGHBOR * n_neighbors and X.n_features >= BLOCK_FEATURES
    long = float(X.n_samples) ** 2 * X.n_features >= LEAST_WORK
    return metric == "euclidean" and many and long and X.in_memory and not X.is_sparse


def proposed_distances(X: Matrix, n_neighbors: int, n_jobs: int | None) -> FloatArray | None:
    """Compute the squared distances of all who may be neighbours; infinite for others.

    None where single precision does not tell who is near: samples that are close together and far from their mean,
    very many ties, squares that leave its range.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_neighbors : int
        Less than n.
    n_jobs : int, optional

    Examples
    --------
    >>> X = Matrix(np.repeat(np.arange(8.0) ** 2, 2)[:, None] + np.tile([0.0, 0.125], 8)[:, None])
    >>> proposed_distances(X, 1, 1)[:2, :4]
    array([[     inf, 0.015625,      inf,      inf],
           [0.015625,      inf,      inf,      inf]])
    """
    products = products_of_blocks(SingleBlocks(X), n_jobs)
    near = may_be_neighbors(products, n_neighbors, X.n_features, n_jobs)
    if near is None:
        return None
    first, second = np.nonzero(np.triu(near | near.T, 1))
    if first.size > MOST_LEFT * X.n_samples**2 / 2:
        return None
    squared = products  # of that size already, and no longer needed
    squared.fill(np.inf)
    squared[first, second] = squared[second, first] = measured_pairs(X, first, second, n_jobs)
    return squared


class SingleBlocks:
    """X as blocks of columns in single precision, less their means; see `gram.FeatureBlocks`.

    No distance depends on what is subtracted; means make squares small, and with them what products lose. Blocks whose
    means are small are not even copied.
    """

    def __init__(self, X: Matrix) -> None:
        self._X, self.n_samples, self.summed = X, X.n_samples, SUMMED_FEATURES
        self._columns = slices(X.n_features, BLOCK_FEATURES)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, number: int) -> NDArray[np.float32]:
        own: NDArray[Any] = self._X.block(slice(None), self._columns[number])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # seen in the sums of squares
            if _has_small_means(own):
                return own.astype(np.float32, copy=False)
            block: NDArray[Any] = own.astype(np.float32 if own.dtype == np.float32 else np.float64, order="C")
            block -= block.mean(axis=0)
            return block.astype(np.float32, copy=False)

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        return (self[number] for number in range(len(self)))


def _has_small_means(block: NDArray[Any]) -> bool:
    """Whether means are a small part of the squares of some samples."""
    some = block[:: -(-len(block) // SOME)].astype(np.float64)
    sums = some.sum(axis=0)
    return bool(np.vdot(sums, sums) < SMALL_MEANS * len(some) * np.vdot(some, some))


def may_be_neighbors(
    products: FloatArray, n_neighbors: int, n_features: int, n_jobs: int | None = None
) -> BoolArray | None:
    """Tell, for each row, who may be among the nearest; None where squares leave the range of single precision.

    Parameters
    ----------
    products : ndarray of shape (n, n)
        Sums of products of centred samples, over blocks of `BLOCK_FEATURES` in single precision.
    n_neighbors : int
    n_features : int
    n_jobs : int, optional
    """
    squares, single = products.diagonal().copy(), np.finfo(np.float32)
    largest = float(squares.max(initial=0.0))
    if not SMALLEST_SUM < largest < LARGEST_SUM:  # NaN is in no range
        return None
    near = np.empty(products.shape, dtype=bool)
    loose = _roundings(n_features) * float(single.eps)  # which is 2 u
    lost = 8 * (n_features + 16) * float(single.tiny) * (1.0 + largest**0.5)  # of numbers near zero

    def compare(rows: slice) -> None:
        both = squares[rows, None] + squares
        estimated = both - 2.0 * products[rows]
        own = np.arange(len(estimated))
        estimated[own, own + rows.start] = np.inf
        radius = loose * both + lost
        limit = np.partition(estimated + radius, n_neighbors - 1, axis=1)[:, n_neighbors - 1 : n_neighbors]
        near[rows] = estimated - radius <= limit * ROOM

    map_blocks(compare, row_panels(len(products)), n_jobs)
    return near


def _roundings(n_features: int) -> int:
    """Bound the roundings that a product goes through, c / u of the bound."""
    summed = min(SUMMED_FEATURES, n_features)
    return summed + -(-min(BLOCK_FEATURES, n_features) // summed) + 16


def measured_pairs(X: Matrix, first: IntArray, second: IntArray, n_jobs: int | None) -> FloatArray:
    """Compute the squared distance of each pair of samples from differences, in one walk over the table.

    The features are cut alike for every storage, and parts added in their order, on any number of threads.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    first, second : ndarray of int
        Numbers of samples, ``first`` ascending.
    n_jobs : int, optional
    """
    from eigenselect.similarity.neighbor_loops import add_distances

    whole, (starts, others, places) = X.rows_of_floats(), _fours(*_evenly(first, second, X.n_samples), X.n_samples)

    def measure(columns: slice) -> FloatArray:
        squared = np.zeros(others.size)
        for part in slices(columns.stop - columns.start, CACHED_FEATURES):
            part = slice(columns.start + part.start, columns.start + part.stop)
            values, start = (whole, part.start) if whole is not None else (X.tile(part), 0)
            add_distances(values, np.uint64(start), np.uint64(start + part.stop - part.start), starts, others, squared)
        return squared

    step = -(-X.n_features // (PARTS * CACHED_FEATURES)) * CACHED_FEATURES
    parts = map_blocks(measure, slices(X.n_features, step), n_jobs)
    for squared in parts[1:]:
        parts[0] += squared
    return parts[0][places]


def _evenly(first: IntArray, second: IntArray, n_samples: int) -> tuple[IntArray, IntArray]:
    """Turn some pairs around, so that nearly every sample is the first of a multiple of four, which loops take at once.

    What a sample has beyond that it leaves to the second of its first pairs, all of which come later.

    >>> _evenly(np.array([0, 0, 0, 0, 0, 1]), np.array([1, 2, 3, 4, 5, 5]), 6)
    (array([1, 0, 0, 0, 0, 5]), array([0, 2, 3, 4, 5, 1]))
    """
    begin, left = np.searchsorted(first, np.arange(n_samples + 1)), np.zeros(n_samples, dtype=np.intp)
    turned = np.zeros(first.size, dtype=bool)
    for own, stop, others in zip(begin, begin[1:], left, strict=False):  # ``left`` grows on the way
        pairs = slice(own, min(stop, own + (stop - own + others) % 4))
        turned[pairs] = True
        left[second[pairs]] += 1
    return np.where(turned, second, first), np.where(turned, first, second)


def _fours(first: IntArray, second: IntArray, n_samples: int) -> tuple[IntArray, IntArray, IntArray]:
    """List the partners of every sample in fours, filled up with itself; return starts, partners, and where pairs are.

    >>> _fours(np.array([2, 0]), np.array([6, 5]), 3)
    (array([0, 4, 4, 8]), array([5, 0, 0, 0, 6, 2, 2, 2]), array([4, 0]))
    """
    counts = np.bincount(first, minlength=n_samples)
    room = -(-counts // 4) * 4
    starts = np.concatenate([[0], np.cumsum(room)])
    order, places = np.argsort(first, kind="stable"), np.empty(first.size, dtype=np.intp)
    places[order] = np.arange(first.size) + np.repeat(starts[:-1] - (np.cumsum(counts) - counts), counts)
    others = np.repeat(np.arange(n_samples), room)
    others[places] = second
    return starts, others, places
