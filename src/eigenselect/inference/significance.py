"""The routes to a p-value: which one a graph needs depends on what it was made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from eigenselect._checks import share
from eigenselect._typing import FloatArray
from eigenselect.graph import Origin, SampleGraph
from eigenselect.inference.discoveries import benjamini_hochberg
from eigenselect.matrix import DaskMatrix, Matrix

if TYPE_CHECKING:
    from eigenselect.criteria.criterion import Scores


#: samples that a permutation needs to tell anything
FEWEST_SAMPLES = 5


def refuse_few_samples(n_samples: int, owner: str) -> None:
    """Refuse samples of which too few count for any of their orders to be rare."""
    if n_samples < FEWEST_SAMPLES:
        raise ValueError(
            f"{owner}: significance needs at least {FEWEST_SAMPLES} samples that count, got {n_samples}; leave "
            "significance out, or give more samples."
        )


@dataclass(frozen=True)
class Evidence:
    """How sure the scores are: what a route returns.

    Attributes
    ----------
    qvalues : ndarray of shape (n_features,)
        The smallest false discovery rate at which a feature is kept; NaN where it has no score.
    pvalues : ndarray of shape (n_features,) or None
        How often a feature without relation to the graph scores as well; None where the route has none.
    null_mean, null_sd : ndarray of shape (n_features,) or None
        Mean and spread of the native score of such a feature.

    See Also
    --------
    Route : Makes it.
    Request : What a route is given.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.inference import Evidence, benjamini_hochberg
    >>> pvalues = np.array([0.01, 0.5])
    >>> sorted(Evidence(benjamini_hochberg(pvalues), pvalues).attributes())
    ['pvalues_', 'qvalues_']
    """

    qvalues: FloatArray
    pvalues: FloatArray | None = None
    null_mean: FloatArray | None = None
    null_sd: FloatArray | None = None

    def attributes(self) -> dict[str, FloatArray]:
        """Return what there is as fitted attributes of a selector.

        Returns
        -------
        dict of str to ndarray
            ``qvalues_``, and those of ``pvalues_``, ``null_mean_`` and ``null_sd_`` that the route has.
        """
        found = {
            "pvalues_": self.pvalues,
            "qvalues_": self.qvalues,
            "null_mean_": self.null_mean,
            "null_sd_": self.null_sd,
        }
        return {name: values for name, values in found.items() if values is not None}


@dataclass(frozen=True)
class Request:
    """What a route is given.

    Attributes
    ----------
    table : Matrix
        The features, on the samples that the graph is about.
    criterion : Criterion or another scorer with a ``null_ratio``
        What scored, on the graph of the fit.
    scores : Scores
        What it found.
    rebuild : callable
        ``rebuild(table, similarity=None)`` makes the method's criterion on the graph of another `Matrix` of the same
        samples, by the method's own similarity or by the one given.
    similarity : any
        The method's own similarity: a name, an object or a callable.
    owner : str
        Who speaks in errors and warnings.
    n_jobs : int or None
        Threads; None for all cores.
    random_state : any
        That of the selector.
    verbose : bool
        Whether progress is shown on stderr.

    See Also
    --------
    Route.test : Is called with it.
    Evidence : What a route returns.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from eigenselect.inference import Permutation
    >>> class Talkative(Permutation):
    ...     def test(self, request):
    ...         print(request.owner, request.table.shape, request.scores.larger_is_better)
    ...         return super().test(request)
    >>> es.FisherScore(2, significance=Talkative()).fit(*load_wine(return_X_y=True)).pvalues_.shape
    FisherScore (178, 13) True
    (13,)
    """

    table: Matrix
    criterion: Any
    scores: Scores
    rebuild: Callable[..., Any]
    similarity: Any
    owner: str
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int | bool = False


class Route(BaseEstimator, ABC):
    """A way to p-values or q-values that is honest on graphs of some origin.

    A subclass says how users write it, on which graphs it is honest, and defines `test`. Its constructor only stores
    parameters, as in scikit-learn.

    Attributes
    ----------
    spelling : str
        How a user writes it, for messages.
    origins : frozenset of Origin
        Origins of graphs on which it is honest.

    See Also
    --------
    Permutation : Graphs of labels or of another table.
    Given : Precomputed matrices.
    Split : Graphs of the features that are judged; p-values.
    Shadows : Graphs of the features that are judged; q-values only.
    eigenselect.graph.Origin : What a graph was made from.

    Examples
    --------
    >>> from eigenselect.graph import Origin
    >>> from eigenselect.inference import Permutation, Split
    >>> Origin.FEATURES in Split().origins, Origin.FEATURES in Permutation().origins
    (True, False)
    """

    #: how a user writes it
    spelling: str
    #: origins of graphs on which it is honest
    origins: frozenset[Origin]

    def check(self, origin: Origin, owner: str) -> None:
        """Refuse a graph on which the route would not be honest, and say what to do.

        Parameters
        ----------
        origin : Origin
            What the graph was made from.
        owner : str
            Who speaks in the error.

        Raises
        ------
        ValueError
            If the origin is not one of `origins`.
        """
        if origin not in self.origins:
            raise ValueError(f"{owner}: significance={self.spelling} {self.refusal(origin)}")

    def refusal(self, origin: Origin) -> str:
        """Say why the route does not suit graphs of this origin, and which does.

        Parameters
        ----------
        origin : Origin
            What the graph was made from.

        Returns
        -------
        str
            The end of a sentence, after the route's name.
        """
        return _REFUSALS[origin]

    def check_parameters(self, owner: str) -> None:
        """Refuse bad parameters before anything is computed.

        Parameters
        ----------
        owner : str
            Who speaks in the error.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        """

    def announce(self, table: Matrix, graph: SampleGraph) -> None:
        """Tell a table what will be asked of it, before it is scored: one that is elsewhere tells both at once.

        Parameters
        ----------
        table : Matrix
            The features.
        graph : SampleGraph
            The graph on which they are scored.
        """

    @abstractmethod
    def test(self, request: Request) -> Evidence:
        """Judge every feature.

        Parameters
        ----------
        request : Request
            The features, what scored them, and how to make graphs of others.

        Returns
        -------
        Evidence
            The q-values, and p-values where the route has them.
        """


#: what is said of a graph that does not suit the route
_REFUSALS = {
    Origin.FEATURES: (
        "needs a sample graph that did not see these features, got one made of them, on which noise looks significant, "
        "too; use 'split' or 'shadows', or a graph from elsewhere (labels, similarity=FromTable(coordinates))."
    ),
    Origin.GIVEN: (
        "does not fit a precomputed matrix, whose origin nobody can see; if it was built from these "
        "features, use their similarity with significance='split' in place of the matrix, else significance='given'."
    ),
    Origin.LABELS: (
        "does not fit a graph made of labels, which did not see the features; use significance=True, unless the labels "
        "were found by clustering these features."
    ),
    Origin.ELSEWHERE: (
        "does not fit a graph made of another table, which did not see the features; use significance=True, unless "
        "that table was computed from these features."
    ),
}


class Permutation(Route):
    """P-values of features whose values are exchangeable over the samples, on a graph that did not see them.

    The first three moments over all permutations are exact, and a Pearson type III curve with these moments gives the
    tail; random permutations refine it where these do not tell it: of rare and of skewed features, and where few
    samples or edges hold the graph.

    Parameters
    ----------
    precision : float or None, default=0.1
        Relative standard error that refined p-values aim at; None for no refinement.
    random_state : int, RandomState or None, default=None
        Of the random permutations; None takes the selector's.

    See Also
    --------
    Given : The same on a precomputed matrix.
    Split, Shadows : For graphs that are made of the features.

    Notes
    -----
    A p-value is the share of all orders of the samples in which the feature would score at least as well; features
    without a score have none. The q-values are those of `benjamini_hochberg`.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.inference import Permutation
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> X = rng.normal(size=(60, 40))
    >>> X[:, :8] += 2 * y[:, None]  # the first eight differ between the classes
    >>> selector = es.FisherScore("fdr", significance=Permutation(precision=0.05)).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 2, 3, 4, 5, 6, 7])
    """

    spelling = "True"
    origins = frozenset({Origin.LABELS, Origin.ELSEWHERE})

    def __init__(self, precision: float | None = 0.1, *, random_state: Any = None) -> None:
        self.precision = precision
        self.random_state = random_state

    def check_parameters(self, owner: str) -> None:
        if self.precision is not None:
            share(self.precision, "precision", f"{owner}: {type(self).__name__}", zero=False, one=False)

    def announce(self, table: Matrix, graph: SampleGraph) -> None:
        if isinstance(table, DaskMatrix):
            from eigenselect.inference.pooled_sums import expect_power_sums

            expect_power_sums(table, np.flatnonzero(~graph.isolated) if graph.isolated.any() else None)

    def test(self, request: Request) -> Evidence:
        from eigenselect.inference.permutation import criterion_test

        found = criterion_test(
            request.criterion,
            request.table,
            request.scores.native,
            n_jobs=request.n_jobs,
            monte_carlo=self._refine(request),
            owner=request.owner,
        )
        return Evidence(
            qvalues=benjamini_hochberg(found.pvalues),
            pvalues=found.pvalues,
            null_mean=found.null_mean,
            null_sd=found.null_sd,
        )

    def _refine(self, request: Request) -> Callable[..., FloatArray] | None:
        """Return what refines tails that the moments do not tell, if asked for."""
        if self.precision is None:
            return None
        from eigenselect.inference.monte_carlo import refine

        seed = request.random_state if self.random_state is None else self.random_state
        return partial(refine, random_state=seed, precision=self.precision, n_jobs=request.n_jobs)


class Given(Permutation):
    """`Permutation` on a precomputed similarity matrix: the user says that it was not made of these features.

    Parameters
    ----------
    precision : float or None, default=0.1
        Relative standard error that refined p-values aim at; None for no refinement.
    random_state : int, RandomState or None, default=None
        Of the random permutations; None takes the selector's.

    See Also
    --------
    Permutation : The same test, on graphs whose origin is known.
    eigenselect.similarity.FromTable : A graph of another table, which needs no promise.

    Examples
    --------
    Samples on a ring, and a feature that goes around it once:

    >>> import numpy as np
    >>> import eigenselect as es
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> ring = np.roll(np.eye(40), 1, axis=1)
    >>> noise = np.random.default_rng(0).normal(size=(40, 3))
    >>> X = np.column_stack([np.sin(angle), noise])
    >>> selector = es.LaplacianScore(1, significance="given").fit(X, similarity_matrix=ring + ring.T)
    >>> (selector.qvalues_ < 0.05).tolist()
    [True, False, False, False]
    """

    spelling = "'given'"
    origins = frozenset({Origin.GIVEN})

    def refusal(self, origin: Origin) -> str:
        instead = "'split' or 'shadows' for the graph of these features" if origin is Origin.FEATURES else "True"
        return (
            "says that a precomputed similarity_matrix was not made of these features, but the graph is "
            f"{origin}; pass a similarity_matrix, or use {instead}."
        )


def as_route(significance: Any, owner: str) -> Route | None:
    """Return the route of a ``significance``: an object, or what stands for one.

    Parameters
    ----------
    significance : None, bool, str or Route
        As selectors take it: None or False for no test, True for `Permutation`, ``"given"``, ``"split"``,
        ``"shadows"``, or an object.
    owner : str
        Who speaks in errors.

    Returns
    -------
    Route or None
        None for no test.

    Raises
    ------
    ValueError
        If it is none of these, or the parameters of the object are out of range.

    See Also
    --------
    Route : What is returned.

    Examples
    --------
    >>> from eigenselect.inference import as_route
    >>> as_route("given", "SPEC")
    Given()
    """
    if significance is None or significance is False:
        return None
    if isinstance(significance, Route):
        significance.check_parameters(owner)
        return significance
    if significance is True:
        return Permutation()
    if isinstance(significance, str) and significance in _BY_NAME:
        module, _, name = _BY_NAME[significance].rpartition(".")
        route: Route = getattr(import_module(module), name)()
        return route
    names = ", ".join(map(repr, _BY_NAME))
    raise ValueError(
        f"{owner}: significance must be None, True, {names} or an object of eigenselect.inference, got "
        f"{significance!r}."
    )


_BY_NAME = {
    "given": "eigenselect.inference.significance.Given",
    "split": "eigenselect.inference.split.Split",
    "shadows": "eigenselect.inference.shadows.Shadows",
}
