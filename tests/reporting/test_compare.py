"""`compare` sets methods side by side: each number is what it says, beside what permuted labels give."""

import copy
import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reporting.conftest import answers_of, tables_of

import eigenselect as es
from eigenselect.criteria.methods import METHODS
from eigenselect.evaluation import AccuracyCurves, accuracy_curves, redundancy_rate
from eigenselect.reporting import Provenance, compare, summarise_comparison
from eigenselect.reporting.comparing.answer import add_comparison_answer
from eigenselect.reporting.comparing.permuted import best_methods, beyond_level, beyond_spread, permuted_labels
from eigenselect.reporting.papers.citing import references

SIZES = [2, 5]


class Backwards(SelectKBest):
    """Takes the features that differ least between the classes."""

    def __init__(self, k=10):
        super().__init__(lambda X, y: -f_classif(X, y)[0], k=k)


class Two(SelectKBest):
    """Selects two features and orders no others."""

    scores_ = property(lambda self: np.where(self.few, self.all_scores, np.nan))

    def fit(self, X, y):
        self.all_scores = f_classif(X, y)[0]
        self.few = self.all_scores >= np.sort(self.all_scores)[-2]
        self.n_features_in_ = X.shape[1]
        self.pvalues_ = None
        return self


@pytest.fixture(scope="module")
def selectors():
    return {"fisher": es.FisherScore(), "relieff": es.ReliefF(), "laplacian": es.LaplacianScore(), "worst": Backwards()}


@pytest.fixture(scope="module")
def made(two_groups, selectors):
    return compare(selectors, *two_groups, n_features=5, sizes=SIZES)


