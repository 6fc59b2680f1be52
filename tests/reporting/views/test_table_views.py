"""What a report draws of features, against naive numbers: heat map, dots, copies, values, classes and p-values."""

import base64

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import beta, binom, zscore
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from tests.reporting.conftest import views_of

import eigenselect as es
from eigenselect.reporting.views import drawing, near_copies, redundancy
from eigenselect.reporting.views.clustered import leaf_order
from eigenselect.selection import TopK

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
Y = np.repeat(["a", "b", "c"], [14, 13, 13])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def columns_of(view):
    return [int(name[1:]) for name in view["features"]]


def steps_of(view):
    """Z-scores of a heat map in steps of its colours."""
    return np.frombuffer(base64.b64decode(view["steps"]), np.int8).reshape(len(view["features"]), len(view["number"]))


class TestHeatMap:
    def test_cells_are_z_scores_at_any_scale(self, rng):
        X = rng.normal(size=(40, 35)) + 3
        X[0, 2] = 40.0  # beyond the end of the colours
        for factor in (1e-90, 1.0, 1e90):
            selector = es.FisherScore(TopK(5, must_keep=[2])).fit(X * factor, Y)
            made = es.report(selector, X * factor, Y, evaluation=False).summary
            view = made["views"]["heat_map"]
            expected = np.clip(zscore(X)[np.ix_(view["number"], columns_of(view))].T, -2.5, 2.5)
            np.testing.assert_allclose(steps_of(view) * view["step"], expected, atol=0.0501)
            assert steps_of(view).max() == 25
            assert [made["all_features"]["feature"][place] for place in view["place"]] == view["features"]
            names = [made["views"]["groups"]["names"][code] for code in view["group"]]
            assert names == Y[view["number"]].tolist() == sorted(Y)

    def test_the_kept_and_the_next_are_shown(self, rng):
        X, y = rng.normal(size=(20, 70)), np.repeat([0, 1], 10)
        order = es.FisherScore().fit(X, y).ranking_.argsort()
        for kept, count in ((3, 30), (30, 30), (42, 42), (60, 50)):
            view = views_of(es.FisherScore(kept).fit(X, y), X, y)["heat_map"]
            assert set(columns_of(view)) == set(order[:count])
        by_name = views_of(es.FisherScore(TopK(1, must_keep=[int(order[-1])])).fit(X, y), X, y)["heat_map"]
        assert order[-1] in columns_of(by_name)
        unordered = views_of(es.MRSF(3, target="lda").fit(X, y), X, y)["heat_map"]
        assert len(unordered["features"]) == 3

    def test_groups_have_equal_shares_of_many_samples_as_far_as_they_go(self, rng):
        for sizes, expected in (((500, 500), [150, 150]), ((20, 880), [20, 280]), ((600, 10, 500), [145, 10, 145])):
            X, y = rng.normal(size=(sum(sizes), 3)), np.repeat(np.arange(len(sizes)), sizes)
            view = views_of(es.FisherScore(2).fit(X, y), X, y)["heat_map"]
            drawn = np.unique(view["number"])
            assert len(view["number"]) == drawn.size == 300
            assert np.bincount(y[drawn]).tolist() == expected
            z = np.clip(zscore(X)[np.ix_(view["number"], columns_of(view))].T, -2.5, 2.5)  # over all samples
            np.testing.assert_allclose(steps_of(view) * view["step"], z, atol=0.0501)

    def test_any_order_of_samples_and_features_gives_one_picture(self, rng):
        X, y = rng.normal(size=(30, 8)), rng.integers(0, 3, size=30)
        X[7:9], y[7:9] = X[5], y[5]  # duplicated samples
        X[:, 6] = X[:, 2]  # and features
        rows, columns = rng.permutation(30), rng.permutation(8)
        first, second = (
            steps_of(views_of(es.FisherScore(8).fit(table, labels), table, labels)["heat_map"])
            for table, labels in ((X, y), (X[np.ix_(rows, columns)], y[rows]))
        )
        np.testing.assert_array_equal(first, second)

    def test_constant_features_have_no_value_and_come_last(self, rng):
        X = rng.normal(size=(40, 5))
        X[:, 1] = 0.1
        found = views_of(es.FisherScore(5).fit(X, Y), X, Y)
        assert found["heat_map"]["features"][-1] == found["redundancy"]["features"][-1] == "x1"
        assert (steps_of(found["heat_map"])[-1] == -128).all()
        matrix = np.array(found["redundancy"]["correlation"])
        assert np.isnan(matrix[-1]).all()
        assert np.isfinite(matrix[:-1, :-1]).all()
        assert np.isnan(np.array(found["dots"]["mean"])[:, -1]).all()
        for n, k in ((3, 1), (3, 2), (4, 3)):  # the smallest tables
            view = views_of(es.FisherScore(k).fit(X[:n, 2 : 2 + k], [0, 0, 1, 1][:n]), X[:n, 2 : 2 + k])["heat_map"]
            assert steps_of(view).shape == (k, n)

    def test_like_features_stand_together_whatever_the_last_bits_are(self, rng):
        points = rng.permutation(20).astype(float)
        order = points[leaf_order(np.abs(points[:, None] - points))]
        assert (np.abs(np.diff(order)) == 1).all()
        ties = rng.integers(0, 3, size=(40, 3)).astype(float)
        distances, nudge = np.linalg.norm(ties[:, None] - ties, axis=2), rng.normal(size=(40, 40)) * 1e-13
        np.testing.assert_array_equal(leaf_order(distances), leaf_order(distances + nudge + nudge.T))
        X = rng.normal(size=(40, 1)) * [1, -1, 1, -1, 1, -1] + rng.normal(size=(40, 6))
        signs = [1 - 2 * (column % 2) for column in columns_of(views_of(es.Variance(6).fit(X), X)["heat_map"])]
        assert np.abs(np.diff(signs)).sum() == 2  # opposite features stand far apart

    def test_what_blocks_mean_is_said(self, rng):
        X, y = rng.normal(size=(40, 35)), np.repeat(["a", "b"], 20)
        clusters = rng.normal(size=(60, 4)) + 9 * np.repeat(np.eye(3, 4), 20, axis=0)
        before = make_pipeline(SelectKBest(k=20), es.LaplacianScore(5))
        for selector, table, labels, words in (
            (es.FisherScore(5), X, y, "with these labels"), (before, X, y, "with these labels"),
            (es.LaplacianScore(5), X, y, "without these labels"),
            (es.LaplacianScore(2), clusters, None, "by construction"),
        ):  # fmt: skip
            caution = views_of(selector.fit(table, labels), table, labels)["heat_map"]["caution"]
            assert words in caution
            assert "blocks of noise" in caution


