"""Pattern coefficients against the enumeration of all permutations."""

from itertools import permutations

import numpy as np
import pytest

from eigenselect.inference.patterns import coefficient, set_partitions, terms

PATTERNS = [(2,), (3,), (4,), (2, 2), (3, 2), (5,), (2, 2, 2), (3, 3), (4, 2), (6,)]


def power_sums(Z):
    return np.stack([np.sum(Z**k, axis=0) for k in range(7)])


def centred(n, rng):
    z = rng.lognormal(size=n)
    return z - z.mean()


@pytest.mark.parametrize("n", [5, 6, 7])
@pytest.mark.parametrize("degree", [2, 3, 4, 5, 6])
def test_expectations_of_products(n, degree, rng):
    """Summed over the patterns that refine one, g is the mean of the product, whichever indices coincide."""
    z = centred(n, rng)
    arranged = z[np.array(list(permutations(range(n))))]
    sums = power_sums(z[:, None])
    everything = [[frozenset(block) for block in blocks] for blocks in set_partitions(range(degree))]
    for blocks in everything:
        if len(blocks) > n:
            continue
        place = {index: number for number, block in enumerate(blocks) for index in block}
        mean = np.prod([arranged[:, place[index]] for index in range(degree)], axis=0).mean()
        finer = [other for other in everything if all(any(small <= block for block in blocks) for small in other)]
        total = sum(coefficient(tuple(sorted(map(len, other), reverse=True)), n, sums)[0] for other in finer)
        assert total == pytest.approx(mean, rel=1e-9, abs=1e-11)


def test_known_coefficients():
    """The first are textbook: p2/(n-1), n p3/((n-1)(n-2))."""
    n = 11
    assert terms((2,), n) == {(2,): pytest.approx(1 / 10)}
    assert terms((3,), n) == {(3,): pytest.approx(11 / 90)}
    assert set(terms((2, 2, 2), n)) == {(6,), (4, 2), (3, 3), (2, 2, 2)}


def test_bell_numbers():
    assert [sum(1 for _ in set_partitions(range(k))) for k in range(7)] == [1, 1, 2, 5, 15, 52, 203]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_features_side_by_side(pattern, rng):
    Z = np.column_stack([centred(9, rng), centred(9, rng)])
    together = coefficient(pattern, 9, power_sums(Z))
    alone = [coefficient(pattern, 9, power_sums(Z[:, [k]]))[0] for k in range(2)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
