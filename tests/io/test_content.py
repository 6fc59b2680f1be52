"""Bytes are bounded by memory, and what is read twice is the same."""

import bz2
import gzip
import lzma
import subprocess
import sys

import pytest
from tests.io.tables import MB, written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.multisource import read_gene_sets

PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("ending", PACK)
def test_a_bomb_ends_with_a_sentence(tmp_path, little, ending):
    """Many compressed copies one after the other are a file of all of them."""
    rows = PACK[ending](b"1,2\n" * (MB // 4))
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(PACK[ending](b"a,b\n") + rows * 100)
    assert path.stat().st_size < MB
    says = (
        r"t\.csv\.\w+: decompresses to \d\.\d MB or more, for which 2\d\.\d MB of memory or more are needed, and 20\.0"
    )
    with pytest.raises(InputError, match=says):
        read_table(str(path))


def test_ten_gigabytes_in_a_small_file(tmp_path):
    """In a process that may have 3 GB, and cannot have read it all by the time it answers."""
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n") + gzip.compress(b"0,0\n" * 2_500_000) * 1000)
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "from eigenselect.cli.main import main; main(sys.argv[1:])"
    )
    done = subprocess.run([sys.executable, "-c", program, "rank", path], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    assert "decompresses to" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_cells_count_as_well_as_letters(tmp_path, little):
    """Short cells take more memory than their letters: three numbers each."""
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * (MB // 2))
    with pytest.raises(InputError, match=r"has \d\.\d MB or more, for which 2\d\.\d MB of memory"):
        read_table(str(tmp_path / "t.csv"))
    (tmp_path / "t.csv").write_text("a,b\n" + f"1.{'3' * 60},2.{'4' * 60}\n" * 20_000)
    assert read_table(str(tmp_path / "t.csv")).X.shape == (20_000, 2)


def test_a_stream_without_end(little, monkeypatch):
    class Endless:
        buffer = property(lambda self: self)

        def read(self, size):
            return b"1,2\n" * (size // 4)

    monkeypatch.setattr("sys.stdin", Endless())
    with pytest.raises(InputError, match=r"standard input: has \d+\.\d MB or more"):
        read_table("-")


def test_zeros_without_end_take_no_memory():
    with pytest.raises(InputError, match="/dev/zero: holds NUL bytes"):
        read_table("/dev/zero", file_format="csv")


def test_knowledge_is_bounded_too(tmp_path, little):
    (tmp_path / "sets.gmt.gz").write_bytes(gzip.compress(b"A\tna\tX\n") + gzip.compress(b"\n" * MB) * 100)
    with pytest.raises(InputError, match="decompresses to"):
        read_gene_sets(tmp_path / "sets.gmt.gz")


def test_a_file_that_changes_meanwhile_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    table = read_table(str(tmp_path / "t.csv"))
    (tmp_path / "t.csv").write_text("a,b\n10,20\n30,40\n")
    with pytest.raises(InputError, match="was changed while it was read; run again"):
        written(table)


def test_a_gene_is_no_parquet_file(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"PAR1,PAR2\n1,2\n3,4\n")
    assert read_table(str(tmp_path / "t.csv"), samples="PAR2").feature_names == ("PAR1",)
