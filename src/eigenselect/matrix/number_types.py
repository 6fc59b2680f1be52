"""The types of numbers that a table may hold. A table keeps its own; parts that are worked on are widened.

Whole numbers beyond 2^53 are rounded to the next float64 where they are worked on, as numpy and scikit-learn do.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def is_number_type(dtype: Any) -> bool:
    """Whether values of a type are real numbers.

    >>> is_number_type(np.bool_), is_number_type(np.complex128), is_number_type("U3")
    (True, False, False)
    """
    return np.dtype(dtype).kind in "biuf"


def kept_type(dtype: Any) -> Any:
    """Return the type in which a table holds its numbers: its own, unless numpy's loops know none for it.

    Half floats become float32, extended ones float64, and bytes stand in the order of the machine.

    >>> [kept_type(name).name for name in ("int8", ">i4", "bool", "float16", "float32", "longdouble")]
    ['int8', 'int32', 'bool', 'float32', 'float32', 'float64']
    """
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "f":
        return np.dtype(np.float32) if dtype.itemsize <= 4 else np.dtype(np.float64)
    return dtype


def working_type(dtype: Any) -> Any:
    """Return the type in which parts of a table are worked on: float32 of float32, else float64.

    >>> working_type("int8"), working_type("float32")
    (dtype('float64'), dtype('float32'))
    """
    return np.dtype(np.float32) if np.dtype(dtype) == np.float32 else np.dtype(np.float64)
