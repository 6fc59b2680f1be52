"""Text as people have it: separators, remarks and encodings are found and told; damage and doubt are refused."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import pytest
from tests.io.tables import MB, refuses, save, written

from eigenselect.io.readers import read_sample_sheet, read_table
from eigenselect.io.request import TextFormat
from eigenselect.multisource import read_gene_sets

SERIES = """!Series_title\t"Grün"
!Series_samples\t"1"\t"2"\t"3"

!series_matrix_table_begin
"ID_REF"\t"GSM1"\t"GSM2"
"g1"\t0.5\t2
"g2"\t3.25\t4
!series_matrix_table_end
"""
UMLAUTS = "Größe,Höhe\n1.5,2\n3,4.25\n"
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}

#: file, text, options, names of the features and a word of the note, or None where nothing is told
LAYOUTS = [
    ("t.csv", "a,b\n1,2\n3,4\n", {}, "ab", None),
    ("t.tsv", "a\tb\n1\t2\n3\t4\n", {}, "ab", None),
    ("t.txt", "a\tb\r\n1\t2\r\n3\t4", {}, "ab", None),
    ("t.csv", "a;b\n1;2\n3;+4\n", {}, "ab", "';' between cells"),
    ("t.csv", "a\tb\n1\t2\n3\t4\n", {}, "ab", "a tab"),
    ("t.tsv", "a,b\n1,2\n3,4\n", {}, "ab", "','"),
    ("t.txt", "a b c\n1 2 3\n3   4 5e3\n", {}, "abc", "blanks"),
    ("t.csv", 'a;"b;,|\t"\n1;"2"\n3;4\n', {}, ["a", "b;,|\t"], "';'"),
    ("t.csv", "a,b;c\n1,5;2,5\n3;4\n", {}, ["a,b", "c"], "';'"),
    ("t.csv", "a;x:b\n1:2\n3:4\n", {"text": TextFormat(separator=":")}, ["a;x", "b"], "':'"),
    ("t.csv", "sep=;\na,b;c\n1;3\n2;5\n", {}, ["a,b", "c"], "';'"),
    ("t.csv", '"sep=;"\r\na;b\r\n1;3\r\n2;5\r\n', {}, "ab", "';'"),
    ("t.csv", "# made, today\n#two\n\na,b\n1,2\n3,4\n", {}, "ab", "2 lines before"),
    ("t.csv", "#a,b\n1,2\n3,4\n", {}, ["#a", "b"], None),
    ("t.csv", "#made\n#a,b\n1,2\n3,4\n", {}, ["#a", "b"], "1 line"),
    ("t.csv", "\n\na,b\n1,2\n3,4\n", {}, "ab", None),
    ("t.csv", 'a,b\n"1","2"\n3,4\n', {}, "ab", None),
    ("t.csv", "a,b,\n1,2,\n3,5,\n", {}, "ab", "1 column without"),
    ("t.csv", f"a,sequence,b\n1,{'ACGT' * 50_000},2\n3,A,4\n", {"ignore": ["sequence"]}, "ab", None),
    ("t.csv", b"PAR1,PAR2\n1,2\n3,4\n", {}, ["PAR1", "PAR2"], None),
]


def test_separators_and_lines_before_the_table(tmp_path):
    for name, text, how, names, word in LAYOUTS:
        table = read_table(save(tmp_path, text, name), **how)
        assert table.feature_names == tuple(names), text[:60]
        assert table.X.shape == (2, len(table.feature_names)), text[:60]
        assert len(table.notes) == (word is not None), (text[:60], table.notes)
        assert word is None or word in table.notes[0], (text[:60], table.notes)


#: bytes, options, a word of the refusal
REFUSED = [
    ("a,a\n1,2\n3,4\n", {}, "'a'"),
    ("5,0,0\n4,1,0\n", {}, "if it is a sample"),
    ("a;b\n1;2\n3\n", {}, "--sep ';'"),
    ("a\tb\n1\t2\n3\n", {}, "--format tsv"),
    ("a,b\n1,2\n3,4\n", {"text": TextFormat(separator="\t")}, "--sep ','"),
    ("a;b\n1;2\n3;4\n", {"text": TextFormat(separator=",")}, "';'"),
    ("a;b|c\n1;2|3\n4;5|6\n", {}, "--sep"),
    ("a b\n1 2\n3 4\n", {}, "not numeric"),
    ("first middle last\nAnna Maria Meier\nBert Emil Maus\n", {}, "no column is left"),
    ("a,b\n1,2,\n", {}, "line 2 has 3 values"),
    ("a,b\n1,2\n3\n", {}, "line 3 has 1 value"),
    ("a,b\n1,2\n3,4,5\n6\n", {}, "line 3 has 3 values"),
    ("a;b\n1,5;2\n" + "3,5;1\n" * 30 + "3,5\n", {}, "line 33 has 1 value"),
    ("# x\n\na;b\n1,5;2\n" + "3,5;1\n" * 30 + "3;5;7\n", {}, "line 35 has 3 values"),
    ("a,b\n", {}, "0 samples"),
    ('a,b\n1,"2\n', {}, "quotation mark"),
    ('a;b\n1,5;"2\n3,5;4\n', {}, "row 1"),
    ("a,b\n1,2\n3,5\n", {"text": TextFormat(separator="§")}, "one character"),
    ("a,b\n1,2\n3,5\n", {"text": TextFormat(separator='"')}, "one character"),
    ("a,b,\n1,2,\n3,5,9\n", {}, "'Unnamed: 2'"),
    (b"a;b\n1,5;\0\n", {}, "NUL bytes"),
    (UMLAUTS.encode() + b"\0", {"text": TextFormat(encoding="latin-1")}, "NUL bytes"),
    (UMLAUTS.encode("utf-16-le") + b"\0\0", {}, "NUL bytes"),
    (UMLAUTS.encode("cp1252"), {"text": TextFormat(encoding="utf-8")}, "--encoding"),
    (UMLAUTS.encode("utf-16")[:-1], {}, "utf-16"),
    (UMLAUTS.encode()[:3] + b"\xff\xff" + UMLAUTS.encode(), {}, "UTF-8"),
    (UMLAUTS.encode() + b"\xe9\x81,1\n", {}, "UTF-8"),
    (UMLAUTS.encode() + b"-,-\n", {"text": TextFormat(encoding="utf-16")}, "utf-16"),
    (UMLAUTS.encode() + b"-,-\n", {"text": TextFormat(encoding="punycode")}, "punycode"),
    (gzip.compress(b"a;b\n1,5;2\n" * 99)[:-30], {}, ".gz"),
    (b"PK\x03\x04\0", {}, "--format xlsx or npz"),
    (b"\x89HDF\r\n\x1a\n\0", {}, "--format h5ad or h5"),
    (b"PAR1\x15\0", {}, "--format parquet"),
]


def test_doubt_and_damage_are_refused(tmp_path):
    for text, how, keyword in REFUSED:
        refuses(save(tmp_path, text), keyword, **how)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_encoding_gives_the_same_table(tmp_path, pack):
    told = {"utf-8": None, "utf-8-sig": None, "cp1252": "--encoding"}
    for encoding in (*told, "utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        table = read_table(save(tmp_path, pack(UMLAUTS.encode(encoding)), "t.csv" if pack is bytes else "t.csv.gz"))
        assert table.feature_names == ("Größe", "Höhe"), encoding
        assert table.X.tolist() == [[1.5, 2], [3, 4.25]], encoding
        word = told.get(encoding, encoding)
        assert len(table.notes) == (word is not None), (encoding, table.notes)
        assert word is None or word in table.notes[0], (encoding, table.notes)


def test_an_encoding_can_be_named(tmp_path):
    for encoding, named in {
        "mac-roman": None,
        "cp1250": None,
        "utf-16": None,
        "UTF8": None,
        "utf-8-sig": "utf-8",
    }.items():
        path = save(tmp_path, UMLAUTS.encode(encoding))
        table = read_table(path, text=TextFormat(encoding=named or encoding))
        assert table.feature_names == ("Größe", "Höhe"), encoding
        assert bool(table.notes) == (not encoding.lower().startswith(("utf8", "utf-8"))), encoding


def test_letters_that_blocks_of_bytes_cut(tmp_path):
    """More than a million bytes of letters of four bytes each, which begin at every place."""
    for shift in range(4):
        for encoding in ("utf-8", "utf-16"):
            text = f"{'i' * (shift + 1)},a\n" + f"{'😀' * 99},1\n{'😀' * 99}é,2\n" * 1500
            table = read_table(save(tmp_path, text.encode(encoding)), samples="i" * (shift + 1))
            assert table.X.sum() == 4500
            assert set(table.sample_names) == {"😀" * 99, "😀" * 99 + "é"}, (shift, encoding)


def test_a_series_matrix(tmp_path):
    for name, pack in (("s.txt", bytes), ("s.txt.gz", gzip.compress)):
        table = read_table(save(tmp_path, pack(SERIES.encode()), name), samples="ID_REF")
        assert table.X.tolist() == [[0.5, 2], [3.25, 4]]
        assert table.sample_names.tolist() == ["g1", "g2"]
        assert "3 lines" in table.notes[0]


def test_sheets_of_samples_and_genes_in_rows_have_formats_too(tmp_path):
    sheet = read_sample_sheet(save(tmp_path, "id;age;type\ns1;61,5;a\ns2;47;b\n"))
    assert sheet.covariates["age"].tolist() == ["61.5", "47"]
    assert "decimal mark" in sheet.notes[0]
    path = save(tmp_path, "gene;s1;s2\nTP53;0,5;2\nMYC;1.234,5;4\n")
    assert read_table(path, transpose=True).X.tolist() == [[0.5, 1234.5], [2, 4]]


def test_columns_may_have_any_name(tmp_path):
    for name in ("self", "index", "columns", "0"):
        text = f"{name},b\n18446744073709551616,6\n2,7\n"
        table = read_table(save(tmp_path, text))
        assert table.X.tolist() == [[2.0**64, 6], [2, 7]]
        assert written(table).decode() == text


class Stream:
    """Standard input that gives the same bytes for ever."""

    buffer = property(lambda self: self)

    def __init__(self, piece):
        self.piece = piece

    def read(self, size):
        return self.piece * (size // len(self.piece))


class TestStandardInput:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "cp1252"])
    def test_is_read_as_a_file_is(self, monkeypatch, encoding):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(UMLAUTS.encode(encoding))))
        table = read_table("-")
        assert table.feature_names == ("Größe", "Höhe")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
        assert written(table).decode() == UMLAUTS

    def test_other_content_is_to_be_saved_in_a_file(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\x89HDF\r\n\x1a\n\0")))
        refuses("-", "standard input: is no text")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\x89HDF\r\n\x1a\n\0")))
        refuses("-", "save it in a file")

    def test_a_stream_without_end(self, monkeypatch, little):
        monkeypatch.setattr("sys.stdin", Stream(b"1,2\n"))
        refuses("-", "standard input: has")
        monkeypatch.setattr("sys.stdin", Stream(b"\0"))
        refuses("-", "NUL bytes")
        refuses("/dev/zero", "NUL bytes", file_format="csv")


class TestMemory:
    """Sizes are bounded by the memory that cells take, before they take it."""

    @pytest.mark.parametrize("ending", PACK)
    def test_a_bomb(self, tmp_path, little, ending):
        """Many compressed copies one after the other are a file of all of them."""
        rows = PACK[ending](b"1,2\n" * (MB // 4))
        path = save(tmp_path, PACK[ending](b"a,b\n") + rows * 100, f"t.csv.{ending}")
        refuses(path, "decompresses to")

    def test_cells_count_as_well_as_letters(self, tmp_path, little):
        """Short cells take more memory than their letters: three numbers each."""
        text = "a,b\n" + "1,2\n" * (MB // 2)
        refuses(save(tmp_path, text), "of memory")
        refuses(save(tmp_path, text.encode("utf-16")), "of memory")
        refuses(save(tmp_path, "a;b\n" + "1" * 30_000_000 + ";2\n"), "MB or more")
        path = save(tmp_path, "a,b\n" + f"1.{'3' * 60},2.{'4' * 60}\n" * 20_000)
        assert read_table(path).X.shape == (20_000, 2)

    def test_cells_as_text_are_bounded(self, tmp_path, monkeypatch):
        path = save(tmp_path, "a;b\n" + "1.234,5;2\n" * 20_000)
        assert read_table(path).X[0, 0] == 1234.5
        monkeypatch.setattr("eigenselect.io.memory.free_memory", lambda: 2e6)
        refuses(path, "2.6 MB")

    def test_knowledge_is_bounded_too(self, tmp_path, little):
        path = save(tmp_path, gzip.compress(b"A\tna\tX\n") + gzip.compress(b"\n" * MB) * 100, "sets.gmt.gz")
        refuses(path, "decompresses to", read_gene_sets)

    @pytest.mark.parametrize("ending", ["csv", "npz"])
    def test_memory_that_ends_all_the_same(self, tmp_path, monkeypatch, ending):
        def ends(*_):
            raise MemoryError("Unable to allocate 7.45 GiB for an array")

        monkeypatch.setitem(sys.modules["eigenselect.io.readers"]._READERS, ending, ends)
        refuses(save(tmp_path, "a,b\n1,2\n3,4\n", f"t.{ending}"), "more memory than")

    def test_limits_of_the_process_count(self):
        """Allocations fail within the bound and not after it, in a process of its own, whose limits are its own."""
        program = (
            "import resource, numpy as np; from eigenselect.io import memory\n"
            "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); print(0 < memory.free_memory() < 2 << 30)\n"
            "memory.free_memory = lambda: 3e8; before = resource.getrlimit(resource.RLIMIT_AS)\n"
            "try:\n"
            "    with memory.bounded_memory():\n"
            "        np.ones(1000); np.ones(10**8)\n"
            "except MemoryError: print('failed')\n"
            "print(resource.getrlimit(resource.RLIMIT_AS) == before, np.empty(10**8).size)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["True", "failed", "True", "100000000"]

    def test_many_columns(self, tmp_path):
        n = 100_000
        names = ";".join(map(str, range(n)))
        table = read_table(save(tmp_path, f"{names}\n{'0,5;' * (n - 1)}1\n{'1;' * (n - 1)}2\n"))
        assert table.X.sum(axis=1).tolist() == [0.5 * (n - 1) + 1, n + 1]


def test_a_file_that_changes_meanwhile_is_refused(tmp_path):
    table = read_table(save(tmp_path, "a,b\n1,2\n3,4\n"))
    save(tmp_path, "a,b\n10,20\n30,40\n")
    refuses(table, "was changed", lambda _: written(table))
