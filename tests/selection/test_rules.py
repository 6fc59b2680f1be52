"""Rules that say which features are selected: alone, inside selectors, and inside grids and pipelines."""

import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from eigenselect import FisherScore
from eigenselect.exceptions import KneeWarning
from eigenselect.selection import FDR, Knee, Threshold, TopK, knee, number_to_select, rank_features
from eigenselect.selection.ranking import Candidates, Forced
from eigenselect.selection.rules import as_rule

SCORES = np.array([0.9, 0.1, 0.95, 0.05, 0.1, 0.08, 0.02])
RULES = [TopK(3), FDR(0.1), Knee(), Threshold(0.1)]


def known(scores=SCORES, n_samples=100, **more):
    return Candidates("Owner", scores, rank_features(scores), n_samples, **more)


def chosen(rule, *arguments, **more):
    return np.flatnonzero(rule.choose(known(*arguments, **more))).tolist()


scores_with_ties = st.lists(st.sampled_from([0.0, 0.5, 0.7, 1.0, np.nan]), min_size=3, max_size=20).map(np.array)


class TestTopK:
    @given(scores_with_ties, st.data())
    def test_lists_are_kept_and_the_best_of_the_others_fill_up(self, scores, data):
        """By brute force: of all supports that obey, the one whose other features rank first."""
        columns = st.sampled_from(range(scores.size))
        must = data.draw(st.sets(columns, max_size=2))
        never = data.draw(st.sets(columns, max_size=2)) - must
        k = data.draw(st.integers(max(1, len(must)), scores.size))
        rule = TopK(k, must_keep=must, never=never)
        if scores.size - len(never) < k:
            with pytest.raises(ValueError, match="Owner: never leaves"):
                rule.check("Owner", scores.size)
            return
        rule.check("Owner", scores.size)
        others = [column for column in np.argsort(rank_features(scores)) if column not in must | never]
        assert set(chosen(rule, scores)) == must | set(others[: k - len(must)])

    def test_a_fraction_is_the_one_that_is_written(self):
        """Some products with 100 are a little below the whole number: 0.29 · 100 is 28.999999999999996."""
        counts = [TopK(percent / 100).number(np.zeros(100), "test") for percent in range(1, 101)]
        assert counts == list(range(1, 101))

    def test_numbers_and_fractions(self):
        for k, count in ((3, 3), (np.int64(2), 2), (0.5, 3), (1.0, 7), (0.01, 1), (None, 3)):
            assert len(chosen(TopK(k))) == TopK(k).number(SCORES, "Owner") == count
            assert number_to_select(k, SCORES, "Owner") == count

    def test_what_is_not_selectable_does_not_fill_up_but_may_be_kept(self):
        assert chosen(TopK(5), n_selectable=2) == [0, 2]
        assert chosen(TopK(5, must_keep=[6]), n_selectable=2) == [0, 2, 6]

    @pytest.mark.parametrize(
        ("rule", "says"),
        [
            (TopK(8), "n_features_to_select .* 7 .*got 8; .*fewer"),
            (TopK(0), "7 .*got 0; .*at least.*'auto'"),
            (TopK(1.5), "fraction .*got 1.5"),
            (TopK("many"), "got 'many'"),
            (TopK(2, must_keep=[0, 1, 2]), "must_keep holds 3 .* 2"),
            (TopK(6, never=[0, 1]), "never leaves 5 of 7"),
            (TopK(2, must_keep=[0], never=[0]), "must not share"),
        ],
    )
    def test_bad_requests(self, rule, says):
        with pytest.raises(ValueError, match=says):
            rule.check("Owner", 7)


