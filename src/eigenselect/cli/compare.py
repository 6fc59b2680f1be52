"""``eigenselect compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.labels import check_classes, minus_one_class
from eigenselect.cli.options import (
    SEED,
    Count,
    Output,
    Ranking,
    jobs_option,
    option_group,
    output_options,
    read_count,
    unknown_name,
)
from eigenselect.cli.output import check_output, deliver, named
from eigenselect.cli.progress import ProgressLine, progress_line
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import check_count, load, room_for, selector_parameters, title_of
from eigenselect.cli.sections import command, titled
from eigenselect.cli.streams import note
from eigenselect.cli.text import aligned
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import InputError, agreeing, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eigenselect.io.table import Table
    from eigenselect.reporting import Provenance
    from eigenselect.reporting.summary import ComparisonSummary, MethodSummary

DEFAULT_COUNT = 10
#: what to do where memory does not suffice
LESS = "use fewer samples or features, other --methods, or fewer --jobs"


@dataclass(frozen=True)
class Comparison:
    """What is compared, and how it is measured.

    ``count`` features are selected by each of ``methods`` (None for 10, or all if there are fewer); ``sizes`` are the
    numbers of features that predict in ``folds`` folds.
    """

    methods: list[str]
    count: int | float | None
    sizes: list[int]
    folds: int
    jobs: int | None
    seed: int


def _read_names(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    """Read the names of methods with commas between, each once."""
    names, known = [name.strip() for name in value.split(",") if name.strip()], METHODS.names()
    for name in names or [""]:
        if name not in known:
            raise click.BadParameter(unknown_name(name, known))
    return list(dict.fromkeys(names))


def _read_sizes(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    """Read whole numbers with commas between, in order, each once."""
    try:
        sizes = sorted({int(part) for part in value.split(",")})
    except ValueError:
        sizes = [0]
    if sizes[0] < 1:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers such as 2,5,10.")
    return sizes


def _read_number(context: click.Context, parameter: click.Parameter, value: str | None) -> Count:
    """Read -k, which may not be 'auto' or 'fdr'."""
    count = read_count(context, parameter, value)
    if isinstance(count, str):
        raise click.BadParameter(
            f"{count} would give each method another number of features, which cannot be compared; name one number."
        )
    return count


comparison_options = option_group(
    "comparison",
    Comparison,
    *titled(
        "Comparison",
        click.option(
            "--methods",
            callback=_read_names,
            default=",".join(METHODS.compared()),
            show_default=True,
            help="Methods with commas between, see `eigenselect methods`; the default are the recommended ones.",
        ),
        click.option(
            "-k",
            "count",
            metavar="N",
            callback=_read_number,
            help=f"Features that each one selects: a number or a fraction. [default: {DEFAULT_COUNT}, all if fewer]",
        ),
        click.option(
            "--sizes",
            callback=_read_sizes,
            default="2,5,10,20",
            show_default=True,
            help="Numbers of features to predict with.",
        ),
        click.option(
            "--folds",
            type=click.IntRange(2),
            default=5,
            show_default=True,
            help="Folds of the cross-validation, at most the smallest class.",
        ),
    ),
    jobs_option,
    click.option("--seed", type=SEED, default=0, show_default=True, help="Of folds, subsamples and eigensolvers."),
)


@command(epilog="Example: eigenselect compare wine.csv --label class --methods fisher,relieff,laplacian -k 5")
@click.argument("data")
@reading_options
@comparison_options
@output_options
def compare(data: str, reading: Reading, comparison: Comparison, output: Output) -> None:
    """Run several methods on DATA and compare what they select.

    Accuracy is that of a nearest-neighbour classifier by cross-validation in which the held-out samples are never seen
    by the method. Redundancy is the mean absolute correlation of the selected features, stability the overlap of the
    selections from ten subsamples beyond chance, and the last columns say how much of its selection a method shares
    with each other one. Under accuracy and stability stands what permuted labels give. A star marks an accuracy that is
    better than every other method's by more than the folds spread, and than with permuted labels.
    """
    from eigenselect.reporting import Report
    from eigenselect.reporting.comparing.comparison import steps_of

    inputs = reading.files(data)
    check_output(output, inputs)
    _check_reading(reading)
    table = load(data, reading, quiet=output.quiet)
    table = replace(table, notes=(*table.notes, *minus_one_class(table, dropped=reading.drop_unlabelled)))
    _check_table(data, table)
    if not output.quiet:
        _say_what_will_be_done(data, table, comparison)
    steps = steps_of(len(comparison.methods), comparison.folds)
    with progress_line("comparing", quiet=output.quiet, total=steps) as line, room_for("comparing", table, LESS):
        run = _provenance(data, reading, comparison)
        summary = _measured(data, str(table.label_name), table, comparison, line, run)
    if not output.quiet:
        _say_what_was_found(summary)
    deliver(Report(summary), _rows(summary), output, _as_text)


def _check_reading(reading: Reading) -> None:
    """Refuse to compare without labels, and what cannot be used in every fold."""
    if not reading.has_labels:
        raise click.UsageError("compare needs --label COLUMN or --labels FILE, to measure what the selections predict.")
    for option, given in (("--covariates", reading.covariates), ("--obsp", reading.obsp), ("--obsm", reading.obsm)):
        if given:
            raise click.UsageError(
                f"compare makes every method's own graph of the samples of each fold; {option} is for rank and select."
            )


def _provenance(data: str, reading: Reading, comparison: Comparison) -> Provenance:
    """Return what a paper needs to make the run again."""
    from eigenselect.cli.group import typed_command
    from eigenselect.reporting import Provenance

    files = () if data == "-" else tuple(reading.files(data))
    return Provenance(typed_command(), str(comparison.seed), files, reading.preparation)


def _check_table(data: str, table: Table) -> None:
    """Refuse labels that cannot be predicted: missing ones, numbers, classes of one sample."""
    if table.n_unlabelled:
        raise click.UsageError(
            f"compare needs all labels, and {counted(table.n_unlabelled, 'sample')} "
            f"{agreeing(table.n_unlabelled, '[has none; leave it|have none; leave them]')} out with --drop-unlabelled."
        )
    label = str(table.label_name)
    check_classes(data, table, label, "compare measures how well they are predicted")
    _check_sizes(data, table, label)


def _measured(
    data: str, label: str, table: Table, comparison: Comparison, line: ProgressLine, run: Provenance
) -> ComparisonSummary:
    """Measure everything, as plain values."""
    from eigenselect.reporting import summarise_comparison

    count = _number_to_compare(comparison.count, len(table.feature_names))
    return summarise_comparison(
        {name: _selector(name, count, comparison) for name in comparison.methods},
        _with_names(table),
        table.y,
        table.feature_names,
        n_features=count,
        sizes=comparison.sizes,
        n_splits=comparison.folds,
        data=data,
        title=title_of(data),
        label=label,
        random_state=comparison.seed,
        notes=table.notes,
        provenance=run,
        progress_of=line.part,
    )


def _with_names(table: Table) -> Any:
    """Return the numbers with the names that warnings call them by, where a frame can hold both."""
    import pandas as pd
    from scipy import sparse

    if sparse.issparse(table.X) or len(set(table.feature_names)) < len(table.feature_names):
        return table.X
    return pd.DataFrame(table.X, index=table.sample_names, columns=list(table.feature_names), copy=False)


def _number_to_compare(wanted: int | float | None, n_features: int) -> int:
    """Give the number of features to select: 10 or all by default; a fraction of all is rounded down, but not to 0."""
    if wanted is None:
        return min(DEFAULT_COUNT, n_features)
    check_count(wanted, n_features)
    return wanted if isinstance(wanted, int) else max(1, int(wanted * n_features))


def _check_sizes(data: str, table: Table, label: str) -> None:
    """Refuse a class of one sample, which cannot be both learned from and predicted."""
    import pandas as pd

    sizes = pd.Series(table.label_text).value_counts()
    few = int((sizes < 2).sum())
    if few:
        raise InputError(
            f"{data}: compare needs at least 2 samples of each class, but {few} of {len(sizes)} classes "
            f"in {label!r} {agreeing(few, '[has|have]')} 1 ({sizes.index[-1]!r}); leave "
            f"{agreeing(few, '[that sample|those samples]')} out."
        )


def _say_what_will_be_done(data: str, table: Table, comparison: Comparison) -> None:
    """Say how much work there is before it starts: it may take minutes, and only terminals have a progress line."""
    from eigenselect.reporting.comparing.comparison import steps_of

    n_samples, n_features = table.X.shape
    counts = ((n_samples, "sample"), (n_features, "feature"), (len(comparison.methods), "method"))
    shape = ", ".join(counted(number, what) for number, what in counts)
    fits = steps_of(1, comparison.folds)
    note(f"{named(data)}: {shape}; each is fitted about {fits} times (folds, permuted labels, subsamples)")


def _say_what_was_found(summary: ComparisonSummary) -> None:
    note(f"accuracy of always answering the largest class: {summary['chance']:.3f}")
    for warning in summary["warnings"]:
        note(f"warning: {warning}")


def _selector(name: str, count: int, comparison: Comparison) -> Any:
    row, ranking = METHODS[name], Ranking(name, jobs=comparison.jobs, seed=comparison.seed)
    return row.selector_class()(count, **selector_parameters(row, ranking, labelled=True))


def _rows(summary: ComparisonSummary) -> list[dict[str, Any]]:
    """Make one flat row per method, all with the same keys: every fact that the summary has of it."""
    methods = summary["methods"]
    return [{"method": name, **_flat(facts, list(methods))} for name, facts in methods.items()]


def _flat(facts: Mapping[str, Any], methods: list[str], prefix: str = "") -> dict[str, Any]:
    """Make a column of each number, yes and no being 1 and 0; lists come last, as JSON: any mark may be in a name."""
    row, lists = dict[str, Any](), dict[str, str]()
    for fact, value in facts.items():
        if isinstance(value, dict):
            row |= _flat(_of_each(value, methods), methods, f"{prefix}{fact}_")
        elif isinstance(value, (list, tuple)):
            lists[f"{prefix}{fact}"] = json.dumps(value, ensure_ascii=False)
        else:
            row[f"{prefix}{fact}"] = int(value) if isinstance(value, bool) else value
    return row | lists


def _of_each(values: dict[str, Any], methods: list[str]) -> dict[str, Any]:
    """Complete values for each of the other methods with an empty one for the method itself."""
    return {name: values.get(name, "") for name in methods} if values.keys() < set(methods) else values


def _as_text(summary: ComparisonSummary) -> str:
    """Lay out the table, under each method what permuted labels give, and which selections are alike."""
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


def _accuracy(facts: MethodSummary, size: str, *, marked: bool) -> str:
    """Write mean and deviation over the folds, and a star if it is marked; nothing beyond what a method orders."""
    if facts["accuracy"][size] != facts["accuracy"][size]:
        return "-       "
    deviation = f"{facts['accuracy_deviation'][size]:.3f}".removeprefix("0")
    return f"{facts['accuracy'][size]:.3f} ±{deviation}{'*' if marked else ' '}"


def _decimals(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if value == value else "-"
