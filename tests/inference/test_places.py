"""Where over the samples a form comes from: terms of samples and edges against naive sums."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from eigenselect.criteria.criterion import phi, spectral_form
from eigenselect.criteria.quadratic import AbsoluteForm, ChebyshevForm, KernelForm, PowerForm, feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.inference import places
from eigenselect.inference.places import edge_terms, list_edges, local_energy, sample_terms
from eigenselect.spectral import Heat, chebyshev_series

KINDS = {
    "dense": np.asarray,
    "sparse": sparse.csr_array,
    "implicit": aslinearoperator,
}


def centred(graph, values):
    return values - graph.mass @ values / graph.volume


def naive_energy(S, u, cost):
    return np.array([0.5 * sum(S[i, j] * cost(u[i] - u[j]) for j in range(len(u))) for i in range(len(u))])


@pytest.mark.parametrize("kind", KINDS)
def test_every_sample_has_half_of_its_edges(kind, make_similarity, rng, monkeypatch):
    monkeypatch.setattr(places, "BLOCK", 60)  # several blocks of rows
    S, u = make_similarity(isolated=2), rng.normal(size=24)
    found = local_energy(SampleGraph(KINDS[kind](S)), u)
    np.testing.assert_allclose(found, naive_energy(S, u, np.square), rtol=1e-12, atol=1e-14)
    assert (found[-2:] == 0).all()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_absolute_differences(kind, make_similarity, rng):
    S, u = make_similarity(), rng.normal(size=24)
    np.testing.assert_allclose(
        local_energy(SampleGraph(KINDS[kind](S)), u, np.abs), naive_energy(S, u, np.abs), rtol=1e-12
    )


def test_samples_of_a_class_graph_are_as_far_as_from_their_mean(rng):
    codes, u = rng.permutation(np.repeat([0, 1, 2], [4, 1, 7])), rng.normal(size=12)
    found = local_energy(SampleGraph(ClassMeans(codes, 3)), u)
    expected = [(u[i] - u[codes == codes[i]].mean()) ** 2 for i in range(12)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-16)


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
    graph = SampleGraph(sparse.csr_array(make_similarity(blocks=2, isolated=1)))
    for form in forms(graph):
        f = np.where(graph.isolated, 0.0, rng.normal(size=24) + 5)
        whole = feature_terms(f[:, None], graph, form).quadratic[0]
        terms = sample_terms(form, centred(graph, f), graph)
        assert terms.shape == (24,)
        assert terms.sum() == pytest.approx(whole, rel=1e-11), form


def test_terms_are_f_times_its_image(make_similarity, rng):
    """Of forms that are no sums of squares: g_i (M^1/2 A M^1/2 g)_i, with A as a matrix."""
    graph = SampleGraph(make_similarity())
    root, g = np.sqrt(graph.mass), centred(graph, rng.normal(size=24))
    for form in list(forms(graph))[5:8]:
        expected = g * (root * (form.matrix(graph) @ (root * g)))
        np.testing.assert_allclose(sample_terms(form, g, graph), expected, rtol=1e-9, atol=1e-12)


def test_the_square_of_n_says_how_far_samples_are_from_the_mean_of_their_neighbours(make_similarity, rng):
    S, g = make_similarity(), rng.normal(size=24)
    graph = SampleGraph(S)
    mean = S @ g / S.sum(axis=1)
    np.testing.assert_allclose(sample_terms(PowerForm(2), g, graph), graph.mass * (g - mean) ** 2, rtol=1e-11)


def test_another_form_is_refused():
    with pytest.raises(TypeError, match="No terms over samples are known for int"):
        sample_terms(3, np.zeros(2), SampleGraph(np.ones((2, 2))))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("most", [2_000_000, 10])
def test_edges(kind, most, make_similarity, rng, monkeypatch):
    monkeypatch.setattr(places, "BLOCK", 60)
    monkeypatch.setattr(places, "MOST_EDGES", most)
    S, u = make_similarity() + np.eye(24), rng.normal(size=24)  # an edge to itself has no difference
    found = list_edges(SampleGraph(KINDS[kind](S)), u)
    naive = {(i, j): S[i, j] * (u[i] - u[j]) ** 2 for i in range(24) for j in range(i + 1, 24) if S[i, j]}
    largest = sorted(naive, key=lambda pair: -naive[pair])
    listed = len(largest) if kind == "sparse" else min(most, len(largest))
    assert list(zip(found.first, found.second, strict=True)) == largest[:listed]
    np.testing.assert_allclose(found.terms, [naive[pair] for pair in largest[:listed]], rtol=1e-14)
    assert found.terms.sum() + found.rest == pytest.approx(sum(naive.values()), rel=1e-12)
    assert (found.rest == 0) == (listed == len(largest))


def test_edges_of_any_sign_are_sorted_by_magnitude(rng):
    W = rng.normal(size=(6, 6))
    graph = SampleGraph(sparse.csr_array(W + W.T), mass=np.ones(6), signed=True)
    found = edge_terms(AbsoluteForm(), rng.normal(size=6), graph)
    assert (found.terms < 0).any()
    assert (np.diff(np.abs(found.terms)) <= 0).all()


@pytest.mark.parametrize("form", [PowerForm(2), PowerForm(3), KernelForm(np.eye(4), np.zeros(4))], ids=str)
def test_forms_without_edges(form):
    assert edge_terms(form, np.arange(4.0), SampleGraph(np.ones((4, 4)))) is None


def test_an_implicit_similarity_has_no_edges():
    assert edge_terms(PowerForm(1), np.arange(4.0), SampleGraph(ClassMeans(np.zeros(4, dtype=int), 1))) is None


def test_a_frame_of_edges():
    graph = SampleGraph(np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    frame = list_edges(graph, np.array([0.0, 1, 3])).scaled(10.0, np.array([5, 6, 7])).to_frame()
    assert frame.to_dict("list") == {"first": [6, 5], "second": [7, 6], "term": [80.0, 10.0]}
