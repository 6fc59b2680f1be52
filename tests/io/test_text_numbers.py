"""Numbers in csv and tsv: read to the last bit, with any marks, or refused in doubt."""

import csv
import gzip
import io
import random
import struct
import sys
from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES
from tests.io.tables import refuses, save, written

from eigenselect.exceptions import InputError
from eigenselect.io import number_blocks
from eigenselect.io.readers import read_table
from eigenselect.io.request import TextFormat
from eigenselect.multisource import read_auxiliary

ODD = ["+5", ".5", "5.", "1E5", "-0.0", "1e-400", "00012.50", "0." + "0" * 300 + "1", "1" + "0" * 300, " 7", "9" * 30]
ODD += ["9007199254740993", "18446744073709551616", "-9223372036854775809", "5e-324", "1.7976931348623157e308"]
ODD += ["0.1000000000000000055511151231257827021181583404541015625", "2.4703282292062328e-324", "0e99", "-.5", "+.5"]


def number_of(bits):
    return struct.unpack("d", struct.pack("Q", bits))[0]


def halfway(bits):
    """Digits of a number just between two floating-point numbers, and of its neighbours below and above."""
    with localcontext(prec=1100):
        middle = (Decimal(number_of(bits)) + Decimal(number_of(bits + 1))) / 2
        return [f"{middle:e}", f"{middle.next_minus():e}", f"{middle.next_plus():e}"]


def short_numbers():
    """Up to 19 digits: shortest ones of any normal number, any length and exponent, ties between two numbers."""
    rng = random.Random(17)
    texts = []
    for _ in range(2500):
        bits = (rng.getrandbits(1) << 63) | (rng.randrange(1, 2047) << 52) | rng.getrandbits(52)
        tie = 2 * (rng.getrandbits(52) | 1 << 52) + 1
        texts += [repr(number_of(bits)), f"{rng.getrandbits(rng.randint(1, 63))}e{rng.randint(-300, 280)}"]
        texts += [f"{rng.gauss(0, 1):.{rng.randint(1, 18)}f}", str(tie << rng.randint(0, 9))]
        texts.append(f"{tie}e{rng.randint(-3, 3)}")
    return texts


def long_numbers():
    """More digits than a machine word holds, subnormal numbers, and numbers near a tie."""
    rng = random.Random(1990)
    texts = []
    for _ in range(150):
        texts += halfway(rng.getrandbits(62)) + halfway(rng.getrandbits(51))
        texts += [str(rng.getrandbits(rng.randint(60, 200))), f"{rng.gauss(0, 1):.{rng.randint(16, 40)}g}"]
        texts.append(f"{rng.getrandbits(64)}.{rng.getrandbits(100)}e{rng.randint(-330, 250)}")
    return texts


def mixed_numbers():
    """Short numbers with an odd one here and there."""
    texts = short_numbers()
    texts[300::600] = ODD
    return texts


NUMBERS = {"short": short_numbers, "long": long_numbers, "odd": lambda: ODD, "mixed": mixed_numbers}


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("route", ["libraries", "without arrow", "large file"])
def test_every_number_is_the_one_of_python(tmp_path, monkeypatch, numbers, route):
    if route != "libraries":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    if route == "large file":  # later blocks of a file are read in another way
        monkeypatch.setattr(number_blocks, "BLOCK", 10_000)
    texts = NUMBERS[numbers]()
    expected = np.array([float(text) for text in texts])
    for ending, mark in (("csv", ","), ("tsv", "\t"), ("csv.gz", ",")):
        path = str(tmp_path / f"t.{ending}")
        pd.DataFrame({"a": texts, "id": texts, "b": texts[::-1]}).to_csv(path, index=False, sep=mark)
        X = read_table(path, samples="id").X
        assert X.tobytes() == np.column_stack([expected, expected[::-1]]).tobytes(), ending
    assert read_auxiliary(path, names=False)["a"].to_numpy().tobytes() == expected.tobytes()


NO_NUMBERS = ["1_000", "1 000", "0x10", "1d5", "٣", "--1", "1e", "5\u00a0", "1.2.3", "nan(7)", "-", "x", "1,2,3"]


