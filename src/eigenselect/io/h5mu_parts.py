"""The parts of a MuData file beside its modalities: their names, and what is known of all observations.

The file is HDF5 [1]_. Each group of ``mod`` holds an annotated table as an h5ad file does, and `h5ad_parts` reads it.
The rest describes the observations of all modalities together:

====================  =====================================================================================
``mod``               groups; the attribute ``mod-order`` has their names in order
``obs``               a table as in h5ad, a row for each observation of any modality
``obsmap/NAME``       for each row of ``obs``, the observation of the modality, counted from 1; 0 for none; older
                      versions of mudata wrote a matrix of one column
====================  =====================================================================================

References
----------
.. [1] MuData documentation, "MuData on disk".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np

from eigenselect.io.h5ad_parts import AbsentError, has, part_of, read_column, text_of_attribute, values_of


@dataclass(frozen=True)
class SharedParts:
    """Hold what was read.

    Attributes
    ----------
    modalities : list of str
    own : list of str
        Columns of the table of observations of the modality, and the name of its index.
    shared : list of str
        Columns of the table of all observations.
    columns : dict
        Of those that were asked for and that the modality does not have: values, values and mask, or codes and
        categories.
    places : ndarray of int, optional
        For each of all observations, the one of the modality, counted from 1.
    """

    modalities: list[str]
    own: list[str]
    shared: list[str]
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    places: Any = None


def read_shared_parts(
    path: str, *, modality: str | None, asked: Sequence[str], most: float = float("inf")
) -> SharedParts:
    """Read names of modalities, and what the table of all observations says of those of one of them, or the first.

    Raises
    ------
    AbsentError
        If there is no such modality.
    """
    with h5py.File(path, "r") as file:
        modalities = _modalities(part_of(file, "mod"))
        if modality is not None and modality not in modalities:
            raise AbsentError("modality", modality, modalities)
        if not modalities:
            return SharedParts([], [], [])
        name = modalities[0] if modality is None else modality
        own = _columns(part_of(part_of(part_of(file, "mod"), name), "obs"), index=True)
        obs = part_of(file, "obs") if has(file, "obs") else None
        shared = _columns(obs) if isinstance(obs, h5py.Group) else []
        wanted = [column for column in asked if column in shared and column not in own]
        places = _places(part_of(part_of(file, "obsmap"), name), most) if wanted else None
        return SharedParts(modalities, own, shared, {c: read_column(obs, c) for c in wanted}, places)


def _places(part: Any, most: float) -> Any:
    """Give one number per observation, of a vector or of a matrix of one column."""
    places = np.asarray(values_of(part, most))
    return places[:, 0] if places.ndim == 2 and places.shape[1] == 1 else places


def _modalities(group: Any) -> list[str]:
    """Give the names of modalities in the order in which they were made, where the file says it."""
    names = [name for name in group if isinstance(part_of(group, name), h5py.Group)]
    order = [text_of_attribute(name) for name in np.asarray(group.attrs.get("mod-order", [])).ravel()]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def _columns(obs: Any, *, index: bool = False) -> list[str]:
    names = [text_of_attribute(name) for name in np.asarray(obs.attrs["column-order"]).ravel()]
    return [*names, text_of_attribute(obs.attrs["_index"])] if index else names
