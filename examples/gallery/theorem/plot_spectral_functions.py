"""
Spectral functions: which scale counts
======================================

A spectral function γ says how much a variation of frequency λ counts against a feature. Powers forgive slow variation;
heat treats all fast ones alike; any growing function can be given.
"""

# %%
# A ring of 200 samples, each alike to the next ones. Features are waves with 1 to 40 periods, and noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

rng = np.random.default_rng(0)
angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
periods = np.array([1, 5, 10, 20, 40])
X = np.column_stack([np.sin(np.outer(angle, periods)), rng.normal(size=200)])
ring = sum(np.eye(200, k=k) for k in (1, -1, 199, -199))

# %%
# Four functions. The last is our own: it ignores what is slower than λ = 0.1, and warns if it were to fall anywhere.
functions = {
    "identity": "identity",
    "power 3": 3,
    "heat, time 5": es.spectral.Heat(5.0),
    "our own": lambda eigenvalues: np.maximum(eigenvalues - 0.1, 0.0),
}
scores = {}
for name, function in functions.items():
    selector = es.SPEC(spectral_function=function).fit(X, similarity_matrix=ring)
    scores[name] = selector.scores_ / selector.scores_.max()
    print(f"{name:<13}", scores[name].round(2))

# %%
# Relative to the best feature. To the third power 20 periods are as good as one; heat asks for wide patterns, and 40
# periods score below noise, which has some slow variation by chance. (Noise under the third power is far below the
# picture.)
assert scores["power 3"][3] > 0.95 > scores["identity"][3] > scores["heat, time 5"][3]
assert scores["heat, time 5"][4] < scores["heat, time 5"][5]

figure, axes = plt.subplots(1, 2, figsize=(9.4, 3.9))
grid = np.linspace(0, 2, 201)
curves = {
    "identity": grid,
    "power 3": grid**3,
    "heat, time 5": -np.expm1(-5 * grid),
    "our own": functions["our own"](grid),
}
for (name, values), style in zip(curves.items(), ("-", "--", ":", "-."), strict=True):
    axes[0].plot(grid, values / values[-1], style, lw=2, label=name)
axes[0].set(xlabel="eigenvalue λ: slow at 0, fast at 2", ylabel="γ(λ), relative", title="spectral functions")
axes[0].legend()
for (name, values), style in zip(scores.items(), ("o-", "s--", "^:", "D-."), strict=True):
    axes[1].plot(range(6), values, style, ms=5, label=name)
axes[1].set(
    xlabel="feature", xticks=range(6), ylabel="score, relative to the best", title="waves on a ring", ylim=(-0.2, 1.1)
)
axes[1].set_xticklabels([*map(str, periods), "noise"])
plt.show()
