"""The public names: which rooms are public, and what each gives.

One list for all who need it: the pages of the reference, the check of docstrings, and the tests.
"""

from __future__ import annotations

from importlib import import_module

import eigenselect

#: modules that users import from; the others, such as matrix, io, selectors and cli, are the library's own
PUBLIC_MODULES = ("eigenselect", *(f"eigenselect.{room}" for room in (*eigenselect._PACKAGES, *eigenselect._VERBS)))


def public_names() -> dict[str, list[str]]:
    """Return the public names of every public module, as its ``__all__`` has them.

    Of the package, ``__version__`` and the rooms are left out: they are modules and a text.
    """
    names = {module: list(import_module(module).__all__) for module in PUBLIC_MODULES}
    rooms = {module.removeprefix("eigenselect.") for module in PUBLIC_MODULES}
    names["eigenselect"] = [name for name in names["eigenselect"] if name not in rooms and name != "__version__"]
    return names
