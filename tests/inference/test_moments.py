"""Three moments of every rule, and their pattern coefficients, against the enumeration of all permutations."""

from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from math import prod

import numpy as np
import pytest
from scipy import sparse

import null_rules
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.moments import _Values, null_moments
from eigenselect.inference.patterns import coefficient, set_partitions, terms
from eigenselect.inference.power_sums import power_sums
from eigenselect.inference.scalars import null_scalars
from eigenselect.matrix import as_matrix

X = null_rules.features()
ORDERS = {n: np.array(list(permutations(range(n)))) for n in (5, 6, 7, 8)}


@cache
def pair_products(feature):
    """f_i f_j of all permutations of a feature, for i ≤ j: what every quadratic form is a sum of."""
    arranged = np.array(feature)[ORDERS[len(feature)]]
    rows, columns = np.triu_indices(len(feature))
    return arranged[:, rows] * arranged[:, columns]


def enumerated(T, f):
    """Mean, variance and third central moment of fᵀTf over all permutations, and the size that they are relative to."""
    rows, columns = np.triu_indices(f.size)
    values = pair_products(tuple(f)) @ (T[rows, columns] * np.where(rows == columns, 1.0, 2.0))
    mean = values.mean()
    centred = values - mean
    size = np.abs(T).sum(axis=1).max() * (f @ f)
    return mean, np.mean(centred**2), np.mean(centred**2 * centred), size


def check(ratio, X, scores=(0.0, 0.4, 3.0), name=""):
    scalars, sums = null_scalars(ratio), power_sums(as_matrix(X))
    A, B = null_rules.explicit(ratio)
    for score in scores:
        last = -score * scalars.units[-1] / scalars.units[0] if scalars.has_denominator else 0.0
        found = null_moments(scalars, sums, np.ones(X.shape[1]), np.full(X.shape[1], last))
        T = (A - score * B) / scalars.units[0]
        for column, f in enumerate((X / sums.scale).T):
            mean, variance, third, size = enumerated(T, f)
            assert abs(found.mean[column] - mean) <= 1e-12 * size, name
            assert abs(found.variance[column] - variance) <= 1e-12 * size**2, name
            assert abs(found.third[column] - third) <= 1e-12 * size**3, name


def test_every_rule():
    for name, criterion in null_rules.CRITERIA.items():
        ratio = criterion.null_ratio()
        check(ratio, X if ratio.rows is None else X[ratio.rows], name=name)


def test_few_samples(rng):
    """Six different indices do not exist among five samples: their patterns must not divide by zero."""
    for n in (5, 6):
        A, B = (SymmetricForm.of(M + M.T) for M in rng.normal(size=(2, n, n)))
        check(NullRatio(A, B, True, False, n), null_rules.features(n))
        check(NullRatio(A.centred(), B.centred(), True, True, n), null_rules.features(n))


@pytest.mark.parametrize("centred", [True, False])
def test_what_the_rounding_of_the_variance_is_relative_to_grows_with_it(centred, rng):
    """Both are of the fourth power of a feature."""
    A = SymmetricForm.of((M := rng.normal(size=(8, 8))) + M.T)
    A = A.centred() if centred else A
    scalars, found, point = null_scalars(NullRatio(A, None, True, centred, 8)), [], (np.ones(X.shape[1]),) * 2
    for unit in (1.0, 1.9, 3.1):
        sums = power_sums(as_matrix(unit * X))
        size = _Values(scalars, sums, *point).size()
        assert (null_moments(scalars, sums, *point).variance <= 8 * size).all()
        found.append(size * (sums.scale / unit) ** 4)
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-10)


