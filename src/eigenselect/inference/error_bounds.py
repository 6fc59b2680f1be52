r"""Bounds on the expected number of false selections of complementary pairs stability selection.

A selector is fitted on both halves of B random splits of the samples and chooses q of m features on average;
:math:`\hat\Pi_k` is the share of the 2B fits that chose feature k, :math:`\tilde\Pi_k` the share of the B pairs in
which both halves did. As :math:`\tilde\Pi_k \ge 2\hat\Pi_k - 1`, and the halves are independent,

.. math:: P(\hat\Pi_k \ge \pi) \le P(\tilde\Pi_k \ge 2\pi - 1), \qquad E\,\tilde\Pi_k = p_k^2,

where :math:`p_k` is the probability that one fit chooses the feature. Every bound is a bound on that tail for features
of low selection probability, :math:`p_k \le \theta = q/m`: those that are chosen no more often than at random.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from eigenselect._checks import choice, is_number, number, whole
from eigenselect._typing import FloatArray

#: who speaks in errors where nobody else does
OWNER = "error_bounds"
#: how the tail of a simultaneous selection frequency is bounded
BOUNDS = ("mb", "worst-case", "unimodal", "r-concave")
#: the largest θ = q/m for which the unimodal bound holds
LARGEST_UNIMODAL_SHARE = 1 / np.sqrt(3)
#: points at which an r-concave tail is looked at, and how often the best of them is looked at more closely
GRID, ZOOMS = 256, 4
#: u times the length of the range below which a distribution passes for uniform
FLAT = 1e-9


def expected_false(
    q: float,
    n_features: int,
    threshold: float,
    *,
    n_pairs: int = 50,
    bound: str = "unimodal",
    owner: str = OWNER,
) -> float:
    r"""Bound the expected number of false features among those that are chosen in a share ``threshold`` of the fits.

    With :math:`\theta = q/m` and the threshold :math:`\pi`,

    .. math:: E[V] \le \frac{q^2}{(2\pi - 1)\, m}, \qquad
              E[V] \le C(\pi, B)\,\frac{q^2}{m}, \qquad
              E[V] \le m \min\{D(\theta^2, 2\pi - 1, B, -\tfrac12),\ D(\theta, \pi, 2B, -\tfrac14)\}

    * ``"mb"``, the first: V are noise features. Assumes that the selector is no worse than guessing and that it is
      exchangeable over the noise features.
    * ``"worst-case"``, the same number: V are features of low selection probability, :math:`p_k \le \theta`. Assumes
      nothing but independent samples.
    * ``"unimodal"``, the second: assumes that the distribution of :math:`\tilde\Pi_k` is unimodal for these features.
      :math:`C = 1 / (2(2\pi - 1 - 1/2B))` up to :math:`\pi = 3/4`, :math:`4(1 - \pi + 1/2B) / (1 + 1/B)` beyond.
    * ``"r-concave"``, the third: assumes that the distributions are r-concave, between unimodal and log-concave, with
      r = -1/2 for :math:`\tilde\Pi_k` and r = -1/4 for :math:`\hat\Pi_k`; D is the largest tail of such a
      distribution, see `r_concave_tail`.

    Parameters
    ----------
    q : float
        Mean number of features that one fit chooses.
    n_features : int
        m.
    threshold : float
        π, above 1/2 and up to 1; what counts is the next multiple of 1 / 2B.
    n_pairs : int, default=50
        B.
    bound : {"mb", "worst-case", "unimodal", "r-concave"}, default="unimodal"
    owner : str, optional
        Who speaks in errors.

    Returns
    -------
    float
        NaN where the bound says nothing: for ``"unimodal"`` where q > m/√3 or the threshold is too near to 1/2; for
        ``"r-concave"`` where nothing less than m follows.

    References
    ----------
    Meinshausen and Bühlmann, Stability selection, JRSS B 2010; Shah and Samworth, Variable selection with error
    control: another look at stability selection, JRSS B 2013.

    Examples
    --------
    >>> [round(expected_false(20, 88, 0.8, bound=bound), 3) for bound in ("worst-case", "unimodal", "r-concave")]
    [7.576, 3.743, 1.143]
    """
    _check(q, n_features, n_pairs, bound, owner)
    check_threshold(threshold, owner)
    return _bound(float(q), int(n_features), needed_count(threshold, n_pairs), int(n_pairs), bound)


def smallest_threshold(
    q: float,
    n_features: int,
    max_false: float,
    *,
    n_pairs: int = 50,
    bound: str = "unimodal",
    owner: str = OWNER,
) -> float:
    """Find the smallest threshold at which no more than ``max_false`` false features are expected; infinite if none is.

    Examples
    --------
    >>> smallest_threshold(20, 200, 1.0), smallest_threshold(20, 200, 1.0, bound="r-concave")
    (0.89, 0.69)
    """
    _check(q, n_features, n_pairs, bound, owner)
    number(max_false, "max_false", owner)
    counts = range(n_pairs + 1, 2 * n_pairs + 1)
    first = bisect_left(counts, True, key=lambda n: _bound(float(q), int(n_features), n, n_pairs, bound) <= max_false)
    return counts[first] / (2 * n_pairs) if first < len(counts) else np.inf


def largest_q(
    n_features: int,
    threshold: float,
    max_false: float,
    *,
    n_pairs: int = 50,
    bound: str = "unimodal",
    owner: str = OWNER,
) -> int:
    """Find how many features a fit may choose, so that no more than ``max_false`` false ones are expected.

    Examples
    --------
    >>> largest_q(1000, 0.75, 1.0), largest_q(1000, 0.75, 1.0, bound="worst-case")
    (31, 22)
    """
    _check(0, n_features, n_pairs, bound, owner)
    check_threshold(threshold, owner)
    number(max_false, "max_false", owner)
    count = needed_count(threshold, n_pairs)
    sizes = range(1, int(n_features) + 1)
    return bisect_left(
        sizes, True, key=lambda q: not _bound(float(q), int(n_features), count, n_pairs, bound) <= max_false
    )


def needed_count(threshold: float, n_pairs: int) -> int:
    """Count the fits, of 2B, that must choose a feature: frequencies are multiples of 1 / 2B.

    >>> needed_count(0.75, 50), needed_count(0.7501, 50)
    (75, 76)
    """
    return int(np.ceil(2 * n_pairs * threshold * (1 - 1e-12)))


def check_threshold(threshold: float, owner: str) -> float:
    """Return a threshold above 1/2 and up to 1, or refuse what is none."""
    if is_number(threshold) and 0.5 < threshold <= 1:
        return float(threshold)
    raise ValueError(
        f"{owner}: threshold must be above 0.5 and up to 1, got {threshold!r}; no bound holds for features that are "
        "chosen in fewer than half of the fits."
    )


def _check(q: float, n_features: int, n_pairs: int, bound: str, owner: str) -> None:
    whole(n_features, "n_features", owner)
    whole(n_pairs, "n_pairs", owner)
    number(q, "q", owner, closed=True, expected="zero or a positive number")
    choice(bound, "bound", owner, BOUNDS)


def _bound(q: float, n_features: int, count: int, n_pairs: int, bound: str) -> float:
    """Return the bound where ``count`` of the 2B fits must choose a feature; NaN where there is none."""
    if q == 0:
        return 0.0
    bounds: dict[str, Callable[[float, int, int], float]] = {"unimodal": _unimodal, "r-concave": _r_concave}
    per_feature = bounds.get(bound, _markov)(q / n_features, count, n_pairs)
    return n_features * per_feature


def _markov(share: float, count: int, n_pairs: int) -> float:
    return share**2 * n_pairs / (count - n_pairs)  # 2π - 1 = (count - B) / B


def _unimodal(share: float, count: int, n_pairs: int) -> float:
    threshold, step = count / (2 * n_pairs), 1 / (2 * n_pairs)
    lowest = 0.5 + min(share**2, step + 0.75 * share**2)
    if share > LARGEST_UNIMODAL_SHARE or count < n_pairs + 2 or threshold <= lowest:
        return np.nan
    if 4 * count <= 6 * n_pairs:
        return share**2 / (2 * (2 * threshold - 1 - step))
    return share**2 * 4 * (1 - threshold + step) / (1 + 2 * step)


def _r_concave(share: float, count: int, n_pairs: int) -> float:
    both = r_concave_tail(share**2 * n_pairs, count - n_pairs, n_pairs, -0.5)
    one = r_concave_tail(share * 2 * n_pairs, count, 2 * n_pairs, -0.25)
    tail = min(both, one)
    return tail if tail < 1 else np.nan


# -- the largest tail of an r-concave distribution -------------------------------------------------


@lru_cache(maxsize=4096)
def r_concave_tail(mean: float, start: int, size: int, r: float) -> float:
    r"""Find the largest :math:`P(X \ge \text{start})` of an r-concave X on 0, …, size with a mean of at most ``mean``.

    A distribution is r-concave, r < 0, where :math:`f^r` is convex on its support. At the largest tail :math:`f^r` is
    linear but for the last place: with :math:`s = -1/r`,

    .. math:: f_i \propto (1 + iu)^{-s},\ i \le k, \qquad f_{k+1} \propto c \le (1 + (k+1)u)^{-s},

    where k and c follow from u and the mean, so one number is searched for. 1 where ``start`` is not beyond twice the
    mean: no more is claimed there.

    Parameters
    ----------
    mean : float
    start, size : int
    r : float
        Negative.

    Examples
    --------
    >>> round(r_concave_tail(0.5, 25, 50, -0.5), 5), 0.5 / 25  # what Markov's inequality gives
    (0.00286, 0.02)
    """
    if start <= np.ceil(2 * mean):
        return float(start <= 0 or mean > 0)
    low, high = _log_steepness(mean, start - 1, r), _log_steepness(mean, size, r)
    for _ in range(ZOOMS):
        points = np.linspace(low, high, GRID)
        tails = _tails(np.exp(points), mean, start, size, r)
        best = int(tails.argmax())
        low, high = points[max(best - 1, 0)], points[min(best + 1, GRID - 1)]
    return float(tails[best])


def _weights(steepness: FloatArray, last: int, r: float) -> FloatArray:
    """Return (1 + iu)^(1/r) for each u, i up to the last place."""
    return np.asarray(np.exp(np.log1p(np.arange(last + 1) * steepness[:, None]) / r))


def _log_steepness(mean: float, last: int, r: float) -> float:
    """Find log u at which the distribution on 0, …, last has this mean; very flat where it is nearly that of all equal.

    (1 + iu)^-s < (iu)^-s, so the mean is below u^-s Σ i^(1-s), which bounds u from above.
    """
    places = np.arange(last + 1)

    def excess(log_u: float) -> float:
        weights = _weights(np.exp([log_u]), last, r)[0]
        return float(places @ weights / weights.sum() - mean)

    flat, steep = np.log(FLAT / last), float(np.log((places[1:] ** (1 + 1 / r)).sum() / mean) * -r)
    return float(brentq(excess, flat, steep, xtol=1e-13)) if excess(flat) > 0 else float(flat)


def _tails(steepness: FloatArray, mean: float, start: int, size: int, r: float) -> FloatArray:
    """Return P(X ≥ start) for each u: k is the last place up to which the mean is not yet reached."""
    places, weights = np.arange(size + 1), _weights(steepness, size, r)
    mass, moment = weights.cumsum(axis=1), (places * weights).cumsum(axis=1)
    k = np.clip(np.count_nonzero(moment <= mean * mass, axis=1) - 1, start - 1, size - 1)
    row = np.arange(steepness.size)
    free = (mean * mass[row, k] - moment[row, k]) / (k + 1 - mean)
    return np.asarray(1.0 - mass[:, start - 1] / (mass[row, k] + free))
