"""What a picture tells of classes stands beside what it tells of permuted labels."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.reporting.views.drawn_graph import draw_graph
from eigenselect.reporting.views.embedding import (
    agreement,
    embedding_view,
    mean_agreement,
    nearest_samples,
    separation,
    separation_view,
)
from eigenselect.reporting.views.groups import UNLABELLED, Groups


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_the_accuracy_is_leave_one_out(rng):
    points, codes = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    expected = cross_val_score(KNeighborsClassifier(1), points, codes, cv=LeaveOneOut()).mean()
    assert agreement(nearest_samples(points), codes) == pytest.approx(expected)


def test_the_mean_over_all_permutations_is_exact(rng):
    codes = np.array([0, 0, 0, 1, 1, 2])
    nearest = nearest_samples(rng.normal(size=(6, 2)))
    every = [agreement(nearest, np.array(labels)) for labels in itertools.permutations(codes)]
    assert mean_agreement(codes) == pytest.approx(np.mean(every))


def test_samples_at_one_place_share_the_vote_in_any_order_of_rows(rng):
    """Forty samples on two points, half of each class on each: every one sees the 19 others of its point."""
    points, codes = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0), np.arange(40) % 2
    for order in (np.arange(40), rng.permutation(40)):
        nudged = points[order] + 1e-14 * rng.normal(size=(40, 2))
        assert agreement(nearest_samples(nudged), codes[order]) == pytest.approx(9 / 19)


def test_separated_classes_are_beyond_chance_and_noise_is_not(rng):
    codes = np.repeat([0, 1], 30)
    noise = rng.normal(size=(60, 2))
    apart = separation(noise + 9 * codes[:, None], codes, "class", [2, 3], 0)
    assert (apart["accuracy"], apart["beyond_chance"]) == (1.0, True)
    assert apart["sentence"].startswith("In eigenvectors 2 and 3, 100% of the samples have their nearest neighbour in ")
    assert apart["sentence"].endswith(": more than chance.")
    found = separation(noise, codes, "class", [2, 3], 0)
    assert found["permuted"] == pytest.approx(2 * 30 * 29 / (60 * 59))
    assert found["permuted"] < found["permuted_high"] < 0.8
    assert found["sentence"].endswith(": no more than chance.")


def test_one_in_a_hundred_noise_pictures_is_beyond_the_99_percent_point():
    codes = np.repeat([0, 1], 25)
    found = [
        separation(np.random.default_rng(seed).normal(size=(50, 2)), codes, "class", [2, 3], 0)["beyond_chance"]
        for seed in range(200)
    ]
    assert sum(found) <= 8


def test_samples_in_no_group_are_left_out(rng):
    points, codes = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    more = np.vstack([points, points])
    assert separation(more, np.append(codes, np.full(30, -1)), "class", [2, 3], 0) == separation(
        points, codes, "class", [2, 3], 0
    )


def test_too_few_to_judge(rng):
    points = rng.normal(size=(10, 2))
    assert separation(points, np.zeros(10, dtype=int), "class", [2, 3], 0) is None
    assert separation(points[:2], np.array([0, 1]), "class", [2, 3], 0) is None


def separation_on(S, codes):
    X = np.random.default_rng(0).normal(size=(len(S), 3))
    found = draw_graph(es.SPEC(1).fit(X, similarity_matrix=S), X, 0)
    everyone, groups = np.arange(len(S)), Groups("class", ["a", "b", UNLABELLED], codes, 2)
    return separation_view(found, embedding_view(found, everyone), groups, everyone, 0)


class TestSeparation:
    def test_a_plane_that_is_a_choice_among_equal_eigenvalues_is_not_judged(self):
        """All eigenvalues of a complete graph are equal; those of a ring come in pairs, and a pair is drawn."""
        codes = np.repeat([0, 1], 10)
        assert separation_on(np.ones((20, 20)) - np.eye(20), codes) is None
        ring = np.roll(np.eye(20), 1, axis=0)
        told = separation_on(ring + ring.T, codes)
        assert told["accuracy"] == pytest.approx(18 / 20)  # each end of both halves has a neighbour of either class
        assert told["eigenvectors"] == [2, 3]

    def test_unlabelled_samples_and_clusters_are_not_judged(self):
        ring = np.roll(np.eye(20), 1, axis=0)
        assert separation_on(ring + ring.T, np.repeat([0, 2], 10)) is None  # one class and no label
        X = scale(load_wine().data)
        found = es.report(es.LaplacianScore(3).fit(X), X).summary["views"]
        assert found["groups"]["names"] == ["cluster 1", "cluster 2", "cluster 3"]
        assert found["separation"] is None
