"""Which values: genes of X, layers and raw, columns of obs and obsm, by name, position, mask and default."""

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.single_cell.autocorr_values import autocorr_values
from slides import slide

LAYOUTS = [np.asarray, sparse.csr_matrix, sparse.csc_matrix]


def taken(adata, **options):
    values = autocorr_values(adata, "who", **options)
    return values.table.to_array(), list(values.index)


class TestGenes:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_all_without_a_copy_or_those_that_are_flagged(self, layout):
        adata = slide(layout=layout)
        values = autocorr_values(adata, "who")
        assert list(values.index) == list(adata.var_names)
        assert np.shares_memory(getattr(values.table.raw, "data", 0), getattr(adata.X, "data", 0))
        adata.var["highly_variable"] = np.arange(8) % 3 == 0
        X, names = taken(adata)
        assert names == ["gene0", "gene3", "gene6"]
        np.testing.assert_array_equal(X, adata.to_df()[names])

    @pytest.mark.parametrize(
        ("genes", "columns", "names"),
        [
            ("gene5", [5], ["gene5"]),
            (["gene5", "gene1"], [5, 1], ["gene5", "gene1"]),
            (pd.Index(["gene2"]), [2], ["gene2"]),
            (pd.Series(["gene2", "gene2"]), [2, 2], ["gene2", "gene2"]),
            ([4, -1], [4, 7], [4, -1]),
            (3, [3], [3]),
            (np.arange(8) > 5, [6, 7], ["gene6", "gene7"]),
        ],
    )
    def test_by_name_by_position_and_by_mask(self, genes, columns, names):
        adata = slide()
        adata.var["highly_variable"] = False  # does not count where genes are named
        X, found = taken(adata, genes=genes)
        assert found == names
        np.testing.assert_array_equal(X, adata.X.toarray()[:, columns])

    def test_a_layer_and_raw(self):
        adata = slide()
        adata.layers["twice"] = adata.X * 2
        adata.raw = adata
        adata = adata[:, ["gene6", "gene1"]].copy()
        np.testing.assert_array_equal(taken(adata, layer="twice")[0], 2 * adata.X.toarray())
        X, names = taken(adata, use_raw=True)
        assert names == ["gene1", "gene6"]  # in the order of raw
        np.testing.assert_array_equal(X, adata.raw.to_adata().to_df()[names])
        assert taken(adata, use_raw=True, genes="gene4")[1] == ["gene4"]

    def test_genes_that_raw_has_not_are_left_out_and_counted(self):
        adata = slide()
        adata.raw = adata[:, :6].copy()
        with pytest.warns(UserWarning, match="who: 2 genes of 8 are not in .raw and left out"):
            assert taken(adata, use_raw=True)[1] == [f"gene{j}" for j in range(6)]

    def test_repeated_names_do_not_matter_unless_they_are_asked_for(self):
        adata = slide()
        adata.var_names = [*"aabcdefg"]
        assert taken(adata)[1] == [*"aabcdefg"]
        assert taken(adata, genes=["c"])[1] == ["c"]
        with pytest.raises(ValueError, match="several genes are named 'a'; make names unique"):
            taken(adata, genes=["a"])


class TestObs:
    def test_columns_of_numbers_or_those_that_are_named(self):
        adata = slide()
        adata.obs["inside"] = adata.obs["depth"] > 3
        X, names = taken(adata, attr="obs")
        assert names == ["depth"]
        np.testing.assert_array_equal(X[:, 0], adata.obs["depth"])
        X, names = taken(adata, attr="obs", genes=["inside", "depth"])
        np.testing.assert_array_equal(X, adata.obs[["inside", "depth"]])

    def test_text_is_refused(self):
        with pytest.raises(ValueError, match="who: column 'type' must hold numbers, got (object|category|str)"):
            taken(slide(), attr="obs", genes="type")
        adata = slide()
        del adata.obs["depth"]
        with pytest.raises(ValueError, match="no column of .obs holds numbers"):
            taken(adata, attr="obs")


