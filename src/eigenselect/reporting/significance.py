"""What a report says of p-values and q-values: how many discoveries there are, and what they rest on."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.criteria.methods import METHODS, Default, Labels, Method
from eigenselect.exceptions import agreeing, counted
from eigenselect.graph import Origin
from eigenselect.inference.significance import FEWEST_SAMPLES
from eigenselect.multisource.sources import TargetData
from eigenselect.reporting.facts import SignificanceFacts
from eigenselect.reporting.plain import described

#: false discovery rate at which discoveries are counted, unless the selector or the user names another
ALPHA = 0.05
#: p-values below are told as a bound: they lie beyond what a tail formula can promise
SMALLEST = 1e-300
#: p-values below are written as powers of ten
POWERS_BELOW = 1e-3
#: the first sentence of everything that is said of p-values
TRAP = (
    "Labels found by clustering these features (leiden, k-means) and coordinates computed from them (PCA, UMAP) make "
    "noise look significant, and no program can see it."
)


def pvalues_of(selector: Any) -> FloatArray | None:
    """Return the p-values of a fitted selector, or None."""
    return getattr(selector, "pvalues_", None)


def qvalues_of(selector: Any) -> FloatArray | None:
    """Return the q-values of a fitted selector, or None."""
    return getattr(selector, "qvalues_", None)


def alpha_of(selector: Any) -> float:
    """Return the false discovery rate that a selector was told to keep, else `ALPHA`."""
    return float(getattr(getattr(selector, "selection_rule", None), "alpha", ALPHA))


def probability_text(value: float | None, undefined: str = "nan") -> str:
    """Write a p-value or q-value with three digits, small ones as powers of ten, never as zero.

    >>> [probability_text(p) for p in (1.0, 0.05, 0.00123, 0.000123, 0.0, float("nan"))]
    ['1.00', '0.0500', '0.00123', '1.23e-04', '<1e-300', 'nan']
    """
    if value is None or value != value:
        return undefined
    if value < SMALLEST:
        return f"<{SMALLEST:.0e}"
    digits = f"{value:.2e}"  # rounded first: 0.0009999 is 1.00e-03
    return f"{float(digits):#.3g}" if float(digits) >= POWERS_BELOW else digits


def evidence_columns(facts: SignificanceFacts | None) -> dict[str, Literal["pvalue", "qvalue"]]:
    """Return the heads of the columns that a table of features has, each with its key in a row."""
    if facts is None:
        return {}
    return {"p": "pvalue", "q": "qvalue"} if facts["has_pvalues"] else {"q": "qvalue"}


def significance_facts(
    selector: Any, alpha: float | None = None, made_of: str | None = None
) -> SignificanceFacts | None:
    """Count the discoveries of a fitted selector, and say what they rest on; None where it has no q-values.

    Parameters
    ----------
    selector : fitted selector
    alpha : float, optional
        False discovery rate of the discoveries; the selector's own by default, else 0.05.
    made_of : str, optional
        What a given graph is, or is made of, by its name.
    """
    qvalues = qvalues_of(selector)
    if qvalues is None:
        return None
    level = alpha_of(selector) if alpha is None else float(alpha)
    tested, found = int((~np.isnan(qvalues)).sum()), int((qvalues <= level).sum())
    shadows = pvalues_of(selector) is None
    return {
        "route": _route(selector),
        "has_pvalues": not shadows,
        "alpha": level,
        "n_tested": tested,
        "n_discoveries": found,
        "sentence": _nothing_beats_shadows(selector, tested, level)
        if shadows and not found
        else discoveries_sentence(found, tested, level),
        "rests_on": _rests_on(selector, made_of),
    }


def discoveries_sentence(found: int, tested: int, alpha: float) -> str:
    """Say how many features are discoveries.

    >>> discoveries_sentence(0, 40, 0.05)
    'None of 40 tested features has q ≤ 0.05: no feature stands out from chance.'
    >>> discoveries_sentence(12, 40, 0.1)
    '12 of 40 tested features have q ≤ 0.1: at most about 10 % of these are expected to be chance.'
    >>> discoveries_sentence(1, 40, 0.05)
    '1 of 40 tested features has q ≤ 0.05: at most about 5 % of such are expected to be chance.'
    """
    of = counted(tested, "tested feature")
    if not found:
        return f"None of {of} has q ≤ {alpha:g}: no feature stands out from chance."
    share = f"at most about {100 * alpha:.3g} % of {agreeing(found, '[such|these]')} are expected to be chance"
    return f"{found} of {of} {agreeing(found, '[has|have]')} q ≤ {alpha:g}: {share}."


def why_untested(selector: Any, method: Method, n_samples: int, labels_known: str = "") -> str:
    """Say why a fitted selector has no q-values, and what to write or type to get them; empty where it has them.

    ``labels_known`` says what records the labels as a clustering of the features, where that is so.

    >>> import numpy as np
    >>> from eigenselect import EVSC
    >>> why_untested(EVSC(1).fit(np.arange(12.0).reshape(6, 2) ** 2), METHODS["evsc"], 6).split(";")[0]
    'Not tested: evsc has no p-values'
    """
    bound = getattr(selector, "expected_false_", None)
    if qvalues_of(selector) is not None:
        return ""
    if bound is not None and bound == bound:
        return f"Not tested one by one; at most {bound:.3g} of them are expected to be no better than chosen at random."
    if n_samples < FEWEST_SAMPLES:
        return f"Not tested: {counted(n_samples, 'sample')}, and at least {FEWEST_SAMPLES} are needed."
    if not getattr(selector, "has_p_values", False):
        others = [*_who_has_them(selector, method, n_samples), "StabilitySelector bounds the errors of any method"]
        return f"Not tested: {method.name} has no p-values; {', and '.join(others)}."
    origin = _origin(selector, Origin.LABELS)
    if origin is Origin.LABELS and labels_known:
        return (
            f"Not tested: {labels_known}, and noise looks significant on what it made, too; significance=True "
            "(--significance true) tests, if these features did not make it."
        )
    if origin is not Origin.FEATURES:
        return _UNTESTED[origin]
    return _sources_of_features(selector) if hasattr(selector, "similarities_") else f"{_UNTESTED[origin]} {_SPLIT}"


def _sources_of_features(selector: Any) -> str:
    """Say which sources of a fusion are made of the features, and what can be tested without them."""
    origins = {str(name): graph.origin for name, graph in selector.similarities_.items()}
    own = [name for name, origin in origins.items() if origin is Origin.FEATURES]
    others = [name for name in origins if name not in own]
    target = [name for name, source in selector.sources if isinstance(source, TargetData)]
    said = agreeing(len(own), f"source[|s] {', '.join(own)} [is|are] made of these features")
    said = f"Not tested: the {said}, on which noise looks smooth, too."
    if not others:
        return f"{said} {_OUTSIDE}"
    option = " (--without-target)" if own == target else ""
    route = "'given'" if Origin.GIVEN in origins.values() else "True"
    return (
        f"{said} Without {agreeing(len(own), '[it|them]')}{option}, significance={route} (--significance true) tests "
        f"on {', '.join(others)}, if these features did not make {agreeing(len(others), '[that|those]')}."
    )


def _origin(selector: Any, otherwise: Origin) -> Origin:
    """Return what the graph of a fitted selector was made from, ``otherwise`` where it has none."""
    return cast(Origin, getattr(getattr(selector, "graph_", None), "origin", otherwise))


def _who_has_them(selector: Any, method: Method, n_samples: int) -> list[str]:
    """Name what to use in place of a method without p-values: one that takes the same graph, labels or numbers."""
    if method.labels is Labels.EITHER:
        return []
    origin, n_labelled = _origin(selector, Origin.FEATURES), getattr(selector, "n_labelled_", n_samples)
    other = METHODS[METHODS.default(Default.UNLABELLED)]
    by_labels = method.labels in (Labels.NEEDED, Labels.SOME) and n_labelled and origin is not Origin.GIVEN
    if by_labels or origin is Origin.LABELS or getattr(selector, "target", None) in ("lda", "svm"):
        return _who_tests_labels(selector, n_labelled, n_samples)
    if origin is Origin.FEATURES:
        return [f"{other.selector}(significance='split') (--method {other.name} --significance split) has"]
    same = "on the same graph, if these features did not make it"
    route = "'given'" if origin is Origin.GIVEN else "True"
    return [f"{other.selector}(significance={route}) (--method {other.name} --significance true) has {same}"]


def _who_tests_labels(selector: Any, n_labelled: int, n_samples: int) -> list[str]:
    """Name the methods that test features by labels; of numbers, and of some labels, it is one."""
    classes, numbers = (METHODS[METHODS.default(data)] for data in (Default.CLASSES, Default.NUMBERS))
    if getattr(selector, "target_kind_", None) == "numbers":
        return [f"{_tested_by(numbers)} has"]
    if n_labelled == n_samples:
        return [f"{_tested_by(classes)} and {_tested_by(numbers)} have"]
    alone = f"{_tested_by(classes, ' --drop-unlabelled')} of the labelled samples alone has"
    return [alone] if n_labelled >= FEWEST_SAMPLES else []


def _tested_by(method: Method, options: str = "") -> str:
    """Name a method that tests features by labels, as Python and as the commands call it.

    >>> _tested_by(METHODS["fisher"])
    'FisherScore(significance=True) (--method fisher --significance true)'
    """
    return f"{method.selector}(significance=True) (--method {method.name}{options} --significance true)"


def _nothing_beats_shadows(selector: Any, tested: int, alpha: float) -> str:
    """Say that nothing was found, which shadows also say of a few features that are clear: they keep many or none."""
    route, smallest = selector.significance, float(np.nanmin(selector.qvalues_, initial=1.0))
    fewest = math.ceil(1 / (getattr(route, "n_copies", 1) * alpha) - 1e-9)
    kept = "many features" if getattr(route, "n_repeats", 1) > 1 else f"at least {counted(fewest, 'feature')}"
    return (
        f"None of {counted(tested, 'tested feature')} has q ≤ {alpha:g}: the smallest q is "
        f"{probability_text(smallest)}, and at this level shadows keep {kept}, or none."
    )


def _route(selector: Any) -> str:
    """Write the ``significance`` as a user would; a rule that asks for q-values stands for True."""
    given = getattr(selector, "significance", None)
    return described(True if given is None else given)


def _rests_on(selector: Any, made_of: str | None) -> str:
    """Say under what the values hold, by what the graph was made from and how its features were judged."""
    if pvalues_of(selector) is None:
        return (
            "The graph is made of these features, so each was compared with permuted copies (shadows) that took part "
            "in making the graph; q is the smallest level at which a feature is kept, and p-values do not exist."
        )
    origin = getattr(getattr(selector, "graph_", None), "origin", Origin.LABELS)
    if "split" in _route(selector).lower():
        origin = Origin.FEATURES  # also of a given graph: the route builds graphs without the tested features
    if origin is Origin.GIVEN and made_of is not None:
        return f"These hold if {made_of} was not made of these features."
    return _BY_ORIGIN.get(origin, "")


#: what p-values rest on, by what the graph was made from
_BY_ORIGIN = {
    Origin.LABELS: "These hold if the labels came from elsewhere, not if clustering these features found them.",
    Origin.ELSEWHERE: "These hold if the other table was not computed from these features.",
    Origin.GIVEN: "These hold if the given matrix was not made of these features.",
    Origin.FEATURES: (
        "The graph is made of these features, so each was judged on graphs of others (split), repeated and combined."
    ),
}
#: why nothing was tested and how it would be, by what the graph was made from
_ASK = "Not tested: p-values were not asked for; significance={route} (--significance true) gives them{condition}."
_UNTESTED = {
    Origin.LABELS: _ASK.format(route="True", condition=""),
    Origin.ELSEWHERE: _ASK.format(route="True", condition=""),
    Origin.GIVEN: _ASK.format(
        route="'given'",
        condition=", if these features did not make the graph; if they did, use significance='split' without it "
        "(--significance split)",
    ),
    Origin.FEATURES: "Not tested: the graph is made of these features, on which noise looks smooth, too.",
}
_SPLIT = (
    "significance='split' (--significance split) tests each feature on graphs of others; labels (--label), "
    "coordinates or a graph from elsewhere would do as well."
)
_OUTSIDE = (
    "Nothing gives p-values on such a fusion. Sources from elsewhere alone have them with significance=True "
    "(--without-target --auxiliary NAME=FILE --significance true, or --with-labels in place of --auxiliary), and "
    "rank --significance split tests on the table alone."
)
