"""EVSC: slopes of eigenvalues, against finite differences and against the paper's sums over pairs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from eigenselect import EVSC, evsc_score
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.exceptions import EqualEigenvaluesWarning, GraphWarning, UndefinedScoreWarning, UnitsWarning
from eigenselect.graph import SampleGraph
from eigenselect.sensitivity import edge_forms, eigenvalue_slopes
from eigenselect.sensitivity.edge_forms import EdgeForms, Edges
from eigenselect.similarity import KNN, RBF, Cosine, Linear

SIGMA = 1.7


def weighted_similarity(kind, X, w, mask):
    """S(w), with the neighbours of w = 1."""
    Z = X * w
    if kind == "linear":
        return Z @ Z.T
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * SIGMA**2)) * mask


def eigenvalues(S):
    return linalg.eigvalsh(np.diag(S.sum(axis=1)) - S, np.diag(S.sum(axis=1)))


def by_central_differences(kind, X, mask, step=1e-4):
    scores = []
    for t in range(X.shape[1]):
        up, down = np.ones(X.shape[1]), np.ones(X.shape[1])
        up[t] += step
        down[t] -= step
        high, low = (eigenvalues(weighted_similarity(kind, X, w, mask)) for w in (up, down))
        scores.append(np.abs(high - low).sum() / (2 * step))
    return np.array(scores)


CASES = {
    "rbf": (RBF(bandwidth=SIGMA), "rbf"),
    "knn": (KNN(n_neighbors=5, bandwidth=SIGMA), "rbf"),
    "linear": (Linear(), "linear"),
}


@pytest.fixture(params=CASES)
def case(request, rng):
    """A table, the similarity, the name of its formula, and which pairs count."""
    similarity, kind = CASES[request.param]
    X = rng.random((18, 6)) * np.array([1, 2, 0.5, 1, 3, 1])
    mask = similarity.build(X).to_array() != 0
    return X, similarity, kind, mask


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
@parametrize_with_checks([EVSC(), EVSC(similarity="knn"), EVSC(similarity=RBF(bandwidth=1.0))])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


class TestSlopes:
    def test_central_differences(self, case):
        X, similarity, kind, mask = case
        expected = by_central_differences(kind, X, mask)
        np.testing.assert_allclose(EVSC(similarity=similarity).fit(X).scores_, expected, rtol=1e-5)

    def test_sums_over_pairs(self, case):
        X, similarity, kind, mask = case
        S = weighted_similarity(kind, X, np.ones(X.shape[1]), mask)
        expected = []
        for x in X.T:
            derivative = 2 * np.outer(x, x) if kind == "linear" else -(np.subtract.outer(x, x) ** 2) / SIGMA**2 * S
            expected.append(np.abs(naive.evsc_slopes(S, derivative)).sum())
        np.testing.assert_allclose(EVSC(similarity=similarity).fit(X).scores_, expected, rtol=1e-8)

    def test_leading_eigenvalues(self, case):
        X, similarity, kind, mask = case
        S = weighted_similarity(kind, X, np.ones(X.shape[1]), mask)
        x = X[:, 2]
        derivative = 2 * np.outer(x, x) if kind == "linear" else -(np.subtract.outer(x, x) ** 2) / SIGMA**2 * S
        expected = np.abs(naive.evsc_slopes(S, derivative))[:4].sum()
        fitted = EVSC(similarity=similarity, n_eigenvalues=4).fit(X)
        assert fitted.scores_[2] == pytest.approx(expected, rel=1e-8)
        np.testing.assert_allclose(fitted.eigenvalues_, eigenvalues(S)[:4], atol=1e-10)

    def test_all_eigenvalues_are_the_leading_n(self, case):
        X, similarity, _, _ = case
        every = EVSC(similarity=similarity).fit(X).scores_
        np.testing.assert_allclose(EVSC(similarity=similarity, n_eigenvalues=18).fit(X).scores_, every, rtol=1e-9)

    def test_repeated_eigenvalues_give_the_slopes_of_their_branches(self):
        """A square's corners: its middle eigenvalue is double, and a feature's weight splits it."""
        X = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]])
        values = eigenvalues(weighted_similarity("rbf", X, np.ones(2), 1))
        assert values[1] == pytest.approx(values[2], abs=1e-12)
        step, expected = 1e-6, []
        for t in range(2):
            w = np.ones(2)
            w[t] += step  # one side: the branches cross at w = 1
            expected.append(np.abs(eigenvalues(weighted_similarity("rbf", X, w, 1)) - values).sum() / step)
        np.testing.assert_allclose(EVSC(similarity=RBF(bandwidth=SIGMA)).fit(X).scores_, expected, rtol=1e-4)

    def test_repeated_eigenvalues_do_not_depend_on_the_basis(self, rng):
        """Any rotation inside an eigenspace gives the same scores."""
        X = np.vstack([np.eye(6), np.zeros((1, 6))])  # a simplex and its centre: a sixfold symmetry
        selector = EVSC(similarity=RBF(bandwidth=1.0)).fit(X)
        criterion = selector.criterion_
        sizes = sorted(group.size for group in criterion._groups)
        assert sizes[-1] == 5
        group = max(criterion._groups, key=len)
        rotation = linalg.qr(rng.normal(size=(5, 5)))[0]
        vectors = criterion.spectrum.eigenvectors.copy()
        vectors[:, group] = vectors[:, group] @ rotation
        spectrum = replace(criterion.spectrum, eigenvectors=vectors)
        turned = eigenvalue_slopes.EigenvalueSlopes(selector.graph_, criterion.derivative, spectrum)
        np.testing.assert_allclose(turned.scores(X).native, selector.scores_, rtol=1e-9)
        np.testing.assert_allclose(selector.scores_, selector.scores_[0], rtol=1e-9)  # all features are alike

    def test_leading_eigenvalues_are_never_a_part_of_equal_ones(self):
        """All features of a simplex are alike, whatever part of its spectrum is asked for."""
        with pytest.warns(EqualEigenvaluesWarning, match="EVSC: n_eigenvalues=2 ends among .* the 6 with all"):
            fitted = EVSC(similarity=RBF(bandwidth=1.0), n_eigenvalues=2).fit(np.eye(6))
        np.testing.assert_allclose(fitted.scores_, fitted.scores_[0], rtol=1e-9)
        assert fitted.eigenvalues_.size == 6

    @pytest.mark.parametrize("similarity", [RBF(bandwidth=1.0), KNN(n_neighbors=6, bandwidth=1.0), Linear()])
    def test_both_ways_to_tell_branches_apart_agree(self, rng, similarity, monkeypatch):
        X = np.vstack([np.eye(6) + 0.1, np.full((1, 6), 0.1)])  # a simplex and its centre
        few = EVSC(similarity=similarity).fit(X).scores_
        monkeypatch.setattr(eigenvalue_slopes, "FEW_BRANCHES", 0)
        np.testing.assert_allclose(EVSC(similarity=similarity).fit(X).scores_, few, rtol=1e-9)

    def test_a_smooth_low_dimensional_graph(self, rng):
        """Most eigenvalues are 1 up to rounding; finite differences see their sum all the same."""
        X = rng.random((60, 2))
        crowd = [group.size for group in EVSC().fit(X).criterion_._crowds]
        assert crowd
        assert max(crowd) > 10
        found = EVSC(similarity=RBF(bandwidth=SIGMA)).fit(X).scores_
        np.testing.assert_allclose(found, by_central_differences("rbf", X, np.ones((60, 60))), rtol=1e-5)

    def test_equal_samples_add_nothing(self, rng):
        """Twins have the eigenvalue 1 with slope 0, whatever basis the solver returns."""
        X = np.repeat(rng.random((8, 4)), 2, axis=0)
        once = by_central_differences("rbf", X, np.ones((16, 16)))
        np.testing.assert_allclose(EVSC(similarity=RBF(bandwidth=SIGMA)).fit(X).scores_, once, rtol=1e-5)


class TestInvariances:
    def test_units(self, rng):
        """The median bandwidth follows a change of units, and so do slopes: they are pure numbers."""
        X = rng.random((30, 5))
        for factor in (1e-12, 1e12):
            np.testing.assert_allclose(EVSC().fit(X * factor).scores_, EVSC().fit(X).scores_, rtol=1e-7)

    def test_shift(self, rng):
        X = rng.random((30, 5))
        np.testing.assert_allclose(EVSC().fit(X + 1e6).scores_, EVSC().fit(X).scores_, rtol=1e-6)

    @pytest.mark.parametrize("similarity", [RBF(), KNN(n_neighbors=4), Linear()])
    def test_sparse_is_dense(self, rng, similarity):
        X = rng.random((40, 30)) * (rng.random((40, 30)) < 0.3) + 0.01 * (np.arange(30) < 5)
        expected = EVSC(similarity=similarity).fit(X).scores_
        for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_matrix):
            np.testing.assert_allclose(EVSC(similarity=similarity).fit(kind(X)).scores_, expected, rtol=1e-9)

    def test_blocks_and_threads_change_nothing(self, rng, monkeypatch):
        X = rng.random((30, 40))
        expected = EVSC(n_jobs=1).fit(X).scores_
        np.testing.assert_array_equal(EVSC(n_jobs=3).fit(X).scores_, expected)
        monkeypatch.setattr(eigenvalue_slopes, "TILE_COLUMNS", 7)
        monkeypatch.setattr(edge_forms, "EDGE_BLOCK", 11)
        monkeypatch.setattr(edge_forms, "KEPT_WEIGHT_BYTES", 0)
        np.testing.assert_allclose(EVSC(n_jobs=2).fit(X).scores_, expected, rtol=1e-12)


def test_every_form_is_a_laplacian_form_of_the_one_place(rng):
    """`EdgeForms` next to the quadratic form that all other criteria use."""
    X = rng.normal(size=(20, 7))
    graph = SampleGraph(np.full((20, 20), 0.5))
    factors = rng.normal(size=(3, 190))
    forms = EdgeForms(Edges.of(graph), lambda edges: factors * edges.similarity, 3)
    for form, factor in zip(forms.evaluate(X), factors, strict=True):
        W = np.zeros((20, 20))
        W[np.triu_indices(20, 1)] = factor * 0.5
        one = feature_terms(X, SampleGraph(W + W.T, mass=np.ones(len(X)), signed=True), PowerForm(1)).quadratic
        np.testing.assert_allclose(form, one, rtol=1e-11)


def test_iris_as_in_the_paper():
    """Petal length before sepal length, with these two features alone and with all four."""
    X = load_iris().data
    two = EVSC(1).fit(X[:, [0, 2]])
    assert two.scores_[1] > 2 * two.scores_[0]
    every = EVSC(1).fit(X)
    assert every.ranking_[2] < every.ranking_[0]


def test_the_turning_point_chooses_the_number(rng):
    X = rng.normal(size=(60, 40)) * 0.1
    X[:, :5] += 3 * np.repeat(rng.normal(size=(6, 5)), 10, axis=0)
    with pytest.warns(UnitsWarning, match="EVSC is nearly a ranking by spread"):
        fitted = EVSC("auto").fit(X)
    np.testing.assert_array_equal(fitted.get_support(indices=True), np.arange(5))


class TestBadInput:
    @pytest.fixture
    def X(self, rng):
        return rng.random((20, 4))

    def test_constant_features_have_no_score(self, X):
        X[:, 1] = 5.0
        for similarity in (RBF(), Linear(), KNN(n_neighbors=10)):
            with pytest.warns(UndefinedScoreWarning, match="1 of 4"):
                fitted = EVSC(similarity=similarity).fit(X)
            assert np.isnan(fitted.scores_[1])
            assert fitted.ranking_[1] == 4

    @pytest.mark.parametrize(
        "similarity",
        [Cosine(), "diffusion", RBF(bandwidth="self-tuning"), KNN(n_neighbors=10, weight="binary"),
         KNN(n_neighbors=10, metric="cosine"), KNN(n_neighbors=10, bandwidth="self-tuning")],
    )  # fmt: skip
    def test_similarities_without_a_known_slope(self, X, similarity):
        with pytest.raises(ValueError, match="EVSC: similarity must be RBF or KNN with RBF weights"):
            EVSC(similarity=similarity).fit(X)

    def test_negative_degrees_of_inner_products(self, X):
        with pytest.raises(ValueError, match=r"degree .* not positive"):
            EVSC(similarity="linear").fit(X - X.mean(axis=0))

    @pytest.mark.parametrize("bad", [0, -1, 2.5, "all", True])
    def test_no_number_of_eigenvalues(self, X, bad):
        with pytest.raises(ValueError, match="n_eigenvalues must be a positive integer"):
            EVSC(n_eigenvalues=bad).fit(X)

    def test_more_eigenvalues_than_samples(self, X):
        with pytest.raises(ValueError, match="at most the 20 samples of the graph, got 21"):
            EVSC(n_eigenvalues=21).fit(X)

    def test_a_matrix_says_nothing_of_features(self, X):
        with pytest.raises(ValueError, match="similarity_matrix does not"):
            EVSC().fit(X, similarity_matrix=np.ones((20, 20)))

    def test_no_quadratic_form(self, X):
        with pytest.raises(ValueError, match="no single form"):
            EVSC().fit(X).quadratic_form()

    def test_disconnected_and_isolated_samples(self, rng):
        """Far groups: zeros of the spectrum do not move, and a group's score is its own."""
        X = rng.random((24, 3))
        X[12:] += 1e6
        similarity = RBF(bandwidth=SIGMA)
        with pytest.warns(GraphWarning, match="2 components"):
            together = EVSC(similarity=similarity).fit(X).scores_
        apart = sum(EVSC(similarity=similarity).fit(X[part]).scores_ for part in (slice(12), slice(12, 24)))
        np.testing.assert_allclose(together, apart, rtol=1e-6)


def test_function_form(rng):
    X = rng.random((20, 4))
    np.testing.assert_array_equal(evsc_score(X, n_eigenvalues=5), EVSC(n_eigenvalues=5).fit(X).scores_)
