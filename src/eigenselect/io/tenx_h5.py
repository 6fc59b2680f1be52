"""Read HDF5 files of 10x Genomics as tables: cells in rows, genes in columns, counts as they are stored.

Other files with the ending h5 are plain HDF5, or of a kind that has another reader, which is then named.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.arrays import checked_sparse, without_columns
from eigenselect.io.errors import find_name
from eigenselect.io.hdf5 import needs_h5py, read_hdf5
from eigenselect.io.hdf5_arrays import read_hdf5_arrays
from eigenselect.io.inner import chosen
from eigenselect.io.request import Request
from eigenselect.io.table import Table
from eigenselect.io.tenx import refuse_columns
from eigenselect.io.tenx_names import Features
from eigenselect.io.transposed import transposed_table

if TYPE_CHECKING:
    from eigenselect.io.tenx_h5_parts import CountParts

#: parts by which other HDF5 files are known, and what to do with them
OTHERS = (
    ({"mod"}, "it looks like MuData, so name the format with --format h5mu"),
    ({"obs", "var"}, "it looks like AnnData, so name the format with --format h5ad"),
    ({"row_attrs", "col_attrs"}, "it looks like loom, so name the format with --format loom"),
    ({"barcode_idx"}, "it lists molecules; take filtered_feature_bc_matrix.h5 of the same run"),
)


def read_tenx_h5(path: str, source: str, request: Request) -> Table:
    """Read a matrix of counts that Cell Ranger has written, version 2 or 3, or else the table of a plain HDF5 file.

    ``request.inner`` names a genome, or in version 3 a kind of features such as Antibody Capture. Without it,
    antibodies and other features that are no genes are left out, genes of all genomes are read from version 3, and
    those of the first genome from version 2; `Table.notes` say so.

    Raises
    ------
    InputError
        If h5py is not installed, the file is damaged or of another kind, or labels are asked for in one of 10x.

    See Also
    --------
    eigenselect.io.hdf5_arrays.read_hdf5_arrays
    """
    try:
        from eigenselect.io.tenx_h5_parts import OtherContentError, read_count_parts
    except ImportError:
        raise needs_h5py(source, "h5") from None
    try:
        parts = read_hdf5(path, source, "h5", read_count_parts, table=request.inner)
    except InputError as error:
        if not isinstance(error.__cause__, OtherContentError):
            raise
        _refuse_known(source, error.__cause__.names)
        return read_hdf5_arrays(path, source, request)
    refuse_columns(request, source, "labels and other names")
    n_genes, n_cells = _sizes(parts, source)
    matrix = parts.matrix
    X = checked_sparse(matrix["data"], matrix["indices"], matrix["indptr"], (n_cells, n_genes), "csr", source)
    X, names, notes = _features_of(X, parts, source, request.inner)
    samples = np.array([str(name) for name in parts.barcodes], dtype=object)
    table = without_columns(Table(X, names, notes=tuple(notes), sample_names=samples), request.roles, source)
    return transposed_table(table, source, "h5") if request.transpose else table


def _refuse_known(source: str, names: Collection[str]) -> None:
    """Refuse an HDF5 file of another known kind, and say which it may be."""
    found = [hint for known, hint in OTHERS if known <= set(names)]
    if found:
        raise InputError(
            f"{source}: is HDF5, but holds no matrix of 10x Genomics (a group 'matrix' with 'features'); {found[0]}."
        )


def _sizes(parts: CountParts, source: str) -> tuple[int, int]:
    """Give the numbers of genes and cells, which the names must have, too."""
    shape = np.asarray(parts.matrix["shape"]).ravel()
    if [*shape.tolist()] != [len(parts.names), len(parts.barcodes)] or len(parts.ids) != len(parts.names):
        claimed = " x ".join(map(str, shape.tolist()[:2]))
        raise InputError(
            f"{source}: is damaged, it has names of {counted(len(parts.names), 'feature')} and "
            f"{counted(len(parts.barcodes), 'cell')} for a matrix of {claimed}; save it again."
        )
    return len(parts.names), len(parts.barcodes)


def _features_of(X: Any, parts: CountParts, source: str, wanted: str | None) -> tuple[Any, tuple[str, ...], list[str]]:
    """Choose the columns of a genome or a kind, or all genes."""
    names = tuple(str(name) or str(code) for name, code in zip(parts.names, parts.ids, strict=True))
    if parts.tables:
        _, notes = chosen(wanted, parts.tables, source, "genome")
        return X, names, notes
    kinds, genomes = (_texts(values, len(names), source) for values in (parts.kinds, parts.genomes))
    if wanted is None:
        X, kept, notes = Features(names, kinds).genes_of(X)
        return X, kept, [*notes, *_several(genomes, source)]
    find_name(wanted, [*dict.fromkeys(genomes), *dict.fromkeys(kinds)], source, "genome or feature type")
    places = np.array([j for j in range(len(names)) if wanted in (*genomes[j : j + 1], *kinds[j : j + 1])], np.intp)
    X, names, kinds = X[:, places], *(tuple(texts[j] for j in places) if texts else () for texts in (names, kinds))
    return (X, names, []) if wanted in kinds else Features(names, kinds).genes_of(X)


def _texts(values: Any, n_features: int, source: str) -> tuple[str, ...]:
    """Give one text for each feature, or none if the file has none."""
    texts = () if values is None else tuple(map(str, np.asarray(values).ravel()))
    if texts and len(texts) != n_features:
        raise InputError(
            f"{source}: is damaged, it says what {len(texts)} of {n_features} features are; save it again."
        )
    return texts


def _several(genomes: Sequence[str], source: str) -> list[str]:
    """Note that genes of several genomes are in one table."""
    known = [name for name in dict.fromkeys(genomes) if name]
    if len(known) < 2:
        return []
    return [f"features of {len(known)} genomes ({listed(known)}) are read; name one as {source}:NAME"]
