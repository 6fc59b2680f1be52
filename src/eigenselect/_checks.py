"""Tables that no selector takes are refused at once, in words that say what to do, before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect.exceptions import shown

#: containers by the package that they come from, none of which is imported, and what to give instead
OTHER_TABLES = {
    "anndata": ("an AnnData", "give adata.to_df(), or adata.X with the names of adata.var_names"),
    "mudata": ("a MuData", "give the table of one modality, mdata.mod[name].to_df()"),
    "dask": ("a Dask collection", "give X.compute()"),
    "dask_expr": ("a Dask collection", "give X.compute()"),
}
#: offending columns that an error names
NAMED = 3


def check_table(X: Any, owner: str) -> None:
    """Refuse AnnData and Dask, and frames with columns that hold no numbers.

    Parameters
    ----------
    X : any
        What `fit` was given.
    owner : str
        Who speaks.
    """
    refuse_other_tables(X, owner)
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        _check_columns(X, owner)


def any_finite_size() -> np.errstate:
    """Within, scikit-learn checks tables of any size: the sum by which it knows finite values may overflow."""
    return np.errstate(over="ignore", invalid="ignore")


def refuse_other_tables(X: Any, owner: str) -> None:
    """Refuse AnnData and Dask, before minutes of work end in numpy's words."""
    for kind in type(X).__mro__:
        if (found := OTHER_TABLES.get(kind.__module__.partition(".")[0])) is not None:
            what, instead = found
            raise TypeError(f"{owner}: X must be an array, data frame or sparse matrix, got {what}; {instead}.")


def _check_columns(X: Any, owner: str) -> None:
    dtypes = list(X.dtypes)
    bad = [place for place, dtype in enumerate(dtypes) if _doubtful(dtype) and not _holds_numbers(X, place, dtype)]
    if not bad:
        return
    columns = list(X.columns)
    named = ", ".join(f"{shown(columns[place])} ({dtypes[place]})" for place in bad[:NAMED])
    more = ", …" if len(bad) > NAMED else ""
    raise ValueError(
        f"{owner}: X must hold numbers, got something else in {len(bad)} of {len(dtypes)} columns: {named}{more}; "
        "leave them out, or make numbers of them (OneHotEncoder, OrdinalEncoder)."
    )


def _doubtful(dtype: Any) -> bool:
    """Whether a column of this type may hold something else than numbers; polars' types know, numpy's have a kind."""
    if hasattr(dtype, "is_numeric"):
        return not dtype.is_numeric() and str(dtype) not in ("Boolean", "Null")
    return getattr(dtype, "kind", "O") not in "biufc"


def _holds_numbers(X: Any, place: int, dtype: Any) -> bool:
    """Whether the values become numbers nevertheless: Python numbers in a column of objects, numeric categories."""
    if getattr(dtype, "kind", "") in "mM" or not hasattr(X, "iloc"):
        return False
    try:
        X.iloc[:, place].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return False
    return True
