"""How far the best features repeat each other: their correlations, beside those of independent features."""

from __future__ import annotations

from scipy.special import beta

from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import mean_correlation, unit_columns
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.view_types import RedundancyView
from eigenselect.reporting.views.near_copies import LISTED, CopyGroups, best_copies, copy_groups_view
from eigenselect.reporting.views.shown_table import BUDGET, LEAST_FEATURES, ShownTable


def redundancy_view(fitted: Fitted, best: IntArray, shown: ShownTable, copies: CopyGroups) -> RedundancyView:
    """Correlate the features of the heat map in its order; average the magnitude over the selection.

    Of a very large selection, the mean is over as many of the best as fit into the budget. Constant features have no
    correlation.
    """
    measured = best[: max(LEAST_FEATURES, BUDGET // max(1, fitted.X.shape[0]))]
    return {
        "features": [fitted.names[column] for column in shown.columns],
        "place": (fitted.selector.ranking_[shown.columns] - 1).tolist(),
        "correlation": shown.correlation.tolist(),
        "rate": mean_correlation(_unit(fitted, measured)),
        "chance": chance_correlation(fitted.X.shape[0]),
        "n_measured": int(measured.size),
        "groups": copy_groups_view(copies, best, shown.columns, fitted),
        "best_copies": best_copies(copies, best),
        "n_searched": len(copies.found),
        "n_listed": int(best[:LISTED].size),
        "copies_by_chance": copies.by_chance,
    }


def _unit(fitted: Fitted, columns: IntArray) -> FloatArray:
    return unit_columns(columns_of(fitted.X, columns))


def chance_correlation(n_samples: int) -> float:
    r"""Return the mean :math:`|\rho|` of two independent normal features, :math:`2 / ((n-2) B(1/2, (n-2)/2))`.

    >>> round(chance_correlation(48), 3)
    0.117
    """
    if n_samples < 3:
        return 1.0
    return float(2.0 / ((n_samples - 2) * beta(0.5, (n_samples - 2) / 2)))
