"""p-values of scores against the permutations that they are about."""

import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import sparse, special

import eigenselect
import null_rules
from conftest import random_similarity
from eigenselect import SPEC, FisherScore, HSICScore, LaplacianScore, TraceRatio
from eigenselect.criteria.criterion import DEFLATED, LARGE, ODDS, SMALL, AsItIs, Criterion, phi
from eigenselect.criteria.quadratic import ChebyshevForm, PowerForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.inference import Permutation, permutation, probes
from eigenselect.inference.permutation import permutation_test
from eigenselect.inference.significance import Given
from eigenselect.matrix import as_matrix
from eigenselect.similarity import KNN, RBF
from eigenselect.spectral import Custom, Heat, Power, chebyshev_series

RNG = np.random.default_rng(12)
N = 60
GRAPH = SampleGraph(sparse.csr_array(random_similarity(np.random.default_rng(2), N, density=0.1)))
X = np.column_stack([RNG.normal(size=(N, 3)), RNG.lognormal(size=(N, 2)), RNG.poisson(1.0, size=(N, 2))])
X[:, 0] = np.linalg.eigh(GRAPH.laplacian().toarray())[1][:, 4] + 0.05 * RNG.normal(size=N)  # follows the graph


def null_test(criterion, X, **options):
    return permutation_test(criterion.null_ratio(), as_matrix(X), criterion.scores(X).native, **options)


CRITERIA = {ranking: phi(ranking, GRAPH, Power(1), 4, 0) for ranking in ("phi1", "phi2", "phi3")}
CRITERIA["fisher"] = Criterion(SampleGraph(ClassMeans(np.arange(N) % 3, 3)), DEFLATED, PowerForm(1), ODDS)


def test_scalars_beside_power_sums_are_the_same(monkeypatch):
    """Of a large sparse table both are computed at once; each p-value has the same bits as one after the other."""
    criterion, table = CRITERIA["phi2"], sparse.csr_array(X)
    one_by_one = null_test(criterion, table, n_jobs=2)
    monkeypatch.setattr(permutation, "COMPILED_NONZEROS", 0)
    for n_jobs in (1, 2):
        beside = null_test(criterion, table, n_jobs=n_jobs)
        np.testing.assert_array_equal(beside.pvalues, one_by_one.pvalues)
        np.testing.assert_array_equal(beside.scalars.trace3, one_by_one.scalars.trace3)
    known = permutation_test(
        criterion.null_ratio(), as_matrix(table), criterion.scores(X).native, scalars=beside.scalars, n_jobs=2
    )
    assert known.scalars is beside.scalars


@pytest.mark.parametrize("name", CRITERIA)
def test_random_permutations_agree(name):
    """3000 random permutations of each feature give the p-value to Monte Carlo error.

    Of a feature with few values, many permutations tie with it, to the last bits; a smooth curve is between the shares
    that count these and do not.
    """
    criterion, draws = CRITERIA[name], 3000
    rng, native, test = np.random.default_rng(7), criterion.scores(X).native, null_test(criterion, X)
    sign = 1.0 if criterion.larger_is_better else -1.0
    for column, f in enumerate(X.T):
        scores = criterion.scores(rng.permuted(np.tile(f, (draws, 1)), axis=1).T).native
        p, lead, margin = test.pvalues[column], sign * (scores - native[column]), 1e-9 * abs(native[column])
        error = 4.5 * np.sqrt(p * (1 - p) / draws) + 0.012  # three moments are not all
        assert np.mean(lead > margin) - error < p < np.mean(lead > -margin) + error
        assert test.null_mean[column] == pytest.approx(scores.mean(), abs=0.1 * scores.std())
        assert test.null_sd[column] == pytest.approx(scores.std(), rel=0.2)


