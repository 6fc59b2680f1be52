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
from eigenselect.cli.output import TABLE_ENDINGS, check_output, ending_of, say_how_many, say_what_was_done
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import fit_ranking, fitted_of, summary_of
from eigenselect.cli.sections import command
from eigenselect.cli.streams import note, say
from eigenselect.exceptions import InputError

if TYPE_CHECKING:
    from eigenselect.io.table import Table
    from eigenselect.io.writers import ColumnNames

#: what is printed
PRINTED = "csv"


@command(epilog="Example: eigenselect select wine.csv --label class -k 5 -o small.csv")
@click.argument("data")
@reading_options
@ranking_options
@count_option
@testing_options
@table_output_options
def select(data: str, reading: Reading, ranking: Ranking, count: Count, testing: Testing, output: TableOutput) -> None:
    """Write DATA with its best features only, in the order of the table; -k says how many.

    The ending of -o says the format; without -o the table is printed as csv. Sample names, labels and columns of ids
    come first where there are any. From h5ad to h5ad all that is not of the left out features stays as it is. Values
    are those that were ranked: scaled or filled if asked. Where no feature is chosen (-k fdr), nothing is written.
    """
    from eigenselect.io.table_files import check_can_write
    from eigenselect.io.writers import column_names

    if count is None:
        raise click.UsageError(
            "select needs -k: a number or a fraction of features to keep, fdr for those that are more than chance, or "
            "auto."
        )
    inputs = reading.files(data)
    check_output(output, inputs, TABLE_ENDINGS)
    ending = PRINTED if output.output is None else ending_of(output.output)
    if output.output is not None:
        check_can_write(output.output, ending, reading.label, reading.samples)
    run = fit_ranking(data, reading, ranking, testing, count, quiet=output.quiet, shows_evidence=False)
    summary = summary_of(run, fitted_of(run))
    if not output.quiet:
        say_what_was_done(
            summary, uses_labels=run.uses_labels, graph=run.graph, untested=not run.declined, places=run.places
        )
        say_how_many(count, summary, always=True)
    if not summary["n_selected"]:
        written = "nothing is printed" if output.output is None else f"{output.output} is not written"
        raise InputError(f"{data}: no feature is chosen, so {written}; rank shows all of them, -k 1 keeps the best.")
    reduced = _reduced(run.whole or run.table, run.selector.get_support(), whole=not reading.drop_unlabelled)
    names = column_names(reduced, ending, samples=run.table.samples_name, label=run.table.label_name)
    _put(reduced, len(run.table.feature_names), ending, names, output)


def _put(reduced: Table, n_features: int, ending: str, names: ColumnNames, output: TableOutput) -> None:
    """Write or print the table, and say what it took."""
    from eigenselect.io.table_files import text_for_output, write_table

    renamed = [
        f"warning: a feature is called {given!r} too; the column is written as {name!r}"
        for given, name in ((reduced.samples_name, names.sample), (reduced.label_name, names.label))
        if given and given != name
    ]
    if output.output is None:
        told = renamed
        say(text_for_output(reduced, names).removesuffix("\n"), quiet=output.quiet)
    else:
        notes = write_table(output.output, reduced, ending, names, force=output.force)
        kept = f"{len(reduced.feature_names)} of {n_features} features"
        told = [*renamed, *(f"warning: {text}" for text in notes), f"wrote {output.output}: {kept}"]
    for text in told if not output.quiet else ():
        note(text)


def _reduced(table: Table, chosen: Any, *, whole: bool) -> Table:
    """Return the table with the chosen columns only; from its file more is kept only if it has all the samples."""
    from dataclasses import replace

    import numpy as np

    columns = np.flatnonzero(chosen)
    names = tuple(table.feature_names[j] for j in columns)
    origin = None if table.origin is None or not whole else table.origin.taken(table.feature_names, columns.tolist())
    return replace(table, X=table.X[:, columns], feature_names=names, origin=origin)
