"""The options that commands share. A command gets each group of them as one frozen object.

A group is a dataclass and a decorator, `option_group`, that adds one click option for each of its fields. The help of
the options is the reference of what they mean.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from eigenselect.cli.sections import titled
from eigenselect.criteria.methods import METHODS, Default, Option

#: sections of the help
RANKING_SECTION, OUTPUT_SECTION = "Ranking", "Output"

SEED = click.IntRange(0, 2**32 - 1)
#: -k for as many features as the evidence allows, and without any as the curve of the scores suggests
AUTO = "auto"
#: -k for the features whose q-value is small enough
FDR = "fdr"
#: --significance, in the order of the help; the last one for none at all
SIGNIFICANCE = ("true", "split", "shadows", "none")
#: what -k is read as
Count = int | float | str | None
#: samples up to which features are chosen together unless said otherwise: seconds for 600, minutes for 2000
MOST_TOGETHER = 1000
DEFAULT_METHOD = (
    "`eigenselect methods` explains them. Recommended for a set to predict classes with: "
    f"{METHODS.default(Default.CLASSES_TOGETHER)}. [default: with --label {METHODS.default(Default.CLASSES)}, "
    f"{METHODS.default(Default.NUMBERS)} if they are numbers, {METHODS.default(Default.LABELS_AND_GRAPH)} beside "
    "--obsp or --obsm; if some labels are empty, of the labelled samples alone; without labels "
    f"{METHODS.default(Default.UNLABELLED_TOGETHER)} for -k N and up to "
    f"{MOST_TOGETHER} samples, else {METHODS.default(Default.UNLABELLED)}]"
)
#: --target: what features that are chosen together explain
TARGETS = ("similarity", "lda", "svm", "pca")
DEFAULT_SIMILARITY = "the method's own; with --label " + ", ".join(
    f"{name} for {', '.join(row.name for row in METHODS if row.similarity_with_labels == name)}"
    for name in dict.fromkeys(row.similarity_with_labels for row in METHODS if row.similarity_with_labels)
)
WITH_CLUSTERS, WITH_TARGET = (
    ", ".join(row.name for row in METHODS if option in row.options) for option in (Option.CLUSTERS, Option.TARGET)
)


class Named(click.Choice):
    """One of several names; a wrong one is answered with the nearest.

    >>> Named(["csv", "tsv"]).get_invalid_choice_message("cvs", None)
    "'cvs' is none of csv, tsv; did you mean 'csv'?"
    """

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Say what is wrong with a name."""
        return unknown_name(str(value), list(self.choices))


class MethodName(Named):
    """The name of a method that ``rank`` runs; the table is read at every call, not on import."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """All names."""
        return tuple(METHODS.names())

    @choices.setter
    def choices(self, names: tuple[str, ...]) -> None:
        """Ignore what the base class sets."""


class MethodOption(click.Option):
    """An option whose help lists the methods; the table is read at every call, as by `MethodName`."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the name of the option and its help."""
        record = super().get_help_record(ctx)
        return None if record is None else (record[0], f"{', '.join(METHODS.names())}: {record[1]}")


def unknown_name(value: str, names: Iterable[str]) -> str:
    """Say that a name is none of these, and which is nearest, whatever the case of its letters.

    >>> unknown_name("fischer", ["fisher", "relieff"])
    "'fischer' is none of fisher, relieff; did you mean 'fisher'?"
    """
    names = list(names)
    lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(value.lower(), lower, n=1, cutoff=0.5)
    return f"{value!r} is none of {', '.join(names)}{f'; did you mean {lower[near[0]]!r}?' if near else '.'}"


def option_group(keyword: str, kind: type, *options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Give a command some options, which it gets as one object.

    Parameters
    ----------
    keyword : str
        The argument of the command that gets the object.
    kind : dataclass
        With a field for each option.
    *options : click.option
        In the order in which the help shows them.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     width: int
    ...     height: int
    >>> @click.command()
    ... @option_group("size", Size, click.option("--width", type=int), click.option("--height", default=2))
    ... def draw(size: Size) -> None:
    ...     click.echo(size)
    >>> draw.main(["--width", "3"], standalone_mode=False)
    Size(width=3, height=2)
    """

    def decorate(command: Any) -> Any:
        @wraps(command)
        def call(**given: Any) -> Any:
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            return command(**given, **{keyword: kind(**own)})

        for option in reversed(options):
            call = option(call)
        return call

    return decorate


@dataclass(frozen=True)
class Ranking:
    """Which method ranks, on which graph.

    ``similarity`` is text as `eigenselect.similarity.similarity_from_text` reads it. None stands for what the method
    chooses, or all cores.
    """

    #: None for the one that suits the data
    name: str | None
    similarity: str | None = None
    power: float = 1.0
    clusters: int | None = None
    target: str | None = None
    jobs: int | None = None
    seed: int = 0


def _read_jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """Read --jobs: any number of threads but none."""
    if value == 0:
        raise click.BadParameter("0 threads do nothing; name a number, or leave it out for all cores.")
    return value


jobs_option = click.option("--jobs", type=int, metavar="N", callback=_read_jobs, help="Threads. [default: all cores]")
seed_option = click.option(
    "--seed", type=SEED, metavar="N", default=0, show_default=True, help="Of all random numbers."
)
ranking_options = option_group(
    "ranking",
    Ranking,
    *titled(
        RANKING_SECTION,
        click.option("--method", "name", cls=MethodOption, metavar="NAME", type=MethodName(), help=DEFAULT_METHOD),
        click.option(
            "--similarity",
            metavar="NAME[:OPTION=VALUE,…]",
            help=f"Sample graph, such as knn:k=5 or rbf:bandwidth=2. [default: {DEFAULT_SIMILARITY}]",
        ),
        click.option(
            "--power", type=float, metavar="P", default=1.0, show_default=True, help="Spectral function γ(r) = r^P."
        ),
        click.option(
            "--clusters",
            type=click.IntRange(2),
            metavar="N",
            help=f"Clusters of {WITH_CLUSTERS}. [default: the eigen-gap]",
        ),
        click.option(
            "--target",
            type=Named(TARGETS),
            help=f"What the features of {WITH_TARGET} explain together. [default: lda with labels, else, and with "
            "--similarity, --obsp or --obsm, similarity]",
        ),
    ),
    jobs_option,
    seed_option,
)


def read_count(context: click.Context, parameter: click.Parameter, value: str | None) -> Count:
    """Read -k: a whole number, a fraction, 'auto' or 'fdr'.

    >>> [read_count(None, None, text) for text in ("10", "0.5", "auto", None)]
    [10, 0.5, 'auto', None]
    """
    if value is None or value in (AUTO, FDR):
        return value
    for kind, largest in ((int, float("inf")), (float, 1.0)):
        try:
            number = kind(value)
        except ValueError:
            continue
        if 0 < number <= largest:
            return number
    raise click.BadParameter(f"{value!r} is not a positive whole number, a fraction up to 1, 'auto' or 'fdr'.")


(count_option,) = titled(
    RANKING_SECTION,
    click.option(
        "-k",
        "count",
        metavar="N|auto|fdr",
        callback=read_count,
        help="Features to keep: a number, a fraction, fdr for those with q up to --alpha, or auto for fdr where there "
        "are q-values and else the knee of the scores. [default: all; select needs it]",
    ),
)


@dataclass(frozen=True)
class Testing:
    """How sure the scores are: ``significance`` is one of `SIGNIFICANCE`, None for what suits the graph."""

    significance: str | None = None
    alpha: float | None = None


def read_alpha(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse a rate that is not between 0 and 1."""
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"{value:g} is not between 0 and 1, such as 0.05.")
    return value


