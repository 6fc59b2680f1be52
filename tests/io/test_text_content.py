"""The bytes of text: as UTF-8, without lines around the table, bounded."""

import gzip
import io

import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.request import TextFormat
from eigenselect.io.text_content import END_OF_SERIES, Beginning, TextContent

TABLE = "Größe,Höhe\n1.5,2\n3,4.25\n"


def read(path, **options):
    content = TextContent(str(path), path.name, **options)
    content.check(",")
    with content.opened() as handle:
        return handle.read().decode(), content.note


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", "read as utf-16"),
        ("utf-16-le", "read as utf-16-le"),
        ("utf-16-be", "read as utf-16-be"),
        ("utf-32", "read as utf-32"),
        ("cp1252", "read as cp1252, as it is not UTF-8; name it with --encoding if it is another"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_encoding_gives_the_same_table_and_is_said(tmp_path, encoding, note, pack):
    path = tmp_path / ("t.csv" if pack is bytes else "t.csv.gz")
    path.write_bytes(pack(TABLE.encode(encoding)))
    assert read(path) == (TABLE, note)
    table = read_table(str(path))
    assert table.feature_names == ("Größe", "Höhe")
    assert table.X.tolist() == [[1.5, 2], [3, 4.25]]
    assert list(table.notes) == [note][: bool(note)]


@pytest.mark.parametrize("encoding", ["mac-roman", "cp1250", "utf-16", "utf-8", "UTF8"])
def test_an_encoding_can_be_named(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(TABLE.encode(encoding))
    table = read_table(str(tmp_path / "t.csv"), text=TextFormat(encoding=encoding))
    assert table.feature_names == ("Größe", "Höhe")
    assert any("read as" in note for note in table.notes) == (
        not encoding.lower().startswith("utf8") and encoding != "utf-8"
    )


def test_utf8_by_name_may_have_a_mark(tmp_path):
    (tmp_path / "t.csv").write_bytes(TABLE.encode("utf-8-sig"))
    assert read_table(str(tmp_path / "t.csv"), text=TextFormat(encoding="utf-8")).feature_names == ("Größe", "Höhe")


@pytest.mark.parametrize(
    ("data", "named", "says"),
    [
        (TABLE.encode("cp1252"), "utf-8", "is not text in UTF-8; save it as UTF-8, or name it with --encoding"),
        (TABLE.encode("cp1252"), "ascii", "is not text in ascii; save"),
        (TABLE.encode("utf-16")[:-1], None, "is not text in utf-16; save"),
        (TABLE.encode("utf-16-le") + b"\0\0", None, "holds NUL bytes"),
        (TABLE.encode() + b"\0", None, "holds NUL bytes"),
        (TABLE.encode() + b"\0", "latin-1", "holds NUL bytes"),
        (TABLE.encode()[:3] + b"\xff\xff" + TABLE.encode(), None, "is not text in UTF-8"),
    ],
)
def test_damaged_text_gets_its_sentence(tmp_path, data, named, says):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(InputError, match=f"t.csv: {says}"):
        read_table(str(tmp_path / "t.csv"), text=TextFormat(encoding=named))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "cp1252"])
def test_standard_input_too(monkeypatch, encoding):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode(encoding))))
    assert read_table("-").feature_names == ("Größe", "Höhe")


def test_zeros_from_standard_input_end_at_once(monkeypatch):
    class Zeros:
        buffer = property(lambda self: self)

        def read(self, size):
            return bytes(size)

    monkeypatch.setattr("sys.stdin", Zeros())
    with pytest.raises(InputError, match="standard input: holds NUL bytes"):
        read_table("-")


def test_wide_letters_are_counted_as_they_are_read(tmp_path, little):
    """A table in UTF-16 is bounded by the memory that its cells take."""
    (tmp_path / "t.csv").write_bytes(("a,b\n" + "1,2\n" * 500_000).encode("utf-16"))
    with pytest.raises(InputError, match=r"for which 2\d\.\d MB of memory or more are needed"):
        read_table(str(tmp_path / "t.csv"))


def test_lines_before_and_behind_the_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("# größe\n\na,b\n1,2\n".encode("cp1252") + END_OF_SERIES + b"\r\n\n")
    content = TextContent(str(path), "t.csv")
    content.n_before = 2
    content.check(",", ends_in_remark=True)
    with content.opened() as handle:
        assert handle.read() == b"a,b\n1,2\n"


def test_the_beginning_in_pieces():
    reader = io.BufferedReader(Beginning(io.BytesIO(b"abcdefgh"), 5), 2)
    assert [reader.read(3), reader.read(3), reader.read(3)] == [b"abc", b"de", b""]


@pytest.mark.parametrize("encoding", ["utf-16", "punycode"])
def test_an_encoding_whose_decoder_says_more_than_that_a_letter_is_wrong(tmp_path, encoding):
    """Some raise a UnicodeError that is no UnicodeDecodeError, as UTF-16 does without a byte-order mark."""
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE.encode() + b"-,-\n")
    with pytest.raises(
        InputError, match=rf"t\.csv: is not text in {encoding}; save it as UTF-8, or name it with --enc"
    ):
        read_table(str(path), text=TextFormat(encoding=encoding))
