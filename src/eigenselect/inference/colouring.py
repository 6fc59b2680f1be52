"""Colours for the samples of a graph, so that samples of one colour are far apart."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._typing import IntArray

#: entries of a power of the graph up to which it is formed
MOST_ENTRIES = 20_000_000
#: edges between samples that are told apart
FARTHEST = 4


def probe_colours(
    pattern: sparse.csr_array | None, n_samples: int, n_colours: int, generator: np.random.RandomState
) -> IntArray:
    """Give samples within as many edges as possible different colours, at most ``n_colours`` of them; random without.

    Samples of a colour are then spread over all ``n_colours``, at random: fewer of them meet.

    >>> line = sparse.csr_array(np.eye(6, k=1) + np.eye(6, k=-1))
    >>> colours = probe_colours(line, 6, 3, np.random.RandomState(0))
    >>> [len(set(colours[i : i + 3])) for i in range(4)]
    [3, 3, 3, 3]
    """
    found = generator.randint(0, n_colours, n_samples)
    if pattern is None:
        return _numbered(found)
    edges = sparse.csr_array((np.ones(pattern.nnz, dtype=np.int8), pattern.indices, pattern.indptr), pattern.shape)
    near = edges
    for distance in range(1, FARTHEST + 1):
        if distance > 1:
            if float(np.diff(near.indptr)[edges.indices].sum()) > MOST_ENTRIES:
                break
            near = sparse.csr_array(near.astype(np.bool_) @ edges.astype(np.bool_) + near.astype(np.bool_))
        colours = _greedy(near, n_colours, generator)
        if colours is None:
            break
        found = colours
    return _numbered(found)


def _greedy(near: sparse.csr_array, n_colours: int, generator: np.random.RandomState) -> IntArray | None:
    """Colour sample after sample, those with most neighbours first, at random among the free; None if one has none."""
    colours = np.full(near.shape[0], -1, dtype=np.intp)
    draws = generator.random_sample(near.shape[0])
    for sample in np.argsort(-np.diff(near.indptr), kind="stable"):
        taken = colours[near.indices[near.indptr[sample] : near.indptr[sample + 1]]]
        free = np.ones(n_colours, dtype=np.bool_)
        free[taken[taken >= 0]] = False
        choices = np.flatnonzero(free)
        if not choices.size:
            return None
        colours[sample] = choices[int(draws[sample] * choices.size)]
    return colours


def _numbered(colours: IntArray) -> IntArray:
    """Number colours without gaps."""
    return np.unique(colours, return_inverse=True)[1].astype(np.intp)
