"""MRSF: its targets, its manners, and that it picks no copies where other criteria do."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from eigenselect import MRSF, FisherScore, LaplacianScore
from eigenselect.exceptions import KneeWarning, UndefinedScoreWarning
from eigenselect.multivariate import l21_path
from eigenselect.multivariate.targets import discriminant_outputs, margin_outputs, root_of
from eigenselect.selection import Knee, Threshold, TopK
from eigenselect.similarity import RBF


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


class TestNoCopies:
    """Five informative features, each copied 20 times with tiny noise."""

    @pytest.fixture(params=[0.02, 5e-3, 1e-6])
    def families(self, request, rng):
        y = np.arange(60) % 6
        centres = 3.0 * rng.normal(size=(6, 5)) * np.array([1.6, 1.4, 1.2, 1.1, 1.0])
        informative = centres[y] + rng.normal(size=(60, 5))
        copies = np.repeat(informative, 20, axis=1)
        return copies + request.param * rng.normal(size=copies.shape), y

    def test_copies_of_any_kind_are_named_by_the_tolerance(self, families):
        """The optimum itself takes near-copies, because two of them average out some noise."""
        X, y = families
        strict = MRSF(5, target="lda", copy_tolerance=0.0).fit(X, y)
        assert len(set(strict.path_[:5] // 20)) < 5

    @pytest.mark.parametrize("target", ["similarity", "lda", "svm", "pca"])
    def test_first_picks_are_of_different_families(self, families, target):
        X, y = families
        selector = MRSF(5, target=target).fit(X, y)
        assert sorted(selector.path_[:5] // 20) == [0, 1, 2, 3, 4]
        assert sorted(np.flatnonzero(selector.get_support()) // 20) == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize("other", [LaplacianScore(5, similarity=RBF()), FisherScore(5)])
    def test_others_pick_copies(self, families, other):
        X, y = families
        assert len(set(np.flatnonzero(other.fit(X, y).get_support()) // 20)) == 1


def test_units_of_the_features_do_not_matter(rng):
    """Noise in small units and noise in large ones would be taken first; scale=None is the paper's letter."""
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 8))
    X[:, :2] += 3 * np.column_stack([y == 1, y == 2])
    units = 10.0 ** np.array([-3, -3, 4, 4, 0, 0, 0, 0])
    for target in ("lda", "svm"):
        for store in (np.asarray, sparse.csr_array):
            assert set(MRSF(2, target=target).fit(store(X * units), y).path_) == {0, 1}
        assert set(MRSF(2, target=target, scale=None).fit(X * units, y).path_) != {0, 1}
        standard = MRSF(4, target=target, scale=None).fit(X / X.std(axis=0), y)
        np.testing.assert_array_equal(MRSF(4, target=target).fit(X * units, y).path_, standard.path_)


