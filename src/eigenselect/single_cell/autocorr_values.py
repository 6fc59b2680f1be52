"""Which values `spatial_autocorr` looks at: genes of X, of a layer or of raw, columns of obs, or an entry of obsm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import BoolArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import counted, listed, shown
from eigenselect.io.errors import near_names
from eigenselect.matrix import Matrix, annotated_matrix, as_matrix

#: where values can come from
ATTRIBUTES = ("X", "obs", "obsm")


@dataclass(frozen=True)
class Values:
    """Columns to judge, one row a cell.

    Attributes
    ----------
    table : Matrix
        Not yet checked for finite numbers.
    index : pandas.Index
        What the rows of the result are called: names of genes or of columns, or the positions that were asked for.
    """

    table: Matrix
    index: pd.Index[Any]

    def complete(self, owner: str) -> tuple[Values, pd.Index[Any]]:
        """Leave columns out that hold NaN or infinity, which have no statistic; return also what they are called.

        Columns of obs often have missing values, and one of them should not keep the others from being judged.
        """
        if self.table.is_finite():
            return self, self.index[:0]
        low, high = self.table.column_extremes()
        known = np.isfinite(low) & np.isfinite(high)
        if not known.any():
            raise ValueError(f"{owner}: every variable holds NaN or infinity; fill the missing values in.")
        missing = self.index[~known]
        said = f"{counted(missing.size, 'variable')} of {known.size} ({listed(missing, 3)})"
        warn(f"{owner}: {said} with NaN or infinity, so no statistic and no p-value (NaN); fill the missing values in.")
        places = np.flatnonzero(known)
        return Values(self.table.take_columns(places), self.index[places]), missing


def autocorr_values(
    adata: Any, owner: str, *, attr: str = "X", genes: Any = None, layer: str | None = None, use_raw: bool = False
) -> Values:
    """Take the values that squidpy's arguments name.

    Parameters
    ----------
    adata : AnnData
    owner : str
        The verb that errors speak for.
    attr : {"X", "obs", "obsm"}
    genes : str, int, sequence of these, mask or None
        Names or positions. None: of X the genes that ``.var["highly_variable"]`` flags, all where there is no such
        column; of obs the columns of numbers; of obsm all columns.
    layer : str, optional
        A layer in place of X, or the key of obsm.
    use_raw : bool
        Of X: take the genes from ``.raw``.

    Examples
    --------
    >>> import anndata
    >>> adata = anndata.AnnData(np.eye(3), var=pd.DataFrame(index=["a", "b", "c"]))
    >>> values = autocorr_values(adata, "spatial_autocorr", genes=["c", "a"])
    >>> list(values.index), values.table.columns([0]).ravel()
    (['c', 'a'], array([0., 0., 1.]))
    """
    if attr == "X":
        return _of_genes(adata, owner, genes, layer, use_raw)
    if attr == "obs":
        return _of_obs(adata.obs, owner, genes)
    if attr == "obsm":
        return _of_obsm(adata, owner, genes, layer)
    raise ValueError(f"{owner}: attr must be one of {listed(ATTRIBUTES)}, got {shown(attr)}.")


def _of_genes(adata: Any, owner: str, genes: Any, layer: str | None, use_raw: bool) -> Values:
    """Take genes of X, of a layer or of raw; all of them without a copy."""
    table = annotated_matrix(adata, owner, layer=layer, use_raw=use_raw)
    names = pd.Index(list(table.feature_names or ()))
    if genes is not None:
        return _taken(table, names, genes, owner, "gene")
    chosen = _highly_variable(adata.var, owner)
    if use_raw:
        places = _places_in_raw(adata.var_names if chosen is None else adata.var_names[chosen], names, owner)
    elif chosen is None:
        return Values(table, names)
    else:
        places = np.flatnonzero(chosen)
    return Values(table.take_columns(places), names[places])


def _highly_variable(var: Any, owner: str) -> BoolArray | None:
    """Return the flags of the highly variable genes; None where nobody flagged any."""
    if "highly_variable" not in var:
        return None
    flags = var["highly_variable"]
    if not pd.api.types.is_bool_dtype(flags) or flags.isna().any():
        raise ValueError(
            f"{owner}: .var['highly_variable'] must be True or False for every gene, got {flags.dtype} values; name "
            "genes with genes=, or flag them again."
        )
    chosen = flags.to_numpy(dtype=np.bool_)  # also of a categorical column
    if not chosen.any():
        raise ValueError(f"{owner}: .var['highly_variable'] flags no gene; name some with genes=, or flag them again.")
    return chosen


def _places_in_raw(wanted: pd.Index[Any], names: pd.Index[Any], owner: str) -> IntArray:
    """Find genes in raw, in its order; say how many are not there."""
    places = np.flatnonzero(names.isin(wanted))
    if missing := int((~wanted.isin(names)).sum()):
        are = "is" if missing == 1 else "are"
        warn(f"{owner}: {counted(missing, 'gene')} of {wanted.size} {are} not in .raw and left out.")
    return places


def _of_obs(obs: Any, owner: str, columns: Any) -> Values:
    """Take columns of obs; by default those that hold numbers."""
    if columns is not None:
        places = _places(_index(columns), obs.columns, owner, "column of .obs")[0]
        frame = obs.iloc[:, places]
    else:
        frame = obs.select_dtypes(include=np.number)
        if not frame.shape[1]:
            raise ValueError(f"{owner}: no column of .obs holds numbers; name some with genes=, or use attr='X'.")
    return Values(_numbers(frame, owner), frame.columns)


def _of_obsm(adata: Any, owner: str, columns: Any, key: str | None) -> Values:
    """Take columns of an entry of obsm, by position, or of a data frame also by name."""
    if key is None:
        raise ValueError(f"{owner}: attr='obsm' needs layer= with a key of .obsm{_has(adata.obsm, key)}")
    table = annotated_matrix(adata, owner, obsm=key)
    named = hasattr(adata.obsm[key], "columns")
    names = pd.Index(list(table.feature_names or ())) if named else pd.RangeIndex(table.n_features)
    return Values(table, names) if columns is None else _taken(table, names, columns, owner, "column")


def _numbers(frame: Any, owner: str) -> Matrix:
    """Return columns of a data frame as numbers."""
    for name, dtype in frame.dtypes.items():
        if not pd.api.types.is_numeric_dtype(dtype):
            raise ValueError(f"{owner}: column {shown(name)} must hold numbers, got {dtype}; leave it out.")
    return as_matrix(frame.to_numpy(dtype=np.float64, na_value=np.nan), owner, feature_names=list(frame.columns))


def _taken(table: Matrix, names: pd.Index[Any], wanted: Any, owner: str, what: str) -> Values:
    places, index = _places(_index(wanted), names, owner, what)
    return Values(table.take_columns(places), index)


def _index(wanted: Any) -> pd.Index[Any]:
    """Return one name or position, or several, as an index."""
    several = [wanted] if isinstance(wanted, (str, int, np.integer)) else wanted
    if not isinstance(several, Iterable):
        raise TypeError(f"genes must be a name, a position or several of these, got {wanted!r}.")
    return pd.Index(list(several))


def _places(wanted: pd.Index[Any], names: pd.Index[Any], owner: str, what: str) -> tuple[IntArray, pd.Index[Any]]:
    """Find names, positions or a mask among the names of columns; also what the result calls them."""
    if not wanted.size:
        raise ValueError(f"{owner}: genes is empty; name at least one {what}, or leave it out.")
    if pd.api.types.is_bool_dtype(wanted) and wanted.size == names.size:
        places = np.flatnonzero(wanted)
        return places, names[places]
    if pd.api.types.is_integer_dtype(wanted):
        return _positions(wanted, names.size, owner, what), wanted
    return _named(wanted, names, owner, what), wanted


def _positions(wanted: pd.Index[Any], size: int, owner: str, what: str) -> IntArray:
    places = wanted.to_numpy(dtype=np.intp)
    if (outside := (places < -size) | (places >= size)).any():
        raise IndexError(f"{owner}: position {places[outside][0]} is outside of the {counted(size, what)}.")
    return places % size


def _named(wanted: pd.Index[Any], names: pd.Index[Any], owner: str, what: str) -> IntArray:
    """Find every name exactly once."""
    if (missing := wanted[~wanted.isin(names)]).size:
        absent = f"no {what} is named {shown(missing[0])}"
        more = f", nor {missing.size - 1} more of the {wanted.size} names" if missing.size > 1 else ""
        raise KeyError(f"{owner}: {absent}{more}{_has(list(names), missing[0])}")
    if (repeated := names[names.duplicated() & names.isin(wanted)]).size:
        raise ValueError(
            f"{owner}: several {what}s are named {shown(repeated[0])}; make names unique first "
            "(adata.var_names_make_unique())."
        )
    return np.asarray(names.get_indexer_for(wanted), dtype=np.intp)


def _has(names: Any, wanted: Any) -> str:
    """End a sentence about a missing name: near names, or those that are there."""
    known = [str(name) for name in names]
    if near := near_names(str(wanted), known):
        return f"; did you mean {' or '.join(map(shown, near))}?"
    return f"; there are {listed(known)}." if known else "; there are none."
