"""Leading eigenpairs of the normalised Laplacian, from a solver that does not give up.

The eigenvalue 0 has one eigenvector per connected component. Neighbour graphs of real data
fall apart into many tiny components, and a Krylov solver then spends its life inside that
one eigenspace. Here these vectors are written down, not searched for, and the rest of the
spectrum is solved component by component, each with its own null vector deflated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from eigenselect._eigen import EQUAL, Pairs, end_of_group, group_numbers, with_fixed_bases
from eigenselect._parallel import single_threaded_blas
from eigenselect._random import random_generator
from eigenselect._typing import FloatArray
from eigenselect.graph.eigensolver import smallest_eigenpairs

if TYPE_CHECKING:
    from eigenselect.graph.sample_graph import SampleGraph


#: the largest eigenvalue that a normalised Laplacian can have: what eigenvalues are compared with
REACH = 2.0


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of N (ascending, the trivial pair first) and their unit eigenvectors in columns.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_pairs,)
    eigenvectors : ndarray of shape (n_samples, n_pairs)
        Those of equal eigenvalues are a choice of basis: from `SampleGraph.spectrum`, one that depends on their space
        alone (`eigenselect._eigen.fixed_basis`), unless the last of them are missing.
    groups : ndarray of int, shape (n_pairs,)
        Ascending numbers, the same for equal eigenvalues. The trivial pair, which is no choice, is by itself.

    Examples
    --------
    >>> Spectrum(np.array([0.0, 0.5, 0.5]), np.eye(3), np.array([0, 1, 1])).end_of_group(2)
    3
    """

    eigenvalues: FloatArray
    eigenvectors: FloatArray
    groups: NDArray[np.intp]

    def leading(self, n_pairs: int) -> Spectrum:
        """Return the first ``n_pairs`` of these."""
        return Spectrum(self.eigenvalues[:n_pairs], self.eigenvectors[:, :n_pairs], self.groups[:n_pairs])

    def nontrivial_vectors(self) -> FloatArray:
        """Return the eigenvectors without the trivial one."""
        return self.eigenvectors[:, 1:]

    def end_of_group(self, count: int) -> int:
        """Count the first ``count`` pairs and all that equal the last of them."""
        return end_of_group(self.groups, count)


def largest_gap(eigenvalues: FloatArray) -> int:
    """Count the eigenvalues before the largest gap; of gaps that are equal but for rounding, take the first.

    >>> largest_gap(np.array([0.0, 0.01, 0.02, 0.5, 0.6]))
    3
    """
    gaps = np.diff(eigenvalues)
    return int(np.argmax(gaps >= gaps.max() - EQUAL * REACH)) + 1 if gaps.size else len(eigenvalues)


def eigengap(eigenvalues: FloatArray) -> int:
    """Count the leading eigenvalues before the largest gap, at least 2 (the trivial one counts).

    For k well separated clusters N has k eigenvalues near 0, and the gap after them is the largest.

    References
    ----------
    von Luxburg, A tutorial on spectral clustering, Statistics and Computing 2007, doi:10.1007/s11222-007-9033-z.

    Examples
    --------
    >>> eigengap(np.array([0.0, 0.01, 0.02, 0.5, 0.6]))
    3
    """
    return largest_gap(eigenvalues[1:]) + 1 if len(eigenvalues) > 1 else len(eigenvalues)


def leading_eigenpairs(graph: SampleGraph, n_pairs: int, random_state: Any = None) -> Spectrum:
    r"""Find the ``n_pairs`` smallest eigenvalues of :math:`N` and their eigenvectors.

    Order: the trivial pair :math:`\xi_1 \propto D^{1/2}\mathbf 1`; then by eigenvalue. Where several components
    make 0 a repeated eigenvalue, its other vectors contrast each component with all larger ones, largest first.
    Isolated samples are left out (their entries are 0). Signs: the entry of largest magnitude is positive, the first of
    nearly equal ones. Vectors of equal eigenvalues are in the basis that their space decides, see `Spectrum`.

    Parameters
    ----------
    graph : SampleGraph
    n_pairs : int
        At most the number of samples that are not isolated.
    random_state : int, RandomState or None
        For the start vector; ``None`` is a fixed one.
    """
    live = np.flatnonzero(~graph.isolated)
    if not 1 <= n_pairs <= live.size:
        raise ValueError(
            f"The number of eigenpairs must be between 1 and the {live.size} samples with a neighbour, got {n_pairs}."
        )
    parts = _parts_by_volume(graph, live)
    zeros = _zero_modes(graph, parts, min(n_pairs, len(parts)))
    values, vectors = [np.zeros(zeros.shape[1])], [zeros]
    wanted = n_pairs - len(parts) if not graph.signed else n_pairs - 1
    if wanted > 0:
        start = random_generator(random_state)
        with single_threaded_blas():
            for part_values, part_vectors in _nontrivial_pairs(graph, parts, wanted, start):
                values.append(part_values)
                vectors.append(part_vectors)
    stored_values, all_vectors = np.concatenate(values), np.hstack(vectors)
    if not graph.signed:
        stored_values = np.maximum(stored_values, 0.0)  # rounding below an exact bound
    order = np.concatenate([[0], 1 + np.argsort(stored_values[1:], kind="stable")])[:n_pairs]
    groups = _groups(graph, stored_values[order])
    fixed = _in_fixed_bases(all_vectors[:, order], groups, order < zeros.shape[1])
    values = stored_values[order]
    return Spectrum(values if graph.spectral_map is None else graph.frequencies(values), fixed, groups)


