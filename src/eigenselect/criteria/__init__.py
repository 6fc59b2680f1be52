"""The theorem: a criterion is a (similarity, normalisation, spectral function) triple.

``methods`` can be imported without numpy; ``criterion`` and ``quadratic`` cannot, so names are loaded on first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which the command does without
if TYPE_CHECKING:
    from typing import Any

    from eigenselect.criteria.criterion import Criterion as Criterion
    from eigenselect.criteria.criterion import Native as Native
    from eigenselect.criteria.criterion import Scores as Scores
    from eigenselect.criteria.criterion import UnitLength as UnitLength
    from eigenselect.criteria.criterion import phi as phi
    from eigenselect.criteria.forms import power_form as power_form
    from eigenselect.criteria.forms import spectral_form as spectral_form
    from eigenselect.criteria.methods import METHODS as METHODS
    from eigenselect.criteria.methods import Method as Method
    from eigenselect.criteria.methods import MethodTable as MethodTable

__all__ = [
    "METHODS",
    "Criterion",
    "Method",
    "MethodTable",
    "Native",
    "Scores",
    "UnitLength",
    "phi",
    "power_form",
    "spectral_form",
]
#: the files of these names; `criterion` has the others
_HOMES = {"METHODS": "methods", "Method": "methods", "MethodTable": "methods"}
_HOMES |= {"power_form": "forms", "spectral_form": "forms"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'eigenselect.criteria' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"eigenselect.criteria.{_HOMES.get(name, 'criterion')}"), name)