class TestDots:
    def test_means_and_shares_of_groups(self, rng):
        X = rng.normal(size=(40, 4)) + 2
        for factor in (1e-90, 1.0, 1e90):
            view = views_of(es.FisherScore(4).fit(X * factor, Y), X * factor, Y)["dots"]
            columns = columns_of(view)
            high = np.median(X, axis=0) < X
            for code, name in enumerate("abc"):
                np.testing.assert_allclose(view["mean"][code], zscore(X)[name == Y].mean(axis=0)[columns], atol=1e-12)
                np.testing.assert_allclose(view["share"][code], high[name == Y].mean(axis=0)[columns])
            assert "median" in view["share_of"]

    def test_counts_are_zero_or_not_and_two_groups_need_none(self, rng):
        X = rng.poisson(0.7, size=(40, 3)).astype(float)
        view = views_of(es.FisherScore(3).fit(X, Y), X, Y)["dots"]
        assert view["share_of"] == "not zero"
        np.testing.assert_allclose(view["share"][1], (X[Y == "b"] > 0).mean(axis=0)[columns_of(view)])
        assert views_of(es.FisherScore(3).fit(X - 1, Y), X - 1, Y)["dots"]["share_of"] != "not zero"
        assert views_of(es.FisherScore(3).fit(X, Y == "a"), X, Y == "a")["dots"] is None
        some = np.where(np.arange(40) % 5 == 0, None, Y.astype(object))
        view = views_of(es.LaplacianScore(3).fit(X), X, some)["dots"]
        np.testing.assert_allclose(view["mean"][2], zscore(X)[some == "c"].mean(axis=0)[columns_of(view)])


