"""Make Y, which the selected features explain together: of a similarity, of labels, or of X itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.eigensolver import (
    Pairs,
    as_array,
    eigh,
    end_of_group,
    group_numbers,
    largest_eigenpairs,
    tell_whole_group,
    with_fixed_bases,
    with_whole_group,
)

#: eigenvalues below this part of the largest are left out
NEGLIGIBLE = 1e-10
#: up to this many samples the whole eigensystem is computed; beyond, the leading pairs
FULL_SIZE = 2000
LEADING = 200


def similarity_outputs(graph: SampleGraph, n_outputs: int | None, random_state: Any) -> FloatArray:
    r"""Compute :math:`Y = U\Sigma^{1/2}`, so that :math:`YY^\top` is S.

    Negative eigenvalues, which neighbour graphs have, are left out: :math:`YY^\top` is then the positive
    semi-definite matrix nearest to S.
    """
    if isinstance(graph.affinity, ClassMeans):
        return np.asarray(graph.affinity.member.toarray() / np.sqrt(graph.affinity.sizes))
    return root_of(graph.similarity, n_outputs, random_state)


def root_of(matrix: Any, n_outputs: int | None, random_state: Any) -> FloatArray:
    """Compute UΣ½ of a symmetric matrix, dense, sparse or implicit, from its positive, not negligible eigenvalues.

    Take all of equal eigenvalues or none, and warn where ``n_outputs`` ends among them. Columns of equal eigenvalues
    are in the basis that their space decides.
    """
    values, vectors, groups = _leading_pairs(matrix, n_outputs or LEADING, random_state)
    count = int((values > NEGLIGIBLE * max(values[0], 0.0)).sum())
    if n_outputs is not None and n_outputs < count:
        count = end_of_group(groups, n_outputs)
        if count > n_outputs:
            tell_whole_group(f"MRSF: n_outputs={n_outputs}", count)
    return with_fixed_bases(vectors[:, :count], groups[:count], np.sqrt(values[:count]))


def _leading_pairs(matrix: Any, count: int, random_state: Any) -> tuple[FloatArray, FloatArray, IntArray]:
    """Compute all eigenpairs of a small matrix, else the leading ones with all that equal the last; largest first.

    Negligible eigenvalues, which of a matrix of low rank are most, count as different.
    """

    def grouped(values: FloatArray) -> IntArray:
        negligible = values <= NEGLIGIBLE * max(values[0], 0.0)
        return np.asarray(group_numbers(values, abs(values[0])) + np.cumsum(negligible))

    size = matrix.shape[0]
    if size <= FULL_SIZE or count >= size // 2:
        values, vectors = eigh(as_array(matrix))
        return values[::-1], vectors[:, ::-1], grouped(values[::-1])
    start = random_generator(random_state)

    def solve(asked: int) -> tuple[Pairs, IntArray]:
        pairs = largest_eigenpairs(matrix, asked, start)
        return pairs, grouped(pairs[0])

    (values, vectors), end = with_whole_group(solve, count, size)
    return values[:end], vectors[:, :end], grouped(values[:end])


def discriminant_outputs(codes: IntArray) -> FloatArray:
    r"""Write linear discriminant analysis as regression (one output per class).

    .. math:: Y_{ij} = \sqrt{n/n_j} - \sqrt{n_j/n} \text{ if } y_i = j, \text{ else } -\sqrt{n_j/n}

    where :math:`n_j` of the n samples are in class j.

    References
    ----------
    Ye (2007), Least squares linear discriminant analysis, ICML, doi:10.1145/1273496.1273633.

    Examples
    --------
    >>> discriminant_outputs(np.array([0, 1, 1, 1])).round(3)
    array([[ 1.5  , -0.866],
           [-0.5  ,  0.289],
           [-0.5  ,  0.289],
           [-0.5  ,  0.289]])
    """
    sizes = np.bincount(codes)
    Y = np.tile(-np.sqrt(sizes / codes.size), (codes.size, 1))
    Y[np.arange(codes.size), codes] += np.sqrt(codes.size / sizes)[codes]
    return np.asarray(Y)


def margin_outputs(codes: IntArray) -> FloatArray:
    """Give +1 in the class and -1 outside, as least-squares support vector machines do; one output per class."""
    return np.where(codes[:, None] == np.arange(codes.max() + 1), 1.0, -1.0)