def test_the_same_value_for_every_permutation_has_no_variance():
    """On the complete graph, and for one non-zero on a ring, rounding must not look like a spread."""
    n = 40
    complete = SymmetricForm.of(n * np.eye(n) - 1)
    ring = SymmetricForm.of(2 * np.eye(n) - np.roll(np.eye(n), 1, axis=0) - np.roll(np.eye(n), -1, axis=0))
    f = np.zeros((n, 2))
    f[3, 0] = 7.0
    f[:, 1] = np.arange(n) ** 2
    ones = np.ones(2)
    spread = SymmetricForm.diagonal_matrix(np.ones(n)).centred()
    for form, expected in ((complete, [True, True]), (ring, [True, False])):
        scalars = null_scalars(NullRatio(form, spread, False, True, n))
        found = null_moments(scalars, power_sums(as_matrix(f)), ones, -0.3 * ones)
        np.testing.assert_array_equal(found.variance == 0.0, expected)
        np.testing.assert_array_equal(found.skewness == 0.0, expected)


def test_digits_of_many_samples():
    """A path of 20 000 samples: E[Q³] - 3 E[Q] E[Q²] + 2 E[Q]³ would leave half of the digits."""
    n = 20_000
    f = np.random.default_rng(4).lognormal(4, 1, size=n).round()
    off, degrees = -np.ones(n - 1), np.r_[1.0, np.full(n - 2, 2.0), 1.0]
    L = SymmetricForm.of(sparse.diags_array([off, degrees, off], offsets=[-1, 0, 1], format="csr"))
    scalars, sums = null_scalars(NullRatio(L, None, False, True, n)), power_sums(as_matrix(f[:, None]))
    found = null_moments(scalars, sums, np.ones(1), np.zeros(1))
    unit = Fraction(float(sums.scale[0])) ** 2 * Fraction(float(scalars.units[0]))
    expected = exact_moments_on_a_path([int(value) for value in f])
    for power, exact in enumerate(expected, 1):
        value = (found.mean, found.variance, found.third)[power - 1][0]
        assert abs(Fraction(float(value)) * unit**power / exact - 1) < 1e-12


def exact_moments_on_a_path(f):
    """Central moments of Σ (f_i - f_i+1)² under permutation in rational numbers; the path's scalars are integers."""
    n, total = len(f), sum(f)
    p = [Fraction(sum((n * value - total) ** k for value in f), n**k) for k in range(7)]

    def g(*pattern):
        return sum(factor * prod(p[k] for k in monomial) for monomial, factor in terms(pattern, n).items())

    d = [1, *[2] * (n - 2), 1]
    t1, d2, d3 = (sum(value**k for value in d) for k in (1, 2, 3))
    t2, bB2 = d2 + t1, d3 + d2  # (L²)_ii = d² + d
    t3, cubes = d3 + 3 * d2, d3 - 2 * (n - 1)  # a path has no triangles
    bBb = d3 - 2 * sum(a * b for a, b in pairwise(d))
    first = g(2) * t1
    second = g(2, 2) * (t1**2 + 2 * t2) + g(4) * d2
    third = g(2, 2, 2) * (t1**3 + 6 * t1 * t2 + 8 * t3) + g(3, 3) * (4 * cubes + 6 * bBb)
    third += g(4, 2) * (3 * t1 * d2 + 12 * bB2) + g(6) * d3
    return first, second - first**2, third - 3 * first * second + 2 * first**3


def test_expectations_of_products(rng):
    """Summed over the patterns that refine one, g is the mean of the product, whichever indices coincide."""
    for n, degree in product((5, 6, 7), range(2, 7)):
        z = rng.lognormal(size=n)
        z -= z.mean()
        arranged = z[ORDERS[n]]
        sums = np.stack([np.sum(z[:, None] ** k, axis=0) for k in range(7)])
        everything = [[frozenset(block) for block in blocks] for blocks in set_partitions(range(degree))]
        for blocks in everything:
            if len(blocks) > n:
                continue
            place = {index: number for number, block in enumerate(blocks) for index in block}
            mean = np.prod([arranged[:, place[index]] for index in range(degree)], axis=0).mean()
            finer = [other for other in everything if all(any(small <= block for block in blocks) for small in other)]
            total = sum(coefficient(tuple(sorted(map(len, other), reverse=True)), n, sums)[0] for other in finer)
            assert total == pytest.approx(mean, rel=1e-9, abs=1e-11), (n, blocks)
