"""Read HDF5 files of every format with the same care: another process first, then this one.

HDF5 may crash or run for ever on a damaged file. A function that reads parts of a file therefore runs in a process of
its own before it runs here; it stands in a file that imports nothing but h5py, numpy and this, so that the process
starts fast, and reads only the ends of what is large.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eigenselect.exceptions import InputError
from eigenselect.io.errors import damaged, find_name, reading_as
from eigenselect.io.memory import bounded_memory

#: the program; modules of other folders must not hide ours
PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from eigenselect.io.hdf5 import main; main()"


def read_hdf5(path: str, source: str, kind: str, reader: Callable[..., Any], **asked: Any) -> Any:
    """Let another process read parts of a file, then read them here.

    Parameters
    ----------
    path : str
    source : str
        What messages call the file.
    kind : str
        What messages call its format.
    reader : callable
        Of a module: ``reader(path, most=…, **asked)`` gives the parts; of arrays with more than ``most`` bytes it reads
        the ends only.
    **asked
        Plain values.

    Raises
    ------
    InputError
        If the file is damaged, points to other files, does not fit into memory or has no part of a name.
    """
    with bounded_memory(), reading_as(kind, source):
        if not outlives(path, reader, asked):
            raise damaged(source, kind)
        with naming_parts(source):
            return reader(path, **asked)


def outlives(path: str, reader: Callable[..., Any], asked: dict[str, Any]) -> bool:
    """Tell whether a process that reads the file by ``reader`` ends by itself."""
    from eigenselect.io.h5ad_parts import ends_by_itself

    here = str(Path(__file__).parents[2])
    name = f"{reader.__module__}:{reader.__qualname__}"
    return ends_by_itself(["-c", PROGRAM, here, name, path, json.dumps(asked)], path)


def main() -> None:
    """Read what the arguments of this process say, once, and forget it."""
    from eigenselect.io.h5ad_parts import LARGE

    name, path, asked = sys.argv[2:5]
    module, _, reader = name.partition(":")
    getattr(importlib.import_module(module), reader)(path, **json.loads(asked), most=LARGE)


@contextmanager
def naming_parts(source: str) -> Iterator[None]:
    """Say in words which part is missing, with near names, or that one is in another file."""
    from eigenselect.io.h5ad_parts import AbsentError, OutsideError

    try:
        yield
    except OutsideError:
        raise outside(source) from None
    except AbsentError as error:
        if error.what == "raw":
            raise no_raw(source) from None
        find_name(error.wanted, error.names, source, error.what)
        raise


def outside(source: str) -> InputError:
    """Make the error of a file that points to another one."""
    return InputError(
        f"{source}: points to data in another file, which is never followed; save everything in one file "
        "(adata.to_memory().write_h5ad)."
    )


def no_raw(source: str) -> InputError:
    """Make the error of a file that has no raw matrix."""
    return InputError(f"{source}: holds no raw; leave out --raw, or name a layer.")


def needs_h5py(source: str, kind: str) -> InputError:
    """Make the error of a format that needs h5py."""
    return InputError(f"{source}: {kind} needs h5py; pip install 'eigenselect[io]'.")
