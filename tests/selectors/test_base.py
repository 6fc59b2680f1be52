"""What every selector promises: input checks, finishing, tags, pickling."""

import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from eigenselect import MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, SSelect, TraceRatio
from eigenselect.criteria.criterion import Scores
from eigenselect.exceptions import DominatedWarning, KneeWarning, UndefinedScoreWarning
from eigenselect.matrix import as_matrix
from eigenselect.selection import FDR, Threshold, TopK
from eigenselect.selectors.base import Found, Selector, Traits
from eigenselect.similarity import KNN, ClassLabels, HitMiss


class TestEverySelector:
    def test_any_table(self, selector, X):
        expected = clone(selector).fit(X).ranking_
        for table in (
            pd.DataFrame(X, columns=list("abcdefgh")),
            pl.DataFrame(X, schema=list("abcdefgh")),
            sparse.coo_array(X),
            X.tolist(),
        ):
            np.testing.assert_array_equal(clone(selector).fit(table).ranking_, expected)

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


class TestBadInput:
    """One sentence: who, what was expected, what was got."""

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


class Toy(Selector):
    """A method that finds whatever it is told to, to look at what the base does with it."""

    def __init__(self, found=None, traits=None, n_features_to_select=None, verbose=False):
        self.found = found
        self.traits = traits
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _traits(self):
        return Traits() if self.traits is None else self.traits

    def _find(self, table, y, similarity_matrix):
        with self._step("look"):
            if callable(self.found):
                return self.found(table, y, similarity_matrix)
            return self.found


def scores_of(*native, larger_is_better=True, rounding=0.0, **options):
    native = np.array(native, dtype=float)
    return Scores(
        native, native if larger_is_better else -native, np.full(native.size, rounding), larger_is_better, **options
    )


class JudgingToy(Toy):
    """A toy that can test its features."""

    def __init__(self, found=None, traits=None, n_features_to_select=None, significance=None, verbose=False):
        super().__init__(found, traits, n_features_to_select, verbose)
        self.significance = significance


class TestSignificance:
    """What rules make of q-values; who has them says so by a parameter."""

    def test_features_are_kept_by_their_q_values(self):
        q, p = np.array([0.2, 0.01, np.nan, 0.07]), np.array([0.2, 0.003, np.nan, 0.05])
        found = Found(scores_of(4, 3, 2, 1), {"qvalues_": q, "pvalues_": p})
        for rule, kept in (("fdr", [1]), (FDR(0.1), [1, 3]), (FDR(0.01, "by"), []), ("auto", [1]), (TopK(1), [0])):
            toy = JudgingToy(found, n_features_to_select=rule, significance=True).fit(TABLE)
            assert toy.get_support(indices=True).tolist() == kept

    def test_auto_is_the_knee_where_nothing_is_tested(self):
        toy = JudgingToy(Found(scores_of(9, 8, 1, 0)), n_features_to_select="auto")
        with pytest.warns(KneeWarning, match="set significance to keep"):
            assert toy.fit(TABLE).n_features_ == 2
        assert isinstance(toy.set_params(significance="split").selection_rule, FDR)

    def test_what_a_split_does_not_have_is_told_as_such(self, rng):
        found = LaplacianScore(2, similarity=KNN(5), significance="split").fit(rng.normal(size=(20, 6)))
        with pytest.raises(AttributeError, match="LaplacianScore has no null_mean_"):
            found.null_mean_  # noqa: B018


TABLE = np.arange(12.0).reshape(3, 4) ** 2


class TestChecks:
    """What a method declares in `Traits` is checked by the base, before the method is asked."""

    @pytest.fixture
    def never(self):
        def find(*arguments):
            raise AssertionError("the method was asked")

        return find

    def test_too_many_features_are_refused_before_anything_is_computed(self, never):
        with pytest.raises(ValueError, match="n_features_to_select must be between"):
            Toy(never, n_features_to_select=5).fit(TABLE)

    @pytest.mark.parametrize(
        ("traits", "rule", "says"),
        [
            (Traits(), FDR(), "Toy: FDR needs p-values"),
            (Traits(), "fdr", "Toy: FDR needs p-values"),
            (Traits(no_p_values="it adds"), FDR(), "which there are none"),
            (Traits(needs_number="it hurries"), Threshold(1), "Threshold gives no number"),
            (Traits(no_forced="it hurries"), TopK(2, never=[0]), "Toy: must_keep and never"),
            (Traits(), TopK(2, never=[4]), "column numbers from 0"),
        ],
    )
    def test_rules_that_a_method_cannot_follow_are_refused(self, never, traits, rule, says):
        with pytest.raises(ValueError, match=says):
            Toy(never, traits, n_features_to_select=rule).fit(TABLE)


