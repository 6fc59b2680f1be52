"""What is too large for memory gets its sentence, with how much it needs, before memory ends."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from eigenselect.exceptions import InputError
from eigenselect.io import content, memory
from eigenselect.io.readers import read_table
from eigenselect.multisource import read_gene_sets

MB = 1_000_000
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture
def little(monkeypatch):
    """A machine with 20 MB to spare."""
    for module in (memory, content):
        monkeypatch.setattr(module, "free_memory", lambda: 20.0 * MB)


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


def npy_header(shape):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


class TestArchives:
    def test_a_bomb(self, tmp_path, little):
        np.savez_compressed(tmp_path / "t.npz", X=np.zeros((10**5, 50)))
        assert (tmp_path / "t.npz").stat().st_size < MB
        with pytest.raises(InputError, match=r"t\.npz: reading it needs about 40\.0 MB of memory, 20\.0 MB are free;"):
            read_table(str(tmp_path / "t.npz"))

    @pytest.mark.parametrize("shape", [(10**9, 10**6), (2**40, 2**40), (-1, 6), (3, 10**6)])
    def test_a_header_that_claims_more_than_there_is(self, tmp_path, shape):
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            archive.writestr("X.npy", npy_header(shape) + bytes(144))
        with pytest.raises(InputError, match=r"t\.npz: cannot be read as npz, it is damaged"):
            read_table(str(tmp_path / "t.npz"))

    def test_nothing_times_very_much(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
            archive.writestr("X.npy", npy_header((0, 10**15)))
        with pytest.raises(InputError, match=r"a table of 1000000000000000 features needs about 64000000\.0 GB"):
            read_table(str(tmp_path / "t.npz"))

    def test_a_sparse_matrix_of_a_million_billion_columns(self, tmp_path):
        parts = {"data": np.ones(1), "indices": np.zeros(1, int), "indptr": np.array([0, 1, 1])}
        np.savez(tmp_path / "t.npz", shape=np.array([2, 10**15]), **parts)
        with pytest.raises(InputError, match=r"a table of 2 x 1000000000000000 needs about 64000000\.0 GB"):
            read_table(str(tmp_path / "t.npz"))


def test_a_bomb_of_matlab(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenselect.io.mat.free_memory", lambda: 20.0 * MB)
    monkeypatch.setattr(memory, "free_memory", lambda: 20.0 * MB)
    savemat(tmp_path / "t.mat", {"X": np.zeros((10**5, 50))}, do_compression=True)
    assert (tmp_path / "t.mat").stat().st_size < MB
    with pytest.raises(InputError, match=r"t\.mat: .* needs .* of memory, 20\.0 MB are free"):
        read_table(str(tmp_path / "t.mat"))


def test_parquet_says_its_size_beforehand(tmp_path, little):
    pytest.importorskip("pyarrow")
    pd.DataFrame(np.zeros((10**5, 20)), columns=[f"x{j}" for j in range(20)]).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet: reading it needs about 48\.0 MB of memory, 20\.0 MB are free"):
        read_table(str(tmp_path / "t.parquet"))


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_memory_that_ends_all_the_same_is_said(tmp_path, monkeypatch, ending):
    def ends(*_):
        raise MemoryError("Unable to allocate 7.45 GiB for an array")

    (tmp_path / f"t.{ending}").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setitem(sys.modules["eigenselect.io.readers"]._READERS, ending, ends)
    says = (
        r"reading the table of a file of 12 bytes needs more memory than the \d+\.\d GB that are free; take fewer rows"
    )
    with pytest.raises(InputError, match=says):
        read_table(str(tmp_path / f"t.{ending}"))


class TestLimits:
    def test_a_limit_of_the_process_counts(self):
        program = (
            "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
            "from eigenselect.io.memory import free_memory; print(0 < free_memory() < 2 << 30)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "True\n"

    def test_allocations_fail_within_the_bound_and_not_after(self):
        """In a process of its own, whose limits are its own."""
        program = (
            "import resource, numpy as np; from eigenselect.io import memory\n"
            "memory.free_memory = lambda: 3e8; before = resource.getrlimit(resource.RLIMIT_AS)\n"
            "try:\n"
            "    with memory.bounded_memory():\n"
            "        np.ones(1000); np.ones(10**8)\n"
            "except MemoryError: print('failed')\n"
            "print(resource.getrlimit(resource.RLIMIT_AS) == before, np.empty(10**8).size)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["failed", "True", "100000000"]
