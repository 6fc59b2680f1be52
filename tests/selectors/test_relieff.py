"""ReliefF and RReliefF against naive loops, by numpy and by compiled loops."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect import SPEC, ReliefF, relieff_score
from eigenselect.criteria import quadratic
from eigenselect.similarity import HitMiss, labels


class TestReliefF:
    @pytest.fixture(params=["numpy", "numba"], autouse=True)
    def route(self, request, monkeypatch):
        limit = 0 if request.param == "numba" else np.inf
        monkeypatch.setattr(labels, "COMPILED_WORK", limit)
        monkeypatch.setattr(quadratic, "COMPILED_WORK", limit)

    @pytest.mark.parametrize("difference", ["absolute", "squared"])
    @pytest.mark.parametrize("k", [1, 5])
    def test_naive_loops(self, labelled, difference, k):
        X, y = labelled
        found = ReliefF(n_neighbors=k, difference=difference).fit(X, y).native_scores_
        np.testing.assert_allclose(found, naive.relieff(X, y, k, difference), rtol=1e-8, atol=1e-12)
        np.testing.assert_array_equal(relieff_score(X, y, n_neighbors=k, difference=difference), found)

    @pytest.mark.parametrize("difference", ["absolute", "squared"])
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
    def test_counts_with_ties(self, counts, difference, store):
        X, y = counts
        X = X.copy()
        X[:, 4] *= 2.0
        found = ReliefF(n_neighbors=4, difference=difference).fit(store(X), y).native_scores_
        np.testing.assert_allclose(found, naive.relieff(X, y, 4, difference), rtol=1e-8, atol=1e-12)

    def test_regression(self, rng):
        X = rng.normal(size=(40, 5))
        y = X[:, 0] + 0.3 * X[:, 1]
        selector = ReliefF(1, n_neighbors=6).fit(X, y)
        np.testing.assert_allclose(selector.native_scores_, naive.rrelieff(X, y, 6), rtol=1e-8, atol=1e-12)
        assert selector.ranking_[0] == 1

    def test_small_classes_use_what_there_is_and_say_so_once(self, rng):
        X, y = rng.normal(size=(20, 3)), np.repeat([0, 1, 2], [12, 7, 1])
        with pytest.warns(UserWarning, match="fewer than 11 samples") as caught:
            found = ReliefF().fit(X, y).native_scores_
        assert len(caught) == 1
        np.testing.assert_allclose(found, naive.relieff(X, y, 10, "absolute"), rtol=1e-8)

    def test_drawn_samples(self, labelled):
        X, y = labelled
        some = ReliefF(n_neighbors=3, n_samples=15, random_state=0).fit(X, y).native_scores_
        again = ReliefF(n_neighbors=3, n_samples=15, random_state=0).fit(X, y).native_scores_
        every = ReliefF(n_neighbors=3, n_samples=10_000).fit(X, y).native_scores_
        np.testing.assert_array_equal(some, again)
        assert not np.allclose(some, every)
        np.testing.assert_allclose(every, ReliefF(n_neighbors=3).fit(X, y).native_scores_)


def test_phi1_orders_as_relieff_on_unit_features_of_balanced_classes(rng):
    """Theorem 5 of the SPEC paper. Every sample has mass 1, so D = I also where a neighbour is not one in turn."""
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 8)) + np.outer(y, rng.normal(size=8))
    X /= np.linalg.norm(X, axis=0)
    spec = SPEC(similarity=HitMiss(4), ranking="phi1").fit(X, y)
    relief = ReliefF(n_neighbors=4, difference="squared").fit(X, y)
    np.testing.assert_array_equal(spec.ranking_, relief.ranking_)
    np.testing.assert_allclose(relief.native_scores_, -2 / 45 * spec.native_scores_, rtol=1e-9)
    assert np.ptp(spec.graph_.row_sums) > 0.1  # these are not 1, as the theorem takes for granted


def test_with_the_printed_signs_the_best_feature_would_be_the_last(rng):
    """Eq. 3.17 of the dissertation gives hits -1/k: fᵀSf is then large for bad features. Ours are the SPEC paper's."""
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 8)) + np.outer(y, rng.normal(size=8))
    X /= np.linalg.norm(X, axis=0)
    spec = SPEC(similarity=HitMiss(4), ranking="phi1").fit(X, y)
    S = spec.graph_.to_array()
    printed = 2 * np.eye(45) - S  # 1 on the diagonal, the other entries with the other sign
    forms = [1 - np.einsum("ij,ij->j", X, (np.diag(A.sum(axis=1)) - A) @ X) for A in (S, printed)]
    np.testing.assert_allclose(spec.scores_, forms[0], rtol=1e-9)
    relief = ReliefF(n_neighbors=4, difference="squared").fit(X, y).native_scores_
    assert forms[0].argmax() == relief.argmax() == forms[1].argmin()
    np.testing.assert_array_equal(np.argsort(forms[1]), np.argsort(-relief))


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        (ReliefF(difference="cubic"), "ReliefF: difference.*'cubic'"),
        (ReliefF(n_neighbors=0), "ReliefF: n_neighbors.*0"),
        (ReliefF(n_samples=2.5), "ReliefF: n_samples.*2.5"),
    ],
    ids=str,
)
def test_bad_parameters(selector, says, rng):
    with pytest.raises(ValueError, match=says):
        selector.fit(rng.normal(size=(20, 3)), np.arange(20) % 2)
