"""AnnData as a table: which of its matrices is meant, and the names of its samples and features.

anndata is never imported here: who holds an AnnData has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import Names
from eigenselect.exceptions import listed, shown
from eigenselect.matrix.backed import BackedMatrix
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.dask_input import dask_matrix, is_dask
from eigenselect.matrix.sparse import SparseMatrix
from eigenselect.matrix.stored import is_stored


def is_annotated(X: Any) -> bool:
    """Whether something is an AnnData, a view of one, or of a subclass.

    >>> is_annotated(np.zeros((2, 2)))
    False
    """
    return any(kind.__name__ == "AnnData" and _package(kind) == "anndata" for kind in type(X).__mro__)


def annotated_matrix(
    adata: Any, owner: str, *, layer: str | None = None, use_raw: bool = False, obsm: str | None = None
) -> Matrix:
    """Wrap a matrix of an AnnData, with the names of its samples and features; nothing is made dense or loaded.

    Parameters
    ----------
    adata : AnnData
        Also a view, or backed by a file.
    owner : str
        Who speaks in errors.
    layer : str, optional
        A key of ``adata.layers`` in place of ``adata.X``.
    use_raw : bool, default=False
        Take ``adata.raw``, with its own features.
    obsm : str, optional
        A key of ``adata.obsm``; its columns are called ``{key}_0``, … where they have no names.

    Returns
    -------
    Matrix
        `SparseMatrix` for CSR and CSC, `BackedMatrix` for what is in a file, `DaskMatrix` for a Dask array. Numbers are
        as they are stored; `eigenselect.matrix.read_input` makes floats of integers, and refuses what is not finite.
    """
    chosen = _chosen(adata, owner, layer=layer, use_raw=use_raw, obsm=obsm)
    called = f"{owner}: {chosen.called}"
    names: dict[str, Any] = {"sample_names": list(adata.obs_names), "feature_names": list(chosen.names)}
    if is_stored(chosen.values):
        return BackedMatrix.of(chosen.values, called, chosen.rows, chosen.columns, **names)
    if is_dask(chosen.values):
        return dask_matrix(chosen.values, called, **names)
    values = _plain(chosen.values, called)
    return SparseMatrix(values, **names) if sparse.issparse(values) else Matrix(values, **names)


@dataclass(frozen=True)
class Chosen:
    """One matrix of an AnnData.

    Attributes
    ----------
    values : array, sparse matrix, data frame, Dask array, or dataset in a file
    names : sequence
        Of the features.
    called : str
        How messages call it.
    rows, columns : index or None
        Which of a dataset in a file a view shows; None for all.
    """

    values: Any
    names: Names
    called: str
    rows: Any = None
    columns: Any = None


def _chosen(adata: Any, owner: str, *, layer: str | None, use_raw: bool, obsm: str | None) -> Chosen:
    """Find the matrix that is asked for, or say what there is."""
    if (layer is not None) + bool(use_raw) + (obsm is not None) > 1:
        raise ValueError(f"{owner}: give at most one of layer, use_raw and obsm; each names another matrix.")
    if obsm is not None:
        return _embedding(_entry(adata.obsm, obsm, owner, "obsm"), obsm)
    if use_raw:
        return _raw(adata, owner)
    if layer is not None:
        return Chosen(_entry(adata.layers, layer, owner, "layers"), adata.var_names, f"adata.layers[{shown(layer)}]")
    if adata.isbacked and adata.is_view:
        return Chosen(_in_file(adata, "X"), adata.var_names, "adata.X", adata._oidx, adata._vidx)
    values = adata.X  # of a view, every access takes it anew
    if values is None:
        named = _named(adata.layers)
        there = f", only the layers {listed(named)}" if named else ""
        raise ValueError(f"{owner}: the AnnData has no X{there}; set adata.X.")
    return Chosen(values, adata.var_names, "adata.X")


def _raw(adata: Any, owner: str) -> Chosen:
    """Return ``adata.raw``, which a view has for its own samples."""
    if adata.raw is None:
        raise ValueError(f"{owner}: use_raw=True, but adata.raw is None; set adata.raw, or leave use_raw out.")
    names = adata.raw.var_names
    if adata.isbacked and adata.is_view:
        return Chosen(_in_file(adata, "raw/X"), names, "adata.raw.X", adata._oidx)
    return Chosen(adata.raw.X, names, "adata.raw.X")


def _in_file(adata: Any, key: str) -> Any:
    """Return the whole dataset that a backed view is a part of: the view itself would load its part."""
    if not adata.file.is_open:
        adata.file.open()
    return adata.file[key]


def _embedding(values: Any, key: str) -> Chosen:
    """Return a matrix of ``obsm`` with the names of its columns, else numbered ones."""
    called = f"adata.obsm[{shown(key)}]"
    if hasattr(values, "columns"):
        return Chosen(values, [str(name) for name in values.columns], called)
    width = values.shape[1] if len(getattr(values, "shape", ())) == 2 else 0
    return Chosen(values, [f"{key}_{place}" for place in range(width)], called)


def _entry(entries: Mapping[str, Any], key: str, owner: str, where: str) -> Any:
    """Return a layer or an entry of ``obsm``; otherwise name those that there are."""
    if key in entries:
        return entries[key]
    named = _named(entries)
    there = f"there are {listed(named, 10)}" if named else "there are none"
    raise ValueError(f"{owner}: adata.{where} has no {shown(key)}; {there}.")


def _named(entries: Mapping[str, Any]) -> list[str]:
    """List the keys that are names: from anndata 0.13 on, None is the layer that X is."""
    return [key for key in entries if key is not None]


def _plain(values: Any, called: str) -> Any:
    """Return a matrix in memory as an array, CSR or CSC of its base class, or say why it is none of numbers."""
    if hasattr(values, "columns"):
        values = values.to_numpy()
    if not (sparse.issparse(values) or isinstance(values, np.ndarray)):
        raise TypeError(
            f"{called} is a {_package(type(values))} {type(values).__name__}, and must be an array or a sparse matrix; "
            "use one of these."
        )
    if np.ma.is_masked(values):
        raise ValueError(
            f"{called} has {np.ma.count_masked(values)} masked values, which count as missing; fill them first."
        )
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{called} must be a table of numbers, got {values.dtype} of shape {tuple(values.shape)}; choose another "
            "matrix of the AnnData."
        )
    if not sparse.issparse(values):
        return np.asarray(values)  # neither a view's array nor np.matrix
    return _base_class(values)


def _base_class(values: Any) -> Any:
    """Return CSR or CSC without the class that a view of an AnnData gives it; other formats as CSR."""
    if values.format not in ("csr", "csc"):
        return sparse.csr_array(values)
    base = {"csr": (sparse.csr_array, sparse.csr_matrix), "csc": (sparse.csc_array, sparse.csc_matrix)}[values.format]
    return next(kind for kind in base if isinstance(values, kind))(values)


def _package(kind: type) -> str:
    """Return the package that a class comes from."""
    return kind.__module__.partition(".")[0]
