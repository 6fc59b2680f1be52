"""A machine with little memory."""

import pytest
from tests.io.tables import MB

from eigenselect.io import content, memory


@pytest.fixture
def little(monkeypatch):
    """A machine with 20 MB to spare."""
    for module in (memory, content):
        monkeypatch.setattr(module, "free_memory", lambda: 20.0 * MB)


@pytest.fixture
def in_process(monkeypatch):
    """Read and write HDF5 in this process alone: starting another takes longer than all the rest."""
    monkeypatch.setattr("sys.executable", "")