class TestTargets:
    def test_a_constant_target_is_refused_and_not_explained_by_rounding(self, rng):
        """The one positive eigenvalue of a complete graph has a constant eigenvector."""
        with pytest.raises(ValueError, match="expected a Y that varies"):
            MRSF(2).fit(rng.normal(size=(11, 4)), similarity_matrix=np.ones((11, 11)) - np.eye(11))

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    @pytest.mark.parametrize("n_features", [8, 40])
    @pytest.mark.parametrize("target", ["lda", "svm"])
    def test_labels_that_no_feature_knows_of_are_refused_and_not_explained_by_rounding(self, target, n_features, store):
        """Every sample is there four times, twice in each class: all products of X and Y are 0."""
        for seed in range(10):
            rng = np.random.default_rng(seed)
            X = np.repeat(rng.normal(rng.choice([0, 50]), size=(5, n_features)), 4, axis=0)
            with pytest.raises(ValueError, match="are 0 up to rounding"):
                MRSF(3, target=target).fit(store(X), np.tile([0, 1], 10))

    def test_large_means_are_no_reason_to_refuse(self, rng):
        X, y = np.round(100 * rng.normal(size=(30, 4))), np.arange(30) % 2
        for n_features in (4, 40):
            wide = np.tile(X, n_features // 4) + np.round(20 * rng.normal(size=(30, n_features)))
            expected = MRSF(2, target="lda").fit(wide, y).path_
            np.testing.assert_array_equal(MRSF(2, target="lda").fit(wide + 2.0**40, y).path_, expected)

    def test_principal_components(self, wine):
        X = wine[0]
        scores = PCA(3).fit_transform(X)
        selector = MRSF(4, target="pca", n_outputs=3).fit(X)
        path = l21_path(X, scores, 4, center=True)
        np.testing.assert_array_equal(selector.path_, path.selected)
        np.testing.assert_allclose(selector.alphas_, path.alphas, rtol=1e-6)

    @pytest.mark.parametrize("target", ["lda", "svm"])
    def test_is_the_path_of_its_outputs(self, wine, target):
        X, y = wine
        Y = discriminant_outputs(y) if target == "lda" else margin_outputs(y)
        selector, path = MRSF(5, target=target).fit(X, y), l21_path(X, Y, 5, center=True)
        np.testing.assert_array_equal(selector.path_, path.selected)
        np.testing.assert_allclose(selector.coef_, path.coef().toarray().T, atol=1e-10)
        assert selector.coef_.shape == (3, 13)

    def test_samples_that_are_all_alike_are_nothing_to_explain(self, rng):
        X = rng.normal(size=(20, 4))
        with pytest.raises(ValueError, match="target='pca' has nothing to"):
            MRSF(2, target="pca").fit(np.ones((20, 4)))
        with pytest.raises(ValueError, match="expected a Y that varies"):
            MRSF(2).fit(X, similarity_matrix=np.ones((20, 20)))

    def test_given_similarity(self, wine):
        X, y = wine
        S = RBF().build(X).to_array()
        np.testing.assert_array_equal(MRSF(5).fit(X).scores_, MRSF(5).fit(X, similarity_matrix=S).scores_)
        with pytest.raises(ValueError, match="similarity_matrix is used by"):
            MRSF(5, target="lda").fit(X, y, similarity_matrix=S)


class TestFitted:
    def test_scores_are_entry_alphas(self, wine):
        X, y = wine
        X = np.column_stack([X, np.full(len(X), 3.0)])
        with pytest.warns(UndefinedScoreWarning, match="1 of 14 features is constant"):
            selector = MRSF(5, target="lda").fit(X, y)
        assert np.isnan(selector.scores_[-1])
        assert selector.ranking_[-1] == 14
        chosen = selector.get_support()
        assert chosen.sum() == 5 == selector.n_features_
        assert (selector.scores_[chosen] > 0).all()
        assert (selector.scores_[:-1][~chosen[:-1]] == 0).all()
        assert selector.scores_[selector.path_[0]] == selector.alphas_[0]
        assert sorted(selector.ranking_) == list(range(1, 15))
        assert (np.diff(selector.alphas_) < 0).all()

    def test_order_of_entry_scores_ranking_support_and_coefficients_agree_even_if_features_left(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 60)) + 0.2 * rng.normal(size=(20, 60))
        S = np.exp(-((rng.normal(size=(20, 1)) - rng.normal(size=20)) ** 2))
        selector = MRSF(12).fit(X, similarity_matrix=S + S.T)
        exact = l21_path(X, root_of(S + S.T, None, None), 12, center=True, copy_tolerance=0.03)
        assert exact.order.size > 12  # somebody left
        assert selector.path_.size == 12
        assert (np.diff(selector.scores_[selector.path_]) <= 0).all()
        np.testing.assert_array_equal(selector.ranking_.argsort()[:12], selector.path_)
        np.testing.assert_array_equal(np.flatnonzero(selector.get_support()), np.sort(selector.path_))
        np.testing.assert_array_equal(np.flatnonzero(selector.coef_.any(axis=0)), np.sort(selector.path_))

    def test_warm_start_goes_on(self, rng, monkeypatch):
        X, y = rng.normal(size=(40, 200)), np.arange(40) % 4
        starts = []

        def spied(*args, start=None, **options):
            starts.append(start)
            return l21_path(*args, start=start, **options)

        monkeypatch.setattr("eigenselect.selectors.mrsf.l21_path", spied)
        selector = MRSF(10, target="lda", warm_start=True).fit(X, y)
        selector.set_params(n_features_to_select=25).fit(X, y)
        assert starts[0] is None
        assert starts[1].selected.size == 10
        cold = MRSF(25, target="lda").fit(X, y)
        np.testing.assert_array_equal(selector.path_, cold.path_)
        np.testing.assert_allclose(selector.coef_, cold.coef_, atol=1e-9)
        other = selector.fit(X[:, ::-1], y)  # other data: from the start
        np.testing.assert_array_equal(other.path_, MRSF(25, target="lda").fit(X[:, ::-1], y).path_)

    def test_numbers_of_features(self, wine):
        X, y = wine
        assert MRSF(target="lda").fit(X, y).n_features_ == 6
        assert MRSF(0.25, target="lda").fit(X, y).n_features_ == 3
        with pytest.warns(KneeWarning, match="MRSF: n_features_to_select='auto' keeps"):
            assert 1 <= MRSF("auto", target="lda").fit(X, y).n_features_ < 13
        few = MRSF(target="pca").fit(X[:5])
        assert few.n_features_ <= 4

    def test_more_than_can_enter(self, rng):
        X = rng.normal(size=(8, 30))
        with pytest.warns(ConvergenceWarning, match="only 7 of the 20"):
            selector = MRSF(20, target="svm").fit(X, np.arange(8) % 2)
        assert selector.n_features_ == 7
        assert selector.transform(X).shape == (8, 7)

    @pytest.mark.parametrize(
        ("parameters", "y", "message"),
        [
            ({"target": "magic"}, None, "target must be one"),
            ({"target": "lda"}, None, "requires y"),
            ({"target": "lda"}, [1] * 178, "at least 2 classes"),
            ({"n_outputs": 0}, None, "n_outputs must be"),
            ({"tol": -1}, None, "tol must be"),
            ({"n_features_to_select": 99}, None, "between 1 and the 13"),
        ],
    )
    def test_bad_input(self, wine, parameters, y, message):
        with pytest.raises(ValueError, match=message):
            MRSF(**parameters).fit(wine[0], y)


