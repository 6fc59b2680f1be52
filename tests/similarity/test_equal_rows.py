"""Equal rows: who is kept, and who stands for whom."""

import numpy as np
import pytest

from eigenselect.similarity.equal_rows import FirstCopies, all_differ


@pytest.mark.parametrize("n_features", [1, 2, 30])
@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_the_first_copies_are_kept_and_the_last_of_them_stands_for_the_others(rng, levels, n_features):
    rows = rng.integers(0, levels, size=(60, 2))[:, np.arange(n_features) % 2].astype(float)
    rows[rows == 0] *= rng.choice([-1.0, 1.0], size=np.count_nonzero(rows == 0))  # -0 is 0
    kept, places = FirstCopies.of(rows, 3)
    equal = (rows[:, None] == rows).all(axis=2)
    before = np.tril(equal, -1).sum(axis=1)
    np.testing.assert_array_equal(kept, np.flatnonzero(before < 4))
    for sample, place in enumerate(places):
        assert kept[place] == (sample if before[sample] < 4 else np.flatnonzero(equal[sample])[3])


def test_values_of_which_two_are_equal(rng):
    values = rng.permutation(50.0 + np.arange(20))
    assert all_differ(values)
    values[3] = values[17]
    assert not all_differ(values)
