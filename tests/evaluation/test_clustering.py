"""Whether clusters are classes."""

from itertools import permutations

import numpy as np
import pytest

from eigenselect.evaluation import clustering_accuracy


class TestClusteringAccuracy:
    def test_against_all_maps(self, rng):
        for _ in range(20):
            y, clusters = rng.integers(4, size=15), rng.integers(4, size=15)
            best = max(np.mean(np.array(p)[clusters] == y) for p in permutations(range(4)))
            assert clustering_accuracy(y, clusters) == pytest.approx(best)

    def test_more_clusters_than_classes(self):
        assert clustering_accuracy([0, 0, 0, 1], [5, 5, 7, 9]) == 0.75

    def test_bad_input(self):
        with pytest.raises(ValueError, match="same length"):
            clustering_accuracy([1, 2], [1])
