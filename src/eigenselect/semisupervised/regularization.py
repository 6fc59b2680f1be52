"""Choose λ: the one whose top features give the sample graph the smallest cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import SampleGraph

#: among equal cuts the λ nearest to this one wins: what the paper uses throughout
USUAL = 0.1
#: cuts closer than this are equal: a graph that hangs together by a thread is no better than one in two parts
SAME_CUT = 1e-6


@dataclass(frozen=True)
class RegularizationPath:
    """λ's, the cut value of each, and the one to take."""

    values: FloatArray
    cuts: FloatArray

    @property
    def n_apart(self) -> int:
        """How many of the cuts are 0: their graphs fall apart."""
        return int((self.cuts <= SAME_CUT).sum())

    @property
    def best(self) -> float:
        """The λ of the smallest cut; ties, which say nothing, go to the one nearest to 0.1."""
        lowest = np.nanmin(self.cuts) if not np.isnan(self.cuts).all() else np.nan
        smallest = self.cuts <= lowest + SAME_CUT if not np.isnan(lowest) else np.ones(len(self.cuts), dtype=bool)
        candidates = self.values[smallest]
        return float(candidates[np.argmin(np.abs(candidates - USUAL))])


def regularization_path(
    values: FloatArray,
    top_features: Callable[[float], IntArray],
    build: Callable[[IntArray], SampleGraph],
    random_state: Any = None,
) -> RegularizationPath:
    r"""Compute the cut value of the top features of every λ, with one graph for each *distinct* set of them.

    The cut value is the second smallest eigenvalue of the normalised Laplacian of the graph that is built from these
    features alone: how well they let the samples fall into two groups.

    Parameters
    ----------
    values : array
        λ's.
    top_features : callable
        From λ to the columns that it selects.
    build : callable
        From columns to the sample graph on them.
    random_state : int, RandomState or None
        Start vector of the eigensolver; None is a fixed one.

    References
    ----------
    Zhao and Liu (2007), Algorithm 3, doi:10.1137/1.9781611972771.75.
    """
    known: dict[bytes, float] = {}
    cuts = np.empty(len(values))
    for index, value in enumerate(values):
        columns = np.sort(top_features(float(value)))
        key = columns.tobytes()
        if key not in known:
            known[key] = cut_value(build(columns), random_state)
        cuts[index] = known[key]
    return RegularizationPath(np.asarray(values, dtype=np.float64), cuts)


def cut_value(graph: SampleGraph, random_state: Any = None) -> float:
    """Return the second smallest eigenvalue of N; NaN for a graph with fewer than two connected samples."""
    if graph.n_live < 2:
        return np.nan
    return float(graph.spectrum(2, random_state).eigenvalues[1])
