"""Names that the command offers before anything heavy is imported."""

from __future__ import annotations

#: what a table may be read from
FORMATS = ("csv", "tsv", "parquet", "npz", "mat", "h5ad")
#: how its features may be scaled
SCALES = ("standard", "minmax", "none")
