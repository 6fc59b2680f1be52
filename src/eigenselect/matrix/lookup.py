"""Which column a user means: by name, or by number."""

from __future__ import annotations

import numbers
from typing import Any

from eigenselect.exceptions import shown
from eigenselect.matrix.base import Matrix, only_counts


def column_number(table: Matrix, feature: Any, owner: str) -> int:
    """Return the column of a feature that is given by its name or its number; errors speak as ``owner``.

    A whole number is a column number, counted from 0; anything else is a name.

    Examples
    --------
    >>> import numpy as np
    >>> column_number(Matrix(np.zeros((2, 3)), feature_names=["a", "b", "c"]), "b", "explain")
    1
    >>> column_number(Matrix(np.zeros((2, 3))), 5, "explain")
    Traceback (most recent call last):
    ValueError: explain: feature must be a column number from 0 to 2, got 5.
    """
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
        if not 0 <= int(feature) < table.n_features:
            raise ValueError(
                f"{owner}: feature must be a column number from 0 to {table.n_features - 1}, got {feature}."
            )
        return int(feature)
    names = table.feature_names
    if names is None or only_counts(names):
        raise ValueError(
            f"{owner}: feature must be a column number, because the features have no names, got {shown(feature)}; give "
            "X as a data frame to use names."
        )
    places = [place for place, name in enumerate(names) if name == feature]
    if len(places) != 1:
        found = f"{len(places)} features have" if places else "no feature has"
        raise ValueError(f"{owner}: {found} the name {shown(feature)}; give one of the names of X, or a column number.")
    return places[0]