class TestRedundancy:
    def test_correlations_and_their_mean_are_numpys(self, rng):
        X = rng.normal(size=(40, 60)) + 5
        X[:, :30] = X[:, :1] + 0.01 * X[:, :30]  # the first thirty repeat each other, the others do not
        for factor in (1e-12, 1.0, 1e12):
            view = views_of(es.Variance(60).fit(X * factor), X * factor)["redundancy"]
            columns = columns_of(view)
            np.testing.assert_allclose(view["correlation"], np.corrcoef(X[:, columns].T), atol=1e-9)
            pairs = np.abs(np.corrcoef(X.T)[np.triu_indices(60, 1)])
            assert (len(columns), view["n_measured"]) == (50, 60)
            assert view["rate"] == pytest.approx(pairs.mean())
            first, last = view["groups"][0]["shown"]
            assert set(columns[first:last]) == set(columns) & set(range(30))
        independent = np.corrcoef(rng.normal(size=(400, 40)))
        assert view["chance"] == pytest.approx(np.abs(independent[np.triu_indices(400, 1)]).mean(), rel=0.02)
        found = views_of(es.Variance(9).fit(X), X)
        assert found["redundancy"]["features"] == found["heat_map"]["features"]

    def test_only_a_part_is_measured_of_very_many(self, rng, monkeypatch):
        X = rng.normal(size=(50, 60))
        monkeypatch.setattr(redundancy, "BUDGET", 50 * 40)
        assert views_of(es.Variance(60).fit(X), X)["redundancy"]["n_measured"] == 40

    def test_groups_and_copies_by_brute_force(self, rng):
        """Families around five features, some of them chains."""
        for kept in (3, 12, 40):
            base = rng.normal(size=(50, 5))
            X = base[:, rng.integers(0, 5, 40)] + 0.35 * rng.normal(size=(50, 40))
            selector = es.Variance(kept).fit(X)
            made = es.report(selector, X, evaluation=False).summary
            near = np.abs(np.corrcoef(X.T)) >= 0.9
            np.fill_diagonal(near, False)
            best = np.flatnonzero(selector.get_support())
            others = np.setdiff1d(np.arange(40), best)
            told = made["views"]["redundancy"]["best_copies"]
            assert told["n_others"] == near[np.ix_(others, best)].any(axis=1).sum()
            inside = near[np.ix_(best, best)]
            reach = np.linalg.matrix_power(inside + np.eye(kept), kept) > 0
            sizes = [len(group) for group in {tuple(np.flatnonzero(row)) for row in reach} if len(group) > 1]
            assert sorted(told["sizes"]) == sorted(sizes)
            codes = dict(zip(made["all_features"]["feature"], made["all_features"]["group"], strict=True))
            shown = columns_of(made["views"]["heat_map"])
            for one in shown:
                for other in np.flatnonzero(near[one]):
                    assert codes[f"x{one}"] == codes[f"x{other}"] > 0
            assert {row["feature"]: row["count"] for row in made["views"]["near_copies"]} == {
                f"x{one}": count for one in best if (count := near[one, others].sum())
            }

    def test_copies_are_named_nearest_first_and_exact_ones_by_column(self, rng, monkeypatch):
        base = rng.normal(size=(60, 1))
        X = base * [9, 1, 1, 1] + np.array([0, 0.3, 0.1, 0.2]) * rng.normal(size=(60, 4))
        (row,) = views_of(es.Variance(1).fit(X), X)["near_copies"]
        assert (row["copies"], row["count"]) == (["x2", "x3", "x1"], 3)
        np.testing.assert_allclose(row["correlations"], np.corrcoef(X.T)[0, [2, 3, 1]])
        monkeypatch.setattr(near_copies, "SHOWN_COPIES", 2)
        (row,) = views_of(es.Variance(1).fit(X), X)["near_copies"]
        assert (row["copies"], row["count"]) == (["x2", "x3"], 3)
        monkeypatch.setattr(near_copies, "COPY_SAMPLES", 30)  # of many samples a part is enough
        assert views_of(es.Variance(1).fit(X), X)["near_copies"][0]["count"] == 3
        monkeypatch.undo()
        exact = np.repeat(rng.normal(size=(9, 1)) / 3, 5, axis=1) * [1.0, 0.1, 30.3, -7.7, 0.3]
        assert views_of(es.Variance(1).fit(exact), exact)["near_copies"][0]["copies"] == ["x0", "x1", "x3", "x4"]


