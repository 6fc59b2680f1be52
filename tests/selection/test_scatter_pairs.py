"""The two scatters of the trace ratio, and what one feature adds to them."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm

import naive
from eigenselect import TraceRatio
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.graph import SampleGraph
from eigenselect.selection import rank_features
from eigenselect.selection.scatter_pairs import GraphPair, PairSum, ScatterRatio
from eigenselect.selection.trace_ratio import largest_ratio_subset
from eigenselect.similarity import KNN, ClassLabels


def test_scatters_of_the_named_pairs(labelled):
    X, y = labelled
    b, e = TraceRatio(2).fit(X, y).criterion_.pair.scatters(X, None)
    np.testing.assert_allclose(b / e, [naive.fisher_score(f, y) for f in X.T], rtol=1e-8)
    selector = TraceRatio(2, graphs="laplacian", similarity=KNN(5)).fit(X)
    S = selector.graph_.to_array()
    b, e = selector.criterion_.pair.scatters(X, None)
    np.testing.assert_allclose(e / b, [naive.laplacian_score(S, f) for f in X.T], rtol=1e-8)


def form(L, F):
    return np.einsum("ij,ij->j", F, L @ F)


#: fourteen samples of three classes
CLASSES = ClassLabels().build(None, np.arange(14) % 3)


class TestPairs:
    @pytest.fixture
    def F(self, rng):
        return rng.normal(size=(14, 4)) * [1, 10, 0.1, 3] + 2

    @pytest.fixture
    def within(self, make_similarity, as_kind):
        return SampleGraph(as_kind(make_similarity(14, blocks=2)))

    def test_scatters_are_the_forms_of_the_laplacians(self, F, within, make_similarity):
        pairs = ((within, "total"), (CLASSES, "rest"), (within, SampleGraph(make_similarity(14))))
        for (graph, between), scale in product(pairs, (1.0, 0.25)):
            pair = GraphPair(graph, between, scale=scale)
            (b, e), (L_b, L_w) = pair.scatters(F), pair.laplacians(14)
            np.testing.assert_allclose(e, form(L_w, F), rtol=1e-9)
            np.testing.assert_allclose(b, form(L_b, F), rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(L_w, scale * (np.diag(graph.degrees) - graph.to_array()))

    def test_total_is_the_weighted_scatter(self, F, within):
        d = within.degrees
        np.testing.assert_allclose(
            GraphPair(within, "total").scatters(F)[0], d @ (F - d @ F / d.sum()) ** 2, rtol=1e-10
        )

    def test_the_rest_is_the_scatter_between_classes(self, F):
        means = CLASSES.affinity @ F
        between, within = GraphPair(CLASSES, "rest").scatters(F)
        np.testing.assert_allclose(between, 14 * means.var(axis=0), rtol=1e-9)
        np.testing.assert_allclose(within, ((F - means) ** 2).sum(axis=0), rtol=1e-9)
        assert (GraphPair(CLASSES, "total").subtracts, GraphPair(CLASSES, "rest").subtracts) == (False, True)

    def test_a_pair_may_be_about_some_samples(self, rng, make_similarity):
        F, rows = rng.normal(size=(20, 3)), np.array([3, 1, 19, 7, 8, 12])
        pair = GraphPair(SampleGraph(make_similarity(6)), "total", rows=rows)
        for found, expected, L in zip(
            pair.scatters(F), GraphPair(pair.within, "total").scatters(F[rows]), pair.laplacians(20), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_allclose(found, form(L, F), rtol=1e-9)
        np.testing.assert_array_equal(np.flatnonzero(~pair.unused(20)), np.sort(rows))

    def test_sums_of_pairs_add_up(self, F, within, make_similarity):
        parts = (GraphPair(SampleGraph(make_similarity(5)), "rest", rows=np.arange(5)), GraphPair(within, "total"))
        both = PairSum(parts)
        for found, one, other in zip(both.scatters(F), *(part.scatters(F) for part in parts), strict=True):
            np.testing.assert_allclose(found, one + other)
        for found, one, other in zip(both.laplacians(14), *(part.laplacians(14) for part in parts), strict=True):
            np.testing.assert_allclose(found, one + other)
        for found, expected in zip(both.forms(14), both.laplacians(14), strict=True):
            np.testing.assert_allclose(found.quadratic(F), form(expected, F), rtol=1e-9)
        assert both.within is within
        assert both.subtracts
        assert not both.unused(14).any()


class TestScatterRatio:
    @pytest.fixture
    def pair(self, rng):
        return GraphPair(ClassLabels().build(None, rng.permutation(np.arange(30) % 3)), "rest")

    def test_scores_are_the_matrices(self, rng, pair):
        X = rng.normal(size=(30, 6)) * 10.0 ** rng.uniform(-1, 1, 6)
        for level, scale in product(("subset", "feature"), (None, "unit")):
            found = ScatterRatio(pair, level, 2, scale).scores(X)
            chosen = rank_features(found.native) <= 2
            attributes = found.attributes if level == "subset" else found.of_selection(chosen)
            known = attributes["criterion_"]
            np.testing.assert_allclose(form(known.matrix(), known.features(X)), found.relevance, rtol=1e-8, atol=1e-12)
            assert known.ratio == attributes["trace_ratio_"]
            assert found.n_selected == (2 if level == "subset" else None)
            assert known.by_subset == (level == "subset")
            b, e = pair.scatters(X)
            assert scale or known.ratio == pytest.approx(b[chosen].sum() / e[chosen].sum())
        assert np.isnan(found.of_selection(np.zeros(6, dtype=bool))["trace_ratio_"])

    def test_rounding_is_that_of_what_a_score_is_the_rest_of(self, rng, pair):
        """b + e where b is what e leaves of the total, b where it is measured; at subset level λe beside it."""
        X = rng.normal(size=(30, 6))
        for used, subtracts in ((pair, True), (GraphPair(pair.within, "total"), False)):
            b, e = used.scatters(X)
            gain = b + e if subtracts else b
            by_feature, by_subset = (ScatterRatio(used, level, 2).scores(X) for level in ("feature", "subset"))
            unit = by_feature.rounding[0] / (gain[0] / e[0])
            assert 1e-17 < unit < 1e-12
            np.testing.assert_allclose(by_feature.rounding, unit * gain / e, rtol=1e-10)
            ratio = by_subset.attributes["trace_ratio_"]
            np.testing.assert_allclose(by_subset.rounding, unit * (gain + ratio * e), rtol=1e-10)

    def test_the_subset_holds_the_largest_of_its_own_scores(self, rng, pair):
        X = rng.normal(size=(30, 9)) * rng.exponential(size=9)
        found = ScatterRatio(pair, "subset", 4).scores(X)
        b, e = pair.scatters(X)
        subset = largest_ratio_subset(b, e, 4).subset
        assert set(np.argsort(-found.native)[:4]) == set(subset)
        np.testing.assert_allclose(found.native[subset].sum(), 0, atol=1e-12)  # Σb = λ* Σe


def test_a_diffusion_stands_for_its_heat_kernel(rng, make_similarity):
    """e = fᵀL f with the Laplacian of exp(-βL₀), which is never formed, not with that of the base graph."""
    base, X = SampleGraph(sparse.csr_array(make_similarity(20))), rng.normal(size=(20, 4))
    heat = base.diffuse(0.7)
    explicit = SampleGraph(expm(-0.7 * base.laplacian().toarray()))
    for found, expected in zip(
        GraphPair(heat, "total").scatters(X), GraphPair(explicit, "total").scatters(X), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(
        GraphPair(heat, "total").laplacians(20), GraphPair(explicit, "total").laplacians(20), atol=1e-10
    )


SELECTORS = [
    TraceRatio(3),
    TraceRatio(3, scale=None),
    TraceRatio(3, level="feature"),
    TraceRatio(3, graphs="laplacian", similarity=KNN(6)),
    TraceRatio(3, graphs="laplacian", similarity="diffusion", level="feature"),
    TraceRatio(3, graphs="semi-supervised", similarity=KNN(6)),
    TraceRatio(3, graphs="semi-supervised", level="feature"),
]


def test_samples_sum_to_the_score(labelled):
    """The best feature has the largest score that is explained, if larger is said to be better."""
    for selector, exponent in product(SELECTORS, (0, 300)):
        X, y = np.ldexp(labelled[0], exponent), labelled[1]
        few = selector.graphs == "semi-supervised"
        selector.fit(X, np.where(np.arange(y.size) % 3 == 0, y, None) if few else y)
        best, worst = (int(choose(selector.ranking_)) for choose in (np.argmin, np.argmax))
        for feature in (best, worst, 4):
            why = selector.explain(X, feature)
            expected = selector.native_scores_[feature]
            size = abs(why.samples.terms).sum()  # b and λe may nearly cancel
            assert why.score == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
            assert why.samples.terms.sum() == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
            ratio = why.samples.numerator.sum() / why.samples.denominator.sum()
            assert ratio == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
        assert why.larger_is_better == (selector.explain(X, best).score > selector.explain(X, worst).score)


def test_two_given_graphs(labelled, rng):
    X, y = labelled
    A_w, A_b = (A + A.T for A in rng.random((2, len(y), len(y))))
    for level in ("subset", "feature"):
        selector = TraceRatio(3, graphs=(A_w, A_b), level=level).fit(X)
        why = selector.explain(X, 2)
        assert why.samples.terms.sum() == pytest.approx(selector.native_scores_[2], rel=1e-11)
    f = X[:, 2]
    for terms, A in ((why.samples.numerator, A_b), (why.samples.denominator, A_w)):
        energy = [0.5 * sum(A[i, j] * (f[i] - f[j]) ** 2 for j in range(f.size)) for i in range(f.size)]
        np.testing.assert_allclose(terms / terms.sum(), np.array(energy) / sum(energy), rtol=1e-11)


def test_b_and_e_of_the_fisher_pair_by_class(labelled):
    X, y = labelled
    selector = TraceRatio(3, level="feature").fit(X, y)
    why = selector.explain(X, 0)
    classes, f = why.classes, X[:, 0]
    for place, name in enumerate(classes.names):
        own = why.samples.numerator[y == name]
        np.testing.assert_allclose(own, own[0])  # the mean of its class is all that counts
        part = own.sum() / why.samples.numerator.sum()
        assert classes.between[place] / classes.between.sum() == pytest.approx(part, rel=1e-11)
    within = why.samples.denominator / why.samples.denominator.sum()
    mean = {name: f[y == name].mean() for name in classes.names}
    deviations = np.array([(value - mean[name]) ** 2 for value, name in zip(f, y, strict=True)])
    np.testing.assert_allclose(within, deviations / deviations.sum(), rtol=1e-9)


def test_a_perfect_and_a_constant_feature(labelled):
    """In a subset with others, a perfect feature has a finite score."""
    X, y = labelled
    X[:, 0], X[:, 1] = np.unique(y, return_inverse=True)[1], 2.0
    for level in ("feature", "subset"):
        with pytest.warns(UndefinedScoreWarning):
            selector = TraceRatio(3, level=level).fit(X, y)
        with pytest.raises(ValueError, match="TraceRatio: column 1"):
            selector.explain(X, 1)
        why = selector.explain(X, 0)
        assert why.score == pytest.approx(selector.native_scores_[0], rel=1e-11)
        assert np.isfinite(selector.trace_ratio_)
        assert np.isfinite(why.score) == (level == "subset")
        assert why.samples.terms.sum() == pytest.approx(why.score, rel=1e-11)
