"""The group of subcommands, each imported when it is asked for."""

from __future__ import annotations

import difflib
import shlex
import sys
from importlib import import_module
from typing import Any

import click

from eigenselect import __version__
from eigenselect.cli.main import COMMANDS, SUMMARY
from eigenselect.cli.streams import note
from eigenselect.exceptions import within

PROGRAM = "eigenselect"
#: what click raises with the help as its message; before version 8.2 it prints that itself
NO_WORDS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


class LazyGroup(click.Group):
    """Subcommands by their names; those that are not asked for are not imported.

    >>> cli.get_command(click.Context(cli), "rank").name, cli.get_command(click.Context(cli), "rang")
    ('rank', None)
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the subcommand; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"eigenselect.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the subcommand and its words; offer a near name for one that is not known."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}."
            ctx.fail(f"no command is called {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run it; Ctrl-C is told apart here, because click would put an empty line before what we say."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


@click.group(
    cls=LazyGroup, help=SUMMARY, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, "--version", prog_name="eigenselect")
def cli() -> None:
    """The command."""


def typed_command() -> str:
    """Return the call that is running as a shell takes it; empty outside of one."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.find_root().obj
    return "" if words is None else shlex.join([PROGRAM, *words])


def run_group(words: list[str]) -> int:
    """Run one call and return its exit code; failures other than wrong usage are raised.

    Ctrl-C is raised as KeyboardInterrupt. Wrong usage is said on stderr, as click does, and gives 2.
    """
    try:
        cli.main(args=words, prog_name=PROGRAM, standalone_mode=False, obj=tuple(words))
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _show(error)
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # how click ends when the reader of a pipe went away (``| head``): no failure of ours
        return 0
    return 0


def _show(error: click.ClickException) -> int:
    """Say how the command is used and what was wrong, with names that cannot move the cursor nor fill the screen."""
    context = getattr(error, "ctx", None)
    if isinstance(error, NO_WORDS):  # no word at all: the help, in its own lines
        sys.stderr.write(f"{error.format_message()}\n")
        return error.exit_code
    if context is not None:
        sys.stderr.write(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n")
    note(f"Error: {within(' '.join(error.format_message().split()))}")
    return error.exit_code
