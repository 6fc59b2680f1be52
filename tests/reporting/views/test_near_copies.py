"""Near-copies and their groups against brute force."""

from types import SimpleNamespace

import numpy as np
import pytest

from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import near_copies


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def fitted_to(X, names=None, ranking=None):
    """A selector that ranks columns in their order, with its data."""
    ranking = np.arange(1, X.shape[1] + 1) if ranking is None else ranking
    return Fitted(SimpleNamespace(ranking_=ranking), X, None, names or [f"x{j}" for j in range(X.shape[1])])


def listed(X, best, names, also=()):
    fitted = fitted_to(X, names)
    found = near_copies.find_copies(fitted, np.array([*best, *also])).found
    return near_copies.near_copies_view(found, np.array(best), names)


class TestListed:
    def test_near_copies_that_were_dropped_are_named(self, rng, monkeypatch):
        X = rng.normal(size=(60, 8))
        X[:, 5:] = X[:, [0, 0, 1]] * [1, -2, 3] + 0.01 * X[:, 5:]
        names = list("abcdefgh")
        found = listed(X, [1, 0, 6], names)
        assert [(row["feature"], row["copies"]) for row in found] == [("b", ["h"]), ("a", ["f"]), ("g", ["f"])]
        np.testing.assert_allclose(found[2]["correlations"], np.corrcoef(X[:, 6], X[:, 5])[0, 1])
        assert listed(X, [2, 3], names) == []
        monkeypatch.setattr(near_copies, "COPY_SAMPLES", 30)
        assert [row["copies"] for row in listed(X, [1], names)] == [["h"]]

    def test_those_that_are_shown_are_named_too(self, rng):
        X = rng.normal(size=(60, 4))
        X[:, 2] = -X[:, 0] + 0.01 * X[:, 1]
        for also in ([], [2], [2, 3]):
            assert [(row["feature"], row["copies"]) for row in listed(X, [0, 1], list("abcd"), also)] == [("a", ["c"])]

    def test_only_the_nearest_are_named_but_all_are_counted(self, rng, monkeypatch):
        monkeypatch.setattr(near_copies, "SHOWN_COPIES", 2)
        base = rng.normal(size=(60, 1))
        X = base + np.array([0, 0.3, 0.1, 0.2]) * rng.normal(size=(60, 4))
        found = listed(X, [0], list("abcd"))
        assert (found[0]["copies"], found[0]["count"]) == (["c", "d"], 3)

    def test_exact_copies_stand_by_column(self, rng):
        X = np.repeat(rng.normal(size=(9, 1)) / 3, 5, axis=1) * [1.0, 0.1, 3.3, -7.7, 0.3]
        assert listed(X, [2], list("abcde"))[0]["copies"] == ["a", "b", "d", "e"]


class TestGroups:
    def table(self, rng, n_features=40):
        """Families around five features, some of them chains."""
        base = rng.normal(size=(50, 5))
        return base[:, rng.integers(0, 5, n_features)] + 0.35 * rng.normal(size=(50, n_features))

    @pytest.mark.parametrize("count", [1, 7, 40])
    def test_they_are_connected_parts(self, rng, count):
        X, searched = self.table(rng), rng.permutation(40)[:count]
        ranking = rng.permutation(40) + 1
        codes = near_copies.find_copies(fitted_to(X, ranking=ranking), searched).codes
        near = np.abs(np.corrcoef(X.T)) >= 0.9
        outside = np.setdiff1d(np.arange(40), searched)
        near[np.ix_(outside, outside)] = False  # neither of them was looked at
        reach = np.linalg.matrix_power((near | np.eye(40, dtype=bool)).astype(float), 40) > 0
        groups = sorted(
            {tuple(np.flatnonzero(row)) for row in reach if row.sum() > 1}, key=lambda g: min(ranking[[*g]])
        )
        assert [tuple(np.flatnonzero(codes == number)) for number in range(1, codes.max() + 1)] == groups

    def test_the_view_counts_kept_and_others(self, rng):
        X = rng.normal(size=(60, 6))
        X[:, 3], X[:, 4], X[:, 5] = 2 * X[:, 0], -X[:, 0], X[:, 1] + 0.01 * X[:, 2]
        fitted = fitted_to(X, list("abcdef"))
        copies = near_copies.find_copies(fitted, np.array([0, 3, 1]))
        rows = near_copies.copy_groups_view(copies, np.array([0, 3]), np.array([2, 5, 1, 3, 0]), fitted)
        assert [row["number"] for row in rows] == [1, 2]
        assert (rows[0]["kept"], rows[0]["others"], rows[0]["shown"]) == (["a", "d"], ["e"], [3, 5])
        assert (rows[1]["kept"], rows[1]["others"], rows[1]["shown"]) == ([], ["b", "f"], [1, 3])
        assert [(row["n_kept"], row["n_others"]) for row in rows] == [(2, 1), (0, 2)]

    @pytest.mark.parametrize("kept", [3, 12, 30, 40])
    def test_those_of_the_best_are_direct(self, rng, kept, monkeypatch):
        """A feature that only resembles another one left out does not repeat what is kept, and connects nothing."""
        monkeypatch.setattr(near_copies, "SEARCHED", 25)
        X, best = self.table(rng), rng.permutation(40)[:kept]
        first = best[:25]
        copies = near_copies.find_copies(fitted_to(X), np.append(first, np.setdiff1d(np.arange(40), first)[:5]))
        near = np.abs(np.corrcoef(X.T)) >= 0.9
        inside = near[np.ix_(first, first)].astype(float)
        reach = np.linalg.matrix_power(inside, first.size) > 0
        sizes = sorted(len(group) for group in {tuple(np.flatnonzero(row)) for row in reach} if len(group) > 1)
        outside = np.setdiff1d(np.arange(40), best)
        found = near_copies.best_copies(copies, best)
        assert found["n_best"] == first.size
        assert sorted(found["sizes"]) == sizes
        assert found["n_others"] == near[np.ix_(outside, first)].any(axis=1).sum()

    def test_constant_features_are_in_none(self):
        X = np.column_stack([np.ones(9), np.ones(9), np.arange(9)])
        assert near_copies.find_copies(fitted_to(X), np.arange(3)).codes.tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [4, 5, 8])
def test_how_many_chance_gives(rng, n):
    """Pairs of independent features, counted."""
    X = rng.normal(size=(n, 1500))
    counted = (np.abs(np.corrcoef(X.T)[np.triu_indices(1500, 1)]) >= 0.9).mean()
    assert near_copies.chance_of_copy(n) == pytest.approx(counted, rel=0.1)
    found = near_copies.find_copies(fitted_to(X[:, :300]), np.arange(20))
    pairs = 20 * 280 + 190
    assert found.by_chance == pytest.approx(pairs * near_copies.chance_of_copy(n))


def test_two_samples_are_always_alike():
    assert near_copies.chance_of_copy(2) == 1.0
