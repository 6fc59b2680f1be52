"""On noise, p-values are what they say: a share of 5 % is at most 0.05."""

import numpy as np
import pytest
from scipy.stats import binom

import noise
from eigenselect import MSFS, SPEC, FisherScore, GearyC, HSICScore, LaplacianScore, MoranI, TraceRatio
from eigenselect.inference import Given, Permutation
from eigenselect.multisource import AuxiliaryData, SampleCategories
from eigenselect.similarity import FromTable
from eigenselect.spectral import CAR, Heat

N_SAMPLES, N_FEATURES = 300, 2000
LEVELS = (0.05, 0.01, 0.001)


#: chance that a cell of a right library fails, on either side
CHANCE = 1e-4


#: of refined p-values, coarser than the default: it costs a tenth, and what is wrong on average stays wrong
PRECISION = 0.3
ON_GRAPHS = {
    "laplacian": LaplacianScore(),
    "phi1": SPEC(ranking="phi1"),
    "phi2, square": SPEC(spectral_function=2),
    "phi2, heat": SPEC(spectral_function=Heat(2.0)),
    "phi2, car": SPEC(spectral_function=CAR(0.9)),
    "phi3": SPEC(ranking="phi3", n_clusters=5),
    "trace ratio": TraceRatio(graphs="laplacian", level="feature"),
    "moran": MoranI(),
    "geary": GearyC(),
}
ON_LABELS = {
    "fisher": FisherScore(),
    "hsic": HSICScore(),
    "hsic, as it is": HSICScore(scale=None),
    "trace ratio": TraceRatio(level="feature"),
    "phi2": SPEC(similarity="class_labels"),
}


def assert_calibrated(pvalues, discrete):
    """Hold the share of small p-values against the binomial; a feature with atoms may have too few of them."""
    p = pvalues[~np.isnan(pvalues)]
    assert p.size > 0.99 * pvalues.size
    for level in LEVELS:
        count = int((p <= level).sum())
        assert count <= binom.isf(CHANCE / 2, p.size, level), (level, count / p.size)
        assert discrete or count >= binom.ppf(CHANCE / 2, p.size, level), (level, count / p.size)


def table(family, seed):
    return noise.features(family, N_SAMPLES, N_FEATURES, np.random.default_rng(seed))


def check(selectors, route, X, family, y=None, **options):
    for name, selector in selectors.items():
        selector.set_params(significance=route).fit(X, y, **options)
        try:
            assert_calibrated(selector.pvalues_, family in noise.DISCRETE)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.parametrize("kind", noise.GRAPHS)
@pytest.mark.parametrize("family", noise.FAMILIES)
def test_on_a_given_graph(family, kind):
    S = noise.graph(kind, N_SAMPLES, np.random.default_rng(7))
    X = table(family, [1, noise.FAMILIES.index(family), noise.GRAPHS.index(kind)])
    check(ON_GRAPHS, Given(PRECISION), X, family, similarity_matrix=S)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.parametrize(("family", "kind"), [("normal", "knn"), ("lognormal", "points"), ("few non-zeros", "grid")])
def test_fewer_features_on_a_given_graph(family, kind):
    S = noise.graph(kind, N_SAMPLES, np.random.default_rng(7))
    X = table(family, [4, noise.FAMILIES.index(family)])[:, :500]
    some = {name: ON_GRAPHS[name] for name in ("laplacian", "phi1", "phi2, heat", "phi3", "moran")}
    check(some, Given(PRECISION), X, family, similarity_matrix=S)


@pytest.mark.slow
@pytest.mark.parametrize("family", noise.FAMILIES)
def test_on_labels(family):
    rng = np.random.default_rng(3)
    y = rng.choice(3, N_SAMPLES, p=[0.2, 0.3, 0.5])
    X = table(family, [2, noise.FAMILIES.index(family)])
    check(ON_LABELS, Permutation(PRECISION), X, family, y=y)
    check({"numbers": HSICScore()}, Permutation(PRECISION), X, family, y=rng.normal(size=N_SAMPLES))


@pytest.mark.parametrize("family", ["normal", "rare counts"])
def test_fewer_features_on_labels(family):
    y = np.random.default_rng(3).choice(3, N_SAMPLES, p=[0.2, 0.3, 0.5])
    X = table(family, [5, noise.FAMILIES.index(family)])[:, :500]
    check(ON_LABELS, Permutation(PRECISION), X, family, y=y)


@pytest.mark.slow
@pytest.mark.parametrize("family", noise.FAMILIES)
def test_on_another_table(family):
    rng = np.random.default_rng(4)
    other, y = rng.normal(size=(N_SAMPLES, 5)), rng.integers(3, size=N_SAMPLES)
    X = table(family, [3, noise.FAMILIES.index(family)])
    sources = [("other", AuxiliaryData(other)), ("classes", SampleCategories())]
    selectors = {"one": LaplacianScore(similarity=FromTable(other)), "several": MSFS(sources=sources)}
    check(selectors, Permutation(PRECISION), X, family, y=y)


def test_the_check_would_see_a_wrong_variance():
    """The check itself: p-values of a normal with 15 % too small a spread fail it."""
    from scipy.stats import norm

    z = np.random.default_rng(5).normal(size=N_FEATURES)
    assert_calibrated(norm.sf(z), discrete=False)
    with pytest.raises(AssertionError):
        assert_calibrated(norm.sf(z * 1.15), discrete=True)
    with pytest.raises(AssertionError):
        assert_calibrated(norm.sf(z / 1.3), discrete=False)


@pytest.mark.parametrize("n_few", [1, 2, 3, 5])
def test_a_class_of_few_samples_and_features_of_few_levels(rng, n_few):
    """What lands on one to five samples has few sums, between which no smooth curve knows a way."""
    shape = (150, N_FEATURES)
    y = np.repeat([0, 1], [150 - n_few, n_few])
    for X in (rng.integers(0, 4, shape), rng.random(shape) < 0.2, rng.random(shape) < 0.5):
        assert_calibrated(FisherScore(significance=Permutation(precision=PRECISION)).fit(X, y).pvalues_, discrete=True)
