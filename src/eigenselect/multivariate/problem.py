"""State the L2,1 problem in moderate numbers, with as few samples and outputs as it takes, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.graph.eigensolver import svd
from eigenselect.multivariate.centred_columns import CentredColumns

#: a table with this many times as many samples as features is replaced by R of its QR decomposition
TALL = 2
#: a target that differs from its mean by less than this part of its norm is constant
CONSTANT = 1e-12


@dataclass(frozen=True)
class Problem:
    r"""An equivalent problem, :math:`\min_V \tfrac12\lVert Y' - X'V \rVert^2 + \lambda'\lVert V \rVert_{2,1}`.

    The solution of the problem as given is :math:`W = c\, V Q^\top` at :math:`\lambda = a \lambda'`.

    Attributes
    ----------
    columns : CentredColumns
        :math:`X'`.
    Y : ndarray of shape (n_rows, n_principal_outputs)
        :math:`Y'`.
    rotation : ndarray of shape (n_outputs, n_principal_outputs)
        Q.
    alpha_unit, coef_unit : float
        a and c.
    fingerprint : tuple
        Equal for the same X and Y, and hardly ever for others.

    Examples
    --------
    >>> problem = Problem.of(np.eye(2), np.array([[2.0, 2], [4, 4]]), center=False, n_jobs=1)
    >>> problem.Y.shape, problem.rotation.shape, problem.alpha_unit
    ((2, 1), (2, 1), 4.0)
    """

    columns: CentredColumns
    Y: FloatArray
    rotation: FloatArray
    alpha_unit: float
    coef_unit: float
    fingerprint: tuple[Any, ...]

    @classmethod
    def of(cls, X: Any, Y: FloatArray, center: bool, n_jobs: int | None) -> Problem:
        """Centre, scale, and reduce samples and outputs."""
        columns = CentredColumns(X, center=center, n_jobs=n_jobs)
        target = _centred(Y) if center else Y
        x_unit, y_unit = float(columns.scale), float(np.abs(target).max(initial=0.0)) or 1.0
        target = target / y_unit
        if not columns.is_sparse and columns.n_samples > TALL * columns.n_features:
            columns, target = _qr_reduced(columns, target, n_jobs)
            x_unit *= float(columns.scale)
        target, rotation = _principal_outputs(target)
        products = columns.correlation_norms(target) @ np.arange(1, columns.n_features + 1)
        fingerprint = columns.n_samples, columns.n_features, x_unit, y_unit, float(products)
        return cls(columns, target, rotation, y_unit * x_unit, y_unit / x_unit, fingerprint)


def _centred(Y: FloatArray) -> FloatArray:
    """Subtract means; give 0 where a column is constant but for rounding, which would otherwise be explained."""
    centred = Y - Y.mean(axis=0)
    return np.where(np.linalg.norm(centred, axis=0) > CONSTANT * np.linalg.norm(Y, axis=0), centred, 0.0)


def _qr_reduced(columns: CentredColumns, target: FloatArray, n_jobs: int | None) -> tuple[CentredColumns, FloatArray]:
    r"""State the problem with as many rows as there are features, and hence as few principal outputs.

    With :math:`X = QR`, :math:`\lVert Y - XW \rVert^2 = \lVert Q^\top Y - RW \rVert^2` and what no W can change.
    """
    rows = columns.take(np.arange(columns.n_features))
    rows[columns.norms == 0] = 0.0
    Q, R = np.linalg.qr(rows.T)
    norms = columns.correlation_norms(target)
    # of a target that is orthogonal to all features the rounding would be left, and look like one
    orthogonal = columns.largest_correlation(norms, target) == 0
    reduced = np.zeros((len(R), target.shape[1])) if orthogonal else Q.T @ target
    return CentredColumns(np.ascontiguousarray(R), center=False, n_jobs=n_jobs), np.asarray(reduced)


def _principal_outputs(Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Write Y as YV·Vᵀ, YV with as few columns as its rank; give Y as it is if that saves nothing."""
    n_outputs = Y.shape[1]
    if n_outputs == 1 or not Y.any():
        return Y, np.eye(n_outputs)
    U, sizes, rotation = svd(Y)
    rank = int((sizes > sizes[0] * max(Y.shape) * np.finfo(np.float64).eps).sum())
    if rank == n_outputs:
        return Y, np.eye(n_outputs)
    return U[:, :rank] * sizes[:rank], rotation[:rank].T