class TestNumbers:
    def test_accuracies_shares_and_agreement_by_brute_force(self, two_groups, selectors, made):
        X, y = two_groups
        summary, methods = made.summary, made.summary["methods"]
        curves = accuracy_curves(selectors, X, y, SIZES)
        ranks = {name: selector.fit(X, y).ranking_ for name, selector in selectors.items() if name != "worst"}
        for row, facts in enumerate(methods.values()):
            assert list(facts["accuracy"].values()) == pytest.approx(curves.mean[row])
            assert list(facts["accuracy_deviation"].values()) == pytest.approx(curves.accuracies[row].std(axis=1))
            columns = [int(feature[1:]) for feature in facts["features"]]
            assert facts["redundancy"] == pytest.approx(redundancy_rate(X[:, columns]))
        for one in ranks:
            for other in set(ranks) - {one}:
                kept = [ranks[name] <= 5 for name in (one, other)]
                assert methods[one]["shared"][other] == (kept[0] & kept[1]).sum() / 5
                correlation = stats.spearmanr(ranks[one], ranks[other]).statistic
                assert methods[one]["agreement"][other] == pytest.approx(correlation)
        for place, size in enumerate(map(str, SIZES)):
            means, spread = curves.mean[:, place], curves.accuracies[:, place].std(axis=1)
            least = means.max() - spread[means.argmax()]
            near = {name for name, mean in zip(methods, means, strict=True) if mean >= least}
            assert set(summary["near_best"][size]) == near
        assert "worst" not in summary["near_best"]["5"]

    def test_permuted_labels_by_brute_force(self, two_groups, selectors, made):
        X, y = two_groups
        summary, methods = made.summary, made.summary["methods"]
        permuted = permuted_labels(y, 0)
        assert len(permuted) == summary["n_permutations"]
        for labels in permuted:
            assert sorted(labels) == sorted(y)
            assert (labels != y).any()
        means = np.array([accuracy_curves(selectors, X, labels, SIZES).mean for labels in permuted])
        ranges = np.stack([means.min(axis=(0, 1)), means.max(axis=(0, 1))], axis=1)
        np.testing.assert_allclose(list(summary["permuted_range"].values()), ranges)
        ranks = {
            name: [selectors[name].fit(X, labels).ranking_ for labels in permuted] for name in ("fisher", "relieff")
        }
        kept = {name: [ranking <= 5 for ranking in found] for name, found in ranks.items()}
        shares = [(one & other).sum() / 5 for one, other in zip(*kept.values(), strict=True)]
        agreement = [stats.spearmanr(*pair).statistic for pair in zip(*ranks.values(), strict=True)]
        assert methods["fisher"]["shared_permuted"]["relieff"] == pytest.approx(np.mean(shares))
        assert methods["fisher"]["agreement_permuted"]["relieff"] == pytest.approx(np.mean(agreement))
        for row, facts in enumerate(methods.values()):
            assert list(facts["accuracy_permuted"].values()) == pytest.approx(means.mean(axis=0)[row])

    def test_weak_signal_must_be_beyond_the_best_of_permuted_labels(self):
        rng, y = np.random.default_rng(6), np.repeat(["a", "b"], 40)
        X = rng.normal(size=(80, 8))
        X[:40, :2] += 1.0
        some = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
        summary = compare(some, X, y, n_features=2, sizes=[1, 2]).summary
        high = [level for _, level in summary["permuted_range"].values()]
        found = []
        for row, facts in zip(accuracy_curves(some, X, y, [1, 2]).accuracies, summary["methods"].values(), strict=True):
            expected = [beyond_level(folds, level, 80) for folds, level in zip(row, high, strict=True)]
            assert list(facts["beyond_permuted"].values()) == expected
            found += expected
        assert set(found) == {True, False}

    def test_consensus_by_brute_force(self, made):
        summary, view = made.summary, made.summary["consensus"]
        kept = {name: facts["features"] for name, facts in summary["methods"].items()}
        counts = pd.Series([feature for features in kept.values() for feature in features]).value_counts()
        assert dict(zip(view["feature"], view["count"], strict=True)) == counts.to_dict()
        assert view["count"] == sorted(view["count"], reverse=True)
        for name, features in kept.items():
            ranks = dict(zip(view["feature"], view["ranks"][name], strict=True))
            assert [feature for feature in view["feature"] if ranks[feature] is not None] == [
                feature for feature in view["feature"] if feature in features
            ]
            assert [ranks[feature] for feature in features] == [1, 2, 3, 4, 5]
        rng = np.random.default_rng(0)
        random = np.array([sum(np.isin(np.arange(40), rng.permutation(40)[:5]) for _ in kept) for _ in range(4000)])
        for row in view["at_least"]:
            assert row["n_features"] == (counts >= row["n_methods"]).sum()
            assert row["random"] == pytest.approx((random >= row["n_methods"]).sum(axis=1).mean(), abs=0.1)

    def test_one_state_gives_one_result(self, two_groups):
        """A generator goes on where it stands: labels must be drawn once for all methods."""
        pair = {"a": es.FisherScore(), "b": es.FisherScore()}
        made = [compare(pair, *two_groups, n_features=3, sizes=[3], random_state=np.random.RandomState(5)).summary
                for _ in range(2)]  # fmt: skip
        facts, again = (one["methods"]["a"] for one in made)
        assert facts["shared_permuted"] == {"b": 1.0}
        assert facts["agreement_permuted"]["b"] == pytest.approx(1.0)
        assert {**facts, "seconds": 0} == {**again, "seconds": 0}

    def test_beyond_what_a_method_orders_nothing_is_claimed(self, wine):
        X, y = wine
        some = {
            "mrsf": es.MRSF(3, target="lda"),
            "k best": SelectKBest(f_classif, k=3),
            "scaled": make_pipeline(StandardScaler(), es.FisherScore()),
        }
        wide = pd.concat([X, X.add_suffix(" again")], axis=1)  # copies never enter MRSF
        found = []
        for columns in (wide.columns, wide.columns[::-1]):
            made = compare(some, wide[columns], y, n_features=16, sizes=[2, 16])
            facts = made.summary["methods"]["mrsf"]
            assert len(facts["features"]) == made.summary["all_features"]["n_ordered"]["mrsf"] == 13
            notes = " ".join(made.summary["warnings"])
            assert "mrsf: orders 13 features" in notes
            assert "best 16" in notes
            assert made.summary["methods"]["k best"]["agreement"]["scaled"] == pytest.approx(1.0)
            assert json.loads(made.to_json())["methods"]["mrsf"]["accuracy"]["16"] is None
            assert "nan" not in made.to_markdown()
            assert {name.removesuffix(" again") for name in facts["features"]} == set(X.columns)
            found.append((facts["accuracy"]["2"], facts["agreement"]["k best"]))
        assert found[0] == pytest.approx(found[1])

    def test_a_share_is_of_the_first_selection_where_sizes_differ(self, two_groups):
        made = compare({"two": Two(k=2), "six": es.FisherScore()}, *two_groups, n_features=6, sizes=[2])
        methods = made.summary["methods"]
        alone = compare({"two": Two(k=2)}, *two_groups, n_features=2, sizes=[5]).summary
        assert "No method orders" in answers_of(alone)["Which predicts best?"]
        assert methods["two"]["shared"]["six"] == 1.0
        assert methods["six"]["shared"]["two"] == pytest.approx(2 / 6)


