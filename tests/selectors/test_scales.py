"""Units of features change no ranking and no p-value: tables times 1e-90 and 1e90."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.exceptions import GraphWarning
from eigenselect.multisource import TargetData

UNITS = (1e-90, 1e90)

METHODS = {
    "laplacian": lambda: es.LaplacianScore(3),
    "moran": lambda: es.MoranI(3),
    "geary": lambda: es.GearyC(3),
    "phi1": lambda: es.SPEC(3, ranking="phi1"),
    "phi3": lambda: es.SPEC(3, ranking="phi3", n_clusters=3),
    "rbf": lambda: es.SPEC(3, similarity="rbf"),
    "cosine": lambda: es.SPEC(3, similarity="cosine"),
    "linear": lambda: es.SPEC(3, similarity="linear"),
    "geodesic": lambda: es.SPEC(3, similarity="geodesic"),
    "diffusion": lambda: es.SPEC(3, similarity="diffusion"),
    "heat": lambda: es.SPEC(3, spectral_function="heat"),
    "car": lambda: es.SPEC(3, spectral_function="car"),
    "hit_miss": lambda: es.SPEC(3, similarity="hit_miss"),
    "fisher": lambda: es.FisherScore(3),
    "hsic of numbers": lambda: es.HSICScore(3, target_kernel="rbf"),
    "relieff": lambda: es.ReliefF(3),
    "sselect": lambda: es.SSelect(3),
    "sselect, 3 levels": lambda: es.SSelect(3, n_levels=3),
    "evsc": lambda: es.EVSC(3),
    "evsc linear": lambda: es.EVSC(3, similarity="linear"),
    "hsic": lambda: es.HSICScore(3),
    "trace ratio": lambda: es.TraceRatio(3),
    "trace ratio by feature": lambda: es.TraceRatio(3, level="feature"),
    "trace ratio, neighbours": lambda: es.TraceRatio(3, graphs="laplacian"),
    "trace ratio, a few labels": lambda: es.TraceRatio(3, graphs="semi-supervised"),
    "msfs": lambda: es.MSFS(3, sources=[("own", TargetData("knn"))]),
}


def table():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 12)
    X = rng.uniform(0.1, 1.0, size=(36, 8)) + np.outer(y, [0.4, 0, 0, 0.2, 0, 0, 0.1, 0])
    return X, y


#: with p-values: of labels, or of a graph that is given
TESTED = {
    "laplacian": lambda: es.LaplacianScore(3, significance="given"),
    "moran": lambda: es.MoranI(3, significance="given"),
    "geary": lambda: es.GearyC(3, significance="given"),
    "phi1": lambda: es.SPEC(3, ranking="phi1", significance="given"),
    "phi3": lambda: es.SPEC(3, ranking="phi3", n_clusters=3, significance="given"),
    "heat": lambda: es.SPEC(3, spectral_function="heat", significance="given"),
    "hsic of features as they are": lambda: es.HSICScore(3, scale=None, significance=True),
    "fisher": lambda: es.FisherScore(3, significance=True),
    "hsic": lambda: es.HSICScore(3, significance=True),
    "trace ratio by feature": lambda: es.TraceRatio(3, level="feature", significance=True),
}


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_table_in_another_unit_has_the_same_scores(store):
    X, y = table()
    for name, make in METHODS.items():
        expected = make().fit(store(X), y)
        for unit in UNITS:
            unit = np.sqrt(unit) if name == "evsc linear" else unit  # its slopes are in the unit of S
            found = make().fit(store(unit * X), y)
            np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-9, err_msg=name)
            np.testing.assert_array_equal(found.ranking_, expected.ranking_, err_msg=name)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_table_in_another_unit_has_the_same_p_values(store):
    X, y = table()
    graph = {"similarity_matrix": np.exp(-(np.subtract.outer(X[:, 0], X[:, 0]) ** 2.0))}
    X[:, 6] = np.where(X[:, 6] > 0.9, X[:, 6], 0.0)  # few values: draws
    for name, make in TESTED.items():
        given = graph if make().significance == "given" else {}
        expected = make().fit(store(X), y, **given)
        for unit in UNITS:
            found = make().fit(store(unit * X), y, **given)
            np.testing.assert_array_equal(found.ranking_, expected.ranking_, err_msg=name)
            np.testing.assert_allclose(found.pvalues_, expected.pvalues_, rtol=1e-7, err_msg=name)


@pytest.mark.parametrize(
    "name", ["laplacian", "phi1", "phi3", "heat", "fisher", "relieff", "sselect", "hsic", "trace ratio"]
)
def test_features_of_many_units_beside_one_another_keep_their_scores(name):
    (X, y), store = table(), sparse.csr_array
    graph = (
        {}
        if name in ("fisher", "relieff", "hsic", "trace ratio")
        else {"similarity_matrix": np.exp(-(np.subtract.outer(y, y) ** 2.0))}
    )
    units = 10.0 ** np.array([-90, 90, 0, -60, 52, 3, 80, -52])
    expected = METHODS[name]().fit(store(X), y, **graph).native_scores_
    found = METHODS[name]().fit(store(X * units), y, **graph).native_scores_
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_values_of_isolated_samples_do_not_matter():
    X, _ = table()
    for place in (0, 17, 35):
        S = np.exp(-(np.subtract.outer(np.arange(36), np.arange(36)) ** 2.0) / 9)
        S[place] = S[:, place] = 0.0
        with pytest.warns(GraphWarning, match="1 of 36 samples"):
            expected = es.LaplacianScore(3).fit(X, similarity_matrix=S)
        for store in (np.asarray, sparse.csr_array):
            other = X.copy()
            other[place] = 7.0
            with pytest.warns(GraphWarning):
                found = es.LaplacianScore(3).fit(store(other), similarity_matrix=S)
            np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-9)


def test_constant_features_have_no_score():
    X, y = table()
    X[:, [1, 2, 5]] = [1e-300, 1e100, 0.0]
    for store in (np.asarray, sparse.csr_array):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = es.FisherScore(3).fit(store(X), y).scores_
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(scores)), [1, 2, 5])
