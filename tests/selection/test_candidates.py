"""Features by name or column number, and the order in which a rule sees them."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.selection.candidates import Candidates, Forced, as_features

NAMES = np.array(["age", "dose", "gene", "dose"], dtype=object)


def forced(must_keep=(), never=(), names=NAMES):
    found = Forced.of(must_keep, never, 4, names, "SPEC")
    return found.kept.tolist(), found.left_out.tolist()


class TestForced:
    @pytest.mark.parametrize(
        ("wanted", "columns"),
        [
            ((), []),
            (["gene"], [2]),
            ("gene", [2]),
            (3, [3]),
            ([3, 0, 3], [0, 3]),
            (np.array([2, 1]), [1, 2]),
            ({"gene", 0}, [0, 2]),
            (pd.Index(["gene", "age"]), [0, 2]),
            ([np.str_("age")], [0]),
            (range(2), [0, 1]),
            (["dose"], [1, 3]),  # several probes of one gene
        ],
    )
    def test_ways_to_name_features(self, wanted, columns):
        assert forced(must_keep=wanted) == (columns, [])
        assert forced(never=wanted) == ([], columns)

    def test_numbers_are_columns_also_where_names_are_numbers(self):
        assert forced([1], [3], names=[3, 2, 1, 0]) == ([1], [3])

    @pytest.mark.parametrize("names", [None, pd.RangeIndex(4)])
    def test_without_names_only_columns(self, names):
        assert forced([1], names=names) == ([1], [])
        says = r"^SPEC: must_keep must hold column numbers, because the 4 features of X have no names, got 'age'; give"
        with pytest.raises(ValueError, match=says):
            forced(["age"], names=names)

    @pytest.mark.parametrize(
        ("lists", "says"),
        [
            ({"never": ["aeg"]}, r"SPEC: never must hold names of features of X \('age', 'dose', 'gene'\).*'aeg'\."),
            ({"must_keep": [4]}, r"SPEC: must_keep must hold column numbers from 0 to 3, got 4; the first is 0\."),
            ({"must_keep": [9]}, r"SPEC: must_keep must hold column numbers from 0 to 3, got 9; the first is 0\."),
            ({"must_keep": [-1]}, "from 0 to 3, got -1"),
            ({"must_keep": 1.5}, "SPEC: must_keep must be a list of feature names or column numbers, got 1.5"),
            ({"must_keep": None}, "must be a list of feature names or column numbers, got None"),
            ({"never": iter(["a"])}, "never must be a list of feature names or column numbers, got <list_iterator"),
            ({"never": [1.0]}, "SPEC: never must hold feature names or column numbers, got 1.0 among them"),
            ({"never": [True]}, "got True among them"),
            ({"never": np.array([True, False])}, "got np.True_ among them"),
            ({"must_keep": ["age", 2], "never": [0]}, "SPEC: must_keep and never must not .*'age' in both; take it"),
            ({"must_keep": ["dose"], "never": ["dose"]}, "got 'dose', 'dose' in both; take them out of one"),
        ],
    )  # fmt: skip
    def test_one_sentence_for_bad_lists(self, lists, says):
        with pytest.raises(ValueError, match=says):
            forced(**lists)

    def test_a_column_without_a_name_is_told_by_its_number(self):
        with pytest.raises(ValueError, match="got 2 in both"):
            forced([1, 2], [2], names=None)


def test_one_feature_is_a_list_of_one():
    assert as_features("age", "SPEC") == ["age"]
    assert as_features(np.int64(3), "SPEC") == [3]


class TestCandidates:
    KNOWN = Candidates("SPEC", np.array([0.1, np.nan, 0.9, 0.5]), np.array([3, 4, 1, 2]), 20)

    def test_best_first_among_the_allowed(self):
        allowed = np.array([True, True, False, True])
        assert self.KNOWN.best_first(allowed).tolist() == [3, 0, 1]

    def test_the_last_may_not_be_selectable(self):
        known = Candidates("SPEC", self.KNOWN.scores, self.KNOWN.ranking, 20, n_selectable=3)
        assert known.best_first(np.ones(4, dtype=bool)).tolist() == [2, 3, 0]

    def test_masks(self):
        assert self.KNOWN.mask(np.array([2, 0])).tolist() == [True, False, True, False]
