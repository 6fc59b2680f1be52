"""The two scatters of the trace ratio."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm

import naive
from eigenselect import TraceRatio
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.selection import rank_features
from eigenselect.selection.scatter_pairs import GraphPair, PairSum, ScatterRatio, feature_variances
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

    @pytest.mark.parametrize("between", ["total", "rest", "graph"])
    @pytest.mark.parametrize("scale", [1.0, 0.25])
    def test_scatters_are_the_forms_of_the_laplacians(self, F, within, make_similarity, between, scale):
        other = SampleGraph(make_similarity(14)) if between == "graph" else between
        within = CLASSES if between == "rest" else within
        pair = GraphPair(within, other, scale=scale)
        (b, e), (L_b, L_w) = pair.scatters(F), pair.laplacians(14)
        np.testing.assert_allclose(e, form(L_w, F), rtol=1e-9)
        np.testing.assert_allclose(b, form(L_b, F), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(L_w, scale * (np.diag(within.degrees) - within.to_array()))

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

    def test_a_sample_is_unused_where_neither_graph_knows_it(self, make_similarity):
        S = make_similarity(10, isolated=2)
        other = np.roll(S, 1, axis=(0, 1))  # its isolated samples are 9 and 0
        pair = GraphPair(SampleGraph(S), SampleGraph(other))
        np.testing.assert_array_equal(np.flatnonzero(pair.unused(10)), [9])
        np.testing.assert_array_equal(np.flatnonzero(GraphPair(SampleGraph(S), "total").unused(10)), [8, 9])

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

    def test_variances_count_every_sample_the_same_but_isolated_ones(self, F, make_similarity):
        graph = SampleGraph(make_similarity(14, isolated=3))
        np.testing.assert_allclose(feature_variances(as_matrix(F), graph), F[:11].var(axis=0), rtol=1e-10)
        pair = GraphPair(CLASSES, "rest")
        b, e = pair.scatters(F)
        np.testing.assert_allclose(pair.variances(as_matrix(F), b, e, None), F.var(axis=0), rtol=1e-10)


class TestScatterRatio:
    @pytest.fixture
    def pair(self, rng):
        return GraphPair(ClassLabels().build(None, rng.permutation(np.arange(30) % 3)), "rest")

    @pytest.mark.parametrize("level", ["subset", "feature"])
    @pytest.mark.parametrize("scale", [None, "unit"])
    def test_scores_are_the_matrices(self, rng, pair, level, scale):
        X = rng.normal(size=(30, 6)) * 10.0 ** rng.uniform(-1, 1, 6)
        found = ScatterRatio(pair, level, 2, scale).scores(X)
        attributes = found.attributes if level == "subset" else found.of_selection(rank_features(found.native) <= 2)
        known = attributes["criterion_"]
        np.testing.assert_allclose(form(known.matrix(), known.features(X)), found.relevance, rtol=1e-8, atol=1e-12)
        assert known.ratio == attributes["trace_ratio_"]
        assert found.n_selected == (2 if level == "subset" else None)
        assert known.by_subset == (level == "subset")

    def test_at_feature_level_the_ratio_is_that_of_what_is_selected(self, rng, pair):
        X = rng.normal(size=(30, 6))
        b, e = pair.scatters(X)
        found = ScatterRatio(pair, "feature", None).scores(X)
        chosen = np.array([True, False, False, True, True, False])
        assert found.of_selection(chosen)["trace_ratio_"] == pytest.approx(b[chosen].sum() / e[chosen].sum())
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
