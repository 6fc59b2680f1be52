"""The parts of an HDF5 file of 10x Genomics: a matrix of counts with the names of genes and cells.

Cell Ranger [1]_ stores the matrix genes x cells column after column, so that each column is a cell:

====================================  ====================================================================
``data``, ``indices``, ``indptr``     counts, the gene of each, where each cell begins
``shape``                             numbers of genes and of cells
``barcodes``                          names of cells
``features/id``, ``/name``            of genes; ``/feature_type`` and ``/genome`` say what they are (version 3)
``genes``, ``gene_names``             the same (version 2)
====================================  ====================================================================

Version 3 has one group ``matrix``; version 2 has a group for each genome, with the genome's name.

As `h5ad_parts`, this file imports nothing but h5py, because a process of its own runs it first.

References
----------
.. [1] 10x Genomics, "HDF5 Feature-Barcode Matrix Format", documentation of Cell Ranger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import h5py

from eigenselect.io.h5ad_parts import AbsentError, has, part_of, values_of

SPARSE = ("data", "indices", "indptr", "shape", "barcodes")


class OtherContentError(ValueError):
    """The file is HDF5, but no matrix of 10x Genomics; ``names`` are those of its parts."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self.names = names


@dataclass(frozen=True)
class CountParts:
    """Hold what was read, as it is stored.

    Attributes
    ----------
    matrix : dict
        data, indices, indptr and shape.
    barcodes, ids, names : ndarray of str
        Of cells, and of genes.
    kinds, genomes : ndarray of str, optional
        Of each gene, in version 3.
    tables : tuple of str
        Genomes that have a matrix of their own, in version 2.
    """

    matrix: dict[str, Any]
    barcodes: Any
    ids: Any
    names: Any
    kinds: Any = None
    genomes: Any = None
    tables: tuple[str, ...] = ()


def read_count_parts(path: str, *, table: str | None, most: float = float("inf")) -> CountParts:
    """Read the matrix of version 3, or of version 2 the one of a genome, by default the first.

    Raises
    ------
    OtherContentError
        If there is no such matrix.
    AbsentError
        If there is none of this genome, in version 2.
    """
    with h5py.File(path, "r") as file:
        if _has_parts(file, "matrix", ("features",)):
            return _version_3(part_of(file, "matrix"), most)
        tables = [name for name in file if _has_parts(file, name, (*SPARSE, "genes"))]
        if not tables:
            raise OtherContentError(list(file))
        if table is not None and table not in tables:
            raise AbsentError("genome", table, tables)
        return _version_2(part_of(file, tables[0] if table is None else table), tuple(tables), most)


def _has_parts(file: Any, name: str, parts: Sequence[str]) -> bool:
    try:
        group = part_of(file, name)
    except (KeyError, RecursionError):  # none, or a link that leads nowhere or in a circle
        return False
    return isinstance(group, h5py.Group) and all(has(group, part) for part in parts)


def _version_3(group: Any, most: float) -> CountParts:
    features = part_of(group, "features")
    described = {
        part: values_of(part_of(features, part), most) if has(features, part) else None
        for part in ("feature_type", "genome")
    }
    ids, names = (values_of(part_of(features, part), most) for part in ("id", "name"))
    matrix, barcodes = _matrix(group, most)
    return CountParts(matrix, barcodes, ids, names, described["feature_type"], described["genome"])


def _version_2(group: Any, tables: tuple[str, ...], most: float) -> CountParts:
    ids = values_of(part_of(group, "genes"), most)
    names = values_of(part_of(group, "gene_names"), most) if has(group, "gene_names") else ids
    matrix, barcodes = _matrix(group, most)
    return CountParts(matrix, barcodes, ids, names, tables=tables)


def _matrix(group: Any, most: float) -> tuple[dict[str, Any], Any]:
    *parts, barcodes = (values_of(part_of(group, part), most) for part in SPARSE)
    return dict(zip(SPARSE, parts, strict=False)), barcodes
