r"""Numerator and denominator of a ratio side by side, centred, each with mean 0 under permutation.

With :math:`\tau = \mathrm{tr}(HAH) / (n - 1)` the form :math:`B = H (A - \tau I) H` differs from that of A by the
constant :math:`\tau p_2`: its expectation is exactly 0, and central moments of A are plain moments of B. Nothing large
is subtracted from something large, however many samples there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.entries import Entries, entries_of


@dataclass(frozen=True)
class CentredParts:
    r""":math:`B_x = \mathrm{diag}(a_x) + W_x + V C_x V^\top + G_x` for x = numerator, denominator.

    Attributes
    ----------
    diagonal : ndarray of shape (q, n)
        a, for q forms: 1 where there is no denominator, else 2.
    entries : Entries
        W: no diagonal.
    V : ndarray of shape (n, k)
    C : ndarray of shape (q, k, k)
    codes : array of int of shape (n,)
        Classes, the last one of weight 0 for samples of no class.
    weights : ndarray of shape (q, c)
        G of each form.
    tau : ndarray of shape (q,)
        The multiples of H that were taken off.
    total : ndarray of shape (q,)
        1ᵀA1.
    linear : ndarray of shape (q, n)
        HA1; zeros that take no memory where rows sum to 0 already.
    units : ndarray of shape (q,)
        The sizes of the forms' entries, by which they were divided.
    """

    diagonal: FloatArray
    entries: Entries
    V: FloatArray
    C: FloatArray
    codes: IntArray
    weights: FloatArray
    tau: FloatArray
    total: FloatArray
    linear: FloatArray
    units: FloatArray

    @classmethod
    def of(cls, forms: list[SymmetricForm], *, centred: bool) -> CentredParts:
        """Centre one or two forms; ``centred`` says that their rows sum to 0 already."""
        forms = _on_same_classes(forms)
        diagonals = [_Diagonal(form) for form in forms]
        units = np.array([diagonal.size for diagonal in diagonals])
        factors = 1.0 / units
        n = forms[0].n_samples
        total, linear = _images(forms, factors, centred=centred)
        tau = (factors * [diagonal.trace for diagonal in diagonals] - total / n) / (n - 1)
        V, C = _joined(forms, factors, _borders(tau, total, linear, centred=centred))
        return cls(
            diagonal=np.stack([f * d.entries - t for f, d, t in zip(factors, diagonals, tau, strict=True)]),
            entries=entries_of([form.E for form in forms], factors.tolist()),
            V=V,
            C=C,
            codes=forms[0].codes,
            weights=factors[:, None] * [np.append(form.w, 0.0) for form in forms],
            tau=tau,
            total=total,
            linear=linear,
            units=units,
        )


class _Diagonal:
    """The diagonal of diag(d) + E, the trace of a form, and its size."""

    def __init__(self, form: SymmetricForm) -> None:
        self.entries = entries = form.d + form.E.diagonal()
        rest = np.einsum("ia,ia->i", form.V @ form.C, form.V) + form.Z @ form.w
        self.trace = float(entries.sum() + rest.sum())
        data = form.E.data if sparse.issparse(form.E) else form.E
        parts = (data, entries, rest)
        self.size = max(max(part.max(initial=0.0), -part.min(initial=0.0)) for part in parts) or 1.0


def _images(forms: list[SymmetricForm], factors: FloatArray, *, centred: bool) -> tuple[FloatArray, FloatArray]:
    """Return 1ᵀA1 and HA1 of every form."""
    q, n = len(forms), forms[0].n_samples
    if centred:
        return np.zeros(q), np.broadcast_to(0.0, (q, n))
    images = factors[:, None] * np.stack([form @ np.ones(n) for form in forms])
    total = images.sum(axis=1)
    return total, images - total[:, None] / n


def _borders(tau: FloatArray, total: FloatArray, linear: FloatArray, *, centred: bool) -> tuple[FloatArray, FloatArray]:
    """Return the columns and the C of H(A - τI)H - (A - τI) = 11ᵀ (τ/n - 1ᵀA1/n²) - (1lᵀ + l1ᵀ)/n, l = HA1."""
    q, n = linear.shape
    columns = np.ones((n, 1)) if centred else np.hstack([np.ones((n, 1)), linear.T / n])
    C = np.zeros((q, columns.shape[1], columns.shape[1]))
    C[:, 0, 0] = tau / n - total / n**2
    if not centred:
        forms = np.arange(q)
        C[forms, 0, 1 + forms] = C[forms, 1 + forms, 0] = -1.0
    return columns, C


def _on_same_classes(forms: list[SymmetricForm]) -> list[SymmetricForm]:
    """Bring forms to one set of classes: weights 0 where a form has none, entries where it has other ones."""
    first = next((form for form in forms if form.w.size), forms[0])
    return [form.on_classes_of(first) for form in forms]


def _joined(
    forms: list[SymmetricForm], factors: FloatArray, borders: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Put the columns V of all forms and the borders side by side, and each C where its columns are."""
    V = np.hstack([*(form.V for form in forms), borders[0]])
    C = np.zeros((len(forms), V.shape[1], V.shape[1]))
    start = 0
    for x, form in enumerate(forms):
        stop = start + form.V.shape[1]
        C[x, start:stop, start:stop] = factors[x] * form.C
        start = stop
    C[:, start:, start:] = borders[1]
    sizes = np.maximum(V.max(axis=0), -V.min(axis=0))
    sizes[sizes == 0] = 1.0
    V /= sizes  # products of three stay in range
    return V, C * sizes[:, None] * sizes
