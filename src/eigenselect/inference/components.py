r"""Principal components of samples of unit length: what honest graphs are made from.

Z holds the centred features of some groups. Samples are scaled to unit length, so that one of small spread does not
become everybody's neighbour, and centred again:

.. math:: C = H R Z Z^\top R H, \qquad R_{ii} = \lVert z_i \rVert^{-1}, \qquad H = I - \mathbf 1 \mathbf 1^\top / n

Components are the leading eigenvectors of C times the roots of their eigenvalues. Features count by their variance, as
they do in distances: those of a large unit decide, unless they were put on one scale before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from eigenselect._checks import random_generator, whole
from eigenselect._typing import FloatArray
from eigenselect.graph.eigensolver import BEYOND, Pairs, eigh, end_of_group, group_numbers, with_fixed_bases
from eigenselect.inference.feature_groups import FeatureGroup, effective_number

#: samples up to which inner products of all pairs are kept, one n × n matrix for each group
GRAM_SAMPLES = 1000
#: components that ``"auto"`` takes at least and at most; nearest neighbours in more are searched without a tree
FEWEST, MOST = 2, 12
#: vectors beyond the wanted ones, and rounds, of the subspace iteration for more samples. The start is fixed and the
#: rounds are counted, so the result is a function of the features alone, also where a crowd of eigenvalues keeps the
#: last ones from converging
SPARE, ROUNDS = 8, 8
#: eigenvalues below this part of the largest are rounding
ROUNDING = 1e-12


def components_of(groups: Sequence[FeatureGroup], n_components: int | str) -> FloatArray | None:
    """Find the principal components of the samples in all features of some groups.

    Parameters
    ----------
    groups : sequence of FeatureGroup
        Of the same samples.
    n_components : int or "auto"
        How many; ``"auto"`` takes those above the edge of noise, see `n_above_noise`.

    Returns
    -------
    ndarray of shape (n_samples, n_found) or None
        Fewer than asked for where there are no more; None where all features are constant.

    Examples
    --------
    >>> from eigenselect.matrix import Matrix
    >>> X = Matrix(np.array([[2.0, 0], [1, 0], [-1, 0], [-2, 0]]))
    >>> components_of([FeatureGroup(X)], 1).ravel().round(6)
    array([ 1.,  1., -1., -1.])
    """
    if groups[0].n_samples <= GRAM_SAMPLES:
        return _of_gram(groups, n_components)
    return _of_products(groups, n_components)


def components_without_each(groups: Sequence[FeatureGroup], n_components: int | str) -> Iterator[FloatArray | None]:
    """Yield for every group the components of all the others.

    Inner products of the others are added up, not got by subtraction from the whole, in which features of a large unit
    would leave their rounding.
    """
    for own in range(len(groups)):
        yield components_of([*groups[:own], *groups[own + 1 :]], n_components)


def n_above_noise(eigenvalues: FloatArray, trace: float, n_samples: int, n_features: float) -> int:
    r"""Count eigenvalues that features without relation to one another would not have.

    These have eigenvalues up to the edge of Marchenko and Pastur,

    .. math:: \sigma^2 \big(1 + \sqrt{n / m}\big)^2

    where :math:`\sigma^2` is the mean of the n eigenvalues that are noise, found in turns with their number.

    Parameters
    ----------
    eigenvalues : ndarray
        The largest ones, descending.
    trace : float
        The sum of all.
    n_samples : int
    n_features : float
        m; see `effective_number`.
    """
    count = 0
    while True:
        left = n_samples - 1 - count
        if left < 1 or not n_features > 0:
            return count
        noise = max(0.0, trace - float(eigenvalues[:count].sum())) / left
        found = int((eigenvalues > noise * (1.0 + np.sqrt(left / n_features)) ** 2).sum())
        if found <= count:
            return count
        count = found


def _of_gram(groups: Sequence[FeatureGroup], n_components: int | str) -> FloatArray | None:
    gram = sum((group.gram for group in groups), np.zeros(()))
    inverse = _inverse_lengths(gram.diagonal())
    cosines = gram * inverse * inverse[:, None]
    cosines -= cosines.mean(axis=0)
    cosines -= cosines.mean(axis=1)[:, None]

    def solve(count: int) -> Pairs:
        values, vectors = eigh(-0.5 * (cosines + cosines.T), smallest=count)
        return -values, vectors

    return _leading(solve, float(np.trace(cosines)), groups, n_components)


def _of_products(groups: Sequence[FeatureGroup], n_components: int | str) -> FloatArray | None:
    inverse = _inverse_lengths(sum((group.row_squares for group in groups), np.zeros(())))[:, None]

    def scaled(vectors: FloatArray) -> FloatArray:
        return inverse * sum((group.product(inverse * vectors) for group in groups), np.zeros(()))

    def product(vectors: FloatArray) -> FloatArray:
        image = scaled(vectors - vectors.mean(axis=0))
        return np.asarray(image - image.mean(axis=0))

    total = scaled(np.ones((inverse.size, 1)))  # RZZᵀR1, whose sum is what centring takes
    trace = float((inverse > 0).sum() - total.sum() / inverse.size)
    return _leading(lambda count: _by_subspace(product, inverse.size, count), trace, groups, n_components)


def _by_subspace(product: Callable[[FloatArray], FloatArray], size: int, count: int) -> Pairs:
    """Iterate a subspace a fixed number of times; return the leading pairs of the operator on it."""
    block = random_generator().normal(size=(size, min(size, count + SPARE)))
    for _ in range(ROUNDS):
        block = np.linalg.qr(product(block))[0]
    values, rotation = eigh(-(block.T @ product(block)))
    return -values[:count], block @ rotation[:, :count]


def _leading(
    solve: Callable[[int], Pairs], trace: float, groups: Sequence[FeatureGroup], n_components: int | str
) -> FloatArray | None:
    """Solve for a few more pairs than wanted, choose how many to take, never a part of equal ones, and scale them."""
    n_samples = groups[0].n_samples
    wanted = MOST if isinstance(n_components, str) else n_components
    values, vectors = solve(min(n_samples - 1, wanted + BEYOND))
    real = values > ROUNDING * max(float(values[0]), trace / n_samples, 0.0)
    values, vectors = values[real], vectors[:, real]
    if not values.size:
        return None
    if isinstance(n_components, str):
        wanted = n_above_noise(values, trace, n_samples, effective_number(groups))
        wanted = min(max(wanted, FEWEST), MOST)
    numbers = group_numbers(values, reach=float(values[0]))
    end = end_of_group(numbers, min(wanted, values.size))
    return with_fixed_bases(vectors[:, :end], numbers[:end], np.sqrt(values[:end]))


def _inverse_lengths(squares: FloatArray) -> FloatArray:
    """Return 1 / length, and 0 for a sample that equals the mean in every feature."""
    lengths = np.sqrt(squares)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > ROUNDING * lengths.max(initial=0.0))


def check_n_components(value: int | str, owner: str) -> None:
    """Refuse what is neither ``"auto"`` nor a positive integer."""
    if value != "auto":
        whole(value, "n_components", owner, expected="'auto' or a positive integer")