@pytest.mark.parametrize("has_arrow", [True, False])
def test_what_is_no_number_makes_a_column_text(tmp_path, monkeypatch, has_arrow):
    if not has_arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        monkeypatch.setattr(number_blocks, "BLOCK", 1000)
        for cell, keyword in (("x", "not numeric ('a')"), ("NA", "1 missing"), ("1e400", "beyond")):
            refuses(save(tmp_path, "a,b\n" + "1,2\n" * 5000 + f"{cell},1\n" + "3,4\n" * 200), keyword)
    for cell in NO_NUMBERS:
        for text in (f'a,b\n"{cell}",1\n2,3\n', f'a,b\n2,1\n"{cell}",3\n', f"a;b\n{cell};1\n2;3\n"):
            refuses(save(tmp_path, text), "1 of 2 columns is not numeric ('a')")


def test_what_pandas_takes_for_missing_is_missing(tmp_path):
    for cell in STR_NA_VALUES:
        for other in ("2", "True"):  # read in the fast and in the other way
            refuses(save(tmp_path, f"a,b\n1,{other}\n{cell},{other}\n"), "1 missing")


@pytest.mark.parametrize("impute", [False, True])
def test_numbers_beyond_the_largest_and_infinity(tmp_path, impute):
    for number in ("1e400", "-1e400", "9" * 400):
        refuses(save(tmp_path, f"a,b\n{number},1\n2.5,3\n4,4\n"), "in 'a' is beyond 1.8e308", impute=impute)
    path = save(tmp_path, "a,b\ninf,1\n2.5,3\n4,4\n")
    if impute:
        assert read_table(path, impute=True).X[0, 0] == 3.25
    else:
        refuses(path, "1 missing or infinite value in 'a'")


