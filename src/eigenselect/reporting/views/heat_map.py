"""The heat map of a report: z-scores of the best features on the samples, and what may be read from it."""

from __future__ import annotations

import base64
from typing import Any

from sklearn.utils import get_tags

from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.view_types import HeatMapView
from eigenselect.reporting.views.drawn_graph import uses_labels
from eigenselect.reporting.views.groups import Groups
from eigenselect.reporting.views.shown_table import LIMIT, STEP, ShownTable

#: true of every clustered picture
SORTED = "Rows and columns are sorted by likeness, which makes blocks of noise, too"


def heat_map_view(fitted: Fitted, shown: ShownTable, groups: Groups) -> HeatMapView:
    """Write the clustered table as plain values; z-scores are whole steps of 0.1 in base64, feature by feature."""
    ranks, names = fitted.selector.ranking_, fitted.sample_names
    return {
        "features": [fitted.names[column] for column in shown.columns],
        "place": (ranks[shown.columns] - 1).tolist(),
        "number": shown.rows.tolist(),
        "name": None if names is None else [str(names[row]) for row in shown.rows],
        "group": groups.codes[shown.rows].tolist(),
        "n_samples": int(groups.codes.size),
        "limit": LIMIT,
        "step": STEP,
        "steps": base64.b64encode(shown.steps.tobytes()).decode("ascii"),
        "caution": caution(fitted, groups),
    }


def caution(fitted: Fitted, groups: Groups) -> str:
    """Say what a reader must not conclude from groups that differ in the picture."""
    if groups.kind == "cluster" and groups.count > 1:
        return f"The groups are clusters of these samples, so they differ by construction. {SORTED}."
    if groups.kind == "cluster":
        return f"{SORTED}."
    if chosen_with_labels(fitted):
        return (
            "The features were chosen with these labels: groups that differ here are expected, also of noise; held-out "
            f"accuracy says whether that lasts. {SORTED}."
        )
    return f"The features were chosen without these labels. {SORTED}."


def chosen_with_labels(fitted: Fitted) -> bool:
    """Tell whether labels had a say in which features are best: in the method, its graph, or a step before it."""
    selector: Any = fitted.selector
    needed = hasattr(selector, "__sklearn_tags__") and bool(get_tags(selector).target_tags.required)
    return needed or uses_labels(selector) or fitted.whole is not None