class TestFDR:
    Q = np.array([0.2, 0.05, np.nan, 0.01, 0.051, 0.05, 1.0])

    def test_whatever_the_rank(self):
        assert chosen(FDR(0.05), qvalues=self.Q) == [1, 3, 5]
        assert chosen(FDR(0.001), qvalues=self.Q) == []

    def test_lists_are_obeyed(self):
        assert chosen(FDR(0.05, must_keep=[2], never=[3]), qvalues=self.Q) == [1, 2, 5]

    @pytest.mark.parametrize(
        ("rule", "columns"),
        [
            (FDR(0.05, at_least=3), [1, 3, 5]),
            (FDR(0.05, at_least=4), [1, 3, 4, 5]),
            (FDR(0.001, at_least=2), [1, 3]),  # the q of 1 and 5 tie, and 1 ranks first
            (FDR(0.001, at_least=7), [0, 1, 2, 3, 4, 5, 6]),
            (FDR(0.001, at_least=2, must_keep=[6], never=[3]), [1, 6]),
        ],
    )
    def test_at_least_so_many_by_q_then_rank(self, rule, columns):
        scores = np.array([0.9, 0.5, np.nan, 0.4, 0.3, 0.2, 0.1])
        rule.check("Owner", 7)
        with nullcontext() if rule.at_least == 3 else pytest.warns(UserWarning, match="^Owner: .*at_least") as heard:
            assert chosen(rule, scores, qvalues=self.Q) == columns
        assert heard is None or len(heard) == 1

    def test_a_pipeline_on_noise(self, rng):
        X, y = rng.normal(size=(40, 6)), np.repeat([0, 1], 20)
        empty = FisherScore(FDR(1e-6), significance=True).fit(X, y)
        for table in (X, pd.DataFrame(X)):
            with pytest.warns(UserWarning, match="at_least=1") as heard:
                assert empty.transform(table).shape == (40, 0)
            assert len(heard) == 1
        model = make_pipeline(FisherScore(FDR(1e-6, at_least=1), significance=True), KNeighborsClassifier())
        with pytest.warns(UserWarning, match="^FisherScore: 0 of 6 .*at_least=1") as heard:
            model.fit(X, y)
        assert len(heard) == 1
        assert model[0].get_support(indices=True).tolist() == [np.argmin(model[0].qvalues_)]
        assert model[0].selection_rule.describe() == "q ≤ 1e-06, at least 1"

    def test_benjamini_yekutieli_by_its_definition(self, rng):
        p = rng.random(40) ** 3
        m = p.size
        order = np.argsort(p)
        q = np.empty(m)
        q[order] = np.minimum.accumulate((p[order] * m / np.arange(1, m + 1))[::-1])[::-1]
        reached = np.flatnonzero(np.sort(p) <= 0.2 * np.arange(1, m + 1) / (m * np.sum(1 / np.arange(1, m + 1))))
        expected = np.sort(order[: reached[-1] + 1])
        scores, more = rng.random(m + 1), {"pvalues": np.append(p, np.nan), "qvalues": np.append(q, np.nan)}
        assert chosen(FDR(0.2, "by"), scores, **more) == expected.tolist()
        assert 0 < len(expected) < len(chosen(FDR(0.2), scores, **more))

    def test_without_q_values_it_says_what_to_set(self):
        with pytest.raises(ValueError, match="^Owner: .*significance=True"):
            FDR().choose(known())
        with pytest.raises(ValueError, match="method='by' .*'bh'"):
            FDR(method="by").choose(known(qvalues=self.Q))

    def test_bad_requests(self):
        for alpha in (0, 1, -0.1, 2, np.nan, "0.05", None, True):
            with pytest.raises(ValueError, match="^Owner: alpha .*, got"):
                FDR(alpha).check("Owner", 7)
        for at_least in (-1, 1.5, 7, None):
            with pytest.raises(ValueError, match="^Owner: at_least .* 0 to 6, got"):
                FDR(at_least=at_least, never=[0]).check("Owner", 7)
        with pytest.raises(ValueError, match="^Owner: method .* got 'storey'"):
            FDR(method="storey").check("Owner", 7)


class TestKnee:
    def test_at_most_as_many_as_samples(self):
        """Who asks for a number gets it."""
        scores = np.r_[np.linspace(1, 0.9, 60), np.linspace(0.1, 0, 40)]
        for wanted, n_samples, count in (("auto", 100, 60), ("auto", 48, 48), (80, 48, 80)):
            assert number_to_select(wanted, scores, "Owner", n_samples=n_samples) == count
            assert len(chosen(as_rule(wanted, "Owner"), scores, n_samples)) == count

    def test_what_is_left_out_is_no_part_of_the_curve(self):
        scores = np.r_[50.0, SCORES]
        assert (knee(scores), knee(SCORES)) == (1, 2)
        assert chosen(Knee()) == [0, 2]
        assert chosen(Knee(), scores) == [0]
        assert chosen(Knee(never=[0]), scores) == [1, 3]
        assert chosen(Knee(), np.full(4, np.nan)) == [0]  # without a score the first

    def test_what_must_be_kept_comes_on_top(self):
        assert chosen(Knee(must_keep=[6])) == [0, 2, 6]

    def test_the_caveat_is_one_line_whatever_the_lists(self):
        rule = Knee(never=[f"gene {i}" for i in range(100)])
        says = rule.caveat("SPEC", rule, 3, testable=True)
        assert says.startswith("SPEC: n_features_to_select=Knee(…) keeps 3")
        assert "set significance" in says
        other = Knee().caveat("MRSF", "auto", 1, testable=False)
        assert "='auto' keeps 1 feature," in other
        assert "StabilitySelector" in other


