"""φ1 and φ2 as normalised cuts: Theorem 1 of the dissertation, Theorems 3.1 and 3.2 of the sSelect paper."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect.criteria import phi
from eigenselect.graph import SampleGraph
from eigenselect.spectral import Power


def scores(ranking, S, X):
    """Of a dense and of a sparse graph, which agree."""
    dense, other = (
        phi(ranking, SampleGraph(kind(S)), Power(1)).scores(X).native for kind in (np.asarray, sparse.csr_array)
    )
    np.testing.assert_allclose(other, dense, rtol=1e-9, atol=1e-12)
    return dense


def cut(S, part):
    """The similarity between the samples of a part and the others."""
    return S[part][:, ~part].sum()


def normalized_cut(S, part):
    """Shi and Malik's: the cut over the volume of either side, self-loops counted."""
    degrees = S.sum(axis=1)
    return cut(S, part) * (1 / degrees[part].sum() + 1 / degrees[~part].sum())


@pytest.fixture(params=["connected", "two components", "isolated samples", "equal eigenvalues"])
def S(request, make_similarity):
    if request.param == "equal eigenvalues":  # a ring of 12: all but two of its eigenvalues are double
        return np.roll(np.eye(12), 1, axis=1) + np.roll(np.eye(12), -1, axis=1)
    options = {"two components": {"blocks": 2}, "isolated samples": {"isolated": 2}}
    return make_similarity(12, **options.get(request.param, {}))


class TestNormalizedCut:
    @pytest.fixture
    def parts(self, rng):
        return [np.isin(np.arange(12), rng.permutation(12)[:size]) for size in (3, 5, 7)]

    def test_phi2_of_any_two_values_is_the_cut_between_them(self, S, parts):
        for part in parts:
            for low, high in [(0, 1), (-1, 1), (5, -3)]:
                found = scores("phi2", S, np.where(part, high, low)[:, None].astype(float))
                assert found[0] == pytest.approx(normalized_cut(S, part), rel=1e-10)

    def test_phi1_is_so_only_of_values_of_weighted_mean_zero(self, S, parts):
        """Of 0 and 1 it is the cut over one volume; with the volumes' shares as values, it is the whole."""
        degrees = S.sum(axis=1)
        for part in parts:
            inside, outside = degrees[part].sum(), degrees[~part].sum()
            share = inside / degrees.sum()
            X = np.column_stack([part, ~part, np.where(part, 2 * (1 - share), -2 * share)]).astype(float)
            found = scores("phi1", S, X)
            expected = [cut(S, part) / inside, cut(S, part) / outside, normalized_cut(S, part)]
            np.testing.assert_allclose(found, expected, rtol=1e-10)
            assert found[0] < expected[2]  # the counterexample to "φ1 of f is the normalised cut by f"

    def test_of_several_clusters_it_is_the_sum_of_phi1_of_their_indicators(self, S):
        groups = np.arange(12) % 3
        indicators = np.equal.outer(groups, np.arange(3)).astype(float)
        degrees = S.sum(axis=1)
        expected = sum(cut(S, groups == c) / degrees[groups == c].sum() for c in range(3))
        assert scores("phi1", S, indicators).sum() == pytest.approx(expected, rel=1e-10)

    def test_the_indicator_of_a_component_cuts_nothing(self, make_similarity):
        S = make_similarity(12, blocks=2)
        indicator = np.repeat([0.0, 1.0], 6)[:, None]
        for ranking in ("phi1", "phi2"):
            assert scores(ranking, S, indicator)[0] == pytest.approx(0, abs=1e-12)

    def test_no_feature_and_no_partition_is_below_the_second_eigenvalue(self, make_similarity):
        for blocks in (1, 2):
            S = make_similarity(8, blocks=blocks)
            values, vectors = naive.eigensystem(S)
            best = min(
                normalized_cut(S, np.isin(np.arange(8), part))
                for size in range(1, 5)
                for part in combinations(range(8), size)
            )
            assert values[1] <= best + 1e-12
            relaxed = vectors[:, [1]] / np.sqrt(S.sum(axis=1))[:, None]
            assert scores("phi2", S, relaxed)[0] == pytest.approx(values[1], abs=1e-12)
            if blocks == 2:
                assert best == 0


class TestShiftedFeatures:
    """f + μ1: the weighted mean is the μ at which the cut value is largest."""

    @pytest.fixture
    def X(self, rng):
        return rng.normal(size=(12, 4)) * [1, 100, 1e-3, 1] + [0, 1, 5, -2]

    def test_no_shift_has_a_larger_value_than_the_centred_feature(self, S, X):
        centred = scores("phi2", S, X)
        degrees = S.sum(axis=1)
        means = degrees @ X / degrees.sum()
        np.testing.assert_allclose(scores("phi1", S, X - means), centred, rtol=1e-9)
        spread = degrees @ (X - means) ** 2
        for shift in (-1e3, -1.0, -0.01, 0.01, 1.0, 1e3):
            found = scores("phi1", S, X - means + shift)
            assert (found < centred).all()
            np.testing.assert_allclose(found, centred * spread / (spread + degrees.sum() * shift**2), rtol=1e-9)
        assert (scores("phi1", S, X) <= centred * (1 + 1e-12)).all()

    def test_where_similarities_may_be_negative_it_can_be_the_smallest(self):
        """fᵀLf < 0: the theorem needs a Laplacian without negative eigenvalues."""
        S = np.array([[3.0, -1, 0], [-1, 3, 0], [0, 0, 2]])
        graph = SampleGraph(S, signed=True)
        f = np.array([[1.0], [-1], [0]])
        below, above = (phi("phi1", graph, Power(1)).scores(f + shift).native[0] for shift in (0, 1))
        assert below < above < 0

    def test_centring_leaves_the_energy_and_what_is_centred(self, S, X):
        """With φ(f) = f - mean: ⟨φ(f), d⟩ = 0, fᵀLg = φ(f)ᵀLφ(g), φ(φ(f)) = φ(f), and no value is below λ₂."""
        degrees = S.sum(axis=1)
        L = SampleGraph(S).laplacian()
        F = phi("phi2", SampleGraph(S), Power(1)).features(X)  # D½φ(f) at unit length
        np.testing.assert_allclose(np.sqrt(degrees) @ F, 0, atol=1e-12)
        G = X - degrees @ X / degrees.sum()
        np.testing.assert_allclose(G.T @ L @ G, X.T @ L @ X, rtol=1e-9, atol=1e-9 * np.abs(X.T @ L @ X).max())
        np.testing.assert_allclose(scores("phi2", S, G), scores("phi2", S, X), rtol=1e-9)
        second = naive.eigensystem(S[degrees > 0][:, degrees > 0])[0][1]
        assert (scores("phi2", S, X) >= second - 1e-12).all()