class TestObsm:
    @pytest.mark.parametrize("layout", [*LAYOUTS, pd.DataFrame])
    def test_all_columns_or_some(self, layout):
        adata = slide()
        place = adata.obsm["place"]
        adata.obsm["place"] = layout(place) if layout is not pd.DataFrame else layout(place, adata.obs_names, [*"xyz"])
        X, names = taken(adata, attr="obsm", layer="place")
        assert names == ([*"xyz"] if layout is pd.DataFrame else [0, 1, 2])
        np.testing.assert_array_equal(X, place)
        X, names = taken(adata, attr="obsm", layer="place", genes=[2, 0])
        assert names == [2, 0]
        np.testing.assert_array_equal(X, place[:, [2, 0]])
        if layout is pd.DataFrame:
            assert taken(adata, attr="obsm", layer="place", genes="y")[1] == ["y"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"genes": "gen5"}, KeyError, "no gene is named 'gen5'; did you mean 'gene"),
        (
            {"genes": ["gene1", "tp53", "myc"]},
            KeyError,
            "no gene is named 'tp53', nor 1 more of the 3 names; there are",
        ),
        ({"genes": []}, ValueError, "genes is empty"),
        ({"genes": [8]}, IndexError, "position 8 is outside of the 8 genes"),
        ({"genes": 1.5}, TypeError, "genes must be"),
        ({"attr": "obs", "genes": "depht"}, KeyError, "no column of .obs is named 'depht'; did you mean 'depth'"),
        ({"attr": "obsm"}, ValueError, "attr='obsm' needs layer= with a key of .obsm; there are 'place'"),
        ({"attr": "obsm", "layer": "plac"}, ValueError, "adata.obsm has no 'plac'; there are 'place'"),
        ({"attr": "var"}, ValueError, "attr must be"),
        ({"layer": "counts"}, ValueError, "who: adata.layers has no 'counts'"),
        ({"use_raw": True}, ValueError, "who: use_raw=True, but adata.raw is None"),
    ],
)
def test_what_is_not_there_gets_a_sentence(options, error, said):
    with pytest.raises(error, match=said):
        taken(slide(), **options)


@pytest.mark.parametrize(("flags", "said"), [([False] * 8, "flags no gene"), ([True, None] * 4, "True or False for")])
def test_flags_that_say_nothing_are_refused(flags, said):
    adata = slide()
    adata.var["highly_variable"] = flags
    with pytest.raises(ValueError, match=rf"who: .var\['highly_variable'\] .*{said}"):
        taken(adata)


def test_flags_may_be_categories():
    adata = slide()
    adata.var["highly_variable"] = pd.Categorical(np.arange(8) % 3 == 0)
    assert taken(adata)[1] == ["gene0", "gene3", "gene6"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_with_missing_values_are_left_out_and_named(layout):
    adata = slide(layout=np.asarray)
    adata.X[4, 3], adata.X[5, 6] = np.nan, -np.inf
    values = autocorr_values(anndata.AnnData(layout(adata.X), var=adata.var), "who")
    with pytest.warns(UserWarning, match=r"who: 2 variables of 8 \('gene3', 'gene6'\) with NaN or infinity, so no"):
        known, missing = values.complete("who")
    assert list(missing) == ["gene3", "gene6"]
    assert list(known.index) == [f"gene{j}" for j in (0, 1, 2, 4, 5, 7)]
    np.testing.assert_array_equal(known.table.columns(np.arange(6)), adata.X[:, [0, 1, 2, 4, 5, 7]])


def test_complete_columns_stay_as_they_are():
    values = autocorr_values(slide(), "who")
    known, missing = values.complete("who")
    assert known is values
    assert not missing.size


def test_nothing_but_missing_values_is_refused():
    adata = slide(layout=np.asarray)
    adata.X[4] = np.nan
    with pytest.raises(ValueError, match="who: every variable holds NaN or infinity"):
        autocorr_values(adata, "who").complete("who")
