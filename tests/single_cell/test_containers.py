"""AnnData, MuData and SpatialData by their class; keys of other modalities, cells matched by name."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.single_cell.containers import annotated_of, is_anndata, is_mudata, is_spatialdata, place_of
from single_cell.cells import modalities_keep_their_columns

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")


@pytest.fixture(autouse=True)
def _modalities_keep_their_columns():
    """As from mudata 0.4 on; before, every MuData warns of it."""
    with modalities_keep_their_columns():
        yield


def cells(n, m, names):
    """A table whose genes have names of their own."""
    genes = [f"gene{j}of{m}" for j in range(m)]
    return anndata.AnnData(
        np.arange(n * m, dtype=float).reshape(n, m), obs={"obs_names": names}, var={"var_names": genes}
    )


@pytest.fixture
def both(rng):
    """Six cells of rna; of protein the same and one more, in another order, with a graph, a table and labels."""
    names = np.array([f"cell{i}" for i in range(6)])
    rna = cells(6, 4, names)
    order = rng.permutation(7)
    protein = cells(7, 2, np.append(names, "more")[order])
    graph = rng.random((7, 7))
    protein.obsp["near"] = sparse.csr_matrix(graph)
    protein.obsp["dense"] = graph
    protein.obsm["X_pca"] = order[:, None] * np.ones(2)
    protein.obs["type"] = np.array(list("abcdefg"))[order]
    return mudata.MuData({"rna": rna, "prot": protein}), graph[np.ix_(order.argsort()[:6], order.argsort()[:6])]


class Tables:
    """What a SpatialData shows of its tables."""

    __module__ = "spatialdata._core"

    def __init__(self, **tables):
        self.tables = tables


SpatialData = type("SpatialData", (Tables,), {"__module__": "spatialdata._core.spatialdata"})


class TestAnnotatedOf:
    def test_what_is_written_is_in_the_data(self, both):
        mdata, _ = both
        assert annotated_of(mdata, modality="rna") is mdata.mod["rna"]
        table = mdata.mod["rna"]
        assert annotated_of(table, table_key="passed over") is table
        assert annotated_of(SpatialData(table=table)) is table
        assert annotated_of(SpatialData(a=table, b=mdata.mod["prot"]), table_key="a") is table

    def test_views_and_subclasses(self, both):
        view = both[0].mod["rna"][:3]
        assert is_anndata(view)
        assert annotated_of(view) is view
        assert not is_mudata(view)
        assert is_spatialdata(SpatialData())
        assert not is_spatialdata(Tables())

    @pytest.mark.parametrize(
        ("call", "sentence"),
        [
            (
                lambda m: annotated_of(m, owner="pp.x"),
                "pp.x: expected modality= .*; this MuData has 'rna', 'prot'",
            ),
            (lambda m: annotated_of(m, modality="RNA"), "no modality is named 'RNA'; did you mean 'rna'?"),
            (lambda m: annotated_of(m.mod["rna"], modality="rna"), "modality='rna' is for a MuData, got an AnnData"),
            (
                lambda m: annotated_of(SpatialData(), table_key="t"),
                "no table_key is named 't'; .* has none",
            ),
            (lambda m: annotated_of(SpatialData(a=1, b=2)), r"expected table_key= .* this SpatialData has 'a', 'b'\."),
            (lambda m: annotated_of(mudata.MuData({"all": m}), modality="all"), "'all' is itself a MuData, with 'rna'"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.*:UserWarning", "ignore::FutureWarning")
    def test_sentences(self, both, call, sentence):
        with pytest.raises(ValueError, match=sentence):
            call(both[0])

    def test_arrays_are_for_selectors(self):
        with pytest.raises(TypeError, match="expected an AnnData, MuData or SpatialData, got a ndarray; selectors"):
            annotated_of(np.ones((3, 3)))


class TestPlaceOf:
    @pytest.mark.parametrize("key", ["near", "dense"])
    def test_graphs_are_those_of_the_cells(self, both, key):
        mdata, graph = both
        place = place_of(mdata, mdata.mod["rna"], f"prot:{key}", "obsp")
        assert (place.modality, place.key, place.is_of_another_modality) == ("prot", key, True)
        found = place.graph()
        assert sparse.issparse(found) == (key == "near")
        assert (found.toarray() if key == "near" else found).tolist() == graph.tolist()

    def test_labels_and_coordinates_are_those_of_the_cells(self, both):
        mdata, _ = both
        rna = mdata.mod["rna"]
        assert "".join(place_of(mdata, rna, "prot:type", "obs").labels()) == "abcdef"
        assert place_of(mdata, rna, "prot:X_pca", "obsm").coordinates()[:, 0].tolist() == list(range(6))

    def test_cells_that_are_not_there(self, both):
        mdata, _ = both
        protein = mdata.mod["prot"]
        mdata.mod["rna"].obs["phase"] = list("uvwxyz")
        mdata.mod["rna"].obsp["g"] = np.eye(6)
        labels = place_of(mdata, protein, "rna:phase", "obs").labels()
        assert labels.isna().tolist() == (protein.obs_names == "more").tolist()
        with pytest.raises(ValueError, match=r"1 cell of 7 is not in 'rna', which has 'g'; .*mdata\['rna'\].obs_names"):
            place_of(mdata, protein, "rna:g", "obsp").graph()
        common = mdata[mdata["rna"].obs_names].copy()  # what the sentence says
        assert place_of(common, common["prot"], "rna:g", "obsp").graph().tolist() == np.eye(6).tolist()

    def test_own_keys_come_first_also_with_a_colon(self, both):
        mdata, _ = both
        rna = mdata.mod["rna"]
        rna.obs["prot:type"] = "own"
        rna.obs["x"] = "own"
        for key in ("prot:type", "x", "rna:x"):
            place = place_of(mdata, rna, key, "obs")
            assert set(place.labels()) == {"own"}
            assert not place.is_of_another_modality
        assert place_of(rna, rna, "x", "obs").holder is rna

    def test_what_all_modalities_share_may_be_of_the_genes(self, both):
        mdata, _ = both
        mdata.obs["joint"] = mdata.obs_names
        place = place_of(mdata, mdata.mod["prot"], "joint", "obs")
        assert not place.is_of_another_modality
        assert list(place.labels()) == list(mdata.mod["prot"].obs_names)

    def test_a_key_that_is_nowhere(self, both):
        mdata, _ = both
        with pytest.raises(ValueError, match="pp.x: no entry of .obsp is named 'prot:neer'; did you mean 'prot:near'?"):
            place_of(mdata, mdata.mod["rna"], "prot:neer", "obsp", owner="pp.x")
        with pytest.raises(ValueError, match=r"no entry of .obsp is named 'spatial'; it has 'near', 'dense'\."):
            place_of(mdata.mod["prot"], mdata.mod["prot"], "spatial", "obsp")
        with pytest.raises(ValueError, match="no entry of .obsm is named 'X'; it is empty"):
            place_of(mdata.mod["rna"], mdata.mod["rna"], "X", "obsm")

    @pytest.mark.filterwarnings("ignore:Observation names are not unique")
    def test_repeated_names_cannot_be_matched(self, both):
        rna = both[0].mod["rna"]
        other = cells(3, 2, ["cell0", "cell0", "cell1"])
        other.obs["t"] = list("abc")
        with pytest.raises(ValueError, match=r"names of cells repeat where 'o:t' is \('cell0'\)"):
            place_of(type("MuData", (), {"__module__": "mudata", "mod": {"o": other}})(), rna, "o:t", "obs")