class TestValues:
    def test_distributions_have_quartiles_counts_and_means(self, rng):
        X = rng.normal(size=(40, 5))
        X[:, 4] = 1e6 * (np.arange(40) == 3)
        for factor in (1e-90, 1.0, 1e90):
            table = X * factor
            found = views_of(es.FisherScore(4).fit(table, Y), table, Y)["distributions"]
            assert len(found) == 4
            for shown in found:
                values = X[:, int(shown["feature"][1:])]
                for part, name in zip(shown["groups"], "abc", strict=True):
                    own = values[name == Y]
                    expected = np.percentile(own, [0, 25, 50, 75, 100])
                    np.testing.assert_allclose(np.array(part["quartiles"]) / factor, expected, atol=1e-10)
                    assert part["mean"] / factor == pytest.approx(own.mean())
                    assert sum(part["counts"]) == part["n"] == own.size

    def test_histograms_of_ends_that_are_a_rounding_error_apart(self):
        for low, high in ((0.3, 0.1 + 0.2), (1.7e18, 1.7e18 + 256), (1.0, 1.0)):
            assert sum(drawing.histogram(np.array([low, low, high]), low, high)) == 3

    def test_values_come_back_to_seven_digits_and_the_budget_keeps_the_best(self, rng, monkeypatch):
        X = rng.uniform(-1, 1, size=(40, 6))
        X[3, 1] *= 1e-6  # beside large ones
        X[:, 5] = 0
        for factor in (1e-90, 1.0, 1e90):
            selector = es.Variance(3).fit(X)
            found = views_of(selector, X * factor)["values"]
            parts = np.frombuffer(base64.b64decode(found["parts"]), "<f4").reshape(6, 40)
            order = selector.ranking_.argsort()
            np.testing.assert_allclose(parts * np.array(found["scale"])[:, None], (X * factor)[:, order].T, rtol=1e-6)
        monkeypatch.setattr(drawing, "VALUE_BUDGET", 100)
        monkeypatch.setattr(drawing, "LEAST_FEATURES", 2)
        assert views_of(selector, X)["values"]["count"] == 2
        monkeypatch.setattr(drawing, "SHOWN_SAMPLES", 20)
        assert len(set(views_of(selector, X)["samples"]["number"])) == 20


class TestClasses:
    def test_shares_are_those_of_explain(self, two_groups):
        X, y = two_groups[0][:, :20].copy(), two_groups[1]
        X[:, 1] = 7.0
        selector = es.FisherScore(5).fit(X, y)
        view = views_of(selector, X, y)["by_class"]
        order = selector.ranking_.argsort()
        for column, between, means in zip(order[:-1], view["between"], view["means"], strict=False):
            terms = selector.explain(X, column).classes
            np.testing.assert_allclose(between, terms.between, rtol=1e-12)
            np.testing.assert_allclose(means, [X[y == name, column].mean() for name in ("left", "right")], atol=1e-12)
            F = selector.native_scores_[column]
            assert sum(between) == pytest.approx(F / (1 + F))
        assert view["between"][-1] is view["means"][-1] is None  # the constant one
        for other in (
            es.LaplacianScore(3).fit(X),
            es.ReliefF(3).fit(X, y),
            es.FisherScore(3).fit(X, y, covariates=X[:, 0]),
        ):
            assert views_of(other, X, y)["by_class"] is None

    def test_shuffled_values_leave_what_is_expected(self, rng):
        y = np.repeat([0, 1, 2], [5, 10, 25])
        values = rng.gamma(1.0, size=40)
        shuffled = np.stack([rng.permutation(values) for _ in range(4000)], axis=1)
        gaps = np.stack([shuffled[y == code].mean(axis=0) for code in range(3)]) - values.mean()
        shares = np.bincount(y)[:, None] * gaps**2 / ((values - values.mean()) ** 2).sum()
        X = rng.normal(size=(40, 3))
        expected = views_of(es.FisherScore(2).fit(X, y), X, y)["by_class"]["expected"]
        assert (np.abs(shares.mean(axis=1) - expected) < 4 * shares.std(axis=1) / np.sqrt(4000)).all()


