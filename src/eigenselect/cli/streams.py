"""Standard output and error, whatever they are connected to: closed, a pipe, or a terminal without our letters."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than all of this
if TYPE_CHECKING:
    from typing import NoReturn

#: what stands for a letter of ours on a terminal that lacks it
SIMPLER = {"█": "#", "░": ".", "─": "-", "…": "...", "–": "-", "≤": "<="}


class StandardStreams:
    """A context in which standard output and error can be written to, or say that they cannot.

    Python has None for a stream that was closed by its caller (``>&-``), and writes nothing to it in silence: a result
    would be lost without a word. The next file that is opened would also take its descriptor, and what a library
    prints would go into that file. At the end the streams are what they were.
    """

    def __enter__(self) -> None:
        self._before = sys.stdout, sys.stderr
        self._errors = getattr(sys.stdout, "errors", None)
        if None in self._before:
            _fill_descriptors()
            sys.stdout = sys.stdout or ClosedOutput()
            sys.stderr = sys.stderr or io.StringIO()  # nobody is there to be told
        _set_errors("backslashreplace")  # for the texts of help, which click prints

    def __exit__(self, *error: object) -> None:
        sys.stdout, sys.stderr = self._before
        _set_errors(self._errors)


def _set_errors(handler: str | None) -> None:
    """Set what standard output does about characters that it lacks, if it is a real one."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=handler)


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed: whoever writes to it fails.

    >>> ClosedOutput().write("rank,feature")
    Traceback (most recent call last):
    ...
    OSError: standard output: is closed; write to a file with -o, or leave it open.
    """

    def write(self, text: str) -> NoReturn:
        """Fail."""
        raise OSError("standard output: is closed; write to a file with -o, or leave it open.")


def _fill_descriptors() -> None:
    """Connect closed descriptors to nothing, so that no file gets their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number


def say(text: str, *, quiet: bool = False) -> None:
    """Print a result; characters that standard output lacks are written as Python does, which is told once."""
    fitting, missing = fitted(text, encoding_of(sys.stdout))
    sys.stdout.write(fitting + "\n")
    sys.stdout.flush()
    if missing and not quiet:
        note(
            f"warning: standard output is {encoding_of(sys.stdout)}, which lacks {missing} of the characters; they are "
            "written as \\x.. or \\u....; set PYTHONIOENCODING=utf-8, or write to a file with -o"
        )


def say_json(text: str) -> None:
    """Print JSON; where standard output lacks characters, JSON's own escapes stand for them: nothing is lost."""
    import json
    import re

    try:
        text.encode(encoding_of(sys.stdout))
    except UnicodeEncodeError:
        text = re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found.group())[1:-1], text)
    sys.stdout.write(text)
    sys.stdout.flush()


def note(text: str) -> None:
    """Say something on stderr, in one line: control characters, which a name may hold, are escaped."""
    from eigenselect.exceptions import printable

    fitting, _ = fitted(printable(text), encoding_of(sys.stderr))
    sys.stderr.write(fitting + "\n")
    sys.stderr.flush()


def encoding_of(stream: object) -> str:
    """Return the encoding of a stream; one in memory takes all characters."""
    return getattr(stream, "encoding", None) or "utf-8"


def fitted(text: str, encoding: str) -> tuple[str, int]:
    r"""Make text that can be written in this encoding; also count the different characters that had to be escaped.

    Lines and bars of our own have simpler ones in their place; they are not counted.

    >>> fitted("naïve ── ゲ", "cp1252")
    ('naïve -- \\u30b2', 1)
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        lacking = {character for character in set(text) if not _can_be_written(character, encoding)}
        escaped = {c: SIMPLER.get(c) or c.encode("unicode_escape").decode() for c in lacking}
        return text.translate({ord(c): escape for c, escape in escaped.items()}), len(lacking - SIMPLER.keys())
    return text, 0


def _can_be_written(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
