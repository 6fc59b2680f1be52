"""MATLAB files: numbers, text, cells and sparse matrices of version 5 to 7, with every length checked.

A damaged file of these versions can crash scipy's reader, which follows the types and lengths that the file claims; it
still reads version 4.

The file [1]_ is a header of 128 bytes, of which the last two are ``IM`` if numbers are stored with the lowest byte
first, ``MI`` if with the highest, and then elements, one for each variable. An element is

====================  ==========================================================================
4 bytes               type: 1 to 13 numbers, 16 to 18 text, 14 matrix, 15 compressed
4 bytes               n, the number of bytes that follow
n bytes               the content
0 to 7 bytes          up to a multiple of 8, except after a compressed element
====================  ==========================================================================

or, if the upper 16 bits of the first number are not 0, these are n, the lower ones are the type, and the content is in
the next four bytes. A compressed element is a zlib stream that holds one element. A matrix holds elements:

1. flags: two numbers of 32 bits, of which the first has the class (8 bits) and whether it is complex (bit 11);
2. shape: whole numbers of 32 bits;
3. name;
4. values, column after column, in any type that can hold them: a matrix of doubles may be stored as bytes, and
   text as whole numbers: those of 8 bits are UTF-8, those of 16 bits UTF-16. Of a sparse matrix, rows, pointers and
   values (csc); of cells, one matrix for each.

The file is damaged if it ends within an element, an element has another type than its place asks for, or there are
more or fewer values than the shape has.

References
----------
.. [1] The MathWorks, "MAT-File Format", https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from eigenselect._checks import free_memory
from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError
from eigenselect.io.arrays import LAYOUTS, checked_sparse
from eigenselect.io.errors import reading_as
from eigenselect.io.memory import NUMBER, bounded_memory, check_memory, product

#: types of elements
MATRIX, COMPRESSED = 14, 15
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
ENCODINGS = {1: "utf-8", 2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
#: classes of matrices; those above hold numbers, up to the last
CELL, CHAR, SPARSE, LAST_NUMBERS = 1, 4, 5, 15
HEADER = 128
#: cells in cells that are followed
DEEPEST = 20


class Element(NamedTuple):
    r"""Hold type and bytes of one part of a file.

    >>> small = np.array([2 << 16 | 1, 0x0807], "<u4").tobytes()  # two bytes of type 1, within the tag
    >>> [element] = _elements(memoryview(small), "<")
    >>> element.kind, bytes(element.content)
    (1, b'\x07\x08')
    """

    kind: int
    content: memoryview


class DamagedError(ValueError):
    """The file claims what it does not hold."""


def mat_arrays(path: str, source: str, wanted: Container[str]) -> dict[str, Any]:
    """Read variables of a MATLAB file by name.

    Numbers keep the type in which they are stored, text becomes one text a row, cells become objects. None stands for
    variables that are not ``wanted``, or hold records, functions or objects.

    Raises
    ------
    InputError
        If the file is damaged, does not fit into memory, or is of version 7.3, which is HDF5.

    Examples
    --------
    >>> import os, tempfile
    >>> from scipy.io import savemat
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.mat")
    ...     savemat(path, {"X": np.array([[1.5, 2.5]]), "notes": "all of 2019"})
    ...     mat_arrays(path, "x.mat", ["X"])
    {'X': array([[1.5, 2.5]]), 'notes': None}
    """
    from scipy.io.matlab import matfile_version

    with reading_as("mat", source), bounded_memory():
        version, _ = matfile_version(path)
        if version == 2:
            raise InputError(f"{source}: is a MATLAB 7.3 file; save it with -v7.")
        if version == 0:
            return _version_4(path, source)
        content = memoryview(Path(path).read_bytes())
        order = ">" if bytes(content[126:HEADER]) == b"MI" else "<"
        return dict(_variables(content[HEADER:], order, source, wanted))


def _version_4(path: str, source: str) -> dict[str, Any]:
    """Read a file of version 4 by scipy; check the sparse matrices that it makes."""
    from scipy.io import loadmat, whosmat

    check_memory(NUMBER * sum(product(shape) for _, shape, _ in whosmat(path)), source, "reading it")
    arrays = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    for name, value in arrays.items():
        if sparse.issparse(value):
            X = value if value.format in LAYOUTS else value.tocsc()
            arrays[name] = checked_sparse(X.data, X.indices, X.indptr, X.shape, X.format, source)
    return arrays


def _variables(content: memoryview, order: str, source: str, wanted: Container[str]) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each variable, None if it is not wanted."""
    for element in _elements(content, order):
        if element.kind == COMPRESSED:
            (element,) = _elements(_decompressed(element.content, source), order)
        if element.kind == MATRIX:
            matrix = _Matrix(element.content, order, source)
            yield matrix.name, matrix.value() if matrix.name in wanted else None


