"""Long work reports how many of its steps are done, in one way."""

import io
import sys

import numpy as np
import pytest

from eigenselect import LaplacianScore, _progress
from eigenselect._progress import PASSES, Passes, passes_told, progress_line, tracked, watched_by
from eigenselect.inference import Split


@pytest.fixture
def at_times(monkeypatch):
    """Set the times that the clock shows."""
    return lambda *times: monkeypatch.setattr(_progress.time, "monotonic", iter(times).__next__)


def test_a_line_shows_the_time_left_after_a_second_and_ends_with_the_work(at_times, capsys):
    at_times(0.0, 0.5, 30.0, 90.0)
    list(tracked(range(3), 3, progress_line("refitting")))
    first, second, third = capsys.readouterr().err.split("\r")[1:]
    assert (first, second) == ("refitting 1/3", "refitting 2/3, 0:15 left")
    assert third == "refitting 3/3".ljust(len(second)) + "\n"


def test_graphs_of_a_split_are_counted_as_one_work():
    seen = []
    with watched_by(lambda done, total: seen.append((done, total))):
        X = np.random.default_rng(0).normal(size=(30, 12))
        LaplacianScore(significance=Split(3, 2)).fit(X)
    assert seen[-6:] == [(done, 6) for done in range(1, 7)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_passes_are_numbered_with_their_share_and_the_time_left(at_times, capsys):
    at_times(0.0, 0.0, 20.0, 40.0, 50.0, 50.1, 60.0)
    passes = Passes("[SPEC]", 1)
    for start, stop in ((0, 5), (5, 10)):
        passes.reached("check", start, stop, 10)
    passes.reached("columns", 0, 10, 20)  # more than were planned
    passes.reached("columns", 15, 20, 20)  # a look at some columns in between
    passes.reached("columns", 10, 20, 20)
    first, second, third, fourth = capsys.readouterr().err.split("\r")[1:]
    assert all(text.startswith("[SPEC]") for text in (first, second, third, fourth))
    assert ["50%" in first, "0:20 left" in first, "100%" in second] == [True] * 3
    assert ["2 of 2" in third, "50%" in third, "100%" in fourth] == [True] * 3


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_passes_are_reported_on_terminals_only(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with passes_told("[SPEC]", 2):
        assert PASSES.get() is None
