"""What the selected features are to explain together: outputs made of a similarity, of labels, or of X itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import check_random_state

from eigenselect.graph import ClassMeans, SampleGraph

FloatArray = NDArray[np.float64]

#: eigenvalues below this part of the largest are left out
NEGLIGIBLE = 1e-10
#: up to this many samples the whole eigensystem is computed; beyond, the leading pairs
FULL_SIZE = 2000
LEADING = 200


def similarity_outputs(graph: SampleGraph, n_outputs: int | None, random_state: Any) -> FloatArray:
    r""":math:`Y = U\Sigma^{1/2}`, so that :math:`YY^\top` is S.

    Negative eigenvalues, which neighbour graphs have, are left out: :math:`YY^\top` is then the positive
    semi-definite matrix nearest to S.
    """
    if isinstance(graph.affinity, ClassMeans):
        return np.asarray(graph.affinity.member.toarray() / np.sqrt(graph.affinity.sizes))
    return root_of(graph.affinity, n_outputs, random_state)


def root_of(matrix: Any, n_outputs: int | None, random_state: Any) -> FloatArray:
    """UΣ½ of a symmetric matrix, dense, sparse or implicit, from its positive eigenvalues that are not negligible."""
    size = matrix.shape[0]
    if size <= FULL_SIZE or (n_outputs or LEADING) >= size // 2:
        values, vectors = linalg.eigh(_as_array(matrix))
    else:
        first = check_random_state(0 if random_state is None else random_state).uniform(-1, 1, size)
        values, vectors = eigsh(matrix, k=n_outputs or LEADING, which="LA", v0=first)
    kept = np.flatnonzero(values > NEGLIGIBLE * max(values[-1], 0.0))[::-1][:n_outputs]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def discriminant_outputs(codes: NDArray[np.intp]) -> FloatArray:
    r"""Linear discriminant analysis as regression (one output per class).

    .. math:: Y_{ij} = \sqrt{n/n_j} - \sqrt{n_j/n} \text{ if } y_i = j, \text{ else } -\sqrt{n_j/n}
    """
    sizes = np.bincount(codes)
    Y = np.tile(-np.sqrt(sizes / codes.size), (codes.size, 1))
    Y[np.arange(codes.size), codes] += np.sqrt(codes.size / sizes)[codes]
    return np.asarray(Y)


def margin_outputs(codes: NDArray[np.intp]) -> FloatArray:
    """+1 in the class and -1 outside, as least-squares support vector machines; one output for two classes."""
    Y = np.where(codes[:, None] == np.arange(codes.max() + 1), 1.0, -1.0)
    return Y[:, 1:] if Y.shape[1] == 2 else Y


def _as_array(matrix: Any) -> FloatArray:
    if isinstance(matrix, LinearOperator):
        return np.asarray(matrix @ np.eye(matrix.shape[0]))
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
