"""Knowledge of samples becomes the sample similarity it should, matched by name."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MSFS
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

    def test_auxiliary_data_may_miss_samples_and_have_others(self, rng, make_target):
        values = rng.normal(size=(15, 4))
        for _ in range(10):
            ours, theirs = rng.permutation(15)[:12], rng.permutation(15)[: rng.integers(6, 15)]
            target = make_target(rng.normal(size=(12, 2)), samples=[f"s{i}" for i in ours])
            source = AuxiliaryData(pd.DataFrame(values[theirs], index=[f"s{i}" for i in theirs]), similarity="rbf")
            covered = source.covered(target)
            np.testing.assert_array_equal(covered, np.isin(ours, theirs))
            found = source.build(target.rows(np.flatnonzero(covered))).graph.to_array()
            np.testing.assert_allclose(found, RBF().build(values[ours[covered]]).to_array(), rtol=1e-10)

    def test_the_target_itself(self, target):
        found = TargetData("rbf").build(target).graph.to_array()
        np.testing.assert_array_equal(found, RBF().build(target.X).to_array())

    def test_flat_categories(self, target):
        labels = np.array(list("aabbccaabbcc"))
        series = pd.Series(labels[::-1], index=SAMPLES[::-1])
        for source, classes in (
            (SampleCategories(labels), labels),
            (SampleCategories(series), labels),
            (SampleCategories(), target.y),
        ):
            expected = ClassLabels().build(None, classes).to_array()
            np.testing.assert_array_equal(source.build(target).graph.to_array(), expected)

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
        tree = np.column_stack([np.zeros(12), organ, np.arange(12)]).astype(object)  # a root and leaves
        found = SampleCategories(tree).build(target).graph.to_array()
        np.testing.assert_allclose(found, (np.full((12, 12), 1 / 12) + coarse + np.eye(12)) / 3)

    def test_samples_without_a_category_are_not_covered(self, target):
        labels = np.array(["a", None, "b", *"abababab", np.nan], dtype=object)
        np.testing.assert_array_equal(np.flatnonzero(~SampleCategories(labels).covered(target)), [1, 11])

    def test_a_similarity_by_name(self, rng, target):
        S = RBF().build(rng.normal(size=(12, 3))).to_array()
        order = rng.permutation(12)
        shuffled = S[np.ix_(order, order)]
        for source in (
            SampleSimilarity(pd.DataFrame(shuffled, index=SAMPLES[order])),
            SampleSimilarity(sparse.csr_array(shuffled), sample_names=SAMPLES[order]),
        ):
            np.testing.assert_array_equal(source.build(target).graph.to_array(), S)

    def test_bad_input(self, rng, target, make_target):
        Z = rng.normal(size=(5, 2))
        for source, keyword in (
            (AuxiliaryData(pd.DataFrame(Z, index=list("abcde"))), "12 sample names"),
            (AuxiliaryData(Z), "5 samples, the target 12"),
            (AuxiliaryData(Z, sample_names=list("abc")), "3 sample names"),
            (AuxiliaryData(pd.DataFrame(Z, index=SAMPLES[[0, 1, 1, 2, 3]])), "unique"),
        ):
            with pytest.raises(ValueError, match=keyword):
                source.covered(target)
        with pytest.raises(ValueError, match="no labels"):
            SampleCategories().covered(make_target(target.X))
        for source, keyword in (
            (AuxiliaryData(np.full((12, 2), np.nan)), "NaN"),
            (SampleCategories(target.y, level_weights=[1, 2]), "level_weights"),
            (SampleCategories(np.zeros(12)), "2 classes"),
            (SampleSimilarity(-np.ones((12, 12))), "non-negative"),
        ):
            with pytest.raises(ValueError, match=keyword):
                source.build(target)


class TestMatching:
    """Samples are matched by name where both tables have names, and by place elsewhere."""

    def test_numbers_of_rows_and_places(self, rng):
        X, Z = pd.DataFrame(rng.normal(size=(20, 4))), pd.DataFrame(rng.normal(size=(20, 3)))
        order = rng.permutation(20)
        expected = MSFS(sources=[("z", AuxiliaryData(Z.to_numpy()))]).fit(X).scores_
        for table, other in (
            (X, Z.iloc[order]),  # numbers of rows
            (X.iloc[order], Z),
            (X, Z.set_axis(range(100, 120))),  # no numbers of rows: by place
            (X.to_numpy(), Z.set_axis(list("abcdefghijklmnopqrst"))),
            (X.to_numpy().tolist(), Z),
        ):
            found = MSFS(sources=[("z", AuxiliaryData(other))]).fit(table)
            np.testing.assert_allclose(found.scores_, expected, rtol=1e-10)

    def test_names_in_an_anndata(self, rng):
        anndata = pytest.importorskip("anndata")
        X, Z = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
        obs = pd.DataFrame(index=[f"s{i}" for i in range(20)])
        found = MSFS(sources=[("z", AuxiliaryData(anndata.AnnData(Z, obs=obs)[::-1]))]).fit(anndata.AnnData(X, obs=obs))
        expected = MSFS(sources=[("z", AuxiliaryData(Z))]).fit(X)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)
