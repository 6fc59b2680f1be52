"""Values of options that are names: a wrong one is answered with the nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import click


class Named(click.Choice):
    """One of several names."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What is said of another."""
        return unknown_name(str(value), list(self.choices))


def unknown_name(value: str, names: Iterable[str]) -> str:
    """What is said of a name that is none of these.

    >>> unknown_name("fischer", ["fisher", "relieff"])
    "'fischer' is none of fisher, relieff; did you mean 'fisher'?"
    """
    names = list(names)
    lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(value.lower(), lower, n=1, cutoff=0.5)
    return f"{value!r} is none of {', '.join(names)}{f'; did you mean {lower[near[0]]!r}?' if near else '.'}"
