"""The λ whose top features have the smallest cut."""

import numpy as np
import pytest

from eigenselect.semisupervised.regularization import RegularizationPath, cut_value, regularization_path


def test_ties_go_to_the_usual_value():
    path = RegularizationPath(np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.5, 1e-17, 0.0, 0.2]))
    assert path.best == 0.1
    assert RegularizationPath(np.array([0.0, 0.3, 0.4]), np.array([0.5, 0.2, 0.2])).best == 0.3
    assert RegularizationPath(np.array([0.0, 0.1]), np.array([np.nan, 0.4])).best == 0.1
    assert RegularizationPath(np.array([0.0, 0.1]), np.array([np.nan, np.nan])).best == 0.1


def test_cut_of_a_graph_in_two_parts_is_zero(make_similarity):
    from eigenselect.graph import SampleGraph

    assert cut_value(SampleGraph(make_similarity(20, blocks=2))) == 0.0
    assert cut_value(SampleGraph(make_similarity(20))) > 0.01
    assert np.isnan(cut_value(SampleGraph(np.zeros((4, 4)))))


def test_sets_are_told_apart_by_members_not_order():
    asked = []

    def build(columns):
        asked.append(columns)
        raise KeyError

    with pytest.raises(KeyError):
        regularization_path(np.array([0.5]), lambda _: np.array([4, 1, 2]), build)
    np.testing.assert_array_equal(asked[0], [1, 2, 4])
