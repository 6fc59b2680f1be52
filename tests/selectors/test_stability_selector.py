"""Stability selection: complementary pairs of any selector, frequencies, thresholds and bounds."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SelectorMixin,
    VarianceThreshold,
    f_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect import (
    EVSC,
    KOGS,
    MRSF,
    SPEC,
    FisherScore,
    LaplacianScore,
    ReliefF,
    SSelect,
    StabilitySelector,
    TraceRatio,
)
from eigenselect.inference.error_bounds import expected_false
from eigenselect.selection import feature_order
from eigenselect.similarity import KNN, RBF


@pytest.fixture
def planted(rng):
    """Three features that follow two classes, and the groups; twenty of noise."""
    y = rng.permutation(np.repeat([0, 1], 30))
    X = rng.normal(size=(60, 23))
    X[:, :3] += 3 * y[:, None]
    return X, y


class Recorder(SelectorMixin, BaseEstimator):
    """Selects the first feature, and remembers who was there and with what."""

    seen: list = []  # noqa: RUF012 - shared by all clones on purpose

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None, **params):
        self.n_features_in_ = X.shape[1]
        Recorder.seen.append({"X": X, "y": y, "random_state": self.random_state, **params})
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) == 0


@pytest.fixture
def seen():
    Recorder.seen.clear()
    return Recorder.seen


def test_frequencies_are_shares_of_the_fits(planted):
    """Against a loop over the same halves, which a recording selector tells."""
    X, y = planted
    numbered = np.column_stack([np.arange(60.0), X])
    Recorder.seen.clear()
    StabilitySelector(Recorder(), n_pairs=6, random_state=5).fit(numbered, y)
    halves = [fit["X"][:, 0].astype(int) for fit in Recorder.seen]
    supports = np.array([FisherScore(5).fit(numbered[rows], y[rows]).get_support() for rows in halves])
    found = StabilitySelector(FisherScore(5), n_pairs=6, random_state=5, threshold=0.6).fit(numbered, y)
    np.testing.assert_allclose(found.frequencies_, supports.mean(axis=0), rtol=1e-15)
    both = np.mean([supports[i] & supports[i + 1] for i in range(0, 12, 2)], axis=0)
    np.testing.assert_allclose(found.pair_frequencies_, both, rtol=1e-15)
    assert (found.pair_frequencies_ >= 2 * found.frequencies_ - 1 - 1e-12).all()
    np.testing.assert_array_equal(found.get_support(), supports.sum(axis=0) >= 8)  # of 12: 0.6 is beyond 7
    np.testing.assert_array_equal(found.ranking_, np.argsort(np.argsort(-supports.sum(axis=0), kind="stable")) + 1)
    assert found.q_ == 5
    assert found.expected_false_ == expected_false(5, 24, 0.6, n_pairs=6)
    assert found.n_ordered_ == (supports.sum(axis=0) > 0).sum()
    assert feature_order(found).ranks[found.frequencies_ == 0].std() == 0


def test_halves_are_disjoint_and_classes_are_shared(rng, seen):
    y = np.array(["a"] * 20 + ["b"] * 2 + ["c"] * 3)
    StabilitySelector(Recorder(), n_pairs=20).fit(np.arange(25.0)[:, None] * [1.0, 1.0], y)
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert not set(first["X"][:, 0]) & set(second["X"][:, 0])
        assert len(first["y"]) == len(second["y"]) == 12
        for half in (first, second):
            np.testing.assert_array_equal(half["y"], y[half["X"][:, 0].astype(int)])
            assert set(half["y"]) == {"a", "b", "c"}


def test_what_is_given_per_sample_is_cut(rng, seen):
    weights, names = np.arange(20.0), list("abcdefghijklmnopqrst")
    X = pd.DataFrame({"number": np.arange(20), "x": rng.normal(size=20)}, index=names)
    StabilitySelector(Recorder(), n_pairs=2).fit(
        X, sample_weight=weights, sample_names=names, feature_names=["u", "v"], alpha=3, groups="abc"
    )
    for fit in seen:
        rows = fit["X"]["number"].to_numpy()
        np.testing.assert_array_equal(fit["sample_weight"], weights[rows])
        assert fit["sample_names"] == list(fit["X"].index) == [names[row] for row in rows]
        assert (fit["feature_names"], fit["alpha"], fit["groups"]) == (["u", "v"], 3, "abc")


@pytest.mark.parametrize(
    "estimator",
    [
        SelectKBest(f_classif, k=3),
        RFE(Ridge(), n_features_to_select=3, step=10),
        SelectFromModel(Lasso(alpha=0.1)),
        SelectFromModel(RandomForestClassifier(5), max_features=3, threshold=-np.inf),
        make_pipeline(StandardScaler(), SelectKBest(f_classif, k=3)),
        make_pipeline(VarianceThreshold(), make_pipeline(StandardScaler(), LaplacianScore(3))),
        FisherScore(3),
        LaplacianScore(3),
        SPEC(3, ranking="phi1", similarity="rbf"),
        ReliefF(3),
        TraceRatio(3),
        TraceRatio(3, graphs="laplacian"),
        MRSF(3, target="lda"),
        MRSF(3),
        EVSC(3),
        SSelect(3),
        KOGS(3, rankers=[(None, FisherScore()), (None, ReliefF())]),
        StabilitySelector(FisherScore(3), n_pairs=2),
    ],
    ids=lambda estimator: str(estimator)[:40],
)
@pytest.mark.filterwarnings("ignore:StabilitySelector. .* fits of .* warned")
def test_any_selector_finds_what_was_planted(planted, estimator):
    X, y = planted
    before = repr(estimator)
    found = StabilitySelector(estimator, n_pairs=4).fit(pd.DataFrame(X).add_prefix("f"), y)
    assert repr(estimator) == before
    assert found.get_support()[:3].sum() >= 2
    assert found.get_support()[3:].sum() <= 1
    assert 0 < found.q_ <= 23
    assert list(found.get_feature_names_out()) == [f"f{i}" for i in found.get_support(indices=True)]


def test_of_noise_no_more_is_selected_than_the_bound_says():
    """Mean over tables of pure noise, with a threshold low enough for some to be selected."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 300)), rng.permutation(np.repeat([0, 1], 20))
        selector = StabilitySelector(SelectKBest(k=30), threshold=0.65, n_pairs=10, random_state=seed).fit(X, y)
        found.append(selector.n_features_)
    bounds = [expected_false(30, 300, 0.65, n_pairs=10, bound=bound) for bound in ("r-concave", "unimodal", "mb")]
    assert 0 < np.mean(found) <= bounds[0] < bounds[1] < bounds[2] < 30


