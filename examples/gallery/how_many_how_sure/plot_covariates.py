"""
Take out what should not count
==============================

Depth, batch, age: if such a thing shapes all features, they follow it, and so does the graph that they make.
``covariates`` takes it out of every feature first.
"""

# %%
# Counts of 300 features in 200 samples that were read to very different depths, and nothing else: all is noise, but
# deep samples are alike.
import warnings

import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.exceptions import ExchangeabilityWarning

rng = np.random.default_rng(0)
depth = rng.lognormal(sigma=0.5, size=200)
counts = rng.poisson(2.0 * depth[:, None] * rng.lognormal(sigma=0.3, size=300))
normalised = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 600)

# %%
# Three ways to test the same noise; one in twenty features should have p ≤ 0.05. Where samples are unequal, the library
# warns; the warnings are counted here.
ways = {
    "log counts": (np.log1p(counts), None),
    "size-normalised": (normalised, None),
    "size-normalised, depth taken out": (normalised, np.log(depth)),
}
pvalues = {}
for name, (X, covariates) in ways.items():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fitted = es.LaplacianScore(significance="split").fit(X, covariates=covariates)
    pvalues[name] = fitted.pvalues_
    warned = any(issubclass(warning.category, ExchangeabilityWarning) for warning in said)
    print(f"{name:<33} p ≤ 0.05 in {np.mean(fitted.pvalues_ <= 0.05):>4.0%}, {'warned' if warned else 'no warning'}")
assert np.mean(pvalues["log counts"] <= 0.05) > 0.5
assert np.mean(pvalues["size-normalised, depth taken out"] <= 0.05) < 0.1

# %%
# Sorted p-values of noise: below the diagonal noise passes too often, above it the test is careful.
figure, ax = plt.subplots(figsize=(6, 4.6))
expected = (np.arange(300) + 0.5) / 300
for (name, values), style in zip(pvalues.items(), (":", "--", "-"), strict=True):
    ax.plot(expected, np.sort(values), style, lw=2, label=name)
ax.plot([0, 1], [0, 1], color="0.5", lw=1, label="even")
ax.set(xlabel="expected p-values of noise", ylabel="p-values")
ax.legend()
plt.show()
