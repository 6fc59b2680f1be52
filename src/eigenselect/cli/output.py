"""What a ranking looks like: on the terminal, in a file, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.text import aligned, bar, printable
from eigenselect.criteria.table import method

if TYPE_CHECKING:
    from eigenselect.io.table import Table

SHOWN = 20


def _number(context: click.Context, parameter: click.Parameter, value: str | None) -> int | float | str | None:
    """-k: a whole number, a fraction, or 'auto'."""
    if value is None or value == "auto":
        return value
    try:
        number = float(value) if "." in value else int(value)
    except ValueError:
        number = 0
    if number <= 0:
        raise click.BadParameter(f"{value!r} is not a positive whole number, a fraction or 'auto'.")
    return number


count_option = click.option(
    "-k",
    "count",
    metavar="N|auto",
    callback=_number,
    help="Features to keep: a number, a fraction, or auto for the knee. [default: all; select: auto]",
)


def output_options(command: Any) -> Any:
    """The options of every command that prints or writes a ranking."""
    options = (
        click.option(
            "-o", "--output", metavar="FILE", help="Write the ranking (.csv, .tsv or .json), do not print it."
        ),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--force", is_flag=True, help="Replace an output file that exists."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors."),
        click.option("--debug", is_flag=True, help="Show tracebacks."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def check_output(options: dict[str, Any]) -> None:
    """Refuse an output file before anything is computed."""
    from eigenselect.io.writers import check_writable

    if options["output"]:
        check_writable(options["output"], force=options["force"])
        rendering(options["output"])


def deliver(result: dict[str, Any], options: dict[str, Any]) -> None:
    """Say what was done on stderr; write the ranking to a file or print it."""
    from eigenselect.io.writers import as_json, write_whole

    if not options["quiet"]:
        say_what_was_done(result)
    if options["output"]:
        write_whole(options["output"], rendering(options["output"])(result), force=options["force"])
        if not options["quiet"]:
            click.echo(f"wrote {options['output']}", err=True)
    if options["as_json"]:
        click.echo(as_json(result), nl=False)
    elif not options["output"]:
        click.echo(as_text(result))


def ranking_result(data: str, table: Table, selector: Any, options: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """All that is known of the run, as plain values."""
    order = selector.ranking_.argsort()
    kept = selector.n_features_ if options["count"] is not None else len(order)
    features = [
        {
            "rank": int(selector.ranking_[j]),
            "feature": table.feature_names[j],
            "column": int(j),
            "score": float(selector.scores_[j]),
            "native_score": float(selector.native_scores_[j]),
        }
        for j in order[:kept]
    ]
    return {
        "data": data,
        "method": options["name"],
        "native_direction": method(options["name"]).direction,
        "n_samples": int(table.X.shape[0]),
        "n_features": len(order),
        "n_selected": int(kept),
        "label": options["label"],
        "n_labelled": getattr(selector, "n_labelled_", None),
        "graph": selector.graph_.describe(),
        "warnings": notes,
        "features": features,
    }


def say_what_was_done(result: dict[str, Any]) -> None:
    """Samples, features, graph, sources, method and warnings, on stderr."""
    graph = result["graph"]
    details = ", ".join(
        f"{what} {graph[key]:.4g}" if isinstance(graph[key], float) else f"{what} {graph[key]}"
        for key, what in (("n_neighbors", "neighbours"), ("bandwidth_used", "bandwidth"), ("n_classes", "classes"))
        if graph.get(key) is not None
    )
    click.echo(f"{printable(result['data'])}: {result['n_samples']} samples, {result['n_features']} features", err=True)
    why = " (samples of one class are alike)" if graph["similarity"] == "ClassLabels" else ""
    click.echo(f"graph: {graph['similarity']}{why}{', ' + details if details else ''}", err=True)
    for name, source in result.get("sources", {}).items():
        click.echo(f"source: {printable(name)}, weight {source['weight']:.3g}, {source['similarity']}", err=True)
    click.echo(f"method: {result['method']}, {method(result['method']).summary}", err=True)
    if result["n_labelled"] is not None:
        click.echo(f"labels: {result['n_labelled']} of {result['n_samples']} samples", err=True)
    if result["label"] and method(result["method"]).supervision == "none":
        click.echo(f"labels: {printable(result['label'])} is left out of the features and not used", err=True)
    for note in result["warnings"]:
        click.echo(f"warning: {printable(note)}", err=True)


def rendering(path: str) -> Any:
    """How a ranking is written to a file of that ending."""
    from eigenselect.io.writers import as_csv, as_json

    ending = path.rsplit(".", 1)[-1].lower()
    renderings = {
        "json": as_json,
        "csv": lambda result: as_csv(result["features"]),
        "tsv": lambda result: as_csv(result["features"], "\t"),
    }
    if ending not in renderings:
        raise click.UsageError(f"-o {path}: the ending must be .csv, .tsv or .json.")
    return renderings[ending]


def as_text(result: dict[str, Any]) -> str:
    """The ranking as a table with bars; without -k only the first rows."""
    rows = result["features"]
    shown = rows[:SHOWN] if result["n_selected"] == result["n_features"] else rows
    scores = [row["score"] for row in rows if row["score"] == row["score"]]
    low, high = (min(0.0, *scores), max(scores)) if scores else (0.0, 0.0)
    native = f"{result['method'].removeprefix('spec-')} ({result['native_direction']} is good)"
    cells = [
        [str(r["rank"]), r["feature"], f"{r['score']:.4f}", f"{r['native_score']:.4g}", bar(r["score"], low, high)]
        for r in shown
    ]
    text = aligned(["rank", "feature", "score", native, ""], cells, right=(0, 2, 3), flexible=1)
    hidden = len(rows) - len(shown)
    return text + (f"\n… and {hidden} more; -k N sets how many, -o FILE writes all." if hidden else "")
