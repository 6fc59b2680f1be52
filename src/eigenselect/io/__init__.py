"""Read tables of any format, and write files whole or not at all.

What every reader and writer promises:

- *Exact.* Numbers of arrays keep their type and bits; numbers of csv, tsv and parquet become the nearest floating-point
  numbers. Labels and names keep their letters: 007 is not 7.
- *Nothing in silence.* What is left out or changed is said in `Table.notes`; what cannot be kept is refused.
- *Nothing overwritten.* A file is replaced only if asked, in one step, and never if it is an input.
- *Never trusting.* Nothing is unpickled, no length that a file claims is believed, no link to another file is followed.

Where to look:

========================================  ==================================================
``readers``                               from a path to a `Table`
``text``, ``content``                     csv and tsv; the bytes they are made of
``arrays``, ``npy``, ``mat``              named arrays: npz, MATLAB; a single one, mapped into memory
``parquet``, ``feather``, ``arrow``       columns with types
``hdf5``, ``h5ad``, ``h5mu``, ``loom``    HDF5: read by another process first
``hdf5_arrays``, ``zarr_folder``          plain arrays in HDF5 and zarr; ``named_nodes`` finds the table
``excel``, ``xlsx_archive``               sheets of workbooks
``market``, ``tenx``, ``tenx_h5``         counts in Matrix Market form, and folders and files of 10x Genomics
``inner``                                 one of several tables in a file
``column_roles``, ``labels``, ``table``   what the columns mean; the table that they make
``identifiers``, ``duplicates``           columns that are no measurements; features of equal names
``transposed``                            features in rows: turned, or told from others
``companions``, ``near_misses``           labels and covariates of a second file, found by name
``writers``, ``files``                    what is written; how it gets to the disk
``table_files``, ``parquet_write``        tables in files of every format
``h5ad_write``, ``h5ad_copy``, …          new h5ad files, and copies with the same bits
``errors``, ``memory``                    sentences; how much memory a table may take
========================================  ==================================================

The names below are here because the command offers them before anything heavy is imported.
"""

from __future__ import annotations

#: what a table may be read from
FORMATS = (
    *("csv", "tsv", "parquet", "npz", "npy", "mat", "h5ad", "h5mu", "loom", "mtx", "10x", "h5", "zarr", "xlsx"),
    "feather",
)
#: what is done with features of equal names
DUPLICATES = ("error", "first", "suffix", "mean")
#: how its features may be scaled
SCALES = ("standard", "minmax", "none")
