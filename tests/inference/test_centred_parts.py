"""Forms side by side: centred, with mean 0 under permutation."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.centred_parts import CentredParts

N = 12


def matrix(parts, x):
    """Multiply the parts of one form out."""
    W = np.tensordot(parts.entries.mix, parts.entries.images(np.eye(N)), 1)[x]
    same = parts.codes[:, None] == parts.codes
    return np.diag(parts.diagonal[x]) + W + parts.V @ parts.C[x] @ parts.V.T + parts.weights[x][parts.codes] * same


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("unit", [1.0, 1e-90, 1e90])
def test_the_parts_are_the_centred_forms(centred, unit, rng):
    M, V = rng.normal(size=(N, N)), rng.normal(size=(N, 2))
    first = SymmetricForm.of(sparse.csr_array(M + M.T)).plus(SymmetricForm.of_classes(np.arange(N) % 3, np.ones(3)))
    second = SymmetricForm.low_rank(V, np.eye(2)).plus(SymmetricForm.diagonal_matrix(rng.normal(size=N))).scaled(unit)
    forms = [form.centred() if centred else form for form in (first, second)]
    parts = CentredParts.of(forms, centred=centred)
    H = np.eye(N) - 1 / N
    for x, form in enumerate(forms):
        A = np.ldexp(form.to_array(), -parts.exponents[x])
        assert 0.05 < np.abs(A).max() < 20
        expected = H @ A @ H - np.trace(H @ A) / (N - 1) * H
        np.testing.assert_allclose(matrix(parts, x), expected, atol=1e-13)
        np.testing.assert_allclose(matrix(parts, x).sum(axis=0), 0.0, atol=1e-13)
        assert np.trace(matrix(parts, x)) == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(parts.tau[x], np.trace(H @ A) / (N - 1))
        if not centred:
            np.testing.assert_allclose(parts.linear[x], H @ A @ np.ones(N), atol=1e-13)
            assert parts.total[x] == pytest.approx(A.sum())


def test_columns_are_of_ordinary_size(rng):
    """Products of three columns must stay in range, whatever unit the mass of a graph has."""
    mass = 1e-130 * rng.uniform(0.5, 2, size=N)
    parts = CentredParts.of([SymmetricForm.diagonal_matrix(mass).deflated(mass)], centred=True)
    largest = np.abs(parts.V).max(axis=0)
    assert ((largest >= 0.5) & (largest < 1.0)).all()
