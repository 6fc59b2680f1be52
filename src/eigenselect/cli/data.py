"""The options of every command that reads a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.choices import Named
from eigenselect.cli.memory import memory_for
from eigenselect.exceptions import InputError
from eigenselect.io import FORMATS, SCALES

if TYPE_CHECKING:
    from eigenselect.io.table import Table


def data_options(command: Any) -> Any:
    """How DATA is read and prepared."""
    options = (
        click.option("--label", metavar="COLUMN", help="Column with class labels, not ranked; cells may be empty."),
        click.option(
            "--ignore", metavar="COLUMNS", multiple=True, help="Columns to leave out, commas between; may be repeated."
        ),
        click.option("--samples", metavar="COLUMN", help="Column with the names of the samples, not ranked."),
        click.option("--one-hot", is_flag=True, help="Turn text columns into one 0/1 column per value."),
        click.option("--impute", type=Named(["median"]), help="Fill missing values. [default: refuse them]"),
        click.option(
            "--scale", type=Named(SCALES), default="none", show_default=True, help="Scale every feature first."
        ),
        click.option(
            "--format",
            "file_format",
            type=Named(FORMATS),
            help="Format of DATA. [default: its ending says; csv for -]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def load(path: str, options: dict[str, Any]) -> Table:
    """Read and prepare the table as the options say."""
    from eigenselect.io.readers import read_table
    from eigenselect.io.table import scaled

    with memory_for(title_of(path), "leave columns out, or store it as a sparse matrix (npz, h5ad)"):
        table = read_table(
            path,
            label=options["label"],
            ignore=options["ignore"],
            samples=options["samples"],
            one_hot=options["one_hot"],
            impute=options["impute"] is not None,
            file_format=options["file_format"],
        )
        return scaled(table, options["scale"])


def check_classes(data: str, table: Table, label: str | None, why: str) -> None:
    """Refuse measurements where classes are needed, in words of the command; ``why`` says who needs them."""
    if seen := numbers_seen(table):
        raise InputError(
            f"{data}: the label column {label!r} must hold classes, as {why}, but holds {seen}; make "
            "classes of them, or use rank --method relieff, which takes numbers."
        )


def numbers_seen(table: Table) -> str:
    """What speaks for numbers rather than classes in the label column; empty if nothing does."""
    from eigenselect._labels import Labels

    return "" if table.y is None else Labels(table.y).numbers_seen


def title_of(path: str) -> str:
    """What the data are called: the name of their file, without its folder."""
    from pathlib import Path

    return "standard input" if path == "-" else Path(path).name