class TestBest:
    """The best is ahead of every other, and of permuted labels, by more than the folds spread."""

    HIGH, NEAR, LOW = [0.9, 0.91, 0.89, 0.9, 0.9], [0.89, 0.9, 0.9, 0.89, 0.9], [0.7, 0.72, 0.69, 0.7, 0.7]
    #: so many samples that coin throws hardly spread
    MANY = 10**9

    def best(self, *rows, chance=0.1, n_samples=MANY):
        accuracies = np.array(rows, dtype=float)[:, None, :]
        curves = AccuracyCurves([f"m{i}" for i in range(len(rows))], np.array([5]), accuracies, 0.5)
        permuted = np.full((3, len(rows), 1), 0.1)
        permuted[1, -1] = chance
        return best_methods(curves, permuted, n_samples)["5"]

    def test_spreads_are_those_of_corrected_tests(self):
        """Nadeau and Bengio: t-tests whose variance is times (1/J + 1/(J-1)) in place of 1/J."""
        rng = np.random.default_rng(0)
        for _ in range(200):
            folds = int(rng.integers(2, 11))
            one, other = rng.normal(0.75, 0.1, folds), np.full(folds, 0.7)
            scale = np.sqrt((1 / folds) / (1 / folds + 1 / (folds - 1)))
            critical = stats.t.ppf(0.975, folds - 1)
            assert beyond_spread(one, other) == (stats.ttest_rel(one, other).statistic * scale > critical)
            assert beyond_level(one, 0.7, self.MANY) == (stats.ttest_1samp(one, 0.7).statistic * scale > critical)

    def test_fair_coins_are_rarely_beyond_their_level(self):
        """Also with two folds, which agree by accident now and then."""
        rng = np.random.default_rng(2)
        for folds, size in ((2, 20), (5, 8), (10, 4)):
            found = [beyond_level(rng.binomial(size, 0.5, folds) / size, 0.5, folds * size) for _ in range(2000)]
            assert np.mean(found) < 0.05

    def test_who_is_best(self):
        assert self.best(self.HIGH, self.LOW) == "m0"
        assert self.best(self.LOW, self.HIGH) == "m1"
        assert self.best(self.HIGH, self.NEAR, self.LOW) is None
        assert self.best([0.9, 0.6, 0.8, 0.7, 0.9], [0.7, 0.8, 0.6, 0.8, 0.7]) is None
        assert self.best(self.HIGH, self.HIGH) is None
        assert self.best(self.HIGH) is None
        first = np.array([0.9, 0.8, 0.7, 0.9, 0.8])  # the second is behind by as much in every fold
        assert self.best(first, first - 0.02) is None
        assert self.best(first, first - 1.01 * first.std()) == "m0"

    def test_permuted_labels_of_any_method_must_be_beaten(self):
        assert self.best(self.HIGH, self.LOW, chance=0.92) is None
        assert self.best(self.HIGH, self.LOW, chance=0.88) == "m0"
        assert self.best(self.HIGH, self.LOW, chance=0.88, n_samples=40) is None  # 40 coins spread more


