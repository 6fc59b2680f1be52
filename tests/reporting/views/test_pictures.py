"""Maps that came with the table: which is drawn first, what is said of each, and how they are rounded."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

import eigenselect as es
from eigenselect.graph import SampleGraph
from eigenselect.graph.origin import Origin
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views.pictures import SHORT_EDGES, STEPS, is_spatial, pictures_view

RNG = np.random.default_rng(0)
PLACES = RNG.uniform([1e4, -3e3], [15e3, 2e3], size=(80, 2))
NEAR = kneighbors_graph(PLACES, 5)
NEAR = ((NEAR + NEAR.T) > 0).astype(float)
X = RNG.normal(size=(80, 6))


def fitted(S=None, **coordinates):
    selector = es.SPEC(3).fit(X, similarity_matrix=S)
    return Fitted(selector, X, None, [f"x{j}" for j in range(6)], coordinates=coordinates)


def gearys_c(S, places):
    """By the book: over all pairs."""
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    return (S * squares).sum() / S.sum() / (squares.sum() / len(places) ** 2)


class TestWhichIsFirst:
    @pytest.mark.parametrize(
        ("S", "names", "first"),
        [
            (None, [], "eigenvectors"),
            (None, ["X_pca", "X_tsne"], "eigenvectors"),
            (None, ["spatial"], "eigenvectors"),
            (None, ["spatial", "X_umap"], "X_umap"),
            (NEAR, ["spatial", "X_umap"], "spatial"),
            (
                NEAR[RNG.permutation(80)][:, RNG.permutation(80)].maximum(NEAR[::-1][:, ::-1]),
                ["spatial"],
                "eigenvectors",
            ),
        ],
    )
    def test_the_slide_of_a_graph_on_it_then_umap(self, S, names, first):
        S = S if S is None else S.maximum(S.T)
        found = pictures_view(fitted(S, **dict.fromkeys(names, PLACES)), np.arange(80))
        assert found["first"] == first
        assert [plane["key"] for plane in found["planes"]] == names


class TestIsSpatial:
    def test_it_is_a_level_of_gearys_c(self):
        """Graphs from near to far: the answer changes where C passes the level."""
        order = np.argsort(((PLACES[:, None] - PLACES[None]) ** 2).sum(axis=2), axis=1)
        seen = []
        for first in range(1, 75, 4):
            S = np.zeros((80, 80))
            np.put_along_axis(S, order[:, first : first + 3], 1.0, axis=1)
            S = S + S.T
            for stored in (S, sparse.csr_matrix(S)):
                assert is_spatial(SampleGraph(stored, origin=Origin.GIVEN), PLACES) == (
                    gearys_c(S, PLACES) <= SHORT_EDGES
                )
            seen.append(gearys_c(S, PLACES) <= SHORT_EDGES)
        assert len(set(seen)) == 2

    def test_a_graph_of_the_features_never_is(self):
        graph = es.LaplacianScore(2).fit(PLACES).graph_
        assert not is_spatial(graph, PLACES)
        assert is_spatial(SampleGraph(graph.affinity, origin=Origin.GIVEN), PLACES)

    def test_what_cannot_be_told(self):
        assert not is_spatial(None, PLACES)
        assert not is_spatial(SampleGraph(NEAR, origin=Origin.GIVEN), np.ones((80, 2)))


class TestPlanes:
    def test_rounding_is_below_what_can_be_seen(self):
        found = pictures_view(fitted(spatial=PLACES, X_umap=PLACES * 1e-7), np.arange(80))
        for plane, scale in zip(found["planes"], (1.0, 1e-7), strict=True):
            true = (PLACES - PLACES.min(axis=0)) * scale
            width = np.ptp(true, axis=0)
            assert (np.abs(np.array(plane["coordinates"]).T - true) <= width / STEPS).all()
        assert max(len(repr(value)) for value in found["planes"][0]["coordinates"][0]) <= 6

    def test_only_the_drawn_samples(self):
        shown = np.array([3, 5, 70])
        found = pictures_view(fitted(X_umap=PLACES), shown)["planes"][0]["coordinates"]
        whole = PLACES[shown] - PLACES[shown].min(axis=0)
        np.testing.assert_allclose(np.array(found).T, whole, atol=0.5)

    def test_all_at_one_place(self):
        found = pictures_view(fitted(X_pca=np.ones((80, 2))), np.arange(80))
        assert found["planes"][0]["coordinates"] == [[0.0] * 80] * 2

    def test_what_is_said(self):
        planes = pictures_view(fitted(spatial=PLACES, X_tsne=PLACES), np.arange(80))["planes"]
        slide, other = planes
        assert slide["spatial"]
        assert "downward" in slide["sentence"]
        assert not other["spatial"]
        assert other["name"] == "t-SNE"
        assert other["axes"] == ["t-SNE 1", "t-SNE 2"]
        assert "X_tsne of obsm, made elsewhere, from all features that its maker used" in other["sentence"]


@pytest.mark.parametrize(("step", "first"), [(1e-320, 0.0), (1e-306, 0.0), (1e300, 0.0), (1e306, 1.6e308)])
def test_places_of_any_size_are_drawn(step, first):
    places = np.column_stack([first + step * np.arange(9.0), np.zeros(9)])
    line = SampleGraph(np.eye(9, k=1) + np.eye(9, k=-1), origin=Origin.GIVEN)
    assert is_spatial(line, places)
    (plane,) = pictures_view(fitted(X_umap=np.resize(places, (80, 2))), np.arange(9))["planes"]
    np.testing.assert_allclose(plane["coordinates"][0], step * np.arange(9.0), rtol=1e-3)
