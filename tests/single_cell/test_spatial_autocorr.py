"""spatial_autocorr: I and C by their formulas and as squidpy has them, columns, keys, where it is written."""

import inspect
import warnings
from enum import Enum

import numpy as np
import pytest
from anndata import ImplicitModificationWarning
from scipy import sparse

from eigenselect import GearyC, MoranI
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.single_cell.spatial_autocorr import ORDER, spatial_autocorr
from slides import geary, moran, row_normalised, slide

pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
MODES = {"moran": ("I", "moranI", moran, MoranI), "geary": ("C", "gearyC", geary, GearyC)}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_array, lambda X: X.astype(np.int32)])
@pytest.mark.parametrize("transformation", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_the_statistic_is_that_of_its_formula(mode, transformation, layout):
    column, _, formula, _ = MODES[mode]
    adata = slide(layout=layout)
    W = adata.obsp["spatial_connectivities"].toarray()
    W = row_normalised(W) if transformation else W
    found = spatial_autocorr(adata, mode=mode, transformation=transformation, copy=True)[column]
    X = adata.to_df()
    expected = [np.nan if X[name].nunique() == 1 else formula(W, X[name].to_numpy(float)) for name in found.index]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_it_is_written_where_squidpy_writes_it_best_first(mode):
    column, key, *_ = MODES[mode]
    adata = slide()
    before = adata.copy()
    assert spatial_autocorr(adata, mode=mode, n_perms=5) is None
    frame = adata.uns[key]
    assert list(frame.columns) == [
        column, "pval_norm", "var_norm", "pval_z_sim", "pval_sim", "var_sim",
        "pval_norm_fdr_bh", "pval_z_sim_fdr_bh", "pval_sim_fdr_bh",
    ]  # fmt: skip
    order = frame[column].to_numpy() * (-1 if mode == "moran" else 1)
    assert np.all(np.diff(order[:-1]) >= 0)
    assert frame.index[-1] == "gene2"
    assert frame.iloc[-1].isna().all()
    assert not frame.iloc[:-1].isna().any(axis=None)
    del adata.uns[key]
    assert set(adata.uns) == set(before.uns)
    assert (adata.X != before.X).nnz == 0
    assert (adata.obsp["spatial_connectivities"] != before.obsp["spatial_connectivities"]).nnz == 0


def test_the_p_values_are_those_of_the_selectors():
    adata = slide(asymmetric=False, diagonal=False)
    W = adata.obsp["spatial_connectivities"]
    for mode, (_, _, _, selector) in MODES.items():
        fitted = selector(significance="given").fit(adata.X, similarity_matrix=W)
        frame = spatial_autocorr(adata, mode=mode, transformation=False, copy=True).loc[adata.var_names]
        np.testing.assert_array_equal(frame["pval_norm"], fitted.pvalues_)
        np.testing.assert_array_equal(frame["var_norm"], fitted.null_sd_**2)
        np.testing.assert_array_equal(frame["pval_norm_fdr_bh"], fitted.qvalues_)


def test_constant_genes_are_counted_in_one_warning():
    adata = slide()  # of which the newest pandas warns anndata
    with pytest.warns(
        UndefinedScoreWarning, match="spatial_autocorr: 1 variable of 8 has one value in all cells"
    ) as caught:
        spatial_autocorr(adata, copy=True)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_more_than_three_arguments_by_position_have_squidpys_order():
    adata = slide()
    by_position = spatial_autocorr(
        adata, "spatial_connectivities", None, "geary", False, None, True, None, "obs", copy=True
    )
    by_name = spatial_autocorr(
        adata, mode="geary", transformation=False, two_tailed=True, corr_method=None, attr="obs", copy=True
    )
    assert by_position.equals(by_name)
    assert list(inspect.signature(spatial_autocorr).parameters)[: len(ORDER)] == list(ORDER)
    with pytest.raises(TypeError, match="'mode' by position and by name"):
        spatial_autocorr(adata, "spatial_connectivities", None, "geary", mode="moran")


def test_a_column_with_missing_values_does_not_hide_the_others():
    adata = slide()
    adata.obs["age"] = np.where(np.arange(60) == 3, np.nan, 1.0 + np.arange(60))
    adata.obs["day"] = np.arange(60) % 7
    with pytest.warns(UserWarning, match=r"1 variable of 3 \('age'\) with NaN"):
        frame = spatial_autocorr(adata, attr="obs", copy=True)
    assert frame.index[-1] == "age"
    assert frame.loc["age"].isna().all()
    rest = spatial_autocorr(adata, attr="obs", genes=["depth", "day"], copy=True)
    assert frame.iloc[:-1].equals(rest)


def test_a_view_becomes_an_anndata_of_its_own_which_is_said_once():
    adata = slide()
    view = adata[:50, ["gene0", "gene1"]]
    expected = spatial_autocorr(view.copy(), copy=True)
    with pytest.warns(ImplicitModificationWarning, match="spatial_autocorr: adata is a view") as caught:
        spatial_autocorr(view)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert view.uns["moranI"].equals(expected)
    assert "moranI" not in adata.uns


def test_a_mode_may_be_a_member_of_an_enum():
    mode = Enum("Mode", {"GEARY": "geary"}).GEARY
    assert spatial_autocorr(slide(), mode=mode, copy=True).columns[0] == "C"


class TestSquidpy:
    """Against squidpy itself, where it is installed."""

    @pytest.fixture(scope="class")
    def theirs(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pytest.importorskip("squidpy").gr.spatial_autocorr

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("transformation", [True, False])
    @pytest.mark.parametrize("mode", MODES)
    def test_the_statistic_is_theirs(self, theirs, mode, transformation, dtype, layout):
        column, adata = MODES[mode][0], slide(layout=layout)
        adata.obsp["spatial_connectivities"] = adata.obsp["spatial_connectivities"].astype(dtype)
        options = {"mode": mode, "transformation": transformation, "copy": True}
        one, other = theirs(adata, **options), spatial_autocorr(adata, **options)
        assert list(one.columns) == list(other.columns)
        assert list(one.index) == list(other.index)
        np.testing.assert_allclose(one[column], other[column], rtol=0, atol=1e-10)

    def test_the_arguments_and_defaults_are_theirs(self, theirs):
        ours = inspect.signature(spatial_autocorr).parameters
        for name, parameter in inspect.signature(theirs).parameters.items():
            assert ours[name].default == parameter.default, name
        assert set(ours) - set(inspect.signature(theirs).parameters) - {"table_key"} == {
            "modality",
            "rng",
        }  # 1.8.0 has none
