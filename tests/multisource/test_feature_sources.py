"""Knowledge of features becomes the sample similarity it should, matched by name."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.multisource import FeatureInteractions, FeatureSet, FeatureSimilarity
from eigenselect.similarity import KNN

GENES = np.array([f"G{j}" for j in range(9)], dtype=object)
PRECISIONS = pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])


def feature_graph(rng, n=9, blocks=1):
    S = np.zeros((n, n))
    for part in np.array_split(np.arange(n), blocks):
        block = rng.random((part.size, part.size))
        S[np.ix_(part, part)] = block + block.T
    return S


def explicit_distances(X, S, precision):
    """(x - y)ᵀ C⁺ (x - y) with the covariance formed as the dissertation does."""
    L = np.diag(S.sum(axis=1)) - S
    n = len(S)
    K = np.linalg.pinv(L, rcond=1e-10)
    C = K @ (np.eye(n) - np.ones((n, n)) / n) @ K if precision == "laplacian_squared" else K
    P = np.linalg.pinv(C, rcond=1e-10)
    return np.array([[(x - y) @ P @ (x - y) for y in X] for x in X])


class TestFeatureSimilarity:
    @PRECISIONS
    def test_mahalanobis_distance_of_the_implied_covariance(self, rng, target, precision):
        for blocks in (1, 2, 3):
            S = feature_graph(rng, blocks=blocks)
            expected = explicit_distances(target.X.raw, S, precision)
            for kind in (np.asarray, sparse.csr_array):
                found, notes = FeatureSimilarity(kind(S), GENES, precision).squared_distances(target)
                np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
                assert notes == []

    @pytest.mark.parametrize("blocks", [1, 3])
    def test_the_covariance_of_the_proposition(self, rng, target, blocks):
        """Proposition 4 with 11ᵀ: K is a kernel, C = K², C⁺ = L². The printed U11ᵀUᵀ changes with signs in U."""
        S = feature_graph(rng, blocks=blocks)
        L = np.diag(S.sum(axis=1)) - S
        K = np.linalg.pinv(L, rcond=1e-10)
        values, U = np.linalg.eigh(K)
        assert values[0] > -1e-10
        H = np.eye(9) - np.ones((9, 9)) / 9
        np.testing.assert_allclose(K @ H @ K, K @ K, atol=1e-10)
        np.testing.assert_allclose(np.linalg.pinv(K @ H @ K, rcond=1e-10), L @ L, rtol=1e-7, atol=1e-8)
        found, _ = FeatureSimilarity(S, GENES).squared_distances(target)
        moved = target.X.raw @ L
        np.testing.assert_allclose(found, ((moved[:, None] - moved) ** 2).sum(axis=2), rtol=1e-8, atol=1e-10)
        flipped = U * np.where(np.arange(9) < 8, 1, -1)
        printed, other = (K @ (np.eye(9) - np.outer(V.sum(axis=1), V.sum(axis=1)) / 9) @ K for V in (U, flipped))
        assert np.abs(printed - other).max() > 1e-3 * np.abs(printed).max()

    @PRECISIONS
    def test_annotations_are_shared_terms(self, rng, target, precision):
        """A square table of annotations must be called one."""
        for n_terms, how in ((4, {}), (9, {"annotation": True})):
            B = (rng.random((9, n_terms)) < 0.5).astype(float)
            expected = explicit_distances(target.X.raw, B @ B.T, precision)
            for kind in (np.asarray, sparse.csc_array):
                found, _ = FeatureSimilarity(kind(B), GENES, precision, **how).squared_distances(target)
                np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)

    @PRECISIONS
    def test_then_rbf_or_neighbours_in_that_distance(self, rng, target, precision):
        S = feature_graph(rng)
        squared = explicit_distances(target.X.raw, S, precision)
        sigma = np.median(np.sqrt(squared[np.triu_indices(12, 1)]))
        graph = FeatureSimilarity(S, GENES, precision, similarity="rbf").build(target).graph
        np.testing.assert_allclose(graph.to_array(), np.exp(-squared / (2 * sigma**2)), rtol=1e-8)
        graph = FeatureSimilarity(S, GENES, precision, similarity=KNN(3, weight="binary")).build(target).graph
        near = squared <= np.sort(squared, axis=1)[:, [3]]  # itself and three more
        np.fill_diagonal(near, False)
        np.testing.assert_array_equal(graph.to_array(), near | near.T)
        assert FeatureSimilarity(S, GENES, precision).build(target).graph.is_sparse

    @PRECISIONS
    def test_the_unit_of_the_features_does_not_matter(self, rng, make_target, precision):
        X, S = rng.normal(size=(12, 5)), feature_graph(rng, 5)
        source = FeatureSimilarity(S, precision=precision, similarity="rbf")
        expected = source.build(make_target(X)).graph.to_array()
        for unit in (1e-90, 1e90):
            np.testing.assert_allclose(source.build(make_target(unit * X)).graph.to_array(), expected, atol=1e-12)

    def test_equal_samples_tie(self, rng, make_target):
        """Each of five copies has the first other one for its neighbour."""
        X, S = np.repeat(rng.normal(size=(4, 5)), 5, axis=0), feature_graph(rng, 5)
        source = FeatureSimilarity(S, precision="laplacian", similarity=KNN(1, "binary"))
        star = np.zeros((5, 5))
        star[0, 1:] = star[1:, 0] = 1
        np.testing.assert_array_equal(source.build(make_target(X)).graph.to_array(), np.kron(np.eye(4), star))

    def test_unknown_features_are_left_out_and_counted(self, rng, target):
        S = feature_graph(rng, 6)
        names = ["G1", "other", "G3", "G8", "another", "G5"]
        known, rows = [1, 3, 5, 8], [0, 2, 5, 3]
        found, (note,) = FeatureSimilarity(S, names).squared_distances(target)
        expected = explicit_distances(target.X.raw[:, known], S[np.ix_(rows, rows)], "laplacian_squared")
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
        assert note.startswith("4 of 9")

    def test_a_gene_may_have_several_probes(self, rng, make_target):
        X = rng.normal(size=(5, 4))
        target = make_target(X, genes=["A", "B", "A", "C"])
        S = feature_graph(rng, 3)
        order = [0, 1, 0, 2]
        found, _ = FeatureSimilarity(S, ["A", "B", "C"]).squared_distances(target)
        expected = explicit_distances(X, S[np.ix_(order, order)], "laplacian_squared")
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


class TestFeatures:
    def test_a_set_compares_samples_in_its_features(self, target):
        source = FeatureSet(["G7", "G2", "nowhere", "G2"])
        found = source.build(target)
        np.testing.assert_array_equal(found.graph.to_array(), KNN().build(target.X.raw[:, [2, 7]]).to_array())
        assert [note[:6] for note in found.notes] == ["2 of 3"]

    def test_interactions_as_a_set(self, target):
        source = FeatureInteractions([("G1", "G4"), ("G4", "G6", 2.0), ("G1", "unknown")])
        found = source.build(target)
        np.testing.assert_array_equal(found.graph.to_array(), KNN().build(target.X.raw[:, [1, 4, 6]]).to_array())
        assert [note[:6] for note in found.notes] == ["3 of 4"]

    def test_interactions_as_a_feature_graph(self, target, make_target):
        edges = [("G1", "G4"), ("G4", "G6", 2.0), ("G6", "G4", 0.5), ("G0", "G0")]
        S = np.zeros((9, 9))
        S[1, 4] = S[4, 1] = 1
        S[4, 6] = S[6, 4] = 2
        known = [0, 1, 4, 6]
        expected = FeatureSimilarity(S[np.ix_(known, known)], GENES[known]).build(target).graph.to_array()
        found = FeatureInteractions(edges, use="graph").build(target)
        np.testing.assert_allclose(found.graph.to_array(), expected, rtol=1e-12)
        numbered = [(1, 4), (4, 6, 2.0)]
        by_number = FeatureInteractions(numbered, use="graph").build(make_target(target.X)).graph.to_array()
        np.testing.assert_allclose(
            by_number, FeatureSimilarity(S).build(make_target(target.X)).graph.to_array(), rtol=1e-12
        )

    def test_an_interaction_listed_twice_counts_once(self, target):
        edges = [("G1", "G2"), ("G2", "G3")]
        once = FeatureInteractions(edges, use="graph").build(target).graph.to_array()
        for again in (("G1", "G2"), ("G2", "G1")):
            twice = FeatureInteractions([*edges, again], use="graph").build(target).graph.to_array()
            np.testing.assert_array_equal(twice, once)


def test_bad_input(target, make_target):
    ones = np.ones((9, 9))
    for source, keyword in (
        (FeatureSimilarity(ones, precision="covariance"), "'covariance'"),
        (FeatureSimilarity(np.ones((2, 2)), ["x", "y"]), "9 feature names"),
        (FeatureSimilarity(-np.ones((9, 2)), GENES), "annotations"),
        (FeatureSimilarity(np.triu(ones), GENES), "symmetric"),
        (FeatureSimilarity(np.ones((3, 3)), ["G1", "G1", "G2"]), "unique"),
        (FeatureSimilarity(np.ones((3, 3))), "3 features, the target 9"),
        (FeatureSimilarity(np.eye(9), GENES), "linked"),
        (FeatureSimilarity(ones, GENES, similarity="linear"), "'linear'"),
        (FeatureSet(["x", "y"]), "its 2 features"),
        (FeatureSet([]), "its 0 features"),
        (FeatureSet([3, 99]), "between 0 and 8"),
        (FeatureInteractions([("x", "y")]), "its 2 features"),
        (FeatureInteractions([("G1", "G2"), ("G1",)]), "edge 2"),
        (FeatureInteractions([("G1", "G2", -1)]), "weight >= 0"),
        (FeatureInteractions([("G1", "G2", "strong")]), "edge 1"),
        (FeatureInteractions([("G1", "G2")], use="both"), "'both'"),
    ):
        with pytest.raises(ValueError, match=keyword):
            source.build(target)
    with pytest.raises(ValueError, match="no feature names"):
        FeatureSet(["G1"]).build(make_target(target.X))
    for read_once in (FeatureSet(name for name in ["G1"]), FeatureInteractions(zip(["G1"], ["G2"], strict=True))):
        with pytest.raises(TypeError, match="only once"):
            read_once.build(target)


def test_known_and_unknown_features(target, make_target):
    edges = [("G0", "G1"), ("G1", "TP53")]
    unnamed, whole = make_target(target.X.to_array()), FeatureSimilarity(np.ones((9, 9)))
    for source, table, known, unknown in (
        (FeatureSet(["G1", "G4", "MYC"]), target, [1, 4], ["MYC"]),
        (FeatureInteractions(edges), target, [0, 1], ["TP53"]),
        (FeatureInteractions(edges, use="graph"), target, [0, 1], ["TP53"]),
        (FeatureSimilarity(np.ones((3, 3)), ["G2", "MYC", "G8"]), target, [2, 8], ["MYC"]),
        (FeatureSet([3, 1]), unnamed, [1, 3], []),
        (FeatureSet([0, 1]), make_target(target.X, genes=[7, 1, 0, *range(10, 16)]), [1, 2], []),  # names come first
        (whole, unnamed, list(range(9)), []),
    ):
        assert np.flatnonzero(source.known_features(table)).tolist() == known, source
        assert source.unknown_features(table) == unknown, source
