"""Tables whose squared distances or products would leave the range of floating point, in another unit."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from eigenselect._scaling import OutOfRangeError, divided, table_exponent
from eigenselect.graph import SampleGraph

Build = Callable[..., SampleGraph]


def in_any_unit(build: Build) -> Build:
    """A decorator of `BaseSimilarity.build`: where squares leave the range, X is divided by a power of two.

    A bandwidth that was given is divided with it, so the similarity stays the same; inner products are those of the
    divided table, because theirs are no floating-point numbers. The graph's description tells the exponent as
    ``unit_exponent``, the bandwidth of the divided table as ``bandwidth_in_unit`` (that of X may be infinite, or have
    lost its digits) and everything else in the unit of X.
    """

    @wraps(build)
    def build_in_any_unit(self: Any, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        try:
            return build(self, X, y, n_jobs=n_jobs)
        except OutOfRangeError:
            exponent = table_exponent(X)
        graph = build(_in_unit(self, exponent), divided(X, exponent), y, n_jobs=n_jobs)
        graph.description.update(self.describe(), unit_exponent=exponent)
        sigma = graph.description.get("bandwidth_used")
        if sigma is not None:
            graph.description["bandwidth_in_unit"] = sigma
            with np.errstate(over="ignore"):  # a distance may be infinite where no value is
                graph.description["bandwidth_used"] = float(np.ldexp(sigma, exponent))
        return graph

    return build_in_any_unit


def bandwidth_in_unit(graph: SampleGraph) -> float | None:
    """The bandwidth that was used, in the unit in which the graph was made; None where there is not one."""
    found = graph.description.get("bandwidth_in_unit", graph.description["bandwidth_used"])
    return None if found is None else float(found)


def _in_unit(similarity: Any, exponent: int) -> Any:
    """The same similarity for a table that was divided by 2^exponent."""
    bandwidth = getattr(similarity, "bandwidth", None)
    if not isinstance(bandwidth, Real):
        return similarity
    return clone(similarity).set_params(bandwidth=float(np.ldexp(float(bandwidth), -exponent)))
