"""
φ1, φ2 and φ3
=============

SPEC has three ranking functions. φ1 sums the roughness of a feature over all eigenvectors, φ2 leaves out the trivial
one, φ3 looks at the leading few only, where clusters are.
"""

# %%
# Three clusters of 60 samples. Feature 0 tells them apart. Feature 1 is nearly the same everywhere. Feature 2 tells
# them apart under noise. Feature 3 is noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.similarity import FromTable

rng = np.random.default_rng(0)
cluster = np.repeat([0, 1, 2], 60)
places = 4 * np.array([[0, 0], [1, 0], [0.5, 0.9]])[cluster] + rng.normal(size=(180, 2))
X = np.column_stack(
    [
        cluster - 1.0 + 0.1 * rng.normal(size=180),
        5.0 + 0.1 * rng.normal(size=180),
        cluster - 1.0 + 1.0 * rng.normal(size=180),
        rng.normal(size=180),
    ]
)
names = ["clusters", "nearly constant", "clusters + noise", "noise"]

# %%
# φ1 likes the nearly constant feature best: nothing is smoother than no variation. φ2 looks only at what varies, and
# ranks it with the noise.
rankings = {}
for phi in ("phi1", "phi2", "phi3"):
    settings = {"n_clusters": 3} if phi == "phi3" else {}
    selector = es.SPEC(ranking=phi, similarity=FromTable(places), **settings).fit(X)
    rankings[phi] = selector
    print(phi, dict(zip(names, selector.scores_.round(2).tolist(), strict=True)))
assert names[rankings["phi1"].scores_.argmax()] == "nearly constant"
assert names[rankings["phi2"].scores_.argmax()] == "clusters"
assert names[rankings["phi3"].scores_.argmax()] == "clusters"

# %%
# Why: the share of each feature along the eigenvectors of the graph, slow ones at the left. φ1 weighs all of them, φ2
# all but the first, φ3 the second and third.
spectrum = rankings["phi2"].graph_.full_eigensystem()
scaled = np.sqrt(rankings["phi2"].graph_.degrees)[:, None] * X
shares = (spectrum.eigenvectors.T @ (scaled / np.linalg.norm(scaled, axis=0))) ** 2

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.9), width_ratios=(1.3, 1))
for column, style in enumerate(("o-", "s--", "^:", "D-.")):
    axes[0].plot(np.arange(1, 13), shares[:12, column], style, ms=4, label=names[column])
axes[0].set(xlabel="eigenvector", ylabel="share of the feature", xticks=range(1, 13))
axes[0].set(ylim=(0, 1.1), title="where a feature varies")
axes[0].legend()
width = 0.2
for column in range(4):
    values = [rankings[phi].ranking_[column] for phi in rankings]
    axes[1].bar(np.arange(3) + width * (column - 1.5), 5 - np.array(values), width)
axes[1].set(xticks=range(3), xticklabels=["φ1", "φ2", "φ3"], yticks=[1, 2, 3, 4], yticklabels=["4", "3", "2", "1"])
axes[1].set(ylabel="rank", title="rank by each")
plt.show()
