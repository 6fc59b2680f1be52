"""Which AnnData a verb works on, and where a key points: in it, in another modality, or in the whole MuData.

A verb takes an AnnData, a MuData (``modality`` names the genes' AnnData) or a SpatialData (``table_key`` names the
table). They are told by their class, so that none of their libraries is imported here. In a MuData a key may be
``"modality:key"``; cells are matched by their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._typing import IntArray
from eigenselect.exceptions import counted, listed, shown
from eigenselect.io.errors import near_names
from eigenselect.matrix import is_dask


def is_instance_of(value: Any, package: str, name: str) -> bool:
    """Tell whether a value is of a class of an optional library, or of a subclass, without importing the library.

    >>> import pandas as pd
    >>> is_instance_of(pd.Series([1]), "pandas", "Series"), is_instance_of([1], "pandas", "Series")
    (True, False)
    """
    return any(base.__name__ == name and base.__module__.split(".")[0] == package for base in type(value).__mro__)


def is_anndata(data: Any) -> bool:
    """Tell whether this is an AnnData, or a view of one."""
    return is_instance_of(data, "anndata", "AnnData")


def is_mudata(data: Any) -> bool:
    """Tell whether this is a MuData."""
    return is_instance_of(data, "mudata", "MuData")


def is_spatialdata(data: Any) -> bool:
    """Tell whether this is a SpatialData."""
    return is_instance_of(data, "spatialdata", "SpatialData")


def annotated_of(
    data: Any, *, modality: str | None = None, table_key: str | None = None, owner: str = "eigenselect"
) -> Any:
    """Return the AnnData that holds the genes.

    Parameters
    ----------
    data : AnnData, MuData or SpatialData
    modality : str, optional
        Of a MuData: which modality. Its only one by default.
    table_key : str, optional
        Of a SpatialData: which table. Its only one by default. Passed over for an AnnData, as squidpy does.
    owner : str
        The verb that errors speak for.

    Returns
    -------
    AnnData
        The object itself, not a copy: what a verb writes is in ``data``.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> adata = anndata.AnnData(np.ones((3, 2)))
    >>> annotated_of(adata) is adata
    True
    """
    if is_mudata(data):
        return _checked(_member(data.mod, modality, "modality", "MuData", owner), modality, owner)
    if modality is not None:
        raise ValueError(f"{owner}: modality={shown(modality)} is for a MuData, got {_kind(data)}; leave it out.")
    if is_spatialdata(data):
        return _checked(_member(data.tables, table_key, "table_key", "SpatialData", owner), table_key, owner)
    return _checked(data, None, owner)


def _member(members: Mapping[str, Any], name: str | None, argument: str, kind: str, owner: str) -> Any:
    """Return the AnnData of a name, or the only one there is."""
    names = list(members)
    if name is None and len(names) == 1:
        return members[names[0]]
    has = f"this {kind} has {listed(names)}" if names else f"this {kind} has none"
    if name is None:
        raise ValueError(f"{owner}: expected {argument}= with one of the names, got none; {has}.")
    if name not in names:
        near = near_names(str(name), [str(other) for other in names])
        hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"{has}."
        raise ValueError(f"{owner}: no {argument} is named {shown(name)}; {hint}")
    return members[name]


def _checked(found: Any, name: str | None, owner: str) -> Any:
    """Return an AnnData; refuse what is none, and say what takes it."""
    if is_anndata(found):
        return found
    if is_mudata(found):
        raise ValueError(
            f"{owner}: {shown(name)} is itself a MuData, with {listed(found.mod)}; give that MuData and one of these."
        )
    raise TypeError(
        f"{owner}: expected an AnnData, MuData or SpatialData, got {_kind(found)}; selectors such as "
        "eigenselect.LaplacianScore take arrays and data frames."
    )


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


@dataclass(frozen=True)
class Place:
    """Where a key points, with the cells in the order of the AnnData that holds the genes.

    Attributes
    ----------
    holder : AnnData or MuData
        Has ``obs``, ``obsm``, ``obsp`` and ``uns``.
    key : str
        Without the name of the modality.
    modality : str or None
        The other modality that holds it; None for the genes' own AnnData and for what a MuData holds of all.
    rows : ndarray of shape (n_cells,) or None
        Where each cell of the genes is in the holder, -1 where it is not; None where all are, in the same order.
    owner : str
        The verb that errors speak for.
    """

    holder: Any
    key: str
    modality: str | None
    rows: IntArray | None
    owner: str

    @property
    def is_of_another_modality(self) -> bool:
        """Whether no gene that is judged can have made it: then p-values are honest as they are.

        What a MuData holds of all modalities may be made of the genes, too.
        """
        return self.modality is not None

    def labels(self, key: str | None = None) -> pd.Series[Any]:
        """Return a column of ``obs``; cells that the holder has not are missing."""
        column = self.holder.obs[self.key if key is None else key]
        if not isinstance(column, pd.Series):  # a lazy AnnData has its obs in xarray
            column = column.to_pandas()
        if self.rows is None:
            return column
        taken = column.iloc[np.maximum(self.rows, 0)]
        return taken.where(self.rows >= 0) if (self.rows < 0).any() else taken

    def coordinates(self, key: str | None = None) -> Any:
        """Return an entry of ``obsm``, one row for each cell."""
        found, rows = _at_hand(self.holder.obsm[self.key if key is None else key]), self._all_rows()
        if rows is None:
            return found
        return found.iloc[rows] if hasattr(found, "iloc") else found[rows]

    def graph(self, key: str | None = None) -> Any:
        """Return an entry of ``obsp``, one row and one column for each cell; sparse stays sparse."""
        found, rows = _at_hand(self.holder.obsp[self.key if key is None else key]), self._all_rows()
        if rows is None:
            return found
        return found[rows][:, rows] if sparse.issparse(found) else np.asarray(found)[np.ix_(rows, rows)]

    def _all_rows(self) -> IntArray | None:
        """Return the rows; refuse if cells are missing, since a cell without neighbours cannot be judged."""
        missing = 0 if self.rows is None else int((self.rows < 0).sum())
        if self.rows is None or not missing:
            return self.rows
        name = shown(self.modality) if self.modality is not None else "the MuData"
        common = f"; keep the common ones: mdata = mdata[mdata[{name}].obs_names].copy()" if self.modality else ""
        raise ValueError(
            f"{self.owner}: {counted(missing, 'cell')} of {self.rows.size} {'is' if missing == 1 else 'are'} not in "
            f"{name}, which has {shown(self.key)}{common}."
        )


def _at_hand(found: Any) -> Any:
    """Return a graph or coordinates in memory: a lazy AnnData has them in Dask arrays, and they are needed here."""
    return found.compute() if is_dask(found) else found


def place_of(data: Any, adata: Any, key: str, slot: str, *, owner: str = "eigenselect") -> Place:
    """Find where a key points: in the genes' AnnData, in another modality, or in the whole MuData.

    In this order: ``key`` in ``adata``; ``"modality:key"`` in a modality of that name; ``key`` in the MuData itself.

    Parameters
    ----------
    data : AnnData, MuData or SpatialData
        What the verb was given.
    adata : AnnData
        What `annotated_of` made of it.
    key : str
    slot : {"obs", "obsm", "obsp", "uns"}
        Where such keys are.
    owner : str
        The verb that errors speak for.

    Raises
    ------
    ValueError
        If the key is nowhere; the sentence names near keys, or those that are there.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> protein = anndata.AnnData(np.ones((3, 2)), obs={"type": ["B", "T", "T"]})
    >>> place_of(protein, protein, "type", "obs").labels().tolist()
    ['B', 'T', 'T']
    >>> place_of(protein, protein, "types", "obs")
    Traceback (most recent call last):
    ValueError: eigenselect: no entry of .obs is named 'types'; did you mean 'type'?
    """
    if key in getattr(adata, slot):
        return Place(adata, key, None, None, owner)
    for modality, holder, bare in _elsewhere(data, key):
        if holder is adata and bare in getattr(adata, slot):
            return Place(adata, bare, None, None, owner)
        if bare in getattr(holder, slot):
            return Place(holder, bare, modality, _rows(adata, holder, owner, shown(key)), owner)
    raise ValueError(_nowhere(data, adata, key, slot, owner))


def _elsewhere(data: Any, key: str) -> list[tuple[str | None, Any, str]]:
    """List modalities whose name starts the key, then the MuData itself: (name of the modality, holder, key there)."""
    if not is_mudata(data):
        return []
    named = [
        (name, held, key.removeprefix(f"{name}:")) for name, held in data.mod.items() if key.startswith(f"{name}:")
    ]
    return [*named, (None, data, key)]


def _rows(adata: Any, holder: Any, owner: str, key: str) -> IntArray | None:
    """Find each cell of the genes in the holder, by name."""
    names = pd.Index(holder.obs_names)
    if names.equals(pd.Index(adata.obs_names)):
        return None
    if not names.is_unique:
        twice = names[names.duplicated()]
        raise ValueError(
            f"{owner}: names of cells repeat where {key} is ({listed(twice.unique(), 3)}), so that cells cannot be "
            "matched; call obs_names_make_unique() first."
        )
    return np.asarray(names.get_indexer(pd.Index(adata.obs_names)), dtype=np.intp)


def _nowhere(data: Any, adata: Any, key: str, slot: str, owner: str) -> str:
    """Write the sentence of a key that is nowhere."""
    names = [str(name) for name in getattr(adata, slot)]
    if is_mudata(data):
        others = ((name, held) for name, held in data.mod.items() if held is not adata)
        names += [f"{name}:{other}" for name, held in others for other in getattr(held, slot)]
    near = near_names(key, names)
    has = f"it has {listed(names, 8)}" if names else "it is empty"
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"{has}."
    return f"{owner}: no entry of .{slot} is named {shown(key)}; {hint}"
