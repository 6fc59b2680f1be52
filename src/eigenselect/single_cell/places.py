"""Whether coordinates tell which cells are near each other: where all are at one place, none is nearer than another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray
from eigenselect.exceptions import agreeing, counted


def check_places(values: Any, name: str, owner: str, n_neighbors: int | None = None) -> str:
    """Refuse coordinates of which no graph of near cells can be made, and say what is doubtful of others.

    Neighbours at one place are equally near, so that of more than ``n_neighbors`` their order in the table decides.

    Parameters
    ----------
    values : array of shape (n_cells, n_dimensions)
        Anything else is left to who makes the graph.
    name : str
        What messages call them, such as ``obsm['spatial']``.
    owner : str
        Whom errors speak for.
    n_neighbors : int, optional
        How many neighbours every cell has in the graph, where it is one of neighbours.

    Returns
    -------
    str
        A clause without a full stop; empty where there is no doubt.

    Examples
    --------
    >>> check_places([[0, 1], [0, 1], [0, 1], [5, 5]], "obsm['spatial']", "rank", n_neighbors=1).split(",")[0]
    "3 of 4 cells have one and the same place in obsm['spatial']"
    """
    if sparse.issparse(values):
        return ""
    table = np.asarray(values)
    if table.ndim != 2 or table.dtype.kind not in "buif" or table.shape[0] < 2 or not table.shape[1]:
        return ""
    _refuse_missing(table, name, owner)
    largest = int(_counts(table).max())
    if largest == len(table):
        raise ValueError(
            f"{owner}: all {largest} cells have the same place in {name}, so that none is nearer than another; name "
            "other coordinates."
        )
    if n_neighbors is None or largest <= n_neighbors + 1:
        return ""
    return (
        f"{largest} of {len(table)} cells have one and the same place in {name}, more than the "
        f"{counted(n_neighbors, 'neighbour')} of each, which are then the first of them in the table; look whether "
        "places were lost, or leave such cells out"
    )


def _refuse_missing(table: AnyArray, name: str, owner: str) -> None:
    known = np.isfinite(table).all(axis=1)
    missing = int((~known).sum())
    if missing:
        raise ValueError(
            f"{owner}: {missing} of {len(table)} cells {agreeing(missing, '[has|have]')} no place in {name} (NaN or "
            f"infinity); leave {agreeing(missing, '[it|them]')} out: adata[np.isfinite(adata.{name}).all(axis=1)]."
        )


def _counts(table: AnyArray) -> AnyArray:
    """Count the rows that are equal, by their bytes: faster than column by column; 0 and -0 are one place."""
    rows = np.ascontiguousarray(table, dtype=np.float64) + 0.0
    return np.unique(rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))), return_counts=True)[1]
