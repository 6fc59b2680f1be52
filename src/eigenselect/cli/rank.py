"""``eigenselect rank``: read a table, rank its features, print or write the ranking."""

from __future__ import annotations

from functools import partial

import click

from eigenselect.cli.options import (
    Count,
    Ranking,
    ScoreOutput,
    Testing,
    count_option,
    ranking_options,
    score_output_options,
    testing_options,
)
from eigenselect.cli.output import SCORE_ENDINGS, check_output
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import deliver_run, fit_ranking
from eigenselect.cli.scores_file import check_scores_file
from eigenselect.cli.sections import command


@command(epilog="Example: eigenselect rank wine.csv --label class -k 5")
@click.argument("data")
@reading_options
@ranking_options
@count_option
@testing_options
@score_output_options
def rank(data: str, reading: Reading, ranking: Ranking, count: Count, testing: Testing, output: ScoreOutput) -> None:
    """Rank the features of DATA, best first.

    DATA is a file (--format lists the kinds), a 10x folder, or - for csv on standard input. Where labels alone make
    the sample graph, p-values and q-values stand beside the scores; they mean nothing if the labels were found by
    clustering these columns. -o FILE.h5ad writes a copy of an h5ad file with the scores in var, and nothing else
    changed.
    """
    inputs = reading.files(data)
    check_output(output, inputs, SCORE_ENDINGS)
    check = partial(check_scores_file, output)
    run = fit_ranking(data, reading, ranking, testing, count, quiet=output.quiet, check=check)
    deliver_run(run, ranking.seed, output, inputs)
