"""Sums over edges and triangles by their definition; `test_loops_numba` holds the compiled ones against these."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import loops_numpy
from eigenselect.inference.entries import Background, SparseEntries
from eigenselect.inference.polynomials import evaluate


@pytest.mark.parametrize("block", [2**18, 7])
def test_edges_and_triangles(rng, monkeypatch, block):
    monkeypatch.setattr(loops_numpy, "BLOCK", block)
    n, given = 11, []
    for _ in range(2):
        M = np.where(rng.random((n, n)) < 0.4, rng.normal(size=(n, n)), 0.0)
        given.append(M + M.T - np.diag(2 * np.diag(M)))
    entries = SparseEntries.of([sparse.csr_array(M) for M in given], [1.0, 1.0])
    rest = Background(rng.normal(size=(n, 2)), rng.normal(size=(2, 2, 2)), np.arange(n) % 3, rng.normal(size=(2, 3)))
    R = rest.block(slice(None))
    triangles = loops_numpy.triangles(entries.indptr, entries.indices, entries.data)
    cubes = loops_numpy.cubes(entries, rest)
    for alpha, beta in ((1.0, 0.0), (0.4, -1.3)):
        W, B = (alpha * first + beta * second for first, second in (given, R))
        point = np.array([alpha]), np.array([beta])
        assert evaluate(triangles, *point)[0] == pytest.approx(np.trace(W @ W @ W))
        assert evaluate(cubes, *point)[0] == pytest.approx(np.sum((W + B) ** 3 - B**3))
