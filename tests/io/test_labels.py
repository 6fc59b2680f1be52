"""Labels are names unless they are numbers letter by letter."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.exceptions import InputError, shown
from eigenselect.io.labels import labels_of, text_of, without_marks


def labels(*texts):
    return labels_of(np.array(texts, dtype=object), "y", "t.csv")


@pytest.mark.parametrize(
    ("texts", "expected", "kind"),
    [
        (("1", "2", "10", "-3"), [1, 2, 10, -3], "i"),
        (("1.0", "2.0"), [1, 2], "i"),
        (("1", "", "2"), [1, np.nan, 2], "f"),
        (("1.50", "2", ".25", "1e-3"), [1.5, 2, 0.25, 0.001], "f"),
        (("9007199254740992", "1"), [2.0**53, 1], "f"),
    ],
)
def test_numbers(texts, expected, kind):
    found = labels(*texts)
    assert found.dtype.kind == kind
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "texts",
    [
        ("007", "07", "7"),
        ("012", "5"),
        ("1", "1.0"),
        ("+1", "1"),
        ("-0", "0"),
        ("1e3", "1000"),
        ("9007199254740993", "9007199254740992"),
        ("nan", "1"),
        ("inf", "1.5"),
        ("1e999", "1.5"),
        ("1_0", "2"),
        (".", "1"),
        ("NA", "None"),
        ("07.5", "1.5"),
    ],
)
def test_names(texts):
    assert labels(*texts).tolist() == list(texts)


@given(st.lists(st.text("0123456789.-+e", max_size=4), min_size=1))
def test_whole_classes_that_differ_stay_different(texts):
    if not any(texts):
        return
    found = pd.Series(labels(*texts))
    assert list(found.isna()) == [text == "" for text in texts]
    measured = found.dtype.kind == "f" and (found.dropna() % 1 != 0).any()
    if not measured:
        assert found.nunique() == len(set(texts) - {""})


def test_none_at_all():
    with pytest.raises(InputError, match=r"t.csv: no sample has a value in the label column 'y'\."):
        labels("", "")


class TestMarks:
    @pytest.mark.parametrize("mark", ["NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A", "?", " NA "])
    def test_mean_that_there_is_no_label(self, mark):
        text, (note,) = without_marks(np.array(["a", mark, "b", "", mark], dtype=object), "y", "t.csv")
        assert text.tolist() == ["a", "", "b", "", ""]
        assert note == f"2 samples have no label ({mark!r}); --na-is-class takes it for a class"

    def test_nothing_is_made_of_other_labels(self):
        text = np.array(["a", "", "1", "-1", "0", "-"], dtype=object)
        assert without_marks(text, "y", "t.csv") == (text, [])

    def test_the_other_of_two_classes_is_not_decided(self):
        with pytest.raises(InputError, match=r"'y' has one class, 'drug', as 'None' means .* use --na-is-class if"):
            without_marks(np.array(["drug", "None", "drug"], dtype=object), "y", "t.csv")

    def test_one_class_of_marks_alone_is_none_with_any_option(self):
        with pytest.raises(
            InputError, match=r"no sample has a value in the label column 'y', as 'NA' means .* none\.$"
        ):
            without_marks(np.array(["NA", "", "NA"], dtype=object), "y", "t.csv")

    @pytest.mark.parametrize("numbers", [["1.5", "2", "2"], ["10", "17", "23"]])
    def test_measurements_have_no_class_called_so(self, numbers):
        """Taking NA for a class would make a class of each number, so it is not offered."""
        _, (note,) = without_marks(np.array([*numbers, "NA"], dtype=object), "y", "t.csv")
        assert note == "1 sample has no label ('NA')"

    def test_several_marks(self):
        _, (note,) = without_marks(np.array(["0", "1", "NA", "?", "1"], dtype=object), "y", "t.csv")
        assert note == "2 samples have no label ('NA', '?'); --na-is-class takes them for classes"
        with pytest.raises(InputError, match=r"'NA', '\?' mean that .* use --na-is-class if they are names of classes"):
            without_marks(np.array(["1", "NA", "?", "1"], dtype=object), "y", "t.csv")

    def test_other_names_are_noted(self):
        text = np.array(["a", "none", "Na", "NA", "none"], dtype=object)
        _, (_, note) = without_marks(text, "y", "t.csv")
        assert note == "'none', 'Na' is taken for the name of a class; leave the label empty where there is none"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, np.nan, 2.0], ["1", "", "2"]),
        ([1.5, np.nan, 2.0], ["1.5", "", "2.0"]),
        (np.array([1, 2]), ["1", "2"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array(["a", None, np.nan], dtype=object), ["a", "", ""]),
        (pd.Series(["b", None, "a"], dtype="category"), ["b", "", "a"]),
        (pd.Series([1, None], dtype="Int64"), ["1", ""]),
    ],
)
def test_text_of_anything(values, expected):
    assert text_of(values).tolist() == expected


@pytest.mark.parametrize(
    ("value", "text"), [(np.int64(7), "7"), (np.float64(7), "7"), (1.5, "1.5"), (np.str_("a"), "'a'"), ("a", "'a'")]
)
def test_messages_show_plain_values(value, text):
    assert shown(value) == text
