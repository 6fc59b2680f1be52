"""``eigenselect fuse``: rank the features of a table with what other sources know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.labels import check_classes
from eigenselect.cli.options import (
    Count,
    Named,
    ScoreOutput,
    Testing,
    count_option,
    jobs_option,
    option_group,
    score_output_options,
    seed_option,
    testing_options,
    unknown_name,
)
from eigenselect.cli.output import SCORE_ENDINGS, check_output
from eigenselect.cli.reading import Reading, reading_options
from eigenselect.cli.run import Run, check_count, deliver_run, fit_watched, load, similarity_of
from eigenselect.cli.scores_file import check_scores_file
from eigenselect.cli.sections import command, titled
from eigenselect.cli.significance import NONE, ask_sources
from eigenselect.criteria.methods import METHODS, Command

if TYPE_CHECKING:
    from eigenselect.io.table import Table

TARGET_SOURCE, LABEL_SOURCE = "target", "labels"
WEIGHT_RULES = {"equal": "equal", "learn": "discriminant", "discriminant": "discriminant", "alignment": "alignment"}
EXAMPLE = (
    "Example: eigenselect fuse mrna.csv --samples id --auxiliary mirna=mirna.csv --gene-set "
    "cell_cycle=hallmark.gmt:HALLMARK_E2F_TARGETS --label type --weights learn -k 20"
)


def _read_pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Read NAME=FILE, or NAME=SIMILARITY."""
    pairs = []
    for value in values:
        name, separator, given = value.partition("=")
        if not (name and separator and given):
            raise click.BadParameter(f"{value!r} is not {parameter.metavar}.")
        pairs.append((name, given))
    return pairs


@dataclass(frozen=True)
class Knowledge:
    """The sources, and how they are joined.

    Sources are pairs of the name that people give them and a file; of a gene set, FILE.gmt:SET. ``weights`` and
    ``source_similarity`` are text that `_weights` and `similarity_of` read.
    """

    auxiliary: list[tuple[str, str]]
    gene_set: list[tuple[str, str]]
    annotation: list[tuple[str, str]]
    interactions: list[tuple[str, str]]
    source_similarity: list[tuple[str, str]]
    with_labels: bool
    without_target: bool
    weights: str
    ranking: str

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        tables = [file for named in (self.auxiliary, self.annotation, self.interactions) for _, file in named]
        return [*tables, *(_gene_set(spec)[0] for _, spec in self.gene_set)]


def _source_option(name: str, metavar: str, text: str) -> Any:
    return click.option(name, metavar=metavar, multiple=True, callback=_read_pairs, help=text)


knowledge_options = option_group(
    "knowledge",
    Knowledge,
    *titled(
        "Sources",
        _source_option("--auxiliary", "NAME=FILE", "Other measurements of the same samples."),
        _source_option("--gene-set", "NAME=FILE.gmt:SET", "Features with a function of interest."),
        _source_option("--annotation", "NAME=FILE", "Terms of features: gmt, pairs or a table."),
        _source_option("--interactions", "NAME=FILE", "Pairs of features that interact."),
        _source_option(
            "--source-similarity",
            "NAME=SIMILARITY",
            "Sample graph of one source, such as mirna=knn:k=5 or target=rbf; may be repeated. "
            "[default: the source's own]",
        ),
        click.option("--with-labels", is_flag=True, help="Take the labels as one more source, called labels."),
        click.option(
            "--without-target", is_flag=True, help="Do not take the target itself as a source, called target."
        ),
        click.option(
            "--weights",
            default="equal",
            show_default=True,
            metavar="equal|learn|alignment|NAME=W,…",
            help="Weight of each source; learn and alignment take them from the labels.",
        ),
        click.option(
            "--ranking",
            type=Named(["phi1", "phi2", "phi3"]),
            default="phi2",
            show_default=True,
            help="Score of a feature on the joint graph, see `eigenselect methods`.",
        ),
    ),
)


@command(epilog=EXAMPLE)
@click.argument("target")
@reading_options
@knowledge_options
@count_option
@testing_options
@jobs_option
@seed_option
@score_output_options
def fuse(
    target: str,
    reading: Reading,
    knowledge: Knowledge,
    count: Count,
    testing: Testing,
    jobs: int | None,
    seed: int,
    output: ScoreOutput,
) -> None:
    """Rank the features of TARGET on a sample graph that several sources make together.

    Samples (--samples; the first column of other tables) and features are matched by name; what a source does not know
    is counted on stderr.
    """
    inputs = [*reading.files(target), *knowledge.files]
    check_output(output, inputs, SCORE_ENDINGS)
    weights = _weights(knowledge.weights)
    if reading.graph:
        raise click.UsageError(f"fuse joins the graphs of its sources; --{reading.graph.slot} is for rank and select.")
    table = load(target, reading, quiet=output.quiet)
    check_scores_file(output, table)
    check_count(count, len(table.feature_names))
    sources = _sources(knowledge, label=table.label_name, named=table.sample_names is not None)
    uses_labels = knowledge.with_labels or weights in ("discriminant", "alignment")
    if uses_labels:
        check_classes(target, table, table.label_name, "the sources are weighed by them")
    row = METHODS[METHODS.names(Command.FUSE)[0]]
    shared = {"ranking": knowledge.ranking, "n_jobs": jobs, "random_state": seed}
    selector = row.selector_class()(count, sources=sources, weights=weights, **shared)
    ask_sources(selector, sources, testing, count)
    given = {"sample_names": table.sample_names, "feature_names": table.feature_names, **table.context()}
    notes = fit_watched(row.name, table, lambda: _fit(selector, table, given), quiet=output.quiet)
    notes += _remarks(knowledge, table, uses_labels=uses_labels)
    run = Run(
        target,
        table.label_name,
        table,
        table.X,
        selector,
        notes,
        count,
        alpha=testing.alpha,
        method=row.name,
        changed=reading.changes_values,
        fit_parameters=given,
        scaling=reading.preparation,
        declined=testing.significance == NONE,
    )
    deliver_run(run, seed, output, inputs)


