"""The same numbers in any storage give the ranking, scores and p-values of numpy, for every method and every use."""

import functools
import warnings

import numpy as np
import pytest
from scipy import sparse

import backed
import eigenselect as es
from eigenselect import StabilitySelector
from eigenselect.criteria.methods import METHODS
from eigenselect.evaluation import near_copies
from eigenselect.multisource import FeatureSet, SampleCategories
from eigenselect.reporting import compare, report
from eigenselect.similarity import KNN, FromTable
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
#: one method for each way in which values are read (tiles, edges, classes, kernels, pairs)
WAYS = ("laplacian", "fisher", "hsic", "relieff", "spec-phi3", "trace-ratio")
#: storages that read what others do: one method for each way
OF_OTHERS = (
    "columns first", "COO", "HDF5 CSR", "zarr CSC", "backed AnnData", "backed AnnData, CSC", "Dask by both, CSC",
)  # fmt: skip
#: other types, on one storage for each way in which they are stored
OTHER_TYPES = [
    *((storage, dtype) for storage in ("dense", "CSR") for dtype in ("float32", "int8", "int64", "uint16")),
    *(
        (storage, dtype)
        for storage in ("HDF5", "HDF5 CSC", "zarr CSR", "Dask by rows")
        for dtype in ("float32", "int8")
    ),
]


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
    """A graph from elsewhere: every sample and the three after it, but one without edges."""
    S = sum(np.roll(np.eye(n_samples), step, axis=1) / step for step in (1, 2, 3))
    S = S + S.T
    S[5], S[:, 5] = 0, 0
    return sparse.csr_array(S)


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
    names = [name for name in ("native_scores_", "scores_", "ranking_", "pvalues_") if hasattr(selector, name)]
    return {name: getattr(selector, name) for name in names}


@pytest.mark.parametrize(("storage", "dtype"), [*((storage, TESTED) for storage in STORAGES), *OTHER_TYPES])
def test_every_method_gives_what_it_gives_on_numpy(storage, dtype, tmp_path, monkeypatch):
    """Bands, blocks and steps of reading are so small that a table has several of each."""
    backed.as_if_large(monkeypatch, band=1500, read=2000)
    X, y = counts(dtype)
    given = STORAGES[storage](X, tmp_path)
    all_of_them = dtype == TESTED and storage not in OF_OTHERS
    for row in ROWS if all_of_them else [METHODS[name] for name in WAYS]:
        found = values_of(fitted(row, given, y, tested=dtype == TESTED))
        assert found.keys() == expected(row.name, dtype).keys()
        for name, values in expected(row.name, dtype).items():
            np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-13, err_msg=f"{row.name} {name}")


