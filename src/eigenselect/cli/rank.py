"""``eigenselect rank``: read a table, rank its features, print or write the ranking."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.text import aligned, bar, printable
from eigenselect.criteria.table import METHODS, Method, method
from eigenselect.exceptions import InputError

if TYPE_CHECKING:
    from eigenselect.io.table import Table

SHOWN = 20
DEFAULT_METHOD = (
    "See `eigenselect methods`. [default: fisher with --label, sselect where some labels are empty, else laplacian]"
)
LABEL_SIMILARITIES = ("class_labels", "hit_miss")
SIMILARITIES = ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", *LABEL_SIMILARITIES)


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


@click.command(epilog="Example: eigenselect rank wine.csv --label class -k 5")
@click.argument("data")
@click.option("--label", metavar="COLUMN", help="Column with class labels, not ranked; cells may be empty.")
@click.option("--ignore", metavar="COLUMNS", multiple=True, help="Columns to leave out: names, or one --ignore each.")
@click.option("--method", "name", type=click.Choice([m.name for m in METHODS]), help=DEFAULT_METHOD)
@click.option(
    "--similarity", type=click.Choice(SIMILARITIES), help="Sample graph. [default: class_labels with --label, else knn]"
)
@click.option("--power", type=float, default=1.0, show_default=True, help="Spectral function γ(r) = r^POWER.")
@click.option("--clusters", type=click.IntRange(2), help="Clusters of spec-phi3. [default: the eigen-gap]")
@click.option("-k", "count", metavar="N|auto", callback=_number, help="Features to keep: number, fraction or knee.")
@click.option("-o", "--output", metavar="FILE", help="Write the ranking (.csv, .tsv or .json) instead of printing it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--format", "file_format", type=click.Choice(["csv", "tsv", "npz", "mat"]), help="Format of DATA.")
@click.option("--jobs", type=int, help="Threads. [default: all cores]")
@click.option("--seed", type=int, default=0, show_default=True, help="Start of the eigensolver.")
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def rank(data: str, **options: Any) -> None:
    """Rank the features of DATA, best first.

    DATA is a csv, tsv, npz or mat file, or - for csv on standard input.
    """
    from eigenselect.io.writers import check_writable, write_whole

    if options["output"]:
        check_writable(options["output"], force=options["force"])
        _rendering(options["output"])
    table, selector, notes = _fit(data, options)
    result = _result(data, table, selector, options, notes)
    if not options["quiet"]:
        _say_what_was_done(result)
    if options["output"]:
        write_whole(options["output"], _rendering(options["output"])(result), force=options["force"])
        if not options["quiet"]:
            click.echo(f"wrote {options['output']}", err=True)
    if options["as_json"]:
        from eigenselect.io.writers import as_json

        click.echo(as_json(result), nl=False)
    elif not options["output"]:
        click.echo(_as_text(result))


def _fit(data: str, options: dict[str, Any]) -> tuple[Table, Any, list[str]]:
    """The table, the fitted selector, and what was warned about."""
    import eigenselect
    from eigenselect.io.readers import read_table

    table = read_table(data, label=options["label"], ignore=options["ignore"], file_format=options["file_format"])
    options["name"] = options["name"] or _default_method(table)
    row = method(options["name"])
    parameters = _parameters(row, options, labelled=table.y is not None)
    by_label = row.supervision.startswith("needed") or parameters.get("similarity") in LABEL_SIMILARITIES
    if by_label and table.n_unlabelled:
        raise InputError(
            f"{printable(data)}: {table.n_unlabelled} samples have no value in the label column {options['label']!r}; "
            f"{row.name} needs all of them, --method sselect takes some."
        )
    selector = getattr(eigenselect, row.selector)(options["count"], **parameters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(table.X, table.y)
    return table, selector, [*table.notes, *(str(warning.message) for warning in caught)]


def _default_method(table: Table) -> str:
    if table.y is None:
        return "laplacian"
    return "sselect" if table.n_unlabelled else "fisher"


def _parameters(row: Method, options: dict[str, Any], *, labelled: bool) -> dict[str, Any]:
    """Constructor arguments; options that the method does not have are refused."""
    import inspect

    import eigenselect

    if row.supervision.startswith("needed") and not labelled:
        raise click.UsageError(f"the method {row.name} needs --label COLUMN.")
    similarity = options["similarity"]
    if similarity is None and row.selector == "SPEC" and labelled:
        similarity = "class_labels"
    if similarity in LABEL_SIMILARITIES and not labelled:
        raise click.UsageError(f"--similarity {similarity} needs --label COLUMN.")
    power = None if options["power"] == 1.0 else options["power"]
    wanted = {"similarity": similarity, "spectral_function": power, "n_clusters": options["clusters"]}
    known = inspect.signature(getattr(eigenselect, row.selector)).parameters
    for (name, value), option in zip(wanted.items(), ("--similarity", "--power", "--clusters"), strict=True):
        if value is not None and (name not in known or row.name == "trace-ratio"):
            raise click.UsageError(f"{option} does not apply to the method {row.name}.")
    if options["clusters"] and row.name != "spec-phi3":
        raise click.UsageError("--clusters applies to the method spec-phi3.")
    given = {name: value for name, value in wanted.items() if value is not None}
    return {**row.parameters, **given, "n_jobs": options["jobs"], "random_state": options["seed"]}


def _result(data: str, table: Table, selector: Any, options: dict[str, Any], notes: list[str]) -> dict[str, Any]:
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


def _say_what_was_done(result: dict[str, Any]) -> None:
    graph = result["graph"]
    details = ", ".join(
        f"{what} {graph[key]:.4g}" if isinstance(graph[key], float) else f"{what} {graph[key]}"
        for key, what in (("n_neighbors", "neighbours"), ("bandwidth_used", "bandwidth"), ("n_classes", "classes"))
        if graph.get(key) is not None
    )
    click.echo(f"{printable(result['data'])}: {result['n_samples']} samples, {result['n_features']} features", err=True)
    why = " (samples of one class are alike)" if graph["similarity"] == "ClassLabels" else ""
    click.echo(f"graph: {graph['similarity']}{why}{', ' + details if details else ''}", err=True)
    click.echo(f"method: {result['method']}, {method(result['method']).summary}", err=True)
    if result["n_labelled"] is not None:
        click.echo(f"labels: {result['n_labelled']} of {result['n_samples']} samples", err=True)
    if result["label"] and method(result["method"]).supervision == "none":
        click.echo(f"labels: {printable(result['label'])} is left out of the features and not used", err=True)
    for note in result["warnings"]:
        click.echo(f"warning: {printable(note)}", err=True)


def _rendering(path: str) -> Any:
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


def _as_text(result: dict[str, Any]) -> str:
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
