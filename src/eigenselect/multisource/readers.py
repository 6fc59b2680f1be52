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
    r"""Read the sets of a gmt file: one per line, tab-separated name, description and members.

    Parameters
    ----------
    path : str or Path
        The file; it may be compressed.

    Returns
    -------
    dict of str to list of str
        Members of each set, each once, in the order of the file.

    Raises
    ------
    eigenselect.exceptions.InputError
        If a line is no set, a name comes twice, or there is no set.

    See Also
    --------
    FeatureSet : Takes the members of one set.
    read_annotations : The same file as a matrix of features and terms.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from eigenselect.multisource import read_gene_sets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sets.gmt"
    ...     _ = path.write_text("repair\tDNA repair\tBRCA1\tRAD51\n", encoding="utf-8")
    ...     read_gene_sets(path)
    {'repair': ['BRCA1', 'RAD51']}
    """
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
    r"""Read the edges of a text file: two names per line, and a weight if there is a third field; # starts a comment.

    Fields are separated by tabs, commas or blanks. A .sif file's middle field, the kind of interaction, is left out.

    Parameters
    ----------
    path : str or Path
        The file; it may be compressed.

    Returns
    -------
    list of tuple
        Two names, or two names and a weight.

    Raises
    ------
    eigenselect.exceptions.InputError
        If a line is no interaction, or there is none.

    See Also
    --------
    FeatureInteractions : Takes the list.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from eigenselect.multisource import read_interactions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "edges.txt"
    ...     _ = path.write_text("TP53 MDM2 0.9\nTP53 ATM\n", encoding="utf-8")
    ...     read_interactions(path)
    [('TP53', 'MDM2', 0.9), ('TP53', 'ATM')]
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
    r"""Read a feature × term matrix, with the names of the features and of the terms.

    From a gmt file (terms with their features), or from a csv or tsv file with a header line: either pairs (feature,
    term), or features in the first column and one more column per term. Two columns are pairs unless the second holds
    only 0 and 1.

    Parameters
    ----------
    path : str or Path
        The file; it may be compressed.

    Returns
    -------
    matrix : csr_array of shape (n_features, n_terms)
        0 and 1, or the numbers of a table with one column per term.
    features : list of str
        Names of the rows.
    terms : list of str
        Names of the columns.

    Raises
    ------
    eigenselect.exceptions.InputError
        If there is one column only, or a term has a value that is no number or negative.

    See Also
    --------
    FeatureSimilarity : Takes the matrix and the names of the features.
    read_gene_sets : The terms of a gmt file as lists.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from eigenselect.multisource import read_annotations
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "annotations.csv"
    ...     _ = path.write_text("gene,term\nATM,repair\nATM,cycle\nTP53,cycle\n", encoding="utf-8")
    ...     matrix, genes, terms = read_annotations(path)
    >>> matrix.toarray(), genes, terms
    (array([[1., 1.],
           [0., 1.]]), ['ATM', 'TP53'], ['repair', 'cycle'])
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
    r"""Read a table of numbers with the names of its samples, or without names; of any format that is ranked.

    The names stand in the first column of a csv, tsv or parquet file, in the index of a parquet file or of ``obs`` of
    an h5ad file, and in an array ``sample`` of an npz or mat file.

    Parameters
    ----------
    path : str or Path
        The file.
    names : bool, default=True
        Whether it holds names of samples.

    Returns
    -------
    DataFrame
        Samples in rows, with their names for an index.

    See Also
    --------
    AuxiliaryData : Takes the table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from eigenselect.multisource import read_auxiliary
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "proteins.csv"
    ...     _ = path.write_text("sample,p53,mdm2\ns1,0.5,1\ns2,2,3.5\n", encoding="utf-8")
    ...     read_auxiliary(path)
        p53  mdm2
    s1  0.5   1.0
    s2  2.0   3.5
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
