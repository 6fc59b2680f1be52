"""Code of papers/ that scripts share: baselines against loops, trials that are kept, the first page."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.svm import SVC

PAPERS = Path(__file__).resolve().parents[1] / "papers"
pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="the source distribution has no papers/")


@pytest.fixture
def baselines(paper):
    return paper("baselines")


@pytest.fixture
def table(rng):
    """Three classes that two of twelve features tell apart, and near-copies of the first of these."""
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 12))
    X[:, 3] += 3 * (y == 1)
    X[:, 8] += 3 * (y == 2)
    X[:, 5] = X[:, 3] + 0.01 * rng.normal(size=45)
    return X, y


def naive_levels(X):
    mean, spread = X.mean(axis=0), X.std(axis=0)
    rows = [[1 if v > m + s else -1 if v < m - s else 0 for v, m, s in zip(x, mean, spread, strict=True)] for x in X]
    return np.array(rows)


def naive_mrmr(X, y, n_features, quotient):
    levels, chosen = naive_levels(X), []
    while len(chosen) < n_features:
        merits = {}
        for column in set(range(X.shape[1])) - set(chosen):
            relevance = mutual_info_score(y, levels[:, column])
            shared = [mutual_info_score(levels[:, column], levels[:, other]) for other in chosen]
            mean = np.mean(shared) if shared else 0.0
            merits[column] = relevance if not shared else relevance / mean if quotient else relevance - mean
        chosen.append(max(merits, key=merits.get))
    return chosen


@pytest.mark.parametrize("quotient", [False, True])
def test_mrmr_is_its_definition(baselines, table, quotient):
    X, y = table
    np.testing.assert_array_equal(baselines.mrmr(X, y, 8, quotient=quotient), naive_mrmr(X, y, 8, quotient))


def test_mrmr_passes_over_a_copy(baselines, table):
    first = baselines.mrmr(*table, 3)
    assert 8 in first
    assert len({3, 5} & set(first)) == 1
    assert sorted(baselines.mrmr(*table, 99)) == list(range(12))


def naive_arom(X, y, rounds, gone):
    """All scales kept, one primal weight vector per class; the round in which a feature went, then its scale."""
    scales, left, last = np.ones(X.shape[1]), np.full(X.shape[1], rounds), np.ones(X.shape[1])
    for number in range(rounds):
        Z = X * scales
        Z /= np.sqrt(np.mean(np.sum(Z**2, axis=1)))
        sizes = [np.abs(SVC(kernel="linear", C=1e3).fit(Z, y == label).coef_[0]) for label in np.unique(y)]
        scales = scales * np.sum(sizes, axis=0)
        scales /= scales.max()
        last = np.where(left == rounds, scales, last)
        left[(left == rounds) & (scales <= gone)] = number
        scales[scales <= gone] = 0.0
    return np.lexsort((-last, -left)), np.sum(left == rounds)


def test_arom_is_its_definition(baselines, table, monkeypatch):
    monkeypatch.setattr(baselines, "GONE", 0.3)
    X, y = table
    order, kept = baselines.arom_order(X, y, rounds=5)
    naive, stayed = naive_arom(X, y, 5, 0.3)
    np.testing.assert_array_equal(order, naive)
    assert kept == stayed < 12


def test_arom_settles_on_few_features(baselines, rng):
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 30))
    X[:, 4] += 12 * y
    order = baselines.arom_svm(X, y, 30)
    assert order[0] == 4
    assert sorted(order) == list(range(30))
    np.testing.assert_array_equal(baselines.arom_svm(X, y, 3), order[:3])


@pytest.fixture
def kept_trials(paper, monkeypatch, tmp_path):
    """`run_trials` on a module of its own, which counts how often each trial was made."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "numbers.py").write_text("FACTOR = 2\n")
    source = tmp_path / "toy_trials.py"
    source.write_text(
        "from pathlib import Path\nimport numbers as n\n\n"
        "def trial(name, seed):\n"
        "    with open(Path(__file__).with_name('made'), 'a') as file:\n        file.write(f'{name}{seed} ')\n"
        "    if name == 'bad':\n        raise ValueError('stopped')\n"
        "    return {'value': (0.1 * seed, name)}\n"  # a tuple: JSON keeps a list
    )
    monkeypatch.delitem(sys.modules, "toy_trials", raising=False)
    toy = importlib.import_module("toy_trials")
    module = paper("trials")
    monkeypatch.setattr(module, "cpu_count", lambda: 1)  # in this process
    yield lambda keys: module.run_trials(toy.trial, keys, folder=tmp_path / "kept"), tmp_path
    sys.modules.pop("toy_trials", None)


