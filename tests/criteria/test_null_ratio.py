"""Native scores are ratios of two quadratic forms of the feature itself."""

import numpy as np
import pytest

import null_rules
from eigenselect.criteria import criterion as criterion_module
from eigenselect.criteria.criterion import LARGE, Criterion, phi
from eigenselect.criteria.normalization import UnitRange
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.graph import SampleGraph
from eigenselect.selection.scatter_pairs import ScatterRatio
from eigenselect.spectral import Custom, Power

X = null_rules.features()


def check(criterion, X=X):
    ratio, native = criterion.null_ratio(), criterion.scores(X).native
    live = X if ratio.rows is None else X[ratio.rows]
    assert ratio.n_samples == len(live)
    np.testing.assert_allclose(ratio.values(live), native, rtol=1e-10, atol=1e-12)
    return ratio


@pytest.mark.parametrize("name", null_rules.CRITERIA)
def test_the_ratio_is_the_native_score(name):
    criterion = null_rules.CRITERIA[name]
    ratio = check(criterion)
    assert ratio.larger_is_better == criterion.larger_is_better
    assert (ratio.rows is not None) == ("isolated" in name)
    if ratio.centred:  # a constant may be added
        for matrix in null_rules.explicit(ratio):
            np.testing.assert_allclose(matrix @ np.ones(ratio.n_samples), 0.0, atol=1e-12)


@pytest.mark.parametrize("ranking", ["phi1", "phi2"])
@pytest.mark.parametrize("kind", ["sparse", "isolated 4"])
@pytest.mark.parametrize("diffused", [False, True])
def test_by_products_only(ranking, kind, diffused, monkeypatch):
    """γ(N) by a Chebyshev series has no entries; its products give the same scores."""
    monkeypatch.setattr(criterion_module, "EXACT_SAMPLES", 0)
    graph = SampleGraph(null_rules.graphs()[kind])
    graph = graph.diffuse(0.5) if diffused else graph
    ratio = check(phi(ranking, graph, Custom(np.exp)))
    assert null_rules.is_implicit(ratio)
    check(phi(ranking, graph, Power(2)))


def test_a_range_is_no_quadratic_form():
    criterion = Criterion(SampleGraph(np.ones((8, 8))), UnitRange(np.ones(5)), PowerForm(1), LARGE)
    with pytest.raises(ValueError, match="no quadratic form"):
        criterion.null_ratio()


def test_subsets_have_no_moments():
    with pytest.raises(ValueError, match="level='feature'"):
        ScatterRatio(null_rules.CRITERIA["trace ratio fisher"].pair, "subset", 2).null_ratio()
