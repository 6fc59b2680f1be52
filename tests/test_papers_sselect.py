"""papers/sselect*.py: a trial on small tables against plain loops, and statements on made-up numbers."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from eigenselect import LaplacianScore, SSelect
from eigenselect.similarity import KNN


@pytest.fixture
def trials(paper):
    return paper("sselect_trials")


@pytest.fixture
def posts(rng):
    """Counts of 40 words in two groups of 30 posts, which six of the words tell apart."""
    y = np.repeat([1, 2], 30)
    rates = np.full((60, 40), 0.3)
    rates[:30, :3] += 1.0
    rates[30:, 3:6] += 1.0
    return sparse.csr_matrix(rng.poisson(rates).astype(float)), y


def naive_curve(X, y, order, sizes, seed, shuffle):
    places = np.random.default_rng([seed, shuffle]).permutation(y.size)
    X, y, found = X.toarray()[places], y[places], []
    for size in sizes:
        right = 0
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(places, y):
            for i in test:
                distances = [((X[i, order[:size]] - X[j, order[:size]]) ** 2).sum() for j in train]
                right += y[train[int(np.argmin(distances))]] == y[i]
        found.append(right / y.size)
    return found


def test_accuracies_are_those_of_a_nearest_neighbour_in_other_folds(trials, posts, rng):
    X, y = posts
    order, sizes = rng.permutation(40), (1, 3, 8)
    expected = naive_curve(X, y, order, sizes, 4, trials.SHUFFLE)
    assert trials.CrossValidation(X, y, 4).curve(order, sizes) == pytest.approx(expected)


def test_few_labels_are_among_more(trials):
    y = np.repeat([3, 7], 20)
    drawn = [trials.draw_labels(y, count, 5) for count in (2, 6, 10)]
    for partial, count in zip(drawn, (2, 6, 10), strict=True):
        assert (partial == 3).sum() == (partial == 7).sum() == count // 2
        assert (y[partial != -1] == partial[partial != -1]).all()
    assert (drawn[1][drawn[0] != -1] == drawn[0][drawn[0] != -1]).all()
    assert (trials.draw_labels(y, 10, 6) != drawn[2]).any()


@pytest.mark.parametrize("value", [0.0, 0.1, 0.7, 1.0])
def test_one_fit_gives_the_order_of_every_lambda(trials, posts, value):
    X, y = posts
    partial, affinity = trials.draw_labels(y, 10, 0), KNN().build(X).affinity
    expected = SSelect(regularization=value).fit(X, partial, similarity_matrix=affinity).ranking_
    np.testing.assert_array_equal(trials.Lambdas.of(X, partial, affinity).order(value), np.argsort(expected))


def test_the_cut_path_is_that_of_the_selector(trials, posts):
    X, y = posts
    partial, affinity = trials.draw_labels(y, 10, 0), KNN().build(X).affinity
    expected = SSelect(8, regularization="auto").fit(X, partial, similarity_matrix=affinity)
    path = trials.Lambdas.of(X, partial, affinity).path(8, lambda columns: KNN().build(X[:, columns]))
    np.testing.assert_allclose(path.cuts, expected.cut_values_, atol=1e-9)
    assert path.best == expected.regularization_


def test_with_one_post_of_a_group_words_that_differ_are_all_equal(trials):
    X = sparse.csr_matrix([[2.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    scores = trials.fisher_scores(X, np.array([1, 2]))
    np.testing.assert_array_equal(scores, [1.0, np.nan, np.nan])
    assert trials.fisher_facts(scores) == {"words": 1, "values": 1}


def test_a_fisher_score_class_by_class_is_infinite_for_words_that_a_group_lacks(paper, rng):
    fisher = paper("sselect_fisher")
    X, y = rng.poisson(1.5, size=(10, 12)).astype(float), np.repeat([1, 2], 5)
    X[:5, 0], X[:, 1] = 0.0, 2.0
    X[0, 2:] += 1.0  # no other column is constant in a class
    expected = [np.inf if j == 0 else np.nan for j in range(2)]
    for j in range(2, 12):
        parts = [X[y == c, j] for c in (1, 2)]
        expected.append(sum((part.mean() - X[:, j].mean()) ** 2 / part.var() for part in parts))
    X[5, 0] = 3.0
    np.testing.assert_allclose(fisher.class_by_class(sparse.csr_matrix(X), y), expected, rtol=1e-9)


def test_a_draw_measures_all_that_tables_and_statements_ask_for(trials, paper, posts):
    X, y = posts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # graphs of few words fall apart
        draws = [trials.one_draw(X, y, KNN().build(X).affinity, seed) for seed in (0, 1)]
    unlabelled = X[trials.draw_labels(y, 10, 0) == -1]
    order = np.argsort(LaplacianScore().fit(unlabelled).ranking_)
    assert draws[0]["10"]["curves"][trials.LAPLACIAN] == trials.CrossValidation(X, y, 0).curve(order)
    cuts = {(d, count): np.ones((2, 11)) for d in trials.FILES for count in trials.PRINTED_LABELS}
    facts = {d: {"shape": [60, 40], "accuracy": 0.9} for d in trials.FILES}
    full = {d: np.zeros((1, 11)) for d in trials.FILES}
    run = paper("sselect_run").Run(dict.fromkeys(trials.FILES, draws), facts, cuts, full)
    tables = paper("sselect_tables")
    for name in ("data", "gain", "more_labels", "accuracy", "curves", "labels", "lambda", "choice", "terms", "blank"):
        assert "|" in getattr(tables, f"{name}_text")(run)
    verdicts = [claim.holds for claim in paper("sselect_claims").claims(run)]
    assert all(isinstance(holds, bool) for holds in verdicts)
    tally = draws[0]["2"]["terms"]["labels"]
    assert set(tally) <= {"0.0000", "1.0000"}
    assert sum(tally.values()) == 40


def made_up(trials, paper, accuracies, few=None):
    """Two trials of every set; accuracies by method and number of labels, the same at all sizes."""
    curve = np.linspace(0, 0.1, len(trials.SIZES))
    flat = [0.5] * 11
    found = []
    for seed in range(2):
        one = {}
        for count in trials.LABELS:
            level = {name: (value[count] if isinstance(value, dict) else value) for name, value in accuracies.items()}
            one[str(count)] = {
                "curves": {name: (value + curve + 0.001 * seed).tolist() for name, value in level.items()},
                "sweep": {"few": few or flat, "many": flat, "cut": flat, "auto": 0.1},
                "terms": {"labels": {"0.0000": 3, "1.0000": 9}, "graph values": 99},
            }
        found.append(one)
    cuts = {(d, count): np.ones((2, 11)) for d in trials.FILES for count in trials.PRINTED_LABELS}
    return paper("sselect_run").Run(dict.fromkeys(trials.FILES, found), {}, cuts, {})


def verdict(claims, start):
    return next(claim.holds for claim in claims if claim.statement.startswith(start))


def test_statements_on_methods_can_hold_and_fail(trials, paper):
    claims = paper("sselect_claims")
    good = {trials.SSELECT: 0.8, trials.FISHER: 0.7, trials.LAPLACIAN: 0.6}
    swapped = {trials.SSELECT: 0.7, trials.FISHER: 0.8, trials.LAPLACIAN: 0.75}
    for start in ("sSelect is more accurate than the Fisher", "sSelect is consistently", "generally sSelect is first"):
        assert verdict(claims.comparison_claims(made_up(trials, paper, good)), start)
        assert not verdict(claims.comparison_claims(made_up(trials, paper, swapped)), start)
    assert verdict(claims.comparison_claims(made_up(trials, paper, good)), "the Laplacian score does not")
    assert not verdict(claims.comparison_claims(made_up(trials, paper, swapped)), "the Laplacian score does not")


def test_statements_on_labels_can_hold_and_fail(trials, paper):
    claims = paper("sselect_claims")
    better = {count: 0.7 + 0.01 * count for count in trials.LABELS}
    fisher = {count: 0.6 + 0.02 * count for count in trials.LABELS}
    run = made_up(trials, paper, {trials.SSELECT: better, trials.FISHER: fisher, trials.LAPLACIAN: 0.6})
    found = claims.label_claims(run)
    assert verdict(found, "the gain over the Laplacian")
    assert verdict(found, "the more labels")
    assert not verdict(found, "the gain over the Fisher")
    run = made_up(trials, paper, {trials.SSELECT: 0.7, trials.FISHER: 0.6, trials.LAPLACIAN: 0.6})
    assert not verdict(claims.label_claims(run), "the gain over the Laplacian")
    assert not verdict(claims.label_claims(run), "the more labels")


def test_statements_on_lambda_can_hold_and_fail(trials, paper):
    claims, level = paper("sselect_claims"), {trials.SSELECT: 0.7, trials.FISHER: 0.6, trials.LAPLACIAN: 0.6}
    falling = [0.6, 0.8, 0.75, 0.7, 0.65, 0.6, 0.6, 0.55, 0.55, 0.5, 0.5]
    found = claims.lambda_claims(made_up(trials, paper, level, few=falling))
    assert verdict(found, "λ = 0.9 is much worse")
    assert verdict(found, "a good λ")
    assert not verdict(found, "the lower the cut")  # a constant cut tells nothing
    found = claims.lambda_claims(made_up(trials, paper, level, few=falling[::-1]))
    assert not verdict(found, "λ = 0.9 is much worse")
    assert not verdict(found, "a good λ")
    assert claims.never_rises([0.8, 0.4, 0.4])
    assert not claims.never_rises([0.4, 0.4, 0.4])
    assert not claims.never_rises([0.8, 0.2, 0.4])


def test_two_values_of_the_label_term_are_0_and_1(trials, paper):
    claims, level = paper("sselect_claims"), {trials.SSELECT: 0.7, trials.FISHER: 0.6, trials.LAPLACIAN: 0.6}
    run = made_up(trials, paper, level)
    assert verdict(claims.interaction_claims(run), "with 2 labels the label term")
    run.found["PCMAC"][0]["2"]["terms"]["labels"] = {"0.5000": 3, "1.0000": 9}
    assert not verdict(claims.interaction_claims(run), "with 2 labels the label term")


def test_clearly_is_by_two_standard_errors(paper):
    clearly = paper("sselect_run").clearly_positive
    assert clearly(np.array([0.02, 0.03, 0.04]))  # mean 0.03, standard error 0.006
    assert not clearly(np.array([0.00, 0.01, 0.05]))  # mean 0.02, standard error 0.015
    assert not clearly(np.array([-0.02, -0.03]))


def test_published_numbers_agree_with_each_other(paper):
    published, run = paper("published"), paper("sselect_run")
    rows = np.array(list(published.SSELECT_TABLE_2.values()))
    np.testing.assert_allclose(rows.mean(axis=0), published.SSELECT_TABLE_2_AVERAGE, atol=5.1e-5)
    for tally in published.SSELECT_LABEL_SCORES.values():
        assert sum(tally.values()) == 8298
    assert run.published_over_laplacian("MACBASE", "sSelect") == [0.1875, 0.2338, 0.2682]
    assert run.published_over_laplacian("MACBASE", "Fisher") == pytest.approx([0.1325, 0.1479, 0.1305])
