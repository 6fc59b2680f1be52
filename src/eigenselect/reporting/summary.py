"""What a summary holds, as types: the keys that JSON promises, from which every output is made.

A summary holds plain values only: dicts, lists, text, numbers, booleans and None. `eigenselect.reporting.ranking` and
`eigenselect.reporting.comparison` make one; JSON, Markdown, the terminal's text and the page are made from it alone.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

import numpy as np


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


class SignificanceFacts(TypedDict):
    """How many features are discoveries (q ≤ ``alpha``), by which route, and what that rests on."""

    route: str
    has_pvalues: bool
    alpha: float
    n_tested: int
    n_discoveries: int
    sentence: str
    rests_on: str


class AccuracyFacts(TypedDict):
    """Held-out accuracy of the nearest neighbour in the kept features, beside what says nothing gives.

    ``mean`` and ``deviation`` are over ``n_folds`` folds whose held-out samples the selector never saw;
    ``largest_class`` is that of always answering the largest class, ``permuted`` that of permuted labels.
    ``beyond_chance`` is only true where noise practically never is. ``n_predicted`` samples were held out and predicted
    (of very many, some).
    """

    n_features: int
    n_folds: int
    n_predicted: int
    mean: float
    deviation: float
    largest_class: float
    permuted: float
    beyond_chance: bool


class StabilityFacts(TypedDict):
    """Overlap, beyond chance, of what refits on parts of the samples kept; ``permuted`` is that of permuted data.

    ``of`` says what was permuted, as in a band.
    """

    n_refits: int
    overlap: float
    permuted: float
    of: str


class BandView(TypedDict):
    """Scores by rank that permuted data give: lowest, middle and highest of ``n_permutations`` fits at these ranks.

    ``of`` says what was permuted: the labels, the values of every feature by itself, or the samples against their
    graph. ``n_above`` features score more than any feature of the permuted data; of noise, there is one or more with a
    chance of 1 in ``n_permutations`` + 1.
    """

    of: str
    n_permutations: int
    rank: list[int]
    low: list[float]
    middle: list[float]
    high: list[float]
    n_above: int


class EvaluationFacts(TypedDict):
    """What refits say of a selection; a part that cannot be measured is None, with the reason in ``missing``."""

    accuracy: AccuracyFacts | None
    stability: StabilityFacts | None
    band: BandView | None
    missing: dict[str, str]


class AnswerSentence(TypedDict):
    """One sentence of the answer, under its question: how sure, does it predict, how redundant, how stable."""

    question: str
    sentence: str


class AnswerFacts(TypedDict):
    """What a reader wants to know first: how many are kept, by which method in words, and four sentences."""

    headline: str
    sentences: list[AnswerSentence]


class Alert(TypedDict):
    """Something that a reader should know before trusting the ranking; names of features or samples are whole."""

    kind: str
    sentence: str
    features: list[str]
    samples: list[str]


class PaperReference(TypedDict):
    """A publication as text and as BibTeX."""

    text: str
    bibtex: str


class PaperFacts(TypedDict):
    """What a paper says of this run: a paragraph of methods, references, and all that makes the run again."""

    methods: str
    references: list[PaperReference]
    command: str
    versions: dict[str, str]
    seed: str
    data_hash: str
    label: str
    scaling: str
    date: str


class MatchFacts(TypedDict):
    """How many samples or features a source and the table share; the first that are missing are named."""

    what: str
    known: int
    total: int
    missing: list[str]
    sentence: str


class EnrichmentFacts(TypedDict):
    """How many of the kept features are in a source's set, beside how many random features would be."""

    kept_members: int
    n_kept: int
    members: int
    n_features: int
    expected: float
    sentence: str


class SourceFacts(TypedDict):
    """Weight and kind of one source of a multi-source selector, or of one ranker of several."""

    weight: float
    #: of the samples in it; of a ranker, its criterion
    similarity: str
    #: the same with the numbers that were found; empty for a ranker
    graph: str
    #: what the source is, in words
    kind: str
    matches: list[MatchFacts]
    #: only of sources that speak of some of the features
    enrichment: NotRequired[EnrichmentFacts]


class GroupsView(TypedDict):
    """Groups that samples are shown in: classes, thirds of a number, or clusters."""

    kind: str
    count: int
    names: list[str]
    sizes: list[int]


