"""Redundancy of selections, and which dropped features are nearly copies of a selected one."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.evaluation import near_copies, redundancy_rate
from eigenselect.evaluation.correlations import unit_columns


class TestRedundancy:
    def test_mean_absolute_correlation_of_pairs(self, rng, monkeypatch):
        X = rng.normal(size=(30, 7))
        X[:, 3] = -2 * X[:, 1] + 0.1 * rng.normal(size=30)
        correlations = [abs(np.corrcoef(X[:, i], X[:, j])[0, 1]) for i in range(7) for j in range(i)]
        assert redundancy_rate(X) == pytest.approx(np.mean(correlations))
        assert redundancy_rate(sparse.csr_array(X)) == pytest.approx(np.mean(correlations))
        monkeypatch.setattr("eigenselect.evaluation.correlations.HELD_FEATURES", 3)
        assert redundancy_rate(X) == pytest.approx(np.mean(correlations))

    def test_copies_and_strangers(self, rng):
        f = rng.normal(size=20)
        assert redundancy_rate(np.column_stack([f, 3 * f + 1, -f])) == pytest.approx(1.0)
        assert redundancy_rate(np.eye(4)[:, :2]) == pytest.approx(1 / 3)

    def test_scale_does_not_matter(self, rng):
        X = rng.normal(size=(30, 4)) + 3
        for scale in (1e-90, 1e-12, 1e12, 1e90):
            assert redundancy_rate(X * scale) == pytest.approx(redundancy_rate(X))

    def test_constants_do_not_count(self, rng):
        X = rng.normal(size=(30, 3))
        assert redundancy_rate(np.column_stack([X, np.full(30, 5.0)])) == pytest.approx(redundancy_rate(X))
        assert np.isnan(redundancy_rate(X[:, :1]))
        assert np.isnan(redundancy_rate(np.ones((5, 3))))

    def test_bad_input(self):
        with pytest.raises(ValueError, match="finite"):
            redundancy_rate([[1, np.nan], [2, 3]])
        with pytest.raises(ValueError, match="table of samples"):
            redundancy_rate([1, 2, 3])


def test_constant_columns_have_no_direction_whatever_their_mean_rounds_to():
    for n_samples in (3, 7, 10, 30):
        constants = np.tile([0.1, 1 / 3, 1e100, -1e-300, 0.0], (n_samples, 1))
        assert not unit_columns(constants).any()


class TestNearCopies:
    @pytest.fixture
    def table(self, rng):
        X = rng.normal(size=(40, 12))
        X[:, 7] = -3 * X[:, 2] + 0.3 * rng.normal(size=40)
        X[:, 9] = 2 * X[:, 2] + 5
        X[:, 11] = X[:, 4] + 0.1 * rng.normal(size=40)
        X[:, 0] = 6.0
        return X

    def test_against_plain_correlations(self, table, monkeypatch):
        selected = np.array([4, 2, 0])
        with np.errstate(invalid="ignore"):
            rho = np.corrcoef(table.T)
        for kind, block in ((np.asarray, 1024), (sparse.csr_array, 3), (np.float32, 3)):
            monkeypatch.setattr("eigenselect.evaluation.copies.BLOCK_NUMBERS", block * len(table))
            found = near_copies(kind(table), selected, threshold=0.5)
            assert [s.feature for s in found] == [4, 2, 0]
            for standing in found:
                values = {j: rho[standing.feature, j] for j in range(12) if j not in selected}
                near = sorted((j for j in values if abs(values[j]) >= 0.5), key=lambda j: -abs(values[j]))
                assert list(standing.copies) == near
                np.testing.assert_allclose(standing.correlations, [values[j] for j in near], atol=1e-6)
        assert list(found[1].copies[:2]) == [9, 7]
        assert found[1].correlations[1] < 0
        assert list(near_copies(table, [2], threshold=1.0)[0].copies) == [9]  # exact copies

    def test_names_select_as_numbers_do(self, table):
        frame = pd.DataFrame(table, columns=[f"gene {j}" for j in range(12)])
        for names in (["gene 4", "gene 2"], np.array(["gene 4", "gene 2"]), pd.Index(["gene 4", "gene 2"])):
            found = near_copies(frame, names)
            assert [(s.feature, list(s.copies)) for s in found] == [(4, [11]), (2, [9, 7])]
        found = near_copies(frame, np.isin(np.arange(12), [2, 4]))
        assert [(s.name, list(s.copies)) for s in found] == [("gene 2", [9, 7]), ("gene 4", [11])]

    def test_names_that_say_nothing(self, table):
        frame = pd.DataFrame(table, columns=["twice", "twice", *(f"gene {j}" for j in range(2, 12))])
        with pytest.raises(ValueError, match="'gene 99' .* not in X"):
            near_copies(frame, ["gene 2", "gene 99"])
        with pytest.raises(ValueError, match="'twice' .* more than once"):
            near_copies(frame, ["twice"])
        with pytest.raises(ValueError, match=r"\('gene 2'\).* none"):
            near_copies(table, ["gene 2"])
        with pytest.raises(ValueError, match="different numbers"):
            near_copies(frame, ["gene 2", "gene 2"])

    def test_nearest_only(self, rng):
        f = rng.normal(size=200)
        X = np.column_stack([f, f + 0.2 * rng.normal(size=200), f + 0.01 * rng.normal(size=200)])
        both, one = (near_copies(X, [0, 1], threshold=0.5, nearest_only=only) for only in (False, True))
        assert [list(s.copies) for s in both] == [[2], [2]]
        assert [list(s.copies) for s in one] == [[2], []]

    def test_scale_does_not_matter(self, table):
        expected = near_copies(table, [2])[0].copies
        for scale in (1e-90, 1e90):
            np.testing.assert_array_equal(near_copies(table * scale, [2])[0].copies, expected)

    def test_bad_input(self, table):
        for support, threshold, says in (
            ([2, 2], 0.9, "different numbers"),
            ([99], 0.9, "12"),
            ([], 0.9, "mask"),
            ([2], 0, "threshold"),
        ):
            with pytest.raises(ValueError, match=says):
                near_copies(table, support, threshold=threshold)
        table[0, 0] = np.nan
        with pytest.raises(ValueError, match="finite"):
            near_copies(table, [1])
