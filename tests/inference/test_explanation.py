"""What an explanation says: sums over samples, edges, classes and sources are the native score."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from eigenselect import MSFS, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.forms import spectral_form
from eigenselect.criteria.quadratic import AbsoluteForm, ChebyshevForm, KernelForm, PowerForm, feature_terms
from eigenselect.exceptions import GraphWarning, SourceWarning, UndefinedScoreWarning
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.inference import Explanation, places
from eigenselect.inference.explanation import SampleTerms
from eigenselect.inference.places import edge_terms, list_edges, local_energy, sample_terms
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.similarity import KNN, Diffusion, HitMiss
from eigenselect.spectral import Heat, chebyshev_series

SELECTORS = [
    LaplacianScore(similarity=KNN(6)),
    LaplacianScore(similarity="rbf"),
    LaplacianScore(similarity=Diffusion()),
    SPEC(ranking="phi1", similarity=KNN(6)),
    SPEC(ranking="phi1", spectral_function="heat"),
    SPEC(ranking="phi3", similarity=KNN(6), n_clusters=3),
    SPEC(spectral_function=2),
    SPEC(spectral_function=3, similarity="rbf"),
    SPEC(spectral_function=1.5),
    SPEC(similarity="class_labels"),
    SPEC(similarity=HitMiss(4), ranking="phi1"),
    FisherScore(),
    HSICScore(),
    HSICScore(scale=None),
    ReliefF(n_neighbors=4),
    ReliefF(n_neighbors=4, difference="squared"),
]


def check_sums(why, expected, rel=1e-11):
    """All sums of an explanation are the native score."""
    samples = why.samples
    assert why.score == pytest.approx(expected, rel=rel)
    assert samples.terms.sum() == pytest.approx(expected, rel=rel)
    assert samples.numerator.sum() / samples.denominator.sum() == pytest.approx(expected, rel=rel)
    if why.edges is not None:
        assert why.edges.terms.sum() + why.edges.rest == pytest.approx(expected, rel=rel)
    if why.scales is not None:
        assert why.scales.terms.sum() + why.scales.rest == pytest.approx(expected, rel=rel)
    if why.classes is not None:
        assert why.classes.terms.sum() == pytest.approx(expected, rel=rel)
        assert why.classes.within.sum() + why.classes.between.sum() == pytest.approx(1.0, rel=rel)
    if why.sources:
        assert sum(why.sources.values()) == pytest.approx(expected, rel=rel)


def test_all_sums_are_the_native_score(labelled):
    X, y = labelled
    X = np.where(X > -1, X, 0.0)
    for selector in SELECTORS:
        for table in (X, sparse.csr_array(X)):
            selector.fit(table, y)
            for feature in (0, 3):
                check_sums(selector.explain(table, feature), selector.native_scores_[feature])
    X[:, 2] = np.round(X[:, 2], 3) + 2.0**20  # a large mean costs no digits
    selector = LaplacianScore(similarity=KNN(6)).fit(X)
    check_sums(selector.explain(X, 2), selector.native_scores_[2])


def test_values_of_small_and_large_size(labelled):
    X, y = labelled
    for selector in SELECTORS:
        for unit in (1e-90, 1e90):
            selector.fit(unit * X, y)
            check_sums(selector.explain(unit * X, 1), selector.native_scores_[1])


def test_isolated_samples_count_nowhere(make_similarity, rng):
    S, X = make_similarity(24, blocks=2, isolated=3), rng.normal(size=(24, 3))
    wild = X.copy()
    wild[-3:] = 1e90
    with pytest.warns(GraphWarning):
        selector = LaplacianScore(2).fit(X, similarity_matrix=S)
    why = selector.explain(X, 1)
    check_sums(why, selector.native_scores_[1])
    assert (why.samples.terms[-3:] == 0).all()
    np.testing.assert_allclose(selector.explain(wild, 1).samples.terms, why.samples.terms, rtol=1e-12)


def test_fisher_of_a_perfect_feature_and_on_a_given_similarity(labelled):
    X, y = labelled
    selector = FisherScore(2).fit(X, y, similarity_matrix=KNN(5).build(X).to_array())
    check_sums(selector.explain(X, 0), selector.native_scores_[0])
    assert selector.explain(X, 0).classes is None
    X[:, 0] = np.unique(y, return_inverse=True)[1]
    why = FisherScore(2).fit(X, y).explain(X, 0)
    assert why.score == why.samples.terms.sum() == np.inf
    assert (why.classes.within == 0).all()


class TestSources:
    @pytest.fixture
    def sources(self, labelled, rng):
        _, y = labelled
        return [
            ("own", TargetData(KNN(5))),
            ("other", AuxiliaryData(rng.normal(size=(len(y), 3)), "rbf")),
            ("heat", TargetData("diffusion")),
            ("labels", SampleCategories(y)),
        ]

    def test_every_source_has_its_part(self, sources, labelled):
        X, _ = labelled
        selector = MSFS(2, sources=sources, weights=[1, 2, 3, 4]).fit(X)
        why = selector.explain(X, 0)
        check_sums(why, selector.native_scores_[0])
        assert list(why.sources) == ["own", "other", "heat", "labels"]
        without = MSFS(2, sources=sources, weights=[1, 2, 3, 0]).fit(X).explain(X, 0)
        assert list(without.sources) == ["own", "other", "heat"]
        ratio = without.sources["other"] / without.sources["own"]
        assert ratio == pytest.approx(why.sources["other"] / why.sources["own"], rel=1e-11)
        selector = MSFS(2, sources=sources, weights=[0, 1, 0, 0]).fit(X)
        assert selector.explain(X, 0).sources == {"other": pytest.approx(selector.native_scores_[0], rel=1e-11)}

    def test_other_functions_of_n_are_no_sums_over_sources(self, sources, labelled):
        X, _ = labelled
        for options in ({"spectral_function": 2}, {"ranking": "phi3"}):
            selector = MSFS(2, sources=sources, **options).fit(X)
            why = selector.explain(X, 0)
            check_sums(why, selector.native_scores_[0])
            assert why.sources == {}

    def test_rows_are_those_of_the_table(self, labelled, rng):
        X, _ = labelled
        names = [f"s{i}" for i in range(len(X))]
        frame, Z = pd.DataFrame(X, index=names), pd.DataFrame(rng.normal(size=(len(X), 3)), index=names)
        with pytest.warns(SourceWarning):
            selector = MSFS(2, sources=[("a", TargetData(KNN(5))), ("b", AuxiliaryData(Z.iloc[3:]))]).fit(frame)
        why = selector.explain(frame, 2)
        check_sums(why, selector.native_scores_[2])
        np.testing.assert_array_equal(why.samples.rows, np.arange(3, len(X)))
        assert list(why.samples.names) == names[3:]
        assert min(why.edges.first.min(), why.edges.second.min()) >= 3


def test_what_is_refused(labelled):
    X, _ = labelled
    X[:, 4] = 7.0
    with pytest.warns(UndefinedScoreWarning):
        selector = LaplacianScore(2, similarity=KNN(5)).fit(X)
    with pytest.raises(ValueError, match="column 4 .*const"):
        selector.explain(X, 4)
    for bad in (np.nan, np.inf):
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"numbers.* column 1"):
            selector.explain(X, 1)
    assert selector.explain(X, 2).column == 2  # the other columns are not looked at


def test_of_a_sparse_table_one_column_is_taken(labelled, monkeypatch):
    X, _ = labelled
    table = sparse.csr_array(np.where(X > 0, X, 0.0))
    shapes, graph = [], (len(X),) * 2  # a graph is made dense for its eigenvectors

    def watched(make):
        return lambda self, *args, **kwargs: shapes.append(self.shape) or make(self, *args, **kwargs)

    fitted = [LaplacianScore(2, similarity=KNN(5)).fit(table, covariates=c) for c in (None, np.arange(len(X)))]
    for kind in (sparse.csr_array, sparse.csc_array):
        monkeypatch.setattr(kind, "toarray", watched(kind.toarray))
    monkeypatch.setattr(sparse.csr_array, "tocsc", watched(sparse.csr_array.tocsc))
    for selector in fitted:
        check_sums(selector.explain(table, 1), selector.native_scores_[1])
        assert set(shapes) - {graph} == {(len(X), 1)}
        shapes.clear()


def test_in_words(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=list("abcdefg"), index=[f"s{i}" for i in range(len(X))])
    selector = LaplacianScore(2, similarity=KNN(5)).fit(frame)
    why = selector.explain(frame, "b")
    lines = repr(why).splitlines()
    worst = int(np.argmax(why.samples.terms))
    assert f"'b': {selector.native_scores_[1]:.4g} (smaller" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["scales", "samples", "edges"]
    assert f"'s{worst}' {why.samples.terms[worst]:.3g}, " in lines[2]
    assert lines[2].endswith(f" and {len(X) - 3} more")
    assert f"{why.edges.first[0]}-{why.edges.second[0]} {why.edges.terms[0]:.3g}, " in lines[3]
    fisher = repr(FisherScore(2).fit(X, y).explain(X, 1)).splitlines()
    assert "column 1: " in fisher[0]
    assert "larger" in fisher[0]
    assert fisher[-1].startswith("  classes  'class ")


def test_sources_in_words_and_few_terms_are_all_named():
    samples = SampleTerms(np.array([4, 7]), np.array([1.0, -2.0]), np.ones(2), np.ones(2))
    lines = repr(Explanation("MSFS", 3, 3, -1.0, False, samples, sources={"genes": 0.25, "<b>": -1.25})).splitlines()
    assert lines[1:] == ["  samples  7 -2, 4 1", "  sources  '<b>' -1.25, 'genes' 0.25"]


def test_frames_have_the_names_of_samples_and_classes(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=list("abcdefg"), index=[f"s{i}" for i in range(len(X))])
    why = FisherScore(2).fit(frame, y).explain(frame, "a")
    samples, classes, groups = why.samples.to_frame(), why.classes.to_frame().sort_index(), frame["a"].groupby(y)
    assert list(samples.index) == list(frame.index)
    assert samples["term"].sum() == pytest.approx(why.score, rel=1e-12)
    assert list(classes.index) == sorted(set(y))
    np.testing.assert_allclose(classes["means"], groups.mean(), rtol=1e-11)
    np.testing.assert_array_equal(classes["sizes"], groups.size())
    total = len(X) * frame["a"].var(ddof=0)
    np.testing.assert_allclose(classes["within"], groups.size() * groups.var(ddof=0) / total, rtol=1e-11)
    by_number = FisherScore(2).fit(X, y).explain(X, 0).samples.to_frame()
    assert list(by_number.index) == list(range(len(X)))


def test_pairs_of_classes_share_what_is_between_them(labelled):
    X, y = labelled
    classes = FisherScore(2).fit(X, y).explain(X, 1).classes
    pairs = classes.pairs()
    names, f = list(classes.names), X[:, 1]
    total = np.sum((f - f.mean()) ** 2)
    for a in range(len(names)):
        for b in range(len(names)):
            one, other = f[y == names[a]], f[y == names[b]]
            expected = one.size * other.size / f.size * (one.mean() - other.mean()) ** 2 / total
            assert pairs[a, b] == pytest.approx(expected, rel=1e-9, abs=1e-16)
    assert np.triu(pairs).sum() == pytest.approx(classes.between.sum(), rel=1e-11)


def centred(graph, values):
    return values - graph.mass @ values / graph.volume


def naive_energy(S, u, cost):
    return np.array([0.5 * sum(S[i, j] * cost(u[i] - u[j]) for j in range(len(u))) for i in range(len(u))])


def test_every_sample_has_half_of_its_edges(make_similarity, rng, monkeypatch):
    monkeypatch.setattr(places, "BLOCK", 60)  # several blocks of rows
    S, u = make_similarity(isolated=2), rng.normal(size=24)
    for store in (np.asarray, sparse.csr_array, aslinearoperator):
        for cost in (np.square,) if store is aslinearoperator else (np.square, np.abs):
            found = local_energy(SampleGraph(store(S)), u, cost)
            np.testing.assert_allclose(found, naive_energy(S, u, cost), rtol=1e-12, atol=1e-14)
            assert (found[-2:] == 0).all()


def forms(graph):
    yield from (PowerForm(p) for p in (1, 2, 3, 4))
    yield AbsoluteForm()
    yield spectral_form(graph, Heat())
    yield ChebyshevForm(chebyshev_series(Heat(), graph.interval), Heat(), at_zero=1.0)
    yield phi("phi3", graph, Heat(), 4).form
    rng = np.random.default_rng(1)
    K = rng.normal(size=(graph.n_samples,) * 2)
    yield KernelForm(K + K.T, rng.normal(size=graph.n_samples), 0.3)


def test_samples_sum_to_every_form(make_similarity, rng):
    """Forms that are no sums of squares have the terms g_i (M^1/2 A M^1/2 g)_i, with A as a matrix."""
    graph = SampleGraph(sparse.csr_array(make_similarity(blocks=2, isolated=1)))
    for place, form in enumerate(forms(graph)):
        f = np.where(graph.isolated, 0.0, rng.normal(size=24) + 5)
        whole = feature_terms(f[:, None], graph, form).quadratic[0]
        terms = sample_terms(form, centred(graph, f), graph)
        assert terms.shape == (24,)
        assert terms.sum() == pytest.approx(whole, rel=1e-11), form
        if place in (5, 6, 7):
            root, g = np.sqrt(graph.mass), centred(graph, f)
            expected = g * (root * (form.matrix(graph) @ (root * g)))
            np.testing.assert_allclose(terms, expected, rtol=1e-9, atol=1e-12)


def test_edges(make_similarity, rng, monkeypatch):
    monkeypatch.setattr(places, "BLOCK", 60)
    S, u = make_similarity() + np.eye(24), rng.normal(size=24)  # an edge to itself has no difference
    naive = {(i, j): S[i, j] * (u[i] - u[j]) ** 2 for i in range(24) for j in range(i + 1, 24) if S[i, j]}
    largest = sorted(naive, key=lambda pair: -naive[pair])
    for store, most in product((np.asarray, sparse.csr_array), (2_000_000, 10)):
        monkeypatch.setattr(places, "MOST_EDGES", most)
        found = list_edges(SampleGraph(store(S)), u)
        listed = len(largest) if store is sparse.csr_array else min(most, len(largest))
        assert list(zip(found.first, found.second, strict=True)) == largest[:listed]
        np.testing.assert_allclose(found.terms, [naive[pair] for pair in largest[:listed]], rtol=1e-14)
        assert found.terms.sum() + found.rest == pytest.approx(sum(naive.values()), rel=1e-12)
        assert (found.rest == 0) == (listed == len(largest))
    graph = SampleGraph(np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    frame = list_edges(graph, np.array([0.0, 1, 3])).scaled(10.0, np.array([5, 6, 7])).to_frame()
    assert frame.to_dict("list") == {"first": [6, 5], "second": [7, 6], "term": [80.0, 10.0]}


def test_edges_of_any_sign_are_sorted_by_magnitude(rng):
    W = rng.normal(size=(6, 6))
    graph = SampleGraph(sparse.csr_array(W + W.T), mass=np.ones(6), signed=True)
    found = edge_terms(AbsoluteForm(), rng.normal(size=6), graph)
    assert (found.terms < 0).any()
    assert (np.diff(np.abs(found.terms)) <= 0).all()


def test_forms_without_edges():
    for form in (PowerForm(2), PowerForm(3), KernelForm(np.eye(4), np.zeros(4))):
        assert edge_terms(form, np.arange(4.0), SampleGraph(np.ones((4, 4)))) is None
    assert edge_terms(PowerForm(1), np.arange(4.0), SampleGraph(ClassMeans(np.zeros(4, dtype=int), 1))) is None
