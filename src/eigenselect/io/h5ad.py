"""Read AnnData files as tables: X, labels and names from obs.

A file is read in three steps: another process reads it first, which may crash (`h5ad_parts.outlives`); then this one
reads the parts that a table needs (`h5ad_parts.read_parts`), or all of it by anndata if the layout is an old one; then
the structure of a sparse X is checked.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError
from eigenselect.io.arrays import LAYOUTS, checked_sparse, without_columns
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.errors import damaged, find_name, reading_as
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.memory import bounded_memory
from eigenselect.io.table import Table


def read_h5ad(path: str, source: str, roles: ColumnRoles) -> Table:
    """Read X of an AnnData file; labels are a column of its table of observations.

    X stays as it is stored, dense or sparse. The names of samples are a column of ``obs`` that ``roles`` name, or its
    index. Layers, raw counts, embeddings and graphs are not read.

    Raises
    ------
    InputError
        If anndata is not installed, or the file is damaged, points to other files, does not fit into memory, or holds
        no matrix X with a row for each of ``obs`` and a column for each of ``var``.
    """
    try:
        from eigenselect.io.h5ad_parts import outlives
    except ImportError:
        raise InputError(f"{source}: h5ad needs anndata; pip install 'eigenselect[anndata]'.") from None
    with bounded_memory(), reading_as("h5ad", source):
        if not outlives(path):
            raise damaged(source, "h5ad")
        X, features, observations = _read_inside(path, source, roles)
    _check_shape(X, features, observations, source)
    labels, names = (_observed(observations, column, source) for column in (roles.label, roles.samples))
    table = Table(
        X,
        features,
        None if labels is None else labels_of(labels, str(roles.label), source),
        () if labels is None else tuple(missing_by_name(labels)),
        text_of(observations.index.to_series()) if names is None else names,
        labels,
    )
    return without_columns(table, roles, source)


def _read_inside(path: str, source: str, roles: ColumnRoles) -> tuple[Any, tuple[str, ...], pd.DataFrame]:
    """Read what the file itself holds; refuse data in other files."""
    from eigenselect.io.h5ad_parts import OutsideError

    try:
        return _read(path, source, roles)
    except OutsideError:
        raise InputError(
            f"{source}: points to data in another file, which is never followed; save everything in one file "
            "(adata.to_memory().write_h5ad)."
        ) from None


def _read(path: str, source: str, roles: ColumnRoles) -> tuple[Any, tuple[str, ...], pd.DataFrame]:
    """Read X, names of features, and the asked columns of obs with the names of samples as index."""
    from eigenselect.io.h5ad_parts import UnknownLayoutError, read_parts

    asked = [column for column in (roles.label, roles.samples) if column is not None]
    try:
        parts = read_parts(path, asked)
    except UnknownLayoutError:
        return _read_by_anndata(path, source)
    index = pd.Index(parts.samples, name=None if parts.index_name == "_index" else parts.index_name)
    columns = {name: _series(parts.columns[name]) if name in asked else None for name in parts.column_names}
    observations = pd.DataFrame(columns, index=range(len(index)))
    return _matrix(parts.matrix, parts.layout, source), _names(parts.features), observations.set_axis(index)


def _names(values: Any) -> tuple[str, ...]:
    return tuple(map(str, values))


def _matrix(parts: dict[str, Any], layout: str, source: str) -> Any:
    """Make X of its parts; check all of a sparse one."""
    if layout == "none":
        raise InputError(f"{source}: holds no matrix X.")
    if layout == "dense":
        return parts["X"]
    if layout not in LAYOUTS:
        raise damaged(source, "h5ad")
    return checked_sparse(parts["data"], parts["indices"], parts["indptr"], parts["shape"], layout, source)


def _series(parts: dict[str, Any]) -> pd.Series:
    """Make a column of categories and codes (-1 is missing), of values and a mask, or of values."""
    if "codes" in parts:
        return pd.Series(pd.Categorical.from_codes(parts["codes"], parts["categories"]))
    values = pd.Series(parts["values"])
    return values.mask(parts["mask"]) if "mask" in parts else values


def _read_by_anndata(path: str, source: str) -> tuple[Any, tuple[str, ...], pd.DataFrame]:
    """Read the same by way of anndata, which knows the layouts of its old versions."""
    import anndata

    from eigenselect.io.h5ad_parts import refuse_outside

    refuse_outside(path)
    data = anndata.read_h5ad(path)
    X = data.X
    if X is None:
        raise InputError(f"{source}: holds no matrix X.")
    if getattr(X, "format", None) in LAYOUTS:
        X = checked_sparse(X.data, X.indices, X.indptr, X.shape, X.format, source)
    return X, _names(data.var_names), data.obs


def _check_shape(X: Any, features: tuple[str, ...], observations: pd.DataFrame, source: str) -> None:
    """Refuse an X that is no real matrix of observations and variables."""
    if getattr(X, "ndim", 0) != 2 or X.dtype.kind not in "buif" or X.shape != (len(observations), len(features)):
        raise InputError(
            f"{source}: X must be a matrix of real numbers with a row for each of {len(observations)} observations and "
            f"a column for each of {len(features)} variables."
        )


def _observed(observations: pd.DataFrame, column: str | None, source: str) -> AnyArray | None:
    """Take a column of the table of observations, or its index, as text."""
    if column is None:
        return None
    if column == observations.index.name and column not in observations:
        return text_of(observations.index.to_series())
    return text_of(observations[find_name(column, list(map(str, observations.columns)), source, "column of obs")])
