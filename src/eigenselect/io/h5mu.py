"""Read one modality of a MuData file as a table, with labels of the modality or of all observations together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError
from eigenselect.io.errors import damaged, find_name, reading_as
from eigenselect.io.h5ad import read_h5ad, text_of_parts
from eigenselect.io.hdf5 import read_hdf5
from eigenselect.io.inner import chosen
from eigenselect.io.labels import labels_of
from eigenselect.io.request import Request
from eigenselect.io.table import Table

if TYPE_CHECKING:
    from eigenselect.io.h5mu_parts import SharedParts


def read_h5mu(path: str, source: str, request: Request) -> Table:
    """Read a modality as `read_h5ad` reads a whole file: X, a layer or raw, and a graph of its obsp.

    ``request.inner`` names the modality; without it the first one is read, with a note if there are others. Columns of
    labels and names are those of the modality, with or without its name and a colon before it, or else those of all
    observations.

    Raises
    ------
    InputError
        If the file is damaged, or has no such modality, layer, graph or column.
    """
    try:
        from eigenselect.io.h5mu_parts import read_shared_parts
    except ImportError:
        raise InputError(f"{source}: h5mu needs mudata; pip install 'eigenselect[anndata]'.") from None
    roles = request.roles
    asked = [column for column in (roles.label, roles.samples) if column is not None]
    shared = read_hdf5(path, source, "h5mu", read_shared_parts, modality=request.inner, asked=asked)
    if not shared.modalities:
        raise InputError(f"{source}: holds no modality; write it again with mudata.")
    name, notes = chosen(request.inner, shared.modalities, source, "modality")
    label, samples = (_own_column(column, name, shared, source) for column in (roles.label, roles.samples))
    own = replace(request, roles=replace(roles, label=label, samples=samples))
    table = read_h5ad(path, source, own, root=f"/mod/{name}")
    return _with_shared(replace(table, notes=(*notes, *table.notes)), shared, source, request)


def _own_column(column: str | None, modality: str, shared: SharedParts, source: str) -> str | None:
    """Say what a column is called within the modality; None if it is one of all observations, or none was asked for."""
    if column is None or column in shared.own or column in shared.columns:
        return column if column in shared.own else None
    short = column.removeprefix(f"{modality}:")
    return find_name(short, list(dict.fromkeys([*shared.own, *shared.shared])), source, f"column of obs of {modality}")


def _with_shared(table: Table, shared: SharedParts, source: str, request: Request) -> Table:
    """Add labels and names that the table of all observations has."""
    if not shared.columns:
        return table
    roles = request.roles
    texts = {name: _texts(name, shared, table.X.shape[0], source) for name in shared.columns}
    if roles.samples in texts:
        table = replace(table, sample_names=texts[roles.samples])
    if roles.label in texts:
        text = texts[roles.label]
        table = replace(table, y=labels_of(text, roles.label, source), label_text=text)
    return table


def _texts(name: str, shared: SharedParts, n_samples: int, source: str) -> AnyArray:
    """Give a column of all observations for those of the modality, empty where there is none."""
    with reading_as("h5mu", source):
        given = text_of_parts(shared.columns[name])
    places = np.asarray(shared.places)
    there = places > 0
    fits = places.shape == given.shape and places.dtype.kind in "iu" and places.max(initial=0) <= n_samples
    if not fits or places.min(initial=0) < 0 or len(np.unique(places[there])) < there.sum():
        raise damaged(source, "h5mu")
    text = np.full(n_samples, "", dtype=object)
    text[places[there] - 1] = given[there]
    return text
