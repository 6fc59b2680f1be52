"""The trace ratio: the best of all subsets, for every pair of graphs."""

import warnings

import numpy as np
import pytest
from sklearn.preprocessing import scale

import naive
from eigenselect import FisherScore, LaplacianScore, TraceRatio
from eigenselect.exceptions import KneeWarning
from eigenselect.matrix import as_matrix
from eigenselect.selection import Threshold, TopK
from eigenselect.selection.trace_ratio import largest_ratio_subset
from eigenselect.similarity import KNN


class TestTraceRatio:
    @pytest.mark.parametrize("graphs", ["fisher", "laplacian"])
    def test_the_subset_is_the_best_of_all_subsets(self, graphs):
        for seed in range(30):
            rng = np.random.default_rng(seed)
            n_features = int(rng.integers(3, 13))
            y = rng.permutation(np.repeat([0, 1, 2], 12))
            X = (rng.normal(size=(36, n_features)) + np.outer(y, rng.normal(size=n_features))) * rng.exponential(
                size=n_features
            )
            k = int(rng.integers(1, n_features + 1))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                selector = TraceRatio(k, graphs=graphs, scale=None).fit(X, y)
            b, e = selector.criterion_.pair.scatters(X, None)
            assert selector.trace_ratio_ == pytest.approx(naive.best_ratio(b, e, k), rel=1e-10)
            chosen = selector.get_support()
            assert chosen.sum() == k
            assert selector.trace_ratio_ == pytest.approx(b[chosen].sum() / e[chosen].sum(), rel=1e-10)
            assert (np.diff(largest_ratio_subset(b, e, k).history) > 0).all()

    def test_given_graphs(self, rng, as_kind):
        X = rng.normal(size=(15, 6))
        A_w, A_b = (A + A.T for A in rng.random((2, 15, 15)))
        selector = TraceRatio(3, graphs=(as_kind(A_w), as_kind(A_b))).fit(X)

        def laplacian_form(A, f):
            return f @ (np.diag(A.sum(axis=1)) - A) @ f

        b, e = (np.array([laplacian_form(A, f) for f in X.T]) for A in (A_b, A_w))
        assert selector.trace_ratio_ == pytest.approx(naive.best_ratio(b, e, 3), rel=1e-10)

    @pytest.mark.parametrize("graphs", ["fisher", "laplacian"])
    def test_the_ratio_falls_with_the_number_of_features(self, labelled, graphs):
        X, y = labelled
        ratios = [TraceRatio(k, graphs=graphs, similarity=KNN(6)).fit(X, y).trace_ratio_ for k in range(1, 8)]
        assert (np.diff(ratios) <= 1e-12).all()

    def test_feature_level_orders_as_fisher_and_laplacian_score(self, labelled):
        X, y = labelled
        np.testing.assert_array_equal(
            TraceRatio(2, level="feature").fit(X, y).ranking_, FisherScore(2).fit(X, y).ranking_
        )
        by_ratio = TraceRatio(2, level="feature", graphs="laplacian", similarity=KNN(6)).fit(X)
        np.testing.assert_array_equal(by_ratio.ranking_, LaplacianScore(2, similarity=KNN(6)).fit(X).ranking_)
        assert by_ratio.n_iter_ == 1

    @pytest.mark.parametrize("unlabelled", [-1, None])
    def test_few_labels_and_all_neighbours(self, labelled, unlabelled):
        X, y = labelled
        y = np.unique(y, return_inverse=True)[1]
        some = np.array([label if i % 3 == 0 else unlabelled for i, label in enumerate(y)], dtype=object)
        selector = TraceRatio(3, graphs="semi-supervised", scale=None, similarity=KNN(6)).fit(X, some)
        b, e = selector.criterion_.pair.scatters(X, None)
        few, rest = X[::3], KNN(6).build(X)
        scale = len(y) / rest.volume
        for f, g, found_b, found_e in zip(X.T, few.T, b, e, strict=True):
            within = sum(np.sum(y[::3] == c) * g[y[::3] == c].var() for c in np.unique(y[::3]))
            spread = np.sum(rest.degrees * (f - f @ rest.degrees / rest.volume) ** 2)
            energy = f @ (np.diag(rest.degrees) - rest.to_array()) @ f
            assert found_e == pytest.approx(within + scale * energy, rel=1e-8)
            assert found_b == pytest.approx(len(g) * g.var() - within + scale * spread, rel=1e-8)
        assert selector.trace_ratio_ == pytest.approx(naive.best_ratio(b, e, 3), rel=1e-10)
        S_hat, F_hat = selector.quadratic_form(X)
        np.testing.assert_allclose(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat), selector.scores_, rtol=1e-8)

    @pytest.mark.parametrize("graphs", ["fisher", "laplacian", "semi-supervised", "given"])
    def test_unit_scale_is_the_letter_on_standardised_features(self, unlike_spreads, rng, as_kind, graphs):
        X, y = unlike_spreads
        A_w, A_b = (A + A.T for A in rng.random((2, len(y), len(y))))
        options = {"graphs": (A_w, A_b), "scale": "unit"} if graphs == "given" else {"graphs": graphs}
        names = {"similarity_matrix": A_w} if graphs in ("laplacian", "semi-supervised") else {}
        unit = TraceRatio(3, **options).fit(as_kind(X), y, **names)
        letter = TraceRatio(3, **options | {"scale": None}).fit(scale(X), y, **names)
        np.testing.assert_allclose(unit.scores_, letter.scores_, rtol=1e-8)
        assert unit.trace_ratio_ == pytest.approx(letter.trace_ratio_, rel=1e-10)
        np.testing.assert_array_equal(unit.get_support(), letter.get_support())
        S_hat, F_hat = unit.quadratic_form(as_kind(X))
        np.testing.assert_allclose(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat), unit.scores_, rtol=1e-8)

    def test_at_unit_scale_the_fisher_pair_takes_the_largest_fisher_scores(self, unlike_spreads):
        X, y = unlike_spreads
        for k in range(1, X.shape[1]):
            np.testing.assert_array_equal(TraceRatio(k).fit(X, y).get_support(), FisherScore(k).fit(X, y).get_support())

    def test_graphs_of_ones_own_see_features_as_they_are(self, unlike_spreads, rng):
        X, y = unlike_spreads
        pair = tuple(A + A.T for A in rng.random((2, len(y), len(y))))
        as_given = TraceRatio(3, graphs=pair).fit(X)
        np.testing.assert_array_equal(as_given.scores_, TraceRatio(3, graphs=pair, scale=None).fit(X).scores_)

    def test_near_constant_features_do_not_fill_the_subset(self, rng):
        """Marks of one or two samples of a class: no scatter, so the letter's denominator gets them for nothing."""
        y = np.repeat([0, 1], 50)
        rare = np.zeros((100, 30))
        for column in range(30):
            rare[rng.integers(0, 50, 2), column] = 1.0
        X = np.hstack([rare, 3 * y[:, None] + rng.normal(size=(100, 5))])
        assert TraceRatio(5).fit(X, y).get_support(indices=True).min() == 30
        X[:, 30:] *= 0.5 + 9.5 * (np.arange(5) == 0)  # one of the good ones is wide
        assert not TraceRatio(5, scale=None).fit(X, y).get_support()[30]
        assert TraceRatio(5).fit(X, y).get_support()[30]

    def test_auto_gives_at_most_as_many_features_as_samples(self, rng):
        X, y = rng.normal(size=(24, 400)), np.arange(24) % 2
        X[:, :100] += 3 * y[:, None]
        with pytest.warns(KneeWarning, match="TraceRatio: n_features_to_select='auto' keeps 24 features"):
            assert TraceRatio("auto").fit(X, y).get_support().sum() == 24

    def test_perfect_features_come_first(self, labelled):
        X, y = labelled
        codes = np.unique(y, return_inverse=True)[1]
        X[:, 2], X[:, 4] = codes, 5.0 * codes
        selector = TraceRatio(2).fit(X, y)
        assert set(selector.get_support(indices=True)) == {2, 4}
        assert selector.trace_ratio_ == np.inf
        one = TraceRatio(3).fit(X, y)
        assert {2, 4} <= set(one.get_support(indices=True))
        assert np.isfinite(one.trace_ratio_)

    @pytest.mark.parametrize("level", ["subset", "feature"])
    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.KneeWarning")
    def test_auto_keeps_all_perfect_features_in_silence(self, labelled, level):
        X, y = labelled
        codes = np.unique(y, return_inverse=True)[1]
        X[:, 2], X[:, 4] = codes, 5.0 * codes
        selector = TraceRatio("auto", level=level, significance=False).fit(X, y)
        assert set(selector.get_support(indices=True)) == {2, 4}
        assert selector.trace_ratio_ == np.inf
        perfect = np.outer(codes, [1.0, 2.0, 3.0])
        assert TraceRatio("auto", level=level, significance=False).fit(perfect, y).n_features_ == 3

    @pytest.mark.parametrize("graphs", ["fisher", (np.ones((20, 20)), np.ones((20, 20)))], ids=["fisher", "pair"])
    def test_a_similarity_matrix_is_refused_where_no_graph_is_replaced(self, rng, graphs):
        X, y, S = rng.normal(size=(20, 4)), np.arange(20) % 2, np.ones((20, 20))
        with pytest.raises(ValueError, match="TraceRatio: graphs=.* has no"):
            TraceRatio(2, graphs=graphs).fit(X, y, similarity_matrix=S)
        for named in ("laplacian", "semi-supervised"):
            TraceRatio(2, graphs=named).fit(X, y, similarity_matrix=S)


