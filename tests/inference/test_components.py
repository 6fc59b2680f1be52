"""Principal components of samples of unit length, by two routes, and the inner products that they are made of."""

import numpy as np
import pytest
from scipy import sparse

from another_basis import use_another_basis
from eigenselect.inference import components, feature_groups
from eigenselect.inference.components import components_of, components_without_each, n_above_noise
from eigenselect.inference.feature_groups import FeatureGroup, effective_number
from eigenselect.matrix import as_matrix


def distances(Y):
    return ((Y[:, None] - Y[None]) ** 2).sum(axis=-1)


def by_svd(X, count):
    Z = X - X.mean(axis=0)
    Z = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    U, sizes, _ = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    return U[:, :count] * sizes[:count]


def clusters(rng, n=60, m=50, classes=3, strength=2.0):
    y = np.arange(n) % classes
    return rng.normal(size=(n, m)) + strength * rng.normal(size=(classes, m))[y]


@pytest.fixture(params=["gram", "products"])
def route(request, monkeypatch):
    if request.param == "products":
        monkeypatch.setattr(components, "GRAM_SAMPLES", 1)
    return request.param


def test_components_are_those_of_scaled_samples(route, rng):
    X = clusters(rng)
    X[X < 0.3] = 0
    for kind in (np.asarray, sparse.csr_array):
        groups = [FeatureGroup(as_matrix(kind(X)), part) for part in np.array_split(rng.permutation(50), 3)]
        np.testing.assert_allclose(distances(components_of(groups, 2)), distances(by_svd(X, 2)), rtol=1e-6, atol=1e-9)
    opposite = np.vstack([X - X.mean(axis=0), X.mean(axis=0) - X, np.zeros(50)])  # a sample at the mean has no length
    np.testing.assert_allclose(components_of([FeatureGroup(as_matrix(opposite))], 2)[-1], 0, atol=1e-12)


def test_others_are_the_table_without_the_group(route, rng):
    X, folds = clusters(rng), np.array_split(np.arange(50), 5)
    found = components_without_each([FeatureGroup(as_matrix(X), fold) for fold in folds], 2)
    for fold, Y in zip(folds, found, strict=True):
        expected = by_svd(np.delete(X, fold, axis=1), 2)
        np.testing.assert_allclose(distances(Y), distances(expected), rtol=1e-6, atol=1e-9)


def test_order_of_features_and_of_samples_and_unit_do_not_matter(rng):
    X = clusters(rng)
    columns, rows = rng.permutation(50), rng.permutation(60)
    expected = distances(components_of([FeatureGroup(as_matrix(X))], "auto"))
    same = slice(None)
    for other, order in ((X[:, columns], same), (X[rows], rows), (X * 1e-90, same), (X + 1e3, same)):
        found = distances(components_of([FeatureGroup(as_matrix(other))], "auto"))
        np.testing.assert_allclose(found, expected[order][:, order], rtol=1e-7, atol=1e-9)


def test_equal_eigenvalues_are_taken_together(rng, monkeypatch):
    """Four samples at the corners of a square, twice: both directions are equal, so one alone would be any."""
    X = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]] * 2)
    expected = distances(components_of([FeatureGroup(as_matrix(X))], 1))
    assert components_of([FeatureGroup(as_matrix(X))], 1).shape == (8, 2)
    use_another_basis(monkeypatch)
    np.testing.assert_allclose(distances(components_of([FeatureGroup(as_matrix(X))], 1)), expected, atol=1e-12)


def test_constant_features_make_no_components(route):
    assert components_of([FeatureGroup(as_matrix(np.full((8, 3), 0.1)))], "auto") is None


def test_auto_takes_as_many_as_the_classes_span(route, rng):
    for classes, expected in ((3, 2), (9, 8)):
        X = clusters(rng, n=150, m=200, classes=classes)
        assert components_of([FeatureGroup(as_matrix(X))], "auto").shape[1] == expected


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_auto_takes_the_fewest_of_noise(spread, rng):
    """Also where features differ in variance, which widens the crowd of eigenvalues."""
    X = rng.normal(size=(120, 300)) * rng.lognormal(sigma=spread, size=300)
    assert components_of([FeatureGroup(as_matrix(X))], "auto").shape[1] == components.FEWEST


def test_the_edge_is_found_in_turns():
    """The first eigenvalue hides the second: only without it is the mean of the noise small enough."""
    noise, values = np.full(97, 1.0), np.array([500.0, 8.0])
    trace = float(values.sum() + noise.sum())
    assert n_above_noise(values, trace, 100, 100.0) == 2
    assert n_above_noise(1e-9 * values, 1e-9 * trace, 100, 100.0) == 2  # whatever the unit
    assert values[1] < trace / 99 * 4
    assert n_above_noise(np.ones(3), 99.0, 100, 100.0) == 0
    assert n_above_noise(np.ones(3), 99.0, 100, 0.0) == 0


def centred(X):
    return X - X.mean(axis=0)


def test_products_and_squares_are_those_of_the_centred_columns(rng, monkeypatch, tmp_path):
    X = np.round(rng.poisson(0.7, size=(15, 40)) * rng.lognormal(size=40), 2).astype(np.float32).astype(float)
    X[:, 3] = 0.1
    np.save(tmp_path / "X.npy", X)
    columns, V = rng.permutation(40)[:25], rng.normal(size=(15, 3))
    Z = centred(X[:, np.sort(columns)])
    kinds = (np.asarray, np.asfortranarray, np.float32, sparse.csr_array, sparse.csc_array)
    for stored in (*(kind(X) for kind in kinds), np.load(tmp_path / "X.npy", mmap_mode="r")):
        for block_bytes in (1, 2**23):
            monkeypatch.setattr(feature_groups, "BLOCK_BYTES", block_bytes)
            group = FeatureGroup(as_matrix(stored), columns)
            np.testing.assert_allclose(group.gram, Z @ Z.T, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(group.product(V), group.gram @ V, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(group.row_squares, group.gram.diagonal(), rtol=1e-12)
            np.testing.assert_allclose(group.column_squares, (Z**2).sum(axis=0), rtol=1e-6, atol=1e-12)
    group = FeatureGroup(as_matrix(np.full((7, 3), 0.1)))
    assert not group.gram.any()
    assert not group.column_squares.any()


def test_features_count_by_their_variance(rng):
    X = rng.normal(size=(400, 10))
    X = centred(X) / X.std(axis=0)
    assert effective_number([FeatureGroup(as_matrix(X))]) == pytest.approx(10)
    X[:, 1:] *= 1e-4
    assert effective_number([FeatureGroup(as_matrix(X[:, :5])), FeatureGroup(as_matrix(X[:, 5:]))]) == pytest.approx(1)
    assert effective_number([FeatureGroup(as_matrix(np.ones((4, 2))))]) == 0
