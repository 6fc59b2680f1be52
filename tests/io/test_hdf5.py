"""HDF5 files are read by another process first, which may crash or hang."""

import os
import signal
import time

import numpy as np
import pytest

from eigenselect.exceptions import InputError
from eigenselect.io import hdf5

h5py = pytest.importorskip("h5py")

from eigenselect.io.h5ad_parts import values_of  # noqa: E402


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["x"] = np.arange(1000)
        file["words"] = ["a", "b"]
    return str(tmp_path / "t.h5")


def first_of(path, *, name, most=float("inf")):
    with h5py.File(path, "r") as file:
        return values_of(file[name], most)


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
