"""Memory that is free, and the sentence where it is not enough."""

import numpy as np
import pytest

from eigenselect import HSICScore, LaplacianScore, _memory
from eigenselect._memory import free_memory, memory_for
from eigenselect.exceptions import ShortageError
from eigenselect.similarity import RBF, Cosine, Linear


@pytest.fixture
def little(monkeypatch):
    monkeypatch.setattr(_memory, "free_memory", lambda: 1e6)


def test_more_than_is_free_is_refused_before_work_starts(little):
    started = []
    says = r"^A: pairs need 1\.1 MB of memory, 1\.0 MB are free; take less\.$"
    with pytest.raises(ShortageError, match=says), memory_for(1.1e6, "A: pairs", "take less"):
        started.append(1)
    with memory_for(0.9e6, "A: pairs", "take less"):
        started.append(2)
    assert started == [2]


def test_memory_that_ends_within_gets_the_same_sentence():
    says = r"^A: pairs need 8 bytes of memory, \d.* are free; take less\.$"
    with pytest.raises(ShortageError, match=says), memory_for(8, "A: pairs", "take less"):
        np.empty(2**55)
    with pytest.raises(ShortageError, match="^inner$"), memory_for(8, "A: pairs", "take less"):
        raise ShortageError("inner")


@pytest.mark.parametrize("kernel", [RBF(), Linear(), Cosine()])
def test_kernels_of_all_pairs_are_refused_with_their_size(little, rng, kernel):
    X = rng.random((400, 3))
    says = (
        rf"^SPEC: the similarities of all pairs of 400 samples \({type(kernel).__name__}\) need 1\.4 MB of memory, "
        r"1\.0 MB are free; use a graph of neighbours \(similarity='knn'\) or fewer samples\.$"
    )
    with pytest.raises(ShortageError, match=says):
        kernel.build(X, owner="SPEC")
    kernel.build(X[:300])


def test_selectors_speak_for_themselves(little, rng):
    X = rng.random((400, 3))
    with pytest.raises(MemoryError, match="^LaplacianScore: the similarities of all pairs of 400 samples"):
        LaplacianScore(similarity="rbf").fit(X)
    with pytest.raises(MemoryError, match="^HSICScore: the similarities of all pairs of 400 samples"):
        HSICScore().fit(X, rng.random(400))


def test_a_group_of_processes_may_have_less_than_the_machine(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(_memory, "GROUP_LIMITS", (str(limit), str(tmp_path / "absent")))
    monkeypatch.setattr(_memory, "own_bytes", lambda: (5000, 2000))
    monkeypatch.setattr(_memory, "_own_limit", lambda: float("inf"))
    monkeypatch.setattr(_memory, "_machine_free", lambda: 1e9)
    limit.write_text("max\n")
    assert free_memory() == 1e9
    limit.write_text("7000\n")
    assert free_memory() == 5000
    limit.write_text("1000\n")
    assert free_memory() == 0
