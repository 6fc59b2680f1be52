r"""Decisions by competition: a feature against copies that are as good if it is noise.

The knockoff+ rule at a level q keeps the features that win by a lead of at least

.. math:: T = \min\Big\{t > 0: \frac{\frac1c (1 + \#\{\text{copies win by} \ge t\})}
          {\#\{\text{features win by} \ge t\}} \le q\Big\}

where c is the number of copies of each feature.
"""

from __future__ import annotations

import numpy as np

from eigenselect._typing import BoolArray, FloatArray


def contest(scores: FloatArray, rounding: FloatArray | None = None) -> tuple[BoolArray, FloatArray]:
    """Tell who wins, and by how much.

    Parameters
    ----------
    scores : ndarray of shape (1 + n_copies, n_features)
        Those of the features first; larger is better.
    rounding : ndarray of the same shape, optional
        How far apart rounding can take equal scores.

    Returns
    -------
    wins, leads : ndarray of shape (n_features,)
        Whether a feature beats all its copies, and the lead of the best over the median of the others: NaN where a
        score is, 0 where the best two are equal, so that nobody wins.
    """
    order = np.sort(scores, axis=0)
    leads = order[-1] - np.median(order[:-1], axis=0)
    tolerance = 0.0 if rounding is None else np.max(rounding, axis=0)
    leads = np.where(order[-1] - order[-2] <= tolerance, 0.0, leads)
    return scores[0] == order[-1], np.where(np.isnan(scores).any(axis=0), np.nan, leads)


def knockoff_qvalues(wins: BoolArray, leads: FloatArray, n_copies: int = 1) -> FloatArray:
    """Find the smallest level at which the knockoff+ rule keeps each feature: 1 where it does not win, NaN stays.

    >>> knockoff_qvalues(np.array([True, True, False, True]), np.array([4.0, 3, 2, 1]))
    array([0.5       , 0.5       , 1.        , 0.66666667])
    """
    qvalues = np.where(np.isnan(leads), np.nan, 1.0)
    places, estimates, _ = _estimates(wins, leads, n_copies)
    smallest = np.minimum.accumulate(estimates[::-1])[::-1]
    qvalues[places] = np.where(wins[places], np.minimum(smallest, 1.0), 1.0)
    return qvalues


def knockoff_evalues(wins: BoolArray, leads: FloatArray, n_copies: int, level: float) -> FloatArray:
    r"""Turn what the rule keeps at a level into e-values, whose mean over features without effect is at most 1.

    .. math:: e_j = m\, [j \text{ is kept}] \Big/ \tfrac1c (1 + \#\{\text{copies win by} \ge T\})
    """
    evalues = np.where(np.isnan(leads), np.nan, 0.0)
    places, estimates, losses = _estimates(wins, leads, n_copies)
    passing = np.flatnonzero(estimates <= level)
    if passing.size:
        last = int(passing[-1])
        kept = places[: last + 1][wins[places[: last + 1]]]
        evalues[kept] = np.count_nonzero(~np.isnan(leads)) * n_copies / (1.0 + losses[last])
    return evalues


def ebh_qvalues(evalues: FloatArray) -> FloatArray:
    r"""Adjust e-values for their number, as Benjamini and Hochberg do p-values: that of 1/e. NaN stays.

    Valid whatever the e-values have to do with one another (Wang and Ramdas, False discovery rate
    control with e-values, J. R. Stat. Soc. B 2022, arXiv:2009.02824).

    >>> ebh_qvalues(np.array([30.0, 0.0, 60.0]))
    array([0.05, 1.  , 0.05])
    """
    qvalues = np.full(evalues.shape, np.nan)
    places = np.flatnonzero(~np.isnan(evalues))
    places = places[np.argsort(-evalues[places], kind="stable")]
    with np.errstate(divide="ignore"):
        estimates = places.size / (np.arange(1, places.size + 1) * evalues[places])
    qvalues[places] = np.minimum(np.minimum.accumulate(estimates[::-1])[::-1], 1.0)
    return qvalues


def _estimates(wins: BoolArray, leads: FloatArray, n_copies: int) -> tuple[np.ndarray, FloatArray, FloatArray]:
    """Order features by lead, largest first; return places, estimated share of false wins, and losses at each lead."""
    places = np.flatnonzero(leads > 0)
    places = places[np.argsort(-leads[places], kind="stable")]
    sorted_leads = leads[places]
    last = np.searchsorted(-sorted_leads, -sorted_leads, side="right") - 1  # equal leads count together
    won = np.cumsum(wins[places])[last]
    lost = np.cumsum(~wins[places])[last].astype(np.float64)
    with np.errstate(divide="ignore"):
        return places, (1.0 + lost) / n_copies / won, lost
