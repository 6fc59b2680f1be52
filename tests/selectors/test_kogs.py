"""KOGS: each pair of knowledge and criterion gives a list, the lists give one ranking."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif

from eigenselect import EVSC, KOGS, MRSF, MSFS, SPEC, FisherScore, LaplacianScore, ReliefF, TraceRatio
from eigenselect.exceptions import SourceWarning, UndefinedScoreWarning, UnitsWarning
from eigenselect.multisource import AuxiliaryData, FeatureSet, SampleCategories, aggregate_rankings
from eigenselect.selection import Threshold, TopK
from eigenselect.similarity import KNN


@pytest.fixture
def table(rng):
    groups = np.arange(40) % 2
    X = rng.normal(size=(40, 12))
    X[:, [2, 7]] += 3 * groups[:, None]
    names = [f"patient{i}" for i in range(40)]
    return pd.DataFrame(X, index=names, columns=[f"G{j}" for j in range(12)]), groups


def test_every_pair_gives_its_own_list(table, rng):
    X, y = table
    Z = pd.DataFrame(rng.normal(size=(40, 3)), index=X.index)
    rankers = [
        ("fisher", None, FisherScore()),
        ("z", AuxiliaryData(Z.iloc[::-1]), SPEC(ranking="phi1")),
        ("pathway", FeatureSet(["G1", "G2", "G9"]), FisherScore()),
        (SampleCategories(), LaplacianScore()),
    ]
    with pytest.warns(Warning, match="components"):  # of the label graph, given as a matrix
        fitted = KOGS(3, rankers=rankers).fit(X, y)
    assert fitted.names_ == ["fisher", "z", "pathway", "4: LaplacianScore"]
    np.testing.assert_array_equal(fitted.rankings_[0], FisherScore().fit(X, y).ranking_)
    S = KNN().build(Z.to_numpy()).to_array()
    np.testing.assert_array_equal(fitted.rankings_[1], SPEC(ranking="phi1").fit(X, similarity_matrix=S).ranking_)
    partial = fitted.rankings_[2]
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(partial)), [1, 2, 9])
    np.testing.assert_array_equal(partial[[1, 2, 9]], FisherScore().fit(X[["G1", "G2", "G9"]], y).ranking_)
    common = aggregate_rankings(fitted.rankings_)
    np.testing.assert_array_equal(fitted.ranking_, common.ranking)
    np.testing.assert_array_equal(fitted.scores_, common.scores)
    assert fitted.transform(X).shape == (40, 3)


@pytest.mark.parametrize("aggregation", ["borda", "median", "rra", "mc4"])
def test_good_features_lead_under_every_aggregation(table, aggregation):
    X, y = table
    rankers = [(None, FisherScore()), (None, ReliefF(n_neighbors=5)), (None, SPEC(similarity="class_labels"))]
    fitted = KOGS(2, rankers=rankers, aggregation=aggregation).fit(X, y)
    assert list(fitted.get_feature_names_out()) == ["G2", "G7"]
    assert (fitted.p_values_ is not None) == (aggregation == "rra")


class Peeking(BaseEstimator):
    """Ranks by order, and remembers which samples it saw."""

    seen: ClassVar[list] = []

    def fit(self, X, y=None):
        Peeking.seen.append(set(X[:, 0]))
        self.ranking_ = np.arange(1, X.shape[1] + 1)
        return self


class TestWeights:
    def test_given(self, table):
        X, y = table
        rankers = [(None, FisherScore()), (None, LaplacianScore())]
        alone = KOGS(3, rankers=rankers, weights=[1, 0]).fit(X, y)
        np.testing.assert_array_equal(alone.ranking_, FisherScore().fit(X, y).ranking_)
        np.testing.assert_array_equal(alone.weights_, [1, 0])

    def test_learned_from_how_well_each_list_predicts(self, table, rng):
        X, y = table
        noise = AuxiliaryData(rng.normal(size=(40, 2)))
        fitted = KOGS(2, rankers=[(None, FisherScore()), (noise, SPEC())], weights="learn").fit(X.to_numpy(), y)
        assert fitted.weights_[0] > 0.6
        again = clone(fitted).fit(X.to_numpy(), y)
        np.testing.assert_array_equal(again.weights_, fitted.weights_)

    def test_the_held_out_samples_are_never_seen(self, table):
        Peeking.seen = []
        X, y = table
        X = X.assign(G0=np.arange(40.0) / 1000, G1=10.0 * y)  # the first names the sample, the second tells its class
        KOGS(2, rankers=[(None, Peeking())], weights="learn").fit(X.to_numpy(), y)
        whole, *folds = Peeking.seen
        assert len(whole) == 40
        assert [len(fold) for fold in folds] == [32] * 5
        assert set.intersection(*folds) == set()

    def test_nothing_predicts(self, rng):
        X, y = rng.normal(size=(20, 5)), np.arange(20) % 2
        X[:, :] = np.repeat(rng.normal(size=(10, 5)), 2, axis=0)  # twins of different classes
        with pytest.warns(UserWarning, match="list predicts the labels"):
            fitted = KOGS(2, rankers=[(None, FisherScore()), (None, SPEC("auto"))], weights="learn").fit(
                X + 1e-6 * rng.normal(size=X.shape), y
            )
        np.testing.assert_array_equal(fitted.weights_, [0.5, 0.5])


def test_samples_that_a_source_does_not_know(table, rng):
    X, y = table
    Z = pd.DataFrame(rng.normal(size=(40, 3)), index=X.index).iloc[5:]
    with pytest.warns(SourceWarning, match="know 5 of 40"):
        fitted = KOGS(3, rankers=[("z", AuxiliaryData(Z), SPEC())]).fit(X, y)
    S = KNN().build(Z.to_numpy()).to_array()
    np.testing.assert_array_equal(fitted.rankings_[0], SPEC().fit(X.iloc[5:], similarity_matrix=S).ranking_)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rankers": None}, "rankers must be a list"),
        ({"rankers": []}, "rankers must be a list"),
        ({"rankers": [FisherScore()]}, "among them"),
        ({"rankers": [("rbf", FisherScore())]}, "with a source or None"),
        ({"rankers": [(None, "fisher")]}, "with a source or None"),
        ({"rankers": [(SampleCategories(), FisherScore())]}, "FisherScore makes no use"),
        ({"aggregation": "kemeny"}, "aggregation must be one"),
        ({"weights": [1, 2]}, "weights must be 1 numbers"),
        ({"weights": "guess"}, "numbers, 'learn' or None"),
        ({"weights": [1], "aggregation": "rra"}, "has no weights"),
        ({"n_features_to_select": 99}, "between 1 and the 12 features"),
    ],
)
def test_bad_input(table, options, says):
    X, y = table
    with pytest.raises(ValueError, match=says):
        KOGS(**({"rankers": [(None, FisherScore())]} | options)).fit(X, y)


def test_a_criterion_that_matches_by_name_gets_the_names(table, rng):
    X, y = table
    Z = pd.DataFrame(rng.normal(size=(40, 3)), index=X.index).iloc[::-1]
    inner = MSFS(2, sources=[("z", AuxiliaryData(Z)), ("set", FeatureSet(["G1", "G2"]))])
    fitted = KOGS(2, rankers=[(None, inner)]).fit(X, y)
    np.testing.assert_array_equal(fitted.rankings_[0], clone(inner).fit(X).ranking_)


def test_a_method_without_a_given_graph_ranks_a_set(table):
    X, y = table
    with pytest.warns(UndefinedScoreWarning, match="9 of 12 features"):
        fitted = KOGS(2, rankers=[(FeatureSet(["G1", "G2", "G9"]), EVSC())]).fit(X, y)
    np.testing.assert_array_equal(fitted.rankings_[0, [1, 2, 9]], EVSC().fit(X[["G1", "G2", "G9"]]).ranking_)


def test_labels_and_names_that_do_not_fit(table):
    X, y = table
    with pytest.raises(ValueError, match="got 39 labels for 40 samples"):
        KOGS(rankers=[(None, LaplacianScore())]).fit(X, y[:39])
    with pytest.raises(ValueError, match="got 3 sample names"):
        KOGS(rankers=[(None, LaplacianScore())]).fit(X.to_numpy(), y, sample_names=list("abc"))


def test_learning_needs_two_of_each_class(table):
    X, y = table
    y = y.copy()
    y[0] = 2
    with pytest.raises(ValueError, match="needs at least 2"):
        KOGS(rankers=[(None, LaplacianScore())], weights="learn").fit(X, y)


class TestPartialOrders:
    """A list holds what its selector orders, and no column's place is an opinion."""

    @pytest.fixture
    def wide(self, rng):
        y = np.repeat([0, 1], 30)
        X = rng.normal(size=(60, 80))
        X[:, :5] += y[:, None]
        return X, y

    def test_mrsf_gives_a_list_of_what_it_selected(self, wide):
        X, y = wide
        ranks = KOGS(rankers=[(None, MRSF(10, target="lda")), (None, FisherScore())]).fit(X, y).rankings_[0]
        path = MRSF(10, target="lda").fit(X, y).path_
        np.testing.assert_array_equal(ranks[path], np.arange(1, 11))
        assert np.isnan(np.delete(ranks, path)).all()

    def test_selectors_of_scikit_learn(self, wide):
        X, y = wide
        rankers = [(None, SelectKBest(f_classif)), (None, FisherScore())]
        fitted = KOGS(5, rankers=rankers).fit(X, y)
        np.testing.assert_array_equal(*fitted.rankings_)
        with pytest.raises(ValueError, match="KOGS: KNeighbors|KOGS: .* selects"):
            KOGS(5, rankers=[(None, BaseOfNothing())]).fit(X, y)
        flat = KOGS(5, rankers=[(None, VarianceThreshold()), (None, FisherScore())]).fit(X, y)
        assert np.ptp(flat.rankings_[0]) == 0

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
    def test_a_list_of_nothing_is_refused_by_name(self, wide):
        X, y = wide
        X[:, 3] = 1.0
        with pytest.raises(ValueError, match="KOGS: 2: FisherScore orders"):
            KOGS(rankers=[(None, FisherScore()), (FeatureSet([3]), FisherScore())]).fit(X, y)


