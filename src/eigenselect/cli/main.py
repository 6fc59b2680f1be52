"""The ``eigenselect`` command: its entry, which answers ``--help`` and ``--version`` before anything is imported.

Even click takes longer to import than Python to start; `help_text` is what click would print, letter by letter.
"""

from __future__ import annotations

import os
import sys

from eigenselect._version import __version__
from eigenselect.cli.streams import StandardStreams

SUMMARY = "Choose the features of a table that follow the structure of its samples."
#: every subcommand, in a module of its name, and what it does
COMMANDS = {
    "compare": "Run several methods and compare what they select.",
    "fuse": "Rank features with what other sources know.",
    "methods": "Print the table of methods: what each is made of.",
    "rank": "Rank the features of a table, best first.",
    "select": "Write a table with its best features only.",
}
#: columns within which no line of the help has to be broken
WIDTH = 80


def main(args: list[str] | None = None) -> None:
    """Run the command and exit.

    The exit code is 0 on success, 1 on failure, 2 on wrong usage, 130 on Ctrl-C (128 + the number of the signal). A
    reader that closes a pipe (``| head``) is no failure.

    Parameters
    ----------
    args : list of str, optional
        The words after ``eigenselect``; those of the process if not given.
    """
    words = sys.argv[1:] if args is None else args
    sys.exit(run(words))


def run(words: list[str]) -> int:
    """Run one call and return its exit code. With ``--debug`` errors keep their traceback."""
    with StandardStreams():
        return _run(words)


def _run(words: list[str]) -> int:
    try:
        answer = _quick_answer(words)
        if answer is not None:
            return _say(answer)
        from eigenselect.cli.group import run_group

        return run_group(words)
    except KeyboardInterrupt:
        return _failed("interrupted", 130, newline=sys.stderr.isatty())  # the terminal has shown ^C on this line
    except Exception as error:
        if "--debug" in words:
            raise
        return _failed(f"error: {_one_line(error)}", 1)


def help_text() -> str:
    """Return the help of the command as a whole, as click would print it.

    >>> print(help_text().splitlines()[0])
    Usage: eigenselect [OPTIONS] COMMAND [ARGS]...
    """
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "Usage: eigenselect [OPTIONS] COMMAND [ARGS]...",
            "",
            f"  {SUMMARY}",
            "",
            "Options:",
            "  --version   Show the version and exit.",
            "  -h, --help  Show this message and exit.",
            "",
            "Commands:",
            *(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()),
        ]
    )


def _quick_answer(words: list[str]) -> str | None:
    """Answer ``--version`` and ``--help`` alone; leave completion and narrow terminals to click."""
    if words == ["--version"]:
        return f"eigenselect, version {__version__}"
    if words in (["--help"], ["-h"]) and "_EIGENSELECT_COMPLETE" not in os.environ and _columns() >= WIDTH:
        return help_text()
    return None


def _columns() -> int:
    """Find the width of the terminal as shutil does, whose import takes longer than all of this."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):  # not a terminal, or nothing at all
        return WIDTH


def _say(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader of a pipe went away (``| head``): no failure of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at its end
    return 0


def _failed(text: str, code: int, *, newline: bool = False) -> int:
    """Say why on stderr; give the exit code."""
    from eigenselect.cli.streams import note

    sys.stderr.write("\n" * newline)
    note(f"eigenselect: {text}")
    return code


def _one_line(error: Exception) -> str:
    """Make one sentence of an error; name its class only if nobody expected it."""
    from eigenselect.exceptions import within

    text = within(" ".join(str(error).split())) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:  # without Python's "[Errno 28]"; what is read or written is named
        text = within(f"{error.filename or 'standard output'}: {error.strerror}.")
    if isinstance(error, MemoryError):
        return _not_enough(error)
    expected = isinstance(error, (ValueError, TypeError, OSError))
    return text if expected else f"{type(error).__name__}: {text} (use --debug for the traceback)"


def _not_enough(error: MemoryError) -> str:
    from eigenselect.cli.run import shortage
    from eigenselect.exceptions import ShortageError, within

    told = isinstance(error, ShortageError)
    text = str(error) if told else f"{shortage(error)}; use fewer samples or features, or a larger machine."
    return within(text)


if __name__ == "__main__":
    main()
