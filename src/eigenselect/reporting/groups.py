"""In which groups a report shows the samples: classes, thirds of a number, or clusters of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: groups with a colour and a row of their own; smaller ones are put together
MAX_GROUPS = 20
UNLABELLED = "unlabelled"


@dataclass(frozen=True)
class Groups:
    """A name for every group and a number of it for every sample.

    Attributes
    ----------
    kind : {"class", "third", "cluster"}
        Where the groups come from.
    names : list of str
    codes : ndarray of int, shape (n_samples,)
    """

    kind: str
    names: list[str]
    codes: NDArray[np.intp]

    def sizes(self) -> list[int]:
        return np.bincount(self.codes, minlength=len(self.names)).tolist()


def groups_of_labels(y: Any, *, minus_one_is_unlabelled: bool = False) -> Groups:
    """Classes of y; thirds where y is a number that takes very many values.

    Samples without a label are a group of their own, the last one. Beyond `MAX_GROUPS` classes, the smallest are put
    together as "other".
    """
    values = pd.Series(np.asarray(y, dtype=object)).infer_objects()
    if minus_one_is_unlabelled:
        values = values.mask(values == -1)
    numeric = pd.api.types.is_float_dtype(values.dtype) or pd.api.types.is_integer_dtype(values.dtype)
    if numeric and not minus_one_is_unlabelled and values.nunique() > max(MAX_GROUPS, len(values) // 4):
        return _thirds(values.to_numpy(dtype=np.float64))
    codes, uniques = pd.factorize(values, sort=numeric or all(isinstance(v, str) for v in values.dropna()))
    names = [_text(value) for value in uniques]
    codes, names = _largest(codes, names)
    if (codes < 0).any():
        names, codes = [*names, UNLABELLED], np.where(codes < 0, len(names), codes)
    return Groups("class", names, codes.astype(np.intp))


def groups_of_clusters(coordinates: NDArray[np.float64], n_clusters: int, random_state: Any) -> Groups:
    """Clusters by k-means in eigenvector coordinates (spectral clustering), largest first."""
    from sklearn.cluster import KMeans

    found = KMeans(n_clusters, n_init=10, random_state=random_state).fit_predict(coordinates)
    order = np.argsort(-np.bincount(found, minlength=n_clusters), kind="stable")
    place = np.empty(n_clusters, dtype=np.intp)
    place[order] = np.arange(n_clusters)
    return Groups("cluster", [f"cluster {number + 1}" for number in range(n_clusters)], place[found])


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _thirds(values: NDArray[np.float64]) -> Groups:
    low, high = np.nanquantile(values, [1 / 3, 2 / 3])
    codes = np.where(values <= low, 0, np.where(values <= high, 1, 2))
    names = [f"at most {low:.4g}", f"{low:.4g} to {high:.4g}", f"above {high:.4g}"]
    if np.isnan(values).any():
        names, codes = [*names, UNLABELLED], np.where(np.isnan(values), 3, codes)
    return Groups("third", names, codes.astype(np.intp))


def _largest(codes: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], list[str]]:
    if len(names) <= MAX_GROUPS:
        return codes, names
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: MAX_GROUPS - 1])
    place = np.full(len(names) + 1, len(kept))  # its last entry stands for the code -1
    place[kept] = np.arange(len(kept))
    place[-1] = -1
    return place[codes], [*(names[j] for j in kept), f"{len(names) - len(kept)} other classes"]
