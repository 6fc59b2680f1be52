"""Which loops are taken, and buffers that tiles share."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine
from eigenselect.graph import SampleGraph


@pytest.mark.parametrize(("times", "compiled"), [(1, False), (3, False), (4, True)])
def test_work_that_is_done_several_times_is_worth_compiled_loops_earlier(monkeypatch, times, compiled):
    graph = SampleGraph(np.ones((30, 30)))
    monkeypatch.setattr(engine, "COMPILED_WORK", 4 * (4 * 30 * 7))
    with engine.repeated(times):
        assert engine.Engine.for_work(graph, 7).is_compiled == compiled
    assert not engine.Engine.for_work(graph, 7).is_compiled


def test_a_workspace_gives_the_same_memory_for_the_same_name_and_shape():
    workspace = engine.Workspace()
    first = workspace.array("walk", (3, 2))
    assert workspace.array("walk", (3, 2)) is first
    assert workspace.array("tile", (3, 2)) is not first
    assert workspace.array("walk", (2, 2)).shape == (2, 2)


def test_the_graph_in_another_order_is_the_same_graph(make_similarity, monkeypatch):
    monkeypatch.setattr(engine, "ORDERED_SAMPLES", 0)
    graph = SampleGraph(sparse.csr_array(make_similarity(20, isolated=2)), mass=np.arange(20.0))
    order, moved = engine.Engine.for_work(graph, 7).near_order
    assert sorted(order) == list(range(20))
    np.testing.assert_array_equal(moved.to_array(), graph.to_array()[np.ix_(order, order)])
    np.testing.assert_array_equal(moved.mass, graph.mass[order])
    monkeypatch.undo()
    order, same = engine.Engine.for_work(graph, 7).near_order
    np.testing.assert_array_equal(order, np.arange(20))
    assert same is graph


@pytest.mark.parametrize("compiled", [False, True])
def test_a_far_value_of_a_light_sample_takes_no_digits_of_others(rng, compiled):
    mass, values = np.append(1e-20, np.ones(30)), np.append(1e8, np.round(rng.normal(size=30), 6))[:, None]
    with engine.loops_chosen(compiled):
        tools = engine.Engine.for_work(SampleGraph(sparse.csr_array((31, 31)), mass=mass), 1)
    mean, spread = tools.center(values.copy())
    others = values[1:, 0]
    np.testing.assert_allclose(mean, others.mean(), rtol=1e-10)
    np.testing.assert_allclose(spread, 1e-20 * 1e16 + np.square(others - others.mean()).sum(), rtol=1e-13)
