"""The options that say how a table is read and prepared; every command that reads one has them all.

``--label`` names a column of the table itself; ``--labels`` and ``--covariates`` name other files, in which samples are
found by name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from eigenselect.cli.options import Named, option_group, unknown_name
from eigenselect.cli.sections import titled
from eigenselect.exceptions import shown
from eigenselect.io import DUPLICATES, FORMATS, SCALES

#: names of separators that a shell or a page does not show
SEPARATORS = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "space": " "}


@dataclass(frozen=True)
class GivenGraph:
    """A sample graph that the file gives: itself (``--obsp``), or by coordinates (``--obsm``).

    >>> str(GivenGraph("obsp", "connectivities")), GivenGraph("obsm", "spatial").in_words
    ('--obsp connectivities', "obsm['spatial']")
    """

    slot: str
    name: str

    def __str__(self) -> str:
        return f"--{self.slot} {self.name}"

    @property
    def in_words(self) -> str:
        """What reports call it, as AnnData's users do."""
        return f"{self.slot}[{shown(self.name)}]"


@dataclass(frozen=True)
class Reading:
    """How a table is read and prepared; see `eigenselect.io.readers.read_table`.

    ``impute`` is "median" or None, ``scale`` one of `SCALES`, ``file_format`` one of `FORMATS` or None for the ending.
    ``labels`` and ``covariates`` are FILE[:COLUMNS].
    """

    label: str | None = None
    labels: str | None = None
    drop_unlabelled: bool = False
    na_is_class: bool = False
    covariates: str | None = None
    ignore: tuple[str, ...] = ()
    samples: str | None = None
    transpose: bool = False
    duplicates: str = "error"
    one_hot: bool = False
    impute: str | None = None
    scale: str = "none"
    file_format: str | None = None
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    layer: str | None = None
    raw: bool = False
    obsp: str | None = None
    obsm: str | None = None

    @property
    def graph(self) -> GivenGraph | None:
        """The sample graph that the file gives, if one is named; two are refused."""
        given = [
            GivenGraph(slot, name) for slot, name in (("obsp", self.obsp), ("obsm", self.obsm)) if name is not None
        ]
        if len(given) > 1:
            raise click.UsageError(f"{given[0]} and {given[1]} are two sample graphs; name one of them.")
        return given[0] if given else None

    @property
    def has_labels(self) -> bool:
        """Whether labels are named, in the table or in another file."""
        return self.label is not None or self.labels is not None

    @property
    def changes_values(self) -> bool:
        """Whether other values are ranked than those that stand in the file."""
        return self.scale != "none" or self.impute is not None

    @property
    def preparation(self) -> str:
        """What is done with the values before a method sees them, in words."""
        done = [
            "samples without a label left out" if self.drop_unlabelled else "",
            "missing values filled with the median of their feature" if self.impute else "",
            {
                "standard": "every feature at mean 0 and standard deviation 1",
                "minmax": "every feature scaled to the range from 0 to 1",
            }.get(self.scale, ""),
            "covariates taken out of every feature by least squares" if self.covariates else "",
        ]
        return ", ".join(part for part in done if part) or "none: values as in the file"

    def files(self, data: str) -> list[str]:
        """List all files that are read with this table."""
        from eigenselect.io.companions import split_spec

        tables = [data, *(split_spec(spec)[0] for spec in (self.labels, self.covariates) if spec is not None)]
        return [file for table in tables for file in (table, *_beside(table))]

    def arguments(self) -> dict[str, Any]:
        """Give what `read_table` takes beside the path."""
        from eigenselect.io.request import AnnotatedParts, TextFormat

        return {
            "label": self.label,
            "labels": self.labels,
            "covariates": self.covariates,
            "ignore": self.ignore,
            "samples": self.samples,
            "one_hot": self.one_hot,
            "impute": self.impute is not None,
            "transpose": self.transpose,
            "duplicates": self.duplicates,
            "na_is_class": self.na_is_class,
            "file_format": self.file_format,
            "text": TextFormat(self.sep, self.decimal, self.encoding),
            "parts": AnnotatedParts(self.layer, self.raw, self.obsp, self.obsm),
        }


