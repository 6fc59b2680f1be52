"""Random landings, compiled: the same streams and formulas as ``landing_numpy``, one draw after the other.

No rewriting of sums is allowed, so results are the same to the last bit on every processor.
"""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray
from eigenselect.inference.landing import FIRST, SECOND, STEP, STREAM, TIED, Landing

_compiled = compiled()
_STEP, _FIRST, _SECOND, _STREAM = (np.uint64(constant) for constant in (STEP, FIRST, SECOND, STREAM))
_SHIFTS = tuple(np.uint64(shift) for shift in (30, 27, 31, 11))
_S30, _S27, _S31, _S11 = _SHIFTS
_UNIT = 2.0**-53


def statistics(landing: Landing, first: int, count: int) -> FloatArray:
    """See `landing_numpy.statistics`."""
    out = np.empty(count)
    n, k = landing.linear.size, landing.values.size
    # made here: an allocation within takes longer to compile than all the sums
    room = (
        np.arange(n, dtype=np.int64), np.zeros(k, dtype=np.int64), np.zeros(n), np.zeros(landing.V.shape[1]),
        np.zeros(landing.weights.size),
    )  # fmt: skip
    _statistics(
        landing.values, landing.indptr, landing.indices, landing.data, landing.dense, landing.V, landing.C,
        landing.codes, landing.weights, landing.linear, landing.constant, np.uint64(landing.seed), first, room, out,
    )  # fmt: skip
    return out


@_compiled
def _mixed(state):  # type: ignore[no-untyped-def]
    """Hash 64 bits as splitmix64 does."""
    state = (state ^ (state >> _S30)) * _FIRST
    state = (state ^ (state >> _S27)) * _SECOND
    return state ^ (state >> _S31)


@_compiled
def _land(values, state, order, chosen, landed):  # type: ignore[no-untyped-def]
    """Shuffle the first k of ``order`` (Fisher and Yates), remember the swaps, and write the values to ``landed``."""
    n = order.size
    for j in range(values.size):
        state += _STEP
        chosen[j] = j + np.int64(np.float64(_mixed(state) >> _S11) * _UNIT * (n - j))
        place = order[chosen[j]]
        order[chosen[j]] = order[j]
        order[j] = place
        landed[place] = values[j]


@_compiled
def _lift(order, chosen, landed):  # type: ignore[no-untyped-def]
    """Undo `_land`, so that the next draw does not depend on this one."""
    for j in range(chosen.size - 1, -1, -1):
        landed[order[j]] = 0.0
        place = order[chosen[j]]
        order[chosen[j]] = order[j]
        order[j] = place


@_compiled
def _statistics(values, indptr, indices, data, dense, V, C, codes, weights, linear, constant, seed, first, room, out):  # type: ignore[no-untyped-def]
    """Sum gᵀAg + aᵀg + c over the landed values only, and `TIED` times the absolute values of the terms."""
    order, chosen, landed, projections, of_class = room
    k, rank = values.size, V.shape[1]
    for draw in range(out.size):
        _land(values, _mixed(seed + np.uint64(first + draw) * _STREAM), order, chosen, landed)
        total, size = constant, abs(constant)
        for a in range(rank):
            projections[a] = 0.0
        for j in range(k):
            place, g = order[j], values[j]
            total += linear[place] * g
            size += abs(linear[place] * g)
            for entry in range(indptr[place], indptr[place + 1]):
                term = g * data[entry] * landed[indices[entry]]
                total += term
                size += abs(term)
            if dense.size > 0:
                for other in range(k):
                    term = g * dense[place, order[other]] * values[other]
                    total += term
                    size += abs(term)
            for a in range(rank):
                projections[a] += V[place, a] * g
            if weights.size > 0:
                of_class[codes[place]] += g
        for a in range(rank):
            for b in range(rank):
                term = projections[a] * C[a, b] * projections[b]
                total += term
                size += abs(term)
        if weights.size > 0:
            for j in range(k):
                c = codes[order[j]]
                term = weights[c] * of_class[c] * of_class[c]
                total += term
                size += abs(term)
                of_class[c] = 0.0  # each class once
        out[draw] = total + TIED * size
        _lift(order, chosen, landed)
