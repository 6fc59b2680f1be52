"""A table that was read: numbers, names, and labels if asked for; filled and scaled on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray
from eigenselect.exceptions import InputError, agreeing, counted, listed, shown
from eigenselect.io.errors import OPTIONS, Advice
from eigenselect.io.labels import labels_of, text_of, without_marks
from eigenselect.io.number_marks import decimal_shown, like_those
from eigenselect.io.origin import Origin
from eigenselect.io.text import WHOLE
from eigenselect.matrix import Matrix, as_matrix

#: values that are looked at together
BLOCK = 2**24
#: cells of some features as they were written, in the order of the samples; features without letters are left out
Letters = Callable[[Sequence[str]], pd.DataFrame]


@dataclass(frozen=True)
class Table:
    """Hold samples × features with names.

    Attributes
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        As stored in the file: of any real type.
    feature_names : tuple of str
    y : ndarray of shape (n_samples,), optional
        Labels, where a label column was named.
    notes : tuple of str
        What was left out or changed, in words.
    sample_names : ndarray of shape (n_samples,), optional
        Of a column that was named for it, of a first column without a name, or of an index.
    label_text : ndarray of str, optional
        Labels as they were written, empty where there is none: 012 must not come back as 12.
    letters : callable, optional
        Reads the cells of some features again as they were written, so that 6 does not come back as 6.0, nor a whole
        number beyond 2^53 as another; None where X holds all there is to know.
    graph : sparse matrix of shape (n_samples, n_samples), optional
        A sample graph that the file holds, where it was asked for.
    covariates : DataFrame of n_samples rows, optional
        What is known of the samples and should not count.
    label_name, samples_name : str, optional
        What the columns of the labels and of the names of samples are called, in whichever file they stand.
    origin : Origin, optional
        The file that it was read from, where more of it can be kept than a table holds.
    ids : DataFrame of n_samples rows, optional
        Columns that tell samples apart and are no features; samples may be found by them in another file. They are
        written with the table.
    repeated : mapping of str to str
        Names of features as they stand in the file, for those that share one and got another to be read.
    coordinates : mapping of str to ndarray of shape (n_samples, 2)
        Places of the samples that the file holds, for pictures only; see `eigenselect.matrix.planes`.
    places : ndarray of shape (n_samples, n_dimensions), optional
        Coordinates of the samples that were asked for, to make a graph of.
    records : mapping
        What ``uns`` of an annotated table records of graphs and clusterings, by their names.
    clusterings : DataFrame of n_samples rows, optional
        The columns of ``obs`` that records are about, as text: where labels may come from.

    Examples
    --------
    >>> table = Table(np.array([[1.0, 2], [3, 5]]), ("a", "b"))
    >>> scaled(table.check("x.csv"), "minmax").X
    array([[0., 0.],
           [1., 1.]])
    """

    X: Any
    feature_names: tuple[str, ...]
    y: AnyArray | None = None
    notes: tuple[str, ...] = ()
    sample_names: AnyArray | None = None
    label_text: AnyArray | None = None
    letters: Letters | None = None
    graph: Any = None
    covariates: pd.DataFrame | None = None
    label_name: str | None = None
    samples_name: str | None = None
    origin: Origin | None = None
    ids: pd.DataFrame | None = None
    repeated: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, FloatArray] = field(default_factory=dict)
    places: AnyArray | None = None
    records: Mapping[str, Any] = field(default_factory=dict)
    clusterings: pd.DataFrame | None = None

    @property
    def n_unlabelled(self) -> int:
        """Number of samples without a value in the label column."""
        return 0 if self.y is None else int(pd.isna(self.y).sum())

    def matrix(self) -> Matrix:
        """Give X with the names that messages of selectors use."""
        return as_matrix(self.X, sample_names=self.sample_names, feature_names=self.feature_names)

    def context(self) -> dict[str, Any]:
        """Give what `fit` takes beside X and y: the graph and the covariates, where there are some."""
        known = {"similarity_matrix": self.graph, "covariates": self.covariates}
        return {name: value for name, value in known.items() if value is not None}

    def check(self, source: str, *, least: int = 2, advice: Advice = OPTIONS) -> Table:
        """Refuse what no method can rank: too few samples or features, missing or infinite values.

        Refuse also more or fewer labels or names than samples. Give the table itself.
        """
        n_samples, n_features = self.X.shape
        if n_features < 1:
            raise InputError(f"{source}: no column is left to rank; {advice.fewer}.")
        if n_samples < least:
            wanted = counted(least, "sample")
            raise InputError(f"{source}: needs at least {wanted}, got {n_samples}; samples belong in rows.")
        for what, values in (("label", self.y), ("name", self.sample_names)):
            if values is not None and len(values) != n_samples:
                raise InputError(f"{source}: {counted(len(values), what)} for {n_samples} samples.")
        bad = count_not_finite(self.X)
        if bad.any():
            worst = np.argsort(-bad, kind="stable")[: min(5, int((bad > 0).sum()))]
            most = ", ".join(f"{shown(self.feature_names[j])} ({bad[j]})" for j in worst)
            holes = counted(int(bad.sum()), "missing or infinite value")
            where = f"{counted(int((bad > 0).sum()), 'feature')}, most in {most}" if len(worst) > 1 else most
            raise InputError(f"{source}: {holes} in {where}; {advice.missing}.")
        return self


def written_ids(table: Table) -> dict[str, AnyArray]:
    """Give columns of ids letter by letter: 007 is not 7.

    >>> written_ids(Table(np.eye(2), ("a", "b"), ids=pd.DataFrame({"id": [7.0, 12.0]})))
    {'id': array(['7', '12'], dtype=object)}
    """
    if table.ids is None:
        return {}
    numbers = [str(name) for name in table.ids if pd.api.types.is_numeric_dtype(table.ids[name])]
    cells = table.ids if table.letters is None or not numbers else table.letters(numbers)
    return {str(name): text_of(cells[name] if name in cells else table.ids[name]) for name in table.ids}


def count_not_finite(X: Any) -> IntArray:
    """Count the NaN and infinite entries of each column, of a sparse matrix those that are stored.

    >>> count_not_finite(np.array([[1.0, np.nan], [2.0, -np.inf]]))
    array([0, 2])
    """
    if not sparse.issparse(X):
        step = max(1, BLOCK // max(1, X.shape[1]))  # a memory map may be larger than memory
        blocks = (X[start : start + step] for start in range(0, X.shape[0], step))
        return sum((np.count_nonzero(~np.isfinite(block), axis=0) for block in blocks), np.zeros(X.shape[1], np.intp))
    entries = X if X.format == "csc" else X.tocsr()
    bad = np.flatnonzero(~np.isfinite(entries.data))  # mostly none: only their columns are looked up
    by_columns = entries.format == "csc"
    columns = np.searchsorted(entries.indptr, bad, side="right") - 1 if by_columns else entries.indices[bad]
    return np.bincount(columns, minlength=X.shape[1])


def imputed(table: Table, source: str) -> Table:
    """Replace missing and infinite values by the median of the others in their column; refuse a column without any.

    A sparse table with missing values becomes dense. Cells that are written again keep their letters, and hold the
    median where there were none.

    >>> table = imputed(Table(np.array([[1.0], [np.nan], [2.0], [9.0]]), ("ash",)), "x.csv")
    >>> table.X.ravel().tolist(), table.notes
    ([1.0, 2.0, 2.0, 9.0], ('1 missing value in 1 column was replaced by the median of its column',))
    """
    missing = count_not_finite(table.X)
    if not missing.any():
        return table
    X = table.X.toarray() if sparse.issparse(table.X) else np.array(table.X, dtype=np.float64)
    X[~np.isfinite(X)] = np.nan
    columns = np.flatnonzero(missing)
    empty = columns[missing[columns] == len(X)]
    if empty.size:
        hold, them = ("holds", "it") if empty.size == 1 else ("hold", "them")
        names = listed(table.feature_names[j] for j in empty)
        raise InputError(
            f"{source}: {counted(empty.size, 'column')} {hold} no value at all ({names}); leave {them} out with "
            "--ignore."
        )
    medians = np.nanmedian(X[:, columns], axis=0)
    holes = np.isnan(X[:, columns])
    X[:, columns] = np.where(holes, medians, X[:, columns])
    filled = {table.feature_names[j]: (holes[:, place], medians[place]) for place, j in enumerate(columns)}
    n_missing, in_columns = int(missing.sum()), f"in {counted(columns.size, 'column')}"
    was = agreeing(n_missing, "[was|were] replaced by the median of [its|their] column")
    note = f"{counted(n_missing, 'missing value')} {in_columns} {was}"
    letters = None if table.letters is None else _with_medians(table.letters, filled)
    return replace(table, X=X, notes=(*table.notes, note), letters=letters, origin=_changed(table))


def _with_medians(letters: Letters, filled: Mapping[str, tuple[BoolArray, float]]) -> Letters:
    """Read cells as they were written, and medians where there was none."""

    def read(names: Sequence[str]) -> pd.DataFrame:
        cells = letters(names)
        decimal = decimal_shown(cells) or "."
        for name in [str(name) for name in cells if name in filled]:
            holes, median = filled[name]
            others = cells[name][~holes]
            cells[name] = cells[name].mask(holes, like_those(others, _like(others, float(median)), decimal))
        return cells

    return read


def _like(cells: Iterable[str], number: float) -> str:
    """Write a number as text; without a point among whole numbers, whose large ones no reader would take for such."""
    whole = number.is_integer() and all(WHOLE.fullmatch(cell) for cell in cells)
    return str(int(number)) if whole else repr(number)


def with_unlabelled(table: Table, source: str) -> Table:
    """Take labels such as NA for none; they are still written as they stood.

    >>> text = np.array(["a", "NA", "b"], dtype=object)
    >>> table = Table(np.array([[1.0], [2.0], [3.0]]), ("ash",), y=text, label_text=text, label_name="class")
    >>> with_unlabelled(table, "x.csv").y.tolist()
    ['a', nan, 'b']
    """
    if table.label_text is None:
        return table
    plain, notes = without_marks(table.label_text, str(table.label_name), source)
    y = table.y if plain is table.label_text else labels_of(plain, str(table.label_name), source)
    return replace(table, y=y, notes=(*table.notes, *notes))


def minus_ones(table: Table) -> BoolArray:
    """Find the samples whose label is -1 where that may mean that there is none: among numbers of two other classes.

    >>> minus_ones(Table(np.eye(4), tuple("abcd"), y=np.array([1, 2, -1, -1]))).sum()
    np.int64(2)
    >>> minus_ones(Table(np.eye(4), tuple("abcd"), y=np.array([1, 1, -1, -1]))).sum()
    np.int64(0)
    """
    from eigenselect._labels import Labels

    if table.y is None or (labels := Labels(np.asarray(table.y))).numbers_seen:
        return np.zeros(table.X.shape[0], dtype=bool)
    return np.asarray(labels.unlabelled(minus_one=True) & ~labels.missing)


def labelled_only(table: Table, source: str) -> Table:
    """Leave out the samples without a label; their number is noted.

    Where every sample has one, -1 is none, as it is for methods that use unlabelled samples: among numbers of at least
    two other classes.

    >>> table = Table(np.array([[1.0], [2.0], [3.0]]), ("ash",), y=np.array(["a", None, "b"], dtype=object))
    >>> labelled_only(table, "x.csv").X.ravel().tolist(), labelled_only(table, "x.csv").notes
    ([1.0, 3.0], ('1 of 3 samples has no label and is left out',))
    """
    unlabelled = np.asarray(pd.isna(table.y)) if table.n_unlabelled else minus_ones(table)
    mark = "" if table.n_unlabelled else " (-1)"
    if not unlabelled.any():
        return replace(table, notes=(*table.notes, "every sample has a label; --drop-unlabelled leaves none out"))
    rows = np.flatnonzero(~unlabelled)
    none, n_samples = int(unlabelled.sum()), table.X.shape[0]
    are = agreeing(none, f"[has|have] no label{mark} and [is|are]")
    letters, text = table.letters, None if table.label_text is None else table.label_text[rows]
    X = table.X.tocsr() if sparse.issparse(table.X) else table.X
    return replace(
        table,
        X=X[rows],
        y=np.asarray(table.y)[rows] if text is None else labels_of(text, str(table.label_name), source),
        notes=(*table.notes, f"{none} of {n_samples} samples {are} left out"),
        sample_names=None if table.sample_names is None else table.sample_names[rows],
        label_text=text,
        letters=None if letters is None else lambda names: letters(names).reindex(rows).reset_index(drop=True),
        graph=None if table.graph is None else table.graph[rows][:, rows],
        covariates=None if table.covariates is None else table.covariates.iloc[rows],
        origin=_changed(table),
        ids=None if table.ids is None else table.ids.iloc[rows],
        coordinates={name: places[rows] for name, places in table.coordinates.items()},
        places=None if table.places is None else table.places[rows],
        clusterings=None if table.clusterings is None else table.clusterings.iloc[rows],
    ).check(source)


def scaled(table: Table, how: str) -> Table:
    r"""Scale every feature by ``how``: "standard", "minmax" or "none"; constant features are not divided.

    .. math::

        x'_{ij} = \frac{x_{ij} - \bar x_j}{s_j} \quad \text{("standard")}, \qquad
        x'_{ij} = \frac{x_{ij} - \min_i x_{ij}}{\max_i x_{ij} - \min_i x_{ij}} \quad \text{("minmax")}

    where :math:`\bar x_j` is the mean of feature j over the n samples, and :math:`s_j^2 = \frac{1}{n} \sum_i (x_{ij} -
    \bar x_j)^2`.

    Only divide a sparse table: its zeros stay zeros, and differences between samples do not see a shift.

    >>> scaled(Table(np.array([[1.0, 7.0], [3.0, 7.0]]), ("ash", "one")), "standard").X
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if how == "none":
        return table
    if sparse.issparse(table.X):
        columns = sparse.csc_array(table.X, dtype=np.float64)
        width = _sparse_deviations(columns) if how == "standard" else _sparse_ranges(columns)
        X = sparse.csr_array(columns @ sparse.diags_array(1.0 / np.where(width > 0, width, 1.0)))
        return replace(table, X=X, letters=None, origin=_changed(table))
    X = np.asarray(table.X, dtype=np.float64)
    origin, width = (X.mean(axis=0), X.std(axis=0)) if how == "standard" else (X.min(axis=0), np.ptp(X, axis=0))
    X = (X - origin) / np.where(width > 0, width, 1.0)
    return replace(table, X=X, letters=None, origin=_changed(table))


def _changed(table: Table) -> Origin | None:
    return None if table.origin is None else table.origin.changed()


def _sparse_deviations(columns: sparse.csc_array) -> FloatArray:
    r"""Give the deviations by :math:`s_j^2 = \overline{x_j^2} - \bar x_j^2`, which leaves zeros unseen."""
    mean = np.asarray(columns.mean(axis=0)).ravel()
    square = np.asarray(columns.multiply(columns).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def _sparse_ranges(columns: sparse.csc_array) -> FloatArray:
    return np.asarray(columns.max(axis=0).toarray() - columns.min(axis=0).toarray()).ravel()
