r"""What is left of a product of permuted values: pattern coefficients, polynomials of power sums.

Let :math:`z` be a feature minus its mean, permuted at random, :math:`p_k = \sum_i z_i^k` (so :math:`p_1 = 0`). The
expectation of a product :math:`z_{i_1} \cdots z_{i_k}` depends only on which of the indices are equal, a set partition π
of the k places, and there only on the sizes of its blocks:

.. math:: m(\pi) = \frac{1}{n (n-1) \cdots (n - |\pi| + 1)} \sum_{j_1, j_2, \dots \text{ distinct}} z_{j_1}^{|\pi_1|} z_{j_2}^{|\pi_2|} \cdots

Möbius inversion over the partitions that refine a pattern, :math:`g(\sigma) = \sum_{\tau \le \sigma} \mu(\tau, \sigma)\,
m(\tau)`, turns sums over distinct indices into free sums: for every tensor B,

.. math:: \sum_{i_1 \dots i_k} B_{i_1 \dots i_k}\, \mathbf E[z_{i_1} \cdots z_{i_k}]
          = \sum_\sigma g(\sigma) \sum_{i \text{ constant on the blocks of } \sigma} B_{i_1 \dots i_k},

and where B sums to 0 over each index only patterns without a block of one survive.
"""  # noqa: E501

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial, perm, prod

import numpy as np

from eigenselect._typing import FloatArray

#: sizes of blocks, in decreasing order
Sizes = tuple[int, ...]


def coefficient(pattern: Sizes, n_samples: int, power_sums: FloatArray) -> FloatArray:
    """Compute g of a pattern for all features.

    Parameters
    ----------
    pattern : tuple of int
        Sizes of the blocks, such as (2, 2).
    n_samples : int
    power_sums : ndarray of shape (7, n_features)
        p_0 … p_6 of the centred features.

    Examples
    --------
    g(2) is p_2 / (n - 1):

    >>> sums = np.array([[3.0], [0.0], [8.0], [0.0], [32.0], [0.0], [128.0]])
    >>> coefficient((2,), 3, sums)
    array([4.])
    """
    total = np.zeros(power_sums.shape[1])
    for monomial, factor in terms(pattern, n_samples).items():
        total += float(factor) * prod((power_sums[k] for k in monomial), start=np.ones(power_sums.shape[1]))
    return total


@cache
def terms(pattern: Sizes, n_samples: int) -> dict[Sizes, Fraction]:
    """Return g of a pattern as a polynomial: exact coefficients of products of power sums.

    >>> terms((2, 2), 5)
    {(2, 2): Fraction(13, 120), (4,): Fraction(-1, 6)}
    """
    total: Counter[Sizes] = Counter()
    for refinement, sign in _refinements(pattern).items():
        if len(refinement) > n_samples:  # there are not so many distinct indices
            continue
        for monomial, count in _distinct_sum(refinement).items():
            total[monomial] += Fraction(sign * count, perm(n_samples, len(refinement)))  # type: ignore[assignment]
    return {monomial: Fraction(value) for monomial, value in total.items() if value}


@cache
def _refinements(pattern: Sizes) -> dict[Sizes, int]:
    """Count the partitions that refine a pattern by their sizes, each with its Möbius function μ(τ, σ)."""
    total: Counter[Sizes] = Counter()
    for parts in product(*(list(set_partitions(range(size))) for size in pattern)):
        sign = prod(_moebius(len(part)) for part in parts)
        total[_sizes(block for part in parts for block in part)] += sign
    return dict(total)


@cache
def _distinct_sum(sizes: Sizes) -> dict[Sizes, int]:
    """Write Σ over distinct indices of z_j1^a z_j2^b … as a polynomial of power sums, with p_1 = 0."""
    total: Counter[Sizes] = Counter()
    for blocks in set_partitions(sizes):
        monomial = tuple(sorted((sum(block) for block in blocks), reverse=True))
        if 1 not in monomial:
            total[monomial] += prod(_moebius(len(block)) for block in blocks)
    return dict(total)


def _moebius(n_parts: int) -> int:
    """μ of one block that is cut into some parts: (-1)^(k-1) (k-1)!."""
    return (-1) ** (n_parts - 1) * factorial(n_parts - 1)


def _sizes(blocks: Iterator[Sequence[int]]) -> Sizes:
    return tuple(sorted((len(block) for block in blocks), reverse=True))


def set_partitions(places: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield all ways to cut places into blocks.

    >>> list(set_partitions([1, 2]))
    [[[1], [2]], [[1, 2]]]
    """
    if not places:
        yield []
        return
    first, rest = places[0], places[1:]
    for blocks in set_partitions(rest):
        yield [[first], *blocks]
        for at, block in enumerate(blocks):
            yield [*blocks[:at], [first, *block], *blocks[at + 1 :]]
