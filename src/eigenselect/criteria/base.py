"""What every criterion can be asked: scores, direction, and the two matrices of the theorem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._rounding import SAME

FloatArray = NDArray[np.float64]


class BaseCriterion(ABC):
    r"""A (similarity, normalisation, spectral function) triple, bound to one sample graph.

    The theorem: `relevance` of a feature f is :math:`\hat f^\top \hat S \hat f`, where :math:`\hat S` is `matrix` and
    :math:`\hat f` a column of `features`; `native_scores` are the same ordering in the literature's own values.
    """

    @property
    @abstractmethod
    def larger_is_better(self) -> bool:
        """Direction of the native scores."""

    @abstractmethod
    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """The literature's score of every feature; NaN where it is undefined."""

    @abstractmethod
    def relevance(self, native: FloatArray) -> FloatArray:
        """f̂ᵀŜf̂ from the native scores: larger is better."""

    def tolerance(self, native: FloatArray) -> FloatArray:
        """How far apart rounding can take two native scores that are equal by their formula."""
        return SAME * np.abs(native)

    @abstractmethod
    def matrix(self) -> FloatArray:
        """Ŝ as a dense array, for looking and checking."""

    @abstractmethod
    def features(self, X: FloatArray) -> FloatArray:
        """F̂ as a dense array, for looking and checking."""
