"""Corrections of `gr.spatial_autocorr` against their definitions: closed testing, formulas, and statsmodels."""

import anndata
import numpy as np
import pytest

from eigenselect.gr import spatial_autocorr

METHODS = (
    "fdr_bh", "fdr_by", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_tsbh",
    "fdr_tsbky", "fdr_gbs",
)  # fmt: skip
#: these estimate how many tests are of nothing, and may go below a p-value
ADAPTIVE = ("fdr_tsbh", "fdr_tsbky", "fdr_gbs")


@pytest.fixture(scope="module")
def adata():
    """Two genes that follow a line of 40 cells, one less so, noise, and one constant gene."""
    X = np.random.default_rng(3).normal(size=(40, 8))
    X[:, 0] += 3 * (np.arange(40) > 20)
    X[:, 1] += 1.2 * (np.arange(40) > 20)
    X[:, 2] += 0.9 * (np.arange(40) > 20)
    X[:, 7] = 1.0
    return anndata.AnnData(X, obsp={"spatial_connectivities": np.eye(40, k=1) + np.eye(40, k=-1)})


@pytest.fixture
def corrected(adata):
    """A function of the method's name: p-values and their corrections, and a constant gene counts in none."""

    def of(method):
        with pytest.warns(UserWarning, match="1 variable"):
            table = spatial_autocorr(adata, corr_method=method, copy=True)
        assert table.iloc[-1].isna().all()
        return table["pval_norm"].to_numpy()[:-1], table[f"pval_norm_{method}"].to_numpy()[:-1]

    return of


@pytest.mark.parametrize("method", METHODS)
def test_values_only_grow_up_to_1_and_are_those_of_statsmodels(corrected, method):
    p, adjusted = corrected(method)
    assert method in ADAPTIVE or np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    np.testing.assert_allclose(adjusted, multipletests(p, method=method)[1], rtol=1e-10)