class DegreesView(TypedDict):
    """Histogram of the degrees of the sample graph."""

    low: float
    high: float
    counts: list[int]


class SpectrumView(TypedDict):
    """Smallest eigenvalues of the drawn graph, and what their largest gap says; ``clusters`` may be None.

    ``why`` says why that is another graph than the one that the scores used; empty where it is that one.
    """

    of: str
    why: str
    eigenvalues: list[float]
    n_components: int
    gap_after: int
    gap_ratio: float
    gap_chance: float
    clusters: int | None
    sentence: str


class SamplesView(TypedDict):
    """The samples that are drawn as points: their row, name and group (-1: in none)."""

    number: list[int]
    name: list[str] | None
    group: list[int]


class EmbeddingView(TypedDict):
    """Coordinates of the drawn samples in leading eigenvectors; ``axes`` are the places of the two to draw first."""

    of: str
    n_drawn: int
    n_apart: int
    eigenvectors: list[int]
    eigenvalues: list[float]
    equal: list[list[int]]
    lives_on: list[int]
    axes: list[int]
    coordinates: list[list[float]]


class PlaneView(TypedDict):
    """Places of the drawn samples in a map that came with the table, measured from the smallest of each axis.

    A ``spatial`` one is drawn with both axes at one scale and the second one downward.
    """

    key: str
    name: str
    axes: list[str]
    spatial: bool
    sentence: str
    coordinates: list[list[float]]


class PicturesView(TypedDict):
    """Maps that came with the table; ``first`` is the key of the picture to draw first, or "eigenvectors"."""

    first: str
    planes: list[PlaneView]


class SeparationView(TypedDict):
    """Accuracy of the nearest neighbour in the drawn plane, beside that of permuted labels."""

    eigenvectors: list[int]
    accuracy: float
    permuted: float
    permuted_high: float
    beyond_chance: bool
    sentence: str


class GroupDistribution(TypedDict):
    """Values of a feature in one group."""

    group: int
    n: int
    mean: float
    quartiles: list[float]
    counts: list[int]


class DistributionView(TypedDict):
    """Values of a feature in every group, on one axis."""

    feature: str
    rank: int
    low: float
    high: float
    groups: list[GroupDistribution]


class HeatMapView(TypedDict):
    """z-scores of the best features on the samples, in the order in which both are drawn.

    ``steps`` are z-scores in whole steps of ``step``, cut off at ``limit``: a signed byte each, feature by feature, in
    base64; -128 for constant features. ``place`` is that in the ranking, from 0; ``number`` and ``name`` are those of
    the samples, ``group`` their groups (-1: in none), and ``n_samples`` counts all that there are.
    """

    features: list[str]
    place: list[int]
    number: list[int]
    name: list[str] | None
    group: list[int]
    n_samples: int
    limit: float
    step: float
    steps: str
    caution: str


class DotsView(TypedDict):
    """Mean z-score of features in groups, NaN for constant ones, and the share of values that are ``share_of``."""

    features: list[str]
    place: list[int]
    group: list[int]
    mean: list[list[float]]
    share: list[list[float]]
    share_of: str


class CopyGroup(TypedDict):
    """Features connected by correlations of magnitude 0.9: the best that were kept and that were not are named.

    ``shown`` are first and one beyond last of their places in the matrix of correlations, None where it has none.
    """

    number: int
    kept: list[str]
    n_kept: int
    others: list[str]
    n_others: int
    shown: list[int] | None


class RedundancyView(TypedDict):
    """Correlations of the best features in the order of the heat map, and groups of near-copies.

    ``rate`` is the mean magnitude over the ``n_measured`` best, beside that of independent features. Near-copies were
    looked for of ``n_searched`` features, where ``copies_by_chance`` would be expected of independent ones.
    """

    features: list[str]
    place: list[int]
    correlation: list[list[float]]
    rate: float
    chance: float
    n_measured: int
    groups: list[CopyGroup]
    n_searched: int
    copies_by_chance: float


class NearCopiesRow(TypedDict):
    """Features that were not chosen but are nearly the same as one that was; the nearest are named."""

    feature: str
    count: int
    copies: list[str]
    correlations: list[float]


