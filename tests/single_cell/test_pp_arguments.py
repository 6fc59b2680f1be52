"""`pp.spectral_features`: bad arguments are refused before anything is written, and what is chosen and recorded."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.selection import FDR
from single_cell.cells import INFORMATIVE, SPATIAL, cells, found, heard, quiet, round_trip

anndata = pytest.importorskip("anndata")


def refused(adata, error=ValueError, /, **arguments):
    """Return the message of the refusal; nothing was written."""
    before = list(adata.var)
    with pytest.raises(error, match="^spectral_features: |^n_jobs ") as caught:
        quiet(adata, **arguments)
    assert list(adata.var) == before
    return str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"alpha": 2}, "alpha"),
        ({"layer": "counts"}, "there are 'empty'"),
        ({"layer": "empty"}, "layers['empty'] is empty"),
        ({"use_raw": True}, "adata.raw is None"),
        ({"use_raw": True, "layer": "empty"}, "at most one"),
        ({"rng": "x"}, "rng"),
        ({"rng": -1}, "rng"),
        ({"rng": 2**32}, "rng"),
        ({"rng": True}, "rng"),
        ({"n_jobs": "all"}, "n_jobs"),
        ({"modality": "rna"}, "modality='rna'"),
        ({"must_keep": ["gen9"]}, "'gen9'"),
        ({"key_added": "a/b"}, "key_added"),
        ({"key_added": ""}, "key_added"),
        ({"method": "laplasian"}, "did you mean 'laplacian'"),
        ({"method": "kogs"}, "'kogs'"),
        ({"method": []}, "method"),
        ({"method": ["moran", "moran"]}, "'moran' twice"),
        ({"method": "fisher", "spectral_function": 2}, "spectral_function"),
        ({"method": "fisher"}, "label_key"),
        ({"method": "sselect"}, "label_key"),
        ({"method": "sselect", "label_key": "none"}, "no label at all"),
        ({"method": "evsc", "obsp": SPATIAL}, "use_rep='X'"),
        ({"method": "evsc", "label_key": "type"}, "obs['type']"),
        ({"method": "variance", "obsp": SPATIAL}, "leave obsp="),
        ({"method": "msfs"}, "MuData"),
        ({"label_key": "some", "method": "fisher"}, "20 cells of 60"),
        ({"batch_key": "cell"}, "60 batches"),
        ({"obsp": SPATIAL, "label_key": "type"}, "at most one"),
        ({"obsp": "konnectivities"}, "did you mean 'connectivities'"),
        ({"neighbors_key": "neighbours"}, "did you mean 'neighbors'"),
        ({"neighbors_key": "empty"}, "uns['empty']"),
        ({"label_key": "typ"}, "did you mean 'type'"),
        ({"use_rep": "X_umap"}, "'X_umap'"),
        ({"covariates": ("dept",)}, "did you mean 'depth'"),
        ({"covariates": np.ones((3, 2))}, "60 cells, got 3"),
        ({"obsp": "distances"}, "distances"),
        ({"obsp": "far"}, "uns['record']"),
        ({"obsp": "negative"}, "obsp['negative'] must hold non-negative"),
        ({"obsp": "missing"}, "obsp['missing'] must be finite"),
    ],
    ids=str,
)
def test_bad_arguments_are_named_and_nothing_is_written(arguments, said):
    adata = cells()
    adata.layers["empty"] = sparse.csr_matrix(adata.shape)
    adata.obs["some"] = adata.obs["type"].where(np.arange(60) % 3 > 0)
    adata.obs["none"], adata.obs["cell"], adata.obs["depth"] = np.nan, adata.obs_names, 1.0
    for key, value in {"distances": 1.0, "far": 1.0, "negative": -1.0, "missing": np.nan}.items():
        adata.obsp[key] = np.full((60, 60), value)
    adata.uns |= {"record": {"distances_key": "far"}, "empty": {}}
    assert said in refused(adata, **arguments)


def test_a_wrong_number_of_genes_is_told_what_none_means():
    for count in (0, -1, 2.5, "all"):
        said = refused(cells(), n_top_genes=count)
        assert "n_top_genes" in said
        assert "None takes" in said


def test_arguments_of_a_wrong_type():
    for name, value in (("method", es.MoranI), ("method", 3), ("obsp", 3)):
        assert name in refused(cells(), TypeError, **{name: value})
    with pytest.raises(TypeError, match="ndarray"):
        es.pp.spectral_features(np.ones((3, 3)))


def test_without_neighbours_the_sentence_is_scanpys():
    sc = pytest.importorskip("scanpy")
    adata = cells()
    bare = anndata.AnnData(adata.X)
    with pytest.raises(ValueError, match=r"pp\.neighbors") as theirs:
        sc.tl.diffmap(bare)
    assert str(theirs.value) in refused(bare)
    del adata.obsp["connectivities"]  # recorded, and not there
    assert str(theirs.value) in refused(adata)


class TestValues:
    def test_missing_values_are_named_by_gene(self):
        for storage in (np.asarray, sparse.csr_matrix, sparse.csc_matrix):
            for value in (np.nan, np.inf):
                adata = cells()
                X = adata.X.toarray()
                X[3, [1, 2]] = value
                adata.X = storage(X)
                assert "2 genes of 12 ('gene1', 'gene2')" in refused(adata, obsp=SPATIAL)

    def test_genes_that_raw_has_not_once(self):
        adata = cells()
        adata.raw = adata[:, :11].copy()
        assert "'gene11'" in refused(adata, use_raw=True)

    def test_no_genes(self):
        assert "no genes" in refused(cells()[:, :0].copy(), obsp=SPATIAL)

    @pytest.mark.parametrize("storage", ["array", "csr", "csc", "int64", "backed"])
    def test_raw_counts_are_told_and_expressing_cells_counted(self, storage, tmp_path, rng):
        adata = cells(40, 7)
        X = rng.poisson(1.0, size=(40, 7)).astype(float)
        X[33, 5], X[:, 2] = 77, 0
        layouts = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "int64": lambda X: X.astype(np.int64)}
        for change, is_counts in ((0.0, True), (0.5, False), (-78.0, False)):
            X[39, 6] += change
            adata.X = layouts.get(storage, np.asarray)(X)
            table = adata
            if storage == "backed":
                adata.write_h5ad(tmp_path / f"{change}.h5ad")
                table = anndata.read_h5ad(tmp_path / f"{change}.h5ad", backed="r")
            if storage == "int64" and change == 0.5:
                continue
            said = [each for each in heard(table, 3, obsp=SPATIAL) if "raw counts" in each]
            assert len(said) == is_counts, (storage, change)
            assert "77" in said[0] if said else True
            expected = np.count_nonzero(X, axis=0) if X.min() >= 0 else np.full(7, np.nan)
            np.testing.assert_array_equal(table.var["spectral_n_expressed"], expected)

    def test_stored_zeros_and_entries_in_two_parts(self):
        """Parts that add up to zero are one entry, which is zero; the table stays as it is."""
        adata = cells()
        once = adata.X.copy()
        factors = np.where(once.indices == 4, -1.0, 0.0)
        data = np.column_stack([once.data, factors * once.data]).ravel()
        adata.X = sparse.csr_matrix((data, np.repeat(once.indices, 2), 2 * once.indptr), shape=once.shape)
        with np.errstate(all="ignore"):
            table = found(adata, obsp=SPATIAL)
        assert table["spectral_n_expressed"].tolist() == [60] * 4 + [0] + [60] * 7
        assert adata.X.nnz == 2 * once.nnz

    def test_presence_and_huge_floats_are_no_counts(self, rng):
        adata = cells()
        presence = (rng.random((60, 12)) < 0.5).astype(float)
        for X, is_counts in ((presence, False), (presence > 0, False), (2 * presence, True), (presence * 1e80, False)):
            adata.X = X
            assert any("raw counts" in each for each in heard(adata, 3, obsp=SPATIAL)) == is_counts
        adata.layers["counts"] = rng.poisson(3.0, size=adata.shape)
        assert "layers['counts']" in heard(adata, 3, obsp=SPATIAL, layer="counts")[0]


class TestPlaces:
    """Coordinates that tell no neighbours are refused, and doubtful ones warned of."""

    @pytest.mark.parametrize("value", [0.0, -7.5])
    def test_one_place_for_all_is_refused(self, value):
        adata = cells()
        adata.obsm["spatial"] = np.full((60, 2), value) * np.where(np.arange(60) % 2, 1, 1 - 2 * (value == 0))[:, None]
        assert "all 60 cells" in refused(adata, use_rep="spatial")

    @pytest.mark.parametrize("copies", [2, 15, 16, 30])
    def test_more_at_one_place_than_neighbours_are_told(self, copies):
        """Of up to 15 at a place, all have the others for neighbours; of more the table's order decides."""
        adata = cells()
        adata.obsm["spatial"][:copies] = adata.obsm["spatial"][0]
        assert any(f"{copies} of 60" in each for each in heard(adata, 3, use_rep="spatial", significance=None)) == (
            copies > 15
        )

    @pytest.mark.parametrize("missing", [[3], [3, 9]])
    def test_missing_places_are_counted_with_code_that_leaves_them_out(self, missing):
        adata = cells()
        adata.obsm["spatial"][missing, 1] = np.nan
        says = refused(adata, use_rep="spatial")
        assert f"{len(missing)} of 60" in says
        code = says.split("out: ")[1].rstrip(".")
        assert eval(code, {"np": np, "adata": adata}).n_obs == 60 - len(missing)

    def test_places_in_any_storage(self):
        adata = cells()
        values = adata.obsm["X_pca"][:, :2]
        tables = [found(adata, 3, use_rep="mine") for adata.obsm["mine"] in (
            values, sparse.csr_matrix(values), pd.DataFrame(values, adata.obs_names, ["x", "y"]))]  # fmt: skip
        for table in tables[1:]:
            pd.testing.assert_frame_equal(table, tables[0])


