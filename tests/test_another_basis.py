"""No number that users see depends on the basis, the signs or the last bits that an eigensolver happened to return."""

import warnings
from itertools import cycle, product

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es
from another_basis import use_another_basis
from eigenselect.criteria import criterion as criterion_module
from eigenselect.criteria import forms as forms_module
from eigenselect.graph import SampleGraph
from eigenselect.multisource import AuxiliaryData, SampleSimilarity, TargetData
from eigenselect.reporting import compare
from eigenselect.sensitivity import perturbation_bound
from eigenselect.similarity import KNN, RBF, Linear
from eigenselect.spectral import Custom

#: what is a choice of basis, and says so where it is documented: objects that hold eigenvectors as they came. The
#: numbers made of them are all compared; so are drawn coordinates and MRSF's coef_, whose basis only the space decides.
CHOICES_OF_BASIS = ("criterion_", "graph_", "similarities_")
TOLERANCE = 1e-8


def ring(n):
    return np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1)


def equal_clusters(count, size, link=0.0):
    return np.kron(np.eye(count), np.ones((size, size)) - np.eye(size)) + link * (1 - np.eye(count * size))


def with_isolated(S, *places):
    """S and samples without a neighbour at these places of the result."""
    n = len(S) + len(places)
    found = np.zeros((n, n))
    live = np.delete(np.arange(n), places)
    found[np.ix_(live, live)] = S
    return found


def nearly_a_ring(n, amount):
    S = ring(n)
    S[0, 1] = S[1, 0] = 1 + amount
    return S


def grid(n, m):
    """A torus: equal eigenvalues in groups of 4 and 8."""
    return np.kron(ring(n), np.eye(m)) + np.kron(np.eye(n), ring(m))


def duplicated():
    half = np.random.default_rng(3).random((7, 7))
    return np.kron(half + half.T, np.ones((2, 2)))


GRAPHS = {
    "ring": ring(12),
    "complete graph": np.ones((11, 11)) - np.eye(11),
    "equal clusters, linked": equal_clusters(4, 4, 0.05),
    "equal clusters, apart": equal_clusters(4, 3),
    "a hanging thread": equal_clusters(3, 4, 1e-20),
    "torus": grid(4, 5),
    "isolated first and middle": with_isolated(ring(9), 0, 5),
    "isolated last": with_isolated(equal_clusters(3, 4), 12, 13),
    "duplicated samples": duplicated(),
    "nearly equal eigenvalues": nearly_a_ring(14, 1e-10),
    "bipartite": np.kron([[0.0, 1], [1, 0]], np.ones((6, 6))),
}


def table(n, seed=0):
    """Features and labels that have nothing to do with the graph."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) + np.arange(6)
    return X, np.arange(n) % 3


def measured(call):
    """What a call returns, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except ValueError as error:  # nothing to explain, on a graph whose leading eigenvector is constant
            found = str(error)
    return {"found": found, "warnings": sorted(str(warning.message) for warning in caught)}


def fitted(selector, *arguments, **options):
    """All fitted attributes that are numbers or words."""
    selector.fit(*arguments, **options)
    names = [name for name in sorted(vars(selector)) if name.endswith("_") and not name.startswith("_")]
    numbers = {name: getattr(selector, name) for name in names if name not in CHOICES_OF_BASIS}
    scores = np.sort(selector.scores_[~np.isnan(selector.scores_)])
    if not (np.diff(scores) > 1e-6 * max(1.0, np.abs(scores).max(initial=0.0))).all():
        numbers.pop("ranking_")  # ties are decided elsewhere
    return numbers


def assert_the_same(one, other, where=""):
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_the_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, (list, tuple)) and not all(isinstance(item, float) for item in one):
        assert len(one) == len(other), where
        for place, (mine, yours) in enumerate(zip(one, other, strict=True)):
            assert_the_same(mine, yours, f"{where}[{place}]")
    elif isinstance(one, (float, list, tuple)) or getattr(one, "dtype", np.dtype(object)).kind == "f":
        scale = np.nanmax(np.abs(np.where(np.isinf(one), 0, one)), initial=1.0) if np.size(one) else 1.0
        np.testing.assert_allclose(other, one, rtol=0, atol=TOLERANCE * scale, err_msg=where)
    else:
        np.testing.assert_array_equal(other, one, err_msg=where)


def check(monkeypatch, call, case="", seeds=(0, 1)):
    expected = measured(call)
    for seed in seeds:
        with monkeypatch.context() as patch:
            use_another_basis(patch, seed)
            assert_the_same(expected, measured(call), str(case))


