"""Draws that features share: their statistics against matrix products, their p-values against all orders."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference import shuffles as module
from eigenselect.inference.shuffles import Orders, Shuffled, Shuffles, shuffled_pvalues

N = 7
RNG = np.random.default_rng(6)


def sparse_form(n=N, rng=RNG):
    M = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5))
    return SymmetricForm.of(sparse.csr_array(M + M.T))


def forms(kind):
    """Numerator and denominator, in the parts that a criterion may have."""
    A, B = sparse_form(), SymmetricForm.spread(RNG.random(N))
    if kind == "dense":
        return [SymmetricForm.of(A.to_array()), B]
    if kind == "classes":
        return [SymmetricForm.of_classes(np.array([0, 1, 1, 2, 0, 2, 2]), np.array([0.5, -1.0, 2.0])), B]
    if kind == "two graphs":
        return [A.centred(), sparse_form()]
    return [A] if kind == "one" else [A.centred(), B]


KINDS = ("sparse", "one", "dense", "classes", "two graphs")
FEATURE = Shuffled(RNG.normal(size=N) + 1.0, (0.8, -0.6), 0.3)


def matrix(parts, weights):
    return sum(weight * form.to_array() for weight, form in zip(weights, parts, strict=False))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_statistics_are_those_of_the_matrix(kind, compiled, monkeypatch):
    """In tiles of some columns, whatever the parts of the forms."""
    monkeypatch.setattr(module, "WIDEST", 16)
    parts = forms(kind)
    shuffles = Shuffles(parts, Orders(3))
    tiles = shuffles.tiles(5, 40, compiled=compiled)
    assert [tile.shape for tile in tiles] == [(N, 16), (N, 16), (N, 8)]
    F = FEATURE.values[np.hstack(tiles)]
    expected = np.einsum("ij,ij->j", F, matrix(parts, FEATURE.weights) @ F) + FEATURE.constant
    found = shuffles.statistics(FEATURE, tiles, compiled=compiled)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-6)
    assert (found > expected).all()  # raised, or ties would be lost to rounding


@pytest.mark.parametrize("kind", KINDS)
def test_the_pvalue_is_the_share_of_all_orders(kind):
    parts = forms(kind)
    F = FEATURE.values[np.array(list(permutations(range(N)))).T]
    T = np.einsum("ij,ij->j", F, matrix(parts, FEATURE.weights) @ F)
    for share in (0.05, 0.3):
        feature = Shuffled(FEATURE.values, FEATURE.weights, -float(np.quantile(T, 1 - share)))
        exact = np.mean(T + feature.constant >= -1e-9)
        found = shuffled_pvalues(Shuffles(parts, Orders(1)), [feature], 1000, most_draws=10**6, most_cost=np.inf)
        assert found[0] == pytest.approx(exact, rel=0.15)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_equal_but_for_rounding_counts(compiled):
    """On a star only the value of the hub counts: with c of the value there, one order in n is as good."""
    star = np.zeros((20, 20))
    star[0, 1:] = star[1:, 0] = 1.0
    z = np.random.default_rng(2).normal(size=20)
    z -= z.mean()
    shuffles = Shuffles([SymmetricForm.of(sparse.csr_array(star))], Orders(0))
    tiles = shuffles.tiles(0, 4000, compiled=compiled)
    best = z[np.hstack(tiles)[0]] == z[np.argmin(np.abs(z))]  # T = -2 z_hub², largest for the smallest value
    feature = Shuffled(z, (1.0, 0.0), 2.0 * float(np.abs(z).min()) ** 2)
    assert best.sum() > 100
    np.testing.assert_array_equal(shuffles.statistics(feature, tiles, compiled=compiled) >= 0.0, best)


def many(count=6, n=40):
    rng = np.random.default_rng(4)
    shuffles = Shuffles([sparse_form(n, rng)], Orders(2))
    return shuffles, [Shuffled(rng.normal(size=n), (1.0, 0.0), -float(c)) for c in np.linspace(5, 25, count)]


def test_who_else_draws_where_and_on_how_many_threads_does_not_matter(monkeypatch):
    monkeypatch.setattr(module, "COMPILED_WORK", np.inf)
    shuffles, features = many()
    options = {"most_draws": 20_000, "most_cost": np.inf}
    expected = shuffled_pvalues(shuffles, features, 50, **options, n_jobs=1)
    assert len(set(expected)) == 6
    assert (shuffled_pvalues(shuffles, features, 50, **options, n_jobs=3) == expected).all()
    order = [3, 0, 3, 5, 1]
    assert (shuffled_pvalues(shuffles, [features[i] for i in order], 50, **options) == expected[order]).all()
    for place, feature in enumerate(features):
        assert shuffled_pvalues(shuffles, [feature], 50, **options)[0] == expected[place]


def test_compiled_loops_say_the_same(monkeypatch):
    shuffles, features = many()
    found = []
    for work in (0.0, np.inf):
        monkeypatch.setattr(module, "COMPILED_WORK", work)
        found.append(shuffled_pvalues(shuffles, features, 50, most_draws=5000, most_cost=np.inf))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_what_may_be_spent_is_not_exceeded_and_used(monkeypatch):
    """The cost of every statistic and of every order, of features that never have enough."""
    shuffles, features = many()
    spent, kept = [], []
    true_tiles, true_statistics = shuffles.tiles, shuffles.statistics
    monkeypatch.setattr(shuffles, "tiles", lambda *a, **k: kept.append(true_tiles(*a, **k)) or kept[-1], raising=False)

    def statistics(feature, tiles, **options):
        found = true_statistics(feature, tiles, **options)
        spent.append(shuffles.cost * found.size)
        return found

    monkeypatch.setattr(shuffles, "statistics", statistics, raising=False)
    shuffled_pvalues(shuffles, features, 10**9, most_draws=10**6, most_cost=1e6)
    orders = module.SHUFFLE * sum(tile.size for tiles in kept for tile in tiles)
    assert 0.98e6 < sum(spent) + orders <= 1e6
    assert max(len(tiles) for tiles in kept) > 0
    np.testing.assert_allclose(sum(spent), shuffles.cost * 6 * (orders / module.SHUFFLE / 40))


def test_orders_are_kept_up_to_a_size_and_are_the_same_again(monkeypatch):
    monkeypatch.setattr(module, "KEPT", 500)
    orders, parts = Orders(9), [(30, 0, 10), (30, 10, 16), (20, 0, 10), (30, 3, 9)]
    first = [orders.tile(*part) for part in parts]
    again = [orders.tile(*part, compiled=True) for part in parts]
    fresh = [Orders(9).tile(*part) for part in parts]
    for tiles in zip(first, again, fresh, strict=True):
        np.testing.assert_array_equal(tiles[0], tiles[1])
        np.testing.assert_array_equal(tiles[0], tiles[2])
    assert [one is two for one, two in zip(first, again, strict=True)] == [True, True, False, False]


def test_orders_are_equally_likely():
    orders = np.hstack(Shuffles([sparse_form(4)], Orders(9)).tiles(0, 24_000))
    counts = np.unique(orders, axis=1, return_counts=True)[1]
    assert counts.size == 24
    assert np.sum((counts - 1000) ** 2 / 1000) < 60  # chi-squared with 23 degrees of freedom: 3e-5
