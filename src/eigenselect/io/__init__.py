"""Read tables of any format, and write files whole or not at all.

The names below are here because the command offers them before anything heavy is imported.
"""

from __future__ import annotations

#: what a table may be read from
FORMATS = ("csv", "tsv", "parquet", "npz", "mat", "h5ad")
#: how its features may be scaled
SCALES = ("standard", "minmax", "none")
