"""What a page says of why a feature was chosen stands beside what shuffled values would have."""

import json

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es
from another_basis import use_another_basis
from eigenselect.matrix import as_matrix
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import explanations
from eigenselect.reporting.views.drawing import Drawing
from eigenselect.reporting.views.drawn_graph import draw_graph
from eigenselect.reporting.views.explanations import explanations_view
from eigenselect.similarity import KNN, FromTable


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def fitted(rng):
    X = rng.normal(size=(50, 8))
    X[:, :3] += 1.5 * (np.arange(50) % 2)[:, None]
    return es.LaplacianScore(3, similarity=KNN(6)).fit(X), X


def view_of(selector, X, shown=None):
    drawn = draw_graph(selector, X, 0)
    rows = drawn.rows if shown is None else shown
    return explanations_view(drawn, as_matrix(X), selector.ranking_.argsort(), rows), drawn


def test_shares_are_those_of_the_scores(fitted):
    selector, X = fitted
    view, _ = view_of(selector, X)
    assert view["whole"]
    borders = np.array(view["borders"])
    for column, row in zip(selector.ranking_.argsort(), view["features"], strict=True):
        scales = selector.explain(X, column).scales
        bins = np.clip(np.searchsorted(borders, scales.eigenvalues + 1e-9, side="right") - 1, 0, borders.size - 2)
        np.testing.assert_allclose(row["shares"], np.bincount(bins, scales.shares, borders.size - 1), atol=1e-12)
        np.testing.assert_allclose(view["expected"], np.bincount(bins, scales.expected, borders.size - 1), atol=1e-12)
        assert sum(row["shares"]) == pytest.approx(1.0)


def test_of_a_large_graph_what_is_beyond_the_drawn_eigenvectors_is_one_bin(fitted, monkeypatch):
    selector, X = fitted
    monkeypatch.setattr(explanations, "FULL_SAMPLES", 10)
    view, drawn = view_of(selector, X)
    assert not view["whole"]
    assert len(view["borders"]) == explanations.LEADING_BINS + 2
    known = drawn.spectrum.eigenvalues[1 : drawn.n_whole]
    assert view["borders"][-2] == pytest.approx(known.max())
    for column, row in zip(selector.ranking_.argsort(), view["features"], strict=True):
        scales = selector.explain(X, column).scales
        beyond = scales.eigenvalues > known.max() + 1e-9
        assert row["shares"][-1] == pytest.approx(scales.shares[beyond].sum(), abs=1e-9)
        assert view["expected"][-1] == pytest.approx(scales.expected[beyond].sum(), abs=1e-9)
        assert sum(row["shares"]) == pytest.approx(1.0)


def test_shuffled_values_have_the_shares_that_are_expected_of_them(fitted, rng):
    """Of 50 shuffled features on a graph that does not know them: the mean, and one in a hundred above the level."""
    selector, X = fitted
    found = []
    for seed in range(20):
        noise = rng.normal(size=(50, 50))
        drawn = draw_graph(selector, X, seed)
        view = explanations_view(drawn, as_matrix(noise), np.arange(50), drawn.rows)
        found.append([row["shares"] for row in view["features"]])
    shares, expected = np.concatenate(found), np.array(view["expected"])
    np.testing.assert_allclose(shares.mean(axis=0), expected, atol=4 * shares.std(axis=0).max() / np.sqrt(len(shares)))
    above = (shares > view["level"])[:, expected > 0].mean()
    assert 0.002 < above < 0.025  # degrees differ, so that Beta is not exact


def test_edges_are_the_roughest_between_points_that_are_drawn(fitted):
    selector, X = fitted
    shown = np.arange(0, 50, 3)
    view, _ = view_of(selector, X, shown)
    column = selector.ranking_.argmin()
    why, row = selector.explain(X, column), view["features"][0]
    pairs = np.stack([why.edges.first, why.edges.second], axis=1)[: explanations.SHOWN_EDGES]
    both = np.isin(pairs, shown).all(axis=1)
    np.testing.assert_array_equal(shown[np.array(row["edges"])], pairs[both])
    part = why.edges.terms[: explanations.SHOWN_EDGES][both].sum() / why.edges.terms.sum()
    assert row["edge_share"] == pytest.approx(part)


