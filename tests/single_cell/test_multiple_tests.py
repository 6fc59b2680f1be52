"""Corrections against their definitions: closed testing, the formulas of the papers, and statsmodels where it is."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from eigenselect.single_cell.multiple_tests import _METHODS, adjusted_pvalues

#: these estimate how many tests are of nothing, and may go below a p-value
ADAPTIVE = ("fdr_tsbh", "fdr_tsbky", "fdr_gbs")
P = np.array([0.2, 1e-9, 0.03, 0.011, 0.03, 0.9, 0.012])


def closed(p, local):
    """A hypothesis is rejected where every intersection with it is: the largest local p-value of these."""
    indices = range(p.size)
    subsets = [s for k in range(1, p.size + 1) for s in combinations(indices, k)]
    return np.array([max(local(p[list(s)]) for s in subsets if i in s) for i in indices])


def simes(p):
    return float(np.min(p.size * np.sort(p) / np.arange(1, p.size + 1)))


LOCAL = {
    "holm": lambda p: min(1.0, p.size * p.min()),
    "holm-sidak": lambda p: 1 - (1 - p.min()) ** p.size,
    "hommel": simes,
}


@pytest.mark.parametrize("method", LOCAL)
def test_stepwise_methods_are_closed_tests(method):
    np.testing.assert_allclose(adjusted_pvalues(P, method), closed(P, LOCAL[method]), rtol=1e-7)


def test_single_steps_and_false_discovery_rates():
    m = P.size
    np.testing.assert_allclose(adjusted_pvalues(P, "bonferroni"), np.minimum(m * P, 1))
    np.testing.assert_allclose(adjusted_pvalues(P, "sidak"), 1 - (1 - P) ** m, rtol=1e-6)
    np.testing.assert_allclose(adjusted_pvalues(P, "fdr_bh"), false_discovery_control(P))
    np.testing.assert_allclose(adjusted_pvalues(P, "fdr_by"), false_discovery_control(P, method="by"))
    ordered = np.sort(P)
    hochberg = [min((m - j) * ordered[j] for j in range(i, m)) for i in range(m)]
    np.testing.assert_allclose(np.sort(adjusted_pvalues(P, "simes-hochberg")), hochberg)


def test_two_stages_count_what_the_first_leaves():
    rejected = false_discovery_control(P) <= 0.05
    assert 0 < rejected.sum() < P.size
    np.testing.assert_allclose(adjusted_pvalues(P, "fdr_tsbh"), false_discovery_control(P) * (~rejected).mean())
    kept = false_discovery_control(P) > 0.05 / 1.05
    np.testing.assert_allclose(adjusted_pvalues(P, "fdr_tsbky"), false_discovery_control(P) * kept.mean() * 1.05)
    clear = P / 1e3  # the first stage rejects all
    np.testing.assert_allclose(adjusted_pvalues(clear, "fdr_tsbh"), false_discovery_control(clear))


def test_adaptive_steps_reject_as_defined():
    """At level α the tests before the first with p > i α / (m + 1 - i (1 - α)) are rejected."""
    p = np.sort(np.random.default_rng(2).random(30) ** 3)
    adjusted, i = adjusted_pvalues(p, "fdr_gbs"), np.arange(1, 31)
    for level in (0.01, 0.05, 0.3):
        passed = p <= i * level / (31 - i * (1 - level))
        np.testing.assert_array_equal(adjusted <= level, np.logical_and.accumulate(passed))


@pytest.mark.parametrize("method", _METHODS)
class TestEvery:
    def test_nan_does_not_count(self, method):
        with_nan = np.insert(P, [0, 3], np.nan)
        found = adjusted_pvalues(with_nan, method)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(with_nan))
        np.testing.assert_array_equal(found[~np.isnan(found)], adjusted_pvalues(P, method))
        assert np.isnan(adjusted_pvalues(np.full(3, np.nan), method)).all()

    def test_order_does_not_matter_and_values_only_grow_up_to_1(self, method):
        found = adjusted_pvalues(P, method)
        order = np.random.default_rng(0).permutation(P.size)
        np.testing.assert_array_equal(adjusted_pvalues(P[order], method), found[order])
        assert method in ADAPTIVE or np.all(found >= P)
        assert np.all(found <= 1)
        assert np.all(np.diff(found[np.argsort(P)]) >= 0)

    def test_ends(self, method):
        np.testing.assert_array_equal(adjusted_pvalues(np.array([1.0, 1.0]), method), [1.0, 1.0])
        if method not in ADAPTIVE:
            np.testing.assert_allclose(adjusted_pvalues(np.array([0.3]), method), [0.3])
        assert 0 < adjusted_pvalues(np.array([1e-300, 1.0]), method)[0] < 1e-299

    def test_statsmodels(self, method):
        multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
        p = np.random.default_rng(1).random(50) ** 2
        np.testing.assert_allclose(adjusted_pvalues(p, method), multipletests(p, method=method)[1], rtol=1e-10)


def test_an_unknown_name_gets_a_sentence():
    with pytest.raises(ValueError, match="^who: no method of correction is named 'fdr-bh'; did you mean 'fdr_bh'"):
        adjusted_pvalues(P, "fdr-bh", "who")
    with pytest.raises(ValueError, match="named 'storey'; use one of 'fdr_bh', .*'hommel'"):
        adjusted_pvalues(P, "storey")
