"""Agreement of features with the labels of a few samples."""

from eigenselect.semisupervised.criterion import SmoothAgreement
from eigenselect.semisupervised.label_agreement import PartialLabels
from eigenselect.semisupervised.regularization import RegularizationPath, regularization_path

__all__ = ["PartialLabels", "RegularizationPath", "SmoothAgreement", "regularization_path"]
