"""How distances are held, for tests of what is made of them."""

import pytest

from eigenselect.similarity import distances, gram


@pytest.fixture(params=["full", "panels"])
def memory(request, monkeypatch):
    """A Gram matrix that is held at once, and one that is not; blocks of features made once, and again and again."""
    if request.param == "panels":
        monkeypatch.setattr(distances, "FULL_GRAM_BYTES", 0)
        monkeypatch.setattr(gram, "KEPT_BLOCKS_BYTES", 0)
        monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)
        monkeypatch.setattr(distances, "PANEL_BYTES", 0)
        monkeypatch.setattr(distances, "TILE_ROWS", 16)
