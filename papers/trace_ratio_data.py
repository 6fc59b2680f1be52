"""The data of the trace ratio paper: six UCI tables as numbers, two sets of faces, and their splits.

One rule for all UCI tables: a category becomes its place among the sorted categories, a missing number the mean of its
column, a missing category the most frequent one. So every table keeps the size that the paper prints.

Two files have lost decimal points (22.08 is 2208, 24.5 is 245). The samples of australian are those of crx, whose
file has the points: its three columns are read there. Of heart's oldpeak (0 to 6.2) the unit can be restored, but not
whether a 1 was 0.1 or 1.0.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from functools import cache

import numpy as np
from common import DATA, load
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

UCI = ("vehicle", "ionosphere", "heart", "german", "crx", "australian")
FACES = {"AT&T": "att_faces_28x23.npz", "UMIST": "umist.npz"}
DATASETS = (*UCI, *FACES)
MISSING = "?"


@cache
def dataset(name: str) -> tuple[FloatArray, IndexArray]:
    """The samples and the class numbers of a data set."""
    if name in FACES:
        X, labels = load(FACES[name])
    else:
        rows = _rows(name)
        X, labels = numbers_of([row[:-1] for row in rows]), np.array([row[-1] for row in rows])
    if name == "heart":
        X[:, 9] /= 10  # oldpeak
    if name == "australian":
        X[:, [1, 2, 6]] = with_points(_rows("australian"), _rows("crx"))
    return X, np.unique(labels, return_inverse=True)[1]


def training_size(name: str) -> int:
    """Training samples per class."""
    return 5 if name in FACES else 30


def split_of(y: IndexArray, per_class: int, seed: int) -> tuple[IndexArray, IndexArray]:
    """Draw so many training samples of every class, and the rest; in random order, as the first of equals wins."""
    order = np.random.default_rng(seed).permutation(y.size)
    first = [order[y[order] == label][:per_class] for label in range(int(y.max()) + 1)]
    is_train = np.zeros(y.size, dtype=bool)
    is_train[np.concatenate(first)] = True
    return order[is_train[order]], order[~is_train[order]]


def numbers_of(rows: list[list[str]]) -> FloatArray:
    """A table of texts as numbers, column by column."""
    return np.column_stack([_column(list(values)) for values in zip(*rows, strict=True)])


def _column(values: list[str]) -> FloatArray:
    known = [value for value in values if value != MISSING]
    try:
        mean = np.mean([float(value) for value in known])
    except ValueError:
        (usual, _), places = Counter(known).most_common(1)[0], {text: i for i, text in enumerate(sorted(set(known)))}
        return np.array([places[usual if value == MISSING else value] for value in values], dtype=np.float64)
    return np.array([mean if value == MISSING else float(value) for value in values], dtype=np.float64)


def with_points(australian: list[list[str]], crx: list[list[str]]) -> FloatArray:
    """Columns 2, 3 and 7 of australian, read in the one row of crx that agrees once its decimal points are dropped."""
    age, other = (np.mean([float(row[j]) for row in crx if row[j] != MISSING]) for j in (1, 13))
    filled = {1: f"{age:.2f}", 13: f"{other:.0f}"}  # what australian has in place of the missing numbers of crx
    found: dict[tuple[float, ...], tuple[float, ...]] = {}
    for row in crx:
        texts = [filled.get(j, value) if value == MISSING else value for j, value in enumerate(row)]
        values = tuple(float(texts[j]) for j in (1, 2, 7))
        key = (*map(_pointless, values), *(float(texts[j]) for j in (10, 13, 14)), float(row[-1] == "+"))
        if found.setdefault(key, values) != values:
            raise ValueError(f"with_points: two rows of crx read {key} without decimal points; expected one.")
    keys = ((*(float(row[j]) for j in (1, 2, 6, 9, 12)), float(row[13]) - 1, float(row[-1])) for row in australian)
    return np.array([found[key] for key in keys])


def _pointless(value: float) -> float:
    """A number after its decimal point was dropped: 22.08 is 2208, 24.5 is 245, 7.0 is 7."""
    return float(repr(value).removesuffix(".0").replace(".", ""))


def _rows(name: str) -> list[list[str]]:
    with gzip.open(DATA / f"uci_{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]
