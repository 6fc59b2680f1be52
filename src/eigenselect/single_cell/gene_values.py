"""What a verb reads of genes and cells: the values of the genes, and covariates of the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from eigenselect.exceptions import counted, listed, shown
from eigenselect.matrix import Matrix, annotated_matrix
from eigenselect.single_cell.containers import place_of


def gene_values(adata: Any, *, layer: str | None = None, use_raw: bool = False, owner: str) -> Matrix:
    """Return the values of the genes of an AnnData; of ``raw`` only those that the AnnData has, in its order."""
    table = annotated_matrix(adata, owner, layer=layer, use_raw=use_raw)
    if not use_raw or list(table.feature_names or ()) == list(adata.var_names):
        return table
    places = pd.Index(adata.raw.var_names).get_indexer_for(adata.var_names)
    missing = adata.var_names[places < 0] if len(places) == adata.n_vars else adata.var_names
    if len(missing):
        raise ValueError(
            f"{owner}: use_raw=True needs every gene once in adata.raw, which {listed(missing, 3)} "
            f"{'is' if len(missing) == 1 else 'are'} not; use adata.raw.to_adata()."
        )
    return table.take_columns(places)


def name_of_values(layer: str | None, *, use_raw: bool) -> str:
    """Return how messages call the values.

    >>> name_of_values("counts", use_raw=False)
    "adata.layers['counts']"
    """
    if use_raw:
        return "adata.raw"
    return "adata.X" if layer is None else f"adata.layers[{shown(layer)}]"


def refuse_missing(table: Matrix, name: str, owner: str) -> None:
    """Refuse values that are no numbers, and name their genes; a file is not read once more for it."""
    if not table.in_memory or table.is_finite():
        return
    low, high = table.column_extremes()
    missing = [str(gene) for gene in np.array(table.feature_names)[~np.isfinite(low) | ~np.isfinite(high)]]
    genes = f"{counted(len(missing), 'gene')} of {table.n_features} ({listed(missing, 3)})"
    raise ValueError(
        f"{owner}: {name} holds NaN or infinity in {genes}; fill the missing values in, or leave them out."
    )


def covariates_of(data: Any, adata: Any, covariates: Any, owner: str) -> pd.DataFrame | None:
    """Return covariates as a frame: columns of ``.obs`` by name, or values for every cell."""
    if covariates is None:
        return None
    if (names := names_of_covariates(covariates)) is not None:
        found = {name: place_of(data, adata, name, "obs", owner=owner).labels().to_numpy() for name in names}
        return pd.DataFrame(found, index=adata.obs_names)
    if isinstance(covariates, pd.Series):
        covariates = covariates.to_frame()
    frame = covariates if isinstance(covariates, pd.DataFrame) else pd.DataFrame(np.asarray(covariates))
    if len(frame) != adata.n_obs:
        raise ValueError(f"{owner}: covariates must have one row for each of {adata.n_obs} cells, got {len(frame)}.")
    return frame


def names_of_covariates(covariates: Any) -> list[str] | None:
    """Return the names of columns of ``.obs``; None where values are given.

    >>> names_of_covariates("depth"), names_of_covariates([1.5, 2.5])
    (['depth'], None)
    """
    if isinstance(covariates, str):
        return [covariates]
    is_list = isinstance(covariates, (list, tuple)) and len(covariates) > 0
    return list(covariates) if is_list and all(isinstance(name, str) for name in covariates) else None
