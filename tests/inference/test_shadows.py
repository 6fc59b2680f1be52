"""Features against permuted copies that helped to make the graph, too."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference.knockoffs import contest, ebh_qvalues, knockoff_evalues, knockoff_qvalues
from eigenselect.inference.shadows import Shadows, shadow_of, shadow_qvalues
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix


def alignment(components, tables):
    """How much of a feature lies in the components: a score that prefers what made them."""
    basis = np.linalg.qr(components)[0]
    found = []
    for table in tables:
        Z = table.to_array() - table.to_array().mean(axis=0)
        with np.errstate(invalid="ignore"):
            found.append(((basis.T @ Z) ** 2).sum(axis=0) / (Z**2).sum(axis=0))
    return np.array(found), np.zeros((len(tables), tables[0].n_features))


def planted(rng, n=80, m=150, informative=30, strength=1.0):
    y = np.arange(n) % 3
    X = rng.normal(size=(n, m))
    X[:, :informative] += strength * rng.normal(size=(3, informative))[y]
    return X


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array], ids=["dense", "csr", "csc"])
def test_a_shadow_holds_the_same_values_in_another_order(kind, rng):
    X = rng.poisson(0.5, size=(40, 200)) * rng.lognormal(size=(40, 200))
    table = as_matrix(kind(X))
    shadow = shadow_of(table, np.random.RandomState(0))
    assert type(shadow) is (SparseMatrix if table.is_sparse else Matrix)
    found = shadow.to_array()
    np.testing.assert_array_equal(np.sort(found, axis=0), np.sort(X, axis=0))
    columns = np.flatnonzero((X != 0).sum(axis=0) > 4)
    assert (found != X)[:, columns].any(axis=0).all()
    orders = {tuple(np.argsort(column)) for column in found[:, columns].T}
    assert len(orders) == columns.size


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
def test_all_orders_are_equally_likely(kind):
    """Of three values, one of them 0: six orders in 6000 columns, each within five standard deviations of 1000."""
    table = as_matrix(kind(np.tile(np.array([[0.0], [1], [2]]), (1, 6000))))
    found = shadow_of(table, np.random.RandomState(1)).to_array().T
    _, counts = np.unique(found, axis=0, return_counts=True)
    assert counts.size == 6
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000 * 5 / 6)


@pytest.mark.parametrize("n_copies", [1, 2])
def test_features_compete_with_the_copies_that_made_the_graph(n_copies, rng):
    X, seen = planted(rng), []

    def score(components, tables):
        seen.append((components, tables))
        return alignment(components, tables)

    found = shadow_qvalues(as_matrix(X), score, n_copies=n_copies, random_state=2)
    ((components, tables),) = seen
    assert len(tables) == 1 + n_copies
    np.testing.assert_array_equal(found, knockoff_qvalues(*contest(*alignment(components, tables)), n_copies))


def test_repeats_are_joined_by_e_values(rng):
    X, contests = planted(rng), []

    def score(components, tables):
        found = alignment(components, tables)
        contests.append(contest(*found))
        return found

    found = shadow_qvalues(as_matrix(X), score, n_repeats=3, level=0.2)
    mean = np.mean([knockoff_evalues(*each, 1, 0.2) for each in contests], axis=0)
    np.testing.assert_array_equal(found, ebh_qvalues(mean))
    assert len(contests) == 3


def test_informative_features_win_and_noise_does_not(rng):
    """Where the graph is made without copies, nearly all noise features seem to follow it."""
    false, true = [], []
    for seed in range(6):
        kept = shadow_qvalues(as_matrix(planted(rng)), alignment, random_state=seed) <= 0.2
        true.append(kept[:30].mean())
        false.append(kept[30:].sum() / max(1, kept.sum()))
        assert not (shadow_qvalues(as_matrix(rng.normal(size=(80, 150))), alignment, random_state=seed) <= 0.1).any()
    assert np.mean(true) > 0.5
    assert np.mean(false) < 0.4


def test_constant_features_have_no_q_value(rng):
    X = planted(rng)
    X[:, 4] = 3.0
    found = shadow_qvalues(as_matrix(X), alignment)
    assert np.flatnonzero(np.isnan(found)).tolist() == [4]
    assert np.isnan(shadow_qvalues(as_matrix(np.ones((8, 3))), alignment)).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_copies": 0}, "SPEC: Shadows: n_copies must be a positive integer, got 0"),
        ({"n_repeats": 1.5}, "SPEC: Shadows: n_repeats must be a positive integer, got 1.5"),
        ({"level": 1}, "SPEC: Shadows: level must be a number between 0 and 1, got 1"),
        ({"n_components": 0}, "SPEC: Shadows: n_components must be 'auto' or a positive integer, got 0"),
    ],
)
def test_bad_parameters(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Shadows(**parameters).check_parameters("SPEC")


def test_any_storage_has_the_same_shadows():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 300)) < 0.3, rng.normal(size=(40, 300)), 0.0)
    dense, csr, csc = (
        shadow_of(as_matrix(kind(X)), np.random.RandomState(3)).to_array()
        for kind in (np.asarray, sparse.csr_array, sparse.csc_array)
    )
    np.testing.assert_array_equal(dense, csr)
    np.testing.assert_array_equal(dense, csc)
