"""k-means: right where clusters are clear, and the same for any last bits where they are not."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from eigenselect.reporting.k_means import k_means


def cost(points, codes):
    return sum(((points[codes == code] - points[codes == code].mean(axis=0)) ** 2).sum() for code in np.unique(codes))


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_clear_clusters_are_found(count):
    points, truth = make_blobs(40 * count, 3, centers=count, cluster_std=0.3, random_state=1)
    assert adjusted_rand_score(k_means(points, count, 0), truth) == 1


@pytest.mark.parametrize("count", [2, 3, 6])
def test_it_is_about_as_good_as_scikit_learns(rng, count):
    points = rng.normal(size=(200, 4))
    assert (
        cost(points, k_means(points, count, 0)) <= 1.02 * KMeans(count, n_init=10, random_state=0).fit(points).inertia_
    )


def test_clusters_are_numbered_by_size_and_then_by_first_sample():
    points = np.array([5.0, 9, 9, 1, 1, 5.1])[:, None]
    np.testing.assert_array_equal(k_means(points, 3, 0), [0, 1, 1, 2, 2, 0])
    np.testing.assert_array_equal(k_means(points[:-1], 3, 0), [2, 0, 0, 1, 1])


@pytest.mark.parametrize("count", [2, 3, 5, 7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rounding_does_not_decide_ties(count, seed):
    """On a ring, every rotation of the clusters is as good, and samples lie half-way between centres."""
    angle = 2 * np.pi * np.arange(24) / 24
    points = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    expected = k_means(points, count, seed)
    for noise in np.random.default_rng(seed).normal(size=(20, *points.shape)):
        np.testing.assert_array_equal(k_means(points + 1e-14 * noise, count, seed), expected)


def test_fewer_points_than_clusters():
    found = k_means(np.repeat([[0.0], [1.0]], 3, axis=0), 4, 0)
    assert len(set(found)) == 2
    np.testing.assert_array_equal(found, [0, 0, 0, 1, 1, 1])
