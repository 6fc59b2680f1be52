"""What makes a run again: its command, seed, scaling and date, the versions of libraries, a hash of the data."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from eigenselect import __version__
from eigenselect.exceptions import counted, within
from eigenselect.matrix import Matrix
from eigenselect.reporting.plain import described

#: libraries that numbers depend on; those that were not imported took no part
LIBRARIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "scikit-learn": "sklearn",
    "pandas": "pandas",
    "numba": "numba",
    "anndata": "anndata",
}
#: bytes of files, or of numbers, beyond which nothing is hashed: about ten seconds
HASHED_BYTES = 2**33
#: bytes that are read at once
BLOCK_BYTES = 2**20
#: characters of a call, whose sources may hold thousands of names
LONGEST_CALL = 4000
#: files of a folder that are hashed
HASHED_FILES = 20


@dataclass(frozen=True)
class Provenance:
    """What a run knows of itself that its fitted selector does not.

    Attributes
    ----------
    command : str
        The call that makes the run again; empty for the call in Python.
    seed : str
        What was seeded, in words; empty for what the selector and the report were given.
    files : tuple of str
        All that was read; none where the data were given as numbers.
    scaling : str
        What was done with the values before the fit.

    See Also
    --------
    add_paper : Says it.

    Examples
    --------
    >>> from eigenselect.reporting import Provenance
    >>> Provenance(command="eigenselect rank wine.csv", files=("wine.csv",)).scaling
    'none: values as given'
    """

    command: str = ""
    seed: str = ""
    files: tuple[str, ...] = ()
    scaling: str = "none: values as given"


def versions() -> dict[str, str]:
    """Return the versions of everything that numbers depend on and that is loaded.

    >>> list(versions())[0], "numpy" in versions(), "platform" in versions()
    ('eigenselect', True, True)
    """
    loaded = [name for name, module in LIBRARIES.items() if module in sys.modules]
    return {
        "eigenselect": __version__,
        **{name: _version(name) for name in loaded},
        "Python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _version(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:  # put beside the code by hand
        return "of unknown version"


def date_of_run() -> str:
    """Return the day in UTC; SOURCE_DATE_EPOCH, for builds that are the same every time, stands for now.

    >>> len(date_of_run())
    10
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(given), tz=UTC) if given else datetime.now(tz=UTC)
    except (ValueError, OverflowError, OSError):  # no number, or no year of ours
        moment = datetime.now(tz=UTC)
    return moment.date().isoformat()


def hash_of_data(files: Iterable[str], table: Matrix) -> str:
    """Return SHA-256 of every file, each in a line with its name as `sha256sum` has it, else of the numbers.

    Standard input, pipes and arrays cannot be read again: of these the numbers are hashed, as they were ranked.
    """
    named = [path for path in dict.fromkeys(files) if os.path.isfile(path)]
    if not named:
        return hash_of_numbers(table)
    if sum(os.path.getsize(path) for path in named) > HASHED_BYTES:
        return f"not hashed: the files are larger than {HASHED_BYTES / 2**30:g} GiB"
    lines = [_hash_of_file(path) for path in named[:HASHED_FILES]]
    left = len(named) - len(lines)
    return "\n".join([*lines, *([f"and {counted(left, 'file')} more"] if left else [])])


def _hash_of_file(path: str) -> str:
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
    except OSError:  # it was there when it was ranked, and is gone
        return f"not hashed, could not be read again  {os.path.basename(path)}"
    return f"{digest.hexdigest()}  {os.path.basename(path)}"


def hash_of_numbers(table: Matrix) -> str:
    """Return SHA-256 of shape and values of a table: float64, row by row, whatever its storage holds them in.

    Of a sparse table the places of its stored values are hashed with them.

    >>> hash_of_numbers(Matrix(np.array([[1, 2]]))) == hash_of_numbers(Matrix(np.array([[1.0, 2.0]])))
    True
    """
    n_samples, n_features = table.shape
    if 8 * table.n_stored > HASHED_BYTES:
        return f"not hashed: the numbers take more than {HASHED_BYTES / 2**30:g} GiB"
    digest = hashlib.sha256(f"{n_samples} x {n_features}".encode())
    for part in _stored_parts(table) if table.is_sparse and table.in_memory else table.row_blocks():
        digest.update(np.ascontiguousarray(part).astype("<f8", copy=False).tobytes())
    return f"{digest.hexdigest()}  the numbers, {n_samples} × {n_features}"


def _stored_parts(table: Matrix) -> Iterable[Any]:
    """Return where the values of a sparse table start, stand, and what they are, in the order of its rows."""
    rows = table.raw.tocsr().sorted_indices()
    return rows.indptr, rows.indices, rows.data


def python_call(estimator: Any, *, labelled: bool, parameters: Iterable[str] = ()) -> str:
    """Write the call that makes and fits a selector or pipeline, with the parameters that are not its defaults.

    ``parameters`` are names of what `fit` was given beside X and y.

    >>> from eigenselect import FisherScore
    >>> print(python_call(FisherScore(5), labelled=True))
    from eigenselect import FisherScore
    FisherScore(n_features_to_select=5).fit(X, y)
    """
    given = ", ".join(["X", *["y"] * labelled, *(f"{name}={name}" for name in parameters)])
    return "\n".join([*imports_of([estimator]), within(f"{described(estimator)}.fit({given})", LONGEST_CALL)])


def imports_of(values: Iterable[Any]) -> list[str]:
    """Write the imports that calls of these estimators need, and of all their parts.

    >>> from eigenselect import SPEC
    >>> from eigenselect.similarity import RBF
    >>> imports_of([SPEC(similarity=RBF(2.0))])
    ['from eigenselect import SPEC', 'from eigenselect.similarity import RBF']
    """
    names: dict[str, dict[str, None]] = {}
    for kind in _kinds(values):
        names.setdefault(_public_home(kind), {})[kind.__name__] = None
    return [f"from {home} import {', '.join(found)}" for home, found in sorted(names.items())]


def _kinds(values: Iterable[Any]) -> Iterator[type]:
    """Go over the classes of estimators, and of what their parameters hold."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _kinds(value)
        elif hasattr(value, "get_params") or type(value).__module__.startswith("eigenselect."):
            yield type(value)
            parts = value.get_params(deep=False) if hasattr(value, "get_params") else vars(value)
            yield from _kinds(parts.values())


def _public_home(kind: type) -> str:
    """Name the outermost package that a class can be imported from."""
    parts = kind.__module__.split(".")
    homes = [".".join(parts[:length]) for length in range(1, len(parts))]
    known = [home for home in homes if getattr(sys.modules.get(home), kind.__name__, None) is kind]
    return known[0] if known else kind.__module__
