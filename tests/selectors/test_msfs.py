"""MSFS: one source is SPEC, several are their weighted sum, and names decide who is who."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from eigenselect import MSFS, SPEC
from eigenselect.exceptions import GraphWarning, SourceWarning
from eigenselect.graph import SampleGraph
from eigenselect.multisource import (
    AuxiliaryData,
    FeatureSet,
    FeatureSimilarity,
    SampleCategories,
    SampleSimilarity,
    TargetData,
)
from eigenselect.multisource.weights import combination_scale
from eigenselect.similarity import KNN, RBF, ClassLabels


@pytest.fixture
def table(rng):
    """Thirty patients, ten genes of which two follow two groups."""
    groups = np.arange(30) % 2
    X = rng.normal(size=(30, 10))
    X[:, [2, 7]] += 3 * groups[:, None]
    names = [f"patient{i}" for i in range(30)]
    return pd.DataFrame(X, index=names, columns=[f"G{j}" for j in range(10)]), groups


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("similarity", [KNN(n_neighbors=5), RBF()])
def test_one_source_is_plain_spec(table, ranking, similarity):
    X, _ = table
    Z = X.to_numpy()[:, :4]
    options = {"ranking": ranking, "spectral_function": 2}
    fitted = MSFS(3, sources=[("z", AuxiliaryData(Z, similarity))], **options).fit(X)
    graph = similarity.build(Z)
    S = graph.affinity
    plain = SPEC(3, **options).fit(X, similarity_matrix=S)
    np.testing.assert_array_equal(fitted.native_scores_, plain.native_scores_)
    np.testing.assert_array_equal(fitted.ranking_, plain.ranking_)
    other = MSFS(3, sources=[("noise", TargetData()), ("z", AuxiliaryData(Z, similarity))], weights=[0, 1], **options)
    np.testing.assert_array_equal(other.fit(X).native_scores_, plain.native_scores_)


def test_labels_as_the_only_source_are_the_fisher_ranking(table):
    X, y = table
    fitted = MSFS(2, sources=[("labels", SampleCategories())]).fit(X, y)
    plain = SPEC(2, similarity=ClassLabels()).fit(X, y)
    np.testing.assert_array_equal(fitted.native_scores_, plain.native_scores_)
    assert list(fitted.get_feature_names_out()) == ["G2", "G7"]


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")  # classes are components
def test_several_sources_are_their_weighted_sum(table, rng):
    X, y = table
    Z = rng.normal(size=(30, 5))
    sources = [("own", TargetData("rbf")), ("labels", SampleCategories(y)), ("z", AuxiliaryData(Z, KNN(n_neighbors=4)))]
    fitted = MSFS(2, sources=sources, weights={"own": 2, "labels": 1, "z": 1}).fit(X)
    graphs = [RBF().build(X.to_numpy()), ClassLabels().build(None, y), KNN(n_neighbors=4).build(Z)]
    S = sum(w * combination_scale(g) * g.to_array() for w, g in zip((0.5, 0.25, 0.25), graphs, strict=True))
    np.testing.assert_allclose(fitted.native_scores_, SPEC().fit(X, similarity_matrix=S).native_scores_, rtol=1e-10)
    np.testing.assert_allclose(fitted.weights_, [0.5, 0.25, 0.25])
    assert list(fitted.similarities_) == ["own", "labels", "z"]
    for name, graph in zip(fitted.similarities_, graphs, strict=True):
        S = graph.to_array()
        alone = SPEC().fit(X, similarity_matrix=S).ranking_
        np.testing.assert_array_equal(fitted.source_rankings(X)[name], alone)


def test_neighbour_graphs_stay_sparse(table):
    X, _ = table
    fitted = MSFS(2, sources=[("a", TargetData("knn")), ("b", TargetData(KNN(n_neighbors=3)))]).fit(X)
    assert fitted.graph_.is_sparse
    from_sparse = MSFS(2, sources=[("a", TargetData("knn")), ("b", TargetData(KNN(n_neighbors=3)))])
    scores = from_sparse.fit(sparse.csr_array(X.to_numpy())).scores_
    np.testing.assert_allclose(scores, fitted.scores_, rtol=1e-9)


def test_permuted_rows_of_named_sources_change_nothing(table, rng):
    X, y = table
    Z = pd.DataFrame(rng.normal(size=(30, 5)), index=X.index)
    F = pd.DataFrame(rng.random((10, 4)) < 0.5, index=X.columns).astype(float)
    labels = pd.Series(y, index=X.index)
    S = pd.DataFrame(RBF().build(Z.to_numpy()).to_array(), index=X.index, columns=X.index)

    def scores(Z, F, labels, S):
        sources = [
            ("z", AuxiliaryData(Z)),
            ("go", FeatureSimilarity(F)),
            ("labels", SampleCategories(labels)),
            ("s", SampleSimilarity(S)),
        ]
        return MSFS(2, sources=sources).fit(X).native_scores_

    expected = scores(Z, F, labels, S)
    order, genes = rng.permutation(30), rng.permutation(10)
    permuted = scores(Z.iloc[order], F.iloc[genes], labels.iloc[order], S.iloc[order, order])
    np.testing.assert_allclose(permuted, expected, rtol=1e-12)


def test_names_of_arrays(table, rng):
    X, _ = table
    Z = pd.DataFrame(rng.normal(size=(30, 5)), index=X.index)
    named = MSFS(2, sources=[("z", AuxiliaryData(Z.iloc[::-1])), ("set", FeatureSet(["G1", "G2"]))]).fit(X)
    again = clone(named).fit(X.to_numpy(), sample_names=X.index, feature_names=X.columns)
    np.testing.assert_array_equal(named.scores_, again.scores_)


class TestMissing:
    def test_samples_are_intersected_and_counted(self, table, rng):
        X, _ = table
        Z = pd.DataFrame(rng.normal(size=(30, 5)), index=X.index)
        sources = [("a", AuxiliaryData(Z.iloc[1:])), ("b", AuxiliaryData(Z.iloc[:27])), ("c", TargetData())]
        says = "4 of 30 samples"
        with pytest.warns(SourceWarning, match=says):
            fitted = MSFS(2, sources=sources).fit(X)
        np.testing.assert_array_equal(fitted.samples_, np.arange(1, 27))
        both = [("a", AuxiliaryData(Z)), ("b", AuxiliaryData(Z)), ("c", TargetData())]
        expected = MSFS(2, sources=both).fit(X.iloc[1:27])
        np.testing.assert_allclose(fitted.scores_, expected.scores_, rtol=1e-10)
        S_hat, F_hat = fitted.quadratic_form(X)
        np.testing.assert_allclose((F_hat * (S_hat @ F_hat)).sum(axis=0), fitted.scores_, rtol=1e-8)

    def test_sources_without_names_follow_the_samples_that_are_left(self, table, rng):
        X, y = table
        Z = pd.DataFrame(rng.normal(size=(30, 5)), index=X.index)
        unnamed = rng.normal(size=(30, 4))
        sources = [("a", AuxiliaryData(Z.iloc[3:])), ("b", AuxiliaryData(unnamed)), ("y", SampleCategories(y))]
        with pytest.warns(SourceWarning, match="3 of 30 samples"):
            fitted = MSFS(2, sources=sources).fit(X)
        part = [("a", AuxiliaryData(Z.iloc[3:])), ("b", AuxiliaryData(unnamed[3:])), ("y", SampleCategories(y[3:]))]
        expected = MSFS(2, sources=part).fit(X.iloc[3:])
        np.testing.assert_allclose(fitted.scores_, expected.scores_, rtol=1e-10)

    def test_features_are_counted(self, table):
        X, _ = table
        sources = [("set", FeatureSet(["G1", "G2", "XYZ"])), ("go", FeatureSimilarity(np.ones((2, 3)), ["G1", "G9"]))]
        says = "2 of 10 target's"
        with pytest.warns(SourceWarning, match=says):
            fitted = MSFS(2, sources=sources).fit(X)
        assert "2 of 3 features" in fitted.notes_["set"][0]

    def test_no_common_sample(self, table, rng):
        X, _ = table
        Z = pd.DataFrame(rng.normal(size=(30, 5)), index=X.index)
        with pytest.raises(ValueError, match="the target's 30 samples"):
            MSFS(sources=[("a", AuxiliaryData(Z[:15])), ("b", AuxiliaryData(Z[15:]))]).fit(X)


class TestLearnedWeights:
    @pytest.mark.filterwarnings("ignore:.*falls apart into 2 components")  # the two classes, far from each other
    @pytest.mark.parametrize("weights", ["discriminant", "alignment"])
    def test_the_source_that_knows_the_classes(self, table, rng, weights):
        X, y = table
        sources = [
            ("good", AuxiliaryData(4.0 * y[:, None] + rng.normal(size=(30, 3)))),
            ("noise", AuxiliaryData(rng.normal(size=(30, 3)))),
            ("wide", AuxiliaryData(rng.normal(size=(30, 400)))),
        ]
        fitted = MSFS(2, sources=sources, weights=weights).fit(X, y)
        assert fitted.weights_[0] >= 0.9
        assert list(fitted.get_feature_names_out()) == ["G2", "G7"]

    def test_labels_are_needed(self, table):
        X, _ = table
        sources = [("a", TargetData()), ("b", TargetData("knn"))]
        with pytest.raises(ValueError, match="weights='alignment'.*requires y"):
            MSFS(sources=sources, weights="alignment").fit(X)


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"sources": None}, r"list of \(name, source\)"),
            ({"sources": []}, "sources must be a list"),
            ({"sources": [TargetData()]}, "among them"),
            ({"sources": [("a", "rbf")]}, "among them"),
            ({"sources": [("a", TargetData()), ("a", TargetData())]}, "names of sources must"),
            ({"weights": "best"}, "'equal', 'discriminant', 'alignment' or"),
            ({"weights": [1, 2]}, "each of 1 sources"),
            ({"weights": [-1]}, "not negative"),
            ({"ranking": "phi9"}, "ranking must be one"),
        ],
    )
    def test_parameters(self, table, options, says):
        with pytest.raises(ValueError, match=says):
            MSFS(**({"sources": [("a", TargetData())]} | options)).fit(table[0])

    def test_names_that_do_not_fit(self, table):
        X = table[0].to_numpy()
        with pytest.raises(ValueError, match="got 3 sample names"):
            MSFS(sources=[("a", TargetData())]).fit(X, sample_names=list("abc"))
        with pytest.raises(ValueError, match="as a source, SampleSimilarity"):
            MSFS(sources=[("a", TargetData())]).fit(X, similarity_matrix=np.eye(30))


class TestNamesThatCount:
    """A frame without names of its own counts its rows; shuffled, the numbers still say who is who."""

    @pytest.mark.parametrize("shuffled", ["target", "source"])
    def test_shuffled_frames(self, table, rng, shuffled):
        X = table[0].reset_index(drop=True)
        Z = pd.DataFrame(rng.normal(size=(30, 4)))
        expected = MSFS(2, sources=[("z", AuxiliaryData(Z))]).fit(X).scores_
        order = rng.permutation(30)
        X, Z = (X.iloc[order], Z) if shuffled == "target" else (X, Z.iloc[order])
        np.testing.assert_allclose(MSFS(2, sources=[("z", AuxiliaryData(Z))]).fit(X).scores_, expected, rtol=1e-9)
        np.testing.assert_allclose(
            MSFS(2, sources=[("z", AuxiliaryData(Z.iloc[::-1]))]).fit(X).scores_, expected, rtol=1e-9
        )

    def test_arrays_go_by_place_whatever_the_other_is_called(self, table, rng):
        X, Z = table[0], rng.normal(size=(30, 4))
        numbered = X.set_axis(range(100, 130))
        for frame in (X, numbered, X.reset_index(drop=True)):
            scores = MSFS(2, sources=[("z", AuxiliaryData(Z))]).fit(frame).scores_
            np.testing.assert_array_equal(scores, MSFS(2, sources=[("z", AuxiliaryData(Z))]).fit(X.to_numpy()).scores_)

    def test_several_probes_of_one_gene(self, table):
        X = table[0].set_axis([*"abcdefghi", "a"], axis=1)
        with pytest.warns(SourceWarning, match="1 of 2 features"):
            fitted = MSFS(2, sources=[("set", FeatureSet(["a", "none"]))]).fit(X)
        S = KNN().build(X.to_numpy()[:, [0, 9]]).to_array()
        expected = SPEC().fit(X.to_numpy(), similarity_matrix=S).scores_
        np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)

    def test_numbers_that_are_names(self, table):
        X = table[0].set_axis(range(9, -1, -1), axis=1)
        fitted = MSFS(2, sources=[("set", FeatureSet([7, 2]))]).fit(X.to_numpy(), feature_names=list(X.columns))
        S = KNN().build(X.to_numpy()[:, [2, 7]]).to_array()
        expected = SPEC().fit(X.to_numpy(), similarity_matrix=S).scores_
        np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)


class TestSilentSources:
    def test_a_small_diagonal_is_no_reason_to_drop_a_source(self, table):
        """S holds the classes, but its diagonal is below them: no kernel as it stands."""
        X, y = table
        S = np.where(y[:, None] == y, 0.9, 0.2)
        np.fill_diagonal(S, 0.3)
        both = [("own", TargetData()), ("s", SampleSimilarity(S))]
        fitted = MSFS(2, sources=both).fit(X)
        alone = MSFS(2, sources=both[:1]).fit(X)
        assert np.abs(fitted.scores_ - alone.scores_).max() > 0.001
        assert list(fitted.get_feature_names_out()) == ["G2", "G7"]
        one = S * (1 - np.eye(30))
        one[0, 0] = 1.0
        assert combination_scale(SampleGraph(one)) > 0

    def test_a_source_in_which_all_are_alike_gets_no_weight(self, table):
        X, _ = table
        sources = [("own", TargetData()), ("flat", AuxiliaryData(np.ones((30, 2)))), ("near", TargetData("knn"))]
        with pytest.warns(SourceWarning, match="1 of 3 sources"):
            fitted = MSFS(2, sources=sources).fit(X)
        np.testing.assert_allclose(fitted.weights_, [0.5, 0, 0.5])
        expected = MSFS(2, sources=[sources[0], sources[2]]).fit(X)
        np.testing.assert_array_equal(fitted.scores_, expected.scores_)
        with pytest.raises(ValueError, match="all samples are alike"):
            MSFS(sources=[("a", AuxiliaryData(np.ones((30, 2)))), ("b", AuxiliaryData(np.ones((30, 2))))]).fit(X)


def test_labels_that_do_not_fit(table):
    X, y = table
    for bad in (y[:29], np.r_[y, 1]):
        with pytest.raises(ValueError, match=f"got {len(bad)} labels for 30 samples"):
            MSFS(sources=[("y", SampleCategories())]).fit(X, bad)


@pytest.mark.filterwarnings("ignore:.*falls apart into 2 components")  # the two classes, far from each other
def test_weights_are_learned_from_the_labelled_samples(table, rng):
    X, y = table
    sources = [
        ("good", AuxiliaryData(4.0 * y[:, None] + rng.normal(size=(30, 3)))),
        ("noise", AuxiliaryData(rng.normal(size=(30, 3)))),
    ]
    partly = np.where(np.arange(30) < 20, y, np.nan)
    fitted = MSFS(2, sources=sources, weights="discriminant").fit(X, partly)
    assert fitted.samples_.size == 30
    assert fitted.weights_[0] > 0.9


def test_errors_say_which_source(table):
    with pytest.raises(ValueError, match="'second': AuxiliaryData: has 3"):
        MSFS(sources=[("first", TargetData()), ("second", AuxiliaryData(np.ones((3, 2))))]).fit(table[0])


class TestGraphsAreInspected:
    """The combined graph is looked at as any other selector's is."""

    def test_isolated_samples_are_counted_wherever_they_are(self, table):
        X, _ = table
        for isolated in (slice(0, 20), slice(5, 25), slice(10, 30)):
            S = np.ones((30, 30))
            S[isolated] = S[:, isolated] = 0.0
            with pytest.warns(GraphWarning, match="MSFS: 20 of 30"):
                MSFS(2, sources=[("s", SampleSimilarity(S))]).fit(X.to_numpy())

    def test_components_of_classes_are_no_cause_for_a_warning(self, table):
        X, y = table
        nested = np.column_stack([y, y])
        for labels in (y, nested):
            assert MSFS(2, sources=[("y", SampleCategories(labels))]).fit(X.to_numpy()).graph_.made_of_labels
        both = [("y", SampleCategories(y)), ("near", AuxiliaryData(10.0 * y[:, None] + X.to_numpy(), KNN(3)))]
        assert MSFS(2, sources=both).fit(X.to_numpy()).graph_.made_of_labels

    def test_components_of_measurements_are(self, table):
        X, y = table
        apart = AuxiliaryData(100.0 * y[:, None] + X.to_numpy(), KNN(3))
        with pytest.warns(GraphWarning, match="falls apart into 2"):
            assert not MSFS(2, sources=[("near", apart)]).fit(X.to_numpy()).graph_.made_of_labels


@pytest.mark.parametrize("asked", [{"significance": "split"}, {"significance": "shadows"}, {"significance": True},
                                   {"n_features_to_select": "fdr"}])  # fmt: skip
def test_sources_that_are_made_of_the_features_have_no_p_values(rng, asked):
    X = rng.normal(size=(30, 4))
    sources = [("own", TargetData()), ("other", AuxiliaryData(rng.normal(size=(30, 3))))]
    with pytest.raises(ValueError, match="use SPEC with significance='split'"):
        MSFS(sources=sources, **asked).fit(X)
    assert MSFS(sources=sources[1:], significance=True).fit(X).pvalues_.shape == (4,)


def test_a_range_that_is_given_holds_names_and_is_no_count(rng):
    """A frame's own count is matched by place; numbers that somebody gave are names, of which the source has none."""
    X, Z = rng.normal(size=(20, 4)), pd.DataFrame(rng.normal(size=(20, 3)), index=[f"s{i}" for i in range(20)])
    selector = MSFS(2, sources=[("target", TargetData()), ("other", AuxiliaryData(Z))])
    with pytest.raises(ValueError, match="target's 20 sample names"):
        selector.fit(X, sample_names=pd.RangeIndex(20))
