"""X: one door for a table of samples and features in any storage."""

from eigenselect.matrix.annotated import annotated_matrix, is_annotated
from eigenselect.matrix.backed import BackedMatrix
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.covariates import covariate_basis
from eigenselect.matrix.dask_input import dask_matrix, is_dask, is_dask_array
from eigenselect.matrix.dask_residuals import dask_residuals
from eigenselect.matrix.dask_table import DaskMatrix
from eigenselect.matrix.input import (
    as_matrix,
    check_order,
    feature_names_of,
    finite_table,
    opened,
    read_input,
    refuse_other_tables,
    sample_names_of,
)
from eigenselect.matrix.lookup import column_number
from eigenselect.matrix.planes import planes
from eigenselect.matrix.portable import indexable, portable, readable_by, refuse_many_fits, rows_of
from eigenselect.matrix.residuals import Residuals
from eigenselect.matrix.sparse import SparseMatrix

__all__ = [
    "BackedMatrix",
    "DaskMatrix",
    "Matrix",
    "Residuals",
    "SparseMatrix",
    "annotated_matrix",
    "as_matrix",
    "check_order",
    "column_number",
    "covariate_basis",
    "dask_matrix",
    "dask_residuals",
    "feature_names_of",
    "finite_table",
    "indexable",
    "is_annotated",
    "is_dask",
    "is_dask_array",
    "opened",
    "planes",
    "portable",
    "read_input",
    "readable_by",
    "refuse_many_fits",
    "refuse_other_tables",
    "rows_of",
    "sample_names_of",
]
