"""What ``eigenselect methods`` prints is the table; `tests/criteria/test_table.py` holds the table to the code."""

import json
import re

import numpy as np
import pytest

import eigenselect
from eigenselect.criteria.table import METHODS
from rows import fitted

#: what a sample graph says of itself, for each word of the column; its first word is the default
GRAPHS = {
    "kNN, RBF weights": {"similarity": "KNN", "weight": "rbf"},
    "kNN with RBF weights": {"similarity": "KNN", "weight": "rbf"},
    "RBF": {"similarity": "RBF"},
    "linear": {"similarity": "Linear"},
    "class labels": {"similarity": "ClassLabels", "n_classes": 2},
    "near hits and misses": {"similarity": "hits and misses"},
    "target kernel": {"similarity": "ClassLabels"},
    "within / between classes": {"similarity": "ClassLabels", "n_classes": 2},
    "none": {"similarity": "none"},
}
NAMES = {"kNN, RBF weights": "knn", "kNN with RBF weights": "knn", "RBF": "rbf", "linear": "linear", "any": "any"}
ROWS = pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)


@pytest.fixture
def printed(call):
    """The columns of the printed table, by method."""
    header, rule, *lines = call("methods")[1].splitlines()
    starts = [found.start() for found in re.finditer("─+", rule)]
    names = re.split(r" {2,}", header)
    rows = {}
    for line in lines[: len(METHODS)]:
        line = re.sub("[\u0300-\u036f]", "", line)  # accents take no room
        ends = [*starts[1:], None]
        cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        rows[cells[0]] = dict(zip(names, cells, strict=True))
    assert list(rows) == [row.name for row in METHODS]
    return rows


@ROWS
def test_the_row_is_what_is_printed(row, printed):
    cells = printed[row.name]
    assert (cells["similarity"], cells["good is"], cells["labels"], cells["in Python"]) == (
        row.similarity, row.direction, row.supervision, row.call()
    )  # fmt: skip
    assert (cells["Ŝ"], cells["f̂"]) == tuple(
        re.sub("[\u0300-\u036f]", "", text) for text in (row.matrix, row.normalization)
    )


@ROWS
def test_the_similarity_in_words_is_the_one_of_the_row(row, printed):
    default, *others = printed[row.name]["similarity"].split("; ")
    selector = fitted(row)
    if row.name == "kogs":
        assert default == "one per ranker"
        assert len(selector.rankings_) == 2
    elif row.name == "msfs":
        assert default == "Σ θᵢSᵢ, one per knowledge source"
        assert len(selector.similarities_) == len(selector.weights_) == 2
    elif default != "any":
        assert selector.graph_.description.items() >= GRAPHS[default].items()
    for other in others:
        if other in GRAPHS:
            description = fitted(row, similarity=NAMES[other]).graph_.description
            assert description.items() >= GRAPHS[other].items()
    if default in NAMES and default != "any":
        assert [NAMES[word] for word in (default, *others)] == list(row.similarities)
    assert ("any" in (default, *others)) == takes_cosine(row, selector) == ("any" in row.similarities)


def takes_cosine(row, default):
    """Whether a similarity that no row names has a part in the scores; others refuse it, or have no use for it."""
    try:
        other = fitted(row, similarity="cosine")
    except (TypeError, ValueError):
        return False
    return not np.array_equal(other.scores_, default.scores_)


@ROWS
def test_what_is_printed_for_python_makes_that_method(row, printed):
    made = eval(printed[row.name]["in Python"], vars(eigenselect) | {row.selector: row.selector_class()})
    assert type(made).__name__ == row.selector
    assert made.get_params().items() >= row.parameters.items()


@ROWS
def test_below_the_table(row, call):
    out = call("methods")[1]
    width = max(len(other.name) for other in METHODS)  # summaries stand below each other
    assert f"{row.name:<{width}}  {row.summary}\n{'':<{width}}  {row.reference}" in out
    if not row.has_quadratic_form:
        assert f"{row.name} {row.instead}" in out.split("Not one such form: ")[1].splitlines()[0]


def test_json(call):
    listed = json.loads(call("methods", "--json")[1])
    assert listed == json.loads(json.dumps([row.as_dict() for row in METHODS]))


def test_on_a_terminal_no_line_of_a_table_is_broken(call, monkeypatch):
    """The table needs over 200 columns: on a narrower terminal every method is a list of its own."""
    whole = call("methods")[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    lines = call("methods")[1].splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("fisher "))
    assert "in Python: FisherScore()" in [line.strip() for line in lines[place : place + 10]]
    assert {line.split("  ")[0] for line in lines if line[:1].isalpha()} >= {row.name for row in METHODS}
    monkeypatch.setenv("COLUMNS", "400")
    assert call("methods")[1] == whole
