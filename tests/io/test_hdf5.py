"""HDF5 files are read by another process first, which may crash or hang."""

import os
import signal
import time

import numpy as np
import pytest

from eigenselect.exceptions import InputError
from eigenselect.io import hdf5

h5py = pytest.importorskip("h5py")


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["x"] = np.arange(1000)
        file["words"] = ["a", "b"]
    return str(tmp_path / "t.h5")


def first_of(path, *, name, most=float("inf")):
    with h5py.File(path, "r") as file:
        return hdf5.stored(file[name], most)


def crash_elsewhere(path, *, parent, how, most=float("inf")):
    """Read in the process of the tests; crash or hang in any other."""
    if os.getpid() != parent and how == "hang":
        time.sleep(60)
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGSEGV)
    return how


@pytest.fixture
def importable(monkeypatch):
    """Let the other process find this file."""
    program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); {hdf5.PROGRAM}"
    monkeypatch.setattr(hdf5, "PROGRAM", program)
    for function in (first_of, crash_elsewhere):
        monkeypatch.setattr(function, "__module__", "test_hdf5")


@pytest.mark.usefixtures("importable")
class TestOtherProcess:
    def test_a_sound_file(self, path):
        assert hdf5.read_hdf5(path, "t.h5", "x", first_of, name="x").tolist() == list(range(1000))

    def test_an_error_is_ours_to_catch(self, path):
        with pytest.raises(InputError, match=r"^t\.h5: cannot be read as x, it is damaged or of another kind\.$"):
            hdf5.read_hdf5(path, "t.h5", "x", first_of, name="y")

    @pytest.mark.parametrize("how", ["crash", "hang"])
    def test_a_crash_or_a_hang_is_one_sentence(self, path, how, monkeypatch):
        monkeypatch.setattr("eigenselect.io.h5ad_parts.PATIENCE", 60 if how == "crash" else 0.5)
        with pytest.raises(InputError, match=r"^t\.h5: cannot be read as x, it is damaged or of another kind\.$"):
            hdf5.read_hdf5(path, "t.h5", "x", crash_elsewhere, parent=os.getpid(), how=how)


def test_only_the_ends_of_what_is_large(path):
    assert first_of(path, name="x", most=100) == (0, 999)
    assert first_of(path, name="words").tolist() == ["a", "b"]


@pytest.mark.parametrize(("length", "fine"), [(10**5, True), (10**9, False), (2**62, False)])
def test_what_was_never_written_is_not_read(path, length, fine):
    with h5py.File(path, "r+") as file:
        file.create_dataset("zeros", (length,), "i1", chunks=(1000,))
    if fine:
        assert not first_of(path, name="zeros").any()
    else:
        with pytest.raises(hdf5.BoundlessError, match="/zeros"):
            first_of(path, name="zeros")


def test_zeros_that_zlib_has_packed_are_read(tmp_path):
    """As many as a byte can stand for."""
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_dataset("zeros", data=np.zeros(10**7, "i1"), chunks=(10**6,), compression=9)
    assert os.path.getsize(tmp_path / "t.h5") < 10**7 / 500
    assert len(first_of(str(tmp_path / "t.h5"), name="zeros")) == 10**7
