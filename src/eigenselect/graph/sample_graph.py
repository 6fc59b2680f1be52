"""The weighted graph over samples that every criterion looks at."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from eigenselect._eigen import with_whole_group
from eigenselect.graph.components import connected_components
from eigenselect.graph.spectrum import Spectrum, eigengap, leading_eigenpairs

FloatArray = NDArray[np.float64]
#: ndarray, csr_array or LinearOperator; scipy's types are not known to the checker
Affinity = Any

#: eigenvalues beyond the components' zeros that are searched for an eigen-gap
EIGENGAP_SEARCH = 20


class SampleGraph:
    r"""A symmetric sample similarity :math:`S` and what follows from it.

    .. math:: d = S\mathbf 1,\quad L = D - S,\quad N = D^{-1/2} L D^{-1/2}

    where :math:`D = \mathrm{diag}(d)`. A sample with degree 0 (isolated) has a zero row in
    :math:`N`: it adds nothing to any score.

    Parameters
    ----------
    affinity : ndarray, csr_array or LinearOperator of shape (n, n)
        :math:`S`, symmetric: dense, sparse, or implicit (only products are taken).
    degrees : array, optional
        Row sums of S where they are known exactly (an implicit S whose products leave rounding).
    components : array of int, optional
        Component of every sample where it is known (needed for an implicit S).
    signed : bool, default=False
        S may hold negative similarities; degrees must still be positive.
    made_of_labels : bool, default=False
        Samples are joined by class, alone or beside other knowledge: several components are then the rule.
    description : dict, optional
        What built the graph, for reports.

    Notes
    -----
    Products are made with a *carrier*, by default the graph itself. A graph whose Laplacian is a function of
    another one's, as the heat diffusion over a neighbour graph is, names that other graph as its carrier and
    gives the function as `frequencies`; no product with its own dense S is ever needed.
    """

    #: whether eigenvalues of N are those of the carrier's operator (then powers of N are plain products)
    frequencies_are_carriers = True

    def __init__(
        self,
        affinity: Affinity,
        *,
        degrees: FloatArray | None = None,
        components: NDArray[np.intp] | None = None,
        signed: bool = False,
        made_of_labels: bool = False,
        description: dict[str, Any] | None = None,
    ) -> None:
        self.affinity = _canonical(affinity)
        self.signed = signed
        self.made_of_labels = made_of_labels
        self.description = dict(description or {})
        # What the caller knows exactly fills the cached properties below.
        if degrees is not None:
            self.degrees = degrees
        if components is not None:
            self.components = components
        self._check_degrees()

    @property
    def n_samples(self) -> int:
        return int(self.affinity.shape[0])

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.affinity)

    @property
    def is_implicit(self) -> bool:
        return isinstance(self.affinity, LinearOperator)

    @cached_property
    def degrees(self) -> FloatArray:
        """Row sums of S."""
        if self.is_implicit:
            return np.asarray(self.affinity @ np.ones(self.n_samples), dtype=np.float64)
        return np.asarray(self.affinity.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def volume(self) -> float:
        """Sum of all degrees."""
        return float(self.degrees.sum())

    @cached_property
    def isolated(self) -> NDArray[np.bool_]:
        """True for samples without any similarity to a sample."""
        return np.asarray(self.degrees == 0)

    @cached_property
    def components(self) -> NDArray[np.intp]:
        """Component number of every sample (isolated samples are components of their own)."""
        if self.is_implicit:
            return np.zeros(self.n_samples, dtype=np.intp)
        return connected_components(self.affinity)

    @property
    def n_components(self) -> int:
        return int(self.components.max()) + 1

    # -- the operator that products are made with -----------------------------------------

    @property
    def carrier(self) -> SampleGraph:
        """The graph whose sparse, dense or cheap implicit S is multiplied with."""
        return self

    def frequencies(self, carrier_eigenvalues: FloatArray) -> FloatArray:
        """Eigenvalues of N from those of ``D^-1/2 L_carrier D^-1/2`` (an increasing map, 0 to 0)."""
        return carrier_eigenvalues

    @cached_property
    def inverse_degrees(self) -> FloatArray:
        """1/d, and 0 for isolated samples."""
        return np.divide(1.0, self.degrees, out=np.zeros(self.n_samples), where=~self.isolated)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """An interval that surely holds the carrier's eigenvalues ([0, 2] for N with S ≥ 0).

        With negative similarities, or a carrier other than the graph itself, Gershgorin's discs are used.
        """
        if self.carrier is self and not self.signed:
            return 0.0, 2.0
        carrier = self.carrier
        if carrier.is_implicit:
            raise ValueError("An implicit similarity with negative weights has no known spectral interval.")
        diagonal = carrier.affinity.diagonal()
        reach = np.asarray(abs(carrier.affinity).sum(axis=1)).ravel() - np.abs(diagonal)
        centre = self.inverse_degrees * (carrier.degrees - diagonal)
        radius = self.inverse_degrees * reach
        lowest = float((centre - radius).min()) if carrier.signed else 0.0
        return min(lowest, 0.0), float((centre + radius).max())

    def walk(self, features: FloatArray) -> FloatArray:
        r""":math:`D^{-1} L_\text{carrier} F`, the operator that is self-adjoint in :math:`\langle u, Dv\rangle`.

        For a graph that is its own carrier: :math:`(I - D^{-1}S)F`.
        """
        carrier = self.carrier
        change = carrier.degrees[:, None] * features - carrier.affinity @ features
        return np.asarray(self.inverse_degrees[:, None] * change)

    # -- matrices, for looking and checking ------------------------------------------------

    def laplacian(self) -> Affinity:
        """L = D - S, of the same kind as S."""
        if self.is_sparse:
            return sparse.csr_array(sparse.diags_array(self.degrees) - self.affinity)
        if self.is_implicit:
            return self._operator(lambda F: self.degrees[:, None] * F - self.affinity @ F)
        return np.diag(self.degrees) - self.affinity

    def normalized_laplacian(self) -> Affinity:
        """N = D^-1/2 L D^-1/2, of the same kind as S."""
        root = np.sqrt(self.inverse_degrees)
        laplacian = self.laplacian()
        if self.is_sparse:
            scale = sparse.diags_array(root)
            return sparse.csr_array(scale @ laplacian @ scale)
        if self.is_implicit:
            return self._operator(lambda F: root[:, None] * (laplacian @ (root[:, None] * F)))
        return root[:, None] * laplacian * root

    def to_array(self) -> FloatArray:
        """S as a dense array: n² numbers, for looking and checking."""
        if self.is_sparse:
            return self.affinity.toarray()
        if self.is_implicit:
            return np.asarray(self.affinity @ np.eye(self.n_samples))
        return self.affinity

    # -- spectrum --------------------------------------------------------------------------

    @property
    def n_live(self) -> int:
        """Samples that are not isolated: as many eigenpairs there are."""
        return int((~self.isolated).sum())

    @property
    def n_zero(self) -> int:
        """Components with edges: how often N has the eigenvalue 0."""
        return len(np.unique(self.components[~self.isolated]))

    def spectrum(self, n_pairs: int, random_state: Any = None) -> Spectrum:
        """The ``n_pairs`` smallest eigenvalues of N with eigenvectors, the trivial pair first.

        Where the last eigenvalue has equals that are not among these, its vectors are any part of a basis:
        `whole_spectrum` has them all.
        """
        return leading_eigenpairs(self, n_pairs, random_state)

    def whole_spectrum(self, n_pairs: int, random_state: Any = None) -> Spectrum:
        """The ``n_pairs`` smallest pairs, and those whose eigenvalue equals the last one's.

        A part of equal ones would depend on the basis that a solver happened to return. The trivial vector, which is
        known, is no part of any.
        """
        if n_pairs == 1 or n_pairs > self.n_live:
            return self.spectrum(n_pairs, random_state)

        def solve(count: int) -> tuple[Spectrum, NDArray[np.intp]]:
            found = self.spectrum(count, random_state)
            return found, found.groups

        found, end = with_whole_group(solve, n_pairs, self.n_live, at_least=self.n_zero)
        return found.leading(end)

    def eigengap_spectrum(self, random_state: Any = None) -> Spectrum:
        """The leading pairs up to the largest eigen-gap among the first ones; with all equal ones if there is none."""
        searched = self.spectrum(min(self.n_live, max(self.n_zero, 2) + EIGENGAP_SEARCH), random_state)
        count = eigengap(searched.eigenvalues)
        end = searched.end_of_group(count)
        return searched.leading(end) if end < searched.groups.size else self.whole_spectrum(count, random_state)

    def describe(self) -> dict[str, Any]:
        """Facts for reports: what built it, size, edges, components, isolated samples, degrees."""
        facts = dict(self.description)
        facts.update(
            n_samples=self.n_samples,
            n_components=self.n_components,
            n_isolated=int(self.isolated.sum()),
            degree_min=float(self.degrees.min()),
            degree_max=float(self.degrees.max()),
        )
        if self.is_sparse:
            facts["n_edges"] = int((self.affinity.nnz + np.count_nonzero(self.affinity.diagonal())) // 2)
        return facts

    def __repr__(self) -> str:
        kind = "sparse" if self.is_sparse else "implicit" if self.is_implicit else "dense"
        return f"SampleGraph({self.n_samples} samples, {kind} similarity)"

    def _operator(self, product: Any) -> LinearOperator:
        def vector(f: FloatArray) -> FloatArray:
            return np.asarray(product(np.reshape(f, (-1, 1)))).ravel()

        shape = (self.n_samples, self.n_samples)
        return LinearOperator(shape, matvec=vector, rmatvec=vector, matmat=product, rmatmat=product, dtype=np.float64)

    def _check_degrees(self) -> None:
        lowest = self.degrees.min() if self.n_samples else 0.0
        if not np.isfinite(self.degrees).all():
            raise ValueError("The similarity matrix holds NaN, infinite or too large values; degrees must be finite.")
        if lowest < 0 or (self.signed and self._has_cancelled_row()):
            raise ValueError(
                f"The similarity gives {int((self.degrees <= 0).sum())} samples a degree (sum of similarities) that "
                f"is not positive (lowest {lowest:.3g}), so D^-1/2 does not exist; use a similarity with non-negative "
                "values such as 'rbf' or 'knn', or shift the features to be non-negative."
            )

    def _has_cancelled_row(self) -> bool:
        """A row of S whose positive and negative entries sum to zero: connected, but without a degree."""
        suspects = np.flatnonzero(self.degrees == 0)
        if self.is_implicit or not suspects.size:
            return False
        return bool(abs(self.affinity[suspects]).sum() > 0)


def _canonical(affinity: Affinity) -> Affinity:
    """S without subnormal entries, whose reciprocals overflow; if sparse, sorted CSR without duplicates and zeros.

    The compiled kernels and the count of edges rely on the latter. The matrix given is not changed.
    """
    if isinstance(affinity, LinearOperator):
        return affinity
    smallest = np.finfo(np.float64).tiny
    if not sparse.issparse(affinity):
        subnormal = (np.abs(affinity) < smallest) & (affinity != 0)
        return np.where(subnormal, 0.0, affinity) if subnormal.any() else affinity
    matrix = sparse.csr_array(affinity, dtype=np.float64)
    if matrix.has_canonical_format and (np.abs(matrix.data) >= smallest).all():
        return matrix
    matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.data[np.abs(matrix.data) < smallest] = 0.0
    matrix.eliminate_zeros()
    return matrix
