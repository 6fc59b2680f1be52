"""Symmetric matrices in parts equal the matrices that they stand for."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.structured import SymmetricForm

N = 9
RNG = np.random.default_rng(3)


def symmetric(size, rng=RNG):
    M = rng.normal(size=(size, size))
    return M + M.T


def sparse_matrix():
    M = symmetric(N) * (np.abs(symmetric(N)) > 1.2)
    return M + np.diag(RNG.normal(size=N))


CODES = np.array([0, 1, 2, 0, 1, 0, 3, 3, 1])
WEIGHTS = np.array([0.5, -2.0, 0.25, 3.0])
INDICATOR = np.eye(4)[CODES]
GROUPS = (INDICATOR * WEIGHTS) @ INDICATOR.T


def forms():
    """Every kind of form, with its matrix."""
    E, dense = sparse_matrix(), symmetric(N)
    V, C = RNG.normal(size=(N, 2)), symmetric(2)
    yield "sparse", SymmetricForm.of(sparse.csr_array(E)), E
    yield "dense", SymmetricForm.of(dense), dense
    yield "low rank", SymmetricForm.low_rank(V, C), V @ C @ V.T
    yield "classes", SymmetricForm.of_classes(CODES, WEIGHTS), GROUPS
    whole = SymmetricForm.of(sparse.csr_array(E)).plus(SymmetricForm.low_rank(V, C))
    yield "all parts", whole.plus(SymmetricForm.of_classes(CODES, WEIGHTS)), E + V @ C @ V.T + GROUPS
    yield "implicit", SymmetricForm.of_products(lambda F: dense @ F, N), dense


FORMS = {name: (form, matrix) for name, form, matrix in forms()}
F = RNG.normal(size=(N, 3))


def equal(form, matrix):
    np.testing.assert_allclose(form.to_array(), matrix, rtol=0, atol=1e-12 * (1 + np.abs(matrix).max()))


def test_products_diagonal_and_form():
    for form, matrix in FORMS.values():
        equal(form, matrix)
        np.testing.assert_allclose(form @ F, matrix @ F, atol=1e-12)
        np.testing.assert_allclose(form @ F[:, 0], matrix @ F[:, 0], atol=1e-12)
        np.testing.assert_allclose(form.diagonal(), matrix.diagonal(), atol=1e-12)
        np.testing.assert_allclose(form.quadratic(F), np.diag(F.T @ matrix @ F), atol=1e-11)


def test_sizes_of_rows_bound_the_form():
    """Of any feature, with the terms of all parts taken absolutely; the entries alone are their own size."""
    for name, (form, matrix) in FORMS.items():
        if name == "implicit":
            continue
        size = form.row_size()
        assert (size >= np.abs(matrix).sum(axis=1) * (1 - 1e-12)).all(), name
        if name in ("sparse", "dense", "classes"):
            np.testing.assert_allclose(size, np.abs(matrix).sum(axis=1), rtol=1e-12)
        assert np.linalg.eigvalsh(np.abs(matrix)).max() <= size.max() * (1 + 1e-12), name


def test_projections():
    for form, matrix in FORMS.values():
        Q = np.linalg.qr(RNG.normal(size=(N, 2)))[0]
        R = np.eye(N) - Q @ Q.T
        equal(form.projected(Q), R @ matrix @ R)
        H = np.eye(N) - 1 / N
        equal(form.centred(), H @ matrix @ H)
        mass = RNG.uniform(size=N)
        G = np.eye(N) - np.outer(np.ones(N), mass) / mass.sum()
        equal(form.deflated(mass), G.T @ matrix @ G)


def test_some_samples_and_more_samples():
    for form, matrix in FORMS.values():
        rows = np.array([0, 1, 4, 8])
        equal(form.restricted(rows), matrix[rows][:, rows])
        rows = np.array([12, 0, 1, 3, 4, 10, 7, 8, 9])
        full = np.zeros((14, 14))
        full[np.ix_(rows, rows)] = matrix
        equal(form.extended(rows, 14), full)


def test_sums_and_multiples():
    for (form, matrix), (second, other) in product(FORMS.values(), repeat=2):
        equal(form.plus(second), matrix + other)
        equal(form.minus(second.scaled(0.5)), matrix - 0.5 * other)
    form, matrix = FORMS["all parts"]
    assert form.without_classes().w.size == 0
    equal(form.without_classes(), matrix)


def test_spread():
    mass = RNG.uniform(size=N)
    equal(SymmetricForm.spread(mass), SymmetricForm.diagonal_matrix(mass).deflated(mass).to_array())
    assert SymmetricForm.spread(mass).V.shape[1] == 1


def test_sums_of_other_classes():
    """Other classes become entries: the sum must not mix the codes of one with the weights of the other."""
    codes = np.arange(N) % 2
    other = SymmetricForm.of_classes(codes, np.array([1.0, 7.0]))
    indicator = np.eye(2)[codes]
    total = SymmetricForm.of_classes(CODES, WEIGHTS).plus(other)
    equal(total, GROUPS + (indicator * [1.0, 7.0]) @ indicator.T)


def test_many_classes_take_few_numbers():
    """A projector on the means of 25 000 pairs of samples has a diagonal and two numbers per class, no dense V."""
    n = 50_000
    form = SymmetricForm.of_classes(np.arange(n) // 2, np.full(n // 2, 0.5)).centred()
    f = np.arange(n, dtype=float)
    assert form.V.shape[1] == 2
    expected = np.sum((f - 0.5 * (n - 1)) * (np.repeat(f.reshape(-1, 2).mean(axis=1), 2) - 0.5 * (n - 1)))
    assert form.quadratic(f[:, None])[0] == pytest.approx(expected, rel=1e-9)
