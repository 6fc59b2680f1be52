"""Cross-fitting over features: nobody is judged on a graph that it helped to make."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import cauchy_combination
from eigenselect.inference.split import DEPENDENCE, Split, median_combination, split_pvalues
from eigenselect.matrix import as_matrix


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
    X = rng.normal(size=(20, 13))
    found, record = judged(X, n_folds=4, n_repeats=3)
    each = np.empty((3, 13))
    for step, (Y, F) in enumerate(zip(record.components, record.features, strict=True)):
        for column in F.T:
            place = int(np.flatnonzero((column == X.T).all(axis=1))[0])
            each[step // 4, place] = 1 / (1 + np.abs(column @ Y).sum())
    np.testing.assert_allclose(found, np.minimum(1, DEPENDENCE * cauchy_combination(each)), rtol=1e-12)


def test_the_median_rule_by_its_own_words(rng):
    for count in range(1, 7):
        p = rng.random((count, 50)) ** 3
        k = count // 2 + 1
        expected = [min(1, count / k * sorted(column)[k - 1]) for column in p.T]
        np.testing.assert_allclose(median_combination(p), expected)
        with_nan = np.vstack([np.full((2, 50), np.nan), p])
        np.testing.assert_allclose(median_combination(with_nan), expected)
    assert np.isnan(median_combination(np.full((3, 2), np.nan))).all()


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_median_rule_is_valid_in_the_worst_case(count, rng):
    """In a share t of draws k values lie below tk/K and the others above; each alone is uniform where it counts."""
    k, t, draws = count // 2 + 1, 0.3, 20_000
    hit = rng.random(draws) < t
    values = rng.uniform(t * k / count, 1, (count, draws))
    low = rng.random((count, draws)).argsort(axis=0) < k
    values = np.where(low & hit, rng.uniform(0, t * k / count, (count, draws)), values)
    assert abs(np.mean(values[0] <= t * k / count) - t * k / count) < 0.02
    share = np.mean(median_combination(values) <= t)
    assert abs(share - t) < 5 * np.sqrt(t * (1 - t) / draws)


def test_repeats_are_combined_as_asked(rng):
    X = rng.normal(size=(20, 13))
    one, other = (judged(X, combination=name)[0] for name in ("cauchy", "median"))
    assert not np.allclose(one, other)
    single = [judged(X, n_repeats=1, combination=name)[0] for name in ("cauchy", "median")]
    np.testing.assert_allclose(*single, rtol=1e-9)


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


def test_a_sparse_table_gives_the_same(rng):
    X = rng.poisson(0.6, size=(30, 20)).astype(float)
    np.testing.assert_allclose(judged(sparse.csr_array(X))[0], judged(X)[0], rtol=1e-9)


def test_equal_seeds_give_equal_results_and_others_do_not(rng):
    X = rng.normal(size=(20, 12))
    np.testing.assert_array_equal(judged(X, random_state=3)[0], judged(X, random_state=3)[0])
    np.testing.assert_array_equal(judged(X)[0], judged(X, random_state=0)[0])
    assert not np.array_equal(judged(X, random_state=3)[0], judged(X, random_state=4)[0])


def test_more_folds_than_features_are_as_many(rng):
    _, record = judged(rng.normal(size=(20, 3)), n_folds=5, n_repeats=2)
    assert [F.shape[1] for F in record.features] == [1] * 6


def test_where_all_others_are_constant_there_is_no_graph(rng):
    X = np.hstack([rng.normal(size=(20, 1)), np.ones((20, 3))])
    found, record = judged(X, n_folds=4, n_repeats=2)
    np.testing.assert_array_equal(np.isnan(found), [True, False, False, False])
    assert len(record.features) == 6


def test_progress_counts_graphs(rng):
    seen = []
    X = rng.normal(size=(20, 12))
    split_pvalues(as_matrix(X), Record(), n_folds=3, n_repeats=2, progress=lambda *step: seen.append(step))
    assert seen == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_folds": 1}, "SPEC: Split: n_folds must be an integer of at least 2, got 1"),
        ({"n_repeats": 0}, "SPEC: Split: n_repeats must be a positive integer, got 0"),
        ({"combination": "fisher"}, "SPEC: Split: combination must be 'cauchy' or 'median', got 'fisher'"),
        ({"n_components": "all"}, "SPEC: Split: n_components must be 'auto' or a positive integer, got 'all'"),
    ],
)
def test_bad_parameters(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Split(**parameters).check_parameters("SPEC")
