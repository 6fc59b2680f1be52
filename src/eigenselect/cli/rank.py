"""``eigenselect rank``: read a table, rank its features, print or write the ranking."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.choices import Named
from eigenselect.cli.data import check_classes, data_options, load, numbers_seen, title_of
from eigenselect.cli.memory import memory_for
from eigenselect.cli.output import check_count, check_output, count_option, deliver_ranking, output_options
from eigenselect.cli.progress import watched_fit
from eigenselect.criteria.table import METHODS, Method, method
from eigenselect.exceptions import InputError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from eigenselect.io.table import Table

SEED = click.IntRange(0, 2**32 - 1)
#: samples up to which features are chosen together unless said otherwise: seconds for 600, minutes for 2000
MOST_TOGETHER = 1000
DEFAULT_METHOD = (
    "See `eigenselect methods`. [default: with --label fisher, sselect where some labels are empty, relieff where they "
    "are numbers; without labels mrsf for -k N and up to 1000 samples, else laplacian]"
)


def method_options(command: Any) -> Any:
    """Which method ranks, on which graph."""
    options = (
        click.option(
            "--method",
            "name",
            type=Named([m.name for m in METHODS if m.command == "rank"]),
            help=DEFAULT_METHOD,
        ),
        click.option(
            "--similarity",
            metavar="NAME[:OPTION=VALUE,…]",
            help="Sample graph, such as knn:k=5 or rbf:bandwidth=2. [default: the method's own; spec: class_labels "
            "with --label, else knn]",
        ),
        click.option("--power", type=float, default=1.0, show_default=True, help="Spectral function γ(r) = r^POWER."),
        click.option("--clusters", type=click.IntRange(2), help="Clusters of spec-phi3. [default: the eigen-gap]"),
        click.option("--jobs", type=int, help="Threads. [default: all cores]"),
        click.option("--seed", type=SEED, default=0, show_default=True, help="Start of the eigensolver."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(epilog="Example: eigenselect rank wine.csv --label class -k 5")
@click.argument("data")
@data_options
@method_options
@count_option
@output_options
def rank(data: str, **options: Any) -> None:
    """Rank the features of DATA, best first.

    DATA is a csv, tsv, parquet, npz, mat or h5ad file, or - for csv on standard input.
    """
    check_output(options, [data])
    table, selector, notes = fit_ranker(data, options)
    deliver_fitted(data, table, selector, notes, options)


def deliver_fitted(data: str, table: Table, selector: Any, notes: list[str], options: dict[str, Any]) -> None:
    """Print or write what a fitted selector found."""
    from eigenselect.reporting.report import full_report

    def with_views(summary: dict[str, Any]) -> Any:
        samples = table.sample_names
        with room_for("the page", table):
            return full_report(summary, selector, table.X, table.y, table.feature_names, options["seed"], samples)

    deliver_ranking(summary_of(data, table, selector, notes, options), options, with_views)


def summary_of(data: str, table: Table, selector: Any, notes: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """The summary of a fitted selector."""
    from eigenselect.reporting.ranking import ranking_summary

    kept = None if options["count"] is None else int(selector.n_features_)
    return ranking_summary(
        selector,
        table.X.shape[0],
        table.feature_names,
        data=data,
        title=title_of(data),
        label=options["label"],
        kept=kept,
        notes=notes,
    )


def fit_ranker(data: str, options: dict[str, Any]) -> tuple[Table, Any, list[str]]:
    """The table, the fitted selector, and what was warned about."""
    import eigenselect
    from eigenselect._names import named
    from eigenselect.similarity import made_of_labels

    table = load(data, options)
    options["name"] = options["name"] or _default_method(table, options["count"])
    row = method(options["name"])
    parameters = method_parameters(row, options, labelled=table.y is not None)
    by_label = row.supervision.startswith("needed") or made_of_labels(parameters.get("similarity"))
    if by_label and table.n_unlabelled:
        raise InputError(
            f"{data}: {table.n_unlabelled} samples have no value in the label column {options['label']!r}; "
            f"{row.name} needs all of them, --method sselect takes some."
        )
    if (by_label or row.name == "sselect") and "numbers" not in row.supervision:
        check_classes(data, table, options["label"], f"{row.name} tells them apart")
    check_count(options["count"], len(table.feature_names))
    selector = getattr(eigenselect, row.selector)(options["count"], **parameters)
    with warnings.catch_warnings(record=True) as caught, watched_fit(quiet=options["quiet"]), room_for(row.name, table):
        warnings.simplefilter("always")
        with named(table.feature_names, table.sample_names):
            selector.fit(table.X, table.y)
    return table, selector, [*table.notes, *(str(warning.message) for warning in caught)]


def room_for(name: str, table: Table) -> AbstractContextManager[None]:
    """Within, a lack of memory is told as one of this method on this table."""
    n_samples, n_features = table.X.shape
    work = f"{name} of {n_samples} samples x {n_features} features"
    return memory_for(work, "use fewer samples or features, a graph of neighbours (--similarity knn), or fewer --jobs")


def similarity_of(text: str, option: str = "--similarity") -> Any:
    """A name, or an object where options are given."""
    from eigenselect.similarity import similarity_from_text

    try:
        return similarity_from_text(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {text}: {error}") from None


def _default_method(table: Table, count: int | float | str | None) -> str:
    """What the labels allow; without any, N features are chosen together, while an order of all needs single scores.

    docs/unsupervised.md has the measurements behind it.
    """
    if table.y is None:
        together = isinstance(count, int) and count < table.X.shape[0] <= MOST_TOGETHER
        return "mrsf" if together else "laplacian"
    if numbers_seen(table):
        return "relieff"
    return "sselect" if table.n_unlabelled else "fisher"


def method_parameters(row: Method, options: dict[str, Any], *, labelled: bool) -> dict[str, Any]:
    """Constructor arguments; options that the method does not have are refused."""
    import inspect

    import eigenselect
    from eigenselect.similarity import made_of_labels

    if row.supervision.startswith("needed") and not labelled:
        raise click.UsageError(f"the method {row.name} needs --label COLUMN.")
    similarity = None if options["similarity"] is None else similarity_of(options["similarity"])
    if similarity is None and row.selector in ("SPEC", "MRSF") and labelled:
        similarity = "class_labels"
    if made_of_labels(similarity) and not labelled:
        raise click.UsageError(f"--similarity {options['similarity']} needs --label COLUMN.")
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
