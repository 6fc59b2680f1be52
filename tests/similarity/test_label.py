"""Similarity by class."""

import numpy as np
import pytest

from eigenselect.criteria import phi
from eigenselect.similarity import ClassLabels
from eigenselect.spectral import Power


class TestClassLabels:
    @pytest.mark.parametrize(
        "y", [[0, 1, 1, 0, 1], ["b", "a", "a", "b", "a"], [-1, 1, 1, -1, 1], [True, False, False, True, False]]
    )
    def test_the_projector_onto_class_means(self, y, rng):
        graph = ClassLabels().build(None, y)
        same = np.equal.outer(np.asarray(y), np.asarray(y))
        expected = same / same.sum(axis=1)
        np.testing.assert_allclose(graph.to_array(), expected)
        np.testing.assert_array_equal(graph.degrees, 1)
        f = rng.normal(size=5)
        np.testing.assert_allclose(graph.affinity @ f, expected @ f)

    def test_its_eigenvalues_are_0_and_1_so_no_power_matters(self, rng):
        """Footnote 9 of the SPEC paper: as many zeros as classes; every power doubles φ3 of all features."""
        y = np.array([0, 1, 1, 0, 2, 1, 2, 0])
        graph = ClassLabels().build(None, y)
        np.testing.assert_allclose(np.linalg.eigvalsh(np.eye(8) - graph.to_array()), [0] * 3 + [1] * 5, atol=1e-12)
        X = rng.normal(size=(8, 4)) + 1
        for ranking, factor in [("phi1", 1), ("phi2", 1), ("phi3", 2)]:
            one, four = (phi(ranking, graph, Power(p), 3).scores(X).native for p in (1, 4))
            np.testing.assert_allclose(four, factor**3 * one, rtol=1e-10)

    @pytest.mark.parametrize(
        ("y", "says"),
        [
            (None, "requires y to be passed"),
            ([1, 1, 1], "2 classes, got 1"),
            (["a", None, "b"], "missing labels, got 1"),
            ([0.0, np.nan, 1.0], "missing labels, got 1"),
            ([[1, 2], [3, 4], [5, 6]], "1-dimensional"),
            ([0, 1], "3 labels"),
            ([0.5, 1.5, 0.5], "classes, got a continuous target"),
            (["a", "b", "c"], "fewer classes than samples, got 3 of each"),
        ],
    )
    def test_bad_labels(self, y, says):
        with pytest.raises(ValueError, match=f"ClassLabels.*{says}"):
            ClassLabels().build(np.zeros((3, 1)), y)
