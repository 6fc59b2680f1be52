"""Every sum of every selector is its native score."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MSFS, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF
from eigenselect.exceptions import GraphWarning, SourceWarning, UndefinedScoreWarning
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.similarity import KNN, Diffusion, HitMiss

SELECTORS = [
    LaplacianScore(similarity=KNN(6)),
    LaplacianScore(similarity="rbf"),
    LaplacianScore(similarity=Diffusion()),
    SPEC(ranking="phi1", similarity=KNN(6)),
    SPEC(ranking="phi1", spectral_function="heat"),
    SPEC(ranking="phi3", similarity=KNN(6), n_clusters=3),
    SPEC(spectral_function=2),
    SPEC(spectral_function=3, similarity="rbf"),
    SPEC(spectral_function=1.5),
    SPEC(similarity="class_labels"),
    SPEC(similarity=HitMiss(4), ranking="phi1"),
    FisherScore(),
    HSICScore(),
    HSICScore(scale=None),
    ReliefF(n_neighbors=4),
    ReliefF(n_neighbors=4, difference="squared"),
]


def check_sums(why, expected, rel=1e-11):
    """All sums of an explanation are the native score; the scales of the Fisher score sum to φ2."""
    samples = why.samples
    assert why.score == pytest.approx(expected, rel=rel)
    assert samples.terms.sum() == pytest.approx(expected, rel=rel)
    assert samples.numerator.sum() / samples.denominator.sum() == pytest.approx(expected, rel=rel)
    if why.edges is not None:
        assert why.edges.terms.sum() + why.edges.rest == pytest.approx(expected, rel=rel)
    if why.scales is not None:
        value = 1 / (1 + expected) if why.method == "FisherScore" else expected
        assert why.scales.terms.sum() + why.scales.rest == pytest.approx(value, rel=rel)
    if why.classes is not None:
        assert why.classes.terms.sum() == pytest.approx(expected, rel=rel)
        assert why.classes.within.sum() + why.classes.between.sum() == pytest.approx(1.0, rel=rel)
    if why.sources:
        assert sum(why.sources.values()) == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
def test_all_sums_are_the_native_score(selector, labelled, as_kind):
    X, y = labelled
    X = np.where(X > -1, X, 0.0)
    selector.fit(as_kind(X), y)
    for feature in (0, 3):
        check_sums(selector.explain(as_kind(X), feature), selector.native_scores_[feature])


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
@pytest.mark.parametrize("exponent", [-900, 900])
def test_values_of_any_size(selector, labelled, exponent):
    X, y = labelled
    if getattr(selector, "scale", "") is None or getattr(selector, "difference", "") == "squared":
        return  # these scores grow with the square of a feature's unit, which is out of range
    X = np.ldexp(X, exponent)
    selector.fit(X, y)
    check_sums(selector.explain(X, 1), selector.native_scores_[1])


def test_a_large_mean_costs_no_digits(labelled):
    X, _ = labelled
    X[:, 2] = np.round(X[:, 2], 3) + 2.0**20
    selector = LaplacianScore(similarity=KNN(6)).fit(X)
    check_sums(selector.explain(X, 2), selector.native_scores_[2])


def test_isolated_samples_count_nowhere(make_similarity, rng):
    S, X = make_similarity(24, blocks=2, isolated=3), rng.normal(size=(24, 3))
    wild = X.copy()
    wild[-3:] = 1e300
    with pytest.warns(GraphWarning):
        selector = LaplacianScore(2).fit(X, similarity_matrix=S)
    why = selector.explain(X, 1)
    check_sums(why, selector.native_scores_[1])
    assert (why.samples.terms[-3:] == 0).all()
    np.testing.assert_allclose(selector.explain(wild, 1).samples.terms, why.samples.terms, rtol=1e-12)


class TestFisher:
    def test_classes(self, labelled):
        X, y = labelled
        selector = FisherScore(2).fit(X, y)
        classes = selector.explain(X, 0).classes
        f = X[:, 0]
        total = np.sum((f - f.mean()) ** 2)
        for place, name in enumerate(classes.names):
            own = f[y == name]
            assert classes.within[place] == pytest.approx(own.size * own.var() / total, rel=1e-11)
            assert classes.between[place] == pytest.approx(own.size * (own.mean() - f.mean()) ** 2 / total, rel=1e-11)
        assert selector.native_scores_[0] == pytest.approx(classes.between.sum() / classes.within.sum(), rel=1e-11)

    def test_a_perfect_feature(self, labelled):
        X, y = labelled
        X[:, 0] = np.unique(y, return_inverse=True)[1]
        why = FisherScore(2).fit(X, y).explain(X, 0)
        assert why.score == why.samples.terms.sum() == np.inf
        assert (why.classes.within == 0).all()
        assert why.scales.terms.sum() == 0

    def test_on_a_given_similarity(self, labelled):
        X, y = labelled
        selector = FisherScore(2).fit(X, y, similarity_matrix=KNN(5).build(X).to_array())
        why = selector.explain(X, 0)
        check_sums(why, selector.native_scores_[0])
        assert why.classes is None


class TestSources:
    @pytest.fixture
    def sources(self, labelled, rng):
        _, y = labelled
        return [
            ("own", TargetData(KNN(5))),
            ("other", AuxiliaryData(rng.normal(size=(len(y), 3)), "rbf")),
            ("heat", TargetData("diffusion")),
            ("labels", SampleCategories(y)),
        ]

    def test_every_source_has_its_part(self, sources, labelled):
        X, _ = labelled
        selector = MSFS(2, sources=sources, weights=[1, 2, 3, 4]).fit(X)
        why = selector.explain(X, 0)
        check_sums(why, selector.native_scores_[0])
        assert list(why.sources) == ["own", "other", "heat", "labels"]
        without = MSFS(2, sources=sources, weights=[1, 2, 3, 0]).fit(X).explain(X, 0)
        assert list(without.sources) == ["own", "other", "heat"]
        ratio = without.sources["other"] / without.sources["own"]
        assert ratio == pytest.approx(why.sources["other"] / why.sources["own"], rel=1e-11)

    def test_one_source_is_all(self, sources, labelled):
        X, _ = labelled
        selector = MSFS(2, sources=sources, weights=[0, 1, 0, 0]).fit(X)
        assert selector.explain(X, 0).sources == {"other": pytest.approx(selector.native_scores_[0], rel=1e-11)}

    @pytest.mark.parametrize("options", [{"spectral_function": 2}, {"ranking": "phi3"}], ids=str)
    def test_other_functions_of_n_are_no_sums_over_sources(self, sources, labelled, options):
        X, _ = labelled
        selector = MSFS(2, sources=sources, **options).fit(X)
        why = selector.explain(X, 0)
        check_sums(why, selector.native_scores_[0])
        assert why.sources == {}

    def test_rows_are_those_of_the_table(self, labelled, rng):
        X, _ = labelled
        names = [f"s{i}" for i in range(len(X))]
        frame, Z = pd.DataFrame(X, index=names), pd.DataFrame(rng.normal(size=(len(X), 3)), index=names)
        with pytest.warns(SourceWarning):
            selector = MSFS(2, sources=[("a", TargetData(KNN(5))), ("b", AuxiliaryData(Z.iloc[3:]))]).fit(frame)
        why = selector.explain(frame, 2)
        check_sums(why, selector.native_scores_[2])
        np.testing.assert_array_equal(why.samples.rows, np.arange(3, len(X)))
        assert list(why.samples.names) == names[3:]
        assert min(why.edges.first.min(), why.edges.second.min()) >= 3


class TestRefused:
    def test_a_constant_feature(self, labelled):
        X, _ = labelled
        X[:, 4] = 7.0
        with pytest.warns(UndefinedScoreWarning):
            selector = LaplacianScore(2, similarity=KNN(5)).fit(X)
        with pytest.raises(ValueError, match="^LaplacianScore: column 4 has no score to explain, because it is const"):
            selector.explain(X, 4)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_values_that_are_no_numbers(self, labelled, bad):
        X, _ = labelled
        selector = LaplacianScore(2, similarity=KNN(5)).fit(X)
        X[3, 1] = bad
        with pytest.raises(ValueError, match="X must be finite, got NaN or infinity in column 1"):
            selector.explain(X, 1)
        assert selector.explain(X, 2).column == 2  # the other columns are not looked at


@pytest.mark.parametrize("covariates", [False, True])
def test_of_a_sparse_table_one_column_is_taken(labelled, covariates, monkeypatch):
    X, _ = labelled
    table = sparse.csr_array(np.where(X > 0, X, 0.0))
    selector = LaplacianScore(2, similarity=KNN(5)).fit(table, covariates=np.arange(len(X)) if covariates else None)
    shapes = []

    def watched(make):
        def call(self, *args, **kwargs):
            shapes.append(self.shape)
            return make(self, *args, **kwargs)

        return call

    for kind in (sparse.csr_array, sparse.csc_array):
        monkeypatch.setattr(kind, "toarray", watched(kind.toarray))
    monkeypatch.setattr(sparse.csr_array, "tocsc", watched(sparse.csr_array.tocsc))
    check_sums(selector.explain(table, 1), selector.native_scores_[1])
    graph = (len(X),) * 2  # made dense for its eigenvectors
    assert set(shapes) - {graph} == {(len(X), 1)}
