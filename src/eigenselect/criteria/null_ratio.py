"""A native score as a ratio of two quadratic forms of the feature itself: what its null distribution is made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.structured import AnyForm, SymmetricForm
from eigenselect.matrix.covariates import centred_basis


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

    def of_residuals(self, basis: FloatArray | None) -> NullRatio:
        r"""Return the ratio of features out of which orthonormal covariates Q are taken, after they are permuted, too.

        With :math:`R = I - QQ^\top` the forms are RAR and RBR: what is permuted are residuals, and a permuted one is
        made a residual again. Where not all samples count, Q is made orthonormal and centred over those that do.

        Parameters
        ----------
        basis : ndarray of shape (n, rank) or None
            Q over all samples; None for no covariates.
        """
        if basis is None:
            return self
        if self.rows is not None:
            basis = centred_basis(basis[self.rows])
        denominator = None if self.denominator is None else self.denominator.projected(basis)
        return replace(self, numerator=self.numerator.projected(basis), denominator=denominator)

    @property
    def log_symmetries(self) -> float:
        r"""Logarithm of the number of permutations that change no score: :math:`\prod_l n_l!` of classes, else 1."""
        forms = [form for form in (self.numerator, self.denominator) if form is not None]
        parts = [form for form in forms if isinstance(form, SymmetricForm)]
        classes = next((form.classes for form in parts if form.classes is not None), None)
        if classes is None or len(parts) < len(forms) or not all(form.is_blind_within(classes) for form in parts):
            return 0.0
        return float(gammaln(classes.sizes + 1.0).sum())

    def values(self, X: FloatArray) -> FloatArray:
        """Compute the native score of every column over the samples that count, for looking and checking."""
        X = X - X.mean(axis=0) if self.centred else X
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = 1.0 if self.denominator is None else self.denominator.quadratic(X)
            return np.asarray(self.numerator.quadratic(X) / denominator)
