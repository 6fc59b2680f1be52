"""Which way to p-values a ``significance`` means on a graph or labels of an AnnData, and what is said where none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenselect._warn import warn
from eigenselect.exceptions import listed, shown
from eigenselect.inference.significance import Permutation, Route, as_route
from eigenselect.selectors.base import Selector
from eigenselect.single_cell.rebuilt_neighbors import AsGiven, can_be_rebuilt, rebuilt_route
from eigenselect.single_cell.sample_graphs import CellStructure

AUTO = "auto"


def route_for(
    significance: Any,
    name: str,
    selector: Selector,
    structure: CellStructure | None,
    *,
    n_genes: int,
    n_components: int | None = None,
    owner: str,
) -> tuple[Route | None, str]:
    """Return the way to p-values, or None and why there is none.

    Parameters
    ----------
    significance : "auto", None, True, "given", "split", "shadows" or Route
        ``"auto"`` is as given if the genes did not make the graph or the labels, as far as keys and ``.uns`` tell.
        True is refused if ``.uns`` records that they did; ``"given"`` then warns.
    name : str
        Of the method.
    selector : Selector
    structure : CellStructure or None
        None for selectors that have sources of their own, or no graph.
    n_genes : int
    n_components : int or None
        Columns of ``obsm["X_pca"]``.
    owner : str
        The verb that errors speak for.
    """
    auto = isinstance(significance, str) and significance == AUTO
    own = getattr(selector, "significance", None)
    asked = own if auto and own is not None else significance
    auto = auto and own is None
    if not auto and not isinstance(asked, Route) and asked not in (None, False, True, "given", "split", "shadows"):
        raise ValueError(
            f"{owner}: significance must be 'auto', None, 'given', 'split', 'shadows' or an object of "
            f"eigenselect.inference, got {asked!r}."
        )
    if asked is None or asked is False:
        return None, ""
    if not selector.has_p_values:
        if auto:
            return None, f"the method {shown(name)} has no p-values"
        raise ValueError(
            f"{owner}: method={shown(name)} has no p-values; use significance=None, or a method that has, such as "
            "'laplacian' or 'moran'."
        )
    if auto and structure is not None and not structure.provenance.elsewhere:
        return None, structure.provenance.why
    if not auto and structure is not None and structure.provenance.recorded:
        _check_claim(asked, structure, owner)
    route = AsGiven() if auto else as_route(asked, owner)
    if type(route) is not AsGiven and isinstance(route, Permutation):
        return AsGiven(**route.get_params(deep=False)), ""
    if route is None or isinstance(route, Permutation) or structure is None:
        return route, ""
    return rebuilt_route(route, structure, n_genes, n_components, owner), ""


def _check_claim(asked: Any, structure: CellStructure, owner: str) -> None:
    """Refuse True on a structure that ``.uns`` records as made by the genes; warn if it is said to be given."""
    noise = f"{structure.provenance.why}, so noise looks significant; {_split(structure)}significance=None"
    if asked is True:
        raise ValueError(f"{owner}: significance=True is not valid here: {noise}.")
    if asked == "given" or isinstance(asked, Permutation):
        warn(f"{owner}: significance='given' is against the record: {noise}.")


def untested(reasons: Mapping[str, str], structure: CellStructure | None, count: int | None, owner: str) -> str:
    """Say that there are no p-values, why, what to do, and how many genes are chosen instead of by q-values.

    Parameters
    ----------
    reasons : mapping
        For every method, why `route_for` found no way to p-values that was hoped for; empty where there is one.
    structure : CellStructure or None
    count : int or None
        How many of the best are chosen though nobody asked for a number; None where somebody did.
    owner : str
        The verb that speaks.

    Returns
    -------
    str
        Empty where every method is tested, or none was to be.
    """
    without = [reason for reason in reasons.values() if reason]
    tested = [name for name, reason in reasons.items() if not reason]
    if not without:
        return ""
    if tested:
        return f"{owner}: p-values are those of {listed(tested)} alone, because {without[0]}."
    chosen = "" if count is None else f"; n_top_genes=None then takes the {count} best"
    if structure is None or structure.provenance.why not in without:
        return f"{owner}: p- and q-values are NaN, because {without[0]}{chosen}."
    return (
        f"{owner}: p- and q-values are NaN, because {structure.provenance.why}, and noise looks significant on what it "
        f"made, too; {_split(structure)}significance='given' if these genes did not make it{chosen}."
    )


def _split(structure: CellStructure) -> str:
    """Start the advice: neighbours again from other genes, where that can be done, or what it takes."""
    if not structure.parameters:
        return "use "
    if can_be_rebuilt(structure.parameters):
        return "use significance='split' to find neighbours again from the other genes, or "
    return "run `pp.neighbors` on principal components to use significance='split', or use "
