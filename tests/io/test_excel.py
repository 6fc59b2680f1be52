"""Sheets of workbooks: what people put into cells, and what programs leave out."""

import datetime
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import n_refused, written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_other_table, read_table

openpyxl = pytest.importorskip("openpyxl")

ROWS = [["id", "y", "a", "b"], ["007", "u", 1, 0.1], ["012", "v", 2, 1 / 3], ["7", "", 3, -2.5]]


@pytest.fixture
def save(tmp_path):
    def save(*sheets, **titles):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in (*zip(("one", "two", "three"), sheets, strict=False), *titles.items()):
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "t.xlsx")
        return str(tmp_path / "t.xlsx")

    return save


def changed(path, function, name="one"):
    """Change a sheet of a saved workbook."""
    book = openpyxl.load_workbook(path)
    function(book[name])
    book.save(path)
    return path


def with_xml(path, old, new, member="xl/worksheets/sheet1.xml"):
    """Change letters of a part of the archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[member]
    parts[member] = parts[member].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


class TestGood:
    def test_labels_names_and_numbers(self, save):
        table = read_table(save(ROWS), label="y", samples="id")
        assert table.X.tolist() == [[1, 0.1], [2, 1 / 3], [3, -2.5]]
        assert (table.feature_names, table.sample_names.tolist()) == (("a", "b"), ["007", "012", "7"])
        assert (table.label_text.tolist(), table.notes) == (["u", "v", ""], ())

    def test_whole_numbers_are_written_again_without_a_point(self, save):
        lines = written(read_table(save(ROWS), ignore=["id,y"])).decode().splitlines()
        assert lines == ["a,b", "1,0.1", "2,0.3333333333333333", "3,-2.5"]

    def test_a_nameless_first_column_and_blank_rows_and_columns(self, save):
        rows = [[], ["", "a", None, "b"], ["s1", 1, None, 2], [None], ["s2", 3, "", 4, None]]
        table = read_table(save(rows))
        assert (table.sample_names.tolist(), table.feature_names) == (["s1", "s2"], ("a", "b"))
        assert table.X.tolist() == [[1, 2], [3, 4]]

    def test_another_table_has_its_names_first(self, save):
        assert read_other_table(save(ROWS[:1] + [[*row[:1], 1, 2, 3] for row in ROWS[1:]]), names=True).X.shape == (
            3,
            3,
        )

    def test_numbers_in_cells_of_text_are_numbers_and_it_is_said(self, save):
        table = read_table(save([["a", "b"], ["1.50", 1], ["2e3", "2"], [" 7", True]]))
        assert table.X.tolist() == [[1.5, 1], [2000, 2], [7, 1]]
        assert table.notes == ("4 numbers in cells of text read as numbers",)

    def test_dates_are_text(self, save):
        day = datetime.datetime(2021, 9, 1)
        path = save([["day", "a"], [day, 1], [day.replace(hour=12), 2]])
        assert read_table(path, samples="day").sample_names.tolist() == ["2021-09-01", "2021-09-01 12:00:00"]

    def test_genes_that_became_dates_are_noted(self, save):
        day = datetime.datetime(2021, 9, 1)
        notes = read_table(save([["", "TP53", day], ["s", 1, 2], ["t", 3, 5]])).notes
        assert notes[0] == "1 name is a date ('2021-09-01'), which spreadsheets make of names such as SEPT1"

    def test_holes_are_filled_if_asked(self, save):
        rows = [["a", "b"], [1, 1], [None, 2], [4, 5], ["", 5]]
        with pytest.raises(InputError, match="2 missing or infinite values in '"):
            read_table(save(rows))
        assert read_table(save(rows), impute=True).X[:, 0].tolist() == [1, 2.5, 4, 2.5]

    def test_what_means_missing_in_csv_does_so_here(self, save):
        """Other errors of a spreadsheet say that something is wrong, and are refused below."""
        table = read_table(save([["a", "b"], ["NA", 1], [3, "#N/A"], [5, 3]]), impute=True)
        assert table.X.tolist() == [[4, 1], [3, 2], [5, 3]]
        assert table.notes == ("2 missing values in 2 columns were replaced by the median of their column",)

    def test_the_same_as_pandas(self, tmp_path, rng):
        """Also percentages, which are stored as fractions, and rows that are empty before the table."""
        frame = pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd")).assign(e=np.arange(20) * 10**14)
        frame.to_excel(tmp_path / "t.xlsx", index=False, startrow=3)

        def as_percent(sheet):
            for cell in sheet["B"]:
                cell.number_format = "0.00%"

        path = changed(str(tmp_path / "t.xlsx"), as_percent, "Sheet1")
        table = read_table(path)
        np.testing.assert_array_equal(table.X, pd.read_excel(path, skiprows=3).to_numpy())
        np.testing.assert_allclose(table.X, frame.to_numpy(), rtol=1e-15)  # openpyxl writes 16 digits

    def test_formulas_with_values(self, save):
        path = with_xml(save([["a"], [1], [2]]), b"<v>2</v>", b"<f>A2+1</f><v>2</v>")
        assert read_table(path).X.tolist() == [[1], [2]]
        path = with_xml(
            save([["a", "b"], [1, 3], [2, 4]]),
            b'<c r="B3" t="n"><v>4</v></c>',
            b'<c r="B3" t="str"><f>X</f><v></v></c>',
        )
        with pytest.raises(InputError, match="1 missing or infinite value in '"):  # an empty text
            read_table(path)


class TestSheets:
    def test_the_first_is_read_and_it_is_said(self, save):
        path = save([["a"], [1], [2]], [["b"], [3], [4]])
        table = read_table(path)
        assert table.feature_names == ("a",)
        assert re.fullmatch(
            r"of 2 tables \('one', 'two'\) the first is read; name another as .*t\.xlsx:NAME", table.notes[0]
        )
        other = read_table(f"{path}:two")
        assert (other.X.tolist(), other.feature_names, other.notes) == ([[3], [4]], ("b",), ())

    def test_one_that_is_not_there(self, save):
        with pytest.raises(InputError, match=r"t\.xlsx:One: no sheet named 'One'; did you mean 'one'\?"):
            read_table(save(ROWS) + ":One")

    def test_hidden_ones_are_read_by_name_only(self, save):
        def hide(sheet):
            sheet.sheet_state = "hidden"

        path = changed(save([["a"], [1], [2]], [["b"], [3], [4]]), hide)
        assert read_table(path).feature_names == ("b",)
        assert read_table(f"{path}:one").feature_names == ("a",)


class TestBad:
    def test_merged_cells(self, save):
        path = changed(save([["title", None, "x"], [1, 2, 3], [4, 5, 6]]), lambda sheet: sheet.merge_cells("A1:B1"))
        with pytest.raises(InputError, match=r"has a range of merged cells \(A1:B1\).*unmerge them"):
            read_table(path)

    def test_formulas_that_were_never_computed(self, save):
        with pytest.raises(
            InputError, match="2 cells hold formulas that were never computed; open the file in a spread"
        ):
            read_table(save([["a", "b"], [1, "=A2*2"], [2, "=A3*2"]]))

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([], "the sheet is empty"),
            ([["a", "b"]], "has a header but 0 samples"),
            ([["a", "a"], [1, 2], [3, 4]], r"1 column name stands more than once \('a'\); make them unique"),
            ([["a", None, "c"], [1, 2, 3], [3, 4, 5]], "column B has values but no name in the first row"),
            ([["my table"], ["a", "b"], [1, 2]], "row 2 has 2 cells where the first row has 1 name; put the names"),
            ([["a", "b"], [1, "n.d."], [2, 3]], r"1 of 2 columns is not numeric \('b'\), such as 'n.d.' in 'b'"),
            ([["a", "b"], [1, datetime.date(2020, 1, 2)], [2, 3]], r"not numeric \('b'\), such as '2020-01-02'"),
            ([["a", "b"], [1, "#DIV/0!"], [2, 3]], r"not numeric \('b'\), such as '#DIV/0!'"),
        ],
    )
    def test_tables_that_are_none(self, save, rows, message):
        with pytest.raises(InputError, match=message):
            read_table(save(rows))

    def test_labels_that_are_not_there(self, save):
        with pytest.raises(InputError, match=r"no column named 'Y'; did you mean 'y'\?"):
            read_table(save(ROWS), label="Y")

    def test_damaged_files_are_read_or_refused(self, save, tmp_path):
        save(ROWS)
        assert n_refused(tmp_path / "t.xlsx", lambda path: read_table(path, label="y", samples="id"), 30) > 15


class TestHostile:
    def test_dimensions_are_not_believed(self, save):
        path = with_xml(save([["a"], [1], [2]]), b'<dimension ref="A1:A3"', b'<dimension ref="A1:XFD1048576"')
        assert read_table(path).X.tolist() == [[1], [2]]

    def test_a_row_beyond_all_rows(self, save):
        path = with_xml(save([["a"], [1], [2], [3]]), b'<row r="4"', b'<row r="999999999999"')
        assert read_table(path).X.tolist() == [[1], [2]]

    @pytest.mark.parametrize("place", [b"XFD3", b"ZZZZ3"])
    def test_a_cell_far_to_the_right(self, save, place):
        path = with_xml(save([["a", "b"], [1, 2], [3, 4]]), b'r="B3"', b'r="' + place + b'"')
        with pytest.raises(InputError, match=r"row 3 has \d+ cells where the first row has 2 names|it is damaged"):
            read_table(path)

    def test_a_name_beyond_memory(self, save):
        path = with_xml(save([["a", "b"], [1, 2], [3, 4]]), b'r="B1"', b'r="ZZZZZZZZZ1"')
        with pytest.raises(InputError, match="needs more memory than|is damaged"):
            read_table(path)

    def test_more_cells_than_memory_are_noticed_early(self, save, monkeypatch):
        monkeypatch.setattr("eigenselect.io.memory.free_memory", lambda: 2e6)
        monkeypatch.setattr("eigenselect.io.excel.OFTEN", 100)
        monkeypatch.setattr("eigenselect.io.excel.CELL", 1000)
        monkeypatch.setattr("eigenselect._memory._own_limit", lambda: float("inf"))
        monkeypatch.setattr("eigenselect.io.excel.bounded_memory", __import__("contextlib").nullcontext)
        with pytest.raises(InputError, match=r"a sheet of more than \d+ cells needs about .* MB of memory"):
            read_table(save([[f"x{j}" for j in range(50)], *[[1.0] * 50] * 50]))

    def test_a_missing_library(self, save, monkeypatch):
        path = save(ROWS)
        monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
        with pytest.raises(InputError, match=re.escape("xlsx needs openpyxl; pip install 'eigenselect[io]'.")):
            read_table(path)
