"""Write docs/command_reference.md from the command itself: every option with its help. ``make tables`` runs it."""

from __future__ import annotations

import inspect
import re

import click

from eigenselect.cli.group import cli
from eigenselect.cli.main import COMMANDS, SUMMARY
from eigenselect.cli.sections import OTHERS

#: order in which commands are shown: the ones that most people start with first
SHOWN = ("rank", "select", "compare", "fuse", "methods")

INTRODUCTION = f"""# Command reference

`eigenselect`: {SUMMARY[0].lower()}{SUMMARY[1:]}

This page is made from the command; `eigenselect rank --help` prints the same. [At a terminal](command.md) shows every
command with its output. Exit codes: 0 success, 1 failure, 2 wrong usage, 130 Ctrl-C. Results go to standard output or
to the file of `-o`, everything else to standard error.
"""


def page() -> str:
    """Return the page."""
    commands = [*SHOWN, *(name for name in COMMANDS if name not in SHOWN)]
    return "\n".join([INTRODUCTION, *(section(name) for name in commands)])


def section(name: str) -> str:
    """Return what is said of one command."""
    # with the settings of a real call: a command keeps the help option of its first context
    context = click.Context(cli, info_name="eigenselect", **cli.context_settings)
    command = cli.get_command(context, name)
    inner = click.Context(command, info_name=name, parent=context, terminal_width=120)
    usage = command.get_usage(inner).removeprefix("Usage: ")
    told = inspect.cleandoc(command.help or "").replace("\b\n", "")
    lines = [f"## {name}", "", "```text", usage, "```", "", protected(told), ""]
    for title, records in options(command, inner).items():
        lines += [f"### {name}: {title[0].lower()}{title[1:]}", "", "| option | what it does |", "|---|---|"]
        lines += [f"| `{cell(names)}` | {cell(protected(' '.join(told.split())))} |" for names, told in records]
        lines.append("")
    return "\n".join(lines)


def options(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the options of a command and their help, by the sections of the help."""
    found: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            found.setdefault(getattr(parameter, "section", OTHERS), []).append(record)
    return dict(sorted(found.items(), key=lambda item: item[0] == OTHERS))


def protected(text: str) -> str:
    """Return text whose marks are no Markdown: options and file names in code, stars and brackets as they are."""
    text = re.sub(r"([\\*<>\[\]_^$])", r"\\\1", text)
    return re.sub(r"(?<![\w`-])(--?[a-zA-Z][\w-]*)", r"`\1`", text)


def cell(text: str) -> str:
    """Return text that may stand in a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page())
