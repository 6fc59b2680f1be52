"""What a summary says in numbers and words, as types: evidence, refits, the answer, alerts, the paper, sources."""

from __future__ import annotations

from typing import NotRequired, TypedDict


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
    (of very many, some). The fit kept ``n_features``, the refits that predict ``least_features`` to ``most_features``.
    """

    n_features: int
    least_features: int
    most_features: int
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
    """What refits say of a selection; a part that cannot be measured is None.

    The reason is in ``missing``, no whole sentence: who says it begins it.
    """

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