class TestThreshold:
    @given(scores_with_ties, st.sampled_from([-1.0, 0.0, 0.5, 0.6, 1.0, 2]))
    def test_scores_that_are_large_enough(self, scores, least):
        np.testing.assert_array_equal(Threshold(least).choose(known(scores)), scores >= least)

    def test_rounding_decides_nothing(self):
        for size in (1e-300, -1.0, 1e300):
            scores = size * np.array([1 - 1e-15, 1.0, 1 + 1e-15, 1 - 1e-9 * np.sign(size)])
            assert chosen(Threshold(size), scores) == [0, 1, 2]

    def test_lists_are_obeyed(self):
        assert chosen(Threshold(0.1, must_keep=[6], never=[2])) == [0, 1, 4, 6]

    def test_bad_scores(self):
        for score in (np.nan, np.inf, -np.inf, "0.3", None, True):
            with pytest.raises(ValueError, match="^Owner: score .* finite .*got"):
                Threshold(score).check("Owner", 7)


class TestAsRule:
    def test_what_values_stand_for(self):
        for value, tested, expected in (
            (3, False, "TopK(k=3)"),
            (0.5, True, "TopK(k=0.5)"),
            (None, False, "TopK()"),
            ("fdr", False, "FDR()"),
            ("auto", False, "Knee()"),
            ("auto", True, "FDR()"),
            (Knee(), True, "Knee()"),
        ):
            assert repr(as_rule(value, "Owner", tested=tested)) == expected
        assert all(as_rule(rule, "Owner") is rule for rule in RULES)

    def test_anything_else_is_refused(self):
        for value in ("all", "AUTO", True, [3], FDR, {"k": 3}, np.bool_(True)):
            with pytest.raises(ValueError, match=r"^Owner: n_features_to_select .*'fdr'.*got"):
                as_rule(value, "Owner")
        for wanted in (0, -1, 8, 1.5, -0.2, 0.0, np.nan, True, "all", [3]):
            with pytest.raises(ValueError, match="Owner: n_features_to_select must be"):
                number_to_select(wanted, SCORES, "Owner")

    def test_some_rules_give_no_number(self):
        for rule in (FDR(), Threshold(0.5)):
            with pytest.raises(ValueError, match=f"Owner: {type(rule).__name__} .*no number"):
                number_to_select(rule, SCORES, "Owner")


class TestMethodsThatCannot:
    def test_p_values(self):
        with pytest.raises(ValueError, match=r"^KOGS: FDR .*\(it adds\).*FisherScore.*StabilitySelector"):
            FDR().check_method("KOGS", no_p_values="it adds")
        for rule in (TopK(3), Knee(), Threshold(1)):
            rule.check_method("KOGS", no_p_values="it adds")

    def test_numbers(self):
        for rule in (FDR(), Threshold(1)):
            with pytest.raises(ValueError, match=f"^MRSF: {type(rule).__name__} .*it hurries.*TopK"):
                rule.check_method("MRSF", needs_number="it hurries")
        for rule in (TopK(3), Knee()):
            rule.check_method("MRSF", needs_number="it hurries")

    def test_lists(self):
        for rule in (TopK(3, must_keep=[0]), Knee(never="a")):
            with pytest.raises(ValueError, match="^MRSF: must_keep .*it hurries"):
                rule.check_method("MRSF", no_forced="it hurries")
        TopK(3).check_method("MRSF", no_forced="it hurries")


def test_rules_in_words():
    for rule, words in (
        (TopK(10), "the 10 best"),
        (TopK(1), "the best one"),
        (TopK(), "the better half"),
        (TopK(0.125), "the best 12.5 %"),
        (FDR(), "q ≤ 0.05"),
        (FDR(0.1, "by"), "q ≤ 0.1 (Benjamini-Yekutieli)"),
        (Threshold(0.3), "score ≥ 0.3"),
        (Threshold(), "score ≥ 0"),
        (FDR(0.01, never=["a"]), "q ≤ 0.01, 1 never"),
    ):
        assert rule.describe() == words
    assert "1 must be kept, 2 never" in TopK(np.int64(3), must_keep="a", never=[4, 5]).describe()
    assert "knee" in Knee().describe()