def test_the_threshold_follows_from_the_number_of_false_ones(planted):
    few, many = (StabilitySelector(FisherScore(3), n_pairs=20, max_false=v).fit(*planted) for v in (0.3, 2.0))
    assert few.threshold_ > many.threshold_ > 0.5
    assert few.expected_false_ <= 0.3
    assert expected_false(3, 23, few.threshold_ - 0.025, n_pairs=20) > 0.3
    assert set(few.get_support(indices=True)) == {0, 1, 2}


def test_none_selected_is_an_answer(planted):
    X, y = planted
    with pytest.warns(UserWarning, match="no threshold keeps max_false=0.001"):
        none = StabilitySelector(FisherScore(10), n_pairs=4, max_false=0.001).fit(X, y)
    assert (none.n_features_, none.threshold_, none.expected_false_) == (0, np.inf, 0.0)
    with pytest.warns(UserWarning, match="no feature was selected"):
        assert none.transform(X).shape == (60, 0)
    with pytest.warns(UserWarning, match="unimodal bound says nothing"):
        StabilitySelector(FisherScore(20), n_pairs=4, max_false=1.0).fit(X, y)
    assert np.isnan(StabilitySelector(FisherScore(20), n_pairs=4).fit(X, y).expected_false_)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [EVSC(4), SelectFromModel(RandomForestClassifier(5), max_features=4)])
def test_the_same_bits_on_any_number_of_processes(planted, estimator):
    one, again, two = (StabilitySelector(estimator, n_pairs=3, n_jobs=n).fit(*planted) for n in (None, 1, 2))
    np.testing.assert_array_equal(one.frequencies_, again.frequencies_)
    np.testing.assert_array_equal(one.frequencies_, two.frequencies_)


