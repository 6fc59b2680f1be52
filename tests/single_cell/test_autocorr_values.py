"""Which values: genes of X, layers and raw, columns of obs and obsm, by name, position, mask and default."""

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.gr import spatial_autocorr
from slides import moran, row_normalised, slide

LAYOUTS = [np.asarray, sparse.csr_matrix, sparse.csc_matrix]
pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")


def taken(adata, **options):
    """Names of the variables in the table that the verb returns."""
    return list(spatial_autocorr(adata, copy=True, **options).index)


def assert_takes(adata, values, names, **options):
    """The table has these variables, with Moran's I of these values, in any order."""
    table = spatial_autocorr(adata, copy=True, **options)
    assert sorted(map(str, table.index)) == sorted(map(str, names))
    W = row_normalised(adata.obsp["spatial_connectivities"].toarray())
    values = values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=float)
    expected = [moran(W, x) if np.ptp(x) else np.nan for x in values.T]
    found = np.sort(table["I"])
    np.testing.assert_allclose(found, np.sort(expected), atol=1e-12)


class TestGenes:
    def test_all_or_those_that_are_flagged(self):
        for layout in LAYOUTS:
            adata = slide(layout=layout)
            assert_takes(adata, adata.X, adata.var_names)
            for flags in (np.arange(8) % 3 == 0, pd.Categorical(np.arange(8) % 3 == 0)):
                adata.var["highly_variable"] = flags
                assert_takes(adata, adata.X[:, [0, 3, 6]], ["gene0", "gene3", "gene6"])

    @pytest.mark.parametrize(
        ("genes", "columns", "names"),
        [
            ("gene5", [5], ["gene5"]),
            (["gene5", "gene1"], [5, 1], ["gene5", "gene1"]),
            (pd.Index(["gene1"]), [1], ["gene1"]),
            (pd.Series(["gene1", "gene1"]), [1, 1], ["gene1", "gene1"]),
            ([4, -1], [4, 7], [4, -1]),
            (3, [3], [3]),
            (np.arange(8) > 5, [6, 7], ["gene6", "gene7"]),
        ],
    )
    def test_by_name_by_position_and_by_mask(self, genes, columns, names):
        adata = slide()
        adata.var["highly_variable"] = False  # does not count where genes are named
        assert_takes(adata, adata.X[:, columns], names, genes=genes)

    def test_a_layer_and_raw(self):
        adata = slide()
        whole = adata.X.toarray()
        adata.layers["squares"] = adata.X.power(2)
        adata.raw = adata
        adata = adata[:, ["gene6", "gene1"]].copy()
        adata.X = np.ones((60, 2))
        assert_takes(adata, whole[:, [6, 1]] ** 2, ["gene6", "gene1"], layer="squares")
        assert_takes(adata, whole[:, [6, 1]], ["gene6", "gene1"], use_raw=True)
        assert_takes(adata, whole[:, [4]], ["gene4"], use_raw=True, genes="gene4")

    def test_genes_that_raw_has_not_are_left_out_and_counted(self):
        adata = slide()
        adata.raw = adata[:, :6].copy()
        with pytest.warns(UserWarning, match="2 genes of 8"):
            assert sorted(taken(adata, use_raw=True)) == [f"gene{j}" for j in range(6)]

    def test_repeated_names_do_not_matter_unless_they_are_asked_for(self):
        adata = slide()
        adata.var_names = [*"aabcdefg"]
        assert sorted(taken(adata)) == [*"aabcdefg"]
        assert taken(adata, genes=["c"]) == ["c"]
        with pytest.raises(ValueError, match="named 'a'"):
            taken(adata, genes=["a"])


def test_columns_of_obs():
    adata = slide()
    adata.obs["inside"] = adata.obs["depth"] > 3
    assert_takes(adata, adata.obs[["depth"]], ["depth"], attr="obs")
    assert_takes(adata, adata.obs[["inside", "depth"]], ["inside", "depth"], attr="obs", genes=["inside", "depth"])
    with pytest.raises(ValueError, match="'type' must hold numbers"):
        taken(adata, attr="obs", genes="type")
    del adata.obs["depth"], adata.obs["inside"]
    with pytest.raises(ValueError, match="no column of .obs"):
        taken(adata, attr="obs")


@pytest.mark.parametrize("layout", [*LAYOUTS, pd.DataFrame])
def test_columns_of_obsm(layout):
    adata = slide()
    place = adata.obsm["place"]
    adata.obsm["place"] = layout(place) if layout is not pd.DataFrame else layout(place, adata.obs_names, [*"xyz"])
    of_obsm = {"attr": "obsm", "layer": "place"}
    assert_takes(adata, place, [*"xyz"] if layout is pd.DataFrame else [0, 1, 2], **of_obsm)
    assert_takes(adata, place[:, [2, 0]], [2, 0], genes=[2, 0], **of_obsm)
    if layout is pd.DataFrame:
        assert_takes(adata, place[:, [1]], ["y"], genes="y", **of_obsm)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"genes": "gen5"}, KeyError, "'gen5'; did you mean"),
        ({"genes": ["gene1", "tp53", "myc"]}, KeyError, "'tp53', nor 1 more"),
        ({"genes": []}, ValueError, "genes is empty"),
        ({"genes": [8]}, IndexError, "position 8"),
        ({"genes": 1.5}, TypeError, "genes must be"),
        ({"attr": "obs", "genes": "depht"}, KeyError, "did you mean 'depth'"),
        ({"attr": "obsm"}, ValueError, "there are 'place'"),
        ({"attr": "obsm", "layer": "plac"}, ValueError, "'plac'; there are 'place'"),
        ({"attr": "var"}, ValueError, "attr must be"),
        ({"layer": "counts"}, ValueError, "no 'counts'"),
        ({"use_raw": True}, ValueError, "adata.raw is None"),
    ],
    ids=str,
)
def test_what_is_not_there_is_named(options, error, said):
    with pytest.raises(error, match=said):
        taken(slide(), **options)


@pytest.mark.parametrize("flags", [[False] * 8, [True, None] * 4])
def test_flags_that_say_nothing_are_refused(flags):
    adata = slide()
    adata.var["highly_variable"] = flags
    with pytest.raises(ValueError, match="highly_variable"):
        taken(adata)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_with_missing_values_are_left_out_and_named(layout):
    adata = slide(layout=np.asarray)
    complete = spatial_autocorr(adata, genes=[f"gene{j}" for j in (0, 1, 2, 4, 5, 7)], copy=True)
    adata.X[4, 3], adata.X[5, 6] = np.nan, -np.inf
    spoilt = anndata.AnnData(layout(adata.X), adata.obs, adata.var, obsp=adata.obsp)
    with pytest.warns(UserWarning, match=r"2 variables of 8 \('gene3', 'gene6'\)"):
        table = spatial_autocorr(spoilt, copy=True)
    pd.testing.assert_frame_equal(table.iloc[:6], complete)
    assert list(table.index[6:]) == ["gene3", "gene6"]
    assert table.iloc[6:].isna().all(axis=None)
    adata.X[4] = np.nan
    with pytest.raises(ValueError, match="every variable"):
        taken(adata)