def _fit(selector: Any, table: Table, given: dict[str, Any]) -> None:
    import pandas as pd

    labels = None if table.y is None else pd.Series(table.y).to_numpy()
    selector.fit(table.X, labels, **given)


def _remarks(knowledge: Knowledge, table: Table, *, uses_labels: bool) -> tuple[str, ...]:
    """Say which columns the options leave unused."""
    remarks = []
    if table.label_name and not uses_labels:
        remarks.append(f"{table.label_name!r} is left out and not used; --with-labels or --weights learn would use it")
    if knowledge.auxiliary and table.sample_names is None:
        remarks.append(
            "samples are matched with other tables by their place; --samples COLUMN would match them by name"
        )
    return tuple(remarks)


def _sources(knowledge: Knowledge, *, label: str | None, named: bool) -> list[tuple[str, Any]]:
    """Make all sources, in the order target, auxiliary, gene sets, annotations, interactions, labels."""
    from eigenselect import multisource as ms

    if knowledge.with_labels and not label:
        raise click.UsageError("--with-labels needs --label COLUMN or --labels FILE.")
    sources: list[tuple[str, Any]] = [] if knowledge.without_target else [(TARGET_SOURCE, ms.TargetData())]
    sources += [(n, ms.AuxiliaryData(ms.read_auxiliary(file, names=named))) for n, file in knowledge.auxiliary]
    sources += [(n, ms.FeatureSet(_members(spec))) for n, spec in knowledge.gene_set]
    for name, file in knowledge.annotation:
        matrix, features, _ = ms.read_annotations(file)
        sources.append((name, ms.FeatureSimilarity(matrix, feature_names=features, annotation=True)))
    sources += [(n, ms.FeatureInteractions(ms.read_interactions(file))) for n, file in knowledge.interactions]
    if knowledge.with_labels:
        sources.append((LABEL_SOURCE, ms.SampleCategories()))
    if not sources:
        raise click.UsageError("no source is left; name one, or leave out --without-target.")
    for name, text in knowledge.source_similarity:
        if name not in dict(sources):
            raise click.UsageError(f"--source-similarity {name}={text}: {unknown_name(name, dict(sources))}")
        _set_similarity(name, dict(sources)[name], text)
    return sources


def _set_similarity(name: str, source: Any, text: str) -> None:
    """Give a source its similarity; labels have none to choose."""
    from eigenselect.similarity import made_of_labels

    option = "--source-similarity"
    similarity, known = similarity_of(text, f"{option} {name}="), source.get_params(deep=False)
    if made_of_labels(similarity):
        raise click.UsageError(f"{option} {name}={text}: is made of labels; --with-labels takes them as a source.")
    if "similarity" not in known:
        raise click.UsageError(f"{option} {name}={text}: labels are alike within their class, there is no choice.")
    source.set_params(similarity=similarity)


def _members(spec: str) -> list[str]:
    """Read the set of FILE.gmt:SET; offer near names."""
    from eigenselect.io.errors import find_name
    from eigenselect.multisource import read_gene_sets

    path, name = _gene_set(spec)
    sets = read_gene_sets(path)
    return sets[find_name(name, list(sets), path, "set")]


def _gene_set(spec: str) -> tuple[str, str]:
    """Split FILE.gmt:SET into the file and the set, which may hold colons; other endings at the last colon.

    >>> _gene_set("go.gmt:GO:0006915"), _gene_set("sets.txt:cycle")
    (('go.gmt', 'GO:0006915'), ('sets.txt', 'cycle'))
    """
    path, separator, name = spec.partition(".gmt:")  # set names may hold colons, as GO:0006915
    path += ".gmt"
    if not separator:
        path, separator, name = spec.rpartition(":")
    if not separator:
        raise click.UsageError(f"--gene-set {spec}: name the set after a colon, FILE.gmt:SET.")
    return path, name


def _weights(text: str) -> Any:
    """Read --weights: a rule, or numbers by name; a name may hold "=".

    >>> _weights("learn"), _weights("target=1,mirna=0.5")
    ('discriminant', {'target': 1.0, 'mirna': 0.5})
    """
    if text in WEIGHT_RULES:
        return WEIGHT_RULES[text]
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, separator, number = part.strip().rpartition("=")
        if name in weights:
            raise click.UsageError(f"--weights {text}: {name} is named twice.")
        try:
            weights[name] = float(number)
        except ValueError:
            separator = ""
        if not (separator and name):
            raise click.UsageError(f"--weights {text}: {unknown_name(part, [*WEIGHT_RULES, 'NAME=NUMBER'])}")
    return weights
