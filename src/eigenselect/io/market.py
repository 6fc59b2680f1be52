"""Matrix Market files, plain or compressed, with every number and every count checked.

The file is text [1]_::

    %%MatrixMarket matrix coordinate integer general
    % remarks
    32738 2700 2286884
    32709 1 4
    32707 1 1

The first line says how the matrix is stored (``coordinate``: row, column and value of each entry, counted from 1;
``array``: all values, column after column), what it holds (``integer``, ``real``, or ``pattern``: places alone, which
count as 1), and whether it is ``symmetric`` (entries below the diagonal stand for those above it too). The first line
that is no remark has the numbers of rows, columns and, of coordinates, entries.

scipy reads the value ``1,5`` as 1 and ``2.5`` among integers as 2. Here pandas parses the entries, which refuses both,
and reads real numbers to the last bit.

References
----------
.. [1] R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935,
       National Institute of Standards and Technology, 1996.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, shown
from eigenselect.io.arrays import checked_coordinates
from eigenselect.io.content import Content
from eigenselect.io.memory import NUMBER, check_memory, product
from eigenselect.io.text import EXACT

BANNER = "%%matrixmarket"
#: types of the values, by the third word of the first line
TYPES: dict[str, type] = {"integer": np.int64, "real": np.float64, "double": np.float64, "pattern": np.float64}
#: letters of a line of the head beyond which it is no such line
LONGEST_LINE = 10_000
#: lines of remarks
MOST_REMARKS = 10_000
#: numbers that an entry takes while it is read: row, column and value, and a copy of them
COPIES = 6


class Head(NamedTuple):
    """Hold what the first lines say.

    Attributes
    ----------
    dense, symmetric : bool
    field : {"integer", "real", "double", "pattern"}
    shape : tuple of int
        Numbers of rows and columns.
    n_entries : int
        Number of lines that follow.
    """

    dense: bool
    field: str
    symmetric: bool
    shape: tuple[int, int]
    n_entries: int


def market_matrix(path: str, source: str) -> Any:
    r"""Read the matrix of a Matrix Market file, as it is stored: whole or real numbers, sparse or dense.

    Parameters
    ----------
    path : str
        A file, plain or compressed (``.gz``, ``.bz2``, ``.xz``).
    source : str
        What messages call it.

    Returns
    -------
    csr_array or ndarray
        Entries that share a place are added.

    Raises
    ------
    InputError
        If the file is no such file, holds complex numbers, does not fit into memory, has more or fewer entries than it
        says, an entry outside of its shape, or a value that is not the number that the first line promises.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "x.mtx"
    ...     _ = path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 5\n")
    ...     market_matrix(str(path), "x.mtx").toarray()
    array([[0, 7],
           [5, 0]])
    """
    content = Content(path, source)
    content.check(" ")
    with content.opened() as handle:
        head = _head(handle, source)
        check_memory(NUMBER * _n_numbers(head), source, "reading it")
        return _array(handle, head, source) if head.dense else _coordinates(handle, head, source)


def _n_numbers(head: Head) -> int:
    """Count the numbers in memory at once: what the head claims is bounded by the bytes of the file only later."""
    return 2 * product(head.shape) if head.dense else COPIES * head.n_entries * (1 + head.symmetric)


def _head(handle: Any, source: str) -> Head:
    """Read the first line, skip the remarks, and read the line with the sizes."""
    words = _line(handle, source).lower().split()
    if len(words) != 5 or words[:2] != [BANNER, "matrix"] or words[2] not in ("coordinate", "array"):
        raise InputError(f"{source}: is not a Matrix Market file; its first line must be '%%MatrixMarket matrix …'.")
    dense, field, symmetry = words[2] == "array", words[3], words[4]
    if field not in TYPES or symmetry not in ("general", "symmetric") or (dense and field == "pattern"):
        raise InputError(
            f"{source}: is a matrix of the kind {shown(f'{field} {symmetry}')}, which is no table; save integer or "
            "real numbers, general or symmetric."
        )
    sizes = _sizes(handle, 2 if dense else 3, source)
    shape = (sizes[0], sizes[1])
    symmetric = symmetry == "symmetric"
    if symmetric and shape[0] != shape[1]:
        raise InputError(f"{source}: is damaged, it calls a matrix of {shape[0]} x {shape[1]} symmetric.")
    n_dense = shape[0] * (shape[0] + 1) // 2 if symmetric else product(shape)
    return Head(dense, field, symmetric, shape, n_dense if dense else sizes[2])


def _line(handle: Any, source: str) -> str:
    line: bytes = handle.readline(LONGEST_LINE)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{source}: is not a Matrix Market file, its first lines are not text.") from None


def _sizes(handle: Any, wanted: int, source: str) -> list[int]:
    """Find the first line that is no remark, and read whole numbers from it."""
    for _ in range(MOST_REMARKS):
        line = _line(handle, source)
        if not line or (line.strip() and not line.startswith("%")):
            break
    words = line.split()
    if len(words) != wanted or not all(word.isascii() and word.isdigit() and len(word) < 19 for word in words):
        raise InputError(f"{source}: is damaged, it has no line with {wanted} whole numbers for its sizes.")
    return [int(word) for word in words]


def _coordinates(handle: Any, head: Head, source: str) -> sparse.csr_array:
    """Read the entries of a sparse matrix, and mirror those of a symmetric one."""
    kinds: dict[str, type] = {"row": np.int64, "column": np.int64}
    if head.field != "pattern":
        kinds["value"] = TYPES[head.field]
    entries = _entries(handle, kinds, head, source)
    rows, columns = entries["row"].to_numpy() - 1, entries["column"].to_numpy() - 1
    values = entries["value"].to_numpy() if "value" in kinds else np.ones(len(rows))
    if head.symmetric:
        other = rows != columns
        rows, columns = np.concatenate([rows, columns[other]]), np.concatenate([columns, rows[other]])
        values = np.concatenate([values, values[other]])
    return checked_coordinates(values, rows, columns, head.shape, source)


def _array(handle: Any, head: Head, source: str) -> AnyArray:
    """Read all values, column after column; of a symmetric matrix those of the diagonal and below."""
    values = _entries(handle, {"value": TYPES[head.field]}, head, source)["value"].to_numpy()
    if not head.symmetric:
        return values.reshape(head.shape, order="F")
    X = np.zeros(head.shape, dtype=values.dtype)
    columns, rows = np.triu_indices(head.shape[0])
    X[rows, columns] = X[columns, rows] = values
    return X


def _entries(handle: Any, kinds: dict[str, type], head: Head, source: str) -> pd.DataFrame:
    """Parse the lines after the head, of which there must be as many as it says."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # of values beyond the third
            entries = _parsed(handle, kinds)
        if "value" in entries and np.isinf(entries["value"]).any():  # pandas 3.1 rounds 1e400 so, others refuse it
            raise ValueError("a number beyond the largest")
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        raise InputError(f"{source}: is damaged, a line is not {_expected(kinds, head)}; save it again.") from None
    if len(entries) != head.n_entries:
        why = "was it cut off?" if len(entries) < head.n_entries else "save it again."
        found = counted(len(entries), "line of entries")
        raise InputError(f"{source}: is damaged, it has {found} where its head says {head.n_entries}; {why}")
    return entries


def _parsed(handle: Any, kinds: dict[str, type]) -> pd.DataFrame:
    return pd.read_csv(
        handle,
        sep=r"\s+",
        header=None,
        names=list(kinds),
        dtype=kinds,
        index_col=False,
        na_filter=False,  # a line that is too short is an error, not a missing value
        **EXACT,
    )


def _expected(kinds: dict[str, type], head: Head) -> str:
    number = "a whole number" if head.field == "integer" else "a number with a decimal point"
    if head.dense:
        return number
    return "a row and a column" if "value" not in kinds else f"a row, a column and {number}"
