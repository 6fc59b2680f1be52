"""Corrections of `gr.spatial_autocorr` against their definitions: closed testing, formulas, and statsmodels."""

from itertools import combinations

import anndata
import numpy as np
import pytest
from scipy.stats import false_discovery_control

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


def closed(p, local):
    """A hypothesis is rejected where every intersection with it is: the largest local p-value of these."""
    indices = range(p.size)
    subsets = [s for k in range(1, p.size + 1) for s in combinations(indices, k)]
    return np.array([max(local(p[list(s)]) for s in subsets if i in s) for i in indices])


LOCAL = {
    "holm": lambda p: min(1.0, p.size * p.min()),
    "holm-sidak": lambda p: 1 - (1 - p.min()) ** p.size,
    "hommel": lambda p: float(np.min(p.size * np.sort(p) / np.arange(1, p.size + 1))),
}


def test_stepwise_methods_are_closed_tests(corrected):
    for method, local in LOCAL.items():
        p, adjusted = corrected(method)
        np.testing.assert_allclose(adjusted, closed(p, local), rtol=1e-7, err_msg=method)


def test_single_steps_and_false_discovery_rates(corrected):
    p, _ = corrected("fdr_bh")
    ordered, m = np.sort(p), p.size
    first, second = (false_discovery_control(p) <= level for level in (0.05, 0.05 / 1.05))
    assert 0 < first.sum() < m
    expected = {
        "bonferroni": np.minimum(m * p, 1),
        "sidak": 1 - (1 - p) ** m,
        "fdr_bh": false_discovery_control(p),
        "fdr_by": false_discovery_control(p, method="by"),
        "fdr_tsbh": false_discovery_control(p) * (~first).mean(),
        "fdr_tsbky": np.minimum(false_discovery_control(p) * (~second).mean() * 1.05, 1),
    }
    for method, values in expected.items():
        np.testing.assert_allclose(corrected(method)[1], values, rtol=1e-6, err_msg=method)
    hochberg = [min((m - j) * ordered[j] for j in range(i, m)) for i in range(m)]
    np.testing.assert_allclose(np.sort(corrected("simes-hochberg")[1]), hochberg)


def test_adaptive_steps_reject_as_defined(corrected):
    """At level α the tests before the first with p > i α / (m + 1 - i (1 - α)) are rejected."""
    p, adjusted = corrected("fdr_gbs")
    order, i = np.argsort(p), np.arange(1, p.size + 1)
    for level in (0.01, 0.05, 0.3):
        passed = p[order] <= i * level / (p.size + 1 - i * (1 - level))
        np.testing.assert_array_equal(adjusted[order] <= level, np.logical_and.accumulate(passed))


@pytest.mark.parametrize("method", METHODS)
def test_values_only_grow_up_to_1_and_are_those_of_statsmodels(corrected, method):
    p, adjusted = corrected(method)
    assert method in ADAPTIVE or np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    np.testing.assert_allclose(adjusted, multipletests(p, method=method)[1], rtol=1e-10)
