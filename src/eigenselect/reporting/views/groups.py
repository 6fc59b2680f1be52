"""In which groups a report shows the samples: classes, thirds of a number, or clusters of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eigenselect._checks import random_generator
from eigenselect._labels import read_labels
from eigenselect._typing import FloatArray, IntArray
from eigenselect.reporting.inputs import is_number
from eigenselect.reporting.view_types import GroupsView

if TYPE_CHECKING:
    from eigenselect.reporting.views.drawn_graph import DrawnGraph


#: groups with a colour and a row of their own; smaller ones are put together
MAX_GROUPS = 20
UNLABELLED, APART = "unlabelled", "apart"
#: runs from different starts, and steps of each
RUNS, STEPS = 10, 300
#: squared distances closer than this part of the squared size of the cloud are equal
SAME = 1e-9


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
        Classes, thirds or clusters that there are, before small ones were put together; 1 where no clusters are clear.
    """

    kind: str
    names: list[str]
    codes: IntArray
    count: int

    @property
    def view(self) -> GroupsView:
        """Return the names and sizes of the groups as plain values."""
        return {"kind": self.kind, "count": self.count, "names": self.names, "sizes": self.sizes()}

    def sizes(self) -> list[int]:
        """Count the samples of each group."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names)).tolist()


def sample_groups(selector: Any, y: Any, drawn: DrawnGraph | None, n_samples: int, random_state: Any) -> Groups:
    """Group samples by class where there are labels, else by cluster where the spectrum shows some, else all in one."""
    if y is not None and not pd.isna(pd.Series(y, dtype=object)).all():
        unlabelled = bool(getattr(selector, "uses_unlabelled_samples", False))
        return groups_of_labels(y, number=is_number(selector, y), minus_one_is_unlabelled=unlabelled)
    count = None if drawn is None else drawn.gap.clusters
    if drawn is None or count is None:
        return Groups("cluster", ["all samples"], np.zeros(n_samples, dtype=np.intp), 1)
    vectors = drawn.spectrum.eigenvectors[:, :count]
    return add_apart(groups_of_clusters(vectors, drawn.rows, n_samples, count, random_state), drawn.apart)


def groups_of_labels(y: Any, *, number: bool = False, minus_one_is_unlabelled: bool = False) -> Groups:
    """Group samples by their class in y, or by thirds where y is a number.

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
    count, names = len(uniques), [_class_name(value) for value in uniques]
    codes, names = _join_small(codes, names)
    if (codes < 0).any():
        names, codes = [*names, UNLABELLED], np.where(codes < 0, len(names), codes)
    return Groups("class", names, codes.astype(np.intp), count)


def groups_of_clusters(
    coordinates: FloatArray, rows: IntArray, n_samples: int, count: int, random_state: Any
) -> Groups:
    """Find clusters by k-means in eigenvector coordinates (spectral clustering), largest first.

    ``rows`` are the samples that the coordinates belong to; the others are in no group.
    """
    shown = min(count, MAX_GROUPS)
    codes = np.full(n_samples, -1, dtype=np.intp)
    codes[rows] = k_means(coordinates, shown, random_state)
    return Groups("cluster", [f"cluster {number + 1}" for number in range(shown)], codes, count)


def add_apart(groups: Groups, apart: IntArray) -> Groups:
    """Add one more group: samples that no cluster holds."""
    if not apart.size:
        return groups
    codes = groups.codes.copy()
    codes[apart] = len(groups.names)
    return Groups(groups.kind, [*groups.names, APART], codes, groups.count)


def _class_name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _thirds(values: FloatArray) -> Groups:
    low, high = np.nanquantile(values, [1 / 3, 2 / 3])
    codes = np.where(values <= low, 0, np.where(values <= high, 1, 2))
    names = [f"at most {low:.4g}", f"{low:.4g} to {high:.4g}", f"above {high:.4g}"]
    if np.isnan(values).any():
        names, codes = [*names, UNLABELLED], np.where(np.isnan(values), 3, codes)
    return Groups("third", names, codes.astype(np.intp), 3)


def _join_small(codes: NDArray[Any], names: list[str]) -> tuple[NDArray[Any], list[str]]:
    if len(names) <= MAX_GROUPS:
        return codes, names
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: MAX_GROUPS - 1])
    place = np.full(len(names) + 1, len(kept))  # its last entry stands for the code -1
    place[kept] = np.arange(len(kept))
    place[-1] = -1
    return place[codes], [*(names[j] for j in kept), f"{len(names) - len(kept)} other classes"]


def k_means(points: FloatArray, count: int, random_state: Any) -> IntArray:
    """Cluster points by k-means so that rounding decides nothing; number the clusters by size, then by first point.

    Of centres, and of runs, that are equally good the first counts. scikit-learn's decides ties, which the eigenvectors
    of symmetric graphs are full of, by the last bits of a matrix product, and those differ from processor to processor.

    >>> k_means(np.array([[0.0], [9.0], [9.2], [9.1], [0.1]]), 2, 0)
    array([1, 0, 0, 0, 1])
    """
    rng = random_generator(random_state)
    centred = points - points.mean(axis=0)
    size = float((centred**2).sum(axis=1).max(initial=0.0))
    runs = [_run(centred, _spread_starts(centred, count, rng), SAME * size) for _ in range(RUNS)]
    costs = np.array([cost for _, cost in runs])
    codes, _ = runs[int(np.argmax(costs <= costs.min() + SAME * size * len(points)))]
    return _numbered(codes, count)


def _spread_starts(points: FloatArray, count: int, rng: np.random.RandomState) -> FloatArray:
    """Draw starts by k-means++: each further one by its squared distance from those before."""
    starts = [points[rng.randint(len(points))]]
    for _ in range(count - 1):
        sums = np.cumsum(_squared_distances(points, np.array(starts)).min(axis=1))
        place = int(np.searchsorted(sums, rng.uniform() * sums[-1], side="right"))
        starts.append(points[min(place, len(points) - 1)])
    return np.array(starts)


def _run(points: FloatArray, centres: FloatArray, same: float) -> tuple[IntArray, float]:
    """Make Lloyd's steps until nothing changes; return the centre of every point and the sum of squared distances."""
    codes = np.full(len(points), -1, dtype=np.intp)
    for _ in range(STEPS):
        squared = _squared_distances(points, centres)
        nearest = np.argmax(squared <= squared.min(axis=1, keepdims=True) + same, axis=1)
        if (nearest == codes).all():
            break
        codes = nearest
        sizes = np.bincount(codes, minlength=len(centres))
        member = np.eye(len(centres))[codes]
        centres = np.where(sizes[:, None] > 0, member.T @ points / np.maximum(sizes, 1)[:, None], centres)
    return codes, float(squared.min(axis=1).sum())


def _squared_distances(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Take one centre at a time, so that a point on its centre is exactly there."""
    return np.column_stack([((points - centre) ** 2).sum(axis=1) for centre in centres])


def _numbered(codes: IntArray, count: int) -> IntArray:
    sizes = np.bincount(codes, minlength=count)
    first = np.full(count, codes.size)
    np.minimum.at(first, codes, np.arange(codes.size))
    place = np.empty(count, dtype=np.intp)
    place[np.lexsort((first, -sizes))] = np.arange(count)
    return np.asarray(place[codes])
