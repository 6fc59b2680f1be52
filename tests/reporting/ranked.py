"""Rankings of small tables, with their alerts: what tests of the answer and of alerts look at."""

from __future__ import annotations

import warnings

from eigenselect.reporting.answers.alerts import find_alerts
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.ranking import summarise

#: what `add_evaluation` measures, as it would be of classes that are told apart
GOOD = {
    "accuracy": {
        "n_features": 5,
        "least_features": 5,
        "most_features": 5,
        "n_folds": 5,
        "n_predicted": 60,
        "mean": 0.961,
        "deviation": 0.021,
        "largest_class": 0.4,
        "permuted": 0.37,
        "beyond_chance": True,
    },
    "stability": {"n_refits": 10, "overlap": 0.87, "permuted": 0.05, "of": "the labels"},
    "band": None,
    "missing": {"band": "nobody asked for it"},
}
#: the same of noise
POOR = {**GOOD, "accuracy": {**GOOD["accuracy"], "mean": 0.41, "deviation": 0.1, "beyond_chance": False}}


def fitted_to(selector, X, y=None, *, names=None, samples=None, **fit):
    """The selector, fitted, with its data; what the fit warns about is not what these tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, y, **fit)
    return Fitted(selector, X, y, names or [f"f{j}" for j in range(X.shape[1])], samples)


def summary_of(fitted, *, cut=True, notes=(), **parts):
    """Its summary, with parts that other functions add."""
    return {**summarise(fitted, kept=int(fitted.selector.n_features_) if cut else None, notes=notes), **parts}


def alerts_of(fitted, *, kind=None, **parts):
    """Its alerts, all or of one kind."""
    found = find_alerts(summary_of(fitted, **parts), fitted)
    return [alert for alert in found if kind is None or alert["kind"] == kind]


def only(alerts):
    """The one alert."""
    (found,) = alerts
    return found
