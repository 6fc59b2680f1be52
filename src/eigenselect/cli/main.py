"""The ``eigenselect`` command: its entry and its exit codes."""

from __future__ import annotations

import sys

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
        from eigenselect.cli.group import run_group

        return run_group(words)
    except KeyboardInterrupt:
        return _failed("interrupted", 130, newline=sys.stderr.isatty())  # the terminal has shown ^C on this line
    except Exception as error:
        if "--debug" in words:
            raise
        return _failed(f"error: {_one_line(error)}", 1)


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
