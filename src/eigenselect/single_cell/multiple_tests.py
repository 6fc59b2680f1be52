r"""Adjust p-values for their number, by the names that statsmodels gives the methods.

Below, :math:`p_{(1)} \le \dots \le p_{(m)}` are the p-values that are defined; NaN stays NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import false_discovery_control

from eigenselect._typing import FloatArray
from eigenselect.exceptions import listed, shown
from eigenselect.io.errors import near_names

#: α of the first of two stages, which statsmodels takes, too, unless it is told otherwise
LEVEL = 0.05


def adjusted_pvalues(pvalues: FloatArray, method: str, owner: str = "adjusted_pvalues") -> FloatArray:
    r"""Adjust p-values so that those of at most α keep a false discovery rate, or an error rate, of α.

    Parameters
    ----------
    pvalues : array of shape (n_tests,)
    method : str
        ``"fdr_bh"`` (Benjamini and Hochberg), ``"fdr_by"`` (Benjamini and Yekutieli, under any dependence) keep the
        false discovery rate; ``"bonferroni"``, ``"sidak"``, ``"holm"``, ``"holm-sidak"``, ``"simes-hochberg"`` and
        ``"hommel"`` the probability of any false discovery. ``"fdr_tsbh"``, ``"fdr_tsbky"`` (two stages) and
        ``"fdr_gbs"`` (adaptive step-down) estimate how many tests are of nothing, the first two at α = 0.05 only, and
        need independent tests.
    owner : str
        Who speaks in errors.

    References
    ----------
    Benjamini and Yekutieli, Ann. Stat. 2001, doi:10.1214/aos/1013699998; Holm, Scand. J. Stat. 1979; Hochberg,
    Biometrika 1988, doi:10.1093/biomet/75.4.800; Hommel, Biometrika 1988, doi:10.1093/biomet/75.2.383; Benjamini,
    Krieger and Yekutieli, Biometrika 2006, doi:10.1093/biomet/93.3.491; Gavrilov, Benjamini and Sarkar, Ann. Stat.
    2009, doi:10.1214/07-AOS586.

    Examples
    --------
    >>> adjusted_pvalues(np.array([0.01, np.nan, 0.02, 0.9]), "holm")
    array([0.03,  nan, 0.04, 0.9 ])
    """
    adjust = _METHODS[known_method(method, owner)]
    pvalues = np.asarray(pvalues, dtype=np.float64)
    adjusted = np.full(pvalues.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(pvalues))
    if defined.size:
        order = defined[np.argsort(pvalues[defined], kind="stable")]
        adjusted[order] = np.minimum(adjust(pvalues[order]), 1.0)
    return adjusted


def known_method(method: str, owner: str) -> str:
    """Return the name of a method; refuse one that is not known, before anything is computed."""
    if method in _METHODS:
        return method
    near = near_names(str(method), list(_METHODS))
    hint = (
        f"did you mean {' or '.join(map(shown, near))}?" if near else f"use one of {listed(_METHODS, len(_METHODS))}."
    )
    raise ValueError(f"{owner}: no method of correction is named {shown(method)}; {hint}")


def _steps_down(raised: FloatArray) -> FloatArray:
    """Make values that are adjusted one by one at least as large as those before them."""
    return np.maximum.accumulate(raised)


def _steps_up(raised: FloatArray) -> FloatArray:
    """Make values that are adjusted one by one at most as large as those after them."""
    return np.minimum.accumulate(raised[::-1])[::-1]


def _remaining(p: FloatArray) -> FloatArray:
    """Return m - i + 1 for the i-th smallest."""
    return np.arange(p.size, 0.0, -1.0)


def _sidak(p: FloatArray, number: FloatArray | float) -> FloatArray:
    """Compute 1 - (1 - p)^k, which keeps the digits of tiny p."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(number * np.log1p(-p)))


def _hommel(p: FloatArray) -> FloatArray:
    r"""Compute Hommel's values: the smallest α at which Simes' tests of all intersections reject.

    For every number k of hypotheses, Simes' value :math:`c_k = \min_j k\, p_{(m - k + j)} / j` of the k largest bounds
    these from below, and :math:`\min(k\, p, c_k)` the others.
    """
    m = p.size
    found = p.copy()
    for k in range(m, 1, -1):
        last = p[m - k + 1 :]
        simes = np.min(k * last / np.arange(2, k + 1))
        found[m - k + 1 :] = np.maximum(found[m - k + 1 :], simes)
        first = slice(0, m - k + 1)
        found[first] = np.maximum(found[first], np.minimum(simes, k * p[first]))
    return found


def _two_stages(p: FloatArray, inflation: float = 0.0) -> FloatArray:
    r"""Multiply the values of Benjamini and Hochberg by the share of tests that a first stage at α does not reject.

    ``inflation`` is that of Benjamini, Krieger and Yekutieli: the first stage is at :math:`\alpha / (1 + \alpha)`, and
    values are :math:`1 + \alpha` times as large. A first stage that rejects none or all leaves them as they are.
    """
    factor = 1.0 + inflation
    values = false_discovery_control(p)
    rejected = int((values <= LEVEL / factor).sum())
    left = 1.0 if rejected == p.size else (p.size - rejected) / p.size
    return np.asarray(values * left * factor)


def _adaptive_steps(p: FloatArray) -> FloatArray:
    r"""Compute the smallest α with :math:`p_{(j)} \le j \alpha / (m + 1 - j (1 - \alpha))` for all j up to i."""
    with np.errstate(divide="ignore"):
        return _steps_down(_remaining(p) / np.arange(1, p.size + 1) * p / (1.0 - p))


_METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "fdr_bh": false_discovery_control,
    "fdr_by": lambda p: false_discovery_control(p, method="by"),
    "bonferroni": lambda p: p * p.size,
    "sidak": lambda p: _sidak(p, p.size),
    "holm": lambda p: _steps_down(_remaining(p) * p),
    "holm-sidak": lambda p: _steps_down(_sidak(p, _remaining(p))),
    "simes-hochberg": lambda p: _steps_up(_remaining(p) * p),
    "hommel": _hommel,
    "fdr_tsbh": _two_stages,
    "fdr_tsbky": lambda p: _two_stages(p, LEVEL),
    "fdr_gbs": _adaptive_steps,
}
