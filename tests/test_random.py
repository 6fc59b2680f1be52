"""None is a fixed start."""

import numpy as np
import pytest

from eigenselect._random import random_generator


def test_none_is_the_seed_0_not_the_global_generator():
    expected = np.random.RandomState(0).permutation(20)
    np.testing.assert_array_equal(random_generator(None).permutation(20), expected)
    np.testing.assert_array_equal(random_generator(None).permutation(20), expected)
    assert random_generator(1).randint(2**30) != random_generator(None).randint(2**30)


def test_a_generator_goes_on_where_it_stands():
    state = np.random.RandomState(3)
    assert random_generator(state) is state


def test_others_are_refused():
    with pytest.raises(ValueError, match="cannot be used to seed"):
        random_generator("seven")
