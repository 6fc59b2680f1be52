"""Blocks of numbers are read to the last bit, or not at all."""

import io
import random
import struct
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.io import number_blocks
from eigenselect.io.number_blocks import Body, NotSimpleError, by_arrow, by_numpy, one_column

READERS = [by_arrow, by_numpy]


@pytest.fixture(params=READERS, ids=lambda reader: reader.__name__)
def reader(request):
    if request.param is by_arrow:
        pytest.importorskip("pyarrow")
    return request.param


def halfway(bits):
    """The digits of a number just between two floating-point numbers, and of its neighbours below and above."""
    from decimal import Decimal, localcontext

    low, high = (struct.unpack("d", struct.pack("Q", bits + step))[0] for step in (0, 1))
    with localcontext(prec=1100):
        middle = (Decimal(low) + Decimal(high)) / 2
        return [f"{middle:e}", f"{middle.next_minus():e}", f"{middle.next_plus():e}"]


def hard_numbers():
    rng = random.Random(1990)
    texts = ["5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "4.9406564584124654e-324", "1e-320"]
    texts += ["2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623158e308"]
    texts += [
        "9007199254740993",
        "9007199254740992.5",
        "18446744073709551616",
        "123456789012345678901234567890",
        "-0.0",
    ]
    texts += ["0." + "0" * 300 + "1", "1" + "0" * 300, "0.1000000000000000055511151231257827021181583404541015625"]
    texts += [".5", "5.", "1E5", "-1e+5", "1e-5", "00012.50"]
    for _ in range(300):
        texts += halfway(rng.getrandbits(62))
        texts += halfway(rng.getrandbits(51))  # subnormal
        texts.append(str(rng.getrandbits(rng.randint(60, 200))))
        texts.append(f"{rng.getrandbits(64)}.{rng.getrandbits(100)}e{rng.randint(-330, 250)}")
        texts.append(f"{rng.gauss(0, 1):.{rng.randint(16, 40)}g}")
    return texts


def read_or_refused(reader, text):
    try:
        return reader(f"{text}\n".encode())
    except NotSimpleError:
        return None


def test_hard_numbers_are_those_of_python_to_the_last_bit(reader):
    """A number that is not read at once is left to the other reader; of these, almost none is."""
    texts, left = hard_numbers(), 0
    for text in texts:
        found = read_or_refused(reader, text)
        left += found is None
        assert found is None or found.tobytes() == np.array([float(text)]).tobytes(), text
    assert left <= len(texts) // 20


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_columns_of_numbers(numbers):
    data = "".join(f"{number!r}\n" for number in numbers).encode()
    for reader in READERS:
        assert reader(data).tobytes() == np.array(numbers).tobytes()


@pytest.mark.parametrize("text", ["1 2", "1_000", "1,5", "0x10", "1d5", "a", "--1", "1e", "٣", "1\u00a0", "nan(7)x"])
def test_what_is_no_number_is_refused(reader, text):
    with pytest.raises(NotSimpleError):
        reader(f"3\n{text}\n4\n".encode())


@pytest.mark.parametrize("missing", ["", "NA", "NaN", "null", "-nan", '"NA"'])
def test_missing_cells_are_nan_or_left_to_the_other_reader(reader, missing):
    found = read_or_refused(reader, f"1\n{missing}\n2")
    assert found is None or np.array_equal(found, [1, np.nan, 2], equal_nan=True)
    if reader is by_arrow:
        assert found is not None


def test_without_arrow_numpy_reads(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(number_blocks, "by_arrow", lambda data: pytest.fail("Arrow is not there"))
    assert one_column(b"1.5\n2\n").tolist() == [1.5, 2]


@pytest.mark.parametrize("has_arrow", [True, False])
def test_compiled_loops_read_later_blocks_soon_where_arrow_is_missing(monkeypatch, has_arrow):
    """Nine blocks: the last is left to compiled loops where numpy would read it, and not where Arrow does."""
    pytest.importorskip("pyarrow")
    if not has_arrow:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(number_blocks, "BLOCK", 4)
    compiled = []
    monkeypatch.setattr(Body, "_compiled_numbers", lambda self, block, *places: compiled.append(block.tobytes()))
    numbers, _ = read("".join(f"{row},1\n" for row in range(9)))
    assert numbers[:, 0].tolist() == list(range(9))
    assert compiled == ([] if has_arrow else [b"8,1\n"])


def read(text, separator=",", width=2, decimal=".", texts=()):
    return Body(separator, width, decimal, texts).read(io.BytesIO(text.encode()))


@pytest.fixture(params=["by libraries", "compiled"])
def route(request, monkeypatch):
    """Blocks as the first ones are read, and as those of a large file."""
    if request.param == "compiled":
        monkeypatch.setattr(number_blocks, "BEFORE_COMPILED", 0)
        monkeypatch.setattr(number_blocks, "FEW", 0)
        monkeypatch.setattr(number_blocks, "one_column", lambda data: pytest.fail("not by compiled loops"))


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_lines_of_every_kind(end):
    numbers, texts = read(f'1,a b,2.5\r\n3,"c ""d""",4{end}', width=3, texts=[1])
    assert numbers.tolist() == [[1, 2.5], [3, 4]]
    assert texts == {1: ["a b", 'c "d"']}


@pytest.mark.usefixtures("route")
def test_blocks_of_any_size_give_the_same(monkeypatch):
    text = "".join(f"{i},{i}.5,n{i}\n" for i in range(50))
    whole = read(text, width=3, texts=[2])
    for size in (1, 7, 64):
        monkeypatch.setattr(number_blocks, "BLOCK", size)
        numbers, texts = read(text, width=3, texts=[2])
        assert numbers.tobytes() == whole[0].tobytes()
        assert texts == whole[1]


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n",
        "1\n",
        "1,2\n3\n",
        "1,2\n3,4,5\n6\n",  # as many cells as two lines and a half
        "1,2,3\n4\n",  # as many as two lines
        "1,2\n\n3,4\n",
        "\n1,2\n",
        "1,2\r3,4\r",
        '1,"2\n3",4\n',
        '1,"2,3"\n',
        "1,2\n3,x\n",
        "1,nan(7)\n",
        "1,0x10\n",
        "1,2;5\n",
        "1,2 3\n",
    ],
)
def test_what_is_not_simple_is_refused(text):
    with pytest.raises(NotSimpleError):
        read(text)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize(
    ("decimal", "cell"), [(".", "1,5"), (",", "1.5"), ("", "1.5"), ("", "1,5"), (",", "1,234,567")]
)
def test_a_mark_that_is_not_expected_is_refused(decimal, cell):
    with pytest.raises(NotSimpleError):
        read(f"{cell};2\n", ";", decimal=decimal)