class TestAnswer:
    @pytest.fixture
    def summary(self, made):
        return copy.deepcopy(made.summary)

    def test_a_winner_is_named_with_the_next_and_chance(self, summary):
        summary["best"] = {"2": "fisher", "5": None}
        for name, mean in (("fisher", 0.95), ("relieff", 0.88), ("laplacian", 0.7), ("worst", 0.5)):
            summary["methods"][name]["accuracy"]["2"] = mean
        before = copy.deepcopy(summary)
        told = add_comparison_answer(summary)
        np.testing.assert_equal(summary, before)
        assert "fisher with 2" in told["answer"]["headline"]
        said = answers_of(told)["Which predicts best?"]
        assert all(part in said for part in ("fisher 0.95", "next relieff 0.88", "5 features none"))
        low, high = summary["permuted_range"]["2"]
        assert f"({low:.2f} to {high:.2f})" in said
        assert f"{summary['chance']:.2f}" in said

    def test_nobody_wins_inside_the_spread(self, summary):
        said = answers_of(summary)["Which predicts best?"]
        assert summary["best"] == {"2": None, "5": None}
        assert summary["answer"]["headline"].startswith("No method stands out")
        near, facts = summary["near_best"]["5"][0], summary["methods"]
        assert f"{near} {facts[near]['accuracy']['5']:.2f} ±" in said

    def test_chance_is_named(self, summary):
        summary["methods"]["laplacian"]["beyond_permuted"]["5"] = False
        said = answers_of(add_comparison_answer(summary))["More than chance?"]
        assert "2 of 4" in said
        assert "laplacian and worst" in said
        summary["chance"], summary["methods"]["fisher"]["accuracy"]["5"] = 0.99, 0.97
        assert "(0.99)" in answers_of(add_comparison_answer(summary))["More than chance?"]
        for facts in summary["methods"].values():
            facts["beyond_permuted"] = {"2": False, "5": False}
        told = add_comparison_answer(summary)
        assert told["answer"]["headline"].startswith("No method is shown")
        assert "0 of 4" in answers_of(told)["More than chance?"]
        assert "no-signal" in [alert["kind"] for alert in told["alerts"]]

    def test_pairs_consensus_and_stability_stand_beside_chance(self, summary):
        said, methods = answers_of(summary), summary["methods"]
        pairs = {(a, b): facts["shared"][b] for a, facts in methods.items() for b in facts["shared"]}
        most, least = max(pairs.values()), min(pairs.values())
        alike = said["Which choose alike?"]
        assert all(f"{share:.0%}" in alike for share in (most, least, 5 / 40))
        counts = summary["consensus"]["at_least"][0]
        assert all(f"{counts[key]:.1f}" in said["What do all keep?"] for key in ("random", "permuted"))
        facts = methods["fisher"]
        assert f"fisher {facts['stability']:.2f} (permuted {facts['stability_permuted']:.2f})" in said["How stable?"]
        assert f"laplacian {methods['laplacian']['stability']:.2f} (no labels" in said["How stable?"]

    def test_alerts(self, two_groups, wine):
        X, y = two_groups
        some = {"a": es.FisherScore(), "b": es.LaplacianScore(), "c": es.FisherScore()}
        found = compare(some, X[:, :4], y, n_features=4, sizes=[2], n_splits=2).summary
        told = {alert["kind"]: alert["sentence"] for alert in found["alerts"]}
        assert set(told) >= {"labels-not-used", "same-order", "few-folds", "all-kept"}
        assert told["same-order"].startswith("a and c")
        assert "nan" not in str(found["answer"])
        alone = compare({"fisher": es.FisherScore()}, X, y, n_features=5, sizes=[5]).summary
        assert list(answers_of(alone)) == ["Which predicts best?", "More than chance?", "How stable?"]
        flat = wine[0].assign(flat=1.0)
        notes = compare({"a": es.FisherScore(), "b": es.LaplacianScore()}, flat, wine[1], sizes=[2]).summary["warnings"]
        assert [note.split(" feature")[0] for note in notes] == ["a, b: 1 of 14"]


