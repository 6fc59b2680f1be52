"""``eigenselect select``: write the table with its best features only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.data import data_options
from eigenselect.cli.output import check_output, count_option, say_how_many, say_what_was_done
from eigenselect.cli.rank import fit_ranker, method_options, summary_of
from eigenselect.cli.streams import note

if TYPE_CHECKING:
    from eigenselect.io.table import Table


@click.command(epilog="Example: eigenselect select wine.csv --label class -k 5 -o small.csv")
@click.argument("data")
@data_options
@method_options
@count_option
@click.option("-o", "--output", metavar="FILE", required=True, help="The reduced table: .csv, .tsv or .npz.")
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def select(data: str, **options: Any) -> None:
    """Write DATA with its best features only, in the order of the table; -k says how many.

    Sample names and labels come first where there are any. Values are those that were ranked: scaled or filled if
    asked.
    """
    from eigenselect.io.files import write_whole
    from eigenselect.io.writers import check_array_names, column_names, table_bytes

    if options["count"] is None:
        raise click.UsageError(
            "select needs -k: a number or a fraction of features to keep, or auto for the knee of the scores."
        )
    ending = check_output(options, [data], ("csv", "tsv", "npz"))
    if ending == "npz":
        check_array_names(options["output"], [options["label"], options["samples"]])
    table, selector, notes = fit_ranker(data, options)
    reduced = _reduced(table, selector.get_support())
    names = column_names(reduced, ending, samples=options["samples"], label=options["label"])
    content = table_bytes(reduced, ending, names)
    write_whole(options["output"], content, force=options["force"], inputs=options["inputs"])
    if not options["quiet"]:
        say_what_was_done(summary_of(data, table, selector, notes, options))
        for given, name in ((options["samples"], names.sample), (options["label"], names.label)):
            if given and given != name:
                note(f"warning: a feature is called {given!r} too; the column is written as {name!r}")
        kept, total = len(reduced.feature_names), len(table.feature_names)
        say_how_many(options["count"], kept)
        note(f"wrote {options['output']}: {kept} of {total} features")


def _reduced(table: Table, chosen: Any) -> Table:
    from dataclasses import replace

    import numpy as np

    columns = np.flatnonzero(chosen)
    names = tuple(table.feature_names[j] for j in columns)
    return replace(table, X=table.X[:, columns], feature_names=names)
