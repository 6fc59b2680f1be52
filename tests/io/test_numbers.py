"""Numbers are read to the last bit, and cells that are kept are written letter by letter."""

import random
import struct
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.main import run
from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.table import scaled
from eigenselect.io.text import numbers_of, overflowing, rounded
from eigenselect.io.writers import column_names, table_bytes
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
    assert numbers_of([cell]) is None


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 400, "-" + "9" * 400])
@pytest.mark.parametrize("impute", [False, True])
def test_a_number_beyond_the_largest_never_becomes_infinite(tmp_path, number, impute):
    (tmp_path / "t.csv").write_text(f"a,b\n{number},1\n2.5,3\n4,4\n")
    with pytest.raises(InputError, match=r"in 'a' is beyond 1\.8e308, the largest floating-point number; write"):
        read_table(str(tmp_path / "t.csv"), impute=impute)


def test_a_written_infinity_is_a_missing_value(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\ninf,1\n2.5,3\n4,4\n")
    with pytest.raises(InputError, match=r"1 missing or infinite value in 1 column, most in 'a' \(1\)"):
        read_table(str(tmp_path / "t.csv"))
    assert read_table(str(tmp_path / "t.csv"), impute=True).X[0, 0] == 3.25
    assert overflowing(["inf", "1e308", "1e309"]) == "1e309"


LETTERS = {
    "a": ["6", "6.0", "6.50", "+7", "007"],
    "b": ["9007199254740993", "18446744073709551617", "-9223372036854775809", "1", "2"],
    "c": ["1e3", "1E3", ".5", "5.", "0.1000000000000000055511151231257827"],
    "d": ["True", "False", "True", "True", "False"],
    "e": ["1", "2", "3", "4", "5"],
}


def written(table, ending="csv"):
    return table_bytes(table, ending, column_names(table, ending, samples=None, label=None))


class TestLetters:
    @pytest.fixture
    def frame(self):
        return pd.DataFrame(LETTERS)

    @pytest.mark.parametrize(("source", "target"), [("csv", "csv"), ("tsv", "csv"), ("csv.xz", "tsv"), ("csv", "tsv")])
    def test_every_cell_is_written_as_it_stood(self, tmp_path, frame, source, target):
        path = tmp_path / f"t.{source}"
        frame.to_csv(path, index=False, sep="\t" if source == "tsv" else ",")
        expected = frame.to_csv(index=False, sep="\t" if target == "tsv" else ",")
        assert written(read_table(str(path)), target).decode() == expected

    def test_select_keeps_the_letters_of_the_columns_it_keeps(self, capsys, tmp_path, frame):
        frame.assign(y=list("uuvvv")).to_csv(tmp_path / "t.csv", index=False)
        for k in range(1, 6):
            words = ("select", tmp_path / "t.csv", "--label", "y", "-k", k, "-o", tmp_path / f"{k}.csv")
            assert run(list(map(str, words))) == 0, capsys.readouterr().err
            small = pd.read_csv(tmp_path / f"{k}.csv", dtype=str, keep_default_na=False)
            assert len(small.columns) == k + 1
            pd.testing.assert_frame_equal(small.drop(columns="y"), frame[list(small.columns[1:])])

    def test_of_standard_input(self, tmp_path, frame, monkeypatch):
        frame.to_csv(tmp_path / "t.csv", index=False)
        with open(tmp_path / "t.csv") as file:
            monkeypatch.setattr("sys.stdin", file)
            table = read_table("-")
        assert written(table).decode() == (tmp_path / "t.csv").read_text()

    def test_only_filled_cells_are_changed(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,b\n6,1\n,2\n7.50,\n6,x\n".replace("x", "inf"))
        table = read_table(str(tmp_path / "t.csv"), impute=True)
        assert written(table).decode() == "a,b\n6,1\n6.0,2\n7.50,1.5\n6,1.5\n"

    def test_whole_medians_stay_whole_among_whole_numbers(self, tmp_path):
        """One 5.0 among them, and every reader would round the large ones."""
        (tmp_path / "t.csv").write_text("a,b\n1,1\n5,\n9007199254740993,2\n,5\n5,5\n")
        table = read_table(str(tmp_path / "t.csv"), impute=True)
        assert written(table).decode() == "a,b\n1,1\n5,3.5\n9007199254740993,2\n5,5\n5,5\n"

    def test_scaled_features_have_numbers_of_their_own(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,b\n1,1\n2,5\n")
        table = scaled(read_table(str(tmp_path / "t.csv")), "minmax")
        assert written(table).decode() == "a,b\n0.0,0.0\n1.0,1.0\n"

    def test_beside_columns_of_0_and_1(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,colour\n1,red\n2,blue\n007,red\n")
        table = read_table(str(tmp_path / "t.csv"), one_hot=True)
        assert written(table).decode() == "a,colour=blue,colour=red\n1,0.0,1.0\n2,1.0,0.0\n007,0.0,1.0\n"
        (tmp_path / "t.csv").write_text("colour=red,colour\n1,red\n2,blue\n")
        made = read_table(str(tmp_path / "t.csv"), one_hot=True, ignore=["colour=red"])
        assert written(made).decode() == "colour=blue,colour=red\n0.0,1.0\n1.0,0.0\n"  # not those of the ignored column
        with pytest.raises(InputError, match="--one-hot makes a second column 'colour=red'; rename the first"):
            read_table(str(tmp_path / "t.csv"), one_hot=True)

    def test_whole_numbers_of_parquet(self, tmp_path):
        pytest.importorskip("pyarrow")
        whole = [2**53 + 1, -(2**62) - 1, 6]
        pd.DataFrame({"a": whole, "b": [0.5, 1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
        assert written(read_table(str(tmp_path / "t.parquet"))).decode().splitlines()[1:] == [
            f"{number},{half}" for number, half in zip(whole, [0.5, 1.0, 2.0], strict=True)
        ]

    def test_a_file_that_changes_meanwhile_is_refused(self, tmp_path):
        (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
        table = read_table(str(tmp_path / "t.csv"))
        (tmp_path / "t.csv").write_text("a,b\n10,20\n30,40\n")
        with pytest.raises(InputError, match="was changed while it was read; run again"):
            written(table)


class TestWholeNumbersInAnArchive:
    def archived(self, tmp_path, text):
        (tmp_path / "t.csv").write_text(text)
        (tmp_path / "t.npz").write_bytes(written(read_table(str(tmp_path / "t.csv")), "npz"))
        return read_table(str(tmp_path / "t.npz")).X

    def test_are_whole_where_floating_point_numbers_would_be_others(self, tmp_path):
        X = self.archived(tmp_path, "a,b\n9007199254740993,1\n2,3\n")
        assert X.dtype == np.int64
        assert X.tolist() == [[2**53 + 1, 1], [2, 3]]

    def test_stay_numbers_where_nothing_is_lost(self, tmp_path):
        X = self.archived(tmp_path, "a,b\n9007199254740994,1\n2,3\n")
        assert X.dtype == np.float64
        assert X[0, 0] == 2**53 + 2

    @pytest.mark.parametrize("other", ["0.5", "99999999999999999999"])
    def test_are_refused_where_the_matrix_cannot_hold_them(self, tmp_path, other):
        with pytest.raises(InputError, match=r"'[ab]' holds whole numbers beyond 2\^53.*write \.csv"):
            self.archived(tmp_path, f"a,b\n9007199254740993,{other}\n2,3\n")

    def test_columns_that_were_made_here_stand_beside_them(self, tmp_path):
        """A text column has no letters once it is columns of 0 and 1; they were left out of the matrix in silence."""
        (tmp_path / "t.csv").write_text("t,a\nu,9007199254740993\nv,2\nu,3\n")
        table = read_table(str(tmp_path / "t.csv"), one_hot=True)
        (tmp_path / "t.npz").write_bytes(written(table, "npz"))
        found = read_table(str(tmp_path / "t.npz"))
        assert found.feature_names == ("t=u", "t=v", "a")
        assert found.X.tolist() == [[1, 0, 2**53 + 1], [0, 1, 2], [1, 0, 3]]

    @pytest.mark.parametrize("other", [[0.5, 2.0], [2.0, 3.0]])
    def test_floating_point_columns_of_parquet_stand_beside_them(self, tmp_path, other):
        pytest.importorskip("pyarrow")
        pd.DataFrame({"a": [2**53 + 1, 2], "b": other}).to_parquet(tmp_path / "t.parquet")
        table = read_table(str(tmp_path / "t.parquet"))
        if other[0] % 1:
            with pytest.raises(InputError, match=r"'a' holds whole numbers beyond 2\^53.*write \.csv"):
                written(table, "npz")
        else:
            (tmp_path / "t.npz").write_bytes(written(table, "npz"))
            assert read_table(str(tmp_path / "t.npz")).X.tolist() == [[2**53 + 1, 2], [2, 3]]

    def test_rounding_is_seen_in_the_letters(self):
        assert rounded(["1", " 9007199254740993"], [1.0, 2.0**53])
        assert not rounded(["1e30", "9007199254740994", "0" * 5000 + "7"], [1e30, 2.0**53 + 2, 7.0])


@pytest.mark.parametrize("name", ["self", "index", "columns", "0"])
def test_columns_may_have_any_name(tmp_path, name):
    """Pandas' assign takes names of columns for its own parameters."""
    text = f"{name},b\n18446744073709551616,6\n2,7\n"
    (tmp_path / "t.csv").write_text(text)
    table = read_table(str(tmp_path / "t.csv"))
    assert table.X.tolist() == [[2.0**64, 6], [2, 7]]
    assert written(table).decode() == text


def test_decimal_numbers_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    cells = [Decimal("0.10"), Decimal("12345678901234567.89"), Decimal("-3.00")]
    pd.DataFrame({"a": cells, "y": cells}).to_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"), label="y")
    assert table.X.ravel().tolist() == [0.1, 12345678901234567.89, -3.0]
    assert table.label_text.tolist() == [str(cell) for cell in cells]
    assert table.letters(["a"])["a"].tolist() == [str(cell) for cell in cells]
