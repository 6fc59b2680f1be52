"""The ``eigenselect`` command: groups the subcommands and turns failures into one line and an exit code."""

from __future__ import annotations

import sys

import click

from eigenselect._version import __version__
from eigenselect.cli.compare import compare
from eigenselect.cli.fuse import fuse
from eigenselect.cli.methods import methods
from eigenselect.cli.rank import rank
from eigenselect.cli.select import select


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="eigenselect")
def cli() -> None:
    """Choose the features of a table that follow the structure of its samples."""


cli.add_command(compare)
cli.add_command(fuse)
cli.add_command(methods)
cli.add_command(rank)
cli.add_command(select)


def main(args: list[str] | None = None) -> None:
    """Run the command: exit 0 on success, 1 on failure, 2 on wrong usage, 130 on Ctrl-C."""
    words = sys.argv[1:] if args is None else args
    sys.exit(run(words))


def run(words: list[str]) -> int:
    """Exit code of one call. With ``--debug`` errors keep their traceback."""
    try:
        cli.main(args=words, prog_name="eigenselect", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("eigenselect: interrupted", err=True)
        return 130
    except SystemExit:  # how click ends when the reader of a pipe went away (``| head``): no failure of ours
        return 0
    except Exception as error:
        if "--debug" in words:
            raise
        click.echo(f"eigenselect: error: {_one_line(error)}", err=True)
        return 1
    return 0


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    expected = isinstance(error, (ValueError, TypeError, OSError, MemoryError))
    return text if expected else f"{type(error).__name__}: {text} (use --debug for the traceback)"


if __name__ == "__main__":
    main()
