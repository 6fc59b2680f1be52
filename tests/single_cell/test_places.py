"""Coordinates that say nothing of who is near are refused, and doubtful ones told."""

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.single_cell.places import check_places

NAME = "obsm['spatial']"


@pytest.fixture
def places(rng):
    return rng.random((30, 2))


def test_places_of_their_own_are_left_alone(places):
    for values in (places, places.astype(np.float32), (1000 * places).astype(int), sparse.csr_array(places)):
        assert check_places(values, NAME, "rank", 3) == ""


def test_what_is_no_table_of_numbers_is_left_to_others():
    for values in (np.zeros(3), np.zeros((3, 2, 2)), np.zeros((3, 0)), np.array([["a"], ["b"]]), np.zeros((1, 2))):
        assert check_places(values, NAME, "rank", 3) == ""


@pytest.mark.parametrize("value", [0.0, -7.5, 1e300])
def test_one_place_for_all_is_refused(value):
    with pytest.raises(ValueError, match=r"rank: all 30 cells have the same place in obsm\['spatial'\], so that none"):
        check_places(np.full((30, 2), value), NAME, "rank", 3)


def test_zero_has_one_place():
    with pytest.raises(ValueError, match="all 4 cells"):
        check_places(np.array([[0.0], [-0.0], [0.0], [-0.0]]), NAME, "rank")


@pytest.mark.parametrize("copies", [2, 4, 5, 20])
def test_more_at_one_place_than_neighbours_are_told(places, copies):
    """Of up to n_neighbors + 1 at a place, all have the others for neighbours; of more the table's order decides."""
    places[:copies] = places[0]
    doubt = check_places(places, NAME, "rank", 3)
    assert bool(doubt) == (copies > 4)
    assert not doubt or doubt.startswith(f"{copies} of 30 cells have one and the same place in obsm['spatial']")
    assert check_places(places, NAME, "rank") == ""


@pytest.mark.parametrize(
    ("missing", "says"), [([3], "1 of 30 cells has no place"), ([3, 9], "2 of 30 cells have no p")]
)
def test_missing_places_are_counted_with_code_that_leaves_them_out(places, missing, says):
    anndata = pytest.importorskip("anndata")
    places[missing, 1] = np.nan
    with pytest.raises(ValueError, match=says) as caught:
        check_places(places, NAME, "rank")
    code = str(caught.value).split("out: ")[1].rstrip(".")
    adata = anndata.AnnData(np.ones((30, 2)), obsm={"spatial": places})
    assert eval(code, {"np": np, "adata": adata}).n_obs == 30 - len(missing)


class TestTheVerb:
    @pytest.fixture
    def adata(self, rng, places):
        return pytest.importorskip("anndata").AnnData(rng.normal(size=(30, 4)), obsm={"spatial": places})

    def test_refuses_one_place(self, adata):
        adata.obsm["spatial"] = np.ones((30, 2))
        with pytest.raises(ValueError, match="spectral_features: all 30 cells have the same place"):
            es.pp.spectral_features(adata, use_rep="spatial")

    def test_warns_of_many_at_one(self, adata):
        adata.obsm["spatial"][:20] = 0.5
        with pytest.warns(UserWarning, match="20 of 30 cells have one and the same place .*, more than the 14 neighb"):
            es.pp.spectral_features(adata, use_rep="spatial")
