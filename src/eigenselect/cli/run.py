"""What commands do with a table: read it, fit a method, say what it took, summarise what was found."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.labels import check_labels, label_notes, numbers_seen
from eigenselect.cli.options import FDR, MOST_TOGETHER, Count, Ranking, ScoreOutput, Testing
from eigenselect.cli.output import deliver, ranking_columns, ranking_text, say_how_many, say_what_was_done
from eigenselect.cli.places import graph_of_places
from eigenselect.cli.progress import progress_line, watched_fit, watched_reading
from eigenselect.cli.reading import GivenGraph, Reading
from eigenselect.cli.scores_file import H5AD, write_scores
from eigenselect.cli.significance import FEWEST_SAMPLES, NONE, ask_how_sure, asks, labels_known
from eigenselect.criteria.methods import METHODS, Command, Default, Labels, Method, Option
from eigenselect.exceptions import InputError, KneeWarning, ShortageError, counted

if TYPE_CHECKING:
    from eigenselect.io.table import Table
    from eigenselect.reporting import Fitted, Provenance
    from eigenselect.reporting.summary import RankingSummary

#: what numpy and pyarrow say when memory does not suffice, without their own words
ARRAY = re.compile(r"Unable to allocate ([\d.]+ \w+) for an array with shape \(([\d, ]+)\)")
BYTES = re.compile(r"\bsize (\d+) failed")
#: what to do where memory does not suffice
LESS = "use fewer samples or features, a graph of neighbours (--similarity knn), or fewer --jobs"
#: formats in which programs for single cells keep their tables
OF_CELLS = ("h5ad", "h5mu", "loom", "10x")


@dataclass(frozen=True)
class Run:
    """A table and the selector that was fitted to it: all that results are made of."""

    data: str
    label: str | None
    table: Table
    #: the numbers of the table, as the selector saw them
    X: Any
    selector: Any
    #: what was warned about
    notes: tuple[str, ...]
    #: -k
    count: Count
    uses_labels: bool = True
    #: --alpha
    alpha: float | None = None
    #: the name of the method
    method: str = ""
    #: the graph of the file
    graph: GivenGraph | None = None
    #: what is known of it, where it came from and how it was made
    graph_facts: dict[str, Any] = field(default_factory=dict)
    #: --similarity
    similarity: str | None = None
    #: --scale: the values are no longer those of the file
    changed: bool = False
    #: what fit was given beside X and y
    fit_parameters: dict[str, Any] = field(default_factory=dict)
    #: what was done with the values before the fit, in words
    scaling: str = ""
    #: what records the labels as a clustering of the table
    labels_known: str = ""
    #: --significance none: nobody wants to know why there are no p-values
    declined: bool = False
    #: the table with the samples that the fit left out, if it is another
    whole: Table | None = None

    @property
    def places(self) -> str | None:
        """Coordinates of the file that could have made the graph of rank or select, by which features can be tested."""
        graph_of_features = self.graph is None and not (self.label is not None and self.uses_labels)
        testable = METHODS[self.method].command is Command.RANK and self.table.X.shape[0] >= FEWEST_SAMPLES
        return "spatial" if graph_of_features and testable and "spatial" in self.table.coordinates else None


def load(path: str, reading: Reading, *, quiet: bool = True) -> Table:
    """Read and prepare the table as the options say; scale after missing values are filled."""
    from eigenselect.io.readers import read_table
    from eigenselect.io.table import labelled_only, scaled

    for option, given in (("--drop-unlabelled", reading.drop_unlabelled), ("--na-is-class", reading.na_is_class)):
        if given and not reading.has_labels:
            raise click.UsageError(f"{option} needs --label COLUMN or --labels FILE.")
    with memory_for(title_of(path), "leave columns out, or store it as a sparse matrix (npz, h5ad)"):
        with watched_reading(quiet=quiet):
            table = read_table(path, **reading.arguments())
        table = labelled_only(table, title_of(path)) if reading.drop_unlabelled else table
        return scaled(table, reading.scale)


def fit_ranking(
    data: str,
    reading: Reading,
    ranking: Ranking,
    testing: Testing,
    count: Count,
    *,
    quiet: bool,
    shows_evidence: bool = True,
    check: Callable[[Table], object] | None = None,
) -> Run:
    """Read a table and fit the method that the options name, or the one that suits the table.

    What the options and the labels do not allow is refused before the fit.

    Parameters
    ----------
    data : str
        A file, or ``-``.
    reading, ranking, testing
        Groups of options.
    count : int, float, "auto", "fdr" or None
        Features to select: -k.
    quiet : bool
        Whether no progress is shown.
    shows_evidence : bool
        Whether p-values are shown where they cost little; else they are made only if they decide how many are kept.
    check : callable, optional
        Refuses a table before the fit.
    """
    graph = reading.graph
    table = load(data, reading, quiet=quiet)
    if check is not None:
        check(table)
    similarity = ranking.similarity
    table, facts = _with_graph(table, reading, ranking)
    if reading.obsm is not None:
        ranking = replace(ranking, similarity=None)  # the graph is made
    whole = table
    if ranking.name is None:
        table = _for_default_method(data, table, count, tested=asks(testing, count))
    row = METHODS[ranking.name or _default_method(table, count, tested=asks(testing, count))]
    reading = replace(reading, drop_unlabelled=reading.drop_unlabelled or table.X.shape[0] < whole.X.shape[0])
    parameters = selector_parameters(row, ranking, labelled=table.y is not None, graph=graph)
    uses_labels = check_labels(data, table, row, parameters)
    check_count(count, len(table.feature_names))
    selector = row.selector_class()(count, **parameters)
    if graph is not None:
        check_takes_graph(selector, row, graph)
    ask_how_sure(selector, row, table, testing, count, graph=graph, shown=shows_evidence)
    X = table.matrix()
    if doubt := _raw_counts(data, table, reading):
        table = replace(table, notes=(*table.notes, doubt))
    notes = fit_watched(row.name, table, lambda: _fit(selector, X, table, graph), quiet=quiet)
    known = labels_known(table) if uses_labels else None
    if known is not None:
        notes += label_notes(table, selector, known, dropped=reading.drop_unlabelled)
    return Run(
        data,
        table.label_name,
        table,
        X,
        selector,
        notes,
        count,
        uses_labels,
        testing.alpha,
        method=row.name,
        graph=graph,
        graph_facts=facts,
        similarity=similarity,
        changed=reading.changes_values,
        fit_parameters=table.context(),
        scaling=reading.preparation,
        labels_known="" if known is None or known.elsewhere else known.why,
        declined=testing.significance == NONE,
        whole=whole,
    )


def _with_graph(table: Table, reading: Reading, ranking: Ranking) -> tuple[Table, dict[str, Any]]:
    """Make the graph of the file's coordinates, if there is to be one; say what is known of the graph of the file."""
    facts: dict[str, Any] = {} if reading.graph is None else {"made_of": reading.graph.in_words}
    if reading.obsm is None:
        return table, facts
    similarity = ranking.similarity
    recipe = None if similarity is None else similarity_of(similarity)
    built, doubts = graph_of_places(table, reading.obsm, recipe, similarity, ranking.jobs)
    table = replace(table, graph=built.affinity, notes=(*table.notes, *doubts))
    return table, {**built.description, **facts}


