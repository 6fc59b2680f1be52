"""Selectors on a sample graph: the graph is inspected, and f̂ᵀŜf̂ are the scores."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from eigenselect import MSFS, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, SSelect, TraceRatio
from eigenselect.criteria.criterion import SMALL, Criterion
from eigenselect.criteria.normalization import DEFLATED
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.exceptions import GraphWarning, UndefinedScoreWarning, UnitsWarning
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.multisource import TargetData
from eigenselect.selectors.spectral import Built, SpectralSelector, build_graph, inspect_graph
from eigenselect.similarity import KNN, RBF, ClassLabels, HitMiss


class TestQuadraticForm:
    def test_the_theorem(self, selector, X):
        selector.fit(X)
        S_hat, F_hat = selector.quadratic_form(X)
        np.testing.assert_allclose(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat), selector.scores_, rtol=1e-9, atol=1e-12)

    def test_the_matrices_agree_on_what_is_undefined(self, selector, X):
        X[:, 2] = 4.0
        with pytest.warns(UndefinedScoreWarning):
            selector.fit(X)
        S_hat, F_hat = selector.quadratic_form(X)
        np.testing.assert_array_equal(np.isnan(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat)), np.isnan(selector.scores_))

    def test_nothing_keeps_the_data(self, selector, X):
        selector.fit(X)
        held = [value for value in vars(selector).values() if getattr(value, "shape", None) == X.shape]
        assert held == []
        loaded = pickle.loads(pickle.dumps(selector))
        np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))
        for fitted in (selector, loaded):
            with pytest.raises(ValueError, match="quadratic_form: X is missing.*give"):
                fitted.quadratic_form()
        np.testing.assert_array_equal(loaded.quadratic_form(X)[1], selector.quadratic_form(X)[1])

    def test_another_table_is_refused(self, selector, X):
        selector.fit(X)
        with pytest.raises(ValueError, match="60 samples of 8"):
            selector.quadratic_form(X[1:])


THEOREM = [
    SPEC(ranking="phi1", similarity=KNN(6)),
    SPEC(ranking="phi2", similarity=KNN(6)),
    SPEC(ranking="phi3", similarity=KNN(6), n_clusters=4),
    LaplacianScore(similarity=KNN(6)),
    FisherScore(),
    ReliefF(n_neighbors=4, difference="squared"),
    HSICScore(),
    HSICScore(scale=None),
    TraceRatio(3),
    TraceRatio(3, scale=None),
    TraceRatio(3, graphs="laplacian", similarity=KNN(6)),
    TraceRatio(3, level="feature"),
    SPEC(similarity=HitMiss(4), ranking="phi1"),
]


@pytest.mark.parametrize("selector", THEOREM, ids=str)
def test_the_theorem_orders_features_as_the_method_does(selector, labelled):
    X, y = labelled
    selector.fit(X, y)
    S_hat, F_hat = selector.quadratic_form(X)
    values = np.einsum("ij,ij->j", F_hat, S_hat @ F_hat)
    np.testing.assert_allclose(values, selector.scores_, rtol=1e-8, atol=1e-12)
    np.testing.assert_array_equal(rankdata(-values), rankdata(selector.ranking_))


class TestGraph:
    def test_isolated_samples_and_components_are_warned_about_once(self, selector, X):
        S = KNN(9).build(X[:50]).to_array()
        S = np.block([[S, np.zeros((50, 10))], [np.zeros((10, 60))]])
        S[50, 51] = S[51, 50] = 1.0
        with pytest.warns(GraphWarning, match="60 samples are isolated.*2") as caught:
            selector.fit(X, similarity_matrix=S)
        assert len(caught) == 1
        assert np.isfinite(selector.scores_).all()

    def test_duplicated_samples(self, selector, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphWarning)
            selector.fit(np.repeat(X, 3, axis=0))
        assert np.isfinite(selector.scores_).all()

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


class TestInspection:
    def test_a_graph_without_edges_is_refused(self, as_kind):
        with pytest.raises(ValueError, match="^SPEC: the sample graph"):
            inspect_graph(SampleGraph(as_kind(np.zeros((5, 5)))), "SPEC")

    def test_findings_are_one_warning(self, as_kind):
        S = np.kron(np.eye(3), np.ones((2, 2)))
        S[4:, 4:] = 0.0
        with pytest.warns(GraphWarning) as caught:
            inspect_graph(SampleGraph(as_kind(S)), "SPEC")
        assert [str(warning.message) for warning in caught] == [
            "SPEC: 2 of 6 samples are isolated and do not count and the sample graph falls apart into 2 components; "
            "more neighbours or a wider bandwidth would connect them."
        ]

    def test_a_connected_graph_and_one_of_labels_are_passed_in_silence(self):
        inspect_graph(SampleGraph(np.ones((4, 4))), "SPEC")  # warnings are errors
        inspect_graph(ClassLabels().build(None, [0, 0, 1, 1]), "SPEC")


class TestBuilding:
    @pytest.fixture
    def table(self, X):
        return as_matrix(X)

    def test_a_matrix_replaces_the_similarity(self, table):
        S = np.ones((60, 60))
        graph = build_graph("no such name", table, None, S, "SPEC", None)
        np.testing.assert_array_equal(graph.to_array(), S)
        with pytest.raises(ValueError, match="^SPEC: similarity_matrix must be 60 x 60"):
            build_graph("knn", table, None, np.ones((3, 3)), "SPEC", None)

    def test_names_and_objects_and_labels(self, table):
        y = np.arange(60) % 2
        for similarity, expected in (
            ("rbf", RBF().build(table)),
            (KNN(4), KNN(4).build(table)),
            ("class_labels", ClassLabels().build(None, y)),
        ):
            found = build_graph(similarity, table, y, None, "SPEC", 1)
            np.testing.assert_array_equal(found.to_array(), expected.to_array())

    def test_units_are_looked_at_with_the_advice_of_the_method(self, X):
        X[:, 3] *= 1000
        with pytest.warns(UnitsWarning, match="column 3 of 8.*take"):
            build_graph("knn", as_matrix(X), None, None, "SPEC", None, "take logarithms")


class EveryOther(SpectralSelector):
    """The Laplacian score of every other sample of the table."""

    def __init__(self, n_features_to_select=None, *, similarity="rbf", n_jobs=None, verbose=False, no_form=""):
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.no_form = no_form

    def _traits(self):
        return replace(super()._traits(), no_quadratic_form=self.no_form)

    def _build(self, table, y, similarity_matrix):
        rows = np.arange(0, table.n_samples, 2)
        graph = self._sample_graph(table.take_rows(rows), y, similarity_matrix)
        return Built(graph, samples=rows, attributes={"rows_": rows})

    def _criterion(self, built):
        return Criterion(built.graph, DEFLATED, PowerForm(1), SMALL)

    def _judged(self, table):
        return table.take_rows(self.rows_)


class TestTemplate:
    def test_scores_are_about_the_samples_of_the_graph(self, X):
        fitted = EveryOther(similarity=KNN(8)).fit(X)
        np.testing.assert_array_equal(fitted.scores_, SPEC(similarity=KNN(8)).fit(X[::2]).scores_)
        assert fitted.graph_.n_samples == 30
        np.testing.assert_array_equal(fitted.rows_, np.arange(0, 60, 2))

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_the_form_is_about_them_too_also_after_unpickling(self, X, store):
        fitted = EveryOther(similarity=KNN(8)).fit(store(X))
        S_hat, F_hat = fitted.quadratic_form(store(X))
        assert F_hat.shape == (30, 8)
        np.testing.assert_allclose(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat), fitted.scores_, rtol=1e-9)
        loaded = pickle.loads(pickle.dumps(fitted))
        for found, expected in zip(loaded.quadratic_form(store(X)), (S_hat, F_hat), strict=True):
            np.testing.assert_array_equal(found, expected)

    def test_where_there_is_no_form_the_reason_is_given(self, X):
        with pytest.raises(ValueError, match="^EveryOther counts votes$"):
            EveryOther(no_form="EveryOther counts votes").fit(X).quadratic_form(X)

    def test_labels_are_needed_where_the_similarity_is_made_of_them(self, X):
        with pytest.raises(ValueError, match="EveryOther requires y to"):
            EveryOther(similarity="class_labels").fit(X)

    def test_steps_are_told(self, X, capsys):
        EveryOther(verbose=True).fit(X)
        lines = capsys.readouterr().err.splitlines()
        assert [line.split(":")[0] for line in lines] == ["[EveryOther] graph", "[EveryOther] scores"]

    def test_nothing_is_scored_on_a_graph_without_edges(self, X):
        with pytest.raises(ValueError, match="EveryOther: the sample graph"):
            EveryOther().fit(X, similarity_matrix=np.zeros((30, 30)))


@pytest.mark.parametrize("parameters", [{"significance": s} for s in (True, "split", "shadows")] + [{}])
def test_sources_made_of_the_features_have_no_route(parameters):
    rule = 2 if parameters else "fdr"
    with pytest.raises(ValueError, match="^MSFS: p-values need a"):
        MSFS(rule, sources=[("data", TargetData())], **parameters).fit(np.random.default_rng(0).normal(size=(20, 4)))
