"""Power sums of a Dask array, of every block of columns where its scores are computed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from functools import partial

import numpy as np

from eigenselect._typing import IntArray
from eigenselect.inference.power_sums import PowerSums, power_sums
from eigenselect.matrix import DaskMatrix


def chunk_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> PowerSums:
    """Compute the sums of all features of a Dask array over some samples, or all."""
    parts = table.kept(expect_power_sums(table, rows))
    return PowerSums(*(np.concatenate([getattr(part, of.name) for part in parts], axis=-1) for of in fields(PowerSums)))


def expect_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> Hashable:
    """Let the next run over the table compute the sums as well; return the key of what it keeps."""
    key = ("power sums", None if rows is None else rows.tobytes())
    table.expect(key, partial(power_sums, n_jobs=1), rows)
    return key
