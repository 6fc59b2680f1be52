"""Any value as plain values, and any parameter as text that is the same in every run."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np


def plain_values(value: Any) -> Any:
    """Turn a value into dicts with text keys, lists, texts, numbers, booleans and None; other objects into their text.

    Every summary goes through here, so a parameter from ``np.arange`` is a number like any other.

    >>> import numpy as np
    >>> plain_values({"k": np.int64(5), "on": np.True_, "scale": (np.float32(0.5), np.nan), "rule": max})
    {'k': 5, 'on': True, 'scale': [0.5, nan], 'rule': 'max'}
    """
    if isinstance(value, dict):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_values(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain_values(item) for item in value), key=repr)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return described(value)


def described(value: Any) -> str:
    """Write a parameter as text that is the same in every run: functions by their names, arrays by their shapes."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {tuple(int(length) for length in shape)}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        ends = "()" if isinstance(value, tuple) else "[]"
        return f"{ends[0]}{', '.join(described(item) for item in value)}{ends[1]}"
    if hasattr(value, "get_params"):
        return _described_parts(value)
    return str(getattr(value, "__name__", repr(value))) if callable(value) else repr(value)


def _described_parts(estimator: Any) -> str:
    """Write an estimator or similarity as the call that makes it, without parameters that have their defaults."""
    return f"{type(estimator).__name__}({', '.join(settings(estimator))})"


def settings(estimator: Any, without: Container[str] = ()) -> list[str]:
    """Write the parameters that have not their defaults, but for some.

    >>> from eigenselect import FisherScore
    >>> settings(FisherScore(5, significance=True, n_jobs=2), without={"n_jobs"})
    ['n_features_to_select=5', 'significance=True']
    """
    import inspect

    known = inspect.signature(type(estimator)).parameters
    return [
        f"{name}={described(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name not in without and (name not in known or described(value) != described(known[name].default))
    ]
