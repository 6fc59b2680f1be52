"""Tables 3 and 5 of EVSC's paper by the number of neighbours, for all three methods of the protocol."""

from __future__ import annotations

import numpy as np
import published
from evsc_trials import BEST, INNER, METHODS, RAW, WORST, data, fitted, jaccard_curves, order_of

NEIGHBOURS = (1, 2, 3, 5, 7, 10, 20)

Scores = dict[str, dict[str, float]]  # by method and end, by number of neighbours


def trial(dataset: str) -> Scores:
    """Mean Jaccard scores of every method, best and worst features, for every number of neighbours."""
    X, _ = data(dataset, RAW)
    found = {}
    for name, selector in fitted(dataset, RAW).items():
        order = order_of(selector)
        for end, which in ((BEST, order), (WORST, order[::-1])):
            curves = jaccard_curves(X, which, neighbours=NEIGHBOURS)
            found[f"{name}, {end}"] = {str(k): float(np.mean(curves[f"{INNER}, {k}"])) for k in NEIGHBOURS}
    return found


def gaps(found: dict[str, Scores], datasets: list[str], k: int) -> tuple[float, float]:
    """Mean absolute differences to the cells of Tables 3 and 5 of these sets."""
    tables = []
    for number, end in ((3, BEST), (5, WORST)):
        old = [published.EVSC_TABLES[number][dataset] for dataset in datasets]
        new = [[found[dataset][f"{name}, {end}"][str(k)] for name in METHODS] for dataset in datasets]
        tables.append(float(np.abs(np.subtract(old, new)).mean()))
    return tables[0], tables[1]
