"""Samples and features are matched by name where names exist, and by place elsewhere."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from eigenselect.matrix import as_matrix
from eigenselect.multisource.target import MISSING, AxisNames, Target, check_overlap, positions


def named(*values):
    return AxisNames.of(values, None, len(values))


class TestNames:
    @pytest.mark.parametrize(
        ("index", "kind"),
        [
            (None, "none"),
            (pd.RangeIndex(3), "counting"),
            (pd.RangeIndex(1, 4), "given"),
            (pd.RangeIndex(0, 6, 2), "given"),
            (pd.Index([2, 0, 1]), "given"),
            (pd.Index(["a", "b", "c"]), "given"),
            pytest.param([].index, "none", id="a list's index is a method"),
        ],
        ids=str,
    )
    def test_only_names_that_somebody_gave_count(self, index, kind):
        names = AxisNames.of(None, index, 3)
        assert names.kind == kind
        assert (names.given is None) == (kind != "given")

    @pytest.mark.parametrize("table", [np.zeros((2, 3)), sparse.csr_array((2, 3)), np.zeros((2, 3)).tolist()])
    def test_tables_without_names(self, table):
        target = Target.of(as_matrix(table), None, "MSFS")
        assert (target.samples.kind, target.samples.total) == ("none", 2)
        assert (target.features.kind, target.features.total) == ("none", 3)

    def test_a_checked_table_keeps_its_names(self):
        target = Target.of(as_matrix(np.zeros((2, 2)), sample_names=["r", "s"], feature_names=["a", "b"]), None, "MSFS")
        assert (target.samples.kind, target.features.values.tolist()) == ("given", ["a", "b"])
        assert target.X.list_samples([1]) == "'s'"

    def test_a_range_that_does_not_start_at_0_names_samples_in_messages(self):
        frame = pd.DataFrame(np.zeros((2, 3)), index=pd.RangeIndex(5, 7))
        target = Target.of(as_matrix(frame), None, "MSFS")
        assert (target.samples.kind, target.X.list_samples([1])) == ("given", "6")
        assert (target.features.kind, target.X.list_features([1])) == ("counting", "column 1")

    def test_some_of_them_remember_where_they_were(self):
        some = named("a", "b", "c").take(np.array([2, 0])).take(np.array([1]))
        assert (some.values.tolist(), some.places.tolist(), some.total) == (["a"], [0], 3)


class TestPositions:
    @given(st.permutations(list("abcdefg")), st.permutations(list("abcdefg")), st.integers(1, 7), st.integers(1, 7))
    def test_every_name_is_found_where_it_stands(self, wanted, available, some, others):
        found = positions(named(*wanted[:some]), named(*available[:others]), "Source", "sample")
        for name, place in zip(wanted[:some], found, strict=True):
            assert (name not in available[:others]) if place == MISSING else (available[place] == name)

    def test_a_name_may_be_wanted_twice_but_stands_once(self):
        np.testing.assert_array_equal(positions(named("g", "h", "g"), named("h", "g"), "Source", "feature"), [1, 0, 1])
        with pytest.raises(ValueError, match=r"feature names must be unique, but 1 occur .* \(the first is 'g'\)"):
            positions(named("g"), named("g", "g"), "Source", "feature")

    def test_without_names_by_place(self):
        wanted = AxisNames.of(None, None, 4).take(np.array([3, 1]))
        np.testing.assert_array_equal(positions(wanted, AxisNames.of(None, None, 4), "Source", "sample"), [3, 1])
        np.testing.assert_array_equal(positions(wanted, named(*"wxyz"), "Source", "sample"), [3, 1])

    @pytest.mark.parametrize(
        ("wanted", "available", "unnamed"),
        [
            (named("a", "b"), AxisNames.of(None, None, 3), "source"),
            (AxisNames.of(None, None, 2), named(*"abc"), "target"),
        ],
    )
    def test_numbers_that_differ_need_names(self, wanted, available, unnamed):
        with pytest.raises(
            ValueError, match=f"Source: has 3 samples, the target 2, and the {unnamed} has no sample names"
        ):
            positions(wanted, available, "Source", "sample")

    def test_a_shuffled_frame_goes_by_the_numbers_of_its_index(self):
        counting = AxisNames.of(None, pd.RangeIndex(4), 4)
        shuffled = AxisNames.of(None, pd.Index([2, 0, 3, 1]), 4)
        np.testing.assert_array_equal(positions(counting, shuffled, "Source", "sample"), [1, 3, 0, 2])
        np.testing.assert_array_equal(positions(shuffled, counting, "Source", "sample"), [2, 0, 3, 1])
        beyond = AxisNames.of(None, pd.Index([10, 20, 30, 40]), 4)  # no numbers of rows: names that say nothing here
        np.testing.assert_array_equal(positions(counting, beyond, "Source", "sample"), [0, 1, 2, 3])

    def test_names_that_do_not_fit_their_table(self):
        with pytest.raises(ValueError, match="Source: got 2 sample names for 5 samples"):
            positions(named("a"), AxisNames.of(["a", "b"], None, 5), "Source", "sample")


def test_no_name_in_common_is_refused():
    with pytest.raises(ValueError, match="Source: none of the target's 2 sample names is in the source"):
        check_overlap(np.array([MISSING, MISSING]), "Source", "sample")
    check_overlap(np.array([MISSING, 0]), "Source", "sample")
    check_overlap(np.array([], dtype=int), "Source", "sample")


class TestTarget:
    def test_rows_and_columns_keep_what_belongs_together(self, target, samples, genes):
        rows, columns = np.array([7, 2, 5]), np.array([8, 0])
        some = target.rows(rows).columns(columns)
        np.testing.assert_array_equal(some.X.to_array(), target.X.to_array()[np.ix_(rows, columns)])
        np.testing.assert_array_equal(some.y, rows % 3)
        assert some.samples.values.tolist() == samples[rows].tolist()
        assert some.features.values.tolist() == genes[columns].tolist()
        assert (some.n_samples, some.n_features) == (3, 2)

    def test_all_rows_are_the_target_itself(self, target):
        assert target.rows(np.arange(12)) is target
        assert target.rows(np.arange(12)[::-1]) is not target

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"y": [0, 1]}, "got 2 labels for 3 samples"),
            ({"sample_names": ["a"]}, "got 1 sample names for 3 samples"),
            ({"feature_names": ["a"]}, "got 1 feature names for 2 features"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, change, says):
        parts = {"sample_names": list("abc"), "feature_names": ["g", "h"], **change}
        y = parts.pop("y", None)
        with pytest.raises(ValueError, match=f"MSFS: {says} of X"):
            Target.of(as_matrix(np.zeros((3, 2)), **parts), y, "MSFS")
