"""What a verb writes into an AnnData: columns of ``.var``, scores of methods in ``.varm``, a record in ``.uns``.

Everything can be written to h5ad and zarr and is the same when it is read again: text, numbers, booleans, arrays of
them, and dictionaries. There is no None, no tuple and no object.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pandas as pd

from eigenselect import __version__
from eigenselect._warn import warn
from eigenselect.exceptions import shown
from eigenselect.selection.rules import SelectionRule
from eigenselect.single_cell.scored import Scored

#: names a record of ours in ``.uns``
MARK = "eigenselect"
#: ends of the columns, in their order
COLUMNS = ("score", "rank", "pval", "qval", "zscore", "n_expressed", "nbatches")
#: what scanpy's PCA looks for
HIGHLY_VARIABLE = "highly_variable"


def check_key(adata: Any, key: Any, owner: str) -> None:
    """Refuse a key that cannot be written, or under which something else is kept."""
    if not isinstance(key, str) or not key or "/" in key:
        raise ValueError(f"{owner}: key_added must be a text without '/', which files cannot keep, got {key!r}.")
    record = adata.uns.get(key)
    if isinstance(record, Mapping) and MARK in record:
        return
    names = [key, *(f"{key}_{end}" for end in COLUMNS)]
    taken = [name for name in names if name in adata.var]
    if len(taken) == len(names):  # ours, without their record: uns is lost where tables are concatenated
        taken = []
    found = [f"var[{shown(name)}]" for name in taken]
    found += [f"{where}[{shown(key)}]" for where in ("varm", "uns") if key in getattr(adata, where)]
    if found:
        raise ValueError(f"{owner}: {found[0]} holds something else, which would be lost; use another key_added.")


def columns_of(scored: Scored, chosen: Any, expressed: Any, nbatches: Any, names: Any, key: str) -> pd.DataFrame:
    """Make the columns of ``.var``: one row per gene; NaN where nothing was tested."""
    nothing = np.full(scored.scores.size, np.nan)
    values = [
        scored.scores,
        scored.ranks,
        *(nothing if found is None else found for found in (scored.pvalues, scored.qvalues, scored.zscores)),
        np.asarray(expressed),
        np.asarray(nbatches, dtype=np.int64),
    ]
    frame = pd.DataFrame({f"{key}_{end}": column for end, column in zip(COLUMNS, values, strict=True)}, index=names)
    frame[key] = np.asarray(chosen, dtype=bool)
    return frame


def scores_of_methods(scored: Scored, names: Any) -> pd.DataFrame | None:
    """Make the table of ``.varm``: the scores of every gene, one column a method; None where there is only one."""
    return pd.DataFrame(scored.by_method, index=names) if len(scored.by_method) > 1 else None


def record_of(parameters: Mapping[str, Any], rule: SelectionRule, n_selected: int) -> dict[str, Any]:
    """Make the record of ``.uns``."""
    return {
        MARK: __version__,
        "params": storable(parameters),
        "rule": rule.describe(),
        "n_selected": int(n_selected),
    }


def storable(value: Any) -> Any:
    """Return a value that h5ad and zarr keep as it is; what is None or empty is left out of a dictionary.

    >>> storable({"a": None, "b": ("x", "y"), "c": np.float32(0.5), "d": ()})
    {'b': array(['x', 'y'], dtype=object), 'c': 0.5}
    """
    if isinstance(value, Mapping):
        kept = {str(name): storable(each) for name, each in value.items() if not _is_nothing(each)}
        return {name.replace("/", "|"): each for name, each in kept.items()}
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if callable(value) and hasattr(value, "__qualname__"):
        return value.__qualname__
    if isinstance(value, (list, tuple, np.ndarray, pd.Index)):
        values = np.array(value)
        return values if values.dtype.kind in "biuf" else np.array([str(each) for each in value], dtype=object)
    return repr(value)


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple, dict, np.ndarray, pd.Index)) and not len(value))


def writing_to(adata: Any, owner: str) -> AbstractContextManager[Any]:
    """Say once that a view becomes an AnnData of its own, as in scanpy; return what is entered to write to it.

    Within, anndata does not say the same at every line that writes.
    """
    from anndata import ImplicitModificationWarning

    if adata.is_view:
        warn(
            f"{owner}: adata is a view, and becomes an AnnData of its own to be written to.",
            ImplicitModificationWarning,
        )
    return warnings.catch_warnings(action="ignore", category=ImplicitModificationWarning)


def write(
    adata: Any, columns: pd.DataFrame, record: dict[str, Any], key: str, methods: pd.DataFrame | None, *, owner: str
) -> None:
    """Write what was found; X, obs and obsp stay as they are."""
    with writing_to(adata, owner):
        for name in columns:
            adata.var[name] = columns[name].to_numpy()
        adata.uns[key] = record
        if methods is not None:
            adata.varm[key] = methods
        elif key in adata.varm:  # of an earlier call with several methods
            del adata.varm[key]
