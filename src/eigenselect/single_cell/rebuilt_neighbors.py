"""Honest p-values for the neighbours' graph: neighbours are found again without the genes that are judged.

The neighbours' graph of an AnnData is a matrix, but one that the genes made. `Rebuilt` lets `inference.Split` and
`Shadows` judge on such a matrix: graphs of the other genes are made by what ``.uns`` records of the neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eigenselect.exceptions import shown
from eigenselect.graph import Origin
from eigenselect.inference.shadows import Shadows
from eigenselect.inference.significance import Evidence, Permutation, Request, Route
from eigenselect.inference.split import Split
from eigenselect.similarity import KNN
from eigenselect.single_cell.sample_graphs import N_NEIGHBORS, CellStructure

#: scanpy's names of metrics that `KNN` has, too
METRICS = {"euclidean": "euclidean", "l2": "euclidean", "cosine": "cosine"}
#: principal components that scanpy computes unless told otherwise
N_COMPONENTS = 50
#: what scanpy makes neighbours of where nothing else is recorded; of fewer genes than this, the genes themselves
OF_COMPONENTS = (None, "X_pca")
MOST_GENES = 50


class AsGiven(Permutation):
    """`Permutation` on what is given as the user, a key or ``.uns`` says that the genes did not make it.

    Parameters
    ----------
    precision, random_state
        See `Permutation`.
    """

    spelling = "'given'"
    origins = frozenset(Origin) - {Origin.FEATURES}


class Rebuilt(Route):
    """`Split` or `Shadows` on a matrix that the genes made: other graphs are made by a recipe.

    Parameters
    ----------
    route : Split or Shadows
    recipe : KNN
        Makes a graph of principal components of the other genes; of few cells it takes as many neighbours as there are.
    """

    origins = frozenset({Origin.GIVEN, Origin.ELSEWHERE, Origin.FEATURES})

    def __init__(self, route: Route, recipe: Any) -> None:
        self.route = route
        self.recipe = recipe

    @property
    def spelling(self) -> str:  # type: ignore[override]
        """How a user writes it."""
        return self.route.spelling

    def check_parameters(self, owner: str) -> None:
        self.route.check_parameters(owner)

    def test(self, request: Request) -> Evidence:
        fitting = self.recipe.adapted_to(request.table.n_samples)
        return self.route.test(replace(request, similarity=fitting))


def rebuilt_route(route: Route, structure: CellStructure, n_genes: int, n_components: int | None, owner: str) -> Route:
    """Make the route that judges genes on neighbours of other genes, found with the recorded parameters.

    Parameters
    ----------
    route : Split or Shadows
        Number of folds and repeats; its ``n_components``, where it is a number, goes before the recorded one.
    structure : CellStructure
        With the parameters of the neighbours.
    n_genes : int
    n_components : int or None
        Columns of ``obsm["X_pca"]``, which scanpy takes where nothing else is recorded.
    owner : str
        The verb that errors speak for.

    Notes
    -----
    Neighbours are exact, their weights are RBF with the distance of the last neighbour as bandwidth, and their number
    is the recorded one without the cell itself. Principal components are those of all other genes, of cells of unit
    length. Neighbours in the genes themselves (``use_rep="X"``) become neighbours in those components that stand out of
    noise.
    """
    parameters = structure.parameters
    if structure.labels is not None:
        raise ValueError(
            f"{owner}: significance={route.spelling} makes neighbours again from other genes, which labels are not; "
            "use significance='given' for labels from elsewhere, or leave label_key out."
        )
    if structure.provenance.elsewhere:
        raise ValueError(
            f"{owner}: significance={route.spelling} makes neighbours again from other genes, and "
            f"{structure.provenance.why}; use significance='given'."
        )
    if not parameters:
        raise ValueError(
            f"{owner}: significance={route.spelling} needs to know how {structure.name} was made, which uns does not "
            "record; use the neighbours of `pp.neighbors`, or significance='given' if these genes did not make it."
        )
    recipe = neighbors_recipe(parameters, owner)
    if isinstance(route, (Split, Shadows)) and route.n_components == "auto":
        count = components_recorded(parameters, n_genes, n_components, owner)
        route = type(route)(**{**route.get_params(deep=False), "n_components": count})
    return Rebuilt(route, recipe)


def can_be_rebuilt(parameters: Mapping[str, Any]) -> bool:
    """Tell whether neighbours that were made with these parameters can be found again from other genes.

    >>> [can_be_rebuilt({"use_rep": used}) for used in ("X_pca", "X_scVI")]
    [True, False]
    """
    made_of_genes = parameters.get("use_rep") in (*OF_COMPONENTS, "X") or parameters.get("n_pcs") == 0
    return made_of_genes and parameters.get("metric", "euclidean") in METRICS


def neighbors_recipe(parameters: Mapping[str, Any], owner: str) -> KNN:
    """Make a similarity of recorded parameters: scanpy counts a cell among its own neighbours.

    >>> neighbors_recipe({"n_neighbors": 15, "metric": "cosine"}, "spectral_features")
    KNN(bandwidth='self-tuning', metric='cosine', n_neighbors=14)
    """
    metric = parameters.get("metric", "euclidean")
    if metric not in METRICS:
        raise ValueError(
            f"{owner}: the neighbours are recorded with metric={shown(metric)}, by which they cannot be made again; "
            f"run `pp.neighbors` with one of {', '.join(map(shown, METRICS))}."
        )
    count = int(parameters.get("n_neighbors", N_NEIGHBORS)) - 1
    return KNN(max(1, count), bandwidth="self-tuning", metric=METRICS[metric])


def components_recorded(parameters: Mapping[str, Any], n_genes: int, n_components: int | None, owner: str) -> int | str:
    """Return how many principal components made the neighbours; ``"auto"`` where they are of the genes themselves.

    >>> [components_recorded(recorded, 900, 40, "") for recorded in ({"n_pcs": 20}, {}, {"n_pcs": 0})]
    [20, 40, 'auto']
    """
    used, count = parameters.get("use_rep"), parameters.get("n_pcs")
    if used == "X" or count == 0 or (used is None and n_genes <= MOST_GENES):
        return "auto"
    if used not in OF_COMPONENTS:
        raise ValueError(
            f"{owner}: the neighbours are recorded as those in obsm[{shown(used)}], which cannot be made again from "
            "other genes; run `pp.neighbors` on principal components, or use significance='given' if these genes did "
            "not make it."
        )
    return int(count) if count else n_components or N_COMPONENTS
