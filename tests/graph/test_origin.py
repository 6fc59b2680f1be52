"""A graph knows what it was made from."""

import numpy as np
import pytest

from eigenselect import MSFS, SPEC, HSICScore, LaplacianScore, TraceRatio
from eigenselect.graph import Origin, SampleGraph
from eigenselect.multisource import AuxiliaryData, FeatureSet, SampleCategories, SampleSimilarity, TargetData
from eigenselect.similarity import KNN, RBF, BaseSimilarity, ClassLabels, Diffusion, FromTable, HitMiss

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 6)), np.arange(30) % 3
OTHER = RNG.normal(size=(30, 2))
S = RBF().build(OTHER).affinity


@pytest.mark.parametrize(
    ("similarity", "origin"),
    [
        (KNN(5), Origin.FEATURES),
        ("rbf", Origin.FEATURES),
        (Diffusion(1.0, 5), Origin.FEATURES),
        (lambda table: S, Origin.FEATURES),
        (HitMiss(3), Origin.FEATURES),  # of classes, but the near ones are found in the features
        (ClassLabels(), Origin.LABELS),
        (FromTable(OTHER), Origin.ELSEWHERE),
        (FromTable(OTHER, Diffusion(1.0, 5)), Origin.ELSEWHERE),
    ],
)
def test_of_a_similarity(similarity, origin):
    selector = SPEC(similarity=similarity, significance=None).fit(X, Y)
    assert selector.graph_.origin is origin


def test_of_what_is_given_in_its_place():
    assert LaplacianScore().fit(X, similarity_matrix=S).graph_.origin is Origin.GIVEN
    assert HSICScore(target_kernel=S).fit(X).graph_.origin is Origin.GIVEN
    assert HSICScore().fit(X, Y).graph_.origin is Origin.LABELS
    assert TraceRatio(2).fit(X, Y).graph_.origin is Origin.LABELS
    assert TraceRatio(2, graphs=(S, S)).fit(X).graph_.origin is Origin.GIVEN
    assert TraceRatio(2, graphs="laplacian").fit(X).graph_.origin is Origin.FEATURES
    assert TraceRatio(2, graphs="semi-supervised").fit(X, Y).graph_.origin is Origin.FEATURES


@pytest.mark.parametrize(
    ("sources", "origin"),
    [
        ([AuxiliaryData(OTHER)], Origin.ELSEWHERE),
        ([AuxiliaryData(X.copy())], Origin.FEATURES),
        ([SampleCategories()], Origin.LABELS),
        ([SampleCategories(np.stack([Y // 2, Y], axis=1))], Origin.LABELS),
        ([SampleSimilarity(S), SampleCategories()], Origin.GIVEN),
        ([AuxiliaryData(OTHER), SampleCategories()], Origin.ELSEWHERE),
        ([AuxiliaryData(OTHER), TargetData()], Origin.FEATURES),
        ([AuxiliaryData(OTHER), FeatureSet([0, 2])], Origin.FEATURES),
    ],
)
def test_of_sources_it_is_that_of_the_least_honest(sources, origin):
    named = [(str(place), source) for place, source in enumerate(sources)]
    assert MSFS(sources=named).fit(X, Y).graph_.origin is origin


def test_a_source_without_weight_does_not_count():
    sources = [("other", AuxiliaryData(OTHER)), ("own", TargetData())]
    assert MSFS(sources=sources, weights=[1.0, 0.0]).fit(X, Y).graph_.origin is Origin.ELSEWHERE


def test_what_nobody_told_of_is_not_trusted():
    class Own(BaseSimilarity):
        def _graph(self, table, y, owner, n_jobs):
            return SampleGraph(S)

    assert SampleGraph(S).origin is Origin.FEATURES
    assert Own().build(X).origin is Origin.FEATURES
