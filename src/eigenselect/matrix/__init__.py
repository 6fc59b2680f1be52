"""X: one door for a table of samples and features in any storage."""

from eigenselect.matrix.base import Matrix
from eigenselect.matrix.input import as_matrix, finite_table, indexable, read_input, refuse_other_tables
from eigenselect.matrix.lookup import column_number
from eigenselect.matrix.sparse import SparseMatrix

__all__ = [
    "Matrix",
    "SparseMatrix",
    "as_matrix",
    "column_number",
    "finite_table",
    "indexable",
    "read_input",
    "refuse_other_tables",
]
