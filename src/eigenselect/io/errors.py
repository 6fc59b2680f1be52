"""Say what is wrong with a file, and what to do about it.

A sentence names the file, says what was expected and what was found, and ends in what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from eigenselect.exceptions import InputError, counted, listed, shown

#: letters of a name beyond which near names are not looked for, which takes time that grows with its square
LONGEST_GUESS = 200


@dataclass(frozen=True)
class Advice:
    """Hold the ends of sentences; the command has options for the table that is ranked, and none for other tables.

    Attributes
    ----------
    not_numeric : str
        What to do about columns of text.
    missing : str
        About missing values.
    fewer : str
        If no column is left as a feature.
    left_out : str
        About a column that cannot be used.
    file_format : str
        If the format cannot be told.
    tabs, commas, semicolons : str
        If the cells are separated by the other mark.
    encoding, decimal : str
        If the encoding or the decimal mark of text cannot be told.
    duplicates : str
        About names that stand more than once.
    features_in_rows : str
        If the rows of a table with text seem to be features; empty where nothing can be done about it.

    Examples
    --------
    >>> OPTIONS.tabs, FILE.tabs
    ('use --format tsv', 'let its name end in .tsv')
    """

    not_numeric: str
    missing: str
    fewer: str
    left_out: str
    file_format: str
    tabs: str
    commas: str
    semicolons: str
    encoding: str
    decimal: str
    duplicates: str = "make them unique"
    features_in_rows: str = ""


#: for the table that is ranked
OPTIONS = Advice(
    not_numeric="name the labels with --label, the samples' names with --samples, leave columns out with --ignore, or "
    "make 0/1 columns of them with --one-hot",
    missing="fill them with --impute median, take such samples out of the file, or leave features out with --ignore",
    fewer="name fewer of them with --label or --ignore",
    left_out="leave it out with --ignore",
    file_format="name the format with --format, or save the table as csv",
    tabs="use --format tsv",
    commas="use --format csv",
    semicolons="use --sep ';'",
    encoding="name it with --encoding",
    decimal="name the decimal mark with --decimal ',' or '.'",
    duplicates="make them unique, or say what they mean with --duplicates first, suffix or mean",
    features_in_rows="use --transpose if features stand in rows, or ",
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
    semicolons="save it with commas between the values (and points in the numbers), or with tabs as tsv",
    encoding="let its name end in .xlsx or .parquet",
    decimal="write points in its numbers",
)


def damaged(source: str, kind: str) -> InputError:
    """Make the error of a file that a library cannot read.

    Damaged is a file in which a library gives up, whose lengths or indices do not fit to what it holds, or that would
    end the process that reads it.
    """
    return InputError(f"{source}: cannot be read as {kind}, it is damaged or of another kind.")


@contextmanager
def reading_as(kind: str, source: str) -> Iterator[None]:
    """Turn what a library raises on a damaged file, which may be anything, into one sentence.

    Errors of memory and our own sentences pass.

    >>> with reading_as("npz", "x.npz"):
    ...     {}["shape"]
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.npz: cannot be read as npz, it is damaged or of another kind.
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise damaged(source, kind) from error


class AbsentNameError(InputError):
    """There is nothing of the name that is ``wanted``."""

    def __init__(self, text: str, wanted: str) -> None:
        super().__init__(text)
        self.wanted = wanted


def find_name(wanted: str, names: Sequence[str], source: str, what: str) -> str:
    """Give ``wanted`` if it is among the names; otherwise raise an error that offers near ones.

    >>> find_name("Class", ["ash", "class"], "x.csv", "column")
    Traceback (most recent call last):
    ...
    eigenselect.io.errors.AbsentNameError: x.csv: no column named 'Class'; did you mean 'class'?
    """
    if wanted in names:
        return wanted
    near = near_names(wanted, names)
    known = f"{counted(len(names), what)} ({listed(names)})" if names else "none"
    has = f"there {'is' if len(names) == 1 else 'are'} {known}."
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else has
    raise AbsentNameError(f"{source}: no {what} named {shown(wanted)}; {hint}", wanted)


def near_names(wanted: str, names: Sequence[str]) -> list[str]:
    """Find names that differ in case only, or else in a few letters.

    Names a and b are near if 2 m / (len(a) + len(b)) is 0.75 or more, where m counts the letters that they share in
    order.

    >>> near_names("Alcool", ["alcohol", "ash"]), near_names("ASH", ["alcohol", "ash"])
    (['alcohol'], ['ash'])
    """
    same = [name for name in names if name.lower() == wanted.lower()]
    if same or len(wanted) > LONGEST_GUESS:
        return same
    return difflib.get_close_matches(wanted, [name for name in names if len(name) <= LONGEST_GUESS], n=2, cutoff=0.75)


def first_sentence(said: Warning | Exception) -> str:
    r"""Cut out the first sentence of what a library says, in one line.

    >>> first_sentence(UserWarning("Names are\n  not unique. Call make_unique."))
    'Names are not unique'
    """
    return " ".join(str(said).split()).split(". ")[0].rstrip(".")