class ExplainedFeature(TypedDict):
    """Shares of a feature's variation by eigenvalue, None where it has none; its roughest edges, as places of points.

    ``edge_share`` is the part of the feature's roughness that these edges hold.
    """

    shares: list[float] | None
    edges: list[list[int]]
    edge_share: float


class ExplanationsView(TypedDict):
    """At which scale the best features vary over the drawn graph, beside the same values shuffled over the samples.

    ``borders`` are those of bins of eigenvalues, the last bin holding all that is beyond where not the ``whole``
    spectrum is known; 99 of 100 shuffles of bell-shaped values stay below ``level``. Where the graph ``saw_features``,
    noise is slower than shuffles, too.
    """

    of: str
    saw_features: bool
    whole: bool
    borders: list[float]
    expected: list[float]
    level: list[float]
    features: list[ExplainedFeature]


class ByClassView(TypedDict):
    """Scatter of the best features between the mean of each class and that of all samples, as parts of the whole.

    ``expected`` are the parts that shuffled values leave on average; a constant feature has None.
    """

    names: list[str]
    sizes: list[int]
    expected: list[float]
    between: list[list[float] | None]
    means: list[list[float] | None]


class ValuesView(TypedDict):
    """Values of the best features on the drawn samples, for the page's colours: float32 in base64, times ``scale``."""

    count: int
    scale: list[float]
    parts: str


class PValueHistogram(TypedDict):
    """Counts of p-values in bins of one width; uniform ones stay between ``low`` and ``high``, around ``expected``."""

    counts: list[int]
    expected: float
    low: int
    high: int


class QuantilesView(TypedDict):
    """-log10 of sorted p-values against uniform ones, with a pointwise band; ``place`` is that in the ranking."""

    expected: list[float]
    observed: list[float]
    low: list[float]
    high: list[float]
    place: list[int]


class MeansView(TypedDict):
    """Means of features, to draw their scores against; ``log`` where all are counts or the like."""

    mean: list[float]
    place: list[int]
    log: bool


class SignificanceView(TypedDict):
    """Pictures of p-values and q-values; without p-values there is neither histogram nor quantiles."""

    histogram: PValueHistogram | None
    quantiles: QuantilesView | None
    means: MeansView


class Views(TypedDict, total=False):
    """What a report draws; only the views that were asked for are there."""

    groups: GroupsView
    degrees: DegreesView | None
    spectrum: SpectrumView | None
    samples: SamplesView
    embedding: EmbeddingView | None
    pictures: PicturesView
    separation: SeparationView | None
    distributions: list[DistributionView]
    heat_map: HeatMapView
    dots: DotsView | None
    redundancy: RedundancyView
    near_copies: list[NearCopiesRow]
    explanations: ExplanationsView | None
    by_class: ByClassView | None
    significance: SignificanceView | None
    values: ValuesView


class AllFeatures(TypedDict):
    """Names and scores of all features, best first; places, from 0, of those that were kept, if a number was asked."""

    feature: list[str]
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


def plain_values(value: Any) -> Any:
    """Turn a value into dicts with text keys, lists, texts, numbers, booleans and None; other objects into their text.

    Every summary goes through here, so a parameter from ``np.arange`` is a number like any other.

    >>> import numpy as np
    >>> plain_values({"k": np.int64(5), "on": np.True_, "scale": (np.float32(0.5), np.nan), "rule": max})
    {'k': 5, 'on': True, 'scale': [0.5, nan], 'rule': 'max'}
    """
    if isinstance(value, dict):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_values(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain_values(item) for item in value), key=repr)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return described(value)


def described(value: Any) -> str:
    """Write a parameter as text that is the same in every run: functions by their names, arrays by their shapes."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {tuple(int(length) for length in shape)}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        ends = "()" if isinstance(value, tuple) else "[]"
        return f"{ends[0]}{', '.join(described(item) for item in value)}{ends[1]}"
    if hasattr(value, "get_params"):
        return _described_parts(value)
    return str(getattr(value, "__name__", repr(value))) if callable(value) else repr(value)


def _described_parts(estimator: Any) -> str:
    """Write an estimator or similarity as the call that makes it, without parameters that have their defaults."""
    import inspect

    known = inspect.signature(type(estimator)).parameters
    given = [
        f"{name}={described(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name not in known or described(value) != described(known[name].default)
    ]
    return f"{type(estimator).__name__}({', '.join(given)})"