def test_a_constant_feature_has_no_shares(rng):
    X = rng.normal(size=(30, 4))
    X[:, 2] = 3.0
    with pytest.warns(es.exceptions.UndefinedScoreWarning):
        selector = es.LaplacianScore(2, similarity=KNN(5)).fit(X)
    view, _ = view_of(selector, X)
    assert view["features"][-1] == {"shares": None, "edges": [], "edge_share": 0.0}
    assert None not in [row["shares"] for row in view["features"][:-1]]


def test_its_size_is_bounded_whatever_the_table_is(rng):
    X = rng.normal(size=(40, 120))
    selector = es.SPEC(3, similarity="rbf").fit(X)
    view, _ = view_of(selector, X)
    assert len(view["features"]) == explanations.SHOWN_FEATURES == 50
    assert max(len(row["edges"]) for row in view["features"]) == explanations.SHOWN_EDGES == 20
    assert len(view["features"][0]["shares"]) == explanations.BINS <= 32
    assert json.loads(json.dumps(view, allow_nan=False)) == view


@pytest.mark.parametrize("budget", [200_000, 10])
def test_graphs_with_too_many_edges_show_none(fitted, budget, monkeypatch):
    monkeypatch.setattr(explanations, "MOST_EDGES", budget)
    view, _ = view_of(*fitted)
    assert bool(view["features"][0]["edges"]) == (budget > 10)


@pytest.mark.parametrize("similarity", ["diffusion", "knn"])
def test_diffusion_has_scales_but_no_edges(similarity, fitted):
    X = fitted[1]
    view, _ = view_of(es.LaplacianScore(2, similarity=similarity).fit(X), X)
    assert sum(view["features"][0]["shares"]) == pytest.approx(1.0)
    assert bool(view["features"][0]["edges"]) == (similarity == "knn")


def test_no_number_depends_on_the_basis(rng, monkeypatch):
    ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    S = np.kron(ring, np.eye(6)) + np.kron(np.eye(6), ring)
    X = rng.normal(size=(36, 5))
    found = []
    for seed in (None, 0, 1):
        if seed is not None:
            use_another_basis(monkeypatch, seed)
        found.append(view_of(es.LaplacianScore(2).fit(X, similarity_matrix=S), X)[0])
    for other in found[1:]:
        for name in ("borders", "expected", "level"):
            np.testing.assert_allclose(other[name], found[0][name], atol=1e-10)
        for row, same in zip(other["features"], found[0]["features"], strict=True):
            np.testing.assert_allclose(row["shares"], same["shares"], atol=1e-10)


def test_sparse_tables_and_graphs_that_are_not_there(fitted):
    selector, X = fitted
    thin = np.where(X > 0, X, 0.0)
    selector = es.LaplacianScore(3, similarity=KNN(6)).fit(thin)
    dense, _ = view_of(selector, thin)
    assert view_of(selector, sparse.csr_array(thin))[0] == dense
    drawing = Drawing(Fitted(selector, thin, None, list("abcdefgh")))
    assert drawing.explanations == dense
    drawing.__dict__["graph"] = None
    del drawing.__dict__["explanations"]
    assert drawing.explanations is None


def test_a_graph_of_labels_did_not_see_the_features_and_one_of_neighbours_did(fitted, rng):
    selector, X = fitted
    assert view_of(selector, X)[0]["saw_features"]
    elsewhere = es.LaplacianScore(3, similarity=FromTable(rng.normal(size=(50, 2)))).fit(X)
    assert not view_of(elsewhere, X)[0]["saw_features"]
