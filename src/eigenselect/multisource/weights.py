"""How much each source counts: the expert's numbers, equal shares, or learned from labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import linalg
from scipy.optimize import minimize, nnls

from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import SampleGraph
from eigenselect.graph.eigensolver import eigh

#: learned weights below this part of the largest are 0: an optimum that is flat to 1e-12 is known to about its root
NEGLIGIBLE = 1e-6

LEARNED = ("discriminant", "alignment")


def given_weights(weights: Any, names: Sequence[str]) -> FloatArray:
    """Read numbers from a sequence in the order of the sources or a mapping by name, and scale them to sum to 1."""
    if isinstance(weights, Mapping):
        weights = {str(name): weight for name, weight in weights.items()}
        unknown = sorted(set(weights) - set(names))
        absent = [name for name in names if name not in weights]
        if unknown or absent:
            raise ValueError(
                f"MSFS: weights must name the sources {list(names)}; "
                + (f"unknown: {unknown}" if unknown else f"without a weight: {absent}")
                + "."
            )
        weights = [weights[name] for name in names]
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (len(names),):
        expected = "'equal', 'discriminant', 'alignment'"
        raise ValueError(
            f"MSFS: weights must be {expected} or one number for each of {len(names)} sources, got {weights!r}."
        )
    if not np.isfinite(values).all() or (values < 0).any() or values.sum() == 0:
        raise ValueError(f"MSFS: weights must be finite, not negative and not all zero, got {weights!r}.")
    return np.asarray(values / values.sum())


def as_kernel(graph: SampleGraph) -> FloatArray:
    """Return S as a dense array, with its degrees on the diagonal where that is too small for a kernel.

    A positive semi-definite S has S_ij² ≤ S_ii S_jj. A neighbour graph has zeros on its diagonal; adding the degrees
    makes any non-negative S positive semi-definite and changes no difference between samples.
    """
    S = graph.to_array()
    diagonal = np.sqrt(np.maximum(S.diagonal(), 0.0))
    if (np.abs(S) > np.outer(diagonal, diagonal) * (1 + 1e-9) + 1e-300).any():
        S = S + np.diag(graph.mass)
    return S


def combination_scale(graph: SampleGraph) -> float:
    r"""Find the factor that gives the centred similarity the trace n, so that sources of any unit weigh the same.

    :math:`\mathrm{tr}(HSH) = \mathrm{tr}\,S - \mathbf 1^\top S \mathbf 1 / n` of `as_kernel`; 0 if all samples
    are equally similar.
    """
    is_sparse = graph.is_sparse and graph.spectral_map is None
    if is_sparse and not graph.affinity.diagonal().any():  # a neighbour graph: its degrees go on the diagonal
        trace, total = graph.volume, 2 * graph.volume
    else:
        S = as_kernel(graph)
        trace, total = float(np.trace(S)), float(S.sum())
    centred = trace - total / graph.n_samples
    return graph.n_samples / centred if centred > 1e-12 * max(trace, total / graph.n_samples) else 0.0


def centred_kernel(graph: SampleGraph) -> FloatArray:
    """Compute H S H of `as_kernel` with trace n, without negative eigenvalues; 0 if all samples are equally similar."""
    scale = combination_scale(graph)
    S = as_kernel(graph) * scale
    K = S - S.mean(axis=0) - S.mean(axis=1, keepdims=True) + S.mean()
    values, vectors = eigh(K)
    if values[0] < -1e-10 * max(values[-1], 0.0):
        values = np.maximum(values, 0.0)
        K = (vectors * values) @ vectors.T
        K *= len(K) / np.trace(K)
    return np.asarray(K)


def class_indicators(codes: IntArray) -> FloatArray:
    """Return the centred indicator of each class at unit length, in columns."""
    indicators = np.eye(int(codes.max()) + 1)[codes]
    indicators -= indicators.mean(axis=0)
    return np.asarray(indicators / np.linalg.norm(indicators, axis=0))


def default_mu(n_samples: int, n_classes: int) -> float:
    r"""Return the geometric mean of two eigenvalues, :math:`\sqrt{n / (c-1)}`.

    Among kernels of trace n the one that only tells c classes apart has c - 1 eigenvalues of about n/(c-1), the one
    that tells every sample from every other has n of about 1. μ is what an eigenvalue is compared with: put between
    the two it lets the first fit the labels and keeps the second, which could fit any, from it.
    """
    return float(np.sqrt(n_samples / max(1, n_classes - 1)))


def discriminant_objective(
    theta: FloatArray, kernels: Sequence[FloatArray], targets: FloatArray, mu: float
) -> tuple[float, FloatArray]:
    r"""Compute :math:`\sum_j h_j^\top (I + \frac1\mu \sum_i \theta_i K_i)^{-1} h_j`, convex in θ, and its gradient."""
    A = np.eye(len(targets)) + sum(t * K for t, K in zip(theta, kernels, strict=True)) / mu
    solved = linalg.cho_solve(linalg.cho_factor(A), targets)
    gradient = [-np.einsum("ij,ij->", solved, K @ solved) / mu for K in kernels]
    return float(np.einsum("ij,ij->", targets, solved)), np.asarray(gradient)


def discriminant_weights(kernels: Sequence[FloatArray], codes: IntArray, mu: float | None = None) -> FloatArray:
    """Find the weights on the simplex that minimise `discriminant_objective`.

    References
    ----------
    Ye, Ji and Chen, Multi-class discriminant kernel learning via convex programming, JMLR 2008.
    """
    targets = class_indicators(codes)
    mu = default_mu(codes.size, targets.shape[1]) if mu is None else mu
    count = len(kernels)
    found = minimize(
        discriminant_objective,
        np.full(count, 1.0 / count),
        args=(kernels, targets, mu),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * count,
        constraints={"type": "eq", "fun": lambda t: t.sum() - 1.0, "jac": lambda t: np.ones(count)},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return _on_the_simplex(found.x)


def _on_the_simplex(weights: FloatArray) -> FloatArray:
    """Scale weights to sum to 1, with an exact 0 where only rounding gives any; equal ones if all are 0."""
    largest = float(weights.max(initial=0.0))
    if not largest > 0:
        return np.full(weights.size, 1.0 / weights.size)
    kept = np.where(weights > NEGLIGIBLE * largest, weights, 0.0)
    return np.asarray(kept / kept.sum())


def alignment_weights(kernels: Sequence[FloatArray], codes: IntArray) -> FloatArray:
    r"""Find non-negative weights whose sum of kernels is best aligned with the labels' kernel.

    The :math:`\theta \ge 0` that maximises :math:`\langle K_\theta, T\rangle / \lVert K_\theta\rVert_F` with
    :math:`T = \sum_j h_j h_j^\top` solves, up to scale, a non-negative least squares problem; scaled to sum to 1. Equal
    weights if nothing is aligned. Cheap, and good for two or three classes that are well apart; otherwise a source of
    noise that tells every sample from every other took a quarter of the weight in the median of twelve draws, and up to
    half, because it fits the diagonal of T.

    References
    ----------
    Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 2012.
    """
    targets = class_indicators(codes)
    inner = np.array([[np.einsum("ij,ij->", K, L) for L in kernels] for K in kernels])
    aligned = np.array([np.einsum("ij,ij->", targets, K @ targets) for K in kernels])
    scale = np.sqrt(inner.diagonal())
    usable = scale > 0
    if not usable.any():
        return np.full(len(kernels), 1.0 / len(kernels))
    weights = np.zeros(len(kernels))
    # min ‖Kθ - T‖² = θᵀMθ - 2θᵀa: least squares with the root of M, in units of each kernel's own norm
    M = inner[np.ix_(usable, usable)] / np.outer(scale[usable], scale[usable])
    values, vectors = eigh(M)
    kept = values > 1e-12 * values[-1]
    root = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    right = (vectors[:, kept].T @ (aligned[usable] / scale[usable])) / np.sqrt(values[kept])
    weights[usable] = nnls(root, right)[0] / scale[usable]
    return _on_the_simplex(weights)