class TestSignificance:
    def test_counts_quantiles_and_means(self, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 39] = 1.0
        selector = es.FisherScore(3, significance=True).fit(X, y)
        found, order = views_of(selector, X, y)["significance"], selector.ranking_.argsort()
        pvalues = selector.pvalues_[~np.isnan(selector.pvalues_)]
        bins = found["histogram"]
        np.testing.assert_array_equal(bins["counts"], np.histogram(pvalues, bins=20, range=(0, 1))[0])
        outside = binom.cdf(bins["low"] - 1, 39, 0.05) + binom.sf(bins["high"], 39, 0.05)
        assert 20 * outside <= 0.05
        assert bins["low"] <= bins["expected"] == 39 / 20 <= bins["high"]
        lines, i = found["quantiles"], np.arange(1, 40)
        np.testing.assert_allclose(lines["observed"], -np.log10(np.sort(pvalues)))
        np.testing.assert_allclose(lines["expected"], -np.log10(i / 40))
        np.testing.assert_allclose(lines["low"], -np.log10(beta.ppf(0.975, i, 40 - i)))
        np.testing.assert_allclose(lines["high"], -np.log10(beta.ppf(0.025, i, 40 - i)))
        np.testing.assert_array_equal(selector.pvalues_[order[lines["place"]]], np.sort(pvalues))
        np.testing.assert_allclose(found["means"]["mean"], X.mean(axis=0)[order])
        selector.pvalues_[order[0]] = 0.0
        assert views_of(selector, X, y)["significance"]["quantiles"]["observed"][0] == 300.0
        selector.pvalues_ = selector.qvalues_ = np.full(40, np.nan)
        found = views_of(selector, X, y)["significance"]
        assert found["histogram"] is found["quantiles"] is None

    def test_means_are_logarithmic_without_negative_values_only(self, rng):
        X, y = rng.poisson(np.exp(rng.normal(size=90) * 2), size=(30, 90)).astype(float), np.arange(30) % 2
        selector = es.FisherScore(3, significance=True)
        for table, log in (
            (X, True),
            (sparse.csr_array(X), True),
            (X - 1e-9, False),
            (1 + rng.uniform(size=X.shape), False),
        ):
            found = views_of(selector.fit(table, y), table, y)["significance"]["means"]
            dense = table.toarray() if sparse.issparse(table) else table
            np.testing.assert_allclose(found["mean"], dense.mean(axis=0)[selector.ranking_.argsort()])
            assert found["log"] is log
        centred = X - X.mean(axis=0)  # means that are only rounding are zero
        assert set(views_of(selector.fit(centred, y), centred, y)["significance"]["means"]["mean"]) == {0.0}

    def test_of_many_features_some_are_drawn_with_all_discoveries(self, rng):
        X, y = rng.normal(size=(20, 6000)), np.arange(20) % 2
        X[y == 1, :5] += 9
        selector = es.FisherScore(5, significance=True).fit(X, y)
        found = views_of(selector, X, y)["significance"]
        discovered = np.flatnonzero(selector.qvalues_[selector.ranking_.argsort()] <= 0.05)
        assert set(discovered) <= set(found["means"]["place"])
        for part in ("means", "quantiles"):
            assert 1000 < len(found[part]["place"]) <= 2000
        assert found["quantiles"]["place"][-1] == np.nanargmax(selector.pvalues_[selector.ranking_.argsort()])
