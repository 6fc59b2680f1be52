"""Places of samples that an annotated table holds beside its numbers: on a slide, or in a map made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray

#: entries of ``obsm`` whose first two columns are a picture of the samples, by the names that everybody gives them
PLANES = ("spatial", "X_umap", "X_tsne", "X_pca")


def planes(entries: Mapping[str, Any], n_samples: int) -> dict[str, FloatArray]:
    """Take the first two columns of every entry that places all samples; leave out what does not.

    A picture is an extra: an entry of text, of another length, with missing or infinite places is left out, and the
    table is as good without.

    Parameters
    ----------
    entries : mapping of str to array or data frame
        ``adata.obsm``, or what was read of it.
    n_samples : int

    Returns
    -------
    dict of str to ndarray of shape (n_samples, 2)

    Examples
    --------
    >>> found = planes({"X_umap": np.eye(3), "X_pca": np.full((3, 2), np.nan), "other": np.eye(3)}, 3)
    >>> list(found), found["X_umap"].shape
    (['X_umap'], (3, 2))
    """
    made = {name: _plane(entries[name], n_samples) for name in PLANES if name in entries}
    return {name: plane for name, plane in made.items() if plane is not None}


def _plane(values: Any, n_samples: int) -> FloatArray | None:
    values = values.to_numpy() if hasattr(values, "to_numpy") else values
    if not isinstance(values, np.ndarray) or values.ndim != 2 or values.dtype.kind not in "iuf":
        return None
    if values.shape[0] != n_samples or values.shape[1] < 2 or np.ma.is_masked(values):
        return None
    plane = np.array(values[:, :2], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.ptp(plane, axis=0) if n_samples else plane
    return plane if np.isfinite(width).all() else None
