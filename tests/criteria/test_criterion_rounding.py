"""How far rounding can take two sums of the same numbers apart."""

import numpy as np
import pytest

from eigenselect._floats import SAME
from eigenselect.criteria.criterion import MANY_TERMS, rounding_of_sums


def test_rounding_grows_with_the_root_of_many_terms_only():
    assert [rounding_of_sums(n) for n in (1, 2, MANY_TERMS)] == [SAME] * 3
    assert rounding_of_sums(100 * MANY_TERMS) == pytest.approx(10 * SAME)


@pytest.mark.parametrize("n_terms", [10, 1000, 100_000])
def test_no_order_of_summing_differs_by_more(rng, n_terms):
    values = rng.random(n_terms)
    sums = [float(np.cumsum(rng.permutation(values))[-1]) for _ in range(20)]  # one after the other: the worst way
    assert max(sums) - min(sums) <= rounding_of_sums(n_terms) * max(sums)