@pytest.mark.parametrize(
    ("selector", "says"),
    [
        (TraceRatio(level="set"), "TraceRatio: level.*'set'"),
        (TraceRatio(scale="std"), "be 'auto' or 'unit'"),
        (TraceRatio(graphs="knn"), "TraceRatio: graphs.*'knn'"),
        (TraceRatio(graphs=(np.eye(20),)), "TraceRatio: graphs.*pair"),
        (TraceRatio(graphs=(-np.ones((20, 20)), np.ones((20, 20)))), "A_w of graphs.*non-negative"),
        (TraceRatio(graphs=(np.ones((20, 20)), np.triu(np.ones((20, 20))))), "A_b of graphs.*symmetric"),
    ],
    ids=str,
)
def test_bad_parameters(selector, says, rng):
    with pytest.raises(ValueError, match=says):
        selector.fit(rng.normal(size=(20, 3)), np.arange(20) % 2)


@pytest.mark.parametrize("graphs", ["laplacian", "semi-supervised"])
def test_a_graph_without_edges_is_refused(rng, graphs):
    with pytest.raises(ValueError, match="TraceRatio: the sample graph"):
        TraceRatio(2, graphs=graphs).fit(
            rng.normal(size=(20, 4)), np.arange(20) % 2, similarity_matrix=np.zeros((20, 20))
        )


