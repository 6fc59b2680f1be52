"""
In a pipeline, with a search
============================

How many features, how many neighbours in the graph? A selector is a step of a pipeline like any other, and its
parameters, those of its parts too, can be searched.
"""

# %%
# Wines of three cultivars, 13 measurements and 40 columns of noise. The scaler, the selector and the classifier are
# fitted in each fold anew, so that no held-out sample has a say in what is chosen.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.selection import TopK
from eigenselect.similarity import KNN

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.join(pd.DataFrame(np.random.default_rng(0).normal(size=(len(X), 40))).add_prefix("noise "))
pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", es.LaplacianScore(TopK(5), similarity=KNN())),
        ("classify", KNeighborsClassifier(5)),
    ]
)

# %%
# The number of features is a parameter of the rule, the number of neighbours one of the similarity.
grid = {"select__n_features_to_select__k": [2, 5, 10, 53], "select__similarity__n_neighbors": [5, 20]}
folds = StratifiedKFold(4, shuffle=True, random_state=0)
search = GridSearchCV(pipeline, grid, cv=folds).fit(X, y)
print(search.best_params_)
print(f"accuracy {search.best_score_:.3f}; always the largest class {np.mean(y == 1):.3f}")

# %%
# Searching over few settings flatters the best of them a little; an outer loop says what to expect of new samples.
outer = cross_val_score(search, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=1))
print(f"nested: {outer.mean():.3f} ± {outer.std():.3f}")
chosen = search.best_estimator_["select"]
names = chosen.get_feature_names_out(X.columns)
print(len(names), "chosen on all samples,", sum(name.startswith("noise") for name in names), "of them noise")

# %%
# Accuracy against the number of features. Bars are standard deviations over the folds; settings whose bars overlap
# cannot be told apart.
results = search.cv_results_
figure, ax = plt.subplots(figsize=(6.8, 4.2))
for place, (neighbours, style) in enumerate(zip((5, 20), ("o-", "s--"), strict=True)):
    rows = [i for i, params in enumerate(results["params"]) if params["select__similarity__n_neighbors"] == neighbours]
    ax.errorbar(
        np.array(grid["select__n_features_to_select__k"]) * (1 + 0.04 * place),
        results["mean_test_score"][rows],
        yerr=results["std_test_score"][rows],
        fmt=style,
        capsize=3,
        label=f"graph of {neighbours} neighbours",
    )
ax.axhline(np.mean(y == 1), color="0.5", ls="--", lw=1)
ax.text(53, np.mean(y == 1) + 0.01, "always the largest class", ha="right", color="0.4")
ax.set(xscale="log", xlabel="features", ylabel="accuracy in 4 folds", ylim=(0.35, 1.0))
ax.set_xticks(grid["select__n_features_to_select__k"], ["2", "5", "10", "53"])
ax.minorticks_off()
ax.legend(loc="center right")
plt.show()
