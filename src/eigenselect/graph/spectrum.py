"""Leading eigenpairs of the normalised Laplacian, and heat diffusion as a map of them.

The eigenvalue 0 has one eigenvector per connected component. Neighbour graphs of real data fall apart into many tiny
components, and a Krylov solver would need all its products for that one eigenspace. Here these vectors are written
down, and the rest of the spectrum is solved component by component, each with its own null vector projected out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator, expm_multiply

from eigenselect._checks import memory_for, random_generator
from eigenselect._typing import Affinity, FloatArray, IntArray
from eigenselect.graph.eigensolver import EQUAL, end_of_group, group_numbers, smallest_eigenpairs, with_fixed_bases

if TYPE_CHECKING:
    from eigenselect.graph.sample_graph import SampleGraph


#: arrays of all requested eigenvectors that are held at once
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
        alone, unless the last of them are missing.
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
    groups: IntArray

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
            Requested pairs.

        Returns
        -------
        int
            At least ``count``.
        """
        return end_of_group(self.groups, count)


@dataclass(frozen=True)
class HeatFlow:
    r"""The spectral map of :math:`S = \exp(-\beta L_0)`, :math:`L_0` the Laplacian of a base graph with mass 1.

    Because :math:`L_0 \mathbf 1 = 0`, every row of S sums to 1 and :math:`N = I - \exp(-\beta L_0)`. A spectral
    function γ of N is the function :math:`\mu \mapsto \gamma(1 - e^{-\beta\mu})` of :math:`L_0`, so products with the
    base graph are enough and S is never formed.

    Parameters
    ----------
    beta : float
        Time β that heat flows.

    See Also
    --------
    SampleGraph.diffuse : Makes a graph with this map.
    eigenselect.similarity.Diffusion : The similarity for selectors.

    References
    ----------
    Kondor and Lafferty, Diffusion kernels on graphs and other discrete input spaces, ICML 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import HeatFlow
    >>> HeatFlow(2.0).frequencies(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.632])
    """

    beta: float

    def frequencies(self, eigenvalues: FloatArray) -> FloatArray:
        """Map eigenvalues μ of L₀ to those of N, 1 - exp(-βμ), without cancellation for small μ.

        Parameters
        ----------
        eigenvalues : array
            Eigenvalues μ of the base graph's Laplacian.

        Returns
        -------
        ndarray of the same shape
            Eigenvalues of N, from 0 to below 1.
        """
        return np.asarray(-np.expm1(-self.beta * np.asarray(eigenvalues)))

    def similarity(self, base: SampleGraph) -> LinearOperator:
        """Return exp(-β L₀) as an operator.

        Parameters
        ----------
        base : SampleGraph
            The graph over which heat flows.

        Returns
        -------
        LinearOperator of shape (n, n)
            Its products are computed by scipy's `expm_multiply`.
        """
        product = partial(expm_multiply, -self.beta * base.stored_laplacian())
        return LinearOperator((base.n_samples,) * 2, product, product, product, np.float64, product)


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
    return largest_gap(eigenvalues[1:]) + 1


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
        parts = _parts_by_volume(graph, live)
        n_zero = min(n_pairs, len(parts))
        zeros = (np.arange(graph.n_samples), np.zeros(n_zero), _zero_modes(graph, parts, n_zero))
        solved = [zeros, *_nontrivial_pairs(graph, parts, n_pairs, random_generator(random_state))]
        values = np.concatenate([values for _, values, _ in solved])
        if not graph.signed:
            values = np.maximum(values, 0.0)  # rounding below an exact bound
        order = np.concatenate([[0], 1 + np.argsort(values[1:], kind="stable")])[:n_pairs]
        values, vectors = values[order], _chosen(solved, order, graph.n_samples)
        groups = _groups(graph, values)
        # A group that was written down stays: no solver chose its basis.
        is_solved = np.bincount(groups, weights=order >= n_zero)[groups] > 0
        vectors = with_fixed_bases(vectors, np.where(is_solved, groups, groups.size + np.arange(groups.size)))
    return Spectrum(graph.frequencies(values), vectors, groups)


def _chosen(solved: list[tuple[IntArray, FloatArray, FloatArray]], order: IntArray, n_samples: int) -> FloatArray:
    """Choose from the vectors of all parts, numbered one part after the other; only these are as long as the graph."""
    chosen, first = np.zeros((n_samples, order.size)), 0
    for part, values, vectors in solved:
        own = np.flatnonzero((order >= first) & (order < first + values.size))
        chosen[np.ix_(part, own)] = vectors[:, order[own] - first]
        first += values.size
    return chosen


def _groups(graph: SampleGraph, stored_values: FloatArray) -> IntArray:
    """Number groups: the trivial pair by itself, then eigenvalues that are equal before or after the spectral map."""
    low, high = graph.interval
    stored = group_numbers(stored_values[1:], max(-low, high))
    own = group_numbers(graph.frequencies(stored_values[1:]), REACH)
    apart = (np.diff(stored) > 0) & (np.diff(own) > 0)
    return np.concatenate([[0, 1], 1 + np.cumsum(apart, dtype=np.intp)])[: stored_values.size]


def _parts_by_volume(graph: SampleGraph, live: IntArray) -> list[IntArray]:
    """List the samples of each component that has edges, largest volume first, then by first sample."""
    labels = graph.components[live]
    order = np.argsort(labels, kind="stable")
    parts = np.split(live[order], np.flatnonzero(np.diff(labels[order])) + 1)
    # rounded, so that volumes which are equal but for rounding go by the first sample
    return sorted(parts, key=lambda part: (-round(graph.mass[part].sum() / graph.volume, 9), part[0]))


def _zero_modes(graph: SampleGraph, parts: list[IntArray], count: int) -> FloatArray:
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
    graph: SampleGraph, parts: list[IntArray], n_pairs: int, start: np.random.RandomState
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Find the smallest nontrivial pairs of every component, each with its samples; no more than could be needed."""
    needed = n_pairs - (1 if graph.signed else len(parts))
    everything = np.arange(graph.n_samples)
    for part in [everything] if graph.is_implicit else parts:  # of an operator only products with all samples are known
        own = graph.mass[part]
        null = _zero_modes(graph, parts, len(parts)) if graph.is_implicit else np.sqrt(own / own.sum())[:, None]
        count = min(needed, part.size - null.shape[1])
        if count > 0:
            # a part that is the whole is in its own order, and a dense one need not be copied
            S = graph.affinity if part.size == graph.n_samples else graph.affinity[part][:, part]
            matrix = laplacian_of(S, graph.row_sums[part], graph.inverse_mass[part])
            yield part, *smallest_eigenpairs(matrix, null, count, graph.interval, start)


def laplacian_of(S: Affinity, row_sums: FloatArray, inverse_mass: FloatArray) -> Affinity:
    """Compute M^-1/2 (diag(S1) - S) M^-1/2, of the same kind as S."""
    diagonal, root = inverse_mass * row_sums, np.sqrt(inverse_mass)
    if isinstance(S, np.ndarray):
        matrix = root[:, None] * S
        matrix *= root
        np.subtract(0.0, matrix, out=matrix)
        matrix[np.diag_indices_from(matrix)] += diagonal
        return matrix
    added, scale = sparse.diags_array(diagonal), sparse.diags_array(root)
    if isinstance(S, LinearOperator):
        added, scale = aslinearoperator(added), aslinearoperator(scale)
        return added - scale @ S @ scale
    return sparse.csr_array(added - scale @ S @ scale)
