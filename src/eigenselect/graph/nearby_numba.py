"""An order of the samples in which neighbours are near each other, and the components that it comes upon, compiled."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from eigenselect._compiled import AHEAD, compiled, prefetch
from eigenselect._floats import all_equal
from eigenselect._typing import IntArray

_compiled = compiled()
#: samples of one group of the order: their rows, and those of the neighbours around, stay in cache whatever the graph's
#: size
GROUP = 512


class Nearby(NamedTuple):
    """Samples in groups of neighbours.

    A search breadth first over all samples would need two of its fronts in cache, which are the longer the more samples
    there are.

    Attributes
    ----------
    order, place : ndarray of int64 of shape (n_samples,)
        The order in which samples are visited, and the place of each in it.
    components : ndarray of int64 of shape (n_samples,)
        Component of every sample, numbered by their first samples.
    """

    order: IntArray
    place: IntArray
    components: IntArray

    @classmethod
    def of(cls, affinity: sparse.csr_array) -> Nearby:
        """Order the samples of a symmetric CSR, of which no stored value is 0.

        >>> Nearby.of(sparse.csr_array([[5.0, 0, 0, -1], [0, 0, 2, 0], [0, 2, 0, 0], [-1, 0, 0, 0]]))
        Nearby(order=array([0, 3, 1, 2]), place=array([0, 2, 3, 1]), components=array([0, 1, 1, 0]))
        """
        n_samples = affinity.shape[0]
        order, components, grown = (np.empty(n_samples, dtype=np.int64) for _ in range(3))
        place = np.full(n_samples, -1, dtype=np.int64)
        _order_nearby(affinity.indptr, affinity.indices, GROUP, order, place, components, grown)
        return cls(order, place, components)

    def moved(self, matrix: sparse.csr_array) -> sparse.csr_array:
        """Return a symmetric CSR with its samples in this order, and its columns sorted.

        >>> S = sparse.csr_array([[5.0, 0, 0, -1], [0, 0, 2, 0], [0, 2, 0, 0], [-1, 0, 0, 0]])
        >>> Nearby.of(S).moved(S).toarray()
        array([[ 5., -1.,  0.,  0.],
               [-1.,  0.,  0.,  0.],
               [ 0.,  0.,  0.,  2.],
               [ 0.,  0.,  2.,  0.]])
        """
        found = self._sent(matrix, np.diff(matrix.indptr))
        if found is None:  # what rounding made 0 on one side of the diagonal may be stored on the other
            found = self._sent(matrix, np.bincount(matrix.indices, minlength=self.order.size))
        return cast(sparse.csr_array, found)

    def _sent(self, matrix: sparse.csr_array, counts: IntArray) -> sparse.csr_array | None:
        """Send rows to their columns, of which each has room for so many entries; None where one gets more."""
        indptr = np.zeros_like(matrix.indptr)
        np.cumsum(counts[self.order], out=indptr[1:])
        differ = not all_equal(matrix.data)  # equal weights stay where they are
        indices, data = np.empty_like(matrix.indices), np.empty_like(matrix.data) if differ else matrix.data
        arrays = (matrix.indptr, matrix.indices, matrix.data, differ)
        fits = _send_rows(*arrays, self.order, self.place, indptr, indptr[:-1].copy(), indices, data)
        return sparse.csr_array((data, indices, indptr), shape=matrix.shape) if fits else None


@_compiled
def _order_nearby(indptr, indices, limit, order, place, components, grown):  # type: ignore[no-untyped-def]
    """Grow groups of ``limit`` samples breadth first, each from a neighbour of what is ordered already.

    ``grown`` holds, where a group begins, the place up to which all neighbours of its samples are ordered.
    """
    seen = head = 0
    component = -1
    for first in range(place.size):
        seed = -1
        if place[first] < 0:
            seed, component, head = first, component + 1, seen
        while seed >= 0:
            begun, full = seen, min(seen + limit, place.size)
            place[seed], order[seen], components[seed] = seen, seed, component
            seen += 1
            at = begun
            while at < seen and seen < full:
                i = order[at]
                prefetch(indices, indptr[order[min(at + AHEAD, seen - 1)]])
                for edge in range(indptr[i], indptr[i + 1]):
                    j = indices[edge]
                    if place[j] < 0 and seen < full:
                        place[j], order[seen], components[j] = seen, j, component
                        seen += 1
                at += 1
            grown[begun] = at
            for later in range(begun + 1, seen):
                grown[later] = 0
            seed = -1
            while head < seen and seed < 0:
                i = order[head]
                for edge in range(indptr[i], indptr[i + 1]):
                    if place[indices[edge]] < 0:
                        seed = indices[edge]
                        break
                if seed < 0:
                    head = max(head + 1, grown[head] - 1)


@_compiled
def _send_rows(indptr, indices, data, differ, order, place, room, next_place, to_indices, to_data):  # type: ignore[no-untyped-def]
    """Send each row, in the order, to its columns: S is symmetric, and what a row gets comes sorted.

    False as soon as a row gets more than there is room for; else all get as much.
    """
    for at in range(order.size):
        i, later = order[at], indptr[order[min(at + AHEAD, order.size - 1)]]
        prefetch(indices, later)
        prefetch(data, later)
        for edge in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            row = np.uintp(place[np.uintp(indices[edge])])
            to = np.uintp(next_place[row])
            if to >= np.uintp(room[row + np.uintp(1)]):
                return False
            to_indices[to] = at
            if differ:
                to_data[to] = data[edge]
            next_place[row] += 1
    return True