def test_only_numbers_without_lists_follow_the_ranking():
    assert [rule.follows_ranking for rule in RULES] == [True, False, True, False]
    assert not TopK(3, never=[1]).follows_ranking
    assert [rule.needs_significance for rule in RULES] == [False, True, False, False]


@pytest.mark.parametrize("rule", RULES, ids=repr)
class TestEstimators:
    """Parameters as scikit-learn has them."""

    def test_clones_and_pickles_are_the_same_rule(self, rule):
        rule = clone(rule).set_params(must_keep=["a", 2], never=np.array([5]))
        for copy in (clone(rule), pickle.loads(pickle.dumps(rule))):
            assert copy is not rule
            assert repr(copy) == repr(rule)
            assert copy.describe() == rule.describe()

    def test_nested_parameters(self, rule):
        selector = FisherScore(rule)
        names = {name for name in selector.get_params() if name.startswith("n_features_to_select__")}
        assert names == {f"n_features_to_select__{name}" for name in rule.get_params()}
        changed = clone(selector).set_params(n_features_to_select__never=[1])
        assert changed.n_features_to_select.never == [1]
        assert rule.never == ()


class TestGrids:
    def test_over_the_number_that_a_rule_has(self, wine):
        X, y = wine
        pipeline = make_pipeline(FisherScore(TopK(1, never=[12])), KNeighborsClassifier())
        grid = {"fisherscore__n_features_to_select__k": [1, 6]}
        best = GridSearchCV(pipeline, grid, cv=3).fit(X, y).best_estimator_[0]
        assert best.n_features_ == best.n_features_to_select.k == 6
        assert not best.get_support()[12]

    def test_a_number_becomes_a_rule(self, wine):
        for start in (5, 0.5, None):
            selector = FisherScore(start).set_params(n_features_to_select__k=2, n_features_to_select__must_keep=[4])
            assert repr(selector.n_features_to_select) == "TopK(k=2, must_keep=[4])"
            assert selector.fit(*wine).get_support()[4]

    def test_a_name_becomes_a_rule(self):
        selector = FisherScore("fdr").set_params(n_features_to_select__alpha=0.1)
        assert repr(selector.n_features_to_select) == "FDR(alpha=0.1)"
        selector.set_params(n_features_to_select="auto", n_features_to_select__never=[0])
        assert repr(selector.n_features_to_select) == "Knee(never=[0])"
        with pytest.raises(ValueError, match="'alpha'"):
            selector.set_params(n_features_to_select__alpha=0.1)


class TestInSelectors:
    @pytest.fixture
    def frame(self, wine):
        X, y = wine
        return pd.DataFrame(X, columns=[f"f{i}" for i in range(13)]), y

    def test_names_of_a_frame(self, frame):
        rule = TopK(3, must_keep=["f2"], never=["f6", 12])
        selector = FisherScore(rule).set_output(transform="pandas").fit(*frame)
        best = FisherScore(2).fit(frame[0].drop(columns=["f2", "f6", "f12"]), frame[1]).get_feature_names_out()
        assert set(selector.transform(frame[0]).columns) == {"f2", *best}
        assert selector.n_features_ == 3

    def test_the_rule_changes_the_support_alone(self, wine):
        plain = FisherScore(3).fit(*wine)
        for rule in (TopK(3, must_keep=[2]), Threshold(0.5), Knee()):
            with pytest.warns(KneeWarning) if isinstance(rule, Knee) else nullcontext():
                other = FisherScore(rule).fit(*wine)
            for name in ("scores_", "native_scores_", "ranking_", "n_ordered_"):
                np.testing.assert_array_equal(getattr(other, name), getattr(plain, name))

    def test_none_is_an_answer(self, wine):
        selector = FisherScore(Threshold(2)).fit(*wine)
        assert (selector.n_features_, selector.get_support().any()) == (0, False)
        with pytest.warns(UserWarning, match="less strict"):
            assert selector.transform(wine[0]).shape == (178, 0)

    def test_what_is_handed_out_is_a_copy(self, wine):
        selector = FisherScore(Threshold(0.65)).fit(*wine)
        selector.get_support()[:] = True
        assert selector.get_support(indices=True).tolist() == [6, 11, 12]
        loaded = pickle.loads(pickle.dumps(selector))
        assert loaded.get_support(indices=True).tolist() == [6, 11, 12]