class TestRules:
    def test_rules_that_give_a_number(self, wine):
        X, y = wine
        for rule, number in ((TopK(4), 4), (TopK(0.25), 0.25), (TopK(), None)):
            np.testing.assert_array_equal(
                MRSF(rule, target="lda").fit(X, y).path_, MRSF(number, target="lda").fit(X, y).path_
            )
        assert MRSF(TopK(), target="pca").fit(X[:5]).n_features_ <= 4
        with pytest.warns(KneeWarning):
            knee = MRSF(Knee(), target="lda").fit(X, y)
        with pytest.warns(KneeWarning):
            np.testing.assert_array_equal(MRSF("auto", target="lda").fit(X, y).path_, knee.path_)

    @pytest.mark.parametrize(
        ("rule", "says"),
        [
            ("fdr", "MRSF: FDR needs p-values"),
            (Threshold(1), "MRSF: Threshold gives no"),
            (TopK(3, never=[1]), "MRSF: must_keep and never"),
        ],
    )
    def test_others_are_refused(self, wine, rule, says):
        with pytest.raises(ValueError, match=says):
            MRSF(rule, target="lda").fit(*wine)


@pytest.mark.slow
def test_the_path_of_real_faces_reaches_its_number_of_features():
    """Pixels are so alike that the solver needs more than 200 iterations for one λ (warnings are errors)."""
    file = Path(__file__).resolve().parents[3] / "shared" / "data" / "warpAR10P.mat"
    if not file.exists():
        pytest.skip(f"{file} is not here")
    content = loadmat(file)
    X, y = content["X"].astype(float), content["Y"].ravel()
    half, _ = train_test_split(np.arange(y.size), test_size=0.5, stratify=y, random_state=10)
    selector = MRSF(200, target="similarity").fit(scale(X[half]))
    assert selector.n_features_ == 200
