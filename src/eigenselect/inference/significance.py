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
    """How sure the scores are.

    Attributes
    ----------
    qvalues : ndarray of shape (n_features,)
        The smallest false discovery rate at which a feature is kept; NaN where it has no score.
    pvalues : ndarray of shape (n_features,) or None
        How often a feature without relation to the graph scores as well; None where the route has none.
    null_mean, null_sd : ndarray of shape (n_features,) or None
        Mean and spread of the native score of such a feature.
    """

    qvalues: FloatArray
    pvalues: FloatArray | None = None
    null_mean: FloatArray | None = None
    null_sd: FloatArray | None = None

    def attributes(self) -> dict[str, FloatArray]:
        """Return what there is as fitted attributes."""
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
    criterion : Criterion or another scorer with a `null_ratio`
        What scored, on the graph of the fit.
    scores : Scores
    rebuild : callable
        ``rebuild(table, similarity=None)`` makes the method's criterion on the graph of another `Matrix` of the same
        samples, by the method's own similarity or by the one given.
    similarity : any
        The method's own similarity: a name, an object or a callable.
    owner : str
        Who speaks in errors and warnings.
    n_jobs : int or None
    random_state : any
    verbose : bool
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
    """A way to p-values or q-values that is honest on graphs of some origin."""

    #: how a user writes it
    spelling: str
    #: origins of graphs on which it is honest
    origins: frozenset[Origin]

    def check(self, origin: Origin, owner: str) -> None:
        """Refuse a graph on which the route would not be honest, and say what to do."""
        if origin not in self.origins:
            raise ValueError(f"{owner}: significance={self.spelling} {self.refusal(origin)}")

    def refusal(self, origin: Origin) -> str:
        """Say why the route does not suit graphs of this origin, and which does."""
        return _REFUSALS[origin]

    def check_parameters(self, owner: str) -> None:
        """Refuse bad parameters before anything is computed."""

    def announce(self, table: Matrix, graph: SampleGraph) -> None:
        """Tell a table what will be asked of it, before it is scored: one that is elsewhere tells both at once."""

    @abstractmethod
    def test(self, request: Request) -> Evidence:
        """Judge every feature."""


#: what is said of a graph that does not suit the route
_REFUSALS = {
    Origin.FEATURES: (
        "needs a sample graph that did not see these features, got one made of them, on which noise looks significant, "
        "too; use 'split' or 'shadows', or a graph from elsewhere (labels, similarity=FromTable(coordinates))."
    ),
    Origin.GIVEN: (
        "does not fit a precomputed matrix, whose origin nobody can see; use significance='given' to say that it was "
        "not made of these features."
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
    tail; where a feature is rare and its tail deep, random permutations of its non-zeros refine it.

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
        """Return what refines deep tails of rare features, if asked for."""
        if self.precision is None:
            return None
        from eigenselect.inference.monte_carlo import refine

        seed = request.random_state if self.random_state is None else self.random_state
        return partial(refine, random_state=seed, precision=self.precision, n_jobs=request.n_jobs)


class Given(Permutation):
    """`Permutation` on a precomputed similarity matrix: the user says that it was not made of these features.

    Parameters
    ----------
    precision, random_state
        See `Permutation`.
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
