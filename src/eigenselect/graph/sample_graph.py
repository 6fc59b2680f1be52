"""The weighted graph over samples that every criterion is computed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator

from eigenselect._parallel import slices
from eigenselect._typing import Affinity, BoolArray, FloatArray, IntArray
from eigenselect.exceptions import counted
from eigenselect.graph.class_means import ClassMeans
from eigenselect.graph.eigensolver import as_array, eigh, group_numbers, with_whole_group
from eigenselect.graph.spectrum import REACH, HeatFlow, Spectrum, eigengap, laplacian_of, leading_eigenpairs

#: bytes of the rows that are looked at together
PANEL_BYTES = 2**22
#: eigenvalues beyond the components' zeros that are searched for an eigen-gap
EIGENGAP_SEARCH = 20
#: rows of a dense similarity that are read together
ROWS = 64


class Origin(StrEnum):
    """What a graph was built from, the most honest first; the values are the words of messages.

    A feature that took part in making a graph looks smooth on it, noise or not. Only on graphs from elsewhere are its
    scores those of a random feature. Nobody can see where labels or a matrix came from: labels found by clustering the
    features, and coordinates computed from them, are the features in disguise.

    See Also
    --------
    SampleGraph : Says what it was made from.
    eigenselect.inference.Route : Is honest on graphs of some origins.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> es.FisherScore(2).fit(X, y).graph_.origin
    <Origin.LABELS: 'made of labels'>
    """

    LABELS = "made of labels"
    ELSEWHERE = "made of another table"
    GIVEN = "a precomputed matrix"
    FEATURES = "made of the features that it judges"

    @classmethod
    def joined(cls, origins: Iterable[Origin]) -> Origin:
        """Return the origin of a graph that is made of several: the least honest of them.

        Parameters
        ----------
        origins : iterable of Origin
            One or more.

        Returns
        -------
        Origin
            The last of them in the order of the class.

        Examples
        --------
        >>> Origin.joined([Origin.FEATURES, Origin.LABELS])
        <Origin.FEATURES: 'made of the features that it judges'>
        """
        return max(origins, key=list(cls).index)


class SampleGraph:
    r"""A symmetric sample similarity S, the mass m of every sample, and what follows from them.

    .. math:: L = \mathrm{diag}(S\mathbf 1) - S, \qquad \langle u, v\rangle = u^\top M v, \qquad
              N = M^{-1/2} L M^{-1/2}

    where :math:`M = \mathrm{diag}(m)`. The mass is the degree :math:`d = S\mathbf 1` unless it is given; ones make
    every sample count the same, and then S may hold weights of any sign. A sample of mass 0 (isolated) has a zero row
    in N and adds nothing to any score.

    Parameters
    ----------
    S : ndarray, csr_array or LinearOperator of shape (n, n)
        Symmetric: dense, sparse, or implicit (only products are taken).
    mass : array of shape (n,), optional
        The weights of the inner product; the row sums of S if not given.
    row_sums : array of shape (n,), optional
        S1 where it is known exactly (an implicit S whose products leave rounding).
    components : array of int, optional
        Component of every sample where it is known (needed for an implicit S).
    signed : bool, default=False
        S may hold negative similarities.
    made_of_labels : bool, default=False
        Samples are joined by class, alone or beside other knowledge: several components are then the rule.
    origin : Origin, default=Origin.FEATURES
        What the graph was made from; the table whose features it judges unless somebody says otherwise.
    spectral_map : HeatFlow, optional
        The graph stands for another similarity, whose N is a function of this one's: products are made with S, and
        eigenvalues are mapped.
    description : dict, optional
        What built the graph, for reports.

    Attributes
    ----------
    affinity : ndarray, csr_array or LinearOperator
        S as it is stored.
    n_samples, n_live : int
        All samples, and those that are not isolated.
    row_sums, mass : ndarray of shape (n,)
        The sums S1, and m.
    volume : float
        Sum of the mass.
    isolated : ndarray of bool
        Samples of mass 0.
    is_sparse, is_implicit : bool
        How S is stored.
    has_own_mass : bool
        Whether the mass was given.
    has_differences : bool
        Whether `energy` sums over differences of samples, so that tiny values keep their digits.

    See Also
    --------
    graph_from_matrix : Checks a matrix of the user and makes a graph of it.
    eigenselect.similarity.KNN : Makes the graph of nearest neighbours of a table.

    Notes
    -----
    Selectors have their graph in ``graph_``.

    Examples
    --------
    Two samples that are alike, and a third that hangs on the second:

    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph
    >>> graph = SampleGraph(np.array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]]))
    >>> graph
    SampleGraph(3 samples, 2 edges, 1 component)
    >>> graph.degrees
    array([2., 3., 1.])
    >>> graph.laplacian()
    array([[ 2., -2.,  0.],
           [-2.,  3., -1.],
           [ 0., -1.,  1.]])
    >>> graph.normalized_laplacian().round(2)
    array([[ 1.  , -0.82,  0.  ],
           [-0.82,  1.  , -0.58],
           [ 0.  , -0.58,  1.  ]])
    >>> graph.spectrum(3).eigenvalues.round(6)
    array([0., 1., 2.])
    """

    def __init__(
        self,
        S: Affinity,
        mass: FloatArray | None = None,
        *,
        row_sums: FloatArray | None = None,
        components: IntArray | None = None,
        signed: bool = False,
        made_of_labels: bool = False,
        origin: Origin = Origin.FEATURES,
        spectral_map: HeatFlow | None = None,
        description: dict[str, Any] | None = None,
    ) -> None:
        self.affinity = _canonical(S)
        self.signed = signed
        self.made_of_labels = made_of_labels
        self.origin = origin
        self.spectral_map = spectral_map
        self.description = dict(description or {})
        self.n_samples = int(self.affinity.shape[0])
        self.is_sparse = sparse.issparse(self.affinity)
        self.is_implicit = isinstance(self.affinity, LinearOperator)
        if row_sums is None:
            sums = self.affinity @ np.ones(self.n_samples) if self.is_implicit else self.affinity.sum(axis=1)
            row_sums = np.asarray(sums, dtype=np.float64).ravel()
        self.row_sums = row_sums
        self._check_row_sums(are_mass=mass is None)
        self.has_own_mass = mass is not None
        self.mass = self.row_sums if mass is None else mass
        self.volume = float(self.mass.sum())
        self.isolated: BoolArray = np.asarray(self.mass == 0)
        self.n_live = self.n_samples - int(self.isolated.sum())
        #: whether `energy` sums over differences of samples, so that tiny values keep their digits
        self.has_differences = self.is_sparse or isinstance(self.affinity, ClassMeans)
        if components is not None:
            self.components = components

    def diffuse(self, beta: float, description: dict[str, Any] | None = None) -> SampleGraph:
        r"""Let heat flow over this graph for a time β: the graph of :math:`\exp(-\beta L)`, which is never formed.

        Parameters
        ----------
        beta : float
            Time β.
        description : dict, optional
            What built the new graph, for reports.

        Returns
        -------
        SampleGraph
            The graph of the heat kernel; it holds this one's S, and maps eigenvalues.
        """
        return self._with(mass=np.ones(self.n_samples), spectral_map=HeatFlow(beta), description=description)

    def weighing_equally(self, mass: float = 1.0) -> SampleGraph:
        """Return the same similarity on which every sample counts the same, also those without neighbours.

        Parameters
        ----------
        mass : float, default=1.0
            Of every sample.

        Returns
        -------
        SampleGraph
            A graph with the same S.
        """
        return self._with(mass=np.full(self.n_samples, mass))

    def _with(self, **changes: Any) -> SampleGraph:
        """Return a graph of the same S with some other arguments."""
        names = ("row_sums", "signed", "made_of_labels", "origin", "spectral_map", "description")
        same = {name: getattr(self, name) for name in names} | {"components": self.__dict__.get("components")}
        return SampleGraph(self.affinity, **(same | changes))

    @property
    def degrees(self) -> FloatArray:
        """Row sums of the similarity that the graph stands for, d = S1."""
        return self.row_sums if self.spectral_map is None else self.mass

    @cached_property
    def inverse_mass(self) -> FloatArray:
        """1/m, and 0 for isolated samples."""
        return np.divide(1.0, self.mass, out=np.zeros(self.n_samples), where=~self.isolated)

    @cached_property
    def components(self) -> IntArray:
        """Component number of every sample (isolated samples are components of their own)."""
        return np.zeros(self.n_samples, dtype=np.intp) if self.is_implicit else connected_components(self.affinity)

    @cached_property
    def order(self) -> IntArray:
        """The samples of a sparse S in an order in which neighbours are near each other in memory."""
        return np.asarray(csgraph.reverse_cuthill_mckee(self.affinity, symmetric_mode=True))

    @property
    def n_components(self) -> int:
        """Number of components, isolated samples included."""
        return int(self.components.max()) + 1

    @property
    def n_zero(self) -> int:
        """Components with edges: how often N has the eigenvalue 0."""
        return len(np.unique(self.components[~self.isolated]))

    # -- products ----------------------------------------------------------------------------------

    def walk(self, features: FloatArray, loops: ModuleType | None = None, out: FloatArray | None = None) -> FloatArray:
        r"""Multiply with :math:`P = M^{-1} L`, which is self-adjoint in :math:`\langle u, v\rangle`.

        Parameters
        ----------
        features : ndarray of shape (n, m)
            Features in columns.
        loops : module, optional
            `eigenselect.criteria.kernels`, whose compiled loop over the edges of a sparse S is taken; scipy if None.
        out : ndarray of shape (n, m), optional
            What the compiled loop writes to.

        Returns
        -------
        ndarray of shape (n, m)
            The product with every column.
        """
        if self.is_sparse and loops is not None:
            return np.asarray(loops.walk(self.affinity, self.row_sums, self.inverse_mass, features, out))
        change = self.row_sums[:, None] * features - self.affinity @ features
        return np.asarray(self.inverse_mass[:, None] * change)

    def energy(self, features: FloatArray, loops: ModuleType | None) -> FloatArray:
        r"""Compute :math:`\langle g, Pg\rangle = g^\top L g` of each column, by differences where S has edges.

        Parameters
        ----------
        features : ndarray of shape (n, m)
            Features in columns.
        loops : module or None
            `eigenselect.criteria.kernels`, whose compiled loops are taken; numpy and scipy if None.

        Returns
        -------
        ndarray of shape (m,)
            One number per column.
        """
        S = self.affinity
        if self.is_sparse:
            return sum_over_edges(S, features) if loops is None else loops.edge_sums(S, features)
        if isinstance(S, ClassMeans):
            return S.energy(features) if loops is None else loops.class_energy(S, features)
        energy = inner(self.mass, features, self.walk(features))
        return energy if self.signed else np.maximum(energy, 0.0)  # a sum of squares, whatever rounding says

    # -- matrices, for looking and checking --------------------------------------------------------

    @property
    def similarity(self) -> Affinity:
        """S that the graph stands for: as it is stored, or through the spectral map."""
        return self.affinity if self.spectral_map is None else self.spectral_map.similarity(self)

    def laplacian(self) -> Affinity:
        """Return L of the similarity that the graph stands for, of the same kind as it.

        Returns
        -------
        ndarray, csr_array or LinearOperator of shape (n, n)
            Dense, sparse or implicit as S.
        """
        return laplacian_of(self.similarity, self.degrees, np.ones(self.n_samples))

    def stored_laplacian(self) -> Affinity:
        """Return diag(S1) - S of the stored S, of the same kind as it.

        Returns
        -------
        ndarray, csr_array or LinearOperator of shape (n, n)
            Dense, sparse or implicit as S.
        """
        return laplacian_of(self.affinity, self.row_sums, np.ones(self.n_samples))

    def normalized_laplacian(self) -> Affinity:
        """Return N = M^-1/2 L M^-1/2, of the same kind as `laplacian`.

        Returns
        -------
        ndarray, csr_array or LinearOperator of shape (n, n)
            Rows of isolated samples are zero.
        """
        return laplacian_of(self.similarity, self.degrees, self.inverse_mass)

    def explicit(self) -> Affinity:
        """Return S that the graph stands for as numbers: sparse where it is stored so, else dense.

        Returns
        -------
        csr_array or ndarray of shape (n, n)
            No copy of what is stored.
        """
        return self.affinity if self.is_sparse and self.spectral_map is None else self.to_array()

    def to_array(self) -> FloatArray:
        """Return S that the graph stands for as a dense array: n² numbers.

        Returns
        -------
        ndarray of shape (n, n)
            S.
        """
        return as_array(self.similarity)

    # -- spectrum ----------------------------------------------------------------------------------

    def frequencies(self, eigenvalues: FloatArray) -> FloatArray:
        """Map eigenvalues of M^-1/2 L M^-1/2 of the stored S to those of N: an increasing map, 0 to 0.

        Parameters
        ----------
        eigenvalues : ndarray
            Of the stored S.

        Returns
        -------
        ndarray of the same shape
            Eigenvalues of N; the same ones unless the graph has a ``spectral_map``.
        """
        return eigenvalues if self.spectral_map is None else self.spectral_map.frequencies(eigenvalues)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """An interval that holds the eigenvalues of M^-1/2 L M^-1/2 of the stored S.

        It is [0, 2] for degrees of a non-negative S. Gershgorin's discs give it where S has negative entries or the
        mass is given.
        """
        if not (self.has_own_mass or self.signed):
            return 0.0, 2.0
        if self.is_implicit:
            raise ValueError("An implicit similarity with negative weights has no known spectral interval.")
        diagonal = self.affinity.diagonal()
        centre = self.inverse_mass * (self.row_sums - diagonal)
        radius = self.inverse_mass * (absolute_row_sums(self.affinity) - np.abs(diagonal))
        lowest = float((centre - radius).min()) if self.signed else 0.0
        return min(lowest, 0.0), float((centre + radius).max())

    def spectrum(self, n_pairs: int, random_state: Any = None) -> Spectrum:
        """Find the ``n_pairs`` smallest eigenvalues of N with eigenvectors, the trivial pair first.

        Where the last eigenvalue has equals that are not among these, its vectors are any part of a basis:
        `whole_spectrum` has them all.

        Parameters
        ----------
        n_pairs : int
            At most the number of samples that are not isolated.
        random_state : int, RandomState or None, default=None
            For the start vector; None is a fixed one.

        Returns
        -------
        Spectrum
            Eigenvalues, ascending, and eigenvectors.
        """
        return leading_eigenpairs(self, n_pairs, random_state)

    def whole_spectrum(self, n_pairs: int, random_state: Any = None) -> Spectrum:
        """Find the ``n_pairs`` smallest pairs, and those whose eigenvalue equals the last one's.

        A part of equal ones would depend on the basis that a solver happened to return. The trivial vector, which is
        known, is no part of any.

        Parameters
        ----------
        n_pairs : int
            At most the number of samples that are not isolated.
        random_state : int, RandomState or None, default=None
            For the start vector; None is a fixed one.

        Returns
        -------
        Spectrum
            At least ``n_pairs`` pairs.
        """
        if n_pairs == 1 or n_pairs > self.n_live:
            return self.spectrum(n_pairs, random_state)

        def solve(count: int) -> tuple[Spectrum, IntArray]:
            found = self.spectrum(count, random_state)
            return found, found.groups

        found, end = with_whole_group(solve, n_pairs, self.n_live, at_least=self.n_zero)
        return found.leading(end)

    def searched_spectrum(self, random_state: Any = None) -> Spectrum:
        """Find the pairs among which an eigen-gap is looked for.

        Parameters
        ----------
        random_state : int, RandomState or None, default=None
            For the start vector; None is a fixed one.

        Returns
        -------
        Spectrum
            The zeros of the components, and 20 pairs beyond them, as far as there are.
        """
        return self.spectrum(min(self.n_live, max(self.n_zero, 2) + EIGENGAP_SEARCH), random_state)

    def eigengap_spectrum(self, random_state: Any = None) -> Spectrum:
        """Find the leading pairs up to the largest eigen-gap; with all equal ones if there is none.

        Parameters
        ----------
        random_state : int, RandomState or None, default=None
            For the start vector; None is a fixed one.

        Returns
        -------
        Spectrum
            At least two pairs, the trivial one among them.
        """
        searched = self.searched_spectrum(random_state)
        count = eigengap(searched.eigenvalues)
        end = searched.end_of_group(count)
        return searched.leading(end) if end < searched.groups.size else self.whole_spectrum(count, random_state)

    def full_eigensystem(self) -> Spectrum:
        """Find all eigenpairs of N by LAPACK on a dense n × n matrix, for functions of N.

        The vectors of equal eigenvalues are a choice of basis, on which a function of N does not depend.

        Returns
        -------
        Spectrum
            All n pairs, ascending.
        """
        values, vectors = eigh(as_array(laplacian_of(self.affinity, self.row_sums, self.inverse_mass)))
        if not self.signed:
            values = np.maximum(values, 0.0)
            values[: self.n_components] = 0.0  # known; rounding to 1e-16 would show in a γ that is steep at 0
        values = self.frequencies(values)
        return Spectrum(values, vectors, group_numbers(values, REACH))

    # -- facts -------------------------------------------------------------------------------------

    def findings(self) -> list[str]:
        """Say in words what does not hang together: isolated samples, and components unless labels make them.

        Selectors warn with it, and reports repeat it.

        Returns
        -------
        list of str
            Clauses; empty where all samples hang together.

        Examples
        --------
        >>> SampleGraph(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])).findings()
        ['1 of 3 samples is isolated and does not count']
        """
        if self.has_own_mass and self.spectral_map is None:  # a sample without neighbours counts, too
            return []
        isolated = self.n_samples - self.n_live
        is_, does = ("is", "does") if isolated == 1 else ("are", "do")
        found = [f"{isolated} of {self.n_samples} samples {is_} isolated and {does} not count"] if isolated else []
        components = self.n_components - isolated
        if components > 1 and not self.made_of_labels:
            found.append(f"the sample graph falls apart into {components} components")
        return found

    def describe(self) -> dict[str, Any]:
        """List facts for reports: what built it, size, edges, components, isolated samples, degrees.

        Returns
        -------
        dict
            The ``description``, and the numbers that were named.
        """
        facts = self.description | {
            "n_samples": self.n_samples,
            "n_components": self.n_components,
            "n_isolated": self.n_samples - self.n_live,
            "degree_min": float(self.mass.min()),
            "degree_max": float(self.mass.max()),
        }
        return facts | ({"n_edges": self.n_edges} if self.is_sparse and self.spectral_map is None else {})

    @property
    def n_edges(self) -> int | None:
        """Pairs of samples with a similarity, a sample with itself included; None for an implicit S."""
        if self.is_implicit:
            return None
        diagonal = np.count_nonzero(self.affinity.diagonal())
        entries = self.affinity.nnz if self.is_sparse else np.count_nonzero(self.affinity)
        return int((entries + diagonal) // 2)

    def __repr__(self) -> str:
        edges = "implicit" if self.n_edges is None else counted(self.n_edges, "edge")
        return f"SampleGraph({self.n_samples} samples, {edges}, {counted(self.n_components, 'component')})"

    def _check_row_sums(self, *, are_mass: bool) -> None:
        """Refuse sums that are not finite, and negative ones if they are the mass."""
        if not np.isfinite(self.row_sums).all():
            raise ValueError("The similarities of the sample graph must be finite and at most 1e100.")
        is_bad = self.row_sums < 0
        if self.signed and not self.is_implicit:  # positive and negative entries may cancel
            is_bad |= (self.row_sums == 0) & (absolute_row_sums(self.affinity) > 0)
        if are_mass and is_bad.any():
            raise ValueError(
                f"The similarity gives {counted(int(is_bad.sum()), 'sample')} a degree (sum of similarities) that is "
                f"not positive (lowest {self.row_sums.min():.3g}), so D^-1/2 does not exist; use a similarity with "
                "non-negative values such as 'rbf' or 'knn', or shift the features to be non-negative."
            )


def connected_components(affinity: FloatArray | sparse.csr_array) -> IntArray:
    """Number the component of every sample, in order of first appearance.

    Two samples are in one component if a path of non-zero similarities joins them.

    Parameters
    ----------
    affinity : ndarray or csr_array of shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of int, shape (n,)
        The component of every sample, from 0.

    See Also
    --------
    SampleGraph.components : The same, of a graph of any kind.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import connected_components
    >>> connected_components(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    array([0, 0, 1])
    """
    if not sparse.issparse(affinity):
        return _dense_components(affinity)
    labels = csgraph.connected_components(affinity, connection="strong")[1]  # takes no transpose, as weak ones do
    first = np.unique(labels, return_index=True)[1]
    return np.argsort(np.argsort(first))[labels]


def _dense_components(affinity: FloatArray) -> IntArray:
    """Search breadth-first by whole rows, a few at a time: of a full kernel the first row is enough."""
    labels = np.full(len(affinity), -1, dtype=np.intp)
    component = 0
    while (unseen := np.flatnonzero(labels < 0)).size:
        labels[unseen[0]] = component
        frontier = unseen[:1]
        while frontier.size:
            new = (affinity[frontier[:ROWS]] != 0).any(axis=0) & (labels < 0)
            labels[new] = component
            frontier = np.concatenate([frontier[ROWS:], np.flatnonzero(new)]) if (labels < 0).any() else unseen[:0]
        component += 1
    return labels


def _canonical(affinity: Affinity) -> Affinity:
    """Remove subnormal entries, whose reciprocals overflow; make sparse S sorted CSR without duplicates and zeros.

    The compiled loops and the count of edges rely on the latter. The matrix given is not changed.
    """
    if isinstance(affinity, LinearOperator):
        return affinity
    smallest = np.finfo(np.float64).tiny
    if not sparse.issparse(affinity):
        if not any(_subnormal(affinity[rows]).any() for rows in slices(len(affinity), ROWS)):
            return affinity
        return np.where(_subnormal(affinity), 0.0, affinity)
    matrix = sparse.csr_array(affinity, dtype=np.float64)
    if matrix.has_canonical_format and (np.abs(matrix.data) >= smallest).all():
        return matrix
    matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.data[np.abs(matrix.data) < smallest] = 0.0
    matrix.eliminate_zeros()
    return matrix


def _subnormal(values: FloatArray) -> BoolArray:
    return (np.abs(values) < np.finfo(np.float64).tiny) & (values != 0)


def inner(mass: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Compute ⟨u, v⟩ = Σ_i m_i u_i v_i of each pair of columns.

    >>> inner(np.array([1.0, 2.0]), np.array([[1.0], [3.0]]), np.array([[5.0], [1.0]]))
    array([11.])
    """
    return np.einsum("i,ij,ij->j", mass, first, second)


def sum_over_edges(
    S: sparse.csr_array, features: FloatArray, cost: Callable[[FloatArray], FloatArray] = np.square
) -> FloatArray:
    """Compute Σ_{i<j} S_ij cost(f_i - f_j) of each column: a sum without cancellation.

    >>> S = sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]])
    >>> sum_over_edges(S, np.array([[0.0], [1.0], [3.0]]))
    array([6.])
    """
    lower, total = sparse.tril(S, -1, format="coo"), np.zeros(features.shape[1])
    step = max(1, PANEL_BYTES // (8 * max(1, total.size)))
    for start in range(0, lower.nnz, step):
        edges = slice(start, start + step)
        differences = features[lower.row[edges]] - features[lower.col[edges]]
        total += np.einsum("i,ij->j", lower.data[edges], cost(differences))
    return total


def absolute_row_sums(matrix: FloatArray | sparse.csr_array) -> FloatArray:
    """Sum |S_ij| over the rows of a dense or sparse matrix.

    >>> absolute_row_sums(np.array([[1.0, -2], [-2, 0]]))
    array([3., 2.])
    """
    if sparse.issparse(matrix):
        return np.asarray(abs(matrix).sum(axis=1), dtype=np.float64).ravel()
    panels = slices(len(matrix), max(1, PANEL_BYTES // (8 * len(matrix))))
    return np.concatenate([np.abs(matrix[rows]).sum(axis=1) for rows in panels])
