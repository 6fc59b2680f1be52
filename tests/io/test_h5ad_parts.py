"""What HDF5 does not survive is met by another process first."""

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