def test_a_stopped_run_goes_on_where_it_was(kept_trials, capsys):
    run, folder = kept_trials
    with pytest.raises(ValueError, match="stopped"):
        run([("a", 1), ("bad", 0), ("a", 2)])
    found = run([("a", 1), ("a", 2), ("a", 1)])
    assert found.values == {("a", 1): {"value": [0.1, "a"]}, ("a", 2): {"value": [0.2, "a"]}}
    assert found.seconds > 0
    made = (folder / "made").read_text().split()
    assert sorted(made) == ["a1", "a2", "bad0"]
    assert "toy: 1 of 2 trials are kept from an earlier run" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["toy_trials.py", "numbers.py"])
def test_a_trial_is_made_again_after_a_change(kept_trials, file):
    run, folder = kept_trials
    run([("a", 3)])
    run([("a", 3)])
    assert (folder / "made").read_text().split() == ["a3"]
    (folder / file).write_text((folder / file).read_text() + "\n# changed\n")
    run([("a", 3)])
    assert (folder / "made").read_text().split() == ["a3", "a3"]


@pytest.mark.parametrize("what", ["COMPUTING", "DATA"])
def test_other_versions_and_other_data_make_other_trials(kept_trials, monkeypatch, what):
    run, folder = kept_trials
    module = importlib.import_module("trials")
    run([("a", 3)])
    if what == "COMPUTING":
        monkeypatch.setattr(module, "version", lambda name: "0.0")
    else:
        (folder / "data").mkdir()
        (folder / "data" / "table.csv").write_text("a,b")
        monkeypatch.setattr(module, "DATA", folder / "data")
    run([("a", 3)])
    assert (folder / "made").read_text().split() == ["a3", "a3"]


def test_rooms_that_only_speak_are_no_part_of_a_trial(paper):
    rooms = {path.relative_to(paper("trials").LIBRARY).parts[0] for path in paper("trials").computing_files()}
    assert {"criteria", "graph", "similarity", "selectors", "_eigen.py"} < rooms
    assert not {"cli", "reporting"} & rooms
    asked = "from eigenselect.cli", "from eigenselect.reporting", "import plot", "plot_"
    for path in PAPERS.glob("*_trials.py"):
        assert not [words for words in asked if words in path.read_text(encoding="utf-8")], path.name


def test_fresh_seeds_are_beyond_those_that_were_chosen_on(paper):
    seeds = paper("trials").fresh_seeds(3)
    assert list(seeds) == [2000, 2001, 2002]
    assert paper("trials").span(seeds) == "seeds 2000 to 2002"


def test_a_trial_cut_short_in_its_file_is_made_again(kept_trials):
    run, folder = kept_trials
    run([("a", 4)])
    kept = folder / "kept" / "toy" / "a-4.json"
    kept.write_text(kept.read_text()[:-5])
    assert run([("a", 4)]).values == {("a", 4): {"value": [0.4, "a"]}}


@pytest.mark.parametrize("file", sorted(path.name for path in PAPERS.glob("*_trials.py")))
def test_the_first_page_is_no_part_of_a_trial(kept_trials, file):
    made_of = {path.name for path in importlib.import_module("trials")._with_imports(PAPERS / file)}
    assert file in made_of
    assert "summary.py" not in made_of


@pytest.fixture
def summary(paper):
    return paper("summary")


def test_a_comparison_counts_the_cells_of_same_sized_data(summary):
    published, measured = [[0.5, 0.6], [0.7, 0.9]], [[0.4, 0.6], [1.0, 0.8]]
    table = summary.Comparison.of("T", published, measured, [[True, True], [False, False]])
    assert (table.cells, table.same_sized_cells) == (4, 2)
    assert table.difference == pytest.approx(0.5 / 4)
    assert table.same_sized_difference == pytest.approx(0.05)
    assert table.rank_correlation == pytest.approx(0.8)


def test_a_verdict_is_plain_and_none_stays_none(summary):
    verdicts = [summary.Claim("", "", holds, "").holds for holds in (np.True_, np.False_, True, None)]
    assert [type(holds) for holds in verdicts] == [bool, bool, bool, type(None)]
    assert verdicts[:2] == [True, False]


def test_the_standard_error_is_that_of_the_mean(summary):
    assert summary.standard_error([1.0, 2.0, 3.0]) == pytest.approx(1 / np.sqrt(3))
    assert summary.standard_error([4.0]) == 0.0


def test_the_first_page_is_made_of_the_summaries(summary):
    found = {name: one for name in summary.SCRIPTS if (one := summary.read_summary(name)) is not None}
    if not found:
        pytest.skip("no paper has a summary yet")
    assert summary.FIRST_PAGE.written() == summary.first_page(found).strip()
    for one in found.values():
        assert (PAPERS.parent / "docs" / "images" / one.picture).is_file()
        count = summary.counted(one.claims)
        assert sum(count.values()) == len(one.claims)
