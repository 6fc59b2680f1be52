"""The quadratic form: storage formats, dtypes, threads, invariances, ugly numbers."""

from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import naive
from eigenselect import SPEC, LaplacianScore, SSelect, TraceRatio
from eigenselect.criteria import criterion
from eigenselect.criteria.criterion import phi
from eigenselect.exceptions import GraphWarning
from eigenselect.graph import SampleGraph
from eigenselect.matrix import base as matrix_base
from eigenselect.spectral import Custom, Power


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


def phi2(graph, X, power=1, **kwargs):
    return phi("phi2", graph, Power(power)).scores(X, **kwargs).native


class TestStorage:
    """However X is stored, the scores are the same."""

    @pytest.fixture
    def X(self, rng):
        X = rng.poisson(0.7, size=(30, 300)).astype(float)  # several tiles once tiles are narrow
        X[:, 3] = rng.normal(size=30)
        return X

    @pytest.fixture(autouse=True)
    def narrow_tiles(self, monkeypatch):
        monkeypatch.setattr(matrix_base, "TILE_COLUMNS", (8, 64))

    @pytest.mark.parametrize("power", [1, 2, 3])
    @pytest.mark.parametrize(
        "store",
        [
            np.asfortranarray,
            sparse.csr_array,
            sparse.csc_array,
            sparse.csr_matrix,
            lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        ],
    )
    def test_layouts(self, graph, X, kernels, power, store):
        np.testing.assert_allclose(phi2(graph, store(X), power), phi2(graph, X, power), rtol=1e-11)

    def test_memory_map(self, graph, X, kernels, tmp_path):
        mapped = np.memmap(tmp_path / "X.bin", dtype=np.float32, mode="w+", shape=X.shape)
        mapped[:] = X
        np.testing.assert_array_equal(phi2(graph, mapped), phi2(graph, X.astype(np.float32)))

    def test_float32_is_as_good_as_its_values(self, graph, X, kernels):
        narrow = X.astype(np.float32)
        np.testing.assert_allclose(phi2(graph, narrow), phi2(graph, narrow.astype(float)), rtol=1e-12)

    @pytest.mark.parametrize("store", [np.asarray, sparse.csc_array])
    @pytest.mark.parametrize("gamma", [Power(1), Power(3), Custom(np.exp)])
    def test_threads_do_not_change_a_bit(self, graph, X, kernels, store, gamma):
        one = phi("phi2", graph, gamma).scores(store(X), n_jobs=1).native
        four = phi("phi2", graph, gamma).scores(store(X), n_jobs=4).native
        np.testing.assert_array_equal(one, four)


class TestInvariances:
    @pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
    @pytest.mark.parametrize("power", [1, 4])
    def test_scale(self, graph, rng, kernels, ranking, power):
        X = rng.normal(size=(30, 5)) + 1
        criterion = phi(ranking, graph, Power(power), 4)
        factors = np.array([1e-12, -3.0, 1e12, 1e-100, 1e100])
        np.testing.assert_allclose(criterion.scores(X * factors).native, criterion.scores(X).native, rtol=1e-9)

    @pytest.mark.parametrize("power", [1, 2, 3, 4])
    def test_phi2_does_not_see_a_shift_of_a_million(self, graph, rng, as_kind, kernels, power):
        X = rng.normal(size=(30, 5))
        shifted = as_kind(X + 1e6)
        np.testing.assert_allclose(phi2(graph, shifted, power), phi2(graph, X, power), rtol=1e-6)

    def test_permuting_samples_and_features(self, graph, rng, kernels):
        X = rng.normal(size=(30, 9))
        samples, features = rng.permutation(30), rng.permutation(9)
        permuted = SampleGraph(sparse.csr_array(graph.affinity[samples][:, samples]))
        found = phi2(permuted, X[samples][:, features])
        np.testing.assert_allclose(found, phi2(graph, X)[features], rtol=1e-12)

    def test_duplicated_features_tie_exactly(self, graph, rng, kernels):
        X = rng.normal(size=(30, 3))
        scores = phi2(graph, np.tile(X, 50))
        np.testing.assert_array_equal(scores, np.tile(scores[:3], 50))

    @settings(max_examples=40, deadline=None)
    @given(hnp.arrays(float, (12, 2), elements=st.floats(-1e6, 1e6, width=32)), st.integers(0, 2**32 - 1))
    def test_phi_stays_between_its_bounds(self, X, seed):
        S = np.random.default_rng(seed).random((12, 12))
        graph = SampleGraph(S + S.T)
        for ranking in ("phi1", "phi2"):
            values = phi(ranking, graph, Power(1)).scores(X).native
            assert np.all(np.isnan(values) | ((values >= -1e-9) & (values <= 2 + 1e-9)))


def test_constant_and_zero_features_have_no_score(graph, rng, as_kind, kernels):
    X = rng.normal(size=(30, 4))
    X[:, 1], X[:, 2] = 0.1, 0.0
    for ranking in ("phi1", "phi2", "phi3"):
        scores = phi(ranking, graph, Power(1), 3).scores(as_kind(X)).native
        np.testing.assert_array_equal(np.isnan(scores), [False, True, True, False])


