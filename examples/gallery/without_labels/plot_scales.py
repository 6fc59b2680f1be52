"""
Patterns at several scales
==========================

A feature may vary slowly over all samples, or be high in a few neighbours only. One spectral function is best at one
scale; multiscale SPEC tries several and takes the one at which the feature stands out most from chance.
"""

# %%
# Samples are 400 places on a square. Three features: a slope over the whole square, small spots, and noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.similarity import FromTable

places = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
rng = np.random.default_rng(0)
centres = rng.uniform(0, 19, size=(6, 2))
near = ((places[:, None] - centres) ** 2).sum(axis=2).min(axis=1) < 2.5
X = np.column_stack([0.06 * places.sum(axis=1), 2.5 * near, np.zeros(400)]) + rng.normal(size=(400, 3))
names = ["slope", "spots", "noise"]

# %%
# Each scale is heat that flows for a time over the graph of the places; z is the distance from what shuffled values
# give, in standard deviations. P-values join the scales by the Cauchy rule and pay for having tried five.
selector = es.MultiscaleSPEC(similarity=FromTable(places), scales=(0.5, 1, 2, 5, 10), significance=True).fit(X)
for name, z, best, p in zip(names, selector.scale_scores_.T, selector.best_scale_, selector.pvalues_, strict=True):
    print(f"{name}: z {np.array2string(z, precision=1)}, best at time {selector.scales[best]}, p {p:.1e}")
assert selector.best_scale_[0] > selector.best_scale_[1]
assert (selector.pvalues_ < 1e-4).tolist() == [True, True, False]

# %%
# The slope stands out most after a long time, the spots after a shorter one, noise nowhere.
figure, axes = plt.subplot_mosaic([["slope", "curves"], ["spots", "curves"]], figsize=(8.6, 4.8), width_ratios=(1, 2))
for column, name in enumerate(names[:2]):
    axes[name].imshow(X[:, column].reshape(20, 20), cmap="cividis")
    axes[name].set(title=name, xticks=[], yticks=[])
for column, (name, style) in enumerate(zip(names, ("o-", "s--", "^:"), strict=True)):
    axes["curves"].plot(selector.scales, selector.scale_scores_[:, column], style, label=name)
axes["curves"].set(xscale="log", xlabel="time of the heat flow", ylabel="z, in standard deviations of shuffled values")
axes["curves"].set_xticks(selector.scales, [str(time) for time in selector.scales])
axes["curves"].minorticks_off()
axes["curves"].axhline(0, color="0.7", lw=0.8)
axes["curves"].legend()
plt.show()
