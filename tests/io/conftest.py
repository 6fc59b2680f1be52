"""A machine with little memory."""

import pytest
from tests.io.tables import MB

from eigenselect.io import content, memory


@pytest.fixture
def little(monkeypatch):
    """A machine with 20 MB to spare."""
    for module in (memory, content):
        monkeypatch.setattr(module, "free_memory", lambda: 20.0 * MB)
