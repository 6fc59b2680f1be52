"""papers/trace_ratio*.py: the iteration written out, a split of made-up data, the rules that decide statements."""

import importlib
import itertools
import warnings

import numpy as np
import pytest

from eigenselect import TraceRatio


@pytest.fixture
def paper(paper):
    """Import a file by the end of its name."""
    return lambda part: paper(f"trace_ratio_{part}")


@pytest.fixture
def table(rng):
    """Three classes that two of seven features tell apart; spreads from 0.4 to 2.5."""
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 7))
    X[:, 2] += 2 * (y == 1)
    X[:, 5] += 2 * (y == 2)
    return X * np.geomspace(0.4, 2.5, 7), y


class TestData:
    def test_a_split_has_so_many_of_each_class_and_leaves_none_out(self, paper):
        y = np.repeat([0, 1, 2], [12, 30, 9])
        train, test = paper("data").split_of(y, 5, seed=3)
        np.testing.assert_array_equal(np.bincount(y[train]), [5, 5, 5])
        assert sorted([*train, *test]) == list(range(51))
        assert len(set(y[train][:5])) > 1  # not one class after the other: the first of equally near samples wins
        assert not np.array_equal(train, paper("data").split_of(y, 5, seed=4)[0])

    def test_texts_become_numbers(self, paper):
        rows = [["b", "1.5", "0"], ["?", "?", "00280"], ["a", "4.5", "2"], ["b", "3", "2"]]
        found = paper("data").numbers_of(rows)
        np.testing.assert_array_equal(found, [[1, 1.5, 0], [1, 3, 280], [0, 4.5, 2], [1, 3, 2]])

    def test_lost_decimal_points_are_read_in_the_other_file(self, paper):
        def crx(a2, a3, a8, a14, label):
            return ["b", a2, a3, "u", "g", "w", "v", a8, "t", "t", "01", "f", "g", a14, "7", label]

        def australian(a2, a3, a7, a13, label):
            return ["1", a2, a3, "2", "4", "4", a7, "0", "0", "1", "1", "2", a13, "8", label]

        known = [crx("22.08", "11.46", "1.585", "100", "+"), crx("24.50", "7", "0.165", "?", "-")]
        found = [australian("245.0", "7.0", "165.0", "100", "0"), australian("2208.0", "1146.0", "1585.0", "100", "1")]
        points = paper("data").with_points(found, known)
        np.testing.assert_array_equal(points, [[24.5, 7, 0.165], [22.08, 11.46, 1.585]])
        with pytest.raises(ValueError, match="two rows of crx read"):
            paper("data").with_points(found, [*known, crx("22.08", "1.146", "1.585", "100", "+")])


class TestRounds:
    def test_best_ratios_are_those_of_all_subsets(self, paper, rng):
        b, e = rng.random(6), rng.random(6)
        best = paper("rounds").best_ratios(b, e)
        for m in range(1, 7):
            naive = max(b[list(one)].sum() / e[list(one)].sum() for one in itertools.combinations(range(6), m))
            assert best[m - 1] == pytest.approx(naive)

    def test_the_iteration_ends_at_the_best_from_any_subset(self, paper, rng):
        rounds, b, e = paper("rounds"), rng.random(8), rng.random(8)
        best = rounds.best_ratios(b, e)
        for m in range(1, 8):
            way = rounds.rounds_from(rng.permutation(8)[:m], b, e)
            assert way.ratios[-1] == pytest.approx(best[m - 1])
            assert way.falls == 0
            assert 1 <= way.number < 10

    def test_a_fall_is_counted_and_rounding_is_none(self, paper):
        rounds = paper("rounds")
        assert rounds.Rounds([1.0, 2.0, 1.5, 1.5 - 1e-12, np.inf]).falls == 1
        assert rounds.below(3.0, np.inf)
        assert not rounds.below(np.inf, np.inf)
        assert rounds.subset_ratio(np.array([0]), np.array([2.0]), np.array([0.0])) == np.inf
        assert rounds.subset_ratio(np.array([0]), np.array([0.0]), np.array([0.0])) == 0.0


