"""Read back what the verbs wrote into an AnnData: scores, order, p-values and q-values of genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.exceptions import agreeing, listed, shown
from eigenselect.matrix import Matrix
from eigenselect.reporting.significance import ALPHA, probability_text

#: tables of `gr.spatial_autocorr` in ``.uns``: the column of the statistic, and whether large values are good
STATISTICS = {"I": True, "C": False}
#: what scores are called in pictures
SCORE = "score"


@dataclass(frozen=True)
class FoundGenes:
    """What a verb found of genes, in the order in which it wrote them.

    Attributes
    ----------
    key : str
        What the verb wrote it under.
    names : Index of shape (n_genes,)
    scores : ndarray of shape (n_genes,)
        NaN where undefined.
    score_name : str
    order : ndarray of int
        Genes with a score, best first.
    pvalues, qvalues : ndarray of shape (n_genes,)
        NaN where there is none.
    chosen : ndarray of shape (n_genes,) or None
        Genes that the verb flagged.
    alpha : float
        False discovery rate of the verb, 0.05 where it has none.
    params : mapping
        Parameters that the verb recorded.
    """

    key: str
    names: pd.Index[Any]
    scores: FloatArray
    score_name: str
    order: IntArray
    pvalues: FloatArray
    qvalues: FloatArray
    chosen: BoolArray | None
    alpha: float
    params: Mapping[str, Any]

    @property
    def has_pvalues(self) -> bool:
        """Whether any gene has a p-value."""
        return not bool(np.isnan(self.pvalues).all())

    @property
    def has_qvalues(self) -> bool:
        """Whether any gene has a q-value; shadows give these without p-values."""
        return not bool(np.isnan(self.qvalues).all())

    def discovered(self, alpha: float) -> BoolArray:
        """Tell which genes have ``q ≤ alpha``."""
        return np.asarray(self.qvalues <= alpha)

    def evidence(self, place: int) -> str:
        """Say where a gene stands, and how sure that is."""
        places = np.flatnonzero(self.order == place)
        rank = f"rank {places[0] + 1} of {self.order.size}" if places.size else "no score"
        return f"{rank}, {self._how_sure(place)}"

    def _how_sure(self, place: int) -> str:
        if np.isnan(self.qvalues[place]):
            return "no q-value"
        return f"q = {probability_text(float(self.qvalues[place]))}".replace("= <", "< ")

    def columns(self, table: Matrix, owner: str) -> IntArray:
        """Find each gene in a table of values, which may hold others and be in another order."""
        names = pd.Index([] if table.feature_names is None else table.feature_names)
        if names.equals(self.names):
            return np.arange(names.size)
        if not names.is_unique:
            raise ValueError(
                f"{owner}: names of genes repeat ({listed(names[names.duplicated()].unique(), 3)}), so that "
                f"{shown(self.key)} cannot be matched with the values; call var_names_make_unique() first."
            )
        found = np.asarray(names.get_indexer(self.names), dtype=np.intp)
        if (found < 0).any():
            missing = self.names[found < 0]
            are = agreeing(missing.size, "[is|are]")
            raise ValueError(
                f"{owner}: {missing.size} of {self.names.size} genes of {shown(self.key)} {are} not in these values "
                f"({listed(missing, 3)}); use_raw=True takes those of adata.raw."
            )
        return found


def found_genes(adata: Any, key: str, owner: str) -> FoundGenes:
    """Read what ``pp.spectral_features`` or ``gr.spatial_autocorr`` wrote under a key.

    Parameters
    ----------
    adata : AnnData
    key : str
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"``.
    owner : str
        The verb that errors speak for.

    Examples
    --------
    >>> import anndata
    >>> adata = anndata.AnnData(np.eye(3), var={"spectral_score": [0.1, np.nan, 0.7], "spectral_rank": [2, 3, 1]})
    >>> found_genes(adata, "spectral", "pl.ranking").order.tolist()
    [2, 0]
    """
    if not is_written(adata, key):
        raise ValueError(f"{owner}: nothing was written under {shown(key)}; {_instead(adata)}")
    return _of_var(adata, key) if f"{key}_{SCORE}" in adata.var else _of_statistic(adata.uns[key], key)


def is_written(adata: Any, key: str) -> bool:
    """Tell whether a verb wrote something under a key."""
    return f"{key}_{SCORE}" in adata.var or _statistic(adata.uns.get(key)) is not None


def _of_var(adata: Any, key: str) -> FoundGenes:
    """Read the columns of `pp.spectral_features`."""
    scores = _numbers(adata.var, f"{key}_{SCORE}")
    ranks = _numbers(adata.var, f"{key}_rank")
    recorded = adata.uns.get(key, {})
    params = recorded.get("params", recorded) if isinstance(recorded, Mapping) else {}
    ordered = np.flatnonzero(~np.isnan(ranks) & ~np.isnan(scores))  # a method may order some genes only
    return FoundGenes(
        key=key,
        names=pd.Index(adata.var_names),
        scores=scores,
        score_name=SCORE,
        order=ordered[np.argsort(ranks[ordered], kind="stable")],
        pvalues=_numbers(adata.var, f"{key}_pval"),
        qvalues=_numbers(adata.var, f"{key}_qval"),
        chosen=adata.var[key].to_numpy(dtype=bool) if key in adata.var else None,
        alpha=float(params.get("alpha", ALPHA)),
        params=params,
    )


def _of_statistic(table: pd.DataFrame, key: str) -> FoundGenes:
    """Read a table of `gr.spatial_autocorr`, also one that squidpy wrote."""
    name = str(_statistic(table))
    scores = _numbers(table, name)
    adjusted = [column for column in table.columns if str(column).startswith("pval_norm_")]
    order = np.argsort(-scores if STATISTICS[name] else scores, kind="stable")  # NaN last
    return FoundGenes(
        key=key,
        names=pd.Index(table.index),
        scores=scores,
        score_name=f"Moran's {name}" if name == "I" else f"Geary's {name}",
        order=order[~np.isnan(scores[order])],
        pvalues=_numbers(table, "pval_norm"),
        qvalues=_numbers(table, adjusted[0] if adjusted else ""),
        chosen=None,
        alpha=ALPHA,
        params={},
    )


def _statistic(table: Any) -> str | None:
    """Return the column of the statistic in a table of `gr.spatial_autocorr`; None if it is no such table."""
    if not isinstance(table, pd.DataFrame):
        return None
    return next((name for name in STATISTICS if name in table.columns), None)


def _numbers(frame: pd.DataFrame, column: str) -> FloatArray:
    """Return a column as floats; NaN where there is no such column."""
    if column not in frame:
        return np.full(len(frame), np.nan)
    return frame[column].to_numpy(dtype=np.float64, na_value=np.nan)


def _instead(adata: Any) -> str:
    """Say which keys there are, or which verb writes one."""
    ends = f"_{SCORE}"
    keys = [str(column).removesuffix(ends) for column in adata.var if str(column).endswith(ends)]
    keys = [key for key in keys if f"{key}_rank" in adata.var]
    keys += [str(key) for key in adata.uns if _statistic(adata.uns[key]) is not None]
    if keys:
        return f"give key={' or '.join(map(shown, keys[:5]))}."
    return "call eigenselect.pp.spectral_features or eigenselect.gr.spatial_autocorr first."
