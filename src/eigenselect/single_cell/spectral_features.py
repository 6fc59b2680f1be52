"""The verb that chooses genes which follow the structure of the cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._checks import whole_or_none
from eigenselect._labels import read_labels
from eigenselect._typing import IntArray
from eigenselect._warn import warn
from eigenselect.criteria.methods import METHODS, Default
from eigenselect.exceptions import agreeing, counted, shown
from eigenselect.inference.shadows import Shadows
from eigenselect.inference.significance import Route
from eigenselect.selection.rules import FDR, TopK
from eigenselect.selectors.base import Selector
from eigenselect.single_cell import record
from eigenselect.single_cell.batches import Batch, batches_of
from eigenselect.single_cell.containers import annotated_of, place_of
from eigenselect.single_cell.counts import expressed_or_nan, refuse_empty, warn_of_raw_counts
from eigenselect.single_cell.gene_scores import GeneScores
from eigenselect.single_cell.gene_values import (
    covariates_of,
    gene_values,
    name_of_values,
    names_of_covariates,
    refuse_missing,
)
from eigenselect.single_cell.methods import seed_of, selectors_of
from eigenselect.single_cell.routes import route_for, untested
from eigenselect.single_cell.sample_graphs import CellStructure, neighbors_structure, structure_of
from eigenselect.single_cell.scored import check_structure, needs_structure

OWNER = "spectral_features"
#: genes that are chosen where there are no p-values and no number is given
N_TOP_GENES = 2000


def spectral_features(
    adata: Any,
    n_top_genes: int | None = None,
    *,
    alpha: float = 0.05,
    method: Any = None,
    spectral_function: Any = None,
    layer: str | None = None,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
    label_key: str | None = None,
    batch_key: str | None = None,
    covariates: Any = None,
    significance: Any = "auto",
    must_keep: Sequence[Any] | None = None,
    never: Sequence[Any] | None = None,
    key_added: str = "spectral",
    subset: bool = False,
    flag_as_highly_variable: bool = False,
    inplace: bool = True,
    n_jobs: int | None = None,
    rng: Any = None,
    use_raw: bool = False,
    modality: str | None = None,
    table_key: str | None = None,
) -> pd.DataFrame | None:
    r"""Choose genes that follow the structure of the cells.

    A gene is good if cells that are alike have like values of it. Who is alike is said by a graph of the cells or by
    labels. The default is the graph of `scanpy.pp.neighbors`; the one of `squidpy.gr.spatial_neighbors` finds spatially
    variable genes.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        Values should be logarithms of normalised counts; raw counts are warned of.
    n_top_genes : int, optional
        Genes to choose, the best ones. None takes those with ``q ≤ alpha`` where there are p-values, else 2000.
    alpha : float, default=0.05
        False discovery rate of the choice by q-values.
    method : str, selector or list of them, optional
        A name of ``eigenselect methods``, or a selector, whose similarity is replaced by the graph or the labels. Of
        several, ranks are combined by their mean, p-values by the Cauchy rule, and ``.varm`` has the scores of each.
        None: ``"laplacian"``; with ``label_key`` and without ``spectral_function`` ``"fisher"``, or ``"hsic"`` if the
        labels are numbers, of the labelled cells alone, with a warning if others have none.
    spectral_function : name, number, callable or object, optional
        The function γ of the methods that have one, see `eigenselect.SPEC`; the Laplacian score with it is φ2 of SPEC.
    layer : str, optional
        Values of ``adata.layers`` in place of ``adata.X``.
    neighbors_key : str, optional
        Record of neighbours in ``adata.uns``; ``"neighbors"`` by default.
    obsp : str, optional
        Graph in ``adata.obsp``, none negative. Of one that is not symmetric, such as squidpy's nearest neighbours, it
        is (W + Wᵀ) / 2.
    use_rep : str, optional
        Coordinates in ``adata.obsm``, whose 15 nearest neighbours, as scanpy counts them, make the graph; ``"X"`` is
        the genes themselves.
    label_key : str, optional
        Labels in ``adata.obs``. Methods on a graph take that in which cells of one label are alike; ``"sselect"`` takes
        labels of some cells along with the neighbours' graph. At most one of the four keys. In a MuData, a key may be
        ``"modality:key"``.
    batch_key : str, optional
        Batches in ``adata.obs``: each is scored alone, on the edges between its cells. Genes are ranked by the number
        of batches that would choose them, then by their median rank in these, as in `scanpy.pp.highly_variable_genes`
        (``flavor="seurat_v3_paper"``); scores are means, p-values are joined by Fisher's rule. Batches of one cell are
        skipped, and said.
    covariates : str, list of str, array or DataFrame, optional
        Columns of ``adata.obs``, or values for every cell, that should not count (depth, cycle): every gene is replaced
        by what a linear regression on them leaves.
    significance : "auto", None, "given", "split", "shadows" or object, default="auto"
        Noise looks significant on a graph that it made itself. ``"auto"``: p-values on what the genes did not make:
        graphs whose key starts with ``spatial``, or that ``.uns`` records as spatial; places in ``.obsm``; another
        modality; labels that are no clustering that ``.uns`` records, renamed or merged. Else p and q are NaN, with a
        warning. ``"given"``: you say that these genes did not make it. ``"split"``: neighbours are found again from the
        other genes, with the recorded parameters. ``"shadows"``: q-values against permuted copies. None: no p-values.
        Or an object of `eigenselect.inference`.
    must_keep, never : list of str, optional
        Genes that are chosen, or not, whatever their scores.
    key_added : str, default="spectral"
        Start of the names of all that is written.
    subset : bool, default=False
        Keep only the chosen genes in ``adata``.
    flag_as_highly_variable : bool, default=False
        Write the choice to ``adata.var["highly_variable"]`` too, where `scanpy.pp.pca` looks for it.
    inplace : bool, default=True
        Write to ``adata``; else return the columns, of the chosen genes only with ``subset``.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    rng : int, Generator, RandomState or None, default=None
        Of random parts (``"split"``, ``"shadows"``, deep tails of p-values); None is a fixed seed.
    use_raw : bool, default=False
        Values of ``adata.raw``, of the genes in ``adata``.
    modality : str, optional
        Of a MuData, the modality whose genes are scored; ``method="msfs"`` takes the others as sources.
    table_key : str, optional
        Of a SpatialData, the table.

    Returns
    -------
    DataFrame or None
        With ``inplace=False`` the columns below, one row per gene. Else None, and ``adata`` has, for the default key:

        * ``.var["spectral"]`` (bool): whether the gene is chosen;
        * ``.var["spectral_score"]`` (float64): larger is better, NaN where undefined (constant genes);
        * ``.var["spectral_rank"]`` (int64): 1 is best;
        * ``.var["spectral_pval"]`` (float64): how often a gene without relation to the graph scores as well;
        * ``.var["spectral_qval"]`` (float64): the false discovery rate of Benjamini and Hochberg;
        * ``.var["spectral_zscore"]`` (float64): deviations from the mean of a gene without relation to the graph,
          positive is better (the normal deviate of p where several graphs were used). These three are NaN where nothing
          was tested;
        * ``.var["spectral_n_expressed"]`` (int64): cells with another value than zero; NaN if some value is
          below zero (centred data);
        * ``.var["spectral_nbatches"]`` (int64): batches that would choose the gene;
        * ``.varm["spectral"]`` (DataFrame): with several methods, the scores of each; with ``inplace=False`` they are
          columns ``spectral_score_{method}``;
        * ``.uns["spectral"]`` (dict): parameters and the rule of the choice.

    See Also
    --------
    eigenselect.gr.spatial_autocorr : Moran's I and Geary's C with squidpy's arguments.
    eigenselect.pl.score_mean : Draws scores against means, and names the best genes.
    eigenselect.LaplacianScore : The default method, for any table.

    Notes
    -----
    Read are ``.X`` (or the layer, or ``.raw``) and what the key names; by default ``.uns["neighbors"]`` and the matrix
    in ``.obsp`` to which it points. Of a MuData or SpatialData, the part that holds the genes is written to.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> from scipy import sparse
    >>> import eigenselect as es
    >>> rng = np.random.default_rng(0)
    >>> X = rng.gamma(1.0, size=(60, 4))
    >>> X[:30, 2] += 3  # differs between the two halves of the tissue
    >>> line = sparse.diags_array([np.ones(59), np.ones(59)], offsets=[-1, 1], format="csr")
    >>> adata = anndata.AnnData(X, obsp={"spatial_connectivities": line})
    >>> es.pp.spectral_features(adata, obsp="spatial_connectivities")
    >>> adata.var["spectral"].to_numpy(), adata.var["spectral_rank"].to_numpy()[2]
    (array([False, False,  True, False]), np.int64(1))
    """
    data, adata = adata, annotated_of(adata, modality=modality, table_key=table_key, owner=OWNER)
    _check_writing(adata, key_added, subset=subset, inplace=inplace)
    FDR(alpha).check(OWNER, adata.n_vars)
    lists = {"must_keep": _listed(must_keep), "never": _listed(never)}
    count = _count(n_top_genes, adata.n_vars - len(set(lists["never"])))
    table = gene_values(adata, layer=layer, use_raw=use_raw, owner=OWNER)
    expressed, called = expressed_or_nan(table), name_of_values(layer, use_raw=use_raw)
    refuse_empty(expressed, called, OWNER)
    refuse_missing(table, called, OWNER)
    keys = {"neighbors_key": neighbors_key, "obsp": obsp, "use_rep": use_rep, "label_key": label_key}
    rows = None
    if method is None:
        method, rows = _recommended(data, adata, keys, by_labels=spectral_function is None)
    selectors = selectors_of(
        method, spectral_function=spectral_function, n_jobs=n_jobs, random_state=seed_of(rng, OWNER), owner=OWNER
    )
    _give_sources(selectors, data, modality)
    structure = _structure(selectors, data, adata, keys, Batch(rows=rows))
    routes = _routes(significance, selectors, structure, adata, count if n_top_genes is None else None)
    if batch_key is not None or len(selectors) > 1:
        _refuse_shadows(routes)
    tested = any(routes.values())
    make = partial(FDR, alpha) if n_top_genes is None and tested else partial(TopK, count)
    rule = make(**lists)
    rule.check(OWNER, table.n_features, table.feature_names)
    batch_of_cell = None if batch_key is None else place_of(data, adata, batch_key, "obs", owner=OWNER).labels()
    batches = batches_of(Batch(rows=rows).of_frame(batch_of_cell), structure, tested=tested, owner=OWNER)
    warn_of_raw_counts(table, called, OWNER)
    scoring = GeneScores(
        table=table if rows is None else table.take_rows(rows),
        selectors=selectors,
        structure=structure,
        routes=routes,
        covariates=Batch(rows=rows).of_frame(covariates_of(data, adata, covariates, OWNER)),
        rule=make(),
        count=count,
        owner=OWNER,
    )
    scored, nbatches = scoring.run(batches)
    chosen = scoring.choose(scored, rule)
    columns = record.columns_of(scored, chosen, expressed, nbatches, adata.var_names, key_added)
    if flag_as_highly_variable:
        columns[record.HIGHLY_VARIABLE] = chosen
    methods = record.scores_of_methods(scored, adata.var_names)
    if not inplace:
        return _returned(columns, methods, key_added, chosen if subset else None)
    parameters = {
        "method": list(selectors) if methods is not None else next(iter(selectors)),
        **{name: key for name, key in keys.items() if key is not None},
        **({} if structure is None else structure.keys),
        "n_top_genes": n_top_genes,
        "alpha": alpha,
        "spectral_function": spectral_function,
        "layer": layer,
        "use_raw": use_raw,
        "batch_key": batch_key,
        "covariates": names_of_covariates(covariates),
        "significance": _spelled(routes),
        **lists,
    }
    record.write(adata, columns, record.record_of(parameters, rule, int(chosen.sum())), key_added, methods, owner=OWNER)
    if subset:
        adata._inplace_subset_var(chosen)
    return None


def _returned(columns: pd.DataFrame, methods: pd.DataFrame | None, key: str, kept: Any) -> pd.DataFrame:
    """Return the columns of every gene, or of those that are kept; names of genes may repeat."""
    scores = {} if methods is None else {f"{key}_score_{name}": methods[name].to_numpy() for name in methods}
    frame = columns.assign(**scores)
    return frame if kept is None else frame[kept]


def _check_writing(adata: Any, key_added: Any, *, subset: bool, inplace: bool) -> None:
    """Refuse before any work what could not be written after it."""
    if not inplace:
        return
    record.check_key(adata, key_added, OWNER)
    if adata.isbacked and (subset or adata.is_view):
        what = "subset=True cuts genes out of a file" if subset else "a view of a backed AnnData cannot be written to"
        raise ValueError(f"{OWNER}: {what}; use inplace=False, or adata.to_memory() first.")


def _give_sources(selectors: dict[str, Selector], data: Any, modality: str | None) -> None:
    """Give the other modalities of a MuData to `MSFS`, where it has no sources of its own."""
    for selector in selectors.values():
        if "sources" in selector.get_params(deep=False) and not selector.sources:
            from eigenselect.single_cell.modality_sources import modality_sources

            selector.set_params(sources=modality_sources(data, modality, owner=OWNER))


def _recommended(data: Any, adata: Any, keys: dict[str, str | None], *, by_labels: bool) -> tuple[str, IntArray | None]:
    """Name the recommended method, and the cells that it scores if some have no label; None for all."""
    labels = structure_of(data, adata, **keys, owner=OWNER).labels if by_labels and keys["label_key"] else None
    if labels is None:
        return METHODS.default(Default.UNLABELLED), None
    rows = np.flatnonzero(labels.notna())
    is_number = read_labels(labels, OWNER).numbers_seen
    name = METHODS.default(Default.NUMBERS if is_number else Default.CLASSES)
    if rows.size in (0, len(labels)):
        return name, None
    some = "" if is_number else f"; method={METHODS.default(Default.LABELS_AND_GRAPH)!r} would use all"
    missing = len(labels) - rows.size
    said = agreeing(missing, f"[has|have] no label in obs[{shown(labels.name)}] and [is|are] left out")
    warn(f"{OWNER}: {counted(missing, 'cell')} of {len(labels)} {said}{some}.", UserWarning)
    return name, rows


def _structure(
    selectors: dict[str, Selector], data: Any, adata: Any, keys: dict[str, str | None], cells: Batch
) -> CellStructure | None:
    """Find how some cells are alike; labels of some cells stand beside the neighbours' graph."""
    looking = {name: selector for name, selector in selectors.items() if needs_structure(selector)}
    given = [f"{name}={shown(key)}" for name, key in keys.items() if key is not None]
    if not looking:
        if given:
            name = next(iter(selectors))
            raise ValueError(f"{OWNER}: method={shown(name)} looks at no graph and no labels; leave {given[0]} out.")
        return None
    structure = structure_of(data, adata, **keys, owner=OWNER)
    structure = cells.of_structure(structure) or structure
    for name, selector in looking.items():
        check_structure(name, selector, structure, OWNER)
    if structure.labels is None or not any(selector.uses_unlabelled_samples for selector in looking.values()):
        return structure
    beside = neighbors_structure(data, adata, None, OWNER)
    return replace(structure, graph=beside.graph, keys=structure.keys | beside.keys)


