"""How much memory is free, and that allocations fail within a bound."""

import subprocess
import sys

import numpy as np
import pytest
from tests.io.tables import MB

from eigenselect.exceptions import InputError
from eigenselect.io import memory
from eigenselect.io.readers import read_table


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


def test_more_than_there_is_is_refused(little):
    memory.check_memory(19.9 * MB, "t.csv", "reading it")
    with pytest.raises(InputError, match=r"^t\.csv: reading it needs about 21\.0 MB of memory, 20\.0 MB are free;"):
        memory.check_memory(21 * MB, "t.csv", "reading it")


def test_products_of_claims_do_not_overflow():
    assert memory.product(np.array([2**40, 2**40], dtype=np.int64)) == 2**80
