"""
A bound on false selections for any selector
============================================

MRSF, ReliefF, a Lasso: many selectors have no p-values. Stability selection fits them on halves of the samples, keeps
what is chosen again and again, and bounds how many of those may be false.
"""

# %%
# Thirty measurements of tumours and 70 columns of noise. MRSF chooses six of 100 features together.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import eigenselect as es

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(X), 70))
X = X.apply(scale).join(pd.DataFrame(noise).add_prefix("noise "))

# %%
# :class:`~eigenselect.StabilitySelector` takes any selector. The samples are split into two halves 25 times; half a
# false feature is accepted, in expectation, and the threshold follows from that.
selector = es.StabilitySelector(es.MRSF(6, target="lda"), max_false=0.5, n_pairs=25).fit(X, y)
frequencies = pd.Series(selector.frequencies_, X.columns).sort_values(ascending=False, kind="stable")
print(frequencies.head(8).round(2).to_string())
print(f"threshold {selector.threshold_:.2f}: {selector.n_features_} kept, ", end="")
print(f"at most {selector.expected_false_:.2f} of them false, in expectation")
assert not any(name.startswith("noise") for name in selector.get_feature_names_out())

# %%
# A false feature is one that the selector chooses no more often than at random. With shuffled labels:
shuffled = np.random.default_rng(1).permutation(y)
nothing = es.StabilitySelector(es.MRSF(6, target="lda"), max_false=0.5, n_pairs=25).fit(X, shuffled)
print(nothing.n_features_, "kept; largest frequency", f"{nothing.frequencies_.max():.2f}")
assert nothing.n_features_ == 0

# %%
figure, ax = plt.subplots(figsize=(7, 4))
ranks = np.arange(1, 101)
ax.plot(ranks, frequencies, "o", ms=4, label="labels as they are")
ax.plot(ranks, np.sort(nothing.frequencies_)[::-1], "^", ms=4, color="0.6", label="labels shuffled")
ax.axhline(selector.threshold_, color="C1", ls="--", lw=1.2)
ax.text(100, selector.threshold_ + 0.02, "threshold", ha="right", color="C1")
ax.set(xlabel="features, by frequency", ylabel="share of 50 fits that chose it", xscale="log")
ax.legend(loc="center right")
plt.show()
