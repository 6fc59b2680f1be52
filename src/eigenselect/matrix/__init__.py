"""X: one door for a table of samples and features in any storage."""

from eigenselect.matrix.base import Matrix
from eigenselect.matrix.covariates import covariate_basis
from eigenselect.matrix.input import as_matrix, finite_table, indexable, read_input, refuse_other_tables
from eigenselect.matrix.lookup import column_number
from eigenselect.matrix.residuals import Residuals
from eigenselect.matrix.sparse import SparseMatrix

__all__ = [
    "Matrix",
    "Residuals",
    "SparseMatrix",
    "as_matrix",
    "column_number",
    "covariate_basis",
    "finite_table",
    "indexable",
    "read_input",
    "refuse_other_tables",
]
