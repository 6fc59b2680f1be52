"""PathSPCA: the greedy path of sparse principal components (d'Aspremont, Bach and El Ghaoui, JMLR 9, 2008)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def path_spca(X: NDArray[np.float64], n_features: int) -> NDArray[np.intp]:
    r"""Features in the order in which the greedy path takes them; the first has the largest variance.

    With centred columns :math:`a_j` the variance that a set I explains is the largest eigenvalue of
    :math:`\sum_{j \in I} a_j a_j^\top`. If x is its eigenvector of length 1, taking in feature i raises it by at
    least :math:`(a_i^\top x)^2`. Every step takes the feature for which this bound is largest.
    """
    A = X - X.mean(axis=0)
    chosen = [int(np.argmax((A**2).sum(axis=0)))]
    while len(chosen) < min(n_features, A.shape[1]):
        x = np.linalg.svd(A[:, chosen], full_matrices=False)[0][:, 0]
        bound = (x @ A) ** 2
        bound[chosen] = -1.0
        chosen.append(int(np.argmax(bound)))
    return np.array(chosen, dtype=np.intp)
