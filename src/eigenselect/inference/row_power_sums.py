"""Power sums of a sparse table row by row, compiled: CSR is read two or three times and never turned into columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.matrix import SparseMatrix
from eigenselect.matrix.base import exponents_of
from eigenselect.matrix.row_bands import RowBand, row_bands

if TYPE_CHECKING:
    from eigenselect.inference.power_sums import PowerSums

_compiled = compiled("contract")
#: values are added in the unit of the table where the largest is above this: the others keep all of their digits
SMALLEST_SUMMED = 2.0**-900


def row_power_sums(X: SparseMatrix, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    """Write the power sums of all columns over the rows that count to ``sums``."""
    for band in row_bands(X.raw):
        _put(band, counts, sums.some(band.columns), n_jobs)


def _put(band: RowBand, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    n_rows = int(np.count_nonzero(counts))
    with np.errstate(over="ignore", invalid="ignore"):  # such sums are made again
        largest, stored, zeros, total = band.summed(_add_sizes, 4, n_jobs, counts, combine=_combine_sizes)
    exponents = exponents_of(largest)
    absent = n_rows - stored
    # 2^-exponent itself may be out of range, so values are multiplied twice
    scale = np.ldexp(1.0, np.stack([-(exponents // 2), exponents // 2 - exponents]))
    shift = _first_values(band, int(np.argmax(counts)), scale, absent == 0)
    units = np.column_stack([*scale, shift, np.ldexp(total, -exponents) / n_rows])
    again = (absent == 0) | ~np.isfinite(total) | ((largest > 0) & (largest < SMALLEST_SUMMED))
    if again.any():
        units[again, 3] = band.summed(_add_values, 1, n_jobs, counts, units)[0, again] / n_rows
    powers = band.summed(_add_powers, len(sums.powers) - 2, n_jobs, counts, units)
    mean = units[:, 3]
    sums.mean[:], sums.exponents[:], sums.zeros[:] = shift + mean, exponents, absent + zeros
    for k in range(2, len(sums.powers)):
        sums.powers[k] = powers[k - 2] + absent * (-mean) ** k


def _first_values(band: RowBand, row: int, scale: FloatArray, full: BoolArray) -> FloatArray:
    """Return the value of one row in the columns without zeros: one value alone leaves nothing beside it."""
    entries = slice(int(band.begin[row]), int(band.end[row]))
    columns = band.indices[entries] - band.offset
    first = np.zeros(full.size)
    first[columns] = band.data[entries].astype(np.float64) * scale[0, columns] * scale[1, columns]
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
    """Add the stored values in their units, minus the shift."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
                c = np.uintp(indices[entry] - offset)
                sums[c, 0] += data[entry] * units[c, 0] * units[c, 1] - units[c, 2]


@_compiled
def _add_powers(begin, end, indices, data, offset, counts, units, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add the second to sixth powers of the stored values minus the mean."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
                c = np.uintp(indices[entry] - offset)
                z = (data[entry] * units[c, 0] * units[c, 1] - units[c, 2]) - units[c, 3]
                zz = z * z
                sums[c, 0] += zz
                sums[c, 1] += zz * z
                sums[c, 2] += zz * zz
                sums[c, 3] += zz * zz * z
                sums[c, 4] += zz * zz * zz
