"""A table of papers/spec.py as the claims and the pictures look at it: means, gains, curves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from spec_methods import Method
from spec_tables import FloatArray, Protocol, Row, Run, Table

PHI = ("φ1", "φ2", "φ3")


@dataclass(frozen=True)
class View:
    """One table as measured under one protocol."""

    run: Run
    protocol: Protocol
    table: Table

    @property
    def rows(self) -> list[Row]:
        return self.table.rows(self.run)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(row[0] for row in self.rows))

    def mean(self, starts: str | tuple[str, ...], names: Iterable[str] | None = None, kernel: str = "") -> float:
        """Mean of the cells whose column starts so, of some data sets and of one kernel (or of all)."""
        chosen = set(self.names if names is None else names)
        rows = [place for place, row in enumerate(self.rows) if row[0] in chosen and kernel in ("", row[1])]
        columns = [place for place, name in enumerate(self.table.columns) if name.startswith(starts)]
        return float(self.run.cells(self.protocol, self.table)[np.ix_(rows, columns)].mean())

    def gain(self, name: str, baseline: str) -> float:
        """The best cell of a data set minus a baseline's."""
        rows = [place for place, row in enumerate(self.rows) if row[0] == name]
        columns = [place for place, column in enumerate(self.table.columns) if column.startswith("φ")]
        best = self.run.cells(self.protocol, self.table)[np.ix_(rows, columns)].max()
        return float(best - self.mean(baseline, [name]))

    def curve(self, row: Row, method: Method) -> FloatArray:
        """Mean accuracies with 10, 20, …, 100 features."""
        return self.run.curves(row[0], self.protocol.share, self.protocol.method(method, row[1])).mean(axis=0)

    def curves(self) -> list[FloatArray]:
        """The curves of the framework's columns, of every row."""
        columns = [method for name, method in self.table.columns.items() if "φ" in name]
        return [self.curve(row, method) for row in self.rows for method in columns]

    def averages(self) -> dict[str, float]:
        """Every column, averaged over rows and over all numbers of features."""
        return {
            name: float(np.mean([self.curve(row, method) for row in self.rows]))
            for name, method in self.table.columns.items()
        }

    def pairs(self) -> Iterable[tuple[str, FloatArray, FloatArray]]:
        """The trials with r and with the higher power, of every row and ranking function."""
        high = next(name[-1] for name in self.table.columns if name[-1] in "³⁴")
        for row in self.rows:
            for ranking in PHI:
                plain, power = (self.run.trials(self.protocol, self.table, row, f"{ranking}, r{p}") for p in ("", high))
                yield f"{' '.join(row)} {ranking}", plain, power
