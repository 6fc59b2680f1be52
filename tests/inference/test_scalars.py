"""Scalars of forms in all parts and storages against dense matrices."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.criterion import phi
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.inference import entries, scalars
from eigenselect.inference.polynomials import evaluate
from eigenselect.inference.scalars import null_scalars
from eigenselect.spectral import Power

N = 23


def sparse_part(rng, density=0.3):
    M = np.where(rng.random((N, N)) < density, rng.normal(size=(N, N)), 0.0)
    return SymmetricForm.of(sparse.csr_array(M + M.T))


def low_rank(rng):
    C = rng.normal(size=(3, 3))
    return SymmetricForm.low_rank(rng.normal(size=(N, 3)), C + C.T)


CODES = np.arange(N) % 5


def classes(rng, codes=CODES):
    return SymmetricForm.of_classes(codes, rng.normal(size=5))


def dense_part(rng):
    return SymmetricForm.of(sparse_part(rng, 1.0).to_array())


def diagonal(rng):
    return SymmetricForm.diagonal_matrix(rng.normal(size=N))


KINDS = {
    "sparse": lambda rng: sparse_part(rng),
    "sparse + low rank": lambda rng: sparse_part(rng).plus(low_rank(rng)),
    "sparse + classes": lambda rng: sparse_part(rng).plus(classes(rng)).plus(low_rank(rng)),
    "classes": lambda rng: classes(rng).plus(diagonal(rng)),
    "other classes": lambda rng: classes(rng, np.arange(N) // 5).plus(low_rank(rng)),
    "diagonal": diagonal,
    "low rank": low_rank,
    "dense": dense_part,
    "dense + classes": lambda rng: dense_part(rng).plus(classes(rng)).plus(low_rank(rng)),
    "products": lambda rng: SymmetricForm.of_products(dense_part(rng).E.__matmul__, N),
    "nothing": lambda rng: SymmetricForm.diagonal_matrix(np.zeros(N)),
}


def brute_force(A):
    """Every scalar of HAH - τH, in order of their names."""
    H = np.eye(N) - 1 / N
    tau = np.trace(H @ A @ H) / (N - 1)
    B = H @ A @ H - tau * H
    b, linear, B2 = np.diag(B), H @ A @ np.ones(N), np.diag(B @ B)
    found = {
        "tau": tau, "trace2": np.trace(B @ B), "trace3": np.trace(B @ B @ B), "bb": b @ b, "bbb": np.sum(b**3),
        "cubes": np.sum(B**3), "bBb": b @ B @ b, "bB2": b @ B2,
    }  # fmt: skip
    more = {
        "ll": linear @ linear, "bl": b @ linear, "lll": np.sum(linear**3), "lBl": linear @ B @ linear,
        "bll": b @ linear**2, "bBl": b @ B @ linear, "lB2": linear @ B2, "bbl": b**2 @ linear,
    }  # fmt: skip
    return found | {"total": A.sum()}, more


def check(numerator, denominator, centred):
    found = null_scalars(NullRatio(numerator, denominator, True, centred, N))
    A = numerator.to_array() / found.units[0]
    B = np.zeros((N, N)) if denominator is None else denominator.to_array() / found.units[1]
    for alpha, beta in ((1.0, 0.0), (0.6, -0.8), (0.0, -1.0)):
        if denominator is None and beta:
            continue
        expected, more = brute_force(alpha * A + beta * B)
        size = np.abs(A).sum(axis=1).max() + np.abs(B).sum(axis=1).max()
        point = np.array([alpha]), np.array([beta])
        for name, value in expected.items():
            assert evaluate(getattr(found, name), *point)[0] == pytest.approx(value, abs=1e-12 * N * size**3), name
        assert (found.linear is None) == centred
        for name, value in () if centred else more.items():
            linear = evaluate(getattr(found.linear, name), *point)[0]
            assert linear == pytest.approx(value, abs=1e-12 * N * size**3), name


def test_every_pair_of_parts(rng):
    for first, second in product(KINDS, [*KINDS, None]):
        numerator = KINDS[first](rng)
        denominator = None if second is None else KINDS[second](rng)
        check(numerator, denominator, centred=False)
        check(numerator.centred(), None if denominator is None else denominator.centred(), centred=True)


#: what is set to what, so that few samples go the way of many: compiled loops, blocks of rows
WAYS = {
    "compiled": (entries, "COMPILED_WORK", 0.0),
    "rows": (scalars, "ROWS", 4),
    "dense rows": (entries, "DENSE_ROWS", 7),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_sum_changes_a_scalar(way, rng, monkeypatch):
    monkeypatch.setattr(*WAYS[way])
    for first in ("sparse + classes", "sparse + low rank", "dense + classes"):
        for second in ("sparse", "sparse + classes", "other classes", "diagonal", "dense", "nothing", None):
            numerator, denominator = KINDS[first](rng), None if second is None else KINDS[second](rng)
            check(numerator, denominator, centred=False)
            check(numerator.centred(), None if denominator is None else denominator.centred(), centred=True)


def test_a_laplacian_in_parts(rng, monkeypatch):
    """The scalars of diag(d) - S are those of its matrix, on any number of threads; the pattern of S is not copied."""
    S = np.abs(sparse_part(rng).to_array())
    graph = SampleGraph(sparse.csr_array(S))
    for rows in (2**14, 5):
        monkeypatch.setattr(scalars, "ROWS", rows)
        ratio = phi("phi2", graph, Power(1)).null_ratio()
        found = [null_scalars(ratio, n_jobs) for n_jobs in (1, 2)]
        matrix = NullRatio(SymmetricForm.of(graph.laplacian()), ratio.denominator, False, True, N)
        expected = null_scalars(matrix)
        np.testing.assert_array_equal(found[0].units, expected.units)
        for name in ("tau", "trace2", "trace3", "bb", "bbb", "cubes", "bBb", "bB2", "gross"):
            np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
            np.testing.assert_allclose(getattr(found[0], name), getattr(expected, name), rtol=1e-12, atol=1e-12)
        assert np.shares_memory(ratio.numerator.E.indices, graph.affinity.indices)


def test_proportional_entries(rng):
    """What is between is the total minus what is within: the entries of one are multiples of the other's."""
    within = KINDS["sparse"](rng)
    check(within, diagonal(rng).minus(within.scaled(0.7)), centred=False)
    check(within, within.scaled(-0.5), centred=False)


