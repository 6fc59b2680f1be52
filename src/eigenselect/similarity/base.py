"""The interface of a similarity: parameters in, sample graph out; and the names that stand for similarities."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from eigenselect._floats import OutOfRangeError
from eigenselect._memory import memory_for
from eigenselect._typing import FloatArray
from eigenselect._warn import is_heard
from eigenselect.graph import Origin, SampleGraph, graph_from_matrix
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.similarity.derivative import WeightDerivative
from eigenselect.similarity.units import FAR_WIDER, warn_about_units

_BY_NAME: dict[str, type[BaseSimilarity]] = {}
#: a full kernel is held once, with panels of rows and what the graph adds beside it
KERNEL_PARTS = 1.1
#: names that stand for similarities with their default parameters
SIMILARITY_NAMES = _BY_NAME.keys()


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
        """Warn where this is made of distances that a few features of a large unit decide.

        Who knows the distances of a whole table was warned of it.

        Parameters
        ----------
        X : Matrix
            The table.
        owner : str
            Who speaks.
        advice : str, optional
            What to do; to scale, by default.
        variances : ndarray of shape (n_features,), optional
            Of the features, where they are known.
        n_jobs : int, default=1
            Threads that compute them where they are not.
        """
        if not self.by_distance or self._known is not None or not is_heard():
            return
        variances = X.column_variances(n_jobs=n_jobs) if variances is None else variances
        if variances.max() >= FAR_WIDER**2 * variances.min():
            warn_about_units(X, owner, advice, variances=variances)

    def room_for_pairs(self, n_samples: int, owner: str, beside: float = 0.0) -> AbstractContextManager[None]:
        """Refuse all pairs of so many samples, before they are made, where memory does not hold them.

        Parameters
        ----------
        n_samples : int
            How many samples.
        owner : str
            Who speaks.
        beside : float, default=0.0
            How many more n × n matrices whoever asked for the graph will need beside it.

        Returns
        -------
        context manager
            In which the graph is made; it raises `eigenselect.exceptions.ShortageError` where memory runs out.
        """
        if not self.holds_all_pairs:
            return nullcontext()
        needed = (KERNEL_PARTS + beside) * 8.0 * n_samples**2
        work = f"{owner}: the similarities of all pairs of {n_samples} samples ({type(self).__name__})"
        work += " and their eigenvectors" if beside else ""
        return memory_for(needed, work, "use a graph of neighbours (similarity='knn') or fewer samples")

    def build(self, X: Any, y: Any = None, *, owner: str | None = None, n_jobs: int | None = None) -> SampleGraph:
        """Make the graph.

        Where squares of values leave the range of floating point, X is divided by a power of two. A bandwidth that was
        given is divided with it, so the similarity stays the same; inner products are those of the divided table,
        because theirs are no floating-point numbers. The graph's description then tells the exponent as
        ``unit_exponent``, the bandwidth of the divided table as ``bandwidth_in_unit`` (that of X may be infinite, or
        have lost its digits) and everything else in the unit of X.

        Parameters
        ----------
        X : Matrix, ndarray or sparse matrix of shape (n_samples, n_features)
            Finite. None where labels alone make the similarity.
        y : array of shape (n_samples,), optional
            Labels, for similarities that use them; others ignore it.
        owner : str, optional
            Who speaks in errors and warnings about X and y: the class that the user called. The similarity itself by
            default, and wherever its own parameters are wrong.
        n_jobs : int, optional
            Threads; None for all cores.

        Returns
        -------
        eigenselect.graph.SampleGraph
            The graph; its ``description`` tells the parameters that made it.
        """
        labels, owner = (y if self.requires_labels else None), owner or type(self).__name__
        table: Any = X if X is None or isinstance(X, Matrix) else as_matrix(X, owner)
        try:
            graph = self._graph(table, labels, owner, n_jobs)
        except OutOfRangeError:
            exponent = table.exponent()
            graph = self._in_unit(exponent)._graph(table.divided(exponent), labels, owner, n_jobs)
            _tell_unit(graph, exponent, bandwidth=self.bandwidth_has_unit)
        graph.description = {**self.describe(), **graph.description}
        graph.origin = self.origin
        return graph

    @abstractmethod
    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        """Make the graph of the table as it is, and raise `OutOfRangeError` where squares leave floating point.

        Errors about X and y speak as the owner, errors about the similarity's own parameters as the similarity. What
        the graph's description should tell beyond `describe` goes into it.
        """

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray | None:
        """Compute the n × n distances or products of samples that this is made of; None where there are none.

        Those of some of the samples are a part of it: who makes many graphs of samples of one table computes them once,
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
            A copy that knows them.
        """
        recipe = copy(self)
        recipe._known = pairs, n_features
        return recipe

    def _known_pairs(self, X: Matrix) -> FloatArray | None:
        """Return the pairs of this table if they are known."""
        if self._known is None or X.shape != (len(self._known[0]), self._known[1]):
            return None
        return self._known[0]

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        """Tell how a graph that this built changes with the weight of a feature; None where that is not known.

        For features in the unit in which the graph was made, see `build`.

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
        return {"similarity": type(self).__name__, **self.get_params(deep=False)}

    def adapted_to(self, n_samples: int) -> Self:
        """Return these parameters with no more neighbours than there are (used when only a name was given).

        Parameters
        ----------
        n_samples : int
            Number of samples.

        Returns
        -------
        BaseSimilarity
            Itself where it asks for no more.
        """
        most = max(1, n_samples - 1)
        return self if getattr(self, "n_neighbors", 0) <= most else clone(self).set_params(n_neighbors=most)

    def _in_unit(self, exponent: int) -> Self:
        """Return the same similarity for a table that was divided by 2^exponent."""
        bandwidth = getattr(self, "bandwidth", None)
        if not (isinstance(bandwidth, Real) and self.bandwidth_has_unit):
            return self
        return clone(self).set_params(bandwidth=float(np.ldexp(float(bandwidth), -exponent)))


def _tell_unit(graph: SampleGraph, exponent: int, *, bandwidth: bool) -> None:
    """Describe a graph that was made of a table divided by 2^exponent, and whether that divided the bandwidth."""
    graph.description["unit_exponent"] = exponent
    sigma = graph.description.get("bandwidth_used")
    if bandwidth and sigma is not None:
        graph.description["bandwidth_in_unit"] = sigma
        with np.errstate(over="ignore"):  # a distance may be infinite where no value is
            graph.description["bandwidth_used"] = float(np.ldexp(sigma, exponent))


class _FromCallable(BaseSimilarity):
    """Any function from X to an n × n similarity matrix."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        described = self.describe()
        source = f"the matrix that similarity={described['similarity']} returned"
        source = source if owner == type(self).__name__ else f"{owner}: {source}"
        return graph_from_matrix(
            self.function(X.loaded("a function that makes a similarity takes a table in memory").in_floats().raw),
            X.n_samples,
            name=source,
            description=described,
        )

    def describe(self) -> dict[str, Any]:
        return {"similarity": getattr(self.function, "__name__", repr(self.function))}


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
        Who speaks in errors.

    Returns
    -------
    BaseSimilarity
        The object itself where it is one.

    Raises
    ------
    ValueError
        For a name that is none.
    TypeError
        For anything else, a class among them.

    See Also
    --------
    similarity_from_text : Reads options, too.
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
