"""What every selector promises, and what SPEC and Laplacian score are."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import eigenselect as es
import naive
from eigenselect import MRSF, MSFS, SPEC, LaplacianScore, SSelect, laplacian_score, spec_score
from eigenselect.exceptions import GraphWarning, UndefinedScoreWarning
from eigenselect.multisource import TargetData
from eigenselect.similarity import KNN, RBF, ClassLabels, HitMiss, Linear

SELECTORS = [SPEC(ranking="phi1"), SPEC(ranking="phi2"), SPEC(ranking="phi3"), LaplacianScore()]


@pytest.fixture
def X(rng):
    """Two informative features (groups), six of noise, one connected cloud."""
    groups = np.repeat([0.0, 1.5], 30)
    first, last = groups + rng.normal(size=60) * 0.4, rng.normal(size=60) - 2 * groups
    return np.column_stack([first, rng.normal(size=(60, 6)), last])


@pytest.fixture(params=SELECTORS, ids=lambda s: f"{type(s).__name__}-{getattr(s, 'ranking', '')}")
def selector(request):
    return clone(request.param).set_params(n_features_to_select=2)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
@pytest.mark.filterwarnings("ignore:SPEC. n_clusters=1:UserWarning")  # the checks set it
@parametrize_with_checks(
    [
        SPEC(),
        SPEC(ranking="phi1", spectral_function=3),
        SPEC(ranking="phi3"),
        SPEC(similarity="rbf", spectral_function=np.exp),
        SPEC(similarity="diffusion"),
        SPEC(similarity=ClassLabels()),
        LaplacianScore(),
        LaplacianScore(similarity="geodesic"),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


class TestLaplacianScore:
    def test_it_is_phi2_with_the_identity(self, X):
        laplacian, spec = LaplacianScore().fit(X), SPEC(ranking="phi2").fit(X)
        np.testing.assert_array_equal(laplacian.native_scores_, spec.native_scores_)
        np.testing.assert_array_equal(laplacian.ranking_, spec.ranking_)

    def test_it_is_the_formula_of_the_literature(self, X):
        selector = LaplacianScore(similarity=KNN(7, bandwidth=2.0)).fit(X)
        S = selector.graph_.to_array()
        expected = [naive.laplacian_score(S, f) for f in X.T]
        np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-10)

    def test_small_native_scores_are_good(self, X):
        selector = LaplacianScore(2).fit(X)
        assert selector.ranking_[np.argmin(selector.native_scores_)] == 1
        assert selector.ranking_[np.argmax(selector.scores_)] == 1
        assert set(selector.get_support(indices=True)) == {0, 7}


class TestSpec:
    @pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
    def test_features_that_follow_the_groups_come_first(self, X, ranking):
        X = (X - X.mean(axis=0)) / X.std(axis=0)  # φ1 rewards a large mean; equal ones make it comparable
        selector = SPEC(2, ranking=ranking, n_clusters=2).fit(X)
        assert set(selector.get_support(indices=True)) == {0, 7}

    def test_phi3_is_large_for_good_features(self, X):
        selector = SPEC(2, ranking="phi3", n_clusters=2).fit(X)
        np.testing.assert_array_equal(selector.scores_, selector.native_scores_)
        assert selector.n_clusters_ == 2
        assert selector.eigenvalues_.shape == (2,)
        assert selector.eigenvalues_[0] == 0

    def test_phi3_finds_its_number_of_clusters(self, rng):
        centres = np.repeat(np.eye(4) * 3, 15, axis=0)
        X = centres + rng.normal(size=(60, 4)) * 0.5
        selector = SPEC(ranking="phi3", similarity=RBF(1.0)).fit(X)
        assert selector.n_clusters_ == 4

    def test_one_cluster_is_not_passed_over_in_silence(self, X):
        with pytest.warns(UserWarning, match="n_clusters=1.*score 0"):
            selector = SPEC(ranking="phi3", n_clusters=1).fit(X)
        np.testing.assert_array_equal(selector.scores_, 0)

    def test_labels_may_define_the_graph(self, X):
        y = np.repeat(["healthy", "ill"], 30)
        selector = SPEC(2, similarity="class_labels").fit(X, y)
        between = np.array([(f[:30].mean() - f[30:].mean()) ** 2 * 15 for f in X.T])
        within = np.array([30 * (f[:30].var() + f[30:].var()) for f in X.T])
        np.testing.assert_allclose(selector.native_scores_, 1 / (1 + between / within), rtol=1e-10)

    def test_a_precomputed_similarity_replaces_the_builder(self, X):
        S = RBF(1.3).build(X).to_array()
        expected = SPEC(similarity=RBF(1.3)).fit(X)
        for matrix in (S, sparse.csr_matrix(S), S.tolist(), pd.DataFrame(S)):
            found = SPEC(similarity="geodesic").fit(X, similarity_matrix=matrix)
            np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-12)

    def test_nothing_is_left_of_an_earlier_fit(self, X):
        selector = SPEC(ranking="phi3").fit(X).set_params(ranking="phi2").fit(X)
        assert not hasattr(selector, "eigenvalues_")
        assert not hasattr(selector, "n_clusters_")

    def test_random_state_moves_the_start_not_the_answer(self, rng):
        X = rng.normal(size=(400, 5))
        first = SPEC(ranking="phi3", n_clusters=4, random_state=0).fit(X)
        second = SPEC(ranking="phi3", n_clusters=4, random_state=7).fit(X)
        np.testing.assert_allclose(first.native_scores_, second.native_scores_, rtol=1e-7)


class TestEverySelector:
    def test_scores_rank_and_support_agree(self, selector, X):
        selector.fit(X)
        best_first = np.argsort(selector.ranking_)
        assert (np.diff(selector.scores_[best_first]) <= 1e-15).all()
        np.testing.assert_array_equal(selector.get_support(), selector.ranking_ <= 2)
        np.testing.assert_array_equal(selector.transform(X), X[:, selector.get_support()])

    def test_the_theorem(self, selector, X):
        selector.fit(X)
        S_hat, F_hat = selector.quadratic_form()
        np.testing.assert_allclose(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat), selector.scores_, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize(
        "store",
        [
            lambda X: pd.DataFrame(X, columns=list("abcdefgh")),
            lambda X: pl.DataFrame(X, schema=list("abcdefgh")),
            sparse.csr_matrix,
            sparse.csc_array,
            sparse.coo_array,
            np.asfortranarray,
            np.ndarray.tolist,
        ],
        ids=["pandas", "polars", "csr", "csc", "coo", "fortran", "list"],
    )
    def test_any_table(self, selector, X, store):
        expected = clone(selector).fit(X).ranking_
        np.testing.assert_array_equal(selector.fit(store(X)).ranking_, expected)

    def test_float32_stays_float32(self, selector, X):
        narrow = X.astype(np.float32)
        assert selector.fit(narrow).transform(narrow).dtype == np.float32
        wide = clone(selector).fit(X)
        np.testing.assert_allclose(selector.scores_, wide.scores_, atol=1e-5)

    def test_memory_maps(self, selector, X, tmp_path):
        np.save(tmp_path / "X.npy", X)
        mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
        np.testing.assert_array_equal(selector.fit(mapped).scores_, clone(selector).fit(X).scores_)

    def test_names_and_frames_come_out(self, selector, X):
        frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(8)])
        selector.set_output(transform="pandas").fit(frame)
        assert list(selector.transform(frame).columns) == list(selector.get_feature_names_out())
        assert set(selector.get_feature_names_out()) <= set(frame.columns)

    def test_the_same_on_any_number_of_threads(self, selector, rng):
        X = rng.normal(size=(120, 700))
        one = clone(selector).set_params(n_jobs=1).fit(X)
        four = clone(selector).set_params(n_jobs=4).fit(X)
        np.testing.assert_array_equal(one.native_scores_, four.native_scores_)

    def test_pickled_without_the_data(self, selector, X):
        loaded = pickle.loads(pickle.dumps(selector.fit(X)))
        np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))
        with pytest.raises(ValueError, match=r"quadratic_form\(X\)"):
            loaded.quadratic_form()
        np.testing.assert_allclose(loaded.quadratic_form(X)[1], selector.quadratic_form()[1])

    def test_pipelines_and_nested_grids(self, selector, X):
        y = np.repeat([0, 1], 30)
        selector.set_params(similarity=KNN())
        pipeline = make_pipeline(selector, KNeighborsClassifier())
        name = type(selector).__name__.lower()
        search = GridSearchCV(pipeline, {f"{name}__similarity__n_neighbors": [4, 9]}, cv=2).fit(X, y)
        assert search.best_score_ > 0.8

    def test_a_name_takes_nested_parameters_too(self, selector, X):
        selector.set_params(similarity__n_neighbors=4).fit(X)
        assert selector.similarity.n_neighbors == 4
        selector.set_params(similarity="rbf", similarity__bandwidth=2.0)
        assert selector.similarity.get_params() == {"bandwidth": 2.0}

    def test_entries_that_add_up_are_one_value(self, selector, X, kernels):
        half = sparse.coo_array(X)
        twice = sparse.csr_array(
            (np.tile(half.data / 2, 2), (np.tile(half.row, 2), np.tile(half.col, 2))), shape=X.shape
        )
        unmerged = sparse.csr_matrix(
            (np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(8), 2), 60), np.arange(61) * 16)
        )
        assert not unmerged.has_canonical_format
        S = KNN(8).build(X).affinity
        expected = clone(selector).fit(X, similarity_matrix=S).scores_
        for given in (twice, unmerged):
            np.testing.assert_allclose(selector.fit(given, similarity_matrix=S).scores_, expected, rtol=1e-10)
        assert unmerged.nnz == 16 * 60

    def test_the_matrices_agree_on_what_is_undefined(self, selector, X):
        X[:, 2] = 4.0
        with pytest.warns(UndefinedScoreWarning):
            selector.fit(X)
        S_hat, F_hat = selector.quadratic_form()
        np.testing.assert_array_equal(np.isnan(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat)), np.isnan(selector.scores_))

    def test_undefined_features_are_nan_last_and_counted_once(self, selector, X):
        X[:, 2], X[:, 4] = 3.3, 0.0
        with pytest.warns(UndefinedScoreWarning, match="2 of 8 features") as caught:
            selector.fit(X)
        assert len(caught) == 1
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(selector.scores_)), [2, 4])
        np.testing.assert_array_equal(np.isnan(selector.native_scores_), np.isnan(selector.scores_))
        np.testing.assert_array_equal(selector.ranking_[[2, 4]], [7, 8])

    def test_isolated_samples_and_components_are_warned_about_once(self, selector, X):
        S = KNN(9).build(X[:50]).to_array()
        S = np.block([[S, np.zeros((50, 10))], [np.zeros((10, 60))]])
        S[50, 51] = S[51, 50] = 1.0
        with pytest.warns(GraphWarning, match="8 of 60 samples are isolated.*2 components") as caught:
            selector.fit(X, similarity_matrix=S)
        assert len(caught) == 1
        assert np.isfinite(selector.scores_).all()

    def test_duplicated_samples(self, selector, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphWarning)
            selector.fit(np.repeat(X, 3, axis=0))
        assert np.isfinite(selector.scores_).all()

    def test_a_huge_mean_changes_no_phi2(self, X):
        S = KNN().build(X).affinity
        expected = LaplacianScore().fit(X, similarity_matrix=S).native_scores_
        found = LaplacianScore().fit(X + 1e6, similarity_matrix=S).native_scores_
        np.testing.assert_allclose(found, expected, rtol=1e-6)

    def test_verbose_speaks_on_stderr_only(self, selector, X, capsys):
        selector.set_params(verbose=True).fit(X)
        out, err = capsys.readouterr()
        assert out == ""
        assert "graph" in err
        assert "scores" in err


class TestFunctions:
    def test_scores_are_the_estimators(self, X):
        np.testing.assert_array_equal(laplacian_score(X), LaplacianScore().fit(X).scores_)
        expected = SPEC(ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf").fit(X).scores_
        found = spec_score(X, ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf")
        np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("function", [laplacian_score, spec_score])
    def test_select_k_best_takes_them(self, X, function):
        chosen = SelectKBest(function, k=2).fit(X, np.zeros(60)).get_support(indices=True)
        assert set(chosen) == {0, 7}


class TestBadInput:
    """One sentence: who, what was expected, what was got."""

    @pytest.mark.parametrize(
        ("bad", "says"),
        [
            (np.array([[1.0, np.nan], [2, 3], [4, 5]]), "NaN"),
            (np.array([[1.0, np.inf], [2, 3], [4, 5]]), "infinity"),
            (np.zeros((0, 3)), "0 sample"),
            (np.zeros((5, 0)), "0 feature"),
            (np.ones((1, 3)), "minimum of 2 is required|1 sample"),
            (np.ones(5), "2D array|1D array"),
            (np.array([["a", "b"], ["c", "d"]]), "string|numeric"),
        ],
    )
    def test_tables(self, selector, bad, says):
        with pytest.raises(ValueError, match=f"(?i){says}"):
            selector.fit(bad)

    @pytest.mark.parametrize(
        ("parameters", "error", "says"),
        [
            ({"n_features_to_select": 9}, ValueError, "SPEC: n_features_to_select.*8 features.*9"),
            ({"n_features_to_select": "best"}, ValueError, "SPEC: n_features_to_select.*'best'"),
            ({"ranking": "phi4"}, ValueError, "SPEC: ranking.*'phi1'.*'phi4'"),
            ({"similarity": "nearest"}, ValueError, "similarity.*'knn'.*'nearest'"),
            ({"similarity": KNN(60)}, ValueError, "KNN: n_neighbors.*59.*60"),
            ({"similarity": RBF(-1)}, ValueError, "RBF: bandwidth.*-1"),
            ({"similarity": Linear()}, ValueError, "degree.*not positive"),
            ({"similarity": "class_labels"}, ValueError, "SPEC requires y to be passed"),
            ({"spectral_function": "cube"}, ValueError, "spectral_function.*'cube'"),
            ({"ranking": "phi3", "n_clusters": 0}, ValueError, "SPEC: n_clusters.*positive.*0"),
            ({"ranking": "phi3", "n_clusters": 61}, ValueError, "SPEC: n_clusters.*60 samples.*61"),
            ({"n_jobs": 0}, ValueError, "n_jobs.*0"),
            ({"similarity": 5}, TypeError, "similarity.*int"),
        ],
    )
    def test_parameters(self, X, parameters, error, says):
        with pytest.raises(error, match=f"(?s){says}"):
            SPEC(**parameters).fit(X)

    def test_one_class(self, X):
        with pytest.raises(ValueError, match="SPEC: y must have at least 2 classes"):
            SPEC(similarity="class_labels").fit(X, np.zeros(60))

    @pytest.mark.parametrize(
        ("matrix", "says"),
        [
            (np.eye(59), "60 x 60.*59 x 59"),
            (-np.ones((60, 60)), "non-negative"),
            (np.triu(np.ones((60, 60))), "symmetric"),
            (np.full((60, 60), np.nan), "finite"),
            (np.zeros((60, 60)), "no edges"),
        ],
    )
    def test_similarity_matrices(self, selector, X, matrix, says):
        name = type(selector).__name__
        with pytest.raises(ValueError, match=f"{name}: .*{says}"):
            selector.fit(X, similarity_matrix=matrix)

    def test_not_fitted(self, selector, X):
        with pytest.raises(NotFittedError):
            selector.transform(X)
        with pytest.raises(NotFittedError):
            selector.quadratic_form()


def test_public_names():
    assert set(es.__all__) <= set(dir(es))
    for name in es.__all__:
        assert getattr(es, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Spec'"):
        _ = es.Spec


def test_a_name_and_an_object_have_the_same_tags():
    for make in (lambda s: SPEC(similarity=s), lambda s: MRSF(similarity=s), lambda s: LaplacianScore(similarity=s)):
        for name, similarity in (("class_labels", ClassLabels()), ("hit_miss", HitMiss()), ("knn", KNN())):
            needed = make(name).__sklearn_tags__().target_tags.required
            assert needed == make(similarity).__sklearn_tags__().target_tags.required == (name != "knn")
    assert not SPEC(similarity="no such name").__sklearn_tags__().target_tags.required


@pytest.mark.parametrize(
    "selector",
    [
        SPEC(spectral_function=lambda r: np.exp(-r)),
        SPEC(ranking="phi3", spectral_function=lambda r: np.exp(-r)),
        SSelect(spectral_function=lambda r: np.exp(-r)),
        MSFS(sources=[("t", TargetData())], spectral_function=lambda r: np.exp(-r)),
    ],
    ids=["SPEC", "SPEC phi3", "SSelect", "MSFS"],
)
def test_a_decreasing_spectral_function_warns_once_at_the_callers_line(selector, X):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        selector.fit(X)
    ours = [warning for warning in said if "decreases somewhere" in str(warning.message)]
    assert len(ours) == 1
    assert ours[0].filename == __file__
    assert str(ours[0].message).startswith(type(selector).__name__)
