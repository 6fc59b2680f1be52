"""Score all genes: every method in every batch, combined, and the genes that a rule chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from eigenselect._typing import BoolArray, IntArray
from eigenselect.inference.significance import Route
from eigenselect.matrix import Matrix
from eigenselect.selection.ranking import Candidates
from eigenselect.selection.rules import SelectionRule
from eigenselect.selectors.base import Selector
from eigenselect.single_cell.batches import Batch, Heard
from eigenselect.single_cell.combined import of_batches, of_methods
from eigenselect.single_cell.sample_graphs import CellStructure
from eigenselect.single_cell.scored import Scored, needs_structure, score


@dataclass(frozen=True)
class GeneScores:
    """All that scoring takes.

    Attributes
    ----------
    table : Matrix
        The values of all genes in all cells.
    selectors : dict
        By the name of the method.
    structure : CellStructure or None
        How cells are alike.
    routes : dict
        The way to p-values of each method, or None.
    covariates : DataFrame or None
    rule : SelectionRule
        What a batch alone would choose.
    count : int
        Genes that a method selects which must know how many before it starts.
    owner : str
        The verb that errors speak for.
    """

    table: Matrix
    selectors: dict[str, Selector]
    structure: CellStructure | None
    routes: dict[str, Route | None]
    covariates: Any
    rule: SelectionRule
    count: int
    owner: str

    def run(self, batches: list[Batch]) -> tuple[Scored, IntArray]:
        """Score the genes; return what was found, and in how many batches each gene is chosen."""
        heard, found = Heard(), []
        for batch in batches:
            with heard.listening(batch):
                found.append(self.in_batch(batch))
        heard.tell()
        chosen = [self.choose(one, self.rule) for one in found]
        if len(batches) == 1:
            return found[0], chosen[0].astype(np.int64)
        return of_batches(found, chosen)

    def in_batch(self, batch: Batch) -> Scored:
        """Score the genes in the cells of one batch."""
        table = self.table if batch.rows is None else self.table.take_rows(batch.rows)
        structure, covariates = batch.of_structure(self.structure), batch.of_frame(self.covariates)
        return of_methods(
            [
                score(
                    name,
                    clone(selector),
                    table,
                    structure if needs_structure(selector) else None,
                    covariates=covariates,
                    route=self.routes[name],
                    count=self.count,
                    owner=self.owner,
                )
                for name, selector in self.selectors.items()
            ]
        )

    def choose(self, scored: Scored, rule: SelectionRule) -> BoolArray:
        """Apply a rule; genes without a score fill up no number."""
        return rule.choose(
            Candidates(
                owner=self.owner,
                scores=scored.scores,
                ranking=scored.ranking,
                n_samples=self.table.n_samples,
                names=self.table.feature_names,
                n_selectable=scored.n_ordered,
                pvalues=scored.pvalues,
                qvalues=scored.qvalues,
            )
        )
