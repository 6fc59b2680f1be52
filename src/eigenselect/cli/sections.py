"""Commands whose help shows their options in sections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

#: what options belong to that are in no other section
OTHERS = "Other options"


class SectionedCommand(click.Command):
    """A command that lists its options by what they are about, see `titled`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections in the order in which they come up, and the others at the end."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", OTHERS), []).append(record)
        for title in sorted(sections, key=lambda title: title == OTHERS):
            with formatter.section(title):
                formatter.write_dl(sections[title])


def titled(title: str, *options: Callable[[Any], Any]) -> list[Callable[[Any], Any]]:
    """Put options into a section of the help.

    Examples
    --------
    >>> @command()
    ... @titled("Size", click.option("--width", help="In columns."))[0]
    ... def draw(width: str) -> None:
    ...     pass
    >>> print(draw.get_help(click.Context(draw, info_name="draw")))
    Usage: draw [OPTIONS]
    <BLANKLINE>
    Size:
      --width TEXT  In columns.
    <BLANKLINE>
    Other options:
      --help  Show this message and exit.
    """

    def placed(option: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def decorate(function: Any) -> Any:
            function = option(function)
            function.__click_params__[-1].section = title
            return function

        return decorate

    return [placed(option) for option in options]


#: `click.command` with sections
command = partial(click.command, cls=SectionedCommand)
