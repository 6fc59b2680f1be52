"""Agreement of cluster indicators with a few labels."""

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from eigenselect.semisupervised.label_agreement import indicator_levels, normalized_mutual_information


class TestLevels:
    def test_cuts_one_deviation_apart(self):
        values = np.array([-2.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0])[:, None] * 3 + 10
        level = [indicator_levels(values, np.array([10.0]), np.array([3.0]), k).ravel().tolist() for k in (2, 3, 4)]
        assert level[0] == [0, 0, 0, 0, 1, 1, 1, 1, 1]
        assert level[1] == [0, 0, 1, 1, 1, 1, 2, 2, 2]
        assert level[2] == [0, 1, 1, 1, 2, 2, 2, 3, 3]

    def test_a_value_at_the_mean_counts_as_above_whatever_the_rounding(self):
        for noise in (-1e-16, 0.0, 1e-16):
            assert indicator_levels(np.array([[0.1 + noise]]), np.array([0.1]), np.array([0.5]), 2) == 1


class TestInformation:
    def test_information_against_scikit_learn(self, rng):
        first, second = rng.integers(0, 4, size=(2, 50))
        counts = np.zeros((4, 4, 1))
        np.add.at(counts, (first, second, 0), 1)
        expected = normalized_mutual_info_score(first, second, average_method="max")
        assert normalized_mutual_information(counts)[0] == pytest.approx(expected, abs=1e-11)

    def test_equal_tables_tie_in_any_order_of_classes(self, rng):
        counts = rng.integers(0, 9, size=(2, 6)).astype(float)
        orders = np.stack([counts[:, rng.permutation(6)] for _ in range(200)], axis=2)
        assert np.unique(normalized_mutual_information(orders)).size == 1

    def test_a_constant_side_agrees_with_nothing(self):
        assert normalized_mutual_information(np.array([[[3.0], [4.0]], [[0.0], [0.0]]]))[0] == 0.0
        assert normalized_mutual_information(np.array([[[7.0]]]))[0] == 0.0
