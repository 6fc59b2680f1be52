"""In which groups a report shows the samples: classes, thirds of a number, or clusters of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eigenselect._labels import read_labels

#: groups with a colour and a row of their own; smaller ones are put together
MAX_GROUPS = 20
UNLABELLED, APART = "unlabelled", "apart"


@dataclass(frozen=True)
class Groups:
    """A name for every group and a number of it for every sample.

    Attributes
    ----------
    kind : {"class", "third", "cluster"}
        Where the groups come from.
    names : list of str
    codes : ndarray of int, shape (n_samples,)
        -1 for samples that are in no group.
    count : int
        Classes, thirds or clusters that there are, before small ones were put together.
    """

    kind: str
    names: list[str]
    codes: NDArray[np.intp]
    count: int

    def sizes(self) -> list[int]:
        """Samples in each group."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names)).tolist()


def one_group(n_samples: int) -> Groups:
    """All samples alike."""
    return Groups("cluster", ["all samples"], np.zeros(n_samples, dtype=np.intp), 1)


def groups_of_labels(y: Any, *, number: bool = False, minus_one_is_unlabelled: bool = False) -> Groups:
    """Classes of y, or thirds where it is a number.

    Samples without a label are a group of their own, the last one; ``minus_one_is_unlabelled`` says whether the method
    uses such samples, so that -1 marks them in a numeric y with two other classes. Beyond `MAX_GROUPS` classes, the
    smallest are put together.
    """
    values = pd.Series(np.asarray(y, dtype=object)).infer_objects()
    values = values.mask(
        read_labels(np.asarray(y, dtype=object), "report").unlabelled(minus_one=minus_one_is_unlabelled)
    )
    if number:
        return _thirds(values.to_numpy(dtype=np.float64))
    sortable = pd.api.types.is_numeric_dtype(values.dtype) or all(isinstance(v, str) for v in values.dropna())
    codes, uniques = pd.factorize(values, sort=sortable)
    count, names = len(uniques), [_text(value) for value in uniques]
    codes, names = _largest(codes, names)
    if (codes < 0).any():
        names, codes = [*names, UNLABELLED], np.where(codes < 0, len(names), codes)
    return Groups("class", names, codes.astype(np.intp), count)


def groups_of_clusters(
    coordinates: NDArray[np.float64], rows: NDArray[np.intp], n_samples: int, count: int, random_state: Any
) -> Groups:
    """Clusters by k-means in eigenvector coordinates (spectral clustering), largest first.

    ``rows`` are the samples that the coordinates belong to; the others are in no group.
    """
    from sklearn.cluster import KMeans

    shown = min(count, MAX_GROUPS)
    found = KMeans(shown, n_init=10, random_state=random_state).fit_predict(coordinates)
    order = np.argsort(-np.bincount(found, minlength=shown), kind="stable")
    place = np.empty(shown, dtype=np.intp)
    place[order] = np.arange(shown)
    codes = np.full(n_samples, -1, dtype=np.intp)
    codes[rows] = place[found]
    return Groups("cluster", [f"cluster {number + 1}" for number in range(shown)], codes, count)


def with_apart(groups: Groups, apart: NDArray[np.intp]) -> Groups:
    """The same, and one more group of samples that no cluster holds."""
    if not apart.size:
        return groups
    codes = groups.codes.copy()
    codes[apart] = len(groups.names)
    return Groups(groups.kind, [*groups.names, APART], codes, groups.count)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _thirds(values: NDArray[np.float64]) -> Groups:
    low, high = np.nanquantile(values, [1 / 3, 2 / 3])
    codes = np.where(values <= low, 0, np.where(values <= high, 1, 2))
    names = [f"at most {low:.4g}", f"{low:.4g} to {high:.4g}", f"above {high:.4g}"]
    if np.isnan(values).any():
        names, codes = [*names, UNLABELLED], np.where(np.isnan(values), 3, codes)
    return Groups("third", names, codes.astype(np.intp), 3)


def _largest(codes: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], list[str]]:
    if len(names) <= MAX_GROUPS:
        return codes, names
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: MAX_GROUPS - 1])
    place = np.full(len(names) + 1, len(kept))  # its last entry stands for the code -1
    place[kept] = np.arange(len(kept))
    place[-1] = -1
    return place[codes], [*(names[j] for j in kept), f"{len(names) - len(kept)} other classes"]
