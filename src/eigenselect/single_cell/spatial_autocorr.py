"""Moran's I and Geary's C of every gene on a spatial graph: squidpy's arguments and columns, exact p-values."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._checks import choice, is_whole, whole_or_none
from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import IntArray
from eigenselect.criteria.criterion import Scores
from eigenselect.inference.significance import FEWEST_SAMPLES
from eigenselect.matrix import Matrix, read_input
from eigenselect.selection import rank_features
from eigenselect.single_cell.autocorr_values import ATTRIBUTES, autocorr_values
from eigenselect.single_cell.containers import annotated_of
from eigenselect.single_cell.multiple_tests import adjusted_pvalues, known_method
from eigenselect.single_cell.record import writing_to
from eigenselect.single_cell.scored_genes import STATISTICS, ScoredGenes
from eigenselect.single_cell.spatial_weights import spatial_graph

OWNER = "spatial_autocorr"
#: squidpy's order of arguments, for calls that give more than three by position
ORDER = (
    "adata", "connectivity_key", "genes", "mode", "transformation", "n_perms", "two_tailed", "corr_method", "attr",
    "layer", "seed", "use_raw", "copy", "n_jobs", "backend", "show_progress_bar",
)  # fmt: skip


def _in_squidpys_order(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Let arguments that should be named also be given by position, in squidpy's order."""

    @wraps(verb)
    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(ORDER):
            raise TypeError(f"{OWNER} takes at most {len(ORDER)} arguments by position, got {len(args)}.")
        later = dict(zip(ORDER[3:], args[3:], strict=False))
        if twice := next((name for name in later if name in kwargs), None):
            raise TypeError(f"{OWNER} got {twice!r} by position and by name.")
        return verb(*args[:3], **later, **kwargs)

    return called