def test_storage_threads_units_and_order_of_samples_do_not_matter(tmp_path):
    mapped = np.memmap(tmp_path / "X.bin", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    order = np.random.default_rng(1).permutation(N)
    for name, criterion in CRITERIA.items():
        expected = null_test(criterion, X)
        for table in (sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X), X.astype(np.float32), mapped):
            given = null_test(criterion, table)
            for attribute in ("pvalues", "null_mean", "null_sd"):
                rtol = 1e-4 if table.dtype == np.float32 else 1e-10
                close = getattr(given, attribute), getattr(expected, attribute)
                np.testing.assert_allclose(*close, rtol=rtol, atol=1e-300, err_msg=name)
        np.testing.assert_array_equal(null_test(criterion, X, n_jobs=2).pvalues, expected.pvalues)
        for factor in (1e-90, 1e90, -8.0):
            np.testing.assert_allclose(null_test(criterion, factor * X).pvalues, expected.pvalues, rtol=1e-9)
        if name in ("phi2", "fisher"):
            np.testing.assert_allclose(null_test(criterion, X + 1e4).pvalues, expected.pvalues, rtol=1e-7)
    moved = phi("phi2", SampleGraph(GRAPH.affinity[order][:, order]), Power(1))
    expected = null_test(CRITERIA["phi2"], X).pvalues
    np.testing.assert_allclose(null_test(moved, X[order]).pvalues, expected, rtol=1e-10)


def test_isolated_samples_count_nowhere():
    S = sparse.lil_array(GRAPH.affinity)
    S[[3, 20]] = 0.0
    S[:, [3, 20]] = 0.0
    S = sparse.csr_array(S)
    rows = np.delete(np.arange(N), [3, 20])
    other = X.copy()
    other[[3, 20]] = 1e9
    for table in (other, sparse.csr_array(other)):
        found = null_test(phi("phi2", SampleGraph(S), Power(1)), table)
        expected = null_test(phi("phi2", SampleGraph(S[rows][:, rows]), Power(1)), X[rows])
        np.testing.assert_allclose(found.pvalues, expected.pvalues, rtol=1e-9)
        np.testing.assert_allclose(found.null_mean, expected.null_mean, rtol=1e-9)


def test_one_non_zero():
    """The score is that of the sample it is at: p is the rank of its diagonal entry, ties with it counted."""
    single = np.column_stack([2.5 * np.eye(N), X[:, 1]])
    series = ChebyshevForm(chebyshev_series(Heat(2.0), (0.0, 2.0)), Heat(2.0), at_zero=0.0)
    heat = Criterion(GRAPH, DEFLATED, series, SMALL)  # known by products only
    for criterion in [*CRITERIA.values(), heat, Criterion(GRAPH, AsItIs(), PowerForm(1), LARGE)]:
        sign = 1.0 if criterion.larger_is_better else -1.0
        native = sign * criterion.scores(single).native[:N]
        expected = np.mean(native >= native[:, None] - 1e-9, axis=1)
        p = null_test(criterion, single).pvalues
        np.testing.assert_allclose(p[:N], expected, atol=1e-12)
        assert p[N] == pytest.approx(null_test(criterion, X[:, [1]]).pvalues[0], rel=1e-10)


def test_a_perfect_feature():
    """Its Fisher score is infinite; p is small, not zero: one arrangement in n!/(…) is as good."""
    codes = np.arange(12) % 2
    criterion = Criterion(SampleGraph(ClassMeans(codes, 2)), DEFLATED, PowerForm(1), ODDS)
    f = np.column_stack([codes, codes + 1.0])
    assert np.isinf(criterion.scores(f).native).all()
    test = null_test(criterion, f)
    truth = 2 / special.comb(12, 6)  # the two arrangements that split the classes
    assert (test.pvalues > 0).all()
    assert (test.pvalues < 20 * truth).all()
    assert test.pvalues[0] >= 1 / (special.factorial(12) / special.factorial(6))


