"""The zarr arrays that a Dask array reads: what is gone from one reads as its fill value, which would count as zeros.

Dask and zarr say nothing then. So the stored chunks are counted before the first pass, and again after each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from eigenselect.matrix.vanished import stored_chunks


@dataclass(frozen=True)
class Stores:
    """Zarr arrays that are sources of a Dask array, each with the number of its chunks that are stored.

    Examples
    --------
    >>> import dask.array as da
    >>> Stores.of(da.ones((3, 2))).counted
    []
    """

    counted: list[tuple[Any, int]]
    called: str = "X"

    @classmethod
    def of(cls, array: Any, called: str = "X") -> Stores:
        """Find and count them; refuse one that is gone already. Errors call the array so."""
        found = {id(source): source for source in _sources(array)}.values()
        stores = cls([(source, stored_chunks(source) or 0) for source in found], called)
        for source, count in stores.counted:
            if not count and source.size and not _is_there(source):
                raise ValueError(
                    f"{called} must be there to be read, got a Dask array of a zarr array that is gone ({source}); "
                    "open it again."
                )
        return stores

    def check(self) -> None:
        """Refuse what was read meanwhile if chunks have come or gone."""
        for source, count in self.counted:
            now = stored_chunks(source)
            if now != count:
                raise ValueError(
                    f"{self.called} was changed while it was read: {now} of {count} chunks of the zarr array that the "
                    f"Dask array reads are there ({source}); keep the store as it is until the end."
                )


def _sources(array: Any) -> Iterator[Any]:
    """Yield the zarr arrays in a task graph: Dask has them in layers of one task, or as constants of a layer."""
    graph = array.__dask_graph__()
    for layer in getattr(graph, "layers", {}).values():
        constants = [value for value, labels in getattr(layer, "indices", ()) if labels is None]
        alone = list(layer.values()) if isinstance(layer, Mapping) and len(layer) == 1 else []
        for value in (*constants, *alone):
            yield from _arrays_in(getattr(value, "value", value))


def _arrays_in(source: Any) -> Iterator[Any]:
    """Yield the zarr arrays that something reads: itself, an argument of a function, parts of a sparse dataset."""
    if hasattr(type(source), "nchunks_initialized"):
        yield source
    elif isinstance(source, partial):  # how anndata reads sparse matrices lazily
        for value in (*source.args, *source.keywords.values()):
            yield from _arrays_in(value)
    elif (group := getattr(source, "_group", None)) is not None and hasattr(source, "format"):
        yield from (
            group[name] for name in ("data", "indices", "indptr") if hasattr(group[name], "nchunks_initialized")
        )


def _is_there(source: Any) -> bool:
    """Whether an array without chunks has its description still: one of zeros only is written so."""
    import zarr

    try:
        zarr.open_array(store=source.store, path=source.path, mode="r")
    except (OSError, ValueError, KeyError):
        return False
    return True
