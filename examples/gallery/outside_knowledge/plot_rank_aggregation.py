"""
One ranking from several
========================

Rankings from several studies, or by several methods, joined into one: by mean rank, median, robust rank aggregation or
a Markov chain of votes. They differ in what a bad list can do.
"""

# %%
# Six lists of 200 features. Ten features are good: four lists put them high, with errors. Two lists are noise.
import matplotlib.pyplot as plt
import numpy as np

from eigenselect.multisource import aggregate_rankings
from eigenselect.selection import rank_features

quality = np.zeros(200)
quality[:10] = 2.0
strength = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def lists(seed):
    """Return six rankings, 1 for the best."""
    rng = np.random.default_rng(seed)
    return np.array([rank_features(share * quality + rng.normal(size=200)) for share in strength])


# %%
# How many of the ten are among the first ten of the joined ranking? Mean over twenty draws; the single lists beside it.
methods = ("borda", "median", "rra", "mc4")
draws = [lists(seed) for seed in range(20)]
found = {
    name: np.mean([(aggregate_rankings(each, name).ranking[:10] <= 10).sum() for each in draws]) for name in methods
}
alone = np.mean([(each[:4, :10] <= 10).sum(axis=1).mean() for each in draws])
noise = np.mean([(each[4:, :10] <= 10).sum(axis=1).mean() for each in draws])
for name, value in (*found.items(), ("one good list", alone), ("one list of noise", noise)):
    print(f"{name:<18} {value:.1f} of 10")
assert min(found.values()) > alone > noise

# %%
# Robust rank aggregation also has p-values: how likely a feature would stand so high in so many lists if all lists were
# in random order. Of features that are good, and of the others:
p = aggregate_rankings(draws[0], "rra").p_values
print(f"p ≤ 0.01: {(p[:10] <= 0.01).sum()} of 10 good ones, {(p[10:] <= 0.01).sum()} of 190 others")

figure, ax = plt.subplots(figsize=(6.6, 3.6))
names = [*methods, "one good list", "one list of noise"]
ax.barh(names, [*found.values(), alone, noise], color=["C0"] * 4 + ["C1", "0.7"])
ax.invert_yaxis()
ax.set(xlabel="good features among the first ten, mean of 20 draws", xlim=(0, 10))
plt.show()

# %%
# :class:`~eigenselect.KOGS` does both steps: it ranks with several pairs of knowledge and method, and joins the lists.
