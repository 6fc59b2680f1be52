"""Parameters are refused with one sentence: who, what was expected, what was got, what to do."""

import re

import numpy as np
import pytest

from eigenselect._checks import bandwidth, choice, neighbors, number, share, whole, whole_or_none


@pytest.mark.parametrize("value", [1, np.int64(3), 7])
def test_integers(value):
    found = whole(value, "k", "f", low=1, high=7)
    assert (found, type(found)) == (value, int)
    assert whole_or_none(value, "k", "f") == value


@pytest.mark.parametrize("value", [0, -1, True, np.True_, 2.0, "2", None, np.nan])
def test_what_is_no_positive_integer(value):
    with pytest.raises(ValueError) as error:
        whole(value, "n_neighbors", "ReliefF")
    assert str(error.value) == f"ReliefF: n_neighbors must be a positive integer, got {value!r}."


def test_ranges_of_integers_in_words():
    with pytest.raises(ValueError, match=r"^f: k must be an integer of at least 2, got 1\.$"):
        whole(1, "k", "f", low=2)
    with pytest.raises(ValueError, match=r"^f: k must be an integer from 1 to 9, got 10; lower it\.$"):
        whole(10, "k", "f", high=9, advice="lower it")
    with pytest.raises(ValueError, match=r"^f: k must be a positive integer or None, got 0\.$"):
        whole_or_none(0, "k", "f")
    assert whole_or_none(None, "k", "f") is None


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, True, "1", None])
def test_what_is_no_positive_number(value):
    with pytest.raises(ValueError, match=r"^Diffusion: beta must be a positive number, got "):
        number(value, "beta", "Diffusion")
    assert number(np.float32(0.5), "beta", "Diffusion") == 0.5


def test_a_limit_may_be_allowed_itself():
    assert number(1, "power", "f", low=1, closed=True) == 1.0
    with pytest.raises(ValueError, match=r"^f: power must be a number of at least 1, got 0.5; square it\.$"):
        number(0.5, "power", "f", low=1, closed=True, expected="a number of at least 1", advice="square it")


@pytest.mark.parametrize(
    ("zero", "one", "words"),
    [
        (True, True, "a number from 0 to 1"),
        (False, True, "a number above 0 and up to 1"),
        (True, False, "a number from 0 to below 1"),
        (False, False, "a number between 0 and 1"),
    ],
)
def test_shares_with_and_without_their_ends(zero, one, words):
    for value, allowed in ((0, zero), (1, one), (0.5, True), (-0.1, False), (1.1, False), (np.nan, False)):
        if allowed:
            assert share(value, "t", "f", zero=zero, one=one) == value
        else:
            with pytest.raises(ValueError) as error:
                share(value, "t", "f", zero=zero, one=one)
            assert str(error.value) == f"f: t must be {words}, got {value!r}."


def test_choices():
    assert choice("phi1", "ranking", "SPEC", ("phi1", "phi2", "phi3")) == "phi1"
    with pytest.raises(ValueError, match=r"^ReliefF: difference must be 'absolute' or 'squared', got 7\.$"):
        choice(7, "difference", "ReliefF", ("absolute", "squared"))
    with pytest.raises(ValueError, match=r"^f: a must be one of 'x', 'y', 'z', got \['x'\]; say which\.$"):
        choice(["x"], "a", "f", ("x", "y", "z"), advice="say which")


def test_numbers_of_neighbours():
    assert neighbors(np.int64(19), "KNN", 20) == 19
    with pytest.raises(TypeError, match=r"^KNN: n_neighbors must be an integer, got 2\.5\.$"):
        neighbors(2.5, "KNN", 20)
    with pytest.raises(ValueError, match=r"^KNN: n_neighbors must be between 1 and n_samples - 1 = 19, got 20; lower"):
        neighbors(20, "KNN", 20)


def test_choices_beside_names():
    assert choice(None, "scale", "f", ("unit",), none=True) is None
    with pytest.raises(ValueError, match=r"^f: scale must be 'unit' or None or a matrix, got 3\.$"):
        choice(3, "scale", "f", ("unit",), none=True, other="a matrix")


@pytest.mark.parametrize("good", ["median", "self-tuning", 1, 0.5, np.float32(2)])
def test_good_bandwidths(good):
    bandwidth(good, "RBF")


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, np.nan, "mean", None, True, [1.0]])
def test_bad_bandwidths_name_the_owner_and_the_value(bad):
    with pytest.raises(ValueError, match=rf"^RBF: bandwidth must be .*, got {re.escape(repr(bad))}\.$"):
        bandwidth(bad, "RBF")
