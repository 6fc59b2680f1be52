"""Read AnnData files as tables: X, a layer or raw, labels and names from obs, a graph of obsp.

A file is read in three steps: another process reads it first, which may crash (`h5ad_parts.outlives`); then this one
reads the parts that a table needs (`h5ad_parts.read_parts`), or all of it by anndata if the layout is an old one; then
the structure of a sparse X is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, shown
from eigenselect.io.arrays import LAYOUTS, checked_sparse, without_columns
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.errors import damaged, find_name, reading_as
from eigenselect.io.hdf5 import naming_parts
from eigenselect.io.labels import labels_of, text_of
from eigenselect.io.memory import bounded_memory
from eigenselect.io.origin import Origin
from eigenselect.io.request import AnnotatedParts, Request
from eigenselect.io.table import Table
from eigenselect.matrix.planes import PLANES, planes

if TYPE_CHECKING:
    from eigenselect.io.h5ad_parts import Wanted


def read_h5ad(path: str, source: str, request: Request, root: str = "/") -> Table:
    """Read X of an AnnData file; labels are a column of its table of observations.

    X stays as it is stored, dense or sparse; ``request.parts`` names a layer or raw in its place, and the matrix of
    ``obsp`` that becomes `Table.graph`. The names of samples are a column of ``obs`` that the roles name, or its index.
    Of ``obsm``, places of the samples are read for pictures; nothing else is.

    Parameters
    ----------
    path : str
    source : str
        What messages call the file.
    request : Request
    root : str
        The group that holds the annotated table: ``/``, or that of a modality.

    Raises
    ------
    InputError
        If anndata is not installed, or the file is damaged, points to other files, does not fit into memory, has no
        such layer, graph or coordinates, or holds no matrix X with a row for each of ``obs`` and a column for each of
        ``var``.
    """
    try:
        from eigenselect.io.h5ad_parts import Wanted, outlives
    except ImportError:
        raise InputError(f"{source}: h5ad needs anndata; pip install 'eigenselect[anndata]'.") from None
    parts, roles = request.parts, request.roles
    check_parts(parts, source)
    wanted = Wanted(root, parts.layer, parts.raw, parts.obsp, PLANES, parts.obsm)
    kind = _kind(wanted)
    with bounded_memory(), reading_as(kind, source):
        if not outlives(path, wanted):
            raise damaged(source, kind)
        with naming_parts(source):
            content = _read(path, source, roles, wanted)
    _check_shape(content, _called(wanted), source)
    check_places(content.places, len(content.observations), source)
    labels, names = (_observed(content.observations, column, source) for column in (roles.label, roles.samples))
    table = Table(
        content.X,
        content.features,
        None if labels is None else labels_of(labels, str(roles.label), source),
        (),
        text_of(content.observations.index.to_series()) if names is None else names,
        labels,
        graph=content.graph,
        origin=Origin(path, "h5ad", wanted),
        coordinates=planes(content.planes, len(content.observations)),
        places=content.places,
        records=content.records,
        clusterings=_clusterings(content),
    )
    return without_columns(table, roles, source)


@dataclass(frozen=True)
class _Content:
    """What a table is made of.

    ``observations`` has the names of samples as index, the asked columns, and those that ``records`` are about.
    """

    X: Any
    features: tuple[str, ...]
    observations: pd.DataFrame
    graph: Any = None
    planes: Mapping[str, Any] = field(default_factory=dict)
    places: Any = None
    records: Mapping[str, Any] = field(default_factory=dict)


def check_parts(parts: AnnotatedParts, source: str) -> None:
    """Refuse two matrices at once, and distances where similarities are meant."""
    if parts.raw and parts.layer is not None:
        raise InputError(f"{source}: a layer and raw are two matrices; name one of --layer and --raw.")
    if parts.obsp is not None and parts.obsp.endswith("distances"):
        instead = parts.obsp.removesuffix("distances") + "connectivities"
        raise InputError(
            f"{source}: {shown(parts.obsp)} of obsp holds distances, which are large where samples are not alike; use "
            f"--obsp {instead}."
        )


def _kind(wanted: Wanted) -> str:
    """Say which format the file has: an annotated table within another group is one of several."""
    return "h5ad" if wanted.root == "/" else "h5mu"


def _called(wanted: Wanted) -> str:
    """Say which matrix is read, in words of AnnData's users."""
    return "raw.X" if wanted.raw else "X" if wanted.layer is None else f"the layer {shown(wanted.layer)}"


def _read(path: str, source: str, roles: ColumnRoles, wanted: Wanted) -> _Content:
    """Read the matrix, names of features, the asked columns of obs with the names of samples as index, and a graph."""
    from eigenselect.io.h5ad_parts import UnknownLayoutError, read_parts

    asked = [column for column in (roles.label, roles.samples) if column is not None]
    try:
        parts = read_parts(path, asked, wanted)
    except UnknownLayoutError:
        if wanted.root != "/":  # anndata reads whole files only
            raise
        return _read_by_anndata(path, source, wanted)
    index = pd.Index(parts.samples, name=None if parts.index_name == "_index" else parts.index_name)
    read = parts.columns
    columns = {name: _series(read[name]) if name in read else None for name in parts.column_names}
    observations = pd.DataFrame(columns, index=range(len(index)))
    graph = None if wanted.graph is None else _matrix(parts.graph, parts.graph_layout, source, shown(wanted.graph))
    X = _matrix(parts.matrix, parts.layout, source, _called(wanted))
    places = None if wanted.places is None else _places(parts, source, wanted.places)
    observations = observations.set_axis(index)
    return _Content(X, _names(parts.features), observations, graph, parts.planes, places, parts.records)


