"""The groups of rows about big tables, one file each with both sides of its rows."""

from collections.abc import Callable, Iterator

from big import clusters, dense, eigenpairs, kernels, neighbors, reading, sparse, stored
from cases import Case
from data import Store

BIG_GROUPS: dict[str, Callable[[Store], Iterator[Case]]] = {
    "big_neighbors": neighbors.cases,
    "big_kernels": kernels.cases,
    "big_dense": dense.cases,
    "big_first_calls": dense.first_calls,
    "big_sparse": sparse.cases,
    "big_cells": sparse.limits,
    "big_eigenpairs": eigenpairs.cases,
    "big_stored": stored.cases,
    "big_clusters": clusters.cases,
    "big_reading": reading.cases,
}
