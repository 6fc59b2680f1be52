"""Sample similarities: from data or labels to a weighted graph over samples."""

from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.diffusion import Diffusion
from eigenselect.similarity.geodesic import Geodesic
from eigenselect.similarity.hit_miss import HitMiss
from eigenselect.similarity.kernel import RBF, Cosine, Linear
from eigenselect.similarity.knn import KNN
from eigenselect.similarity.label import ClassLabels
from eigenselect.similarity.registry import SIMILARITY_NAMES, as_similarity, made_of_labels, similarity_from_text

__all__ = [
    "KNN",
    "RBF",
    "SIMILARITY_NAMES",
    "BaseSimilarity",
    "ClassLabels",
    "Cosine",
    "Diffusion",
    "Geodesic",
    "HitMiss",
    "Linear",
    "as_similarity",
    "made_of_labels",
    "similarity_from_text",
]
