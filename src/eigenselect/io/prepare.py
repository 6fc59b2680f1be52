"""What may be done to a table before it is ranked: fill missing values, scale features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.numbers import WHOLE
from eigenselect.io.table import Letters, Table, count_not_finite


def imputed(table: Table, source: str) -> Table:
    """The table with missing values replaced by the median of their column; a column without any value is refused."""
    missing = count_not_finite(table.X)
    if not missing.any():
        return table
    X = table.X.toarray() if sparse.issparse(table.X) else np.array(table.X, dtype=np.float64)
    X[~np.isfinite(X)] = np.nan
    columns = np.flatnonzero(missing)
    empty = columns[missing[columns] == len(X)]
    if empty.size:
        hold, them = ("holds", "it") if empty.size == 1 else ("hold", "them")
        names = listed(table.feature_names[j] for j in empty)
        raise InputError(
            f"{source}: {counted(empty.size, 'column')} {hold} no value at all ({names}); leave {them} out with "
            "--ignore."
        )
    medians = np.nanmedian(X[:, columns], axis=0)
    holes = np.isnan(X[:, columns])
    X[:, columns] = np.where(holes, medians, X[:, columns])
    filled = {table.feature_names[j]: (holes[:, place], medians[place]) for place, j in enumerate(columns)}
    values, were = counted(int(missing.sum()), "missing value"), "was" if missing.sum() == 1 else "were"
    note = f"{values} in {counted(columns.size, 'column')} {were} replaced by the median of their column"
    letters = None if table.letters is None else _with_medians(table.letters, filled)
    return replace(table, X=X, notes=(*table.notes, note), letters=letters)


def _with_medians(letters: Letters, filled: Mapping[str, tuple[NDArray[np.bool_], float]]) -> Letters:
    """Cells as they were written, and medians where there was none."""

    def read(names: Sequence[str]) -> pd.DataFrame:
        cells = letters(names)
        for name in [str(name) for name in cells if name in filled]:
            holes, median = filled[name]
            cells[name] = cells[name].mask(holes, _like(cells[name][~holes], float(median)))
        return cells

    return read


def _like(cells: Iterable[str], number: float) -> str:
    """A number as text; without a point among whole numbers, whose large ones no reader would take for such."""
    whole = number.is_integer() and all(WHOLE.fullmatch(cell) for cell in cells)
    return str(int(number)) if whole else repr(number)


def scaled(table: Table, how: str) -> Table:
    """The table with every feature at unit deviation and mean 0, or between 0 and 1; constant features stay.

    A sparse table is divided only: its zeros stay zeros, and differences between samples do not see a shift.
    """
    if how == "none":
        return table
    if sparse.issparse(table.X):
        columns = sparse.csc_array(table.X, dtype=np.float64)
        width = _sparse_deviations(columns) if how == "standard" else _sparse_ranges(columns)
        X = sparse.csr_array(columns @ sparse.diags_array(1.0 / np.where(width > 0, width, 1.0)))
        return replace(table, X=X, letters=None)
    X = np.asarray(table.X, dtype=np.float64)
    origin, width = (X.mean(axis=0), X.std(axis=0)) if how == "standard" else (X.min(axis=0), np.ptp(X, axis=0))
    return replace(table, X=(X - origin) / np.where(width > 0, width, 1.0), letters=None)


def _sparse_deviations(columns: sparse.csc_array) -> np.ndarray:
    mean = np.asarray(columns.mean(axis=0)).ravel()
    square = np.asarray(columns.multiply(columns).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def _sparse_ranges(columns: sparse.csc_array) -> np.ndarray:
    return np.asarray(columns.max(axis=0).toarray() - columns.min(axis=0).toarray()).ravel()
