"""Names in messages are those of the table in hand."""

import numpy as np
import pandas as pd
import polars as pl

from eigenselect._names import feature_label, frame_names, listed, named, named_by, sample_label


def test_names_hold_for_a_call_and_nest():
    assert feature_label(1, 2) == "column 1"
    with named(["a", "b"], np.array(["s", "t", "u"])):
        assert feature_label(1, 2) == "'b'"
        assert sample_label(2, 3) == "'u'"
        with named(["c", "d"]):
            assert feature_label(1, 2) == "'d'"
            assert sample_label(2, 3) == "row 2"
        assert feature_label(0, 2) == "'a'"
    assert sample_label(2, 3) == "row 2"


def test_names_of_another_table_are_not_used():
    with named(["a", "b"]):
        assert feature_label(1, 5) == "column 1"


def test_a_frame_brings_its_own_names_and_keeps_those_it_has_not():
    frame = pd.DataFrame(np.zeros((2, 2)), columns=["a", "b"])
    with named(None, ["s", "t"]), named_by(frame):
        assert (feature_label(0, 2), sample_label(1, 2)) == ("'a'", "'t'")
    with named(["x", "y"]), named_by(np.zeros((2, 2))):
        assert feature_label(1, 2) == "'y'"


def test_what_has_names():
    assert frame_names(pd.DataFrame(np.zeros((1, 2)))) == (None, None)
    assert frame_names(pd.DataFrame(np.zeros((1, 1)), ["s"], [7])) == ([7], ["s"])
    assert frame_names(pl.DataFrame({"a": [1.0]})) == (["a"], None)
    assert frame_names([[1.0]]) == (None, None)


def test_lists_are_cut():
    assert listed(["a", "b", "c", "d"]) == "a, b, c, d"
    assert listed(list("abcdefg")) == "a, b, c and 4 more"
