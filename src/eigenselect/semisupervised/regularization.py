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
    """The λ's that were tried, the cut value of each, and the one to take.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        The λ's.
    cuts : ndarray of shape (n_values,)
        Cut value of the top features of each; NaN where their graph has fewer than two connected samples.

    See Also
    --------
    regularization_path : Computes it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.semisupervised import RegularizationPath
    >>> RegularizationPath(np.array([0.1, 0.5, 0.9]), np.array([0.3, 0.2, 0.4])).best
    0.5
    """

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
    values : array of float
        The λ's, each from 0 to 1.
    top_features : callable
        From λ to the columns that it selects.
    build : callable
        From columns to the sample graph on them.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver; None is a fixed one.

    Returns
    -------
    RegularizationPath
        One cut per λ.

    See Also
    --------
    eigenselect.SSelect : Chooses λ by it with ``regularization="auto"``.
    RegularizationPath.best : The λ to take.

    References
    ----------
    Zhao and Liu, Semi-supervised feature selection via spectral analysis, SDM 2007, Algorithm 3,
    doi:10.1137/1.9781611972771.75.

    Examples
    --------
    The first feature lets the samples fall into two groups, the second does not:

    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph
    >>> from eigenselect.semisupervised import regularization_path
    >>> X = np.column_stack([np.repeat([0.0, 3.0], 10), np.linspace(0, 1, 20)])
    >>> path = regularization_path(
    ...     np.array([0.1, 0.9]),
    ...     top_features=lambda value: np.array([0 if value > 0.5 else 1]),
    ...     build=lambda columns: SampleGraph(np.exp(-((X[:, columns] - X[:, columns].T) ** 2))),
    ... )
    >>> path.cuts.round(2), path.best
    (array([0.83, 0.  ]), 0.9)
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
