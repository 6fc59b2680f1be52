"""Files are written whole or not at all, and never over another without leave."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from eigenselect.exceptions import InputError
from eigenselect.io.table import Table


def write_whole(path: str, content: str | bytes, *, force: bool = False) -> None:
    """Write text or bytes to a file by way of a temporary one beside it, so that a crash leaves the old file intact."""
    check_writable(path, force=force)
    try:
        _replace(Path(path).resolve(), content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"{path}: cannot be written ({reason}); nothing was changed.") from error


def _replace(target: Path, content: bytes) -> None:
    """Target is no link, as it would be replaced; the temporary name is short, as the target's may fill the limit."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".eigenselect-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def check_writable(path: str, *, force: bool) -> None:
    """Say early, before long work, that a file cannot be written."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory; name a file.")
    if target.exists() and not target.is_file():  # replacing /dev/null would be a disaster
        raise InputError(f"{path}: is not a file but a device or a pipe; leave out -o to write to standard output.")
    if target.exists() and not force:
        raise InputError(f"{path}: exists already; use --force to replace it.")
    if not target.parent.is_dir():
        raise InputError(f"{path}: the directory {str(target.parent)!r} does not exist.")


def check_other_file(output: str | None, data: str) -> None:
    """Refuse to write over the table that is read, even by force."""
    if output and Path(output).exists() and Path(data).exists() and Path(output).samefile(data):
        raise InputError(f"{output}: is the table that is read; write to another file.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def as_json(result: dict[str, Any]) -> str:
    """JSON with every character as it is; undefined scores (NaN) are null, infinite ones the text "Infinity"."""
    return json.dumps(json_values(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(rows: list[dict[str, Any]], separator: str = ",") -> str:
    """A csv (or tsv) of rows; undefined scores are empty."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{key: "" if value != value else value for key, value in row.items()} for row in rows])
    return buffer.getvalue()


def table_bytes(table: Table, ending: str, names: dict[str, Any]) -> bytes:
    """A table as csv, tsv or npz; sample names and labels are called as they were, or ``sample`` and ``label``."""
    import numpy as np
    from scipy import sparse

    sample, label = names.get("samples") or "sample", names.get("label") or "label"
    if ending == "npz":
        arrays: dict[str, Any] = {"feature_names": np.array(table.feature_names, dtype=str)}
        if sparse.issparse(table.X):
            X = table.X.tocsr()
            arrays |= {
                "data": X.data,
                "indices": X.indices,
                "indptr": X.indptr,
                "shape": np.array(X.shape),
                "format": "csr",
            }
        else:
            arrays["X"] = table.X
        for name, values in ((sample, table.sample_names), (label, table.y)):
            if values is not None:
                arrays[name] = values.astype(str) if values.dtype == object else values
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()
    frame = pd.DataFrame(table.X.toarray() if sparse.issparse(table.X) else table.X, columns=list(table.feature_names))
    for name, values in ((label, table.y), (sample, table.sample_names)):
        if values is not None:
            frame.insert(0, name, values)
    return frame.to_csv(index=False, sep="\t" if ending == "tsv" else ",").encode("utf-8")


def json_values(value: Any) -> Any:
    """Values that JSON can hold: NaN is null, infinity a text that Python's float and JavaScript's Number read."""
    if isinstance(value, dict):
        return {key: json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item) for item in value]
    if not isinstance(value, float) or abs(value) < float("inf"):
        return value
    return None if value != value else "Infinity" if value > 0 else "-Infinity"
