"""What users know of the samples and want out of every feature: depth, batch, age."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from eigenselect._typing import FloatArray, Names
from eigenselect.exceptions import shown
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.input import check_order, frame_names
from eigenselect.matrix.value_range import check_range

#: what is left of a column after the others are taken out of it counts as nothing below this share of it
COLLINEAR = 1e-10


def covariate_basis(covariates: Any, n_samples: int, owner: str, sample_names: Names | None = None) -> FloatArray:
    r"""Return orthonormal columns that span the centred covariates: Q of shape (n, rank), :math:`Q^\top \mathbf 1 = 0`.

    :math:`f - QQ^\top f` is then what is left of f after a regression on the covariates with an intercept, plus the
    mean of f. Columns that are constant, or that others explain, add nothing.

    Parameters
    ----------
    covariates : array, data frame or sparse matrix of shape (n_samples,) or (n_samples, n_covariates)
        Numbers; columns of text or categories stand for one indicator per category.
    n_samples : int
    owner : str
        Who speaks in errors.
    sample_names : sequence, optional
        Names of the samples of X; the index of a data frame must not have the same ones in another order.

    Examples
    --------
    >>> covariate_basis([[1.0, 7], [3, 7]], 3, "SPEC")
    Traceback (most recent call last):
    ValueError: SPEC: covariates must have one row per sample of X (3), got 2 rows.
    >>> Q = covariate_basis(["a", "a", "b", "b"], 4, "SPEC")
    >>> (Q @ Q.T @ [1.0, 3, 6, 6]).round(6)
    array([-2., -2.,  2.,  2.])
    """
    check_order(frame_names(covariates)[1], sample_names, owner, "covariates")
    columns = [part for column in _columns(covariates, owner) for part in _numbers(column, n_samples, owner)]
    basis = centred_basis(np.column_stack([np.zeros(n_samples), *columns]))
    if basis.shape[1] >= n_samples - 1:
        raise ValueError(
            f"{owner}: covariates of rank {basis.shape[1]} explain every feature on {n_samples} samples, so nothing is "
            "left to score; give fewer covariates, or categories that several samples share."
        )
    return basis


def centred_basis(columns: FloatArray) -> FloatArray:
    """Return orthonormal columns that span centred ones; those that are constant, or that others explain, add nothing.

    >>> centred_basis(np.array([[1.0, 2, 7], [1, 4, 9]])).round(3)
    array([[-0.707],
           [ 0.707]])
    """
    centred = np.column_stack([_centred(column) for column in columns.T])
    Q, R, _ = linalg.qr(centred, mode="economic", pivoting=True)
    return np.asarray(Q[:, : int((np.abs(np.diag(R)) > COLLINEAR).sum())])


def _columns(covariates: Any, owner: str) -> list[Any]:
    """Return the covariates one by one, each as something with one value per sample."""
    if hasattr(covariates, "columns") and hasattr(covariates, "shape"):
        places = range(covariates.shape[1])
        return [covariates.iloc[:, j] if hasattr(covariates, "iloc") else covariates[:, j] for j in places]
    if hasattr(covariates, "dtype") and not hasattr(covariates, "ndim"):
        return [covariates]
    if not hasattr(covariates, "cat"):  # a series of categories stays one
        covariates = covariates.toarray() if sparse.issparse(covariates) else np.asarray(covariates)
    if covariates.ndim not in (1, 2):
        raise ValueError(
            f"{owner}: covariates must be one value or one row per sample, got shape {np.shape(covariates)}."
        )
    return [covariates] if covariates.ndim == 1 else list(covariates.T)


def _numbers(column: Any, n_samples: int, owner: str) -> list[FloatArray]:
    """Return a covariate as numbers: itself, or one indicator per category."""
    values = np.asarray(column)
    if len(values) != n_samples:
        raise ValueError(
            f"{owner}: covariates must have one row per sample of X ({n_samples}), got {len(values)} rows."
        )
    if "categ" in str(getattr(column, "dtype", "")).lower() or values.dtype.kind not in "biuf":
        return _indicators(values, owner)
    values = values.astype(np.float64)
    check_range(Matrix(values[:, None]), owner, "covariates")
    return [values]


def _indicators(values: Any, owner: str) -> list[FloatArray]:
    """Return one column of 0 and 1 per category; Python numbers in a column of objects are numbers."""
    if values.dtype.kind in "cmM":
        raise TypeError(f"{owner}: covariates must be numbers or categories, got {values.dtype}; make numbers of them.")
    listed = values.tolist()
    missing = sum(map(_is_missing, listed))
    if missing:
        raise ValueError(
            f"{owner}: covariates must have no missing values, got {missing} of {len(listed)}; fill or drop them."
        )
    if values.dtype.kind == "O" and all(isinstance(value, (int, float, np.number)) for value in listed):
        return _numbers(values.astype(np.float64), len(listed), owner)
    try:
        categories = {value: place for place, value in enumerate(dict.fromkeys(listed))}
    except TypeError:
        raise TypeError(
            f"{owner}: covariates must be numbers or categories, got {shown(listed[0])} among them."
        ) from None
    codes = np.array([categories[value] for value in listed])
    if len(categories) >= len(listed):
        raise ValueError(
            f"{owner}: covariates must have categories that samples share, got {len(categories)} categories of "
            f"{len(listed)} samples; leave names of samples out."
        )
    return [(codes == place).astype(np.float64) for place in range(1, len(categories))]


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA, which cannot even be compared."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _centred(column: FloatArray) -> FloatArray:
    """Subtract the mean and scale to unit length; zeros for a column whose differences are rounding."""
    column = column / (np.abs(column).max(initial=0.0) or 1.0)
    deviation = column - column[0]
    deviation = deviation - deviation.mean()
    length = float(np.linalg.norm(deviation))
    rounding = 64 * np.finfo(np.float64).eps * np.sqrt(column.size)
    return deviation / length if length > rounding else np.zeros(column.size)
