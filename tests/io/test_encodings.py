"""Encodings are told where the bytes leave no doubt, and text comes out letter by letter."""

import io

import pytest

from eigenselect.io.encodings import Recoded, Utf8Check, encoding_at, has_nul

TEXT = "Größe,naïve\n1,2\n"


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", None),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("cp1252", None),
        ("utf-32-le", None),
    ],
)
def test_what_the_first_bytes_say(encoding, told):
    assert encoding_at(TEXT.encode(encoding)) == told


@pytest.mark.parametrize("start", [b"", b"a", b"\0", b"\0" * 64, b"1\x002,2\n", b"a\0b\0\0\0c\0", b"\0a\0b\0c\0\0"])
def test_zeros_without_order_are_no_utf16(start):
    """But for two bytes, of which one is zero: nothing else can be known of such a text."""
    assert encoding_at(start) is None


def looked(*chunks):
    check = Utf8Check()
    for chunk in chunks:
        check.look(chunk)
    return check.encoding()


def test_utf8_in_chunks_that_cut_letters():
    data = (TEXT + "ゲゲ😀").encode()
    for size in (1, 2, 3, 5):
        assert looked(*(data[i : i + size] for i in range(0, len(data), size))) == "utf-8"
    assert looked() == looked(b"a") == "utf-8"


def test_cp1252_where_nothing_speaks_against_it():
    data = TEXT.encode("cp1252")
    for size in (1, 2, 100):
        assert looked(*(data[i : i + size] for i in range(0, len(data), size))) == "cp1252"
    assert looked("5 €".encode("cp1252")) == "cp1252"


@pytest.mark.parametrize(
    "data",
    [
        ("ö" + TEXT).encode()[:5],  # cut within a letter
        TEXT.encode() + b"\xe9",
        b"\xe9\x81",  # no letter in cp1252
        b"\xe9\x01",
        bytes(range(128, 256)),
    ],
)
def test_damaged_text_is_none_of_both(data):
    assert looked(data) is None


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252", "utf-32", "shift-jis"])
def test_recoded_text_is_the_same_in_pieces_of_any_size(encoding, monkeypatch):
    text = "a,b\n" * 100 + ("ゲゲ" if encoding != "cp1252" else "é€")
    for size in (1, 3, 1000):
        monkeypatch.setattr("eigenselect.io.encodings.CHUNK", size)
        reader = io.BufferedReader(Recoded(io.BytesIO(text.encode(encoding)), encoding), 64)
        parts = iter(lambda: reader.read(7), b"")  # noqa: B023
        assert b"".join(parts).decode() == text


def test_what_is_cut_off_is_an_error():
    with pytest.raises(UnicodeDecodeError):
        Recoded(io.BytesIO("ab".encode("utf-16")[:-1]), "utf-16").readall()


def test_which_encodings_have_zeros():
    assert [has_nul(name) for name in ("UTF16", "utf_32_be", "latin1", "utf8")] == [True, True, False, False]
