"""Proposals and bounds of distances in single precision leave the neighbours of double precision."""

from itertools import product

import numpy as np
import pytest

from eigenselect.matrix import as_matrix
from eigenselect.similarity import gram, neighbors, proposals
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.proposals import SingleBlocks, may_be_neighbors, proposed_distances
from eigenselect.similarity.ssyrk import upper_products
from ugly_tables import TABLES

K = 4


@pytest.fixture(autouse=True)
def small_work(monkeypatch):
    """Small tables are wide enough, and have several blocks."""
    monkeypatch.setattr(proposals, "LEAST_WORK", 0)
    monkeypatch.setattr(proposals, "SUMMED_FEATURES", 4)
    monkeypatch.setattr(proposals, "BLOCK_FEATURES", 8)
    monkeypatch.setattr(neighbors, "suits_tree", lambda X, metric: False)


def in_double(X, monkeypatch, count=K):
    with monkeypatch.context() as patched:
        patched.setattr(neighbors, "suits_proposals", lambda *about: False)
        return nearest_neighbors(as_matrix(X), count)


def wider(table):
    """A table of 150 × 20 or fewer, with columns of little spread beside it."""
    return np.hstack([table, 1e-3 * table[:, ::-1], table[:, :1]])


@pytest.mark.parametrize("table", TABLES)
def test_neighbours_are_those_in_double_precision(rng, monkeypatch, table):
    """Also where squares are none of single precision."""
    for scale, n_jobs in ((1.0, 1), (1e-12, 2), (2.0**-40, 1), (1e12, 2), (2.0**100, 1), (2.0**-100, 1)):
        X = wider(table(rng)) * scale
        expected, squared = in_double(X, monkeypatch)
        indices, found = nearest_neighbors(as_matrix(X), K, n_jobs=n_jobs)
        np.testing.assert_array_equal(indices, expected, err_msg=str(scale))
        np.testing.assert_allclose(found, squared, rtol=1e-9)


def storages(X, folder):
    mapped = np.memmap(folder / "table", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    return [X, mapped, np.asfortranarray(X), X.astype(X.dtype.newbyteorder())]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_every_storage_has_the_same_neighbours(rng, tmp_path, monkeypatch, dtype):
    monkeypatch.setattr(proposals, "CACHED_FEATURES", 16)
    X = (rng.normal(size=(130, 100)) * 50).astype(dtype)
    expected, squared = in_double(X.astype(np.float64), monkeypatch)
    for stored in [*storages(X, tmp_path), X.astype(np.float64)]:
        assert proposals.suits_proposals(as_matrix(stored), K, "euclidean")
        indices, found = nearest_neighbors(as_matrix(stored), K)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(found, squared, rtol=1e-12)


@pytest.mark.parametrize("tiles", [False, True])
def test_any_number_of_threads_gives_the_same_bits(rng, monkeypatch, tiles):
    if tiles:
        monkeypatch.setattr(gram, "PARTS_BYTES", 0)
        monkeypatch.setattr(gram, "TILE_ROWS", 32)
    monkeypatch.setattr(proposals, "CACHED_FEATURES", 16)
    X = as_matrix(rng.normal(size=(130, 1000)))
    one, *others = (proposed_distances(X, K, n_jobs) for n_jobs in (1, 2, 3))
    for other in others:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("mean", "power"), [(0.0, 1), (0.3, 2), (3.0, 9), (1e4, 1), (0.0, 9)])
def test_distances_stay_within_the_bound(rng, mean, power):
    """Of blocks that are centred or not, and sums of many products with one sign, too, which lose most."""
    X = np.abs(rng.normal(size=(60, 333))) ** power + mean * rng.choice([-1, 1], size=333)
    p = gram.products_of_blocks(SingleBlocks(as_matrix(X)), 2)
    both = p.diagonal()[:, None] + p.diagonal()
    exact = ((X[:, None] - X) ** 2).sum(axis=2)
    wrong = np.abs(both - 2 * p - exact) / both
    assert 0 < wrong.max() <= 2 * (4 + 2 + 16) * 2.0**-24


@pytest.mark.parametrize("within", [0.99, 4.0])
def test_no_neighbour_is_missed_where_every_product_is_as_wrong_as_it_may_be(rng, within):
    """Everything that is lost makes the true neighbours look far and the others near; beyond the bound, it does."""
    missed = 0
    for _ in range(20):
        X = rng.normal(size=(60, 2)) + 30 * rng.normal(size=(1, 2))  # far from its centre, so that much is lost
        exact = ((X[:, None] - X) ** 2).sum(axis=2)
        np.fill_diagonal(exact, np.inf)
        true = exact <= np.partition(exact, K - 1, axis=1)[:, K - 1 : K]
        squares = (X**2).sum(axis=1)
        wrong = within * (2 + 16) * 2.0**-24 * 2.0**13  # as of many more features
        products = X @ X.T - np.where(true, 1, -1) * wrong * np.sqrt(np.outer(squares, squares))
        np.fill_diagonal(products, squares * (1 + wrong * np.where(true[0], 1, -1)))  # worst for the first row
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(proposals, "SUMMED_FEATURES", 18 * 2**13 - 17)
            patched.setattr(proposals, "BLOCK_FEATURES", 18 * 2**13 - 17)
            near = may_be_neighbors(products, K, 10**9)
        missed += np.count_nonzero(true[0] & ~near[0])
    assert (missed == 0) == (within < 1)


@pytest.mark.parametrize("table", TABLES)
def test_no_distance_is_below_its_bound(rng, table):
    space = Space.of(as_matrix(table(rng)), "euclidean")
    X = np.asarray(space.X.raw, dtype=np.longdouble)
    exact = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(exact, np.inf)
    for dtype in (np.float32, np.float64):
        scaled = space.scaled(dtype)
        bounds = space.lowered_norms(dtype) - 2 * scaled @ scaled.T
        lowest = np.stack([space.lowest(np.full(150, row), bounds[row]) for row in range(150)])
        assert (lowest <= exact).all(), dtype


LAYOUTS = {
    "a slice of longer rows": lambda a: np.hstack([a, a])[:, : a.shape[1]],
    "by columns": np.asfortranarray,
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "rows turned round": lambda a: a[::-1].copy()[::-1],
    "one row for all": lambda a: np.broadcast_to(a[0], a.shape),
    "between bytes": lambda a: np.frombuffer(b" " + a.tobytes(), dtype=np.float32, offset=1).reshape(a.shape),
}


def test_the_upper_triangle_of_a_times_its_transpose(rng):
    for (name, layout), shape in product(LAYOUTS.items(), ((9, 30), (1, 1), (1, 50), (50, 1))):
        block = layout(rng.normal(size=shape).astype(np.float32))
        before, wide = block.copy(), block.astype(np.float64)
        for summed in (1, 7, 40):
            found = upper_products(block, summed)
            np.testing.assert_allclose(found, np.triu(wide @ wide.T), atol=1e-5, err_msg=name)
            assert found.dtype == np.float32
        np.testing.assert_array_equal(block, before, err_msg=name)