def test_random_states_of_the_selector_are_drawn_unless_they_are_given(planted, seen):
    StabilitySelector(Recorder(), n_pairs=2, random_state=1).fit(*planted)
    assert len({fit["random_state"] for fit in seen}) == 4
    seen.clear()
    StabilitySelector(Recorder(random_state=7), n_pairs=2, random_state=1).fit(*planted)
    assert {fit["random_state"] for fit in seen} == {7}


class TestSimilarityMatrix:
    @pytest.fixture
    def S(self, planted):
        return RBF(bandwidth=3.0).build(planted[0]).affinity

    @pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
    def test_every_half_gets_its_rows_and_columns(self, planted, S, convert):
        X, _ = planted
        given = StabilitySelector(LaplacianScore(4), n_pairs=5).fit(X, similarity_matrix=convert(S))
        made = StabilitySelector(LaplacianScore(4, similarity=RBF(bandwidth=3.0)), n_pairs=5).fit(X)
        np.testing.assert_array_equal(given.frequencies_, made.frequencies_)

    def test_in_a_pipeline_it_is_the_last_steps(self, planted, S):
        X, _ = planted
        inner = make_pipeline(VarianceThreshold(), make_pipeline(VarianceThreshold(), LaplacianScore(4)))
        given = StabilitySelector(inner, n_pairs=5).fit(X, similarity_matrix=S)
        alone = StabilitySelector(LaplacianScore(4), n_pairs=5).fit(X, similarity_matrix=S)
        np.testing.assert_array_equal(given.frequencies_, alone.frequencies_)

    def test_metadata_are_routed(self, planted, S):
        X, y = planted
        alone = StabilitySelector(LaplacianScore(4), n_pairs=5).fit(X, y, similarity_matrix=S)
        with sklearn.config_context(enable_metadata_routing=True):
            base = LaplacianScore(4).set_fit_request(similarity_matrix=True)
            for selector in (
                StabilitySelector(base, n_pairs=5).set_fit_request(similarity_matrix=True),
                StabilitySelector(make_pipeline(base), n_pairs=5).set_fit_request(similarity_matrix=True),
            ):
                outer = make_pipeline(VarianceThreshold(), selector).fit(X, y, similarity_matrix=S)
                np.testing.assert_array_equal(outer[-1].frequencies_, alone.frequencies_)
            weighted = SelectFromModel(Lasso(alpha=0.1).set_fit_request(sample_weight=True))
            StabilitySelector(weighted, n_pairs=2).fit(X, y, sample_weight=np.ones(60))


