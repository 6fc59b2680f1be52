"""Sentences on graphs and spectral functions hold the numbers of the fit."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.papers.graph_words import graph_sentence, graph_words, spectral_sentence
from eigenselect.similarity import KNN, RBF, Diffusion, FromTable, Geodesic
from eigenselect.spectral import CAR, Heat


@pytest.fixture(scope="module")
def X():
    return np.abs(np.random.default_rng(0).normal(size=(30, 5)))


def sentence(X, similarity, **fit):
    return graph_sentence(es.SPEC(2, similarity=similarity).fit(X, **fit).graph_.describe())


def test_neighbours_and_the_bandwidth_that_was_found(X):
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    near = np.argsort(distances + np.diag(np.full(30, np.inf)), axis=1)[:, :4]
    joined = np.zeros((30, 30), dtype=bool)
    joined[np.arange(30)[:, None], near] = True
    joined |= joined.T
    sigma = np.median(distances[np.triu(joined)])
    found = sentence(X, KNN(4))
    assert "the 4 nearest neighbours of the other (Euclidean distance) and weighted by exp(-d²/2σ²)" in found
    assert f"(σ = {sigma:.4g}, the median of these distances)." in found


@pytest.mark.parametrize(
    ("similarity", "words"),
    [
        (KNN(3, "binary"), "3 nearest neighbours of the other (Euclidean distance) and weighted by 1."),
        (KNN(3, "cosine", metric="cosine"), "(cosine distance) and weighted by their cosine."),
        (KNN(3, bandwidth="self-tuning"), "weighted by exp(-d²/2σᵢσⱼ), d their distance"),
        (RBF(2.5), "Any two samples were joined and weighted by exp(-d²/2σ²), d their distance (σ = 2.5)."),
        (Diffusion(0.5, 3), "the heat that flows between them over that graph in time 0.5."),
        (Geodesic(3), "along the shortest path over the graph of 3 nearest neighbours."),
        ("linear", "The similarity of two samples was their inner product."),
        ("cosine", "The similarity of two samples was their cosine."),
        (lambda X: X @ X.T, "The sample graph was made by <lambda>."),
    ],
)
def test_every_similarity_has_its_sentence(X, similarity, words):
    assert words in sentence(X, similarity)


def test_graphs_from_elsewhere(X):
    assert "(Euclidean distance, measured in another table)" in sentence(X, FromTable(X[:, :2]))
    assert sentence(X, "knn", similarity_matrix=np.ones((30, 30))) == "The similarity of samples was given as a matrix."
    labelled = es.FisherScore(2).fit(X, np.arange(30) % 2).graph_.describe()
    assert graph_sentence(labelled) == "Samples of one class were joined and weighted by one over its size."


def test_without_a_graph_there_is_nothing_to_say(X):
    assert graph_sentence({}) == ""
    assert graph_sentence(es.Variance(2).fit(X).graph_.describe()) == ""


def test_few_words():
    assert graph_words({"similarity": "RBF", "bandwidth_used": 0.12345}) == "RBF, σ = 0.1235"
    assert graph_words({"similarity": "KNN", "n_neighbors": 3, "weight": "rbf", "bandwidth_used": None}) == (
        "KNN, 3 neighbours, rbf weights"
    )
    assert graph_words({}) == ""


@pytest.mark.parametrize(
    ("function", "words", "names"),
    [
        ("identity", "", []),
        (None, "", []),
        (1, "", []),
        (2.5, "counted as γ(λ) = λ^2.5.", []),
        (Heat(3), "γ(λ) = 1 - exp(-3 λ), the heat kernel (Kondor & Lafferty 2002).", ["Kondor"]),
        (CAR(0.25), "with ρ = 0.25, a conditional autoregression (Besag 1974).", ["Besag"]),
        (np.sqrt, "counted as sqrt(λ).", []),
    ],
)
def test_spectral_functions(function, words, names):
    cited = Citations()
    found = spectral_sentence(function, cited)
    assert found.endswith(words)
    assert (found == "") == (words == "")
    assert [reference["text"].split(",")[0] for reference in cited.listed()] == names


def test_a_projection_and_an_approximate_search_are_told():
    facts = {"similarity": "KNN", "n_neighbors": 5, "metric": "euclidean", "weight": "binary"}
    plain = graph_sentence(facts)
    told = graph_sentence({**facts, "projected": "pca to 9 dimensions", "search": "approximate, by pynndescent"})
    assert "(Euclidean distance, after projection (pca to 9 dimensions), search: approximate, by pynndescent)" in told
    assert "(Euclidean distance)" in plain
