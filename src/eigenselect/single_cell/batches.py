"""Batches of cells: who is in which, which can be scored, and what is said of all of them together."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import counted, listed, shown
from eigenselect.inference.significance import FEWEST_SAMPLES
from eigenselect.single_cell.sample_graphs import CellStructure


@dataclass(frozen=True)
class Batch:
    """Some of the cells.

    Attributes
    ----------
    name : any
        As ``.obs`` has it; None where all cells are one batch.
    rows : ndarray of int or None
        Their places; None for all cells.
    """

    name: Any = None
    rows: IntArray | None = None

    def of_structure(self, structure: CellStructure | None) -> CellStructure | None:
        """Return how these cells are alike."""
        return structure if structure is None or self.rows is None else structure.take(self.rows)

    def of_frame(self, covariates: Any) -> Any:
        """Return the covariates of these cells."""
        return covariates if covariates is None or self.rows is None else covariates.iloc[self.rows]


def batches_of(
    column: pd.Series[Any] | None, structure: CellStructure | None, *, tested: bool, owner: str
) -> list[Batch]:
    """Find the batches that can be scored; say once which cannot, and why.

    A batch needs an edge within it, 2 cells with one, 5 where they are tested, and 2 labels where labels count.

    Parameters
    ----------
    column : Series or None
        The batch of every cell; None for one batch of all.
    structure : CellStructure or None
    tested : bool
        Whether p-values are computed.
    owner : str
        The verb that speaks.
    """
    if column is None:
        return [Batch()]
    codes, names = pd.factorize(column, sort=True)
    found = [Batch(name, np.flatnonzero(codes == code)) for code, name in enumerate(names)]
    reasons = [_why_not(batch, structure, tested=tested) for batch in found]
    kept = [batch for batch, reason in zip(found, reasons, strict=True) if not reason]
    skipped: dict[str, list[Any]] = {}
    for batch, reason in zip(found, reasons, strict=True):
        if reason:
            skipped.setdefault(reason, []).append(batch.name)
    _tell_skipped(skipped, int((codes < 0).sum()), len(kept), str(column.name), owner)
    return kept


def _why_not(batch: Batch, structure: CellStructure | None, *, tested: bool) -> str:
    """Say why a batch cannot be scored; empty where it can."""
    assert batch.rows is not None
    if batch.rows.size < 2:
        return "one cell"
    part = batch.of_structure(structure)
    if part is not None and part.labels is not None and part.labels.nunique() < 2:
        return "fewer than two labels"
    has_graph = part is not None and part.graph is not None
    n_cells = _with_edges(part.graph) if part is not None and has_graph else batch.rows.size
    if not n_cells:
        return "no edge of the graph between their cells"
    if tested and n_cells < FEWEST_SAMPLES:
        edges = " with an edge of the graph" if has_graph else ""
        return f"fewer than {FEWEST_SAMPLES} cells{edges}, too few for p-values"
    return ""


def _with_edges(graph: Any) -> int:
    """Count the cells that have an edge."""
    return int(np.count_nonzero(np.asarray(graph.sum(axis=1))))


def _tell_skipped(skipped: dict[str, list[Any]], unassigned: int, n_kept: int, batch_key: str, owner: str) -> None:
    told = [f"{counted(len(names), 'batch')} with {reason} ({listed(names, 3)})" for reason, names in skipped.items()]
    told = [text.replace("batchs", "batches") for text in told]
    if unassigned:
        told.append(f"{counted(unassigned, 'cell')} without a batch")
    if not n_kept:
        why = f": {'; '.join(told)}" if told else ""
        raise ValueError(f"{owner}: no batch of obs[{shown(batch_key)}] can be scored{why}; leave batch_key out.")
    if told:
        warn(f"{owner}: skipped of obs[{shown(batch_key)}]: {'; '.join(told)}.", UserWarning)


@dataclass
class Heard:
    """What was warned about while batches were scored: told once for all, not once for each."""

    said: dict[type[Warning], list[tuple[Any, str]]] = field(default_factory=dict)

    @contextmanager
    def listening(self, batch: Batch) -> Iterator[None]:
        """Within, warnings are kept; all cells as one batch warn as ever."""
        if batch.rows is None:
            yield
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for one in caught:
            self.said.setdefault(one.category, []).append((batch.name, str(one.message)))

    def tell(self) -> None:
        """Warn once of each kind: the words of the first batch, and how many others said the like."""
        for category, messages in self.said.items():
            names = list(dict.fromkeys(name for name, _ in messages))
            others = f" and {counted(len(names) - 1, 'other')}" if len(names) > 1 else ""
            warn(f"{messages[0][1].rstrip('.')} (in batch {shown(names[0])}{others}).", category)
