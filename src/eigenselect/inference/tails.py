r"""Tails of the Pearson type III distribution, a gamma distribution with any mean, spread and skewness.

With skewness γ, shape :math:`k = 4/\gamma^2` and Y of the gamma distribution with that shape,
:math:`(Y - k)/\sqrt k` has mean 0, variance 1 and skewness :math:`|\gamma|`; a negative skewness mirrors it.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from eigenselect._typing import FloatArray

#: part of the way to the end of a distribution of negative skewness from which on its tail is no longer believed
BELIEVED = 0.5
#: below this skewness the tail is computed from the normal one: for shapes of a million and more scipy's lower tail is
#: off by up to a percent
NEARLY_NORMAL = 5e-3
#: no tail goes on from farther out: its logarithm would not be a number
FARTHEST = 1e100


def upper_tail(standardized: FloatArray, skewness: FloatArray) -> FloatArray:
    """Compute P(T ≥ t) for T of mean 0, variance 1 and a skewness.

    Beyond the end of the distribution, where a negative skewness has one, it is 0.

    >>> upper_tail(np.array([1.0, 1.0]), np.array([0.0, 2.0])).round(6)
    array([0.158655, 0.135335])
    """
    t, skewness = np.broadcast_arrays(np.asarray(standardized, float), np.asarray(skewness, float))
    tail = np.full(t.shape, np.nan)
    flat = np.abs(skewness) < NEARLY_NORMAL
    tail[flat] = _nearly_normal(t[flat], skewness[flat])
    for sign, function in ((1.0, special.gammaincc), (-1.0, special.gammainc)):
        part = ~flat & (np.sign(skewness) == sign)
        shape = 4.0 / skewness[part] ** 2
        tail[part] = function(shape, np.maximum(shape + sign * t[part] * np.sqrt(shape), 0.0))
    return tail


def careful_tail(standardized: FloatArray, skewness: FloatArray) -> FloatArray:
    r"""Compute the `upper_tail`, which goes on as a normal one where a negative skewness would end it.

    With γ < 0 the distribution ends at :math:`2/|\gamma|`, which is more than three moments know. From half of that on,
    at :math:`t_0 = 1/|\gamma|`, the tail is

    .. math:: P(T \ge t_0) \, \bar\Phi(t) / \bar\Phi(t_0)

    Scores are skewed that way where few samples hold most edges of a graph. Of 20 000 bell-shaped features without
    structure on 120 samples, of which one to twenty are neighbours of all, p-values of the Laplacian score and of
    Geary's C below 0.001 are 4 to 76 times too many by type III (but for C with twenty), and 0 to 2.2 times the right
    number by this. It mends nothing where a tail is heavy without being skewed; there, and where it is too careful,
    draws refine the p-values (`eigenselect.inference.doubts`).

    >>> careful_tail(np.array([1.0, 1.9, 2.1]), np.array([-1.0, -1.0, -1.0])).round(3)
    array([0.143, 0.026, 0.016])
    >>> upper_tail(np.array([1.0, 1.9, 2.1]), np.array([-1.0, -1.0, -1.0])).round(3)
    array([0.143, 0.   , 0.   ])
    """
    t, skewness = np.broadcast_arrays(np.asarray(standardized, float), np.asarray(skewness, float))
    with np.errstate(divide="ignore", over="ignore"):
        start = np.where(skewness < 0.0, np.minimum(2.0 * BELIEVED / np.abs(skewness), FARTHEST), np.inf)
    near = np.minimum(t, start)
    with np.errstate(invalid="ignore"):
        beyond = np.where(t > start, np.exp(special.log_ndtr(-t) - special.log_ndtr(-near)), 1.0)
    return np.asarray(upper_tail(near, skewness) * beyond)


def _nearly_normal(t: FloatArray, skewness: FloatArray) -> FloatArray:
    r"""Compute the tail for a small skewness by Temme's uniform expansion.

    With :math:`\mu = \gamma t / 2` and :math:`\eta^2 / 2 = \mu - \log(1 + \mu)` the tail is that of the normal at
    :math:`\eta \sqrt k` plus its density times a series in 1/k, of which two terms are exact to rounding here.
    """
    mu = np.maximum(0.5 * skewness * t, -1.0 + 1e-12)
    # 2 (μ - log1p μ) / μ², by its series where μ is small
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = 2.0 * (mu - np.log1p(mu)) / mu**2
    curve = np.where(np.abs(mu) < 0.05, _series(mu, [2.0 * (-1) ** j / (j + 2) for j in range(12)]), exact)
    z = t * np.sqrt(curve)
    eta = 0.5 * skewness * z  # with the sign of μ
    first = _series(eta, [-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515])
    second = _series(eta, [-1 / 540, -1 / 288, 1 / 378])
    inverse_shape = 0.25 * skewness**2
    correction = -0.5 * skewness * (first + inverse_shape * second)
    density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(np.clip(special.ndtr(-z) - density * correction, 0.0, 1.0))


def _series(x: FloatArray, coefficients: list[float]) -> FloatArray:
    total = np.zeros_like(x)
    for coefficient in coefficients[::-1]:
        total = total * x + coefficient
    return total
