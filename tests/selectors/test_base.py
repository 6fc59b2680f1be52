"""What every selector promises: input checks, finishing, tags, pickling."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from eigenselect import MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, TraceRatio
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.similarity import KNN, ClassLabels, HitMiss


class TestEverySelector:
    def test_scores_rank_and_support_agree(self, selector, X):
        selector.fit(X)
        best_first = np.argsort(selector.ranking_)
        assert (np.diff(selector.scores_[best_first]) <= 1e-15).all()
        np.testing.assert_array_equal(selector.get_support(), selector.ranking_ <= 2)
        np.testing.assert_array_equal(selector.transform(X), X[:, selector.get_support()])

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

    def test_undefined_features_are_nan_last_and_counted_once(self, selector, X):
        X[:, 2], X[:, 4] = 3.3, 0.0
        with pytest.warns(UndefinedScoreWarning, match="2 of 8 features") as caught:
            selector.fit(X)
        assert len(caught) == 1
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(selector.scores_)), [2, 4])
        np.testing.assert_array_equal(np.isnan(selector.native_scores_), np.isnan(selector.scores_))
        np.testing.assert_array_equal(selector.ranking_[[2, 4]], [7, 8])

    def test_verbose_speaks_on_stderr_only(self, selector, X, capsys):
        selector.set_params(verbose=True).fit(X)
        out, err = capsys.readouterr()
        assert out == ""
        assert "graph" in err
        assert "scores" in err


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

    def test_not_fitted(self, selector, X):
        with pytest.raises(NotFittedError):
            selector.transform(X)
        with pytest.raises(NotFittedError):
            selector.quadratic_form()

    @pytest.mark.parametrize("selector", [FisherScore(), ReliefF(), HSICScore(), TraceRatio()], ids=str)
    def test_labels(self, selector, rng):
        X = rng.normal(size=(20, 3))
        with pytest.raises(ValueError, match="requires y to be passed"):
            selector.fit(X)
        with pytest.raises(ValueError, match="at least 2 classes"):
            selector.fit(X, np.ones(20))
        with pytest.raises(ValueError, match="missing labels"):
            selector.fit(X, np.where(np.arange(20) < 3, None, "a"))
        with pytest.raises(ValueError, match="20 labels"):
            selector.fit(X, np.arange(19) % 2)

    @pytest.mark.parametrize("selector", [FisherScore(), TraceRatio(), HSICScore(target="classes")], ids=str)
    def test_regression_targets_are_refused_where_they_mean_nothing(self, selector, rng):
        with pytest.raises(ValueError, match="continuous"):
            selector.fit(rng.normal(size=(20, 3)), rng.normal(size=20))


def test_a_name_and_an_object_have_the_same_tags():
    for make in (lambda s: SPEC(similarity=s), lambda s: MRSF(similarity=s), lambda s: LaplacianScore(similarity=s)):
        for name, similarity in (("class_labels", ClassLabels()), ("hit_miss", HitMiss()), ("knn", KNN())):
            needed = make(name).__sklearn_tags__().target_tags.required
            assert needed == make(similarity).__sklearn_tags__().target_tags.required == (name != "knn")
    assert not SPEC(similarity="no such name").__sklearn_tags__().target_tags.required
