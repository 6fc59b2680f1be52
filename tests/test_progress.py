"""Long work reports how many of its steps are done, in one way."""

import io
import sys

import numpy as np
import pytest

from eigenselect import LaplacianScore
from eigenselect._progress import PASSES, Parts, Passes, passes_told, progress_line, tracked, watched_by
from eigenselect.inference import Split


def test_steps_are_reported_after_they_were_used():
    seen = []
    steps = tracked("ab", 2, lambda done, total: seen.append((done, total)))
    assert (next(steps), seen) == ("a", [])
    assert (next(steps), seen) == ("b", [(1, 2)])
    assert (next(steps, None), seen) == (None, [(1, 2), (2, 2)])
    assert list(tracked("ab", 2, None)) == ["a", "b"]


def test_parts_add_up_to_the_whole():
    seen = []
    parts = Parts(lambda done, total: seen.append((done, total)), 30)
    for size in (10, 20):
        list(tracked(range(4), 4, parts.next(size)))
    assert seen == [(2, 30), (5, 30), (7, 30), (10, 30), (15, 30), (20, 30), (25, 30), (30, 30)]
    assert Parts(None, 3).next(1) is None


def test_a_line_ends_when_the_work_does():
    stream = io.StringIO()
    list(tracked(range(2), 2, progress_line("refitting", stream)))
    assert stream.getvalue() == "\rrefitting 1/2\rrefitting 2/2\n"


def test_the_time_left_is_told_after_a_second_and_wiped_at_the_end():
    stream, clock = io.StringIO(), iter([0.0, 0.5, 30.0, 90.0]).__next__
    list(tracked(range(3), 3, progress_line("refitting", stream, clock=clock)))
    first, second, third = stream.getvalue().split("\r")[1:]
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


def test_passes_are_numbered_with_their_share_and_the_time_left():
    stream, clock = io.StringIO(), iter([0.0, 20.0, 40.0, 50.0, 50.1, 60.0, 60.0]).__next__
    passes = Passes("[SPEC]", 1, stream, clock=clock)
    for start, stop in ((0, 5), (5, 10)):
        passes.reached("check", start, stop, 10)
    passes.reached("columns", 0, 10, 20)  # more than were planned
    passes.reached("columns", 15, 20, 20)  # a look at some columns in between
    passes.reached("columns", 10, 20, 20)
    first, second, third, fourth = stream.getvalue().split("\r")[1:]
    assert all(text.startswith("[SPEC]") for text in (first, second, third, fourth))
    assert ["50%" in first, "0:20 left" in first, "100%" in second] == [True] * 3
    assert ["2 of 2" in third, "50%" in third, "100%" in fourth] == [True] * 3


@pytest.mark.parametrize(("stream", "verbose"), [(io.StringIO(), True), (Terminal(), False), (None, True)])
def test_nobody_is_told_who_does_not_look(monkeypatch, stream, verbose):
    monkeypatch.setattr(sys, "stderr", stream)
    with passes_told("[SPEC]", verbose, 2):
        assert PASSES.get() is None