@_in_squidpys_order
def spatial_autocorr(
    adata: Any,
    connectivity_key: str = "spatial_connectivities",
    genes: Any = None,
    *,
    mode: str = "moran",
    transformation: bool = True,
    n_perms: int | None = None,
    two_tailed: bool = False,
    corr_method: str | None = "fdr_bh",
    attr: str = "X",
    layer: str | None = None,
    seed: int | None = None,
    use_raw: bool = False,
    copy: bool = False,
    n_jobs: int | None = None,
    backend: str = "loky",
    show_progress_bar: bool = True,
    table_key: str | None = None,
    modality: str | None = None,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame | None:
    r"""Compute Moran's I or Geary's C of genes on a spatial graph, in place of squidpy's function of this name.

    .. math:: I = \frac{n}{\sum_{ij} w_{ij}} \frac{\sum_{ij} w_{ij} z_i z_j}{\sum_i z_i^2}, \qquad
              C = \frac{n - 1}{2 \sum_{ij} w_{ij}} \frac{\sum_{ij} w_{ij} (z_i - z_j)^2}{\sum_i z_i^2}

    where z are the values of a gene minus their mean, and W are the weights of the graph. Values are squidpy's,
    p-values are not: docs/spatial.md says where and why.

    Parameters
    ----------
    adata : AnnData, SpatialData or MuData
        Of a SpatialData, ``table_key`` names the table; of a MuData, ``modality`` the genes.
    connectivity_key : str, default="spatial_connectivities"
        The graph in ``.obsp``, of a MuData also ``"modality:key"``; it must not be made of the genes that it judges.
    genes : str, int, sequence of these or None, default=None
        Names or positions. None: of X the genes flagged in ``.var["highly_variable"]``, or all where nobody flagged
        any; of obs all columns of numbers; of obsm all columns.
    mode : {"moran", "geary"}, default="moran"
        Moran's I is large and Geary's C is small where neighbours are alike.
    transformation : bool, default=True
        Divide every row of W by its sum. W is then not symmetric, and enters as (W + Wᵀ) / 2, which gives the same
        I and C.
    n_perms : int, optional
        Also draw so many random permutations of the cells.
    two_tailed : bool, default=False
        False: small p-values are for neighbours that are more alike than chance makes them. True: or less alike.
    corr_method : str or None, default="fdr_bh"
        Correction for the number of genes: ``"fdr_bh"``, ``"fdr_by"``, ``"bonferroni"``, ``"sidak"``, ``"holm"``,
        ``"holm-sidak"``, ``"simes-hochberg"``, ``"hommel"``, ``"fdr_tsbh"``, ``"fdr_tsbky"`` or ``"fdr_gbs"``. None
        for none.
    attr : {"X", "obs", "obsm"}, default="X"
        Where the values are.
    layer : str, optional
        A layer in place of X; with ``attr="obsm"`` the key in ``.obsm``.
    seed : int, optional
        Of all that is random. None is a fixed start: equal calls give equal results.
    use_raw : bool, default=False
        Take the genes from ``.raw``.
    copy : bool, default=False
        Return the table instead of writing it to ``.uns``.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    backend : str
        Accepted for squidpy's sake; work is shared by threads.
    show_progress_bar : bool, default=True
        Show the progress of permutations, on a terminal.
    table_key : str, optional
        Of a SpatialData: which table; its only one by default.
    modality : str, optional
        Of a MuData: which genes; its only modality by default.
    rng : int or numpy Generator, optional
        In place of ``seed``.

    Returns
    -------
    DataFrame or None
        One row a gene, the most clustered first, with ``copy=True``; else it is written to ``.uns["moranI"]`` or
        ``.uns["gearyC"]``.

        - ``I`` or ``C``: the statistic; NaN for constant genes and those with missing values, whose p-values are NaN
          and count in no correction.
        - ``pval_norm``: share of all permutations of the cells that are at least as clustered, from their exact mean,
          variance and skewness; of rare genes refined by random permutations.
        - ``var_norm``: exact variance of the statistic over all permutations, for each gene.
        - with ``n_perms`` ``pval_z_sim``, a normal tail with mean and variance of the permutations drawn; ``pval_sim``,
          the share of these that are at least as clustered, the observed one counted in; ``var_sim``, their variance.
        - ``{pval}_{corr_method}`` for each.

    See Also
    --------
    eigenselect.pp.spectral_features : Chooses genes on the same graph, by any method.
    eigenselect.pl.spatial : Draws the best genes on the tissue.
    eigenselect.MoranI : Moran's I for any table, as a selector.
    eigenselect.GearyC : Geary's C for any table, as a selector.

    References
    ----------
    Moran, Notes on continuous stochastic phenomena, Biometrika 1950, doi:10.1093/biomet/37.1-2.17; Geary, The
    contiguity ratio and statistical mapping, The Incorporated Statistician 1954, doi:10.2307/2986645.

    Examples
    --------
    A gene that fills half of a strip of cells, and one that alternates:

    >>> import anndata
    >>> import numpy as np
    >>> import pandas as pd
    >>> import eigenselect as es
    >>> line = np.eye(12, k=1) + np.eye(12, k=-1)
    >>> X = np.column_stack([np.arange(12.0) // 6, np.arange(12.0) % 2])
    >>> adata = anndata.AnnData(X, var=pd.DataFrame(index=["half", "stripes"]), obsp={"spatial_connectivities": line})
    >>> es.gr.spatial_autocorr(adata)
    >>> adata.uns["moranI"][["I", "pval_norm"]].round(3)
                 I  pval_norm
    half     0.833      0.001
    stripes -1.000      0.998
    """
    mode = getattr(mode, "value", mode)  # squidpy also takes a member of its Enum
    choice(mode, "mode", OWNER, list(STATISTICS))
    choice(attr, "attr", OWNER, ATTRIBUTES)
    whole_or_none(n_perms, "n_perms", OWNER)
    if corr_method is not None:
        known_method(corr_method, OWNER)
    state, statistic = _random_state(seed, rng), STATISTICS[mode]
    data, adata = adata, annotated_of(adata, modality=modality, table_key=table_key, owner=OWNER)
    values = autocorr_values(adata, OWNER, attr=attr, genes=genes, layer=layer, use_raw=use_raw)
    values, incomplete = values.complete(OWNER)
    graph = spatial_graph(data, adata, connectivity_key, OWNER, row_normalised=transformation)
    with single_threaded_blas():
        scored = ScoredGenes.of(statistic, graph, _checked(values.table), two_tailed=two_tailed, n_jobs=n_jobs)
        columns = scored.analytic(state)
        if n_perms is not None:
            columns |= scored.permuted(n_perms, state, show_progress=show_progress_bar)
    frame = pd.DataFrame({statistic.column: scored.scores.native, **columns}, index=values.index)
    if corr_method is not None:
        for name in [name for name in columns if name.startswith("pval")]:
            frame[f"{name}_{corr_method}"] = adjusted_pvalues(columns[name], corr_method)
    frame = frame.iloc[_best_first(scored.scores)]
    if incomplete.size:
        frame = pd.concat([frame, pd.DataFrame(np.nan, incomplete, frame.columns)])
    if copy:
        return frame
    with writing_to(adata, OWNER):
        adata.uns[statistic.key] = frame
    return None


def _random_state(seed: Any, rng: Any) -> Any:
    """Return what was given of the two; refuse both, and what is neither."""
    if seed is not None and rng is not None:
        raise ValueError(f"{OWNER}: seed and rng both say where to start; give one of them.")
    state = rng if seed is None else seed
    if state is None or isinstance(state, np.random.Generator) or (is_whole(state) and state >= 0):
        return state
    name, also = ("rng", ", a numpy Generator") if seed is None else ("seed", "")
    raise ValueError(f"{OWNER}: {name} must be a non-negative integer{also} or None, got {state!r}.")


def _checked(values: Matrix) -> Matrix:
    """Return finite numbers of enough cells."""
    if values.n_samples < FEWEST_SAMPLES:
        raise ValueError(
            f"{OWNER}: p-values need at least {FEWEST_SAMPLES} cells, got {values.n_samples}; give more cells."
        )
    return read_input(values, OWNER)


def _best_first(scores: Scores) -> IntArray:
    """Order genes by the statistic; those that differ by rounding stay in their order, undefined ones come last."""
    ranking = rank_features(scores.native, larger_is_better=scores.larger_is_better, tolerance=scores.rounding)
    return np.argsort(ranking, kind="stable")