def dense(table):
    table = table.compute() if hasattr(table, "compute") else getattr(table, "X", table)
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("large", [False, True])
def test_every_use_gives_what_it_gives_on_numpy(storage, large, tmp_path, monkeypatch):
    """Score functions, explanations, covariates, graphs of another table, near copies, and the table that comes out."""
    if large:
        backed.as_if_large(monkeypatch, band=1500, read=2000)
    X, y = counts("float64")
    given = STORAGES[storage](X, tmp_path)
    depth = np.c_[X[:, 4], np.arange(36) ** 2.0]
    uses = {
        "function": lambda X: es.fisher_score(X, y),
        "explanation": lambda X: es.FisherScore(3).fit(X, y).explain(X, 2).samples.terms,
        "covariates": lambda X: es.LaplacianScore(3, significance="given").fit(
            X, similarity_matrix=ring(36), covariates=depth).pvalues_,
        "residuals": lambda X: es.FisherScore(3).fit(X, y, covariates=depth).scores_,
        "made dense": lambda X: es.ReliefF(3).fit(X, y, covariates=depth).scores_,
        "cosine": lambda X: es.LaplacianScore(3, similarity="cosine").fit(X).scores_,
        "rbf": lambda X: es.SPEC(3, similarity="rbf").fit(X).scores_,
        "components": lambda X: es.LaplacianScore(3, similarity=KNN(5, n_components=3)).fit(X).scores_,
        "other table": lambda X: es.LaplacianScore(3, similarity=FromTable(X)).fit(counts("float32")[0]).scores_,
        "stability": lambda X: StabilitySelector(es.FisherScore(3), n_pairs=2, random_state=0).fit(X, y).scores_,
        "transform": lambda X: dense(es.FisherScore(3).fit(X, y).transform(X)),
    }  # fmt: skip
    for name, use in uses.items():
        np.testing.assert_allclose(use(given), use(X), rtol=1e-8, atol=1e-12, err_msg=name)
    with pytest.raises(ValueError, match="17|features of fit"):
        es.FisherScore(3).fit(X[:, :7], y).transform(given)
    (tmp_path / "whole").mkdir()
    whole = STORAGES[storage](counts("int8")[0], tmp_path / "whole")
    assert dense(es.FisherScore(3).fit(whole, y).transform(whole)).dtype == np.int8


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("storage", ["dense", "CSR", "CSC", "HDF5", "HDF5 CSR", "Dask by rows", "Dask by both, CSC"])
def test_units_of_the_features_change_nothing(storage, tmp_path, monkeypatch):
    """Of all, by 1e-90 and 1e90, and of each feature by another one, with and without covariates."""
    backed.as_if_large(monkeypatch, band=1500, read=2000)
    X, y = counts("float64")
    X = X + 0.1 * (X > 0) * np.random.default_rng(2).random(X.shape)  # no ties
    for number, units in enumerate((1e-90, 1e90, 10.0 ** np.linspace(-90, 90, 17))):
        (tmp_path / str(number)).mkdir()
        given = STORAGES[storage](X * units, tmp_path / str(number))
        for covariates in (None, np.arange(36.0)):
            for selector, graph in ((es.FisherScore(3), {}), (es.LaplacianScore(3), {"similarity_matrix": ring(36)})):
                found = selector.fit(given, y, covariates=covariates, **graph).native_scores_
                expected = selector.fit(X, y, covariates=covariates, **graph).native_scores_
                np.testing.assert_allclose(found, expected, rtol=1e-8, err_msg=f"{selector} {units}")


@pytest.mark.parametrize("storage", STORAGES)
def test_values_out_of_range_are_refused(storage, tmp_path, monkeypatch):
    """Those beyond 1e100, and columns that vary by less than 1e-100, by the first place and number."""
    backed.as_if_large(monkeypatch, band=1500, read=2000)
    X, y = counts("float64")
    large, narrow = X.copy(), X.copy()
    large[20, 3], large[30, 5] = -1.5e101, 1e308
    narrow[:, 3], narrow[:, 5] = 1e-105 * (X[:, 3] > 0), 1e-200 * (X[:, 5] > 0)
    for number, (table, said) in enumerate(((large, "-1.5e.101 in row 20.*column 3"), (narrow, "1e-105 in .*3"))):
        (tmp_path / str(number)).mkdir()
        given = STORAGES[storage](table, tmp_path / str(number))
        with pytest.raises(ValueError, match=f"^FisherScore: .*got .*{said}.*; scale the features first"):
            es.FisherScore(3).fit(given, y)


def test_comparisons_and_reports_of_a_file(tmp_path, monkeypatch):
    X, y = counts("float64")
    there = STORAGES["HDF5 CSR"](X, tmp_path)
    methods = {"fisher": es.FisherScore(3), "laplacian": es.LaplacianScore(3)}
    chosen = np.arange(17) < 4
    for _ in ("small, so loaded", "large"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            summaries = [
                compare(methods, table, y, n_features=3, sizes=(2,), n_splits=2).summary for table in (there, X)
            ]
            pages = [report(es.FisherScore(3).fit(X, y), table, y, evaluation=False).summary for table in (there, X)]
            copies = [len(near_copies(table, chosen)) for table in (there, X)]
        assert summaries[0]["all_features"] == summaries[1]["all_features"]
        assert summaries[0]["near_best"] == summaries[1]["near_best"]
        assert pages[0]["features"] == pages[1]["features"]
        assert copies[0] == copies[1]
        backed.as_if_large(monkeypatch, read=2000)
