"""The methods paragraph of a paper: what was done, with the settings that were used, true of the run at hand."""

from __future__ import annotations

from typing import Any

from sklearn.utils import get_tags

from eigenselect import __version__
from eigenselect.criteria.methods import Labels, Method
from eigenselect.exceptions import counted
from eigenselect.inference.significance import as_route
from eigenselect.reporting.answers.alerts import ignores_labels
from eigenselect.reporting.facts import EvaluationFacts
from eigenselect.reporting.inputs import Fitted, is_number
from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.papers.criterion_words import stated, told_settings
from eigenselect.reporting.papers.graph_words import graph_sentence, spectral_sentence
from eigenselect.reporting.ranking import method_of
from eigenselect.reporting.sources import weights_rule, weights_words
from eigenselect.reporting.summary import RankingSummary
from eigenselect.selection import Threshold

#: parameters that sentences of their own tell, or that change no result
TOLD = {
    "n_features_to_select", "similarity", "spectral_function", "significance", "weights", "sources", "rankers",
    "random_state", "n_jobs", "verbose", "ranking",
}  # fmt: skip


def methods_paragraph(summary: RankingSummary, fitted: Fitted, scaling: str, cited: Citations) -> str:
    """Write the paragraph; what it cites is noted in ``cited``.

    Parameters
    ----------
    summary : RankingSummary
        Of the same selector.
    fitted : Fitted
    scaling : str
        What was done with the values before; see `Provenance`.
    cited : Citations
    """
    selector, row = fitted.selector, method_of(fitted.selector)
    sentences = [
        _data_sentence(summary, selector, scaling),
        _label_sentence(summary, fitted, row),
        _criterion_sentence(summary, fitted, row, cited),
        spectral_sentence(getattr(selector, "spectral_function", None), cited),
        graph_sentence(summary["graph"]),
        _sources_sentence(summary, selector, cited),
        _kept_sentence(summary, selector, cited),
        *_significance_sentences(summary, selector, row, cited),
        *_evaluation_sentences(summary.get("evaluation"), cited),
        _other_settings(summary, row),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _data_sentence(summary: RankingSummary, selector: Any, scaling: str) -> str:
    """Say of what size the table is, how it was scaled, and which samples were left out."""
    size = f"{counted(summary['n_samples'], 'sample')} and {counted(summary['n_features'], 'feature')}"
    data = f"The data are a table of {size}{'' if scaling.startswith('none') else f' ({scaling})'}"
    left = summary["n_samples"] - len(getattr(selector, "samples_", range(summary["n_samples"])))
    without = f"; {counted(left, 'sample')} that a source does not know {_were(left)} left out" if left else ""
    return f"{data}{without}."


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _label_sentence(summary: RankingSummary, fitted: Fitted, row: Method) -> str:
    if fitted.y is None:
        return "No labels were used." if row.labels is not Labels.EITHER else ""
    named = "The labels" if summary["label"] in (None, "y") else f"The labels ({summary['label']})"
    selector = fitted.selector
    if row.labels is Labels.NONE or ignores_labels(selector, row.name) or _does_without_labels(selector, row):
        return f"{named} took no part in the ranking."
    if is_number(fitted.selector, fitted.y):
        return f"{named} are numbers."
    known = fitted.y[[value is not None and value == value for value in fitted.y]]
    unlabelled = len(fitted.y) - len(known)
    missing = f"; {counted(unlabelled, 'sample')} had none" if unlabelled else ""
    return f"{named} name {len(set(map(str, known)))} classes{missing}."


def _does_without_labels(selector: Any, row: Method) -> bool:
    """Whether a method that needs labels was asked for something that does not, such as neighbours alone."""
    return row.labels is Labels.NEEDED and not get_tags(selector).target_tags.required


def _criterion_sentence(summary: RankingSummary, fitted: Fitted, row: Method, cited: Citations) -> str:
    """State the criterion as the method's row does, with the parameters as fitted, or as a class of your own does."""
    selector = fitted.selector
    ranked = f"Features were ranked with eigenselect {__version__} {cited.of('eigenselect')}"
    good = f"{summary['native_direction']} values are good"
    if not row.statement:
        about = row.summary[:1].lower() + row.summary[1:]
        return f"{ranked} by {row.name}{f': {about}' if about else ''}; {good}."
    number = fitted.y is not None and is_number(selector, fitted.y)
    return " ".join([ranked, stated(row, selector, number=number), cited.of(*row.cites)]).rstrip() + f"; {good}."


def _sources_sentence(summary: RankingSummary, selector: Any, cited: Citations) -> str:
    """Name the sources or rankers with their weights, and say where these come from."""
    if not summary["sources"]:
        return ""
    named = ", ".join(
        f"{name} ({source['graph'] or source['similarity'] or 'its own similarity'}, weight {source['weight']:.3g})"
        for name, source in summary["sources"].items()
    )
    method = getattr(selector, "aggregation", "")
    joined = f"; rankings were joined by {method} aggregation {cited.of(*_AGGREGATION[method])}" if method else ""
    learned = cited.of(*_LEARNED.get(weights_rule(selector), ()))
    return f"The sources were {named}; {weights_words(selector)} {learned}".rstrip() + f"{joined.rstrip()}."


#: publications behind rules for weights, and behind rules that join rankings
_LEARNED = {"discriminant": ("ye2008multi",), "alignment": ("cortes2012algorithms",)}
_AGGREGATION: dict[str, tuple[str, ...]] = {
    "borda": ("dwork2001rank",),
    "mc4": ("dwork2001rank",),
    "rra": ("kolde2012robust",),
    "median": (),
}


def _kept_sentence(summary: RankingSummary, selector: Any, cited: Citations) -> str:
    if not summary["cut"]:
        return "All features were kept."
    rule = getattr(selector, "selection_rule", None)
    why, kept = summary["rule"].replace(" (", ", ").replace(")", ""), summary["n_selected"]
    if getattr(rule, "method", "") == "by":
        why += f"; {cited.of('benjamini2001control').strip('()')}"
    if isinstance(rule, Threshold) and summary["native_direction"] == "small":
        why += ", of scores turned so that large ones are good"
    return f"Of these features {kept or 'none'} {_were(kept)} kept ({why})."


def _significance_sentences(summary: RankingSummary, selector: Any, row: Method, cited: Citations) -> list[str]:
    """Say how p-values or q-values were made, under what they hold, and how many are small."""
    facts = summary["significance"]
    if facts is None:
        return []
    route = as_route(getattr(selector, "significance", None) or True, type(selector).__name__)
    how = _ROUTES.get(type(route).__name__, lambda *_: "")(route, row, cited)
    found = f"{facts['n_discoveries']} of {facts['n_tested']} tested features had q ≤ {facts['alpha']:g}."
    return [sentence for sentence in (how, facts["rests_on"], found) if sentence]


def _permutation(route: Any, row: Method, cited: Citations) -> str:
    moments = cited.of("kazi1995refined")
    refined = (
        ", refined by random permutations where a feature or the graph rests on few samples" if route.precision else ""
    )
    cauchy = (
        f", joined over scales by the Cauchy rule {cited.of('liu2020cauchy')}" if "Cauchy" in row.p_value_rule else ""
    )
    return (
        "P-values are those of permutations of a feature's values over the samples, from exact moments of the score "
        f"{moments} and a Pearson type III tail{refined}{cauchy}; q-values are false discovery rates "
        f"{cited.of('benjamini1995controlling')}."
    )


def _split(route: Any, row: Method, cited: Citations) -> str:
    crossed = cited.of("chernozhukov2018double", "kazi1995refined")
    rule = f"the Cauchy rule {cited.of('liu2020cauchy')}" if route.combination == "cauchy" else "their median"
    return (
        f"For p-values the features were cut into {route.n_folds} folds, {route.n_repeats} times, and each was judged "
        f"by permutation on graphs of the other folds {crossed}; p-values of repeats were joined by {rule}, and "
        f"q-values are false discovery rates {cited.of('benjamini1995controlling')}."
    )


def _shadows(route: Any, row: Method, cited: Citations) -> str:
    more = ["gimenez2019improving"] * (route.n_copies > 1) + ["ren2024derandomised"] * (route.n_repeats > 1)
    return (
        f"Q-values are those of the knockoff+ rule {cited.of('barber2015controlling', *more)} with {_copies(route)} of "
        f"every feature in the place of knockoffs."
    )


def _copies(route: Any) -> str:
    copies = "one permuted copy" if route.n_copies == 1 else f"{route.n_copies} permuted copies"
    return copies if route.n_repeats == 1 else f"{route.n_repeats} draws of {copies}"


#: by the class of the route
_ROUTES = {"Permutation": _permutation, "Given": _permutation, "Split": _split, "Shadows": _shadows}


def _evaluation_sentences(facts: EvaluationFacts | None, cited: Citations) -> list[str]:
    """Say how the selection was judged, with what was found beside its null."""
    sentences: list[str] = []
    if facts is None:
        return sentences
    if (accuracy := facts["accuracy"]) is not None:
        sentences.append(
            f"Over {accuracy['n_folds']} folds, with features selected without the held-out samples, the nearest "
            f"neighbour in the best {accuracy['n_features']} named the class of {accuracy['mean']:.3f} ± "
            f"{accuracy['deviation']:.3f} (mean ± standard deviation) of the held-out samples "
            f"({accuracy['n_predicted']} in all); always answering the largest class gives "
            f"{accuracy['largest_class']:.3f}, permuted labels {accuracy['permuted']:.3f}."
        )
    if (stability := facts["stability"]) is not None:
        measure = cited.of("kuncheva2007stability", "nogueira2018stability")
        sentences.append(
            f"The overlap beyond chance {measure} of what {stability['n_refits']} refits on parts of the samples kept "
            f"is {stability['overlap']:.3f}; with {stability['of']} permuted it is {stability['permuted']:.3f}."
        )
    if (band := facts["band"]) is not None:
        sentences.append(
            f"The band of scores by chance is that of {band['n_permutations']} permutations of {band['of']}."
        )
    return sentences


def _other_settings(summary: RankingSummary, row: Method) -> str:
    """List parameters that are not the defaults and that no sentence told."""
    told = TOLD | told_settings(row)
    others = [f"{name} = {value}" for name, value in summary["parameters"].items() if name not in told]
    return f"Other settings: {', '.join(others)}." if others else ""
