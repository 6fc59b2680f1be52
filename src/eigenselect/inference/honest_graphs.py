"""A method's criterion on a graph of principal components, by the method's own recipe."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.base import clone

from eigenselect._typing import FloatArray
from eigenselect.exceptions import EqualEigenvaluesWarning, UnitsWarning
from eigenselect.inference.significance import Request
from eigenselect.matrix import Matrix
from eigenselect.similarity import BaseSimilarity, as_similarity

#: neighbours of a recipe that is only named: this part of the samples, at least and at most so many. Of 300 samples in
#: 3 classes the default 10 give a power of 0.63, 30 give 0.72 and 60 give 0.77, where the classes themselves give 0.84
SHARE, FEWEST, MOST = 0.2, 10, 60


def criterion_on(components: FloatArray, request: Request) -> Any:
    """Make the method's criterion on the graph of some components.

    A first component far wider than the others is no mistake of units, and one of many graphs is not worth a warning.
    """
    recipe = recipe_for_components(request.similarity, len(components), request.owner)
    with warnings.catch_warnings():
        for category in (UnitsWarning, EqualEigenvaluesWarning):
            warnings.simplefilter("ignore", category)
        return request.rebuild(Matrix(components), recipe)


def recipe_for_components(similarity: Any, n_samples: int, owner: str) -> BaseSimilarity:
    """Return the recipe of a similarity for a graph of a few principal components.

    An object is used as given. A name stands for defaults that follow the data: in a few components that hold the
    structure of many features, wider neighbourhoods average noise and lose little.

    Examples
    --------
    >>> recipe_for_components("knn", 300, "SPEC").n_neighbors
    60
    """
    recipe = as_similarity(similarity, n_samples, owner)
    if not isinstance(similarity, str):
        return recipe
    if not recipe.made_of_distances:
        raise ValueError(
            f"{owner}: similarity={similarity!r} cannot make a graph of principal components, whose inner products "
            "have any sign; use 'knn', 'rbf', 'diffusion' or 'geodesic' with significance='split' or 'shadows'."
        )
    if "n_neighbors" not in recipe.get_params():
        return recipe
    wide = min(max(FEWEST, int(SHARE * n_samples)), MOST)
    return clone(recipe).set_params(n_neighbors=wide).adapted_to(n_samples)
