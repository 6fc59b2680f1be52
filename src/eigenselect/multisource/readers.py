"""Files of knowledge: gene sets, interactions, annotations, auxiliary tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect.exceptions import InputError


def read_gene_sets(path: str | Path) -> dict[str, list[str]]:
    """Sets of a gmt file: one per line, tab-separated name, description and members."""
    sets: dict[str, list[str]] = {}
    for number, line in _lines(path):
        fields = line.split("\t")
        members = [field.strip() for field in fields[2:] if field.strip()]
        if len(fields) < 3 or not fields[0].strip() or not members:
            raise InputError(
                f"{path}: line {number} is no gene set; expected name, description and members, separated by tabs."
            )
        name = fields[0].strip()
        if name in sets:
            raise InputError(f"{path}: line {number} defines the set {name!r} a second time.")
        sets[name] = list(dict.fromkeys(members))
    if not sets:
        raise InputError(f"{path}: holds no gene set.")
    return sets


def read_interactions(path: str | Path) -> list[tuple[Any, ...]]:
    """Edges of a text file: two names per line, and a weight if there is a third field; # starts a comment.

    Fields are separated by tabs, commas or blanks. A .sif file's middle field, the kind of interaction, is left out.
    """
    edges: list[tuple[Any, ...]] = []
    for number, line in _lines(path):
        fields = _fields(line.split("#", 1)[0])
        if not fields:
            continue
        if str(path).endswith(".sif") and len(fields) >= 3:
            edges.extend((fields[0], other) for other in fields[2:])
            continue
        weight = _number(fields[2]) if len(fields) == 3 else None
        if len(fields) not in (2, 3) or (len(fields) == 3 and weight is None):
            raise InputError(f"{path}: line {number} is no interaction; expected two names, or two names and a weight.")
        edges.append((fields[0], fields[1]) if weight is None else (fields[0], fields[1], weight))
    if not edges:
        raise InputError(f"{path}: holds no interaction.")
    return edges


def read_annotations(path: str | Path) -> tuple[sparse.csr_array, list[str], list[str]]:
    """Feature × term matrix of 0 and 1, names of the features, names of the terms.

    From a gmt file (terms with their features), or from a csv or tsv file with a header line: either pairs (feature,
    term), or features in the first column and one more column per term. Two columns are pairs unless the second holds
    only 0 and 1.
    """
    if str(path).endswith(".gmt"):
        pairs = [(member, name) for name, members in read_gene_sets(path).items() for member in members]
        return _incidence(pairs)
    separator = "\t" if str(path).endswith((".tsv", ".txt")) else ","
    table = _table(path, separator)
    if table.shape[1] == 2 and not table.iloc[:, 1].isin(["0", "1"]).all():
        return _incidence(list(table.itertuples(index=False, name=None)))
    values = table.iloc[:, 1:].apply(pd.to_numeric, errors="coerce")
    if values.isna().any(axis=None) or (values < 0).any(axis=None):
        bad = values.columns[values.isna().any() | (values < 0).any()][0]
        raise InputError(f"{path}: the term {bad!r} has values that are no numbers, negative or missing.")
    return sparse.csr_array(values.to_numpy(dtype=float)), list(table.iloc[:, 0]), list(map(str, values))


def read_auxiliary(path: str | Path, *, names: bool = True) -> pd.DataFrame:
    """A csv or tsv table of numbers with sample names in its first column, or without names."""
    table = _table(path, "\t" if str(path).endswith((".tsv", ".txt")) else ",")
    if names:
        table = table.set_index(table.columns[0])
    values = table.apply(pd.to_numeric, errors="coerce")
    bad = values.isna().any()
    if bad.any():
        raise InputError(
            f"{path}: {int(bad.sum())} columns hold text or missing values (the first is {values.columns[bad][0]!r})."
        )
    return values


def _lines(path: str | Path) -> list[tuple[int, str]]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({_reason(error)}).") from None
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _fields(line: str) -> list[str]:
    for separator in ("\t", ","):
        if separator in line:
            return [field.strip() for field in line.split(separator) if field.strip()]
    return line.split()


def _reason(error: Exception) -> str:
    """What is wrong, without Python's "[Errno 2]" and the path, which the message has already."""
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error).strip().rstrip(".")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _table(path: str | Path, separator: str) -> pd.DataFrame:
    try:
        # as text: a name may be 007, NA or None
        table = pd.read_csv(path, sep=separator, encoding="utf-8-sig", dtype=str, keep_default_na=False)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as a table ({_reason(error)}).") from None
    if table.shape[1] < 2 or not len(table):
        raise InputError(
            f"{path}: needs a column of names and at least one more, got {table.shape[0]} x {table.shape[1]}."
        )
    return table


def _incidence(pairs: list[tuple[Any, Any]]) -> tuple[sparse.csr_array, list[str], list[str]]:
    features, terms = (pd.factorize(np.array(column, dtype=object)) for column in zip(*pairs, strict=True))
    shape = (len(features[1]), len(terms[1]))
    matrix = sparse.coo_array(([1.0] * len(pairs), (features[0], terms[0])), shape=shape).tocsr()
    matrix.data[:] = 1.0  # said twice is said once
    return matrix, list(features[1]), list(terms[1])