class TestChoice:
    def test_genes_that_are_kept_or_not_whatever_their_scores(self):
        adata = cells()
        table = found(adata, obsp=SPATIAL, must_keep=["gene9"], never=pd.Index(["gene0"]))
        assert table.index[table["spectral"]].tolist() == ["gene1", "gene2", "gene9"]
        table = found(adata, 4, obsp=SPATIAL, must_keep="gene9", never=["gene0"])
        assert table["spectral"].sum() == 4
        assert table["spectral"]["gene9"]
        assert not table["spectral"]["gene0"]
        assert found(adata, never=["gene0"])["spectral"].sum() == 11

    def test_more_genes_than_there_are(self):
        adata = cells()
        (said,) = heard(adata, 99, obsp=SPATIAL)
        assert "n_top_genes=99" in said
        assert adata.var["spectral"].all()

    def test_subset_and_returned_frame(self):
        adata = cells()
        table = found(adata, 3, obsp=SPATIAL)
        assert list(adata.var) == []
        pd.testing.assert_frame_equal(found(adata, 3, obsp=SPATIAL, subset=True), table[table["spectral"]])
        assert quiet(adata, 3, obsp=SPATIAL, subset=True) is None
        assert adata.var_names.tolist() == INFORMATIVE
        pd.testing.assert_frame_equal(adata.var[list(table)], table[table["spectral"]])

    def test_flagged_genes_are_those_of_scanpys_pca(self):
        sc = pytest.importorskip("scanpy")
        adata = cells(80, 30)
        es.pp.spectral_features(adata, 6, obsp=SPATIAL, flag_as_highly_variable=True)
        assert np.array_equal(adata.var["highly_variable"], adata.var["spectral"])
        sc.pp.pca(adata, n_comps=3)
        loaded = np.abs(adata.varm["PCs"]).sum(axis=1) > 0
        assert np.array_equal(loaded, adata.var["spectral"])
        assert "highly_variable" not in found(adata, 6, obsp=SPATIAL)

    def test_repeated_names_of_genes(self):
        adata = cells()
        adata.var_names = ["same"] * 12
        table = found(adata, 3, obsp=SPATIAL, method=["moran", "geary"])
        assert table.shape == (12, 10)
        assert table["spectral"].tolist()[:3] == [True] * 3