def test_thousands_of_classes():
    n = 6000
    graph = SampleGraph(ClassMeans(np.arange(n) // 2, n // 2))
    table = np.column_stack([np.arange(n) // 2, np.random.default_rng(0).normal(size=n)]).astype(float)
    p = null_test(Criterion(graph, DEFLATED, PowerForm(1), SMALL), table).pvalues
    assert p[0] < 1e-100 < 1e-3 < p[1]


def test_every_rule_has_pvalues():
    """In the criterion's direction: the best of all samples' features has the smallest p where their null is one."""
    f = np.random.default_rng(3).normal(size=null_rules.N)
    for name, criterion in null_rules.CRITERIA.items():
        rows = criterion.null_ratio().rows  # the values at isolated samples are no part of the permuted
        rows = np.arange(null_rules.N) if rows is None else rows
        table = np.tile(f[:, None], 12)
        for k in range(12):
            table[rows, k] = f[np.random.default_rng(k).permutation(rows)]
        native, p = criterion.scores(table).native, null_test(criterion, table).pvalues
        best_first = np.argsort(-native if criterion.larger_is_better else native)
        assert (np.diff(p[best_first]) >= -1e-12).all(), name
        assert ((p > 0) & (p <= 1)).all(), name


@pytest.mark.parametrize("method", ["HSICScore", "MoranI", "GearyC", "LaplacianScore", "FisherScore"])
def test_a_graph_that_joins_all_alike_tells_no_order_from_another(method):
    """What centring leaves of such a graph is rounding, of which moments must not be taken."""
    for n, weight, route in product((6, 9, 30, 101), (0.3, 1.0), (Given(), Given(None))):
        rng = np.random.default_rng(n)
        X = np.column_stack([rng.normal(size=(n, 3)), rng.lognormal(size=n), np.eye(n)[:, 0], 1.0 - np.eye(n)[:, 0]])
        S = np.full((n, n), weight)
        found = getattr(eigenselect, method)(significance=route).fit(X, np.arange(n) % 2, similarity_matrix=S)
        np.testing.assert_array_equal(found.pvalues_, 1.0)


def test_a_single_nonzero_is_as_good_everywhere_for_hsic():
    """The diagonal of the unbiased HSIC is 0 but for rounding."""
    for n in (7, 9, 20):
        found = eigenselect.HSICScore(significance=True).fit(np.eye(n), np.arange(n) % 3)
        np.testing.assert_array_equal(found.pvalues_, 1.0)


def test_no_p_value_is_smaller_than_that_of_the_best_way_to_label():
    """A perfect feature of two classes: none of the C(n, k) ways to choose a class is better."""
    for sizes in ((28, 2), (57, 3)):
        y = np.repeat(np.arange(len(sizes)), sizes)
        X = np.column_stack([10.0**6 * y, 10.0**6 * y + np.random.default_rng(0).random(y.size)])
        ways = math.factorial(y.size) / math.prod(math.factorial(size) for size in sizes)
        for selector in (FisherScore(), HSICScore(), SPEC(similarity="class_labels"), TraceRatio(level="feature")):
            p = selector.set_params(significance=Permutation(None)).fit(X, y).pvalues_
            assert (p >= 1 / ways * (1 - 1e-9)).all(), selector


def star(n):
    """Sample 0 is the only neighbour of all others."""
    S = np.zeros((n, n))
    S[0, 1:] = S[1:, 0] = 1.0
    return S


@pytest.mark.parametrize("method", [LaplacianScore, eigenselect.MoranI, eigenselect.GearyC])
def test_on_a_star_pvalues_are_shares_of_its_n_hubs(method, rng):
    """The score depends on who is the hub only, so a p-value is a multiple of 1/n; type III said 1/n! of 1 in 20.

    Draws leave a relative standard error of 0.1. Whom type III gives more than 0.1 is not drawn, and keeps too much.
    """
    for n in (30, 150):
        X = rng.normal(size=(n, 300))
        found = method(significance="given").fit(X, similarity_matrix=star(n))
        exact = np.zeros(300)
        for hub in range(n):
            swapped = X.copy()
            swapped[[0, hub]] = X[[hub, 0]]
            exact += method().fit(swapped, similarity_matrix=star(n)).scores_ >= found.scores_ - 1e-9
        exact /= n
        assert exact.min() < 0.04
        by_moments = method(significance=Given(precision=None)).fit(X, similarity_matrix=star(n))
        assert (by_moments.pvalues_ >= np.minimum(exact, 0.05)).all()
        drawn = found.pvalues_ < 0.1
        assert drawn.sum() >= 2
        np.testing.assert_allclose(found.pvalues_[drawn], exact[drawn], rtol=0.45)


@pytest.mark.parametrize("hubs", [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.slow)])
def test_noise_on_a_graph_with_hubs_is_no_discovery(hubs, rng):
    """Neighbours in a plane, and a few samples that are neighbours of all."""
    n, places = 120, rng.random((120, 2))
    S = np.array(KNN(6, weight="binary").build(places).to_array())
    S[:hubs, hubs:] = S[hubs:, :hubs] = 1.0
    found = LaplacianScore(significance="given").fit(rng.normal(size=(n, 20_000)), similarity_matrix=S)
    assert np.mean(found.pvalues_ < 0.01) < 0.016
    assert np.mean(found.pvalues_ < 0.001) < 0.003
    assert (found.qvalues_ > 0.05).all()


def test_the_unit_of_a_similarity_does_not_matter():
    S = GRAPH.affinity.toarray()
    for ranking, gamma in (("phi1", Power(1)), *(("phi2", g) for g in (Power(1), Power(2), Heat(2.0), Custom(np.exp)))):
        expected = null_test(phi(ranking, SampleGraph(S), gamma), X)
        for unit in (1e-90, 1e90):
            found = null_test(phi(ranking, SampleGraph(unit * S), gamma), X)
            np.testing.assert_allclose(found.pvalues, expected.pvalues, rtol=1e-8)
            np.testing.assert_allclose(found.null_sd, expected.null_sd, rtol=1e-8)


class TestNearlyEqualEigenvalues:
    """A graph of all samples with nearly equal weights: after some time, heat has lost nearly all of any variation."""

    NOISE = np.random.default_rng(5).normal(size=(60, 200))
    S = 1.0 + 1e-3 * random_similarity(np.random.default_rng(6), 60, density=1.0)

    def judged(self, time, order):
        criterion = phi("phi2", SampleGraph(self.S[np.ix_(order, order)]), Heat(time))
        table = as_matrix(self.NOISE[order])
        return permutation_test(criterion.null_ratio(), table, criterion.scores(table).native)

    def test_noise_and_the_order_of_the_samples(self):
        for time in (0.5, 5.0, 8.0):
            found = self.judged(time, np.arange(60))
            assert (found.pvalues < 0.05).mean() < 0.1
            assert (found.pvalues < 0.5).mean() == pytest.approx(0.5, abs=0.1)
            other = self.judged(time, np.random.default_rng(7).permutation(60))
            np.testing.assert_allclose(other.pvalues, found.pvalues, atol=1e-3)

    def test_nothing_is_claimed_where_scores_are_rounding(self):
        assert (self.judged(60.0, np.arange(60)).pvalues == 1.0).all()

    def test_of_many_samples_that_probes_tell(self, monkeypatch):
        """Probes tell what is left of the mean, which is 1 but for a ten-thousandth, to a part of its own spread."""
        graph = RBF().build(np.random.default_rng(8).normal(size=(150, 40)))
        noise = as_matrix(np.random.default_rng(9).normal(size=(150, 60)))
        form = ChebyshevForm(chebyshev_series(Heat(8.0), (0.0, 2.0)), Heat(8.0))
        criterion = Criterion(graph, DEFLATED, form, SMALL)
        native = criterion.scores(noise).native
        exact = permutation_test(criterion.null_ratio(), noise, native)
        monkeypatch.setattr(permutation, "EXPLICIT_SAMPLES", 100)
        few = partial(probes.probed_scalars, most_products=100, wanted_error=0.2)  # which warns of a larger one
        monkeypatch.setattr(probes, "probed_scalars", few)
        found = permutation_test(criterion.null_ratio(), noise, native)
        assert (np.abs(found.null_mean - exact.null_mean) < 0.5 * exact.null_sd).all()
        np.testing.assert_allclose(found.pvalues, exact.pvalues, atol=0.2)
