"""The bounds of Theorems 5 and 6 hold, and say what they are made of."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from another_basis import use_another_basis
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.graph import SampleGraph
from eigenselect.sensitivity import perturbation_bound
from eigenselect.sensitivity.perturbation import _turns
from perturbations import random_laplacian, random_perturbations


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.EqualEigenvaluesWarning")
@pytest.mark.parametrize(("power", "q"), [(1, None), (2, 3), (3, None), (4, 3)])
def test_the_bound_holds(rng, power, q):
    """100 perturbations of graph and feature, repeated eigenvalues among them."""
    tight = []
    for N, N_perturbed, f, f_perturbed in random_perturbations(rng, 100):
        result = perturbation_bound(N, N_perturbed, f, f_perturbed, power=power, n_eigenvalues=q)
        assert (result.change <= result.bound * (1 + 1e-9)).all()
        tight.append(result.tightness.max())
    assert max(tight) > 0.01  # no bound that could not be missed


def test_the_change_is_the_change_of_the_scores(rng):
    """Over all eigenvalues Σ α²λ^p is fᵀNᵖf, without any eigenvector."""
    for N, N_perturbed, f, f_perturbed in random_perturbations(rng, 10):
        unit, unit_perturbed = f / np.linalg.norm(f, axis=0), f_perturbed / np.linalg.norm(f_perturbed, axis=0)
        for power in (1, 3):
            A, B = np.linalg.matrix_power(N, power), np.linalg.matrix_power(N_perturbed, power)
            expected = np.abs(
                np.einsum("ij,ij->j", unit_perturbed, B @ unit_perturbed) - np.einsum("ij,ij->j", unit, A @ unit)
            )
            result = perturbation_bound(N, N_perturbed, f, f_perturbed, power=power)
            np.testing.assert_allclose(result.change, expected, atol=1e-12)


def test_theorem_5_by_hand(rng):
    N, N_perturbed, f, f_perturbed = list(random_perturbations(rng, 2))[1]
    result = perturbation_bound(N, N_perturbed, f, f_perturbed)
    noise = np.linalg.norm(N_perturbed - N, 2)
    values, new = np.linalg.eigvalsh(N).clip(0), np.linalg.eigvalsh(N_perturbed)
    gaps = [min(abs(new[i] - new[j]) for i in range(12) if i != j) for j in range(12)]
    sines = [np.sin(0.5 * np.arcsin(2 * noise / gap)) if 2 * noise <= gap else 1.0 for gap in gaps]
    step = np.linalg.norm(f / np.linalg.norm(f, axis=0) - f_perturbed / np.linalg.norm(f_perturbed, axis=0), axis=0)
    expected = 12 * noise + values @ sines + (2 * step + step**2) * values.sum()
    np.testing.assert_allclose(result.bound, expected, rtol=1e-10)
    assert result.noise == pytest.approx(noise)
    np.testing.assert_allclose(result.eigenvalue_part + result.eigenvector_part + result.feature_part, result.bound)


def test_theorem_6_with_each_eigenvalues_own_rho(rng):
    N, N_perturbed, f, _ = list(random_perturbations(rng, 2))[1]
    (_, *values), (lowest, *new) = np.linalg.eigvalsh(N), np.linalg.eigvalsh(N_perturbed)
    values, new = np.array(values), np.array(new)
    rho = np.abs(new - values) / values
    moved = (((1 + rho) ** 3 - 1) / rho * values**2).sum() + lowest**2  # where λ = 0 the limit is δ²
    expected = np.linalg.norm(N_perturbed - N, 2) * moved
    assert perturbation_bound(N, N_perturbed, f, power=3).eigenvalue_part == pytest.approx(expected, rel=1e-8)


class TestWhatTheBoundStandsOn:
    def test_eigenvalues_move_no_farther_than_the_noise(self, rng):
        """Theorem 3 (Weyl), repeated eigenvalues among them; norms need not be 1, as Eq. 2.10 sets them."""
        norms = []
        for N, N_perturbed, f, _ in random_perturbations(rng, 60):
            moves = np.abs(np.linalg.eigvalsh(N_perturbed) - np.linalg.eigvalsh(N))
            assert moves.max() <= perturbation_bound(N, N_perturbed, f).noise * (1 + 1e-9) + 1e-13
            norms.append(np.linalg.norm(N, 2))
        assert max(norms) > 1.1

    def test_eigenvectors_turn_no_farther_than_the_gap_allows(self, rng):
        """Theorem 4: ½ sin 2θ ≤ ‖E‖/gap; where that is at most ½, θ is below 45° and so sin θ ≤ sin(½ arcsin 2ε)."""
        resolved = 0
        for N, N_perturbed, _, _ in random_perturbations(rng, 60):
            (_, old), (values, new) = np.linalg.eigh(N), np.linalg.eigh(N_perturbed)
            noise = np.linalg.norm(N_perturbed - N, 2)
            turns = _turns(values, noise)
            for j in range(12):
                gap = np.abs(np.delete(values, j) - values[j]).min()
                cosine = min(1.0, abs(old[:, j] @ new[:, j]))
                sine = np.sqrt(1 - cosine**2)
                assert sine * cosine * gap <= noise * (1 + 1e-6) + 1e-7 * gap
                assert sine <= turns[j] * (1 + 1e-6) + 1e-7
                resolved += 2 * noise <= gap
        assert 100 < resolved < 600

    def test_the_short_form_of_the_bound_is_no_bound(self, rng):
        """Eq. 2.15 has sin(½ arcsin 2ε) ≤ ε. It is at least ε, since sin θ ≥ ½ sin 2θ: at ε = 0.4, 0.447."""
        values = np.array([0.0, 1.0])
        assert _turns(values, 0.4)[1] == pytest.approx(1 / np.sqrt(5))
        for noise in (1e-3, 0.1, 0.3, 0.5):
            assert _turns(values, noise)[1] > noise


class TestEqualEigenvalues:
    """Two complete graphs on 6 samples each: the eigenvalues are 0, 0, and 1 ten times."""

    N = np.eye(12) - np.kron(np.eye(2), np.ones((6, 6))) / 6

    @pytest.mark.parametrize("side", ["before", "after"])
    def test_all_are_taken_on_whichever_side_they_are(self, rng, side):
        other = 0.9 * self.N + 0.1 * random_laplacian(rng)
        pair = (self.N, other) if side == "before" else (other, self.N)
        for asked, used in ((1, 2), (2, 2), (3, 12), (12, 12)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = perturbation_bound(*pair, rng.normal(size=12), n_eigenvalues=asked)
            assert result.n_eigenvalues == used
            said = [str(warning.message) for warning in caught]
            assert len(said) == (used > asked)
            assert all(f"n_eigenvalues={asked} " in line and f"the {used} with" in line for line in said)

    def test_the_change_is_that_of_the_projected_features(self, rng):
        """With P the projector onto the eigenvalues that count, Σ α²λ is fᵀPNPf: no basis is in it."""
        N, M = random_laplacian(rng), random_laplacian(rng)
        cliques = np.kron(np.eye(3), np.ones((4, 4))) / 4  # 0 three times, 1 nine times
        f = rng.normal(size=(12, 3))
        unit = f / np.linalg.norm(f, axis=0)
        mixed = np.eye(12) - cliques + 0.2 * cliques @ N @ cliques  # splits the zeros only
        with pytest.warns(EqualEigenvaluesWarning, match="n_eigenvalues=2 .* 3 "):
            result = perturbation_bound(np.eye(12) - cliques, mixed, f, n_eigenvalues=2)
        after = np.einsum("ij,ij->j", unit, cliques @ mixed @ cliques @ unit)
        np.testing.assert_allclose(result.change, np.abs(after), atol=1e-12)
        assert perturbation_bound(N, M, f, n_eigenvalues=2).n_eigenvalues == 2

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.EqualEigenvaluesWarning")
    def test_another_basis_changes_nothing(self, rng, monkeypatch):
        examples = [(example, q) for example in random_perturbations(rng, 12) for q in (1, 3, 7)]
        expected = [perturbation_bound(*example, n_eigenvalues=q) for example, q in examples]
        use_another_basis(monkeypatch)
        for (example, q), result in zip(examples, expected, strict=True):
            found = perturbation_bound(*example, n_eigenvalues=q)
            np.testing.assert_allclose(found.change, result.change, atol=1e-9)
            np.testing.assert_allclose(found.bound, result.bound, atol=1e-9)


def test_no_perturbation_no_change(rng):
    N, f = random_laplacian(rng), rng.normal(size=(12, 3))
    result = perturbation_bound(N, N, f)
    np.testing.assert_array_equal(result.change, 0)
    np.testing.assert_array_equal(result.bound, 0)
    np.testing.assert_array_equal(result.tightness, 0)


def test_graphs_stand_for_their_laplacians(rng, make_similarity):
    S, T = make_similarity(12, blocks=2), make_similarity(12)
    f = rng.normal(size=12)
    dense = perturbation_bound(SampleGraph(S), SampleGraph(T), f)
    mixed = perturbation_bound(
        SampleGraph(sparse.csr_array(S)), sparse.csr_array(SampleGraph(T).normalized_laplacian()), f[:, None]
    )
    np.testing.assert_allclose(mixed.bound, dense.bound, rtol=1e-10)
    np.testing.assert_allclose(mixed.change, dense.change, rtol=1e-8)


def test_bad_input():
    given = {"laplacian": np.eye(4), "perturbed": np.eye(4), "features": np.ones((4, 2))}
    for name, bad, says in (
        ("laplacian", np.eye(3), "3 and 4"),
        ("perturbed", np.ones((4, 3)), "perturbed .* square"),
        ("laplacian", np.triu(np.ones((4, 4))), "laplacian .* symmetric"),
        ("laplacian", -np.eye(4), "semi-definite"),
        ("laplacian", np.full((4, 4), np.nan), "finite"),
        ("features", np.ones((3, 2)), "4 rows"),
        ("features", np.zeros((4, 2)), "zero"),
        ("perturbed_features", np.ones((4, 3)), "shape"),
        ("power", 0.5, "power"),
        ("n_eigenvalues", 5, "between 1 and 4, got 5"),
    ):
        with pytest.raises(ValueError, match=says):
            perturbation_bound(**given | {name: bad})