def _fit(selector: Any, X: Any, table: Table, graph: GivenGraph | None) -> None:
    """Fit; what is wrong with a graph of the file is said of that."""
    try:
        selector.fit(X, table.y, **table.context())
    except ValueError as error:
        if graph is None or "similarity_matrix" not in str(error):
            raise
        raise InputError(str(error).replace("similarity_matrix", str(graph))) from None


def fit_watched(name: str, table: Table, fit: Callable[[], object], *, quiet: bool) -> tuple[str, ...]:
    """Fit with a progress line, and return the notes on the table and what the fit warned about.

    What ``-k auto`` came to is said in words of the command, by `say_how_many`.
    """
    with warnings.catch_warnings(record=True) as caught, room_for(name, table), watched_fit(quiet=quiet):
        warnings.simplefilter("always")
        fit()
    told = (warning for warning in caught if not issubclass(warning.category, KneeWarning))
    return (*table.notes, *(str(warning.message) for warning in told))


def selector_parameters(
    row: Method, ranking: Ranking, *, labelled: bool, graph: GivenGraph | None = None
) -> dict[str, Any]:
    """Make constructor arguments of the options; refuse those that the method does not have.

    Parameters
    ----------
    row : Method
        Of the table of methods, which says what options it has and with which arguments it is made.
    ranking : Ranking
    labelled : bool
        Whether there are labels.
    graph : GivenGraph, optional
        The graph of the file that takes the place of a similarity.

    Examples
    --------
    >>> selector_parameters(METHODS["fisher"], Ranking("fisher"), labelled=False)
    Traceback (most recent call last):
    ...
    click.exceptions.UsageError: the method fisher needs --label COLUMN or --labels FILE.
    """
    if row.labels is Labels.NEEDED and not labelled:
        raise click.UsageError(f"the method {row.name} needs --label COLUMN or --labels FILE.")
    given: dict[Option, Any] = {
        Option.SIMILARITY: _similarity(ranking, labelled=labelled, graph=graph),
        Option.POWER: None if ranking.power == 1.0 else ranking.power,
        Option.CLUSTERS: ranking.clusters,
        Option.TARGET: ranking.target,
    }
    chosen = {option: value for option, value in given.items() if value is not None}
    for option in chosen:
        if option not in row.options:
            raise click.UsageError(_does_not_apply(option, row))
    parameters = {option.parameter: value for option, value in chosen.items()}
    own = {} if graph is not None or ranking.similarity is not None else _own(row, ranking.target, labelled=labelled)
    return {**row.parameters, **own, **parameters, "n_jobs": ranking.jobs, "random_state": ranking.seed}


