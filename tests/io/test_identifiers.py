"""Dates and ids are left out with a sentence; measurements never are."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.identifiers import are_dates, identifiers, tell_apart
from eigenselect.io.readers import read_table

PEOPLE = ["Ann", "Bob", "Cem", "Dee", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Lee"]


def table_of(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def numbers(rng):
    return {"a": rng.normal(size=12), "b": rng.normal(size=12)}


class TestDates:
    @pytest.mark.parametrize("how", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d"])
    def test_are_left_out_however_they_are_written(self, tmp_path, numbers, how):
        days = [(datetime.datetime(2020, 1, 25) + datetime.timedelta(days=i)).strftime(how) for i in range(12)]
        table = read_table(table_of(tmp_path / "t.csv", a=numbers["a"], visit=days, b=numbers["b"]))
        assert table.feature_names == ("a", "b")
        assert table.notes == ("1 column of dates ('visit') left out",)

    def test_of_parquet_have_a_type(self, tmp_path, numbers):
        pytest.importorskip("pyarrow")
        when = pd.date_range("2020-01-01", periods=12)
        pd.DataFrame({**numbers, "when": when, "day": when.date}).to_parquet(tmp_path / "t.parquet")
        table = read_table(str(tmp_path / "t.parquet"))
        assert table.feature_names == ("a", "b")
        assert table.notes == ("2 columns of dates ('when', 'day') left out",)

    @given(st.datetimes(min_value=datetime.datetime(1000, 1, 1)))
    def test_what_python_writes_is_one(self, moment):
        assert are_dates(np.array([moment.isoformat(), str(moment), str(moment.date()), f"{moment:%d.%m.%Y}", ""]))

    @pytest.mark.parametrize(
        "cell", ["31.31.2020", "2020-13-13", "1.5", "1.2.3", "12:30", "20200101", "1.2.2020 mg", ""]
    )
    def test_others_are_none(self, cell):
        assert not are_dates(np.array([cell], dtype=object))
        assert not are_dates(np.array(["2020-01-01", cell or "x"], dtype=object))


class TestIdsOfText:
    def test_the_first_column_names_the_samples(self, tmp_path, numbers):
        table = read_table(table_of(tmp_path / "t.csv", who=PEOPLE, **numbers))
        assert table.sample_names.tolist() == PEOPLE
        assert table.samples_name == "who"
        assert table.notes == ("the first column 'who' is taken for names of samples",)
        assert written(table).decode().startswith("sample,a,b\nAnn,")

    def test_others_are_left_out_and_kept_to_find_samples_by(self, tmp_path, numbers):
        table = read_table(table_of(tmp_path / "t.csv", **numbers, who=PEOPLE))
        assert (table.feature_names, table.sample_names) == (("a", "b"), None)
        assert table.ids["who"].tolist() == PEOPLE
        assert table.notes == ("1 column of ids ('who') not ranked",)

    @pytest.mark.parametrize("cell", ["<0.5", "12 mg", "1,5", "7%", "1 000", "", "Bob", "-3", "5 mg/l", "> 1e3"])
    def test_one_number_of_any_kind_or_an_equal_cell_and_it_is_none(self, tmp_path, numbers, cell):
        assert tell_apart(np.array(PEOPLE, dtype=object))
        cells = [cell, *PEOPLE[1:]]
        assert not tell_apart(np.array(cells, dtype=object))
        for columns in ({"who": cells, **numbers}, {**numbers, "who": cells}):
            with pytest.raises(InputError, match=r"1 of 3 columns is not numeric \('who'\)"):
                read_table(table_of(tmp_path / "t.csv", **columns))

    def test_in_a_few_rows_any_text_differs(self):
        few = pd.DataFrame({"a": [1, 2], "hue": ["red", "blue"], "patient_id": ["x", "y"]})
        assert identifiers(few, ["hue", "patient_id"]).columns == ["patient_id"]

    def test_beside_text_that_is_refused_the_first_column_is_named_too(self, tmp_path, numbers):
        path = table_of(tmp_path / "t.csv", who=PEOPLE, **numbers, hue=["red", "blue"] * 6)
        with pytest.raises(InputError, match=r"2 of 4 columns are not numeric \('who', 'hue'\)"):
            read_table(path)
        table = read_table(path, one_hot=True)
        assert table.feature_names == ("a", "b", "hue=blue", "hue=red")
        assert table.sample_names.tolist() == PEOPLE


class TestIdsOfNumbers:
    @pytest.mark.parametrize(
        "name", ["id", "ID", "sample_id", "patient ID", "patientId", "barcode", "index", "Unnamed: 0"]
    )
    @pytest.mark.parametrize("values", [range(12), range(1, 13), [7001 + i * i for i in range(12)]])
    def test_their_name_and_their_values_say_so(self, tmp_path, numbers, name, values):
        table = read_table(table_of(tmp_path / "t.csv", **numbers, **{name: values}))
        assert table.feature_names == ("a", "b")
        assert table.notes == (f"1 column of ids ({name!r}) not ranked; give it another name to rank it",)

    @pytest.mark.parametrize("name", ["acid", "lipid", "COVID", "humid", "ideal", "indexed", "age", "row"])
    def test_the_name_alone_decides_against_it(self, tmp_path, numbers, name):
        table = read_table(table_of(tmp_path / "t.csv", **numbers, **{name: range(12)}))
        assert table.feature_names == ("a", "b", name)
        assert table.notes == ()

    @pytest.mark.parametrize("values", [[0.5, *range(1, 12)], [3, 3, *range(10)], [0, 1] * 6])
    def test_the_values_alone_decide_against_it(self, tmp_path, numbers, values):
        table = read_table(table_of(tmp_path / "t.csv", **numbers, sample_id=values))
        assert table.feature_names == ("a", "b", "sample_id")

    def test_few_of_them_must_count_up(self):
        for values, expected in (([1, 2, 3], ["id"]), ([0, 1, 2], ["id"]), ([5, 9, 7], []), ([1, 3, 2], [])):
            assert identifiers(pd.DataFrame({"id": values}), []).numbers == expected


def test_another_table_gives_each_column_its_place(tmp_path):
    from eigenselect.io.readers import read_other_table

    path = table_of(tmp_path / "t.csv", who=PEOPLE, id=range(12), a=range(12))
    assert read_other_table(path, names=True).feature_names == ("id", "a")
