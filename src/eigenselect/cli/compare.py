"""``eigenselect compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.choices import unknown_name
from eigenselect.cli.data import check_classes, data_options, load, title_of
from eigenselect.cli.output import AUTO, check_count, check_output, deliver, output_options, wanted_number
from eigenselect.cli.progress import ProgressLine, progress_line
from eigenselect.cli.rank import SEED, method_parameters, room_for
from eigenselect.cli.streams import note
from eigenselect.cli.text import aligned
from eigenselect.criteria.table import METHODS, method

if TYPE_CHECKING:
    from eigenselect.io.table import Table

RANKED = [m.name for m in METHODS if m.command == "rank"]
DEFAULT_COUNT = 10
DEFAULT_METHODS = "laplacian,spec-phi3,fisher,relieff"


def _names(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    for name in names or [""]:
        if name not in RANKED:
            raise click.BadParameter(unknown_name(name, RANKED))
    return list(dict.fromkeys(names))


def _sizes(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    try:
        sizes = sorted({int(part) for part in value.split(",")})
    except ValueError:
        sizes = [0]
    if sizes[0] < 1:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers such as 2,5,10.")
    return sizes


def _count(context: click.Context, parameter: click.Parameter, value: str | None) -> int | float | None:
    count = wanted_number(context, parameter, value)
    if isinstance(count, str):
        raise click.BadParameter(
            f"{AUTO} would give each method another number of features, which cannot be compared; name one number."
        )
    return count


@click.command(epilog="Example: eigenselect compare wine.csv --label class --methods fisher,relieff,laplacian -k 5")
@click.argument("data")
@data_options
@click.option(
    "--methods",
    callback=_names,
    default=DEFAULT_METHODS,
    show_default=True,
    help="Methods with commas between, see `eigenselect methods`.",
)
@click.option(
    "-k",
    "count",
    metavar="N",
    callback=_count,
    help=f"Features that each one selects: a number or a fraction. [default: {DEFAULT_COUNT}, all if fewer]",
)
@click.option(
    "--sizes", callback=_sizes, default="2,5,10,20", show_default=True, help="Numbers of features to predict with."
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Folds of the cross-validation, at most the smallest class.",
)
@click.option("--jobs", type=int, help="Threads. [default: all cores]")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of folds, subsamples and eigensolvers.")
@output_options
def compare(data: str, **options: Any) -> None:
    """Run several methods on DATA and compare what they select.

    Accuracy is that of a nearest-neighbour classifier by cross-validation in which the held-out samples are never seen
    by the method. Redundancy is the mean absolute correlation of the selected features, stability the overlap of the
    selections from ten subsamples beyond chance, and the last columns say how much of its selection a method shares
    with each other one. Under accuracy and stability stands what permuted labels give. A star marks an accuracy that is
    better than every other method's by more than the folds spread, and than with permuted labels.
    """
    from eigenselect.reporting import Report
    from eigenselect.reporting.comparison import steps_of

    check_output(options, [data])
    if not options["label"]:
        raise click.UsageError("compare needs --label COLUMN, to measure what the selections predict.")
    table = load(data, options)
    steps = steps_of(len(options["methods"]), options["folds"])
    with progress_line("comparing", quiet=options["quiet"], total=steps) as line, room_for("comparing", table):
        summary = _compared(data, table, options, line)
    if not options["quiet"]:
        _say_what_was_done(summary)
    deliver(Report(summary), _rows(summary), options, _as_text)


def _compared(data: str, table: Table, options: dict[str, Any], line: ProgressLine) -> dict[str, Any]:
    """Everything that was measured, as plain values."""
    from eigenselect._names import named
    from eigenselect.reporting import compared

    if table.n_unlabelled:
        raise click.UsageError(f"compare needs all labels; {table.n_unlabelled} samples have none.")
    check_classes(data, table, options["label"], "compare measures how well they are predicted")
    _check_sizes(data, table, options["label"])
    count = _number_to_compare(options["count"], len(table.feature_names))
    with named(table.feature_names, table.sample_names):
        return compared(
            {name: _selector(name, count, options) for name in options["methods"]},
            table.X,
            table.y,
            table.feature_names,
            n_features=count,
            sizes=options["sizes"],
            n_splits=options["folds"],
            data=data,
            title=title_of(data),
            label=options["label"],
            random_state=options["seed"],
            notes=table.notes,
            progress_of=line.part,
        )


def _number_to_compare(wanted: int | float | None, n_features: int) -> int:
    if wanted is None:
        return min(DEFAULT_COUNT, n_features)
    check_count(wanted, n_features)
    return wanted if isinstance(wanted, int) else max(1, int(wanted * n_features))


def _check_sizes(data: str, table: Table, label: str) -> None:
    """A class of one sample cannot be both learned from and predicted."""
    import pandas as pd

    from eigenselect.exceptions import InputError

    sizes = pd.Series(table.label_text).value_counts()
    if sizes.min() < 2:
        raise InputError(
            f"{data}: compare needs at least 2 samples of each class, but {int((sizes < 2).sum())} of "
            f"{len(sizes)} classes in {label!r} have 1 ({sizes.index[-1]!r}); leave those samples out."
        )


def _say_what_was_done(summary: dict[str, Any]) -> None:
    shape = f"{summary['n_samples']} samples, {summary['n_features']} features, {len(summary['methods'])} methods"
    note(f"{summary['data']}: {shape}; always the largest class: {summary['chance']:.3f}")
    for warning in summary["warnings"]:
        note(f"warning: {warning}")


def _selector(name: str, count: int, options: dict[str, Any]) -> Any:
    import eigenselect

    row = method(name)
    plain = {"similarity": None, "power": 1.0, "clusters": None, "jobs": options["jobs"], "seed": options["seed"]}
    return getattr(eigenselect, row.selector)(count, **method_parameters(row, plain, labelled=True))


def _rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """One flat row per method, all with the same keys: every fact that the summary has of it."""
    methods = summary["methods"]
    return [{"method": name, **_flat(facts, list(methods))} for name, facts in methods.items()]


def _flat(facts: dict[str, Any], methods: list[str], prefix: str = "") -> dict[str, Any]:
    """A column for each number; lists come last, as JSON: any mark between names may be in a name."""
    row, lists = dict[str, Any](), dict[str, str]()
    for fact, value in facts.items():
        if isinstance(value, dict):
            row |= _flat(_of_each(value, methods), methods, f"{prefix}{fact}_")
        elif isinstance(value, (list, tuple)):
            lists[f"{prefix}{fact}"] = json.dumps(value, ensure_ascii=False)
        else:
            row[f"{prefix}{fact}"] = value
    return row | lists


def _of_each(values: dict[str, Any], methods: list[str]) -> dict[str, Any]:
    """Values for each of the other methods, with an empty one for the method itself."""
    return {name: values.get(name, "") for name in methods} if values.keys() < set(methods) else values


def _as_text(summary: dict[str, Any]) -> str:
    """The table, under each method what permuted labels give, and which selections are alike."""
    methods, best = summary["methods"], summary["best"]
    sizes = list(best)
    header = ["method", *(f"1NN, {size}" for size in sizes), "redundancy", "stability", "seconds"]
    lines = []
    for name, facts in methods.items():
        accuracies = [_accuracy(facts, size, marked=best[size] == name) for size in sizes]
        others = [_decimals(facts[key]) for key in ("redundancy", "stability", "seconds")]
        lines.append([name, *accuracies, *others])
        permuted = [f"{_decimals(facts['accuracy_permuted'][size], 3)}       " for size in sizes]
        lines.append(["  permuted", *permuted, "", _decimals(facts["stability_permuted"]), ""])
    text = aligned(header, lines, right=tuple(range(1, len(header))))
    names = list(methods)
    shared = [
        [name, *("" if other == name else f"{facts['shared'][other]:.0%}".replace("nan%", "-") for other in names)]
        for name, facts in methods.items()
    ]
    alike = aligned(["shared features", *names], shared, right=tuple(range(1, len(names) + 1)))
    about = f"permuted: the same with permuted labels, mean of {summary['n_permutations']}; ± deviation over the folds"
    star = "* " if any(best.values()) else ""
    return f"{text}\n\n{alike}\n\n{about}\n{star}{summary['best_sentence']}"


def _accuracy(facts: dict[str, Any], size: str, *, marked: bool) -> str:
    """Mean and deviation over the folds, and a star if it is marked; nothing beyond what a method orders."""
    if facts["accuracy"][size] != facts["accuracy"][size]:
        return "-       "
    deviation = f"{facts['accuracy_deviation'][size]:.3f}".removeprefix("0")
    return f"{facts['accuracy'][size]:.3f} ±{deviation}{'*' if marked else ' '}"


def _decimals(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if value == value else "-"