def _groups(graph: SampleGraph, stored_values: FloatArray) -> NDArray[np.intp]:
    """Number groups: the trivial pair by itself, then eigenvalues that are equal before or after the spectral map."""
    if stored_values.size == 1:
        return np.zeros(1, dtype=np.intp)
    low, high = graph.interval
    stored = group_numbers(stored_values[1:], max(-low, high))
    own = group_numbers(graph.frequencies(stored_values[1:]), REACH)
    apart = (np.diff(stored) > 0) & (np.diff(own) > 0)
    return np.concatenate([[0, 1], 1 + np.cumsum(apart, dtype=np.intp)])


def _parts_by_volume(graph: SampleGraph, live: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """List the samples of each component that has edges, largest volume first, then by first sample."""
    labels = graph.components[live]
    order = np.argsort(labels, kind="stable")
    parts = np.split(live[order], np.flatnonzero(np.diff(labels[order])) + 1)
    # rounded, so that volumes which are equal but for rounding go by the first sample
    return sorted(parts, key=lambda part: (-round(graph.mass[part].sum() / graph.volume, 9), part[0]))


def _zero_modes(graph: SampleGraph, parts: list[NDArray[np.intp]], count: int) -> FloatArray:
    """Write down the trivial vector, then contrasts of component 2 with 1, 3 with 1 and 2, …: orthonormal."""
    root = np.sqrt(graph.mass)
    modes = np.zeros((graph.n_samples, count))
    modes[:, 0] = root / np.linalg.norm(root)
    for column in range(1, count):
        larger, part = np.concatenate(parts[:column]), parts[column]
        modes[larger, column] = root[larger] / graph.mass[larger].sum()
        modes[part, column] = -root[part] / graph.mass[part].sum()
        modes[:, column] /= np.linalg.norm(modes[:, column])
    return modes


def _nontrivial_pairs(
    graph: SampleGraph, parts: list[NDArray[np.intp]], wanted: int, start: np.random.RandomState
) -> Iterator[Pairs]:
    """Find up to ``wanted`` smallest nontrivial pairs of every component, padded to all samples."""
    if graph.is_implicit:
        # Only products are known, so the whole operator is one problem with all its null vectors.
        null = _zero_modes(graph, parts, len(parts))
        yield smallest_eigenpairs(
            _whole_operator(graph), null, min(wanted, graph.n_samples - len(parts)), graph.interval, start
        )
        return
    for part in parts:
        count = min(wanted, part.size - 1)
        if count == 0:
            continue
        root = np.sqrt(graph.mass[part])
        null = (root / np.linalg.norm(root))[:, None]
        values, vectors = smallest_eigenpairs(_part_matrix(graph, part), null, count, graph.interval, start)
        padded = np.zeros((graph.n_samples, count))
        padded[part] = vectors
        yield values, padded


def _part_matrix(graph: SampleGraph, part: NDArray[np.intp]) -> Any:
    """Make M^-1/2 L M^-1/2 of one component."""
    scale = np.sqrt(graph.inverse_mass[part])
    block = graph.affinity[part][:, part]
    diagonal = graph.inverse_mass[part] * graph.row_sums[part]
    if sparse.issparse(block):
        scaling = sparse.diags_array(scale)
        return sparse.csr_array(sparse.diags_array(diagonal) - scaling @ block @ scaling)
    matrix = -(scale[:, None] * block * scale)
    matrix[np.diag_indices_from(matrix)] += diagonal
    return matrix


def _whole_operator(graph: SampleGraph) -> LinearOperator:
    root = np.sqrt(graph.mass)

    def product(features: FloatArray) -> FloatArray:
        inner = np.sqrt(graph.inverse_mass)[:, None] * features.reshape(graph.n_samples, -1)
        return root[:, None] * graph.walk(inner)

    shape = (graph.n_samples, graph.n_samples)
    return LinearOperator(shape, matvec=lambda f: product(f).ravel(), matmat=product, dtype=np.float64)


def _in_fixed_bases(vectors: FloatArray, groups: NDArray[np.intp], written: NDArray[np.bool_]) -> FloatArray:
    """Turn vectors as only their spaces decide; a group that was written down stays, for no solver chose it."""
    all_written = np.bincount(groups, weights=~written) == 0
    return with_fixed_bases(vectors, np.where(all_written[groups], groups.size + np.arange(groups.size), groups))
