"""
Heat map, dot plot and embedding
================================

The plots of :mod:`eigenselect.plot` take a fitted selector and the data of ``fit``, return their Axes, and are
vectors in pdf and svg.
"""

# %%
# Eight measurements of wine, without labels; the cultivars are used for the groups of the pictures only.
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

data = load_wine(as_frame=True)
X, y = data.data.apply(scale), data.target_names[data.target]
selector = es.LaplacianScore(8).fit(X)
print(list(selector.get_feature_names_out()))

# %%
# Samples by features, both clustered within groups. Blocks of noise look alike in such a picture, too: it shows, it
# does not prove.
es.plot.heat_map(selector, X, y)
plt.show()

# %%
# The same by group: colour is the mean, area the share of samples above the median.
es.plot.dot_plot(selector, X, y)
plt.show()

# %%
# The samples in two eigenvectors of the graph that the scores used, and the eigenvalues: a clear gap after the third
# says three clusters, which no label told.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
es.plot.embedding(selector, X, y, ax=axes[0])
es.plot.spectrum(selector, X, ax=axes[1])
plt.show()
