"""Probed scalars: exact with a probe per sample, else within their own error; colours keep near samples apart."""

import warnings
from dataclasses import fields, replace
from functools import cache, partial

import numpy as np
import pytest
from scipy import sparse

from eigenselect._parallel import single_threaded_blas
from eigenselect.criteria.criterion import DEFLATED, SMALL, UNIT, Criterion
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.quadratic import ChebyshevForm
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.inference import permutation, probes
from eigenselect.inference.colouring import probe_colours
from eigenselect.inference.permutation import permutation_test
from eigenselect.inference.probes import probed_scalars
from eigenselect.inference.scalars import null_scalars
from eigenselect.matrix import as_matrix
from eigenselect.spectral import Custom, chebyshev_series

GAMMAS = {
    "heat": lambda r: 1.0 - np.exp(-2.0 * r),
    "car": lambda r: 1.0 - 0.3 / (1.0 - 0.7 * (1.0 - r)),
    "r^1.5": lambda r: np.maximum(r, 0.0) ** 1.5,
}


def graph(n, seed=0):
    """Random points in the plane, joined to their neighbours with weights."""
    P = np.random.default_rng(seed).random((n, 2))
    distance = np.linalg.norm(P[:, None] - P[None], axis=2)
    near = distance < np.sort(distance, axis=1)[:, 7:8]
    S = np.exp(-n * distance**2) * (near | near.T)
    np.fill_diagonal(S, 0.0)
    return SampleGraph(sparse.csr_array(S))


def by_series(n, gamma, normalization=DEFLATED):
    """Return the ratio of a spectral function by its Chebyshev series: known by products only."""
    samples = graph(n)
    form = ChebyshevForm(chebyshev_series(GAMMAS[gamma], samples.interval), Custom(GAMMAS[gamma]))
    return Criterion(samples, normalization, form, SMALL).null_ratio()


@cache
def by_matrix(n, gamma):
    """Return the same ratio with products by a dense matrix, which are fast for steep functions, too."""
    samples = graph(n)
    root = np.sqrt(samples.mass)
    with single_threaded_blas():
        pairs = samples.full_eigensystem()
        A = root[:, None] * (pairs.eigenvectors * GAMMAS[gamma](pairs.eigenvalues)) @ pairs.eigenvectors.T * root
    deflated = SymmetricForm.of(A).deflated(samples.mass).to_array()
    spread = SymmetricForm.diagonal_matrix(samples.mass).deflated(samples.mass)
    return NullRatio(SymmetricForm.of_products(lambda F: deflated @ F, n, samples.affinity), spread, False, True, n)


def polynomials(scalars):
    """Return all scalars by name, in the units of the forms."""
    parts = [scalars] if scalars.linear is None else [scalars, scalars.linear]
    found = {}
    for part in parts:
        for name in (field.name for field in fields(part)):
            value = getattr(part, name)
            if isinstance(value, np.ndarray) and name not in ("units", "gross"):
                k = np.arange(value.size)
                found[name] = value * scalars.units[0] ** (value.size - 1 - k) * scalars.units[1] ** k
    return found


def test_a_probe_per_sample_is_exact():
    for gamma, normalization in (("heat", DEFLATED), ("car", DEFLATED), ("heat", UNIT)):
        ratio = by_series(90, gamma, normalization)
        probed, exact = probed_scalars(ratio, most_products=90), null_scalars(ratio)
        expected = polynomials(exact)
        for name, value in polynomials(probed).items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-11, atol=1e-12 * np.abs(expected[name]).max())
        assert probed.error == 0.0


def test_without_a_denominator():
    ratio = replace(by_series(60, "heat"), denominator=None)
    probed, exact = probed_scalars(ratio), null_scalars(ratio)
    for name in ("tau", "trace2", "bb", "trace3", "cubes", "bBb", "bB2", "bbb"):
        degree = {"tau": 1, "trace2": 2, "bb": 2}.get(name, 3)
        scale = (probed.units[0] / exact.units[0]) ** degree
        np.testing.assert_allclose(scale * getattr(probed, name), getattr(exact, name), rtol=1e-10)


def typical(values, tau):
    """Evaluate tr B² at the r where the mean of T is 0."""
    r = tau[0] / tau[1]
    return values[0] - r * values[1] + r**2 * values[2]