def _elements(content: memoryview, order: str) -> Iterator[Element]:
    """Yield elements in turn; each begins at a multiple of 8 bytes, compressed ones where the last one ended."""
    place = 0
    while place < len(content):
        if len(content) - place < 8:
            raise DamagedError("cut off in a tag")
        first, size = np.frombuffer(content[place : place + 8], order + "u4").tolist()
        start = place + 8
        if first >> 16:  # up to 4 bytes, within the tag
            first, size, start = first & 0xFFFF, first >> 16, place + 4
        stop = start + size
        if stop > len(content) or (start == place + 4 and size > 4):
            raise DamagedError("cut off in an element")
        yield Element(first, content[start:stop])
        place = place + 8 if start == place + 4 else stop if first == COMPRESSED else stop + -stop % 8


def _decompressed(content: memoryview, source: str) -> memoryview:
    """Decompress one element, at most as much as there is memory for."""
    free = free_memory()
    stream = zlib.decompressobj()
    found = stream.decompress(content, 0 if free == float("inf") else max(1, int(free / 2)))
    if stream.unconsumed_tail:
        check_memory(2 * len(found) + 1, source, "a variable that decompresses to more than half of it")
    if not stream.eof:
        raise DamagedError("cut off in a compressed element")
    return memoryview(found)


class _Matrix:
    """One variable, or one cell: its name, class and shape, and the elements that hold its values."""

    def __init__(self, content: memoryview, order: str, source: str, depth: int = 0) -> None:
        self.order, self.source, self.depth = order, source, depth
        self._rest = _elements(content, order)
        flags = self._numbers(self._next())
        self.is_complex, self.kind = bool(flags[0] & 0x0800), int(flags[0]) & 0xFF
        self.shape = tuple(self._numbers(self._next()).tolist())
        if len(self.shape) < 2 or min(self.shape) < 0:
            raise DamagedError("a shape of too few or negative numbers")
        self.name = bytes(self._next().content).decode("latin-1")

    def value(self) -> Any:
        """Give numbers, text or cells as an array, a sparse matrix, or None for what a table cannot hold."""
        if self.kind == CELL:
            return self._cells()
        if self.kind == CHAR:
            return self._text()
        if self.kind == SPARSE:
            return self._sparse()
        if SPARSE < self.kind <= LAST_NUMBERS:
            values = self._shaped(self._numbers(self._next()))
            return values.astype(complex) if self.is_complex else values
        return None

    def _next(self) -> Element:
        element = next(self._rest, None)
        if element is None:
            raise DamagedError("an element is missing")
        return element

    def _numbers(self, element: Element) -> AnyArray:
        if element.kind not in NUMBERS:
            raise DamagedError("no numbers where there should be some")
        return np.frombuffer(element.content, self.order + NUMBERS[element.kind])

    def _shaped(self, values: AnyArray) -> AnyArray:
        """Give values column after column in the shape, of which they must be exactly as many."""
        if product(self.shape) != len(values):
            raise DamagedError("more or fewer values than the shape has")
        native = values.astype(values.dtype.newbyteorder("="))
        return native.reshape(self.shape, order="F")

    def _cells(self) -> AnyArray:
        if self.depth > DEEPEST:
            raise DamagedError("cells in cells without end")
        parts = [_Matrix(e.content, self.order, self.source, self.depth + 1).value() for e in self._rest]
        cells = np.empty(len(parts), dtype=object)
        cells[:] = parts
        return self._shaped(cells)

    def _text(self) -> AnyArray:
        """Give one text a row."""
        element = self._next()
        if element.kind not in ENCODINGS:
            raise DamagedError("no text where there should be some")
        encoding = ENCODINGS[element.kind]
        wide = "" if encoding == "utf-8" else "-le" if self.order == "<" else "-be"
        text = bytes(element.content).decode(encoding + wide)
        n_rows = self.shape[0]
        if n_rows == 1:  # a letter may be two units of UTF-16
            return np.array([text], dtype=object)
        if product(self.shape) != len(text):
            raise DamagedError("more or fewer letters than the shape has")
        return np.array([text[row::n_rows] for row in range(n_rows if text else 0)], dtype=object)

    def _sparse(self) -> Any:
        """Join rows, pointers and values, column after column."""
        rows, pointers, values = (self._numbers(self._next()) for _ in range(3))
        n_entries = max(0, int(pointers[-1])) if len(pointers) else 0  # there may be room for more
        matrix = checked_sparse(values[:n_entries], rows[:n_entries], pointers, self.shape, "csc", self.source)
        return matrix.astype(complex) if self.is_complex else matrix
