"""Checks of parameters, each with one sentence: who, what was expected, what was got, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from eigenselect.exceptions import shown


def is_whole(value: Any) -> bool:
    """Tell integers, also numpy's, from everything else; booleans are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell real numbers, also numpy's, from everything else; booleans are none."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def whole(
    value: Any,
    name: str,
    owner: str,
    *,
    low: int = 1,
    high: int | None = None,
    expected: str | None = None,
    advice: str = "",
) -> int:
    """Return an integer from ``low`` to ``high``, or refuse what is none.

    Parameters
    ----------
    value : any
    name, owner : str
        What the parameter is called, and who takes it.
    low, high : int
        Smallest and largest value; no largest if None.
    expected : str, optional
        What the sentence calls such numbers, if there is something better than "an integer from 1 to 9".
    advice : str
        What to do, for the end of the sentence.

    Examples
    --------
    >>> whole(0, "n_neighbors", "KNN")
    Traceback (most recent call last):
    ValueError: KNN: n_neighbors must be a positive integer, got 0.
    """
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    raise _refused(value, name, owner, expected or _whole_numbers(low, high), advice)


def whole_or_none(value: Any, name: str, owner: str, *, low: int = 1, high: int | None = None) -> int | None:
    """Return None or an integer from ``low`` to ``high``, or refuse what is neither."""
    if value is None or (is_whole(value) and low <= value and (high is None or value <= high)):
        return None if value is None else int(value)
    raise _refused(value, name, owner, f"{_whole_numbers(low, high)} or None")


def number(
    value: Any,
    name: str,
    owner: str,
    *,
    low: float = 0.0,
    closed: bool = False,
    expected: str = "a positive number",
    advice: str = "",
) -> float:
    """Return a finite number above a limit, or at it if ``closed``; refuse others, ``expected`` says which."""
    if is_number(value) and (low < value or (closed and low == value)) and value < np.inf:
        return float(value)
    raise _refused(value, name, owner, expected, advice)


def share(
    value: Any,
    name: str,
    owner: str,
    *,
    zero: bool = True,
    one: bool = True,
    expected: str | None = None,
    advice: str = "",
) -> float:
    """Return a number between 0 and 1, or refuse what is none.

    ``zero`` and ``one`` say whether the ends are allowed, ``expected`` what the sentence calls such numbers.

    >>> share(1.5, "threshold", "near_copies", zero=False)
    Traceback (most recent call last):
    ValueError: near_copies: threshold must be a number above 0 and up to 1, got 1.5.
    """
    if is_number(value) and (value >= 0 if zero else value > 0) and (value <= 1 if one else value < 1):
        return float(value)
    words = {
        (True, True): "a number from 0 to 1",
        (False, True): "a number above 0 and up to 1",
        (True, False): "a number from 0 to below 1",
        (False, False): "a number between 0 and 1",
    }
    raise _refused(value, name, owner, expected or words[zero, one], advice)


def choice(
    value: Any,
    name: str,
    owner: str,
    choices: Sequence[str],
    *,
    none: bool = False,
    other: str = "",
    advice: str = "",
) -> str | None:
    """Return one of the names that a parameter may have, or refuse what is none.

    ``none`` says whether None is allowed, ``other`` what else the caller takes, for the sentence.

    >>> choice("phi4", "ranking", "SPEC", ["phi1", "phi2", "phi3"])
    Traceback (most recent call last):
    ValueError: SPEC: ranking must be one of 'phi1', 'phi2', 'phi3', got 'phi4'.
    """
    if (none and value is None) or (isinstance(value, str) and value in choices):
        return value
    names = [repr(each) for each in choices]
    expected = " or ".join(names) if len(names) < 3 else f"one of {', '.join(names)}"
    more = [" or None"] * none + [f" or {other}"] * bool(other)
    raise _refused(value, name, owner, "".join([expected, *more]), advice)


def _whole_numbers(low: int, high: int | None) -> str:
    if high is not None:
        return f"an integer from {low} to {high}"
    return "a positive integer" if low == 1 else f"an integer of at least {low}"


def _refused(value: Any, name: str, owner: str, expected: str, advice: str = "") -> ValueError:
    advice = f"; {advice}" if advice else ""
    return ValueError(f"{owner}: {name} must be {expected}, got {value!r}{advice}.")


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
