"""What the second pass adds up: halos are as wide as a form looks, and no wider."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import loops_numba, loops_numpy
from eigenselect.criteria.centred_chunks import Chain, PartEngine, chained_sums
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.forms import KernelForm, PowerForm
from eigenselect.criteria.spectral_forms import ChebyshevForm
from eigenselect.graph import SampleGraph
from eigenselect.graph.row_parts import GraphPart, reach
from eigenselect.spectral import ChebyshevSeries, Power

N = 60
BLOCKS = [slice(0, 20), slice(20, 35), slice(35, N)]


@pytest.fixture
def path():
    return SampleGraph(sparse.csr_array(np.diag(np.arange(1.0, N), 1) + np.diag(np.arange(1.0, N), -1)))


def series_of_degree(degree):
    coefficients = 1.0 / np.arange(1.0, degree + 2)
    return ChebyshevForm(ChebyshevSeries(coefficients, (0.0, 2.0), 0.0, True), Power(1))


FORMS = [*map(PowerForm, (2, 3, 4, 5)), *map(series_of_degree, (1, 2, 3, 6, 7))]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_parts_add_up_to_the_form_with_the_halo_that_it_needs(form, path, rng):
    g = rng.normal(size=(N, 3))
    expected = form.evaluate(g.copy(), Engine(path, loops_numpy))
    sums = chained_sums(path, form, BLOCKS)

    def total(halos):
        parts = [Chain(GraphPart(path, rows, halo), form) for rows, halo in zip(BLOCKS, halos, strict=True)]
        local = [np.vstack([g[rows], g[halo]]) for rows, halo in zip(BLOCKS, halos, strict=True)]
        return sum(part.prepared(3)(tile) for part, tile in zip(parts, local, strict=True))

    np.testing.assert_allclose(total(sums.halos), expected, rtol=1e-12)
    hops = len(sums.halos[0])  # the first block of a path reaches a sample per edge
    narrower = [reach(path.affinity, rows, hops - 1) for rows in BLOCKS]
    assert not np.allclose(total(narrower), expected, rtol=1e-6)


def test_inner_products_count_the_block_only(path, rng):
    part = GraphPart(path, BLOCKS[1], np.array([19, 35]))
    u = rng.normal(size=(17, 2))
    expected = (path.mass[BLOCKS[1], None] * u[:15] ** 2).sum(axis=0)
    np.testing.assert_allclose(PartEngine(part, loops_numpy).inner(u, u), expected, rtol=1e-13)


@pytest.mark.parametrize("form", FORMS[-2:], ids=str)
def test_compiled_series_count_the_block_only(form, path, rng):
    g, halos = rng.normal(size=(N, 3)), chained_sums(path, form, BLOCKS).halos
    total = 0.0
    for rows, halo in zip(BLOCKS, halos, strict=True):
        total += form.evaluate(np.vstack([g[rows], g[halo]]), PartEngine(GraphPart(path, rows, halo), loops_numba))
    np.testing.assert_allclose(total, form.evaluate(g.copy(), Engine(path, loops_numpy)), rtol=1e-12)


def test_what_needs_whole_columns(path, rng):
    """A dense similarity, a dense kernel, halos wider than the table."""
    dense = SampleGraph(path.affinity.toarray())
    kernel = KernelForm(np.eye(N), np.zeros(N))
    cases = [(dense, PowerForm(2)), (path, kernel), (path, series_of_degree(60))]
    assert [chained_sums(graph, form, BLOCKS) for graph, form in cases] == [None] * 3
