"""Write docs/array_support.md: which method takes which storage, found out by fitting each on each.

``make tables`` runs it. A small table counts as large here, so that what a method does with one that is not in memory
shows: works on parts of it, loads it and says so, or refuses it.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.parent / "tests"))

import pytest  # noqa: E402
from scipy import sparse  # noqa: E402

from backed import annotated, as_if_large, counts  # noqa: E402
from eigenselect.criteria.methods import METHODS, Labels, Method  # noqa: E402
from rows import made  # noqa: E402
from storages import STORAGES  # noqa: E402

IN_PLACE, LOADED, REFUSED = "yes", "loaded", "refused"
#: every storage: those of the tests, and AnnData in memory
WAYS: dict[str, Callable[[Any, Path], Any]] = STORAGES | {
    "AnnData": lambda X, folder: annotated(X),
    "AnnData, CSR": lambda X, folder: annotated(sparse.csr_matrix(X)),
}
#: columns of the table, with the storages that stand for each
COLUMNS = {
    "array, data frame": ("dense", "columns first"),
    "CSR, CSC": ("CSR", "CSC"),
    "memory map": ("memory map",),
    "HDF5, zarr": ("HDF5", "zarr"),
    "sparse in HDF5, zarr": ("HDF5 CSR", "HDF5 CSC", "zarr CSR", "zarr CSC"),
    "Dask": ("Dask by rows", "Dask by columns", "Dask by rows, CSR"),
    "AnnData": ("AnnData", "AnnData, CSR"),
    "AnnData in a file": ("backed AnnData", "backed AnnData, CSR", "backed AnnData, CSC"),
}
X, Y = counts(60, 40)
X = X + 0.1 * (X > 0)


def graph() -> Any:
    """Return a sample graph from elsewhere: a ring."""
    S = sum(np.roll(np.eye(Y.size), step, axis=1) for step in (1, 2, 3))
    return sparse.csr_array(S + S.T)


def fitted(row: Method, table: Any, given: bool) -> Any:
    """Fit a method on a table, on its own graph or on a given one."""
    selector = made(row, n_features_to_select=3, n_jobs=1)
    y = None if row.labels is Labels.NONE else Y
    return selector.fit(table, y, similarity_matrix=graph()) if given else selector.fit(table, y)


@cache
def expected_scores(name: str, given: bool) -> Any:
    """Return the scores of the table as an array."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fitted(METHODS[name], X, given).scores_


def outcome(row: Method, storage: str, given: bool) -> str:
    """Return what a method does with a large table; stop where its scores are others than those of an array."""
    expected = expected_scores(row.name, given)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.MonkeyPatch.context() as patch:
            as_if_large(patch)
            patch.setattr("eigenselect.matrix.dask_table.band_bytes", lambda: 1500)
            patch.setattr("eigenselect.similarity.pairs.FULL_GRAM_BYTES", 8)
            try:
                found = fitted(row, WAYS[storage](X, Path(folder)), given)
            except ValueError as refusal:
                if "in memory" not in str(refusal):
                    raise
                return REFUSED
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-9, atol=1e-12, err_msg=f"{row.name}, {storage}")
    return LOADED if any("is loaded from its file" in str(one.message) for one in said) else IN_PLACE


def cell(row: Method, storages: Iterable[str]) -> str:
    """Return what stands in the table: what a method does with the table, and with a given graph if that differs."""
    ways = [False, True] if made(row).takes_similarity_matrix else [False]
    found = [{outcome(row, storage, given) for storage in storages} for given in ways]
    words = [" or ".join(sorted(outcomes)) for outcomes in found]
    return words[0] if len(set(words)) == 1 else f"{words[0]}; given graph: {words[1]}"


def called(row: Method) -> str:
    """Return how a method is made in Python."""
    return row.call().replace("'", '"').removesuffix("()")


def table() -> str:
    """Return the table as Markdown."""
    lines = [f"| method | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in METHODS:
        cells = [cell(row, storages) for storages in COLUMNS.values()]
        lines.append(f"| `{called(row)}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table())
