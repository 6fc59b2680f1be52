"""The quadratic form: storage formats, dtypes, threads, invariances, isolated samples, classes, ugly numbers."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import naive
from eigenselect import SPEC, LaplacianScore, SSelect, TraceRatio
from eigenselect.criteria import forms as forms_module
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.quadratic import ChebyshevForm, PowerForm, feature_terms
from eigenselect.exceptions import GraphWarning
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.matrix import base as matrix_base
from eigenselect.matrix import sparse as sparse_module
from eigenselect.spectral import Custom, Power, chebyshev_series


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


def phi2(graph, X, power=1):
    return phi("phi2", graph, Power(power)).scores(X).native


class TestStorage:
    """However X is stored, the scores are the same."""

    @pytest.fixture
    def X(self, rng, monkeypatch):
        monkeypatch.setattr(matrix_base, "TILE_COLUMNS", (8, 64))
        X = rng.poisson(0.7, size=(30, 300)).astype(float)  # several tiles, which are narrow
        X[:, 3] = rng.normal(size=30).astype(np.float32)
        return X

    def test_layouts(self, graph, X, kernels, tmp_path):
        mapped = np.memmap(tmp_path / "X.bin", dtype=np.float32, mode="w+", shape=X.shape)
        mapped[:] = X
        stored = [store(X) for store in (np.asfortranarray, sparse.csr_array, sparse.csc_array, sparse.csr_matrix)]
        stored += [np.repeat(X, 2, axis=1)[:, ::2], mapped, X.astype(np.float32)]
        for power, table in product((1, 2, 3), stored):
            found = phi2(graph, table, power)
            np.testing.assert_allclose(found, phi2(graph, X, power), rtol=1e-11, err_msg=f"{power} {type(table)}")

    def test_threads_do_not_change_a_bit(self, graph, X, kernels):
        for store, gamma in product((np.asarray, sparse.csc_array), (Power(1), Power(3), Custom(np.exp))):
            one, four = (phi("phi2", graph, gamma).scores(store(X), n_jobs=jobs).native for jobs in (1, 4))
            np.testing.assert_array_equal(one, four)


class TestInvariances:
    def test_scale(self, graph, rng, kernels):
        X, factors = rng.normal(size=(30, 5)) + 1, np.array([1e-12, -3.0, 1e12, 1e-90, 1e90])
        for ranking, power in product(("phi1", "phi2", "phi3"), (1, 4)):
            criterion = phi(ranking, graph, Power(power), 4)
            np.testing.assert_allclose(criterion.scores(X * factors).native, criterion.scores(X).native, rtol=1e-9)

    def test_phi2_does_not_see_a_shift_of_a_million(self, graph, rng, as_kind, kernels):
        X = rng.normal(size=(30, 5))
        for power in (1, 2, 3, 4):
            np.testing.assert_allclose(phi2(graph, as_kind(X + 1e6), power), phi2(graph, X, power), rtol=1e-6)

    def test_permuted_samples_and_copied_features(self, graph, rng, kernels):
        X, samples = rng.normal(size=(30, 3)), rng.permutation(30)
        permuted = SampleGraph(sparse.csr_array(graph.affinity[samples][:, samples]))
        found = phi2(permuted, np.tile(X[samples][:, ::-1], 50))
        np.testing.assert_allclose(found[:3], phi2(graph, X)[::-1], rtol=1e-12)
        np.testing.assert_array_equal(found, np.tile(found[:3], 50))

    @settings(max_examples=40, deadline=None)
    @given(hnp.arrays(float, (12, 2), elements=st.floats(-1e6, 1e6, width=32)), st.integers(0, 2**32 - 1))
    def test_phi_stays_between_its_bounds(self, X, seed):
        S = np.random.default_rng(seed).random((12, 12))
        graph = SampleGraph(S + S.T)
        for ranking in ("phi1", "phi2"):
            values = phi(ranking, graph, Power(1)).scores(X).native
            assert np.all(np.isnan(values) | ((values >= -1e-9) & (values <= 2 + 1e-9)))


def test_tiny_scores_keep_their_digits(rng):
    """Two groups joined by one edge of weight 1e-20: φ2 of the group indicator is about 1e-20, not rounding."""
    S = np.zeros((20, 20))
    S[:10, :10] = S[10:, 10:] = 1.0
    S[0, 10] = S[10, 0] = 1e-20
    f = np.repeat([0.0, 1.0], 10)
    found = phi2(SampleGraph(sparse.csr_array(S)), f[:, None])[0]
    assert found == pytest.approx(1e-20 / (200 * 0.25), rel=1e-6)
    assert naive.laplacian_score(S, f) == pytest.approx(0, abs=1e-15)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_gamma_of_an_isolated_sample_is_gamma_of_zero(rng):
    isolated = 3
    X, S = rng.normal(size=(8, 3)), rng.random((8, 8))
    S = S + S.T
    S[isolated] = S[:, isolated] = 0.0
    selector = SPEC(spectral_function=np.exp).fit(X, similarity_matrix=S)
    A = np.eye(8) - selector.quadratic_form(X)[0]
    assert A[isolated, isolated] == pytest.approx(1.0)
    graph, gamma = SampleGraph(S), Custom(np.exp)
    series = ChebyshevForm(chebyshev_series(gamma, graph.interval), gamma, at_zero=1.0)
    np.testing.assert_allclose(A, series.matrix(graph), atol=1e-12)


def test_features_without_spread_have_no_score(make_similarity, rng, as_kind, kernels):
    """Constant ones, zeros, and what varies on isolated samples only; the indicator of a component is perfect."""
    graph = SampleGraph(sparse.csr_array(make_similarity(30, blocks=3, isolated=3)))
    X = rng.normal(size=(30, 6))
    X[:, 1], X[:, 2], X[:, 3], X[:, 4] = 0.1, 0.0, np.where(np.arange(30) == 28, 5.0, 0.0), graph.components == 1
    for ranking in ("phi1", "phi2", "phi3"):
        scores = phi(ranking, graph, Power(1), 3).scores(as_kind(X)).native
        np.testing.assert_array_equal(np.isnan(scores), [False, True, True, True, False, False])
        assert ranking == "phi3" or scores[4] == 0.0


class TestIsolatedSamples:
    """They add nothing wherever they are in the table, however far off their values, which no other route may touch."""

    def tables(self, places, make_similarity, rng):
        """S and X of all samples, and of those that are not isolated."""
        live = np.setdiff1d(np.arange(24), places)
        S, X = np.zeros((24, 24)), np.full((24, 6), 1e12)
        S[np.ix_(live, live)] = make_similarity(21)
        X[live] = rng.poisson(1.0, size=(21, 6)) + 0.1 * rng.normal(size=(21, 6))
        X[live, 4] = 0.7  # constant where it counts
        return S, X, live

    def test_scores_are_those_without_them(self, make_similarity, rng, as_kind, kernels, monkeypatch):
        places = ([0, 1, 2], [5, 11, 12], [21, 22, 23], [0, 10, 23])
        routes = [(Power(1), 400), (Power(2), 400), (Power(3), 400), (Custom(np.exp), 400), (Custom(np.exp), 0)]
        for place, store, ranking, route in product(
            places, (np.asarray, sparse.csc_array), ("phi1", "phi2", "phi3"), routes
        ):
            S, X, live = self.tables(place, make_similarity, rng)
            gamma, exact = route
            monkeypatch.setattr(forms_module, "EXACT_SAMPLES", exact)  # beyond it, a polynomial
            found, without = (
                phi(ranking, SampleGraph(as_kind(S[np.ix_(rows, rows)])), gamma, 4).scores(store(X[rows])).native
                for rows in (np.arange(24), live)
            )
            np.testing.assert_allclose(found, without, rtol=1e-9, err_msg=f"{place} {store} {ranking} {route}")
            assert np.isnan(found).tolist() == [False] * 4 + [True, False]

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
    @pytest.mark.parametrize(
        "selector",
        [SPEC(ranking="phi3", n_clusters=3), LaplacianScore(), SSelect(), TraceRatio(2, graphs="laplacian")],
        ids=repr,
    )
    def test_selectors_score_as_without_them(self, make_similarity, rng, selector):
        for place, store in (([0, 1, 2], sparse.csr_array), ([0, 10, 23], np.asarray)):
            S, X, live = self.tables(place, make_similarity, rng)
            y = np.where(np.arange(24) % 3 == 0, np.nan, np.arange(24) % 2)
            y[place] = np.nan
            with pytest.warns(GraphWarning, match="3 of 24 samples"):
                found = selector.fit(store(X), y, similarity_matrix=store(S)).native_scores_
            without = selector.fit(store(X[live]), y[live], similarity_matrix=store(S[np.ix_(live, live)]))
            np.testing.assert_allclose(found, without.native_scores_, rtol=1e-9)


class TestScatterOfClasses:
    """Read where a table lies, or by tiles: the same numbers from any layout."""

    N_SAMPLES, N_FEATURES = 90, 300

    @pytest.fixture
    def case(self, rng):
        """Values that float32 holds, around means of all sizes; two columns that classes tell exactly, one constant."""
        codes = rng.permutation(np.arange(self.N_SAMPLES) % 4)
        X = rng.normal(size=(self.N_SAMPLES, self.N_FEATURES)) + 10.0 ** rng.uniform(-3, 4, self.N_FEATURES)
        X[:, 7], X[:, 8], X[:, 9] = codes, -0.1 * codes, 0.3
        X = X.astype(np.float32).astype(np.float64)
        return SampleGraph(ClassMeans(codes, 4), mass=np.ones(self.N_SAMPLES)), X, codes

    def test_terms_are_scatter_and_spread_in_any_layout(self, case, kernels, tmp_path):
        graph, X, codes = case
        wider = np.full((self.N_SAMPLES, self.N_FEATURES + 5), np.nan)
        wider[:, 2:-3] = X
        mapped = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=X.shape)
        mapped[...] = X
        of_class = np.array([X[codes == code].mean(axis=0) for code in range(4)])
        expected = [((X - center) ** 2).sum(axis=0) for center in (of_class[codes], X.mean(axis=0))]
        for table in (X, X.astype(np.float32), mapped, np.asfortranarray(X), wider[:, 2:-3], X.astype(">f8")):
            terms = feature_terms(Matrix(table), graph, PowerForm(1))
            np.testing.assert_allclose(terms.quadratic, expected[0], rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(terms.spread, expected[1], rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(terms.mean, X.mean(axis=0), rtol=1e-11, atol=1e-12)
            np.testing.assert_array_equal(terms.quadratic[7:10], 0.0)
            assert terms.spread[9] == 0.0

    def test_columns_in_parts(self, rng, kernels, monkeypatch):
        """CSC is turned into rows a part at a time; no column may be lost or exchanged."""
        graph = SampleGraph(ClassMeans(np.arange(30) % 3, 3), row_sums=np.ones(30))
        X = rng.poisson(0.5, size=(30, 11)) * 1.0
        expected = feature_terms(X, graph, PowerForm(1))
        monkeypatch.setattr(sparse_module, "TURNED_ENTRIES", 25)
        for store in (sparse.csr_array, sparse.csc_array):
            found = feature_terms(store(X), graph, PowerForm(1))
            np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12)
            np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12)
