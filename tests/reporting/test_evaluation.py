"""What refits say of a selection: accuracy, stability and band by brute force, each beside what noise gives."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.multisource import AuxiliaryData, TargetData
from eigenselect.reporting import Fitted, add_evaluation, summarise
from eigenselect.reporting.refitting import held_out, refits
from eigenselect.reporting.refitting.held_out import is_beyond_chance

FOLDS = PERMUTATIONS = 3
#: what every fit of a recording selector was given: X, y, and what else
FITS: list[tuple] = []


def recording(kind):
    """Return a selector that writes down what every fit of it is given."""

    def fit(self, X, y=None, **more):
        FITS.append((X, y, more))
        return kind.fit(self, X, y, **more)

    return type(f"Recording{kind.__name__}", (kind,), {"fit": fit})


def evaluated(selector, X, y=None, **options):
    """The evaluation of a report; `FITS` holds what recording selectors saw for it."""
    FITS.clear()
    return es.report(selector, X, y, **options).summary["evaluation"]


def noise(seed, shape=(40, 60)):
    return np.random.default_rng(seed).normal(size=shape), np.arange(shape[0]) % 2


def rows_of(part, X):
    """Which rows of a table another one has; no two have the same first value."""
    return np.array([int(np.flatnonzero(X[:, 0] == value)[0]) for value in np.asarray(part)[:, 0]])


@pytest.fixture(scope="module")
def graph():
    """A similarity that was not made of the features."""
    places = np.random.default_rng(1).normal(size=(60, 2))
    return np.exp(-((places[:, None] - places) ** 2).sum(axis=2)) - np.eye(60)


class TestByBruteForce:
    def folds(self, X, y):
        """Training rows of every fold, for real and for permuted labels, and the permuted labels of all samples."""
        parts = [(rows_of(part, X), np.asarray(labels)) for part, labels, _ in FITS if len(part) < len(X)]
        real = [rows for rows, labels in parts if (labels == y[rows]).all()]
        permuted = y.copy()
        for rows, labels in parts:
            if (labels != y[rows]).any():
                permuted[rows] = labels
        assert len(parts) == 2 * FOLDS
        return real, permuted

    def test_accuracy_stability_and_shares_of_features(self, two_groups):
        X, y = two_groups
        selector = recording(es.FisherScore)(6).fit(X, y)
        FITS.clear()
        made = es.report(selector, X, y).summary
        found, (folds, permuted) = made["evaluation"], self.folds(X, y)
        left_out = [np.setdiff1d(np.arange(60), rows) for rows in folds]
        np.testing.assert_array_equal(np.sort(np.concatenate(left_out)), np.arange(60))
        assert [np.bincount(y[rows] == "left").tolist() for rows in left_out] == [[10, 10]] * 3
        for labels, accuracy, overlap in ((y, "mean", "overlap"), (permuted, "permuted", "permuted")):
            right, chosen = [], []
            for rows, test in zip(folds, left_out, strict=True):
                kept = es.FisherScore(6).fit(X[rows], labels[rows]).get_support()
                nearest = make_pipeline(StandardScaler(), KNeighborsClassifier(1)).fit(X[rows][:, kept], labels[rows])
                right.append(nearest.score(X[test][:, kept], labels[test]))
                chosen.append(kept)
            assert found["accuracy"][accuracy] == pytest.approx(np.mean(right))
            shared = np.mean([(one & other).sum() / 6 for one, other in combinations(chosen, 2)])
            assert found["stability"][overlap] == pytest.approx((shared - 6 / 40) / (1 - 6 / 40))
            if labels is y:
                shares = dict(zip(made["all_features"]["feature"], made["all_features"]["stability"], strict=True))
                assert shares == {f"x{j}": share for j, share in enumerate(np.mean(chosen, axis=0))}
                assert found["accuracy"]["deviation"] == pytest.approx(np.std(right))
        assert sorted(permuted) == sorted(y)
        assert (found["accuracy"]["n_predicted"], found["accuracy"]["largest_class"]) == (60, 0.5)

    def test_the_band_is_that_of_permuted_labels(self, two_groups):
        X, y = two_groups
        selector = recording(es.FisherScore)(6).fit(X, y)
        band = evaluated(selector, X, y)["band"]
        whole = [labels for part, labels, _ in FITS if len(part) == 60]
        assert len(whole) == band["n_permutations"] == PERMUTATIONS
        scores = np.sort([es.FisherScore().fit(X, labels).scores_ for labels in whole], axis=1)[:, ::-1]
        for key, expected in zip(("low", "middle", "high"), np.sort(scores, axis=0), strict=True):
            np.testing.assert_allclose(band[key], expected[np.array(band["rank"]) - 1])
        assert band["n_above"] == (selector.scores_ > scores.max()).sum() >= 5

    def test_columns_are_shuffled_where_no_labels_are_used(self, two_groups):
        X, y = two_groups
        X = np.where(np.abs(X) < 0.5, 0, X)
        X[:, 13] = X[:, 12]
        X[:, 39] = X[:, 39].astype(np.float32)
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(40)])
        mixed = frame.astype({"g39": np.float32})
        selector = recording(es.LaplacianScore)
        for storage in (
            np.asarray,
            sparse.csr_array,
            sparse.csc_array,
            lambda _: frame,
            lambda _: mixed,
            lambda _: pl.from_pandas(frame),
        ):
            table = storage(X)
            found = evaluated(selector(5).fit(table), table, y)
            assert found["stability"]["of"] == found["band"]["of"] != "the labels"
            assert found["accuracy"]["beyond_chance"]
            whole = [
                part.toarray() if sparse.issparse(part) else np.asarray(part)
                for part, *_ in FITS
                if part.shape[0] == 60
            ]
            shuffled = [dense for dense in whole if (dense != X).any()]
            assert len(shuffled) >= PERMUTATIONS
            for dense in shuffled:
                np.testing.assert_array_equal(np.sort(dense, axis=0), np.sort(X, axis=0))
                assert (dense != X).any(axis=0).all()
                assert (dense[:, 12] != dense[:, 13]).any()  # equal columns get orders of their own
            assert all(sparse.issparse(part) == sparse.issparse(table) for part, *_ in FITS)

    def test_samples_move_against_a_given_graph(self, two_groups, graph):
        X, y = two_groups
        depth = np.arange(60.0)
        selector = recording(es.LaplacianScore)(4).fit(X, similarity_matrix=graph, covariates=depth)
        for given in ({}, {"similarity_matrix": graph, "covariates": depth}):
            found = evaluated(selector, X, y, fit_params=given)
            assert "graph" in found["band"]["of"]
            parts = [(rows_of(part, X), np.asarray(more["similarity_matrix"])) for part, _, more in FITS]
            cut = [np.allclose(S, graph[np.ix_(rows, rows)]) for rows, S in parts if len(rows) < 60]
            assert cut.count(True) >= FOLDS
            moved = [np.allclose(S, graph) for rows, S in parts if len(rows) == 60 and (rows != np.arange(60)).any()]
            assert moved == [True] * max(len(moved), PERMUTATIONS)


class TestTheSameFit:
    """A refit on parts is the fit that a user would make of them."""

    def overlap(self, make, X, y, **fit):
        """The stability that a report tells of a selector, and of the same fits by hand."""
        probe = recording(es.FisherScore)(2).fit(X, y)
        evaluated(probe, X, y)
        folds = [rows_of(part, X) for part, labels, _ in FITS if len(part) < 60 and labels is not None][:FOLDS]
        told = evaluated(make().fit(X, y, **fit), X, y, fit_params=fit)["stability"]["overlap"]
        chosen = []
        for rows in folds:
            cut = {key: value[np.ix_(rows, rows)] if value.ndim == 2 else value[rows] for key, value in fit.items()}
            names = np.arange(X.shape[1]).astype(str).astype(object)
            model = make().fit(X[rows], y[rows], **cut)
            chosen.append(np.isin(names, model.get_feature_names_out(names)))
        sizes = [kept.sum() for kept in chosen]
        shared = np.mean([(one & other).sum() / sizes[0] for one, other in combinations(chosen, 2)])
        return told, (shared - sizes[0] / 40) / (1 - sizes[0] / 40)

    def test_of_methods_rules_and_pipelines(self, two_groups, graph):
        for make, fit in (
            (lambda: es.ReliefF(4), {}),
            (lambda: es.FisherScore(4, significance=True), {}),
            (lambda: make_pipeline(StandardScaler(), SelectKBest(k=9), es.LaplacianScore(4, similarity="rbf")), {}),
            (lambda: es.LaplacianScore(4), {"similarity_matrix": graph}),
            (lambda: es.LaplacianScore(4), {"covariates": two_groups[0][:, 0] + two_groups[0][:, 20]}),
        ):
            told, expected = self.overlap(make, *two_groups, **fit)
            assert told == pytest.approx(expected), make()

    def test_what_was_fitted_stays_and_nobody_is_warned(self, two_groups):
        X, y = two_groups[0].copy(), two_groups[1]
        X[:, 5] = 1.0
        with pytest.warns(es.exceptions.UndefinedScoreWarning):
            selector = es.FisherScore(4, significance=True).fit(X, y)
        before, table = selector.scores_.copy(), X.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            evaluated(selector, X, y)
        assert selector.significance is True
        np.testing.assert_array_equal(selector.scores_, before)
        np.testing.assert_array_equal(X, table)

    def test_a_rule_may_keep_other_numbers_and_order_alone_the_knee(self):
        X, y = noise(3, (60, 40))
        X[y == 1, :4] += [3, 1, 0.9, 0.8]
        facts = evaluated(es.FisherScore("fdr").fit(X, y), X, y)["accuracy"]
        assert facts["least_features"] < facts["most_features"]
        fitted = Fitted(es.FisherScore().fit(X, y), X, y, [f"x{j}" for j in range(40)])
        summary = summarise(fitted)
        steps = []
        made = add_evaluation(summary, fitted, progress=lambda *step: steps.append(step))
        assert "evaluation" not in summary
        assert made["evaluation"]["accuracy"]["n_features"] == summary["scores"]["knee"]
        total = 2 * FOLDS + PERMUTATIONS
        assert steps == [(done, total) for done in range(1, total + 1)]

    def test_labels_by_other_names_threads_and_storage_do_not_matter(self, two_groups):
        X, y = two_groups
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(40)])
        for kind in (es.FisherScore, es.LaplacianScore):
            found = evaluated(kind(5).fit(X, y), X, y)
            assert evaluated(kind(5, n_jobs=2).fit(X, y), X, y) == found
            assert evaluated(kind(5).fit(frame, y), frame, pd.Series(y)) == found
            assert evaluated(kind(5).fit(X, y), X, y, random_state=1)["band"] != found["band"]
        coded = evaluated(es.FisherScore(5).fit(X, y), X, (y == "right").astype(int))
        assert coded == evaluated(es.FisherScore(5).fit(X, y), X, y)

    def test_folds_fit_the_classes(self, rng):
        y = np.repeat(["a", "b", "c"], [40, 13, 7])
        X = rng.normal(size=(60, 5))
        evaluated(recording(es.FisherScore)(2).fit(X, y), X, y)
        for rows in [rows_of(part, X) for part, *_ in FITS if len(part) < 60][:FOLDS]:
            held = pd.Series(y[np.setdiff1d(np.arange(60), rows)]).value_counts()
            assert all(abs(held[name] - size / 3) < 1 for name, size in zip("abc", (40, 13, 7), strict=True))
        for sizes, folds in (((20, 2), 2), ((20, 20, 1), 3)):
            y = np.repeat(list("abc")[: len(sizes)], sizes)
            X = rng.normal(size=(len(y), 5))
            assert evaluated(es.FisherScore(2).fit(X, y), X, y)["accuracy"]["n_folds"] == folds

    def test_labels_that_the_fit_had_not_are_not_given_to_it(self, two_groups):
        X, y = two_groups
        found = evaluated(recording(es.SSelect)(4).fit(X), X, y)
        assert all(labels is None for _, labels, _ in FITS)
        repeated = es.StabilitySelector(es.LaplacianScore(4, similarity="rbf"), n_pairs=3).fit(X, y)
        assert evaluated(repeated, X, y)["stability"]["of"] == found["stability"]["of"] != "the labels"

    def test_unlabelled_samples_are_not_predicted(self, two_groups):
        X, y = two_groups
        some = np.where(np.arange(60) % 3 == 0, None, y.astype(object))
        found = evaluated(recording(es.SSelect)(5, similarity="rbf").fit(X, some), X, some)
        assert found["accuracy"]["n_predicted"] == 40
        assert not found["missing"]
        for part, labels, _ in FITS:
            if len(part) == 60:
                np.testing.assert_array_equal(labels == None, some == None)  # noqa: E711


class TestReasons:
    def test_what_is_not_measured_has_one(self, two_groups, rng):
        X, y = two_groups
        sources = [("t", TargetData()), ("o", AuxiliaryData(X[:, :5] ** 2))]
        few = rng.normal(size=(5, 6))
        for selector, table, labels, missing in (
            (es.HSICScore(4).fit(X, X[:, 0] + 0.1 * X[:, 1]), X, X[:, 0] + 0.1 * X[:, 1], {"accuracy": "is a number"}),
            (es.LaplacianScore(4).fit(X), X, None, {"accuracy": "no labels"}),
            (es.LaplacianScore(4).fit(X), X, X[:, 0] * 1.5, {"accuracy": "is a number"}),
            (es.LaplacianScore(4).fit(X), X, ["a"] * 59 + ["b"], {"accuracy": "two classes"}),
            (es.FisherScore(4).fit(X, y), X, None, dict.fromkeys(("accuracy", "stability", "band"), "not given")),
            (es.FisherScore(4).fit(X, y), X, np.arange(60) % 2, {"accuracy": "other labels"}),
            (es.MRSF(4, target="lda").fit(X, y), X, y, {"band": "together"}),
            (es.TraceRatio(4).fit(X, y), X, y, {"band": "together"}),
            (es.Variance(4).fit(X), X, y, {"band": "does not change"}),
            (es.FisherScore(40).fit(X, y), X, y, {"stability": "no other choice"}),
            (es.MSFS(4, sources=sources).fit(X), X, y, dict.fromkeys(("accuracy", "stability"), "not possible")),
            (es.LaplacianScore(2, similarity="rbf").fit(few), few, None, {"stability": "too few"}),
        ):
            found = evaluated(selector, table, labels)
            for part, words in missing.items():
                assert found[part] is None, selector
                assert words in found["missing"][part], selector
            assert all(
                (found[part] is None) == (part in found["missing"]) for part in ("accuracy", "stability", "band")
            )

    def test_nothing_kept_predicts_nothing(self):
        X, y = noise(0)
        found = evaluated(es.FisherScore("fdr").fit(X, y), X, y)
        assert found["accuracy"] is None
        assert "no feature" in found["missing"]["accuracy"]

    def test_large_tables_are_not_copied_and_not_all_compared(self, two_groups, monkeypatch):
        X, y = two_groups
        selector = es.FisherScore(3).fit(X, y)
        monkeypatch.setattr(held_out, "LEAST_DIFFERENCES", 4000)
        monkeypatch.setattr(held_out, "DIFFERENCES_PER_VALUE", 0)
        assert evaluated(selector, X, y)["accuracy"]["n_predicted"] == int(np.sqrt(4000 / (4 / 3 * 3)))
        monkeypatch.setattr(refits, "SHUFFLED_BYTES", X.nbytes - 1)
        assert "would copy" in evaluated(selector, X, y)["missing"]["accuracy"]

    def test_sources_are_matched_by_name_where_names_are_given(self, two_groups):
        X, y = two_groups
        names = [f"s{i}" for i in range(60)]
        other = pd.DataFrame(np.random.default_rng(2).normal(size=(60, 6)), index=names)
        selector = es.MSFS(4, sources=[("t", TargetData()), ("o", AuxiliaryData(other))]).fit(X, y, sample_names=names)
        assert evaluated(selector, X, y, fit_params={"sample_names": names})["missing"] == {}


class TestChance:
    def test_beyond_chance_is_the_binomial_tail_of_half_as_many(self):
        for n, p in ((60, 0.5), (61, 0.4), (178, 0.4), (20, 0.5), (500, 0.9)):
            half = n // 2
            for correct in range(n // 2, n + 1):
                right = int(correct * half / n + 1e-9)
                tail = sum(comb(half, k) * p**k * (1 - p) ** (half - k) for k in range(right, half + 1))
                assert is_beyond_chance(correct, n, p) == (tail <= held_out.LEVEL)
        assert not is_beyond_chance(12, 12, 0.5)
        assert not is_beyond_chance(0, 0, 0.5)

    def test_structure_is_beyond_chance(self, two_groups, wine):
        for selector, (X, y) in ((es.FisherScore(5), two_groups), (es.MRSF(3), wine)):
            facts = evaluated(selector.fit(X, y), X, y)["accuracy"]
            assert facts["beyond_chance"]
            assert facts["mean"] > 0.85 > 0.65 > facts["permuted"]

    def test_a_step_that_chose_with_the_labels_does_not_leak(self):
        """On noise, columns that SelectKBest chose with all labels predict; those that it chose again do not."""
        honest, leaking = [], []
        for seed in range(10):
            X, y = noise(seed, (40, 300))
            pipeline = make_pipeline(SelectKBest(k=10), es.FisherScore(5)).fit(X, y)
            facts = evaluated(pipeline, X, y, random_state=seed)["accuracy"]
            assert not facts["beyond_chance"]
            honest.append(facts["mean"])
            chosen, even = pipeline.transform(X), np.arange(40) // 2 % 2 == 0
            leaking.append(KNeighborsClassifier(1).fit(chosen[even], y[even]).score(chosen[~even], y[~even]))
        assert abs(np.mean(honest) - 0.5) < 0.08
        assert np.mean(leaking) > 0.65

    @pytest.mark.slow
    def test_real_scores_are_exchangeable_with_permuted_ones_on_noise(self):
        """The best of 1 + 3 exchangeable curves is the real one in a quarter of the tables."""
        above, within = [], []
        for seed in range(40):
            X, y = noise(seed, (30, 25))
            selector = es.FisherScore(5).fit(X, y)
            band, curve = evaluated(selector, X, y, random_state=seed)["band"], np.sort(selector.scores_)[::-1]
            above.append(band["n_above"] > 0)
            within.append(np.mean((curve >= band["low"]) & (curve <= band["high"])))
        assert 2 <= sum(above) <= 19  # four deviations around 10
        assert 0.3 < np.mean(within) < 0.7