def _own(row: Method, target: str | None, *, labelled: bool) -> dict[str, Any]:
    """Return the similarity, or the target, that a method takes for such data without --similarity."""
    together = row.default_for.get(Default.CLASSES_TOGETHER if labelled else Default.UNLABELLED_TOGETHER, {})
    if together and target in (None, together.get("target", "similarity")):
        return together
    by_labels = labelled and row.similarity_with_labels and target in (None, "similarity")
    return {"similarity": row.similarity_with_labels} if by_labels else {}


def _similarity(ranking: Ranking, *, labelled: bool, graph: GivenGraph | None) -> Any:
    """Read --similarity; None without it."""
    from eigenselect.similarity import made_of_labels

    text = ranking.similarity
    if ranking.target not in (None, "similarity") and (named := graph or (text and f"--similarity {text}")):
        raise click.UsageError(f"--target {ranking.target} takes no sample graph; leave out {named}.")
    if graph is not None:
        if text is not None:
            raise click.UsageError(f"--similarity {text} and {graph} are two sample graphs; name one of them.")
        return None
    if text is None:
        return None
    similarity = similarity_of(text)
    if made_of_labels(similarity) and not labelled:
        raise click.UsageError(f"--similarity {text} needs --label COLUMN or --labels FILE.")
    return similarity


def check_takes_graph(selector: Any, row: Method, graph: GivenGraph) -> None:
    """Refuse a graph of the file for a method that makes its own, and say which do not."""
    if _takes_graph(selector, row):
        return
    others = [other for other in METHODS if other.command is row.command]
    names = ", ".join(o.name for o in others if _takes_graph(o.selector_class()(**o.parameters), o))
    raise click.UsageError(
        f"{graph}: the method {row.name} cannot rank on a given graph; use --method with one that can: {names}."
    )


def _takes_graph(selector: Any, row: Method) -> bool:
    """Whether a graph can take the place of what a method makes its own of; of labels it cannot."""
    return row.labels is not Labels.NEEDED and bool(selector.takes_similarity_matrix)