class TestTexts:
    def test_markdown_has_every_number(self, made):
        rows = tables_of(made.to_markdown())[0]
        for row, (name, facts) in zip(rows[2:], made.summary["methods"].items(), strict=True):
            assert row[0].strip() == name
            for cell, size in zip(row[1:3], ("2", "5"), strict=True):
                told = [float(number) for number in re.findall(r"[\d.]+", cell)]
                expected = [facts[key][size] for key in ("accuracy", "accuracy_deviation", "accuracy_permuted")]
                assert told == pytest.approx(expected, abs=5e-4)
                assert ("**" in cell) == (made.summary["best"][size] == name)
                assert ("_" in cell) == (name in made.summary["near_best"][size] and "**" not in cell)
            assert f"({facts['stability_permuted']:.3f})" in row[4]

    def test_the_paper_has_settings_references_and_a_call_that_runs(self, wine):
        some = {"mine": es.FisherScore(), "phi3": es.SPEC(ranking="phi3", n_clusters=3), "k best": SelectKBest()}
        made = compare(some, *wine, n_features=4, sizes=[2, 4], n_splits=3, random_state=7)
        paper = made.summary["paper"]
        parts = ("3 methods", "178 samples", "13 features", "3 stratified folds", "2 and 4", "3 permutations",
                 METHODS["fisher"].in_words, METHODS["spec-phi3"].in_words, "SelectKBest()")  # fmt: skip
        assert [part for part in parts if part not in paper["methods"]] == []
        cited = {*METHODS["fisher"].cites, *METHODS["spec-phi3"].cites, "nadeau2003inference", "nogueira2018stability"}
        texts = [reference["text"] for reference in paper["references"]]
        assert sorted(texts) == sorted(references()[key].text for key in {*cited, "eigenselect"})
        *imports, call = paper["command"].splitlines()
        given = {"X": wine[0], "y": wine[1]}
        exec("\n".join(imports), given)  # our own text
        again = eval(call, given)
        assert again.summary["methods"]["mine"]["accuracy"] == made.summary["methods"]["mine"]["accuracy"]
        assert (paper["seed"], paper["versions"]["numpy"]) == ("7", np.__version__)
        assert re.match(r"[0-9a-f]{64}  .*178 × 13", paper["data_hash"])


class TestInputs:
    def test_nothing_that_is_given_is_changed(self, wine):
        X, y = wine[0].copy(), wine[1].copy()
        some, names, notes = {"fisher": es.FisherScore()}, list(X.columns), ["a note"]
        before = copy.deepcopy((X, y, names, notes))
        asked = {"n_features": 3, "sizes": [2], "n_splits": 2, "random_state": 0, "notes": notes}
        made = summarise_comparison(some, X, y, names, provenance=Provenance(command="typed"), **asked)
        assert made["paper"]["command"] == "typed"
        pd.testing.assert_frame_equal(X, before[0])
        np.testing.assert_array_equal(y, before[1])
        assert (names, notes) == before[2:]
        assert not hasattr(some["fisher"], "ranking_")

    def test_lists_equal_names_and_one_feature(self, wine):
        X, y = np.asarray(wine[0]), np.asarray(wine[1])
        lists, arrays = (
            compare({"f": es.FisherScore()}, table, labels, n_features=3, sizes=[3]).summary["methods"]["f"]
            for table, labels in ((X.tolist(), y.tolist()), (X, y))
        )
        assert lists["features"] == arrays["features"]
        mixed = compare(
            {"f": es.FisherScore()}, X, np.where(y == "class_0", 0, y.astype(object)), n_features=3, sizes=[3]
        )
        assert mixed.summary["methods"]["f"]["features"] == arrays["features"]  # labels of text and numbers
        pair = {"a": es.FisherScore(), "b": es.FisherScore()}
        same = compare(pair, X, y, feature_names=["g"] * 13, sizes=[2])  # equal names are not equal features
        assert same.summary["methods"]["a"]["shared"] == {"b": 1.0}
        one = compare(pair, np.arange(20.0)[:, None], np.arange(20) // 10, n_features=5, sizes=[1])
        assert one.summary["methods"]["a"]["features"] == ["x0"]
        assert json.loads(one.to_json())["methods"]["a"]["agreement"] == {"b": None}
        assert "2 methods" in one.to_html()

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"selectors": {}}, "at least one selector"),
            ({"feature_names": ["a"]}, "feature_names .* 13 names"),
            ({"n_features": 0}, "n_features .* got 0"),
            ({"n_features": 2.5}, r"n_features .* got 2\.5"),
            ({"y": [0, 1]}, "178 samples, got shape"),
            ({"y": None}, "178 samples, got None"),
            ({"y": [None] + [0, 1, 1] * 59}, "missing labels, got 1"),
            ({"y": np.array(["a"] * 177 + ["b"])}, "'b' has 1"),
            ({"y": np.arange(178)}, "178 different whole numbers"),
        ],
    )
    def test_what_cannot_be_compared_is_refused_at_once(self, wine, change, says):
        with pytest.raises(ValueError, match=f"compare: .*{says}"):
            compare(**{"selectors": {"f": es.FisherScore()}, "X": wine[0], "y": wine[1], **change})
