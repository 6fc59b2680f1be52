"""Files of knowledge: gene sets, interactions, annotations, auxiliary tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError, shown, shown_path
from eigenselect.io.readers import read_other_table, read_text, read_text_table, without_compression
from eigenselect.io.text import numbers_of


def read_gene_sets(path: str | Path) -> dict[str, list[str]]:
    """Sets of a gmt file: one per line, tab-separated name, description and members."""
    source, sets = shown_path(str(path)), dict[str, list[str]]()
    for number, line in _lines(path):
        fields = line.split("\t")
        members = [field.strip() for field in fields[2:] if field.strip()]
        if len(fields) < 3 or not fields[0].strip() or not members:
            raise InputError(
                f"{source}: line {number} is no gene set; expected name, description and members, separated by tabs."
            )
        name = fields[0].strip()
        if name in sets:
            raise InputError(f"{source}: line {number} defines the set {shown(name)} a second time.")
        sets[name] = list(dict.fromkeys(members))
    if not sets:
        raise InputError(f"{source}: holds no gene set.")
    return sets


def read_interactions(path: str | Path) -> list[tuple[Any, ...]]:
    """Edges of a text file: two names per line, and a weight if there is a third field; # starts a comment.

    Fields are separated by tabs, commas or blanks. A .sif file's middle field, the kind of interaction, is left out.
    """
    source, edges = shown_path(str(path)), list[tuple[Any, ...]]()
    is_sif = without_compression(str(path)).endswith(".sif")
    for number, line in _lines(path):
        fields = _fields(line.split("#", 1)[0])
        if not fields:
            continue
        if is_sif and len(fields) >= 3:
            edges.extend((fields[0], other) for other in fields[2:])
            continue
        weight = _number(fields[2]) if len(fields) == 3 else None
        if len(fields) not in (2, 3) or (len(fields) == 3 and weight is None):
            raise InputError(
                f"{source}: line {number} is no interaction; expected two names, or two names and a weight."
            )
        edges.append((fields[0], fields[1]) if weight is None else (fields[0], fields[1], weight))
    if not edges:
        raise InputError(f"{source}: holds no interaction.")
    return edges


def read_annotations(path: str | Path) -> tuple[sparse.csr_array, list[str], list[str]]:
    """Feature × term matrix of 0 and 1, names of the features, names of the terms.

    From a gmt file (terms with their features), or from a csv or tsv file with a header line: either pairs (feature,
    term), or features in the first column and one more column per term. Two columns are pairs unless the second holds
    only 0 and 1.
    """
    if without_compression(str(path)).endswith(".gmt"):
        pairs = [(member, name) for name, members in read_gene_sets(path).items() for member in members]
        return _incidence(pairs)
    source, table = shown_path(str(path)), read_text_table(str(path))
    if table.shape[1] < 2:
        raise InputError(f"{source}: needs a column of names and at least one more, got 1.")
    if table.shape[1] == 2 and not table.iloc[:, 1].isin(["0", "1"]).all():
        return _incidence(list(table.itertuples(index=False, name=None)))
    terms = table.iloc[:, 1:]
    values = [_weights(cells, source) for _, cells in terms.items()]
    return sparse.csr_array(np.column_stack(values)), list(table.iloc[:, 0]), list(map(str, terms))


def _weights(cells: pd.Series, source: str) -> NDArray[np.float64]:
    """How much each feature has of a term, to the last bit."""
    values = numbers_of(cells)
    if values is None or not np.isfinite(values).all() or (values < 0).any():
        raise InputError(
            f"{source}: the term {shown(cells.name)} has values that are no numbers, negative, infinite or missing."
        )
    return values


def read_auxiliary(path: str | Path, *, names: bool = True) -> pd.DataFrame:
    """A table of numbers with the names of its samples, or without names; of any format that is ranked.

    The names stand in the first column of a csv, tsv or parquet file, in the index of a parquet file or of ``obs`` of
    an h5ad file, and in an array ``sample`` of an npz or mat file.
    """
    table = read_other_table(str(path), names=names)
    X = table.X.toarray() if sparse.issparse(table.X) else table.X
    index = table.sample_names if names else None
    return pd.DataFrame(X, index=index, columns=list(table.feature_names))


def _lines(path: str | Path) -> list[tuple[int, str]]:
    """Lines that are not blank, with their numbers."""
    return [(number, line) for number, line in enumerate(read_text(str(path)).splitlines(), 1) if line.strip()]


def _fields(line: str) -> list[str]:
    for separator in ("\t", ","):
        if separator in line:
            return [field.strip() for field in line.split(separator) if field.strip()]
    return line.split()


def _number(text: str) -> float | None:
    values = numbers_of([text])
    return float(values[0]) if values is not None and np.isfinite(values[0]) else None


def _incidence(pairs: list[tuple[Any, Any]]) -> tuple[sparse.csr_array, list[str], list[str]]:
    features, terms = (pd.factorize(np.array(column, dtype=object)) for column in zip(*pairs, strict=True))
    shape = (len(features[1]), len(terms[1]))
    matrix = sparse.coo_array(([1.0] * len(pairs), (features[0], terms[0])), shape=shape).tocsr()
    matrix.data[:] = 1.0  # said twice is said once
    return matrix, list(features[1]), list(terms[1])
