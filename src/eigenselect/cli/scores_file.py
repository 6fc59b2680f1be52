"""Write scores of features into ``var`` of an h5ad file, under the names that `eigenselect.pp` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eigenselect.cli.output import ending_of

if TYPE_CHECKING:
    import pandas as pd

    from eigenselect.cli.options import Output
    from eigenselect.cli.run import Run
    from eigenselect.io.table import Table

#: the format, and the start of the names of all that is written
H5AD, KEY = "h5ad", "spectral"


def check_scores_file(output: Output, table: Table) -> None:
    """Refuse before the fit what could not be written after it."""
    if output.output is None or ending_of(output.output) != H5AD:
        return
    from eigenselect.io.table_files import check_can_write

    check_can_write(output.output, H5AD, table.label_name)
    origin = table.origin
    if origin is not None and origin.kind == H5AD:
        from eigenselect.io.h5ad_write import check_free
        from eigenselect.single_cell.record import MARK

        check_free(origin.path, origin.wanted, KEY, MARK)


def write_scores(target: str, run: Run) -> None:
    """Write a copy of the file that the table was read from with the scores in it, or a new file of the table.

    Columns are those of `eigenselect.pp.spectral_features`; variables that were not ranked have NaN. The copy has all
    else as it is stored.

    Parameters
    ----------
    target : str
    run : Run
    """
    from eigenselect.io.h5ad_write import places_in_file, variable_names, write_marked, write_new
    from eigenselect.single_cell.record import record_of

    rule, chosen = _chosen(run)
    columns = _columns(run, chosen)
    record = record_of(_parameters(run), rule, int(chosen.sum()))
    table, origin = run.table, run.table.origin
    if origin is None or origin.kind != H5AD:
        write_new(target, table, table.label_name or "label", _arrays(columns), {KEY: record})
        return
    origin.check()
    n_variables = len(variable_names(origin.path, origin.wanted))
    places = places_in_file(origin, table.feature_names)
    spread = {name: _spread(values, places, n_variables) for name, values in _arrays(columns).items()}
    write_marked(origin.path, target, origin.wanted, spread, gone=_all_names(), record=record, key=KEY)


def _spread(values: Any, places: Any, n_variables: int) -> Any:
    """Put values into the places of all variables; those that were not ranked have NaN, or False.

    >>> import numpy as np
    >>> _spread(np.array([1, 2]), [0, 2], 3), _spread(np.array([True]), [1], 2)
    (array([ 1., nan,  2.]), array([False,  True]))
    """
    import numpy as np

    if len(values) == n_variables:
        return values
    truth = values.dtype.kind == "b"
    spread = np.zeros(n_variables, dtype=bool) if truth else np.full(n_variables, np.nan)
    spread[places] = values
    return spread


def _chosen(run: Run) -> tuple[Any, Any]:
    """Give the rule and the features that it flags: by -k, or as `eigenselect.pp` does without a number."""
    from eigenselect.reporting.significance import ALPHA
    from eigenselect.selection import rules
    from eigenselect.single_cell.spectral_features import N_TOP_GENES

    selector = run.selector
    if run.count is not None:
        return selector.selection_rule, selector.get_support()
    qvalues = getattr(selector, "qvalues_", None)
    if qvalues is not None:
        rate = ALPHA if run.alpha is None else run.alpha
        return rules.FDR(rate), qvalues <= rate
    count = min(N_TOP_GENES, selector.n_ordered_)
    return rules.TopK(max(1, count)), selector.ranking_ <= count


def _columns(run: Run, chosen: Any) -> pd.DataFrame:
    """Make the columns; how many samples have a value is known of values as they are stored only."""
    from eigenselect.matrix import as_matrix
    from eigenselect.single_cell.counts import expressed_or_nan
    from eigenselect.single_cell.record import columns_of
    from eigenselect.single_cell.scored import scored_by

    table = run.table
    expressed = expressed_or_nan(as_matrix(table.X))
    columns = columns_of(scored_by(run.method, run.selector), chosen, expressed, chosen, None, KEY)
    changed = run.changed or (table.origin is not None and not table.origin.as_stored)
    return columns.drop(columns=f"{KEY}_n_expressed") if changed else columns


def _arrays(columns: pd.DataFrame) -> dict[str, Any]:
    return {str(name): columns[name].to_numpy() for name in columns}


def _all_names() -> list[str]:
    """Name all columns that an earlier call may have written."""
    from eigenselect.single_cell.record import COLUMNS

    return [KEY, *(f"{KEY}_{end}" for end in COLUMNS)]


def _parameters(run: Run) -> dict[str, Any]:
    """Give what the record says of the call, by the names of `eigenselect.pp.spectral_features`."""
    wanted = None if run.table.origin is None else run.table.origin.wanted
    return {
        "method": run.method,
        "obsp": run.graph.name if run.graph is not None and run.graph.slot == "obsp" else None,
        "use_rep": run.graph.name if run.graph is not None and run.graph.slot == "obsm" else None,
        "similarity": run.similarity,
        "sample_graph": _graph_words(run),
        "label_key": run.label if run.uses_labels else None,
        "n_top_genes": run.count if isinstance(run.count, int) else None,
        "alpha": run.alpha,
        "layer": getattr(wanted, "layer", None),
        "use_raw": getattr(wanted, "raw", None) or None,
        "covariates": None if run.table.covariates is None else list(run.table.covariates.columns),
        "significance": _spelled(getattr(run.selector, "significance", None)),
    }


def _graph_words(run: Run) -> str | None:
    """Name the sample graph, with the numbers that were found; None where the method has none."""
    from eigenselect.reporting.papers.graph_words import graph_words

    graph = getattr(run.selector, "graph_", None)
    return None if graph is None else graph_words({**graph.describe(), **run.graph_facts})


def _spelled(significance: Any) -> str:
    """Name the way to p-values as `eigenselect.pp` does, for which labels are given as a graph is.

    >>> _spelled(True), _spelled("split"), _spelled(None)
    ('given', 'split', 'none')
    """
    return "given" if significance is True else significance or "none"
