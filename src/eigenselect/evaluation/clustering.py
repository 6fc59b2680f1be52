"""How well clusters agree with classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment


def clustering_accuracy(y: Any, clusters: Any) -> float:
    """Return the share of samples whose cluster is their class, under the best one-to-one map from clusters to classes.

    Parameters
    ----------
    y, clusters : arrays of shape (n_samples,)
        Classes and cluster numbers, of any kind; they may differ in number.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the two are not lists of one length.

    See Also
    --------
    sklearn.metrics.adjusted_rand_score : An agreement that is corrected for chance.
    accuracy_curves : How well features predict classes.

    References
    ----------
    Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 1955,
    doi:10.1002/nav.3800020109; used in Jiang and Ren, Eigenvalue sensitive feature selection, ICML 2011, section 5.

    Examples
    --------
    >>> from eigenselect.evaluation import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    truth, found = np.asarray(y), np.asarray(clusters)
    if truth.ndim != 1 or truth.shape != found.shape or not truth.size:
        raise ValueError(
            f"clustering_accuracy: y and clusters must be two lists of the same length, got shapes {truth.shape} and "
            f"{found.shape}."
        )
    rows, columns = (np.unique(labels, return_inverse=True)[1] for labels in (truth, found))
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    return float(counts[linear_sum_assignment(-counts)].sum() / truth.size)
