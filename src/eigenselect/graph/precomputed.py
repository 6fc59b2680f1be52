"""From a matrix that the user gives to a checked sample graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import Affinity
from eigenselect.graph.sample_graph import ROWS, Origin, SampleGraph

#: largest magnitude of a similarity: sums of squares of degrees stay finite
LARGEST = 1e100

#: asymmetry, relative to the largest similarity, that passes for rounding
SYMMETRY_TOLERANCE = 1e-8


def graph_from_matrix(
    matrix: Any,
    n_samples: int,
    *,
    name: str = "similarity_matrix",
    description: dict[str, Any] | None = None,
    symmetric: bool = True,
) -> SampleGraph:
    """Check a precomputed similarity (n × n, symmetric, finite, non-negative) and make a graph of it.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_samples, n_samples)
        Similarities; larger is more alike.
    n_samples : int
        How many rows and columns it must have.
    name : str, default="similarity_matrix"
        What messages call it.
    description : dict, optional
        What built it, for reports.
    symmetric : bool, default=True
        Whether it must be symmetric; if not, the graph is that of its symmetric part (S + Sᵀ) / 2.

    Returns
    -------
    SampleGraph
        Its origin is `Origin.GIVEN`; sparse if the matrix is.

    Raises
    ------
    ValueError
        With one sentence that names what was expected and what was got.

    See Also
    --------
    checked_matrix : The checks alone.
    SampleGraph : Makes a graph without checks.

    Examples
    --------
    >>> from eigenselect.graph import graph_from_matrix
    >>> graph_from_matrix([[0, 1], [1, 0]], 2)
    SampleGraph(2 samples, 1 edge, 1 component)
    >>> graph_from_matrix([[0, -1], [-1, 0]], 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: similarity_matrix must hold non-negative similarities, got 2 negative entries (lowest -1); clip...
    """
    affinity = checked_matrix(matrix, n_samples, name=name, symmetric=symmetric)
    return SampleGraph(affinity, origin=Origin.GIVEN, description=description or {"similarity": "precomputed"})


def checked_matrix(
    matrix: Any, n_samples: int, *, name: str, non_negative: bool = True, symmetric: bool = True
) -> Affinity:
    """Return the matrix as float64 array or CSR, after the checks of `graph_from_matrix`.

    Entries that differ from their mirror by rounding are replaced by the mean of both.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_samples, n_samples)
        Similarities; larger is more alike.
    n_samples : int
        How many rows and columns it must have.
    name : str
        What messages call it.
    non_negative : bool, default=True
        False lets kernels with negative entries pass.
    symmetric : bool, default=True
        False takes the symmetric part of any matrix.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_samples)
        Symmetric.

    Raises
    ------
    TypeError
        If it is no matrix of real numbers.
    ValueError
        If it has another shape, or values that are not finite, negative or not symmetric.

    See Also
    --------
    graph_from_matrix : Makes a graph of it.

    Examples
    --------
    >>> from eigenselect.graph import checked_matrix
    >>> checked_matrix([[0, 2], [1, 0]], 2, name="S", symmetric=False)
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    affinity = _as_float_matrix(matrix, name)
    if affinity.shape != (n_samples, n_samples):
        shape = " x ".join(map(str, affinity.shape))
        advice = "compute it on the same samples, in the same order"
        if affinity.shape[:1] == (n_samples,) and affinity.ndim == 2 and affinity.shape[1] > n_samples:
            advice = (
                "its rows were taken and its columns were not, as cross-validation does: take both, S[rows][:, rows]"
            )
        raise ValueError(
            f"{name} must be {n_samples} x {n_samples}, one row and column per sample of X, got {shape}; {advice}."
        )
    values = affinity.data if sparse.issparse(affinity) else affinity
    lowest, largest = values.min(initial=0.0), values.max(initial=0.0)
    if not (lowest >= -LARGEST and largest <= LARGEST):  # nor NaN
        raise ValueError(
            f"{name} must be finite, with entries of at most {LARGEST:g} in size, got NaN, infinity or larger ones; "
            "fill or remove those, or scale the matrix first."
        )
    if non_negative and lowest < 0:
        raise ValueError(
            f"{name} must hold non-negative similarities, got {np.sum(values < 0)} negative entries (lowest "
            f"{lowest:.4g}); clip them at 0, or turn distances d into similarities first, for example exp(-d**2)."
        )
    difference = _asymmetry(affinity)
    if difference == 0.0:
        return affinity
    if symmetric and difference > SYMMETRY_TOLERANCE * max(largest, -lowest):
        raise ValueError(
            f"{name} must be symmetric, got entries that differ from their mirror by up to {difference:.4g}; "
            "use (S + S.T) / 2, or the union S.maximum(S.T) for a neighbour graph."
        )
    mean = (affinity + affinity.T) / 2
    return sparse.csr_array(mean) if sparse.issparse(mean) else mean


def _as_float_matrix(matrix: Any, name: str) -> Affinity:
    """Return an array, or a CSR with sorted columns and each entry once; the matrix given is not changed."""
    if np.iscomplexobj(matrix):
        raise TypeError(f"{name} must be real, got complex numbers; use their absolute values or real parts.")
    if sparse.issparse(matrix):
        is_clean = getattr(matrix, "has_canonical_format", False)
        affinity = sparse.csr_array(matrix, dtype=np.float64, copy=not is_clean)
        affinity.sum_duplicates()
        return affinity
    try:
        return np.ascontiguousarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} must be a numeric n x n array or scipy sparse matrix, got {type(matrix).__name__}; {error}."
        ) from None


def _asymmetry(affinity: Affinity) -> float:
    """Find by how much an entry differs from its mirror, at most."""
    if sparse.issparse(affinity):
        return float(abs(affinity - affinity.T).max())
    return max(float(np.abs(affinity[rows] - affinity[:, rows].T).max()) for rows in slices(len(affinity), ROWS))
