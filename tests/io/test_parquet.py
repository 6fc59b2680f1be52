"""Parquet files: indices, whole and decimal numbers, sizes."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

CLASSES = ["007", "07", "", "007", "07", ""]
IDS = [f"0{i}" for i in range(6)]


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 3)), columns=list("abc")).assign(y=CLASSES, id=IDS)


def write_parquet(frame, path):
    pytest.importorskip("pyarrow")
    frame.to_parquet(path)


@pytest.mark.parametrize("name", [None, "patient"])
def test_the_index_of_a_parquet_file(frame, tmp_path, name):
    write_parquet(frame.drop(columns="id").set_axis(pd.Index(IDS, name=name)), tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"), label="y")
    assert table.sample_names.tolist() == IDS
    assert table.notes == (() if name is None else ("the index ('patient') is taken for names of samples",))
    if name:
        named = read_table(str(tmp_path / "t.parquet"), label="y", samples="patient")
        assert (named.sample_names.tolist(), named.notes) == (IDS, ())
        ignored = read_table(str(tmp_path / "t.parquet"), label="y", ignore=["patient"])
        assert (ignored.sample_names, ignored.feature_names) == (None, ("a", "b", "c"))
        with pytest.raises(InputError, match="'patient' is both the names and ignored"):
            read_table(str(tmp_path / "t.parquet"), label="y", samples="patient", ignore=["a,patient"])


def test_an_index_of_two_levels(frame, tmp_path):
    levels = pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["group", "visit"])
    write_parquet(frame[list("abc")].set_axis(levels), tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet")).sample_names[0] == "u/1"
    table = read_table(str(tmp_path / "t.parquet"), label="group")
    assert table.y.tolist() == ["u"] * 3 + ["v"] * 3
    assert table.sample_names.tolist() == ["1", "2", "3"] * 2


def test_an_index_that_only_counts_holds_no_names(frame, tmp_path):
    write_parquet(frame[list("abc")], tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet")).sample_names is None


def test_integer_labels_of_parquet(frame, tmp_path):
    write_parquet(frame.assign(y=[1, 2, 3] * 2), tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet"), label="y", samples="id").y.tolist() == [1, 2, 3] * 2


def test_whole_numbers_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    whole = [2**53 + 1, -(2**62) - 1, 6]
    pd.DataFrame({"a": whole, "b": [0.5, 1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    assert written(read_table(str(tmp_path / "t.parquet"))).decode().splitlines()[1:] == [
        f"{number},{half}" for number, half in zip(whole, [0.5, 1.0, 2.0], strict=True)
    ]


def test_decimal_numbers_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    cells = [Decimal("0.10"), Decimal("12345678901234567.89"), Decimal("-3.00")]
    pd.DataFrame({"a": cells, "y": cells}).to_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"), label="y")
    assert table.X.ravel().tolist() == [0.1, 12345678901234567.89, -3.0]
    assert table.label_text.tolist() == [str(cell) for cell in cells]
    assert table.letters(["a"])["a"].tolist() == [str(cell) for cell in cells]


def test_parquet_says_its_size_beforehand(tmp_path, little):
    pytest.importorskip("pyarrow")
    pd.DataFrame(np.zeros((10**5, 20)), columns=[f"x{j}" for j in range(20)]).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet: reading it needs about 48\.0 MB of memory, 20\.0 MB are free"):
        read_table(str(tmp_path / "t.parquet"))


def test_lists_are_no_features(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [[1], [2]], "b": [1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"1 column with lists or records \('a'\) cannot be a feature"):
        read_table(str(tmp_path / "t.parquet"))
