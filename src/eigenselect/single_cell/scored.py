"""Score the genes of one table by one selector, on the graph or the labels of its cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.utils import get_tags

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.methods import METHODS, Default
from eigenselect.exceptions import agreeing, counted, shown
from eigenselect.inference.significance import Route
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import TopK
from eigenselect.selectors.base import Selector
from eigenselect.similarity import FromTable
from eigenselect.single_cell.rebuilt_neighbors import neighbors_recipe
from eigenselect.single_cell.sample_graphs import CellStructure


@dataclass(frozen=True)
class Scored:
    """What was found about every gene.

    Attributes
    ----------
    scores : ndarray of shape (n_genes,)
        Larger is better, NaN where undefined.
    ranking : ndarray of shape (n_genes,)
        1 is best.
    n_ordered : int
        Genes that the ranking orders; the ranks of others mean nothing.
    orders_all : bool
        Whether that is so for undefined ones only.
    pvalues, qvalues, zscores : ndarray of shape (n_genes,) or None
        None where nothing was tested. Of z, positive is better.
    by_method : dict
        Scores of each method.
    """

    scores: FloatArray
    ranking: IntArray
    n_ordered: int
    orders_all: bool = True
    pvalues: FloatArray | None = None
    qvalues: FloatArray | None = None
    zscores: FloatArray | None = None
    by_method: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def ranks(self) -> Any:
        """Ranks as they are written: NaN for genes that a method does not order."""
        if self.orders_all:
            return self.ranking.astype(np.int64)
        return np.where(self.ranking <= self.n_ordered, self.ranking, np.nan)


def needs_structure(selector: Selector) -> bool:
    """Whether a selector scores on a graph or on labels of the samples: all but `Variance` and those with sources."""
    known = selector.get_params(deep=False)
    return selector.takes_similarity_matrix or "similarity" in known or needs_labels(selector)


def needs_labels(selector: Selector) -> bool:
    """Whether a selector cannot do without labels."""
    return bool(get_tags(selector).target_tags.required)


def score(
    name: str,
    selector: Selector,
    table: Matrix,
    structure: CellStructure | None,
    *,
    covariates: Any = None,
    route: Route | None = None,
    count: int,
    owner: str,
) -> Scored:
    """Fit a selector to some cells and read what it found.

    Parameters
    ----------
    name : str
        Of the method.
    selector : Selector
        Its parameters are set to what the verb was asked.
    table : Matrix
    structure : CellStructure or None
        None for selectors without one.
    covariates : data frame, optional
    route : Route, optional
        To p-values.
    count : int
        Genes that a method selects which must know how many before it starts.
    owner : str
        The verb that errors speak for.
    """
    selector.set_params(n_features_to_select=TopK(min(count, table.n_features)))
    if "significance" in selector.get_params(deep=False):
        selector.set_params(significance=route)
    labels, graph = (None, None) if structure is None else _arranged(selector, structure, table.n_samples, owner)
    selector.fit(table, labels, similarity_matrix=graph, covariates=covariates)
    return scored_by(name, selector)


def scored_by(name: str, selector: Selector) -> Scored:
    """Read what a fitted selector found."""
    return Scored(
        selector.scores_,
        selector.ranking_,
        selector.n_ordered_,
        selector.orders_all_features,
        getattr(selector, "pvalues_", None),
        getattr(selector, "qvalues_", None),
        standard_scores(selector),
        {name: selector.scores_},
    )


def standard_scores(selector: Selector) -> FloatArray | None:
    r"""Compute how many null deviations each score lies on its good side.

    .. math:: z = \pm \frac{s - \mathrm{E}\, s}{\mathrm{sd}\, s}

    where E and sd are over permutations of the gene. Where a gene was judged on several graphs, there are no such
    moments, and :math:`z = \Phi^{-1}(1 - p)`. None where there are no p-values.
    """
    pvalues = getattr(selector, "pvalues_", None)
    if pvalues is None:
        return None
    mean, deviation = getattr(selector, "null_mean_", None), getattr(selector, "null_sd_", None)
    if mean is None or deviation is None or np.isnan(mean).all():
        return normal_scores(pvalues)
    sign = 1.0 if getattr(selector.criterion_, "larger_is_better", True) else -1.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(sign * (selector.native_scores_ - mean) / deviation)


def normal_scores(pvalues: FloatArray) -> FloatArray:
    """Return the z whose upper tail is p; finite for p = 0 and p = 1.

    >>> normal_scores(np.array([0.025, 0.5, np.nan])).round(2)
    array([1.96, 0.  ,  nan])
    """
    tiny = np.finfo(np.float64).tiny
    return np.asarray(norm.isf(np.clip(pvalues, tiny, 1.0 - np.finfo(np.float64).epsneg)))


def check_structure(name: str, selector: Selector, structure: CellStructure, owner: str) -> None:
    """Refuse a graph, coordinates or labels on which a method cannot score, and say what it can."""
    takes_labels = _takes_labels(selector)
    if structure.labels is not None:
        _check_labels(name, selector, structure, owner)
    if takes_labels and structure.labels is None:
        raise ValueError(f"{owner}: method={shown(name)} needs labels; name a column of obs with label_key.")
    possible = selector.takes_similarity_matrix and (structure.graph is not None or _takes_recipe(selector))
    if not (takes_labels or possible or structure.of_genes):
        raise ValueError(
            f"{owner}: method={shown(name)} cannot score on {structure.name}, it makes a graph of its own; use "
            "use_rep='X' to let it."
        )


def _takes_labels(selector: Selector) -> bool:
    """Whether labels are given to a selector as they are, and not as a graph."""
    return needs_labels(selector) or selector.uses_unlabelled_samples


def _takes_recipe(selector: Selector) -> bool:
    """Whether a selector makes its graph by any similarity."""
    return selector.takes_similarity_matrix and "similarity" in selector.get_params(deep=False)


def _arranged(selector: Selector, structure: CellStructure, n_cells: int, owner: str) -> tuple[Any, Any]:
    """Set the similarity where none is given as a matrix; return labels and graph for the fit."""
    if structure.labels is not None:
        if _takes_labels(selector):
            return structure.labels, structure.graph
        selector.set_params(similarity="class_labels")
        return structure.labels, None
    if structure.graph is not None:
        return None, structure.graph
    recipe = neighbors_recipe(structure.parameters, owner).adapted_to(n_cells)
    if not structure.of_genes:
        selector.set_params(similarity=FromTable(structure.coordinates, recipe))
    elif _takes_recipe(selector):  # others know best which graph of the genes they can do with
        selector.set_params(similarity=recipe)
    return None, None


def _check_labels(name: str, selector: Selector, structure: CellStructure, owner: str) -> None:
    """Refuse missing labels where a method cannot do with some, and say which can."""
    missing = int(structure.labels.isna().sum())
    if missing == len(structure.labels):
        raise ValueError(f"{owner}: {structure.name} has no label at all; name another column with label_key.")
    if missing and not selector.uses_unlabelled_samples:
        some = METHODS.default(Default.LABELS_AND_GRAPH)
        cells = f"{counted(missing, 'cell')} of {len(structure.labels)} {agreeing(missing, '[has|have]')}"
        raise ValueError(
            f"{owner}: {cells} no label in {structure.name}, and "
            f"method={shown(name)} needs all; use method={some!r}, which takes cells without label along with the "
            f"neighbours' graph, or leave them out: adata[adata.{structure.name}.notna()]."
        )
