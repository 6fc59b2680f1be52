"""P-values of residuals: the permuted residual is made a residual again (Kennedy's scheme), which is approximate."""

import numpy as np
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.inference import Permutation
from eigenselect.similarity import FromTable

N_SAMPLES, N_FEATURES = 100, 1500
FAMILIES = {
    "bell-shaped": lambda rng, shape: rng.normal(size=shape),
    "counts": lambda rng, shape: rng.poisson(0.7, size=shape).astype(float),
    "lognormal": lambda rng, shape: rng.lognormal(size=shape),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_noise_on_top_of_depth_and_batch_is_noise_without_them(family):
    """Depth and batch vary over the places, so that without covariates nearly everything follows the graph."""
    for method in (es.MoranI, es.LaplacianScore, es.SPEC):
        rng = np.random.default_rng(3)
        places = rng.uniform(size=(N_SAMPLES, 2))
        depth = np.exp(1.5 * places[:, 0] + 0.3 * rng.normal(size=N_SAMPLES))
        late = places[:, 1] > 0.5
        X = FAMILIES[family](rng, (N_SAMPLES, N_FEATURES))
        X += np.outer(depth, rng.uniform(0, 1.5, N_FEATURES)) + np.outer(late, rng.normal(size=N_FEATURES))
        selector = method(3, similarity=FromTable(places), significance=Permutation(precision=None))
        assert (selector.fit(X).pvalues_ <= 0.05).mean() > 0.3
        pvalues = selector.fit(X, covariates=np.column_stack([depth, late])).pvalues_
        for level in (0.05, 0.01):
            low, high = stats.binom.ppf([5e-5, 1 - 5e-5], N_FEATURES, level) / N_FEATURES
            assert low <= (pvalues <= level).mean() <= high


def test_what_covariates_explain_has_no_p_value_and_what_they_do_not_keeps_it():
    rng = np.random.default_rng(0)
    places = rng.uniform(size=(80, 2))
    depth = rng.gamma(2.0, size=80)
    X = np.column_stack([3 * depth + 1, np.sin(4 * places[:, 0]) + 0.3 * depth, rng.normal(size=80) + depth])
    selector = es.MoranI(1, similarity=FromTable(places), significance=Permutation(precision=None))
    with pytest.warns(UserWarning, match="covariates explain 1"):
        selector.fit(X, covariates=depth)
    assert np.isnan(selector.pvalues_[0])
    assert selector.pvalues_[1] < 1e-6
    assert selector.pvalues_[2] > 0.01
