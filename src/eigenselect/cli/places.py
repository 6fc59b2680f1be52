"""``--obsm``: a sample graph of coordinates that the file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenselect.exceptions import InputError, shown

if TYPE_CHECKING:
    from eigenselect.graph import SampleGraph
    from eigenselect.io.table import Table


def graph_of_places(
    table: Table, name: str, similarity: Any, text: str | None, jobs: int | None
) -> tuple[SampleGraph, list[str]]:
    """Make a graph of coordinates: of neighbours as `eigenselect.pp` takes them, unless ``similarity`` says otherwise.

    Parameters
    ----------
    table : Table
        With the coordinates.
    name : str
        Of the coordinates.
    similarity : similarity or None
    text : str or None
        What --similarity said.
    jobs : int or None
        Threads.

    Returns
    -------
    graph : SampleGraph
    notes : list of str
        What is doubtful of the coordinates.
    """
    from eigenselect.matrix import read_input
    from eigenselect.similarity import as_similarity, made_of_labels
    from eigenselect.single_cell.places import check_places
    from eigenselect.single_cell.rebuilt_neighbors import neighbors_recipe

    n_samples, owner = table.X.shape[0], f"--obsm {name}"
    recipe = neighbors_recipe({}, "rank").adapted_to(n_samples) if similarity is None else similarity
    if made_of_labels(recipe):
        raise click.UsageError(f"--similarity {text} is made of labels, not of --obsm {name}; leave one of them out.")
    try:
        recipe = as_similarity(recipe, n_samples, owner)
        doubt = check_places(table.places, f"obsm[{shown(name)}]", owner, getattr(recipe, "n_neighbors", None))
        places = read_input(table.places, owner, what=f"{name} of obsm")
        return recipe.build(places, owner=owner, n_jobs=jobs), [doubt] if doubt else []
    except ValueError as error:
        raise InputError(str(error)) from None
