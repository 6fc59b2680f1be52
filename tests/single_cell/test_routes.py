"""Which way to p-values is taken where, and what is said where there is none."""

from dataclasses import replace

import pytest

import eigenselect as es
from eigenselect.inference import Given, Permutation, Shadows, Split
from eigenselect.single_cell.provenance import Provenance
from eigenselect.single_cell.rebuilt_neighbors import AsGiven, Rebuilt
from eigenselect.single_cell.routes import route_for, untested
from eigenselect.single_cell.sample_graphs import CellStructure

TISSUE = CellStructure("obsp['s']", {}, Provenance(True, "it is spatial"), graph=1, parameters={"n_neighbors": 6})
NEIGHBORS = CellStructure("obsp['c']", {}, Provenance(False, "made of genes"), graph=1, parameters={"n_neighbors": 6})
LABELS = CellStructure("obs['t']", {}, Provenance(False, "a clustering"), labels=1)


def route(significance, structure=NEIGHBORS, selector=None, name="laplacian"):
    selector = es.LaplacianScore() if selector is None else selector
    return route_for(significance, name, selector, structure, n_genes=1000, n_components=40, owner="pp")


def test_auto_is_as_given_where_the_genes_did_not_make_it():
    assert type(route("auto", TISSUE)[0]) is AsGiven
    assert type(route("auto", None)[0]) is AsGiven  # sources of another modality
    assert route("auto", NEIGHBORS) == (None, "made of genes")
    assert route("auto", LABELS) == (None, "a clustering")


@pytest.mark.parametrize("structure", [TISSUE, NEIGHBORS, LABELS])
@pytest.mark.parametrize("significance", ["given", True, Given(0.2), Permutation(0.2)])
def test_who_says_given_means_it(structure, significance):
    found, why = route(significance, structure)
    assert type(found) is AsGiven
    assert not why
    assert found.precision == getattr(significance, "precision", 0.1)


@pytest.mark.parametrize(("significance", "kind"), [("split", Split), ("shadows", Shadows), (Split(n_folds=3), Split)])
def test_neighbours_are_made_again(significance, kind):
    found, why = route(significance)
    assert isinstance(found, Rebuilt)
    assert type(found.route) is kind
    assert found.route.n_components == 40
    assert not why
    if isinstance(significance, Split):
        assert found.route.n_folds == 3


@pytest.mark.parametrize("significance", [None, False])
def test_nothing_is_asked_for(significance):
    assert route(significance, TISSUE) == (None, "")


def test_a_selector_of_ones_own_may_say_it():
    assert isinstance(route("auto", selector=es.LaplacianScore(significance="split"))[0], Rebuilt)
    assert route(None, TISSUE, es.LaplacianScore(significance="given")) == (None, "")


def test_methods_without_p_values():
    assert route("auto", TISSUE, es.Variance(), "variance") == (None, "the method 'variance' has no p-values")
    with pytest.raises(ValueError, match="pp: method='variance' has no p-values; use significance=None"):
        route("given", TISSUE, es.Variance(), "variance")
    with pytest.raises(
        ValueError, match="pp: significance must be 'auto', None, 'given', 'split', 'shadows' or an obj"
    ):
        route("sure")


class TestWords:
    def test_neighbours(self):
        said = untested({"laplacian": "made of genes"}, NEIGHBORS, 2000, "pp")
        assert said == (
            "pp: p- and q-values are NaN, because made of genes, and noise looks significant on what it made, too; use "
            "significance='split' to find neighbours again from the other genes, or significance='given' if these "
            "genes did not make it; n_top_genes=None then takes the 2000 best."
        )
        assert "n_top_genes" not in untested({"laplacian": "made of genes"}, NEIGHBORS, None, "pp")

    def test_split_is_not_offered_where_it_cannot_be(self):
        assert "split" not in untested({"laplacian": "a clustering"}, LABELS, None, "pp")
        said = untested({"variance": "the method 'variance' has no p-values"}, NEIGHBORS, None, "pp")
        assert said == "pp: p- and q-values are NaN, because the method 'variance' has no p-values."

    @pytest.mark.parametrize("parameters", [{"use_rep": "X_scVI"}, {"n_pcs": 20, "metric": "correlation"}])
    def test_what_split_takes_is_said_where_these_neighbours_cannot_be_found_again(self, parameters):
        said = untested({"laplacian": "made of genes"}, replace(NEIGHBORS, parameters=parameters), None, "pp")
        assert "; run `pp.neighbors` on principal components to use significance='split', or use significance=" in said

    def test_several_methods(self):
        none = "the method 'variance' has no p-values"
        said = untested({"moran": "", "variance": none}, TISSUE, 3, "pp")
        assert said == f"pp: p-values are those of 'moran' alone, because {none}."
        assert "made of genes" in untested({"variance": none, "moran": "made of genes"}, NEIGHBORS, None, "pp")
        assert untested({"moran": "", "geary": ""}, TISSUE, 3, "pp") == ""
