"""Memory that is free, and the sentence where it is not enough."""

import numpy as np
import pytest

from eigenselect import MRSF, SPEC, HSICScore, LaplacianScore, _memory
from eigenselect._memory import free_memory, memory_for
from eigenselect.exceptions import ShortageError
from eigenselect.similarity import RBF, Cosine, Geodesic, Linear


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


def test_what_needs_more_than_the_pairs_says_the_whole_size(monkeypatch, rng):
    """400² doubles are 1.28 MB, which all of these could hold once."""
    monkeypatch.setattr(_memory, "free_memory", lambda: 2e6)
    X, of_pairs = rng.random((400, 3)), "the similarities of all pairs of 400 samples"
    LaplacianScore(similarity="rbf").fit(X)
    says = rf"^SPEC: {of_pairs} \(RBF\) and their eigenvectors need 2\.7 MB of memory, 2\.0 MB are free; use a graph of"
    with pytest.raises(ShortageError, match=says):
        SPEC(ranking="phi3", similarity="rbf").fit(X)
    with pytest.raises(ShortageError, match=rf"^MRSF: {of_pairs} \(Linear\) and their eigenvectors need 2\.7 MB"):
        MRSF(1, similarity="linear").fit(X)
    says = r"^MRSF: the products of all pairs of 400 samples and their eigenvectors \(target='pca'\) need 2\.6 MB"
    with pytest.raises(ShortageError, match=says):
        MRSF(1, target="pca").fit(X)


def test_paths_and_kernels_of_targets_are_refused_with_their_size(little, rng):
    X = rng.random((400, 3))
    with pytest.raises(
        ShortageError, match=r"^SPEC: the similarities of all pairs of 400 samples \(Geodesic\) need 1\.4"
    ):
        Geodesic().build(X, owner="SPEC")
    says = r"^HSICScore: the products of all pairs of 400 samples \(target_kernel='linear'\) need 1\.4 MB of memory"
    with pytest.raises(ShortageError, match=says):
        HSICScore(target_kernel="linear").fit(X, rng.random(400))


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
