"""Knowledge of samples becomes the sample similarity it should, matched by name."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.multisource import AuxiliaryData, SampleCategories, SampleSimilarity, TargetData
from eigenselect.similarity import KNN, RBF, ClassLabels

SAMPLES = np.array([f"patient{i}" for i in range(12)], dtype=object)


class TestSamples:
    def test_auxiliary_data_by_name(self, rng, target):
        Z = rng.normal(size=(12, 4))
        expected = KNN().build(Z).to_array()
        order = rng.permutation(12)
        shuffled = pd.DataFrame(Z[order], index=SAMPLES[order])
        for source in (
            AuxiliaryData(Z),
            AuxiliaryData(shuffled),
            AuxiliaryData(Z[order], sample_names=SAMPLES[order]),
            AuxiliaryData(sparse.csr_array(Z[order]), sample_names=list(SAMPLES[order])),
        ):
            np.testing.assert_allclose(source.build(target).graph.to_array(), expected, rtol=1e-10)

    def test_auxiliary_data_may_miss_samples_and_have_others(self, rng, target):
        Z = pd.DataFrame(rng.normal(size=(11, 4)), index=[*SAMPLES[2:], "stranger"])
        source = AuxiliaryData(Z, similarity=KNN(n_neighbors=3))
        covered = source.covered(target)
        np.testing.assert_array_equal(covered, np.arange(12) >= 2)
        part = target.rows(np.flatnonzero(covered))
        expected = KNN(n_neighbors=3).build(Z.to_numpy()[:10]).to_array()
        np.testing.assert_array_equal(source.build(part).graph.to_array(), expected)

    def test_the_target_itself(self, target):
        np.testing.assert_array_equal(
            TargetData("rbf").build(target).graph.to_array(), RBF().build(target.X).to_array()
        )

    def test_flat_categories(self, target):
        labels = np.array(list("aabbccaabbcc"))
        expected = ClassLabels().build(None, labels).to_array()
        np.testing.assert_array_equal(SampleCategories(labels).build(target).graph.to_array(), expected)
        series = pd.Series(labels[::-1], index=SAMPLES[::-1])
        np.testing.assert_array_equal(SampleCategories(series).build(target).graph.to_array(), expected)
        own = SampleCategories().build(target).graph.to_array()
        np.testing.assert_array_equal(own, ClassLabels().build(None, target.y).to_array())

    def test_nested_categories(self, target):
        """A fine label counts within its coarse one only: "x" of organ 1 is not "x" of organ 2."""
        organ = np.repeat([1, 2], 6)
        tissue = np.array(list("xxxyyyxxxzzz"))
        both = np.array([f"{o}{t}" for o, t in zip(organ, tissue, strict=True)])
        coarse, fine = (ClassLabels().build(None, labels).to_array() for labels in (organ, both))
        levels = np.column_stack([organ.astype(object), tissue])
        np.testing.assert_allclose(SampleCategories(levels).build(target).graph.to_array(), (coarse + fine) / 2)
        weighted = SampleCategories(levels, level_weights=[3, 1]).build(target).graph.to_array()
        np.testing.assert_allclose(weighted, 0.75 * coarse + 0.25 * fine)

    def test_samples_without_a_category_are_not_covered(self, target):
        labels = np.array(["a", None, "b", *"abababab", np.nan], dtype=object)
        covered = SampleCategories(labels).covered(target)
        np.testing.assert_array_equal(np.flatnonzero(~covered), [1, 11])

    def test_a_similarity_by_name(self, rng, target):
        S = RBF().build(rng.normal(size=(12, 3))).to_array()
        order = rng.permutation(12)
        shuffled = pd.DataFrame(S[np.ix_(order, order)], index=SAMPLES[order])
        np.testing.assert_array_equal(SampleSimilarity(shuffled).build(target).graph.to_array(), S)
        other = SampleSimilarity(sparse.csr_array(S[np.ix_(order, order)]), sample_names=SAMPLES[order])
        np.testing.assert_array_equal(other.build(target).graph.to_array(), S)

    def test_bad_input(self, rng, target, make_target):
        with pytest.raises(ValueError, match="none of the target's 12 sample names"):
            AuxiliaryData(pd.DataFrame(rng.normal(size=(3, 2)), index=list("abc"))).covered(target)
        with pytest.raises(ValueError, match="has 5 samples, the target 12"):
            AuxiliaryData(rng.normal(size=(5, 2))).covered(target)
        with pytest.raises(ValueError, match="got 3 sample names for 5 samples"):
            AuxiliaryData(rng.normal(size=(5, 2)), sample_names=list("abc")).covered(target)
        with pytest.raises(ValueError, match="NaN"):
            AuxiliaryData(np.full((12, 2), np.nan)).build(target)
        with pytest.raises(ValueError, match="no labels"):
            SampleCategories().covered(make_target(target.X))
        with pytest.raises(ValueError, match="level_weights must be 1 numbers"):
            SampleCategories(target.y, level_weights=[1, 2]).build(target)
        with pytest.raises(ValueError, match="non-negative"):
            SampleSimilarity(-np.ones((12, 12))).build(target)


def test_a_hierarchy_may_have_a_root_and_leaves(target):
    levels = np.column_stack([np.zeros(12), np.arange(12) % 2, np.arange(12)]).astype(object)
    S = SampleCategories(levels).build(target).graph.to_array()
    half = ClassLabels().build(None, np.arange(12) % 2).to_array()
    np.testing.assert_allclose(S, (np.full((12, 12), 1 / 12) + half + np.eye(12)) / 3)
    with pytest.raises(ValueError, match="SampleCategories: y must have at least 2 classes"):
        SampleCategories(np.zeros(12)).build(target)


def test_measurements_in_an_anndata_are_matched_by_the_names_of_its_samples(rng):
    anndata = pytest.importorskip("anndata")
    from eigenselect import MSFS

    X, Z = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    names = [f"s{i}" for i in range(20)]
    cells = anndata.AnnData(X, obs=pd.DataFrame(index=names))
    other = anndata.AnnData(Z, obs=pd.DataFrame(index=names))[::-1]
    found = MSFS(2, sources=[("z", AuxiliaryData(other))]).fit(cells)
    np.testing.assert_allclose(found.scores_, MSFS(2, sources=[("z", AuxiliaryData(Z))]).fit(X).scores_, rtol=1e-10)
