"""Who searches neighbours: exactly, an approximate index, or an object of the user; and saying so."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

from eigenselect._checks import choice, whole
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import ApproximateNeighborsWarning
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.similarity.approximate import (
    approximate_neighbors,
    check_transformer,
    is_installed,
    transformed_neighbors,
)
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.projection import project
from eigenselect.similarity.tree import suits_tree

ALGORITHMS = ("auto", "exact", "approximate")
PROJECTIONS = ("pca", "random")
#: n² (m + 50) of a table whose exact search takes about half a minute on two cores: 100 000 samples × 50 features
LONG_SEARCH = 1e12
#: fewer samples are searched exactly: it takes no longer
FEW_SAMPLES = 4096


class Neighbors(NamedTuple):
    """Neighbours of every sample, sorted by sample number.

    Attributes
    ----------
    indices, squared : ndarray of shape (n, k)
        Who they are, and squared distances.
    table : Matrix
        What distances were measured in: X, or its projection.
    how : dict
        What the graph's description tells: nothing where all is exact.
    """

    indices: IntArray
    squared: FloatArray
    table: Matrix
    how: dict[str, str]


def find_neighbors(
    X: Matrix, recipe: Any, n_neighbors: int, *, known: FloatArray | None = None, n_jobs: int | None = None
) -> Neighbors:
    """Find neighbours as a similarity with the parameters of `KNN` says, and warn where it was left to us how.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    recipe : BaseSimilarity
        With ``metric``, ``algorithm``, ``n_components``, ``projection`` and ``random_state``.
    n_neighbors : int
        Less than n.
    known : ndarray of shape (n, n), optional
        All squared distances, where somebody has them.
    """
    check_search(recipe, X)
    table = X
    if recipe.n_components is not None:
        table = project(X, recipe.n_components, recipe.projection, recipe.random_state)
    options: dict[str, Any] = {"metric": recipe.metric, "n_jobs": n_jobs}
    if not isinstance(recipe.algorithm, str):
        found = transformed_neighbors(table, recipe.algorithm, n_neighbors, **options)
        return Neighbors(*found, table, {"search": type(recipe.algorithm).__name__})
    if known is None and _is_approximate(recipe.algorithm, table, recipe.metric, n_neighbors):
        indices, squared, by = approximate_neighbors(table, n_neighbors, random_state=recipe.random_state, **options)
        return Neighbors(indices, squared, table, {"search": f"approximate, by {by}"})
    return Neighbors(*nearest_neighbors(table, n_neighbors, known=known, **options), table, {})


def check_search(recipe: Any, X: Matrix) -> None:
    """Refuse parameters of the search that cannot be."""
    owner = type(recipe).__name__
    if isinstance(recipe.algorithm, str):
        choice(recipe.algorithm, "algorithm", owner, ALGORITHMS, other="an object like KNeighborsTransformer")
    else:
        check_transformer(recipe.algorithm)
    choice(recipe.projection, "projection", owner, PROJECTIONS)
    if recipe.n_components is not None:
        most = min(X.shape) if recipe.projection == "pca" else X.n_features
        advice = f"X has {X.n_samples} samples and {X.n_features} features; None takes all features"
        whole(recipe.n_components, "n_components", owner, high=most, advice=advice)


def described_search(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as plain values that a graph's description may hold, where ``n_components`` are of the graph.

    >>> described_search({"n_neighbors": 5, "algorithm": "auto", "n_components": 50, "projection": "pca"})
    {'n_neighbors': 5, 'projected': 'pca to 50 dimensions'}
    """
    plain = dict(parameters)
    algorithm, count = plain.pop("algorithm", "auto"), plain.pop("n_components", None)
    projection, state = plain.pop("projection", "pca"), plain.pop("random_state", None)
    if algorithm != "auto":
        plain["algorithm"] = algorithm if isinstance(algorithm, str) else type(algorithm).__name__
    if count is not None:
        plain["projected"] = f"{projection} to {count} dimensions"
    if state is not None:  # what repr says of a generator is another address each time
        plain["random_state"] = int(state) if isinstance(state, Integral) else f"a {type(state).__name__}"
    return plain


def _is_approximate(algorithm: str, X: Matrix, metric: str, n_neighbors: int) -> bool:
    """Decide, and say so where the user may expect something else."""
    if algorithm == "approximate" and X.n_samples < FEW_SAMPLES:
        warn(
            f"KNN: algorithm='approximate' has no gain on {X.n_samples} samples (fewer than {FEW_SAMPLES}), whose "
            "neighbours were searched exactly.",
            ApproximateNeighborsWarning,
        )
        return False
    if algorithm != "auto":
        return algorithm == "approximate"
    if isinstance(X, DaskMatrix):  # its workers search exactly; an approximate search would have to gather it
        return False
    work = float(X.n_samples) ** 2 * (X.n_features + 50)
    if work < LONG_SEARCH or X.n_samples < FEW_SAMPLES or suits_tree(X, metric) or not is_installed():
        return False
    warn(
        f"KNN: the {n_neighbors} neighbours of {X.n_samples} samples are searched approximately, which misses a few; "
        "set algorithm='exact' to find all, which takes longer, or 'approximate' to be told no more.",
        ApproximateNeighborsWarning,
    )
    return True
