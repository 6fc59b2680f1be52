"""What users give as an array or a group of HDF5 or zarr, looked at before anything of it is read.

A handle of a file that was closed, a dataset without values, or one whose values are in other files that are gone: each
gets its sentence, where libraries raise errors of their own, or give zeros in silence.
"""

from __future__ import annotations

import os
from typing import Any


def check_handle(handle: Any, called: str) -> None:
    """Refuse what cannot be read as a table in a file; errors call it ``called``.

    Parameters
    ----------
    handle : array or group of h5py or zarr
    called : str

    Examples
    --------
    >>> check_handle("x.h5", "SPEC: X")
    Traceback (most recent call last):
    TypeError: SPEC: X must be an array or a group of h5py or zarr, got str; open it, and choose a dataset of it.
    """
    if type(handle).__module__.partition(".")[0] == "h5py" and not handle:  # closed ones are false
        raise ValueError(f"{called} is in a file that was closed; open the file again, and leave it open for the fit.")
    if hasattr(handle, "keys"):
        return
    if not hasattr(handle, "shape") or not hasattr(handle, "dtype") or callable(handle.shape):
        raise _no_array(handle, called)
    if handle.shape is None:
        raise ValueError(f"{called} is a dataset without values; choose another dataset of the file.")
    if not hasattr(handle, "__getitem__"):  # zarr's asynchronous arrays
        raise _no_array(handle, called)
    _check_sources(handle, called)


def check_member(handle: Any, name: str, called: str) -> None:
    """Refuse a part of a sparse matrix that is no array of one dimension."""
    if hasattr(handle, "keys") or len(getattr(handle, "shape", None) or ()) != 1:
        raise ValueError(f"{called} is damaged: its {name} is no array of one dimension; write the file again.")
    check_handle(handle, f"{called} ({name})")


def _no_array(handle: Any, called: str) -> TypeError:
    return TypeError(
        f"{called} must be an array or a group of h5py or zarr, got {type(handle).__name__}; open it, and choose a "
        "dataset of it."
    )


def _check_sources(dataset: Any, called: str) -> None:
    """Refuse a virtual dataset of HDF5 if files that hold its values are gone: the library would give fill values."""
    if not getattr(dataset, "is_virtual", False):
        return
    folder = os.path.dirname(os.path.abspath(dataset.file.filename))
    for source in dataset.virtual_sources():
        name = str(source.file_name)
        if name == "." or "%" in name:  # in the same file, or a pattern of names
            continue
        if not any(os.path.exists(os.path.join(place, name)) for place in (folder, os.getcwd())):
            raise ValueError(
                f"{called} is a virtual dataset, and {name}, which holds values of it, is gone; restore that file."
            )
