"""Whether a selection preserves who is near whom."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.evaluation import jaccard_score


class TestJaccard:
    def test_ties_up_to_rounding(self, rng):
        """Inner products of few decimals are equal in many ways; the order of the features decides none of them."""
        X = rng.choice([0.1, 0.2, 0.3, 0.7], size=(60, 5))
        assert jaccard_score(X, X[:, ::-1] @ X[:, ::-1].T, 4) == 1.0
        assert jaccard_score(X, np.round(X @ X.T, 13), 4) == 1.0

    def test_against_sets(self, rng):
        X, S = rng.normal(size=(25, 6)), rng.random((25, 25))
        S, mine = S + S.T, X @ X.T

        def neighbors(matrix, i, k):
            return set(sorted((j for j in range(25) if j != i), key=lambda j: (-matrix[i, j], j))[:k])

        for k in (1, 5):
            pairs = [(neighbors(mine, i, k), neighbors(S, i, k)) for i in range(25)]
            expected = np.mean([len(one & other) / len(one | other) for one, other in pairs])
            assert jaccard_score(X, S, k) == pytest.approx(expected)
            assert jaccard_score(sparse.csr_array(X), sparse.csr_array(S), k) == pytest.approx(expected)
            centred = X - X.mean(axis=0)
            assert jaccard_score(X + 3, S, k, center=True) == pytest.approx(jaccard_score(centred, S, k))

    def test_all_features_preserve_their_own_similarity(self, rng):
        X = rng.normal(size=(20, 5))
        assert jaccard_score(X * 1e-90, X @ X.T) == 1.0

    def test_bad_input(self, rng):
        X = rng.normal(size=(6, 2))
        with pytest.raises(ValueError, match="n_neighbors"):
            jaccard_score(X, X @ X.T, 6)
        with pytest.raises(ValueError, match="6 x 6"):
            jaccard_score(X, np.eye(5), 2)
        with pytest.raises(ValueError, match="finite"):
            jaccard_score(X * np.nan, X @ X.T, 2)
