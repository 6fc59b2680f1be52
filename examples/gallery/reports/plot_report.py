"""
One page that answers
=====================

:func:`eigenselect.report` makes one HTML file: which features, how sure, how stable, how redundant, would they predict,
each beside what chance gives.
"""

# %%
# Five of 13 measurements of wine, by their Fisher score.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.apply(scale)
selector = es.FisherScore(5, significance=True).fit(X, y)
page = es.report(selector, X, y, title="Wine")
file = Path(tempfile.mkdtemp()) / "wine.html"
page.save(file)
print(f"one file, {file.stat().st_size / 1e6:.1f} MB, no network needed")

# %%
# What the page says first, and ``page.summary`` has it as plain values. In a notebook the page shows itself.
answer = page.summary["answer"]
print(answer["headline"])
for part in answer["sentences"]:
    print(f"- {part['question']} {part['sentence']}")

# %%
# The same features with labels that were drawn by lot: the page says that there is nothing.
lot = np.random.default_rng(0).permutation(y)
nothing = es.report(es.FisherScore(5, significance=True).fit(X, lot), X, lot)
for part in nothing.summary["answer"]["sentences"][:2]:
    print(f"- {part['question']} {part['sentence']}")
for alert in nothing.summary["alerts"]:
    print(f"! {alert['sentence']}")

# %%
# The figures of the page, for a paper: the same numbers by matplotlib. Scores are drawn beside those of shuffled
# labels.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
es.plot.score_curve(page, ax=axes[0])
es.plot.score_curve(nothing, ax=axes[1])
axes[0].set_xlabel("rank: labels as they are")
axes[1].set_xlabel("rank: labels by lot")
plt.show()