testing_options = option_group(
    "testing",
    Testing,
    *titled(
        RANKING_SECTION,
        click.option(
            "--significance",
            type=Named(SIGNIFICANCE),
            help="P-values and q-values (false discovery rates). Labels found by clustering these columns, and graphs "
            "made of them, make noise look significant: true is for labels, tables and graphs from elsewhere. split "
            "and shadows are for a graph made of these columns (not for fuse); none for no values. [default: true "
            "where labels that the file does not record as clusters make the graph of rank, or with -k auto or fdr of "
            "select, and for --obsp or --obsm spatial…; else none]",
        ),
        click.option(
            "--alpha",
            type=float,
            callback=read_alpha,
            metavar="RATE",
            help="False discovery rate of -k fdr, and of the discoveries that are counted. [default: 0.05]",
        ),
    ),
)


@dataclass(frozen=True)
class Output:
    """Where results go and what is said; without ``output`` they are printed."""

    output: str | None
    report: str | None
    as_json: bool
    force: bool
    quiet: bool
    debug: bool

    @property
    def tells_all(self) -> bool:
        """Whether something is made that holds more than the ranking: a page, JSON or Markdown."""
        return bool(self.report) or self.as_json or str(self.output).lower().endswith((".json", ".md"))


@dataclass(frozen=True)
class ScoreOutput(Output):
    """The same of a command that ranks, whose page says what refits say; ``native`` prints the native scores."""

    no_evaluation: bool
    native: bool


_force, _quiet = titled(
    OUTPUT_SECTION,
    click.option("--force", is_flag=True, help="Replace an output file that exists."),
    click.option("--quiet", "-q", is_flag=True, help="Say nothing on stderr but errors."),
)
_manners = (_force, _quiet, click.option("--debug", is_flag=True, help="Show tracebacks."))
_printed = titled(
    OUTPUT_SECTION,
    click.option("--report", metavar="FILE.html", help="Write a page with tables and pictures."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)
#: of commands whose page says what refits say
_evaluation = titled(
    OUTPUT_SECTION,
    click.option(
        "--no-evaluation",
        is_flag=True,
        help="Leave out of --report what takes up to ten times as long as the ranking: accuracy on samples held out, "
        "stability, and the scores of permuted data.",
    ),
    click.option("--native", is_flag=True, help="Print also the score as the literature has it, in its own direction."),
)


def _output_option(text: str) -> Callable[[Any], Any]:
    """Make -o of a command that prints a ranking or comparison."""
    (option,) = titled(OUTPUT_SECTION, click.option("-o", "--output", metavar="FILE", help=text))
    return option


output_options = option_group(
    "output",
    Output,
    _output_option("Write the result (.csv, .tsv, .json or .md), do not print it."),
    *_printed,
    *_manners,
)
#: of commands that can also write into an annotated table
score_output_options = option_group(
    "output",
    ScoreOutput,
    _output_option(
        "Write the ranking (.csv, .tsv, .json or .md), do not print it; or, as .h5ad, the table with the scores in var."
    ),
    *_printed,
    *_evaluation,
    *_manners,
)


@dataclass(frozen=True)
class TableOutput:
    """Where a table goes and what is said; without ``output`` it is printed."""

    output: str | None
    force: bool
    quiet: bool
    debug: bool


def _read_target(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Read -o, of which - is standard output."""
    return None if value == "-" else value


table_output_options = option_group(
    "output",
    TableOutput,
    *titled(
        OUTPUT_SECTION,
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            callback=_read_target,
            help="The reduced table: .csv, .tsv, .parquet, .npz or .h5ad. [default: print it as csv]",
        ),
    ),
    *_manners,
)
