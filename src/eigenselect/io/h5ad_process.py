"""A process that copies h5ad files, as HDF5 may crash on a damaged one.

It gets its job as the bytes of an npz archive on standard input: a text in JSON, and arrays. Only numpy and h5py are
imported, and anndata for files of old versions.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from eigenselect.io.h5ad_copy import TakenError, check_free, mark_variables, refuse_others, take_variables
from eigenselect.io.h5ad_parts import OutsideError, UnknownLayoutError, Wanted, patience_for, refuse_outside
from eigenselect.io.memory import bounded_memory

#: how it ends: data in another file, something that is not known, any other error, something else in our place, or
#: memory that did not suffice
OUTSIDE, UNKNOWN, FAILED, TAKEN, SHORT = 3, 4, 5, 6, 7
#: the program; modules of other folders must not hide ours
PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from eigenselect.io.h5ad_process import main; main()"


def run(job: Mapping[str, Any], wanted: Wanted, arrays: Mapping[str, Any]) -> tuple[int, str]:
    """Let a process do a job; where none can be started, do it here.

    Parameters
    ----------
    job : dict
        ``job`` is "take", "mark" or "check", ``source`` and ``target`` are paths; the rest is what `h5ad_copy` takes.
    wanted : Wanted
    arrays : dict of ndarray
        ``places`` to take, or the columns to add.

    Returns
    -------
    code : int
        0, `OUTSIDE`, `UNKNOWN`, `FAILED`, `TAKEN`, `SHORT`, or less than 0 if it crashed.
    said : str
        Its last words.
    """
    sent = io.BytesIO()
    text = json.dumps({**job, "wanted": asdict(wanted), "names": list(arrays)}, default=np.ndarray.tolist)
    np.savez(sent, np.array(text), *arrays.values())
    program = [sys.executable, "-P", "-c", PROGRAM, str(Path(__file__).parents[2])]
    unlocked = {**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"}  # the target is locked by us
    try:
        if not sys.executable or getattr(sys, "frozen", False):
            raise OSError("Python within another program, which is not to be started")
        done = subprocess.run(
            program,
            input=sent.getvalue(),
            capture_output=True,
            env=unlocked,
            timeout=patience_for(job["source"]),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return FAILED, "hung"
    except OSError:
        return attempt(sent.getvalue())
    return done.returncode, done.stderr.decode("utf-8", "replace")


def main() -> None:
    """Do the job that comes on standard input."""
    code, said = attempt(sys.stdin.buffer.read())
    sys.stderr.write(said)
    sys.exit(code)


def attempt(sent: bytes) -> tuple[int, str]:
    """Do a job; give how it ended, and what was said."""
    with np.load(io.BytesIO(sent)) as archive:
        job = json.loads(str(archive["arr_0"]))
        arrays = {name: archive[f"arr_{place}"] for place, name in enumerate(job["names"], 1)}
    try:
        with bounded_memory(), warnings.catch_warnings():
            _do(job, Wanted(**job["wanted"]), arrays)
    except MemoryError:
        return SHORT, ""
    except OutsideError:
        return OUTSIDE, ""
    except UnknownLayoutError:
        return UNKNOWN, ""
    except TakenError as error:
        return TAKEN, str(error)
    except Exception:
        return FAILED, traceback.format_exc()
    return 0, ""


def _do(job: dict[str, Any], wanted: Wanted, arrays: Mapping[str, Any]) -> None:
    """Copy by HDF5, or by anndata what only that knows."""
    source, target = job["source"], job.get("target", "")
    try:
        if job["job"] == "take":
            take_variables(source, target, wanted, arrays["places"])
        elif job["job"] == "check":
            check_free(source, wanted, job["key"], job["mark"])
        else:
            mark_variables(target, wanted, arrays, job["gone"], job["record"], job["key"])
    except UnknownLayoutError:
        if wanted.root != "/":
            raise
        _do_by_anndata(job, wanted, arrays)


def _do_by_anndata(job: dict[str, Any], wanted: Wanted, arrays: Mapping[str, Any]) -> None:
    """Do the same with a file of an old version, which becomes one of the present."""
    try:
        import anndata
    except ImportError:
        raise UnknownLayoutError("an old version, which only anndata knows") from None

    refuse_outside(job["source"])
    warnings.simplefilter("ignore")  # that the version is old
    data = anndata.read_h5ad(job["source"])
    if job["job"] == "take":
        held = data.raw.to_adata() if wanted.raw else data
        held[:, arrays["places"]].write_h5ad(job["target"])
        return
    variables = data.raw.var if wanted.raw else data.var
    if job["job"] == "check":
        refuse_others(data.uns.get(job["key"]), variables.get(job["key"]), job["key"], job["mark"])
        return
    variables.drop(columns=[name for name in job["gone"] if name in variables], inplace=True)
    for name, values in arrays.items():
        variables[name] = values
    data.uns[job["key"]] = job["record"]
    data.write_h5ad(job["target"])
