"""What a command says, prints and writes.

Files are refused before anything is computed (`check_output`) and written whole at the end (`deliver`).
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.options import AUTO, FDR, Count, Output, TableOutput
from eigenselect.cli.streams import note, say, say_json
from eigenselect.cli.text import aligned, bar, bar_width, fits, significant
from eigenselect.criteria.methods import METHODS, Default
from eigenselect.exceptions import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eigenselect.cli.reading import GivenGraph
    from eigenselect.reporting import Report
    from eigenselect.reporting.summary import RankingSummary

#: rows that are printed unless -k says how many
SHOWN = 20
#: what a ranking can be written as
ENDINGS = ("csv", "tsv", "json", "md")
#: the same of a command that may write scores into a table
SCORE_ENDINGS = (*ENDINGS, "h5ad")
#: what a table can be written as
TABLE_ENDINGS = ("csv", "tsv", "parquet", "npz", "h5ad")
PAGE_ENDINGS = ("html", "htm")
#: what to type for p-values where a file has coordinates, whatever the method and the command
TEST_ON_PLACES = (
    f" --method {METHODS.default(Default.UNLABELLED)} --obsm {{places}} --significance true tests on the coordinates "
    "of this file, if these features did not make them."
)


def check_output(output: Output | TableOutput, inputs: Sequence[str], endings: tuple[str, ...] = ENDINGS) -> None:
    """Refuse output files before anything is computed.

    Refuse a file that exists without ``--force``, that is read, that is named twice, or whose ending says no format.

    Parameters
    ----------
    output : Output or TableOutput
    inputs : sequence of str
        All files that the command reads; ``-`` is standard input.
    endings : tuple of str
        Of what can be written.
    """
    from eigenselect.io.files import check_other_files, check_writable, is_read

    if is_read(sys.stderr, inputs):  # ``2>> table.csv``
        sys.stderr = io.StringIO()  # nobody is told, as if it were closed; the caller of `StandardStreams` gets it back
    page = output.report if isinstance(output, Output) else None
    files = [path for path in (output.output, page) if path]
    for path in files:
        instead = "leave out -o to write to standard output" if path is output.output else "name a file"
        check_writable(path, force=output.force, instead=instead)
    check_other_files(files, inputs)
    if page:
        check_ending(page, PAGE_ENDINGS, "--report")
    if output.output:
        check_ending(output.output, endings, "-o")


def check_ending(path: str, endings: tuple[str, ...], option: str) -> None:
    """Refuse a file whose ending is none of these.

    >>> check_ending("ranks.xls", ("csv", "tsv", "json"), "-o")
    Traceback (most recent call last):
    ...
    click.exceptions.UsageError: -o ranks.xls: the ending must be .csv, .tsv or .json.
    """
    if ending_of(path) not in endings:
        *most, last = (f".{known}" for known in endings)
        raise click.UsageError(f"{option} {path}: the ending must be {', '.join(most)} or {last}.")


def ending_of(path: str) -> str:
    """Return the ending of a file name, in small letters.

    >>> ending_of("wine.small.CSV")
    'csv'
    """
    return path.rsplit(".", 1)[-1].lower()


def deliver(
    report: Report,
    rows: Any,
    output: Output,
    as_text: Callable[[Any], str],
    columns: Sequence[str] = (),
    made: Mapping[str, Callable[[str], object]] | None = None,
) -> None:
    """Write the summary to a file, as a page, or print it.

    Without ``-o`` it is printed; ``--json`` prints JSON in any case. All files are complete
    before the first is replaced, each whole or not at all.

    Parameters
    ----------
    report : Report
        With the summary, which JSON, Markdown, the text and the page are made from.
    rows : list of dict
        What a csv holds.
    output : Output
    as_text : callable
        Makes the text for the terminal of the summary.
    columns : sequence of str
        Columns that a csv has in any case, also without rows.
    made : dict of callable, optional
        By their ending, files that are made by functions of a path.
    """
    from eigenselect.io.files import Content, as_utf8, write_all
    from eigenselect.io.writers import as_csv

    files: dict[str, Content] = {}
    ending = ending_of(output.output) if output.output else ""
    if output.output and made and ending in made:
        files[output.output] = made[ending]
    elif output.output:
        renderings = {"json": report.to_json, "md": report.to_markdown}
        separator = "\t" if ending == "tsv" else ","
        files[output.output] = renderings[ending]() if ending in renderings else as_csv(rows, separator, columns)
    if output.report:
        files[output.report] = report.to_html()
    write_all(files, force=output.force)
    for path in files if not output.quiet else ():
        note(f"wrote {path}")
    if output.as_json:
        say_json(as_utf8(report.to_json()))
    elif not output.output:
        say(as_text(report.summary), quiet=output.quiet)


def say_how_many(count: Count, summary: RankingSummary, *, always: bool = False) -> None:
    """Say which rule chose the features where the number does not: nobody should take it for more than it is.

    Parameters
    ----------
    count : int, float, "auto", "fdr" or None
        What -k asked for.
    summary : RankingSummary
    always : bool, default=False
        Whether a number is told, too.
    """
    kept, told = summary["n_selected"], f"-k {count}: "
    if count in (AUTO, FDR) and summary["significance"]:
        note(f"{told}{counted(kept, 'feature') if kept else 'no feature'} with {summary['rule']}")
    elif count == AUTO:
        note(f"{told}{counted(kept, 'feature')}, up to the knee of the sorted scores; that is no test of the others")
    elif always:
        note(f"{told}{summary['rule']}")


def say_what_was_done(
    summary: RankingSummary,
    *,
    uses_labels: bool,
    graph: GivenGraph | None = None,
    untested: bool = True,
    places: str | None = None,
) -> None:
    """Say samples, features, graph, sources, method, evidence and warnings, on stderr.

    Where there is no evidence, the reason and what to type for it are told if ``untested``; ``places`` are coordinates
    of the file that would give some.
    """
    facts, parameters = summary["graph"], summary["parameters"]
    details = ", ".join(
        f"{what} {facts[key]:.4g}" if isinstance(facts[key], float) else f"{what} {facts[key]}"
        for key, what in (("n_neighbors", "neighbours"), ("bandwidth_used", "bandwidth"), ("n_classes", "classes"))
        if facts.get(key) is not None
    )
    shape = f"{counted(summary['n_samples'], 'sample')}, {counted(summary['n_features'], 'feature')}"
    note(f"{named(summary['data'])}: {shape}")
    if facts:
        why = " (samples of one class are alike)" if facts["similarity"] == "ClassLabels" else ""
        why = f" ({'of ' if graph.slot == 'obsm' else ''}{graph.in_words})" if graph is not None else why
        note(f"graph: {facts['similarity']}{why}{', ' + details if details else ''}")
    else:
        note(f"graph: none, target {parameters.get('target')}")
    for name, source in summary["sources"].items():
        note(f"source: {name}, weight {source['weight']:.3g}, {source['similarity']}")
    note(f"method: {summary['method']}, {summary['method_summary']}")
    if summary["n_labelled"] is not None:
        note(f"labels: {summary['n_labelled']} of {summary['n_samples']} samples")
    if summary["label"] and not uses_labels:
        note(f"labels: {summary['label']} is left out of the features and not used")
    if evidence := summary["significance"]:
        note(f"significance: {evidence['sentence']} {evidence['rests_on']}")
    elif untested:
        there = "" if places is None else TEST_ON_PLACES.format(places=places)
        note(f"significance: {summary['untested']}{there}")
    for warning in summary["warnings"]:
        note(f"warning: {warning}")


def named(data: str) -> str:
    """Name the data as they were typed; ``-`` in words.

    >>> named("-"), named("data/wine.csv")
    ('standard input', 'data/wine.csv')
    """
    return "standard input" if data == "-" else data


def ranking_columns(summary: RankingSummary) -> list[str]:
    """Name the columns of a csv of the ranking."""
    from eigenselect.reporting.significance import evidence_columns

    return [
        "rank", "feature", "column", "score", "native_score", *evidence_columns(summary["significance"]).values()
    ]  # fmt: skip


def ranking_text(summary: RankingSummary, *, native: bool = False) -> str:
    """Lay out the ranking as a table with bars; without -k only the first rows; ``native`` adds the native scores."""
    from eigenselect.reporting.significance import evidence_columns, probability_text

    evidence = evidence_columns(summary["significance"])
    rows = summary["features"]
    shown = rows if summary["cut"] else rows[:SHOWN]
    scores = [row["score"] for row in rows if row["score"] == row["score"]]
    high = max(scores, default=0.0)
    name = METHODS[summary["method"]].score_name
    cells = [
        [
            "–" if r["rank"] is None else str(r["rank"]),
            r["feature"],
            score,
            *([f"{r['native_score']:.4g}"] if native else []),
            *(probability_text(r[key]) for key in evidence.values()),
        ]
        for r, score in zip(shown, significant([row["score"] for row in shown]), strict=True)
    ]
    if not rows:
        return f"No feature is kept ({summary['rule']})."
    named = [f"{name} ({summary['native_direction']} is good)"] if native else []
    header = ["rank", "feature", "score", *named, *evidence]
    width = bar_width(header, cells)
    drawn = [[*row, bar(r["score"], high, width)] for row, r in zip(cells, shown, strict=True)]
    right = (0, *range(2, len(header)))
    text = aligned([*header, ""], drawn, right=right, flexible=1)
    if not fits(text):  # a narrow terminal: numbers rather than bars and words
        text = aligned(
            ["rank", "feature", "score", *([name] if native else []), *evidence], cells, right=right, flexible=1
        )
    hidden = len(rows) - len(shown)
    return text + (f"\n… and {hidden} more; -k N sets how many, -o FILE writes all." if hidden else "")
