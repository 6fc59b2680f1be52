"""The pages of the reference: one per public room, from ``docs/public_names.py``, written before Sphinx reads.

Each lists its names with their first lines; autosummary makes a page of each by the templates in ``_templates``.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from public_names import public_names
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.ext.autosummary import ImportExceptionGroup, import_by_name

#: headings of the reference, with the rooms below each
PARTS = {
    "Choose features": ("eigenselect", "eigenselect.selection"),
    "Genes and cells": ("eigenselect.pp", "eigenselect.gr", "eigenselect.pl"),
    "Sample graphs": ("eigenselect.similarity", "eigenselect.graph", "eigenselect.spectral"),
    "How sure": ("eigenselect.inference", "eigenselect.sensitivity", "eigenselect.evaluation"),
    "Show": ("eigenselect.reporting", "eigenselect.plot"),
}
REST = "Building blocks"


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    names = public_names()
    made = {f"{module}.rst": room_page(module, found) for module, found in names.items()}
    return {"index.rst": index_page(names)} | made


def index_page(names: dict[str, list[str]]) -> str:
    """Return the list of rooms."""
    placed = [module for part in PARTS.values() for module in part]
    parts = PARTS | {REST: tuple(module for module in names if module not in placed)}
    lines = [*title("API reference", "="), "Every public name, by the room that it is imported from.", ""]
    for heading, modules in parts.items():
        lines += [*title(heading, "-"), ".. list-table::", "   :widths: 30 70", ""]
        for module in modules:
            lines += [f"   * - :doc:`{module} <{module}>`", f"     - {first_sentence(module)}"]
        lines.append("")
    toctree = [f"   {module} <{module}>" for modules in parts.values() for module in modules]
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *toctree, ""])


def room_page(module: str, names: list[str]) -> str:
    """Return the tables of one room."""
    lines = [*title(module, "="), f".. module:: {module}", "", first_sentence(module), ""]
    for heading, members in kinds(module, names).items():
        lines += [*title(heading, "-"), ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in members), ""]
    return "\n".join(lines)


def kinds(module: str, names: list[str]) -> dict[str, list[str]]:
    """Sort names by what they are; kinds without a name are left out."""
    found: dict[str, list[str]] = {"Estimators": [], "Classes": [], "Functions": [], "Warnings": [], "Values": []}
    for name in names:
        found[kind(getattr(import_module(module), name))].append(name)
    return {heading: members for heading, members in found.items() if members}


def kind(value: Any) -> str:
    """Return the heading under which a name stands."""
    if not inspect.isclass(value):
        return "Functions" if callable(value) else "Values"
    if issubclass(value, Exception):
        return "Warnings"
    return "Estimators" if hasattr(value, "get_support") else "Classes"


def first_sentence(module: str) -> str:
    """Return the first paragraph of a module's docstring as one line."""
    return " ".join((import_module(module).__doc__ or "").split("\n\n")[0].split())


def title(text: str, line: str) -> list[str]:
    """Return a heading in reST."""
    return [text, line * len(text), ""]


@dataclass(frozen=True)
class Members:
    """The public members of a class that a library defines, each with the directive that documents it."""

    library: str

    def __call__(self, fullname: str) -> list[tuple[str, str]]:
        """Return pairs of directive and name."""
        return [(directive, name) for directive, name, home in _members(fullname) if home.startswith(self.library)]


def _members(fullname: str) -> list[tuple[str, str, str]]:
    """Public members: the directive, the name, and the module that defines it."""
    module, _, name = fullname.rpartition(".")
    cls = getattr(import_module(module), name)
    found = []
    for name in sorted(set(dir(cls))):
        home = next((base for base in cls.__mro__ if name in vars(base)), None)
        if home is None or name.startswith("_"):
            continue
        value = vars(home)[name]
        module = "sklearn" if type(value).__module__.startswith("sklearn") else home.__module__  # made by scikit-learn
        if isinstance(value, property | cached_property):
            found.append(("autoproperty", name, module))
        elif inspect.isroutine(value) or module == "sklearn":
            found.append(("automethod", name, module))
    return found


@cache
def homes() -> dict[str, str]:
    """Return the full path of every public name that is one room's alone; those of the package go before."""
    found: dict[str, list[str]] = {}
    for module, names in public_names().items():
        for name in names:
            found.setdefault(name, []).append(f"{module}.{name}")
    return {name: paths[0] for name, paths in found.items() if len(paths) == 1 or paths[0] == f"eigenselect.{name}"}


def public_name(role: str, rawtext: str, text: str, lineno: int, inliner: Any, *rest: Any) -> Any:
    """Make what stands in single backticks a link where it is a public name, else show it as code."""
    env, target = inliner.document.settings.env, homes().get(text.strip("~"), text)
    linked, problems = PyXRefRole()("py:obj", rawtext, target, lineno, inliner, *rest)
    node = linked[0]
    if not isinstance(node, pending_xref) or not _exists(target, env.ref_context):
        return [nodes.literal(rawtext, text)], problems
    node.children[0].children[0] = nodes.Text(text.strip("~"))
    return linked, problems


def _exists(name: str, context: dict[str, Any]) -> bool:
    rooms = [part for part in (context.get("py:module"), context.get("py:class")) if part]
    try:
        import_by_name(name, [None, *(".".join(rooms[:n]) for n in range(1, len(rooms) + 1))])
    except ImportExceptionGroup:
        return False
    return True


def known_elsewhere(app: Sphinx, env: Any, node: Any, content: Any) -> Any:
    """Leave a name in single backticks as it is if it exists and has no page: another library's, or a private one."""
    if (node.get("refdomain"), node.get("reftype")) != ("py", "obj"):
        return None
    return content if _exists(node["reftarget"], node.attributes) else None


def write_pages(app: Sphinx, _: Any) -> None:
    """Write the pages that changed."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages first, and let the templates ask for the members of a class."""
    app.add_role("public_name", public_name)
    app.config.autosummary_context = {"own_members": Members("eigenselect"), "other_members": Members("sklearn")}
    app.connect("config-inited", write_pages, priority=100)
    app.connect("missing-reference", known_elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
