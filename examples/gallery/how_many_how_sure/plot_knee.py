"""
Why a bend in a curve is no test
================================

Scores sorted by rank fall fast and then slowly, and many cut at the knee. Noise has a knee, too. The band of shuffled
data says where the scores end that chance gives.
"""

# %%
# Two tables of 120 samples and 40 features: in one, eight features follow three groups; the other is noise.
import warnings

import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.selection import Knee

rng = np.random.default_rng(0)
y = rng.integers(3, size=120)
noise = rng.normal(size=(120, 40))
signal = noise.copy()
signal[:, :8] += np.linspace(0.5, 1.5, 8) * rng.normal(size=(3, 8))[y]

# %%
# :class:`~eigenselect.selection.Knee` cuts both, and warns that this is no test. The warning is caught to show it once.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    by_knee = {name: es.FisherScore(Knee()).fit(X, y) for name, X in (("signal", signal), ("noise", noise))}
print(said[0].message)
by_test = {name: es.FisherScore("fdr").fit(X, y) for name, X in (("signal", signal), ("noise", noise))}
for name in by_knee:
    print(f"{name}: knee keeps {by_knee[name].n_features_}, q ≤ 0.05 keeps {by_test[name].n_features_}")
assert by_knee["noise"].n_features_ > 0
assert by_test["noise"].n_features_ == 0

# %%
# :func:`~eigenselect.plot.score_curve` draws the scores beside those of shuffled labels. In the left picture the best
# are above the band, in the right one none is. The axes differ.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
es.plot.score_curve(by_knee["signal"], signal, y, ax=axes[0])
es.plot.score_curve(by_knee["noise"], noise, y, ax=axes[1])
axes[0].set_xlabel("rank: eight features follow the groups")
axes[1].set_xlabel("rank: noise")
plt.show()
