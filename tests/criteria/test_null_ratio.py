"""Native scores are ratios of two quadratic forms of the feature itself."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

import null_rules
from eigenselect.criteria import forms as forms_module
from eigenselect.criteria.criterion import LARGE, Criterion, UnitRange, phi
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.matrix import covariate_basis
from eigenselect.selection.scatter_pairs import ScatterRatio
from eigenselect.spectral import Custom, Power

X = null_rules.features()


def check(criterion, X=X):
    ratio, native = criterion.null_ratio(), criterion.scores(X).native
    live = X if ratio.rows is None else X[ratio.rows]
    assert ratio.n_samples == len(live)
    np.testing.assert_allclose(ratio.values(live), native, rtol=1e-10, atol=1e-12)
    return ratio


def test_a_range_is_no_quadratic_form():
    criterion = Criterion(SampleGraph(np.ones((8, 8))), UnitRange(np.ones(5)), PowerForm(1), LARGE)
    with pytest.raises(ValueError, match="no quadratic form"):
        criterion.null_ratio()


def test_covariates_of_isolated_samples_alone_take_nothing_out():
    """A batch of samples that count nowhere is constant over the others."""
    ratio = null_rules.CRITERIA["phi2 isolated 4"].null_ratio()
    batch = (np.arange(8) == 4).astype(float)
    live = X[ratio.rows]
    only, both = (covariate_basis(C, 8, "test") for C in (batch, np.column_stack([batch, np.arange(8) ** 2])))
    np.testing.assert_allclose(ratio.of_residuals(only).values(live), ratio.values(live), rtol=1e-10)
    depth = covariate_basis(np.arange(8) ** 2, 8, "test")
    np.testing.assert_allclose(ratio.of_residuals(both).values(live), ratio.of_residuals(depth).values(live), rtol=1e-9)


def test_permutations_within_classes_change_no_score(rng):
    """2! 3! 4! of them for a form of classes; only the identity is known for others."""
    codes = np.repeat([0, 1, 2], [2, 3, 4])
    classes = SymmetricForm.of_classes(codes, np.array([0.5, 2.0, 3.0]))
    other = SymmetricForm.of((M := rng.normal(size=(9, 9))) + M.T)
    for numerator, denominator, expected in (
        (classes, None, 2 * 6 * 24),
        (classes, classes.scaled(2.0), 2 * 6 * 24),
        (classes, other, 1),
        (other, None, 1),
    ):
        ratio = NullRatio(numerator, denominator, True, False, 9)
        assert ratio.log_symmetries == pytest.approx(np.log(expected), abs=1e-12)


def test_a_dense_ratio_around_its_mean(make_similarity, rng):
    graph, Z = SampleGraph(1.0 + 1e-3 * make_similarity(20, density=1.0)), rng.normal(size=(20, 4))
    ratio = phi("phi2", graph, Power(3)).null_ratio()
    around, mean = ratio.around_mean(100)
    np.testing.assert_allclose(around.values(Z) + mean, ratio.values(Z), rtol=1e-12)
    H = np.eye(20) - 1 / 20
    assert np.trace(H @ around.numerator.to_array() @ H) == pytest.approx(0.0, abs=1e-10)
    assert np.abs(around.numerator.to_array()).max() < 0.01 * np.abs(ratio.numerator.to_array()).max()
    for other in (make_similarity(20, density=0.5), sparse.csr_array(make_similarity(20, density=0.2))):
        unlike = phi("phi2", SampleGraph(other), Power(1)).null_ratio()
        assert unlike.around_mean(100) == (unlike, 0.0)


def test_the_ratio_is_the_native_score():
    for name, criterion in null_rules.CRITERIA.items():
        ratio = check(criterion)
        assert ratio.larger_is_better == criterion.larger_is_better, name
        assert (ratio.rows is not None) == ("isolated" in name)
        if ratio.centred:  # a constant may be added
            for matrix in null_rules.explicit(ratio):
                np.testing.assert_allclose(matrix @ np.ones(ratio.n_samples), 0.0, atol=1e-12, err_msg=name)
    with pytest.raises(ValueError, match="level='feature'"):
        ScatterRatio(null_rules.CRITERIA["trace ratio fisher"].pair, "subset", 2).null_ratio()


def test_by_products_only(monkeypatch):
    """γ(N) by a Chebyshev series has no entries; its products give the same scores."""
    monkeypatch.setattr(forms_module, "EXACT_SAMPLES", 0)
    for ranking, kind, diffused in product(("phi1", "phi2"), ("sparse", "isolated 4"), (False, True)):
        graph = SampleGraph(null_rules.graphs()[kind])
        graph = graph.diffuse(0.5) if diffused else graph
        assert null_rules.is_implicit(check(phi(ranking, graph, Custom(np.exp))))
        check(phi(ranking, graph, Power(2)))


def test_without_covariates():
    """The ratio of a feature is the score of its residual; constants may still be added where they might before."""
    Q = covariate_basis(np.arange(8) ** 2, 8, "test")
    for name, criterion in null_rules.CRITERIA.items():
        before = criterion.null_ratio()
        ratio = before.of_residuals(Q)
        assert before.of_residuals(None) is before
        live, rows = (X, Q) if ratio.rows is None else (X[ratio.rows], Q[ratio.rows] - Q[ratio.rows].mean(axis=0))
        residual = live - rows @ np.linalg.solve(rows.T @ rows, rows.T @ live)
        for expected in (before.values(residual), ratio.values(residual)):
            np.testing.assert_allclose(ratio.values(live), expected, rtol=1e-9, atol=1e-11, err_msg=name)
        if ratio.centred:
            np.testing.assert_allclose(
                ratio.values(live + 3.0), ratio.values(live), rtol=1e-8, atol=1e-10, err_msg=name
            )
