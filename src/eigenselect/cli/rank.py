"""``eigenselect rank``: read a table, rank its features, print or write the ranking."""

from __future__ import annotations

import click

from eigenselect.cli.options import (
    Count,
    Output,
    Ranking,
    Testing,
    count_option,
    ranking_options,
    score_output_options,
    testing_options,
)
from eigenselect.cli.output import check_output
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import deliver_run, fit_ranking
from eigenselect.cli.sections import command


@command(epilog="Example: eigenselect rank wine.csv --label class -k 5")
@click.argument("data")
@reading_options
@ranking_options
@count_option
@testing_options
@score_output_options
def rank(data: str, reading: Reading, ranking: Ranking, count: Count, testing: Testing, output: Output) -> None:
    """Rank the features of DATA, best first.

    DATA is a csv, tsv, parquet, npz, mat or h5ad file, or - for csv on standard input. Where labels alone make the
    sample graph, p-values and q-values stand beside the scores; they mean nothing if the labels were found by
    clustering these columns.
    """
    inputs = reading.files(data)
    check_output(output, inputs)
    run = fit_ranking(data, reading, ranking, testing, count, quiet=output.quiet)
    deliver_run(run, ranking.seed, output, inputs)
