"""What the scale of features does to trace ratio and HSIC: the 50 best features of each, as they are and at unit scale.

    python benchmarks/unit_scale.py     into the table of docs/units.md

For each set of ../shared/data (never committed) and each of five stratified folds the features are chosen on the
training samples. Near-constant: the share of the chosen features that have one value in over 90 % of these samples.
Accuracy: of the nearest neighbour among the training samples, on held-out ones.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import HSICScore, TraceRatio
from unsupervised import DATA, SIZE, load, replace_section

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "units.md"
SETS = ("BASEHOCK.mat", "PCMAC.mat", "RELATHE.mat", "ms_mfeat_digits.npz", "COIL20.mat", "TOX-171.mat")
METHODS = {
    "TraceRatio, scale=None": TraceRatio(SIZE, scale=None),
    'TraceRatio, scale="unit"': TraceRatio(SIZE),
    "HSIC, scale=None": HSICScore(SIZE, scale=None),
    'HSIC, scale="unit"': HSICScore(SIZE),
}
NEAR_CONSTANT = 0.9


def near_constant(X: NDArray[np.float64]) -> float:
    """Share of the columns with one value in more than `NEAR_CONSTANT` of the rows."""
    middle = np.median(X, axis=0)
    return float(((middle == X).mean(axis=0) > NEAR_CONSTANT).mean())


def measured(file: str) -> list[str]:
    """Near-constant share and accuracy of each method, means over the folds."""
    X, y = load(file)
    found: dict[str, list[Any]] = {name: [] for name in METHODS}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for name, selector in METHODS.items():
            chosen = selector.fit(X[train], y[train]).get_support()
            model = KNeighborsClassifier(1).fit(X[train][:, chosen], y[train])
            found[name].append((near_constant(X[train][:, chosen]), model.score(X[test][:, chosen], y[test])))
    return ["{:.0%}, {:.3f}".format(*np.mean(values, axis=0)) for values in found.values()]


def main() -> None:
    """Measure all sets and write the table into docs/units.md."""
    if not DATA.is_dir():
        print(f"skipped: the data sets are not in {DATA}")
        return
    warnings.filterwarnings("ignore", category=UserWarning)
    lines = [["set", *METHODS], ["---"] * (len(METHODS) + 1)]
    lines += [[file.split(".")[0], *measured(file)] for file in SETS]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    replace_section(
        PAGE, "unit_scale", f"{table}\n\nMeasured by `benchmarks/unit_scale.py`; not recomputed by the tests."
    )


if __name__ == "__main__":
    main()
