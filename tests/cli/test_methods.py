"""What ``eigenselect methods`` prints is what the methods do: direction and similarity, row by row."""

import re
import warnings

import numpy as np
import pytest

import eigenselect
from eigenselect.criteria.table import METHODS
from eigenselect.multisource import FeatureSet, TargetData

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
}
NAMES = {"kNN, RBF weights": "knn", "kNN with RBF weights": "knn", "RBF": "rbf", "linear": "linear"}
PARTS = {
    "msfs": {"sources": [("all", TargetData("rbf")), ("two", FeatureSet([0, 2], "rbf"))]},
    "kogs": {"rankers": [(None, eigenselect.FisherScore()), (None, eigenselect.LaplacianScore())]},
}
ROWS = pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)


@pytest.fixture(scope="module")
def data():
    """Two clusters that are the classes; the features follow them less and less, and none is first by its place."""
    rng = np.random.default_rng(11)
    y = np.arange(60) % 2
    strengths = np.array([0.5, 2.0, 6.0, 1.0, 0.0])
    return np.abs(y[:, None] * strengths + rng.normal(size=(60, 5)) + 9), y


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


def fitted(row, data, **parameters):
    selector = getattr(eigenselect, row.selector)(**row.parameters, **PARTS.get(row.name, {}), **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(*data)


@ROWS
def test_good_is_what_is_printed(row, data, printed):
    """Native scores run from good to bad, in the printed direction, over the features that the method orders."""
    selector = fitted(row, data)
    best_first = np.argsort(selector.ranking_)
    assert best_first[0] == 2  # the strongest feature: ranking and direction cannot both be turned round
    native = selector.native_scores_[best_first]
    steps = np.diff(native[np.isfinite(native)])
    direction = {"small": 1, "large": -1}[printed[row.name]["good is"]]
    assert (direction * steps >= 0).all()
    assert direction * (native[1] - native[0]) > 0
    assert printed[row.name]["good is"] == row.direction


@ROWS
def test_the_similarity_is_what_is_printed(row, data, printed):
    default, *others = printed[row.name]["similarity"].split("; ")
    selector = fitted(row, data)
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
            description = fitted(row, data, similarity=NAMES[other]).graph_.description
            assert description.items() >= GRAPHS[other].items()
    assert ("any" in (default, *others)) == takes_cosine(row, data, selector)


def takes_cosine(row, data, default):
    """Whether a similarity that no row names has a part in the scores; others refuse it, or have no use for it."""
    try:
        other = fitted(row, data, similarity="cosine")
    except (TypeError, ValueError):
        return False
    return not np.array_equal(other.scores_, default.scores_)


@ROWS
def test_labels_are_needed_where_it_says_so(row, data, printed):
    needed = printed[row.name]["labels"].startswith("needed")
    X, y = data
    if needed:
        with pytest.raises(ValueError, match="y"):
            fitted(row, (X, None))
    elif row.name != "kogs":  # as its rankers
        fitted(row, (X, None))
    if printed[row.name]["labels"] == "none":
        np.testing.assert_array_equal(fitted(row, (X, y)).scores_, fitted(row, (X, 1 - y)).scores_)
        np.testing.assert_array_equal(fitted(row, (X, y)).scores_, fitted(row, (X, None)).scores_)


@ROWS
def test_what_is_printed_for_python_makes_that_method(row, data, printed):
    made = eval(printed[row.name]["in Python"], vars(eigenselect) | {row.selector: getattr(eigenselect, row.selector)})
    assert type(made).__name__ == row.selector
    assert made.get_params().items() >= row.parameters.items()
