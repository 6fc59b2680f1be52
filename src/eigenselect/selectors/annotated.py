"""AnnData through a selector: what goes in as one comes out as one."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from eigenselect._typing import AnyArray, BoolArray
from eigenselect._warn import warn
from eigenselect.matrix import (
    Matrix,
    dask_matrix,
    is_annotated,
    is_dask,
    is_dask_array,
    opened,
    portable,
    refuse_other_tables,
)
from eigenselect.selection.ranking import in_order

if TYPE_CHECKING:
    from sklearn.feature_selection import SelectorMixin as Transforms
else:
    Transforms = object

#: columns of `TakesAnnData.to_frame` by the fitted attributes that they hold, in their order
COLUMNS = {
    "score": "scores_", "native_score": "native_scores_", "pvalue": "pvalues_", "qvalue": "qvalues_",
    "selected": "_support", "frequency": "frequencies_", "best_scale": "best_scale_",
}  # fmt: skip


class TakesAnnData(Transforms):
    """Lets `transform` of a selector return ``adata[:, support]``, a view with all that belongs to the cells.

    It comes before scikit-learn's mixins, which make a frame of whatever they transform where `set_output` asks for
    one: an AnnData stays one, and a Dask array stays lazy. Arrays and frames go their way.
    """

    #: whether `fit` takes a `Matrix`, which brings names along with any storage
    reads_matrices = True

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array, data frame, sparse matrix, AnnData, Dask array, or array or group of h5py or zarr
            With the features of `fit`.

        Returns
        -------
        array, data frame or sparse matrix; of an AnnData its view ``X[:, support]``
            Of a table in a file, the selected features in memory, in the type of the file.
            Of a Dask array a lazy one, whatever `set_output` asks for: nothing is computed.
            A step of scikit-learn that comes after it in a pipeline takes the array of the view; a sparse one is
            refused, as nothing is made dense in silence: give the pipeline ``adata.X``, as steps of scikit-learn that
            come before it want it.
        """
        if is_dask(X):
            return self._lazy_columns(X)
        if not is_annotated(X):
            owner = f"{type(self).__name__}.transform"
            refuse_other_tables(X, owner)
            table = opened(X, owner)
            if isinstance(table, Matrix):
                return self._columns_of(table, owner)
            said_so = self._warn_if_empty()
            with warnings.catch_warnings(action="ignore", category=UserWarning) if said_so else nullcontext():
                return super().transform(table)
        check_is_fitted(self)
        support = self.get_support()
        self._check_genes(X, support.size)
        self._warn_if_empty()
        view = X[:, support]
        view.__array__ = partial(_as_array, view, f"{type(self).__name__}.transform")
        return view

    def to_frame(self) -> pd.DataFrame:
        """Make a table of what was found, one row per feature, best first.

        Returns
        -------
        DataFrame
            With columns ``rank`` (missing for features that the method does not order), ``feature`` (name, or column
            number for X without names), ``column``, ``score`` (larger is better), ``native_score`` (the value of the
            literature), ``pvalue`` and ``qvalue`` if there are any, ``selected``, and what the method has of its own:
            ``frequency`` of `StabilitySelector`, ``best_scale`` of `MultiscaleSPEC`.
        """
        check_is_fitted(self, "ranking_")
        fitted: Any = self
        values = {name: getattr(fitted, made) for name, made in COLUMNS.items() if hasattr(fitted, made)}
        numbers = np.arange(fitted.ranking_.size)
        frame = pd.DataFrame(
            {
                "rank": pd.Series(fitted.ranking_, dtype="Int64").where(fitted.ranking_ <= fitted.n_ordered_),
                "feature": getattr(fitted, "feature_names_in_", numbers),
                "column": numbers,
                **values,
            }
        )
        return frame.iloc[in_order(fitted.ranking_)].reset_index(drop=True)

    def _columns_of(self, table: Matrix, owner: str) -> Any:
        """Take the selected features of a table in a file into memory: an array, or CSR or CSC where it is sparse."""
        support = self._support_for(table.shape, owner)
        return portable(table.take_columns(np.flatnonzero(support)))

    def _lazy_columns(self, X: Any) -> Any:
        """Return the selected columns of a Dask array; nothing is computed, and rows need not be counted."""
        owner = f"{type(self).__name__}.transform"
        if not is_dask_array(X):
            dask_matrix(X, f"{owner}: X")  # refuses it
        return X[:, np.flatnonzero(self._support_for(X.shape, owner))]

    def _support_for(self, shape: tuple[Any, ...], owner: str) -> BoolArray:
        """Return which features to take; refuse a table that has not those of `fit`, warn where none is taken."""
        check_is_fitted(self)
        support: BoolArray = self.get_support()
        if len(shape) != 2 or shape[1] != support.size:
            raise ValueError(
                f"{owner}: X must have the {support.size} features of fit, got a table of shape {shape}; give the "
                "table of fit, or one with the same features."
            )
        self._warn_if_empty()
        return support

    def _warn_if_empty(self) -> bool:
        """Warn that nothing was selected, with what to do about it; tell whether it is so."""
        check_is_fitted(self)
        if empty := not self.get_support().any():
            owner, instead = type(self).__name__, "FDR(at_least=1) keeps the best one, a less strict rule more"
            warn(f"{owner}: no feature was selected, so what is returned has none; {instead}.")
        return empty

    def _check_genes(self, adata: Any, n_features: int) -> None:
        """Refuse an AnnData with other genes than those of `fit`; names may repeat, which scikit-learn refuses."""
        owner, seen = f"{type(self).__name__}.transform", getattr(self, "feature_names_in_", None)
        if adata.n_vars != n_features:
            raise ValueError(
                f"{owner}: the AnnData must have the {n_features} genes of fit, got {adata.n_vars}; give the table of "
                "fit, or one with the same genes."
            )
        if seen is not None and list(map(str, adata.var_names)) != list(map(str, seen)):
            raise ValueError(
                f"{owner}: adata.var_names must be the features of fit, in the same order; give "
                "adata[:, selector.feature_names_in_]."
            )

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to X, and reduce it to the selected features.

        Parameters
        ----------
        X : array, data frame, sparse matrix, AnnData, Dask array, or array or group of h5py or zarr
            What `fit` takes.
        y : array of shape (n_samples,), optional
            Labels, for methods and similarities that are made of them; else ignored.
        **fit_params : dict
            What else `fit` takes.

        Returns
        -------
        array, data frame or sparse matrix; of an AnnData its view ``X[:, support]``
            What `transform` returns of X.
        """
        if not (is_annotated(X) or is_dask(X) or isinstance(opened(X, type(self).__name__), Matrix)):
            return super().fit_transform(X, y, **fit_params)
        return self.fit(X, y, **fit_params).transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Put zeros where features were left out.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_selected)
            The selected features, as `transform` returned them; of an AnnData, give its matrix.

        Returns
        -------
        array or sparse matrix of shape (n_samples, n_features)
            The selected features in their places, 0 in all others.
        """
        if is_annotated(X):
            raise TypeError(
                f"{type(self).__name__}.inverse_transform: X must be an array, data frame or sparse matrix, got an "
                "AnnData; give adata.X."
            )
        if is_dask(X):
            raise TypeError(
                f"{type(self).__name__}.inverse_transform: X must be an array, data frame or sparse matrix, got a Dask "
                "collection; give X.compute()."
            )
        refuse_other_tables(X, f"{type(self).__name__}.inverse_transform")
        return super().inverse_transform(X)


def _as_array(adata: Any, owner: str, dtype: Any = None, copy: bool | None = None) -> AnyArray:
    """Return the matrix of an AnnData where numpy is asked for an array of it, or refuse a sparse one.

    An AnnData has no ``__array__`` of its own: numpy takes it for a sequence of sequences, cell by cell, and fails
    after seconds to minutes. numpy looks for it on the object, so only what a selector returned has one.
    """
    if adata.isbacked or is_dask(adata.X) or sparse.issparse(adata.X):
        kind, instead = ("one in a file", "adata.X in memory") if adata.isbacked else ("a sparse one", "adata.X")
        kind, instead = ("one in a Dask array", "adata.X.compute()") if is_dask(adata.X) else (kind, instead)
        raise TypeError(
            f"{owner}: expected an AnnData with a dense X where an array is made of it, as by a step of scikit-learn "
            f"that follows in a pipeline, got {kind}; give the pipeline {instead}."
        )
    return np.array(adata.X, dtype=dtype, copy=bool(copy)) if copy else np.asarray(adata.X, dtype=dtype)
