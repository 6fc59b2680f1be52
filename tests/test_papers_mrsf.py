"""papers/mrsf*.py: one split, the race of Figure 4.1 and the rules of the claims."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from eigenselect.multivariate import l21_path


@pytest.fixture
def paper(paper, monkeypatch):
    """As everywhere, but mrsf_time_trials also puts benchmarks/ on the path, which must not stay there."""
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    return paper


@pytest.fixture
def trials(paper):
    return paper("mrsf_trials")


def test_mrsf_with_labels_is_the_path_of_the_label_similarity(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "SIZES", (1, 7, 20, 60))
    y, Z = np.repeat([0, 1, 2, 3], 6), rng.normal(size=(24, 60))
    Y = np.column_stack([(y == label) / np.sqrt(6) for label in range(4)])
    with pytest.warns(ConvergenceWarning, match="of the 60 features asked for"):
        top = trials.mrsf(Z, y)
    for size in (1, 7, 20, 24):
        assert set(top(size)) == set(l21_path(Z, Y, size, center=True).selected)
    assert 24 < top(60).size < 60


def test_a_split_measures_every_cell(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "MOST", 8)
    monkeypatch.setattr(trials, "SIZES", (4, 8))
    y = np.repeat([0, 1, 2], 8)
    X = rng.normal(size=(24, 30))
    tables = trials.one_split(X, y, 0)["tables"]
    assert set(tables["4.2"]) == {*trials.SUPERVISED, trials.RANDOM, trials.ALL}
    assert set(tables["4.3"]) == {*trials.SUPERVISED, trials.RANDOM}
    assert set(tables["4.5"]) == {*trials.UNSUPERVISED, trials.RANDOM}
    values = [value for methods in tables.values() for halves in methods.values() for value in halves.values()]
    assert 0 <= min(values) <= max(values) <= 1


def test_a_split_scores_the_features_of_the_training_half(trials, rng, monkeypatch):
    """One method's order is fixed: accuracies and redundancies are those of plain code."""
    order = np.arange(30)[::-1].copy()
    for name, value in {"MOST": 8, "SIZES": (4, 8)}.items():
        monkeypatch.setattr(trials, name, value)
    monkeypatch.setitem(trials.SUPERVISED, "ReliefF", lambda Z, y: trials.ordered(order))
    y, X = np.repeat([0, 1, 2], 8), rng.normal(size=(24, 30))
    X[:, -1] += 3 * y
    found = trials.one_split(X, y, 2)
    train, test = trials.Split.of(X, y, 2).halves.values()
    Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    machines = [SVC(kernel="linear", C=1.0).fit(Z[train][:, order[:size]], y[train]) for size in (4, 8)]
    curve = [m.score(Z[test][:, order[:size]], y[test]) for m, size in zip(machines, (4, 8), strict=True)]
    np.testing.assert_allclose(found["curves"]["ReliefF"], curve)
    assert found["tables"]["4.2"]["ReliefF"][trials.TRAINING] == pytest.approx(np.mean(curve))
    for half, rows in ((trials.TRAINING, train), (trials.HELD_OUT, test)):
        correlations = np.abs(np.corrcoef(X[np.ix_(rows, order[:12])].T))
        expected = correlations[np.triu_indices(12, 1)].mean()
        assert found["tables"]["4.3"]["ReliefF"][half] == pytest.approx(expected)


def test_both_solvers_of_the_race_end_at_the_same_radius(paper, rng):
    race = paper("mrsf_time_trials").race
    X = rng.normal(size=(20, 60))
    Y = X[:, :3] @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(20, 4))
    found = race(X - X.mean(axis=0), Y - Y.mean(axis=0), 9)
    assert found["features"] == 9
    assert found["path_norm"] == pytest.approx(found["general_norm"], rel=1e-3)
    assert max(found["path_gap"], found["general_gap"]) <= 1e-6


