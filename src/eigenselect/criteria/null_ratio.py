"""A native score as a ratio of two quadratic forms of the feature itself: what its null distribution is made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.matrix.covariates import centred_basis

#: random features whose mean score stands for that of all, of many samples
MEAN_PROBES = 16
#: part of themselves that is left of scores, or of entries, where A is nearly cB
NEARLY = 0.01
#: what is left of two forms below this part of their entries, and of terms that cancel in them, is rounding
NOTHING_LEFT = 1e-11
#: one over the part of the samples that is as many vectors as make a form dense
FULL_RANK = 4


@dataclass(frozen=True)
class NullRatio:
    r"""The native score :math:`f^\top A f / f^\top B f` of a feature f, over the samples that count.

    Whether a permuted feature is as good as the observed one with score r is a question about one quadratic form:
    for :math:`f^\top B f > 0` the score is at most r if and only if :math:`f^\top (A - rB) f \le 0`.

    Attributes
    ----------
    numerator : SymmetricForm
        A, over the samples of `rows`.
    denominator : SymmetricForm or None
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

    numerator: SymmetricForm
    denominator: SymmetricForm | None
    larger_is_better: bool
    centred: bool
    n_samples: int
    rows: IntArray | None = None

    @classmethod
    def over_live(
        cls,
        numerator: SymmetricForm,
        denominator: SymmetricForm | None,
        isolated: BoolArray,
        *,
        larger_is_better: bool,
        centred: bool,
    ) -> NullRatio:
        """Make the ratio of forms over all samples, of which isolated ones count nowhere."""
        rows = np.flatnonzero(~isolated) if isolated.any() else None
        if rows is not None:
            numerator = numerator.restricted(rows)
            denominator = None if denominator is None else denominator.restricted(rows)
        return cls(numerator, denominator, larger_is_better, centred, numerator.n_samples, rows)

    def of_residuals(self, basis: FloatArray | None) -> NullRatio:
        r"""Return the ratio of features without orthonormal covariates Q, which are also taken out after permuting.

        With :math:`R = I - QQ^\top` the forms are RAR and RBR: what is permuted are residuals, and a permuted one is
        made a residual again. If not all samples count, Q is made orthonormal and centred over those that do.

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

    def around_mean(self, most_samples: int) -> tuple[NullRatio, float]:
        r"""Return the ratio of A - cB to B, and c, the mean score.

        .. math:: \frac{f^\top A f}{f^\top B f} = c + \frac{f^\top (A - cB) f}{f^\top B f}, \qquad
                  c = \mathrm{tr}(HAH) / \mathrm{tr}(HBH)

        If all eigenvalues of N are nearly equal, or after heat has flown for long, A is nearly cB, and of powers of
        the whole nothing but rounding is left. Of more than ``most_samples`` samples and a form that is known by
        products, c is the mean of a few random features. The ratio itself and 0 if A is sparse or not nearly cB, or if
        constants change scores, which may then be of any size.
        """
        A, B = self.numerator, self.denominator
        is_full = A.is_implicit or A.is_dense or FULL_RANK * A.V.shape[1] > self.n_samples
        if B is None or not self.centred or not is_full:
            return self, 0.0
        if self.n_samples <= most_samples:
            A, B = self.explicit
            rest, c, part = _dense_rest(A, B)
            left = SymmetricForm.of(rest)
        elif A.is_implicit:
            probes = np.random.RandomState(0).standard_normal((self.n_samples, MEAN_PROBES))
            gain, cost = A.quadratic(probes), B.quadratic(probes)
            c = float(gain.sum() / cost.sum()) if cost.sum() > 0 else 0.0
            part, left = np.abs(gain - c * cost).max() / np.abs(gain).max(), A.minus(B.scaled(c))
        else:
            return self, 0.0
        return (replace(self, numerator=left), c) if part <= NEARLY else (self, 0.0)

    @cached_property
    def explicit(self) -> list[SymmetricForm]:
        """Numerator and denominator, if there is one, in parts: what is known by products only is multiplied out."""
        return [form.explicit for form in self.forms]

    @property
    def forms(self) -> list[SymmetricForm]:
        """Numerator and denominator, if there is one."""
        return [self.numerator] if self.denominator is None else [self.numerator, self.denominator]

    @property
    def classes(self) -> IntArray | None:
        """Class of every sample if no permutation within classes changes a score; None if there are none."""
        codes = next((form.codes for form in self.forms if form.w.size), None)
        return codes if codes is not None and all(form.is_constant_within(codes) for form in self.forms) else None

    @property
    def log_symmetries(self) -> float:
        r"""Logarithm of the number of permutations that change no score: :math:`\prod_l n_l!` of classes, else 1."""
        codes = self.classes
        return 0.0 if codes is None else float(gammaln(np.bincount(codes) + 1.0).sum())

    def values(self, X: FloatArray) -> FloatArray:
        """Compute the native score of every column over the samples that count, for looking and checking."""
        X = X - X.mean(axis=0) if self.centred else X
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = 1.0 if self.denominator is None else self.denominator.quadratic(X)
            return np.asarray(self.numerator.quadratic(X) / denominator)


def _dense_rest(A: SymmetricForm, B: SymmetricForm) -> tuple[FloatArray, float, float]:
    """Return A - cB, c, and the size of the entries of A - cB relative to those of A and cB."""
    first, second = A.to_array(), B.to_array()
    gain, cost = (float(np.trace(matrix) - matrix.sum() / len(matrix)) for matrix in (first, second))
    c = gain / cost if cost > 0 else 0.0
    rest, size = first - c * second, A.diagonal_size().max() + abs(c) * B.diagonal_size().max()
    part = float(np.abs(rest).max() / (size or 1.0))
    return rest if part > NOTHING_LEFT else np.zeros_like(rest), c, part
