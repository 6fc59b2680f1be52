"""Compiled loops over dense columns against matrix products."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.dense_loops import ROWS, Triangle, filled, form_of_tile, shifted


def laplacian(S):
    S = S - np.diag(np.diag(S))
    return np.diag(S.sum(axis=1)) - S


@pytest.mark.parametrize("n_neighbors", range(10))
def test_rows_of_any_number_of_edges(rng, n_neighbors):
    """Four edges are taken at a time, the degree among them; self loops and signs must not matter."""
    S = np.diag(rng.random(10))
    S[9, :n_neighbors] = S[:n_neighbors, 9] = rng.normal(size=n_neighbors)
    tile, triangle = rng.normal(size=(10, 3)), Triangle.of(sparse.csr_array(S))
    expected = np.einsum("ij,ij->j", tile, laplacian(S) @ tile)
    np.testing.assert_allclose(form_of_tile(triangle, tile), expected, atol=1e-13)
    np.testing.assert_allclose(triangle.sizes, filled(np.abs(S - np.diag(np.diag(S))).sum(axis=1)), rtol=1e-14)


@pytest.mark.parametrize("n_entries", range(10))
def test_entries_of_any_symmetric_matrix(rng, n_entries):
    """In any order, with a diagonal, and two at one place; what is where does not depend on their values."""
    E = np.diag(rng.normal(size=10))
    E[9, :n_entries] = E[:n_entries, 9] = rng.normal(size=n_entries)
    rows, columns = (np.repeat(axis, 2) for axis in np.nonzero(E + np.eye(10)))
    order, tile = rng.permutation(rows.size), rng.normal(size=(10, 3))
    rows, columns = rows[order], columns[order]
    triangle = Triangle.of_entries(10, rows, columns, 0.5 * E[rows, columns])
    np.testing.assert_allclose(form_of_tile(triangle, tile), np.einsum("ij,ij->j", tile, E @ tile), atol=1e-13)
    np.testing.assert_allclose(triangle.sizes, filled(np.abs(E).sum(axis=1)), rtol=1e-14)
    other = Triangle.of_entries(10, rows, columns, np.zeros(rows.size))
    assert (other.starts == triangle.starts).all()
    assert (other.indices == triangle.indices).all()


def test_parts_of_rows_are_put_together(make_similarity, rng):
    n_samples = 2 * ROWS + 3
    S, tile = make_similarity(n_samples), rng.normal(size=(n_samples, 5))
    found = form_of_tile(Triangle.of(sparse.csr_array(S)), tile)
    np.testing.assert_allclose(found, np.einsum("ij,ij->j", tile, laplacian(S) @ tile), rtol=1e-12)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_shifted_rows_and_their_sums(rng, n_samples):
    """Of any number of rows, each counts once."""
    values, shift = rng.normal(size=(n_samples, 9)), rng.normal(size=4)
    mass, sizes = rng.random((2, n_samples))
    tile = np.full((n_samples, 4), np.nan)
    sums = shifted(values, slice(3, 7), shift, filled(mass), filled(sizes), tile)
    h = values[:, 3:7] - shift
    np.testing.assert_array_equal(tile, h)
    np.testing.assert_allclose(sums, [mass @ h, mass @ h**2, sizes @ h**2], rtol=1e-12, atol=1e-15)