@cache
def runs(gamma):
    """Return the ratio of 600 samples, its exact scalars, and probed ones of 12 seeds with few probes."""
    ratio = by_matrix(600, gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probed = [probed_scalars(ratio, random_state=seed, most_products=100) for seed in range(12)]
    return polynomials(null_scalars(ratio)), probed


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_error_is_honest_and_no_scalar_has_a_bias(gamma):
    """Deviations of null mean and standard deviation are as large as said; over seeds, every mean is the value."""
    expected, probed = runs(gamma)
    trace2 = typical(expected["trace2"], expected["tau"])
    deviations = []
    for scalars in probed:
        found = polynomials(scalars)
        mean = (found["tau"] - expected["tau"])[0] * 599 / np.sqrt(2.0 * trace2)
        sd = np.sqrt(typical(found["trace2"], expected["tau"]) / trace2) - 1.0
        assert 0.0 < scalars.error < 0.2
        deviations.append(np.hypot(mean, sd) / scalars.error)
    assert max(deviations) < 4.0
    assert 0.5 < np.sqrt(np.mean(np.square(deviations))) < 1.5
    for name, value in expected.items():
        found = np.array([polynomials(scalars)[name] for scalars in probed])
        error = found.std(axis=0, ddof=1) / np.sqrt(len(probed))
        assert (np.abs(found.mean(axis=0) - value) <= 4.5 * error + 1e-9 * np.abs(value).max()).all(), name


def test_more_probes_until_the_error_is_as_wanted():
    ratio = by_matrix(300, "car")
    rough = probed_scalars(ratio, most_products=200, wanted_error=0.2).error
    fine = probed_scalars(ratio, most_products=200, wanted_error=0.8 * rough).error
    assert 0 < fine < 0.8 * rough
    assert rough < 0.2


def test_no_more_products_than_allowed_and_one_warning_of_a_large_error(monkeypatch):
    """Probes are doubled while the error is too large, and the doubled ones must still be within the budget."""
    made, scalars = [], probes._Probes.scalars
    monkeypatch.setattr(probes._Probes, "scalars", lambda self: made.append(self.n_products) or scalars(self))
    for most_products in (20, 60, 150):
        with pytest.warns(UserWarning, match=r"known to .* %") as caught:
            probed_scalars(by_matrix(300, "car"), most_products=most_products, wanted_error=0.0)
        assert len(caught) == 1
        assert most_products / 2 < made.pop() <= most_products


def test_seeds_and_threads(monkeypatch):
    monkeypatch.setattr(probes, "TILE_BYTES", 2**15)  # several tiles
    ratio = by_matrix(300, "heat")
    first, same, other = (
        probed_scalars(ratio, most_products=200, wanted_error=1.0, random_state=seed, n_jobs=jobs)
        for seed, jobs in ((None, 1), (0, 3), (1, 1))
    )
    for name, value in polynomials(first).items():
        assert (value == polynomials(same)[name]).all()
    assert (first.trace2 != other.trace2).any()


def test_pvalues_by_probes_are_those_of_the_matrix(monkeypatch):
    ratio = by_matrix(300, "heat")
    X = np.random.default_rng(3).normal(size=(300, 40))
    native = ratio.values(X)
    exact = permutation_test(ratio, as_matrix(X), native)
    monkeypatch.setattr(permutation, "EXPLICIT_SAMPLES", 299)
    monkeypatch.setattr(probes, "probed_scalars", partial(probed_scalars, most_products=299))
    probed = permutation_test(ratio, as_matrix(X), native)
    assert probed.error > 0
    np.testing.assert_allclose(probed.null_sd, exact.null_sd, rtol=0.01)
    assert (np.abs(probed.null_mean - exact.null_mean) < 0.03 * exact.null_sd).all()
    np.testing.assert_allclose(probed.pvalues, exact.pvalues, rtol=0.15)


def grid(side):
    line = np.eye(side, k=1) + np.eye(side, k=-1)
    return np.kron(line, np.eye(side)) + np.kron(np.eye(side), line)


def test_samples_within_a_distance_have_different_colours():
    A = grid(12)
    for n_colours, distance in ((8, 1), (30, 2), (60, 3), (120, 4)):
        colours = probe_colours(sparse.csr_array(A), 144, n_colours, np.random.RandomState(0))
        near = np.linalg.matrix_power(np.eye(144) + A, distance) > 0
        np.fill_diagonal(near, False)
        assert not (near & (colours[:, None] == colours)).any()
        assert colours.max() < n_colours
    counts = np.bincount(probe_colours(sparse.csr_array(A), 144, 20, np.random.RandomState(0)))
    assert counts.min() >= 1
    assert counts.max() <= 20
    assert (probe_colours(sparse.csr_array(np.eye(5)), 5, 1, np.random.RandomState(0)) == 0).all()  # self-loops


def test_too_few_colours_or_no_graph_give_random_ones():
    complete = sparse.csr_array(np.ones((40, 40)))
    for pattern in (complete, None):
        colours = probe_colours(pattern, 40, 10, np.random.RandomState(0))
        assert 5 < colours.max() < 10