def _routes(
    significance: Any,
    selectors: dict[str, Selector],
    structure: CellStructure | None,
    adata: Any,
    count: int | None,
) -> dict[str, Route | None]:
    """Find the way to p-values of every method; say once why there is none though one was hoped for."""
    embedding = adata.obsm["X_pca"].shape[1] if "X_pca" in adata.obsm else None
    found = {
        name: route_for(
            significance,
            name,
            selector,
            structure if needs_structure(selector) else None,
            n_genes=adata.n_vars,
            n_components=embedding,
            owner=OWNER,
        )
        for name, selector in selectors.items()
    }
    routes = {name: route for name, (route, _) in found.items()}
    doubt = "" if structure is None else structure.provenance.doubt
    if doubt and any(routes.values()):
        warn(
            f"{OWNER}: {doubt}, though uns records none; p-values hold only if these genes did not make it, else use "
            "significance=None.",
            UserWarning,
        )
    if sentence := untested({name: why for name, (_, why) in found.items()}, structure, count, OWNER):
        warn(sentence, UserWarning)
    return routes


def _refuse_shadows(routes: dict[str, Route | None]) -> None:
    """Refuse q-values without p-values where those of several batches or methods must be combined."""
    if any(isinstance(getattr(route, "route", route), Shadows) for route in routes.values()):
        raise ValueError(
            f"{OWNER}: significance='shadows' gives q-values, which cannot be combined over batches or methods; use "
            "'split'."
        )


def _count(n_top_genes: int | None, n_genes: int) -> int:
    """Return how many genes a number means: at most those that may be chosen, which is said where more were asked for.

    Where none may, it is 1, and the rule says so.
    """
    rest = "None takes the genes with q up to alpha, or 2000 where there are no q-values"
    whole_or_none(n_top_genes, "n_top_genes", OWNER, advice=rest)
    if n_top_genes is not None and n_top_genes > n_genes:
        who = f"the {n_genes} genes that may be chosen"
        warn(f"{OWNER}: n_top_genes={n_top_genes} is more than {who}; all are taken.", UserWarning)
    return max(1, min(N_TOP_GENES if n_top_genes is None else int(n_top_genes), n_genes))


def _listed(genes: Any) -> Any:
    """Return names of genes as a list; those of pandas and numpy too."""
    if genes is None or isinstance(genes, (str, int)):
        return () if genes is None else [genes]
    return list(genes)


def _spelled(routes: dict[str, Route | None]) -> str:
    """Name the way to p-values that was taken, as a user writes it; "none" where none was."""
    taken = [route.spelling.strip("'") for route in routes.values() if route is not None]
    return taken[0] if taken else "none"
