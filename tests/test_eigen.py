"""Equal eigenvalues: which they are, where their groups end, and the basis that their space decides."""

import numpy as np
import pytest

from another_basis import random_rotation
from eigenselect import _eigen


def orthonormal(rng, n, count):
    return np.linalg.qr(rng.normal(size=(n, count)))[0]


class TestFixedBasis:
    def test_the_space_decides_an_orthonormal_basis(self, rng):
        for n, count in ((12, 1), (12, 2), (12, 5), (12, 12), (300, 299)):
            V = orthonormal(rng, n, count)
            fixed = _eigen.fixed_basis(V)
            np.testing.assert_allclose(fixed @ fixed.T, V @ V.T, atol=1e-12)
            np.testing.assert_allclose(fixed.T @ fixed, np.eye(count), atol=1e-12)
            for _ in range(5 if n == 12 else 0):
                np.testing.assert_allclose(_eigen.fixed_basis(V @ random_rotation(rng, count)), fixed, atol=1e-12)

    def test_all_samples_alike_go_by_their_number(self, rng):
        """The waves on a ring, in which no sample is special: the first vector is highest at the first sample."""
        angle = 2 * np.pi * np.arange(16) / 16
        waves = np.column_stack([np.cos(angle), np.sin(angle)]) / np.sqrt(8)
        for _ in range(20):
            noise = 1e-13 * rng.normal(size=(16, 2))
            fixed = _eigen.fixed_basis(waves @ random_rotation(rng, 2) + noise)
            np.testing.assert_allclose(fixed[:, 0], waves[:, 0], atol=1e-11)
            np.testing.assert_allclose(np.abs(fixed[:, 1]), np.abs(waves[:, 1]), atol=1e-11)
            assert fixed[4, 1] > 0

    def test_a_vector_of_opposite_peaks_is_positive_at_the_first(self, rng):
        vector = np.array([[0.1], [-0.7], [0.7], [-0.1]])
        for sign in (1, -1):
            for noise in rng.normal(size=(10, 4, 1)):
                assert _eigen.fixed_signs(sign * vector + 1e-14 * noise)[1, 0] > 0


class TestGroups:
    def test_chains_are_one_group(self):
        values = np.array([0.0, 1.0, 1 + 1e-9, 1 + 2e-9, 1 + 3e-9, 1.1])
        np.testing.assert_array_equal(_eigen.group_numbers(values, 2.0), [0, 1, 1, 1, 1, 2])
        np.testing.assert_array_equal(_eigen.group_numbers(values[::-1], 2.0), [0, 1, 1, 1, 1, 2])

    def test_equality_follows_the_unit(self):
        values = np.array([0.0, 1e-12, 1e-3])
        np.testing.assert_array_equal(_eigen.group_numbers(values, 1.0), [0, 0, 1])
        np.testing.assert_array_equal(_eigen.group_numbers(values * 1e20, 1e20), [0, 0, 1])
        np.testing.assert_array_equal(_eigen.group_numbers(values, 1e-5), [0, 1, 2])
        assert _eigen.group_numbers(np.empty(0), 1.0).size == 0

    def test_where_a_group_ends(self):
        groups = np.array([0, 1, 1, 1, 2, 2])
        assert [_eigen.end_of_group(groups, count) for count in range(1, 7)] == [1, 4, 4, 4, 6, 6]

    @pytest.mark.parametrize("size", [1, 5, 6, 40, 99])
    def test_as_many_are_asked_for_as_the_group_needs(self, size):
        """99 values, of which those after the first are equal up to ``size``."""
        groups = np.concatenate([[0], np.ones(size - 1, dtype=int), np.arange(2, 101 - size)])
        asked = []

        def solve(count):
            asked.append(count)
            return groups[:count], groups[:count]

        found, end = _eigen.with_whole_group(solve, min(2, size), 99)
        assert end == size
        assert (found[:end] == groups[:end]).all()
        assert max(asked) <= max(6, 2 * size)


def test_a_group_without_an_end_in_sight_is_not_followed():
    """Of a star all eigenvalues but two are equal; a large one would take all its eigenvectors."""
    asked = []

    def solve(count):
        asked.append(count)
        return None, np.minimum(np.arange(count), 1)

    with pytest.raises(ValueError, match=r"first 5 .* more than 1\d\d: .* 100000"):
        _eigen.with_whole_group(solve, 5, 100_000)
    assert max(asked) < 300
    assert _eigen.with_whole_group(solve, 5, 5000)[1] == 5000


def test_scales_are_kept_where_vectors_are_turned(rng):
    """YYᵀ stays the same to the last digits, also where eigenvalues are only nearly equal."""
    V, groups = orthonormal(rng, 9, 4), np.array([0, 1, 1, 1])
    scales = np.sqrt([2.0, 1.0, 1 + 1e-9, 1 + 2e-9])
    Y = _eigen.with_fixed_bases(V, groups, scales)
    np.testing.assert_allclose(Y @ Y.T, (V * scales**2) @ V.T, atol=1e-14)