CELLS = "1|-2.5|1e5|.5|5.|007|9999999999999999999999999|1 | 1|+3|1e400|1e-400|\t1|NA||nan|null|x|x y|1_0|ü|#|(|nan(1)"
CELLS += '|0x1|5"|\'|"q"|"a,b"|"7"|"1,5"'
cells = st.sampled_from(CELLS.split("|"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_a_column_is_read_alike_whatever_stands_beside_it(tmp_path_factory, rows, end):
    """Truth values are numbers, too, but leave the fast way of reading."""
    folder, found = tmp_path_factory.mktemp("cells"), []
    for beside in (["1", "0", "1", "0"], ["True", "False", "True", "False"]):
        lines = [",".join([*row, other]) for row, other in zip(rows, beside, strict=False)]
        path = save(folder, end.join(["a,b,c,d", *lines, ""]))
        try:
            found.append(read_table(path, impute=True).X.tolist())
        except InputError as error:
            found.append(str(error))
    assert found[0] == found[1]


#: text, options, and the numbers of the table, or a word of the refusal
MARKED = [
    ("a;b\n1,5;2\n3,25;4\n", {}, [[1.5, 2], [3.25, 4]]),
    ("a;b\n1.234,5;2\n3;4\n", {}, [[1234.5, 2], [3, 4]]),
    ("a;b\n0,5;1.234\n2;NA\n3;5\n", {"impute": True}, [[0.5, 1234], [2, 619.5], [3, 5]]),
    ("a;b\n0.5;2\n3;1,234\n", {}, [[0.5, 2], [3, 1234]]),
    ("a;b\n1,5e3;2\n3;4\n", {}, [[1500, 2], [3, 4]]),
    ("a,b\n1.234,2\n3,4\n", {}, [[1.234, 2], [3, 4]]),
    ("a;b\n" + "1.234;7\n" * 500 + "0,5;7\n", {}, [[1234, 7]] * 500 + [[0.5, 7]]),
    ("a;b\n" + "1.234;7\n" * 500 + "0.5;7\n", {}, [[1.234, 7]] * 500 + [[0.5, 7]]),
    # in doubt, unless the mark is named
    ("a;b\n1,234;2\n3,456;4\n", {}, "1234 or 1.234"),
    ("a;b\n1,234;2\n3,456;4\n", {"text": TextFormat(decimal=",")}, [[1.234, 2], [3.456, 4]]),
    ("a;b\n1,234;2\n3,456;4\n", {"text": TextFormat(decimal=".")}, [[1234, 2], [3456, 4]]),
    ("a;b\n1,234;2\n3,456;4\n", {"ignore": ["a"]}, [[2], [4]]),
    ("a;b\n1,234;2\n3,456;4\n", {"label": "a"}, [[2], [4]]),
    ("a;b\n1.234;2\n3;4\n", {}, "--decimal"),
    ("a;b\n1.234;2\n3;4\n", {"text": TextFormat(decimal=",")}, [[1234, 2], [3, 4]]),
    ("a;b\n1.234;2\n3;4\n", {"text": TextFormat(decimal=".")}, [[1.234, 2], [3, 4]]),
    ("a,b\n1.5,2\n3,4\n", {"text": TextFormat(decimal=",")}, "not numeric ('a')"),
    # cells of a column that do not agree
    ("a;b\n1,5;2\n1.5;4\n", {}, "not numeric ('a')"),
    ("a;b\n1,5;2.5\n2,5;3.5\n", {}, "'1,5' in 'a'"),
    ("a;b\n1.234,5;2\n1234,5;4\n", {}, "not numeric ('a')"),
    ('a,b\n"1,234",2.5\n5678,4\n', {}, "not numeric ('a')"),
    ("a;b\n01.02.2024 x;2,5\n4;4\n", {}, "not numeric ('a')"),
]


def test_decimal_marks_thousands_and_percentages(tmp_path):
    for text, how, expected in MARKED:
        path = save(tmp_path, text)
        if isinstance(expected, str):
            refuses(path, expected, **how)
        else:
            assert read_table(path, **how).X.tolist() == expected, (text[:60], how)


moderate = st.floats(-1e15, 1e15, allow_nan=False).map(lambda x: x + 0.0)
tables = st.lists(st.lists(moderate, min_size=3, max_size=3), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(
    tables,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([".", ","]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from(["csv", "tsv", "csv.gz"]),
)
def test_any_table_is_read_to_the_last_bit(tmp_path_factory, numbers, separator, decimal, encoding, ending):
    """With every separator, decimal mark and encoding; and so is what is written of it."""
    numbers = [[0.5, 0.5, 0.5], *numbers]  # which shows the mark
    rows = [["Größe", "b", "c"], *([repr(number).replace(".", decimal) for number in row] for row in numbers)]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows(rows)
    data = buffer.getvalue().encode(encoding)
    folder = tmp_path_factory.mktemp("formats")
    table = read_table(save(folder, gzip.compress(data) if ending.endswith("gz") else data, f"t.{ending}"))
    assert table.feature_names == ("Größe", "b", "c")
    assert table.X.tobytes() == np.array(numbers).tobytes()
    said = " ".join(table.notes)
    assert ("between cells" in said) == (separator != ("\t" if ending == "tsv" else ","))
    assert ("decimal mark" in said) == (decimal == "," or separator == ";")
    assert ("read as" in said) == (not encoding.startswith("utf-8"))
    assert read_table(save(folder, written(table))).X.tobytes() == table.X.tobytes()


def test_marked_cells_are_written_so_that_they_are_read_again(tmp_path):
    path = save(tmp_path, "a;b;c\n0,5;1.234,5;5%\n;7;\n1,25;;7,5%\n0,75;8;6%\n")
    table = read_table(path, impute=True)
    again = save(tmp_path, written(table), "again.csv")
    assert "0,75" in written(table).decode()  # the median is written as the numbers beside it
    assert read_table(again).X.tobytes() == table.X.tobytes()
    (tmp_path / "t.csv").write_text("a;b\n1,234;0,5\n5;1\n")
    alone = written(read_table(path, ignore=["b"], text=TextFormat(decimal=",")))
    assert read_table(save(tmp_path, alone, "again.csv")).X.tolist() == [[1.234], [5]]
