"""Power sums of a sparse table row by row, compiled: CSR is read two or three times and never turned into columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.matrix import SparseMatrix
from eigenselect.matrix.row_bands import RowBand, row_bands
from eigenselect.matrix.value_range import SMALLEST_SPREAD

if TYPE_CHECKING:
    from eigenselect.inference.power_sums import PowerSums

_compiled = compiled("contract")


def row_power_sums(X: SparseMatrix, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    """Write the power sums of all columns over the rows that count to ``sums``."""
    for band in row_bands(X.raw):
        _put(band, counts, sums.some(band.columns), n_jobs)


def _put(band: RowBand, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    n_rows = int(np.count_nonzero(counts))
    largest, stored, zeros, total = band.summed(_add_sizes, 4, n_jobs, counts, combine=_combine_sizes)
    scale, absent = np.maximum(largest, SMALLEST_SPREAD), n_rows - stored
    full = absent == 0
    shift = _first_values(band, int(np.argmax(counts)), full)
    units = np.column_stack([shift, 1.0 / scale, total / scale / n_rows])
    if full.any():
        units[full, 2] = band.summed(_add_values, 1, n_jobs, counts, units)[0, full] / n_rows
    powers = band.summed(_add_powers, len(sums.powers) - 2, n_jobs, counts, units)
    mean = units[:, 2]
    sums.mean[:], sums.scale[:], sums.zeros[:] = shift / scale + mean, scale, absent + zeros
    for k in range(2, len(sums.powers)):
        sums.powers[k] = powers[k - 2] + absent * (-mean) ** k


def _first_values(band: RowBand, row: int, full: BoolArray) -> FloatArray:
    """Return the value of one row in the columns without zeros: one value alone leaves nothing beside it."""
    entries = slice(int(band.begin[row]), int(band.end[row]))
    columns = band.indices[entries] - band.offset
    first = np.zeros(full.size)
    first[columns] = band.data[entries]
    return np.where(full, first, 0.0)


def _combine_sizes(total: FloatArray, part: FloatArray) -> None:
    """Put what `_add_sizes` found of some rows to what is known of others."""
    np.maximum(total[0], part[0], out=total[0])
    total[1:] += part[1:]


@_compiled
def _add_sizes(begin, end, indices, data, offset, counts, start, stop, sums):  # type: ignore[no-untyped-def]
    """Find the largest |f|; count stored values, and the zeros among them; add the values."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
                c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
                sums[c, 0] = max(abs(f), sums[c, 0])
                sums[c, 1] += 1.0
                sums[c, 2] += f == 0.0
                sums[c, 3] += f


@_compiled
def _add_values(begin, end, indices, data, offset, counts, units, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add the stored values minus the shift, divided by their scale."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
                c = np.uintp(indices[entry] - offset)
                sums[c, 0] += (data[entry] - units[c, 0]) * units[c, 1]


@_compiled
def _add_powers(begin, end, indices, data, offset, counts, units, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add the second to sixth powers of the stored values minus the mean."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
                c = np.uintp(indices[entry] - offset)
                z = (data[entry] - units[c, 0]) * units[c, 1] - units[c, 2]
                zz = z * z
                sums[c, 0] += zz
                sums[c, 1] += zz * z
                sums[c, 2] += zz * zz
                sums[c, 3] += zz * zz * z
                sums[c, 4] += zz * zz * zz
