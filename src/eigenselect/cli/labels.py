"""Labels that the command was given: refused where the method cannot use them, and what is to be said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eigenselect.criteria.methods import METHODS, Default, Labels, Method, Target
from eigenselect.exceptions import InputError, agreeing, counted, shown

if TYPE_CHECKING:
    from eigenselect.io.table import Table
    from eigenselect.single_cell.provenance import Provenance


def check_labels(data: str, table: Table, row: Method, parameters: dict[str, Any]) -> bool:
    """Refuse labels that the method cannot use; return whether it uses any."""
    from eigenselect.similarity import made_of_labels

    label = table.label_name
    by_labels = "similarity" in parameters and made_of_labels(parameters["similarity"])
    needs_all = row.labels is Labels.NEEDED or by_labels or parameters.get("target") in ("lda", "svm")
    if needs_all and table.n_unlabelled:
        some = f", or use --method {METHODS.default(Default.LABELS_AND_GRAPH)}, which takes some"
        raise InputError(
            f"{data}: {row.name} needs all labels, but {counted(table.n_unlabelled, 'sample')} "
            f"{agreeing(table.n_unlabelled, '[has|have]')} none in {label!r}; use --drop-unlabelled to leave those "
            f"out{'' if numbers_seen(table) else some}."
        )
    if needs_all and table.y is not None and len(set(table.y)) == 1 and not numbers_seen(table):
        raise InputError(
            f"{data}: the label column {label!r} has one class, {shown(table.y[0])}, and nothing to tell it apart "
            "from; name another column, or rank without labels (--ignore in place of --label)."
        )
    if (needs_all or row.labels is Labels.SOME) and Target.NUMBERS not in row.targets:
        check_classes(data, table, label, f"{row.name} tells them apart")
    return needs_all or row.labels not in (Labels.NONE, Labels.BY_SIMILARITY, Labels.BY_TARGET)


def label_notes(table: Table, selector: Any, known: Provenance, *, dropped: bool) -> tuple[str, ...]:
    """Say what is doubtful about labels that were used.

    ``known`` is what the file tells of them; ``dropped``: samples without a label were left out.
    """
    return (*_minus_one_notes(table, selector, dropped=dropped), *_cluster_notes(table, selector, known))


def _minus_one_notes(table: Table, selector: Any, *, dropped: bool) -> tuple[str, ...]:
    """Say what labels of -1 were taken for where they could be a class or mean that there is no label."""
    from eigenselect.io.table import minus_ones

    number = int(minus_ones(table).sum())
    if number and selector.uses_unlabelled_samples:
        return (agreeing(number, f"{number} sample[|s] [has|have] no label (-1)"),)
    some = (
        f", and --method {METHODS.default(Default.LABELS_AND_GRAPH)} uses {agreeing(number, '[it|them]')} as unlabelled"
    )
    return minus_one_class(table, dropped=dropped, instead=some)


def minus_one_class(table: Table, *, dropped: bool, instead: str = "") -> tuple[str, ...]:
    """Say that -1 is a class, and what to do where it means that there is no label: drop it, or ``instead``."""
    from eigenselect.io.table import minus_ones

    number = int(minus_ones(table).sum())
    if not number:
        return ()
    leave_out = f"--drop-unlabelled leaves {agreeing(number, '[it|them]')} out{instead}"
    is_class = f"-1 in {table.label_name!r} is taken for a class ({counted(number, 'sample')})"
    return (f"{is_class}; where it means that there is no label, {'leave the label empty' if dropped else leave_out}",)


def _cluster_notes(table: Table, selector: Any, known: Provenance) -> tuple[str, ...]:
    """Doubt p-values by labels that are called or recorded like a clustering, which these columns may have made."""
    from eigenselect.single_cell.provenance import is_called_like_clusters

    if getattr(selector, "qvalues_", None) is None:
        return ()
    doubt = known.doubt if known.elsewhere else known.why
    if known.elsewhere and is_called_like_clusters(str(table.label_name)):  # no obs need be there
        doubt = f"{table.label_name!r} is called like a clustering"
    hold = "p- and q-values hold only if these features did not make it, else leave them out with --significance none"
    return (f"{doubt}; {hold}",) if doubt else ()


def check_classes(data: str, table: Table, label: str | None, why: str) -> None:
    """Refuse measurements where classes are needed, in words of the command; ``why`` says who needs them."""
    if seen := numbers_seen(table):
        raise InputError(
            f"{data}: the label column {label!r} must hold classes, as {why}, but holds {seen}; make "
            f"classes of them, or use rank --method {METHODS.default(Default.NUMBERS)}, which takes numbers."
        )


def numbers_seen(table: Table) -> str:
    """Say what speaks for numbers rather than classes in the label column; empty if nothing does."""
    from eigenselect._labels import Labels as LabelColumn

    return "" if table.y is None else LabelColumn(table.y).numbers_seen
