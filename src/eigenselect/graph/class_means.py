"""The similarity of class labels, as sums over classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from eigenselect._typing import FloatArray, Names


class ClassMeans(LinearOperator):
    r"""The class-label similarity: S f replaces every value of f by the mean of its class.

    .. math:: S_{ij} = 1/n_l \text{ if } y_i = y_j = l, \text{ else } 0

    where :math:`n_l` is the size of class l. S is a projector (:math:`S^2 = S`) with row sums 1, so
    :math:`f^\top (I - S) f` is the within-class and :math:`f^\top S f - n\bar f^2` the between-class scatter.

    Parameters
    ----------
    codes : array of int
        Class number of every sample, 0 to n_classes - 1.
    n_classes : int
        How many classes there are.
    names : sequence, optional
        What the classes are called, for explanations.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
        Samples of each class.
    first : ndarray of int, shape (n_classes,)
        The first sample of each class.
    member : csr_array of shape (n_samples, n_classes)
        1 where a sample is of a class.

    See Also
    --------
    eigenselect.similarity.ClassLabels : The similarity that makes a graph of it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import ClassMeans
    >>> S = ClassMeans(np.array([0, 1, 0]), 2)
    >>> S @ np.array([1.0, 5.0, 3.0])
    array([2., 5., 2.])
    >>> S.energy(np.array([[1.0], [5.0], [3.0]]))
    array([2.])
    """

    def __init__(self, codes: NDArray[np.intp], n_classes: int, names: Names | None = None) -> None:
        n_samples = codes.size
        super().__init__(np.float64, (n_samples, n_samples))
        self.codes, self.names = codes, names
        self.sizes = np.bincount(codes, minlength=n_classes).astype(np.float64)
        self.first = np.unique(codes, return_index=True)[1]
        self.member = sparse.csr_array(
            (np.ones(n_samples), codes, np.arange(n_samples + 1)), shape=(n_samples, n_classes)
        )

    def means(self, features: Any) -> FloatArray:
        """Return the class means of each column (classes × features); a sparse argument is not made dense.

        Parameters
        ----------
        features : ndarray or sparse matrix of shape (n_samples, n_features)
            Features in columns.

        Returns
        -------
        ndarray of shape (n_classes, n_features)
            The means.
        """
        sums = features.T @ self.member  # in this order, a sparse X is not turned from rows to columns
        return np.asarray(sums.toarray() if sparse.issparse(sums) else sums).T / self.sizes[:, None]

    def diagonal(self) -> FloatArray:
        """Return 1/n_l of every sample.

        Returns
        -------
        ndarray of shape (n_samples,)
            The diagonal of S.
        """
        return 1.0 / self.sizes[self.codes]

    def deviations(self, features: FloatArray) -> FloatArray:
        """Subtract from every value the mean of its class.

        A value of each class is subtracted before its mean is taken, so a class with one value leaves no rounding.

        Parameters
        ----------
        features : ndarray of shape (n_samples, n_features)
            Features in columns.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The differences.
        """
        deviation = features - features[self.first][self.codes]
        deviation -= self.means(deviation)[self.codes]
        return deviation

    def energy(self, features: FloatArray) -> FloatArray:
        """Compute fᵀ(I - S)f, the within-class scatter Σ (f_i - class mean)²: exactly 0 for a perfect feature.

        Parameters
        ----------
        features : ndarray of shape (n_samples, n_features)
            Features in columns.

        Returns
        -------
        ndarray of shape (n_features,)
            The scatter of each column.
        """
        deviation = self.deviations(features)
        return np.einsum("ij,ij->j", deviation, deviation)

    def sparse_scatter(self, X: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute within-class scatter, between-class scatter and mean of sparse columns, from their non-zeros.

        The zeros of a class add its squared mean each; all terms are sums of squares. Of a class without zeros the
        first value is subtracted before the mean is taken, as in `energy`: one value alone leaves no rounding.

        Parameters
        ----------
        X : sparse matrix of shape (n_samples, n_features)
            Features in columns.

        Returns
        -------
        within : ndarray of shape (n_features,)
            The scatter within classes, of each column.
        between : ndarray of shape (n_features,)
            The scatter between them.
        mean : ndarray of shape (n_features,)
            The mean of all samples.
        """
        entries = X.tocoo()
        n_features = X.shape[1]
        row, column = entries.coords
        data = entries.data.astype(np.float64)
        place = self.codes[row] * n_features + column
        n_places = self.sizes.size * n_features
        absent = np.repeat(self.sizes, n_features) - np.bincount(place, minlength=n_places)
        shift = np.zeros(n_places)
        opening = row == self.first[self.codes[row]]
        shift[place[opening]] = data[opening]
        shift[absent > 0] = 0.0
        data -= shift[place]
        means = np.bincount(place, weights=data, minlength=n_places) / np.repeat(self.sizes, n_features)
        scatter = np.bincount(column, weights=(data - means[place]) ** 2, minlength=n_features)
        shape = (self.sizes.size, n_features)
        zeros = np.sum((means**2 * absent).reshape(shape), axis=0)
        return scatter + zeros, *self.between(shift.reshape(shape), means.reshape(shape))

    def between(self, shift: FloatArray, means: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute Σ n_l (m_l - m)² and m, of class means that are given as shift + mean of the rest.

        Parameters
        ----------
        shift : ndarray of shape (n_classes, n_features)
            What was subtracted from the values of each class.
        means : ndarray of shape (n_classes, n_features)
            Means of what was left.

        Returns
        -------
        between : ndarray of shape (n_features,)
            The scatter between classes.
        mean : ndarray of shape (n_features,)
            The mean m of all samples.
        """
        origin = shift[0]
        deviation = (shift - origin) + means
        sizes = self.sizes[:, None]  # no product of BLAS: its last bits would depend on the columns beside
        mean = (sizes * deviation).sum(axis=0) / self.sizes.sum()
        return (sizes * (deviation - mean) ** 2).sum(axis=0), origin + mean

    def _matmat(self, features: FloatArray) -> FloatArray:
        return np.asarray(self.member @ self.means(features))

    def _adjoint(self) -> ClassMeans:
        return self
