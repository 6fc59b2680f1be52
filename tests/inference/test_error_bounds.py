"""Bounds of stability selection: against the literature, brute force over distributions, and one another."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from eigenselect.inference.error_bounds import (
    BOUNDS,
    expected_false,
    largest_q,
    needed_count,
    r_concave_tail,
    smallest_threshold,
)


def test_numbers_of_the_literature():
    for q, n_features, threshold, bound, value in [
        (20, 88, 0.8, "unimodal", 3.743316),  # printed by R's stabs for B = 50
        (2, 9, 0.75, "unimodal", 0.4535147),  # its example on body fat
        (50, 1000, 0.55, "r-concave", 3.8996828),  # by Shah and Samworth's search: here r = -1/4 decides,
        (50, 1000, 0.75, "r-concave", 0.6478463),  # and here r = -1/2
        (50, 1000, 0.9, "mb", 3.125),
        (50, 1000, 0.9, "worst-case", 3.125),
    ]:
        assert expected_false(q, n_features, threshold, bound=bound) == pytest.approx(value, rel=1e-6)


def largest_unimodal_tail(mean, start, size):
    """Over all unimodal distributions: mixtures of uniform ones whose ranges have a place in common, the mode."""
    best = 0.0
    for mode in range(size + 1):
        ranges = [(a, b) for a in range(mode + 1) for b in range(mode, size + 1)]
        means = [(a + b) / 2 for a, b in ranges]
        tails = [max(0, b - max(a, start) + 1) / (b - a + 1) for a, b in ranges]
        found = linprog(-np.array(tails), A_ub=[means], b_ub=[mean], A_eq=[np.ones(len(ranges))], b_eq=[1.0])
        best = max(best, -found.fun if found.success else 0.0)  # no range with a high mode has a low mean
    return best


def test_the_unimodal_bound_is_the_largest_tail_of_all_unimodal_distributions():
    n_pairs = 10
    for share in (0.1, 0.5):
        counts = np.arange(n_pairs + 2, 2 * n_pairs + 1)
        bounds = [expected_false(100 * share, 100, n / (2 * n_pairs), n_pairs=n_pairs) / 100 for n in counts]
        known = ~np.isnan(bounds)
        assert known.sum() >= 6
        expected = [largest_unimodal_tail(share**2 * n_pairs, n - n_pairs, n_pairs) for n in counts[known]]
        np.testing.assert_allclose(np.array(bounds)[known], expected, rtol=1e-9)


@pytest.mark.parametrize(("mean", "size", "r"), [(0.5, 6, -0.5), pytest.param(1.2, 8, -0.25, marks=pytest.mark.slow)])
def test_no_r_concave_distribution_has_a_larger_tail_and_one_has_as_large_a_one(mean, size, r):
    """Over f^r convex: its second differences and last slope are free, searched from many starts."""
    start = int(np.ceil(2 * mean)) + 2
    places = np.arange(size + 1)

    def distribution(free):
        slopes = free[0] + np.concatenate([[0], np.cumsum(np.exp(np.minimum(free[1:], 50)))])  # growing: convex
        convex = 1 + np.concatenate([[0.0], np.cumsum(slopes)])
        return convex ** (1 / r) / np.sum(convex ** (1 / r)) if (convex > 0).all() else None

    def loss(free):
        f = distribution(free)
        return 1.0 if f is None else -f[start:].sum() + 1e3 * max(0.0, f @ places - mean)

    claimed, best, rng = r_concave_tail(mean, start, size, r), 0.0, np.random.default_rng(0)
    for _ in range(3):
        first = np.concatenate([[rng.uniform(0.1, 3)], rng.uniform(-8, 1, size - 1)])
        found = minimize(loss, first, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-9, "fatol": 1e-12})
        f = distribution(found.x)
        if f is not None and f @ places <= mean * (1 + 1e-9):
            best = max(best, f[start:].sum())
    assert best <= claimed * (1 + 1e-6)
    assert best >= 0.9 * claimed


@pytest.mark.parametrize("bound", BOUNDS)
def test_more_is_asked_for_less_is_false(bound):
    """The bound falls with the threshold, grows with q, and more assumptions never make it larger."""
    thresholds = [0.6, 0.7, 0.8, 0.9, 1.0]
    by_threshold = [expected_false(10, 200, threshold, bound=bound) for threshold in thresholds]
    assert (np.diff(by_threshold) < 0).all()
    by_size = [expected_false(q, 200, 0.8, bound=bound) for q in (0, 1, 5, 10, 20)]
    assert (np.diff(by_size) > 0).all()
    assert by_size[0] == 0
    weaker = {"r-concave": "unimodal", "unimodal": "worst-case"}.get(bound, "mb")
    for threshold, value in zip(thresholds, by_threshold, strict=True):
        assert value <= expected_false(10, 200, threshold, bound=weaker)


@pytest.mark.parametrize("bound", BOUNDS)
def test_two_of_three_give_the_third(bound):
    n_features, n_pairs = 300, 20
    grid = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    for max_false in (0.05, 1.0):
        for q in (2, 8, 30):
            threshold = smallest_threshold(q, n_features, max_false, n_pairs=n_pairs, bound=bound)
            kept = [t for t in grid if expected_false(q, n_features, t, n_pairs=n_pairs, bound=bound) <= max_false]
            assert threshold == (kept[0] if kept else np.inf)
        most = largest_q(n_features, 0.9, max_false, n_pairs=n_pairs, bound=bound)
        sizes = [expected_false(q, n_features, 0.9, n_pairs=n_pairs, bound=bound) <= max_false for q in range(1, 100)]
        assert most == sum(sizes)
        assert sizes == sorted(sizes, reverse=True)


def test_nothing_is_said_where_a_bound_does_not_hold():
    assert np.isnan(expected_false(60, 100, 0.9))  # q > m/√3
    assert np.isnan(expected_false(10, 100, 0.51))  # one step above one half
    assert np.isnan(expected_false(50, 100, 0.6))  # π below 1/2 + θ²
    assert np.isnan(expected_false(90, 100, 0.9, bound="r-concave"))
    assert smallest_threshold(60, 100, 5.0) == np.inf


def test_the_threshold_is_the_next_share_that_a_frequency_can_have():
    assert [needed_count(t, 50) for t in (0.51, 0.6, 0.7, 0.75, 0.755, 1.0)] == [51, 60, 70, 75, 76, 100]
    for n_pairs in (7, 50, 333):
        counts = np.arange(n_pairs + 1, 2 * n_pairs + 1)
        assert [needed_count(count / (2 * n_pairs), n_pairs) for count in counts] == counts.tolist()
    assert expected_false(5, 50, 0.751) == expected_false(5, 50, 0.76)


def test_bad_parameters():
    for name, bad in (
        ("threshold", (0.5, 1.2, "high")),
        ("q", (-1,)),
        ("n_features", (0,)),
        ("n_pairs", (0.5,)),
        ("bound", ("best",)),
    ):
        for value in bad:
            with pytest.raises(ValueError, match=rf"{name} must .* got {value!r}"):
                expected_false(**{"q": 5, "n_features": 50, "threshold": 0.8} | {name: value})
