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

from eigenselect._checks import memory_for, random_generator
from eigenselect._eigen import EQUAL, Pairs, end_of_group, group_numbers, with_fixed_bases
from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray
from eigenselect.graph.eigensolver import smallest_eigenpairs

if TYPE_CHECKING:
    from eigenselect.graph.sample_graph import SampleGraph


#: arrays of all wanted eigenvectors that are held at once
COPIES = 5
#: the largest eigenvalue that a normalised Laplacian can have: what eigenvalues are compared with
REACH = 2.0


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of N (ascending, the trivial pair first) and their unit eigenvectors in columns.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_pairs,)
        Ascending.
    eigenvectors : ndarray of shape (n_samples, n_pairs)
        Those of equal eigenvalues are a choice of basis: from `SampleGraph.spectrum`, one that depends on their space
        alone (`eigenselect._eigen.fixed_basis`), unless the last of them are missing.
    groups : ndarray of int, shape (n_pairs,)
        Ascending numbers, the same for equal eigenvalues. The trivial pair, which is no choice, is by itself.

    See Also
    --------
    SampleGraph.spectrum : Finds it.
    leading_eigenpairs : Finds it, as a function.
    eigengap : Counts the eigenvalues before the largest gap.

    Examples
    --------
    A ring of four samples has two equal eigenvalues:

    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph
    >>> ring = np.roll(np.eye(4), 1, axis=1)
    >>> found = SampleGraph(ring + ring.T).spectrum(4)
    >>> (found.eigenvalues.round(6) + 0).tolist(), found.groups.tolist(), found.end_of_group(2)
    ([0.0, 1.0, 1.0, 2.0], [0, 1, 1, 2], 3)
    """

    eigenvalues: FloatArray
    eigenvectors: FloatArray
    groups: NDArray[np.intp]

    def leading(self, n_pairs: int) -> Spectrum:
        """Return the first ``n_pairs`` of these.

        Parameters
        ----------
        n_pairs : int
            How many.

        Returns
        -------
        Spectrum
            Views of these arrays.
        """
        return Spectrum(self.eigenvalues[:n_pairs], self.eigenvectors[:, :n_pairs], self.groups[:n_pairs])

    def nontrivial_vectors(self) -> FloatArray:
        """Return the eigenvectors without the trivial one.

        Returns
        -------
        ndarray of shape (n_samples, n_pairs - 1)
            A view.
        """
        return self.eigenvectors[:, 1:]

    def end_of_group(self, count: int) -> int:
        """Count the first ``count`` pairs and all that equal the last of them.

        Parameters
        ----------
        count : int
            Pairs that are wanted.

        Returns
        -------
        int
            At least ``count``.
        """
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

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_pairs,)
        Ascending, the trivial one first.

    Returns
    -------
    int
        The number of eigenvalues before the gap.

    See Also
    --------
    SampleGraph.eigengap_spectrum : The eigenpairs up to the gap.
    eigenselect.plot.spectrum : Draws the eigenvalues, and marks the gap only if it stands out.

    Notes
    -----
    There is always a largest gap, also where there are no clusters.

    References
    ----------
    von Luxburg, A tutorial on spectral clustering, Statistics and Computing 2007, doi:10.1007/s11222-007-9033-z.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import eigengap
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
        Its N is looked at.
    n_pairs : int
        At most the number of samples that are not isolated.
    random_state : int, RandomState or None, default=None
        For the start vector; ``None`` is a fixed one.

    Returns
    -------
    Spectrum
        The pairs, ascending.

    Raises
    ------
    ValueError
        If ``n_pairs`` is out of range.

    See Also
    --------
    SampleGraph.spectrum : The same, as a method.

    Examples
    --------
    Two pairs of samples and a weak tie between them:

    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph, leading_eigenpairs
    >>> S = np.array([[0.0, 1, 0, 0], [1, 0, 0.1, 0], [0, 0.1, 0, 1], [0, 0, 1, 0]])
    >>> second = leading_eigenpairs(SampleGraph(S), 2).eigenvectors[:, 1]
    >>> (second > 0) == (second[0] > 0)  # its sign tells the pairs apart
    array([ True,  True, False, False])
    """
    live = np.flatnonzero(~graph.isolated)
    if not 1 <= n_pairs <= live.size:
        raise ValueError(
            f"The number of eigenpairs must be between 1 and the {live.size} samples with a neighbour, got {n_pairs}."
        )
    work = f"{n_pairs} eigenvectors of a graph with {graph.n_samples} samples"
    with memory_for(COPIES * 8.0 * graph.n_samples * n_pairs, work, "ask for fewer, or connect the samples"):
        return _leading_eigenpairs(graph, live, n_pairs, random_generator(random_state))


