"""Which features decide the distances between samples."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

from eigenselect import MRSF, MSFS, SPEC, LaplacianScore, ReliefF, SSelect, TraceRatio
from eigenselect.exceptions import UnitsWarning
from eigenselect.multisource import AuxiliaryData, FeatureSet, TargetData
from eigenselect.similarity.base import dominating_features


class TestDominatingFeatures:
    @pytest.mark.parametrize(
        ("load", "expected"), [(load_wine, [12]), (load_breast_cancer, [23, 3]), (load_iris, []), (load_digits, [])]
    )
    def test_toy_sets(self, load, expected):
        X = load().data
        np.testing.assert_array_equal(dominating_features(X), expected)
        np.testing.assert_array_equal(dominating_features(sparse.csr_array(X)), expected)
        assert not dominating_features(scale(X)).size

    @pytest.mark.parametrize("n_features", [2, 5, 20, 100])
    def test_silent_on_tables_of_one_unit(self, rng, n_features):
        shape = (80, n_features)
        for _ in range(15):
            for X in (
                rng.normal(size=shape),
                rng.normal(size=shape) * rng.uniform(0.3, 1, n_features),
                rng.poisson(rng.uniform(0.5, 8, n_features), shape),
                rng.random(shape) < rng.uniform(0.05, 0.95, n_features),
            ):
                assert not dominating_features(np.asarray(X, dtype=float)).size

    def test_the_limits(self, rng):
        X = scale(rng.normal(size=(50, 12)))
        X[:, :5] *= 11
        np.testing.assert_array_equal(np.sort(dominating_features(X)), np.arange(5))
        X[:, 5] *= 11  # six are no handful
        assert not dominating_features(X).size
        X = scale(rng.normal(size=(50, 3))) * [9.9, 1, 1]  # 98 % of the variance, but not ten times as wide
        assert not dominating_features(X).size
        assert dominating_features(X * [1.02, 1, 1]).size == 1
        assert not dominating_features(np.ones((5, 2))).size
        assert not dominating_features(np.arange(5.0)[:, None]).size


WINE = load_wine(as_frame=True)


class TestWarning:
    @pytest.mark.parametrize(
        "selector",
        [
            LaplacianScore(),
            SPEC(similarity="rbf"),
            SPEC(similarity="diffusion"),
            SPEC(similarity="geodesic"),
            SSelect(),
            TraceRatio(graphs="laplacian"),
            ReliefF(difference="squared"),
            MRSF(3),
            MSFS(sources=[("own", TargetData())]),
        ],
        ids=str,
    )
    def test_names_the_feature_and_the_remedy_once(self, selector):
        y = np.where(np.arange(178) % 3, WINE.target, -1) if isinstance(selector, SSelect) else WINE.target
        with pytest.warns(UnitsWarning) as caught:
            selector.fit(WINE.data, y)
        said = [str(warning.message) for warning in caught if warning.category is UnitsWarning]
        assert len(said) == 1
        for part in ("'proline' of 13", "90%", "StandardScaler", "--scale standard"):
            assert part in said[0]
        selector.fit(WINE.data.apply(scale), y)  # warnings are errors here

    def test_silent_where_no_distance_of_the_table_is_taken(self):
        S = LaplacianScore().fit(scale(WINE.data)).graph_.affinity
        LaplacianScore().fit(WINE.data, similarity_matrix=S)
        SPEC(similarity="class_labels").fit(WINE.data, WINE.target)
        SPEC(similarity="cosine").fit(WINE.data)
        ReliefF().fit(WINE.data, WINE.target)
        MRSF(2, target="lda").fit(WINE.data, WINE.target)

    def test_sources_name_their_own_columns(self, rng):
        X = rng.normal(size=(178, 4))
        with pytest.warns(UnitsWarning, match="AuxiliaryData: 'proline' of 13"):
            MSFS(2, sources=[("wine", AuxiliaryData(WINE.data))]).fit(X)
        with pytest.warns(UnitsWarning, match="AuxiliaryData: column 12 of 13"):
            MSFS(2, sources=[("wine", AuxiliaryData(WINE.data.to_numpy()))]).fit(X)
        with pytest.warns(UnitsWarning, match="FeatureSet: 'proline' of 2"):
            MSFS(2, sources=[("some", FeatureSet(["proline", "hue"]))]).fit(WINE.data)
