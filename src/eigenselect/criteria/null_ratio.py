"""A native score as a ratio of two quadratic forms of the feature itself: what its null distribution is made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.structured import AnyForm


@dataclass(frozen=True)
class NullRatio:
    r"""The native score :math:`f^\top A f / f^\top B f` of a feature f, over the samples that count.

    Whether a permuted feature is as good as the observed one with score r is a question about one quadratic form:
    for :math:`f^\top B f > 0` the score is at most r if and only if :math:`f^\top (A - rB) f \le 0`.

    Attributes
    ----------
    numerator : SymmetricForm or ImplicitForm
        A, over the samples of `rows`.
    denominator : SymmetricForm, ImplicitForm or None
        B; None for the constant 1.
    larger_is_better : bool
        Direction of the score.
    centred : bool
        Whether the score does not change when a constant is added to the feature: A1 = B1 = 0.
    n_samples : int
        Samples that count.
    rows : array of int or None
        Which of all samples these are; None for all. Isolated samples count nowhere and are not permuted.

    Examples
    --------
    >>> from eigenselect.criteria.structured import SymmetricForm
    >>> A = SymmetricForm.of(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> NullRatio(A, SymmetricForm.diagonal_matrix(np.ones(2)), True, False, 2).values(np.array([[1.0], [3.0]]))
    array([0.4])
    """

    numerator: AnyForm
    denominator: AnyForm | None
    larger_is_better: bool
    centred: bool
    n_samples: int
    rows: IntArray | None = None

    @classmethod
    def over_live(
        cls,
        numerator: AnyForm,
        denominator: AnyForm | None,
        isolated: BoolArray,
        *,
        larger_is_better: bool,
        centred: bool,
    ) -> NullRatio:
        """Make the ratio of forms over all samples, of which some count nowhere."""
        rows = np.flatnonzero(~isolated) if isolated.any() else None
        if rows is not None:
            numerator = numerator.restricted(rows)
            denominator = None if denominator is None else denominator.restricted(rows)
        return cls(numerator, denominator, larger_is_better, centred, numerator.n_samples, rows)

    def values(self, X: FloatArray) -> FloatArray:
        """Compute the native score of every column over the samples that count, for looking and checking."""
        X = X - X.mean(axis=0) if self.centred else X
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = 1.0 if self.denominator is None else self.denominator.quadratic(X)
            return np.asarray(self.numerator.quadratic(X) / denominator)