class BaseOfNothing(BaseEstimator):
    def fit(self, X, y=None):
        return self


def test_weights_are_learned_from_labelled_samples_in_every_spelling(table):
    X, y = table
    rankers = [(None, LaplacianScore()), (None, LaplacianScore(similarity="rbf"))]
    known = np.arange(40) % 4 > 0
    found = [
        KOGS(2, rankers=rankers, weights="learn").fit(X, labels).weights_
        for labels in (
            np.where(known, y, -1),
            np.where(known, y, np.nan),
            pd.Series(y).map({0: "a", 1: "b"}).where(known),
        )
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    with pytest.warns(UserWarning, match="KOGS.*-1 is taken for"):
        KOGS(2, rankers=rankers, weights="learn").fit(X, 2 * y - 1)


def test_a_trace_ratio_of_classes_takes_no_graph_of_a_source(table, rng):
    X, y = table
    Z = pd.DataFrame(rng.normal(size=(40, 3)), index=X.index)
    with pytest.raises(ValueError, match="TraceRatio makes no use"):
        KOGS(2, rankers=[(AuxiliaryData(Z), TraceRatio())]).fit(X, y)
    assert KOGS(2, rankers=[(AuxiliaryData(Z), TraceRatio(graphs="laplacian"))]).fit(X, y).rankings_.shape == (1, 12)


def test_warnings_of_its_rankers_name_features_and_samples():
    wine = load_wine(as_frame=True).data
    with pytest.warns(UnitsWarning, match="LaplacianScore: 'proline' of 13 features"):
        KOGS(2, rankers=[(None, LaplacianScore())]).fit(wine)


@pytest.mark.parametrize("aggregation", ["borda", "median", "mc4", "rra"])
def test_features_that_no_list_holds_are_never_selected(rng, aggregation):
    """They would be the first columns of the table."""
    X = rng.normal(size=(30, 12))
    with pytest.warns(UndefinedScoreWarning, match="9 of 12 features"):
        fitted = KOGS(5, rankers=[(None, MRSF(3))], aggregation=aggregation).fit(X)
    np.testing.assert_array_equal(fitted.get_support(), MRSF(3).fit(X).get_support())
    assert fitted.n_features_ == fitted.n_ordered_ == 3


class TestRules:
    """How many features: of the common list, in which some features may not stand."""

    RANKERS = ((FeatureSet(["G1", "G2", "G9"]), FisherScore()), (FeatureSet(["G2", "G7"]), FisherScore()))

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
    def test_features_in_no_list_are_selected_only_by_name(self, table):
        few = KOGS(TopK(6), rankers=self.RANKERS).fit(*table)
        assert few.get_support(indices=True).tolist() == [1, 2, 7, 9]
        kept = KOGS(TopK(3, must_keep=["G5"], never=["G2"]), rankers=self.RANKERS).fit(*table)
        first = [column for column in np.argsort(few.ranking_)[:4] if column != 2]
        assert set(kept.get_support(indices=True)) == {5, *first[:2]}

    def test_learned_weights_need_a_number(self, table):
        rankers = [(None, FisherScore()), (None, ReliefF())]
        with pytest.raises(ValueError, match="number, but weights='learn' compares"):
            KOGS(Threshold(0.1), rankers=rankers, weights="learn").fit(*table)
        as_rule = KOGS(TopK(2, never=["G0"]), rankers=rankers, weights="learn").fit(*table)
        np.testing.assert_array_equal(as_rule.weights_, KOGS(2, rankers=rankers, weights="learn").fit(*table).weights_)
