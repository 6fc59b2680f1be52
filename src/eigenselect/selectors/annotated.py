"""AnnData through a selector: what goes in as one comes out as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.utils.validation import check_is_fitted, validate_data

from eigenselect._warn import warn
from eigenselect.matrix import is_annotated

if TYPE_CHECKING:
    from sklearn.feature_selection import SelectorMixin as Transforms
else:
    Transforms = object


class TakesAnnData(Transforms):
    """Lets `transform` of a selector return ``adata[:, support]``, a view with all that belongs to the cells.

    It comes before scikit-learn's mixins, which make a frame of whatever they transform where `set_output` asks for
    one: an AnnData stays one. Arrays and frames go their way.
    """

    #: whether `fit` takes a `Matrix`, which brings names along with any storage
    reads_matrices = True

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array, data frame, sparse matrix or AnnData of shape (n_samples, n_features)
            With the features of `fit`.

        Returns
        -------
        array, data frame or sparse matrix; of an AnnData its view ``X[:, support]``
        """
        if not is_annotated(X):
            return super().transform(X)
        check_is_fitted(self)
        # scikit-learn's own checks and sentences: names, and their number, are those of fit
        validate_data(self, pd.DataFrame(columns=X.var_names), reset=False, skip_check_array=True)
        support = self.get_support()
        if not support.any():
            warn(f"{type(self).__name__}: no feature was selected, so the AnnData that is returned has none.")
        return X[:, support]

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to X, and reduce it to the selected features: see `fit` and `transform`."""
        if not is_annotated(X):
            return super().fit_transform(X, y, **fit_params)
        return self.fit(X, y, **fit_params).transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Put zeros where features were left out; of an AnnData, give its matrix."""
        if is_annotated(X):
            raise TypeError(
                f"{type(self).__name__}.inverse_transform: X must be an array, data frame or sparse matrix, got an "
                "AnnData; give adata.X."
            )
        return super().inverse_transform(X)
