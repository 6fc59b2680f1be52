"""How sure the scores are, for the command: which route to p-values suits the method and its graph."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import click

from eigenselect.cli.options import AUTO, FDR, Count, Testing
from eigenselect.criteria.methods import METHODS, Labels, Method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eigenselect.cli.reading import GivenGraph
    from eigenselect.io.table import Table
    from eigenselect.single_cell.provenance import Provenance

#: samples below which nothing can be tested
FEWEST_SAMPLES = 5
NONE = "none"


class Ground(StrEnum):
    """What a sample graph is made of."""

    FEATURES = "the table itself"
    LABELS = "labels"
    CLUSTERS = "labels that a clustering of the table made"
    SPACE = "places in a tissue"
    NEIGHBOURS = "neighbours in the table itself, as the file records them"
    UNKNOWN = "nobody says"


#: on graphs of these, p-values are honest as they are
ELSEWHERE = (Ground.LABELS, Ground.SPACE)
_IDLE_RATE = "--alpha compares q-values, and there are none; use -k fdr or --significance."


def asks(testing: Testing, count: Count) -> bool:
    """Whether the options ask for p-values or q-values by name.

    >>> asks(Testing(), 5), asks(Testing("split"), 5), asks(Testing(), "fdr")
    (False, True, True)
    """
    return testing.significance not in (None, NONE) or count == FDR


def ask_how_sure(
    selector: Any,
    row: Method,
    table: Table,
    testing: Testing,
    count: Count,
    *,
    graph: GivenGraph | None = None,
    shown: bool = True,
) -> None:
    """Set what a selector is asked: its route to p-values, and how many features that keeps.

    Where the features did not make the graph, p-values are honest and cheap, and made without being asked for if they
    are ``shown`` or decide how many features are kept. What the method or its graph does not allow is refused.

    Parameters
    ----------
    selector : Selector
    row : Method
    table : Table
    testing : Testing
    count : int, float, "auto", "fdr" or None
        What -k asked for.
    graph : GivenGraph, optional
        The graph of the file.
    shown : bool
    """
    ground = ground_of(selector, row, graph, table)
    route = testing.significance or NONE
    if asks(testing, count) and not selector.has_p_values:
        some = table.n_unlabelled > 0 and graph is None
        raise click.UsageError(no_p_values(_option(testing, count), row, some_labels=some, given=graph is not None))
    if testing.significance is None and ground in ELSEWHERE and selector.has_p_values:
        enough = table.X.shape[0] >= FEWEST_SAMPLES
        route = "true" if count == FDR or (enough and (shown or count == AUTO)) else NONE
    why = labels_known(table).why if ground is Ground.CLUSTERS else ""
    check_route(route, row, testing, count, ground=ground, graph=graph, why=why)
    set_route(selector, route, testing, count, given=graph is not None)
    if ground is Ground.NEIGHBOURS and graph is not None and route != NONE:
        selector.set_params(significance=_without_tested_columns(route, graph, table))


def ground_of(selector: Any, row: Method, graph: GivenGraph | None, table: Table) -> Ground:
    """Tell what a graph is made of; one of the file, and labels, by names and records, as `eigenselect.pp` does."""
    if graph is None:
        if not made_of_labels_alone(selector, row):
            return Ground.FEATURES
        return Ground.LABELS if labels_known(table).elsewhere else Ground.CLUSTERS
    from eigenselect.single_cell.provenance import coordinates_provenance, graph_provenance

    if graph.slot == "obsm":
        known = coordinates_provenance(graph.name, None, 0 if table.places is None else table.places.shape[1])
    else:
        known = graph_provenance(table.records, graph.name, None)
    return Ground.SPACE if known.elsewhere else Ground.NEIGHBOURS if known.recorded else Ground.UNKNOWN


def _without_tested_columns(route: str, graph: GivenGraph, table: Table) -> Any:
    """Make the route that finds neighbours again without the columns that it tests, by what the file records."""
    from eigenselect.inference import Shadows, Split
    from eigenselect.single_cell.provenance import graph_provenance, parameters_of, record_of_graph
    from eigenselect.single_cell.rebuilt_neighbors import rebuilt_route
    from eigenselect.single_cell.sample_graphs import CellStructure

    known, (_, record) = graph_provenance(table.records, graph.name, None), record_of_graph(table.records, graph.name)
    structure = CellStructure(graph.in_words, {}, known, parameters=parameters_of(record))
    tested = Split() if route == "split" else Shadows()
    return rebuilt_route(tested, structure, table.X.shape[1], None, f"--significance {route}")


def labels_known(table: Table) -> Provenance:
    """Tell whether the file records the labels as a clustering of its table, or as made of one."""
    import pandas as pd

    from eigenselect.single_cell.provenance import label_provenance

    name = str(table.label_name)
    labels = pd.Series(table.label_text).replace("", None)
    clusterings = pd.DataFrame() if table.clusterings is None else table.clusterings.reset_index(drop=True)
    return label_provenance(table.records, clusterings.assign(**{name: labels}), name, None)


def check_route(
    route: str,
    row: Method,
    testing: Testing,
    count: Count,
    *,
    ground: Ground,
    graph: GivenGraph | None = None,
    why: str = "",
) -> None:
    """Refuse a route that is not honest on the graph, and a rate that nothing is compared with.

    ``why`` says what is known of the labels.
    """
    if route == NONE and count == FDR:
        raise click.UsageError(
            "-k fdr needs q-values; leave out --significance none."
            if testing.significance is not None
            else f"-k fdr needs q-values; {graph} was built from these columns, so use --significance split."
            if ground is Ground.NEIGHBOURS
            else f"-k fdr needs q-values; nothing says how {graph} was built; if from these columns, leave it out and "
            "use --significance split, else --significance true."
            if ground is Ground.UNKNOWN
            else f"-k fdr needs q-values; {why}, on which noise looks significant, too; --significance true would say "
            "that these columns did not make it."
            if ground is Ground.CLUSTERS
            else f"-k fdr needs q-values; {row.name} ranks on a graph made of this table, for which --significance "
            "split or shadows gives them."
        )
    if route == NONE and testing.alpha is not None:
        raise click.UsageError(_IDLE_RATE)
    if route == "true" and ground in (Ground.FEATURES, Ground.NEIGHBOURS):
        raise click.UsageError(
            f"--significance true: {row.name} ranks on a graph built from this table, on which noise looks "
            "significant; use split or shadows."
        )
    if route not in (NONE, "true") and ground not in (Ground.FEATURES, Ground.NEIGHBOURS):
        raise click.UsageError(
            f"--significance {route} makes graphs of this table; leave out {graph}, or use true if these "
            "columns did not make that."
            if graph is not None
            else f"--significance {route} is for a graph made of this table, but labels make that of {row.name}; use "
            "true, or leave it out."
        )


def set_route(selector: Any, route: str, testing: Testing, count: Count, *, given: bool = False) -> None:
    """Set the parameters of a selector; a rate makes a rule of its own of ``fdr``, and of ``auto`` with q-values."""
    if route == NONE:
        if count == AUTO and selector.has_p_values:
            selector.set_params(significance=False)  # None would test where labels make the graph
        return
    selector.set_params(significance=route if route != "true" else "given" if given else True)
    if testing.alpha is not None and count in (AUTO, FDR):
        from eigenselect.selection import rules

        selector.set_params(n_features_to_select=rules.FDR(testing.alpha))


def ask_sources(selector: Any, sources: Sequence[tuple[str, Any]], testing: Testing, count: Count) -> None:
    """Set what a selector on several sources is asked; only the user knows where they come from, so nothing by default.

    Parameters
    ----------
    selector : MSFS
    sources : sequence of (str, Source)
    testing : Testing
    count : int, float, "auto", "fdr" or None
        What -k asked for.
    """
    from eigenselect.multisource import AuxiliaryData, SampleCategories

    route, outside = testing.significance or NONE, (AuxiliaryData, SampleCategories)
    own = [name for name, source in sources if not isinstance(source, outside)]
    if route not in (NONE, "true"):
        raise click.UsageError(
            f"--significance {route} makes graphs of parts of one table, not of several sources; use rank for it, or "
            "true where all sources come from elsewhere."
        )
    if route == NONE and count == FDR:
        raise click.UsageError("-k fdr needs q-values: --significance true, where all sources come from elsewhere.")
    if route == NONE and testing.alpha is not None:
        raise click.UsageError(_IDLE_RATE)
    if route == "true" and own:
        raise click.UsageError(
            f"--significance true: {'the source' if len(own) == 1 else 'the sources'} {', '.join(own)} "
            f"{'is' if len(own) == 1 else 'are'} made of these features, on which noise looks significant, too; leave "
            f"{'it' if len(own) == 1 else 'them'} out, or use rank --significance split."
        )
    set_route(selector, route, testing, count)


def no_p_values(option: str, row: Method, *, some_labels: bool = False, given: bool = False) -> str:
    """Say that a method has no p-values, and which have; where some labels are missing, first how to use the others.

    A method that makes its graph of labels has no use for one that is ``given``.

    >>> no_p_values("-k fdr", METHODS["relieff"]).split(":")[0]
    '-k fdr'
    """
    rows = [other for other in METHODS if other.p_value_rule and other.command is row.command]
    rows = [other for other in rows if not given or other.labels is not Labels.NEEDED]
    names = ", ".join(r.name for r in rows if r.selector_class()(**r.parameters).has_p_values)
    drop = "--drop-unlabelled to rank by the labelled samples alone, or " if some_labels else ""
    return f"{option}: the method {row.name} has no p-values; use {drop}--method with one that has: {names}."


def made_of_labels_alone(selector: Any, row: Method) -> bool:
    """Whether the graph did not see the features: it is that of the labels, or of a target."""
    from eigenselect.graph import Origin
    from eigenselect.similarity import as_similarity

    similarity = getattr(selector, "similarity", None)
    if similarity is None:
        return row.labels is Labels.NEEDED
    return as_similarity(similarity, sys.maxsize).origin is Origin.LABELS


def _option(testing: Testing, count: Count) -> str:
    return "-k fdr" if count == FDR else f"--significance {testing.significance}"
