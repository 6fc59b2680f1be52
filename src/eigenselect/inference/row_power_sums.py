"""Power sums of a sparse table row by row, compiled: CSR is read three times and never turned into columns."""

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


def row_power_sums(X: SparseMatrix, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    """Write the power sums of all columns over the rows that count to ``sums``."""
    for band in row_bands(X.raw):
        _put(band, counts, sums.some(band.columns), n_jobs)


def _put(band: RowBand, counts: BoolArray, sums: PowerSums, n_jobs: int | None) -> None:
    n_rows = int(np.count_nonzero(counts))
    largest, stored, zeros = band.summed(_add_sizes, 3, n_jobs, counts, combine=_combine_sizes)
    exponents = exponents_of(largest)
    # 2^-exponent itself may be out of range, so values are multiplied twice
    scale = np.ldexp(1.0, np.stack([-(exponents // 2), exponents // 2 - exponents]))
    absent = n_rows - stored
    shift = _first_values(band, int(np.argmax(counts)), scale, absent == 0)
    mean = band.summed(_add_values, 1, n_jobs, counts, scale, shift)[0] / n_rows
    powers = band.summed(_add_powers, len(sums.powers) - 2, n_jobs, counts, scale, shift, mean)
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
    """Find the largest |f|; count stored values, and the zeros among them."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(begin[i], end[i]):
                c, size = indices[entry] - offset, abs(np.float64(data[entry]))
                sums[0, c] = max(size, sums[0, c])
                sums[1, c] += 1.0
                sums[2, c] += size == 0.0


@_compiled
def _add_values(begin, end, indices, data, offset, counts, scale, shift, start, stop, sums):  # type: ignore[no-untyped-def]
    for i in range(start, stop):
        if counts[i]:
            for entry in range(begin[i], end[i]):
                c = indices[entry] - offset
                sums[0, c] += data[entry] * scale[0, c] * scale[1, c] - shift[c]


@_compiled
def _add_powers(begin, end, indices, data, offset, counts, scale, shift, mean, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add the second to sixth powers of the stored values minus the mean."""
    for i in range(start, stop):
        if counts[i]:
            for entry in range(begin[i], end[i]):
                c = indices[entry] - offset
                z = (data[entry] * scale[0, c] * scale[1, c] - shift[c]) - mean[c]
                zz = z * z
                sums[0, c] += zz
                sums[1, c] += zz * z
                sums[2, c] += zz * zz
                sums[3, c] += zz * zz * z
                sums[4, c] += zz * zz * zz
