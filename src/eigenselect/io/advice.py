"""What a reader tells people to do about a table: with options of the command, or with the file itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """Ends of sentences; the table that is ranked has options, other tables have none."""

    not_numeric: str
    missing: str
    fewer: str
    left_out: str
    file_format: str
    tabs: str
    commas: str


#: for the table that is ranked
OPTIONS = Advice(
    not_numeric="name the labels with --label, the samples' names with --samples, leave columns out with --ignore, or "
    "make 0/1 columns of them with --one-hot",
    missing="fill them with --impute median, drop the rows, or leave the columns out with --ignore",
    fewer="name fewer of them with --label or --ignore",
    left_out="leave it out with --ignore",
    file_format="name the format with --format",
    tabs="use --format tsv",
    commas="use --format csv",
)
#: for other tables
FILE = Advice(
    not_numeric="names of samples belong in the first column, and the others must hold numbers",
    missing="fill them, or leave the rows or columns out of the file",
    fewer="names of samples belong in the first column, numbers in the others",
    left_out="leave it out of the file",
    file_format="let its name end in one of them",
    tabs="let its name end in .tsv",
    commas="let its name end in .csv",
)
