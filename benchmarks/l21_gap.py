"""How far from optimal a solution of the L2,1 problem is; imports numpy only, for environments of peers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def relative_gap(X: FloatArray, Y: FloatArray, W: FloatArray, alpha: float) -> float:
    """Duality gap over ½||Y||²."""
    R = Y - X @ W
    share = min(1.0, alpha / np.linalg.norm(X.T @ R, axis=1).max())
    primal = 0.5 * np.sum(R**2) + alpha * np.linalg.norm(W, axis=1).sum()
    dual = 0.5 * np.sum(Y**2) - 0.5 * np.sum((Y - share * R) ** 2)
    return float((primal - dual) / (0.5 * np.sum(Y**2)))