class TestFinishing:
    def test_scores_within_rounding_tie_by_column(self):
        toy = Toy(Found(scores_of(0.5, 0.5 + 1e-9, 0.7, 0.1, rounding=1e-8))).fit(TABLE)
        assert toy.ranking_.tolist() == [2, 3, 1, 4]
        np.testing.assert_array_equal(toy.rounding_, 1e-8)

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.KneeWarning")
    def test_auto_takes_no_more_features_than_samples_that_count(self, rng):
        X = rng.normal(size=(9, 100))
        scores = scores_of(*np.r_[np.linspace(1, 0.9, 60), np.linspace(0.1, 0, 40)])
        assert Toy(Found(scores), n_features_to_select="auto").fit(X).n_features_ == 9
        some = Found(scores, samples=np.arange(5))
        assert Toy(some, n_features_to_select="auto").fit(X).n_features_ == 5

    def test_a_knee_is_said_once_with_what_it_came_to(self):
        with pytest.warns(KneeWarning) as caught:
            toy = Toy(Found(scores_of(9, 1, 0, 8)), n_features_to_select="auto").fit(TABLE)
        (said,) = [str(warning.message) for warning in caught]
        assert "keeps 2 features" in said
        assert toy.get_support(indices=True).tolist() == [0, 3]

    def test_rules_see_the_names_of_the_columns(self):
        toy = Toy(Found(scores_of(4, 3, 2, 1)), n_features_to_select=TopK(2, must_keep=["d"], never=["a"]))
        toy.fit(pd.DataFrame(TABLE, columns=list("abcd")))
        assert toy.get_support(indices=True).tolist() == [1, 3]
        toy.fit(as_matrix(TABLE, feature_names=list("dcba")))
        assert toy.get_support(indices=True).tolist() == [0, 1]

    def test_features_without_a_score_may_not_fill_up(self):
        found = Found(scores_of(2, np.nan, np.nan, 1))
        for may, kept in ((True, [0, 1, 3]), (False, [0, 3])):
            toy = Toy(found, Traits(selects_undefined=may), n_features_to_select=3)
            with pytest.warns(UndefinedScoreWarning):
                assert toy.fit(TABLE).get_support(indices=True).tolist() == kept
            assert toy.n_features_ == len(kept)

    @pytest.mark.parametrize("judged", [True, False])
    def test_one_sample_that_decides_is_looked_for_where_it_may(self, rng, judged):
        X = rng.normal(size=(40, 4))
        X[11] += 60.0
        toy = Toy(Found(scores_of(4, 3, 2, 1), can_be_dominated=judged))
        with pytest.warns(DominatedWarning, match="Toy: sample row 11 alone") if judged else nullcontext():
            toy.fit(X)


class TestExplain:
    @pytest.fixture
    def fitted(self, X):
        return LaplacianScore(2, similarity=KNN(6)).fit(pd.DataFrame(X, columns=list("abcdefgh")))

    def test_by_name_by_number_and_without_names(self, fitted, X):
        frame = pd.DataFrame(X, columns=list("abcdefgh"))
        for given, feature in ((frame, "c"), (frame, 2), (X, "c"), (X, 2)):
            why = fitted.explain(given, feature)
            assert (why.feature, why.column, why.score) == ("c", 2, pytest.approx(fitted.native_scores_[2], rel=1e-12))

    def test_after_unpickling(self, fitted, X):
        loaded = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(loaded.explain(X, 1).samples.terms, fitted.explain(X, 1).samples.terms)

    def test_another_table_is_refused(self, fitted, X):
        with pytest.raises(ValueError, match="selector keeps no table"):
            fitted.explain(None, 1)
        with pytest.raises(ValueError, match="60 samples of 8"):
            fitted.explain(X[:, :7], 1)
        with pytest.raises(ValueError, match="in the same order"):
            fitted.explain(pd.DataFrame(X, columns=list("bacdefgh")), 1)
        with pytest.raises(ValueError, match="fit, but 'b' scores"):
            fitted.explain(X[::-1], 1)


@pytest.mark.parametrize(
    ("selector", "needed"),
    [
        (ReliefF(), "classes or numbers"),
        (ReliefF(target="classes"), "one label per sample"),
        (ReliefF(target="numbers"), "numbers"),
        (HSICScore(), "classes or numbers"),
        (HSICScore(target="numbers"), "numbers"),
        (HSICScore(target_kernel="labels"), "one label per sample"),
        (HSICScore(target_kernel="rbf"), "numbers"),
        (FisherScore(), "one label per sample"),
    ],
)
def test_the_error_says_what_y_must_hold(selector, needed):
    with pytest.raises(ValueError, match=rf"call fit\(X, y\) with {needed}\.$"):
        selector.fit(np.random.default_rng(0).normal(size=(20, 4)))


rng = np.random.default_rng(0)
TABLE_2, y = rng.normal(size=(30, 6)), np.arange(30) % 2
few = np.where(np.arange(30) % 3 == 0, y, -1)


@pytest.mark.parametrize(
    ("selector", "other", "gone"),
    [
        (SPEC(ranking="phi3"), {"ranking": "phi2"}, ["eigenvalues_", "n_clusters_"]),
        (MRSF(2), {"target": "pca"}, ["graph_"]),
        (TraceRatio(graphs="semi-supervised"), {"graphs": "fisher"}, ["n_labelled_"]),
        (SSelect(2, regularization="auto"), {"regularization": 0.5}, ["cut_values_", "regularization_path_"]),
    ],
)
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_attributes_of_an_earlier_fit_go_also_after_unpickling(selector, other, gone):
    selector.fit(TABLE_2, few)
    for fitted in (pickle.loads(pickle.dumps(selector)), selector):
        assert all(hasattr(fitted, name) for name in gone)
        fitted.set_params(**other).fit(TABLE_2, y)
        assert not any(hasattr(fitted, name) for name in gone)
