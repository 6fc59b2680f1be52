"""Numbers are read to the last bit, and cells letter by letter."""

import random
import struct

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.text import TextTable
from eigenselect.multisource import read_auxiliary

HARD = [
    "0.00000000000000001234",
    "000000000000000000012.5",
    "5e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "9007199254740993",
    "0.1000000000000000055511151231257827021181583404541015625",
    "123456789012345678901234567890",
    "18446744073709551616",
    "-9223372036854775809",
    "+5",
    ".5",
    "5.",
    "1E5",
    "-0.0",
    "1e-400",
]


def random_numbers(n):
    """Every kind of text that has one nearest floating-point number, from a fixed seed."""
    rng = random.Random(20070620)
    bits = (rng.getrandbits(63) & 0x7FEFFFFFFFFFFFFF for _ in range(n))
    kinds = [
        lambda: repr(rng.gauss(0, 1)),
        lambda: f"{struct.unpack('d', struct.pack('Q', next(bits)))[0]:.17g}",
        lambda: "0." + "0" * rng.randint(0, 30) + str(rng.getrandbits(60)),
        lambda: "0" * rng.randint(0, 30) + f"{rng.getrandbits(60)}.{rng.getrandbits(20)}",
        lambda: f"{rng.randint(1, 9)}.{rng.getrandbits(50)}e-{rng.randint(290, 323)}",
    ]
    return [rng.choice(kinds)() for _ in range(n)]


def same_bits(found, texts):
    return np.array_equal(np.asarray(found).view(np.int64), np.array([float(text) for text in texts]).view(np.int64))


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_every_number_is_the_nearest_one_there_is(tmp_path, ending):
    texts = HARD + random_numbers(3000)
    path = tmp_path / f"t.{ending}"
    pd.DataFrame({"a": texts, "b": texts[::-1]}).to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    X = read_table(str(path)).X
    assert same_bits(X[:, 0].copy(), texts)
    assert same_bits(X[:, 1].copy(), texts[::-1])
    other = read_auxiliary(path, names=False)
    assert same_bits(other["a"].to_numpy().copy(), texts)


@pytest.mark.parametrize("cell", ["1_000", "1 000", "0x10", "1d5", "٣", "--1", "1e", "5\u00a0"])
def test_what_is_no_number_stays_text(tmp_path, cell):
    (tmp_path / "t.csv").write_text(f"a,b\n{cell},1\n2,3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"1 of 2 columns is not numeric \('a'\)"):
        read_table(str(tmp_path / "t.csv"))


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 400, "-" + "9" * 400])
@pytest.mark.parametrize("impute", [False, True])
def test_a_number_beyond_the_largest_never_becomes_infinite(tmp_path, number, impute):
    (tmp_path / "t.csv").write_text(f"a,b\n{number},1\n2.5,3\n4,4\n")
    with pytest.raises(InputError, match=r"in 'a' is beyond 1\.8e308, the largest floating-point number; write"):
        read_table(str(tmp_path / "t.csv"), impute=impute)


def test_a_written_infinity_is_a_missing_value(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\ninf,1\n2.5,3\n4,4\n")
    with pytest.raises(InputError, match=r"1 missing or infinite value in 'a' \(1\)"):
        read_table(str(tmp_path / "t.csv"))
    assert read_table(str(tmp_path / "t.csv"), impute=True).X[0, 0] == 3.25


def test_a_cell_may_be_longer_than_the_csv_module_reads(tmp_path):
    (tmp_path / "t.csv").write_text(f"a,sequence,b\n1,{'ACGT' * 50_000},2\n3,A,4\n")
    assert read_table(str(tmp_path / "t.csv"), ignore=["sequence"]).feature_names == ("a", "b")


@pytest.mark.parametrize("name", ["self", "index", "columns", "0"])
def test_columns_may_have_any_name(tmp_path, name):
    """Pandas' assign takes names of columns for its own parameters."""
    text = f"{name},b\n18446744073709551616,6\n2,7\n"
    (tmp_path / "t.csv").write_text(text)
    table = read_table(str(tmp_path / "t.csv"))
    assert table.X.tolist() == [[2.0**64, 6], [2, 7]]
    assert written(table).decode() == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,a\n1,2\n3,4\n", r"1 column name stands more than once \('a'\); make them unique"),
        ("5,0,0\n4,1,0\n", r"\('0'\); put names above the first row if it is a sample, or make them unique"),
        ("a;b\n1;2\n3\n", "has one column if split at ','; it seems to be separated by ';'; use --sep ';'"),
        ("a\tb\n1\t2\n3\n", "separated by '.t'; use --format tsv"),
        ("a,b\n1,2,\n", "line 2 has 3 values where the header has 2 names; does the line end in a separator"),
        ("a,b\n1,2\n3\n", "line 3 has 1 value where the header has 2 names; was the file cut off"),
        ("a,b\n", "has a header but 0 samples"),
        ('a,b\n1,"2\n', "a quotation mark is opened in row .* and never closed"),
    ],
)
def test_what_pandas_would_repair_in_silence_is_refused(tmp_path, text, says):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=says):
        TextTable(str(tmp_path / "t.csv"), "t.csv", ",").frame()


def test_cells_are_read_again_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n007,6\n1e3,6.0\n")
    table = TextTable(str(tmp_path / "t.csv"), "t.csv", ",")
    assert table.frame().to_numpy().tolist() == [[7.0, 6.0], [1000.0, 6.0]]
    assert table.cells(["b", "a", "made here"]).to_numpy().tolist() == [["6", "007"], ["6.0", "1e3"]]
