"""The λ whose top features have the smallest cut."""

import numpy as np
import pytest

from eigenselect.graph import SampleGraph
from eigenselect.semisupervised.regularization import RegularizationPath, cut_value, regularization_path


def test_ties_go_to_the_usual_value():
    path = RegularizationPath(np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.5, 1e-17, 0.0, 0.2]))
    assert path.best == 0.1
    assert RegularizationPath(np.array([0.0, 0.3, 0.4]), np.array([0.5, 0.2, 0.2])).best == 0.3
    assert RegularizationPath(np.array([0.0, 0.1]), np.array([np.nan, 0.4])).best == 0.1
    assert RegularizationPath(np.array([0.0, 0.1]), np.array([np.nan, np.nan])).best == 0.1


def test_cut_of_a_graph_in_two_parts_is_zero(make_similarity):
    assert cut_value(SampleGraph(make_similarity(20, blocks=2))) == 0.0
    assert cut_value(SampleGraph(make_similarity(20))) > 0.01
    assert np.isnan(cut_value(SampleGraph(np.zeros((4, 4)))))


class TestPath:
    def test_one_graph_for_each_distinct_set(self, make_similarity):
        graphs = {(0, 1): SampleGraph(make_similarity(8)), (2, 3): SampleGraph(make_similarity(8, blocks=2))}
        built = []

        def build(columns):
            built.append(tuple(columns))
            return graphs[built[-1]]

        tops = {0.0: [1, 0], 0.5: [3, 2], 1.0: [0, 1]}
        path = regularization_path(np.array([0.0, 0.5, 1.0]), lambda weight: np.array(tops[weight]), build)
        assert built == [(0, 1), (2, 3)]
        np.testing.assert_array_equal(path.cuts, [cut_value(graphs[0, 1]), 0.0, cut_value(graphs[0, 1])])
        assert (path.best, path.n_apart) == (0.5, 1)

    def test_the_cut_is_the_second_eigenvalue(self, make_similarity, as_kind):
        S = make_similarity(15, isolated=2)
        expected = np.linalg.eigvalsh(SampleGraph(S[:13, :13]).normalized_laplacian())[1]
        assert cut_value(SampleGraph(as_kind(S))) == pytest.approx(expected, abs=1e-10)
