"""Who keeps what: counts by brute force, chance by simulation."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.comparing.consensus import SHOWN, consensus_view, expected_at_least, plain_rank


def made(n_features=60, sizes=(30, 30, 10), seed=0):
    rng = np.random.default_rng(seed)
    ranks = {f"m{i}": rng.permutation(n_features) + 1.0 for i in range(len(sizes))}
    chosen = {name: np.argsort(ranks[name])[:size] for name, size in zip(ranks, sizes, strict=True)}
    permuted = [[rng.random(n_features) < 0.3 for _ in range(3)] for _ in sizes]
    return chosen, ranks, permuted, [f"g{j}" for j in range(n_features)]


@pytest.mark.parametrize("seed", range(5))
def test_counts_and_order_by_brute_force(seed):
    chosen, ranks, permuted, names = made(seed=seed)
    view = consensus_view(chosen, ranks, permuted, names)
    count = {j: sum(j in columns for columns in chosen.values()) for j in range(60)}
    kept = [j for j in range(60) if count[j]]
    kept.sort(key=lambda j: (-count[j], np.mean([ranks[name][j] for name in ranks]), j))
    assert view["n_kept"] == len(kept) > SHOWN
    assert view["feature"] == [names[j] for j in kept[:SHOWN]]
    assert view["count"] == [count[j] for j in kept[:SHOWN]]
    for name, columns in chosen.items():
        assert view["ranks"][name] == [int(ranks[name][j]) if j in columns else None for j in kept[:SHOWN]]
    for row in view["at_least"]:
        assert row["n_features"] == sum(c >= row["n_methods"] for c in count.values())
        of_permuted = [sum(sum(m[p][j] for m in permuted) >= row["n_methods"] for j in range(60)) for p in range(3)]
        assert row["permuted"] == pytest.approx(np.mean(of_permuted))
    assert [row["n_methods"] for row in view["at_least"]] == [3, 2, 1]


def test_what_random_selections_have_in_common():
    rng = np.random.default_rng(0)
    sizes, total = [4, 7, 2], np.zeros(3)
    for _ in range(4000):
        count = sum(np.isin(np.arange(12), rng.permutation(12)[:size]) for size in sizes)
        total += [(count >= least).sum() for least in (1, 2, 3)]
    np.testing.assert_allclose(expected_at_least(sizes, 12), total / 4000, atol=0.05)
    assert expected_at_least(sizes, 12)[2] == pytest.approx(12 * (4 * 7 * 2) / 12**3)


def test_nothing_chosen_is_an_empty_view():
    chosen, ranks, permuted, names = made(sizes=(0, 0))
    view = consensus_view(chosen, ranks, permuted, names)
    assert (view["n_kept"], view["feature"], view["ranks"]) == (0, [], {"m0": [], "m1": []})


def test_ranks_of_ties_stay_between_two():
    assert [plain_rank(rank) for rank in (np.float64(3), 1.5)] == [3, 1.5]
    assert type(plain_rank(np.float64(3))) is int


def test_of_a_comparison(two_groups):
    """The first twelve features differ between the classes."""
    X, y = two_groups
    selectors = {"fisher": es.FisherScore(), "relieff": es.ReliefF()}
    view = compare(selectors, X, y, n_features=5, sizes=[5]).summary["consensus"]
    top = [set(np.flatnonzero(selector.fit(X, y).ranking_ <= 5)) for selector in selectors.values()]
    assert view["at_least"][0]["n_features"] == len(top[0] & top[1]) > view["at_least"][0]["random"]
    assert {int(name[1:]) for name, count in zip(view["feature"], view["count"], strict=True) if count == 2} == (
        top[0] & top[1]
    )
