"""HSIC scores against the centred trace of two kernels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import scale

import naive
from eigenselect import HSICScore, hsic_score


class TestHSIC:
    def label_kernel(self, y):
        same = np.equal.outer(y, y)
        return same / same.sum(axis=1)

    def test_labels(self, labelled):
        X, y = labelled
        expected = [naive.hsic(self.label_kernel(y), np.outer(f, f)) for f in X.T]
        selector = HSICScore(scale=None).fit(X, y)
        np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-8)
        np.testing.assert_allclose(hsic_score(sparse.csr_array(X), y, scale=None), expected, rtol=1e-8)

    def test_the_matrix_needs_its_minus_sign(self, labelled):
        """Eq. 3.24 of the dissertation, whose print lost the sign before 2/(n-2)."""
        X, y = labelled
        K, n = self.label_kernel(y), len(y)
        K = K - np.diag(K.diagonal())
        sums = K.sum(axis=1)
        spread = (np.ones((n, n)) - np.eye(n)) * sums.sum() / ((n - 1) * (n - 2))
        rest = 2 / (n - 2) * (np.outer(sums, np.ones(n)) - np.diag(sums))
        right, wrong = (np.einsum("ij,ij->j", X, (K + spread + sign * rest) @ X) / (n * (n - 3)) for sign in (-1, 1))
        found = HSICScore(scale=None).fit(X, y).native_scores_
        np.testing.assert_allclose(found, right, rtol=1e-8)
        assert not np.allclose(found, wrong, rtol=0.1)

    def test_numeric_targets(self, rng):
        X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
        expected = [naive.hsic(np.outer(y, y), np.outer(f, f)) for f in X.T]
        np.testing.assert_allclose(HSICScore(target_kernel="linear", scale=None).fit(X, y).scores_, expected, rtol=1e-8)
        sigma = np.median(np.abs(y[:, None] - y)[np.triu_indices(30, 1)])
        K = np.exp(-((y[:, None] - y) ** 2) / (2 * sigma**2))
        expected = [naive.hsic(K, np.outer(f, f)) for f in X.T]
        np.testing.assert_allclose(HSICScore(target_kernel="rbf", scale=None).fit(X, y).scores_, expected, rtol=1e-8)

    def test_precomputed_kernels_of_any_sign(self, rng, as_kind):
        X, K = rng.normal(size=(20, 4)), rng.normal(size=(20, 20))
        K = K + K.T
        expected = [naive.hsic(K, np.outer(f, f)) for f in X.T]
        np.testing.assert_allclose(HSICScore(target_kernel=as_kind(K), scale=None).fit(X).scores_, expected, rtol=1e-8)

    @pytest.mark.parametrize("kernel", ["labels", "linear", "given"])
    def test_unit_scale_is_the_letter_on_standardised_features(self, unlike_spreads, as_kind, kernel):
        X, y = unlike_spreads
        kernel = np.cos(np.subtract.outer(y, y)) if kernel == "given" else kernel
        letter = HSICScore(target_kernel=kernel, scale=None).fit(scale(X), y)
        unit = HSICScore(target_kernel=kernel).fit(as_kind(X), y)
        np.testing.assert_allclose(unit.scores_, letter.scores_, rtol=1e-8)
        np.testing.assert_allclose(HSICScore(target_kernel=kernel).fit(1e5 * X, y).scores_, unit.scores_, rtol=1e-8)

    def test_it_does_not_see_a_shift(self, labelled):
        X, y = labelled
        np.testing.assert_allclose(HSICScore().fit(X + 1e6, y).scores_, hsic_score(X, y), rtol=1e-5)


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        (HSICScore(target_kernel="tanh"), "HSICScore: target_kernel.*'tanh'"),
        (HSICScore(target_kernel=np.triu(np.ones((20, 20)))), "target_kernel must be symmetric"),
        (HSICScore(target_kernel=np.ones((3, 3))), "target_kernel must be 20 x 20"),
        (HSICScore(scale=True), "scale must be 'unit'"),
    ],
    ids=str,
)
def test_bad_parameters(selector, says, rng):
    with pytest.raises(ValueError, match=says):
        selector.fit(rng.normal(size=(20, 3)), np.arange(20) % 2)


def test_three_samples_are_too_few_for_hsic(rng):
    with pytest.raises(ValueError, match="at least 4 samples, got 3"):
        HSICScore().fit(rng.normal(size=(3, 2)), [0, 1, 0])


def test_a_name_is_no_similarity_matrix(rng):
    with pytest.raises(TypeError, match="HSICScore: similarity_matrix must be"):
        HSICScore(2).fit(rng.normal(size=(20, 4)), np.arange(20) % 2, similarity_matrix="knn")
