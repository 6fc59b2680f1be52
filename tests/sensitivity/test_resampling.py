"""Which samples are drawn, and how fits are spread and counted."""

import io

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect.sensitivity.resampling import (
    complementary_halves,
    draw_samples,
    refit_all,
    selected_columns,
    shown_progress,
)


@pytest.mark.parametrize("sizes", [[10], [5, 4], [2, 2, 9], [3, 3, 3], [1, 6], [1, 1, 1, 4]])
def test_halves_are_disjoint_equal_in_size_and_share_the_classes(sizes):
    strata, rng = np.repeat(np.arange(len(sizes)), sizes), np.random.RandomState(3)
    n_samples, left_out = strata.size, set()
    for _ in range(60):
        first, second = complementary_halves(n_samples, strata, rng)
        assert first.size == second.size == n_samples // 2
        assert np.unique(np.concatenate([first, second])).size == 2 * (n_samples // 2)
        counts = np.array([np.bincount(strata[half], minlength=len(sizes)) for half in (first, second)])
        assert (np.abs(counts[0] - counts[1]) <= 1).all()
        assert (counts[:, np.array(sizes) >= 2] >= 1).all()
        left_out |= set(range(n_samples)) - set(first) - set(second)
    odd = {row for row in range(n_samples) if sizes[strata[row]] % 2}
    assert left_out == (odd if n_samples % 2 else set())


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1], [5, 4])])
def test_every_sample_is_as_often_in_one_half_as_in_the_other(strata):
    rng, counts = np.random.RandomState(0), np.zeros((2, 9))
    for _ in range(2000):
        for half, rows in enumerate(complementary_halves(9, strata, rng)):
            counts[half, rows] += 1
    expected = 2000 * 4 / 9 if strata is None else np.where(strata == 0, 2000 * 2 / 5, 2000 / 2)
    np.testing.assert_allclose(counts, np.broadcast_to(expected, (2, 9)), atol=5 * np.sqrt(500))


def test_draws_keep_the_proportions_of_the_classes():
    y = np.repeat(["a", "b"], [30, 10])
    rows = draw_samples(40, y, False, 0.5, np.random.RandomState(0))
    assert (np.diff(rows) > 0).all()
    assert (y[rows] == "b").sum() == 5
    assert draw_samples(40, y, True, 0.5, np.random.RandomState(0)).size == 40


def test_results_come_in_order_and_are_counted():
    seen = []
    found = refit_all(pow, [(2, 3), (3, 2), (5, 1)], progress=lambda done, total: seen.append((done, total)))
    assert found == [8, 9, 5]
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_what_a_pipeline_selected_is_told_in_columns_of_the_table(rng):
    y = np.repeat([0, 1], 10)
    X = np.column_stack([np.ones(20), rng.normal(size=20), np.ones(20), y + 0.1 * rng.normal(size=20)])
    pipeline = make_pipeline(VarianceThreshold(), StandardScaler(), SelectKBest(k=1)).fit(X, y)
    assert selected_columns(pipeline).tolist() == [False, False, False, True]
    assert selected_columns(SelectKBest(k=1).fit(X[:, [1, 3]], y)).tolist() == [False, True]


def test_progress_is_shown_on_request_and_on_a_terminal(monkeypatch, capsys):
    assert shown_progress(False) is None
    assert shown_progress(None) is None
    assert shown_progress(print) is print
    shown_progress(True)(1, 1)
    assert capsys.readouterr().err == "\rrefitting 1/1\n"
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", terminal)
    assert shown_progress(None) is not None
