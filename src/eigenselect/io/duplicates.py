"""Features of equal names: refused, the first of them, all of them under other names, or their mean.

Where columns have nothing but their names (csv, tsv, parquet, feather, xlsx, and the rows of a transposed sheet), equal
names are refused unless the caller says what they mean. Where features have places of their own (npz, mat, h5ad, mtx,
10x), as in matrices of 10x Genomics with a symbol for two genes, both are ranked and a note says so, unless the caller
says more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.errors import OPTIONS, Advice
from eigenselect.io.text_layout import is_number

if TYPE_CHECKING:
    from eigenselect._typing import IntArray
    from eigenselect.io.table import Table

COLUMN_NAME = "column name"


def unique_names(names: Sequence[str]) -> list[str]:
    """Add -1, -2, … to names that stood before, as AnnData does; never a name that is there already.

    >>> unique_names(["a", "b", "a", "a-1"])
    ['a', 'b', 'a-2', 'a-1']
    """
    taken, times, unique = set(names), Counter[str](), []
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}-{times[name]}"
            times[name] += new in taken
        times[name] += not times[name]
        taken.add(new)
        unique.append(new)
    return unique


def repeated_names(names: Sequence[str]) -> list[str]:
    """List the names that stand more than once.

    >>> repeated_names(["a", "b", "a", "a"])
    ['a']
    """
    return [name for name, times in Counter(names).items() if times > 1]


def told_apart(
    names: Sequence[str], source: str, how: str = "error", advice: Advice = OPTIONS, what: str = COLUMN_NAME
) -> tuple[list[str], dict[str, str]]:
    """Make names unique where the caller says what equal ones mean, or refuse them.

    Parameters
    ----------
    names : sequence of str
        As the file has them.
    source : str
        What messages call the file.
    how : {"error", "first", "suffix", "mean"}
    advice : Advice
        What messages tell people to do.
    what : str
        What the names are.

    Returns
    -------
    unique : list of str
    repeated : dict
        The name that the file has, for each name that stands more than once there.

    Examples
    --------
    >>> told_apart(["a", "b", "a"], "x.csv", "mean")
    (['a', 'b', 'a-1'], {'a': 'a', 'a-1': 'a'})
    >>> told_apart(["a", "b", "a"], "x.csv")
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.csv: 1 column name stands more than once ('a'); make them unique, or say what \
they mean with --duplicates first, suffix or mean.
    """
    repeated = repeated_names(names)
    if not repeated:
        return list(names), {}
    if how == "error":
        no_header = advice is OPTIONS and what == COLUMN_NAME and all(map(is_number, repeated))
        header = "put names above the first row if it is a sample, or " if no_header else ""
        raise InputError(f"{source}: {_more_than_once(repeated, what)}; {header}{advice.duplicates}.")
    several, unique = set(repeated), unique_names(names)
    return unique, {new: old for new, old in zip(unique, names, strict=True) if old in several}


def _more_than_once(repeated: Sequence[str], what: str) -> str:
    stand = "stands" if len(repeated) == 1 else "stand"
    return f"{counted(len(repeated), what)} {stand} more than once ({listed(repeated, most=3)})"


def settled(table: Table, how: str) -> Table:
    """Do with features of equal names what the caller says, and note it.

    "first" leaves the later ones out; "suffix" adds -1, -2, … to their names; "mean" puts the mean of all in the place
    of the first, as floating-point numbers of 64 bits, in a sparse table too. "error" leaves the table as it is: where
    names must be unique, `told_apart` refused them.

    Parameters
    ----------
    table : Table
        `Table.repeated` has the names as they stand in the file, where they were made unique to read it.
    how : {"error", "first", "suffix", "mean"}

    Examples
    --------
    >>> from eigenselect.io.table import Table
    >>> table = settled(Table(np.array([[1, 2, 4], [0, 0, 3]]), ("a", "b", "a")), "mean")
    >>> table.feature_names, table.X.tolist()
    (('a', 'b'), [[2.5, 2.0], [1.5, 0.0]])
    """
    names = [table.repeated.get(name, name) for name in table.feature_names]
    repeated = repeated_names(names)
    if not repeated:
        return table
    said = _more_than_once(repeated, "name of features")
    if how == "error":
        return replace(table, notes=(*table.notes, said))
    codes, kept = pd.factorize(np.array(names, dtype=object))
    firsts = np.sort(np.unique(codes, return_index=True)[1])
    later = counted(len(names) - len(kept), "later one")
    if how == "suffix":
        note = f"{said}; -1, -2, … is added to {later}"
        return replace(table, feature_names=tuple(unique_names(names)), notes=(*table.notes, note))
    unique = tuple(names[j] for j in firsts)
    if how == "first":
        note = f"{said}; {later} left out"
        return replace(table, X=table.X[:, firsts], feature_names=unique, notes=(*table.notes, note))
    note = f"{said}; the mean of their {np.isin(names, repeated).sum()} features is taken"
    single = [name for name in unique if name not in set(repeated)]
    origin = None if table.origin is None else table.origin.changed()
    table = replace(table, X=_means(table.X, codes, firsts), feature_names=unique, notes=(*table.notes, note))
    return replace(table, letters=only(table.letters, single), origin=origin)


def only(letters: Any, known: Sequence[str]) -> Any:
    """Read letters of these columns only, as the others were made here; see `Table.letters`."""
    names = set(known)
    return None if letters is None else lambda wanted: letters([name for name in wanted if name in names])


def _means(X: Any, codes: IntArray, firsts: IntArray) -> Any:
    r"""Give :math:`\frac{1}{|c|} \sum_{j \in c} x_j` for each group c of columns; single columns to the last bit."""
    counts = np.bincount(codes)
    if sparse.issparse(X):
        places = (np.ones(len(codes)), (np.arange(len(codes)), codes))
        groups = sparse.csc_array(sparse.coo_array(places, shape=(len(codes), len(counts))))
        means = sparse.csc_array(X, dtype=np.float64) @ groups
        means.data /= np.repeat(counts, np.diff(means.indptr))
        return means.asformat(X.format)
    means = np.asarray(X)[:, firsts].astype(np.float64)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(counts) - counts
    for group in np.flatnonzero(counts > 1):
        columns = order[starts[group] : starts[group] + counts[group]]
        means[:, group] = np.asarray(X)[:, columns].sum(axis=1, dtype=np.float64) / counts[group]
    return means
