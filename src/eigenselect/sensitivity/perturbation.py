"""How much a feature's score can change when the graph or the feature is perturbed: the bound, and the change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._checks import number, whole
from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.graph.eigensolver import as_array, eigh, eigvalsh, end_of_group, group_numbers, tell_whole_group


@dataclass(frozen=True)
class PerturbationBound:
    r"""A bound on the change of scores, its three parts, and the change that was measured.

    Attributes
    ----------
    bound : ndarray of shape (n_features,)
        The sum of the three parts.
    change : ndarray of shape (n_features,)
        :math:`|\sum_{j \le q} \tilde\alpha_j^2 \tilde\lambda_j^p - \sum_{j \le q} \alpha_j^2 \lambda_j^p|`.
    eigenvalue_part, eigenvector_part : float
        What the moves of the eigenvalues and the turns of the eigenvectors can cost any feature.
    feature_part : ndarray of shape (n_features,)
        What the change of the feature itself can cost.
    noise : float
        :math:`\lVert E \rVert_2`.
    n_eigenvalues : int
        The q that was used: more than asked for where that would end among equal eigenvalues of N or :math:`\tilde N`.

    See Also
    --------
    perturbation_bound : Computes it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.sensitivity import perturbation_bound
    >>> N = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> result = perturbation_bound(N, 0.9 * N, np.array([[1.0], [0.0]]))
    >>> result.tightness.round(2)
    array([0.16])
    """

    bound: FloatArray
    change: FloatArray
    eigenvalue_part: float
    eigenvector_part: float
    feature_part: FloatArray
    noise: float
    n_eigenvalues: int

    @property
    def tightness(self) -> FloatArray:
        """Measured change / bound, at most 1; 0 where nothing was perturbed."""
        return np.divide(self.change, self.bound, out=np.zeros_like(self.change), where=self.bound > 0)


def perturbation_bound(
    laplacian: Any,
    perturbed: Any,
    features: Any,
    perturbed_features: Any = None,
    *,
    power: float = 1,
    n_eigenvalues: int | None = None,
) -> PerturbationBound:
    r"""Bound the change of :math:`\sum_{j \le q} \alpha_j^2 \lambda_j^p` under a perturbation, and measure it.

    With :math:`\tilde N = N + E`, unit features :math:`f` and :math:`\tilde f = f + \varepsilon`,

    .. math::
        \Big|\sum_{j \le q} \tilde\alpha_j^2 \tilde\lambda_j^p - \sum_{j \le q} \alpha_j^2 \lambda_j^p\Big| \le
        \sum_{j \le q} \Big( \lVert E\rVert \frac{(\lambda_j + \delta_j)^p - \lambda_j^p}{\delta_j}
        + \sin(\tfrac12 \arcsin 2\varepsilon_j)\, \lambda_j^p + (2\varepsilon_f + \varepsilon_f^2)\, \lambda_j^p \Big)

    where

    * :math:`(\lambda_j, \xi_j)` are the eigenpairs of N, :math:`\alpha_j = \langle f, \xi_j\rangle`, with a tilde those
      of :math:`\tilde N`,
    * :math:`\delta_j = |\tilde\lambda_j - \lambda_j|`, which is at most :math:`\lVert E\rVert`,
    * :math:`\varepsilon_j = \lVert E\rVert / \min_{i \ne j} |\tilde\lambda_i - \tilde\lambda_j|`; where
      :math:`2\varepsilon_j > 1` (also a repeated eigenvalue) the sine is replaced by 1,
    * :math:`\varepsilon_f = \lVert\tilde f - f\rVert`.

    The first term is Theorem 6's with each eigenvalue's own smallest ρ, :math:`\rho_j = \delta_j/\lambda_j`, which is
    tighter than one ρ for all and needs no care at :math:`\lambda_j = 0`. p = 1 is Theorem 5.

    Parameters
    ----------
    laplacian, perturbed : SampleGraph or symmetric matrix of shape (n, n)
        N and :math:`\tilde N`, positive semi-definite; of a graph, its normalised Laplacian.
    features : array of shape (n, n_features)
        Columns f; scaled to unit length here. For φ of a graph give :math:`D^{1/2} f`.
    perturbed_features : array of shape (n, n_features), optional
        :math:`\tilde f`; the same as ``features`` if not given.
    power : float, default=1
        The exponent p ≥ 1.
    n_eigenvalues : int, optional
        How many smallest eigenvalues, q; all if not given. Where it would end among equal ones of either matrix, whose
        vectors are any basis of one space, all of these are taken, which is said in a warning.

    Returns
    -------
    PerturbationBound
        The bound with its parts, and the change.

    See Also
    --------
    ranking_stability : How much a ranking changes, by fitting it again.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    Theorems 5 and 6, in absolute value.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.sensitivity import perturbation_bound
    >>> N = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> result = perturbation_bound(N, 0.9 * N, np.array([[1.0], [0.0]]))
    >>> result.change.round(3), result.bound.round(3)
    (array([0.1]), array([0.624]))
    """
    N, N_perturbed, f, f_perturbed = _checked(laplacian, perturbed, features, perturbed_features)
    number(power, "power", "perturbation_bound", low=1, closed=True, expected="a number of at least 1")
    q = len(N)
    if n_eigenvalues is not None:
        q = whole(n_eigenvalues, "n_eigenvalues", "perturbation_bound", high=q, expected=f"between 1 and {q}")

    values, vectors = eigh(N)
    new_values, new_vectors = eigh(N_perturbed)
    noise = float(np.abs(eigvalsh(N_perturbed - N)[[0, -1]]).max())
    values, new_values = _non_negative(values, "laplacian"), _non_negative(new_values, "perturbed")
    if (asked := q) < (q := _end_of_both_groups(values, new_values, q)):
        tell_whole_group(f"perturbation_bound: n_eigenvalues={asked}", q)
    before = _score(values[:q] ** power, vectors[:, :q], f)
    after = _score(new_values[:q] ** power, new_vectors[:, :q], f_perturbed)

    eigenvalue_part = float(noise * _secants(values[:q], np.abs(new_values - values)[:q], power).sum())
    eigenvector_part = float(_turns(new_values, noise)[:q] @ values[:q] ** power)
    shift = np.linalg.norm(f_perturbed - f, axis=0)
    feature_part = (2 * shift + shift**2) * float((values[:q] ** power).sum())
    bound = eigenvalue_part + eigenvector_part + feature_part
    change = np.abs(after - before)
    return PerturbationBound(bound, change, eigenvalue_part, eigenvector_part, feature_part, noise, int(q))


def _end_of_both_groups(values: FloatArray, new_values: FloatArray, count: int) -> int:
    """Find the first number from ``count`` on that ends among equal eigenvalues of neither matrix."""
    groups = [group_numbers(each, each[-1]) for each in (values, new_values)]
    while (end := max(end_of_group(each, count) for each in groups)) > count:
        count = end
    return count


def _score(weights: FloatArray, vectors: FloatArray, f: FloatArray) -> FloatArray:
    """Compute Σ w_j α_j² of every feature, with the same bits on any number of BLAS threads."""
    with single_threaded_blas():
        return np.asarray(weights @ (vectors.T @ f) ** 2)


def _checked(laplacian: Any, perturbed: Any, features: Any, perturbed_features: Any) -> tuple[FloatArray, ...]:
    """Return both matrices, and both sets of features at unit length, or refuse them."""
    N, N_perturbed = _laplacian(laplacian, "laplacian"), _laplacian(perturbed, "perturbed")
    if N.shape != N_perturbed.shape:
        raise ValueError(
            f"perturbation_bound: the two Laplacians must be of one size, got {len(N)} and {len(N_perturbed)}."
        )
    f = _unit_columns(features, len(N), "features")
    f_perturbed = f if perturbed_features is None else _unit_columns(perturbed_features, len(N), "perturbed_features")
    if f.shape != f_perturbed.shape:
        raise ValueError(
            f"perturbation_bound: both sets of features must be alike in shape, got {f.shape} and {f_perturbed.shape}."
        )
    return N, N_perturbed, f, f_perturbed


def _non_negative(values: FloatArray, name: str) -> FloatArray:
    if values[0] < -1e-10 * max(1.0, values[-1]):
        raise ValueError(
            f"perturbation_bound: {name} must be positive semi-definite, got the eigenvalue {values[0]:.3g}."
        )
    return np.maximum(values, 0.0)


def _secants(values: FloatArray, steps: FloatArray, power: float) -> FloatArray:
    """Compute ((λ + δ)^p - λ^p) / δ, or its limit p λ^(p-1) where δ is too small for the difference to have digits."""
    tiny = steps <= 1e-8 * np.maximum(values, 1e-300)
    safe = np.where(tiny, 1.0, steps)
    return np.where(tiny, power * (values + steps) ** (power - 1), ((values + safe) ** power - values**power) / safe)


def _turns(values: FloatArray, noise: float) -> FloatArray:
    """Bound the sine of the angle between each old and new eigenvector: sin(½ arcsin 2ε_j), 1 where 2ε_j > 1."""
    if len(values) == 1 or noise == 0.0:
        return np.zeros(len(values))
    spaces = np.diff(values)
    gaps = np.minimum(np.append(spaces, np.inf), np.insert(spaces, 0, np.inf))
    resolved = 2 * noise <= gaps
    ratio = np.divide(2 * noise, gaps, out=np.ones_like(gaps), where=resolved)
    return np.where(resolved, np.sin(0.5 * np.arcsin(ratio)), 1.0)


def _laplacian(source: Any, name: str) -> FloatArray:
    matrix = source.normalized_laplacian() if isinstance(source, SampleGraph) else source
    dense = np.asarray(as_array(matrix), dtype=np.float64)
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1] or not np.isfinite(dense).all():
        raise ValueError(
            f"perturbation_bound: {name} must be a square matrix of finite numbers, got shape {dense.shape}."
        )
    if np.abs(dense - dense.T).max(initial=0.0) > 1e-10 * max(1.0, np.abs(dense).max(initial=0.0)):
        raise ValueError(
            f"perturbation_bound: {name} must be symmetric; give the normalised Laplacian D^-1/2 (D - S) D^-1/2."
        )
    return (dense + dense.T) / 2


def _unit_columns(features: Any, n_samples: int, name: str) -> FloatArray:
    columns = np.asarray(features.toarray() if sparse.issparse(features) else features, dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or columns.shape[0] != n_samples:
        raise ValueError(f"perturbation_bound: {name} must have {n_samples} rows, got shape {columns.shape}.")
    lengths = np.linalg.norm(columns, axis=0)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise ValueError(f"perturbation_bound: {name} must be finite and not all zero.")
    return np.asarray(columns / lengths)
