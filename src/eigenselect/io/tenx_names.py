"""Names of genes and cells that stand in files of their own beside a matrix, as 10x Genomics writes them.

A matrix of counts in Matrix Market form has no place for names. Cell Ranger [1]_ writes them line by line, without a
header, tabs between the cells of a line:

=====================================  ===================================================================
``features.tsv.gz`` (version 3)        id, symbol, and kind: ``Gene Expression``, ``Antibody Capture``, …
``genes.tsv`` (version 2)              id, symbol
``barcodes.tsv``, ``barcodes.tsv.gz``  name of a cell
=====================================  ===================================================================

Others follow: archives put a prefix before all three names (``GSM1_matrix.mtx.gz``, ``GSM1_barcodes.tsv.gz``), kallisto
and bustools write ``counts.mtx``, ``counts.genes.txt`` and ``counts.barcodes.txt``.

References
----------
.. [1] 10x Genomics, "Feature-Barcode Matrices", documentation of Cell Ranger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenselect.exceptions import InputError, counted, listed, shown_path
from eigenselect.io.content import COMPRESSED, Content
from eigenselect.io.memory import NAME, check_memory
from eigenselect.matrix import as_matrix

#: the kind of feature that a table of genes is made of
GENES = "Gene Expression"
#: what the files of names may be called, without prefix and ending
FEATURE_FILES, CELL_FILES = ("features", "genes"), ("barcodes", "cells")
ENDINGS = tuple(f".{plain}{packed}" for plain in ("tsv", "txt") for packed in ("", *(f".{how}" for how in COMPRESSED)))


@dataclass(frozen=True)
class Features:
    """Hold names of features, and the kind of each where the file says it.

    Attributes
    ----------
    names : tuple of str
        Symbols; ids where there is no symbol.
    kinds : tuple of str
        Empty, or one for each name.

    Examples
    --------
    >>> features = Features(("CD3E", "CD3"), ("Gene Expression", "Antibody Capture"))
    >>> X, names, notes = features.genes_of(np.array([[5, 70], [0, 90]]))
    >>> X.tolist(), names
    ([[5], [0]], ('CD3E',))
    >>> notes
    ["1 feature of other kinds than 'Gene Expression' is left out ('Antibody Capture')"]
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...] = ()

    def genes_of(self, X: Any) -> tuple[Any, tuple[str, ...], list[str]]:
        """Leave out the columns of X that are no genes, if there are some that are; say how many were left out.

        Antibodies, guides and peaks are counted in other units than genes, and would decide which cells are alike.
        """
        kept = np.array([j for j, kind in enumerate(self.kinds) if kind == GENES], dtype=np.intp)
        n_others = len(self.kinds) - len(kept)
        if not len(kept) or not n_others:
            return X, self.names, []
        others = dict.fromkeys(kind for kind in self.kinds if kind != GENES)
        are = "is" if n_others == 1 else "are"
        note = f"{counted(n_others, 'feature of other kinds')} than {GENES!r} {are} left out ({listed(others)})"
        return as_matrix(X).take_columns(kept).raw, tuple(self.names[j] for j in kept), [note]


def read_features(path: Path) -> Features:
    """Read a file of features: symbols are the second cell of a line, ids the first, kinds the third."""
    rows = _rows(path)
    names = tuple(row[1] if len(row) > 1 and row[1] else row[0] for row in rows)
    return Features(names, tuple(row[2] for row in rows) if all(len(row) > 2 for row in rows) else ())


def read_cells(path: Path) -> tuple[str, ...]:
    """Read a file of barcodes: the first cell of each line."""
    return tuple(row[0] for row in _rows(path))


def find_beside(matrix: Path, what: Sequence[str]) -> Path | None:
    """Find the file of names that belongs to a matrix; ``what`` are the words that it may be called by.

    The name of the matrix itself comes first, then its prefix before ``matrix``; a folder may hold many of them.
    """
    stem = re.sub(r"\.mtx(\.\w+)?$", "", matrix.name, flags=re.IGNORECASE)
    prefixes = [f"{stem}.", f"{stem}_", f"{stem}-", stem.removesuffix("matrix") if stem.endswith("matrix") else ""]
    names = (f"{prefix}{word}{ending}" for prefix in prefixes for word in what for ending in ENDINGS)
    return next((matrix.with_name(name) for name in names if matrix.with_name(name).is_file()), None)


def _rows(path: Path) -> list[list[str]]:
    """Read the cells of each line, at most as much as there is memory for."""
    source = shown_path(str(path))
    content = Content(str(path), source)
    content.check("\t")
    with content.opened() as handle:
        try:
            text = handle.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{source}: is not text in UTF-8; save it as UTF-8.") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    check_memory(4 * NAME * len(lines), source, f"a file of {counted(len(lines), 'name')}")
    return [[cell.strip() for cell in line.split("\t")] for line in lines]
