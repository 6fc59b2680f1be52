"""Work that needs more memory than is free is refused before it starts, with the size and a remedy."""

import numpy as np
import pytest

from eigenselect import MRSF, SPEC, HSICScore, LaplacianScore, _checks
from eigenselect._checks import free_memory, memory_for
from eigenselect.exceptions import ShortageError
from eigenselect.similarity import RBF

#: fits that need all pairs of samples: 400² doubles are 1.28 MB, eigenvectors as much again
OF_PAIRS = {
    "rbf": (LaplacianScore(similarity="rbf"), 1e6),
    "linear": (LaplacianScore(similarity="linear"), 1e6),
    "cosine": (LaplacianScore(similarity="cosine"), 1e6),
    "geodesic": (SPEC(similarity="geodesic"), 1e6),
    "kernel of a target": (HSICScore(target_kernel="linear"), 1e6),
    "eigenvectors": (SPEC(ranking="phi3", similarity="rbf"), 2e6),
    "eigenvectors of MRSF": (MRSF(1, similarity="linear"), 2e6),
    "PCA": (MRSF(1, target="pca"), 2e6),
}


@pytest.mark.parametrize("kind", OF_PAIRS)
def test_pairs_of_samples_are_refused_with_their_size(monkeypatch, rng, kind):
    selector, free = OF_PAIRS[kind]
    monkeypatch.setattr(_checks, "free_memory", lambda: free)
    X, y = rng.random((400, 3)), rng.random(400)
    with pytest.raises(ShortageError, match=rf"^{type(selector).__name__}: .*400 .*{1e-6 * free:.1f} MB"):
        selector.fit(X, y)


def test_what_fits_is_done(monkeypatch, rng):
    monkeypatch.setattr(_checks, "free_memory", lambda: 2.2e6)
    LaplacianScore(similarity="rbf").fit(rng.random((400, 3)))
    RBF().build(rng.random((300, 3)))


def test_memory_that_ends_within_gets_the_same_class():
    with pytest.raises(ShortageError, match="take less"), memory_for(8, "A: pairs", "take less"):
        np.empty(2**55)
    with pytest.raises(ShortageError, match="^inner$"), memory_for(8, "A: pairs", "take less"):
        raise ShortageError("inner")


def test_a_group_of_processes_may_have_less_than_the_machine(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(_checks, "GROUP_LIMITS", (str(limit), str(tmp_path / "absent")))
    monkeypatch.setattr(_checks, "own_bytes", lambda: (5000, 2000))
    for text, expected in (("7000\n", 5000), ("1000\n", 0)):
        limit.write_text(text)
        assert free_memory() == expected
    limit.write_text("max\n")
    assert free_memory() > 7000