def _does_not_apply(option: Option, row: Method) -> str:
    """Say that a method does not have an option, and which others do, those of its class first."""
    kin = [other.name for other in METHODS if other.selector == row.selector and option in other.options]
    if kin:
        return f"--{option} applies to the method {', '.join(kin)}."
    names = ", ".join(other.name for other in METHODS if other.command is row.command and option in other.options)
    return (
        f"--{option} does not apply to the method {row.name}; "
        f"leave it out, or use --method with one that takes it: {names}."
    )


def similarity_of(text: str, option: str = "--similarity") -> Any:
    """Read a similarity: a name, or an object where options are given."""
    from eigenselect.similarity import similarity_from_text

    try:
        return similarity_from_text(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {text}: {error}") from None


def _for_default_method(data: str, table: Table, count: Count, *, tested: bool) -> Table:
    """Leave out samples without a label, and say so; say if p-values decide the method."""
    from eigenselect.io.table import labelled_only

    if table.graph is not None:
        return table
    if 0 < table.n_unlabelled < table.X.shape[0]:
        table = labelled_only(table, title_of(data))
        other = f"; --method {METHODS.default(Default.LABELS_AND_GRAPH)} would use all samples"
        return replace(table, notes=(*table.notes[:-1], table.notes[-1] + ("" if numbers_seen(table) else other)))
    if table.y is not None or not tested or not (isinstance(count, int) or count == FDR):
        return table
    single, together = METHODS.default(Default.UNLABELLED), METHODS.default(Default.UNLABELLED_TOGETHER)
    said = f"{single} ranks, which has p-values; {together}, which chooses -k N features together, has none"
    return replace(table, notes=(*table.notes, said))


def _default_method(table: Table, count: Count, *, tested: bool) -> str:
    """Name the method that is recommended for such labels.

    Without any, N features are chosen together, while an order of all, or p-values, need single scores.
    docs/choosing.md has the measurements behind it. On a graph of the file each feature is scored by itself; with
    labels, the method is one that takes both.
    """
    if table.graph is not None:
        return METHODS.default(Default.UNLABELLED if table.y is None else Default.LABELS_AND_GRAPH)
    if table.y is None:
        together = isinstance(count, int) and count < table.X.shape[0] <= MOST_TOGETHER and not tested
        return METHODS.default(Default.UNLABELLED_TOGETHER if together else Default.UNLABELLED)
    return METHODS.default(Default.NUMBERS if numbers_seen(table) else Default.CLASSES)


def _raw_counts(data: str, table: Table, reading: Reading) -> str:
    """Say that a table of cells holds raw counts, as `eigenselect.pp` says it; empty where it does not."""
    from eigenselect.io.readers import kind_of
    from eigenselect.matrix import as_matrix
    from eigenselect.single_cell.counts import said_of_raw_counts

    if reading.scale != "none" or kind_of(data, reading.file_format) not in OF_CELLS:
        return ""
    name = f"the layer {reading.layer!r}" if reading.layer else "raw" if reading.raw else "X"
    return said_of_raw_counts(as_matrix(table.X), name)


def check_count(count: Count, n_features: int) -> None:
    """Refuse -k beyond the table, in words of the command; fractions and 'auto' fit every table."""
    if isinstance(count, int) and count > n_features:
        raise InputError(
            f"-k {count}: the table has {counted(n_features, 'feature')} to rank; ask for at most as many."
        )


def title_of(path: str) -> str:
    """Name the data: their file, without its folder.

    >>> title_of("data/wine.csv"), title_of("-")
    ('wine.csv', 'standard input')
    """
    from pathlib import Path

    return "standard input" if path == "-" else Path(path).name


def fitted_of(run: Run, seed: int = 0) -> Fitted:
    """Return the selector with its data, as reports take them."""
    from eigenselect._labels import label_array
    from eigenselect.reporting import Fitted

    table = run.table
    return Fitted(
        run.selector,
        run.X,
        table.y,
        table.feature_names,
        table.sample_names,
        random_state=seed,
        target=None if table.y is None else label_array(table.y, "report"),
        fit_parameters=run.fit_parameters,
        coordinates=table.coordinates,
        graph_facts=run.graph_facts,
        labels_known=run.labels_known,
    )


def summary_of(run: Run, fitted: Fitted) -> RankingSummary:
    """Summarise what a fitted selector found."""
    from eigenselect.reporting import summarise

    kept = None if run.count is None else int(run.selector.n_features_)
    return summarise(
        fitted,
        data=run.data,
        title=title_of(run.data),
        label=run.label,
        kept=kept,
        alpha=run.alpha,
        notes=run.notes,
    )


def deliver_run(run: Run, seed: int, output: ScoreOutput, inputs: list[str]) -> None:
    """Say what was done on stderr; write the ranking to files or print it.

    The views (projections of samples and the like) and the refits take time, and are made only for a page.
    """
    from eigenselect.reporting import Report, add_answer, add_paper, add_views

    fitted = fitted_of(run, seed)
    summary = summary_of(run, fitted)
    if not output.quiet:
        say_what_was_done(
            summary, uses_labels=run.uses_labels, graph=run.graph, untested=not run.declined, places=run.places
        )
        say_how_many(run.count, summary)
    if output.report:
        with room_for("the page", run.table):
            summary = add_answer(evaluated(add_views(summary, fitted), fitted, output), fitted)
    if output.tells_all:
        summary = add_paper(summary, fitted, provenance_of(run, seed, inputs))
    made = {H5AD: lambda target: write_scores(target, run)}
    columns = ranking_columns(summary)
    text = partial(ranking_text, native=output.native)
    deliver(Report(summary), summary["features"], output, text, columns, made)


def evaluated(summary: RankingSummary, fitted: Fitted, output: ScoreOutput) -> RankingSummary:
    """Add what refits say, with a progress line, unless --no-evaluation."""
    from eigenselect.reporting import add_evaluation

    if output.no_evaluation:
        return {**summary, "evaluation": None}
    with progress_line("fitting again", quiet=output.quiet) as line:
        return add_evaluation(summary, fitted, progress=line.part(1))


def provenance_of(run: Run, seed: int, inputs: list[str]) -> Provenance:
    """Return what a paper needs to make the run again."""
    from eigenselect.cli.group import typed_command
    from eigenselect.reporting import Provenance

    files = () if run.data == "-" else tuple(inputs)
    return Provenance(command=typed_command(), seed=str(seed), files=files, scaling=run.scaling)


@contextmanager
def memory_for(work: str, instead: str) -> Iterator[None]:
    """Within, tell a lack of memory as one of this work, with what to do ``instead``.

    >>> with memory_for("wine.csv", "leave columns out"):
    ...     raise MemoryError
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.ShortageError: wine.csv: there is not enough memory; leave columns out.
    """
    try:
        yield
    except ShortageError:
        raise
    except MemoryError as error:
        raise ShortageError(f"{work}: {shortage(error)}; {instead}.") from error


def room_for(name: str, table: Table, instead: str = LESS) -> AbstractContextManager[None]:
    """Within, tell a lack of memory as one of this method on this table, with what to do ``instead``."""
    n_samples, n_features = table.X.shape
    return memory_for(f"{name} of {n_samples} samples x {n_features} features", instead)


def shortage(error: MemoryError) -> str:
    """Say how much memory was needed, where it is known.

    >>> shortage(MemoryError("Unable to allocate 74.5 GiB for an array with shape (100000, 100000) and data type f8"))
    'there is not enough memory, 100000 x 100000 numbers would take 74.5 GiB'
    """
    text = " ".join(str(error).split())
    array, block = ARRAY.search(text), BYTES.search(text)
    if array:
        sizes = [size.strip() for size in array[2].split(",") if size.strip()]
        return f"there is not enough memory, {' x '.join(sizes)} numbers would take {array[1]}"
    if block:
        return f"there is not enough memory, {int(block[1]) / 2**30:.3g} GiB would be needed at once"
    return text.rstrip(".") or "there is not enough memory"