def made_up(paper, *, trials=6, **changed):
    """A run of two of the chapter's sets in which every statement holds but for what is changed: (table, value)."""
    module, noise = paper("mrsf_trials"), np.random.default_rng(0)
    high, low = {"MRSF": 0.95}, {"MRSF": 0.2}
    tables = {"4.2": (module.SUPERVISED, 0.7, high), "4.3": (module.SUPERVISED, 0.6, low)}
    tables |= {f"4.4, {name}": (module.UNSUPERVISED, 0.1, high) for name in module.NEIGHBOURS}
    tables["4.5"] = (module.UNSUPERVISED, 0.6, low)
    found = []
    for _ in range(trials):
        cells = {}
        for table, (methods, level, ours) in tables.items():
            levels = dict.fromkeys(methods, level) | ours | changed.get(table, {})
            cells[table] = {name: {module.TRAINING: value + noise.normal(0, 1e-4)} for name, value in levels.items()}
        curves = {name: [value[module.TRAINING]] * len(module.SIZES) for name, value in cells["4.2"].items()}
        found.append({"tables": cells, "curves": curves, "same": {"Trace ratio": True, "HSIC": True}})
    times = {"path": 1.0, "general": 2.0} | changed.get("times", {})
    return paper("mrsf_run").Run({"ORL": found, "AR": found}, {"ORL": [times], "AR": [times]})


def verdicts(paper, run):
    return {claim.statement: claim.holds for claim in paper("mrsf_claims").claims(run)}


@pytest.mark.parametrize(
    ("start", "changed"),
    [
        ("MRSF is significantly more accurate than all six", {"4.2": {"mRMR": 0.95}}),
        ("MRSF is significantly more accurate than the four", {"4.2": {"ReliefF": 0.99}}),
        ("MRSF is more accurate than each baseline", {"4.2": {"mRMR": 0.96}}),
        (
            "The baselines' mean accuracy",
            {"4.2": dict.fromkeys(("mRMR", "AROM-SVM", "HSIC", "ReliefF", "Fisher", "Trace ratio"), 0.90)},
        ),
        ("MRSF's curve", {"4.2": {"mRMR": 0.97}}),
        ("MRSF is the least redundant", {"4.3": {"AROM-SVM": 0.19}}),
        ("No method with labels", {"4.3": {"AROM-SVM": 0.1}}),
        ("MRSF is less redundant than the four", {"4.3": {"HSIC": 0.1}}),
        ("Fisher score and trace ratio", {"4.2": {"Fisher": 0.72}}),
        ("Fisher score, trace ratio and HSIC", {"4.3": {"HSIC": 0.615}}),
        ("MRSF keeps one", {"4.4, 1 neighbour": {"SPEC": 0.95}}),
        ("MRSF keeps five", {"4.4, 5 neighbours": {"SPEC": 0.99}}),
        ("Without labels MRSF is", {"4.5": {"SPEC": 0.1}}),
        ("Without labels MRSF has", {"4.5": {"SPEC": 0.3}}),
        ("The path to 100", {"times": {"path": 3.0}}),
    ],
)
def test_a_rule_can_come_out_either_way(paper, start, changed):
    yes, no = verdicts(paper, made_up(paper)), verdicts(paper, made_up(paper, **changed))
    (statement,) = (statement for statement in yes if statement.startswith(start))
    assert yes[statement] is True
    assert no[statement] is False


def test_sets_that_are_not_the_chapters_are_not_counted(paper):
    run, bad = made_up(paper), made_up(paper, **{"4.2": {"ReliefF": 0.99}})
    more = paper("mrsf_run").Run(run.trials | {"GLIOMA": bad.trials["ORL"]}, run.times)
    assert verdicts(paper, more) == verdicts(paper, run)


def test_rules_agree_with_the_printed_tables(paper):
    """Put to the chapter's own cells, every statement about means holds; the t-tests need splits."""
    published, run = paper("published"), paper("mrsf_run")
    trials, module = {}, paper("mrsf_trials")
    for name, column in run.COLUMNS.items():
        cells = {
            table: {method: {module.TRAINING: values[column]} for method, values in rows.items()}
            for table, rows in published.MRSF_TABLES.items()
        }
        curves = {
            method: [values[column]] * len(module.SIZES) for method, values in published.MRSF_TABLES["4.2"].items()
        }
        trials[name] = [{"tables": cells, "curves": curves, "same": {"Trace ratio": True, "HSIC": True}}]
    times = [{"path": 23.33, "general": 37.46}]
    found = verdicts(paper, run.Run(trials, dict.fromkeys(trials, times)))
    unmet = {statement for statement, holds in found.items() if holds is False}
    assert not {one for one in unmet if "average" in one or "mean" in one or "curve" in one or "path" in one}