# -- SPEC and those that stand on it --------------------------------------------------------


SPECS = {
    "phi1": {"ranking": "phi1"},
    "phi2": {"ranking": "phi2"},
    "phi2, power": {"ranking": "phi2", "spectral_function": 3},
    "phi1, root": {"ranking": "phi1", "spectral_function": 0.5},
    "phi2, heat": {"ranking": "phi2", "spectral_function": "heat"},
    "phi2, car": {"ranking": "phi2", "spectral_function": "car"},
    "phi2, callable": {"ranking": "phi2", "spectral_function": np.sinh},
    "phi3 by the gap": {"ranking": "phi3"},
    "phi3, 2": {"ranking": "phi3", "n_clusters": 2},
    "phi3, 3, heat": {"ranking": "phi3", "n_clusters": 3, "spectral_function": "heat"},
    "phi3, 5": {"ranking": "phi3", "n_clusters": 5},
}


@pytest.mark.parametrize("options", SPECS.values(), ids=SPECS)
def test_spec(options, monkeypatch):
    for (name, S), kind in zip(GRAPHS.items(), cycle([np.asarray, sparse.csr_array]), strict=False):
        X, affinity = table(len(S))[0], kind(S)
        check(monkeypatch, lambda: fitted(es.SPEC(3, **options), X, similarity_matrix=affinity), name)  # noqa: B023


def test_spec_by_polynomials(monkeypatch):
    monkeypatch.setattr(forms_module, "EXACT_SAMPLES", 0)
    selector = es.SPEC(3, spectral_function="heat")
    for name in ("ring", "isolated first and middle", "torus"):
        X, S = table(len(GRAPHS[name]))[0], GRAPHS[name]
        check(monkeypatch, lambda: fitted(selector, X, similarity_matrix=S), name)  # noqa: B023


@pytest.mark.parametrize("options", [{"n_clusters": 4}, {}], ids=["4", "by the gap"])
@pytest.mark.parametrize("S", [ring(310), grid(18, 18), equal_clusters(50, 7)], ids=["ring", "torus", "clusters"])
def test_spec_by_lanczos(S, options, monkeypatch):
    X, _ = table(len(S))
    affinity = sparse.csr_array(S)
    check(monkeypatch, lambda: fitted(es.SPEC(3, ranking="phi3", **options), X, similarity_matrix=affinity), seeds=[0])


def test_spec_on_labels_and_diffusion(monkeypatch):
    X, y = table(15)
    graph = SampleGraph(ring(15)).diffuse(0.7)
    for k in (None, 2, 3):
        by_labels = es.SPEC(3, ranking="phi3", similarity="class_labels", n_clusters=k)
        check(monkeypatch, lambda: fitted(by_labels, X, y), k)  # noqa: B023
        check(monkeypatch, lambda: criterion_module.phi("phi3", graph, Custom(np.exp), k).scores(X).native, k)  # noqa: B023


@pytest.mark.parametrize("S", GRAPHS.values(), ids=GRAPHS)
def test_methods_on_a_graph(S, monkeypatch):
    """sSelect, MRSF, bounds of perturbation and spectra of whole groups, for any number of pairs."""
    X, y = table(len(S))
    few = np.where(np.arange(len(S)) < 7, y, -1)
    for criterion in ("phi1", "phi2", "phi3"):
        selector = es.SSelect(3, ranking=criterion, n_clusters=3)
        check(monkeypatch, lambda: fitted(selector, X, few, similarity_matrix=S), criterion, seeds=[0])  # noqa: B023
    for n_outputs in (None, 1, 2, 4):
        selector = es.MRSF(3, n_outputs=n_outputs, tol=1e-12)
        check(monkeypatch, lambda: fitted(selector, X, similarity_matrix=S), n_outputs)  # noqa: B023
    other = SampleGraph(S + 0.01 * equal_clusters(1, len(S), 0))
    for q, pair in product((None, 1, 2, 3, 5), ((SampleGraph(S), other), (other, SampleGraph(S)))):
        check(monkeypatch, lambda: vars(perturbation_bound(*pair, X, n_eigenvalues=q)), q)  # noqa: B023
    for graph in (SampleGraph(S), SampleGraph(sparse.csr_array(S))):
        for count in (1, 2, 3, 5):
            check(monkeypatch, lambda: vars(graph.whole_spectrum(count)), count)  # noqa: B023
        check(monkeypatch, lambda: vars(graph.eigengap_spectrum()))  # noqa: B023


