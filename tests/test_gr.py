"""The door of the graph verbs, which can stand where squidpy.gr stood in an import."""

import sys
from types import SimpleNamespace

import pytest

import eigenselect
from eigenselect import gr
from eigenselect.gr import spatial_autocorr


def test_the_door_shows_the_verbs():
    assert eigenselect.gr is gr
    assert gr.__all__ == ["spatial_autocorr"]
    assert gr.spatial_autocorr is spatial_autocorr


def test_what_only_squidpy_has_is_squidpys(monkeypatch):
    theirs = SimpleNamespace(spatial_neighbors=lambda adata: "made", spatial_autocorr=None)
    monkeypatch.setitem(sys.modules, "squidpy", SimpleNamespace(gr=theirs))
    assert gr.spatial_neighbors(None) == "made"
    assert gr.spatial_autocorr is spatial_autocorr
    with pytest.raises(AttributeError, match="neither eigenselect.gr nor squidpy.gr has 'neighbors_of_space'"):
        _ = gr.neighbors_of_space


def test_without_squidpy_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "squidpy", None)  # as if it were not installed
    with pytest.raises(AttributeError, match=r"no 'spatial_neighbors'; .*: pip install squidpy"):
        _ = gr.spatial_neighbors
    with pytest.raises(AttributeError, match="has no attribute '_private'"):
        _ = gr._private
