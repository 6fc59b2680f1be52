"""What refits say of a selection: accuracy, stability and band, each beside what noise gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting import add_evaluation, summarise
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.refitting.evaluation import PERMUTATIONS
from eigenselect.reporting.refitting.held_out import FOLDS, cut_folds
from eigenselect.reporting.refitting.permuted_data import shuffled_within
from eigenselect.reporting.refitting.refits import FIRST_PERMUTATION, Refits
from eigenselect.sensitivity import ranking_stability


def evaluated(selector, X, y=None, kept="as fitted", **options):
    """The evaluation, and the fit that it is about."""
    fitted = check_fitted("report", selector, X, y, **options)
    kept = int(fitted.selector.n_features_) if kept == "as fitted" else kept
    return add_evaluation(summarise(fitted, kept=kept), fitted)["evaluation"], fitted


def noise(seed, shape=(40, 60)):
    return np.random.default_rng(seed).normal(size=shape), np.arange(shape[0]) % 2


class Watching(SelectorMixin, BaseEstimator):
    """Keeps the two columns with the largest means, and writes down which samples each fit saw: column 0 says so."""

    seen: list[set[int]] = []  # noqa: RUF012

    def fit(self, X, y=None):
        type(self).seen.append({int(number) for number in np.asarray(X)[:, 0]})
        self.scores_ = self.native_scores_ = np.asarray(X).mean(axis=0)
        self.ranking_ = np.argsort(np.argsort(-self.scores_)) + 1
        self.n_features_in_, self.n_features_ = X.shape[1], 2
        return self

    def _get_support_mask(self):
        return self.ranking_ <= 2


class TestAccuracy:
    def test_structure_is_beyond_chance(self, two_groups, wine):
        for selector, (X, y) in ((es.FisherScore(5), two_groups), (es.FisherScore(3), wine), (es.MRSF(3), wine)):
            facts = evaluated(selector.fit(X, y), X, y)[0]["accuracy"]
            assert facts["beyond_chance"]
            assert facts["mean"] > 0.85
            assert facts["permuted"] < 0.65
            assert facts["n_predicted"] == len(y)
        assert facts["largest_class"] == pytest.approx(71 / 178)

    def test_no_refit_sees_what_it_predicts(self, rng):
        """Every fit on a part leaves out some samples; these are different ones each time, and together all."""
        X = np.column_stack([np.arange(30), rng.normal(size=(30, 5))])
        selector = Watching().fit(X)
        Watching.seen.clear()
        evaluated(selector, X, np.arange(30) % 2)
        parts = [seen for seen in Watching.seen if len(seen) < 30][:FOLDS]
        left_out = [sorted(set(range(30)) - seen) for seen in parts]
        assert sorted(number for part in left_out for number in part) == list(range(30))
        assert min(map(len, left_out)) == 10

    def test_a_step_that_chose_with_the_labels_does_not_leak(self):
        """On noise, columns that SelectKBest chose with all labels predict; those that it chose again do not."""
        honest, leaking = [], []
        for seed in range(20):
            X, y = noise(seed, (40, 300))
            pipeline = make_pipeline(SelectKBest(k=10), es.FisherScore(5)).fit(X, y)
            facts = evaluated(pipeline, X, y, random_state=seed)[0]["accuracy"]
            assert not facts["beyond_chance"]
            honest.append(facts["mean"])
            chosen, even = pipeline.transform(X), np.arange(40) // 2 % 2 == 0
            leaking.append(KNeighborsClassifier(1).fit(chosen[even], y[even]).score(chosen[~even], y[~even]))
        assert abs(np.mean(honest) - 0.5) < 0.08
        assert np.mean(leaking) > 0.65

    @pytest.mark.parametrize("selector", [es.FisherScore(5), es.ReliefF(5), es.LaplacianScore(5), es.HSICScore(5)])
    def test_noise_is_never_beyond_chance(self, selector):
        found = [evaluated(selector.fit(*noise(seed)), *noise(seed), random_state=seed)[0] for seed in range(20)]
        assert not any(facts["accuracy"]["beyond_chance"] for facts in found)
        assert abs(np.mean([facts["accuracy"]["mean"] for facts in found]) - 0.5) < 0.08
        assert abs(np.mean([facts["accuracy"]["permuted"] for facts in found]) - 0.5) < 0.08

    @pytest.mark.parametrize("selector", [es.FisherScore(2), es.LaplacianScore(2)])
    def test_permuted_labels_are_predicted_from_features_chosen_with_them(self, two_groups, selector):
        """By refits to the permuted labels where the method uses any, else by those that it keeps anyway."""
        X, y = two_groups
        found, fitted = evaluated(selector.fit(X, y), X, y)
        refits = Refits.of(fitted)
        folds = cut_folds(refits, y, False)
        order = shuffled_within(folds.within, refits.rng(FIRST_PERMUTATION))
        accuracies = []
        for fold in range(folds.count):
            rows, held_out = folds.training(fold), np.flatnonzero(folds.of == fold)
            kept = clone(selector).fit(X[rows], y[order][rows]).get_support()
            nearest = make_pipeline(StandardScaler(), KNeighborsClassifier(1)).fit(X[rows][:, kept], y[order][rows])
            accuracies.append(nearest.score(X[held_out][:, kept], y[order][held_out]))
        assert found["accuracy"]["permuted"] == pytest.approx(np.mean(accuracies))

    def test_labels_that_a_method_does_not_use_are_predicted_all_the_same(self, two_groups):
        X, y = two_groups
        found, _ = evaluated(es.LaplacianScore(5).fit(X), X, y)
        assert found["accuracy"]["beyond_chance"]
        assert found["stability"]["of"] == "the values of every feature by itself"

    def test_unlabelled_samples_are_not_predicted(self, two_groups):
        X, y = two_groups
        some = np.where(np.arange(60) % 3 == 0, None, y.astype(object))
        found, _ = evaluated(es.SSelect(5, similarity="rbf").fit(X, some), X, some)
        assert found["accuracy"]["n_predicted"] == 40
        assert found["accuracy"]["beyond_chance"]
        assert not found["missing"]

    def test_without_a_number_the_best_up_to_the_knee_count(self, two_groups):
        X, y = two_groups
        fitted = check_fitted("report", es.FisherScore().fit(X, y), X, y)
        summary = summarise(fitted)
        facts = add_evaluation(summary, fitted)["evaluation"]["accuracy"]
        assert facts["n_features"] == summary["scores"]["knee"]
        assert facts["least_features"] == facts["most_features"] == facts["n_features"]

    def test_nothing_kept_predicts_nothing(self):
        X, y = noise(0)
        found, fitted = evaluated(es.FisherScore("fdr").fit(X, y), X, y)
        assert fitted.selector.n_features_ == 0
        assert found["accuracy"] is None
        assert found["missing"]["accuracy"] == "no feature is kept, so there is nothing to predict with"

    def test_a_rule_may_keep_other_numbers_in_the_refits(self):
        X, y = noise(3, (60, 40))
        X[y == 1, :4] += [3, 1, 0.9, 0.8]
        found, fitted = evaluated(es.FisherScore("fdr").fit(X, y), X, y)
        refits = Refits.of(fitted)
        folds = cut_folds(refits, y, False)
        sizes = [refits.on(folds.training(fold)).columns.size for fold in range(FOLDS)]
        assert min(sizes) < max(sizes)
        assert (found["accuracy"]["least_features"], found["accuracy"]["most_features"]) == (min(sizes), max(sizes))


class TestStability:
    def test_it_is_the_overlap_of_pairs_beyond_chance(self, two_groups):
        X, y = two_groups
        found, fitted = evaluated(es.FisherScore(6).fit(X, y), X, y)
        refits = Refits.of(fitted)
        folds = cut_folds(refits, y, False)
        order = shuffled_within(folds.within, refits.rng(FIRST_PERMUTATION))
        for labels, key in ((y, "overlap"), (y[order], "permuted")):
            chosen = []
            for fold in range(folds.count):
                rows = folds.training(fold)
                chosen.append(set(np.flatnonzero(es.FisherScore(6).fit(X[rows], labels[rows]).get_support())))
            shared = [len(chosen[i] & chosen[j]) / 6 for i in range(FOLDS) for j in range(i)]
            assert found["stability"][key] == pytest.approx((np.mean(shared) - 6 / 40) / (1 - 6 / 40))
        assert found["stability"]["n_refits"] == FOLDS

    def test_every_feature_has_its_share(self, two_groups):
        X, y = two_groups
        for selector in (es.FisherScore(6), make_pipeline(SelectKBest(k=20), es.FisherScore(6))):
            fitted = check_fitted("report", selector.fit(X, y), X, y)
            made = add_evaluation(summarise(fitted, kept=6, views=["groups"]), fitted)
            refits = Refits.of(fitted)
            folds = cut_folds(refits, y, False)
            kept = np.mean([refits.on(folds.training(fold)).support for fold in range(FOLDS)], axis=0)
            shares = dict(zip(made["all_features"]["feature"], made["all_features"]["stability"], strict=True))
            assert len(shares) == len(fitted.names)
            assert shares == {name: kept[int(name[1:])] for name in fitted.names}

    def test_noise_is_as_stable_as_permuted_noise(self):
        gaps = []
        for seed in range(20):
            facts = evaluated(es.FisherScore(5).fit(*noise(seed)), *noise(seed), random_state=seed)[0]["stability"]
            gaps.append(facts["overlap"] - facts["permuted"])
        assert abs(np.mean(gaps)) < 3 * np.std(gaps) / np.sqrt(20)
        assert ranking_stability(es.FisherScore(5), *noise(0), n_repeats=5).corrected_overlap > 0.1  # noise has some

    def test_no_choice_is_no_stability(self, two_groups):
        X, y = two_groups
        found, _ = evaluated(es.FisherScore(40).fit(X, y), X, y)
        assert found["stability"] is None
        assert "no other choice was possible" in found["missing"]["stability"]


class TestBand:
    def test_real_scores_are_exchangeable_with_permuted_ones_on_noise(self):
        """The best of 1 + 3 exchangeable curves is the real one in a quarter of the tables."""
        above, within = [], []
        for seed in range(40):
            X, y = noise(seed, (30, 25))
            found, fitted = evaluated(es.FisherScore(5).fit(X, y), X, y, random_state=seed)
            band, curve = found["band"], np.sort(fitted.selector.scores_)[::-1]
            above.append(band["n_above"] > 0)
            within.append(np.mean((curve >= band["low"]) & (curve <= band["high"])))
        assert 2 <= sum(above) <= 19  # four deviations around 10
        assert 0.3 < np.mean(within) < 0.7

    def test_signal_is_above(self, two_groups):
        X, y = two_groups
        for selector, of in ((es.FisherScore(5), "the labels"), (es.LaplacianScore(5), "the values of every feature")):
            band = evaluated(selector.fit(X, y), X, y)[0]["band"]
            assert band["of"].startswith(of)
            assert 5 <= band["n_above"] <= 13
            assert band["n_permutations"] == PERMUTATIONS

    def test_scores_of_a_choice_have_none(self, two_groups):
        X, y = two_groups
        for selector in (es.MRSF(4, target="lda"), es.TraceRatio(4)):
            found, _ = evaluated(selector.fit(X, y), X, y)
            assert found["band"] is None
            assert "chooses features together" in found["missing"]["band"]
            assert found["accuracy"]["beyond_chance"]

    def test_an_order_that_no_permutation_changes_has_none(self, two_groups):
        X, y = two_groups
        found, _ = evaluated(es.Variance(4).fit(X), X, y)
        assert found["missing"]["band"].endswith("does not change the scores")


class TestReasons:
    def test_a_number_is_not_classified(self, two_groups):
        X, _ = two_groups
        y = X[:, 0] + 0.1 * X[:, 1]
        found, _ = evaluated(es.HSICScore(4).fit(X, y), X, y)
        assert found["missing"] == {"accuracy": "the label is a number, and accuracy is of classes"}
        assert found["stability"]["overlap"] > found["stability"]["permuted"]
        assert found["band"]["n_above"] >= 1

    def test_no_labels(self, two_groups):
        X, _ = two_groups
        found, _ = evaluated(es.LaplacianScore(4).fit(X), X)
        assert found["missing"] == {"accuracy": "there are no labels to predict"}

    def test_labels_that_nobody_gave(self, two_groups):
        X, y = two_groups
        found, _ = evaluated(es.FisherScore(4).fit(X, y), X)
        assert set(found["missing"]) == {"accuracy", "stability", "band"}
        assert found["accuracy"] is found["stability"] is found["band"] is None

    def test_sources_matched_by_place_cannot_be_cut(self, two_groups):
        X, y = two_groups
        sources = [("t", es.multisource.TargetData()), ("o", es.multisource.AuxiliaryData(X[:, :5] ** 2))]
        found, _ = evaluated(es.MSFS(4, sources=sources).fit(X), X, y)
        assert found["missing"]["accuracy"] == found["missing"]["stability"]
        assert "a refit was not possible" in found["missing"]["accuracy"]
        assert found["band"]["n_permutations"] == PERMUTATIONS  # on all samples there is no cut

    def test_too_few_samples(self, rng):
        X = rng.normal(size=(5, 6))
        found, _ = evaluated(es.LaplacianScore(2, similarity="rbf").fit(X), X)
        assert "too few" in found["missing"]["stability"]
        assert found["band"] is not None


class TestManners:
    def test_the_summary_given_stays_as_it_is(self, two_groups):
        X, y = two_groups
        fitted = check_fitted("report", es.FisherScore(4).fit(X, y), X, y)
        summary = summarise(fitted, kept=4, views=["groups"])
        made = add_evaluation(summary, fitted)
        assert "evaluation" not in summary
        assert "stability" not in summary["all_features"]
        assert {**made, "evaluation": 0, "all_features": 0} == {**summary, "evaluation": 0, "all_features": 0}

    @pytest.mark.parametrize("selector", [es.FisherScore, es.LaplacianScore, es.ReliefF])
    def test_storage_and_threads_do_not_matter(self, selector, two_groups):
        X, y = two_groups
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(40)])
        found = [evaluated(selector(5, n_jobs=jobs).fit(X, y), X, y)[0] for jobs in (1, 2)]
        assert found[0] == found[1]
        assert evaluated(selector(5).fit(frame, y), frame, pd.Series(y))[0] == found[0]

    def test_progress_counts_the_refits(self, two_groups):
        X, y = two_groups
        fitted, steps = check_fitted("report", es.FisherScore(4).fit(X, y), X, y), []
        add_evaluation(summarise(fitted, kept=4), fitted, progress=lambda *step: steps.append(step))
        total = 2 * FOLDS + PERMUTATIONS
        assert steps == [(done, total) for done in range(1, total + 1)]

    def test_another_seed_holds_out_other_samples(self, two_groups):
        X, y = two_groups
        one, other = (evaluated(es.FisherScore(4).fit(X, y), X, y, random_state=seed)[0] for seed in (0, 1))
        assert one["band"] != other["band"]
