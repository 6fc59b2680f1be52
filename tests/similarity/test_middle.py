"""The middle of very many numbers: numpy's, without a copy of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eigenselect.similarity import middle
from eigenselect.similarity.middle import middle_two

NUMBERS = st.floats(0, allow_nan=False) | st.sampled_from([0.0, 5e-324, 1.0, 1.0 + 2**-52, 1.7e308, np.inf])


def of_parts(numbers):
    return lambda: iter(np.array_split(numbers, 3))


@pytest.fixture(params=[0, 4, 2**18], scope="module", autouse=True)
def few(request):
    """Numbers that are sorted rather than counted: none, a handful, all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(middle, "FEW", request.param)
        yield


@settings(deadline=None, max_examples=15)
@given(hnp.arrays(float, st.integers(0, 40), elements=NUMBERS))
def test_the_two_in_the_middle_of_those_that_count(numbers):
    for lowest in (0.0, np.nextafter(0.0, 1.0)):
        counting = np.sort(numbers[(numbers >= lowest) & np.isfinite(numbers)])
        found = middle_two(of_parts(numbers), lowest, np.inf)
        if counting.size:
            assert found == (counting[(counting.size - 1) // 2], counting[counting.size // 2])
        else:
            assert found is None


def test_numbers_that_differ_in_the_last_digit_alone(rng):
    numbers = 1.0 + rng.integers(0, 50, size=301) * 2.0**-52
    assert middle_two(of_parts(numbers), 0.0, np.inf) == (np.median(numbers),) * 2
