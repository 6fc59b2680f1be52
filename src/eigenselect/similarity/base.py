"""The interface of a similarity: parameters in, sample graph out; and the names that stand for similarities."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from eigenselect._checks import memory_for
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import is_heard, warn
from eigenselect.exceptions import UnitsWarning
from eigenselect.graph import Origin, SampleGraph, graph_from_matrix
from eigenselect.matrix import Matrix, as_matrix

_BY_NAME: dict[str, type[BaseSimilarity]] = {}
#: a full kernel is held once, with half of it for the median distance and panels of rows
KERNEL_PARTS = 1.6
#: share of the summed variance that counts as all of it: what is left moves a distance by 5 % (1 - √0.9)
NEARLY_ALL = 0.9
#: so few features are a handful. Of 40 tables of one unit the most uneven leave 90 % of the variance to 7 features or
#: more (lipids 7 of 21, single cells 29 of 715, newsgroups 2430 of 22792), or differ less than `FAR_WIDER`
HANDFUL = 5
#: their spread is that of the others' median times this, or more: a typical other feature then adds less than a
#: hundredth of what the widest one does to a squared distance
FAR_WIDER = 10.0
#: what to do about it, unless a method knows better
ADVICE = "put features on one scale first (StandardScaler; --scale standard), unless they share a unit"
#: names that stand for similarities with their default parameters
SIMILARITY_NAMES = _BY_NAME.keys()


@dataclass(frozen=True)
class SquaredDifferences:
    r""":math:`\partial S_{ij} / \partial w_t = -S_{ij} (x_{it} - x_{jt})^2 / \sigma^2`, of RBF weights.

    The bandwidth :math:`\sigma`, and which pairs are neighbours, are held fixed.
    """

    bandwidth: float

    def matrix(self, affinity: Any, feature: FloatArray) -> Any:
        """Return ∂S of one feature, dense or sparse as S."""
        scaled = feature / self.bandwidth
        if not sparse.issparse(affinity):
            return -affinity * np.subtract.outer(scaled, scaled) ** 2
        first = np.repeat(np.arange(feature.size), np.diff(affinity.indptr))
        moved = -affinity.data * (scaled[first] - scaled[affinity.indices]) ** 2
        return sparse.csr_array((moved, affinity.indices, affinity.indptr), shape=affinity.shape)


@dataclass(frozen=True)
class Products:
    r""":math:`\partial S_{ij} / \partial w_t = 2 x_{it} x_{jt}`, of inner products."""

    def matrix(self, affinity: Any, feature: FloatArray) -> FloatArray:
        """Return ∂S of one feature."""
        return 2.0 * np.outer(feature, feature)


WeightDerivative = SquaredDifferences | Products


class BaseSimilarity(BaseEstimator, ABC):
    """A recipe for a sample similarity, with scikit-learn's parameters.

    A new similarity is a subclass in a file of its own that implements `_graph`, and an export in
    `eigenselect.similarity`; nothing else changes. ``class KNN(BaseSimilarity, name="knn")`` gives it a name, which
    then stands for it with its default parameters.

    Attributes
    ----------
    requires_labels : bool
        Whether `build` needs ``y``.
    origin : Origin
        What the graph is made from.
    made_of_distances : bool
        Whether distances between samples make it.
    by_distance : bool
        Whether Euclidean distances between samples make it, so that features of a large unit outweigh the others.
    holds_all_pairs : bool
        Whether the graph is a dense matrix of n × n numbers.

    See Also
    --------
    KNN : The default.
    as_similarity : Makes one of a name or a function of X, which is enough for a similarity without parameters.

    Examples
    --------
    Samples are alike if their first values are equal:

    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph
    >>> from eigenselect.similarity import BaseSimilarity
    >>> class SameFirst(BaseSimilarity):
    ...     def _graph(self, X, y, owner, n_jobs):
    ...         first = X.to_array()[:, 0]
    ...         return SampleGraph((first[:, None] == first).astype(float))
    >>> SameFirst().build(np.array([[1.0, 5], [2, 6], [1, 7]])).to_array()
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    requires_labels: bool = False
    origin: Origin = Origin.FEATURES
    made_of_distances: bool = False
    holds_all_pairs: bool = False
    _known: tuple[FloatArray, int] | None = None

    def __init_subclass__(cls, name: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if name is not None:
            _BY_NAME[name] = cls

    @property
    def by_distance(self) -> bool:
        """Whether Euclidean distances make it: cosines and products are for counts, whose spreads differ by nature."""
        return self.made_of_distances and getattr(self, "metric", "euclidean") == "euclidean"

    @property
    def bandwidth_has_unit(self) -> bool:
        """Whether a bandwidth is in the unit of X, as distances are; numbers of edges are not."""
        return True

    def warn_about_units(
        self,
        X: Matrix,
        owner: str,
        advice: str | None = None,
        *,
        variances: FloatArray | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        """Warn if this is built from distances that a few features of a large unit decide.

        A similarity with precomputed distances is silent: the warning came with the whole table.

        Parameters
        ----------
        X : Matrix
            The table.
        owner : str
            Name that the warning begins with.
        advice : str, optional
            What to do; to scale, by default.
        variances : ndarray of shape (n_features,), optional
            Of the features, if they are known.
        n_jobs : int, default=1
            Threads that compute them otherwise.
        """
        if not self.by_distance or self._known is not None or not is_heard():
            return
        variances = X.column_variances(n_jobs=n_jobs) if variances is None else variances
        warn_about_units(X, owner, advice or ADVICE, variances=variances)

    def room_for_pairs(self, n_samples: int, owner: str, beside: float = 0.0) -> AbstractContextManager[None]:
        """Refuse all pairs of so many samples, before they are computed, if memory does not hold them.

        Parameters
        ----------
        n_samples : int
            How many samples.
        owner : str
            Name that the error begins with.
        beside : float, default=0.0
            How many more n × n matrices the caller will need beside the graph.

        Returns
        -------
        context manager
            In which the graph is built; it raises `eigenselect.exceptions.ShortageError` if memory runs out.
        """
        if not self.holds_all_pairs:
            return nullcontext()
        needed = (KERNEL_PARTS + beside) * 8.0 * n_samples**2
        work = f"{owner}: the similarities of all pairs of {n_samples} samples ({type(self).__name__})"
        work += " and their eigenvectors" if beside else ""
        return memory_for(needed, work, "use a graph of neighbours (similarity='knn') or fewer samples")

    def build(self, X: Any, y: Any = None, *, owner: str | None = None, n_jobs: int | None = None) -> SampleGraph:
        """Build the graph.

        Parameters
        ----------
        X : Matrix, ndarray or sparse matrix of shape (n_samples, n_features)
            Finite. None if the similarity is built from labels alone.
        y : array of shape (n_samples,), optional
            Labels, for similarities that use them; others ignore it.
        owner : str, optional
            Name that errors and warnings about X and y begin with: the class that the user called. By default, and
            for its own parameters, that of the similarity.
        n_jobs : int, optional
            Threads; None for all cores.

        Returns
        -------
        eigenselect.graph.SampleGraph
            The graph; its ``description`` has the parameters that it was built with.
        """
        labels, owner = (y if self.requires_labels else None), owner or str(self.describe()["similarity"])
        table: Any = X if X is None or isinstance(X, Matrix) else as_matrix(X, owner)
        graph = self._graph(table, labels, owner, n_jobs)
        graph.description = {**self.describe(), **graph.description}
        graph.origin = self.origin
        return graph

    @abstractmethod
    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        """Build the graph.

        Errors about X and y begin with the owner, errors about parameters with the name of the similarity. Facts beyond
        `describe` go into the graph's description.
        """

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray | None:
        """Compute the n × n distances or products of samples that this is built from; None if there are none.

        Those of some of the samples are a part of it: for many graphs of samples of one table they are computed once,
        see `knowing`.

        Parameters
        ----------
        X : Matrix
            The table.
        n_jobs : int, optional
            Threads; None for all cores.

        Returns
        -------
        ndarray of shape (n_samples, n_samples) or None
            What `knowing` takes.
        """
        return None

    def knowing(self, pairs: FloatArray, n_features: int) -> Self:
        """Return the same similarity that need not compute the pairs of a table with so many features.

        For any other table, and in clones, they are computed.

        Parameters
        ----------
        pairs : ndarray of shape (n_samples, n_samples)
            What `pairs` returned, or the rows and columns of some samples of it.
        n_features : int
            Number of features of the table.

        Returns
        -------
        BaseSimilarity
            A copy with them.
        """
        recipe = copy(self)
        recipe._known = pairs, n_features
        return recipe

    def _known_pairs(self, X: Matrix) -> FloatArray | None:
        """Return the pairs of this table if they are known."""
        pairs, n_features = self._known or (None, 0)
        return pairs if pairs is not None and X.shape == (len(pairs), n_features) else None

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        """Return how a graph that this built changes with the weight of a feature; None if that is not known.

        Parameters
        ----------
        graph : SampleGraph
            What `build` returned.

        Returns
        -------
        WeightDerivative or None
            For `eigenselect.EVSC`.
        """
        return None

    def describe(self) -> dict[str, Any]:
        """Return name and parameters as plain values, for reports.

        Returns
        -------
        dict
            The name under ``"similarity"``, and the parameters.
        """
        return {"similarity": type(self).__name__, **described_search(self.get_params(deep=False))}

    def adapted_to(self, n_samples: int) -> Self:
        """Return these parameters with no more neighbours than there are (used when only a name was given).

        Parameters
        ----------
        n_samples : int
            Number of samples.

        Returns
        -------
        BaseSimilarity
            Itself if it needs no more.
        """
        most = max(1, n_samples - 1)
        return self if getattr(self, "n_neighbors", 0) <= most else clone(self).set_params(n_neighbors=most)


class _FromCallable(BaseSimilarity):
    """Any function from X to an n × n similarity matrix."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        described = self.describe()
        table = X.loaded("a function that makes a similarity takes a table in memory").in_floats()
        name = f"{owner}: the matrix that similarity={described['similarity']} returned"
        return graph_from_matrix(self.function(table.raw), X.n_samples, name=name, description=described)

    def describe(self) -> dict[str, Any]:
        return {"similarity": getattr(self.function, "__name__", repr(self.function))}


def described_search(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as plain values for a graph's description, in which ``n_components`` counts parts of the graph.

    >>> described_search({"n_neighbors": 5, "algorithm": "auto", "n_components": 50, "projection": "pca"})
    {'n_neighbors': 5, 'projected': 'pca to 50 dimensions'}
    """
    plain = dict(parameters)
    algorithm, count = plain.pop("algorithm", "auto"), plain.pop("n_components", None)
    projection, state = plain.pop("projection", "pca"), plain.pop("random_state", None)
    if algorithm != "auto":
        plain["algorithm"] = algorithm if isinstance(algorithm, str) else type(algorithm).__name__
    if count is not None:
        plain["projected"] = f"{projection} to {count} dimensions"
    if state is not None:  # what repr says of a generator is another address each time
        plain["random_state"] = int(state) if isinstance(state, Integral) else f"a {type(state).__name__}"
    return plain


def as_similarity(similarity: Any, n_samples: int, owner: str | None = None) -> BaseSimilarity:
    """Return a similarity from an object, a name, or a function of X that returns a matrix.

    A name stands for the defaults, and these follow the table: with fewer than 11 samples,
    ``"knn"`` takes all the others as neighbours. An object is used exactly as given.

    Parameters
    ----------
    similarity : str, similarity object or callable
        What a parameter ``similarity`` of a selector may be.
    n_samples : int
        Number of samples.
    owner : str, optional
        Name that errors begin with.

    Returns
    -------
    BaseSimilarity
        The object itself if it is one.

    Raises
    ------
    ValueError
        For a name that is none.
    TypeError
        For anything else, a class among them.

    See Also
    --------
    similarity_from_text : Also reads options.
    made_of_labels : Whether what a parameter stands for needs labels.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import as_similarity
    >>> as_similarity("knn", n_samples=100), as_similarity("knn", n_samples=5)
    (KNN(), KNN(n_neighbors=4))
    >>> as_similarity(lambda X: X @ X.T, n_samples=2).build(np.array([[1.0], [2.0]])).to_array()
    array([[1., 2.],
           [2., 4.]])
    """
    if isinstance(similarity, BaseSimilarity):
        return similarity
    who = "" if owner is None else f"{owner}: "
    if isinstance(similarity, type) and issubclass(similarity, BaseSimilarity):
        raise TypeError(
            f"{who}similarity must be an object, got the class {similarity.__name__}; write {similarity.__name__}()."
        )
    if isinstance(similarity, str):
        return named_similarity(similarity, owner)().adapted_to(n_samples)
    if callable(similarity):
        return _FromCallable(similarity)
    raise TypeError(
        f"{who}similarity must be a name, a similarity object or a function of X, got {type(similarity).__name__}; "
        "pass a precomputed matrix as fit(X, similarity_matrix=...)."
    )


def named_similarity(name: str, owner: str | None = None) -> type[BaseSimilarity]:
    """Return the class of a name, or refuse a name that is none, with the nearest one."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = difflib.get_close_matches(name, _BY_NAME, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    who = "" if owner is None else f"{owner}: "
    raise ValueError(f"{who}similarity must be one of {', '.join(map(repr, _BY_NAME))}, got {name!r}{hint}")


def made_of_labels(similarity: Any) -> bool:
    """Tell whether a similarity needs ``y``.

    Parameters
    ----------
    similarity : str or similarity object
        What a parameter ``similarity`` of a selector may be.

    Returns
    -------
    bool
        False also for what is no similarity.

    See Also
    --------
    as_similarity : Makes an object of a name.
    ClassLabels : One that needs labels.

    Examples
    --------
    >>> from eigenselect.similarity import made_of_labels
    >>> made_of_labels("class_labels"), made_of_labels("knn")
    (True, False)
    """
    if isinstance(similarity, str):
        return similarity in _BY_NAME and _BY_NAME[similarity].requires_labels
    return bool(getattr(similarity, "requires_labels", False))


def similarity_from_text(text: str) -> Any:
    """Read a similarity from ``name`` or ``name:option=value,…``, as the command has it.

    Parameters
    ----------
    text : str
        A name of `SIMILARITY_NAMES`, and options: parameters of its class, k for ``n_neighbors``, sigma for
        ``bandwidth``.

    Returns
    -------
    str or BaseSimilarity
        The name if there are no options, else an object with them.

    Raises
    ------
    ValueError
        For a name or an option that is none.

    See Also
    --------
    as_similarity : Makes an object of a name, or of a function.

    Examples
    --------
    >>> from eigenselect.similarity import similarity_from_text
    >>> similarity_from_text("knn:k=5,weight=binary")
    KNN(n_neighbors=5, weight='binary')
    """
    name, _, options = text.partition(":")
    kind = named_similarity(name)
    if not options:
        return name
    known = kind().get_params(deep=False)
    parameters = {}
    for part in options.split(","):
        key, separator, value = part.strip().partition("=")
        key = {"k": "n_neighbors", "sigma": "bandwidth"}.get(key, key)
        if not separator or key not in known:
            raise ValueError(f"{part.strip()!r} is no option of {name}; it has {', '.join(known) or 'none'}.")
        parameters[key] = _value(value)
    return kind(**parameters)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# -- features of a large unit ----------------------------------------------------------------------


def warn_about_units(X: Matrix, owner: str, advice: str = ADVICE, *, variances: FloatArray | None = None) -> None:
    """Warn once, with names, if the spread of a few features decides the distances between samples.

    Parameters
    ----------
    X : Matrix
        The table that distances are taken in.
    owner : str
        Name that the warning begins with.
    advice : str, optional
        What to do; by default, to scale.
    variances : ndarray, optional
        Those of the columns, if they are known.
    """
    features = dominating_features(X, variances)
    if features.size:
        verb = "makes" if features.size == 1 else "make"
        warn(
            f"{owner}: {X.list_features(features)} of {X.n_features} features {verb} up over {NEARLY_ALL:.0%} of the "
            f"squared distances between samples, so the others hardly count; {advice}.",
            UnitsWarning,
        )


def dominating_features(X: Any, variances: FloatArray | None = None) -> IntArray:
    r"""Find the features that hold nearly all of the summed variance, if they are a handful far wider than all others.

    A feature's share of the summed variance is its share of the squared distances, because
    :math:`\mathbf E \lVert x_i - x_j \rVert^2 = 2 \sum_t \mathrm{var}(f_t)`. Widest first; none in a table of one unit.

    Parameters
    ----------
    X : Matrix, ndarray, memory map or sparse matrix of shape (n_samples, n_features)
    variances : ndarray, optional
        Those of the columns, if they are known.

    Examples
    --------
    >>> dominating_features(np.array([[1.0, 900, 3], [2, 100, 5], [3, 500, 4]]))
    array([1])
    """
    variances = as_matrix(X).column_variances() if variances is None else variances
    order = np.argsort(-variances, kind="stable")
    cumulated = np.cumsum(variances[order])
    count = int(np.searchsorted(cumulated, NEARLY_ALL * cumulated[-1]) + 1)
    others = variances[order[count:]]
    typical = np.median(others[others > 0]) if (others > 0).any() else np.inf
    is_far_wider = count <= HANDFUL and variances[order[0]] >= FAR_WIDER**2 * typical
    return order[:count] if is_far_wider else order[:0]