def test_any_unit(rng):
    """The unit of a form is taken out."""
    form, other = KINDS["sparse + classes"](rng), KINDS["low rank"](rng)
    plain = null_scalars(NullRatio(form, other, True, False, N))
    for unit in (1e-100, 1e100):
        scaled = null_scalars(NullRatio(form.scaled(unit), other, True, False, N))
        np.testing.assert_allclose(scaled.units / plain.units, [unit, 1])
        np.testing.assert_allclose(scaled.trace3, plain.trace3, rtol=1e-12)
        np.testing.assert_allclose(scaled.cubes, plain.cubes, rtol=1e-12)


def test_threads(rng, monkeypatch):
    monkeypatch.setattr(entries, "COMPILED_WORK", 0.0)
    ratio = NullRatio(KINDS["sparse + low rank"](rng), KINDS["sparse"](rng), True, False, N)
    one, two = null_scalars(ratio, n_jobs=1), null_scalars(ratio, n_jobs=2)
    np.testing.assert_array_equal(one.trace3, two.trace3)
    np.testing.assert_array_equal(one.cubes, two.cubes)


def test_one_class_of_all_samples(rng, monkeypatch):
    """A single class with a weight is not the same as no classes."""
    monkeypatch.setattr(entries, "COMPILED_WORK", 0.0)
    one = SymmetricForm.of_classes(np.zeros(N, dtype=np.intp), np.array([0.7]))
    check(KINDS["sparse"](rng).plus(one), KINDS["diagonal"](rng), centred=False)
