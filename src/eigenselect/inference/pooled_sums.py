"""Power sums of a Dask array, of every block of columns where its scores are computed."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from eigenselect._typing import IntArray
from eigenselect.inference.power_sums import PowerSums, power_sums
from eigenselect.matrix import DaskMatrix


def chunk_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> PowerSums:
    """Compute the sums of all features of a Dask array over some samples, or all."""
    parts = table.kept(*_job(rows))
    return PowerSums(*(np.concatenate([getattr(part, of.name) for part in parts], axis=-1) for of in fields(PowerSums)))


def expect_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> None:
    """Let the next run over the table compute the sums as well."""
    table.expect(*_job(rows))


def _job(rows: IntArray | None) -> tuple[Any, ...]:
    """Return the key of the sums over some samples, what computes them, and the samples."""
    return ("power sums", None if rows is None else rows.tobytes()), partial(power_sums, n_jobs=1), rows
