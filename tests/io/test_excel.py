"""Sheets of workbooks: what people put into cells, what programs leave out, and archives that are no workbooks."""

import datetime
import zipfile

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import n_refused, refuses, save, written

from eigenselect.io.readers import read_other_table, read_table

openpyxl = pytest.importorskip("openpyxl")

ROWS = [["id", "y", "a", "b"], ["007", "u", 1, 0.1], ["012", "v", 2, 1 / 3], ["7", "", 3, -2.5]]
DAY = datetime.datetime(2021, 9, 1)
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def book(tmp_path):
    """Save sheets of rows, called one, two and three; return the path of the workbook."""

    def book(*sheets, change=None):
        file = openpyxl.Workbook()
        file.remove(file.active)
        for title, rows in zip(("one", "two", "three"), sheets, strict=False):
            sheet = file.create_sheet(title)
            for row in rows:
                sheet.append(row)
        if change:
            change(file["one"])
        file.save(tmp_path / "t.xlsx")
        return str(tmp_path / "t.xlsx")

    return book


def with_xml(path, old, new):
    """Change letters of the first sheet in the archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[SHEET]
    parts[SHEET] = parts[SHEET].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


class TestGood:
    def test_labels_names_and_numbers(self, book):
        table = read_table(book(ROWS), label="y", samples="id")
        assert table.X.tolist() == [[1, 0.1], [2, 1 / 3], [3, -2.5]]
        assert (table.feature_names, table.sample_names.tolist()) == (("a", "b"), ["007", "012", "7"])
        assert (table.label_text.tolist(), table.notes) == (["u", "v", ""], ())
        lines = written(read_table(book(ROWS), ignore=["id,y"])).decode().splitlines()
        assert lines == ["a,b", "1,0.1", "2,0.3333333333333333", "3,-2.5"]
        other = [ROWS[0], *([row[0], 1, 2, 3] for row in ROWS[1:])]
        assert read_other_table(book(other), names=True).X.shape == (3, 3)

    #: rows, options, numbers of the table, and a word of the first note, or None
    CELLS = (
        (
            [[], ["", "a", None, "b"], ["s1", 1, None, 2], [None], ["s2", 3, "", 4, None]],
            {},
            [[1, 2], [3, 4]],
            "no name",
        ),
        ([["a", "b"], ["1.50", 1], ["2e3", "2"], [" 7", True]], {}, [[1.5, 1], [2000, 2], [7, 1]], "4 numbers"),
        ([["day", "a"], [DAY, 1], [DAY.replace(hour=12), 2]], {"samples": "day"}, [[1], [2]], None),
        ([["", "TP53", DAY], ["s", 1, 2], ["t", 3, 5]], {}, [[1, 2], [3, 5]], "SEPT1"),
        ([["a", "b"], [1, 1], [None, 2], [4, 5], ["", 5]], {"impute": True}, [[1, 1], [2.5, 2], [4, 5], [2.5, 5]], "2"),
        ([["a", "b"], ["NA", 1], [3, "#N/A"], [5, 3]], {"impute": True}, [[4, 1], [3, 2], [5, 3]], "median"),
    )

    def test_cells_of_every_kind(self, book):
        for rows, how, expected, word in self.CELLS:
            table = read_table(book(rows), **how)
            assert table.X.tolist() == expected, rows
            assert bool(table.notes) == (word is not None), (rows, table.notes)
            assert word is None or word in table.notes[0], (rows, table.notes)
        days = read_table(book(self.CELLS[2][0]), samples="day").sample_names.tolist()
        assert days == ["2021-09-01", "2021-09-01 12:00:00"]
        assert read_table(book(self.CELLS[0][0])).sample_names.tolist() == ["s1", "s2"]

    def test_the_same_as_pandas(self, tmp_path, rng):
        """Also percentages, which are stored as fractions, and rows that are empty before the table."""
        frame = pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd")).assign(e=np.arange(20) * 10**14)
        path = str(tmp_path / "t.xlsx")
        frame.to_excel(path, index=False, startrow=3)
        file = openpyxl.load_workbook(path)
        for cell in file["Sheet1"]["B"]:
            cell.number_format = "0.00%"
        file.save(path)
        table = read_table(path)
        np.testing.assert_array_equal(table.X, pd.read_excel(path, skiprows=3).to_numpy())
        np.testing.assert_allclose(table.X, frame.to_numpy(), rtol=1e-15)  # openpyxl writes 16 digits

    def test_formulas_with_values(self, book):
        path = with_xml(book([["a"], [1], [2]]), b"<v>2</v>", b"<f>A2+1</f><v>2</v>")
        assert read_table(path).X.tolist() == [[1], [2]]
        empty = b'<c r="B3" t="str"><f>X</f><v></v></c>'
        path = with_xml(book([["a", "b"], [1, 3], [2, 4]]), b'<c r="B3" t="n"><v>4</v></c>', empty)
        refuses(path, "1 missing")

    def test_sheets(self, book):
        path = book([["a"], [1], [2]], [["b"], [3], [4]])
        table, other = read_table(path), read_table(f"{path}:two")
        assert (table.feature_names, len(table.notes)) == (("a",), 1)
        assert "t.xlsx:NAME" in table.notes[0]
        assert (other.X.tolist(), other.feature_names, other.notes) == ([[3], [4]], ("b",), ())
        refuses(f"{path}:One", "did you mean 'one'?")
        path = book([["a"], [1], [2]], [["b"], [3], [4]], change=lambda sheet: setattr(sheet, "sheet_state", "hidden"))
        assert read_table(path).feature_names == ("b",)  # hidden ones are read by name only
        assert read_table(f"{path}:one").feature_names == ("a",)


class TestBad:
    @pytest.mark.filterwarnings("error")
    def test_tables_that_are_none(self, book):
        for rows, keyword in [
            ([], "sheet is empty"),
            ([["a", "b"]], "0 samples"),
            ([["a", "a"], [1, 2], [3, 4]], "('a')"),
            ([["a", None, "c"], [1, 2, 3], [3, 4, 5]], "column B"),
            ([["my table"], ["a", "b"], [1, 2]], "row 2 has 2 cells"),
            ([["a", "b"], [1, "n.d."], [2, 3]], "'n.d.' in 'b'"),
            ([["a", "b"], [1, datetime.date(2020, 1, 2)], [2, 3]], "'2020-01-02'"),
            ([["a", "b"], [1, "#DIV/0!"], [2, 3]], "'#DIV/0!'"),
            ([["a", "b"], [1, 2], [None, 3]], "1 missing"),
            ([["a", "b"], [1, "=A2*2"], [2, "=A3*2"]], "2 cells hold formulas"),
        ]:
            refuses(book(rows), keyword)
        refuses(book(ROWS), "did you mean 'y'?", label="Y")

    def test_merged_cells_and_formulas_anywhere_in_the_sheet(self, book):
        """Sheets are looked through in blocks of a mebibyte; a tag may begin in one and end in the next."""
        rows = [["title", None, "x"], [1, 2, 3], [4, 5, 6]]
        for cut in range(0, 40, 5):
            path = book(rows, change=lambda sheet: sheet.merge_cells("A1:B1"))
            with zipfile.ZipFile(path) as archive:
                place = archive.read(SHEET).index(b"<mergeCell ")
            refuses(with_xml(path, b"<mergeCells", b" " * ((1 << 20) - place - cut) + b"<mergeCells"), "(A1:B1)")
        path = with_xml(book([["a"], [1], [2]]), b"<v>2</v>", b'<f t="shared" si="0"/>')
        refuses(path, "1 cell holds a formula")

    def test_damaged_files_are_read_or_refused(self, book, tmp_path):
        book(ROWS)
        assert n_refused(tmp_path / "t.xlsx", lambda path: read_table(path, label="y", samples="id"), 30) > 15


class TestHostile:
    def test_places_are_not_believed(self, book):
        path = with_xml(book([["a"], [1], [2]]), b'<dimension ref="A1:A3"', b'<dimension ref="A1:XFD1048576"')
        assert read_table(path).X.tolist() == [[1], [2]]
        path = with_xml(book([["a"], [1], [2], [3]]), b'<row r="4"', b'<row r="999999999999"')
        assert read_table(path).X.tolist() == [[1], [2]]
        for old, new in ((b'"B3"', b'"XFD3"'), (b'"B3"', b'"ZZZZ3"'), (b'"B1"', b'"ZZZZZZZZZ1"')):
            refuses(with_xml(book([["a", "b"], [1, 2], [3, 4]]), b"r=" + old, b"r=" + new), "")

    def test_entities_and_what_is_no_xml(self, book):
        entities = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
        for before in (
            entities,
            b"<!-- " + b"-" * 500 + b" -->" + entities,
            b"<!--" + b" " * 100_000 + b"-->" + entities,
            b'<!DOCTYPE x SYSTEM "file:///etc/passwd">',
            "\ufeff<!DOCTYPE x>".encode("utf-16"),
            b"no xml",
        ):
            refuses(with_xml(book(ROWS), b"<worksheet", before + b"<worksheet"), "damaged")
        path = with_xml(book(ROWS), b"<worksheet", b'<?xml version="1.0"?>\n<!-- a > b -->\n<worksheet')
        assert read_table(path, label="y", samples="id").X.shape == (3, 2)

    def test_a_small_archive_of_many_bytes(self, book, little):
        path = book(ROWS)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("media/image.png", b"\0" * 50_000_000)
        refuses(path, "20.0 MB are free")

    def test_a_workbook_with_a_password(self, tmp_path):
        refuses(save(tmp_path, b"\xd0\xcf\x11\xe0", "t.xlsx"), "password")