@pytest.mark.usefixtures("route")
def test_marks_in_text_are_none_of_numbers():
    numbers, texts = read("1,5;a.b, (c)\n2;x\n", ";", decimal=",", texts=[1])
    assert numbers.tolist() == [[1.5], [2]]
    assert texts == {1: ["a.b, (c)", "x"]}


@pytest.mark.usefixtures("route")
def test_no_line_at_all():
    numbers, texts = read("", texts=[0])
    assert (numbers.shape, texts) == ((0, 1), {0: []})


@pytest.mark.usefixtures("route")
def test_cells_that_only_python_reads_and_those_that_are_missing():
    numbers, _ = read('"1.5",NA\n 2,0.1000000000000000055511151231257827021181583404541015625\n')
    np.testing.assert_array_equal(numbers, [[1.5, np.nan], [2, 0.1]])


def test_a_block_of_quoted_numbers_is_left_to_the_libraries(monkeypatch):
    monkeypatch.setattr(number_blocks, "BEFORE_COMPILED", 0)
    monkeypatch.setattr(number_blocks.Body, "_number", lambda self, cell: pytest.fail("one by one"))
    pytest.importorskip("pyarrow")
    numbers, _ = read('"1","2"\n"3","4"\n')
    assert numbers.tolist() == [[1, 2], [3, 4]]
