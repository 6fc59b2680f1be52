"""Published next to measured: the four tables of SPEC (ICML 2007) and of chapter 2 of the dissertation (2010).

A protocol is how a trial is read: the share of training samples, and which of two readings of the papers' graphs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import published_spec as published
from common import markdown
from numpy.typing import NDArray
from spec_methods import AROM, ENTROPY, FISHER, INDICATORS, LAPLACIAN, PHI, RELIEFF, SQUARED_RELIEFF, Method
from spec_trials import FILES, SHARES, SIZES, TEXT
from summary import Comparison
from trials import Key

FloatArray = NDArray[np.float64]
Row = tuple[str, str]  # data set and kernel

#: how the rows "DIJ" and "DIF" of the tables are read
KERNELS = {
    "lengths": {"DIJ": "DIJ length", "DIF": "DIF RBF"},
    "binary": {"DIJ": "DIJ hops", "DIF": "DIF binary"},
    "hops": {"DIJ": "DIJ hops", "DIF": "DIJ hops"},
}
#: columns with labels that all readings but the first take for another form of the method
OTHER_FORMS = {Method("C", "phi3"): INDICATORS, RELIEFF: SQUARED_RELIEFF}


@dataclass(frozen=True)
class Protocol:
    """A share of training samples, and a reading: all but "lengths" take the `OTHER_FORMS`."""

    share: str
    reading: str

    def method(self, method: Method, kernel: str) -> Method:
        """The method of a column (graph "*" stands for the row's kernel) as it is read here."""
        if method.graph == "*":
            return method._replace(graph=KERNELS[self.reading].get(kernel, kernel))
        return method if self.reading == "lengths" else OTHER_FORMS.get(method, method)

    def __str__(self) -> str:
        return f"{self.share}, {self.reading}"


FIRST, CHOSEN = Protocol("half", "lengths"), Protocol("two thirds", "hops")
PROTOCOLS = [Protocol(share, reading) for share in SHARES for reading in KERNELS]


@dataclass(frozen=True)
class Table:
    """A printed table: its cells by (data set, kernel), the methods of its columns, and how many features."""

    title: str
    published: dict[Row, list[float]]
    columns: dict[str, Method]
    sizes: tuple[int, ...]
    printed_sizes: dict[str, tuple[int, int]]
    digits: int
    stand_ins: tuple[str, ...] = ()  # columns that are another method than the paper's

    @property
    def name(self) -> str:
        return self.title.split(":")[0]

    def rows(self, run: Run) -> list[Row]:
        """The published rows whose data sets were run."""
        return [row for row in self.published if row[0] in run.datasets]

    def printed(self, run: Run) -> FloatArray:
        return np.array([self.published[row] for row in self.rows(run)])


def _by_power(high: int, superscript: str) -> dict[str, Method]:
    columns = {}
    for ranking in PHI:
        name = f"φ{ranking[-1]}, r"
        columns |= {name: Method("*", ranking), name + superscript: Method("*", ranking, high)}
    return columns


def _on(graph: str, prefix: str = "") -> dict[str, Method]:
    return {f"{prefix}φ{ranking[-1]}": Method(graph, ranking) for ranking in PHI}


FIVE = SIZES[:5]
FAR = 0.05  # cells that are farther off than this are named
TABLE_3 = Table(
    "SPEC Table 3: no labels, 100 features",
    published.ICML_TABLE_3,
    {"Laplacian": LAPLACIAN, **_by_power(4, "⁴")},
    (100,),
    published.ICML_SIZES,
    2,
)
TABLE_4 = Table(
    "SPEC Table 4: with labels, 100 features",
    published.ICML_TABLE_4,
    {"ReliefF": RELIEFF, **_on("R", "R, "), **_on("C", "C, ")},
    (100,),
    published.ICML_SIZES,
    2,
)
TABLE_23 = Table(
    "Dissertation Table 2.3: no labels, mean over 10, 20, …, 50 features",
    published.TABLE_2_3,
    {"Laplacian": LAPLACIAN, "SEPER": ENTROPY, **_by_power(3, "³")},
    FIVE,
    published.SIZES,
    3,
    ("SEPER",),
)
TABLE_24 = Table(
    "Dissertation Table 2.4: with labels, mean over 10, 20, …, 50 features",
    published.TABLE_2_4,
    {"ReliefF": RELIEFF, "Fisher": FISHER, "AROM-SVM": AROM, **_on("C")},
    FIVE,
    published.SIZES,
    3,
)
TABLES = (TABLE_3, TABLE_4, TABLE_23, TABLE_24)


@dataclass(frozen=True)
class Run:
    """What the trials returned, by (data set, share, seed)."""

    values: dict[Key, Any]
    seeds: tuple[int, ...]

    @property
    def datasets(self) -> list[str]:
        names = {str(key[0]) for key in self.values}
        return [name for name in FILES if name in names]

    def found(self, name: str, share: str, what: str) -> list[Any]:
        """One entry of every trial."""
        return [self.values[name, share, seed][what] for seed in self.seeds]

    def curves(self, name: str, share: str, method: Method) -> FloatArray:
        """Accuracies with 10, 20, …, 100 features, one row per trial."""
        return np.array([one[method.key] for one in self.found(name, share, "accuracy")])

    def trials(self, protocol: Protocol, table: Table, row: Row, column: str) -> FloatArray:
        """The cell of a table in every trial."""
        method = protocol.method(table.columns[column], row[1])
        chosen = [SIZES.index(size) for size in table.sizes]
        return self.curves(row[0], protocol.share, method)[:, chosen].mean(axis=1)

    def cells(self, protocol: Protocol, table: Table) -> FloatArray:
        """The measured table."""
        return np.array(
            [[self.trials(protocol, table, row, name).mean() for name in table.columns] for row in table.rows(self)]
        )


def same_sized(table: Table, run: Run) -> list[bool]:
    """Of each row, whether its data have the size that the paper prints."""
    shapes = {name: tuple(run.found(name, CHOSEN.share, "shape")[0]) for name in run.datasets}
    return [shapes[row[0]] == table.printed_sizes[row[0]] for row in table.rows(run)]


def compared(table: Table, run: Run, protocol: Protocol, without: Iterable[str] = ()) -> Comparison:
    """The cells of a table against the published ones, stand-ins left out."""
    left_out = {*table.stand_ins, *without}
    kept = [place for place, column in enumerate(table.columns) if column not in left_out]
    same = np.repeat(np.array(same_sized(table, run))[:, None], len(kept), axis=1)
    name = f"{table.name} without {', '.join(sorted(left_out))}" if left_out else table.name
    return Comparison.of(name, table.printed(run)[:, kept], run.cells(protocol, table)[:, kept], same)


def comparisons(run: Run, protocol: Protocol) -> list[Comparison]:
    """All four tables, and Table 2.4 also without the embedded baseline, as it was compared before."""
    found = [compared(table, run, protocol) for table in TABLES]
    return [*found, compared(TABLE_24, run, protocol, ["AROM-SVM"])]


def table_text(table: Table, run: Run) -> str:
    """`published / first protocol / chosen one` in every cell, and the means of the columns."""
    blocks = [table.printed(run), run.cells(FIRST, table), run.cells(CHOSEN, table)]
    body = [
        [f"{name} {kernel}".strip(), *_cells([block[place] for block in blocks], table.digits)]
        for place, (name, kernel) in enumerate(table.rows(run))
    ]
    body.append(["**mean**", *_cells([block.mean(axis=0) for block in blocks], table.digits)])
    header = ["", *(f"{column} (stand-in)" if column in table.stand_ins else column for column in table.columns)]
    return f"### {table.title}\n\n{markdown(header, body)}\n{_differences(table, run)}"


def _cells(values: list[FloatArray], digits: int) -> list[str]:
    return [" / ".join(f"{value:.{digits}f}" for value in cell) for cell in zip(*values, strict=True)]


def _differences(table: Table, run: Run) -> str:
    same = dict.fromkeys(row[0] for row, kept in zip(table.rows(run), same_sized(table, run), strict=True) if kept)
    found = {protocol: compared(table, run, protocol) for protocol in (FIRST, CHOSEN)}
    parts = [f"{_number(one.same_sized_difference)} ({protocol})" for protocol, one in found.items()]
    there = f"Same-sized data: {', '.join(same) or 'none'}; mean absolute difference there {' and '.join(parts)}."
    return f"{there} {_far_cells(table, run)}\n"


def _far_cells(table: Table, run: Run) -> str:
    """The cells of same-sized data that are farthest from the published ones under the chosen protocol."""
    gaps = np.abs(run.cells(CHOSEN, table) - table.printed(run))
    kept = np.ix_(same_sized(table, run), [column not in table.stand_ins for column in table.columns])
    far = np.zeros_like(gaps, dtype=bool)
    far[kept] = gaps[kept] > FAR
    names = list(table.columns)
    cells = [f"{' '.join(table.rows(run)[row]).strip()} {names[column]}" for row, column in np.argwhere(far)]
    return f"Cells there that are off by more than {FAR} ({CHOSEN}), {len(cells)}: {'; '.join(cells) or 'none'}."


def protocols_text(run: Run) -> str:
    """Every table under every protocol: mean absolute differences and rank correlations."""
    body = []
    for protocol in PROTOCOLS:
        for one in comparisons(run, protocol):
            order = "-" if one.rank_correlation is None else f"{one.rank_correlation:.2f}"
            body.append([str(protocol), one.table, f"{one.difference:.3f}", _number(one.same_sized_difference), order])
    header = ["protocol", "table", "mean difference, all cells", "same-sized data", "rank correlation"]
    return markdown(header, body)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def data_text(run: Run) -> str:
    """Sizes here and in the papers, and what 1NN does with every feature."""
    body = []
    for name in run.datasets:
        shape = tuple(run.found(name, CHOSEN.share, "shape")[0])
        sizes = [shape, published.ICML_SIZES.get(name), published.SIZES.get(name)]
        printed = [f"{size[0]} × {size[1]}" if size else "-" for size in sizes]
        largest = run.found(name, CHOSEN.share, "largest class")[0]
        everything = [f"{np.mean(run.found(name, share, 'all features')):.3f}" for share in (FIRST.share, CHOSEN.share)]
        body.append([name, f"`{FILES[name]}`", *printed, f"{largest:.3f}", " / ".join(everything)])
    header = ["data set", "file", "here", "SPEC paper", "dissertation", "largest class", "1NN, all features"]
    return markdown(header, body)


def blank_text(run: Run) -> str:
    """How many posts 1NN cannot see at all, because they hold none of the chosen words."""
    parts = []
    for table in (TABLE_3, TABLE_4):
        body = []
        for row in (row for row in table.rows(run) if row[0] in TEXT):
            shares = [
                [_blank(run, protocol, row, one) for one in table.columns.values()] for protocol in (FIRST, CHOSEN)
            ]
            body.append([" ".join(row).strip(), *_cells([np.array(one) for one in shares], 2)])
        parts += [markdown(["", *table.columns], body)] if body else []
    if not parts:
        return ""
    title = "### Text: share of test posts with none of the 100 chosen words (first protocol / chosen one)\n"
    return "\n".join([title, *parts])


def _blank(run: Run, protocol: Protocol, row: Row, method: Method) -> float:
    key = protocol.method(method, row[1]).key
    return float(np.mean([one[key] for one in run.found(row[0], protocol.share, "blank")]))
