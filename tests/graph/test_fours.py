"""Groups filled up to lots of four count for what they were."""

import numpy as np

from eigenselect.graph.fours import Fours


def test_what_is_filled_up_counts_nothing_and_belongs_to_the_group(rng):
    weights, samples = rng.random(30) + 0.1, rng.permutation(30)
    groups = np.split(samples, [1, 5, 9, 16])
    fours = Fours.of(groups, weights)
    for group, start, stop in zip(groups, fours.bounds[:-1], fours.bounds[1:], strict=True):
        assert stop - start == -(-group.size // 4) * 4
        assert set(fours.samples[start:stop]) == set(group)
        sums = np.bincount(fours.samples[start:stop], fours.weights[start:stop], minlength=30)
        np.testing.assert_array_equal(sums, np.where(np.isin(np.arange(30), group), weights, 0.0))
