"""``eigenselect methods``: the theorem's table."""

from __future__ import annotations

import json
import sys

import click

from eigenselect.cli.streams import say, say_json
from eigenselect.cli.text import aligned, fits
from eigenselect.criteria.methods import METHODS

LETTERS = "N is the normalised Laplacian of the sample graph, γ a spectral function, ξ₁ the trivial eigenvector."
P_VALUES = (
    "P-values need labels, or a graph, that did not see the features, which labels found by clustering them did. "
    "StabilitySelector bounds the errors of the other methods."
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def methods(as_json: bool) -> None:
    """Print the table of methods: which is recommended for which data, and what each is made of."""
    if as_json:
        say_json(json.dumps([row.as_dict() for row in METHODS], indent=2, ensure_ascii=False) + "\n")
        return
    header = ["method", "Ŝ", "f̂", "similarity", "good is", "labels", "p-values", "in Python"]
    rows = [
        [m.name, m.matrix, m.normalization, m.similarity, m.direction, m.supervision, m.p_value_rule or "–", m.call()]
        for m in METHODS
    ]
    width, table = max(len(m.name) for m in METHODS), aligned(header, rows)
    about = [f"{m.name:<{width}}  {m.summary}\n{'':<{width}}  {m.reference}" for m in METHODS]
    if sys.stdout.isatty() and not fits(table):  # lines that a terminal breaks are no table any more
        lists = [
            "\n".join(f"{'':<{width}}  {what}: {cell}" for what, cell in zip(header[1:], row[1:], strict=True))
            for row in rows
        ]
        about = [f"{above}\n{below}\n" for above, below in zip(about, lists, strict=True)]
        say("\n\n".join([_recommended(), "\n".join(about).rstrip(), _theorem()]))
        return
    say("\n\n".join([_recommended(), table, _theorem(), "\n".join(about)]))


def _recommended() -> str:
    """List what is recommended for which data."""
    return aligned(["you have", "recommended"], [list(pair) for pair in METHODS.recommended().items()])


def _theorem() -> str:
    """State what a row is, and what those do that are no quadratic form."""
    form = "A method scores a feature f by f̂ᵀŜf̂ and keeps the largest; methods differ in Ŝ and in how f becomes f̂."
    others = ", ".join(f"{row.name} {row.instead}" for row in METHODS if not row.has_quadratic_form)
    return f"{form}\nNot one such form: {others}.\n{LETTERS}\n{P_VALUES}"
