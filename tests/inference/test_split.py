"""Graphs of the same table: cross-fitting over features (split), and competition with permuted copies (shadows)."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from eigenselect import SPEC, LaplacianScore
from eigenselect.exceptions import ExchangeabilityWarning, UndefinedScoreWarning
from eigenselect.inference import cauchy_combination
from eigenselect.inference.honest_graphs import recipe_for_components
from eigenselect.inference.knockoffs import contest, ebh_qvalues, knockoff_evalues, knockoff_qvalues
from eigenselect.inference.shadows import Shadows, shadow_of, shadow_qvalues
from eigenselect.inference.split import DEPENDENCE, Split, median_combination, split_pvalues
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix
from eigenselect.similarity import KNN, RBF


class Record:
    """A judge that remembers what it was given; the p-values are any function of the features and the components."""

    def __init__(self):
        self.components, self.features = [], []

    def __call__(self, components, features):
        X = features.to_array()
        self.components.append(components)
        self.features.append(X)
        return 1 / (1 + np.abs(X.T @ components).sum(axis=1))


def judged(X, **options):
    record = Record()
    return split_pvalues(as_matrix(X), record, **options), record


def test_every_feature_is_judged_once_in_every_repeat(rng):
    X = rng.normal(size=(20, 13))
    _, record = judged(X, n_folds=4, n_repeats=3)
    assert len(record.features) == 12
    for repeat in range(3):
        together = np.hstack(record.features[4 * repeat : 4 * repeat + 4])
        np.testing.assert_array_equal(np.sort(together[0]), np.sort(X[0]))
    assert not np.array_equal(record.features[0], record.features[4])


def test_p_values_of_repeats_are_combined_in_their_places(rng):
    X, seen = rng.normal(size=(20, 13)), []
    found, record = judged(X, n_folds=4, n_repeats=3, progress=lambda *step: seen.append(step))
    assert seen == [(done, 12) for done in range(1, 13)]
    each = np.empty((3, 13))
    for step, (Y, F) in enumerate(zip(record.components, record.features, strict=True)):
        for column in F.T:
            place = int(np.flatnonzero((column == X.T).all(axis=1))[0])
            each[step // 4, place] = 1 / (1 + np.abs(column @ Y).sum())
    np.testing.assert_allclose(found, np.minimum(1, DEPENDENCE * cauchy_combination(each)), rtol=1e-12)
    by_median, _ = judged(X, n_folds=4, n_repeats=3, combination="median")
    np.testing.assert_allclose(by_median, median_combination(each), rtol=1e-12)
    single = [judged(X, n_repeats=1, combination=name)[0] for name in ("cauchy", "median")]
    np.testing.assert_allclose(*single, rtol=1e-9)


def test_the_median_rule_by_its_own_words(rng):
    for count in range(1, 7):
        p = rng.random((count, 50)) ** 3
        k = count // 2 + 1
        expected = [min(1, count / k * sorted(column)[k - 1]) for column in p.T]
        np.testing.assert_allclose(median_combination(p), expected)
        with_nan = np.vstack([np.full((2, 50), np.nan), p])
        np.testing.assert_allclose(median_combination(with_nan), expected)
    assert np.isnan(median_combination(np.full((3, 2), np.nan))).all()


def test_the_median_rule_is_valid_in_the_worst_case(rng):
    """In a share t of draws k values lie below tk/K and the others above; each alone is uniform where it counts."""
    t, draws = 0.3, 20_000
    for count in (2, 3, 4, 5):
        k = count // 2 + 1
        hit = rng.random(draws) < t
        values = rng.uniform(t * k / count, 1, (count, draws))
        low = rng.random((count, draws)).argsort(axis=0) < k
        values = np.where(low & hit, rng.uniform(0, t * k / count, (count, draws)), values)
        assert abs(np.mean(values[0] <= t * k / count) - t * k / count) < 0.02
        assert abs(np.mean(median_combination(values) <= t) - t) < 5 * np.sqrt(t * (1 - t) / draws)


def test_garbage_in_a_feature_changes_every_graph_but_its_own(rng):
    X, place = rng.normal(size=(25, 20)), 11
    _, before = judged(X, n_folds=5, n_repeats=2)
    garbage = X.copy()
    garbage[:, place] = rng.lognormal(sigma=5, size=25)
    _, after = judged(garbage, n_folds=5, n_repeats=2)
    own = [(F[:, :, None] == garbage[:, None, [place]]).all(axis=0).any() for F in after.features]
    same = [np.array_equal(one, other) for one, other in zip(before.components, after.components, strict=True)]
    assert same == own
    assert sum(own) == 2


def test_equal_seeds_give_equal_results_and_others_do_not(rng):
    X = rng.normal(size=(20, 12))
    np.testing.assert_array_equal(judged(X, random_state=3)[0], judged(X, random_state=3)[0])
    np.testing.assert_array_equal(judged(X)[0], judged(X, random_state=0)[0])
    assert not np.array_equal(judged(X, random_state=3)[0], judged(X, random_state=4)[0])


def test_where_all_others_are_constant_there_is_no_graph(rng):
    X = np.hstack([rng.normal(size=(20, 1)), np.ones((20, 3))])
    found, record = judged(X, n_folds=4, n_repeats=2)
    np.testing.assert_array_equal(np.isnan(found), [True, False, False, False])
    assert len(record.features) == 6


def test_bad_parameters_and_tables():
    for route, name, value in (
        (Split, "n_folds", 1),
        (Split, "n_repeats", 0),
        (Split, "combination", "fisher"),
        (Split, "n_components", "all"),
        (Shadows, "n_copies", 0),
        (Shadows, "n_repeats", 1.5),
        (Shadows, "level", 1),
        (Shadows, "n_components", 0),
    ):
        with pytest.raises(ValueError, match=rf"SPEC: {route.__name__}: {name} .* got {value!r}"):
            route(**{name: value}).check_parameters("SPEC")
    with pytest.raises(ValueError, match="2 features"):
        LaplacianScore(similarity=KNN(5), significance="split").fit(np.arange(20.0)[:, None])
    for route in ROUTES:
        with pytest.raises(ValueError, match=r"^LaplacianScore: .* got 4"):
            LaplacianScore(significance=route).fit(np.random.default_rng(0).normal(size=(4, 6)))


def alignment(components, tables):
    """How much of a feature lies in the components: a score that prefers what made them."""
    basis = np.linalg.qr(components)[0]
    found = []
    for table in tables:
        Z = table.to_array() - table.to_array().mean(axis=0)
        with np.errstate(invalid="ignore"):
            found.append(((basis.T @ Z) ** 2).sum(axis=0) / (Z**2).sum(axis=0))
    return np.array(found), np.zeros((len(tables), tables[0].n_features))


def clustered(rng, n=80, m=150, informative=30, strength=1.0):
    y = np.arange(n) % 3
    X = rng.normal(size=(n, m))
    X[:, :informative] += strength * rng.normal(size=(3, informative))[y]
    return X


def test_a_shadow_holds_the_same_values_in_another_order(rng):
    X = rng.poisson(0.5, size=(40, 200)) * rng.lognormal(size=(40, 200))
    shadows = []
    for kind in (np.asarray, sparse.csr_array, sparse.csc_array):
        table = as_matrix(kind(X))
        shadow = shadow_of(table, np.random.RandomState(0))
        assert type(shadow) is (SparseMatrix if table.is_sparse else Matrix)
        shadows.append(shadow.to_array())
    found = shadows[0]
    np.testing.assert_array_equal(shadows[1:], [found, found])
    np.testing.assert_array_equal(np.sort(found, axis=0), np.sort(X, axis=0))
    columns = np.flatnonzero((X != 0).sum(axis=0) > 4)
    assert (found != X)[:, columns].any(axis=0).all()
    orders = {tuple(np.argsort(column)) for column in found[:, columns].T}
    assert len(orders) == columns.size


def test_all_orders_are_equally_likely():
    """Of three values, one of them 0: six orders in 6000 columns, each within five standard deviations of 1000."""
    table = as_matrix(sparse.csc_array(np.tile(np.array([[0.0], [1], [2]]), (1, 6000))))
    found = shadow_of(table, np.random.RandomState(1)).to_array().T
    _, counts = np.unique(found, axis=0, return_counts=True)
    assert counts.size == 6
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000 * 5 / 6)


def test_features_compete_with_the_copies_that_made_the_graph(rng):
    X = clustered(rng)
    X[:, 4] = 3.0
    for n_copies in (1, 2):
        seen = []

        def score(components, tables, seen=seen):
            seen.append((components, tables))
            return alignment(components, tables)

        found = shadow_qvalues(as_matrix(X), score, n_copies=n_copies, random_state=2)
        ((components, tables),) = seen
        assert len(tables) == 1 + n_copies
        np.testing.assert_array_equal(found, knockoff_qvalues(*contest(*alignment(components, tables)), n_copies))
        assert np.flatnonzero(np.isnan(found)).tolist() == [4]  # a constant feature has no q-value
    assert np.isnan(shadow_qvalues(as_matrix(np.ones((8, 3))), alignment)).all()


def test_repeats_are_joined_by_e_values(rng):
    X, contests = clustered(rng), []

    def score(components, tables):
        found = alignment(components, tables)
        contests.append(contest(*found))
        return found

    found = shadow_qvalues(as_matrix(X), score, n_repeats=3, level=0.2)
    mean = np.mean([knockoff_evalues(*each, 1, 0.2) for each in contests], axis=0)
    np.testing.assert_array_equal(found, ebh_qvalues(mean))
    assert len(contests) == 3


def test_recipes_for_graphs_of_components():
    """A name takes wide neighbourhoods, an object is used as given, inner products are refused."""
    for n, expected in ((8, 7), (40, 10), (100, 20), (300, 60), (5000, 60)):
        for name in ("knn", "diffusion", "geodesic"):
            assert recipe_for_components(name, n, "SPEC").n_neighbors == expected
    recipe = KNN(5)
    assert recipe_for_components(recipe, 300, "SPEC") is recipe
    assert isinstance(recipe_for_components("rbf", 300, "SPEC"), RBF)
    assert recipe_for_components(lambda X: X @ X.T, 300, "SPEC").describe()["similarity"] == "<lambda>"
    for name in ("linear", "cosine"):
        with pytest.raises(ValueError, match=f"SPEC: similarity='{name}'"):
            recipe_for_components(name, 300, "SPEC")


LEVEL = 0.1
ROUTES = {"split": Split(3, 2), "shadows": Shadows()}


def planted(seed, n=100, m=150, informative=40):
    """Counts of three classes, of which the first features tell the classes; columns of unit spread."""
    rng = np.random.default_rng(seed)
    mu = np.ones((3, m))
    mu[:, :informative] = np.exp(rng.normal(0, 1.2, (3, informative)))
    X = np.log1p(rng.negative_binomial(2, 2 / (2 + mu[rng.integers(0, 3, n)])))
    return X / X.std(axis=0)


def kept(X, route):
    return LaplacianScore(significance=ROUTES[route]).fit(X).qvalues_ <= LEVEL


@pytest.mark.parametrize("route", ROUTES)
def test_noise_tables_have_few_discoveries(route):
    """One in ten at this level; 6 of 10 and more have a chance of 1e-4. On the graph of the table itself, all have."""
    assert sum(kept(planted(seed, n=60, m=60, informative=0), route).any() for seed in range(10)) < 6


@pytest.mark.parametrize(("route", "power"), [("split", 0.6), ("shadows", 0.4)])
def test_false_discoveries_are_few_and_informative_features_are_found(route, power):
    chosen = [kept(planted(seed, n=90, m=110), route) for seed in range(3)]
    false = np.array([each[40:].sum() / max(1, each.sum()) for each in chosen])
    assert false.mean() <= LEVEL + 3 * max(false.std(ddof=1), 0.05) / np.sqrt(false.size)
    assert np.mean([each[:40].mean() for each in chosen]) > power


@pytest.mark.slow
def test_p_values_of_noise_are_uniform():
    """Shares of 1500 p-values; on the graph of the table itself 0.9 of them are below 0.05."""
    route = Split(3, 1)
    fits = [LaplacianScore(significance=route).fit(planted(seed, informative=0)) for seed in range(10)]
    p = np.concatenate([fitted.pvalues_ for fitted in fits])
    assert 0.02 < np.mean(p <= 0.05) < 0.09
    assert 0.4 < np.mean(p <= 0.5) < 0.6


def test_rare_noise_has_no_deep_p_values():
    """Counts in one of 50 samples: three moments alone give 10 of 800 p ≤ 1e-5, down to 1e-21, and 13 q ≤ 0.05."""
    rng = np.random.default_rng(5)
    X = np.log1p(rng.poisson(0.02, (400, 800)) * rng.integers(1, 5, (400, 800)))
    similarity = KNN(14, bandwidth="self-tuning")
    found = LaplacianScore(similarity=similarity, significance=Split(2, 2, 30)).fit(X)
    assert found.pvalues_.min() > 1e-5
    assert not (found.qvalues_ <= 0.05).any()


@pytest.mark.parametrize("route", ROUTES)
def test_significance_changes_no_score_and_constant_features_are_not_judged(route):
    X = planted(2, n=50, m=45)
    X[:, [5, 9]] = 1.0
    with pytest.warns(UndefinedScoreWarning, match="2 of 45"):
        plain, judged = LaplacianScore().fit(X), LaplacianScore(significance=ROUTES[route]).fit(X)
    for name in ("scores_", "native_scores_", "ranking_"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(judged, name))
    assert (plain.graph_.affinity != judged.graph_.affinity).nnz == 0
    assert np.flatnonzero(np.isnan(judged.qvalues_)).tolist() == [5, 9]


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES)
def test_other_criteria_and_recipes(route):
    spec = SPEC(ranking="phi1"), SPEC(ranking="phi3", n_clusters=3)
    for selector in (*spec, LaplacianScore(similarity="rbf"), LaplacianScore(similarity=KNN(15))):
        q = selector.set_params(significance=ROUTES[route]).fit(planted(3)).qvalues_
        assert (q[:40] <= 0.2).mean() > (q[40:] <= 0.2).mean() + 0.15


@pytest.mark.parametrize("route", ROUTES)
def test_a_fit_of_a_sparse_table_gives_the_same(route):
    X = planted(1, n=40, m=30, informative=10)
    dense, other = (LaplacianScore(significance=ROUTES[route]).fit(table) for table in (X, sparse.csr_array(X)))
    if route == "split":  # shadows of a sparse table are drawn by its non-zeros
        np.testing.assert_allclose(dense.pvalues_, other.pvalues_, rtol=1e-7)
    assert other.qvalues_.shape == (30,)


@pytest.mark.parametrize("route", ROUTES)
def test_unequal_depth_is_warned_about_once(route, rng):
    counts = rng.poisson(rng.lognormal(sigma=0.5, size=80)[:, None] * rng.lognormal(1, 1, size=120))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        LaplacianScore(significance=ROUTES[route]).fit(np.log1p(counts[:, counts.sum(axis=0) > 9]))
    assert [each.category for each in said].count(ExchangeabilityWarning) == 1


def test_progress_is_shown_where_asked_for(rng, capsys):
    LaplacianScore(significance=Split(2, 2), verbose=True).fit(rng.normal(size=(30, 12)))
    assert "graphs 4/4" in capsys.readouterr().err
