"""Types that every room uses, defined once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
#: values of any type: labels, names
AnyArray = NDArray[Any]
#: names of samples or features, as somebody gave them
Names = Sequence[Any] | NDArray[Any]
#: a similarity as graphs store it: dense, CSR, or an operator that is only applied
Affinity = FloatArray | sparse.csr_array | Any
