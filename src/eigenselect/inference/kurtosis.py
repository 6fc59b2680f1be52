r"""What three moments do not see of a quadratic form: a tail that is heavy without being skewed.

A bell-shaped feature minus its mean, divided by its length, is a random point on the sphere in m = n - 1 dimensions.
For a form M without constant part and trace, with :math:`t_k = \mathrm{tr} M^k`, its value T there has

.. math::

    \gamma^2 = 8\,\frac{t_3^2}{t_2^3} \cdot \frac{m(m+2)}{(m+4)^2}, \qquad
    \kappa = \Big(3 + 12\,\frac{t_4}{t_2^2}\Big) \frac{m(m+2)}{(m+4)(m+6)} - 3

and a Pearson type III curve of the same skewness has an excess kurtosis of :math:`\tfrac32 \gamma^2`. By Cauchy and
Schwarz :math:`t_3^2 \le t_2 t_4`: but for terms in 1/m the true one is never smaller, and equal where all eigenvalues
that are not 0 are the same. Where few samples or edges hold a form it is much larger: with one heavy edge
M has the eigenvalues ±1, no skewness, and :math:`\kappa - \tfrac32\gamma^2` is 6.

M = A - rB of a score r, and so its traces, are polynomials in r: they are computed once for all features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._parallel import single_threaded_blas, slices
from eigenselect._typing import FloatArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.polynomials import evaluate

#: samples up to which traces are exact: a product with each; of more they are estimated by products with random signs
EXACT_SAMPLES = 256
#: how many: first few, and more where these find something, for a form that one eigenvalue holds leaves an estimate by
#: 16 a relative standard error of a third
PROBES = (2, 16)
#: signs whose products are held together
TOGETHER = 2
#: kurtosis that is worth more products; where one eigenvalue holds a form, two signs find a 24th of the truth, or less,
#: in one case of 25
FOUND = 0.005


def unseen_kurtosis(forms: Sequence[SymmetricForm], scores: FloatArray) -> FloatArray:
    r"""Compute :math:`\kappa - \tfrac32\gamma^2` of :math:`M = A - rB` for a bell-shaped feature, at some scores r.

    Parameters
    ----------
    forms : sequence of SymmetricForm
        A and B; without B, which stands for 1, M is A.
    scores : ndarray of shape (n_features,)
        Infinite ones, too: M is B.

    Examples
    --------
    One edge among 100 samples, and a form that all of them carry alike:

    >>> edge = np.zeros((100, 100))
    >>> edge[0, 1] = edge[1, 0] = 1.0
    >>> unseen_kurtosis([SymmetricForm.of(edge)], np.zeros(1)).round(1)
    array([5.3])
    >>> halves = SymmetricForm.low_rank(np.repeat([[1.0], [-1.0]], 50, axis=0), np.eye(1))
    >>> unseen_kurtosis([halves], np.zeros(1)).round(1)
    array([-0.3])
    """
    n = forms[0].n_samples
    if n <= EXACT_SAMPLES:
        return _unseen(_traces(forms, np.eye(n)), scores, n)
    unseen = np.zeros(0)
    for count in PROBES:
        ones = random_generator(None).randint(2, size=(n, count))
        signs = (np.array([-1.0, 1.0]) / np.sqrt(count))[ones]
        unseen = _unseen(_traces(forms, signs), scores, n)
        if not (unseen > FOUND).any():
            break
    return unseen


class _Traces(NamedTuple):
    """Polynomials of t_2, t_3 and t_4, of forms that were divided by their units."""

    powers: tuple[FloatArray, FloatArray, FloatArray]
    units: list[float]


def _unseen(traces: _Traces, scores: FloatArray, n_samples: int) -> FloatArray:
    alpha, beta = np.ones_like(scores), np.zeros_like(scores)
    if len(traces.units) == 2:
        slopes = scores * (traces.units[1] / traces.units[0])
        with np.errstate(invalid="ignore"):
            alpha = 1.0 / np.hypot(1.0, slopes)
            beta = np.where(np.isinf(slopes), -np.sign(slopes), -slopes * alpha)
    m = n_samples - 1
    t2, t3, t4 = (evaluate(coefficients, alpha, beta) for coefficients in traces.powers)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kurtosis = (3.0 + 12.0 * t4 / t2**2) * m * (m + 2) / ((m + 4) * (m + 6)) - 3.0
        unseen = kurtosis - 12.0 * t3**2 / t2**3 * m * (m + 2) / (m + 4) ** 2
    return np.where(np.isfinite(unseen), unseen, 0.0)


def _traces(forms: Sequence[SymmetricForm], P: FloatArray) -> _Traces:
    r"""Compute them from products, where :math:`\mathrm E\, PP^\top = I`: :math:`t_{j+k} = ⟨M^j HP, M^k HP⟩`."""
    q = len(forms)
    t2, t3, t4 = np.zeros(2 * q - 1), np.zeros(3 * q - 2), np.zeros(4 * q - 3)
    taus = [_tau(form) for form in forms]
    units: list[float] = []
    width = P.shape[1] if len(P) <= EXACT_SAMPLES else TOGETHER  # n × 16 numbers of each form and power would count
    with single_threaded_blas():
        for some in slices(P.shape[1], width):
            columns = P[:, some] - _means(P[:, some])
            once = [_image(form, tau, columns) for form, tau in zip(forms, taus, strict=True)]
            units = units or [float(max(image.max(), -image.min())) or 1.0 for image in once]
            for image, unit in zip(once, units, strict=True):
                image /= unit
            twice: list[Any] = [0.0] * (2 * q - 1)
            for x, (form, tau) in enumerate(zip(forms, taus, strict=True)):
                for y, image in enumerate(once):
                    twice[x + y] += _image(form, tau, image) / units[x]
            t2, t3, t4 = t2 + _inner(once, once), t3 + _inner(once, twice), t4 + _inner(twice, twice)
    return _Traces((t2, t3, t4), units)


def _inner(first: Sequence[FloatArray], second: Sequence[FloatArray]) -> FloatArray:
    """Multiply two polynomials of matrices by the inner product."""
    total = np.zeros(len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            total[i + j] += float(np.einsum("ij,ij->", a, b))
    return total


def _tau(form: SymmetricForm) -> float:
    """Return tr(HAH) / (n - 1)."""
    n = form.n_samples
    return (float(form.diagonal().sum()) - float((form @ np.ones(n)).sum()) / n) / (n - 1)


def _image(form: SymmetricForm, tau: float, P: FloatArray) -> FloatArray:
    """Return (HAH - τH) P of columns with mean 0: that matrix has no trace."""
    image = form @ P  # changed in place: there may be millions of samples
    image -= _means(image)
    image -= tau * P
    return image


def _means(columns: FloatArray) -> FloatArray:
    """Return the mean of each column; numpy's own takes five times as long of many samples and few columns."""
    return np.asarray(np.einsum("ij->j", columns)) / len(columns)
