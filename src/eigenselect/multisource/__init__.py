"""Knowledge beyond the table: sources, matching by name, weights of sources, aggregation of rankings."""

from eigenselect.multisource.aggregation import AggregatedRanking, aggregate_rankings
from eigenselect.multisource.feature_sources import FeatureInteractions, FeatureSet, FeatureSimilarity
from eigenselect.multisource.readers import read_annotations, read_auxiliary, read_gene_sets, read_interactions
from eigenselect.multisource.sources import (
    AuxiliaryData,
    KnowledgeSource,
    SampleCategories,
    SampleSimilarity,
    SourceGraph,
    TargetData,
)

__all__ = [
    "AggregatedRanking",
    "AuxiliaryData",
    "FeatureInteractions",
    "FeatureSet",
    "FeatureSimilarity",
    "KnowledgeSource",
    "SampleCategories",
    "SampleSimilarity",
    "SourceGraph",
    "TargetData",
    "aggregate_rankings",
    "read_annotations",
    "read_auxiliary",
    "read_gene_sets",
    "read_interactions",
]
