"""The path satisfies the optimality conditions on all features, and agrees with solvers written by others."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso
from tests.multivariate.problems import almost_planar, objective, problem, worst_violation

from eigenselect.multivariate import l21_path
from eigenselect.multivariate.targets import discriminant_outputs, root_of
from eigenselect.similarity import RBF

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


class TestOptimality:
    def test_on_all_features_at_every_knot(self):
        for seed in range(20):
            rng = np.random.default_rng(1000 + seed)
            n, m, k = rng.integers(10, 50), rng.integers(20, 300), rng.integers(1, 12)
            X, Y = problem(seed, n, m, k)
            if seed % 3 == 0:  # strongly correlated features
                X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, m)) + 0.1 * X
            wanted = min(8 + seed, n - 2)
            path = l21_path(X, Y, wanted)
            assert path.complete
            assert (np.diff(path.alphas) < 0).all()
            assert worst_violation(X, Y, path) < 1e-6
            assert path.gaps.max() < 1e-6
            assert np.count_nonzero(np.linalg.norm(path.coef().toarray(), axis=1)) == wanted == path.selected.size

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["orlraws10P", "TOX-171"])
    def test_on_real_tables(self, name):
        file = DATA / f"{name}.mat"
        if not file.exists():
            pytest.skip(f"{file} is not here")
        content = loadmat(file)
        X = content["X"].astype(float)
        codes = np.unique(content["Y"].ravel(), return_inverse=True)[1]
        for Y in (discriminant_outputs(codes), root_of(RBF().build(X).to_array(), None, None)):
            path = l21_path(X, Y, 30, center=True)
            assert path.complete
            assert worst_violation(X - X.mean(axis=0), Y - Y.mean(axis=0), path) < 1e-6

    def test_first_knot_is_the_largest_correlation(self):
        X, Y = problem(0)
        path = l21_path(X, Y, 3)
        correlations = np.linalg.norm(X.T @ Y, axis=1)
        assert path.alphas[0] == pytest.approx(correlations.max(), rel=1e-12)
        assert path.order[0] == correlations.argmax()
        assert path.active_sets[0].size == 0

    def test_a_feature_is_out_above_its_entry_and_in_below(self):
        """Against scikit-learn's solver, on both sides of each entry."""
        X, Y = problem(3)
        path = l21_path(X, Y, 8)
        for feature, alpha in list(zip(path.order, path.entry_alphas, strict=True))[1:]:
            above, below = (
                MultiTaskLasso(alpha * f / len(X), fit_intercept=False, tol=1e-13, max_iter=10**5).fit(X, Y).coef_
                for f in (1 + 1e-4, 1 - 1e-3)
            )
            assert not above[:, feature].any()
            assert below[:, feature].any()

    def test_objective_is_scikit_learns(self):
        for seed in range(3):
            X, Y = problem(seed)
            path = l21_path(X, Y, 12)
            alpha = path.alphas[-1]
            other = MultiTaskLasso(alpha / len(X), fit_intercept=False, tol=1e-12, max_iter=10**5).fit(X, Y).coef_.T
            mine = path.coef().toarray()
            assert objective(X, Y, mine, alpha) == pytest.approx(objective(X, Y, other, alpha), rel=1e-8)
            np.testing.assert_allclose(mine, other, atol=1e-5)

    def test_a_small_tol_is_reached(self):
        """Knots, too, are found as exactly as it takes: the path goes on, and its optimality is of that size."""
        X, Y = problem(3)
        path = l21_path(X, Y, 8, tol=1e-10)
        assert path.complete
        assert path.gaps.max() <= 1e-10
        assert worst_violation(X, Y, path) < 1e-9
        np.testing.assert_allclose(l21_path(X, Y, 8).alphas, path.alphas, rtol=1e-6)

    def test_objective_is_cvxpys(self):
        cvxpy = pytest.importorskip("cvxpy")
        X, Y = problem(7, 15, 20, 3)
        path = l21_path(X, Y, 6)
        W = cvxpy.Variable((20, 3))
        loss = 0.5 * cvxpy.sum_squares(Y - X @ W) + path.alphas[-1] * cvxpy.sum(cvxpy.norm(W, 2, axis=1))
        optimum = cvxpy.Problem(cvxpy.Minimize(loss)).solve(solver="CLARABEL")
        assert objective(X, Y, path.coef().toarray(), path.alphas[-1]) == pytest.approx(optimum, rel=1e-6)

    def test_more_features_than_samples(self):
        X, Y = problem(5, 12, 60, 10)
        path = l21_path(X, Y, 20)
        assert path.selected.size == 20 > len(X)
        assert worst_violation(X, Y, path) < 1e-6


