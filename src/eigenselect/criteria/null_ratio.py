"""A native score as a ratio of two quadratic forms of the feature itself: what its null distribution is made from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.structured import AnyForm, Classes, ImplicitForm, SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.matrix.covariates import centred_basis

if TYPE_CHECKING:
    from eigenselect.graph.nearby_numba import Nearby

#: samples from which it pays to put neighbours together. Of 2 000 000 cells in any order on a plane, triangles take
#: 0.33 s instead of 1.41, a product 0.10 instead of 0.45, and the order and the move 0.48 and 0.60
ORDERED_SAMPLES = 2**18
#: random features whose mean score stands for that of all, of many samples
MEAN_PROBES = 16
#: part of themselves that is left of scores, or of entries, where A is nearly cB
NEARLY = 0.01
#: what is left of two forms below this part of their entries, and of terms that cancel in them, is rounding
NOTHING_LEFT = 1e-11
#: one over the part of the samples that is as many vectors as make a form dense
FULL_RANK = 4


class OrderedForms(NamedTuple):
    """Numerator and denominator, if there is one, with their samples in an order that suits sums over edges.

    Attributes
    ----------
    forms : list of SymmetricForm
    order : array of int or None
        Which of the samples of the ratio these are; None for all as they are.
    """

    forms: list[SymmetricForm]
    order: IntArray | None


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
    graph : SampleGraph or None
        The graph of these samples, where it is known: it knows which of them are neighbours.

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
    graph: SampleGraph | None = field(default=None, repr=False)

    @classmethod
    def over_live(
        cls,
        numerator: AnyForm,
        denominator: AnyForm | None,
        isolated: BoolArray,
        *,
        larger_is_better: bool,
        centred: bool,
        graph: SampleGraph | None = None,
    ) -> NullRatio:
        """Make the ratio of forms over all samples, those of the graph, of which some count nowhere."""
        rows = np.flatnonzero(~isolated) if isolated.any() else None
        if rows is not None:
            numerator = numerator.restricted(rows)
            denominator, graph = None if denominator is None else denominator.restricted(rows), None
        return cls(numerator, denominator, larger_is_better, centred, numerator.n_samples, rows, graph)

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

    def around_mean(self, most_samples: int) -> tuple[NullRatio, float]:
        r"""Return the ratio with c B taken off A, and c, the mean score: what is left of dense forms is multiplied out.

        .. math:: \frac{f^\top A f}{f^\top B f} = c + \frac{f^\top (A - cB) f}{f^\top B f}, \qquad
                  c = \mathrm{tr}(HAH) / \mathrm{tr}(HBH)

        Where all eigenvalues of N are nearly equal, or heat has flown for long, A is nearly cB, and of powers of the
        whole nothing but rounding is left. Of many samples and a form that is known by products, c is the mean of a few
        random features, and A - cB what probes tell to a part of itself, not of A. The ratio itself, and 0, where it is
        none, sparse, knows constants, whose scores may be of any size, or where A is not nearly cB.

        Parameters
        ----------
        most_samples : int
            Samples up to which forms are multiplied out.
        """
        if self.denominator is None or not self.centred or not _is_full(self.numerator):
            return self, 0.0
        if self.n_samples > most_samples:
            return self._around_probed_mean()
        A, B = (form.multiplied_out() for form in self.explicit)
        traces = [np.trace(form) - form.sum() / self.n_samples for form in (A, B)]
        c = float(traces[0] / traces[1]) if traces[1] > 0 else 0.0
        left, sizes = A - c * B, [float(form.diagonal_size().max()) for form in self.explicit]
        part = float(np.abs(left).max()) / (sizes[0] + abs(c) * sizes[1] or 1.0)
        if part > NEARLY:
            return self, 0.0
        left = left if part > NOTHING_LEFT else np.zeros_like(left)
        return replace(self, numerator=SymmetricForm.of(left)), c

    def _around_probed_mean(self) -> tuple[NullRatio, float]:
        if not isinstance(self.numerator, ImplicitForm) or self.denominator is None:
            return self, 0.0
        probes = np.random.RandomState(0).standard_normal((self.n_samples, MEAN_PROBES))
        gain, cost = (form.quadratic(probes) for form in (self.numerator, self.denominator))
        c = float(gain.sum() / cost.sum()) if cost.sum() > 0 else 0.0
        if np.abs(gain - c * cost).max() > NEARLY * np.abs(gain).max():  # B is dense, and A may be told better without
            return self, 0.0
        return replace(self, numerator=self.numerator.minus(self.denominator.scaled(c))), c

    @cached_property
    def explicit(self) -> list[SymmetricForm]:
        """Numerator and denominator, if there is one, in parts: what is known by products only is multiplied out."""
        forms = [self.numerator] if self.denominator is None else [self.numerator, self.denominator]
        return [form.explicit() if isinstance(form, ImplicitForm) else form for form in forms]

    @cached_property
    def together(self) -> OrderedForms:
        """The same, many samples in an order in which the rows of neighbours are found in cache.

        Made once: the move takes as long as several products with forms that are in no order.
        """
        forms = self.explicit
        if self.n_samples < ORDERED_SAMPLES or any(form.is_dense for form in forms):
            return OrderedForms(forms, None)
        nearby = self._nearby()
        return OrderedForms([form.moved(nearby) for form in forms], nearby.order)

    def _nearby(self) -> Nearby:
        """Return the order of the graph, or else find one for the form with most entries."""
        if self.graph is not None and self.graph.is_sparse:
            return self.graph.nearby
        from eigenselect.graph.nearby_numba import Nearby

        return Nearby.of(max((form.E for form in self.explicit), key=lambda E: E.nnz))

    @property
    def classes(self) -> Classes | None:
        """The classes within which no permutation changes a score; None where there are none."""
        forms = [form for form in (self.numerator, self.denominator) if form is not None]
        parts = [form for form in forms if isinstance(form, SymmetricForm)]
        classes = next((form.classes for form in parts if form.classes is not None), None)
        if classes is None or len(parts) < len(forms) or not all(form.is_blind_within(classes) for form in parts):
            return None
        return classes

    @property
    def log_symmetries(self) -> float:
        r"""Logarithm of the number of permutations that change no score: :math:`\prod_l n_l!` of classes, else 1."""
        classes = self.classes
        return 0.0 if classes is None else float(gammaln(classes.sizes + 1.0).sum())

    def values(self, X: FloatArray) -> FloatArray:
        """Compute the native score of every column over the samples that count, for looking and checking."""
        X = X - X.mean(axis=0) if self.centred else X
        with np.errstate(divide="ignore", invalid="ignore"):
            denominator = 1.0 if self.denominator is None else self.denominator.quadratic(X)
            return np.asarray(self.numerator.quadratic(X) / denominator)


def _is_full(form: AnyForm) -> bool:
    """Whether a form is dense, or of so many vectors that it may as well be."""
    return isinstance(form, ImplicitForm) or form.is_dense or FULL_RANK * form.V.shape[1] > form.n_samples
