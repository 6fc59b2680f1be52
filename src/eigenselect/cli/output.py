"""What a summary looks like: on the terminal, in a file, as a report."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.streams import note, say, say_json
from eigenselect.cli.text import aligned, bar, significant
from eigenselect.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHOWN = 20
#: what a ranking can be written as
ENDINGS = ("csv", "tsv", "json", "md")
#: -k for as many features as the curve of the scores suggests
AUTO = "auto"
#: sample graphs that are made of labels
LABEL_GRAPHS = ("ClassLabels", "HitMiss")


def wanted_number(context: click.Context, parameter: click.Parameter, value: str | None) -> int | float | str | None:
    """-k: a whole number, a fraction, or 'auto'."""
    if value is None or value == AUTO:
        return value
    for kind, largest in ((int, float("inf")), (float, 1.0)):
        try:
            number = kind(value)
        except ValueError:
            continue
        if 0 < number <= largest:
            return number
    raise click.BadParameter(f"{value!r} is not a positive whole number, a fraction up to 1 or 'auto'.")


def check_count(count: int | float | str | None, n_features: int) -> None:
    """Refuse -k beyond the table, in words of the command."""
    if isinstance(count, int) and count > n_features:
        raise InputError(f"-k {count}: the table has {n_features} features to rank; ask for at most as many.")


count_option = click.option(
    "-k",
    "count",
    metavar="N|auto",
    callback=wanted_number,
    help="Features to keep: a number, a fraction, or auto for the knee of the scores. [default: all; select needs it]",
)


def output_options(command: Any) -> Any:
    """The options of every command that prints or writes a ranking."""
    options = (
        click.option(
            "-o", "--output", metavar="FILE", help="Write the result (.csv, .tsv, .json or .md), do not print it."
        ),
        click.option("--report", metavar="FILE.html", help="Write a page with tables and pictures."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--force", is_flag=True, help="Replace an output file that exists."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors."),
        click.option("--debug", is_flag=True, help="Show tracebacks."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def check_output(options: dict[str, Any], inputs: Sequence[str], endings: tuple[str, ...] = ENDINGS) -> str:
    """Refuse output files before anything is computed; the ending of ``-o``, empty without it.

    ``inputs`` are all files that the command reads.
    """
    from eigenselect.io.files import check_other_files, check_writable, is_read

    if is_read(sys.stderr, inputs):  # ``2>> table.csv``
        sys.stderr = io.StringIO()  # nobody is told, as if it were closed; the caller of `StandardStreams` gets it back
    output, report = options["output"], options.get("report")
    for path in filter(None, (output, report)):
        printed = path is output and endings is ENDINGS
        instead = "leave out -o to write to standard output" if printed else "name a file"
        check_writable(path, force=options["force"], instead=instead)
    check_other_files([path for path in (output, report) if path], inputs)
    options["inputs"] = inputs
    if report:
        ending_of(report, ("html", "htm"), "--report")
    return ending_of(output, endings, "-o") if output else ""


def ending_of(path: str, endings: tuple[str, ...], option: str) -> str:
    """The ending of a file name, if it is one of these."""
    ending = path.rsplit(".", 1)[-1].lower()
    if ending not in endings:
        *most, last = (f".{known}" for known in endings)
        raise click.UsageError(f"{option} {path}: the ending must be {', '.join(most)} or {last}.")
    return ending


def deliver(
    report: Any, rows: list[dict[str, Any]], options: dict[str, Any], as_text: Callable[[dict[str, Any]], str]
) -> None:
    """Write the summary to a file, as a page, or print it.

    Parameters
    ----------
    report : Report
        With the summary, which JSON, Markdown, the text and the page are made from.
    rows : list of dict
        What a csv holds.
    options : dict
        Of the command.
    as_text : callable
        The summary for the terminal.
    """
    from eigenselect.io.files import as_utf8, write_whole
    from eigenselect.io.writers import as_csv

    written = []
    if options["output"]:
        ending = options["output"].rsplit(".", 1)[-1].lower()
        renderings = {"json": report.to_json, "md": report.to_markdown}
        content = renderings[ending]() if ending in renderings else as_csv(rows, "\t" if ending == "tsv" else ",")
        written.append((options["output"], content))
    if options["report"]:
        written.append((options["report"], report.to_html()))
    for path, content in written:
        write_whole(path, content, force=options["force"], inputs=options["inputs"])
        if not options["quiet"]:
            note(f"wrote {path}")
    if options["as_json"]:
        say_json(as_utf8(report.to_json()))
    elif not options["output"]:
        say(as_text(report.summary), quiet=options["quiet"])


def deliver_ranking(
    summary: dict[str, Any], options: dict[str, Any], full_report: Callable[[dict[str, Any]], Any]
) -> None:
    """Say what was done on stderr; write the ranking to a file or print it. Views are made only for a page."""
    from eigenselect.reporting import Report

    if not options["quiet"]:
        say_what_was_done(summary)
        say_how_many(options["count"], summary["n_selected"])
    report = full_report(summary) if options["report"] else Report(summary)
    deliver(report, summary["features"], options, as_text)


def say_how_many(count: int | float | str | None, kept: int) -> None:
    """What ``-k auto`` came to: nobody should take it for more than it is."""
    if count == AUTO:
        note(f"-k auto: {kept} features, up to the knee of the sorted scores; that is no test of the others")


def say_what_was_done(result: dict[str, Any]) -> None:
    """Samples, features, graph, sources, method and warnings, on stderr."""
    graph = result["graph"]
    details = ", ".join(
        f"{what} {graph[key]:.4g}" if isinstance(graph[key], float) else f"{what} {graph[key]}"
        for key, what in (("n_neighbors", "neighbours"), ("bandwidth_used", "bandwidth"), ("n_classes", "classes"))
        if graph.get(key) is not None
    )
    note(f"{result['data']}: {result['n_samples']} samples, {result['n_features']} features")
    why = " (samples of one class are alike)" if graph["similarity"] == "ClassLabels" else ""
    note(f"graph: {graph['similarity']}{why}{', ' + details if details else ''}")
    for name, source in result["sources"].items():
        note(f"source: {name}, weight {source['weight']:.3g}, {source['similarity']}")
    note(f"method: {result['method']}, {result['method_summary']}")
    if result["n_labelled"] is not None:
        note(f"labels: {result['n_labelled']} of {result['n_samples']} samples")
    if result["label"] and not _uses_labels(result):
        note(f"labels: {result['label']} is left out of the features and not used")
    for warning in result["warnings"]:
        note(f"warning: {warning}")


def _uses_labels(result: dict[str, Any]) -> bool:
    """Whether the labels had a part in the ranking; the spec methods use them if their graph is made of them."""
    if result["supervision"] == "as the similarity":
        return result["graph"].get("similarity") in LABEL_GRAPHS
    return bool(result["supervision"] != "none")


def as_text(result: dict[str, Any]) -> str:
    """The ranking as a table with bars; without -k only the first rows."""
    rows = result["features"]
    shown = rows if result["cut"] else rows[:SHOWN]
    scores = [row["score"] for row in rows if row["score"] == row["score"]]
    low, high = (min(0.0, *scores), max(scores)) if scores else (0.0, 0.0)
    native = f"{result['method'].removeprefix('spec-')} ({result['native_direction']} is good)"
    cells = [
        [
            "–" if r["rank"] is None else str(r["rank"]),
            r["feature"],
            score,
            f"{r['native_score']:.4g}",
            bar(r["score"], low, high),
        ]
        for r, score in zip(shown, significant([row["score"] for row in shown]), strict=True)
    ]
    text = aligned(["rank", "feature", "score", native, ""], cells, right=(0, 2, 3), flexible=1)
    hidden = len(rows) - len(shown)
    return text + (f"\n… and {hidden} more; -k N sets how many, -o FILE writes all." if hidden else "")
