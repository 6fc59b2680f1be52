"""Inner products of samples over groups of features, held against dense products."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import feature_groups
from eigenselect.inference.feature_groups import FeatureGroup, effective_number, summed
from eigenselect.matrix import as_matrix


def centred(X):
    return X - X.mean(axis=0)


@pytest.fixture(params=["dense", "float32", "fortran", "csr", "csc", "memmap"])
def table(request, rng, tmp_path):
    X = np.round(rng.poisson(0.7, size=(15, 40)) * rng.lognormal(size=40), 2).astype(np.float32).astype(float)
    X[:, 3] = 0.1
    if request.param == "memmap":
        np.save(tmp_path / "X.npy", X)
        return X, as_matrix(np.load(tmp_path / "X.npy", mmap_mode="r"))
    kinds = {
        "dense": np.asarray,
        "float32": lambda X: X.astype(np.float32),
        "fortran": np.asfortranarray,
        "csr": sparse.csr_array,
        "csc": sparse.csc_array,
    }
    return X, as_matrix(kinds[request.param](X))


@pytest.mark.parametrize("block_bytes", [1, 2**23])
def test_products_and_squares_are_those_of_the_centred_columns(table, block_bytes, rng, monkeypatch):
    monkeypatch.setattr(feature_groups, "BLOCK_BYTES", block_bytes)
    X, matrix = table
    columns, V = rng.permutation(40)[:25], rng.normal(size=(15, 3))
    Z, group = centred(X[:, np.sort(columns)]), FeatureGroup(matrix, columns)
    np.testing.assert_allclose(group.gram, Z @ Z.T, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(group.product(V), group.gram @ V, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(group.row_squares, group.gram.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(group.column_squares, (Z**2).sum(axis=0), rtol=1e-6, atol=1e-12)


def test_constant_features_add_exactly_nothing():
    group = FeatureGroup(as_matrix(np.full((7, 3), 0.1)))
    assert not group.gram.any()
    assert not group.column_squares.any()


def test_groups_add_up_whatever_their_size(rng):
    """Values of 1e-180 beside those of 1e-170, in different groups: squares of neither are floating-point numbers."""
    X = rng.normal(size=(6, 8))
    X[:, :4] *= 1e-3
    whole = centred(X) @ centred(X).T
    tiny = as_matrix(X * 1e-180)
    groups = [FeatureGroup(tiny, np.arange(4)), FeatureGroup(tiny, np.arange(4, 8))]
    found = summed(groups, lambda group: group.gram)
    np.testing.assert_allclose(found / found[0, 0], whole / whole[0, 0], rtol=1e-10)
    huge = summed([FeatureGroup(as_matrix(X * 1e200))], lambda group: group.gram)
    np.testing.assert_allclose(huge / huge[0, 0], whole / whole[0, 0], rtol=1e-10)


def test_a_group_of_zeros_does_not_set_the_unit(rng):
    X = rng.normal(size=(6, 3)) * 1e-200
    groups = [FeatureGroup(as_matrix(np.zeros((6, 2)))), FeatureGroup(as_matrix(X))]
    assert summed(groups, lambda group: group.gram).any()


def test_features_count_by_their_variance(rng):
    X = rng.normal(size=(400, 10))
    X = centred(X) / X.std(axis=0)
    assert effective_number([FeatureGroup(as_matrix(X))]) == pytest.approx(10)
    X[:, 1:] *= 1e-4
    assert effective_number([FeatureGroup(as_matrix(X[:, :5])), FeatureGroup(as_matrix(X[:, 5:]))]) == pytest.approx(1)
    assert effective_number([FeatureGroup(as_matrix(np.ones((4, 2))))]) == 0
