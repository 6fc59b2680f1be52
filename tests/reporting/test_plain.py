"""Whatever a parameter is given as, it becomes plain values, and text that is the same in every run."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting.plain import described, plain_values


def is_plain(value):
    """By type, not by isinstance: numpy's float64 is a float, too."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(item) for key, item in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def rule(values):
    return values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int32(7), 7),
        (np.float32(0.25), 0.25),
        (np.bool_(True), True),
        (np.str_("knn"), "knn"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ((1, np.int8(2), (np.float64(3),)), [1, 2, [3.0]]),
        ({np.int64(1): {"a": frozenset({np.int64(2)})}}, {"1": {"a": [2]}}),
        (rule, "rule"),
        (es.similarity.KNN(np.int64(5)), "KNN(n_neighbors=5)"),
        (None, None),
    ],
)
def test_every_kind_of_value_becomes_plain(value, expected):
    found = plain_values(value)
    assert found == expected
    assert is_plain(found)


def test_a_parameter_reads_like_its_call():
    assert described(np.array([1.0, 2.0])) == "ndarray of shape (2,)"
    assert described(("a", np.int64(3))) == "('a', 3)"
    nested = es.KOGS(rankers=[(None, es.FisherScore(np.int64(3)))])
    assert described(nested) == "KOGS(rankers=[(None, FisherScore(n_features_to_select=3))])"
