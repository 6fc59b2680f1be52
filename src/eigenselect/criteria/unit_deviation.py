"""Features at unit standard deviation, for criteria whose scores grow with the scale of a feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._scaling import column_exponents, divided, zeroed
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph, UnweightedGraph

FloatArray = NDArray[np.float64]

#: values of the parameter ``scale``
SCALES = ("unit", None)


def check_scale(scale: Any, owner: str, choices: tuple[str | None, ...] = SCALES) -> None:
    """Refuse a ``scale`` that is none of the choices."""
    if not any(scale is choice or (isinstance(scale, str) and scale == choice) for choice in choices):
        expected = " or ".join(map(repr, choices))
        raise ValueError(f"{owner}: scale must be {expected}, got {scale!r}.")


def feature_variances(X: Any, graph: SampleGraph, n_jobs: int | None = None) -> FloatArray:
    """Variance of every feature over the samples that are not isolated, each counting the same; X may be sparse."""
    if graph.isolated.any():
        X = (X.tocsr() if sparse.issparse(X) else X)[~graph.isolated]
    no_edges = UnweightedGraph(sparse.csr_array((X.shape[0], X.shape[0])))
    terms = feature_terms(X, no_edges, PowerForm(1), n_jobs=n_jobs).in_unit_of_table("TraceRatio")
    return np.asarray(terms.spread / X.shape[0])


def at_unit_deviation(X: FloatArray, graph: SampleGraph, unused: NDArray[np.bool_] | None = None) -> FloatArray:
    """Features divided by their standard deviation over samples that are not isolated, for looking and checking.

    NaN for constant ones; 0 for samples that count nowhere: the isolated ones, unless ``unused`` says which.
    """
    X = zeroed(X, graph.isolated if unused is None else unused)
    X = divided(X, column_exponents(X))
    live = X[~graph.isolated]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(live.max(axis=0) > live.min(axis=0), X / live.std(axis=0), np.nan))
