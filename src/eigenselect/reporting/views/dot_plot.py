"""The dot plot of a report: for each group and feature, how high its values are and how many are high."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import unit_columns
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.view_types import DotsView
from eigenselect.reporting.views.groups import Groups

#: groups that a dot plot is for: two are told apart better in the heat map
LEAST_GROUPS = 3
#: a table without negative values and with this part of zeros holds counts or the like
MANY_ZEROS = 0.3


def dots_view(fitted: Fitted, columns: IntArray, groups: Groups) -> DotsView | None:
    r"""Return the mean z-score and the share of high values of every feature in every group; None for few groups.

    Of a table like counts the share is that of values that are not zero, else of those above the median of all samples.

    Parameters
    ----------
    fitted : Fitted
    columns : ndarray of int, shape (k,)
        Features, in the order in which they are drawn.
    groups : Groups
    """
    if groups.count < LEAST_GROUPS:
        return None
    values = columns_of(fitted.X, columns)
    unit, used = unit_columns(values), [code for code, size in enumerate(groups.sizes()) if size]
    z = np.where(unit.any(axis=0), unit, np.nan) * np.sqrt(len(values))
    high, share_of = _high(values)
    return {
        "features": [fitted.names[column] for column in columns],
        "place": (fitted.selector.ranking_[columns] - 1).tolist(),
        "group": used,
        "mean": _means(z, groups.codes, used),
        "share": _means(high, groups.codes, used),
        "share_of": share_of,
    }


def _high(values: FloatArray) -> tuple[FloatArray, str]:
    """Mark values that are high, with 1 and 0, and say what that means of this table."""
    if (values >= 0).all() and (values == 0).mean() >= MANY_ZEROS:
        return (values != 0).astype(float), "not zero"
    median = 2 * np.median(values / 2, axis=0)  # halves, because the sum of two may be out of range
    return (values > median).astype(float), "above the median of all samples"


def _means(table: FloatArray, codes: IntArray, used: list[int]) -> list[list[float]]:
    return [table[codes == code].mean(axis=0).tolist() for code in used]