def test_a_step_is_cut_at_the_step(rng):
    for good in (1, 3, 8, 15):
        scores = rng.permutation(np.r_[np.full(good, 0.9), np.full(20 - good, 0.1)])
        assert knee(scores) == good
    noise = np.r_[np.linspace(1, 0.8, 6), np.linspace(0.2, 0.1, 94)] + rng.normal(size=100) * 0.001
    assert knee(noise) == knee(1e9 * noise - 5e8) == 6
    for scores, expected in (([1.0], 1), ([2.0, 1.0], 1), ([1.0, 1.0, 1.0], 3), ([np.nan, 1.0], 1), ([np.nan], 0)):
        assert knee(np.array(scores)) == expected


def test_infinite_scores_are_the_limit_of_large_ones(rng):
    for count in range(1, 12):
        finite = rng.random(20)
        limit = np.r_[np.full(count, np.inf), finite]
        assert knee(limit) == knee(np.where(np.isinf(limit), 1e15, limit)) == count
        assert knee(-limit) == knee(np.where(np.isinf(limit), -1e15, -limit)) == 20
    assert knee(np.full(4, np.inf)) == 4
    assert knee(np.array([np.inf, np.nan, 1.0, -np.inf])) == 1


NAMES = np.array(["age", "dose", "gene", "dose"], dtype=object)


def forced(must_keep=(), never=(), names=NAMES):
    found = Forced.of(must_keep, never, 4, names, "SPEC")
    return found.kept.tolist(), found.left_out.tolist()


class TestForced:
    def test_ways_to_name_features(self):
        for wanted, columns in (
            ((), []),
            (["gene"], [2]),
            ("gene", [2]),
            (3, [3]),
            (np.int64(3), [3]),
            ([3, 0, 3], [0, 3]),
            (np.array([2, 1]), [1, 2]),
            ({"gene", 0}, [0, 2]),
            (pd.Index(["gene", "age"]), [0, 2]),
            ([np.str_("age")], [0]),
            (range(2), [0, 1]),
            (["dose"], [1, 3]),  # several probes of one gene
        ):
            assert forced(must_keep=wanted) == (columns, [])
            assert forced(never=wanted) == ([], columns)
        assert forced([1], [3], names=[3, 2, 1, 0]) == ([1], [3])  # numbers are columns

    def test_without_names_only_columns(self):
        for names in (None, pd.RangeIndex(4)):
            assert forced([1], names=names) == ([1], [])
            with pytest.raises(ValueError, match="^SPEC: .*names, got 'age'"):
                forced(["age"], names=names)
        with pytest.raises(ValueError, match="got 2 in both"):
            forced([1, 2], [2], names=None)

    @pytest.mark.parametrize(
        ("lists", "says"),
        [
            ({"never": ["aeg"]}, r"never .*\('age', 'dose', 'gene'\).*'aeg'"),
            ({"must_keep": [4]}, "must_keep .* 0 to 3, got 4"),
            ({"must_keep": [-1]}, "0 to 3, got -1"),
            ({"must_keep": 1.5}, "must_keep .*got 1.5"),
            ({"must_keep": None}, "got None"),
            ({"never": iter(["a"])}, "never .*got <list_iterator"),
            ({"never": [1.0]}, "got 1.0 among"),
            ({"never": [True]}, "got True among"),
            ({"never": np.array([True, False])}, "got np.True_ among"),
            ({"must_keep": ["age", 2], "never": [0]}, "never .*'age' in both"),
            ({"must_keep": ["dose"], "never": ["dose"]}, "'dose', 'dose' in both"),
        ],
    )
    def test_bad_lists(self, lists, says):
        with pytest.raises(ValueError, match=f"^SPEC: .*{says}"):
            forced(**lists)


def test_candidates_best_first():
    scores, ranking = np.array([0.1, np.nan, 0.9, 0.5]), np.array([3, 4, 1, 2])
    known = Candidates("SPEC", scores, ranking, 20)
    assert known.best_first(np.array([True, True, False, True])).tolist() == [3, 0, 1]
    assert known.mask(np.array([2, 0])).tolist() == [True, False, True, False]
    some = Candidates("SPEC", scores, ranking, 20, n_selectable=3)
    assert some.best_first(np.ones(4, dtype=bool)).tolist() == [2, 3, 0]
