"""``eigenselect fuse``: rank the features of a table with what other sources know."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.choices import Named, unknown_name
from eigenselect.cli.data import check_classes, data_options, load
from eigenselect.cli.output import check_count, check_output, count_option, output_options
from eigenselect.cli.progress import watched_fit
from eigenselect.cli.rank import SEED, deliver_fitted, room_for, similarity_of

if TYPE_CHECKING:
    from eigenselect.io.table import Table

TARGET_SOURCE, LABEL_SOURCE = "target", "labels"
WEIGHT_RULES = {"equal": "equal", "learn": "discriminant", "discriminant": "discriminant", "alignment": "alignment"}
EXAMPLE = (
    "Example: eigenselect fuse mrna.csv --samples id --auxiliary mirna=mirna.csv --gene-set "
    "cell_cycle=hallmark.gmt:HALLMARK_E2F_TARGETS --label type --weights learn -k 20"
)


def _named(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """NAME=FILE, or NAME=SIMILARITY."""
    pairs = []
    for value in values:
        name, separator, given = value.partition("=")
        if not (name and separator and given):
            raise click.BadParameter(f"{value!r} is not {parameter.metavar}.")
        pairs.append((name, given))
    return pairs


@click.command(epilog=EXAMPLE)
@click.argument("target")
@data_options
@click.option(
    "--auxiliary", metavar="NAME=FILE", multiple=True, callback=_named, help="Other measurements of the same samples."
)
@click.option(
    "--gene-set",
    metavar="NAME=FILE.gmt:SET",
    multiple=True,
    callback=_named,
    help="Features with a function of interest.",
)
@click.option(
    "--annotation",
    metavar="NAME=FILE",
    multiple=True,
    callback=_named,
    help="Terms of features: gmt, pairs or a table.",
)
@click.option(
    "--interactions", metavar="NAME=FILE", multiple=True, callback=_named, help="Pairs of features that interact."
)
@click.option(
    "--source-similarity",
    metavar="NAME=SIMILARITY",
    multiple=True,
    callback=_named,
    help="Sample graph of one source, such as mirna=knn:k=5 or target=rbf; may be repeated. "
    "[default: the source's own]",
)
@click.option("--with-labels", is_flag=True, help="Take the labels as one more source, called labels.")
@click.option("--without-target", is_flag=True, help="Do not take the target itself as a source, called target.")
@click.option(
    "--weights",
    default="equal",
    show_default=True,
    metavar="equal|learn|alignment|NAME=W,…",
    help="Weight of each source; learn and alignment take them from the labels.",
)
@click.option("--ranking", type=Named(["phi1", "phi2", "phi3"]), default="phi2", show_default=True)
@count_option
@click.option("--jobs", type=int, help="Threads. [default: all cores]")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Start of the eigensolver.")
@output_options
def fuse(target: str, **options: Any) -> None:
    """Rank the features of TARGET on a sample graph that several sources make together.

    Samples (--samples; the first column of other tables) and features are matched by name; what a source does not know
    is counted on stderr.
    """
    check_output(options, _inputs(target, options))
    weights = _weights(options["weights"])
    table, selector, notes = _fit(target, options, weights)
    deliver_fitted(target, table, selector, notes, options)


def _inputs(target: str, options: dict[str, Any]) -> list[str]:
    """All files that are read."""
    tables = [file for option in ("auxiliary", "annotation", "interactions") for _, file in options[option]]
    return [target, *tables, *(_gene_set(spec)[0] for _, spec in options["gene_set"])]


def _fit(path: str, options: dict[str, Any], weights: Any) -> tuple[Table, Any, list[str]]:
    """The table, the fitted selector, and what was warned about."""
    import pandas as pd

    from eigenselect import MSFS

    table = load(path, options)
    check_count(options["count"], len(table.feature_names))
    sources = _sources(options, named=table.sample_names is not None)
    selector = MSFS(
        options["count"],
        sources=sources,
        weights=weights,
        ranking=options["ranking"],
        n_jobs=options["jobs"],
        random_state=options["seed"],
    )
    uses_labels = options["with_labels"] or weights in ("discriminant", "alignment")
    if uses_labels:
        check_classes(path, table, options["label"], "the sources are weighed by them")
    labels = None if table.y is None else pd.Series(table.y).to_numpy()
    with warnings.catch_warnings(record=True) as caught, watched_fit(quiet=options["quiet"]), room_for("msfs", table):
        warnings.simplefilter("always")
        selector.fit(table.X, labels, sample_names=table.sample_names, feature_names=table.feature_names)
    notes = [*table.notes, *(str(warning.message) for warning in caught)]
    if options["label"] and not uses_labels:
        notes.append(f"{options['label']!r} is left out and not used; --with-labels or --weights learn would use it")
    if options["auxiliary"] and table.sample_names is None:
        notes.append("samples are matched with other tables by their place; --samples COLUMN would match them by name")
    return table, selector, notes


def _sources(options: dict[str, Any], *, named: bool) -> list[tuple[str, Any]]:
    """All sources in the order target, auxiliary, gene sets, annotations, interactions, labels."""
    from eigenselect import multisource as ms

    if options["with_labels"] and not options["label"]:
        raise click.UsageError("--with-labels needs --label COLUMN.")
    sources: list[tuple[str, Any]] = [] if options["without_target"] else [(TARGET_SOURCE, ms.TargetData())]
    sources += [(n, ms.AuxiliaryData(ms.read_auxiliary(file, names=named))) for n, file in options["auxiliary"]]
    sources += [(n, ms.FeatureSet(_members(spec))) for n, spec in options["gene_set"]]
    for name, file in options["annotation"]:
        matrix, features, _ = ms.read_annotations(file)
        sources.append((name, ms.FeatureSimilarity(matrix, feature_names=features, annotation=True)))
    sources += [(n, ms.FeatureInteractions(ms.read_interactions(file))) for n, file in options["interactions"]]
    if options["with_labels"]:
        sources.append((LABEL_SOURCE, ms.SampleCategories()))
    if not sources:
        raise click.UsageError("no source is left; name one, or leave out --without-target.")
    for name, text in options["source_similarity"]:
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
    """The set of FILE.gmt:SET; near names are offered."""
    from eigenselect.io.errors import find_name
    from eigenselect.multisource import read_gene_sets

    path, name = _gene_set(spec)
    sets = read_gene_sets(path)
    return sets[find_name(name, list(sets), path, "set")]


def _gene_set(spec: str) -> tuple[str, str]:
    """The file and the set of FILE.gmt:SET."""
    path, separator, name = spec.partition(".gmt:")  # set names may hold colons, as GO:0006915
    path += ".gmt"
    if not separator:
        path, separator, name = spec.rpartition(":")
    if not separator:
        raise click.UsageError(f"--gene-set {spec}: name the set after a colon, FILE.gmt:SET.")
    return path, name


def _weights(text: str) -> Any:
    """A rule, or numbers by name."""
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