def test_a_feature_that_varies_only_on_isolated_samples_has_no_score(make_similarity, rng, as_kind, kernels):
    graph = SampleGraph(sparse.csr_array(make_similarity(20, isolated=3)))
    X = np.zeros((20, 2))
    X[:, 0] = rng.normal(size=20)
    X[18, 1] = 5.0
    np.testing.assert_array_equal(np.isnan(phi2(graph, as_kind(X))), [False, True])


def test_a_perfect_feature_scores_exactly_zero(make_similarity, as_kind, kernels):
    graph = SampleGraph(sparse.csr_array(make_similarity(20, blocks=2)))
    indicator = np.repeat([0.0, 3.0], 10)[:, None]
    assert phi2(graph, as_kind(indicator))[0] == 0.0


def test_tiny_scores_keep_their_digits(rng):
    """Two groups joined by one edge of weight 1e-20: φ2 of the group indicator is about 1e-20, not rounding."""
    S = np.zeros((20, 20))
    S[:10, :10] = S[10:, 10:] = 1.0
    S[0, 10] = S[10, 0] = 1e-20
    f = np.repeat([0.0, 1.0], 10)
    found = phi2(SampleGraph(sparse.csr_array(S)), f[:, None])[0]
    assert found == pytest.approx(1e-20 / (200 * 0.25), rel=1e-6)
    assert naive.laplacian_score(S, f) == pytest.approx(0, abs=1e-15)


class TestIsolatedSamples:
    """They add nothing wherever they are in the table, however far off their values, which no other route may touch."""

    #: places of the isolated samples among 24
    PLACES: ClassVar = {
        "first": [0, 1, 2],
        "in the middle": [5, 11, 12],
        "last": [21, 22, 23],
        "everywhere": [0, 10, 23],
    }

    @pytest.fixture(params=PLACES)
    def tables(self, request, make_similarity, rng):
        """S and X of all samples, and of those that are not isolated."""
        live = np.setdiff1d(np.arange(24), self.PLACES[request.param])
        S, X = np.zeros((24, 24)), np.full((24, 6), 1e12)
        S[np.ix_(live, live)] = make_similarity(21)
        X[live] = rng.poisson(1.0, size=(21, 6)) + 0.1 * rng.normal(size=(21, 6))
        X[live, 4] = 0.7  # constant where it counts
        return S, X, live

    @pytest.mark.parametrize("store", [np.asarray, sparse.csc_array])
    def test_scores_are_those_without_them(self, tables, as_kind, kernels, store, monkeypatch):
        S, X, live = tables
        graphs = [SampleGraph(as_kind(S[np.ix_(rows, rows)])) for rows in (np.arange(24), live)]
        routes = [(Power(1), 400), (Power(2), 400), (Power(3), 400), (Custom(np.exp), 400), (Custom(np.exp), 0)]
        for ranking, (gamma, exact) in product(("phi1", "phi2", "phi3"), routes):
            monkeypatch.setattr(criterion, "EXACT_SAMPLES", exact)  # beyond it, a polynomial
            found, without = (
                phi(ranking, graph, gamma, 4).scores(store(table)).native
                for graph, table in zip(graphs, (X, X[live]), strict=True)
            )
            np.testing.assert_allclose(found, without, rtol=1e-9, err_msg=f"{ranking} {gamma} {exact}")
            assert np.isnan(found).tolist() == [False] * 4 + [True, False]

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
    @pytest.mark.parametrize(
        "selector",
        [
            SPEC(ranking="phi1"),
            SPEC(ranking="phi2"),
            SPEC(ranking="phi3", n_clusters=3),
            LaplacianScore(),
            SSelect(),
            SSelect(ranking="phi3", n_clusters=3),
            TraceRatio(2, graphs="laplacian"),
        ],
        ids=repr,
    )
    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_selectors_score_as_without_them(self, tables, as_kind, selector, store):
        S, X, live = tables
        y = np.where(np.arange(24) % 3 == 0, np.nan, np.arange(24) % 2)
        y[np.setdiff1d(np.arange(24), live)] = np.nan
        found = selector.fit(store(X), y, similarity_matrix=as_kind(S)).native_scores_
        without = selector.fit(store(X[live]), y[live], similarity_matrix=as_kind(S[np.ix_(live, live)]))
        np.testing.assert_allclose(found, without.native_scores_, rtol=1e-9)

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
    def test_they_are_told_of(self, tables):
        S, X, _ = tables
        with pytest.warns(GraphWarning, match="3 of 24 samples are isolated"):
            SPEC(ranking="phi1").fit(X, similarity_matrix=S)


def test_class_scatter_of_columns_in_parts(rng, kernels, monkeypatch):
    """CSC is turned into rows a part at a time; no column may be lost or exchanged."""
    from eigenselect.criteria.quadratic import PowerForm, feature_terms
    from eigenselect.graph import ClassMeans
    from eigenselect.matrix import sparse as sparse_module

    classes = ClassMeans(np.arange(30) % 3, 3)
    graph = SampleGraph(classes, row_sums=np.ones(30))
    X = rng.poisson(0.5, size=(30, 11)) * 1.0
    expected = feature_terms(X, graph, PowerForm(1))
    monkeypatch.setattr(sparse_module, "TURNED_ENTRIES", 25)
    for store in (sparse.csr_array, sparse.csc_array):
        found = feature_terms(store(X), graph, PowerForm(1))
        np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12)
        np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12)
