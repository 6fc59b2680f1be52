"""What a report draws, as types: one for each view of `eigenselect.reporting.views`."""

from __future__ import annotations

from typing import TypedDict


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


class BestCopies(TypedDict):
    """Near-copies of the first ``n_best`` of the selection, each a correlation of magnitude 0.9 or more with one of it.

    ``sizes`` are those of the groups that they form among each other; ``n_others`` features were not chosen.
    """

    n_best: int
    sizes: list[int]
    n_others: int


class RedundancyView(TypedDict):
    """Correlations of the best features in the order of the heat map, and groups of near-copies.

    ``rate`` is the mean magnitude over the ``n_measured`` best, beside that of independent features. Near-copies were
    looked for of ``n_searched`` features, where ``copies_by_chance`` would be expected of independent ones; those of
    the ``n_listed`` best of the selection are listed one by one.
    """

    features: list[str]
    place: list[int]
    correlation: list[list[float]]
    rate: float
    chance: float
    n_measured: int
    groups: list[CopyGroup]
    best_copies: BestCopies
    n_searched: int
    n_listed: int
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
