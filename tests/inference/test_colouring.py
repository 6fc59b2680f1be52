"""Colours keep near samples apart."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference.colouring import probe_colours


def grid(side):
    line = np.eye(side, k=1) + np.eye(side, k=-1)
    return np.kron(line, np.eye(side)) + np.kron(np.eye(side), line)


@pytest.mark.parametrize(("n_colours", "distance"), [(8, 1), (30, 2), (60, 3), (120, 4)])
def test_samples_within_a_distance_have_different_colours(n_colours, distance):
    A = grid(12)
    colours = probe_colours(sparse.csr_array(A), 144, n_colours, np.random.RandomState(0))
    near = np.linalg.matrix_power(np.eye(144) + A, distance) > 0
    np.fill_diagonal(near, False)
    assert not (near & (colours[:, None] == colours)).any()
    assert colours.max() < n_colours


def test_colours_are_used_evenly_and_numbered_without_gaps():
    colours = probe_colours(sparse.csr_array(grid(12)), 144, 20, np.random.RandomState(0))
    counts = np.bincount(colours)
    assert counts.min() >= 1
    assert counts.max() <= 20


def test_too_few_colours_or_no_graph_give_random_ones():
    complete = sparse.csr_array(np.ones((40, 40)))
    for pattern in (complete, None):
        colours = probe_colours(pattern, 40, 10, np.random.RandomState(0))
        assert 5 < colours.max() < 10


def test_self_loops_do_not_count():
    colours = probe_colours(sparse.csr_array(np.eye(5)), 5, 1, np.random.RandomState(0))
    assert (colours == 0).all()