def _leading_eigenpairs(
    graph: SampleGraph, live: NDArray[np.intp], n_pairs: int, start: np.random.RandomState
) -> Spectrum:
    parts = _parts_by_volume(graph, live)
    zeros = _zero_modes(graph, parts, min(n_pairs, len(parts)))
    wanted = n_pairs - len(parts) if not graph.signed else n_pairs - 1
    with single_threaded_blas():
        found = list(_nontrivial_pairs(graph, parts, wanted, start)) if wanted > 0 else []
    stored_values = np.concatenate([np.zeros(zeros.shape[1]), *(values for _, (values, _) in found)])
    if not graph.signed:
        stored_values = np.maximum(stored_values, 0.0)  # rounding below an exact bound
    order = np.concatenate([[0], 1 + np.argsort(stored_values[1:], kind="stable")])[:n_pairs]
    groups = _groups(graph, stored_values[order])
    chosen = _side_by_side(zeros, [(part, vectors) for part, (_, vectors) in found], order)
    fixed = _in_fixed_bases(chosen, groups, order < zeros.shape[1])
    values = stored_values[order]
    return Spectrum(values if graph.spectral_map is None else graph.frequencies(values), fixed, groups)


def _side_by_side(
    zeros: FloatArray, found: list[tuple[NDArray[np.intp], FloatArray]], order: NDArray[np.intp]
) -> FloatArray:
    """Choose columns by their number, zero modes first, then those of each part; only these are as long as the graph.

    >>> part = np.array([0, 2])
    >>> _side_by_side(np.ones((3, 1)), [(part, np.array([[5.0, 7.0], [6.0, 8.0]]))], np.array([0, 2]))
    array([[1., 7.],
           [1., 0.],
           [1., 8.]])
    """
    chosen = np.zeros((zeros.shape[0], order.size))
    written = np.flatnonzero(order < zeros.shape[1])
    chosen[:, written] = zeros[:, order[written]]
    first = zeros.shape[1]
    for part, vectors in found:
        own = np.flatnonzero((order >= first) & (order < first + vectors.shape[1]))
        chosen[np.ix_(part, own)] = vectors[:, order[own] - first]
        first += vectors.shape[1]
    return chosen


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
) -> Iterator[tuple[NDArray[np.intp], Pairs]]:
    """Find up to ``wanted`` smallest nontrivial pairs of every component, each with its samples."""
    if graph.is_implicit:
        # Only products are known, so the whole operator is one problem with all its null vectors.
        null = _zero_modes(graph, parts, len(parts))
        count = min(wanted, graph.n_samples - len(parts))
        pairs = smallest_eigenpairs(_whole_operator(graph), null, count, graph.interval, start)
        yield np.arange(graph.n_samples), pairs
        return
    for part in parts:
        count = min(wanted, part.size - 1)
        if count == 0:
            continue
        root = np.sqrt(graph.mass[part])
        null = (root / np.linalg.norm(root))[:, None]
        yield part, smallest_eigenpairs(_part_matrix(graph, part), null, count, graph.interval, start)


def _part_matrix(graph: SampleGraph, part: NDArray[np.intp]) -> Any:
    """Make M^-1/2 L M^-1/2 of one component."""
    scale = np.sqrt(graph.inverse_mass[part])
    whole = part.size == graph.n_samples  # then in its own order, and a dense one need not be copied
    block = graph.affinity if whole else graph.affinity[part][:, part]
    diagonal = graph.inverse_mass[part] * graph.row_sums[part]
    if sparse.issparse(block):
        scaling = sparse.diags_array(scale)
        return sparse.csr_array(sparse.diags_array(diagonal) - scaling @ block @ scaling)
    matrix = scale[:, None] * block
    matrix *= scale
    np.negative(matrix, out=matrix)
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
