"""What a summary holds, as types: the keys that JSON promises, from which every output is made.

A summary holds plain values only: dicts, lists, text, numbers, booleans and None. `eigenselect.reporting.ranking` and
`eigenselect.reporting.comparing.comparison` make one; JSON, Markdown, the terminal's text and the page are made from it
alone.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from eigenselect.reporting.facts import Alert, AnswerFacts, EvaluationFacts, PaperFacts, SignificanceFacts, SourceFacts
from eigenselect.reporting.view_types import Views


class FeatureRow(TypedDict):
    """One feature of a ranking; ``rank`` is None for a feature that the method does not order."""

    rank: int | None
    feature: str
    column: int
    score: float
    native_score: float
    #: only where the selector was asked how sure it is
    pvalue: NotRequired[float]
    qvalue: NotRequired[float]


class ScoreFacts(TypedDict):
    """Knee and range of the scores of the ordered features."""

    knee: int
    n_undefined: int
    best: float | None
    median: float | None
    lowest: float | None


class AllFeatures(TypedDict):
    """Names, columns and scores of all features, best first; places, from 0, of those kept, if a number was asked."""

    feature: list[str]
    column: list[int]
    score: list[float]
    native_score: list[float]
    selected: list[int]
    #: share of the refits on parts of the samples that kept each feature
    stability: NotRequired[list[float]]
    #: number of its group of near-copies, from 1, or 0
    group: NotRequired[list[int]]
    #: by source that knows some of the features: the places of those, from 0
    sets: NotRequired[dict[str, list[int]]]
    pvalue: NotRequired[list[float]]
    qvalue: NotRequired[list[float]]


class RankingSummary(TypedDict):
    """What is known of one fitted selector."""

    kind: Literal["ranking"]
    data: str
    title: str
    method: str
    method_summary: str
    #: what the method looks for in a feature, in a reader's words; may be empty for a selector of your own
    method_words: str
    reference: str
    supervision: str
    native_direction: str
    parameters: dict[str, str]
    n_samples: int
    n_features: int
    n_ordered: int
    n_selected: int
    cut: bool
    #: which features were chosen, in words
    rule: str
    label: str | None
    n_labelled: int | None
    graph: dict[str, Any]
    sources: dict[str, SourceFacts]
    #: where the weights of the sources come from, in words; empty where there are none
    weights: str
    scores: ScoreFacts
    significance: SignificanceFacts | None
    #: why there are no q-values, and how there would be; empty where there are
    untested: str
    warnings: list[str]
    features: list[FeatureRow]
    #: None where it was turned off
    evaluation: NotRequired[EvaluationFacts | None]
    answer: NotRequired[AnswerFacts]
    alerts: NotRequired[list[Alert]]
    paper: NotRequired[PaperFacts]
    views: NotRequired[Views]
    all_features: NotRequired[AllFeatures]


class MethodSummary(TypedDict):
    """What was measured of one method of a comparison; accuracies by number of features, the rest by other method."""

    features: list[str]
    redundancy: float
    stability: float
    seconds: float
    accuracy: dict[str, float]
    accuracy_deviation: dict[str, float]
    accuracy_permuted: dict[str, float]
    stability_permuted: float
    #: whether the accuracy is above those of permuted labels by more than the folds spread
    beyond_permuted: dict[str, bool]
    #: False where permuted labels give the same order of all features
    uses_labels: bool
    shared: dict[str, float]
    shared_permuted: dict[str, float]
    agreement: dict[str, float]
    agreement_permuted: dict[str, float]


class ComparedFeatures(TypedDict):
    """Ranks of all features by every method, the best mean rank first."""

    feature: list[str]
    ranks: dict[str, list[int | float]]
    n_ordered: dict[str, int]


class ConsensusCount(TypedDict):
    """How many features at least ``n_methods`` methods keep; as many of selections at random and of permuted labels."""

    n_methods: int
    n_features: int
    random: float
    permuted: float


class ConsensusView(TypedDict):
    """Features by how many methods keep them, then by mean rank; ranks by each method, None where it does not keep it.

    ``feature``, ``count`` and ``ranks`` hold the first of ``n_kept`` features that any method keeps.
    """

    n_kept: int
    feature: list[str]
    count: list[int]
    ranks: dict[str, list[int | float | None]]
    at_least: list[ConsensusCount]


class ComparisonSummary(TypedDict):
    """What is known of several methods on one table."""

    kind: Literal["comparison"]
    data: str
    title: str
    label: str | None
    n_samples: int
    n_features: int
    n_selected: int
    chance: float
    n_folds: int
    n_permutations: int
    best: dict[str, str | None]
    best_sentence: str
    #: methods within the deviation of the highest accuracy, that one first, by number of features
    near_best: dict[str, list[str]]
    #: lowest and highest accuracy of all methods and permutations, by number of features
    permuted_range: dict[str, list[float]]
    shared_by_chance: float
    redundancy_by_chance: float
    warnings: list[str]
    methods: dict[str, MethodSummary]
    consensus: ConsensusView
    all_features: ComparedFeatures
    answer: NotRequired[AnswerFacts]
    alerts: NotRequired[list[Alert]]
    paper: NotRequired[PaperFacts]


#: what a report is made from
Summary = RankingSummary | ComparisonSummary


def without_values(summary: Summary) -> dict[str, Any]:
    """Copy a summary without the feature values that only the page's colours need."""
    if summary["kind"] == "comparison" or "views" not in summary:
        return dict(summary)
    return {**summary, "views": {name: view for name, view in summary["views"].items() if name != "values"}}
