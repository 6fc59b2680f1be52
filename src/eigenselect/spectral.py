r"""Spectral functions γ: how much a variation of frequency λ counts against a feature.

A feature is a sum of eigenvectors of the normalised Laplacian N; those with a small eigenvalue vary slowly over the
sample graph, those with a large one fast. A criterion weighs the share :math:`\alpha_j^2` of a feature along
eigenvector j by :math:`\gamma(\lambda_j)`. A non-decreasing γ punishes fast variation. γ(N) is applied in one of three
ways, none of which needs eigenvectors of a large graph: products for a whole power, a Chebyshev series for any smooth
function, and the full eigensystem where the graph is small.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from eigenselect._checks import is_number
from eigenselect._typing import FloatArray
from eigenselect._warn import warn

__all__ = [
    "CAR", "ChebyshevSeries", "Custom", "Heat", "Power", "SpectralFunction", "as_spectral_function", "chebyshev_series",
]  # fmt: skip

#: largest accepted |γ - polynomial| on the spectrum, relative to the range of γ
CHEBYSHEV_TOLERANCE = 1e-11
#: highest polynomial degree tried
CHEBYSHEV_DEGREE = 1024
#: eigenvalues at which a function of the user is checked
GRID = np.linspace(0.0, 2.0, 201)


class SpectralFunction(ABC):
    """A (normally non-decreasing) function of an eigenvalue of N, on [0, 2].

    Subclass it for a γ with parameters; a plain callable is enough elsewhere (`Custom` wraps it).

    See Also
    --------
    Power : Powers of the eigenvalue.
    Heat : What heat loses while it flows over the graph.
    CAR : A conditional autoregression along the graph.
    Custom : Any function of an array.
    eigenselect.SPEC : Takes one as ``spectral_function``.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import SpectralFunction
    >>> class Hinge(SpectralFunction):
    ...     def __call__(self, eigenvalues):
    ...         return np.maximum(eigenvalues - 0.5, 0.0)
    >>> Hinge()(np.array([0.2, 1.0])), Hinge().largest
    (array([0. , 0.5]), 1.5)
    """

    @abstractmethod
    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        """Compute γ of each eigenvalue."""

    @property
    def largest(self) -> float:
        """Largest absolute value of γ at the ends of [0, 2], what the rounding of γ(N) is relative to."""
        return float(np.abs(self(np.array([0.0, 2.0]))).max())


@dataclass(frozen=True)
class Power(SpectralFunction):
    r""":math:`\gamma(r) = r^p`: larger p forgives slow variation and punishes fast.

    Parameters
    ----------
    exponent : float, default=1
        The p, positive and at most 1000. A whole p is applied by p/2 products with the graph.

    See Also
    --------
    Heat : Counts all fast variations nearly alike.
    as_spectral_function : Makes one of a number.

    References
    ----------
    Zhao and Liu (2007), section 3.3, doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import Power
    >>> Power(2)(np.array([0.5, 2.0]))
    array([0.25, 4.  ])
    """

    exponent: float = 1

    def __post_init__(self) -> None:
        if not 0 < self.exponent <= 1000:  # 2^1000 is still a number
            raise ValueError(f"spectral_function: a power must be positive and at most 1000, got {self.exponent!r}.")

    @property
    def is_integer(self) -> bool:
        """Whether p is a whole number."""
        return float(self.exponent).is_integer()

    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        if self.is_integer:
            return np.asarray(eigenvalues) ** int(self.exponent)
        return np.maximum(eigenvalues, 0.0) ** self.exponent


@dataclass(frozen=True)
class Heat(SpectralFunction):
    r""":math:`\gamma(r) = 1 - e^{-tr}`: what is lost of a variation while heat flows over the graph for a time t.

    :math:`\hat S = e^{-tN}` is then the heat kernel, which sees wide patterns that few edges make: slow variations
    count against a feature nearly as with the identity, and all fast ones alike. (:math:`e^{tr}`, which blows fast ones
    up, is ``spectral_function=lambda r: np.exp(t * r)``.)

    Parameters
    ----------
    time : float, default=1.0
        The t, positive. The longer, the wider the patterns; 2 to 5 suit samples that are places.

    See Also
    --------
    CAR : Has a longer tail of wide patterns.
    eigenselect.MultiscaleSPEC : The best of several times.
    eigenselect.similarity.Diffusion : Heat that makes the similarity itself.

    References
    ----------
    Kondor and Lafferty, Diffusion kernels on graphs, ICML 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import Heat
    >>> Heat(time=1.0)(np.array([0.0, 1.0, 2.0])).round(3)
    array([0.   , 0.632, 0.865])
    """

    time: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.time < np.inf:
            raise ValueError(f"spectral_function: Heat needs a positive time, got {self.time!r}.")

    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        return -np.expm1(-self.time * np.asarray(eigenvalues))


@dataclass(frozen=True)
class CAR(SpectralFunction):
    r""":math:`\gamma(r) = 1 - \frac{1-\rho}{1 - \rho(1-r)} = \frac{\rho r}{1 - \rho + \rho r}`.

    :math:`\hat S = (1-\rho)(I - \rho (I - N))^{-1}` is then the covariance of a conditional autoregression of strength
    ρ along the graph, whose tail of wide patterns is longer than that of `Heat`.

    Parameters
    ----------
    rho : float, default=0.9
        The ρ, between 0 and 1, both excluded. The larger, the wider the patterns.

    See Also
    --------
    Heat : Has a shorter tail of wide patterns.
    Power : Powers of the eigenvalue.

    References
    ----------
    Besag, Spatial interaction and the statistical analysis of lattice systems, JRSS B 1974,
    doi:10.1111/j.2517-6161.1974.tb00999.x.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import CAR
    >>> CAR(rho=0.5)(np.array([0.0, 1.0, 2.0])).round(3)
    array([0.   , 0.5  , 0.667])
    """

    rho: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.rho < 1:
            raise ValueError(f"spectral_function: CAR needs a rho between 0 and 1, got {self.rho!r}.")

    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        risen = self.rho * np.maximum(eigenvalues, 0.0)  # of negative weights, below 0 there is a pole
        return np.asarray(risen / ((1.0 - self.rho) + risen))


@dataclass(frozen=True)
class Custom(SpectralFunction):
    """A user's function of an array of eigenvalues, checked once on [0, 2].

    Parameters
    ----------
    function : callable
        From an array of eigenvalues in [0, 2] to finite real numbers of the same shape.

    See Also
    --------
    SpectralFunction : To subclass, where the function has parameters.
    as_spectral_function : Makes one of a callable.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import Custom
    >>> Custom(np.sqrt)(np.array([0.25, 1.0]))
    array([0.5, 1. ])
    >>> Custom(lambda r: 1 - r).decreases
    True
    """

    function: Callable[[FloatArray], FloatArray]

    def __post_init__(self) -> None:
        with np.errstate(all="ignore"):
            values = np.asarray(self.function(GRID))
        if values.shape != GRID.shape or not np.isrealobj(values) or not np.isfinite(values).all():
            raise ValueError(
                "spectral_function must map an array of eigenvalues in [0, 2] to finite real numbers of the same "
                f"shape, got shape {values.shape} with {int((~np.isfinite(values)).sum())} values not finite."
            )

    @property
    def decreases(self) -> bool:
        """Whether it falls somewhere on [0, 2]."""
        values = np.asarray(self.function(GRID))
        return bool((np.diff(values) < -1e-12 * max(1.0, np.abs(values).max())).any())

    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        return np.asarray(self.function(np.asarray(eigenvalues)), dtype=np.float64)


_BY_NAME: dict[str, Callable[[], SpectralFunction]] = {"identity": Power, "heat": Heat, "car": CAR}


def check_spectral_function(spectral_function: Any, owner: str) -> None:
    """Refuse what is no γ and question one that decreases: once in a fit, which may need γ more than once."""
    try:
        gamma = as_spectral_function(spectral_function)
    except (TypeError, ValueError) as error:
        if str(error).startswith("spectral_function"):  # not what a user's function raised
            raise type(error)(f"{owner}: {error}") from None
        raise
    if isinstance(gamma, Custom) and gamma.decreases:
        warn(
            f"{owner}: spectral_function decreases somewhere on [0, 2]: it should grow, because a larger eigenvalue is "
            "a faster variation; for a filter g that keeps low frequencies use 1 - g.",
            UserWarning,
        )


def as_spectral_function(spectral_function: Any) -> SpectralFunction:
    """Make γ of what a parameter ``spectral_function`` may be.

    Parameters
    ----------
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction
        A name stands for `Power`, `Heat` or `CAR` with their defaults, a number for a `Power`.

    Returns
    -------
    SpectralFunction
        The object itself where it is one.

    Raises
    ------
    ValueError
        For a name, a power or a function that is no γ.
    TypeError
        For anything else.

    See Also
    --------
    SpectralFunction : What it returns.
    eigenselect.SPEC : Takes the same values.

    Examples
    --------
    >>> from eigenselect.spectral import as_spectral_function
    >>> as_spectral_function("heat"), as_spectral_function(2)
    (Heat(time=1.0), Power(exponent=2.0))
    """
    if isinstance(spectral_function, SpectralFunction):
        return spectral_function
    if isinstance(spectral_function, str):
        if spectral_function not in _BY_NAME:
            names = ", ".join(map(repr, _BY_NAME))
            raise ValueError(f"spectral_function must be {names}, a power or a callable, got {spectral_function!r}.")
        return _BY_NAME[spectral_function]()
    if is_number(spectral_function):
        return Power(float(spectral_function))
    if callable(spectral_function):
        return Custom(spectral_function)
    raise TypeError(f"spectral_function must be a name, a power or a callable, got {type(spectral_function).__name__}.")


@dataclass(frozen=True)
class ChebyshevSeries:
    r"""A polynomial :math:`\sum_k c_k T_k(t)` of :math:`t = (2\mu - b - a)/(b - a)` on an interval [a, b].

    Attributes
    ----------
    coefficients : ndarray
        :math:`c_0, c_1, \ldots`; at least two.
    interval : tuple of two floats
        Holds the spectrum of the operator that the polynomial is applied to.
    error : float
        The largest difference from γ that was seen on a fine grid.
    converged : bool
        Whether the error is at most 1e-11 of the range of γ.

    See Also
    --------
    chebyshev_series : Finds one for a function.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import ChebyshevSeries
    >>> line = ChebyshevSeries(np.array([0.5, 0.5]), interval=(0.0, 2.0), error=0.0, converged=True)  # μ / 2
    >>> np.polynomial.chebyshev.chebval([-1.0, 0.0, 1.0], line.coefficients)  # at μ = 0, 1, 2
    array([0. , 0.5, 1. ])
    """

    coefficients: FloatArray
    interval: tuple[float, float]
    error: float
    converged: bool


def chebyshev_series(function: Callable[[FloatArray], FloatArray], interval: tuple[float, float]) -> ChebyshevSeries:
    r"""Find the shortest of the tried Chebyshev series (8, 16, … terms) within the tolerance.

    A score φ is a convex combination of :math:`\gamma(\lambda_j)`, so the largest error of the polynomial on the
    interval bounds the error of every score. It is measured on a grid 8 times finer than the interpolation nodes.

    Parameters
    ----------
    function : callable
        The γ, of an array.
    interval : tuple of two floats
        Lowest and highest eigenvalue.

    Returns
    -------
    ChebyshevSeries
        The shortest one; where none is within the tolerance, the longest, with ``converged=False``.

    See Also
    --------
    ChebyshevSeries : What it returns.
    SpectralFunction : Functions that it is made for.

    References
    ----------
    Trefethen, Approximation Theory and Approximation Practice, SIAM 2013, chapters 3 and 8; Hammond, Vandergheynst and
    Gribonval, Wavelets on graphs via spectral graph theory, ACHA 2011, doi:10.1016/j.acha.2010.04.005.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.spectral import chebyshev_series
    >>> series = chebyshev_series(np.exp, (0.0, 2.0))
    >>> series.converged, len(series.coefficients) <= 16
    (True, True)
    """
    low, high = interval
    degree, error, tolerance = 4, np.inf, 0.0
    while error > tolerance and degree < CHEBYSHEV_DEGREE:
        degree *= 2
        grid = np.cos(np.linspace(0.0, np.pi, 8 * degree + 1))
        exact = function(low + (high - low) * (grid + 1) / 2)
        tolerance = CHEBYSHEV_TOLERANCE * (float(np.ptp(exact)) or 1.0)
        coefficients = np.asarray(chebyshev.Chebyshev.interpolate(function, degree, domain=interval).coef, float)
        tails = np.cumsum(np.abs(coefficients[::-1]))[::-1]  # cut where all that follows is negligible
        coefficients = coefficients[: max(2, int((tails > tolerance / 10).sum()))]
        error = float(np.abs(chebyshev.chebval(grid, coefficients) - exact).max())
    return ChebyshevSeries(coefficients, interval, error, error <= tolerance)
