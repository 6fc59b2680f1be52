"""Which dropped features are nearly copies of a selected one."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.evaluation import near_copies


class TestNearCopies:
    @pytest.fixture
    def table(self, rng):
        X = rng.normal(size=(40, 12))
        X[:, 7] = -3 * X[:, 2] + 0.3 * rng.normal(size=40)
        X[:, 9] = 2 * X[:, 2] + 5
        X[:, 11] = X[:, 4] + 0.1 * rng.normal(size=40)
        X[:, 0] = 6.0
        return X

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, np.float32])
    def test_against_plain_correlations(self, table, kind, monkeypatch):
        selected = np.array([4, 2, 0])
        with np.errstate(invalid="ignore"):
            rho = np.corrcoef(table.T)
        for block in (1024, 3):
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

    def test_mask_and_names(self, table):
        frame = pd.DataFrame(table, columns=[f"gene {j}" for j in range(12)])
        mask = np.isin(np.arange(12), [2, 4])
        found = near_copies(frame, mask)
        assert [s.name for s in found] == ["gene 2", "gene 4"]
        assert list(found[0].copies) == [9, 7]

    def test_names_select_as_numbers_do(self, table):
        frame = pd.DataFrame(table, columns=[f"gene {j}" for j in range(12)])
        for names in (["gene 4", "gene 2"], np.array(["gene 4", "gene 2"]), pd.Index(["gene 4", "gene 2"])):
            found = near_copies(frame, names)
            assert [(s.feature, list(s.copies)) for s in found] == [(4, [11]), (2, [9, 7])]

    def test_names_that_say_nothing(self, table):
        frame = pd.DataFrame(table, columns=["twice", "twice", *(f"gene {j}" for j in range(2, 12))])
        with pytest.raises(ValueError, match=r"'gene 99' of support are not in X; give names"):
            near_copies(frame, ["gene 2", "gene 99"])
        with pytest.raises(ValueError, match=r"'twice' of support stand more than once in X"):
            near_copies(frame, ["twice"])
        with pytest.raises(ValueError, match=r"support holds names \('gene 2'\), but X has none; give a data frame or"):
            near_copies(table, ["gene 2"])
        with pytest.raises(ValueError, match="different numbers"):
            near_copies(frame, ["gene 2", "gene 2"])

    def test_exact_copies_at_threshold_one(self, table):
        assert list(near_copies(table, [2], threshold=1.0)[0].copies) == [9]

    def test_nearest_only(self, rng):
        f = rng.normal(size=200)
        X = np.column_stack([f, f + 0.2 * rng.normal(size=200), f + 0.01 * rng.normal(size=200)])
        both, one = (near_copies(X, [0, 1], threshold=0.5, nearest_only=only) for only in (False, True))
        assert [list(s.copies) for s in both] == [[2], [2]]
        assert [list(s.copies) for s in one] == [[2], []]

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_scale_does_not_matter(self, table, scale):
        np.testing.assert_array_equal(near_copies(table * scale, [2])[0].copies, near_copies(table, [2])[0].copies)

    @pytest.mark.parametrize(
        ("support", "threshold", "message"),
        [([2, 2], 0.9, "different numbers"), ([99], 0.9, "mask of the 12"), ([], 0.9, "mask"), ([2], 0, "threshold")],
    )
    def test_bad_input(self, table, support, threshold, message):
        with pytest.raises(ValueError, match=message):
            near_copies(table, support, threshold=threshold)
        table[0, 0] = np.nan
        with pytest.raises(ValueError, match="finite"):
            near_copies(table, [1])