def _clusterings(content: _Content) -> pd.DataFrame | None:
    """Take the columns of obs that have a record of their own name, as text; None where there are none."""
    read = [name for name in content.observations if name in content.records]
    return pd.DataFrame({name: text_of(content.observations[name]) for name in read}) if read else None


def _places(parts: Any, source: str, name: str) -> Any:
    """Take coordinates; a data frame in obsm has names and kinds of columns, which this does not read."""
    if parts.places_layout not in ("dense", "none", *LAYOUTS):
        raise no_array(name, source)
    return _matrix(parts.places, parts.places_layout, source, shown(name))


def no_array(name: str, source: str) -> InputError:
    """Make the error of coordinates in a data frame, or in anything else that is no array."""
    return InputError(
        f"{source}: {shown(name)} of obsm is no array; store it as one (adata.obsm[{name!r}].to_numpy())."
    )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(map(str, values))


def _matrix(parts: dict[str, Any], layout: str, source: str, called: str) -> Any:
    """Make a matrix of its parts; check all of a sparse one."""
    if layout == "none":
        raise InputError(f"{source}: holds no matrix {called}.")
    if layout == "dense":
        return parts["X"]
    if layout not in LAYOUTS:
        raise ValueError("a layout that is not known")
    return checked_sparse(parts["data"], parts["indices"], parts["indptr"], parts["shape"], layout, source)


def text_of_parts(parts: dict[str, Any]) -> AnyArray:
    """Write a column that was read as text, as labels are."""
    return text_of(_series(parts))


def _series(parts: dict[str, Any]) -> pd.Series:
    """Make a column of categories and codes (-1 is missing), of values and a mask, or of values."""
    if "codes" in parts:
        return pd.Series(pd.Categorical.from_codes(parts["codes"], parts["categories"]))
    values = pd.Series(parts["values"])
    return values.mask(parts["mask"]) if "mask" in parts else values


def column_text(obs: Any, name: str) -> AnyArray:
    """Read a column of a table in a file as text, as labels are read."""
    from eigenselect.io.h5ad_parts import read_column

    return text_of(_series(read_column(obs, name)))


def _read_by_anndata(path: str, source: str, wanted: Wanted) -> _Content:
    """Read the same by way of anndata, which knows the layouts of its old versions."""
    try:
        import anndata
    except ImportError:
        raise InputError(
            f"{source}: has the layout of an old version, which needs anndata; pip install 'eigenselect[anndata]'."
        ) from None

    from eigenselect.io.h5ad_parts import AbsentError, refuse_outside

    refuse_outside(path)
    data = anndata.read_h5ad(path)
    for what, name, known in (
        ("layer", wanted.layer, data.layers),
        ("graph of obsp", wanted.graph, data.obsp),
        ("entry of obsm", wanted.places, data.obsm),
    ):
        if name is not None and name not in known:
            raise AbsentError(what, name, list(known))
    if wanted.raw and data.raw is None:
        raise AbsentError("raw", "raw")
    held = data.raw if wanted.raw else data
    X = held.X if wanted.layer is None else data.layers[wanted.layer]
    if X is None:
        raise InputError(f"{source}: holds no matrix X.")
    graph = None if wanted.graph is None else _checked(data.obsp[wanted.graph], source)
    places = None if wanted.places is None else _checked(data.obsm[wanted.places], source)
    records = {name: record for name, record in data.uns.items() if isinstance(record, Mapping) and "params" in record}
    return _Content(_checked(X, source), _names(held.var_names), data.obs, graph, data.obsm, places, records)


def _checked(matrix: Any, source: str) -> Any:
    """Check a sparse matrix that anndata has read."""
    if getattr(matrix, "format", None) not in LAYOUTS:
        return matrix
    return checked_sparse(matrix.data, matrix.indices, matrix.indptr, matrix.shape, matrix.format, source)


def _check_shape(content: _Content, called: str, source: str) -> None:
    """Refuse an X that is no real matrix of observations and variables, and a graph of other samples."""
    n_samples, n_features = len(content.observations), len(content.features)
    if not _is_matrix(content.X, (n_samples, n_features)):
        raise InputError(
            f"{source}: {called} must be a matrix of real numbers with a row for each of {n_samples} observations and "
            f"a column for each of {n_features} variables."
        )
    check_graph(content.graph, n_samples, source)


def check_graph(graph: Any, n_samples: int, source: str) -> None:
    """Refuse a graph that is no matrix of real numbers, one row and one column for each observation."""
    if graph is not None and not _is_matrix(graph, (n_samples, n_samples)):
        raise InputError(
            f"{source}: a graph of obsp must be a matrix of real numbers with a row and a column for each of "
            f"{n_samples} observations."
        )


def check_places(places: Any, n_samples: int, source: str) -> None:
    """Refuse coordinates that are no real numbers, one row for each observation."""
    if places is not None and not _is_matrix(places, (n_samples, *getattr(places, "shape", ())[1:])):
        raise InputError(
            f"{source}: coordinates of obsm must be a matrix of real numbers with a row for each of {n_samples} "
            "observations."
        )


def _is_matrix(values: Any, shape: tuple[int, ...]) -> bool:
    return getattr(values, "ndim", 0) == 2 and values.dtype.kind in "buif" and values.shape == shape


def _observed(observations: pd.DataFrame, column: str | None, source: str) -> AnyArray | None:
    """Take a column of the table of observations, or its index, as text."""
    if column is None:
        return None
    if column == observations.index.name and column not in observations:
        return text_of(observations.index.to_series())
    return text_of(observations[find_name(column, list(map(str, observations.columns)), source, "column of obs")])
