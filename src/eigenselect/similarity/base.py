"""The interface of a similarity: parameters in, sample graph out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from eigenselect.graph import SampleGraph
from eigenselect.similarity.derivative import WeightDerivative


class BaseSimilarity(BaseEstimator, ABC):
    """A recipe for a sample similarity, with scikit-learn's parameters.

    A new similarity is a subclass in a file of its own with `build`, and one line in `registry`
    if it should have a name; nothing else changes.

    Attributes
    ----------
    requires_labels : bool
        Whether `build` needs ``y``.
    by_distance : bool
        Whether Euclidean distances between samples make it, so that features of a large unit outweigh the others.
    """

    requires_labels: bool = False

    @property
    def by_distance(self) -> bool:
        """Cosines and inner products are not distances: they are meant for counts, whose spreads differ by nature."""
        return False

    @abstractmethod
    def build(self, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        """Make the graph.

        Parameters
        ----------
        X : ndarray or CSR/CSC matrix of shape (n_samples, n_features)
            Validated and finite.
        y : array of shape (n_samples,), optional
            Labels, for similarities that use them.
        n_jobs : int, optional
            Threads; ``None`` for all cores.
        """

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        """How a graph that this built changes with the weight of a feature; None where that is not known.

        For features in the unit in which the graph was made: see `eigenselect.similarity.out_of_range.in_any_unit`.
        """
        return None

    def describe(self) -> dict[str, Any]:
        """Name and parameters as plain values, for reports."""
        return {"similarity": type(self).__name__, **self.get_params(deep=False)}

    def adapted_to(self, n_samples: int) -> Self:
        """These parameters with no more neighbours than there are (used when only a name was given)."""
        parameters = self.get_params(deep=False)
        if "n_neighbors" in parameters:
            parameters["n_neighbors"] = min(parameters["n_neighbors"], max(1, n_samples - 1))
        return type(self)(**parameters)


def check_neighbors(owner: BaseSimilarity, n_neighbors: Any, n_samples: int) -> int:
    """``n_neighbors`` as an int between 1 and n_samples - 1, or an error that names its owner."""
    name = type(owner).__name__
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, (int, np.integer)):
        raise TypeError(f"{name}: n_neighbors must be an integer, got {n_neighbors!r}.")
    if not 1 <= n_neighbors < n_samples:
        raise ValueError(
            f"{name}: n_neighbors must be between 1 and n_samples - 1 = {n_samples - 1}, got {n_neighbors}; "
            "lower it or add samples."
        )
    return int(n_neighbors)


def check_choice(owner: BaseSimilarity, parameter: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not among the names of a parameter."""
    if value not in choices:
        expected = ", ".join(map(repr, choices))
        raise ValueError(f"{type(owner).__name__}: {parameter} must be one of {expected}, got {value!r}.")
