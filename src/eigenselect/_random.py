"""The one way to be random: ``None`` means a fixed start, everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def random_generator(random_state: Any = None) -> np.random.RandomState:
    """Make the generator of a ``random_state``.

    Equal calls give equal results, so None is the seed 0, not scikit-learn's global generator.

    Parameters
    ----------
    random_state : int, RandomState or None
        A RandomState is used as it is, and goes on where it stands.

    Examples
    --------
    >>> random_generator(None).randint(100) == random_generator(0).randint(100)
    True
    """
    return check_random_state(0 if random_state is None else random_state)
