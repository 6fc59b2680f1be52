"""The door for X: what users give becomes a `Matrix`, or one sentence says why it cannot."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from eigenselect._typing import Names
from eigenselect.exceptions import agreeing, listed, shown, within
from eigenselect.matrix.annotated import annotated_matrix, is_annotated
from eigenselect.matrix.backed import BackedMatrix
from eigenselect.matrix.base import Matrix, only_counts
from eigenselect.matrix.dask_input import dask_matrix, is_dask
from eigenselect.matrix.number_types import kept_type, warn_if_rounded, wide_columns
from eigenselect.matrix.sparse import SparseMatrix
from eigenselect.matrix.stored import is_stored
from eigenselect.matrix.value_range import check_range, is_surely_in_range

#: containers by the package that they come from, none of which is imported, and what to give instead
OTHER_TABLES = {
    "mudata": ("a MuData", "give one modality, mdata.mod[name], or use the verbs of eigenselect.pp"),
    "spatialdata": ("a SpatialData", "give one of its tables, sdata.tables[name], or use the verbs of eigenselect.pp"),
}
#: offending columns that an error names
NAMED = 3


def opened(X: Any, owner: str, what: str = "X") -> Any:
    """Return what holds a table elsewhere than in memory as a `Matrix`; arrays, frames and sparse matrices as they are.

    A table of pyarrow becomes a frame. This is the place for one more storage: its line here, and a subclass of
    `Matrix`.

    Parameters
    ----------
    X : AnnData, Dask array, or array or group of h5py or zarr
        A group holds a sparse matrix as anndata writes it. Nothing is loaded.
    owner : str
        Who speaks in errors.
    what : str
        What the parameter is called.
    """
    if isinstance(X, Matrix | np.ndarray) or sparse.issparse(X):
        return X
    if is_annotated(X):
        return annotated_matrix(X, owner or "AnnData")
    if is_arrow(X):
        return X.to_pandas()
    called = f"{owner}: {what}" if owner else what
    if is_dask(X):
        return dask_matrix(X, called)
    return BackedMatrix.of(X, called) if is_stored(X) else X


def as_matrix(
    X: Any, owner: str = "", *, sample_names: Names | None = None, feature_names: Names | None = None
) -> Matrix:
    """Wrap a table that is known to be sound; a `Matrix` stays what it is, with these names if some are given.

    Parameters
    ----------
    X : Matrix, array, memory map, sparse matrix, data frame, AnnData, Dask array or array of h5py or zarr
    owner : str, optional
        Who speaks where X has not two dimensions.
    sample_names, feature_names : sequence, optional
        By default those of an AnnData, or of a data frame, if these do not only count.
    """
    X = opened(X, owner)
    if isinstance(X, Matrix):
        given = sample_names is not None or feature_names is not None
        return X.named(sample_names=sample_names, feature_names=feature_names) if given else X
    table = X if sparse.issparse(X) else np.asarray(X)
    if table.ndim != 2:
        who = f"{owner}: " if owner else ""
        raise ValueError(f"{who}expected a table of samples and features, got shape {table.shape}.")
    columns, index = frame_names(X)
    names = {
        "sample_names": index if sample_names is None else sample_names,
        "feature_names": columns if feature_names is None else feature_names,
    }
    return SparseMatrix(table, **names) if sparse.issparse(table) else Matrix(table, **names)


def read_input(
    X: Any,
    owner: str,
    estimator: Any = None,
    *,
    what: str = "X",
    min_samples: int = 2,
    sample_names: Names | None = None,
    feature_names: Names | None = None,
    repeated_names: bool = False,
) -> Matrix:
    """Check a user's table and wrap it: numbers in range, of their own type, sparse ones in canonical CSR or CSC.

    Floats, integers and booleans stay what they are (see `eigenselect.matrix.number_types`); who computes widens parts.

    Parameters
    ----------
    X : array, data frame, sparse matrix, memory map, AnnData, Dask array, array or group of h5py or zarr, or Matrix
        A `Matrix` brings names for messages along with any storage.
    owner : str
        Who speaks in errors.
    estimator : estimator, optional
        Gets ``n_features_in_`` and ``feature_names_in_``, as scikit-learn sets them.
    what : str
        What the parameter is called.
    min_samples : int
    sample_names, feature_names : sequence, optional
        For messages; by default those of a data frame.
    repeated_names : bool
        Take frames in which features have equal names (several probes of a gene), which scikit-learn refuses.
    """
    given = opened(X, owner, what)
    stored = given if isinstance(given, Matrix) else None  # it knows the chunks of the file
    given = given.out_of_small_file() if isinstance(given, Matrix) else given
    if isinstance(given, Matrix) and not given.in_memory:
        table = _checked_in_blocks(given, owner, estimator, what, min_samples)
    else:
        table = _checked_in_memory(given, owner, estimator, what, min_samples, repeated_names, stored)
    is_float = getattr(getattr(X, "dtype", None), "kind", "") == "f"
    if table.in_memory and not (is_float or isinstance(X, Matrix)):  # a Matrix was looked at when it was read
        warn_if_rounded(table, owner, what, wide_columns(given.raw if isinstance(given, Matrix) else given))
    if estimator is not None and isinstance(given, Matrix) and is_annotated(X):
        learn_names(estimator, given)
    if sample_names is None and feature_names is None:
        return table
    return table.named(  # a range that was given is no count
        sample_names=None if sample_names is None else list(sample_names),
        feature_names=None if feature_names is None else list(feature_names),
    )


def _checked_in_memory(
    X: Any,
    owner: str,
    estimator: Any,
    what: str,
    min_samples: int,
    repeated_names: bool,
    stored: Matrix | None = None,
) -> Matrix:
    """Check a table in memory with scikit-learn's checks, which set what an estimator has learned of it."""
    if isinstance(X, Matrix):
        table, columns, index = X.raw, X.feature_names, X.sample_names
    else:
        refuse_other_tables(X, owner, what)
        table, (columns, index) = X, frame_names(X)
    if hasattr(table, "columns") and hasattr(table, "dtypes"):
        _check_columns(table, owner, what)
    _refuse_other_types(table, owner, what)
    if hasattr(table, "iloc") and hasattr(table, "columns") and not table.columns.is_unique:
        if not repeated_names:
            twice = table.columns[table.columns.duplicated()].unique()
            raise ValueError(
                f"{owner}: {what} must have a name for each column, got "
                f"{agreeing(len(twice), f'{len(twice)} name[|s] that [stands|stand]')} more than once "
                f"({listed(twice, most=3)}); rename them, or keep the first, X.loc[:, ~X.columns.duplicated()]."
            )
        table = table.to_numpy()
    options: dict[str, Any] = {
        "accept_sparse": ["csr", "csc"], "dtype": _asked_type(table), "ensure_min_samples": min_samples,
    }  # fmt: skip
    if estimator is None:
        checked = check_array(table, input_name=what, ensure_all_finite=False, **options)
    else:
        checked = validate_data(estimator, table, ensure_all_finite=False, **options)
    if checked.dtype not in (np.float64, np.float32):
        checked = checked.astype(kept_type(checked.dtype), copy=False)
    kept = as_matrix(checked, sample_names=index, feature_names=columns)
    if not is_surely_in_range(kept, getattr(estimator, "n_jobs", 1)):
        check_range(kept, owner, what, stored)
    return kept


