"""Neighbours of wide tables by proposals in single precision are those of distances in double precision."""

import numpy as np
import pytest

from eigenselect.matrix import Matrix, as_matrix
from eigenselect.similarity import gram, neighbors, proposals
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.proposals import SingleBlocks, may_be_neighbors, measured_pairs, proposed_distances
from ugly_tables import TABLES, far_clusters, offset, one_far_sample, ordinary

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


@pytest.mark.parametrize("scale", [1.0, 1e-12, 2.0**-40, 1e12])
@pytest.mark.parametrize("table", TABLES)
def test_neighbours_are_those_in_double_precision(rng, monkeypatch, table, scale):
    X = wider(table(rng)) * scale
    expected, squared = in_double(X, monkeypatch)
    for n_jobs in (1, 2):
        indices, found = nearest_neighbors(as_matrix(X), K, n_jobs=n_jobs)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(found, squared, rtol=1e-9)


@pytest.mark.parametrize("copied", [1, K + 1])
def test_these_are_proposed(rng, copied):
    """Copies lose no digits in differences, and tie."""
    X = np.repeat(wider(ordinary(rng))[: 150 // copied], copied, axis=0)
    found = proposed_distances(as_matrix(X), K, 2)
    exact = ((X[:, None] - X) ** 2).sum(axis=2)
    near = np.isfinite(found)
    np.testing.assert_allclose(found[near], exact[near], rtol=1e-13)
    assert near.sum(axis=1).min() >= K
    assert near.mean() < 0.25
    assert not near.diagonal().any()
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("table", [far_clusters, offset, one_far_sample])
def test_where_single_precision_does_not_tell_double_precision_does(rng, monkeypatch, table):
    X = wider(table(rng))
    found = proposed_distances(as_matrix(X), K, 1)
    assert (found is None) == (table is not offset)  # of which centring leaves nothing


@pytest.mark.parametrize("exponent", [-1000, -100, 100, 1000])
def test_squares_out_of_range(rng, exponent):
    """Squares that single precision does not hold are made in double precision, or refused there."""
    X = np.ldexp(ordinary(rng), exponent)
    assert proposed_distances(as_matrix(X), K, 1) is None


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


def test_pairs_are_measured_over_all_features(rng, monkeypatch):
    monkeypatch.setattr(proposals, "CACHED_FEATURES", 7)
    X = rng.normal(size=(30, 1001))
    first, second = np.sort(rng.integers(0, 30, size=50)), rng.integers(0, 30, size=50)
    expected = ((X[first] - X[second]) ** 2).sum(axis=1)
    np.testing.assert_allclose(measured_pairs(as_matrix(X), first, second, 2), expected, rtol=1e-13)


@pytest.mark.parametrize("power", [1, 2, 9])
@pytest.mark.parametrize("mean", [0.0, 0.3, 3.0, 1e4])
def test_distances_stay_within_the_bound(rng, mean, power):
    """Of blocks that are centred or not, and sums of many products with one sign, too, which lose most."""
    X = np.abs(rng.normal(size=(60, 333))) ** power + mean * rng.choice([-1, 1], size=333)
    p = gram.products_of_blocks(SingleBlocks(as_matrix(X)), 2)
    both = p.diagonal()[:, None] + p.diagonal()
    exact = ((X[:, None] - X) ** 2).sum(axis=2)
    wrong = np.abs(both - 2 * p - exact) / both
    assert 0 < wrong.max() <= 2 * (4 + 2 + 16) * 2.0**-24


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("mean", [0.0, 0.3, 3.0])
def test_blocks_with_large_means_are_centred(rng, mean, dtype):
    X = (rng.normal(size=(60, 20)) + mean).astype(dtype)
    blocks = list(SingleBlocks(as_matrix(X)))
    assert {block.dtype for block in blocks} == {np.dtype(np.float32)}
    centred = np.concatenate(blocks, axis=1)
    np.testing.assert_allclose(centred, X - X.mean(axis=0) if mean > 1 else X, atol=1e-5)
    assert np.shares_memory(blocks[0], X) == (mean < 1 and dtype is np.float32)


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


def test_who_is_asked_for_proposals(rng, monkeypatch):
    monkeypatch.setattr(proposals, "LEAST_WORK", 64 * 64 * 100)
    wide = as_matrix(rng.normal(size=(64, 100)))
    assert proposals.suits_proposals(wide, K, "euclidean")
    assert not proposals.suits_proposals(wide, K, "cosine")
    assert not proposals.suits_proposals(wide, K + 1, "euclidean")  # too few samples for so many
    assert not proposals.suits_proposals(as_matrix(wide.raw[:, :99]), K, "euclidean")
    elsewhere = Matrix(wide.raw)
    elsewhere.in_memory = False  # a second walk would read the file again
    assert not proposals.suits_proposals(elsewhere, K, "euclidean")


@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_pairs_are_turned_until_fours_are_full(rng, density):
    first, second = np.nonzero(np.triu(rng.random((40, 40)) < density, 1))
    turned = proposals._evenly(first, second, 40)
    np.testing.assert_array_equal(np.sort(turned, axis=0), [first, second])
    counts = np.bincount(turned[0], minlength=40)
    kept = np.bincount(first[turned[0] == first], minlength=40)
    np.testing.assert_array_equal(kept[counts % 4 > 0], 0)  # who has a four that is not full has turned all that it had