def _beside(path: str) -> list[str]:
    """List what is read with a table of another name: files of names beside a matrix, and those of a folder."""
    from eigenselect.io.inner import split_inner
    from eigenselect.io.tenx_names import CELL_FILES, FEATURE_FILES, find_beside

    folder, _ = split_inner(path)
    if os.path.isdir(folder):
        return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    found = [find_beside(Path(path), what) for what in (FEATURE_FILES, CELL_FILES)] if ".mtx" in path.lower() else []
    return [str(file) for file in found if file is not None]


def read_separator(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    r"""Read --sep: one character, or the name of one.

    >>> read_separator(None, None, "tab"), read_separator(None, None, ";")
    ('\t', ';')
    """
    mark = None if value is None else SEPARATORS.get(value.lower(), value)
    if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in '"\n\r'):
        raise click.BadParameter(f"{value!r} is not one character between cells, such as ';', or tab, comma or space.")
    return mark


def read_encoding(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse what Python does not know as an encoding of text.

    >>> read_encoding(None, None, "utf-16")
    'utf-16'
    """
    try:
        return value if value is None or "".encode(value) is not None else None
    except (LookupError, ValueError):
        known = ["utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "mac-roman", "gb18030", "shift-jis"]
        raise click.BadParameter(f"no encoding of text: {unknown_name(str(value), known)}") from None


reading_options = option_group(
    "reading",
    Reading,
    *titled(
        "Table",
        click.option(
            "--label", metavar="COLUMN", help="Column with class labels, not ranked; cells may be empty or NA."
        ),
        click.option(
            "--labels",
            metavar="FILE[:COLUMN]",
            help="Labels from another file, whose first column names the samples. [default: its only other column]",
        ),
        click.option(
            "--drop-unlabelled",
            is_flag=True,
            help="Leave out samples without a label, so that all methods can be used.",
        ),
        click.option(
            "--na-is-class",
            is_flag=True,
            help="Take labels NA, N/A, NaN, null, None, ? … for a class. [default: they mean that there is none]",
        ),
        click.option(
            "--covariates",
            metavar="FILE[:COLUMNS]",
            help="What is known of the samples and should not count, such as batch or age; taken out of every feature.",
        ),
        click.option(
            "--ignore", metavar="COLUMNS", multiple=True, help="Columns to leave out, commas between; may be repeated."
        ),
        click.option("--samples", metavar="COLUMN", help="Column with the names of the samples, not ranked."),
        click.option(
            "--transpose", is_flag=True, help="Features, such as genes, stand in rows, and samples in columns."
        ),
        click.option(
            "--duplicates",
            type=Named(DUPLICATES),
            default="error",
            show_default=True,
            help="Features of equal names: keep the first, add -1, -2 … to the names, or take their mean.",
        ),
        click.option("--one-hot", is_flag=True, help="Turn text columns into one 0/1 column per value."),
        click.option("--impute", type=Named(["median"]), help="Fill missing values. [default: refuse them]"),
        click.option(
            "--scale", type=Named(SCALES), default="none", show_default=True, help="Scale every feature first."
        ),
    ),
    *titled(
        "File",
        click.option(
            "--format",
            "file_format",
            metavar="NAME",
            type=Named(FORMATS),
            help=f"Format of DATA: {', '.join(FORMATS)}. [default: its ending says; csv for -]",
        ),
        click.option(
            "--sep",
            metavar="MARK",
            callback=read_separator,
            help="Mark between cells of text: ';', tab, space … [default: what the first lines show]",
        ),
        click.option(
            "--decimal", type=Named([".", ","]), help="Mark in numbers of text. [default: what the cells show]"
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            callback=read_encoding,
            help="Of text, such as cp1252. [default: what the first bytes show]",
        ),
        click.option("--layer", metavar="NAME", help="Layer of an h5ad, h5mu, zarr or loom file in place of X."),
        click.option("--raw", is_flag=True, help="Values of raw of an h5ad or h5mu file in place of X."),
        click.option(
            "--obsp",
            metavar="NAME",
            help="Sample graph in obsp of an AnnData file (h5ad, h5mu, zarr, loom), to rank on.",
        ),
        click.option(
            "--obsm",
            metavar="NAME",
            help="Coordinates in obsm of an AnnData file, such as spatial, to rank on a graph of. [default graph: 14 "
            "neighbours; --similarity names another, such as knn:k=6]",
        ),
    ),
)
