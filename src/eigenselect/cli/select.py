"""``eigenselect select``: write the table with its best features only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.options import (
    Count,
    Ranking,
    TableOutput,
    Testing,
    count_option,
    ranking_options,
    table_output_options,
    testing_options,
)
from eigenselect.cli.output import check_output, ending_of, say_how_many, say_what_was_done
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import fit_ranking, fitted_of, summary_of
from eigenselect.cli.streams import note
from eigenselect.exceptions import InputError

if TYPE_CHECKING:
    from eigenselect.io.table import Table


@click.command(epilog="Example: eigenselect select wine.csv --label class -k 5 -o small.csv")
@click.argument("data")
@reading_options
@ranking_options
@count_option
@testing_options
@table_output_options
def select(data: str, reading: Reading, ranking: Ranking, count: Count, testing: Testing, output: TableOutput) -> None:
    """Write DATA with its best features only, in the order of the table; -k says how many.

    Sample names and labels come first where there are any. Values are those that were ranked: scaled or filled if
    asked. Where no feature is chosen (-k fdr), nothing is written.
    """
    from eigenselect.io.files import write_whole
    from eigenselect.io.writers import check_array_names, column_names, table_bytes

    if count is None:
        raise click.UsageError(
            "select needs -k: a number or a fraction of features to keep, fdr for those that are more than chance, or "
            "auto."
        )
    inputs = reading.files(data)
    check_output(output, inputs)
    ending = ending_of(output.output)
    if ending == "npz":
        check_array_names(output.output, [reading.label, reading.samples])
    run = fit_ranking(data, reading, ranking, testing, count, quiet=output.quiet, shows_evidence=False)
    summary = summary_of(run, fitted_of(run))
    if not output.quiet:
        say_what_was_done(summary, uses_labels=run.uses_labels)
        say_how_many(count, summary, always=True)
    if not summary["n_selected"]:
        raise InputError(f"{data}: no feature is chosen, so {output.output} is not written; rank shows all of them.")
    reduced = _reduced(run.table, run.selector.get_support())
    names = column_names(reduced, ending, samples=run.table.samples_name, label=run.table.label_name)
    write_whole(output.output, table_bytes(reduced, ending, names), force=output.force, inputs=inputs)
    if not output.quiet:
        for given, name in ((run.table.samples_name, names.sample), (run.table.label_name, names.label)):
            if given and given != name:
                note(f"warning: a feature is called {given!r} too; the column is written as {name!r}")
        note(f"wrote {output.output}: {len(reduced.feature_names)} of {len(run.table.feature_names)} features")


def _reduced(table: Table, chosen: Any) -> Table:
    """Return the table with the chosen columns only, in the order of the table."""
    from dataclasses import replace

    import numpy as np

    columns = np.flatnonzero(chosen)
    names = tuple(table.feature_names[j] for j in columns)
    return replace(table, X=table.X[:, columns], feature_names=names)
