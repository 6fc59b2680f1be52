"""Modalities of a MuData as knowledge sources of `MSFS`: what proteins or peaks say of the cells ranks the genes."""

from __future__ import annotations

from typing import Any

from eigenselect.exceptions import listed, shown
from eigenselect.multisource.sources import AuxiliaryData, KnowledgeSource, SampleSimilarity
from eigenselect.single_cell.containers import annotated_of, is_anndata, is_mudata

#: the representation that scanpy's neighbours take where a table is wide
PCA = "X_pca"


def modality_sources(
    mdata: Any, modality: str | None = None, *, owner: str = "pp.spectral_features"
) -> list[tuple[str, KnowledgeSource]]:
    """Make one source of each modality but that of the genes, for ``MSFS(sources=...)``.

    A source is the neighbours' graph that scanpy recorded there, else the neighbours in its ``X_pca``, else those in
    its ``X``. Cells are matched by name; those that a modality has not are left out by `MSFS`, with a warning.

    Parameters
    ----------
    mdata : MuData
    modality : str
        The modality whose genes are ranked.
    owner : str
        The verb that errors speak for.

    Returns
    -------
    list of (str, KnowledgeSource)
        Names of the modalities with their sources, in the order of the MuData.

    Notes
    -----
    No source is made of the genes that are judged, so that p-values are honest: ``significance="given"``, since a
    recorded graph is a precomputed one.
    """
    if not is_mudata(mdata):
        raise ValueError(
            f"{owner}: 'msfs' takes the other modalities of a MuData as sources, got {type(mdata).__name__}; use "
            "eigenselect.MSFS for other sources."
        )
    genes = annotated_of(mdata, modality=modality, owner=owner)
    others = {name: held for name, held in mdata.mod.items() if held is not genes}
    nested = [name for name, held in others.items() if not is_anndata(held)]
    if nested:
        raise ValueError(f"{owner}: {listed(nested)} of this MuData is no AnnData; leave it out.")
    if not others:
        raise ValueError(f"{owner}: 'msfs' needs another modality than {shown(modality)}, got a MuData with none.")
    return [(name, source_of(held)) for name, held in others.items()]


def source_of(adata: Any) -> KnowledgeSource:
    """Make a source of one modality: its recorded neighbours, else its ``X_pca``, else its ``X``.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> proteins = anndata.AnnData(np.eye(3), obsm={"X_pca": np.ones((3, 2))})
    >>> source_of(proteins).Z.shape
    (3, 2)
    """
    names = list(adata.obs_names)
    key = adata.uns.get("neighbors", {}).get("connectivities_key", "connectivities")
    if "neighbors" in adata.uns and key in adata.obsp:
        return SampleSimilarity(adata.obsp[key], sample_names=names)
    return AuxiliaryData(adata.obsm.get(PCA, adata.X), sample_names=names)
