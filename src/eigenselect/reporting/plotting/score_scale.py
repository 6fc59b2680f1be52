r"""Where scores stand on an axis: as they are, or by symmetric logarithms where one score would hide the others.

The same rule as on the page (axes.js): a symmetric logarithm, with the ends as far as the scores go,

.. math:: p(v) = \mathrm{sign}(v) \log_{10}(1 + |v| / u)

where u is a power of ten near the small ones of the leading scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray

#: how far beyond the middle one the largest of the leading scores hides the others, and how far negative ones may reach
FAR, BELOW = 100.0, 2.0
#: scores that are looked at first; orders of magnitude that an axis shows at most
LEADING, ORDERS = 30, 6
#: ticks on an axis, about
TICKS = 6


@dataclass(frozen=True)
class ScoreScale:
    """An axis for scores.

    Attributes
    ----------
    low, high : float
        Ends: lowest and highest score, or zero.
    unit : float or None
        Of the symmetric logarithm; None where scores stand as they are.
    """

    low: float
    high: float
    unit: float | None = None

    def place(self, value: FloatArray | float) -> FloatArray:
        """Return where values stand."""
        if self.unit is None:
            return np.asarray(value, dtype=np.float64)
        return np.asarray(np.sign(value) * np.log10(1 + np.abs(value) / self.unit))

    def value(self, place: FloatArray | float) -> FloatArray:
        """Return what stands at places: the inverse of `place`."""
        if self.unit is None:
            return np.asarray(place, dtype=np.float64)
        with np.errstate(over="ignore"):  # far outside the axis
            return np.asarray(np.sign(place) * self.unit * (10 ** np.abs(place) - 1))

    def ticks(self) -> list[float]:
        """Return zero and powers of ten on both sides of it, of a symmetric logarithm; none where numbers are plain."""
        if self.unit is None:
            return []
        last = int(np.floor(np.log10(max(-self.low, self.high)) + 1e-9))
        smallest = round(float(np.log10(self.unit)))
        first = smallest + (last - smallest > 2)  # the unit itself is next to zero
        sides = 2 if self.low < 0 < self.high else 1
        step = max(1, -(-(last - first + 1) * sides // TICKS))
        powers = [float(f"1e{power}") for power in range(last, first - 1, -step)]
        return sorted(tick for tick in (0.0, *powers, *(-power for power in powers)) if self.low <= tick <= self.high)


def readable_scale(scores: FloatArray) -> ScoreScale:
    """Choose the axis of scores, best first: logarithms where one score would hide the others.

    That is where the largest of the leading ones is far beyond the middle one, or those above zero are small beside
    those below.

    >>> readable_scale(np.array([3.0, 2.0, 1.0])).unit is None
    True
    >>> scale = readable_scale(np.array([5000.0, 8.0, 5.0, 2.0, -3.0]))
    >>> scale.unit, scale.ticks()
    (1.0, [0.0, 10.0, 100.0, 1000.0])
    """
    sizes = np.sort(np.abs(scores[:LEADING]))
    sizes = sizes[sizes > 0]
    low, high = float(min(0.0, *scores)), float(max(0.0, *scores))
    apart = sizes.size > 1 and sizes[-1] > FAR * sizes[(sizes.size - 1) // 2]
    if not apart and not (high > 0 and -low > BELOW * high):
        return ScoreScale(low, high)
    smallest = max(float(sizes[sizes.size // 10]), max(-low, high) / 10**ORDERS)
    return ScoreScale(low, high, float(10.0 ** np.floor(np.log10(smallest))))
