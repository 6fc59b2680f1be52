"""``eigenselect compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.data import check_classes, data_options, load, title_of
from eigenselect.cli.output import check_output, deliver, output_options
from eigenselect.cli.progress import ProgressLine, progress_line
from eigenselect.cli.rank import SEED, method_parameters
from eigenselect.cli.text import aligned, printable
from eigenselect.criteria.table import METHODS, method

if TYPE_CHECKING:
    from eigenselect.io.table import Table

RANKED = [m.name for m in METHODS if m.command == "rank"]
DEFAULT_METHODS = "laplacian,spec-phi3,fisher,relieff,trace-ratio"


def _names(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in RANKED]
    if unknown or not names:
        raise click.BadParameter(f"{', '.join(unknown) or 'nothing'} is none of {', '.join(RANKED)}.")
    return list(dict.fromkeys(names))


def _sizes(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    try:
        sizes = sorted({int(part) for part in value.split(",")})
    except ValueError:
        sizes = [0]
    if sizes[0] < 1:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers such as 2,5,10.")
    return sizes


@click.command(epilog="Example: eigenselect compare wine.csv --label class --methods fisher,relieff,laplacian -k 5")
@click.argument("data")
@data_options
@click.option(
    "--methods",
    callback=_names,
    default=DEFAULT_METHODS,
    show_default=True,
    help="Methods with commas between, see `eigenselect methods`.",
)
@click.option("-k", "count", type=click.IntRange(1), default=10, show_default=True, help="Features each one selects.")
@click.option(
    "--sizes", callback=_sizes, default="2,5,10,20", show_default=True, help="Numbers of features to predict with."
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Folds of the cross-validation, at most the smallest class.",
)
@click.option("--jobs", type=int, help="Threads. [default: all cores]")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of folds, subsamples and eigensolvers.")
@output_options
def compare(data: str, **options: Any) -> None:
    """Run several methods on DATA and compare what they select.

    Accuracy is that of a nearest-neighbour classifier by cross-validation in which the held-out samples are never seen
    by the method. Redundancy is the mean absolute correlation of the selected features, stability the overlap of the
    selections from ten subsamples beyond chance, and the last columns say how much of its selection a method shares
    with each other one.
    """
    from eigenselect.reporting import Report
    from eigenselect.reporting.comparison import REPEATS

    check_output(options)
    if not options["label"]:
        raise click.UsageError("compare needs --label COLUMN, to measure what the selections predict.")
    table = load(data, options)
    steps = len(options["methods"]) * (REPEATS + options["folds"])
    with progress_line("comparing", quiet=options["quiet"], total=steps) as line:
        summary = _compared(data, table, options, line)
    if not options["quiet"]:
        _say_what_was_done(summary)
    deliver(Report(summary), _rows(summary), options, _as_text)


def _compared(data: str, table: Table, options: dict[str, Any], line: ProgressLine) -> dict[str, Any]:
    """Everything that was measured, as plain values."""
    from eigenselect._names import named
    from eigenselect.reporting import compared

    if table.n_unlabelled:
        raise click.UsageError(f"compare needs all labels; {table.n_unlabelled} samples have none.")
    check_classes(data, table, options["label"], "compare measures how well they are predicted")
    _check_sizes(data, table, options["label"])
    count = min(options["count"], len(table.feature_names))
    with named(table.feature_names, table.sample_names):
        return compared(
            {name: _selector(name, count, options) for name in options["methods"]},
            table.X,
            table.y,
            table.feature_names,
            n_features=count,
            sizes=options["sizes"],
            n_splits=options["folds"],
            data=data,
            title=title_of(data),
            label=options["label"],
            random_state=options["seed"],
            notes=table.notes,
            progress_of=line.part,
        )


def _check_sizes(data: str, table: Table, label: str) -> None:
    """A class of one sample cannot be both learned from and predicted."""
    import pandas as pd

    from eigenselect.exceptions import InputError

    sizes = pd.Series(table.label_text).value_counts()
    if sizes.min() < 2:
        raise InputError(
            f"{printable(data)}: compare needs at least 2 samples of each class, but {int((sizes < 2).sum())} of "
            f"{len(sizes)} classes in {label!r} have 1 ({sizes.index[-1]!r}); leave those samples out."
        )


def _say_what_was_done(summary: dict[str, Any]) -> None:
    shape = f"{summary['n_samples']} samples, {summary['n_features']} features, {len(summary['methods'])} methods"
    click.echo(f"{printable(summary['data'])}: {shape}; always the largest class: {summary['chance']:.3f}", err=True)
    for note in summary["warnings"]:
        click.echo(f"warning: {printable(note)}", err=True)


def _selector(name: str, count: int, options: dict[str, Any]) -> Any:
    import eigenselect

    row = method(name)
    plain = {"similarity": None, "power": 1.0, "clusters": None, "jobs": options["jobs"], "seed": options["seed"]}
    return getattr(eigenselect, row.selector)(count, **method_parameters(row, plain, labelled=True))


def _rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """One flat row per method, for csv and the terminal."""
    return [_flat(name, row) for name, row in summary["methods"].items()]


def _flat(name: str, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "method": name,
        **{f"accuracy_{size}": value for size, value in row["accuracy"].items()},
        "redundancy": row["redundancy"],
        "stability": row["stability"],
        "seconds": row["seconds"],
        **{f"shared_{other}": value for other, value in row["shared"].items()},
        "features": json.dumps(row["features"], ensure_ascii=False),  # any mark between names may be in a name
    }


def _as_text(summary: dict[str, Any]) -> str:
    """The table, best accuracy of each size marked, and which selections are alike."""
    rows = _rows(summary)
    sizes = [key for key in rows[0] if key.startswith("accuracy_")]
    best = {key: max(row[key] for row in rows) for key in sizes}
    header = [
        "method",
        *(f"1NN, {key.removeprefix('accuracy_')}" for key in sizes),
        "redundancy",
        "stability",
        "seconds",
    ]
    cells = [
        [
            row["method"],
            *(f"{row[key]:.3f}{'*' if row[key] == best[key] else ' '}" for key in sizes),
            *(f"{row[key]:.2f}" if row[key] == row[key] else "-" for key in ("redundancy", "stability")),
            f"{row['seconds']:.2f}",
        ]
        for row in rows
    ]
    text = aligned(header, cells, right=tuple(range(1, len(header))))
    names = [row["method"] for row in rows]
    shared = [
        [row["method"], *("" if other == row["method"] else f"{row[f'shared_{other}']:.0%}" for other in names)]
        for row in rows
    ]
    alike = aligned(["shared features", *names], shared, right=tuple(range(1, len(names) + 1)))
    return f"{text}\n\n{alike}\n\n* best of its column"