class TestRecord:
    def test_columns_and_their_types(self):
        table = found(cells(), obsp=SPATIAL, key_added="k")
        kinds = {name: table[name].dtype.kind for name in table}
        floats = dict.fromkeys(("k_score", "k_pval", "k_qval", "k_zscore"), "f")
        assert kinds == floats | dict.fromkeys(("k_rank", "k_n_expressed", "k_nbatches"), "i") | {"k": "b"}

    def test_keys_beside_one_another(self):
        adata = cells()
        quiet(adata, 3)
        quiet(adata, 5, obsp=SPATIAL, key_added="tissue")
        assert (adata.var["spectral"].sum(), adata.var["tissue"].sum()) == (3, 5)
        assert adata.uns["tissue"]["params"]["obsp"] == SPATIAL
        quiet(adata, 4)  # again
        del adata.uns["spectral"]  # as after anndata.concat
        quiet(adata, 4)
        assert adata.var["spectral"].sum() == 4

    def test_what_others_wrote_is_not_lost(self):
        for place, value in {
            "var['k']": True, "var['k_score']": 1.0, "varm['k']": np.ones((12, 2)), "uns['k']": {"params": {}}
        }.items():  # fmt: skip
            adata = cells()
            holder, key = re.fullmatch(r"(\w+)\['(\w+)'\]", place).groups()
            getattr(adata, holder)[key] = value
            assert place in refused(adata, key_added="k")

    @pytest.mark.parametrize("suffix", ["h5ad", "zarr"])
    def test_any_parameters_survive_files(self, tmp_path, suffix):
        adata = cells()
        options = {"alpha": np.float32(0.5), "obsp": np.str_(SPATIAL), "spectral_function": lambda x: x + 1}
        quiet(adata, np.int64(2), must_keep=("gene1", "gene9"), key_added="k", **options)
        kept = round_trip(adata, tmp_path / f"x.{suffix}").uns["k"]
        assert kept["rule"] == adata.uns["k"]["rule"] != FDR(0.5).describe()
        assert (kept["n_selected"], kept["params"]["n_top_genes"], kept["params"]["alpha"]) == (2, 2, 0.5)
        assert list(kept["params"]["must_keep"]) == ["gene1", "gene9"]
        assert not {"layer", "never"} & set(kept["params"])
