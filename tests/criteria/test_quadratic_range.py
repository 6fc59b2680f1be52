"""Which sums of squares have lost no digit."""

import numpy as np
import pytest

from eigenselect._floats import LARGEST_SQUARE, SMALLEST_SQUARE
from eigenselect.criteria.quadratic import _is_safe


@pytest.mark.parametrize("ends", [(0.0, False), (SMALLEST_SQUARE, False), (1.0, True), (LARGEST_SQUARE, False)])
def test_sums_of_squares_are_safe_strictly_between_the_ends(ends):
    square, safe = ends
    assert bool(_is_safe(np.float64(square))) is safe


def test_what_is_no_number_is_not_safe():
    np.testing.assert_array_equal(_is_safe(np.array([np.nan, np.inf, 2.0])), [False, False, True])
