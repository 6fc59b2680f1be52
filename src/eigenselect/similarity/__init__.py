"""Sample similarities: from data or labels to a weighted graph over samples."""

from eigenselect.similarity.base import (
    SIMILARITY_NAMES,
    BaseSimilarity,
    as_similarity,
    made_of_labels,
    similarity_from_text,
)

# in the order in which messages list their names
from eigenselect.similarity.knn import KNN, Diffusion  # isort: skip
from eigenselect.similarity.kernels import RBF, Cosine, Geodesic, Linear  # isort: skip
from eigenselect.similarity.labels import ClassLabels, HitMiss  # isort: skip
from eigenselect.similarity.from_table import FromTable

__all__ = ["KNN", "RBF", "SIMILARITY_NAMES", "BaseSimilarity", "ClassLabels", "Cosine", "Diffusion", "FromTable"]
__all__ += ["Geodesic", "HitMiss", "Linear", "as_similarity", "made_of_labels", "similarity_from_text"]
