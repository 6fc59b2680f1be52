"""What HDF5 does not survive is met by another process first."""

import os

import numpy as np
import pytest
from tests.io.tables import h5ad_bytes, values

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table


class TestWhatHDF5DoesNotSurvive:
    """A program that crashes or hangs stands for HDF5: which bytes make it do so depends on its version."""

    @pytest.fixture
    def sound(self, tmp_path):
        h5ad_bytes(tmp_path / "t.h5ad", values())
        return tmp_path / "t.h5ad"

    @pytest.mark.parametrize("does", ["os.kill(os.getpid(), signal.SIGSEGV)", "time.sleep(600)"])
    def test_is_met_by_another_process_first(self, sound, tmp_path, monkeypatch, does):
        from eigenselect.io import h5ad_parts

        program = tmp_path / "reads.py"
        program.write_text(f"import os, signal, time\n{does}\n")
        monkeypatch.setattr(h5ad_parts, "__file__", str(program))
        monkeypatch.setattr(h5ad_parts, "PATIENCE", 0.5)
        with pytest.raises(InputError, match=r"t\.h5ad: cannot be read as h5ad, it is damaged or of another kind\."):
            read_table(str(sound), label="y")

    @pytest.mark.parametrize("executable", ["/nowhere/python", "", None])
    def test_a_process_that_cannot_be_started_is_done_without(self, sound, monkeypatch, executable):
        monkeypatch.setattr("sys.executable", executable)
        np.testing.assert_array_equal(read_table(str(sound), label="y").X, values())

    def test_another_program_with_python_in_it_is_not_started(self, sound, tmp_path, monkeypatch):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
        program.chmod(0o755)
        monkeypatch.setattr("sys.executable", str(program))
        monkeypatch.setattr("sys.frozen", True, raising=False)
        np.testing.assert_array_equal(read_table(str(sound), label="y").X, values())
        assert not (tmp_path / "started").exists()


@pytest.fixture
def arrays(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["x"] = np.arange(1000)
        file["words"] = ["a", "b"]
    return tmp_path / "t.h5"


def values_in(path, name, **how):
    import h5py

    from eigenselect.io.h5ad_parts import values_of

    with h5py.File(path, "r") as file:
        return values_of(file[name], **how)


def test_only_the_ends_of_what_is_large(arrays):
    assert values_in(arrays, "x", most=100) == (0, 999)
    assert values_in(arrays, "words").tolist() == ["a", "b"]


@pytest.mark.parametrize(("length", "fine"), [(10**5, True), (10**9, False), (2**62, False)])
def test_what_was_never_written_is_not_read(arrays, length, fine):
    import h5py

    from eigenselect.io.h5ad_parts import BoundlessError

    with h5py.File(arrays, "r+") as file:
        file.create_dataset("zeros", (length,), "i1", chunks=(1000,))
    if fine:
        assert not values_in(arrays, "zeros").any()
    else:
        with pytest.raises(BoundlessError, match="/zeros"):
            values_in(arrays, "zeros")


def test_zeros_that_zlib_has_packed_are_read(tmp_path):
    """As many as a byte can stand for."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_dataset("zeros", data=np.zeros(10**7, "i1"), chunks=(10**6,), compression=9)
    assert os.path.getsize(tmp_path / "t.h5") < 10**7 / 500
    assert len(values_in(tmp_path / "t.h5", "zeros")) == 10**7