class TestTrial:
    @pytest.mark.parametrize(("pair", "graphs"), [("FS", "fisher"), ("LS", "laplacian")])
    def test_scores_are_those_of_the_estimator(self, paper, table, pair, graphs):
        X, y = table
        train, test = paper("data").split_of(y, 15, seed=0)
        found = paper("trials").measured(X, y, train, test, pair, 1, np.random.default_rng(0))
        for level, name in (("feature", "F"), ("subset", "S")):
            for m in range(1, 8):
                selector = TraceRatio(m, graphs=graphs, level=level, scale=None).fit(X[train], y[train])
                assert found["score"][name][m - 1] == pytest.approx(selector.trace_ratio_)
        count = found["counts"]
        assert (count["runs"], count["brute force"]) == (6, 7)
        assert not any(count[name] for name in ("falls", "other end", "not the best", "rises with m", "F higher"))
        assert sum(count["by rounds"]["random start"].values()) == 6
        assert found["same order"]
        assert found["accuracy"]["F"][-1] == found["accuracy"]["S"][-1]

    def test_a_subset_that_is_not_the_best_is_counted(self, paper, rng, monkeypatch):
        trials = paper("trials")
        b, e = rng.random(9), rng.random(9)
        good = trials.counts(b, e, rng)
        worst = type("Worst", (), {"ratio": 0.01})
        monkeypatch.setattr(trials, "largest_ratio_subset", lambda b, e, size: worst)
        bad = trials.counts(b, e, rng)
        assert (good["other end"], good["not the best"], good["F higher"]) == (0, 0, 0)
        assert (bad["other end"], bad["not the best"], bad["F higher"]) == (16, 9, 8)

    def test_constant_features_come_last_and_perfect_ones_first(self, paper):
        order = paper("trials").by_single_ratio(np.array([0.0, 1, 0, 3]), np.array([0.0, 1, 1, 0]))
        np.testing.assert_array_equal(order, [3, 1, 2, 0])

    def test_nearest_neighbours_are_those_of_scikit_learn(self, paper, table):
        X, y = table
        train, test = paper("data").split_of(y, 10, seed=1)
        known = importlib.import_module("common").one_nn
        for columns in ([0], [2, 5], range(7)):
            found = paper("trials").one_nn(X[:, list(columns)], y, train, test)
            assert found == pytest.approx(known(X[:, list(columns)], y, train, test))

    def test_features_are_scaled_by_the_training_samples(self, paper, table):
        X = np.column_stack([table[0], np.ones(60)])
        train, trials = np.arange(0, 60, 2), paper("trials")
        assert trials.scaled(X, train, "raw") is X
        ranged, unit = trials.scaled(X, train, "min-max")[train], trials.scaled(X, train, "unit deviation")[train]
        np.testing.assert_allclose(np.ptp(ranged, axis=0), [1] * 7 + [0])
        np.testing.assert_allclose(ranged.min(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(unit.std(axis=0), [1] * 7 + [0])

    def test_a_feature_without_scatter_has_no_score_either_way(self, paper, rng):
        trials, X = paper("trials"), rng.normal(size=(31, 3))
        X[-1], X[:, 2] = 1e6, np.eye(31)[-1]  # far from all: its edges weigh 0, and the last feature varies only there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            b, e = trials.graphs(X, np.zeros(31, dtype=int), "LS").scatters(X)
            assert (b[2], e[2]) == (0, 0)
            assert trials.same_order(X, np.zeros(31, dtype=int), "LS", b, e)
            assert not trials.same_order(X, np.zeros(31, dtype=int), "LS", b, 2 * e)

    def test_by_the_letter_a_constant_feature_is_free(self, paper):
        b, e = np.array([3.0, 2, 1, 0]), np.array([1.0, 1, 1, 0])
        assert paper("trials").constant_is_free(b, e) == [2, 2]  # m = 2 and 3; the library takes it last


def made_up(accuracy_f=(0.5, 0.6, 0.9), accuracy_s=(0.6, 0.6, 0.9), **changes):
    """One trial with three features: S better with one feature, equal with two."""
    counts = {"runs": 2, "rounds": 8, "falls": 0, "other end": 0, "brute force": 3, "not the best": 0}
    counts |= {"F lower": 2, "F higher": 0, "rises with m": 0, "infinite": 0, "zero costs": 0}
    counts["by rounds"] = {"random start": {"3": 2}, "best single features": {"2": 2}}
    found = {
        "sizes": [1, 2, 3],
        "accuracy": {"F": list(accuracy_f), "S": list(accuracy_s)},
        "score": {"F": [3.0, 1.5, 1.0], "S": [3.5, 2.0, 1.0]},
        "random": {"size": 1, "accuracy": 0.5, "correlation": 0.2},
        "same order": True,
        "constant": 0,
        "constant is free": None,
        "seconds": {"scatters": 0.99, "iteration": 0.01},
    }
    counts |= changes.pop("counts", {})
    return found | {"counts": counts} | changes


@pytest.fixture
def run_of(paper):
    """Two sets, heart and UMIST, two splits of each, all alike."""

    def make(**changes):
        Run = paper("run").Run
        values = {key: made_up(**changes) for key in Run.keys(("heart", "UMIST"), 2)}
        return Run(values, 1.0, ("heart", "UMIST"), 2)

    return make


def test_five_neighbours_are_shown_where_they_were_run(paper, run_of):
    lines = paper("tables").cases_text(run_of()).splitlines()[2:]
    cells = {tuple(line.split(" | ")[:2]): line.rstrip(" |").split(" | ")[-1] for line in lines}
    assert cells["| Figure 2, UCI", "unit deviation"] == "-"
    for title, scaling in itertools.product(("| Figure 2, UCI", "| Figure 3, faces"), ("raw", "min-max")):
        assert cells[title, scaling] == "1 / 1 / 0 (+0.0500)"


class TestClaims:
    def test_most_cases(self, paper, run_of):
        claims, run = paper("claims"), run_of(accuracy_s=(0.6, 0.7, 0.9))
        for figure in ("Figure 2", "Figure 3"):
            claim = claims.better_claim(run, figure, "raw", "FS")
            assert claim.holds
            assert "2 / 0 / 0 cases" in claim.evidence
        assert not claims.better_claim(run_of(), "Figure 2", "raw", "FS").holds  # one better, one equal: half
        worse = run_of(accuracy_s=(0.4, 0.7, 0.9))
        assert not claims.better_claim(worse, "Figure 2", "raw", "FS").holds  # one better, one worse
        one_set = paper("run").Run(run.values, 1.0, ("heart",), 2)
        assert claims.better_claim(one_set, "Figure 3", "raw", "FS").holds is None

    def test_a_few_cases(self, paper, run_of):
        few = paper("claims").few_claim
        assert not few(run_of()).holds  # none
        assert not few(run_of(accuracy_s=(0.4, 0.7, 0.9))).holds  # half
        wide = {"sizes": [1, 2, 3, 4], "score": {"F": [1.0] * 4, "S": [1.0] * 4}}
        assert few(run_of(accuracy_f=(0.5,) * 4, accuracy_s=(0.6, 0.6, 0.4, 0.5), **wide)).holds  # a third

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("optimum_claim", {"counts": {"not the best": 1}}),
            ("optimum_claim", {"counts": {"other end": 1}}),
            ("rising_claim", {"counts": {"falls": 1}}),
            ("falling_claim", {"counts": {"rises with m": 1}}),
            ("umist_falls_claim", {"counts": {"rises with m": 1}}),
            ("umist_falls_claim", {"score": {"F": [1.0] * 3, "S": [2.0, 2.5, 1.0]}}),
            ("not_optimal_claim", {"counts": {"F lower": 0}}),
            ("reciprocal_claim", {"same order": False}),
            (
                "rounds_claim",
                {"counts": {"by rounds": {"random start": {"2": 1, "3": 1}, "best single features": {"3": 2}}}},
            ),
            ("time_claim", {"seconds": {"scatters": 0.9, "iteration": 0.1}}),
            ("consistency_claim", {"random": {"size": 1, "accuracy": 0.5, "correlation": -0.1}}),
        ],
    )
    def test_a_statement_can_be_false(self, paper, run_of, name, change):
        claim = getattr(paper("claims"), name)
        assert claim(run_of()).holds is True
        assert claim(run_of(**change)).holds is False

    def test_lower_throughout(self, paper, run_of):
        lower = paper("claims").lower_claim
        assert lower(run_of(), "LS").holds
        assert not lower(run_of(counts={"F higher": 1}), "LS").holds
        assert not lower(run_of(score={"F": [3.0, 2.0, 1.0], "S": [3.5, 2.0, 1.0]}), "LS").holds

    def test_sizes_are_those_of_the_files(self, paper, monkeypatch):
        claims = paper("claims")
        sizes = claims.published.SIZES

        def table_of(name, lost=0):
            classes, total, _, features = sizes[name]
            return np.zeros((total, features - lost)), np.arange(total) % classes

        monkeypatch.setattr(claims, "dataset", table_of)
        assert claims.sizes_claim().holds
        monkeypatch.setattr(claims, "dataset", lambda name: table_of(name, lost=name == "crx"))
        assert "7 of 8 sets" in claims.sizes_claim().evidence
        assert not claims.sizes_claim().holds

    def test_features_of_no_cost(self, paper, run_of):
        claim = paper("claims").zero_cost_claim
        assert claim(run_of()).holds is None
        assert claim(run_of(counts={"zero costs": 1, "infinite": 1})).holds
        assert not claim(run_of(counts={"zero costs": 1, "infinite": 2})).holds
        assert "in 32 of 64 runs" in claim(run_of(constant=1, **{"constant is free": [1, 2]})).evidence

    def test_a_difference_needs_more_than_one_split(self, paper, run_of):
        Run = paper("run").Run
        run = run_of()
        run.values["heart", "raw", "FS", paper("run").fresh_seeds(2)[1]] = made_up(accuracy_s=(0.62, 0.6, 0.9))
        assert run.p_value("heart", "raw", "FS") == pytest.approx(0.0577, abs=1e-3)  # t = 11, one degree of freedom
        assert Run(run.values, 1.0, ("heart",), 1).p_value("heart", "raw", "FS") == 1
        assert run_of(accuracy_s=(0.5, 0.6, 0.9)).p_value("heart", "raw", "FS") == 1
