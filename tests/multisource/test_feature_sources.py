"""Knowledge of features becomes the sample similarity it should, matched by name."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.multisource import FeatureInteractions, FeatureSet, FeatureSimilarity
from eigenselect.similarity import KNN, RBF

GENES = np.array([f"G{j}" for j in range(9)], dtype=object)


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
    @pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])
    @pytest.mark.parametrize("blocks", [1, 2, 3])
    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
    def test_mahalanobis_distance_of_the_implied_covariance(self, rng, target, precision, blocks, kind):
        S = feature_graph(rng, blocks=blocks)
        found, notes = FeatureSimilarity(kind(S), GENES, precision).squared_distances(target)
        np.testing.assert_allclose(found, explicit_distances(target.X.raw, S, precision), rtol=1e-8, atol=1e-10)
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

    @pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])
    def test_annotations_are_shared_terms(self, rng, target, precision):
        B = (rng.random((9, 4)) < 0.5).astype(float)
        found, _ = FeatureSimilarity(B, GENES, precision).squared_distances(target)
        np.testing.assert_allclose(found, explicit_distances(target.X.raw, B @ B.T, precision), rtol=1e-8, atol=1e-10)
        from_sparse, _ = FeatureSimilarity(sparse.csc_array(B), GENES, precision).squared_distances(target)
        np.testing.assert_allclose(from_sparse, found, rtol=1e-12)

    def test_square_annotations_must_be_said(self, rng, target):
        B = (rng.random((9, 9)) < 0.5).astype(float)
        found, _ = FeatureSimilarity(B, GENES, annotation=True).squared_distances(target)
        expected = explicit_distances(target.X.raw, B @ B.T, "laplacian_squared")
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)

    @pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])
    def test_then_rbf(self, rng, target, precision):
        S = feature_graph(rng)
        squared = explicit_distances(target.X.raw, S, precision)
        sigma = np.median(np.sqrt(squared[np.triu_indices(12, 1)]))
        graph = FeatureSimilarity(S, GENES, precision, similarity="rbf").build(target).graph
        np.testing.assert_allclose(graph.to_array(), np.exp(-squared / (2 * sigma**2)), rtol=1e-8)

    @pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])
    def test_then_neighbours_in_that_distance(self, rng, target, precision):
        S = feature_graph(rng)
        squared = explicit_distances(target.X.raw, S, precision)
        graph = FeatureSimilarity(S, GENES, precision, similarity=KNN(3, weight="binary")).build(target).graph
        near = squared <= np.sort(squared, axis=1)[:, [3]]  # itself and three more
        np.fill_diagonal(near, False)
        np.testing.assert_array_equal(graph.to_array(), near | near.T)
        assert FeatureSimilarity(S, GENES, precision).build(target).graph.is_sparse

    @pytest.mark.parametrize("precision", ["laplacian_squared", "laplacian"])
    @pytest.mark.parametrize("unit", [1e-200, 1e200])
    def test_the_unit_of_the_features_does_not_matter(self, rng, make_target, precision, unit):
        X, S = rng.normal(size=(12, 5)), feature_graph(rng, 5)
        source = FeatureSimilarity(S, precision=precision, similarity="rbf")
        expected, found = (source.build(make_target(table)).graph.to_array() for table in (X, unit * X))
        np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_equal_samples_tie(self, rng, make_target):
        """Each of five copies has the first other one for its neighbour."""
        X, S = np.repeat(rng.normal(size=(4, 5)), 5, axis=0), feature_graph(rng, 5)
        source = FeatureSimilarity(S, precision="laplacian", similarity=KNN(1, "binary"))
        star = np.zeros((5, 5))
        star[0, 1:] = star[1:, 0] = 1
        np.testing.assert_array_equal(source.build(make_target(X)).graph.to_array(), np.kron(np.eye(4), star))

    def test_similarities_that_are_not_made_of_distances_are_refused(self, rng, target):
        with pytest.raises(ValueError, match="made of Euclidean distances, as 'knn' and 'rbf' are, got 'linear'"):
            FeatureSimilarity(feature_graph(rng), GENES, similarity="linear").build(target)

    def test_unknown_features_are_left_out_and_counted(self, rng, target):
        S = feature_graph(rng, 6)
        names = ["G1", "other", "G3", "G8", "another", "G5"]
        known, rows = [1, 3, 5, 8], [0, 2, 5, 3]
        found, notes = FeatureSimilarity(S, names).squared_distances(target)
        expected = explicit_distances(target.X.raw[:, known], S[np.ix_(rows, rows)], "laplacian_squared")
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
        assert notes == ["4 of 9 target's features are in the feature similarity"]

    def test_a_gene_may_have_several_probes(self, rng, make_target):
        X = rng.normal(size=(5, 4))
        target = make_target(X, genes=["A", "B", "A", "C"])
        S = feature_graph(rng, 3)
        order = [0, 1, 0, 2]
        found, _ = FeatureSimilarity(S, ["A", "B", "C"]).squared_distances(target)
        expected = explicit_distances(X, S[np.ix_(order, order)], "laplacian_squared")
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)

    def test_bad_input(self, rng, target):
        with pytest.raises(ValueError, match="precision must be 'laplacian_squared' or 'laplacian', got 'covariance'"):
            FeatureSimilarity(np.ones((9, 9)), precision="covariance").build(target)
        with pytest.raises(ValueError, match="none of the target's 9 feature names"):
            FeatureSimilarity(np.ones((2, 2)), ["x", "y"]).build(target)
        with pytest.raises(ValueError, match="annotations must be finite and not negative"):
            FeatureSimilarity(-np.ones((9, 2)), GENES).build(target)
        with pytest.raises(ValueError, match="must be symmetric"):
            FeatureSimilarity(np.triu(np.ones((9, 9))), GENES).build(target)
        with pytest.raises(ValueError, match="unique, but 1 occur more than once"):
            FeatureSimilarity(np.ones((3, 3)), ["G1", "G1", "G2"]).build(target)
        with pytest.raises(ValueError, match="has 3 features, the target 9, and the source has no feature names"):
            FeatureSimilarity(np.ones((3, 3))).build(target)


class TestFeatures:
    def test_a_set_compares_samples_in_its_features(self, target):
        source = FeatureSet(["G7", "G2", "nowhere", "G2"])
        found = source.build(target)
        np.testing.assert_array_equal(found.graph.to_array(), KNN().build(target.X.raw[:, [2, 7]]).to_array())
        assert found.notes == ["2 of 3 features of the set are in the target"]

    def test_sets_by_number(self, target, make_target):
        unnamed = make_target(target.X)
        found = FeatureSet([7, 2], similarity=RBF()).build(unnamed)
        np.testing.assert_array_equal(found.graph.to_array(), RBF().build(target.X.raw[:, [2, 7]]).to_array())
        assert found.notes == []

    def test_interactions_as_a_set(self, target):
        source = FeatureInteractions([("G1", "G4"), ("G4", "G6", 2.0), ("G1", "unknown")])
        found = source.build(target)
        np.testing.assert_array_equal(found.graph.to_array(), KNN().build(target.X.raw[:, [1, 4, 6]]).to_array())
        assert found.notes == ["3 of 4 features of the set are in the target"]

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

    @pytest.mark.parametrize(
        ("source", "says"),
        [
            (FeatureSet(["x", "y"]), "none of its 2 features is among the 9"),
            (FeatureSet([]), "none of its 0 features"),
            (FeatureSet([3, 99]), "between 0 and 8"),
            (FeatureInteractions([("x", "y")]), "none of its 2 features"),
            (FeatureInteractions([("G1", "G2"), ("G1",)]), "edge 2 must be"),
            (FeatureInteractions([("G1", "G2", -1)]), "a weight >= 0"),
            (FeatureInteractions([("G1", "G2")], use="both"), "'features' or 'graph', got 'both'"),
        ],
    )
    def test_bad_input(self, target, source, says):
        with pytest.raises(ValueError, match=says):
            source.build(target)

    def test_names_need_names(self, target, make_target):
        with pytest.raises(ValueError, match="the target has no feature names"):
            FeatureSet(["G1"]).build(make_target(target.X))


def test_numbers_that_are_names_come_first(rng, make_target):
    target = make_target(rng.normal(size=(5, 4)), genes=[7, 1, 0, 5])
    np.testing.assert_array_equal(FeatureSet([0, 1]).columns(target), [1, 2])
    np.testing.assert_array_equal(FeatureSet([2, 3]).columns(target), [2, 3])  # no names of its own: places


def test_what_can_be_read_only_once_is_refused(target):
    with pytest.raises(TypeError, match="can be read only once"):
        FeatureSet(name for name in ["G1"]).build(target)
    with pytest.raises(TypeError, match="can be read only once"):
        FeatureInteractions(zip(["G1"], ["G2"], strict=True)).build(target)


def test_an_interaction_listed_twice_counts_once(target):
    once = FeatureInteractions([("G1", "G2"), ("G2", "G3")], use="graph").build(target).graph.to_array()
    for again in (("G1", "G2"), ("G2", "G1")):
        twice = FeatureInteractions([("G1", "G2"), ("G2", "G3"), again], use="graph").build(target).graph.to_array()
        np.testing.assert_array_equal(twice, once)
    with pytest.raises(ValueError, match="edge 1 must be"):
        FeatureInteractions([("G1", "G2", "strong")]).build(target)


def test_a_feature_graph_without_links_says_nothing(target):
    with pytest.raises(ValueError, match="no two of the target's features are linked"):
        FeatureSimilarity(np.eye(9), GENES).build(target)


class TestWhatIsKnown:
    """Which features a source and the target share, both ways."""

    @pytest.mark.parametrize(
        ("source", "known", "unknown"),
        [
            (FeatureSet(["G1", "G4", "MYC"]), [1, 4], ["MYC"]),
            (FeatureInteractions([("G0", "G1"), ("G1", "TP53")]), [0, 1], ["TP53"]),
            (FeatureInteractions([("G0", "G1"), ("G1", "TP53")], use="graph"), [0, 1], ["TP53"]),
            (FeatureSimilarity(np.ones((3, 3)), ["G2", "MYC", "G8"]), [2, 8], ["MYC"]),
        ],
    )
    def test_by_name(self, target, source, known, unknown):
        assert np.flatnonzero(source.known_features(target)).tolist() == known
        assert source.unknown_features(target) == unknown

    def test_by_place(self, target, make_target):
        unnamed = make_target(target.X.to_array(), None, None, None)
        assert np.flatnonzero(FeatureSet([3, 1]).known_features(unnamed)).tolist() == [1, 3]
        assert FeatureSet([3, 1]).unknown_features(unnamed) == []
        whole = FeatureSimilarity(np.ones((9, 9)))
        assert whole.known_features(unnamed).all()
        assert whole.unknown_features(unnamed) == []
