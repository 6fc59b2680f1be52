"""Text in every format that people have: read to the last bit, said, and written so that it is read again."""

import csv
import gzip
import io
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_sample_sheet, read_table
from eigenselect.io.request import TextFormat

#: unambiguous in both marks: 0.5 or 0,5
FIRST = 0.5
SERIES = """!Series_title\t"Grün"
!Series_samples\t"1"\t"2"\t"3"

!series_matrix_table_begin
"ID_REF"\t"GSM1"\t"GSM2"
"g1"\t0.5\t2
"g2"\t3.25\t4
!series_matrix_table_end
"""


def text_of(rows, separator):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def cell_of(number, decimal, thousands):
    text = f"{number:,}" if thousands and float(f"{number:,}".replace(",", "")) == number else repr(number)
    if "e" in text:
        text = repr(number)
    return text.translate({ord(","): thousands, ord("."): decimal})


def save(tmp_path, text, name="t.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return str(path)


moderate = st.floats(-1e15, 1e15, allow_nan=False).map(lambda x: x + 0.0)
tables = st.lists(st.lists(moderate, min_size=3, max_size=3), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(
    tables,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([".", ","]),
    st.sampled_from(["", ".", ",", "'", "\u00a0", "\u202f", "\u2019"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"]),
    st.sampled_from(["csv", "tsv", "csv.gz"]),
)
def test_any_table_is_read_to_the_last_bit(tmp_path_factory, numbers, separator, decimal, thousands, encoding, ending):
    """With every separator, decimal mark, mark between thousands and encoding; and so is what is written of it."""
    if thousands == decimal or (encoding == "cp1252" and thousands == "\u202f"):
        return
    numbers = [[FIRST, FIRST, FIRST], *numbers]
    exponents = any("e" in repr(number) for row in numbers for number in row)
    marks = "" if exponents else thousands
    rows = [["Größe", "b", "c"], *([cell_of(number, decimal, marks) for number in row] for row in numbers)]
    data = text_of(rows, separator).encode(encoding)
    path = tmp_path_factory.mktemp("formats") / f"t.{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    table = read_table(str(path))
    assert table.feature_names == ("Größe", "b", "c")
    assert table.X.tobytes() == np.array(numbers).tobytes()
    said = " ".join(table.notes)
    usual = "\t" if ending == "tsv" else ","
    assert ("between cells" in said) == (separator != usual)
    assert ("',' as decimal mark" in said) == (decimal == ",")
    assert ("read as" in said) == (not encoding.startswith("utf-8"))
    again = path.with_name("again.csv")
    again.write_bytes(written(table))
    assert read_table(str(again)).X.tobytes() == table.X.tobytes()


class TestSaid:
    def test_nothing_is_said_of_plain_tables(self, tmp_path):
        for name, mark in (("t.csv", ","), ("t.tsv", "\t"), ("t.txt", "\t")):
            assert read_table(save(tmp_path, f"a{mark}b\n1.5{mark}2\n3{mark}4\n", name)).notes == ()

    @pytest.mark.parametrize(
        ("text", "name", "notes"),
        [
            ("a;b\n1,5;2\n3;4\n", "t.csv", ["read with ';' between cells and ',' as decimal mark"]),
            ("a;b\n1;2\n3;4\n", "t.csv", ["read with ';' between cells"]),
            ("a;b\n1.5;2\n3;4\n", "t.csv", ["read with ';' between cells and '.' as decimal mark"]),
            ("a;b\n1.5;2\n3;+4\n", "t.csv", ["read with ';' between cells and '.' as decimal mark"]),
            ("a;b\n1;2\n3;+4\n", "t.csv", ["read with ';' between cells"]),
            ("a\tb\n1\t2\n3\t4\n", "t.csv", ["read with a tab between cells"]),
            ("a,b\n1,2\n3,4\n", "t.tsv", ["read with ',' between cells"]),
            ("a b c\n1 2 3\n3 4 5\n", "t.txt", ["read with blanks between cells"]),
            ("a\tb\n1,5\t2\n3\t4\n", "t.tsv", ["read with ',' as decimal mark"]),
            ("sep=;\na;b\n1;2\n3;4\n", "t.csv", ["read with ';' between cells"]),
            ("# x\na,b\n1,2\n3,4\n", "t.csv", ["1 line before the header was skipped ('# x')"]),
            ('a,b\n"1,234.5",2\n3,4\n', "t.csv", ["1 column with ',' between thousands ('a')"]),
            ("a,b\n5%,2\n3.5 %,4\n", "t.csv", ["1 column of percentages ('a'), where 12.5% is read as 12.5"]),
        ],
    )
    def test_anything_else_is(self, tmp_path, text, name, notes):
        assert list(read_table(save(tmp_path, text, name)).notes) == notes


class TestNamed:
    def test_the_wrong_separator_is_answered_with_the_right_one(self, tmp_path):
        """--format csv would not help, as --sep holds."""
        with pytest.raises(InputError, match="seems to be separated by ','; use --sep ','"):
            read_table(save(tmp_path, "a,b\n1,2\n3,4\n"), text=TextFormat(separator="\t"))

    def test_doubt_ends_where_the_mark_is_named(self, tmp_path):
        path = save(tmp_path, "a;b\n1,234;2\n3,456;4\n")
        with pytest.raises(
            InputError, match="'1,234' in 'a' may be 1234 or 1.234, .*; name the decimal mark with --dec"
        ):
            read_table(path)
        assert read_table(path, text=TextFormat(decimal=",")).X.tolist() == [[1.234, 2], [3.456, 4]]
        assert read_table(path, text=TextFormat(decimal=".")).X.tolist() == [[1234, 2], [3456, 4]]
        assert read_table(path, ignore=["a"]).X.tolist() == [[2], [4]]
        assert read_table(path, label="a").y.tolist() == ["1,234", "3,456"]

    def test_a_point_among_semicolons_is_in_doubt(self, tmp_path):
        """People who write semicolons often write 1.234 for 1234."""
        path = save(tmp_path, "a;b\n1.234;2\n3;4\n")
        with pytest.raises(InputError, match="'1.234' in 'a' may be 1234 or 1.234"):
            read_table(path)
        assert read_table(path, text=TextFormat(decimal=",")).X[0, 0] == 1234
        assert read_table(path, text=TextFormat(decimal=".")).X[0, 0] == 1.234
        assert read_table(save(tmp_path, "a,b\n1.234,2\n3,4\n")).X[0, 0] == 1.234

    def test_one_cell_far_below_decides(self, tmp_path):
        rows = "1.234;7\n" * 500
        assert read_table(save(tmp_path, f"a;b\n{rows}0,5;7\n")).X[0, 0] == 1234
        assert read_table(save(tmp_path, f"a;b\n{rows}0.5;7\n")).X[0, 0] == 1.234

    def test_a_mark_that_the_numbers_do_not_have(self, tmp_path):
        path = save(tmp_path, "a,b\n1.5,2\n3,4\n")
        with pytest.raises(InputError, match=r"1 of 2 columns is not numeric \('a'\)"):
            read_table(path, text=TextFormat(decimal=","))

    def test_a_separator(self, tmp_path):
        path = save(tmp_path, "a;b\n1;2\n3;4\n")
        with pytest.raises(InputError, match="has one column if split at ','; it seems to be separated by ';'"):
            read_table(path, text=TextFormat(separator=","))
        path = save(tmp_path, "a;x:b\n1:2\n3:4\n")
        table = read_table(path, text=TextFormat(separator=":"))
        assert table.feature_names == ("a;x", "b")
        assert table.notes == ("read with ':' between cells",)

    @pytest.mark.parametrize("mark", ["§", "ab", '"', "\n"])
    def test_what_cannot_separate(self, tmp_path, mark):
        with pytest.raises(InputError, match="cells are separated by one character of ASCII, such as ';', got"):
            read_table(save(tmp_path, "a,b\n1,2\n"), text=TextFormat(separator=mark))


class TestInconsistent:
    @pytest.mark.parametrize(
        "text",
        [
            "a;b\n1,5;2\n1.5;4\n",
            "a;b\n1.234,5;2\n1234,5;4\n",
            'a,b\n"1,234",2.5\n1234,4\n',
            "a,b\n5%,2\n3,4\n",
            "a,b\n1'234,2\n1234,4\n",
            "a;b\n1,2,3;2\n4,5,6;4\n",
        ],
    )
    def test_a_column_stays_text(self, tmp_path, text):
        with pytest.raises(InputError, match=r"1 of 2 columns is not numeric \('a'\), such as"):
            read_table(save(tmp_path, text))

    def test_decimal_commas_beside_points_stay_text(self, tmp_path):
        path = save(tmp_path, "a;b\n1,5;2.5\n2,5;3.5\n")
        with pytest.raises(InputError, match=r"\('a'\), such as '1,5' in 'a'"):
            read_table(path)


class TestDamaged:
    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"a;b\n1,5;2\n3,5\n", "separated by ';'"),
            (
                b"a;b\n1,5;2\n" + b"3,5;1\n" * 30 + b"3,5\n",
                "line 33 has 1 value where the header has 2 names; was the file",
            ),
            (
                b"# x\n\na;b\n1,5;2\n" + b"3,5;1\n" * 30 + b"3;5;7\n",
                "line 35 has 3 values where the header has 2 names",
            ),
            (b"a;b\n1,5;\0\n", "holds NUL bytes"),
            (b'a;b\n1,5;"2\n3,5;4\n', "a quotation mark is opened in row 1 and never closed"),
            (b"a;b\n1;2\n3,4\n", "separated by ';'"),
            (b"sep=;\n", "has a header but 0 samples|is empty"),
            (b"# only\n# remarks\n", "no column is left to rank|is not numeric"),
            (b"a;a\n1,5;2\n", "1 column name stands more than once"),
            (gzip.compress(b"a;b\n1,5;2\n" * 99, mtime=0)[:-30], "is no text but compressed by gzip; .*end in .gz"),
            (b"PK\x03\x04\0", "is no text but a zip archive, as xlsx and npz files are; use --format xlsx or npz"),
            (b"\x89HDF\r\n\x1a\n\0", "is no text but HDF5; use --format h5ad or h5"),
            (b"PAR1\x15\0", "is no text but parquet; use --format parquet"),
            ("a;b\n1,5;2\n3;4\n".encode("utf-16")[:-3], "is not text in utf-16|values? where the header"),
        ],
    )
    def test_a_sentence(self, tmp_path, data, says):
        (tmp_path / "t.csv").write_bytes(data)
        with pytest.raises(InputError, match=says):
            read_table(str(tmp_path / "t.csv"))

    def test_a_pipe_is_not_offered_a_format_that_it_cannot_have(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\x89HDF\r\n\x1a\n\0")))
        with pytest.raises(InputError, match="standard input: is no text but HDF5; save it in a file and name that"):
            read_table("-")

    def test_a_million_columns(self, tmp_path):
        names = ";".join(map(str, range(1_000_000)))
        table = read_table(save(tmp_path, f"{names}\n{'0,5;' * 999_999}1\n{'1;' * 999_999}2\n"))
        assert table.X.shape == (2, 1_000_000)
        assert table.X.sum(axis=1).tolist() == [0.5 * 999_999 + 1, 1_000_001]

    def test_a_line_of_many_letters_is_bounded(self, tmp_path, little):
        path = save(tmp_path, "a;b\n" + "1" * 30_000_000 + ";2\n")
        with pytest.raises(InputError, match=r"has \d+\.\d MB or more, for which"):
            read_table(path)

    def test_cells_as_text_are_bounded(self, tmp_path, monkeypatch):
        """A cell as a text takes more memory than its number."""
        path = save(tmp_path, "a;b\n" + "1.234,5;2\n" * 20_000)
        assert read_table(path).X[0, 0] == 1234.5
        monkeypatch.setattr("eigenselect.io.memory.free_memory", lambda: 2e6)
        with pytest.raises(InputError, match="the table with its cells as text needs about 2.6 MB"):
            read_table(path)


class TestOthers:
    def test_a_series_matrix(self, tmp_path):
        for name, pack in (("s.txt", bytes), ("s.txt.gz", gzip.compress)):
            (tmp_path / name).write_bytes(pack(SERIES.encode()))
            table = read_table(str(tmp_path / name), samples="ID_REF")
            assert table.X.tolist() == [[0.5, 2], [3.25, 4]]
            assert table.sample_names.tolist() == ["g1", "g2"]
            assert table.notes == ("3 lines before the header were skipped ('!Series_title\\t\"Grün\"')",)

    def test_a_sheet_of_samples(self, tmp_path):
        sheet = read_sample_sheet(save(tmp_path, "id;age;type\ns1;61,5;a\ns2;47;b\n"))
        assert sheet.covariates["age"].tolist() == ["61.5", "47"]
        assert sheet.notes == ("read with ';' between cells and ',' as decimal mark",)

    def test_genes_in_rows(self, tmp_path):
        path = save(tmp_path, "gene;s1;s2\nTP53;0,5;2\nMYC;1.234,5;4\n")
        table = read_table(path, transpose=True)
        assert table.X.tolist() == [[0.5, 1234.5], [2, 4]]

    def test_medians_are_written_as_the_numbers_beside_them(self, tmp_path):
        path = save(tmp_path, "a;b;c\n0,5;1.234,5;5%\n;7;\n1,25;;7,5%\n0,75;8;6%\n")
        table = read_table(path, impute=True)
        (tmp_path / "again.csv").write_bytes(written(table))
        assert "0,75" in (tmp_path / "again.csv").read_text()
        again = read_table(str(tmp_path / "again.csv"))
        assert again.X.tobytes() == table.X.tobytes()

    def test_letters_and_numbers_without_arrow_are_the_same(self, tmp_path, monkeypatch):
        path = save(tmp_path, "id;a;b\nx;1,5;2\ny;3;4e-3\n")
        with_arrow = read_table(path, samples="id")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        without = read_table(path, samples="id")
        assert with_arrow.X.tobytes() == without.X.tobytes()
        assert with_arrow.notes == without.notes
