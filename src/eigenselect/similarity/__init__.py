"""Sample similarities: from data or labels to a weighted graph over samples."""

from eigenselect.similarity.base import SIMILARITY_NAMES, BaseSimilarity, as_similarity, made_of_labels

# in the order in which messages list their names
from eigenselect.similarity.knn import KNN  # isort: skip
from eigenselect.similarity.kernel import RBF, Cosine, Linear  # isort: skip
from eigenselect.similarity.diffusion import Diffusion  # isort: skip
from eigenselect.similarity.geodesic import Geodesic  # isort: skip
from eigenselect.similarity.label import ClassLabels  # isort: skip
from eigenselect.similarity.hit_miss import HitMiss  # isort: skip
from eigenselect.similarity.from_table import FromTable
from eigenselect.similarity.from_text import similarity_from_text

__all__ = [
    "KNN",
    "RBF",
    "SIMILARITY_NAMES",
    "BaseSimilarity",
    "ClassLabels",
    "Cosine",
    "Diffusion",
    "FromTable",
    "Geodesic",
    "HitMiss",
    "Linear",
    "as_similarity",
    "made_of_labels",
    "similarity_from_text",
]
