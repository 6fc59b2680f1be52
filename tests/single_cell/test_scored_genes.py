"""How sure: against every order of few cells, against many permutations, in both tails."""

import numpy as np
import pytest
from scipy.stats import binom

from eigenselect.graph import SampleGraph, graph_from_matrix
from eigenselect.matrix import Matrix
from eigenselect.single_cell.scored_genes import STATISTICS, ScoredGenes, both_tails
from slides import geary, moran, of_all_orders, row_normalised, weights

FORMULAS = {"moran": moran, "geary": geary}


def scored(mode, W, X, **options):
    return ScoredGenes.of(STATISTICS[mode], graph_from_matrix(W, len(W), symmetric=False), Matrix(X), **options)


@pytest.mark.parametrize("two_tailed", [False, True])
@pytest.mark.parametrize("mode", STATISTICS)
def test_of_few_cells_it_is_the_share_of_all_orders(mode, two_tailed):
    rng = np.random.default_rng(1)
    W = row_normalised(weights(rng, 7))
    X = np.column_stack([rng.normal(size=7), np.arange(7.0) ** 2, np.eye(7)[3], [0, 1, 1, 0, 0, 3, 0]])
    found = scored(mode, W, X, two_tailed=two_tailed).analytic()
    for j, x in enumerate(X.T):
        values, observed = of_all_orders(FORMULAS[mode], W, x), FORMULAS[mode](W, x)
        tails = [np.mean(sign * values >= sign * observed - 1e-10) for sign in (1, -1)]
        one = tails[0 if mode == "moran" else 1]
        expected = min(1.0, 2 * min(tails)) if two_tailed else one
        assert found["pval_norm"][j] == pytest.approx(expected, abs=1e-12)
        assert found["var_norm"][j] == pytest.approx(values.var(), rel=1e-9)


@pytest.mark.parametrize("two_tailed", [False, True])
@pytest.mark.parametrize("mode", STATISTICS)
def test_drawn_permutations_agree_with_all_of_them(mode, two_tailed):
    rng = np.random.default_rng(2)
    W = row_normalised(weights(rng, 40))
    X = rng.exponential(size=(40, 6))
    X[:, 0] = np.arange(40) % 2  # of whom the neighbours are less alike on a line
    W += np.eye(40, k=1)
    judged = scored(mode, W, X, two_tailed=two_tailed)
    exact, drawn = judged.analytic(), judged.permuted(300)
    assert set(drawn) == {"pval_z_sim", "pval_sim", "var_sim"}
    np.testing.assert_allclose(drawn["var_sim"], exact["var_norm"], rtol=0.4)
    margin = 5 * np.sqrt(exact["pval_norm"] / 300) + 0.02
    assert np.all(np.abs(drawn["pval_sim"] - exact["pval_norm"]) < margin)
    assert np.all(np.abs(drawn["pval_z_sim"] - exact["pval_norm"]) < 0.15)
    assert (exact["pval_norm"][0] > 0.9) == (not two_tailed)


def test_both_tails_are_twice_the_smaller_at_most_1():
    np.testing.assert_array_equal(both_tails(np.array([0.6, np.nan, 0.1]), np.array([0.7, 1.0, 0.9])), [1, np.nan, 0.2])


def test_a_generator_goes_on_and_numbers_start_anew():
    rng = np.random.default_rng(5)
    judged = ScoredGenes.of(
        STATISTICS["moran"], SampleGraph(weights(rng, 20, asymmetric=False)), Matrix(rng.normal(size=(20, 2)))
    )
    again = [judged.permuted(9, state)["var_sim"] for state in (7, 7, None, None, 0)]
    np.testing.assert_array_equal(again[0], again[1])
    np.testing.assert_array_equal(again[2], again[3])
    np.testing.assert_array_equal(again[2], again[4])
    assert not np.array_equal(again[0], again[2])
    generator = np.random.default_rng(7)
    first, second = (judged.permuted(9, generator)["var_sim"] for _ in range(2))
    np.testing.assert_array_equal(first, again[0])
    assert not np.array_equal(first, second)


def test_progress_is_shown_on_a_terminal_alone(monkeypatch, capsys):
    rng = np.random.default_rng(6)
    judged = ScoredGenes.of(
        STATISTICS["moran"], SampleGraph(weights(rng, 20, asymmetric=False)), Matrix(rng.normal(size=(20, 2)))
    )
    judged.permuted(3, show_progress=True)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    judged.permuted(3)
    assert capsys.readouterr().err == ""
    judged.permuted(3, show_progress=True)
    assert capsys.readouterr().err.endswith("permutations 3/3\n")


@pytest.mark.parametrize("mode", STATISTICS)
def test_both_tails_of_skewed_noise_are_rarely_small(mode):
    """The null distribution of a skewed gene ends early on one side, where a smooth family would say p = 0."""
    rng = np.random.default_rng(0)
    graph = SampleGraph(np.eye(400, k=1) + np.eye(400, k=-1))
    table = Matrix(rng.lognormal(sigma=1.5, size=(400, 800)))
    p = ScoredGenes.of(STATISTICS[mode], graph, table, two_tailed=True).analytic()["pval_norm"]
    for level in (0.05, 0.01, 0.001):
        assert np.sum(p <= level) <= binom.isf(1e-4, 800, level), level


def test_the_other_tail_is_not_that_of_a_normal_distribution_where_it_is_counted():
    """One non-zero has n places, all of them tried: p is a whole number of them, twice as one tail of two."""
    line = SampleGraph(np.eye(12, k=1) + np.eye(12, k=-1))
    gene = np.zeros((12, 1))
    gene[5] = 1.0
    scored = ScoredGenes.of(STATISTICS["moran"], line, Matrix(gene), two_tailed=True)
    every = [ScoredGenes.of(STATISTICS["moran"], line, Matrix(np.roll(gene, k, axis=0))) for k in range(12)]
    values = np.array([each.scores.native[0] for each in every])
    tails = [np.mean(side * values >= side * scored.scores.native[0] - 1e-12) for side in (1.0, -1.0)]
    np.testing.assert_allclose(scored.analytic()["pval_norm"], min(2 * min(tails), 1.0))
