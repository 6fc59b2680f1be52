"""What the library asks of a table: shape, names, columns in tiles, rows in blocks, and sizes of values.

`Matrix` holds what is cut like an array: arrays and memory maps of floats, integers or booleans, which are widened a
part at a time. A new storage (HDF5, zarr, Dask, a backed AnnData) is a subclass in a file of its own that cuts out
dense blocks, and a line in `eigenselect.matrix.input.opened`. Only `to_array` makes a table dense as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from eigenselect._parallel import slices
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect.exceptions import shown
from eigenselect.matrix.value_range import first_narrow, in_range

#: bytes of one tile of columns
TILE_BYTES = 2**22
TILE_COLUMNS = (8, 4096)
#: tiles that a table is cut into at least, so that threads share them evenly
TILES = 8
#: values of a table from which compiled loops over its columns are worth their import
COMPILED_VALUES = 2**26
#: bytes of rows that are looked at together
BLOCK_BYTES = 2**24
#: why a table in a file is loaded where samples are compared with each other
ALL_PAIRS = (
    "distances between all samples need every value many times; a graph that is given as similarity_matrix does not"
)
#: why it is loaded where it goes to scikit-learn
OTHER_LIBRARIES = "estimators of other libraries take a table in memory"
#: names that a message lists before it says how many more there are
LISTED = 3


class Matrix:
    """Samples × features.

    Attributes
    ----------
    raw : array, sparse matrix, …
        The storage, for functions that know it.
    shape, n_samples, n_features, dtype
        As of an array.
    sample_names, feature_names : sequence or None
        As given; a pandas range where a frame only counts, which messages do not show; None where there are none.
    is_sparse : bool
        Whether zeros are not stored.
    in_memory : bool
        Whether the storage is an array, a memory map or a sparse matrix. A subclass for a file or a cluster says False;
        then the table is checked in blocks of rows and never loaded as a whole.
    basis : ndarray of shape (n_samples, rank) or None
        Orthonormal columns that were projected out of every feature; None where nothing was.

    Examples
    --------
    >>> X = Matrix(np.array([[1.0, 20.0], [3.0, -40.0]]))
    >>> X
    Matrix(2 samples × 2 features, float64)
    >>> X.column_magnitudes()
    array([ 3., 40.])
    """

    is_sparse: bool = False
    in_memory: bool = True
    basis: FloatArray | None = None

    def __init__(self, raw: Any, *, sample_names: Names | None = None, feature_names: Names | None = None) -> None:
        self.raw = raw
        self.sample_names, self.feature_names = sample_names, feature_names
        self.n_samples, self.n_features = (int(size) for size in raw.shape)
        self.shape = (self.n_samples, self.n_features)
        self.dtype = np.dtype(raw.dtype)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_samples} samples × {self.n_features} features, {self.dtype})"

    @property
    def n_stored(self) -> int:
        """How many values the storage holds: all, unless zeros are not stored."""
        return self.n_samples * self.n_features

    def column_counts(self) -> IntArray:
        """Return the number of stored values of every column."""
        return np.full(self.n_features, self.n_samples, dtype=np.intp)

    # -- parts --------------------------------------------------------------------------------

    def block(self, rows: Any, columns: Any) -> AnyArray:
        """Return the values of some rows and columns (slices, or one array of numbers) as a dense array."""
        return np.asarray(self.raw[rows, columns])

    def take_rows(self, rows: IntArray | BoolArray) -> Self:
        """Return some samples, in the same storage."""
        return type(self)(self.raw[rows], sample_names=taken(self.sample_names, rows), feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> Self:
        """Return some features, in the same storage."""
        names = taken(self.feature_names, columns)
        return type(self)(self.raw[:, columns], sample_names=self.sample_names, feature_names=names)

    def tiles(self, n_columns: int | None = None) -> list[slice]:
        """Cut the columns into slices that fit the cache, at least `TILES` of them unless they would be narrow.

        Parameters
        ----------
        n_columns : int, optional
            How many columns to cut; all by default.
        """
        total = self.n_features if n_columns is None else n_columns
        narrowest, widest = TILE_COLUMNS
        fitting = TILE_BYTES // (8 * self.n_samples) // 8 * 8
        fair = max(64, -(-total // (8 * TILES)) * 8)
        return slices(total, max(narrowest, min(widest, fitting, fair)))

    def tile(self, columns: slice, out: FloatArray | None = None) -> FloatArray:
        """Return a slice of columns in float64, dense and in C order, in ``out`` if given."""
        tile = np.empty((self.n_samples, columns.stop - columns.start)) if out is None else out
        tile[...] = self.block(slice(None), columns)
        return tile

    def rows_of_floats(self) -> AnyArray | None:
        """Return the storage if loops can read it where it lies: rows of float64 or float32 in memory, else None."""
        raw = self.raw
        plain = type(self) is Matrix and isinstance(raw, np.ndarray) and raw.flags.c_contiguous and raw.flags.aligned
        return np.asarray(raw) if plain and raw.dtype in (np.float64, np.float32) and raw.dtype.isnative else None

    def columns(self, columns: Any) -> FloatArray:
        """Return a few columns in float64, dense."""
        return np.asarray(self.block(slice(None), columns), dtype=np.float64)

    def row_blocks(self) -> Iterator[FloatArray]:
        """Yield some rows after the other in float64."""
        step = max(1, BLOCK_BYTES // (8 * max(1, self.n_features)))
        for start in range(0, self.n_samples, step):
            yield np.asarray(self.block(slice(start, start + step), slice(None)), dtype=np.float64)

    def pair_products(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the inner product of each pair of rows."""
        a, b = self.block(first, slice(None)), self.block(second, slice(None))
        return np.asarray(np.einsum("ij,ij->i", a, b, dtype=np.float64))

    def pair_distances(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the squared distance of each pair of rows, from their differences."""
        a, b = (self.block(rows, slice(None)).astype(np.float64) for rows in (first, second))
        a -= b
        return np.asarray(np.einsum("ij,ij->i", a, a))

    def times(self, right: FloatArray) -> FloatArray:
        """Compute X @ right, n × r, in one walk over blocks of rows."""
        return np.concatenate([block @ right for block in self.row_blocks()])

    def transposed_times(self, left: FloatArray) -> FloatArray:
        """Compute Xᵀ @ left, m × r, in one walk over blocks of rows."""
        total, start = np.zeros((self.n_features, left.shape[1])), 0
        for block in self.row_blocks():
            total += block.T @ left[start : start + len(block)]
            start += len(block)
        return total

    def same_values(self, other: Matrix) -> bool:
        """Whether another table holds the same numbers, in whatever storage."""
        if self.shape != other.shape:
            return False
        pairs = zip(self.row_blocks(), other.row_blocks(), strict=True)
        return all(bool(np.array_equal(mine, others)) for mine, others in pairs)

    def to_array(self) -> FloatArray:
        """Return the whole table in float64, dense: n × m numbers, for looking and checking."""
        return self.columns(slice(None))

    def bands(self) -> Iterator[tuple[slice, Matrix]]:
        """Yield the columns in tables of the same storage for who works on its non-zeros; one unless in a file."""
        yield slice(0, self.n_features), self

    def out_of_file(self, why: str) -> Matrix:
        """Return the same table with its storage in memory, for who would read a file over and over.

        Parameters
        ----------
        why : str
            What needs it as a whole, and what would not: for the warning where it is large.
        """
        return self

    def out_of_small_file(self) -> Matrix:
        """Return the same table with its storage in memory, unless that takes more than a band."""
        return self

    def loaded(self, why: str) -> Matrix:
        """Return the table as an array or a sparse matrix, for functions that take nothing else; see `out_of_file`."""
        return self.out_of_file(why)

    # -- sizes of values ----------------------------------------------------------------------

    def is_finite(self) -> bool:
        """Whether no value is NaN or infinite."""
        return self.dtype.kind != "f" or all(bool(np.isfinite(block).all()) for block in self.row_blocks())

    def check_later(self, check: Callable[[], None]) -> None:
        """Call what refuses values out of range; a table that is elsewhere may wait until it is looked at."""
        check()

    def first_out_of_range(self) -> tuple[int | None, int] | None:
        """Return row and column of the first value that is NaN or too large; see `eigenselect.matrix.value_range`.

        The row is None if a column varies too little, and None is returned if all is well.
        """
        start, low, high = 0, np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        for block in self.row_blocks():
            good = in_range(block)
            if not good.all():
                row, column = np.unravel_index(int(np.argmin(good)), good.shape)
                return start + int(row), int(column)
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
            start += len(block)
        return first_narrow(low, high)

    def column_extremes(self) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest value of every column in float64."""
        low, high = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        for block in self.row_blocks():
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
        return low, high

    def column_magnitudes(self) -> FloatArray:
        """Return the largest |x| of every column."""
        low, high = self.column_extremes()
        return np.maximum(high, -low)

    def largest_value(self) -> float:
        """Return the largest |x| of all, or that of what was read of a file so far."""
        values = self.raw.data if self.is_sparse else self.raw
        return max(float(values.max(initial=0)), -float(values.min(initial=0)))

    def column_variances(self, *, n_jobs: int | None = 1) -> FloatArray:
        """Return the variances of all columns.

        One pass: where a large table lies, on ``n_jobs`` threads, else in tiles of columns. Something near the mean is
        subtracted, so that a large mean costs no digits.
        """
        whole = self.rows_of_floats() if self.n_stored >= COMPILED_VALUES else None
        if whole is not None:
            from eigenselect.matrix.column_loops import column_variances

            return column_variances(whole, n_jobs)
        found = np.empty(self.n_features)
        buffer = np.empty((self.n_samples, 0))
        for columns in self.tiles():
            width = columns.stop - columns.start
            buffer = buffer if buffer.shape[1] == width else np.empty((self.n_samples, width))
            tile = self.tile(columns, buffer)  # fresh memory would cost a page fault per 4 kB
            tile -= tile[0].copy()
            tile -= tile.mean(axis=0)
            found[columns] = np.einsum("ij,ij->j", tile, tile) / self.n_samples
        return found

    def largest_shares(self) -> FloatArray | None:
        """Bound the part of each column's squared deviations that one sample holds, where that is known already."""
        return None

    def in_floats(self) -> Matrix:
        """Return a table in memory in floats, for functions of others: integers are widened as a whole."""
        return self if self.dtype.kind == "f" else self._with(self.raw.astype(np.float64))

    def _with(self, raw: Any) -> Self:
        """Return another storage of the same samples and features."""
        return type(self)(raw, sample_names=self.sample_names, feature_names=self.feature_names)

    # -- names in messages --------------------------------------------------------------------

    def named(self, *, sample_names: Names | None = None, feature_names: Names | None = None) -> Self:
        """Return the same table with these names, where given."""
        samples = self.sample_names if sample_names is None else sample_names
        features = self.feature_names if feature_names is None else feature_names
        return type(self)(self.raw, sample_names=samples, feature_names=features)

    def feature_label(self, place: int) -> str:
        """Return the name of a feature as messages show it, else its column number."""
        return _label(self.feature_names, place, self.n_features, "column")

    def sample_label(self, place: int) -> str:
        """Return the name of a sample as messages show it, else its row number."""
        return _label(self.sample_names, place, self.n_samples, "row")

    def where(self, row: int, column: int) -> str:
        """Say by name or number where a value is."""
        sample, feature = self.sample_label(row), self.feature_label(column)
        return f"{_numbered(sample, 'row', row)}, {_numbered(feature, 'column', column)}"

    def list_features(self, places: Sequence[int] | IntArray) -> str:
        """List features by name, at most a few, and how many more there are."""
        return listed([self.feature_label(int(place)) for place in places])

    def list_samples(self, places: Sequence[int] | IntArray) -> str:
        """List samples by name, at most a few, and how many more there are."""
        return listed([self.sample_label(int(place)) for place in places])


class DistantMatrix(Matrix):
    """A table in a file or on other machines: of what compares rows, these are fetched, each once.

    A subclass says by `fetched_rows` how.
    """

    in_memory = False

    def fetched_rows(self, rows: IntArray) -> Matrix:
        """Return some samples as a table in memory, sparse where this one is."""
        raise NotImplementedError(f"{type(self).__name__}.fetched_rows")

    def largest_value(self) -> float:
        return float(self.column_magnitudes().max(initial=0.0))

    def pair_products(self, first: IntArray, second: IntArray) -> FloatArray:
        table, (first, second) = self._with_places(first, second)
        return table.pair_products(first, second)

    def pair_distances(self, first: IntArray, second: IntArray) -> FloatArray:
        table, (first, second) = self._with_places(first, second)
        return table.pair_distances(first, second)

    def _with_places(self, *rows: IntArray) -> tuple[Matrix, list[IntArray]]:
        """Fetch rows, and tell where each of them is then."""
        wanted = np.unique(np.concatenate(rows))
        return self.fetched_rows(wanted), [np.searchsorted(wanted, part) for part in rows]


def taken(names: Names | None, places: Any) -> Names | None:
    """Return the names of some samples or features."""
    return None if names is None or only_counts(names) else np.asarray(names, dtype=object)[places]


def only_counts(names: Any) -> bool:
    """Whether names are pandas' range, which a data frame has where nobody gave names."""
    return hasattr(names, "step") and not isinstance(names, range)


def listed(labels: Sequence[str]) -> str:
    """List the first labels, and say how many more there are.

    >>> listed(["'a'", "'b'", "'c'", "'d'", "'e'"])
    "'a', 'b', 'c' and 2 more"
    """
    if len(labels) <= LISTED + 1:
        return ", ".join(labels)
    return f"{', '.join(labels[:LISTED])} and {len(labels) - LISTED} more"


def _numbered(label: str, kind: str, place: int) -> str:
    """Return a name with its number, and a number once.

    >>> _numbered("'s1'", "row", 4), _numbered("row 4", "row", 4)
    ("row 4 ('s1')", 'row 4')
    """
    number = f"{kind} {place}"
    return number if label == number else f"{number} ({label})"


def _label(names: Names | None, place: int, count: int, kind: str) -> str:
    if names is None or only_counts(names) or len(names) != count:  # no names, or those of another table
        return f"{kind} {place}"
    return shown(names[place])