@pytest.mark.parametrize("similarity", ["rbf", KNN(3)])
def test_sselect_with_the_smallest_cut(similarity, monkeypatch):
    X, y = table(16)
    X = np.repeat(X[:8], 2, axis=0).round(1)
    few = np.where(np.arange(16) % 4 < 2, y, -1)
    check(monkeypatch, lambda: fitted(es.SSelect(3, similarity=similarity, regularization="auto"), X, few))


# -- tables whose own graph has equal eigenvalues --------------------------------------------


def polygon(n):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])


TABLES = {
    "simplex and centre": np.vstack([np.eye(6), np.zeros((1, 6))]) + 0.1,
    "polygon": polygon(10) + 3,
    "duplicated samples": np.repeat(np.random.default_rng(5).random((7, 4)), 2, axis=0),
    "corners of a cube": np.array(np.meshgrid([1, 2], [1, 2], [1, 2.5])).reshape(3, -1).T,
    "smooth": np.random.default_rng(6).random((40, 2)),
}


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_methods_on_a_table(X, monkeypatch):
    y = np.arange(len(X)) % 3
    for similarity, count in product((RBF(bandwidth=1.0), KNN(3, bandwidth=1.0), Linear()), (None, 2, 3, 5)):
        selector = es.EVSC(2, similarity=similarity, n_eigenvalues=count)
        check(monkeypatch, lambda: fitted(selector, X), selector)  # noqa: B023
    for options in ({"target": "pca"}, {"target": "pca", "n_outputs": 2}, {"target": "lda"}, {"target": "svm"}, {}):
        check(monkeypatch, lambda: fitted(es.MRSF(2, tol=1e-12, **options), X, y), options)  # noqa: B023


def test_msfs_and_kogs(monkeypatch):
    X, y = table(12)
    sources = [("a", SampleSimilarity(ring(12))), ("b", AuxiliaryData(polygon(12))), ("c", TargetData())]
    for weights, ranking in product(("equal", "discriminant", "alignment"), ("phi2", "phi3")):
        selector = es.MSFS(3, sources=sources, weights=weights, ranking=ranking, n_clusters=3)
        check(monkeypatch, lambda: fitted(selector, X, y), weights)  # noqa: B023
    rankers = [(SampleSimilarity(ring(12)), es.SPEC(ranking="phi3", n_clusters=2)), (None, es.FisherScore())]
    check(monkeypatch, lambda: fitted(es.KOGS(3, rankers=rankers), X, y))


@pytest.mark.parametrize(
    "selector", [es.LaplacianScore(3), es.FisherScore(3), es.ReliefF(3), es.HSICScore(3), es.TraceRatio(3)], ids=repr
)
def test_methods_without_eigenvectors(selector, monkeypatch):
    X, y = table(18)
    check(monkeypatch, lambda: fitted(selector, X, y))


# -- bounds, spectra, reports ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["torus", "equal clusters, apart", "isolated first and middle"])
def test_reports(name, monkeypatch):
    """Text, numbers, drawn coordinates and clusters."""
    S = GRAPHS[name]
    X, _ = table(len(S))

    def call():
        made = es.report(es.SPEC(3).fit(X, similarity_matrix=S), X)
        return {"summary": made.summary, "markdown": made.to_markdown()}

    check(monkeypatch, call)


def test_reports_of_methods_that_cut(monkeypatch):
    X, _ = table(14)
    S = nearly_a_ring(14, 1e-10)
    for selector in (es.SPEC(3, ranking="phi3", n_clusters=2), es.MRSF(3, n_outputs=2)):
        check(monkeypatch, lambda made=selector: es.report(made.fit(X, similarity_matrix=S), X).summary)
    points = polygon(12) * [1, 1.5, 2, 2.5]
    check(monkeypatch, lambda: es.report(es.EVSC(3, n_eigenvalues=3).fit(points), points).summary)


@pytest.mark.slow
def test_comparisons(monkeypatch):
    X, y = table(24)
    selectors = {
        "phi3": es.SPEC(ranking="phi3", n_clusters=2),
        "mrsf": es.MRSF(n_outputs=2),
        "evsc": es.EVSC(n_eigenvalues=3),
    }

    def call():
        summary = compare(selectors, X, y, n_features=2, sizes=(2,), n_splits=2).summary
        for row in summary["methods"].values():
            del row["seconds"]
        return summary

    check(monkeypatch, call, seeds=[0])
