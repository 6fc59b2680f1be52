"""Any finite table gets right scores: squares of its values may be far outside the range of floating point."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.exceptions import GraphWarning, UndefinedScoreWarning
from eigenselect.multisource import TargetData

EXPONENTS = (-1000, -540, 520, 1010)

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


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("make", METHODS.values(), ids=METHODS)
def test_a_table_in_another_unit_has_the_same_scores(make, store):
    X, y = table()
    expected = make().fit(store(X), y).native_scores_
    for exponent in EXPONENTS:
        found = make().fit(store(np.ldexp(X, exponent)), y)
        np.testing.assert_allclose(found.native_scores_, expected, rtol=1e-9)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "name", ["laplacian", "phi1", "phi3", "heat", "fisher", "relieff", "sselect", "hsic", "trace ratio"]
)
def test_features_of_any_unit_beside_one_another_keep_their_scores(name, store):
    X, y = table()
    graph = (
        {}
        if name in ("fisher", "relieff", "hsic", "trace ratio")
        else {"similarity_matrix": np.exp(-(np.subtract.outer(y, y) ** 2.0))}
    )
    units = np.array([-1000, 1010, 0, -600, 520, 3, 900, -520])
    expected = METHODS[name]().fit(store(X), y, **graph).native_scores_
    found = METHODS[name]().fit(store(np.ldexp(X, units)), y, **graph).native_scores_
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_values_of_isolated_samples_do_not_matter_whatever_their_size():
    X, _ = table()
    for place in (0, 17, 35):
        S = np.exp(-(np.subtract.outer(np.arange(36), np.arange(36)) ** 2.0) / 9)
        S[place] = S[:, place] = 0.0
        tiny = np.ldexp(X, -700)
        expected = es.LaplacianScore(3)
        with pytest.warns(GraphWarning, match="1 of 36 samples is isolated and does not count"):
            expected.fit(tiny, similarity_matrix=S)
        for store in (np.asarray, sparse.csr_array):
            other = tiny.copy()
            other[place] = 1e300
            with pytest.warns(GraphWarning):
                found = es.LaplacianScore(3).fit(store(other), similarity_matrix=S)
            np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-9)


@pytest.mark.parametrize("wild", [1e300, -1.7e308, 5e-324])
def test_labels_of_isolated_samples_of_any_size_count(wild):
    """An isolated sample has a value above or below the mean all the same; how far does not matter."""
    X, y = table()
    S = np.exp(-(np.subtract.outer(np.arange(36), np.arange(36)) ** 2.0) / 9)
    S[0] = S[:, 0] = 0.0
    for exponent in (0, -540, -1000):
        X[0] = np.sign(wild) * 50.0 if abs(wild) > 1 else 0.0
        other = np.ldexp(X, exponent)
        other[0] = wild
        found = []
        for values in (X, other):
            with pytest.warns(GraphWarning):
                found.append(es.SSelect(3).fit(values, y, similarity_matrix=S).scores_)
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def test_quadratic_forms_are_true_in_any_unit():
    X, _ = table()
    for exponent in EXPONENTS:
        selector = es.LaplacianScore(3).fit(np.ldexp(X, exponent))
        matrix, features = selector.quadratic_form(np.ldexp(X, exponent))
        np.testing.assert_allclose(np.einsum("ij,ij->j", features, matrix @ features), selector.scores_, atol=1e-12)


@pytest.mark.parametrize("name", ["hsic", "trace ratio", "trace ratio by feature", "trace ratio, a few labels"])
def test_quadratic_forms_at_unit_deviation_are_true_in_any_unit(name):
    X, y = table()
    for exponent in EXPONENTS:
        selector = METHODS[name]().fit(np.ldexp(X, exponent), y)
        matrix, features = selector.quadratic_form(np.ldexp(X, exponent))
        np.testing.assert_allclose(np.einsum("ij,ij->j", features, matrix @ features), selector.scores_, atol=1e-10)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("graphs", ["laplacian", "semi-supervised"])
@pytest.mark.parametrize("level", ["subset", "feature"])
def test_trace_ratios_do_not_see_samples_that_count_nowhere(store, graphs, level):
    """Samples 0 and 1 are isolated; 0 has a label, so its class counts it, where there are classes."""
    X, y = table()
    S = np.exp(-(np.subtract.outer(np.arange(36), np.arange(36)) ** 2.0) / 9)
    S[:2] = S[:, :2] = 0.0
    few = np.where(np.arange(36) == 1, np.nan, y)

    def fitted(table):
        with pytest.warns(GraphWarning):
            return es.TraceRatio(3, graphs=graphs, level=level).fit(store(table), few, similarity_matrix=S)

    expected = fitted(X).scores_
    for exponent in (0, -540):
        wild = np.ldexp(X, exponent)
        wild[1] = 1e300
        found = fitted(wild)
        np.testing.assert_allclose(found.scores_, expected, rtol=1e-9)
        matrix, features = found.quadratic_form(wild)
        np.testing.assert_allclose(np.einsum("ij,ij->j", features, matrix @ features), expected, atol=1e-10)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("difference", ["absolute", "squared"])
def test_relieff_finds_the_same_neighbours_in_any_unit(store, difference):
    """Whole numbers, so that subnormal ones hold all of their digits."""
    X, y = table()
    X = np.round(100 * X)
    X[:, 5] = 7.0
    for exponent in (-1070, 500) if difference == "absolute" else (-500, 500):
        selectors = [es.ReliefF(3, difference=difference, n_neighbors=5) for _ in range(2)]
        for selector, values in zip(selectors, (X, np.ldexp(X, exponent)), strict=True):
            with pytest.warns(UndefinedScoreWarning, match="1 of 8 features"):
                selector.fit(store(values), y)
        unit = 0 if difference == "absolute" else 2 * exponent
        np.testing.assert_allclose(selectors[1].scores_, np.ldexp(selectors[0].scores_, unit), rtol=1e-9)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_large_constant_feature_does_not_change_who_is_near(store):
    X, y = table()
    selectors = [es.ReliefF(3, n_neighbors=5) for _ in range(2)]
    for selector, constant in zip(selectors, (0.0, 1e17), strict=True):
        X[:, 5] = constant
        with pytest.warns(UndefinedScoreWarning, match="1 of 8 features"):
            selector.fit(store(X), y)
    np.testing.assert_allclose(selectors[1].scores_, selectors[0].scores_, rtol=1e-9)


@pytest.mark.parametrize("exponent", [-1030, -700, 520, 1000, 1022])
@pytest.mark.parametrize(
    "make",
    [lambda: es.ReliefF(3), lambda: es.HSICScore(3), lambda: es.HSICScore(3, target_kernel="linear")],
    ids=["relieff", "hsic", "linear"],
)
def test_targets_of_numbers_in_any_unit_give_the_same_ranking(make, exponent):
    X, y = table()
    target = np.round(y + X[:, 3] - 1.5, 2)
    target /= np.abs(target).max()
    expected = make().fit(X, np.ldexp(np.ldexp(target, exponent), -exponent))
    np.testing.assert_array_equal(make().fit(X, np.ldexp(target, exponent)).ranking_, expected.ranking_)


@pytest.mark.parametrize("size", [(36, 8), (260, 600)], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: es.LaplacianScore(3),
        lambda: es.EVSC(3),
        lambda: es.ReliefF(3),
        lambda: es.SPEC(3, similarity=es.similarity.HitMiss(metric="manhattan")),
        lambda: es.MRSF(3, target="lda"),
        lambda: es.KOGS(3, rankers=[(None, es.FisherScore())]),
    ],
    ids=["laplacian", "evsc", "relieff", "hit_miss", "mrsf", "kogs"],
)
def test_the_largest_numbers_of_both_signs_are_numbers_like_others(make, size):
    rng = np.random.default_rng(5)
    y = np.arange(size[0]) % 3
    X = rng.normal(size=size) + 0.3 * y[:, None]
    X *= 1.9 / np.abs(X).max()
    np.testing.assert_array_equal(make().fit(np.ldexp(X, 1023), y).ranking_, make().fit(X, y).ranking_)


@pytest.mark.parametrize("make", [lambda: es.ReliefF(3, difference="squared"), lambda: es.TraceRatio(3, scale=None)])
def test_scores_that_are_no_floating_point_numbers_are_refused(make):
    X, y = table()
    for exponent in (-1000, 1010):
        with pytest.raises(ValueError, match="too large or too small"):
            make().fit(np.ldexp(X, exponent), y)


def test_constant_features_of_any_size_have_no_score():
    X, y = table()
    X[:, [1, 2, 5]] = [1e-300, 1e300, 0.0]
    for store in (np.asarray, sparse.csr_array):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = es.FisherScore(3).fit(store(X), y).scores_
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(scores)), [1, 2, 5])
