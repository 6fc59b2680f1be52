"""Where a sorted score curve turns: how many features are worth keeping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def knee(scores: NDArray[np.float64]) -> int:
    """Count the features before the knee of the falling score curve.

    Both axes are scaled to [0, 1]; the knee is where the curve is furthest from the straight line between its
    ends. Below that line (few good features, then a floor) the point itself belongs to the floor; above it (a
    plateau, then a fall) it still belongs to the plateau. Undefined scores (NaN) are left out; equal scores keep
    everything. An infinite score is the limit of a growing one: the curve turns right after the perfect features, which
    are all kept, and before those that are infinitely bad.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Larger is better, in any order.

    Returns
    -------
    int
        At least 1 where any score is defined.

    See Also
    --------
    Knee : The rule of a selector.
    rank_features : Ranks instead of a number.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.selection import knee
    >>> knee(np.array([0.9, 0.1, 0.95, 0.05, 0.1, 0.08]))
    2
    """
    curve = np.sort(scores[~np.isnan(scores)])[::-1]
    if curve.size <= 1 or curve[0] == curve[-1]:
        return int(curve.size)
    for kept in (curve == np.inf, curve > -np.inf):
        if 0 < kept.sum() < curve.size:
            return int(kept.sum())
    height = (curve - curve[-1]) / (curve[0] - curve[-1])
    distance = height - np.linspace(1.0, 0.0, curve.size)
    turn = int(np.argmax(np.abs(distance)))
    return max(1, turn + 1 if distance[turn] > 0 else turn)
