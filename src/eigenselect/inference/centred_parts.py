r"""Numerator and denominator of a ratio side by side, centred, each with mean 0 under permutation.

With :math:`\tau = \mathrm{tr}(HAH) / (n - 1)` the form :math:`B = H (A - \tau I) H` differs from that of A by the constant
:math:`\tau p_2`: its expectation is exactly 0, and central moments of A are plain moments of B. Nothing large is
subtracted from something large, however many samples there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.structured import Classes, SymmetricForm, same_classes
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
        Classes; all samples in one of weight 0 where there are none.
    weights : ndarray of shape (q, c)
        G of each form.
    tau : ndarray of shape (q,)
        The multiples of H that were taken off.
    total : ndarray of shape (q,)
        1ᵀA1.
    linear : ndarray of shape (q, n)
        HA1.
    exponents : array of int of shape (q,)
        The forms were divided by two to the power of these.
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
    exponents: IntArray

    @classmethod
    def of(cls, forms: list[SymmetricForm], *, centred: bool) -> CentredParts:
        """Centre one or two forms; ``centred`` says that their rows sum to 0 already."""
        forms = _on_same_classes(forms)
        exponents = np.array([_exponent(form) for form in forms])
        forms = [form.scaled(float(np.ldexp(1.0, -e))) for form, e in zip(forms, exponents, strict=True)]
        n = forms[0].n_samples
        one = np.ones((n, 1))
        images = np.zeros((len(forms), n)) if centred else np.stack([form @ one[:, 0] for form in forms])
        total = images.sum(axis=1)
        tau = np.array([form.diagonal().sum() for form in forms]) - total / n
        tau /= n - 1
        linear = images - total[:, None] / n
        # H(A - τI)H = A - τI - 1uᵀ - u1ᵀ with u = A1/n - (1ᵀA1/n + τ) 1/2n
        borders = [one] if centred else [one, *(linear / n)[:, :, None]]
        V, C = _joined(forms, borders)
        k = V.shape[1] - len(borders)
        for x in range(len(forms)):
            C[x, k, k] = tau[x] / n - total[x] / n**2
            if not centred:
                C[x, k, k + 1 + x] = C[x, k + 1 + x, k] = -1.0
        classes = forms[0].classes or Classes(np.zeros(n, dtype=np.intp), np.zeros(1))
        weights = np.stack([np.zeros_like(classes.weights) if f.classes is None else f.classes.weights for f in forms])
        diagonal = np.stack([form.E.diagonal() for form in forms]) - tau[:, None]
        entries = entries_of([form.E for form in forms])
        V, C = _rescaled(V, C)
        return cls(diagonal, entries, V, C, classes.codes, weights, tau, total, linear, exponents)


def _on_same_classes(forms: list[SymmetricForm]) -> list[SymmetricForm]:
    """Bring forms to one set of classes: weights 0 where a form has none, entries where it has other ones."""
    found = next((form.classes for form in forms if form.classes is not None), None)
    if found is None:
        return forms
    none = Classes(found.codes, np.zeros_like(found.weights))
    same = [
        form if form.classes is None or same_classes(form.classes, found) else form.without_classes() for form in forms
    ]
    return [SymmetricForm(f.E, f.V, f.C, none if f.classes is None else f.classes) for f in same]


def _exponent(form: SymmetricForm) -> int:
    """Return the e with 2^(e-1) ≤ the size of a form's entries < 2^e."""
    data = form.E.data if sparse.issparse(form.E) else form.E
    sizes = [np.abs(data).max(initial=0.0), np.abs(form.diagonal()).max(initial=0.0)]
    if form.classes is not None:
        sizes.append(np.abs(form.classes.weights).max(initial=0.0))
    return int(np.frexp(max(sizes))[1])


def _joined(forms: list[SymmetricForm], borders: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Put the columns V of all forms and more side by side, and each C where its columns are."""
    V = np.hstack([*(form.V for form in forms), *borders])
    C = np.zeros((len(forms), V.shape[1], V.shape[1]))
    start = 0
    for x, form in enumerate(forms):
        stop = start + form.V.shape[1]
        C[x, start:stop, start:stop] = form.C
        start = stop
    return V, C


def _rescaled(V: FloatArray, C: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring every column of V to about 1 by a power of two, so that products of three stay in range."""
    exponents = np.frexp(np.abs(V).max(axis=0))[1]
    return np.ldexp(V, -exponents), np.ldexp(C, exponents[:, None] + exponents)
