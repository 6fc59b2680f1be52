"""Tables with features in rows and samples in columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from eigenselect.exceptions import InputError
from eigenselect.io.column_roles import ColumnRoles, from_frame
from eigenselect.io.labels import text_of
from eigenselect.io.table import Table
from eigenselect.io.text import numbers_of

#: formats of columns, which may be text and numbers
FRAMES = ("csv", "tsv", "parquet")


def from_features_in_rows(sheet: Table, source: str, roles: ColumnRoles) -> Table:
    """Make a table of a sheet with a row for each feature, whose names stand in the first column or the index.

    >>> frame = pd.DataFrame({"gene": ["TP53", "MYC"], "s1": ["1", "2"], "s2": ["3", "4"]})
    >>> table = from_features_in_rows(Table(np.empty((2, 0)), (), covariates=frame), "x.csv", ColumnRoles())
    >>> table.feature_names, table.sample_names.tolist(), table.X.tolist()
    (('TP53', 'MYC'), ['s1', 's2'], [[1.0, 2.0], [3.0, 4.0]])
    """
    frame = pd.DataFrame() if sheet.covariates is None else sheet.covariates
    names = sheet.sample_names
    if names is None:
        names, frame = text_of(frame.iloc[:, 0]), frame.iloc[:, 1:]
    cells = frame.astype(object).T
    cells.columns = pd.Index(names)
    turned = pd.DataFrame({str(name): _numbers_or_text(cells[name]) for name in cells}, index=range(len(cells)))
    return from_frame(turned, source, roles, np.array(frame.columns, dtype=object))


def _numbers_or_text(cells: pd.Series) -> Any:
    numbers = numbers_of([cell if isinstance(cell, str) else str(cell) for cell in cells])
    return cells.to_numpy() if numbers is None else numbers


def transposed_table(table: Table, source: str) -> Table:
    """Exchange samples and features of a table whose format names both."""
    if table.y is not None:
        raise InputError(f"{source}: labels of a transposed table come from another file, --labels FILE:COLUMN.")
    names = table.sample_names
    features = tuple(f"x{j}" for j in range(table.X.shape[0])) if names is None else tuple(map(str, names))
    X = table.X.T
    samples = np.array(table.feature_names, dtype=object)
    return replace(table, X=X, feature_names=features, sample_names=samples, letters=None)
