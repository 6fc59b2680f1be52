"""
Compare selectors fairly
========================

Any selector, ours or scikit-learn's, alone or at the end of a pipeline, can stand in one comparison: features are
chosen without the held-out samples, and permuted labels say what chance gives.
"""

# %%
# Wines of three cultivars; five ways to choose among 13 measurements.
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.reporting import compare

X, y = load_wine(return_X_y=True, as_frame=True)


def mutual_information(X, y):
    """Return mutual information with a fixed start."""
    return mutual_info_classif(X, y, random_state=0)


selectors = {
    "Laplacian": make_pipeline(StandardScaler(), es.LaplacianScore()),
    "Fisher": es.FisherScore(),
    "MRSF, labels": make_pipeline(StandardScaler(), es.MRSF(target="lda")),
    "mutual information": SelectKBest(mutual_information),
    "variance": es.Variance(),
}
comparison = compare(selectors, X, y, n_features=5, sizes=[1, 3, 6])

# %%
# One line per selector. A star would mark one that is better than every other by more than the folds spread.
summary = comparison.summary
for name, facts in summary["methods"].items():
    print(f"{name:<19}", *[f"{facts['accuracy'][size]:.2f}" for size in summary["best"]])
print(f"{'largest class':<19} {summary['chance']:.2f}")
print("best by more than the spread:", summary["best"])

# %%
# The grey band is what permuted labels give. Bars are deviations over the folds.
es.plot.accuracy_curves(comparison)
plt.show()

# %%
# Which features do they share? The title says what chance would give.
es.plot.consensus(comparison)
# sphinx_gallery_thumbnail_number = 2
plt.show()
