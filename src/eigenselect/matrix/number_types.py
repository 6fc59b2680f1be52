"""The types of numbers that a table may hold. A table keeps its own; parts that are worked on are widened.

Whole numbers beyond 2^53 are rounded to the next float64 where they are worked on, as numpy and scikit-learn do;
`eigenselect.matrix.rounded` warns of it.
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


def is_wide(dtype: Any) -> bool:
    """Whether a type holds whole numbers of 64 bits; a column of pandas or polars may have a type of theirs.

    >>> is_wide(np.dtype(">u8")), is_wide("Int64"), is_wide(np.dtype("int32")), is_wide(np.dtype("float64"))
    (True, True, False, False)
    """
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iu" and dtype.itemsize == 8
    return str(dtype).lower().partition("[")[0] in ("int64", "uint64")


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
