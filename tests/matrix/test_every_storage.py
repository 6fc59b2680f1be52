"""The same numbers in any storage give the same scores and p-values, for every method that scores features alone."""

import functools
import warnings

import numpy as np
import pytest
from scipy import sparse

import backed
from eigenselect.criteria.table import METHODS
from eigenselect.multisource import FeatureSet, SampleCategories
from storages import STORAGES

#: methods that choose features together, or join rankings
TOGETHER = ("mrsf", "kogs")
ROWS = [row for row in METHODS if row.name not in TOGETHER]
#: what some methods need to be made, and to be tested
PARTS = {
    "msfs": {"sources": [("classes", SampleCategories()), ("two", FeatureSet([0, 2], "rbf"))]},
    "trace-ratio": {"level": "feature"},
}
#: with p-values, which are made of the same sums
TESTED = "float64"
#: storages that read what others do, and are tried on float64 alone; types are read alike below these
OF_OTHERS = ("columns first", "COO", "HDF5 CSR", "zarr CSC", "backed AnnData", "backed AnnData, CSC")
CASES = [
    (storage, dtype)
    for storage in STORAGES
    for dtype in (TESTED, "float32", "int8", "int64", "uint16")
    if dtype == TESTED or (storage not in OF_OTHERS and (dtype in ("float32", "int8") or storage in ("dense", "CSR")))
]
#: one method for each way in which values are read (tiles, edges, classes, kernels, pairs), for other types in files
WAYS = ("laplacian", "fisher", "hsic", "relieff", "spec-phi3", "trace-ratio")


def counts(dtype):
    """Counts of three groups of cells; squares of the largest leave int8 and uint16, and floats have fractions."""
    rng = np.random.default_rng(17)
    y = np.arange(36) % 3
    X = rng.poisson(0.3 + np.outer(y == 1, np.linspace(0, 3, 17)))
    X[5], X[:, 4], X[:, 9] = 120, 100, 0
    X[::2, 4] += 27
    if np.dtype(dtype).kind == "f":
        return (X * 0.1).astype(dtype), y
    return X.astype(dtype), y


def ring(n_samples):
    """A graph from elsewhere: every sample and the three after it."""
    S = sum(np.roll(np.eye(n_samples), step, axis=1) / step for step in (1, 2, 3))
    return sparse.csr_array(S + S.T)


def fitted(row, X, y, *, tested):
    """Fit with p-values where there is an honest way to them: on labels, or on a given graph."""
    given = bool(row.p_value_rule and row.similarities)
    tested = {"significance": "given" if given else True} if tested and row.p_value_rule and row.name != "msfs" else {}
    selector = row.selector_class()(**{**row.parameters, **PARTS.get(row.name, {}), **tested}, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(X, y, similarity_matrix=ring(y.size)) if given else selector.fit(X, y)


@functools.cache
def expected(row_name, dtype):
    """What the method says of the same numbers in an array of float64."""
    X, y = counts(dtype)
    return values_of(fitted(METHODS[row_name], X.astype(np.float64), y, tested=dtype == TESTED))


def values_of(selector):
    names = [name for name in ("native_scores_", "scores_", "pvalues_") if hasattr(selector, name)]
    return {name: getattr(selector, name) for name in names}


@pytest.mark.parametrize(("storage", "dtype"), CASES)
def test_the_same_scores_for_every_method(storage, dtype, tmp_path, monkeypatch):
    """Bands, blocks and steps of reading are so small that a table has several of each."""
    backed.as_if_large(monkeypatch, band=1500, read=2000)
    X, y = counts(dtype)
    given = STORAGES[storage](X, tmp_path)
    all_of_them = dtype == TESTED or storage in ("dense", "CSR")
    for row in ROWS if all_of_them else [METHODS[name] for name in WAYS]:
        found = values_of(fitted(row, given, y, tested=dtype == TESTED))
        assert found.keys() == expected(row.name, dtype).keys()
        for name, values in expected(row.name, dtype).items():
            np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-13, err_msg=f"{row.name} {name}")
