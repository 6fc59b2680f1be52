"""How much of a table in a file is in memory at a time: shares of scikit-learn's ``working_memory``.

``sklearn.set_config(working_memory=...)`` and ``sklearn.config_context`` set it, in MB; it is 1024 unless told.
"""

from __future__ import annotations

import sklearn

#: parts of ``working_memory``: a band of columns, of which two are kept; what is read in one piece
BAND_SHARE, READ_SHARE = 8, 64
#: a file is read in pieces of at least so many bytes
LEAST = 2**16


def working_bytes() -> int:
    """Return scikit-learn's ``working_memory`` in bytes.

    >>> with sklearn.config_context(working_memory=2):
    ...     working_bytes()
    2097152
    """
    return int(sklearn.get_config()["working_memory"] * 2**20)


def band_bytes() -> int:
    """Return the most bytes of a band of columns; a table of fewer bytes is read at once.

    From so many bytes on it is said that a table is loaded from its file, or made dense.
    """
    return max(LEAST, working_bytes() // BAND_SHARE)


def read_bytes() -> int:
    """Return how many bytes are read at once."""
    return max(LEAST, working_bytes() // READ_SHARE)