def _refuse_other_types(table: Any, owner: str, what: str) -> None:
    """Refuse masked values, which scikit-learn takes for numbers, and records and times; it refuses complex numbers."""
    if isinstance(table, np.ma.MaskedArray) and np.ma.is_masked(table):
        raise ValueError(f"{owner}: {what} must have no masked values, got {int(table.mask.sum())}; fill or drop them.")
    dtype = getattr(table, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "VmM":
        kind = "records" if dtype.names else "times" if dtype.kind in "mM" else "raw bytes"
        raise ValueError(
            f"{owner}: {what} must hold numbers, got {kind} ({within(str(dtype), 60)}); give one plain table."
        )


def _asked_type(table: Any) -> Any:
    """Return the type that scikit-learn shall make of a table: none but its own where that is of numbers.

    Python numbers in a list or an array of objects become float64, and text is read as numbers, as before.
    """
    dtype = getattr(table, "dtype", None)
    own = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
    return None if own else "numeric" if hasattr(table, "dtypes") else [np.float64, np.float32]


def _checked_in_blocks(X: Matrix, owner: str, estimator: Any, what: str, min_samples: int) -> Matrix:
    """Check a table that is not in memory without loading it: scikit-learn's checks would."""
    if X.n_samples < min_samples:
        raise ValueError(f"{owner}: {what} must have at least {min_samples} samples, got {X.n_samples}.")
    if not X.n_features:
        raise ValueError(f"{owner}: {what} must have features, got shape {X.shape}.")
    X.check_later(partial(check_range, X, owner, what))
    if estimator is not None:
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
        estimator.n_features_in_ = X.n_features
    return X


def finite_table(X: Any, owner: str) -> Matrix:
    """Wrap the table of a one-off function; refuse what has not two dimensions, or values out of range."""
    table = as_matrix(X, owner)
    table.check_later(partial(check_range, table, owner, "the table of features"))
    return table


def refuse_other_tables(X: Any, owner: str, what: str = "X") -> None:
    """Refuse containers of several tables and Dask, before minutes of work end in numpy's words."""
    for kind in type(X).__mro__:
        if (found := OTHER_TABLES.get(kind.__module__.partition(".")[0])) is not None:
            kind_of_table, instead = found
            raise TypeError(
                f"{owner}: {what} must be an array, data frame or sparse matrix, got {kind_of_table}; {instead}."
            )


def learn_names(estimator: Any, table: Matrix) -> None:
    """Set the names of the features of a fit as scikit-learn does for frames."""
    estimator.feature_names_in_ = np.asarray(table.feature_names, dtype=object)


def feature_names_of(X: Any) -> list[Any] | None:
    """Return the names of the features of a frame, an AnnData or a `Matrix`; None where there are none."""
    names = X.feature_names if isinstance(X, Matrix) else X.var_names if is_annotated(X) else frame_names(X)[0]
    return None if names is None else list(names)


def sample_names_of(X: Any) -> list[Any] | None:
    """Return the names of the samples of a frame, a series, an AnnData or a `Matrix`; None where they only count."""
    if isinstance(X, np.ndarray | list):
        return None
    names = X.sample_names if isinstance(X, Matrix) else X.obs_names if is_annotated(X) else frame_names(X)[1]
    return None if names is None or only_counts(names) else list(names)


def check_order(there: Names | None, here: Names | None, owner: str, what: str) -> None:
    """Refuse labels or tables that name samples of X at other places: rows are matched by their place.

    Names that X does not have say nothing.

    >>> check_order(["t", "s"], ["s", "t"], "SPEC", "y")
    Traceback (most recent call last):
    ValueError: SPEC: y must have the samples of X in the same order, got their names in another one; sort it as X.
    """
    if there is None or here is None or len(there) != len(here):
        return
    theirs, mine = list(there), list(here)
    known = set(mine)
    if theirs != mine and any(name in known and name != place for name, place in zip(theirs, mine, strict=True)):
        raise ValueError(
            f"{owner}: {what} must have the samples of X in the same order, got their names in another one; sort it "
            "as X."
        )


def is_arrow(X: Any) -> bool:
    """Whether something is a table or a batch of records of pyarrow, which is not imported here."""
    return type(X).__module__ == "pyarrow.lib" and hasattr(X, "column_names")


def frame_names(X: Any) -> tuple[Any, Any]:
    """Return the columns of a data frame and its index, a range where they only count; None for what is no frame."""
    if is_arrow(X):
        return X.column_names, None
    return _given(getattr(X, "columns", None)), _given(getattr(X, "index", None))


def _given(names: Any) -> Any:
    """Return names as a list, but a count as it is: a pandas RangeIndex has a step, a list's index is a method."""
    if names is None or callable(names) or hasattr(names, "step"):
        return None if callable(names) else names
    return list(names)


def _check_columns(X: Any, owner: str, what: str) -> None:
    """Refuse frames with columns that hold no numbers."""
    dtypes = list(X.dtypes)
    bad = [place for place, dtype in enumerate(dtypes) if _doubtful(dtype) and not _holds_numbers(X, place, dtype)]
    if not bad:
        return
    columns = list(X.columns)
    named = ", ".join(f"{shown(columns[place])} ({dtypes[place]})" for place in bad[:NAMED])
    more = ", …" if len(bad) > NAMED else ""
    raise ValueError(
        f"{owner}: {what} must hold numbers, got something else in {len(bad)} of {len(dtypes)} columns: {named}{more}; "
        f"leave {agreeing(len(bad), '[it|them]')} out, or make numbers of {agreeing(len(bad), '[it|them]')} "
        "(OneHotEncoder, OrdinalEncoder)."
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
