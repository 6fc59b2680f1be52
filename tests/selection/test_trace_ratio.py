"""The subset with the largest ratio of two sums."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from eigenselect import TraceRatio
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.selection.trace_ratio import largest_ratio_subset


def test_on_umist_the_subset_choice_is_never_worse_than_the_feature_choice():
    """Trace ratio paper, Figures 3 and 4; skipped where the faces are not at hand."""
    file = Path(__file__).resolve().parents[3] / "shared" / "data" / "umist.npz"
    if not file.exists():
        pytest.skip(f"{file} is not here; brute force on random problems stands in")
    with np.load(file) as faces:
        X, y = faces["X"].astype(float), faces["y"]
    b, e = TraceRatio(10).fit(X, y).criterion_.pair.scatters(X, None)
    order = np.argsort(-b / e, kind="stable")
    by_feature = np.cumsum(b[order]) / np.cumsum(e[order])
    ratios = [largest_ratio_subset(b, e, size).ratio for size in range(10, 301)]
    assert (ratios >= by_feature[9:300] * (1 - 1e-12)).all()
    assert (np.diff(ratios) <= 0).all()


def test_perfect_items_beside_useless_ones_have_an_infinite_ratio():
    found = largest_ratio_subset(np.array([0.0, 2, 0, 1]), np.zeros(4), 3)
    assert found.ratio == np.inf
    assert found.subset.tolist() == [0, 1, 3]
    X = np.column_stack([np.repeat([0.0, 1], 5), np.ones(10), np.ones(10)])
    with pytest.warns(UndefinedScoreWarning):
        selector = TraceRatio(2).fit(X, np.repeat([0, 1], 5))
    assert selector.trace_ratio_ == selector.scores_[0] == np.inf


items = st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 100)), min_size=1, max_size=8).map(np.array)


@settings(deadline=None)
@given(items, st.integers(1, 8))
def test_no_subset_has_a_larger_ratio(pairs, size):
    b, e = pairs.T
    size = min(size, len(b))
    found = largest_ratio_subset(b, e, size)
    assert found.ratio == pytest.approx(naive.best_ratio(b, e, size), rel=1e-12)
    assert found.subset.size == size
    assert found.ratio == pytest.approx(b[found.subset].sum() / e[found.subset].sum(), rel=1e-12)
    assert (np.diff(found.history) > 0).all()


@settings(deadline=None)
@given(items)
def test_the_best_ratio_never_rises_with_the_size(pairs):
    """Theorem 2, by Lemmas 1 and 2: sorted by b/e, a sum of more terms has a ratio between the first and the last."""
    b, e = pairs.T
    ratios = [largest_ratio_subset(b, e, size).ratio for size in range(1, len(b) + 1)]
    assert (np.diff(ratios) <= 1e-12 * ratios[0]).all()
    assert (b / e).max() == pytest.approx(ratios[0], rel=1e-12)
    assert (b / e).min() <= ratios[-1] * (1 + 1e-12)
    order = np.argsort(-b / e, kind="stable")
    leading = np.cumsum(b[order]) / np.cumsum(e[order])
    assert (np.diff(leading) <= 1e-12 * leading[0]).all()


@settings(deadline=None)
@given(items, st.integers(1, 8))
def test_rounds_are_newton_steps_to_the_root_of_a_falling_function(pairs, size):
    """f(λ), the sum of the largest b - λe, is convex, falls by Σe, and is 0 at the best ratio: Eqs. 15 to 28."""
    b, e = pairs.T
    size = min(size, len(b))
    unit = b.sum() + e.sum()

    def largest(ratio):
        chosen = np.argsort(-(b - ratio * e), kind="stable")[:size]
        return (b - ratio * e)[chosen].sum(), -e[chosen].sum()

    found = largest_ratio_subset(b, e, size)
    assert largest(found.ratio)[0] == pytest.approx(0, abs=1e-11 * unit)
    for old, new in pairwise(found.history):
        value, slope = largest(old)
        assert value > -1e-11 * unit
        assert new == pytest.approx(old - value / slope, rel=1e-9)
    values = np.array([largest(ratio)[0] for ratio in np.linspace(0, 2 * found.ratio + 1, 9)])
    assert (np.diff(values) < 0).all()
    assert (np.diff(values, 2) >= -1e-11 * unit * (1 + found.ratio)).all()


def test_the_largest_single_ratios_are_not_the_best_pair():
    """10, 5 and 4 one by one, but 51/10.1 is less than 1.4/0.2."""
    found = largest_ratio_subset(np.array([1.0, 50.0, 0.4]), np.array([0.1, 10.0, 0.1]), 2)
    assert found.subset.tolist() == [0, 2]
    assert found.ratio == pytest.approx(7.0)
    assert found.history == pytest.approx((51 / 10.1, 7.0))


def test_perfect_items_come_first_and_useless_ones_last():
    b = np.array([0.0, 5.0, np.nan, 1.0, 2.0, 7.0])
    e = np.array([0.0, 1.0, np.nan, 0.0, 4.0, 0.0])
    assert largest_ratio_subset(b, e, 1).subset.tolist() == [5]  # of two perfect ones the larger gain
    assert largest_ratio_subset(b, e, 2).ratio == np.inf
    assert largest_ratio_subset(b, e, 3).subset.tolist() == [1, 3, 5]
    assert largest_ratio_subset(b, e, 4).subset.tolist() == [1, 3, 4, 5]
    assert largest_ratio_subset(b, e, 5).subset.tolist() == [0, 1, 3, 4, 5]  # the earlier of those that say nothing
