"""Lanczos without restarts, and whether it knows that it found all copies."""

import numpy as np
import pytest

from eigenselect.graph import krylov
from eigenselect.graph.krylov import dominant_pairs


def operator_with(values, rng):
    """A product with a symmetric matrix that has these eigenvalues."""
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return lambda vector: Q @ (values * (Q.T @ vector))


DECAY = 1.0 / np.arange(1.0, 401) ** 2  # as of the inverse of a chain


def test_simple_eigenvalues_are_found_and_known_to_be_all(rng):
    product = operator_with(DECAY, rng)
    (values, vectors), is_complete = dominant_pairs(product, 400, 6, np.random.RandomState(0))
    np.testing.assert_allclose(values, DECAY[5::-1], rtol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)
    images = np.column_stack([product(vector) for vector in vectors.T])
    np.testing.assert_allclose(images, vectors * values, atol=1e-11)
    assert is_complete


@pytest.mark.parametrize("repeated", [0, 3, 5])
def test_it_is_complete_only_with_all_copies(rng, repeated):
    values = np.insert(DECAY, repeated, np.full(3, DECAY[repeated]))  # rounding shows some of them, seldom all
    (found, _), is_complete = dominant_pairs(operator_with(values, rng), 403, 6, np.random.RandomState(0))
    assert np.allclose(found, values[5::-1], rtol=1e-9) or not is_complete


def test_a_copy_beyond_the_wanted_does_not_matter(rng):
    values = np.insert(DECAY, 9, DECAY[9])
    found = dominant_pairs(operator_with(values, rng), 401, 6, np.random.RandomState(0))
    np.testing.assert_allclose(found.pairs[0], DECAY[5::-1], rtol=1e-12)
    assert found.is_complete


def test_a_crowd_is_left_to_others(rng):
    assert dominant_pairs(operator_with(1.0 + 0.001 * np.arange(400), rng), 400, 6, np.random.RandomState(0)) is None


def test_a_space_that_closes_before_all_are_found_is_left_to_others(rng):
    values = np.repeat([1.0, 2.0, 3.0], 100)  # three distinct ones: no more is seen from one vector
    assert dominant_pairs(operator_with(values, rng), 300, 6, np.random.RandomState(0)) is None
    found = dominant_pairs(operator_with(values, rng), 300, 3, np.random.RandomState(0))
    np.testing.assert_allclose(found.pairs[0], [1.0, 2.0, 3.0])
    assert not found.is_complete


def test_the_margin_is_the_bound_solved_for_its_probability():
    steps, size = np.array([20, 30]), 1000
    risk = 1.648 * np.sqrt(size) * np.exp(-np.sqrt(krylov._margins(steps, size)) * (2 * steps - 1))
    np.testing.assert_allclose(risk, krylov.RISK)