@pytest.mark.parametrize(
    "estimator",
    [
        LaplacianScore(5),
        LaplacianScore(5, similarity=KNN(4, "cosine", metric="cosine")),
        LaplacianScore(5, similarity=KNN(5, bandwidth="self-tuning")),
        SPEC(5, similarity="rbf"),
        SPEC(5, similarity=RBF("self-tuning")),
        SPEC(5, similarity="cosine"),
        SPEC(5, similarity="linear"),
        EVSC(5),
        EVSC(5, similarity="rbf"),
        SSelect(5),
        TraceRatio(5, graphs="laplacian"),
        MRSF(5),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:StabilitySelector. .* fits of .* warned")
def test_shared_distances_change_nothing(planted, estimator, monkeypatch):
    X, y = planted
    X = np.abs(X)
    shared = StabilitySelector(estimator, n_pairs=3).fit(X, y)
    monkeypatch.setattr("eigenselect.selectors.stability_selector.shared_pairs", lambda *_: None)
    anew = StabilitySelector(estimator, n_pairs=3).fit(X, y)
    np.testing.assert_array_equal(shared.frequencies_, anew.frequencies_)


def test_covariates_leave_the_distances_too(planted, rng):
    """Every half makes its graph of residuals: a covariate in all features does not change what is found."""
    X, _ = planted
    C = rng.normal(size=(60, 1))
    raised = X + 20 * C @ rng.normal(size=(1, X.shape[1]))
    frequencies = [
        StabilitySelector(LaplacianScore(3, similarity="rbf"), n_pairs=5).fit(table, covariates=C).frequencies_
        for table in (X, raised)
    ]
    np.testing.assert_array_equal(*frequencies)


class TestScikitLearn:
    def test_nested_parameters_and_a_grid(self, planted):
        X, y = planted
        pipeline = make_pipeline(StabilitySelector(FisherScore(5), n_pairs=5), KNeighborsClassifier(3))
        grid = {
            "stabilityselector__estimator__n_features_to_select": [3, 6],
            "stabilityselector__threshold": [0.6, 0.8],
        }
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
        assert search.best_score_ > 0.9
        copy = clone(search.best_estimator_[0])
        assert copy.get_params()["estimator__n_features_to_select"] in (3, 6)

    def test_output_keeps_names_and_order(self, planted):
        X = pd.DataFrame(planted[0]).add_prefix("gene ")
        selector = StabilitySelector(FisherScore(3), n_pairs=3).set_output(transform="pandas").fit(X, planted[1])
        assert list(selector.transform(X).columns) == ["gene 0", "gene 1", "gene 2"]
        assert list(selector.feature_names_in_) == list(X.columns)

    def test_sparse_tables(self, planted):
        X, y = planted
        dense = StabilitySelector(FisherScore(4), n_pairs=3).fit(X, y)
        for layout in (sparse.csr_array, sparse.csc_matrix):
            found = StabilitySelector(FisherScore(4), n_pairs=3).fit(layout(X), y)
            np.testing.assert_array_equal(found.frequencies_, dense.frequencies_)

    def test_holes_that_the_pipeline_fills(self, planted):
        X, y = planted
        X = X.copy()
        X[::7, 5] = np.nan
        filled = make_pipeline(SimpleImputer(), SelectKBest(k=3))
        assert StabilitySelector(filled, n_pairs=3).fit(X, y).get_support()[:3].all()
        with pytest.raises(ValueError, match="NaN"):
            StabilitySelector(SelectKBest(k=3), n_pairs=3).fit(X, y)

    def test_several_targets_and_numbers(self, planted, rng):
        X, _ = planted
        Y = np.column_stack([X[:, 0], X[:, 1]]) + 0.1 * rng.normal(size=(60, 2))
        found = StabilitySelector(SelectFromModel(Lasso(alpha=0.2)), n_pairs=3).fit(X, Y)
        assert found.get_support()[:2].all()
        assert StabilitySelector(ReliefF(3), n_pairs=3).fit(X, Y[:, 0]).get_support()[0]


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"threshold": 0.5}, "StabilitySelector: threshold must be"),
            ({"max_false": 0}, "StabilitySelector: max_false must be"),
            ({"threshold": 0.8, "max_false": 1}, "StabilitySelector: give threshold or"),
            ({"bound": "sharp"}, "'mb', .* got 'sharp'"),
            ({"n_pairs": 0}, "StabilitySelector: n_pairs must be"),
        ],
    )
    def test_parameters(self, planted, parameters, message):
        with pytest.raises(ValueError, match=message):
            StabilitySelector(FisherScore(3), **parameters).fit(*planted)

    def test_what_is_no_selector(self, planted):
        for estimator, name in ((Lasso(), "Lasso"), (make_pipeline(StandardScaler(), Lasso()), "Lasso")):
            with pytest.raises(TypeError, match=f"got {name}; .*SelectFromModel"):
                StabilitySelector(estimator).fit(*planted)
        with pytest.raises(TypeError, match="in one, got FisherScore"):
            StabilitySelector(FisherScore).fit(*planted)

    def test_too_few_samples(self):
        with pytest.raises(ValueError, match="3 sample.* minimum of"):
            StabilitySelector(LaplacianScore(1)).fit(np.arange(6.0).reshape(3, 2))

    def test_no_labels(self, planted):
        with pytest.raises(ValueError, match="StabilitySelector requires y to"):
            StabilitySelector(FisherScore(2)).fit(planted[0])

    def test_labels_of_other_samples(self, planted):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            StabilitySelector(FisherScore(2)).fit(planted[0], planted[1][:-1])

    def test_one_class_left_in_a_half(self, planted):
        y = np.repeat(["a", "b"], [59, 1])
        sentence = "FisherScore cannot be fitted"
        with pytest.raises(ValueError, match=sentence):
            StabilitySelector(FisherScore(2)).fit(planted[0], y)


def test_warnings_are_said_once_with_a_count(planted):
    X, y = planted
    X = np.column_stack([X, np.ones(60)])
    with pytest.warns(UserWarning, match="FisherScore: 1 of 24") as caught:
        StabilitySelector(FisherScore(3), n_pairs=3).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
