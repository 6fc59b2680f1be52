"""papers/trace_ratio*.py: the iteration written out, a split of made-up data, the rules that decide statements."""

import itertools

import numpy as np
import pytest

from eigenselect import TraceRatio

pytestmark = pytest.mark.slow


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


class TestRounds:
    def test_best_ratios_are_those_of_all_subsets(self, paper, rng):
        b, e = rng.random(6), rng.random(6)
        best = paper("rounds").best_ratios(b, e)
        for m in range(1, 7):
            naive = max(b[list(one)].sum() / e[list(one)].sum() for one in itertools.combinations(range(6), m))
            assert best[m - 1] == pytest.approx(naive)


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

    def test_features_are_scaled_by_the_training_samples(self, paper, table):
        X = np.column_stack([table[0], np.ones(60)])
        train, trials = np.arange(0, 60, 2), paper("trials")
        assert trials.scaled(X, train, "raw") is X
        ranged, unit = trials.scaled(X, train, "min-max")[train], trials.scaled(X, train, "unit deviation")[train]
        np.testing.assert_allclose(np.ptp(ranged, axis=0), [1] * 7 + [0])
        np.testing.assert_allclose(ranged.min(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(unit.std(axis=0), [1] * 7 + [0])


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


class TestClaims:
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
