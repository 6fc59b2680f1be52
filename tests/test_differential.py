"""Two checkouts compared by random public calls: equal code gives no difference, and a small change is noticed."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("differential")


def array(*numbers):
    return {"shape": [len(numbers)], "type": "f", "numbers": [*numbers]}


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ({"scores_": array(0.5, float("nan"))}, {"scores_": array(0.5 * (1 + 1e-12), float("nan"))}, 0),
        ({"scores_": array(0.5, 1.0)}, {"scores_": array(0.5 * (1 + 1e-8), 1.0)}, 1),
        ({"scores_": array(0.5, float("inf"))}, {"scores_": array(0.5, 2.0)}, 1),
        ({"pvalues_": array(1e-30, 1.0)}, {"pvalues_": array(1.1e-30, 1.0)}, 1),
        ({"files": {"out.csv": {"rank": array(1.0, 2.0)}}}, {"files": {"out.csv": {"rank": array(2.0, 1.0)}}}, 1),
        ({"parameters": {"n_neighbors": 10}}, {"parameters": {"n_neighbors": 9}}, 1),
        ({"exit code": 0, "said": "done"}, {"exit code": 1, "said": "failed"}, 1),
        ({"error": "ValueError"}, {"error": None}, 1),
        ({"note": "3 features of 12"}, {"note": "of 12 features, 3"}, 0),
    ],
)
def test_what_counts_as_a_difference(tool, old, new, count):
    assert len(list(tool.differences(old, new))) == count


@pytest.mark.slow
def test_the_same_checkout_does_not_differ_from_itself(tool, tmp_path):
    numbers = [*range(8)]
    old, new = tool.run({tmp_path / "old": ROOT, tmp_path / "new": ROOT}, seed=0, numbers=numbers, jobs=1)
    assert sorted(old) == sorted(new) == numbers
    assert all(not list(tool.differences(old[number], new[number])) for number in old)
    assert any(row["value"] for row in old.values())
