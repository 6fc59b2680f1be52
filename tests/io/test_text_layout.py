"""The first lines show what separates cells, or nothing is guessed."""

import io

import pytest

from eigenselect.io import text_layout
from eigenselect.io.text_layout import layout_of


def found(text, usual=",", **options):
    return layout_of(io.BytesIO(text.encode()), usual, **options)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("usual", [",", "\t"])
def test_the_one_mark_that_splits_all_lines_evenly(mark, usual):
    for text in ("a{}b\n1{}2\n3{}4\n", 'a{}"b;,|\t"\n1{}"2\n3"\n3{}4\n', "a{}b\n{}2\n{}\n", "a{}b\r\n1{}2"):
        assert found(text.replace("{}", mark), usual).separator == mark


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b\n1,5;2,5\n", ";"),
        ("a,b;c\n1,5;2,5\n", ";"),
        ("a,b;c,d\n1,5;2,5\n", ","),  # both do, so it is the mark of the format
        ("a;b|c\n1;2|3\n", ","),  # two others do
        ("a;b\n1;2\n3\n", ","),
        ("a\n1\n2\n", ","),
        ("a\n1;2\n", ","),
        ("a b\n1 2\n", ","),  # two columns of numbers, or one of text
        ("a b c\n1 2 3\n", " "),
        ("id b c\ns1 2,5 3\ns2   4 5e3\n", " "),
        ("first middle last\nAnna Maria Meier\n", ","),
        ("a b c\n", ","),
        ("", ","),
        (f"a,sequence\n1,{'ACGT' * 40_000}\n", ","),
    ],
)
def test_doubt_leaves_the_mark_of_the_format(text, separator):
    assert found(text).separator == separator


def test_a_named_mark_holds():
    assert found("a;b\n1;2\n", asked=",").separator == ","
    assert found("sep=;\na;b\n1;2\n", asked="|").separator == "|"


@pytest.mark.parametrize("first", ["sep=;\n", "sep=;\r\n", '"sep=;"\n'])
def test_the_line_of_spreadsheets(first):
    layout = found(f"{first}a,b;c\n1,2;3\n")
    assert (layout.separator, layout.n_before, layout.note) == (";", 1, "")
    assert layout.rows == [["a,b", "c"], ["1,2", "3"]]


@pytest.mark.parametrize(
    ("text", "n_before", "header"),
    [
        ("# made today\na,b\n1,2\n", 1, ["a", "b"]),
        ("# one\n#two\n\n# three\na,b\n1,2\n", 4, ["a", "b"]),
        ("#a,b\n1,2\n", 0, ["#a", "b"]),
        ("#made\n#a,b\n1,2\n", 1, ["#a", "b"]),
        ("# made, today\na,b\n1,2\n", 1, ["a", "b"]),
        ("#name,city\nAnna,Bonn\nBert,Graz\n", 0, ["#name", "city"]),
        ('!Series_title\t"x"\n"!Sample_id"\ta\tb\tc\n!begin\nID\ts1\ts2\ng1\t1\t2\n', 3, ["ID", "s1", "s2"]),
        ("!,b\n1,2\n", 0, ["!", "b"]),
        ("\n\na,b\n1,2\n", 2, ["a", "b"]),
        ("# nothing else\n", 0, ["# nothing else"]),
    ],
)
def test_remarks_are_skipped_and_said(text, n_before, header):
    layout = found(text, "\t" if "\t" in text else ",")
    assert (layout.n_before, layout.rows[0]) == (n_before, header)
    skipped = [line for line in text.splitlines()[:n_before] if line.strip()]
    assert (f"{len(skipped)} line" in layout.note) == bool(skipped)
    assert layout.is_series == text.startswith("!S")


def test_remarks_are_kept_where_nobody_can_be_told():
    assert found("# made today\na,b\n1,2\n", remarks=False).n_before == 0


def test_long_lines_and_many_remarks_are_bounded(monkeypatch):
    monkeypatch.setattr(text_layout, "LONGEST", 100)
    monkeypatch.setattr(text_layout, "MOST_REMARKS", 50)
    handle = io.BytesIO(b"1;" * 1_000_000)
    assert layout_of(handle, ",").separator in (",", ";")
    assert handle.tell() <= 12 * 100
    handle = io.BytesIO(b"#\n" * 1_000_000)
    layout_of(handle, ",")
    assert handle.tell() <= 62 * 2
