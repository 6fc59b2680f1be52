"""Tables of 150 samples that are hard for a search of neighbours, each for another reason."""

import numpy as np


def ordinary(rng):
    return rng.normal(size=(150, 20))


def far_clusters(rng):
    """Distances within a cluster are lost in single precision."""
    return rng.normal(size=(150, 20)) + 1e5 * rng.normal(size=(3, 20))[np.arange(150) % 3]


def copies(rng):
    return np.repeat(rng.normal(size=(5, 20)), 30, axis=0)


def ties(rng):
    return rng.integers(0, 2, size=(150, 6)).astype(float)


def equal_samples(rng):
    return np.ones((150, 3))


def offset(rng):
    return np.round(rng.normal(size=(150, 20)), 3) + 2.0**20


def one_far_sample(rng):
    """Beside this one, squares of all the others are too small for single precision."""
    return np.vstack([rng.normal(size=(149, 20)), np.full((1, 20), 1e25)])


def two_far_samples(rng):
    """Their mean is that of the others, whose products with each other then vanish in single precision."""
    return np.vstack([rng.normal(size=(148, 20)), np.full((1, 20), 1e25), np.full((1, 20), -1e25)])


def single_precision(rng):
    return rng.normal(size=(150, 20)).astype(np.float32)


TABLES = [
    ordinary,
    far_clusters,
    copies,
    ties,
    equal_samples,
    offset,
    one_far_sample,
    two_far_samples,
    single_precision,
]