class TestInvariances:
    def test_storage_does_not_matter(self):
        X, Y = problem(1)
        X[np.abs(X) < 1.0] = 0.0
        for center in (False, True):
            dense = l21_path(X, Y, 10, center=center)
            for table in (sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X)):
                found = l21_path(table, Y, 10, center=center)
                np.testing.assert_array_equal(found.order, dense.order)
                np.testing.assert_allclose(found.alphas, dense.alphas, rtol=1e-7)
                np.testing.assert_allclose(found.coef().toarray(), dense.coef().toarray(), atol=1e-7)
        single = X.astype(np.float32)
        expected = l21_path(single.astype(float), Y, 10).alphas
        np.testing.assert_allclose(l21_path(single, Y, 10).alphas, expected, rtol=1e-9)

    def test_a_sparse_table_is_never_made_dense(self, monkeypatch):
        X = sparse.random_array((60, 3000), density=0.02, rng=np.random.default_rng(0), format="csc")
        sizes, original = [], sparse.csc_array.toarray
        watched = lambda self, *a, **k: sizes.append(self.shape[1]) or original(self)  # noqa: E731
        monkeypatch.setattr(sparse.csc_array, "toarray", watched)
        l21_path(X, np.random.default_rng(1).normal(size=(60, 3)), 10, center=True)
        assert max(sizes) < 1000

    def test_centring_is_subtracting_means(self):
        X, Y = problem(2)
        X, Y = X + 1e5, Y + 7
        path = l21_path(X, Y, 9, center=True)
        expected = l21_path(X - X.mean(axis=0), Y - Y.mean(axis=0), 9)
        np.testing.assert_array_equal(path.order, expected.order)
        np.testing.assert_allclose(path.alphas, expected.alphas, rtol=1e-8)

    def test_permutations(self, rng):
        X, Y = problem(6)
        path = l21_path(X, Y, 10)
        rows, columns = rng.permutation(30), rng.permutation(80)
        found = l21_path(X[rows][:, columns], Y[rows], 10)
        np.testing.assert_array_equal(columns[found.order], path.order)
        np.testing.assert_allclose(found.alphas, path.alphas, rtol=1e-6)

    def test_scales(self):
        X, Y = problem(8)
        path = l21_path(X, Y, 10)
        for scale in (1e-90, 1e-12, 3.0, 1e12, 1e90):
            of_targets, of_features = l21_path(X, scale * Y, 10), l21_path(scale * X, Y, 10)
            np.testing.assert_array_equal(of_targets.order, path.order)
            np.testing.assert_array_equal(of_features.order, path.order)
            np.testing.assert_allclose(of_targets.alphas, scale * path.alphas, rtol=1e-6)
            np.testing.assert_allclose(of_features.coef().toarray(), path.coef().toarray() / scale, rtol=1e-5)

    def test_columns_far_apart(self):
        """The path of the long ones."""
        X, Y = problem(8)
        X[:, 20:] *= 1e-90
        np.testing.assert_array_equal(l21_path(X, Y, 10).order, l21_path(X[:, :20], Y, 10).order)

    def test_numbers_beyond_the_range_are_refused(self):
        X, Y = problem(8)
        for given in ((X * 1e101, Y), (X, Y * 1e101), (X * 1e-110, Y)):
            with pytest.raises(ValueError, match="^l21_path: [XY] must .*; scale the features first"):
                l21_path(*given, 3)

    def test_rotated_and_repeated_targets(self, rng):
        """The norm of a row does not change if outputs are rotated, or if each is split into two equal ones."""
        X, Y = problem(9)
        path = l21_path(X, Y, 10)
        rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        np.testing.assert_allclose(l21_path(X, Y @ rotation, 10).alphas, path.alphas, rtol=1e-6)
        twice = l21_path(X, np.hstack([Y, Y]) / np.sqrt(2), 10)
        np.testing.assert_allclose(twice.alphas, path.alphas, rtol=1e-6)
        np.testing.assert_allclose(twice.coef().toarray()[:, :4] * np.sqrt(2), path.coef().toarray(), atol=1e-6)

    def test_threads_do_not_matter(self):
        X, Y = problem(10, 40, 5000, 3)
        one, two = l21_path(X, Y, 15, n_jobs=1, keep="last"), l21_path(X, Y, 15, n_jobs=2)
        np.testing.assert_array_equal(one.alphas, two.alphas)
        np.testing.assert_array_equal(one.coefs[-1], two.coefs[-1])
        assert [len(W) for W in one.coefs[:-1]] == [0] * (len(one.alphas) - 1)  # only the last are kept if asked

    def test_going_on_is_the_whole_way(self):
        X, Y = problem(11)
        whole, first = l21_path(X, Y, 20), l21_path(X, Y, 8)
        second = l21_path(X, Y, 20, start=first)
        np.testing.assert_array_equal(second.order, whole.order)
        np.testing.assert_allclose(second.alphas, whole.alphas, rtol=1e-9)
        np.testing.assert_allclose(second.coef().toarray(), whole.coef().toarray(), atol=1e-9)
        doubled = np.hstack([X, X])  # copies are remembered on the way
        again = l21_path(doubled, Y, 20, start=l21_path(doubled, Y, 8))
        np.testing.assert_array_equal(again.order, whole.order)
        fewer = l21_path(X, Y, 8, start=whole)
        np.testing.assert_array_equal(fewer.order, first.order)
        for other in ((X + 1, Y), (X, 2 * Y), (X[:, ::-1], Y), (X[:-1], Y[:-1])):
            with pytest.raises(ValueError, match="same X, Y"):
                l21_path(*other, 20, start=first)
        found = l21_path(X + 1, Y, 12, start=first, strict_start=False)
        np.testing.assert_array_equal(found.alphas, l21_path(X + 1, Y, 12).alphas)


