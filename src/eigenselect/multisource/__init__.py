"""Several sources of knowledge: one sample graph from all (MSFS), or one ranking from each, aggregated (KOGS)."""

from eigenselect.multisource.aggregation import AggregatedRanking, aggregate_rankings
from eigenselect.multisource.feature_sources import FeatureInteractions, FeatureSet, FeatureSimilarity
from eigenselect.multisource.kogs import KOGS
from eigenselect.multisource.msfs import MSFS
from eigenselect.multisource.readers import read_annotations, read_auxiliary, read_gene_sets, read_interactions
from eigenselect.multisource.sources import (
    AuxiliaryData,
    KnowledgeSource,
    SampleCategories,
    SampleSimilarity,
    TargetData,
)

__all__ = [
    "KOGS",
    "MSFS",
    "AggregatedRanking",
    "AuxiliaryData",
    "FeatureInteractions",
    "FeatureSet",
    "FeatureSimilarity",
    "KnowledgeSource",
    "SampleCategories",
    "SampleSimilarity",
    "TargetData",
    "aggregate_rankings",
    "read_annotations",
    "read_auxiliary",
    "read_gene_sets",
    "read_interactions",
]
