"""Orders of rows and columns: permutations that put like things together, the same whatever the last bits are."""

import itertools

import numpy as np
import pytest

from eigenselect.reporting.views.clustered import leaf_order, order_features, order_samples


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def length(order, distances):
    return distances[order[:-1], order[1:]].sum()


class TestLeafOrder:
    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_fewer_than_three_stay_as_they_are(self, count):
        assert leaf_order(np.ones((count, count))).tolist() == list(range(count))

    def test_points_on_a_line_are_sorted(self, rng):
        points = rng.permutation(20).astype(float)
        assert np.all(np.diff(points[leaf_order(np.abs(points[:, None] - points))]) != 0)
        order = leaf_order(np.abs(points[:, None] - points))
        assert sorted(points[order]) in (points[order].tolist(), points[order].tolist()[::-1])

    def test_no_order_of_the_same_tree_is_shorter(self, rng):
        """Three clear pairs: all orders that keep pairs together are tried."""
        points = np.array([[0, 0], [0.1, 0], [5, 0], [5, 0.2], [2, 9], [2.3, 9]])[rng.permutation(6)]
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        near = {frozenset(pair) for pair in np.argwhere((distances < 1) & (distances > 0)).tolist()}
        orders = [np.array(p) for p in itertools.permutations(range(6))]
        orders = [p for p in orders if {frozenset(p[i : i + 2].tolist()) for i in (0, 2, 4)} == near]
        found = leaf_order(distances)
        assert {frozenset(found[i : i + 2].tolist()) for i in (0, 2, 4)} == near
        # the two nearest pairs are joined first, so they stay side by side
        assert length(found, distances) <= sorted(length(p, distances) for p in orders)[7]

    def test_last_bits_decide_nothing(self, rng):
        """A table full of ties, as duplicates make them."""
        points = rng.integers(0, 3, size=(40, 3)).astype(float)
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        noise = rng.normal(size=distances.shape) * 1e-13
        np.testing.assert_array_equal(leaf_order(distances), leaf_order(distances + noise + noise.T))

    def test_it_begins_with_the_earlier_end(self, rng):
        for _ in range(20):
            points = rng.normal(size=(9, 2))
            order = leaf_order(np.linalg.norm(points[:, None] - points, axis=2))
            assert order[0] < order[-1]


class TestFeatures:
    def test_a_permutation_that_follows_its_input(self, rng):
        correlation = np.corrcoef(rng.normal(size=(12, 30)))
        order = order_features(correlation, np.zeros(12, dtype=int))
        assert sorted(order) == list(range(12))
        turned = rng.permutation(12)
        again = turned[order_features(correlation[np.ix_(turned, turned)], np.zeros(12, dtype=int))]
        assert again.tolist() in (order.tolist(), order.tolist()[::-1])

    def test_groups_stay_together_whatever_their_signs(self, rng):
        """A group whose members hardly correlate, as those connected through others."""
        for _ in range(20):
            groups = rng.integers(0, 4, size=15)
            order = order_features(np.corrcoef(rng.normal(size=(15, 8))), groups)
            codes = groups[order]
            for number in (1, 2, 3):
                places = np.flatnonzero(codes == number)
                assert places.size == 0 or places[-1] - places[0] == places.size - 1

    def test_constant_features_come_last(self):
        correlation = np.full((4, 4), np.nan)
        correlation[np.ix_([1, 3], [1, 3])] = 1.0
        assert order_features(correlation, np.zeros(4, dtype=int)).tolist() == [1, 3, 0, 2]
        assert order_features(np.full((1, 1), np.nan), np.zeros(1, dtype=int)).tolist() == [0]

    def test_opposite_features_stand_far_apart(self):
        signs = np.array([1, -1, 1, -1, 1, -1])
        correlation = 0.5 * np.outer(signs, signs) + 0.5 * np.eye(6)
        assert np.abs(np.diff(signs[order_features(correlation, np.zeros(6, dtype=int))])).sum() == 2


class TestSamples:
    def test_groups_in_their_order_and_none_last(self, rng):
        steps, codes = rng.integers(-25, 26, size=(6, 40)), rng.integers(-1, 3, size=40)
        order = order_samples(steps, codes)
        assert sorted(order) == list(range(40))
        assert codes[order].tolist() == sorted(codes.tolist(), key=lambda code: code % 4)

    def test_the_order_of_rows_decides_nothing(self, rng):
        """Few values, so that many samples tie; equal columns may change places."""
        steps, codes = rng.integers(0, 2, size=(4, 60)), rng.integers(0, 2, size=60)
        turned = rng.permutation(60)
        first, second = order_samples(steps, codes), turned[order_samples(steps[:, turned], codes[turned])]
        np.testing.assert_array_equal(steps[:, first], steps[:, second])

    @pytest.mark.parametrize("codes", [[0, 1, 2], [0, 0, 1], [-1, -1, -1]])
    def test_one_sample_in_a_group(self, codes):
        assert sorted(order_samples(np.array([[3, 2, 1]]), np.array(codes))) == [0, 1, 2]