class TestHardInput:
    def test_of_exact_copies_one_enters(self):
        X, Y = problem(13)
        for sign in (1.0, -1.0):
            path = l21_path(np.hstack([X, sign * X]), Y, 12)
            np.testing.assert_array_equal(path.order, l21_path(X, Y, 12).order)
        X, Y = problem(14, 20, 3, 2)
        assert sorted(l21_path(np.repeat(X, 400, axis=1), Y, 3).selected // 400) == [0, 1, 2]

    def test_near_copies(self, rng):
        features, Y = problem(15)
        for noise in (1e-9, 1e-6, 1e-3):
            X = np.hstack([features, features + noise * rng.normal(size=features.shape)])
            path = l21_path(X, Y, 15)
            assert path.complete
            assert worst_violation(X, Y, path) < 1e-5

    def test_ties_are_in_column_order(self):
        path = l21_path(np.eye(6), np.ones(6), 4)
        np.testing.assert_array_equal(path.selected, [0, 1, 2, 3])

    @pytest.mark.parametrize("pool", [192, 3])
    def test_rows_may_leave(self, pool, monkeypatch):
        """Somewhere among small random problems with strong correlations a feature leaves; the count stays exact.

        With a tiny pool, who leaves must compete again even if the pool was filled anew meanwhile.
        """
        monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", pool)
        left = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 60)) + 0.2 * rng.normal(size=(20, 60))
            Y = rng.normal(size=(20, 3))
            path = l21_path(X, Y, 12)
            assert path.selected.size == 12
            assert set(path.selected) <= set(path.order)
            assert worst_violation(X, Y, path) < 1e-6
            left += path.order.size - 12
        assert left > 0

    def test_more_than_can_enter(self):
        X, Y = problem(16, 10, 40, 1)
        with pytest.warns(ConvergenceWarning, match="9 of the 20"):
            path = l21_path(X, Y, 20, center=True)
        assert not path.complete
        assert path.selected.size == 9

    def test_too_few_iterations(self):
        X, Y = problem(17)
        with pytest.warns(ConvergenceWarning, match="gap of"):
            path = l21_path(X, Y, 30, max_iter=1, tol=1e-14)
        assert not path.complete

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"Y": np.zeros((30, 2))}, "all products"),
            ({"Y": np.zeros((29, 2))}, "30 samples"),
            ({"n_features": 0}, "between 1 and the 80"),
            ({"n_features": 81}, "between 1 and the 80"),
            ({"n_features": 2.5}, "between 1 and the 80"),
            ({"tol": 0}, "tol must be"),
            ({"max_iter": 0}, "max_iter must be"),
            ({"keep": "some"}, "keep must be"),
            ({"Y": np.full((30, 2), np.nan)}, "NaN"),
            ({"X": np.full((30, 80), np.inf)}, "infinity"),
            ({"n_jobs": 0}, "n_jobs"),
            ({"n_jobs": 1.5}, "n_jobs"),
            ({"n_jobs": True}, "n_jobs"),
        ],
    )
    def test_bad_input(self, change, says):
        X, Y = problem(0)
        arguments = {"X": X, "Y": Y, "n_features": 5} | change
        with pytest.raises(ValueError, match=says):
            l21_path(**arguments)

    def test_a_target_of_one_value_is_no_target_once_centred(self):
        """What is left of it is rounding, which features must not be chosen by."""
        for value in (0.1, 1e9):
            with pytest.raises(ValueError, match="Y that varies"):
                l21_path(problem(0)[0], np.full((30, 2), value), 3, center=True)

    def test_constant_columns_never_enter(self):
        X, Y = problem(18)
        X[:, 3], X[:, 4] = 1e9, 0.1
        path = l21_path(X, Y, 20, center=True)
        assert not {3, 4} & set(path.order)


