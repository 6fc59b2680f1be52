"""No column has two roles, and text becomes a feature only if asked."""

import pytest
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.readers import read_table


def test_beside_columns_of_0_and_1(tmp_path):
    (tmp_path / "t.csv").write_text("a,colour\n1,red\n2,blue\n007,red\n")
    table = read_table(str(tmp_path / "t.csv"), one_hot=True)
    assert written(table).decode() == "a,colour=blue,colour=red\n1,0.0,1.0\n2,1.0,0.0\n007,0.0,1.0\n"
    (tmp_path / "t.csv").write_text("colour=red,colour\n1,red\n2,blue\n")
    made = read_table(str(tmp_path / "t.csv"), one_hot=True, ignore=["colour=red"])
    assert written(made).decode() == "colour=blue,colour=red\n0.0,1.0\n1.0,0.0\n"  # not those of the ignored column
    with pytest.raises(InputError, match="--one-hot makes a second column 'colour=red'; rename the first"):
        read_table(str(tmp_path / "t.csv"), one_hot=True)


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"label": "a", "samples": "a"}, "'a' is both the names and the label; name it once"),
        ({"label": "a", "ignore": ["a"]}, "'a' is both the label and ignored; name it once"),
        ({"samples": "a", "ignore": ["b", "a"]}, "'a' is both the names and ignored; name it once"),
    ],
)
def test_a_column_has_one_role(roles, says):
    with pytest.raises(InputError, match=says):
        ColumnRoles(**roles).check("t.csv")


def test_an_entry_of_ignored_columns_is_a_name_or_several():
    roles = ColumnRoles(ignore=["a,b", "c, d"])
    assert roles.ignored(["a,b", "c", "d", "e"], "t.csv", "column") == {"a,b", "c", "d"}
    with pytest.raises(InputError, match="no column named 'x'"):
        ColumnRoles(ignore=["x"]).ignored(["aa"], "t.csv", "column")


def test_text_is_no_feature_unless_asked(tmp_path):
    (tmp_path / "t.csv").write_text("a,colour\n1,red\n2,blue\n")
    with pytest.raises(InputError, match=r"1 of 2 columns is not numeric \('colour'\), such as 'red' in 'colour';"):
        read_table(str(tmp_path / "t.csv"))
    table = read_table(str(tmp_path / "t.csv"), one_hot=True)
    assert table.feature_names == ("a", "colour=blue", "colour=red")
    assert table.notes == ("1 text column became 2 columns of 0 and 1",)


class TestNoHeader:
    SAID = "the names of all features are numbers ('5.1', '3.5', '1.4', …); if they are a sample, put a row of names"

    @pytest.mark.parametrize("mark", [".", ","])
    def test_a_sample_in_the_place_of_names_is_told(self, tmp_path, mark):
        text = "5.1\t3.5\t1.4\t0.2\tsetosa\n4.9\t3.0\t1.4\t0.2\tsetosa\n7.0\t3.6\t4.7\t1.4\tvirginica\n"
        (tmp_path / "iris.tsv").write_text(text.replace(".", mark))
        notes = read_table(str(tmp_path / "iris.tsv"), label="setosa").notes
        assert any(note.startswith(self.SAID.replace(".", mark)) for note in notes)

    @pytest.mark.parametrize(
        "names",
        ["400,402.5,410", "7157,672,675", "0,1,2", "1,2,3", "2,b,1"],
        ids=["wavelengths", "Entrez", "from 0", "from 1", "a word"],
    )
    def test_names_that_are_numbers_are_names(self, tmp_path, names):
        (tmp_path / "t.csv").write_text(f"{names}\n0.5,1,2.5\n1.5,,0.5\n2,3,1\n")
        assert read_table(str(tmp_path / "t.csv"), impute=True).notes == (
            "1 missing value in 1 column was replaced by the median of its column",
        )


@pytest.mark.parametrize("cells", ["0.5", '"1,234.5"'], ids=["simple", "by pandas"])
def test_an_index_that_was_saved_twice_is_no_feature(tmp_path, cells):
    rows = "".join(f"{i},{i},{cells},k{i % 2}\n" for i in range(12))
    (tmp_path / "t.csv").write_text(f",Unnamed: 0,a,kind\n{rows}")
    table = read_table(str(tmp_path / "t.csv"), label="kind")
    assert table.feature_names == ("a",)
    assert table.sample_names.tolist() == [str(i) for i in range(12)]
    assert "1 column of ids ('Unnamed: 0-1') not ranked; give it another name to rank it" in table.notes
    rows = "".join(f"{i},{i},{i},{cells},k{i % 2}\n" for i in range(12))
    (tmp_path / "t.csv").write_text(f",Unnamed: 0.1,Unnamed: 0,a,kind\n{rows}")
    assert read_table(str(tmp_path / "t.csv"), label="kind").feature_names == ("a",)


def test_separators_at_the_ends_of_all_lines_make_no_feature(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,\n1,2,\n3,5,\n")
    table = read_table(str(tmp_path / "t.csv"))
    assert (table.feature_names, table.notes) == (("a", "b"), ("1 column without name and values left out",))
    (tmp_path / "t.csv").write_text("a,b,\n1,2,\n3,5,9\n")
    with pytest.raises(InputError, match="1 missing or infinite value in 'Unnamed: 2'"):
        read_table(str(tmp_path / "t.csv"))