class TestRules:
    def test_at_feature_level_any_rule(self, labelled):
        X, y = labelled
        every = TraceRatio(level="feature").fit(X, y)
        least = np.median(every.scores_)
        some = TraceRatio(Threshold(least, never=[0]), level="feature").fit(X, y)
        expected = (every.scores_ >= least) & (np.arange(X.shape[1]) > 0)
        np.testing.assert_array_equal(some.get_support(), expected)
        b, e = some.criterion_._scatters(as_matrix(X), None)
        assert some.trace_ratio_ == pytest.approx(b[expected].sum() / e[expected].sum())
        none = TraceRatio(Threshold(1e9), level="feature").fit(X, y)
        assert none.n_features_ == 0
        assert np.isnan(none.trace_ratio_)

    def test_a_subset_needs_its_size(self, labelled):
        X, y = labelled
        assert TraceRatio(TopK(3)).fit(X, y).trace_ratio_ == TraceRatio(3).fit(X, y).trace_ratio_
        for rule, says in ((Threshold(1), "gives no number"), (TopK(3, must_keep=[0]), "have no meaning")):
            with pytest.raises(ValueError, match=f"TraceRatio: .*{says}.*level='subset' chooses features together"):
                TraceRatio(rule).fit(X, y)
        with pytest.raises(ValueError, match="TraceRatio: FDR needs p-values.*level='subset'"):
            TraceRatio("fdr").fit(X, y)
