"""Matrices of counts with their names in files beside them: single .mtx files and folders of 10x Genomics.

Cell Ranger stores genes in rows and cells in columns; others store it the other way round. The numbers of names say
which it is; where both fit, rows are genes. Without any names beside it, rows are samples, as in every other table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect.exceptions import InputError, counted, listed, shown, shown_path
from eigenselect.io.arrays import without_columns
from eigenselect.io.content import COMPRESSED
from eigenselect.io.market import market_matrix
from eigenselect.io.memory import NAME, check_memory
from eigenselect.io.request import Request
from eigenselect.io.table import Table
from eigenselect.io.tenx_names import CELL_FILES, FEATURE_FILES, Features, find_beside, read_cells, read_features

MATRICES = ("matrix.mtx", *(f"matrix.mtx.{how}" for how in COMPRESSED))
#: folders of Cell Ranger that hold such a folder, and the one within
NESTED = ("filtered_feature_bc_matrix", "filtered_gene_bc_matrices", "raw_feature_bc_matrix", "raw_gene_bc_matrices")


def read_market(path: str, source: str, request: Request) -> Table:
    """Read a Matrix Market file, with the names of genes and cells that stand beside it, if there are some.

    Raises
    ------
    InputError
        If the file is damaged, labels are asked for, or there are more or fewer names than rows and columns.
    """
    matrix = Path(path)
    features, cells = find_beside(matrix, FEATURE_FILES), find_beside(matrix, CELL_FILES)
    return _table(matrix, features, cells, source, request)


def read_tenx(path: str, source: str, request: Request) -> Table:
    """Read a folder of Cell Ranger, version 2 or 3: a matrix, its features and its barcodes.

    Antibodies and other features that are no genes are left out, which `Table.notes` say.

    Raises
    ------
    InputError
        If one of the three files is missing, or damaged, or they do not fit to each other.
    """
    matrix = find_matrix(Path(path), source)
    features, cells = find_beside(matrix, FEATURE_FILES), find_beside(matrix, CELL_FILES)
    missing = [name for name, found in (("features.tsv", features), ("barcodes.tsv", cells)) if found is None]
    if missing:
        raise InputError(
            f"{source}: there is no {' and no '.join(missing)} (nor .gz) beside {matrix.name}; a 10x folder has all "
            f"three, so copy the others too, or name {matrix.name} itself to read it without names."
        )
    return _table(matrix, features, cells, source, request)


def find_matrix(folder: Path, source: str) -> Path:
    """Find the only matrix of a folder, with or without a prefix before its name."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    found = [name for name in names if name in MATRICES] or [name for name in names if name.endswith(MATRICES)]
    if len(found) == 1:
        return folder / found[0]
    if found:
        raise InputError(f"{source}: holds {len(found)} matrices ({listed(found)}); name one of them.")
    inner = _nested(folder)
    hint = f"did you mean {shown_path(str(inner))!r}?" if inner else "name a file, or a 10x folder."
    raise InputError(f"{source}: is a directory without matrix.mtx or matrix.mtx.gz; {hint}")


def _nested(folder: Path) -> Path | None:
    """Find the folder with a matrix among those that Cell Ranger makes within its own."""
    places = [
        place
        for within in (folder, folder / "outs")
        for name in NESTED
        for place in (within / name, *sorted((within / name).glob("*")))
    ]
    return next((place for place in places if any((place / name).is_file() for name in MATRICES)), None)


def _table(matrix: Path, features: Path | None, cells: Path | None, source: str, request: Request) -> Table:
    """Read the matrix and the names, turn them so that samples are in rows, and leave out what is no gene."""
    refuse_columns(request, source, "labels and other names")
    X = market_matrix(str(matrix), shown_path(str(matrix)))
    known = None if features is None else read_features(features)
    names = None if cells is None else read_cells(cells)
    X, notes = _samples_in_rows(X, known, names, (features, cells), source)
    if features is None and cells is None and not request.transpose:
        notes = ["the rows are taken for samples, as no files with names stand beside it; see --transpose"]
    check_memory(NAME * X.shape[1], source, f"a table of {counted(X.shape[1], 'feature')}")
    known = known or Features(tuple(f"x{j}" for j in range(X.shape[1])))
    X, kept, left_out = known.genes_of(X)
    samples = None if names is None else np.array(names, dtype=object)
    return without_columns(Table(X, kept, notes=(*notes, *left_out), sample_names=samples), request.roles, source)


def refuse_columns(request: Request, source: str, what: str) -> None:
    """Refuse columns of samples that the format has no place for."""
    for asked in (request.roles.label, request.roles.samples):
        if asked is not None:
            raise InputError(
                f"{source}: has no column {shown(asked)}, as the format has no place for {what}; put the labels into a "
                "second file and name that with --labels FILE:COLUMN."
            )


def _samples_in_rows(
    X: Any,
    features: Features | None,
    cells: tuple[str, ...] | None,
    files: tuple[Path | None, Path | None],
    source: str,
) -> tuple[Any, list[str]]:
    """Turn a matrix of genes x cells; leave one of cells x genes, or without names, as it is."""
    counts = (None if features is None else len(features.names), None if cells is None else len(cells))
    if counts == (None, None):
        return X, []
    if all(n is None or n == length for n, length in zip(counts, X.shape, strict=True)):
        return sparse.csr_array(X.T) if sparse.issparse(X) else np.ascontiguousarray(X.T), []
    if all(n is None or n == length for n, length in zip(counts, X.shape[::-1], strict=True)):
        return X, []
    has = [f"{n} in {file.name}" for n, file in zip(counts, files, strict=True) if file is not None]
    header = any(n == length + 1 for n in counts if n is not None for length in X.shape)
    hint = "take out their header lines, if they have some" if header else "take the files of one run"
    raise InputError(
        f"{source}: the names do not fit to the matrix of {X.shape[0]} x {X.shape[1]}: there are {' and '.join(has)}; "
        f"{hint}."
    )
