"""Habits of programs that keep equal names apart."""

import pytest

from eigenselect.io.near_misses import near_miss


@pytest.mark.parametrize(
    ("name", "other", "what"),
    [
        ("s1 ", "s1", "blanks at the ends"),
        ("s1", '"s1"', "quotation marks"),
        ("S1", "s1", "upper and lower case"),
        ("7", "007", "zeros at the beginning"),
        ("X1.day", "1-day", "what R makes of names"),
        ("a-b c", "a.b.c", "what R makes of names"),
        ("ENSG00000141510", "ENSG00000141510.12", "a number at the end"),
        ("ACGT-1", "ACGT", "a number at the end"),
    ],
)
def test_each_habit_is_named_from_either_side(name, other, what):
    assert near_miss([name, "z"], ["y", other]) == f", of which 1 differs by {what} only ({name!r} and {other!r})"
    assert near_miss([other], [name]) == f", of which 1 differs by {what} only ({other!r} and {name!r})"


def test_names_that_differ_otherwise_are_no_near_miss():
    assert near_miss(["alpha", "beta"], ["gamma", "delta"]) == ""
    assert near_miss([], ["a"]) == ""