def test_one_feature_that_fits_exactly():
    """W = max(0, 1 - λ/5) for x = y of squared length 5; it ends where the target is fitted, without a warning."""
    path = l21_path(np.array([[1.0], [2.0]]), np.array([1.0, 2.0]), 1)
    assert path.selected.tolist() == [0]
    np.testing.assert_allclose(path.coef().toarray(), [[1 - path.alphas[-1] / 5]])


@pytest.mark.parametrize("center", [False, True])
def test_many_more_samples_than_features_and_outputs_than_either(center, monkeypatch):
    """Solved with R of X = QR: the same path, optimal for the table as it is."""
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(90, 12)) + 3, rng.normal(size=(90, 40))
    X[:, 4] = 2.0 if center else 0.0
    path = l21_path(X, Y, 8, center=center)
    shift = (X.mean(axis=0), Y.mean(axis=0)) if center else (0, 0)
    assert worst_violation(X - shift[0], Y - shift[1], path) < 1e-6
    assert 4 not in path.order
    monkeypatch.setattr("eigenselect.multivariate.problem.TALL", np.inf)
    whole = l21_path(X, Y, 8, center=center)
    np.testing.assert_array_equal(path.order, whole.order)
    np.testing.assert_allclose(path.alphas, whole.alphas, rtol=2e-6)


@pytest.mark.filterwarnings("ignore:l21_path. only:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("seed", "pool"), [(10, 8), (122, 3), pytest.param(42, 8, marks=pytest.mark.slow)])
def test_features_almost_in_a_plane(seed, pool, monkeypatch):
    """Inexact solutions are forgotten, and guesses far off are given up for the last solution."""
    monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", pool)
    X, Y, wanted = almost_planar(seed)
    path = l21_path(X, Y, wanted)
    assert path.complete or seed != 122
    assert (np.diff(path.alphas) < 0).all()
    assert worst_violation(X, Y, path) < 1e-6


def test_copies_that_differ_by_rounding_never_enter_the_exact_path():
    X, Y = problem(23)
    copies = np.hstack([X, X / 3 * 3, -(X * 0.1) * 10])
    assert (copies[:, :80] != copies[:, 80:160]).any()
    for center in (False, True):
        path = l21_path(copies, Y, 12, center=center, copy_tolerance=0.0)
        np.testing.assert_array_equal(path.order, l21_path(X, Y, 12, center=center).order)
