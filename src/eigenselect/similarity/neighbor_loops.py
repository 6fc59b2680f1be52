"""Compiled loops of the neighbour search: who of a block may be near, and how far exactly."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled

#: bounds that are compared with the limit at once
CHUNK = 32

_in_order = compiled()
_without_nan = compiled("nnan", "nsz", "reassoc")
_in_lanes = compiled("reassoc", "contract")


@_without_nan
def _lowest(products, norms):  # type: ignore[no-untyped-def]
    """Return the smallest bound of a whole chunk."""
    low = norms[0] - products[0]
    for j in range(CHUNK):
        low = min(low, norms[j] - products[j])
    return low


@_in_order
def keep_lowest(products, norms, start, own, bounds, columns):  # type: ignore[no-untyped-def]
    """Keep, for each row, the lowest ``norms[j] - products[i, j]`` of samples from ``start`` on, and whose they are.

    ``bounds`` and ``columns`` hold what was kept of earlier blocks, ascending, and are changed in place. Row i is
    sample ``own[i]``, which is no neighbour of itself. Most chunks hold nothing that is low enough: one look at their
    smallest bound is all they cost.
    """
    count = bounds.shape[1]
    for i in range(products.shape[0]):
        row, best, where = products[i], bounds[i], columns[i]
        for first in range(0, row.size, CHUNK):
            last = min(first + CHUNK, row.size)
            if last - first == CHUNK and _lowest(row[first:last], norms[first:last]) >= best[count - 1]:
                continue
            for j in range(first, last):
                bound = norms[j] - row[j]
                if bound < best[count - 1] and start + j != own[i]:
                    place = count - 1
                    while place > 0 and best[place - 1] > bound:
                        best[place], where[place] = best[place - 1], where[place - 1]
                        place -= 1
                    best[place], where[place] = bound, start + j


@_in_order
def distances_of_pairs(X, first, second, out):  # type: ignore[no-untyped-def]
    """Write the squared distance of each pair of rows, added up in the order of the columns: the same bits anywhere."""
    for pair in range(first.size):
        a, b = X[first[pair]], X[second[pair]]
        total = 0.0
        for k in range(a.size):
            total += (a[k] - b[k]) * (a[k] - b[k])
        out[pair] = total


@_in_lanes
def add_distances(values, start, stop, starts, others, squared):  # type: ignore[no-untyped-def]
    """Add what the columns from ``start`` to ``stop``, which are unsigned, add to squared distances of some pairs.

    Row i is compared with the rows ``others[starts[i] : starts[i + 1]]``, a multiple of four: it is read and widened
    once for four of them. ``values`` are of any precision, differences in double. Some columns are added up side by
    side: the last bits of sums depend on the processor, and on nothing else but which columns there are and the
    precision of the table.
    """
    for i in range(starts.size - 1):
        for e in range(starts[i], starts[i + 1], 4):
            j0, j1, j2, j3 = (
                np.uintp(others[e]),
                np.uintp(others[e + 1]),
                np.uintp(others[e + 2]),
                np.uintp(others[e + 3]),
            )
            s0 = s1 = s2 = s3 = 0.0
            for k in range(start, stop):
                own = np.float64(values[np.uintp(i), k])
                d0, d1 = own - np.float64(values[j0, k]), own - np.float64(values[j1, k])
                d2, d3 = own - np.float64(values[j2, k]), own - np.float64(values[j3, k])
                s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
            squared[e], squared[e + 1] = squared[e] + s0, squared[e + 1] + s1
            squared[e + 2], squared[e + 3] = squared[e + 2] + s2, squared[e + 3] + s3


@_in_order
def products_of_pairs(X, first, second, out):  # type: ignore[no-untyped-def]
    """Write the inner product of each pair of rows, added up in the order of the columns."""
    for pair in range(first.size):
        a, b = X[first[pair]], X[second[pair]]
        total = 0.0
        for k in range(a.size):
            total += a[k] * b[k]
        out[pair] = total


@_in_order
def smallest_of_rows(distances, tied, best, columns):  # type: ignore[no-untyped-def]
    """Write the columns of the smallest of each row, ascending; ``best`` is for work.

    Those that differ from the last one taken by the part ``tied`` at most tie with it, and the lower columns are taken.
    """
    count = columns.shape[1]
    for i in range(distances.shape[0]):
        row, where = distances[i], columns[i]
        filled = 0
        for j in range(row.size):
            value = row[j]
            if filled == count and value >= best[count - 1]:
                continue
            place = min(filled, count - 1)
            while place > 0 and best[place - 1] > value:
                best[place] = best[place - 1]
                place -= 1
            best[place] = value
            filled = min(filled + 1, count)
        low, high = best[count - 1] * (1.0 - tied), best[count - 1] * (1.0 + tied)
        room, place = count, 0
        while room > 0 and best[count - room] < low:
            room -= 1
        for j in range(row.size):
            if row[j] < low or (room > 0 and row[j] <= high):
                room -= row[j] >= low
                where[place] = j
                place += 1
