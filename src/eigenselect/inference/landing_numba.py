"""Random landings, compiled: the same streams and formulas as ``landing_numpy``, one draw after the other.

No rewriting of sums is allowed, so results are the same to the last bit on every processor.
"""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.inference.landing import FIRST, SECOND, STEP, TIED, Landing
from eigenselect.inference.landing_numpy import first_states

_compiled = compiled()
_STEP, _FIRST, _SECOND = (np.uint64(constant) for constant in (STEP, FIRST, SECOND))
_S30, _S27, _S31, _S11 = (np.uint64(shift) for shift in (30, 27, 31, 11))
_UNIT = 2.0**-53
#: landing places of one block of draws
BLOCK = 2**16


def places(seed: int, draws: IntArray, n_values: int, n_samples: int) -> IntArray:
    """See `landing_numpy.places`."""
    found = np.empty((draws.size, n_values), dtype=np.int64)
    _draw_all(first_states(seed, draws), np.arange(n_samples), found)
    return found


def statistics(landing: Landing, first: int, count: int) -> FloatArray:
    """See `landing_numpy.statistics`."""
    n, k = landing.n_samples, landing.values.size
    room = np.arange(n), np.zeros(n), np.zeros(landing.V.shape[1])
    form = landing.indptr, landing.indices, landing.data, landing.linear, landing.V, landing.C
    of_class = np.zeros(landing.weights.size)
    total, size = np.full(count, landing.constant), np.full(count, abs(landing.constant))
    for part in slices(count, max(1, BLOCK // max(1, k))):
        states = first_states(landing.seed, np.arange(first + part.start, first + part.stop))
        places = np.empty((states.size, k), dtype=np.int64)
        sums = places, total[part], size[part]
        _land(landing.values, states, *room, *form, *sums)
        if landing.dense.size or of_class.size:
            _add_dense_parts(landing.values, landing.dense, landing.codes, landing.weights, of_class, *sums)
    return total + TIED * size


@_compiled
def _draw(state, order, places):  # type: ignore[no-untyped-def]
    """Draw the first places of a random order (Fisher and Yates); ``order`` is that of samples, before and after."""
    for j in range(places.size):
        state += _STEP
        mixed = (state ^ (state >> _S30)) * _FIRST  # splitmix64
        mixed = (mixed ^ (mixed >> _S27)) * _SECOND
        mixed ^= mixed >> _S31
        at = j + np.int64(np.float64(mixed >> _S11) * _UNIT * (order.size - j))
        place = order[at]
        order[at] = order[j]
        order[j] = place
        places[j] = place
    for j in range(places.size):  # every place that was moved is one of these, or below k
        order[j] = j
        order[places[j]] = places[j]


@_compiled
def _draw_all(states, order, places):  # type: ignore[no-untyped-def]
    for draw in range(states.size):
        _draw(states[draw], order, places[draw])


@_compiled
def _land(values, states, order, landed, projections, indptr, indices, data, linear, V, C, places, total, size):  # type: ignore[no-untyped-def]
    """Draw places (Fisher and Yates), and sum gᵀ(E + VCVᵀ)g + aᵀg over the landed values, and |terms|.

    ``order`` is that of the samples, ``landed`` and ``projections`` are zeros, before and after: draws do not depend on
    each other.
    """
    for draw in range(states.size):
        _draw(states[draw], order, places[draw])
        for j in range(values.size):
            landed[places[draw, j]] = values[j]
        whole = gross = 0.0
        for j in range(values.size):
            place, g = places[draw, j], values[j]
            term = linear[place] * g
            whole += term
            gross += abs(term)
            for entry in range(indptr[place], indptr[place + 1]):
                term = g * data[entry] * landed[indices[entry]]
                whole += term
                gross += abs(term)
            for a in range(projections.size):
                projections[a] += V[place, a] * g
        for a in range(projections.size):
            for b in range(projections.size):
                term = projections[a] * C[a, b] * projections[b]
                whole += term
                gross += abs(term)
        total[draw] += whole
        size[draw] += gross
        for a in range(projections.size):
            projections[a] = 0.0
        for j in range(values.size):
            landed[places[draw, j]] = 0.0


@_compiled
def _add_dense_parts(values, dense, codes, weights, of_class, places, total, size):  # type: ignore[no-untyped-def]
    """Add the same of the dense part and of the classes, which most graphs do not have, and so do not compile."""
    k = values.size
    for draw in range(total.size):
        whole = gross = 0.0
        for j in range(k):
            place, g = places[draw, j], values[j]
            if dense.size > 0:
                for other in range(k):
                    term = g * dense[place, places[draw, other]] * values[other]
                    whole += term
                    gross += abs(term)
            if of_class.size > 0:
                of_class[codes[place]] += g
        for j in range(k if of_class.size > 0 else 0):
            c = codes[places[draw, j]]
            term = weights[c] * of_class[c] * of_class[c]
            whole += term
            gross += abs(term)
            of_class[c] = 0.0  # each class once
        total[draw] += whole
        size[draw] += gross
